/* Paper 001, figure 1. Fixed: approval, landing and radio are under one lock. */
#include <pthread.h>

int landing, approved, radio = 1;
static pthread_mutex_t tower = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
#ifdef FIXED
	pthread_mutex_lock(&tower);
#endif
}

static void unlock(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&tower);
#endif
}

static void *plane(void *unused)
{
	lock();
	if (radio == 0)
		approved = 0;
	else
		approved = 1;
	if (approved)
		landing = 1; // LAND
	unlock();
	return unused;
}

static void *ground(void *unused)
{
	lock();
	if (radio)
		radio = 0;
	unlock();
	return unused;
}

int main(void)
{
	pthread_t t[2];

	(void)tower;
	pthread_create(&t[0], NULL, plane, NULL);
	pthread_create(&t[1], NULL, ground, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}

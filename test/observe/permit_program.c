/* Paper 000, figure 1. Fixed: permission and landing are under one lock. */
#include <pthread.h>

int permit, landing;
static pthread_mutex_t tower = PTHREAD_MUTEX_INITIALIZER;

static void *forbid(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&tower);
#endif
	permit = 0;
#ifdef FIXED
	pthread_mutex_unlock(&tower);
#endif
	return unused;
}

static void *land(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&tower);
#endif
	permit = 1;
	if (permit)
		landing = 1; // LAND
#ifdef FIXED
	pthread_mutex_unlock(&tower);
#endif
	return unused;
}

int main(void)
{
	pthread_t t[2];

	(void)tower;
	pthread_create(&t[0], NULL, forbid, NULL);
	pthread_create(&t[1], NULL, land, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}

// A transfer is meant to happen as a whole; the balance is read and written in it, under a lock each
// time and not for the whole of it. Interest that is set to what it was comes in between.
// property: atomicity
// violates: Atomicity begin@BEGIN rd@READ wr@SET wr@WRITE end@END
#include <pthread.h>
#include <sooth/annotate.h>

struct account {
	pthread_mutex_t lock;
	int rate, charged;
};
static struct account account = { .lock = PTHREAD_MUTEX_INITIALIZER, .rate = 5 };
static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;

static int get_rate(struct account *a)
{
	int rate;

	pthread_mutex_lock(&a->lock);
	rate = a->rate; // READ
	pthread_mutex_unlock(&a->lock);
	return rate;
}

static void set_rate(struct account *a, int rate)
{
	pthread_mutex_lock(&a->lock);
	a->rate = rate; // WRITE
	pthread_mutex_unlock(&a->lock);
}

static void *double_rate(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&whole);
#endif
	SOOTH_ATOMIC_BEGIN(doubling); // BEGIN
	set_rate(&account, 2 * get_rate(&account));
	SOOTH_ATOMIC_END(doubling); // END
#ifdef FIXED
	pthread_mutex_unlock(&whole);
#endif
	return unused;
}

static void *reset_rate(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&whole);
#endif
	pthread_mutex_lock(&account.lock);
	account.rate = 5; // SET
	pthread_mutex_unlock(&account.lock);
#ifdef FIXED
	pthread_mutex_unlock(&whole);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, double_rate, NULL);
	pthread_create(&threads[1], NULL, reset_rate, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&whole);
	return account.rate != 5 && account.rate != 10;
}

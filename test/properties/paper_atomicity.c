// GPredict, figures 4 and 5, with values that do not chain: each m writes the same, so that the
// violation is predicted from the one run.
// property: papers.prop
// violates: DataRace rd@READ wr@WRITE
// violates: DataRace wr@WRITE wr@WRITE
// violates: AtomicityViolation begin@BEGIN rd@READ wr@WRITE wr@WRITE end@END
#include <pthread.h>

struct cell {
	int s;
};
static struct cell cell;
static _Thread_local int seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void m(struct cell *o) // BEGIN
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	seen += o->s; // READ
	o->s = 1;     // WRITE
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
} // END

static void *twice(void *unused)
{
	m(&cell);
	m(&cell);
	return unused;
}

static void *once(void *unused)
{
	m(&cell);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, twice, NULL);
	pthread_create(&threads[1], NULL, once, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&lock);
	return 0;
}

// GPredict, figure 5: T1 calls m twice, T2 once. Each reads what the one before wrote, so no
// other order of these events keeps every value: it takes a run to see the violation. With m
// synchronised there is none; the first begin pairs with the first end.
// property: papers.prop
// violates: DataRace rd@READ wr@WRITE
// leads: AtomicityViolation begin@BEGIN rd@READ wr@WRITE wr@WRITE end@END
// leads: DataRace wr@WRITE wr@WRITE
#include <pthread.h>

struct cell {
	int s;
};
static struct cell cell;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void m(struct cell *o) // BEGIN
{
	int r1, r2;

#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	r1 = o->s; // READ
	r2 = r1 + 1;
	o->s = r2; // WRITE
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

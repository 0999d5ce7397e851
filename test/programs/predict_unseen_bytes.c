// What changes without a recorded write was changed behind the reader's back, when and by whom nobody knows: what came
// before may have been needed for it. Be it a variable that one thread alone looks at, a page that a file is mapped to, or
// memory that several look at. On a stack of its own a thread's own calls put what they like. Each has a thread of its
// own: who comes behind all that was before once does so ever after.
// build: -pthread
// plain: lib/unseen.c
// stdout: 3 1
// predict: race private@STORE private@LOAD
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

void turn_wait(int number);
void turn_done(void);
void unseen_register(int i, int *at);
void unseen_set(int i);
void unseen_fill(int *at);
int *unseen_memory(void);

enum { OWN, MAPPED, SHARED, STACK, MAKER };
static int own, *shared;
static int made[3], found[3], private, sum;
static pthread_mutex_t clocks[MAKER + 1] = {
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

/* Accesses have no times, but what stands beside them does: a lock of one's own. */
static void tell_time(int i)
{
	pthread_mutex_lock(&clocks[i]);
	pthread_mutex_unlock(&clocks[i]);
}

/* Before anything is made, and behind it. */
static void come_again(int who)
{
	turn_done();
	turn_wait(MAKER + 1 + who);
	tell_time(who);
}

static void *look_at_own(void *unused)
{
	turn_wait(OWN);
	if (!own) {
		come_again(OWN);
		if (own)
			found[OWN] = made[OWN];
	}
	turn_done();
	return unused;
}

static void *look_at_mapped(void *unused)
{
	int *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	unseen_register(MAPPED, mapped);
	turn_wait(MAPPED);
	if (!*mapped) {
		come_again(MAPPED);
		if (*mapped)
			found[MAPPED] = made[MAPPED];
	}
	turn_done();
	return unused;
}

static void *look_at_shared(void *unused)
{
	turn_wait(SHARED);
	if (!*shared) {
		come_again(SHARED);
		if (*shared)
			found[SHARED] = made[SHARED];
	}
	turn_done();
	return unused;
}

static void *look_at_stack(void *unused)
{
	int filled = 1;

	turn_wait(STACK);
	come_again(STACK);
	unseen_fill(&filled);
	filled += private; // LOAD
	sum = filled;
	turn_done();
	return unused;
}

static void *make(void *unused)
{
	turn_wait(MAKER);
	private = 1; // STORE
	for (int i = 0; i < 3; i++) {
		made[i] = 1;
		unseen_set(i);
	}
	tell_time(MAKER);
	turn_done();
	return unused;
}

int main(void)
{
	void *(*const bodies[])(void *) = { look_at_own, look_at_mapped, look_at_shared,
					    look_at_stack, make };
	pthread_t threads[MAKER + 1];

	shared = unseen_memory();
	unseen_register(OWN, &own);
	unseen_register(SHARED, shared);
	for (int i = 0; i <= MAKER; i++)
		pthread_create(&threads[i], NULL, bodies[i], NULL);
	for (int i = 0; i <= MAKER; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", found[OWN] + found[MAPPED] + found[SHARED], sum);
	return *shared == 1 ? 0 : 1; /* looked at by two */
}

// A snapshot of a page that is protected in the meantime: a thread that writes to it then would wait in
// the handler of its fault. Of a page that is not protected, the snapshot is a race.
// build: -pthread
// plain: lib/turn.c
// stdout: 0 0
// predict: race *open@SNAPSHOT *open@WRITE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#define PAGE 4096

void turn_wait(int number);
void turn_done(void);

static int *guarded, *open;
static atomic_int taken, dated;

static void wait_for_snapshot(int number)
{
	(void)number;
	while (!atomic_load(&taken))
		sched_yield();
}

static void *write_both(void *unused)
{
	turn_wait(1);
	atomic_fetch_add(&dated, 1); /* plain accesses have no times of their own */
	*open = 1;		     // WRITE
	*guarded = 1;
	return unused;
}

static int *map_page(void)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(void)
{
	struct sigaction action = { .sa_handler = wait_for_snapshot };
	pthread_t thread;
	int copies[2];

	guarded = map_page();
	open = map_page();
	sigaction(SIGSEGV, &action, NULL);
	pthread_create(&thread, NULL, write_both, NULL);
	mprotect(guarded, PAGE, PROT_READ);
	copies[0] = *guarded;
	copies[1] = *open; // SNAPSHOT
	mprotect(guarded, PAGE, PROT_READ | PROT_WRITE);
	atomic_store(&taken, 1);
	turn_done();
	pthread_join(thread, NULL);
	printf("%d %d\n", copies[0], copies[1]);
	return 0;
}

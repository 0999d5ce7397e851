// A write of the value that is there already harms no read of it. A write that changes the value does,
// and so does one after which a read finds another value than before.
// build: -pthread
// plain: lib/turn.c
// stdout: 1 2 0
// predict: race changed@READ_CHANGED changed@CHANGE
// predict: race back@READ_BACK back@AWAY
// predict: race back@READ_BACK back@AGAIN
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static volatile int same = 1, changed = 1, back;

static void *write_them(void *unused)
{
	turn_wait(1);
	same = 1;
	changed = 2; // CHANGE
	back = 1;    // AWAY
	back = 1;    // AGAIN
	return unused;
}

int main(void)
{
	pthread_t thread;
	int found;

	same = 1;
	changed = 1;
	back = 0;
	pthread_create(&thread, NULL, write_them, NULL);
	found = same;
	found += changed; // READ_CHANGED
	found += back;	  // READ_BACK
	turn_done();
	pthread_join(thread, NULL);
	printf("%d %d %d\n", same, changed, found - 2);
	return 0;
}

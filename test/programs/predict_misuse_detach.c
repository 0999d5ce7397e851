// A thread that detaches itself while another joins it. Where who detaches has been waited for
// it is too late for that.
// build: -pthread
// plain: lib/turn.c
// predict: misuse T1@JOIN T1@DETACH
// predict: observed misuse T1@DETACH
#include <pthread.h>

void turn_wait(int number);
void turn_done(void);
void turn_main_sleeps(void);

static pthread_t worker;

static void *work(void *unused)
{
	turn_wait(2);
	turn_main_sleeps();		/* it joins us */
	pthread_detach(pthread_self()); // DETACH
	return unused;
}

static void *other(void *unused)
{
	pthread_detach(pthread_self());
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&thread, NULL, other, NULL);
	turn_wait(1);
	turn_done();
	pthread_join(worker, NULL); // JOIN
	return 0;
}

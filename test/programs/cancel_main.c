// main is cancelled while it joins a thread, which joins main and ends the program: main must give up its turn when it ends.
// build: -pthread
// stdout: main was cancelled
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t main_thread;

static void *end_main(void *unused)
{
	void *result = NULL;

	pthread_cancel(main_thread);
	pthread_join(main_thread, &result);
	puts(result == PTHREAD_CANCELED ? "main was cancelled" : "main has ended");
	exit(0);
	return unused;
}

int main(void)
{
	pthread_t thread;

	main_thread = pthread_self();
	pthread_create(&thread, NULL, end_main, NULL);
	pthread_join(thread, NULL);
	return 1;
}

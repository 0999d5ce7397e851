/* A log is closed by one thread while another still writes to it. Fixed: the closer joins first. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct log {
	int lines, open;
};

__attribute__((noinline)) static void log_open(struct log *l)
{
	l->open = 1;
}

__attribute__((noinline)) static void log_write(struct log *l)
{
	l->lines++;
}

__attribute__((noinline)) static void log_close(struct log *l)
{
	l->open = 0;
}

static void *writer(void *l)
{
	log_write(l);
	log_write(l); // LATE
	return NULL;
}

int main(void)
{
	struct log *l = calloc(1, sizeof *l);
	pthread_t t;

	log_open(l);
	pthread_create(&t, NULL, writer, l);
	sched_yield();
#ifdef FIXED
	pthread_join(t, NULL);
#endif
	log_close(l);
#ifndef FIXED
	pthread_join(t, NULL);
#endif
	free(l);
	return 0;
}

// A message is freed that another thread may still be looking at.
// property: malloc-free
// violates: UseAfterFree free@FREE use@USE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *message;
static size_t length;
static pthread_t reader;

static void *show(void *unused)
{
	length = strlen(message); // USE
	return unused;
}

static void *drop(void *unused)
{
#ifdef FIXED
	pthread_join(reader, NULL);
#endif
	free(message); // FREE
	return unused;
}

int main(void)
{
	pthread_t dropper;

	message = malloc(64);
	snprintf(message, 64, "%d threads", 2);
	pthread_create(&reader, NULL, show, NULL);
	pthread_create(&dropper, NULL, drop, NULL);
#ifndef FIXED
	pthread_join(reader, NULL);
#endif
	pthread_join(dropper, NULL);
	return length != 9;
}

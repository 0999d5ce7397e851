// A thread is started before what it needs is set: as a rule it takes longer to start than that.
// explore: crash USES
// build: -pthread
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "work.h"

static int limit = 5;
static int *_Atomic settings;
static int used;

static void *serve(void *unused)
{
	work(60);
	used = *settings; // USES
	return unused;
}

int main(void)
{
	pthread_t server;

#ifdef FIXED
	settings = &limit;
	pthread_create(&server, NULL, serve, NULL);
#else
	pthread_create(&server, NULL, serve, NULL);
	settings = &limit;
#endif
	pthread_join(server, NULL);
	return used != limit;
}

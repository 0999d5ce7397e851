// Two threads find that the connection is to be made anew: each closes it and opens another.
// property: double-close
// violates: DoubleClose close@CLOSE close@CLOSE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int connection;

static void *reconnect(void *unused)
{
	int own;

#ifdef FIXED
	pthread_mutex_lock(&lock);
	own = connection;
	close(own);
	connection = open("/dev/null", O_RDWR);
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_lock(&lock);
	own = connection;
	pthread_mutex_unlock(&lock);
	close(own); // CLOSE
	own = open("/dev/null", O_RDWR);
	pthread_mutex_lock(&lock);
	connection = own;
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	connection = open("/dev/null", O_RDWR);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, reconnect, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return connection < 0;
}

// Two threads share a connection, and each closes it when it is done. What each opens for itself
// may have the same number, one behind the other: that is no double close.
// property: double-close
// violates: DoubleClose open@OPEN close@CLOSE close@CLOSE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int connection, users = 2, pair[2];
static pthread_barrier_t done;

static void *work(void *unused)
{
	int own = open("/dev/null", O_RDWR);

	close(own);
	pthread_barrier_wait(&done);
#ifdef FIXED
	if (__atomic_sub_fetch(&users, 1, __ATOMIC_SEQ_CST) == 0)
#endif
		close(connection); // CLOSE
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&done, NULL, 2);
	connection = open("/dev/null", O_RDWR); // OPEN
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++) { /* the same numbers again */
		if (pipe(pair))
			return 1;
		close(pair[0]);
		close(pair[1]);
	}
	return users < 0;
}

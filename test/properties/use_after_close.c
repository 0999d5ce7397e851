// A log file is closed by one thread while another may still write to it.
// property: use-after-close
// violates: UseAfterClose open@OPEN close@CLOSE use@WRITE
// violates: UseWhileClosing open@OPEN close@CLOSE use@WRITE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int log_file, wrote;
static pthread_t writer;

/* Files of two threads that may have the same number, one behind the other. */
static void write_own(void)
{
	int own = open("/dev/null", O_WRONLY);

	if (write(own, "mine\n", 5) != 5)
		abort();
	close(own);
}

static void *work(void *unused)
{
	write_own();
	wrote = (int)write(log_file, "worked\n", 7); // WRITE
	return unused;
}

static void *end(void *unused)
{
	write_own();
#ifdef FIXED
	pthread_join(writer, NULL);
#endif
	close(log_file); // CLOSE
	return unused;
}

int main(void)
{
	int other = open("/dev/null", O_WRONLY);
	pthread_t closer;

	if (write(other, "started\n", 8) != 8)
		return 1;
	close(other); /* the same number once more, and another descriptor */
	log_file = open("/dev/null", O_WRONLY); // OPEN
	pthread_create(&writer, NULL, work, NULL);
	pthread_create(&closer, NULL, end, NULL);
#ifndef FIXED
	pthread_join(writer, NULL);
#endif
	pthread_join(closer, NULL);
	return wrote != 7;
}

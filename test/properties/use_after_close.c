// A log file is closed by one thread while another may still write to it.
// property: use-after-close
// violates: UseAfterClose close@CLOSE use@WRITE
// violates: UseWhileClosing close@CLOSE use@WRITE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int log_file, wrote;
static pthread_t writer;

static void *work(void *unused)
{
	wrote = (int)write(log_file, "worked\n", 7); // WRITE
	return unused;
}

static void *end(void *unused)
{
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
	log_file = open("/dev/null", O_WRONLY);
	pthread_create(&writer, NULL, work, NULL);
	pthread_create(&closer, NULL, end, NULL);
#ifndef FIXED
	pthread_join(writer, NULL);
#endif
	pthread_join(closer, NULL);
	return wrote != 7;
}

// build: -lrt
/* Threads that the C library makes by itself, and those of a thread that has left a handler by another context. */
#include "say.h"

#include <aio.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static sem_t done;
static ucontext_t before;
static volatile int handled;

static void on_read(union sigval unused)
{
	(void)unused;
	say_work(100);
	sem_post(&done);
}

static void read_beside(int fd)
{
	static char bytes[100];
	struct aiocb block = { .aio_fildes = fd, .aio_buf = bytes, .aio_nbytes = sizeof(bytes) };

	block.aio_sigevent.sigev_notify = SIGEV_THREAD;
	block.aio_sigevent.sigev_notify_function = on_read;
	SAY(aio_read(&block));
	while (sem_wait(&done))
		;
	SAY(aio_return(&block));
}

static void leave(int unused)
{
	(void)unused;
	handled++;
	setcontext(&before);
}

static void *work(void *unused)
{
	say_work(20000);
	return unused;
}

int main(void)
{
	struct sigaction action = { .sa_handler = leave, .sa_flags = SA_NODEFER };

	sem_init(&done, 0, 0);
	int fd = open("/proc/self/exe", O_RDONLY);
	for (int i = 0; i < 3; i++)
		read_beside(fd);
	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 1; i < 20; i++) {
		getcontext(&before);
		if (handled < i)
			raise(SIGUSR1);
		say_work(1000);
	}
	SAY(handled);
	say_in_thread(work, NULL);
	return 0;
}

// Which numbers open gets, and what becomes of descriptors that are closed behind our back.
#include "say.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void *work(void *unused)
{
	say_work(50000);
	return unused;
}

/* The lowest that are open; those of the listing itself come and go. */
static void list(void)
{
	for (int fd = 0; fd < 32; fd++)
		if (fcntl(fd, F_GETFD) != -1)
			printf("%d:%d ", fd, fcntl(fd, F_GETFD));
	printf("\n");
}

static void kinds(void)
{
	int ends[2];

	SAY(open("/dev/null", O_RDONLY));
	SAY(dup(0));
	SAY(pipe(ends) || ends[0] * 100 + ends[1]);
	printf("%d %d\n", ends[0], ends[1]);
	SAY(socket(AF_UNIX, SOCK_STREAM, 0));
	SAY(eventfd(0, 0));
	SAY(epoll_create1(0));
	SAY_ERRNO(close(3));
	SAY_ERRNO(close(3));
	SAY_ERRNO(close(-1));
	say_work(50000);
	SAY(open("/dev/null", O_RDWR | O_CLOEXEC));
	SAY_ERRNO(open("/does/not/exist", O_RDONLY));
	SAY_ERRNO(dup2(4, 20));
	SAY_ERRNO(dup2(99, 20));
	SAY_ERRNO(fcntl(4, F_DUPFD, 10));
	list();
}

int main(void)
{
	list();
	say_in_thread(work, NULL);
	list();
	kinds();
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	say_in_thread(work, NULL);
	say_work(50000);
	list();
	closefrom(3);
	say_in_thread(work, NULL);
	SAY(open("/dev/null", O_RDONLY));
	say_work(50000);
	list();
	/* Without 0 and 2, somebody else's file is what a message of ours would go to. */
	close(0);
	close(2);
	SAY(open("/dev/null", O_RDONLY));
	SAY(open("/dev/null", O_WRONLY));
	say_work(100000);
	list();
	return 0;
}

/*
 * elsewhere WAY: leaves its directory, its root, its user or all of them, and then does more than its
 * buffers hold, in threads that come after that. Or it becomes a daemon where there is no /dev/null, which it
 * is told.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned long cells[10][16];

static void *work(void *number)
{
	for (unsigned i = 0; i < 30000; i++)
		cells[(long)number][i % 16] += i;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	int all = !strcmp(way, "all");
	pthread_t threads[10];

	work(0);
	if ((all || !strcmp(way, "chdir")) && chdir("/"))
		perror("chdir");
	if ((all || !strcmp(way, "chroot")) && chroot(all ? "/proc/self/fdinfo" : "empty"))
		perror("chroot");
	if ((all || !strcmp(way, "setuid")) && setuid(65534))
		perror("setuid");
	if (!strcmp(way, "daemon") && (chroot("empty") || daemon(0, 0)))
		perror("daemon");
	for (long i = 0; i < 10; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 10; i++)
		pthread_join(threads[i], NULL);
	printf("%lu, file %d\n", cells[9][3], dup(0));
	return 0;
}

// system, popen and posix_spawn from a threaded program: children run, and are not traced here.
// build: -pthread
// stdout: system 3
// stdout: popen hello
// stdout: spawn 0
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

static void *run(void *unused)
{
	printf("system %d\n", WEXITSTATUS(system("exit 3")));
	return unused;
}

int main(void)
{
	pthread_t thread;
	char line[32] = "";
	char *argv[] = { "true", NULL };
	pid_t child;
	int status = -1;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	FILE *out = popen("echo hello", "r");
	if (out && fgets(line, sizeof(line), out))
		printf("popen %s", line);
	if (out)
		pclose(out);
	if (posix_spawnp(&child, "true", NULL, NULL, argv, environ) == 0)
		waitpid(child, &status, 0);
	printf("spawn %d\n", WEXITSTATUS(status));
	return 0;
}

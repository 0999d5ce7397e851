#include "cli/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool parts_directory(char path[PATH_MAX])
{
	static const char tail[] = "/lib/sooth";
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof(tail));

	if (n <= 0) {
		fprintf(stderr, "sooth: /proc/self/exe: %s\n", strerror(errno));
		return false;
	}
	path[n] = 0;
	/* …/bin/sooth: up twice */
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(path, '/');
		if (slash)
			*slash = 0;
	}
	strcat(path, tail);
	return true;
}

static bool join(char path[PATH_MAX], const char *directory, const char *name)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", directory, name);

	return n < PATH_MAX && access(path, R_OK) == 0;
}

bool parts_plugin(char path[PATH_MAX], const char *directory, int gcc_major)
{
	char name[64];

	snprintf(name, sizeof(name), "gcc-%d/sooth.so", gcc_major);
	return join(path, directory, name);
}

bool parts_runtime(char path[PATH_MAX], const char *directory)
{
	return join(path, directory, "libsooth.so");
}

/* Starts `command -v` with stdout and stderr into a pipe; the read end, or -1. */
static int ask_version(char **command, pid_t *pid)
{
	int ends[2], words = 0;

	while (command[words])
		words++;
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	*pid = fork();
	if (*pid == 0) {
		char *argv[words + 2];
		memcpy(argv, command, (size_t)words * sizeof(*argv));
		argv[words] = "-v";
		argv[words + 1] = NULL;
		setenv("LC_ALL", "C", 1);
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
	if (*pid < 0) {
		close(ends[0]);
		return -1;
	}
	return ends[0];
}

int parts_gcc_major(char **command, char line[256])
{
	pid_t pid;
	int status, major = 0, fd = ask_version(command, &pid);
	FILE *answer = fd >= 0 ? fdopen(fd, "r") : NULL;
	char text[4096];

	line[0] = 0;
	if (!answer)
		return -1;
	while (fgets(text, sizeof(text), answer)) {
		text[strcspn(text, "\n")] = 0;
		/* clang says "… clang version 14.0.6" and speaks of gcc installations it found. */
		if (!line[0] && strstr(text, " version "))
			snprintf(line, 256, "%.255s", text);
		if (sscanf(text, "gcc version %d.", &major) == 1)
			break;
	}
	while (fgets(text, sizeof(text), answer))
		;
	fclose(answer);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? -1 : major;
}

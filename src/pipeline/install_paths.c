/* Finds the parts of an installation, and finds out which compiler a command runs. */
#include "pipeline/install_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool install_paths_directory(char path[PATH_MAX])
{
	static const char tail[] = "/lib/sooth";
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof(tail));

	if (n <= 0) {
		fprintf(stderr, "sooth: /proc/self/exe: %s\n", strerror(errno));
		return false;
	}
	path[n] = 0;
	/* remove "/bin/sooth" */
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(path, '/');
		if (slash)
			*slash = 0;
	}
	strcat(path, tail);
	return true;
}

static bool join_and_test(char path[PATH_MAX], const char *directory, const char *name)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", directory, name);

	return n < PATH_MAX && access(path, R_OK) == 0;
}

const char *install_paths_family_name(enum compiler_family family)
{
	return family == COMPILER_CLANG ? "clang" : "gcc";
}

bool install_paths_plugin(char path[PATH_MAX], const char *directory, enum compiler_family family,
			  int major)
{
	char name[64];

	snprintf(name, sizeof(name), "%s-%d/sooth.so", install_paths_family_name(family), major);
	return join_and_test(path, directory, name);
}

void install_paths_list_plugins(char text[128], const char *directory, enum compiler_family family)
{
	char path[PATH_MAX];
	size_t length = 0;

	text[0] = 0;
	for (int major = 1; major < 100 && length < 120; major++)
		if (install_paths_plugin(path, directory, family, major))
			length += (size_t)snprintf(text + length, 128 - length, "%s%d",
						   length ? ", " : "", major);
}

bool install_paths_runtime(char path[PATH_MAX], const char *directory)
{
	return join_and_test(path, directory, "libsooth.so");
}

/* Starts `command -v`. Returns a pipe with its standard output and error, or -1. */
static int run_version_command(char **command, pid_t *pid)
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

/*
 * Reads a line of the answer. Only the first line with a version counts, because clang also lists
 * installations of gcc.
 */
static void read_version_line(struct compiler *compiler, const char *text)
{
	const char *clang = strstr(text, "clang version ");

	if (compiler->line[0] || !strstr(text, " version "))
		return;
	snprintf(compiler->line, sizeof(compiler->line), "%.255s", text);
	if (sscanf(text, "gcc version %d.", &compiler->major) == 1)
		compiler->family = COMPILER_GCC;
	else if (clang && sscanf(clang, "clang version %d.", &compiler->major) == 1)
		compiler->family = COMPILER_CLANG;
}

void install_paths_ask_compiler(struct compiler *compiler, char **command)
{
	pid_t pid;
	int status, fd = run_version_command(command, &pid);
	FILE *answer = fd >= 0 ? fdopen(fd, "r") : NULL;
	char text[4096];

	*compiler = (struct compiler){ .family = COMPILER_OTHER };
	if (!answer) {
		compiler->family = COMPILER_ABSENT;
		return;
	}
	while (fgets(text, sizeof(text), answer)) {
		text[strcspn(text, "\n")] = 0;
		read_version_line(compiler, text);
	}
	fclose(answer);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		compiler->family = COMPILER_ABSENT;
}

/*
 * Starts a program for recording: makes the trace's name, sets SOOTH_OPTIONS, and starts the child
 * process.
 */
#include "pipeline/record_program.h"

#include "base/file.h"
#include "pipeline/complain.h"
#include "pipeline/paths.h"
#include "base/mem.h"
#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void record_program_say_nothing_written(const struct record_program *r)
{
	complain(r->command,
		 "no trace was written: the program was not built with sooth\n"
		 "sooth %s: compile and link %s with `sooth cc` or `sooth c++` "
		 "(CC=sooth-cc CXX=sooth-c++)",
		 r->command, r->program[0]);
}

bool record_program_keep(const char *command, const char *trace, const char *name)
{
	return ((!trace_exists(name) || trace_remove(name)) && trace_move(trace, name)) ||
	       complain(command, "cannot keep the recording as %s: %s", name, strerror(errno));
}

/* ---- the trace's directory ------------------------------------------------------------------- */

/*
 * Makes the absolute name of the trace. The runtime creates that directory, but its parent must
 * exist.
 */
static bool make_absolute_name(struct record_program *r)
{
	char copy[PATH_MAX], parent[PATH_MAX];

	if (!r->trace) {
		snprintf(r->name, sizeof(r->name), "%.*s.sooth", NAME_MAX - 6,
			 path_name(r->program[0]));
		r->trace = r->name;
	}
	if (!*r->trace || strlen(r->trace) >= sizeof(copy))
		return complain(r->command, "-o '%.40s': invalid name for a trace", r->trace);
	strcpy(copy, r->trace);
	for (size_t n = strlen(copy); n > 1 && copy[n - 1] == '/';)
		copy[--n] = 0;
	char *slash = strrchr(copy, '/');
	const char *name = slash ? slash + 1 : copy;
	if (slash)
		*slash = 0;
	const char *parent_name = !slash ? "." : slash == copy ? "/" : copy;
	if (!realpath(parent_name, parent))
		return complain(r->command, "%s: %s", parent_name, strerror(errno));
	if (access(parent, W_OK | X_OK))
		return complain(r->command, "cannot write to %s: %s", parent, strerror(errno));
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return complain(r->command, "-o %s: invalid name for a trace", r->trace);
	int n = snprintf(r->directory, sizeof(r->directory), "%s/%s", parent[1] ? parent : "",
			 name);
	/* The runtime appends file names to this path, so its limit is a little below PATH_MAX. */
	if (n >= PATH_MAX - 300)
		return complain(r->command, "%s: the name is too long", r->trace);
	if (strchr(r->directory, '"') && strchr(r->directory, '\''))
		return complain(r->command,
				"%s: a name that contains both ' and \" is not supported",
				r->trace);
	return true;
}

bool record_program_place(struct record_program *r)
{
	struct stat status;

	if (!make_absolute_name(r))
		return false;
	if (lstat(r->directory, &status) && errno == ENOENT)
		return true;
	if (!trace_exists(r->directory))
		return complain(r->command,
				"%s exists and is not a trace; choose another name with -o",
				r->trace);
	return trace_remove(r->directory) ||
	       complain(r->command, "cannot replace %s: %s", r->trace, strerror(errno));
}

/* ---- running --------------------------------------------------------------------------------- */

/*
 * Sets SOOTH_OPTIONS: first the user's options, then ours, because the last value of a key counts.
 */
static bool set_options(const struct record_program *r)
{
	const char *given = getenv("SOOTH_OPTIONS");
	char quote = strchr(r->directory, '"') ? '\'' : '"';
	char *text;
	size_t length;
	FILE *out = mem_stream(&text, &length);

	if (given && *given)
		fprintf(out, "%s:", given);
	if (r->limit)
		fprintf(out, "limit=%s:", r->limit);
	if (r->verbosity)
		fprintf(out, "verbosity=%s:", r->verbosity);
	if (r->patterns)
		fputs("patterns=1:", out);
	if (r->serial)
		fputs("serial=1:", out);
	if (r->seed)
		fprintf(out, "seed=%s:", r->seed);
	fprintf(out, "dir=%c%s%c", quote, r->directory, quote);
	mem_stream_close(out);
	bool done = setenv("SOOTH_OPTIONS", text, 1) == 0;
	free(text);
	return done || complain(r->command, "%s", strerror(errno));
}

/* Runs in the child. Writes errno to `report` if the program cannot be executed. */
static void __attribute__((noreturn)) execute_program(const struct record_program *r, int report)
{
	int old = personality(0xffffffff);

	sigaction(SIGINT, &r->interrupt, NULL);
	sigaction(SIGQUIT, &r->quit, NULL);
	if (r->ends_with_us)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (r->output_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);

	/* Some containers forbid this. Then addresses differ between runs. */
	if (old != -1)
		personality((unsigned long)old | ADDR_NO_RANDOMIZE);
	execvp(r->program[0], r->program);
	int error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(RECORD_PROGRAM_FAILED);
	_exit(RECORD_PROGRAM_NOT_FOUND);
}

bool record_program_start(struct record_program *r, pid_t *pid, int *status)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int report[2], error = 0;

	*status = RECORD_PROGRAM_FAILED;
	if (!set_options(r))
		return false;
	if (pipe2(report, O_CLOEXEC))
		return complain(r->command, "%s", strerror(errno));
	sigaction(SIGINT, &ignore, &r->interrupt);
	sigaction(SIGQUIT, &ignore, &r->quit);
	*pid = fork();
	if (*pid == 0)
		execute_program(r, report[1]);
	close(report[1]);
	if (*pid < 0) {
		close(report[0]);
		return complain(r->command, "fork: %s", strerror(errno));
	}
	ssize_t n = read(report[0], &error, sizeof(error));
	close(report[0]);
	if (n <= 0)
		return true;
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*status = error == ENOENT ? RECORD_PROGRAM_NOT_FOUND : RECORD_PROGRAM_NOT_EXECUTABLE;
	return complain(r->command, "%s: %s", r->program[0], strerror(error));
}

void record_program_end(const struct record_program *r)
{
	sigaction(SIGINT, &r->interrupt, NULL);
	sigaction(SIGQUIT, &r->quit, NULL);
}

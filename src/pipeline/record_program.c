#include "pipeline/record_program.h"

#include "pipeline/complain.h"
#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool record_program_complain(const struct record_program *r, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	cli_complain_list(r->command, format, list);
	va_end(list);
	return false;
}

const char *record_program_value(const char *name, char **argv, int *i)
{
	size_t length = strlen(name);
	const char *word = argv[*i];

	if (strncmp(word, name, length) != 0)
		return NULL;
	if (word[length] == '=' && length > 2)
		return word + length + 1;
	if (word[length])
		return length == 2 ? word + length : NULL;
	return argv[*i + 1] ? argv[++*i] : NULL;
}

static bool is_number(const char *text)
{
	char *end;

	errno = 0;
	strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

bool record_program_check_values(const struct record_program *r)
{
	if (r->limit) {
		size_t digits = strspn(r->limit, "0123456789");
		const char *unit = r->limit + digits;
		if (!digits || (*unit && (!strchr("kKmMgG", *unit) || unit[1])))
			return record_program_complain(
				r, "--limit %s: not a size (such as 500M or 2G)", r->limit);
	}
	if (r->log && strcmp(r->log, "global") != 0 && strcmp(r->log, "thread") != 0)
		return record_program_complain(r, "--log %s: thread or global", r->log);
	if (r->verbosity && (!*r->verbosity || r->verbosity[strspn(r->verbosity, "0123456789")]))
		return record_program_complain(r, "--verbosity %s: not a number", r->verbosity);
	if (r->seed && !is_number(r->seed))
		return record_program_complain(r, "--seed %s: not a number below 2^64", r->seed);
	if (r->seed && !r->serial)
		return record_program_complain(r, "--seed goes with --serial");
	return true;
}

void record_program_say_nothing_written(const struct record_program *r)
{
	record_program_complain(r,
				"no trace was written: nothing that ran was built with sooth\n"
				"sooth %s: compile and link %s with `sooth cc` or `sooth c++` "
				"(CC=sooth-cc CXX=sooth-c++)",
				r->command, r->program[0]);
}

/* ---- the trace's directory --------------------------------------------------------------------- */

/* The runtime makes the directory; here it gets its absolute name, whose parent must be there. */
static bool find_directory(struct record_program *r)
{
	char copy[PATH_MAX], parent[PATH_MAX];

	if (!r->trace) {
		const char *slash = strrchr(r->program[0], '/');
		snprintf(r->name, sizeof(r->name), "%.*s.sooth", NAME_MAX - 6,
			 slash ? slash + 1 : r->program[0]);
		r->trace = r->name;
	}
	if (!*r->trace || strlen(r->trace) >= sizeof(copy))
		return record_program_complain(r, "-o '%.40s': not a name for a trace", r->trace);
	strcpy(copy, r->trace);
	for (size_t n = strlen(copy); n > 1 && copy[n - 1] == '/';)
		copy[--n] = 0;
	char *slash = strrchr(copy, '/');
	const char *name = slash ? slash + 1 : copy;
	if (slash)
		*slash = 0;
	const char *above = !slash ? "." : slash == copy ? "/" : copy;
	if (!realpath(above, parent))
		return record_program_complain(r, "%s: %s", above, strerror(errno));
	if (access(parent, W_OK | X_OK))
		return record_program_complain(r, "cannot write to %s: %s", parent,
					       strerror(errno));
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return record_program_complain(r, "-o %s: not a name for a trace", r->trace);
	int n = snprintf(r->directory, sizeof(r->directory), "%s/%s", parent[1] ? parent : "",
			 name);
	/* The runtime's own limit is a little below PATH_MAX: it adds file names. */
	if (n >= PATH_MAX - 300)
		return record_program_complain(r, "%s: the name is too long", r->trace);
	if (strchr(r->directory, '"') && strchr(r->directory, '\''))
		return record_program_complain(
			r, "%s: a name with both kinds of quotes cannot be passed on", r->trace);
	return true;
}

bool record_program_place(struct record_program *r)
{
	struct stat status;

	if (!find_directory(r))
		return false;
	if (lstat(r->directory, &status) && errno == ENOENT)
		return true;
	if (!trace_is_there(r->directory))
		return record_program_complain(
			r, "%s is there already and is not a trace; name another with -o",
			r->trace);
	return trace_remove(r->directory) ||
	       record_program_complain(r, "cannot replace %s: %s", r->trace, strerror(errno));
}

/* ---- running ----------------------------------------------------------------------------------- */

/* The user's SOOTH_OPTIONS, then ours: the last word on a key counts. */
static bool set_options(const struct record_program *r)
{
	const char *given = getenv("SOOTH_OPTIONS");
	char quote = strchr(r->directory, '"') ? '\'' : '"';
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return record_program_complain(r, "%s", strerror(errno));
	if (given && *given)
		fprintf(out, "%s:", given);
	if (r->limit)
		fprintf(out, "limit=%s:", r->limit);
	if (r->log)
		fprintf(out, "log=%s:", r->log);
	if (r->verbosity)
		fprintf(out, "verbosity=%s:", r->verbosity);
	if (r->patterns)
		fputs("patterns=1:", out);
	if (r->serial)
		fputs("serial=1:", out);
	if (r->seed)
		fprintf(out, "seed=%s:", r->seed);
	fprintf(out, "dir=%c%s%c", quote, r->directory, quote);
	bool done = fclose(out) == 0 && setenv("SOOTH_OPTIONS", text, 1) == 0;
	free(text);
	return done || record_program_complain(r, "%s", strerror(errno));
}

/* In the child. Writes errno to `report` when the program cannot be executed. */
static void __attribute__((noreturn)) become(const struct record_program *r, int report)
{
	int old = personality(0xffffffff);

	sigaction(SIGINT, &r->interrupt, NULL);
	sigaction(SIGQUIT, &r->quit, NULL);
	if (r->ends_with_us)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (r->output_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);

	/* Not allowed in some containers: then addresses differ from run to run, that is all. */
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
		return record_program_complain(r, "%s", strerror(errno));
	sigaction(SIGINT, &ignore, &r->interrupt);
	sigaction(SIGQUIT, &ignore, &r->quit);
	*pid = fork();
	if (*pid == 0)
		become(r, report[1]);
	close(report[1]);
	if (*pid < 0) {
		close(report[0]);
		return record_program_complain(r, "fork: %s", strerror(errno));
	}
	ssize_t n = read(report[0], &error, sizeof(error));
	close(report[0]);
	if (n <= 0)
		return true;
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*status = error == ENOENT ? RECORD_PROGRAM_NOT_FOUND : RECORD_PROGRAM_NOT_EXECUTABLE;
	return record_program_complain(r, "%s: %s", r->program[0], strerror(error));
}

void record_program_end(const struct record_program *r)
{
	sigaction(SIGINT, &r->interrupt, NULL);
	sigaction(SIGQUIT, &r->quit, NULL);
}

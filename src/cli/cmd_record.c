/*
 * sooth record: runs a program built with `sooth cc` and tells its runtime where to write.
 *
 * The program runs in our process group with our terminal, its output is its own, and its status
 * becomes ours, as with env(1) or nice(1). Address space randomisation is turned off where we may,
 * so that two recordings of one program have the same addresses.
 */
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 125, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

struct recording {
	const char *trace; /* as the user said it, or made from the program's name */
	const char *limit, *log, *verbosity;
	bool verbose;
	char **program; /* NULL-terminated */
	char name[NAME_MAX + 8];
	char directory[PATH_MAX]; /* absolute */
};

static const char usage[] =
	"usage: sooth record [OPTIONS] [--] PROG ARGS...\n"
	"\n"
	"Runs PROG, built with `sooth cc`, and records it. The exit status is the program's own;\n"
	"125 when recording fails, 126 when PROG cannot be executed, 127 when it is not found.\n"
	"\n"
	"  -o TRACE         where to (default: PROG.sooth in the current directory)\n"
	"  --limit SIZE     stop recording after so many bytes (K, M, G); the program goes on\n"
	"  --log WHICH      thread (default): a log per thread; global: one log under one lock\n"
	"  --verbosity N    how much the runtime says (default 0: nothing)\n"
	"  -v               say where the trace is and how large\n"
	"\n"
	"Processes that the program starts record into NAME.PID.sooth beside TRACE. SOOTH_OPTIONS\n"
	"takes limit, log and verbosity as well (limit=1G:log=thread).\n";

static bool __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fputs("sooth record: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	return false;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* The value of `name` at argv[*i], as "--name V", "--name=V" or "-nV"; NULL when it is another. */
static const char *value_of(const char *name, char **argv, int *i)
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

static bool read_option(struct recording *r, char **argv, int *i)
{
	static const char *const later[] = { "--serial", "--seed", "-p" };
	const char *word = argv[*i], *value;

	for (size_t k = 0; k < sizeof(later) / sizeof(later[0]); k++)
		if (!strncmp(word, later[k], strlen(later[k])))
			return complain("%s is not available yet", later[k]);
	if (!strcmp(word, "-v"))
		r->verbose = true;
	else if ((value = value_of("-o", argv, i)))
		r->trace = value;
	else if ((value = value_of("--limit", argv, i)))
		r->limit = value;
	else if ((value = value_of("--log", argv, i)))
		r->log = value;
	else if ((value = value_of("--verbosity", argv, i)))
		r->verbosity = value;
	else
		return complain("%s: no such option, or its value is missing (sooth record --help)",
				word);
	return true;
}

static bool check_values(const struct recording *r)
{
	if (r->limit) {
		size_t digits = strspn(r->limit, "0123456789");
		const char *unit = r->limit + digits;
		if (!digits || (*unit && (!strchr("kKmMgG", *unit) || unit[1])))
			return complain("--limit %s: not a size (such as 500M or 2G)", r->limit);
	}
	if (r->log && strcmp(r->log, "global") != 0 && strcmp(r->log, "thread") != 0)
		return complain("--log %s: thread or global", r->log);
	if (r->verbosity && (!*r->verbosity || r->verbosity[strspn(r->verbosity, "0123456789")]))
		return complain("--verbosity %s: not a number", r->verbosity);
	return true;
}

static bool read_words(struct recording *r, char **argv)
{
	int i = 1;

	for (; argv[i] && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!read_option(r, argv, &i))
			return false;
	}
	if (!argv[i])
		return complain("which program? (sooth record [OPTIONS] PROG ARGS...)");
	r->program = argv + i;
	return check_values(r);
}

/* ---- the trace's directory --------------------------------------------------------------------- */

/* The runtime makes the directory; here it gets its absolute name, whose parent must be there. */
static bool place_trace(struct recording *r)
{
	char copy[PATH_MAX], parent[PATH_MAX];

	if (!r->trace) {
		const char *slash = strrchr(r->program[0], '/');
		snprintf(r->name, sizeof(r->name), "%.*s.sooth", NAME_MAX - 6,
			 slash ? slash + 1 : r->program[0]);
		r->trace = r->name;
	}
	if (!*r->trace || strlen(r->trace) >= sizeof(copy))
		return complain("-o '%.40s': not a name for a trace", r->trace);
	strcpy(copy, r->trace);
	for (size_t n = strlen(copy); n > 1 && copy[n - 1] == '/';)
		copy[--n] = 0;
	char *slash = strrchr(copy, '/');
	const char *name = slash ? slash + 1 : copy;
	if (slash)
		*slash = 0;
	const char *above = !slash ? "." : slash == copy ? "/" : copy;
	if (!realpath(above, parent))
		return complain("%s: %s", above, strerror(errno));
	if (access(parent, W_OK | X_OK))
		return complain("cannot write to %s: %s", parent, strerror(errno));
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return complain("-o %s: not a name for a trace", r->trace);
	int n = snprintf(r->directory, sizeof(r->directory), "%s/%s", parent[1] ? parent : "",
			 name);
	/* The runtime's own limit is a little below PATH_MAX: it adds file names. */
	if (n >= PATH_MAX - 300)
		return complain("%s: the name is too long", r->trace);
	if (strchr(r->directory, '"') && strchr(r->directory, '\''))
		return complain("%s: a name with both kinds of quotes cannot be passed on",
				r->trace);
	return true;
}

/* Removes the trace of an earlier run; anything else under that name stays and is said. */
static bool clear_trace(const struct recording *r)
{
	struct stat status;
	int fd = open(r->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries;

	if (fd < 0) {
		if (errno == ENOENT)
			return true;
		return complain("%s is there already and is not a trace; name another with -o",
				r->trace);
	}
	if (fstatat(fd, "meta", &status, 0) || !(entries = fdopendir(fd))) {
		close(fd);
		return complain("%s is there already and is not a trace; name another with -o",
				r->trace);
	}
	for (struct dirent *entry; (entry = readdir(entries));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, "meta") != 0)
			unlinkat(fd, entry->d_name, 0);
	/* `meta` last: what is left of an interrupted removal is still seen to be a trace. */
	unlinkat(fd, "meta", 0);
	closedir(entries);
	if (rmdir(r->directory))
		return complain("cannot replace %s: %s", r->trace, strerror(errno));
	return true;
}

/* ---- running ----------------------------------------------------------------------------------- */

/* The user's SOOTH_OPTIONS, then ours: the last word on a key counts. */
static bool set_options(const struct recording *r)
{
	const char *given = getenv("SOOTH_OPTIONS");
	char quote = strchr(r->directory, '"') ? '\'' : '"';
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return complain("%s", strerror(errno));
	if (given && *given)
		fprintf(out, "%s:", given);
	if (r->limit)
		fprintf(out, "limit=%s:", r->limit);
	if (r->log)
		fprintf(out, "log=%s:", r->log);
	if (r->verbosity)
		fprintf(out, "verbosity=%s:", r->verbosity);
	fprintf(out, "dir=%c%s%c", quote, r->directory, quote);
	bool done = fclose(out) == 0 && setenv("SOOTH_OPTIONS", text, 1) == 0;
	free(text);
	return done || complain("%s", strerror(errno));
}

/* In the child. Writes errno to `report` when the program cannot be executed. */
static void __attribute__((noreturn)) become(char **program, int report)
{
	int old = personality(0xffffffff);

	/* Not allowed in some containers: then addresses differ from run to run, that is all. */
	if (old != -1)
		personality((unsigned long)old | ADDR_NO_RANDOMIZE);
	execvp(program[0], program);
	int error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(FAILED);
	_exit(NOT_FOUND);
}

/*
 * Runs the program. False: it did not start, and `*status` is what to exit with. SIGINT and
 * SIGQUIT of the terminal reach the program by themselves; we must outlive it to pass its status on.
 */
static bool run(char **program, int *status)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
	int report[2], error = 0, wait_status;

	*status = FAILED;
	if (pipe2(report, O_CLOEXEC))
		return complain("%s", strerror(errno));
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	pid_t pid = fork();
	if (pid == 0) {
		sigaction(SIGINT, &interrupt, NULL);
		sigaction(SIGQUIT, &quit, NULL);
		become(program, report[1]);
	}
	close(report[1]);
	if (pid < 0)
		return complain("fork: %s", strerror(errno));
	ssize_t n = read(report[0], &error, sizeof(error));
	close(report[0]);
	while (waitpid(pid, &wait_status, 0) < 0)
		if (errno != EINTR)
			return complain("%s", strerror(errno));
	if (n > 0) {
		*status = error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
		return complain("%s: %s", program[0], strerror(error));
	}
	*status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
	return true;
}

/* Says what went wrong with the trace, if anything did; with -v, what there is. */
static void look_at_trace(const struct recording *r)
{
	int fd = open(r->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	struct stat status;
	long long bytes = 0;

	if (!entries || fstatat(fd, "meta", &status, 0)) {
		complain("no trace was written: nothing that ran was built with sooth\n"
			 "sooth record: compile and link %s with `sooth cc` or `sooth c++` "
			 "(CC=sooth-cc "
			 "CXX=sooth-c++)",
			 r->program[0]);
	} else if (r->verbose) {
		for (struct dirent *entry; (entry = readdir(entries));)
			if (!fstatat(fd, entry->d_name, &status, 0) && S_ISREG(status.st_mode))
				bytes += status.st_size;
		complain("%s: %lld bytes", r->trace, bytes);
	}
	if (entries)
		closedir(entries);
	else if (fd >= 0)
		close(fd);
}

int cmd_record(int argc, char **argv)
{
	struct recording recording = { 0 };
	int status;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (!read_words(&recording, argv) || !place_trace(&recording) || !clear_trace(&recording) ||
	    !set_options(&recording))
		return FAILED;
	if (run(recording.program, &status))
		look_at_trace(&recording);
	return status;
}

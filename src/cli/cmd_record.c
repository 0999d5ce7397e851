/*
 * sooth record: runs a program built with `sooth cc` and tells its runtime where to write.
 *
 * The program runs in our process group with our terminal, its output is its own, and its status
 * becomes ours, as with env(1) or nice(1). Address space randomisation is turned off where we may,
 * so that two recordings of one program have the same addresses.
 */
#include "cli/cli.h"
#include "pipeline/lock_patterns.h"
#include "pipeline/property_files.h"
#include "pipeline/record_program.h"

#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
	"usage: sooth record [OPTIONS] [--] PROG ARGS...\n"
	"\n"
	"Runs PROG, built with `sooth cc`, and records it. The exit status is the program's own;\n"
	"125 when recording fails, 126 when PROG cannot be executed, 127 when it is not found.\n"
	"\n"
	"  -o TRACE         where to (default: PROG.sooth in the current directory)\n"
	"  --serial         one thread at a time, and the order of all events is recorded\n"
	"  --seed N         with --serial: who goes on is drawn (default: who runs goes on)\n"
	"  --patterns       say when a thread takes locks in a nesting that is new for it\n"
	"  --limit SIZE     stop recording after so many bytes (K, M, G); the program goes on\n"
	"  --log WHICH      thread (default): a log per thread; global: one log under one lock\n"
	"  -p FILE.prop     record what these properties need as well; again for more.\n"
	"                   -p NAME: one of sooth's own, such as race or use-after-close\n"
	"  --property NAMES only these of their properties (A,B); --no-property NAMES: all but "
	"these\n"
	"  --verbosity N    how much the runtime says (default 0: nothing)\n"
	"  -v               say where the trace is and how large\n"
	"\n"
	"Processes that the program starts record into NAME.PID.sooth beside TRACE. SOOTH_OPTIONS\n"
	"takes limit, log and verbosity as well (limit=1G:log=thread).\n";

/* ---- the command line ------------------------------------------------------------------------ */

static bool read_option(struct record_program *r, struct property_files *properties, bool *verbose,
			char **argv, int *i)
{
	const char *word = argv[*i], *value;
	int taken = property_files_read_option(properties, argv, i);

	if (taken)
		return taken > 0;
	if (!strcmp(word, "-v"))
		*verbose = true;
	else if (!strcmp(word, "--patterns"))
		r->patterns = true;
	else if (!strcmp(word, "--serial"))
		r->serial = true;
	else if ((value = record_program_value("--seed", argv, i)))
		r->seed = value;
	else if ((value = record_program_value("-o", argv, i)))
		r->trace = value;
	else if ((value = record_program_value("--limit", argv, i)))
		r->limit = value;
	else if ((value = record_program_value("--log", argv, i)))
		r->log = value;
	else if ((value = record_program_value("--verbosity", argv, i)))
		r->verbosity = value;
	else
		return record_program_complain(
			r, "%s: no such option, or its value is missing (sooth record --help)",
			word);
	return true;
}

static bool read_words(struct record_program *r, struct property_files *properties, bool *verbose,
		       char **argv)
{
	int i = 1;

	for (; argv[i] && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!read_option(r, properties, verbose, argv, &i))
			return false;
	}
	if (!argv[i])
		return record_program_complain(
			r, "which program? (sooth record [OPTIONS] PROG ARGS...)");
	r->program = argv + i;
	return record_program_check_values(r);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Says what went wrong with the trace, if anything did; with -v, what there is. */
static void look_at_trace(const struct record_program *r, bool verbose)
{
	int fd = open(r->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	struct stat status;
	long long bytes = 0;

	if (!entries || fstatat(fd, "meta", &status, 0)) {
		record_program_say_nothing_written(r);
	} else if (verbose) {
		for (struct dirent *entry; (entry = readdir(entries));)
			if (!fstatat(fd, entry->d_name, &status, 0) && S_ISREG(status.st_mode))
				bytes += status.st_size;
		record_program_complain(r, "%s: %lld bytes", r->trace, bytes);
	}
	if (entries)
		closedir(entries);
	else if (fd >= 0)
		close(fd);
}

static bool wait_for(const struct record_program *r, pid_t pid, int *status)
{
	struct lock_patterns patterns = { .directory = r->directory };
	pid_t ended = -1;

	if (r->patterns)
		ended = lock_patterns_wait(&patterns, pid, status);
	lock_patterns_close(&patterns);
	while (!r->patterns && (ended = waitpid(pid, status, 0)) < 0 && errno == EINTR)
		;
	return ended == pid;
}

static int run(struct record_program *r, struct property_files *properties, bool verbose)
{
	int status, wait_status;
	pid_t pid;

	if (!property_files_select(properties))
		return RECORD_PROGRAM_FAILED;
	if (!record_program_start(r, &pid, &status))
		return status;
	if (!wait_for(r, pid, &wait_status))
		return RECORD_PROGRAM_FAILED;
	if (trace_is_there(r->directory))
		property_files_keep(properties, r->directory);
	look_at_trace(r, verbose);
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int cmd_record(int argc, char **argv)
{
	struct record_program recording = { .command = "record" };
	struct property_files properties = { .command = "record" };
	bool verbose = false;
	int status;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (!read_words(&recording, &properties, &verbose, argv) ||
	    !property_files_open(&properties) || !record_program_place(&recording))
		return RECORD_PROGRAM_FAILED;
	status = run(&recording, &properties, verbose);
	property_files_close(&properties);
	return status;
}

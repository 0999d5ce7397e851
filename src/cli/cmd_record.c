/*
 * sooth record: runs a program built with `sooth cc` and tells its runtime where to write.
 *
 * The program runs in our process group with our terminal, its output is its own, and its status
 * becomes ours, as with env(1) or nice(1). Address space randomisation is turned off where we may,
 * so that two recordings of one program have the same addresses.
 */
#include "cli/cli.h"
#include "cli/patterns.h"
#include "cli/properties.h"
#include "cli/recording.h"

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

static bool read_option(struct recording *r, struct properties *properties, bool *verbose,
			char **argv, int *i)
{
	const char *word = argv[*i], *value;
	int taken = properties_read_option(properties, argv, i);

	if (taken)
		return taken > 0;
	if (!strcmp(word, "-v"))
		*verbose = true;
	else if (!strcmp(word, "--patterns"))
		r->patterns = true;
	else if (!strcmp(word, "--serial"))
		r->serial = true;
	else if ((value = recording_value("--seed", argv, i)))
		r->seed = value;
	else if ((value = recording_value("-o", argv, i)))
		r->trace = value;
	else if ((value = recording_value("--limit", argv, i)))
		r->limit = value;
	else if ((value = recording_value("--log", argv, i)))
		r->log = value;
	else if ((value = recording_value("--verbosity", argv, i)))
		r->verbosity = value;
	else
		return recording_complain(
			r, "%s: no such option, or its value is missing (sooth record --help)",
			word);
	return true;
}

static bool read_words(struct recording *r, struct properties *properties, bool *verbose,
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
		return recording_complain(r,
					  "which program? (sooth record [OPTIONS] PROG ARGS...)");
	r->program = argv + i;
	return recording_check_values(r);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Says what went wrong with the trace, if anything did; with -v, what there is. */
static void look_at_trace(const struct recording *r, bool verbose)
{
	int fd = open(r->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	struct stat status;
	long long bytes = 0;

	if (!entries || fstatat(fd, "meta", &status, 0)) {
		recording_say_nothing_written(r);
	} else if (verbose) {
		for (struct dirent *entry; (entry = readdir(entries));)
			if (!fstatat(fd, entry->d_name, &status, 0) && S_ISREG(status.st_mode))
				bytes += status.st_size;
		recording_complain(r, "%s: %lld bytes", r->trace, bytes);
	}
	if (entries)
		closedir(entries);
	else if (fd >= 0)
		close(fd);
}

static bool wait_for(const struct recording *r, pid_t pid, int *status)
{
	struct patterns patterns = { .directory = r->directory };
	pid_t ended = -1;

	if (r->patterns)
		ended = patterns_wait(&patterns, pid, status);
	patterns_close(&patterns);
	while (!r->patterns && (ended = waitpid(pid, status, 0)) < 0 && errno == EINTR)
		;
	return ended == pid;
}

static int run(struct recording *r, struct properties *properties, bool verbose)
{
	int status, wait_status;
	pid_t pid;

	if (!properties_select(properties))
		return RECORDING_FAILED;
	if (!recording_start(r, &pid, &status))
		return status;
	if (!wait_for(r, pid, &wait_status))
		return RECORDING_FAILED;
	if (trace_is_there(r->directory))
		properties_keep(properties, r->directory);
	look_at_trace(r, verbose);
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int cmd_record(int argc, char **argv)
{
	struct recording recording = { .command = "record" };
	struct properties properties = { .command = "record" };
	bool verbose = false;
	int status;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (!read_words(&recording, &properties, &verbose, argv) || !properties_open(&properties) ||
	    !recording_place(&recording))
		return RECORDING_FAILED;
	status = run(&recording, &properties, verbose);
	properties_close(&properties);
	return status;
}

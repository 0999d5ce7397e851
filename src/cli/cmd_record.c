/*
 * sooth record: runs a program that was built with `sooth cc`, and records it.
 *
 * The program runs in our process group and uses our terminal. We do not touch its output, and
 * return its exit status, as env(1) and nice(1) do.
 */
#include "cli/cli.h"
#include "cli/option_groups.h"
#include "pipeline/complain.h"
#include "pipeline/end_request.h"
#include "pipeline/hang_watch.h"
#include "pipeline/lock_patterns.h"
#include "pipeline/property_files.h"
#include "pipeline/record_program.h"
#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct record_command {
	struct record_program recording;
	struct property_files properties;
	bool verbose;
	const char *log; /* stored but not used */
};

#define RECORD_FIELD(name) offsetof(struct record_command, name)
static const struct cli_option record_options[] = {
	{ "-o", "TRACE", "write the trace there (default: PROG.sooth in the current directory)",
	  .set = option_set_text, .field = RECORD_FIELD(recording.trace) },
	{ "--serial", NULL, "run one thread at a time and record the order of all events",
	  .set = option_set_flag, .field = RECORD_FIELD(recording.serial) },
	{ "--seed", "N",
	  "with --serial: choose the next thread at random from seed N (default: a thread runs as "
	  "long as it can)",
	  .set = option_set_number_text, .field = RECORD_FIELD(recording.seed) },
	/* accepted because scripts may name the default; there is no other value any more */
	{ "--log", "NAME", NULL, .set = option_set_word, .field = RECORD_FIELD(log),
	  .choices = (const char *const[]){ "thread", NULL } },
	{ "--verbosity", "N", "how many messages the runtime prints (default 0: none)",
	  .set = option_set_number_text, .field = RECORD_FIELD(recording.verbosity) },
	{ "-v", NULL, "print the name and the size of the trace", .set = option_set_flag,
	  .field = RECORD_FIELD(verbose) },
	{ 0 },
};

/* Prints that no trace was written. If there is a trace, prints its size with -v. */
static void report_trace(const struct record_program *r, bool verbose)
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
		complain("record", "%s: %lld bytes", r->trace, bytes);
	}
	if (entries)
		closedir(entries);
	else if (fd >= 0)
		close(fd);
}

/* Waits for the program's end. Returns its status, as from waitpid. */
static int wait_for_program(const struct record_program *r, pid_t pid)
{
	struct lock_patterns patterns = { .directory = r->directory };
	struct hang_watch_options options = {
		.look = r->patterns ? lock_patterns_look : NULL,
		.context = &patterns,
		.may_hang = true,
	};
	struct hang_watch_result result = { 0 };

	hang_watch_program(pid, &options, &result);
	lock_patterns_close(&patterns);
	vec_free(&result.hung);
	return result.status;
}

static int record_and_wait(struct record_command *c)
{
	struct record_program *r = &c->recording;
	int status, wait_status;
	pid_t pid;

	if (!property_files_select(&c->properties))
		return RECORD_PROGRAM_FAILED;
	end_request_catch();
	if (!record_program_start(r, &pid, &status))
		return status;
	wait_status = wait_for_program(r, pid);
	if (trace_exists(r->directory))
		property_files_store(&c->properties, r->directory);
	report_trace(r, c->verbose);
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int cmd_record(char **argv)
{
	struct record_command c = { .recording = { .command = "record" },
				    .properties = { .command = "record" } };
	struct command_arguments arguments;
	const struct command_syntax syntax = {
		.command = "record",
		.usage = "[OPTIONS] [--] PROG ARGS...",
		.about =
			"Runs PROG, built with `sooth cc`, and records it. With -p the recording "
			"also has the events that the properties need. The exit status is the "
			"program's; 125 if recording fails, 126 if PROG cannot be executed, 127 if "
			"it is not found.",
		.groups = { { record_options, &c },
			    { recording_options, &c.recording },
			    { property_options, &c.properties } },
		.notes = "Processes that the program starts are recorded to NAME.PID.sooth next to "
			 "TRACE. SOOTH_OPTIONS can set limit and verbosity as well "
			 "(limit=1G:verbosity=1).",
		.program = true,
	};
	int status;

	if (!options_read(&syntax, argv, &arguments, &status))
		return status ? RECORD_PROGRAM_FAILED : status;
	c.recording.program = arguments.program;
	if (c.recording.seed && !c.recording.serial) {
		options_refuse(&syntax, "--seed needs --serial");
		return RECORD_PROGRAM_FAILED;
	}
	if (!property_files_open(&c.properties) || !record_program_place(&c.recording))
		return RECORD_PROGRAM_FAILED;
	status = record_and_wait(&c);
	property_files_close(&c.properties);
	return status;
}

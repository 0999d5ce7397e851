/* sooth check: records a program, predicts from what was recorded, and tells all of it. */
#include "cli/cli.h"
#include "pipeline/confirm_findings.h"
#include "pipeline/lock_patterns.h"
#include "pipeline/predict_trace.h"
#include "pipeline/record_program.h"
#include "pipeline/hang_watch.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
	"usage: sooth check [OPTIONS] [--] PROG ARGS...\n"
	"\n"
	"Runs PROG, built with `sooth cc`, once, and finds the data races, deadlocks, lost "
	"signals,\n"
	"torn atomic regions, uses of freed memory and misused locks, threads and descriptors "
	"that\n"
	"this run shows or that another schedule of it would show. A program that fails is a "
	"finding\n"
	"itself; one whose threads all stay blocked for a second is ended and reported.\n"
	"\n"
	"  -o TRACE         keep the recording there (default: PROG.sooth if something is found)\n"
	"  --confirm SECONDS  time to replay what was predicted (default 30)\n"
	"  --no-confirm     do not run the program again\n"
	"  --parallel       let threads run at once while it is recorded (default: one at a\n"
	"                   time, in an order that is the same each time)\n"
	"  --seed N         one at a time, and who goes on is drawn\n"
	"  --limit SIZE     stop recording after so many bytes (K, M, G); the program goes on\n"
	"  --patterns       say when a thread takes locks in a nesting that is new for it\n";

static const char statuses[] =
	"\n"
	"The program's output passes through; with --json its standard output goes to stderr.\n"
	"Ctrl-C ends a program that does not end by itself (a second one for certain); what was\n"
	"recorded until then is looked at.\n"
	"Processes that it starts are recorded and looked at as well.\n"
	"Exit status: 0 nothing found, 1 findings, 2 bad use or bad input, 4 a fault of sooth.\n";

struct cmd_check {
	struct predict_trace predicting;
	struct record_program recording;
	char directory[PATH_MAX]; /* where the traces are */
	bool temporary;
	time_t start;
	bool keep;	    /* the recording, for replays */
	double confirm;	    /* seconds; 0: not at all */
	double run_seconds; /* how long the program ran */
	struct hang_watch_result end;
	VEC(char *) traces; /* the first process's, then the others */
};

/* ---- the command line --------------------------------------------------------------------- */

static bool read_seconds(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	return *text >= '0' && *text <= '9' && !*end;
}

static bool read_words(struct cmd_check *c, char **argv)
{
	struct record_program *r = &c->recording;
	int i = 1;

	for (; argv[i] && argv[i][0] == '-'; i++) {
		enum predict_trace_option taken;
		const char *value;

		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		taken = predict_trace_read_option(&c->predicting, argv, &i);
		if (taken == PREDICT_TRACE_BAD)
			return false;
		if (taken == PREDICT_TRACE_TAKEN)
			continue;
		if ((value = record_program_value("-o", argv, &i)))
			r->trace = value;
		else if ((value = record_program_value("--limit", argv, &i)))
			r->limit = value;
		else if (!strcmp(argv[i], "--patterns"))
			r->patterns = true;
		else if (!strcmp(argv[i], "--serial") || !strcmp(argv[i], "--parallel"))
			r->serial = argv[i][2] == 's';
		else if ((value = record_program_value("--seed", argv, &i)))
			r->seed = value;
		else if (!strcmp(argv[i], "--no-confirm"))
			c->confirm = 0;
		else if ((value = record_program_value("--confirm", argv, &i))) {
			if (!read_seconds(value, &c->confirm))
				return record_program_complain(
					r, "--confirm %s: not a number of seconds", value);
		} else
			return record_program_complain(
				r,
				"%s: no such option, or its value is missing "
				"(sooth check --help)",
				argv[i]);
	}
	if (!argv[i])
		return record_program_complain(
			r, "which program? (sooth check [OPTIONS] PROG ARGS...)");
	r->program = argv + i;
	r->output_to_stderr = c->predicting.json;
	return record_program_check_values(r);
}

/* ---- the traces --------------------------------------------------------------------------- */

static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Without -o into a directory of our own, which goes when everything has been told. */
static bool place_traces(struct cmd_check *c)
{
	const char *above = getenv("TMPDIR");
	struct record_program *r = &c->recording;
	char *slash;

	c->temporary = !r->trace;
	if (c->temporary) {
		static char name[PATH_MAX + NAME_MAX];

		snprintf(c->directory, sizeof c->directory, "%s/sooth-check-XXXXXX",
			 above && *above ? above : "/tmp");
		if (!mkdtemp(c->directory))
			return record_program_complain(r, "%s: %s", c->directory, strerror(errno));
		snprintf(name, sizeof name, "%s/%.*s.sooth", c->directory, NAME_MAX - 32,
			 name_in(r->program[0]));
		r->trace = name;
		return record_program_place(r);
	}
	if (!record_program_place(r))
		return false;
	snprintf(c->directory, sizeof c->directory, "%s", r->directory);
	slash = strrchr(c->directory, '/');
	slash[slash == c->directory] = 0;
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* NAME.PID….sooth of NAME.sooth, and not of an earlier run */
static bool is_of_this_run(const struct cmd_check *c, const char *entry)
{
	const char *name = name_in(c->recording.directory);
	size_t length = strlen(name), stem = length;
	char path[2 * PATH_MAX];
	struct stat status;

	if (length > 6 && !strcmp(name + length - 6, ".sooth"))
		stem -= 6;
	if (strncmp(entry, name, stem) || entry[stem] != '.' || entry[stem + 1] < '0' ||
	    entry[stem + 1] > '9')
		return false;
	snprintf(path, sizeof path, "%s/%s/meta", c->directory, entry);
	return !stat(path, &status) && status.st_mtime >= c->start;
}

static void find_traces(struct cmd_check *c)
{
	DIR *entries = opendir(c->directory);
	char path[2 * PATH_MAX];

	snprintf(path, sizeof path, "%s/meta", c->recording.directory);
	if (!access(path, R_OK))
		*vec_push(&c->traces) =
			mem_copy_text(c->recording.directory, strlen(c->recording.directory));
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		if (!is_of_this_run(c, entry->d_name))
			continue;
		int n = snprintf(path, sizeof path, "%s/%s", c->directory, entry->d_name);
		*vec_push(&c->traces) = mem_copy_text(path, (size_t)n);
	}
	if (entries)
		closedir(entries);
	if (c->traces.count > 1)
		qsort(c->traces.items + 1, c->traces.count - 1, sizeof *c->traces.items, by_name);
}

/* As the user named it; those of other processes are beside it. */
static void say_kept(const struct cmd_check *c, const char *trace)
{
	const char *given = c->recording.trace, *slash = strrchr(given, '/');

	if (!strcmp(trace, c->recording.directory))
		record_program_complain(&c->recording, "the recording is in %s", given);
	else
		record_program_complain(&c->recording, "another process is in %.*s%s",
					slash ? (int)(slash + 1 - given) : 0, given,
					name_in(trace));
}

/* From the temporary directory to PROG.sooth. */
static void keep_recording(const struct cmd_check *c)
{
	const char *name = name_in(c->recording.directory);

	if ((trace_is_there(name) && !trace_remove(name)) || !trace_move(c->traces.items[0], name))
		record_program_complain(&c->recording, "cannot keep the recording as %s: %s", name,
					strerror(errno));
}

static void drop_traces(struct cmd_check *c)
{
	if (c->keep && c->temporary)
		keep_recording(c);
	for (size_t i = 0; i < c->traces.count; i++) {
		if (c->temporary)
			trace_remove(c->traces.items[i]);
		else
			say_kept(c, c->traces.items[i]);
		free(c->traces.items[i]);
	}
	vec_free(&c->traces);
	if (c->temporary)
		rmdir(c->directory);
}

/* ---- how it went -------------------------------------------------------------------------- */

static bool has_hung(const struct cmd_check *c, pid_t pid)
{
	for (size_t i = 0; i < c->end.hung.count; i++) {
		if (c->end.hung.items[i] == pid)
			return true;
	}
	return false;
}

/* How the program as a whole ended. Ctrl-C is the user's doing and no failure. */
static void judge_end(const struct cmd_check *c, pid_t pid, struct predict_trace_end *end,
		      char text[160])
{
	int status = c->end.status;

	*end = (struct predict_trace_end){ .hung = has_hung(c, pid), .message = text };
	if (end->hung || c->end.interrupted)
		return;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGINT) {
		end->aborted = WTERMSIG(status) == SIGABRT;
		end->kind = end->aborted ? "assertion" : "crash";
		snprintf(text, 160, "%s was ended by signal %d (%s)",
			 name_in(c->recording.program[0]), WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	} else if (WIFEXITED(status) && WEXITSTATUS(status)) {
		end->kind = "crash";
		snprintf(text, 160, "%s exited with status %d", name_in(c->recording.program[0]),
			 WEXITSTATUS(status));
	}
}

static pid_t recorded_pid(const struct trace *trace)
{
	const char *pid = trace_meta(trace, "pid");

	return pid ? (pid_t)atoi(pid) : 0;
}

static const char *command_of(const struct trace *trace)
{
	const char *command = trace_meta(trace, "command");
	size_t length = command ? strlen(command) : 0;

	while (length && command[length - 1] == ' ')
		length--;
	return length ? mem_copy_text(command, length) : NULL;
}

/* The first trace is the program's, whatever process it is of: its end is told there. */
static void predict_all(struct cmd_check *c, pid_t pid)
{
	for (size_t i = 0; i < c->traces.count; i++) {
		struct predict_trace_end end = { 0 };
		struct err err = { 0 };
		struct trace *trace;
		char text[160];
		const char *process = NULL;

		if (!i)
			judge_end(c, pid, &end, text);
		if (trace_open(c->traces.items[i], &trace, &err)) {
			end.hung |= has_hung(c, recorded_pid(trace));
			if (i)
				process = command_of(trace);
			trace_close(trace);
		}
		predict_trace_add(&c->predicting, c->traces.items[i], process, &end);
	}
}

/* ---- replaying ---------------------------------------------------------------------------- */

/* Is there anything that `sooth replay` can run again? */
static bool has_witness(const struct report *r)
{
	for (size_t i = 0; i < r->result->findings.count; i++) {
		if (r->result->findings.items[i].status != FINDING_WARNING)
			return true;
	}
	return false;
}

/* Findings come with a command that replays them: then the recording stays, here. */
static bool can_keep(const struct cmd_check *c)
{
	const char *name = name_in(c->recording.directory);

	if (!c->temporary)
		return true;
	if (access(".", W_OK | X_OK))
		return record_program_complain(&c->recording, "cannot keep the recording here: %s",
					       strerror(errno));
	if (!access(name, F_OK) && !trace_is_there(name))
		return record_program_complain(
			&c->recording,
			"%s is there already and is not a trace; name another "
			"with -o",
			name);
	return true;
}

/* What no run has shown, or none was to show. */
static void warn_of_leads(const struct cmd_check *c, struct report *report)
{
	if (c->predicting.warnings)
		predict_warn_of_leads((struct predict_result *)report->result);
}

/* Only the program itself can be run again: what it starts depends on it. */
static void confirm_all(struct cmd_check *c)
{
	struct confirm_findings confirming = {
		.command = "check",
		.program = c->recording.program,
		.seconds = c->confirm,
		.run_seconds = 10 + 30 * c->run_seconds,
		.files = c->predicting.properties.files.items,
		.file_count = c->predicting.properties.files.count,
	};

	for (size_t i = 0; i < c->predicting.reports.count; i++) {
		struct report *report = &c->predicting.reports.items[i];

		if (!has_witness(report) && !report->result->leads.count)
			continue;
		if (i || report->process) {
			warn_of_leads(c, report);
			confirm_findings_skip(report,
					      "it is of a process that the program started, which "
					      "is not run again by itself");
			continue;
		}
		if (c->confirm > 0)
			confirm_findings_run(&confirming, report);
		warn_of_leads(c, report);
		c->keep = has_witness(report) && can_keep(c);
		if (c->keep)
			report->replay = predict_trace_replay_command(
				&c->predicting, c->temporary ? name_in(c->recording.directory)
							     : c->recording.trace);
	}
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void watch(struct cmd_check *c, pid_t pid)
{
	struct lock_patterns patterns = { .directory = c->recording.directory };
	struct hang_watch_options options = {
		.look = c->recording.patterns ? lock_patterns_look : NULL,
		.context = &patterns,
		.interruptible = c->recording.interrupt.sa_handler != SIG_IGN,
	};

	hang_watch_program(pid, &options, &c->end);
	lock_patterns_close(&patterns);
	if (c->end.interrupted)
		record_program_complain(
			&c->recording,
			"the program was interrupted; this is about what it did until then");
}

static int run(struct cmd_check *c)
{
	off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	double begin = seconds_now();
	int status;
	pid_t pid;

	if (!property_files_select(&c->predicting.properties))
		return STATUS_BAD_USE;
	c->start = time(NULL);
	if (!record_program_start(&c->recording, &pid, &status))
		return STATUS_BAD_USE;
	watch(c, pid);
	record_program_end(&c->recording);
	c->run_seconds = seconds_now() - begin;
	if (input >= 0)
		lseek(STDIN_FILENO, input, SEEK_SET); /* a replay reads the same once more */
	find_traces(c);
	if (!c->traces.count) {
		record_program_say_nothing_written(&c->recording);
		return STATUS_BAD_USE;
	}
	for (size_t i = 0; i < c->traces.count; i++)
		property_files_keep(&c->predicting.properties, c->traces.items[i]);
	predict_all(c, pid);
	confirm_all(c);
	return predict_trace_finish(&c->predicting);
}

int cmd_check(int argc, char **argv)
{
	struct cmd_check c = {
		.recording = { .command = "check", .serial = true, .ends_with_us = true },
		.confirm = CONFIRM_FINDINGS_SECONDS
	};
	int status;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		printf("%s%s%s%s", usage, property_files_option_help, predict_trace_options_help,
		       statuses);
		return STATUS_OK;
	}
	predict_trace_init(&c.predicting, "check");
	if (!read_words(&c, argv) || !predict_trace_open_properties(&c.predicting) ||
	    !place_traces(&c))
		return STATUS_BAD_USE;
	c.predicting.options.leads = c.confirm > 0;
	status = run(&c);
	drop_traces(&c);
	vec_free(&c.end.hung);
	return status;
}

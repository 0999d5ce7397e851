/* The steps of `sooth check`, from the recording to the confirmed findings. */
#include "pipeline/check_program.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/seconds.h"
#include "base/sort.h"
#include "pipeline/complain.h"
#include "pipeline/confirm_findings.h"
#include "pipeline/end_request.h"
#include "pipeline/lock_patterns.h"
#include "pipeline/paths.h"
#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the traces ------------------------------------------------------------------------------ */

/* Chooses the directory of the traces: a temporary one unless -o was given. */
static bool place_traces(struct check_program *c)
{
	struct record_program *r = &c->recording;
	char *slash;

	c->temporary = !r->trace;
	if (c->temporary) {
		static char name[PATH_MAX + NAME_MAX];

		path_temporary(c->directory, "check");
		if (!mkdtemp(c->directory))
			return complain("check", "%s: %s", c->directory, strerror(errno));
		snprintf(name, sizeof name, "%s/%.*s.sooth", c->directory, NAME_MAX - 32,
			 path_name(r->program[0]));
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

/*
 * Is the entry named NAME.PID.sooth, where NAME.sooth is the program's trace, and was it written by
 * this run?
 */
static bool is_of_this_run(const struct check_program *c, const char *entry)
{
	const char *name = path_name(c->recording.directory);
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

static void find_traces(struct check_program *c)
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
		sort_items(c->traces.items + 1, c->traces.count - 1, sizeof *c->traces.items,
			   sort_names);
}

/*
 * Prints where a trace is, with the name that the user gave. Traces of other processes are in the
 * same directory.
 */
static void say_where(const struct check_program *c, const char *trace)
{
	const char *given = c->recording.trace, *slash = strrchr(given, '/');

	if (!strcmp(trace, c->recording.directory))
		complain("check", "the recording is in %s", given);
	else
		complain("check", "the recording of another process is in %.*s%s",
			 slash ? (int)(slash + 1 - given) : 0, given, path_name(trace));
}

/* ---- predicting ------------------------------------------------------------------------------ */

static bool has_hung(const struct check_program *c, pid_t pid)
{
	for (size_t i = 0; i < c->end.hung.count; i++) {
		if (c->end.hung.items[i] == pid)
			return true;
	}
	return false;
}

/* Is this a signal by which a program is asked to end? */
static bool is_request(int signal)
{
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

/*
 * Describes how the whole program ended. An end by Ctrl-C, or by a signal that asks a program to
 * end, does not count as a failure.
 */
static void describe_end(const struct check_program *c, pid_t pid, struct predict_trace_end *end,
			 char text[160])
{
	int status = c->end.status;

	*end = (struct predict_trace_end){ .hung = has_hung(c, pid), .message = text };
	if (end->hung || c->end.interrupted)
		return;
	if (WIFSIGNALED(status) && !is_request(WTERMSIG(status))) {
		end->aborted = WTERMSIG(status) == SIGABRT;
		end->kind = end->aborted ? "assertion" : "crash";
		snprintf(text, 160, "%s was killed by signal %d (%s)",
			 path_name(c->recording.program[0]), WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	} else if (WIFEXITED(status) && WEXITSTATUS(status)) {
		end->kind = "crash";
		snprintf(text, 160, "%s exited with status %d", path_name(c->recording.program[0]),
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

/*
 * Predicts from all traces. The first trace is the program's, whichever process wrote it, so the
 * program's exit status belongs to it.
 */
static void predict_all(struct check_program *c, pid_t pid)
{
	for (size_t i = 0; i < c->traces.count; i++) {
		struct predict_trace_end end = { 0 };
		struct err err = { 0 };
		struct trace *trace;
		char text[160];
		const char *process = NULL;

		if (!i)
			describe_end(c, pid, &end, text);
		if (trace_open(c->traces.items[i], &trace, &err)) {
			end.hung |= has_hung(c, recorded_pid(trace));
			if (i)
				process = command_of(trace);
			trace_close(trace);
		}
		predict_trace_add(&c->predicting, c->traces.items[i], process, &end);
	}
}

/* ---- replaying ------------------------------------------------------------------------------- */

/*
 * Can the recording be moved to the current directory? The reports name it there in the command
 * that replays.
 */
static bool can_keep(const struct check_program *c)
{
	const char *name = path_name(c->recording.directory);

	if (!c->temporary)
		return true;
	if (access(".", W_OK | X_OK))
		return complain("check", "cannot keep the recording here: %s", strerror(errno));
	if (!access(name, F_OK) && !trace_exists(name))
		return complain("check",
				"%s exists and is not a trace; choose another name with -o", name);
	return true;
}

/* Turns the leads that no replay has confirmed into warnings, if warnings are wanted. */
static void warn_of_leads(const struct check_program *c, struct report *report)
{
	if (c->predicting.warnings)
		predict_warn_of_leads((struct predict_result *)report->result);
}

/*
 * Replays findings of the program itself. A process that the program started cannot be replayed
 * without the program.
 */
static void confirm_all(struct check_program *c)
{
	struct confirm_findings confirming = {
		.program = c->recording.program,
		.seconds = c->confirm_seconds,
		.run_seconds = 10 + 30 * c->run_seconds,
		.files = c->predicting.properties.files.items,
		.file_count = c->predicting.properties.files.count,
	};

	for (size_t i = 0; i < c->predicting.reports.count; i++) {
		struct report *report = &c->predicting.reports.items[i];

		if (!report_has_findings(report) && !report->result->leads.count)
			continue;
		if (i || report->process) {
			warn_of_leads(c, report);
			confirm_findings_skip(report,
					      "the process was started by the program and cannot "
					      "be replayed by itself");
			continue;
		}
		if (c->confirm_seconds > 0)
			confirm_findings_run(&confirming, report);
		warn_of_leads(c, report);
		c->keep = report_has_findings(report) && can_keep(c);
		if (c->keep)
			report->replay = predict_trace_replay_command(
				&c->predicting, c->temporary ? path_name(c->recording.directory)
							     : c->recording.trace);
	}
}

/* ---- the steps ------------------------------------------------------------------------------- */

static void watch_program(struct check_program *c, pid_t pid)
{
	struct lock_patterns patterns = { .directory = c->recording.directory };
	struct hang_watch_options options = {
		.look = c->recording.patterns ? lock_patterns_look : NULL,
		.context = &patterns,
		.interruptible = c->recording.interrupt.sa_handler != SIG_IGN,
	};

	hang_watch_program(pid, &options, &c->end);
	lock_patterns_close(&patterns);
	if (!c->end.interrupted)
		return;
	*vec_push(&c->predicting.interruptions) = "the program was interrupted";
	complain("check", "the program was interrupted; the report covers what it did until then");
}

void check_program_init(struct check_program *c)
{
	*c = (struct check_program){
		.recording = { .command = "check", .serial = true, .ends_with_us = true },
		.confirm_seconds = CONFIRM_FINDINGS_SECONDS,
	};
	predict_trace_init(&c->predicting, "check");
}

bool check_program_run(struct check_program *c)
{
	off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	double begin = seconds_now();
	int status;
	pid_t pid;

	c->predicting.options.leads = c->confirm_seconds > 0;
	end_request_catch();
	if (!property_files_open(&c->predicting.properties) || !place_traces(c) ||
	    !property_files_select(&c->predicting.properties))
		return false;
	c->start = time(NULL);
	if (!record_program_start(&c->recording, &pid, &status))
		return false;
	watch_program(c, pid);
	record_program_end(&c->recording);
	c->run_seconds = seconds_now() - begin;
	if (input >= 0)
		lseek(STDIN_FILENO, input, SEEK_SET); /* replays read the same input again */
	find_traces(c);
	if (!c->traces.count) {
		record_program_say_nothing_written(&c->recording);
		return false;
	}
	for (size_t i = 0; i < c->traces.count; i++)
		property_files_store(&c->predicting.properties, c->traces.items[i]);
	predict_all(c, pid);
	confirm_all(c);
	return true;
}

void check_program_close(struct check_program *c)
{
	predict_trace_free(&c->predicting);
	if (c->keep && c->temporary)
		record_program_keep("check", c->traces.items[0], path_name(c->recording.directory));
	for (size_t i = 0; i < c->traces.count; i++) {
		if (c->temporary)
			trace_remove(c->traces.items[i]);
		else
			say_where(c, c->traces.items[i]);
		free(c->traces.items[i]);
	}
	vec_free(&c->traces);
	vec_free(&c->end.hung);
	if (c->temporary)
		rmdir(c->directory);
}

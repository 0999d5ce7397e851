/*
 * Runs plans with a runner in mode RUNNER_ONCE, which executes the program for each run. The runs
 * are recorded in a temporary directory.
 */
#include "explore/control/rerun.h"

#include "base/mem.h"
#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for events in the log. Pages of the log that are never written cost nothing. */
#define EVENTS_MOST (1u << 23)

static bool make_directory(struct rerun *r, struct err *err)
{
	const char *above = getenv("TMPDIR");

	if (!above || !*above || strlen(above) > sizeof r->directory - 32)
		above = "/tmp";
	snprintf(r->directory, sizeof r->directory, "%s/sooth-replay-XXXXXX", above);
	if (!mkdtemp(r->directory))
		return err_set_system(err, errno, "%s", r->directory);
	snprintf(r->recording, sizeof r->recording, "%s/run.sooth", r->directory);
	return true;
}

/*
 * Removes the directory with all recordings in it. There may be several, because processes that the
 * program starts record into the same directory.
 */
static void remove_directory(const char *directory)
{
	DIR *entries = opendir(directory);
	char path[PATH_MAX + NAME_MAX];

	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
		trace_remove(path);
	}
	if (entries)
		closedir(entries);
	rmdir(directory);
}

bool rerun_open(struct rerun *r, const struct rerun_options *options, struct err *err)
{
	*r = (struct rerun){ .options = *options };
	if (!make_directory(r, err))
		return false;
	r->session = runner_open(
		&(struct runner_options){
			.program = options->program,
			.mode = RUNNER_ONCE,
			.trace = r->recording,
			.quiet = options->quiet,
			.output_to_stderr = true,
			.seconds = options->seconds,
			.on_held = options->on_held,
			.context = options->context,
			.stop = options->stop,
			.directory = options->directory,
			.event_most = EVENTS_MOST,
		},
		err);
	if (r->session)
		return true;
	remove_directory(r->directory);
	return false;
}

/* Closes the recording of the last run. */
static void drop_recording(struct rerun *r)
{
	if (r->trace)
		trace_close(r->trace);
	r->trace = NULL;
}

void rerun_close(struct rerun *r)
{
	drop_recording(r);
	runner_close(r->session);
	remove_directory(r->directory);
}

bool rerun_save(struct rerun *r, struct err *err)
{
	const char *to = r->options.keep;

	if (!to)
		return true;
	if (trace_exists(to) && !trace_remove(to))
		return err_set_system(err, errno, "%s: cannot replace the recording", to);
	return trace_move(r->recording, to) || err_set_system(err, errno, "%s", to);
}

bool rerun_is_stopped(const struct rerun *r)
{
	return r->options.stop && *r->options.stop;
}

bool rerun_run(struct rerun *r, const struct plan *plan, struct err *err)
{
	struct executor *executor = runner_executor(r->session);

	drop_recording(r);
	if (!executor->run(executor, plan, &r->outcome, err))
		return false;
	if (trace_open(r->recording, &r->trace, err))
		return true;
	r->trace = NULL;
	return false;
}

static bool same_operation(const struct control_event *a, const struct control_event *b)
{
	return a->thread == b->thread && a->step == b->step && a->kind == b->kind &&
	       a->size == b->size && a->address == b->address && a->other == b->other &&
	       a->site == b->site;
}

static bool same_log(const struct outcome *outcome, const struct control_event *first,
		     uint32_t count, unsigned run, struct err *err)
{
	uint32_t i = 0;

	while (i < count && i < outcome->event_count &&
	       same_operation(&outcome->events[i], &first[i]))
		i++;
	if (i == count && i == outcome->event_count)
		return true;
	return err_set(err,
		       "run %u differs from the first run at operation %" PRIu32 " of %" PRIu32,
		       run, i, count);
}

bool rerun_repeat(struct rerun *r, const struct plan *plan, unsigned times, struct err *err)
{
	uint32_t count = r->outcome.event_count;
	struct control_event *first = mem_alloc(count * sizeof *first + 1);
	bool same = true;

	if (count)
		memcpy(first, r->outcome.events, count * sizeof *first);
	for (unsigned i = 0; i < times && same; i++)
		same = rerun_run(r, plan, err) && same_log(&r->outcome, first, count, i + 2, err);
	free(first);
	return same;
}

struct trace *rerun_keep(struct rerun *r, unsigned name)
{
	char path[sizeof r->recording];
	struct trace *trace;
	struct err err;

	drop_recording(r);
	snprintf(path, sizeof path, "%s/kept-%u.sooth", r->directory, name);
	trace_remove(path);
	if (rename(r->recording, path) || !trace_open(path, &trace, &err))
		return NULL;
	return trace;
}

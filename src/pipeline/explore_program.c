/* The search of `sooth explore`: the first run, the runner session, and the display of progress. */
#include "pipeline/explore_program.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "pipeline/complain.h"
#include "pipeline/confirm_findings.h"
#include "pipeline/paths.h"
#include "pipeline/predict_trace.h"
#include "pipeline/record_program.h"
#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EVENTS_MOST (1u << 23) /* events of a run; untouched pages of the log cost nothing */
/*
 * Operations of a run. For longer runs, recording every execution costs less than repeating a
 * failure.
 */
#define LONG_RUN 200000
#define HINT_SECONDS 2.0

const char *const explore_program_modes[] = { "once", "fork", "fork-fibers", "persistent", NULL };

void explore_program_init(struct explore_program *x)
{
	*x = (struct explore_program){
		.budget = 100000,
		.seconds = 60,
		.mode = RUNNER_PERSISTENT,
		.properties = { .command = "explore" },
	};
}

char *explore_program_trace_name(const struct explore_program *x, const char *name, size_t number)
{
	return mem_format("%s/%s-%zu.sooth", x->directory, name, number);
}

struct runner *explore_program_open_session(const struct explore_program *x, enum runner_mode mode,
					    const char *trace, struct err *err)
{
	struct runner_options options = {
		.program = x->program,
		.mode = mode,
		.trace = trace,
		.quiet = true,
		.seconds = x->run_seconds,
		.event_most = EVENTS_MOST,
		.stop = x->stop,
	};
	struct runner *session = runner_open(&options, err);

	if (session && x->thread_count)
		runner_know_threads(session, x->threads, x->thread_count);
	return session;
}

struct executor *explore_program_executor(struct explore_program *x, struct runner *session,
					  const char *trace)
{
	struct executor *executor = runner_executor(session);

	if (!x->properties.files.count)
		return executor;
	property_judge_open(&x->judging, executor, &x->properties, trace);
	return &x->judging.executor;
}

/* ---- progress -------------------------------------------------------------------------------- */

static void show_progress(void *context, const struct explore_progress *p)
{
	(void)context;
	fprintf(stderr,
		"\r%" PRIu64 " executions (%.0f/s), %s, %" PRIu64
		" lead%s left, %zu failure%s\033[K",
		p->executions, p->seconds > 0 ? (double)p->executions / p->seconds : 0, p->phase,
		p->leads_left, p->leads_left == 1 ? "" : "s", p->failures,
		p->failures == 1 ? "" : "s");
}

/* -v: prints a line for each execution. */
static void print_run(void *context, uint64_t execution, const char *how, const struct lead *lead,
		      const struct outcome *outcome)
{
	(void)context;
	fprintf(stderr, "%" PRIu64 ": %s", execution, how);
	for (size_t i = 0; lead && i < lead->rules.count && i < 4; i++) {
		const struct control_rule *rule = &lead->rules.items[i];
		fprintf(stderr, "%s T%u.", i ? "," : "", rule->before_thread);
		if (rule->before_step == CONTROL_NONE)
			fputs("all", stderr);
		else
			fprintf(stderr, "%u", rule->before_step);
		fprintf(stderr, " before T%u.%u", rule->after_thread, rule->after_step);
	}
	if (lead)
		fprintf(stderr, "%s (rank %d, depth %u)", lead->rules.count > 4 ? " …" : "",
			lead->rank, lead->log->depth);
	fprintf(stderr, ": %s, %u operations%s\n", failure_result_name(outcome->result),
		outcome->event_count,
		outcome->control && outcome->control->rules_broken ? ", not as planned" : "");
}

/* ---- the first run --------------------------------------------------------------------------- */

static void keep_threads(struct explore_program *x, const struct outcome *outcome)
{
	size_t bytes = outcome->thread_count * sizeof *x->threads;

	free(x->threads);
	x->threads = mem_alloc(bytes ? bytes : 1);
	memcpy(x->threads, outcome->threads, bytes);
	x->thread_count = outcome->thread_count;
}

/*
 * Returns false if none of the program's code is recorded: then other schedules are not those that
 * matter.
 */
static bool find_hints(struct explore_program *x, const char *path, struct err *err)
{
	struct trace *trace;
	struct err unread;
	bool instrumented;

	if (!trace_open(path, &trace, &unread))
		return true;
	instrumented = trace_has_sites(trace);
	if (instrumented) {
		hints_make(&x->hints, trace, HINT_SECONDS);
		explore_hint(x->explore, &x->hints);
	}
	trace_close(trace);
	return instrumented || err_set(err, NOT_INSTRUMENTED, x->program[0]);
}

/* Makes the first run, with kernel threads, and records it. */
static bool run_first(struct explore_program *x, struct err *err)
{
	char *trace = explore_program_trace_name(x, "first", 0);
	struct runner *session = explore_program_open_session(x, RUNNER_ONCE, trace, err);
	struct plan plan = { .policy = x->seed ? CONTROL_PRIORITIES : CONTROL_STAY,
			     .seed = x->seed,
			     .options = CONTROL_END_STUCK | CONTROL_CHECK_HEAP };
	struct executor *executor = session ? explore_program_executor(x, session, trace) : NULL;
	struct outcome outcome;
	double start = seconds_now();
	bool ran = executor && executor->run(executor, &plan, &outcome, err);

	x->run_seconds = 5 + 10 * (seconds_now() - start);
	if (ran) {
		keep_threads(x, &outcome);
		ran = find_hints(x, trace, err);
	}
	if (ran) {
		explore_first(x->explore, &outcome);
		if ((outcome.event_count > LONG_RUN && !x->all) || x->properties.files.count)
			x->mode = RUNNER_ONCE;
	}
	if (session)
		runner_close(session);
	free(trace);
	return ran;
}

/* ---- searching ------------------------------------------------------------------------------- */

static bool search_session(struct explore_program *x, struct err *err)
{
	bool done =
		x->session &&
		explore_search(x->explore, explore_program_executor(x, x->session, x->traced), err);

	if (x->terminal)
		fputs("\r\033[K", stderr);
	if (x->judging.unknown)
		explore_result(x->explore)->complete = false;
	return done || explore_result(x->explore)->interrupted;
}

/* Makes the first run and searches until something fails. */
static bool start_search(struct explore_program *x, struct err *err)
{
	struct explore_options options = { .budget = x->budget,
					   .seconds = x->seconds,
					   .seed = x->seed,
					   .all = x->all,
					   .stop = x->stop,
					   .progress = x->terminal && !x->verbose ? show_progress
										  : NULL,
					   .ran = x->verbose ? print_run : NULL };

	x->explore = explore_open(&options);
	if (!run_first(x, err))
		return x->stop && *x->stop;
	if (explore_result(x->explore)->failures.count && !x->all)
		return true;
	if (x->mode == RUNNER_ONCE)
		x->traced = explore_program_trace_name(x, "run", 0);
	x->session = explore_program_open_session(x, x->mode, x->traced, err);
	return search_session(x, err);
}

/* Continues the search with kernel threads after a failure that only fibers showed. */
static bool fall_back(struct explore_program *x, struct err *err)
{
	x->fell_back = true;
	keep_threads(x, explore_last(x->explore));
	runner_close(x->session);
	x->session = explore_program_open_session(x, RUNNER_FORK, NULL, err);
	return search_session(x, err);
}

bool explore_program_run(struct explore_program *x, struct err *err)
{
	bool done;

	x->terminal = isatty(STDERR_FILENO);
	x->stop = confirm_findings_catch();
	done = start_search(x, err);
	for (;;) {
		size_t before = x->unrepeated.count;

		if (done || explore_result(x->explore)->failures.count)
			done = explore_program_repeat_failures(x, err);
		/* If only fibers showed the failure, the search continues. */
		if (!done || x->all || x->unrepeated.count == before)
			break;
		done = fall_back(x, err);
	}
	confirm_findings_release();
	return done;
}

/* ---- opening and closing --------------------------------------------------------------------- */

bool explore_program_open(struct explore_program *x)
{
	if (!property_files_open(&x->properties) || !property_files_select(&x->properties))
		return false;
	path_temporary(x->directory, "explore");
	return mkdtemp(x->directory) ||
	       complain("explore", "%s: %s", x->directory, strerror(errno));
}

/*
 * Removes the temporary directory with all recordings. It may contain recordings of processes that
 * the program started.
 */
static void remove_recordings(const struct explore_program *x)
{
	DIR *entries = opendir(x->directory);
	char path[2 * PATH_MAX];

	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", x->directory, entry->d_name);
		trace_remove(path);
	}
	if (entries)
		closedir(entries);
	rmdir(x->directory);
}

/* Moves the recording to the name that -o gives. Returns false after a message. */
static bool keep_recording(const struct explore_program *x, const char *trace)
{
	if (!record_program_keep("explore", trace, x->keep))
		return false;
	complain("explore", "the recording of the failure is in %s", x->keep);
	return true;
}

void explore_program_close(struct explore_program *x)
{
	for (size_t i = 0; i < x->found.count; i++) {
		char *trace =
			mem_copy_text(x->found.items[i].trace, strlen(x->found.items[i].trace));

		explore_report_close(&x->found.items[i]);
		if (i > 0 || !x->keep || !keep_recording(x, trace))
			trace_remove(trace);
		free(trace);
	}
	for (size_t i = 0; i < x->unrepeated.count; i++)
		free(x->unrepeated.items[i].text);
	vec_free(&x->unrepeated);
	free(x->traced);
	hints_free(&x->hints);
	remove_recordings(x);
	vec_free(&x->found);
	free(x->threads);
	if (x->session)
		runner_close(x->session);
	explore_close(x->explore);
	property_judge_close(&x->judging);
	property_files_close(&x->properties);
}

#include "pipeline/explore_program.h"

#include "base/mem.h"
#include "base/seconds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EVENTS_MOST (1u << 23) /* of a run; memory only as far as it is used */
#define LONG_RUN 200000	       /* operations: executing anew costs less than repeating a failure */
#define HINT_SECONDS 2.0

const char *const explore_program_modes[EXPLORE_PROGRAM_MODES] = { "once", "fork", "fork-fibers",
								   "persistent" };

char *explore_program_trace_name(const struct explore_program *x, const char *name, size_t number)
{
	char *text;

	if (asprintf(&text, "%s/%s-%zu.sooth", x->directory, name, number) < 0)
		abort();
	return text;
}

struct session *explore_program_open_session(const struct explore_program *x,
					     enum session_mode mode, const char *trace,
					     struct err *err)
{
	struct session_options options = {
		.program = x->program,
		.mode = mode,
		.trace = trace,
		.quiet = true,
		.seconds = x->run_seconds,
		.event_most = EVENTS_MOST,
		.stop = x->stop,
	};
	struct session *session = session_open(&options, err);

	if (session && x->thread_count)
		session_know_threads(session, x->threads, x->thread_count);
	return session;
}

struct executor *explore_program_executor(struct explore_program *x, struct session *session,
					  const char *trace)
{
	struct executor *executor = session_executor(session);

	if (!x->properties.files.count)
		return executor;
	property_judge_open(&x->judging, executor, &x->properties, trace);
	return &x->judging.executor;
}

/* ---- what is said meanwhile --------------------------------------------------------------- */

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

/* -v: a line for each execution. */
static void tell_run(void *context, uint64_t execution, const char *how, const struct lead *lead,
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

/* ---- the first run ------------------------------------------------------------------------ */

static void keep_threads(struct explore_program *x, const struct outcome *outcome)
{
	size_t bytes = outcome->thread_count * sizeof *x->threads;

	free(x->threads);
	x->threads = mem_alloc(bytes ? bytes : 1);
	memcpy(x->threads, outcome->threads, bytes);
	x->thread_count = outcome->thread_count;
}

static void take_hints(struct explore_program *x, const char *path)
{
	struct trace *trace;
	struct err err;

	if (!trace_open(path, &trace, &err))
		return;
	hints_make(&x->hints, trace, HINT_SECONDS);
	explore_hint(x->explore, &x->hints);
	trace_close(trace);
}

/* The run that everything starts from: with kernel threads, and recorded. */
static bool run_first(struct explore_program *x, struct err *err)
{
	char *trace = explore_program_trace_name(x, "first", 0);
	struct session *session = explore_program_open_session(x, SESSION_ONCE, trace, err);
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
		take_hints(x, trace);
		explore_first(x->explore, &outcome);
		if ((outcome.event_count > LONG_RUN && !x->all) || x->properties.files.count)
			x->mode = SESSION_ONCE;
	}
	if (session)
		session_close(session);
	free(trace);
	return ran;
}

/* ---- searching ---------------------------------------------------------------------------- */

static bool search(struct explore_program *x, struct err *err)
{
	bool well =
		x->session &&
		explore_search(x->explore, explore_program_executor(x, x->session, x->traced), err);

	if (x->terminal)
		fputs("\r\033[K", stderr);
	if (x->judging.unknown)
		explore_result(x->explore)->complete = false;
	return well || explore_result(x->explore)->interrupted;
}

bool explore_program_start(struct explore_program *x, struct err *err)
{
	struct explore_options options = { .budget = x->budget,
					   .seconds = x->seconds,
					   .seed = x->seed,
					   .all = x->all,
					   .stop = x->stop,
					   .progress = x->terminal && !x->verbose ? show_progress
										  : NULL,
					   .ran = x->verbose ? tell_run : NULL };

	x->explore = explore_open(&options);
	if (!run_first(x, err))
		return x->stop && *x->stop;
	if (explore_result(x->explore)->failures.count && !x->all)
		return true;
	if (x->mode == SESSION_ONCE)
		x->traced = explore_program_trace_name(x, "run", 0);
	x->session = explore_program_open_session(x, x->mode, x->traced, err);
	return search(x, err);
}

bool explore_program_go_on(struct explore_program *x, struct err *err)
{
	x->went_on = true;
	keep_threads(x, explore_last(x->explore));
	session_close(x->session);
	x->session = explore_program_open_session(x, SESSION_FORK, NULL, err);
	return search(x, err);
}

/*
 * Minimises the failures of a search and repeats them with kernel threads. Fibers, and memory that
 * is restored between executions, belong to sooth and not to the program. If a failure appears only
 * with them, they may cause it (for example, if the program asks for its thread id). Such a failure
 * is reported separately, as not repeated (struct unrepeated_failure).
 */
#include "base/file.h"
#include "pipeline/complain.h"
#include "pipeline/explore_program.h"

#include "base/mem.h"
#include "explore/search/minimise.h"
#include "explore/control/schedule.h"
#include "pipeline/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MINIMISE_MOST 300
#define MINIMISE_JUDGED_MOST 60 /* the limit if each execution is recorded and checked */

/* ---- the schedule ---------------------------------------------------------------------------- */

/*
 * Returns the file name for the next schedule: "bank.schedule", "bank-2.schedule", or as given by
 * --save. The caller frees it.
 */
static char *next_schedule_name(const struct explore_program *x)
{
	const char *name = x->save ? x->save : path_name(x->program[0]);
	const char *end = x->save ? "" : ".schedule";

	return x->saved ? mem_format("%s-%zu%s", name, x->saved + 1, end)
			: mem_format("%s%s", name, end);
}

char *explore_program_save(struct explore_program *x, const struct schedule *schedule)
{
	char *name = next_schedule_name(x);
	struct err err;

	if (schedule_write(schedule, name, &err)) {
		x->saved++;
		return name;
	}
	complain("explore", "cannot save the schedule: %s", err.text);
	free(name);
	return NULL;
}

/*
 * Saves the schedule of a run. Returns the file's name, which the caller frees; NULL after a
 * message.
 */
static char *save_run(struct explore_program *x, const struct plan *plan,
		      const struct outcome *outcome, const char *path)
{
	struct schedule schedule = { 0 };
	struct trace *trace;
	struct err err;
	char *name;

	if (!trace_open(path, &trace, &err)) {
		complain("explore", "cannot save the schedule: %s", err.text);
		return NULL;
	}
	schedule_make(&schedule, trace, plan, outcome, explore_report_kind(outcome),
		      "found by sooth explore");
	name = explore_program_save(x, &schedule);
	schedule_free(&schedule);
	trace_close(trace);
	return name;
}

/* ---- reporting a failure that kernel threads showed ------------------------------------------ */

/*
 * Adds a report for a failure. `why` not NULL: the search saw the failure, but the recorded run did
 * not repeat it; `outcome` and `trace` then belong to that run, which did not fail.
 */
static bool report_failure(struct explore_program *x, const struct failure *failure,
			   const struct outcome *outcome, const char *trace, const char *why,
			   struct err *err)
{
	char *schedule =
		why || outcome->violated ? NULL : save_run(x, &failure->plan, outcome, trace);
	struct explore_report explored;
	bool opened = explore_report_open(&explored,
					  &(struct explore_report_source){
						  .outcome = outcome,
						  .trace = trace,
						  .usual = explore_usual_status(x->explore),
						  .schedule = schedule,
						  .program = x->program,
						  .properties = &x->properties,
						  .why = why,
					  },
					  err);

	if (opened && outcome->violated && !why)
		explore_program_confirm_violations(x, &explored);
	if (opened)
		*vec_push(&x->found) = explored;
	free(schedule);
	return opened;
}

/* Does the outcome show this failure, or a failure that is not in the search's list? */
static bool shows_failure(const struct explore_program *x, const struct failure *failure,
			  const struct outcome *outcome)
{
	const struct explore_result *result = explore_result(x->explore);
	uint64_t key = failure_key(outcome);

	if (!failure_seen(outcome, explore_usual_status(x->explore)))
		return false;
	for (size_t i = 0; i < result->failures.count; i++)
		if (&result->failures.items[i] != failure && result->failures.items[i].key == key)
			return false;
	return true;
}

/* ---- repeating ------------------------------------------------------------------------------- */

/*
 * An attempt to repeat a failure: one run in a session of its own. The session stays open while the
 * outcome is used.
 */
struct failure_repeat {
	struct runner *session;
	char *trace; /* where the run is recorded; NULL: it is not */
	struct outcome outcome;
	bool ran, shown;
};

static void repeat_failure(struct explore_program *x, const struct failure *failure,
			   const struct plan *plan, enum runner_mode mode,
			   struct failure_repeat *repeat, struct err *err)
{
	struct executor *executor;

	*repeat = (struct failure_repeat){ 0 };
	if (mode == RUNNER_ONCE)
		repeat->trace = explore_program_trace_name(x, "failure", x->extra);
	repeat->session = explore_program_open_session(x, mode, repeat->trace, err);
	if (!repeat->session)
		return;
	executor = explore_program_executor(x, repeat->session, repeat->trace);
	repeat->ran = executor->run(executor, plan, &repeat->outcome, err);
	x->extra++;
	repeat->shown = repeat->ran && runner_mode(repeat->session) <= mode &&
			shows_failure(x, failure, &repeat->outcome);
}

static void repeat_close(struct failure_repeat *repeat)
{
	if (repeat->session)
		runner_close(repeat->session);
	free(repeat->trace);
}

/*
 * Repeats the failure with its minimised plan and records the run. If that run does not show the
 * failure, uses the original plan `seen`.
 */
static bool record_failure(struct explore_program *x, struct failure *failure,
			   const struct plan *seen, struct failure_repeat *repeat, struct err *err)
{
	repeat_failure(x, failure, &failure->plan, RUNNER_ONCE, repeat, err);
	if (repeat->shown || !repeat->ran)
		return repeat->shown;
	repeat_close(repeat);
	plan_copy(&failure->plan, seen);
	repeat_failure(x, failure, seen, RUNNER_ONCE, repeat, err);
	return repeat->shown;
}

static bool is_repeated_in(struct explore_program *x, const struct failure *failure,
			   const struct plan *seen, enum runner_mode mode)
{
	struct failure_repeat repeat;
	struct err err;
	bool shown;

	repeat_failure(x, failure, seen, mode, &repeat, &err);
	shown = repeat.shown;
	repeat_close(&repeat);
	return shown;
}

static void add_unrepeated(struct explore_program *x, struct failure *failure,
			   const struct plan *seen)
{
	bool fresh = is_repeated_in(x, failure, seen, RUNNER_FORK_FIBERS);
	char *text = mem_format("%s%s%s: seen with fibers (execution %" PRIu64
				")%s, not repeated with kernel threads",
				failure_result_name(failure->result), failure->text[0] ? ": " : "",
				failure->text, failure->execution,
				fresh ? "" : " in a process that had already run the program");

	failure->doubtful = true;
	*vec_push(&x->unrepeated) = (struct unrepeated_failure){ text, failure->execution };
}

/* Did the search use kernel threads? */
static bool used_kernel_threads(const struct explore_program *x)
{
	return !x->session || runner_mode(x->session) == RUNNER_ONCE ||
	       runner_mode(x->session) == RUNNER_FORK;
}

static bool repeat_and_report(struct explore_program *x, struct failure *failure,
			      const struct plan *seen, struct err *err)
{
	struct failure_repeat repeat;
	bool done = true;

	if (record_failure(x, failure, seen, &repeat, err))
		done = report_failure(x, failure, &repeat.outcome, repeat.trace, NULL, err);
	else if (!repeat.ran)
		done = false;
	else if (used_kernel_threads(x) || is_repeated_in(x, failure, seen, RUNNER_FORK))
		done = report_failure(x, failure, &repeat.outcome, repeat.trace,
				      "the run that was to record it took a different course", err);
	else
		add_unrepeated(x, failure, seen);
	repeat_close(&repeat);
	return done;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/*
 * Minimising makes no more runs than the search may make, and takes what the search has left of its
 * time, or a quarter of all its time if that is more.
 */
static struct minimise_limits minimise_limits(const struct explore_program *x)
{
	double left = x->seconds - explore_result(x->explore)->seconds;
	struct minimise_limits limits = {
		.runs = x->properties.files.count ? MINIMISE_JUDGED_MOST : MINIMISE_MOST,
		.seconds = left > x->seconds / 4 ? left : x->seconds / 4,
	};

	if (x->budget && x->budget < limits.runs)
		limits.runs = x->budget;
	return limits;
}

/*
 * Minimises in the mode of the search, because the failure was seen in this mode (or in the first
 * run).
 */
static void minimise_in_mode(struct explore_program *x, struct failure *failure)
{
	struct minimise_limits limits = minimise_limits(x);
	struct runner *session = x->session;
	struct err err;

	if (!session && x->mode != RUNNER_ONCE)
		session = explore_program_open_session(x, x->mode, NULL, &err);
	if (session)
		x->extra += minimise_failure(explore_program_executor(x, session, x->traced),
					     failure, &limits, explore_usual_status(x->explore));
	if (session && !x->session)
		runner_close(session);
}

/* Was the failing execution recorded, with kernel threads? Then it need not be repeated. */
static bool was_recorded(const struct explore_program *x)
{
	return x->traced && !x->all && !x->properties.files.count &&
	       runner_mode(x->session) == RUNNER_ONCE;
}

bool explore_program_repeat_failures(struct explore_program *x, struct err *err)
{
	struct explore_result *result = explore_result(x->explore);
	bool done = true;

	for (size_t i = 0; i < result->failures.count && done; i++) {
		struct failure *failure = &result->failures.items[i];
		struct plan seen = { 0 };
		if (failure->reported)
			continue;
		failure->reported = true;
		if (was_recorded(x))
			return report_failure(x, failure, explore_last(x->explore), x->traced, NULL,
					      err);
		plan_copy(&seen, &failure->plan);
		minimise_in_mode(x, failure);
		done = repeat_and_report(x, failure, &seen, err);
		plan_free(&seen);
	}
	return done;
}

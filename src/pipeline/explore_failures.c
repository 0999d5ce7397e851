/*
 * What failed is minimised and repeated with kernel threads. Fibers, and memory that is restored
 * between executions, are ours and not the program's: what only they show may be their doing (the
 * program asks for its thread's number, say), and is told as unknown.
 */
#include "pipeline/complain.h"
#include "pipeline/explore_program.h"

#include "base/mem.h"
#include "explore/search/minimise.h"
#include "explore/control/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MINIMISE_MOST 300
#define MINIMISE_JUDGED_MOST 60 /* where each execution is recorded and judged */

/* ---- the schedule ------------------------------------------------------------------------- */

char *explore_program_schedule_name(const struct explore_program *x)
{
	const char *slash = strrchr(x->program[0], '/');
	const char *name = slash ? slash + 1 : x->program[0];
	char *text;
	size_t number = x->saved;
	int length;

	if (number == 0)
		length = asprintf(&text, x->save ? "%s" : "%s.schedule", x->save ? x->save : name);
	else
		length = asprintf(&text, x->save ? "%s-%zu" : "%s-%zu.schedule",
				  x->save ? x->save : name, number + 1);
	if (length < 0)
		abort();
	return text;
}

/* Saves what a run did. NULL: it could not be, which was said. */
static char *save_schedule(struct explore_program *x, const struct plan *plan,
			   const struct outcome *outcome, const char *path)
{
	char *name = explore_program_schedule_name(x);
	struct schedule schedule = { 0 };
	struct trace *trace;
	struct err err;
	bool saved = false;

	if (trace_open(path, &trace, &err)) {
		schedule_make(&schedule, trace, plan, outcome, explore_report_kind(outcome),
			      "found by sooth explore");
		saved = schedule_write(&schedule, name, &err);
		schedule_free(&schedule);
		trace_close(trace);
	}
	x->saved += saved;
	if (saved)
		return name;
	cli_complain("explore", "the schedule is not saved: %s", err.text);
	free(name);
	return NULL;
}

/* ---- a failure that a run of the kernel's threads showed ---------------------------------- */

/* `why`: it was seen, but not recorded, and `outcome` and `trace` are those of a run that did well. */
static bool report_failure(struct explore_program *x, const struct failure *failure,
			   const struct outcome *outcome, const char *trace, const char *why,
			   struct err *err)
{
	char *schedule =
		why || outcome->violated ? NULL : save_schedule(x, &failure->plan, outcome, trace);
	struct explore_report explored;
	bool told = explore_report_open(&explored,
					&(struct explore_report_source){
						.failure = failure,
						.outcome = outcome,
						.trace = trace,
						.usual = explore_usual_status(x->explore),
						.schedule = schedule,
						.program = x->program,
						.properties = &x->properties,
						.why = why,
					},
					err);

	if (told && outcome->violated && !why)
		explore_program_confirm_violations(x, &explored);
	if (told)
		*vec_push(&x->found) = explored;
	free(schedule);
	return told;
}

/* Is it this failure, or one that no other run showed? */
static bool shows(const struct explore_program *x, const struct failure *failure,
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

/* ---- repeating ---------------------------------------------------------------------------- */

/* One run by a plan, in a session of its own that stays open for the outcome. */
struct repeat {
	struct session *session;
	char *trace; /* NULL: it is not recorded */
	struct outcome outcome;
	bool ran, shown;
};

static void repeat_failure(struct explore_program *x, const struct failure *failure,
			   const struct plan *plan, enum session_mode mode, struct repeat *repeat,
			   struct err *err)
{
	struct executor *executor;

	*repeat = (struct repeat){ 0 };
	if (mode == SESSION_ONCE)
		repeat->trace = explore_program_trace_name(x, "failure", x->extra);
	repeat->session = explore_program_open_session(x, mode, repeat->trace, err);
	if (!repeat->session)
		return;
	executor = explore_program_executor(x, repeat->session, repeat->trace);
	repeat->ran = executor->run(executor, plan, &repeat->outcome, err);
	x->extra++;
	repeat->shown = repeat->ran && session_mode(repeat->session) <= mode &&
			shows(x, failure, &repeat->outcome);
}

static void repeat_close(struct repeat *repeat)
{
	if (repeat->session)
		session_close(repeat->session);
	free(repeat->trace);
}

/* Recorded: with fewer switches, else as it was seen. */
static bool is_recorded(struct explore_program *x, struct failure *failure, const struct plan *seen,
			struct repeat *repeat, struct err *err)
{
	repeat_failure(x, failure, &failure->plan, SESSION_ONCE, repeat, err);
	if (repeat->shown || !repeat->ran)
		return repeat->shown;
	repeat_close(repeat);
	plan_copy(&failure->plan, seen);
	repeat_failure(x, failure, seen, SESSION_ONCE, repeat, err);
	return repeat->shown;
}

static bool is_shown_in(struct explore_program *x, const struct failure *failure,
			const struct plan *seen, enum session_mode mode)
{
	struct repeat repeat;
	struct err err;
	bool shown;

	repeat_failure(x, failure, seen, mode, &repeat, &err);
	shown = repeat.shown;
	repeat_close(&repeat);
	return shown;
}

static void doubt(struct explore_program *x, struct failure *failure, const struct plan *seen)
{
	bool anew = is_shown_in(x, failure, seen, SESSION_FORK_FIBERS);
	char *text;

	if (asprintf(&text,
		     "%s%s%s: seen with fibers (execution %" PRIu64 ")%s, not repeated with "
		     "kernel threads",
		     failure_result_name(failure->result), failure->text[0] ? ": " : "",
		     failure->text, failure->execution,
		     anew ? "" : " in a process that had made other executions before") < 0)
		abort();
	failure->doubtful = true;
	*vec_push(&x->doubts) = (struct explore_program_doubt){ text, failure->execution };
}

/* Were threads of the kernel at work when it was seen? */
static bool was_real(const struct explore_program *x)
{
	return !x->session || session_mode(x->session) == SESSION_ONCE ||
	       session_mode(x->session) == SESSION_FORK;
}

static bool tell_failure(struct explore_program *x, struct failure *failure,
			 const struct plan *seen, struct err *err)
{
	struct repeat repeat;
	bool told = true;

	if (is_recorded(x, failure, seen, &repeat, err))
		told = report_failure(x, failure, &repeat.outcome, repeat.trace, NULL, err);
	else if (!repeat.ran)
		told = false;
	else if (was_real(x) || is_shown_in(x, failure, seen, SESSION_FORK))
		told = report_failure(x, failure, &repeat.outcome, repeat.trace,
				      "the recorded run that was to repeat it went another way",
				      err);
	else
		doubt(x, failure, seen);
	repeat_close(&repeat);
	return told;
}

/* ---- all of them -------------------------------------------------------------------------- */

/* In the way that the search is made: there it was seen, or, if the first run failed, may be. */
static void minimise(struct explore_program *x, struct failure *failure)
{
	struct session *session = x->session;
	struct err err;

	if (!session && x->mode != SESSION_ONCE)
		session = explore_program_open_session(x, x->mode, NULL, &err);
	if (session)
		x->extra += minimise_failure(
			explore_program_executor(x, session, x->traced), failure,
			x->properties.files.count ? MINIMISE_JUDGED_MOST : MINIMISE_MOST,
			explore_usual_status(x->explore));
	if (session && !x->session)
		session_close(session);
}

/* The execution that failed was recorded itself, with kernel threads: nothing is to be repeated. */
static bool was_recorded(const struct explore_program *x)
{
	return x->traced && !x->all && !x->properties.files.count &&
	       session_mode(x->session) == SESSION_ONCE;
}

bool explore_program_tell_failures(struct explore_program *x, struct err *err)
{
	struct explore_result *result = explore_result(x->explore);
	bool told = true;

	for (size_t i = 0; i < result->failures.count && told; i++) {
		struct failure *failure = &result->failures.items[i];
		struct plan seen = { 0 };
		if (failure->told)
			continue;
		failure->told = true;
		if (was_recorded(x))
			return report_failure(x, failure, explore_last(x->explore), x->traced, NULL,
					      err);
		plan_copy(&seen, &failure->plan);
		minimise(x, failure);
		told = tell_failure(x, failure, &seen, err);
		plan_free(&seen);
	}
	return told;
}

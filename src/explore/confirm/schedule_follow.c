/*
 * Another build of the same source has other step numbers, because its optimiser drops other
 * accesses. The names of steps stay the same, but which number a name has is known only after a
 * run. So this loop estimates the step numbers, makes a plan, runs and records it, and looks up the
 * numbers again in that recording. Each run follows the schedule further than the one before. The
 * loop ends when the numbers no longer change; with the same build, that is after the first run.
 */
#include "explore/confirm/schedule_follow.h"

#include "base/mem.h"
#include "explore/control/schedule_map.h"
#include "explore/confirm/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RUNS_MOST 12

struct follower {
	const struct schedule *schedule;
	struct rerun rerun;
	struct schedule_map map;
	struct plan plan;
	struct spec_file *const *files; /* files of properties */
	size_t file_count;
};

void schedule_result_free(struct schedule_result *result)
{
	free(result->why);
	result->why = NULL;
}

static void set_why(struct schedule_result *result, enum schedule_verdict verdict, const char *why)
{
	free(result->why);
	result->why = mem_copy_text(why, strlen(why));
	result->verdict = verdict;
}

/* ---- making the plan ------------------------------------------------------------------------- */

static void make_plan(struct follower *f)
{
	const struct schedule *s = f->schedule;
	const struct mapped_step *steps = f->map.steps.items;
	struct plan *plan = &f->plan;

	plan_clear(plan);
	plan->policy = CONTROL_STAY;
	plan->options = s->options | CONTROL_END_STUCK;
	if (f->rerun.options.on_held)
		plan->options |= CONTROL_HOLD;
	for (size_t i = 0; i < s->slices.count; i++)
		*vec_push(&plan->slices) =
			(struct control_slice){ s->slices.items[i].thread, steps[i].at + 1 };
	for (size_t i = 0; i < s->stops.count; i++) {
		const struct mapped_step *stop = &steps[f->map.stops + i];

		*vec_push(&plan->stops) = (struct control_stop){ .thread = stop->step->thread,
								 .step = stop->at,
								 .site = stop->site };
		*vec_push(&plan->slices) =
			(struct control_slice){ stop->step->thread,
						stop->at + PLAN_STEPS_AFTER_RACE };
	}
	for (size_t i = 0; i < s->choices.count; i++) {
		const struct mapped_step *choice = &steps[f->map.choices + i];

		*vec_push(&plan->choices) =
			(struct control_choice){ choice->step->thread, choice->at,
						 s->choices.items[i].kind };
	}
}

/* ---- judging a run --------------------------------------------------------------------------- */

static const char *result_word(enum control_result result)
{
	switch (result) {
	case CONTROL_ASSERTION:
	case CONTROL_ABORTED: return "assertion";
	case CONTROL_USE_AFTER_FREE: return "use-after-free";
	case CONTROL_BAD_FREE: return "misuse";
	case CONTROL_CRASHED: return "crash";
	case CONTROL_DEADLOCK:
	case CONTROL_STUCK: return "deadlock";
	default: return "";
	}
}

/* Is each thread blocked right after the step that the schedule names as its last? */
static bool are_at_ends(const struct follower *f)
{
	const struct schedule *s = f->schedule;
	const struct outcome *outcome = &f->rerun.outcome;

	for (size_t i = 0; i < s->ends.count; i++) {
		bool there = false;

		for (uint32_t k = 0; k < outcome->blocked_count && !there; k++)
			there = outcome->blocked[k].thread == s->ends.items[i].thread &&
				outcome->blocked[k].how != CONTROL_BY_NOTHING &&
				outcome->blocked[k].step ==
					f->map.steps.items[f->map.ends + i].at + 1;
		if (!there)
			return false;
	}
	return true;
}

static bool is_shown(const struct follower *f)
{
	const struct schedule *s = f->schedule;
	const struct outcome *outcome = &f->rerun.outcome;
	bool stuck = outcome->result == CONTROL_DEADLOCK || outcome->result == CONTROL_STUCK;
	const struct control_stop *met = outcome->control->stops;

	if (s->property)
		return verify_property(s->property, s->formula, f->files, f->file_count,
				       f->rerun.trace);
	if (!strcmp(s->expect, "race"))
		return outcome->control->stops_met && s->stops.count == 2 &&
		       met[0].actual_step == f->map.steps.items[f->map.stops].at &&
		       met[1].actual_step == f->map.steps.items[f->map.stops + 1].at &&
		       met[0].address < met[1].address + met[1].size &&
		       met[1].address < met[0].address + met[0].size;
	if (!strcmp(s->expect, "deadlock") || !strcmp(s->expect, "lost-signal"))
		return stuck && are_at_ends(f);
	return !strcmp(result_word(outcome->result), s->expect);
}

/*
 * Returns the first slice, stop or end whose step the last run did not do; NULL if there is none.
 */
static const struct schedule_step *find_missing_step(const struct follower *f)
{
	for (size_t i = 0; i < f->map.choices; i++) {
		if (f->map.steps.items[i].step->name && !f->map.steps.items[i].known)
			return f->map.steps.items[i].step;
	}
	return NULL;
}

static void explain_divergence(const struct follower *f, struct schedule_result *result)
{
	const struct schedule_step *lost = find_missing_step(f);
	char text[RUN_OUTCOME_TEXT];

	if (lost)
		run_outcome_print(text,
				  "T%" PRIu32 " never did step %" PRIu32
				  " of the schedule, \"%s\", "
				  "occurrence %" PRIu64 "; the run ended with: %s%s%s",
				  lost->thread, lost->step, lost->name, lost->occurrence,
				  run_outcome_name(result->effect.kind),
				  result->effect.text[0] ? ": " : "", result->effect.text);
	else if (f->schedule->property)
		run_outcome_print(text,
				  "all steps were done, but property %s is not violated; the run "
				  "ended with: %s%s%s",
				  f->schedule->property, run_outcome_name(result->effect.kind),
				  result->effect.text[0] ? ": " : "", result->effect.text);
	else
		run_outcome_print(text, "all steps were done, but the run ended with: %s%s%s",
				  run_outcome_name(result->effect.kind),
				  result->effect.text[0] ? ": " : "", result->effect.text);
	set_why(result, SCHEDULE_DIVERGED, text);
}

static bool run_schedule(struct follower *f, struct schedule_result *result)
{
	struct run_outcome_source source;
	struct err err = { 0 };

	make_plan(f);
	result->runs++;
	if (!rerun_run(&f->rerun, &f->plan, &err)) {
		set_why(result, SCHEDULE_CANNOT, err.text);
		return false;
	}
	source.trace = f->rerun.trace;
	source.symbols = trace_symbols_open(f->rerun.trace);
	run_outcome_of_end(&result->effect, &f->rerun.outcome, &source, -1);
	trace_symbols_close(source.symbols);
	return true;
}

/* Completes the result after a run that showed what the schedule expects. */
static void finish_shown(struct follower *f, unsigned times, struct schedule_result *result)
{
	struct err err = { 0 };

	memcpy(result->met, f->rerun.outcome.control->stops, sizeof result->met);
	result->verdict = SCHEDULE_SHOWN;
	if (times > 1) {
		result->runs += times - 1;
		if (!rerun_repeat(&f->rerun, &f->plan, times - 1, &err))
			set_why(result, SCHEDULE_DIVERGED, err.text);
	}
	if (!rerun_save(&f->rerun, &err))
		set_why(result, SCHEDULE_CANNOT, err.text);
}

static void repeat_until_shown(struct follower *f, unsigned times, struct schedule_result *result)
{
	for (unsigned i = 0; i < RUNS_MOST; i++) {
		bool changed;

		if (!run_schedule(f, result))
			return;
		changed = schedule_map_update(&f->map, f->rerun.trace);
		if (is_shown(f)) {
			finish_shown(f, times, result);
			return;
		}
		if (!changed)
			break;
	}
	explain_divergence(f, result);
}

void schedule_follow(const struct schedule *s, const struct rerun_options *options, unsigned times,
		     struct spec_file *const *files, size_t file_count,
		     struct schedule_result *result)
{
	struct follower f = { .schedule = s, .files = files, .file_count = file_count };
	struct err err = { 0 };

	*result = (struct schedule_result){ 0 };
	if (!rerun_open(&f.rerun, options, &err)) {
		set_why(result, SCHEDULE_CANNOT, err.text);
		return;
	}
	runner_know_threads(f.rerun.session, s->threads.items, (uint32_t)s->threads.count);
	schedule_map_open(&f.map, s);
	repeat_until_shown(&f, times, result);
	schedule_map_close(&f.map);
	plan_free(&f.plan);
	rerun_close(&f.rerun);
}

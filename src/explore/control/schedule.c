/*
 * Makes a schedule from a run: copies its slices, stops, choices and blocked threads, and then
 * reads the recording once per thread to name their steps.
 */
#include "explore/control/schedule.h"

#include "base/mem.h"
#include "base/sort.h"
#include "explore/control/step_name.h"

#include <string.h>

static void free_step(struct schedule_step *step)
{
	free(step->name);
}

void schedule_free(struct schedule *s)
{
	for (size_t i = 0; i < s->slices.count; i++)
		free_step(&s->slices.items[i]);
	for (size_t i = 0; i < s->stops.count; i++)
		free_step(&s->stops.items[i]);
	for (size_t i = 0; i < s->ends.count; i++)
		free_step(&s->ends.items[i]);
	for (size_t i = 0; i < s->choices.count; i++)
		free_step(&s->choices.items[i].at);
	vec_free(&s->threads);
	vec_free(&s->slices);
	vec_free(&s->stops);
	vec_free(&s->ends);
	vec_free(&s->choices);
	free(s->about);
	free(s->expect);
	free(s->property);
	*s = (struct schedule){ 0 };
}

void schedule_expect_property(struct schedule *s, const char *property, uint32_t formula)
{
	free(s->property);
	s->property = mem_copy_text(property, strlen(property));
	s->formula = formula;
}

/* ---- making a schedule from a run ------------------------------------------------------------ */

/* The steps of one thread that need a name; name_steps_of_thread() sorts them by number. */
struct unnamed_steps {
	struct schedule_step **items;
	size_t count, room;
};

SORT_COMPARISON(by_step, __typeof__(struct schedule_step *), a, b,
		sort_order((*a)->step, (*b)->step))

static void name_steps_of_thread(struct step_names *names, uint32_t thread,
				 struct unnamed_steps *wanted)
{
	struct step_cursor walk;
	size_t at = 0;

	if (!wanted->count)
		return;
	vec_sort(wanted, by_step);
	step_cursor_open(&walk, names, thread);
	while (at < wanted->count && step_cursor_next(&walk)) {
		for (; at < wanted->count && wanted->items[at]->step <= walk.step; at++) {
			struct schedule_step *step = wanted->items[at];
			const char *text = step_names_text(names, walk.name);

			if (step->step != walk.step)
				continue;
			step->name = mem_copy_text(text, strlen(text));
			step->occurrence = walk.occurrence;
		}
	}
	step_cursor_close(&walk);
}

static void collect_unnamed_steps(struct unnamed_steps *wanted, struct schedule_step *steps,
				  size_t count)
{
	for (size_t i = 0; i < count; i++)
		*vec_push(&wanted[steps[i].thread]) = &steps[i];
}

static void name_all_steps(struct schedule *s, const struct trace *recording)
{
	struct unnamed_steps *wanted = mem_zalloc(CONTROL_THREADS, sizeof *wanted);
	struct step_names names;

	step_names_open(&names, recording);
	collect_unnamed_steps(wanted, s->slices.items, s->slices.count);
	collect_unnamed_steps(wanted, s->stops.items, s->stops.count);
	collect_unnamed_steps(wanted, s->ends.items, s->ends.count);
	for (size_t i = 0; i < s->choices.count; i++)
		collect_unnamed_steps(wanted, &s->choices.items[i].at, 1);
	for (uint32_t i = 0; i < CONTROL_THREADS; i++) {
		name_steps_of_thread(&names, i, &wanted[i]);
		vec_free(&wanted[i]);
	}
	step_names_close(&names);
	free(wanted);
}

/*
 * Copies the recorded slices. For a race they end where both threads stand before their accesses:
 * what follows depends on which thread goes first.
 */
static void copy_slices(struct schedule *s, const struct trace *recording)
{
	size_t count;
	const struct control_slice *runs = trace_schedule(recording, &count);
	uint32_t met = 0;

	for (size_t i = 0; i < count && (!s->stops.count || met < s->stops.count); i++) {
		uint32_t until = runs[i].until, thread = runs[i].thread;

		for (size_t k = 0; k < s->stops.count; k++) {
			if (s->stops.items[k].thread == thread && until > s->stops.items[k].step) {
				until = s->stops.items[k].step;
				met++;
			}
		}
		if (until && thread < CONTROL_THREADS)
			*vec_push(&s->slices) =
				(struct schedule_step){ .thread = thread, .step = until - 1 };
	}
}

/*
 * Adds the access that ended the run. It did not happen, so it is not in the recording and has no
 * name. Without it, the end of main could come before it.
 */
static void add_last_access(struct schedule *s, const struct outcome *outcome)
{
	const struct control *c = outcome->control;

	if ((outcome->result == CONTROL_USE_AFTER_FREE || outcome->result == CONTROL_BAD_FREE ||
	     outcome->result == CONTROL_CRASHED) &&
	    c->fault_thread < CONTROL_THREADS && !s->stops.count)
		*vec_push(&s->slices) =
			(struct schedule_step){ .thread = c->fault_thread, .step = c->fault_step };
}

static void copy_blocked_steps(struct schedule *s, const struct outcome *outcome)
{
	bool cycle = outcome->result == CONTROL_DEADLOCK;

	if (!cycle && outcome->result != CONTROL_STUCK)
		return;
	for (uint32_t i = 0; i < outcome->blocked_count; i++) {
		const struct control_blocked *b = &outcome->blocked[i];

		if (b->how == CONTROL_BY_NOTHING || (cycle && !b->in_cycle) ||
		    b->thread >= CONTROL_THREADS)
			continue;
		/* The step that blocks was never done: take the step before it. */
		*vec_push(&s->ends) = (struct schedule_step){ .thread = b->thread,
							      .step = b->step ? b->step - 1 : 0 };
	}
}

void schedule_make(struct schedule *s, const struct trace *recording, const struct plan *plan,
		   const struct outcome *outcome, const char *expect, const char *about)
{
	const struct control *c = outcome->control;

	*s = (struct schedule){
		.about = about ? mem_copy_text(about, strlen(about)) : NULL,
		.expect = mem_copy_text(expect, strlen(expect)),
		.options =
			plan->options & (CONTROL_END_STUCK | CONTROL_CHECK_HEAP | CONTROL_TIMEOUTS),
	};
	for (uint32_t i = 0; i < outcome->thread_count; i++)
		*vec_push(&s->threads) = outcome->threads[i];
	for (uint32_t i = 0; !strcmp(expect, "race") && i < c->stop_count; i++)
		*vec_push(&s->stops) = (struct schedule_step){ .thread = c->stops[i].thread,
							       .step = c->stops[i].actual_step };
	for (size_t i = 0; i < plan->choices.count; i++)
		*vec_push(&s->choices) = (struct schedule_choice){
			.at = { .thread = plan->choices.items[i].thread,
				.step = plan->choices.items[i].step },
			.kind = plan->choices.items[i].kind,
		};
	copy_slices(s, recording);
	add_last_access(s, outcome);
	copy_blocked_steps(s, outcome);
	name_all_steps(s, recording);
}

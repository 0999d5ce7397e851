/*
 * A lead is confirmed by a failure of its run, not by its events: nothing says that they are wrong.
 * But a run can fail for another reason: because the program always fails, or because the lead's
 * schedule also reorders the events of another bug. So the run is compared with a control run in
 * which only the events of the lead are put back.
 *
 * An interrupted region: the other thread's accesses come wholly before the region, or wholly after
 * it, whichever the recorded run shows. A rule of the plan says so. The thread that has to wait
 * does so before the outermost lock that it holds at its access, because otherwise it could hold
 * up the other thread.
 *
 * A condition that is not checked again: the wait does not wake up without a signal.
 */
#include "explore/confirm/attribute.h"

#include "explore/control/recorded.h"
#include "order/base_run/base_run.h"
#include "order/base_run/share_survey.h"

#include <sys/wait.h>

/* Was event `a` before event `b` in the recorded run? */
static bool was_before(const struct trace *trace, struct event_id a, struct event_id b)
{
	struct share_survey survey;
	struct base_run_event ev;
	struct base_run *run;
	bool first = false, found = false;

	share_survey_make(&survey, trace);
	run = base_run_open(trace, &survey);
	while (!found && base_run_next(run, &ev)) {
		first = ev.stream == a.stream && ev.index == a.index;
		found = first || (ev.stream == b.stream && ev.index == b.index);
	}
	base_run_close(run);
	share_survey_free(&survey);
	return first;
}

/* Returns the event before which a thread waits until it may do the event `e`. */
static struct event_id outermost_lock(const struct finding_event *e)
{
	return e->held.count ? e->held.items[0].taken : e->id;
}

/* Adds the rule that event `before` is done before event `after`. */
static bool add_rule(struct plan *plan, const struct trace *trace, struct event_id before,
		     struct event_id after, struct err *err)
{
	struct recorded *recorded = recorded_open(trace, NULL);
	uint64_t before_step = recorded_steps_before(recorded, before.stream, before.index);
	uint64_t after_step = recorded_steps_before(recorded, after.stream, after.index);

	recorded_close(recorded);
	if (before_step == TRACE_NO_STEP || after_step == TRACE_NO_STEP)
		return err_set(err, "one of its events is in a signal handler");
	*vec_push(&plan->rules) = (struct control_rule){ before.stream, (uint32_t)before_step,
							 after.stream, (uint32_t)after_step };
	return true;
}

static bool put_region_back(struct plan *plan, const struct trace *trace, const struct finding *f,
			    struct err *err)
{
	const struct finding_event *first = &f->events.items[0], *remote = &f->events.items[1];
	const struct finding_event *last = &f->events.items[f->events.count - 1];
	const struct finding_event *last_remote = last - 1;

	if (was_before(trace, remote->id, first->id))
		return add_rule(plan, trace, last_remote->id, outermost_lock(first), err);
	return add_rule(plan, trace, last->id, outermost_lock(remote), err);
}

bool attribute_is_needed(const struct finding *f)
{
	return f->inferred || (f->kind == FINDING_MISUSE && f->misuse == EVENT_MISUSE_NO_RECHECK);
}

bool attribute_plan(struct plan *plan, const struct trace *trace, const struct finding *f,
		    struct err *err)
{
	if (f->kind == FINDING_ATOMICITY)
		return put_region_back(plan, trace, f, err);
	plan->choices.count = 0;
	return true;
}

bool attribute_is_clean(const struct outcome *outcome, int status)
{
	return outcome->result == CONTROL_ENDED && !outcome->control->rules_broken &&
	       WIFEXITED(outcome->status) && (status < 0 || WEXITSTATUS(outcome->status) == status);
}

/*
 * A witness keeps the result of every operation, so a run that follows it step by step does what
 * the recording shows. Slices do not bind the scheduler: a thread that does something other than
 * recorded does not hold up the other threads. Whether the run shows the finding is decided by the
 * run's own recording (confirm.c), never by the plan.
 *
 * Tried and dropped: rules for each pair of conflicting steps instead of a total order. They add
 * nothing to a run that follows its plan, and in a run that diverges the step numbers are wrong
 * anyway.
 */
#include "explore/confirm/plan_finding.h"

#include "base/mem.h"
#include "explore/control/recorded.h"
#include "order/base_run/base_run.h"
#include "order/base_run/share_survey.h"

struct plan_finding_maker {
	const struct trace *trace;
	const struct finding *finding;
	struct recorded *recorded;
	struct plan *plan;
	uint64_t *start; /* by position of the stream: its next event where the window starts */
};

/* ---- slices ---------------------------------------------------------------------------------- */

static void add_slice(struct plan_finding_maker *m, uint32_t thread, uint64_t until)
{
	if (until != TRACE_NO_STEP && until)
		plan_add_slice(m->plan, thread, (uint32_t)until);
}

static void add_slice_before(struct plan_finding_maker *m, uint32_t stream, uint64_t end)
{
	add_slice(m, stream, recorded_steps_before(m->recorded, stream, end));
}

/* Adds the recorded schedule. Each thread ends where the window starts. */
static void add_schedule(struct plan_finding_maker *m)
{
	size_t count;
	const struct control_slice *runs = trace_schedule(m->trace, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t stream = trace_find_stream(m->trace, runs[i].thread);
		uint64_t most, until = runs[i].until;

		if (stream == TRACE_NONE || !m->start[stream])
			continue;
		most = recorded_steps_before(m->recorded, runs[i].thread, m->start[stream]);
		add_slice(m, runs[i].thread, until < most ? until : most);
	}
}

/* Adds the `left` events of the base run before the window. Used if no schedule was recorded. */
static void add_base_run(struct plan_finding_maker *m, uint64_t left)
{
	struct share_survey survey;
	struct base_run_event ev;
	struct base_run *run;

	share_survey_make(&survey, m->trace);
	run = base_run_open(m->trace, &survey);
	while (left && base_run_next(run, &ev)) {
		uint32_t stream = trace_find_stream(m->trace, ev.stream);

		if (ev.index >= m->start[stream])
			continue;
		add_slice_before(m, ev.stream, ev.index + 1);
		left--;
	}
	base_run_close(run);
	share_survey_free(&survey);
}

static void add_before_window(struct plan_finding_maker *m)
{
	uint64_t left = 0;

	for (uint32_t i = 0; i < trace_stream_count(m->trace); i++)
		left += m->start[i];
	if (!left)
		return;
	if (trace_has_schedule(m->trace))
		add_schedule(m);
	else
		add_base_run(m, left);
}

static void add_witness(struct plan_finding_maker *m)
{
	const struct finding *f = m->finding;

	for (size_t i = 0; i < f->steps.count; i++)
		add_slice_before(m, f->steps.items[i].stream, f->steps.items[i].index + 1);
	/*
	 * Between a thread's last step in the witness and the finding's event there may be steps
	 * that no other thread can notice. The witness leaves them out; the plan needs them.
	 */
	for (size_t i = 0; i < f->events.count; i++) {
		/*
		 * Event 0 of a NOT_INIT finding is the late initialisation: its position does not
		 * matter.
		 */
		if (f->misuse != EVENT_MISUSE_NOT_INIT || i > 0)
			add_slice_before(m, f->events.items[i].id.stream,
					 f->events.items[i].id.index);
	}
}

/* ---- after the witness ----------------------------------------------------------------------- */

static bool add_stop(struct plan_finding_maker *m, const struct finding_event *e, struct err *err)
{
	uint64_t step = recorded_steps_before(m->recorded, e->id.stream, e->id.index);

	if (step == TRACE_NO_STEP)
		return err_set(err, "one of its accesses is in a signal handler, which the "
				    "scheduler cannot place");
	*vec_push(&m->plan->stops) = (struct control_stop){
		.thread = e->id.stream,
		.step = (uint32_t)step,
		.site = recorded_site(m->trace, e->id),
	};
	return true;
}

static bool add_stops(struct plan_finding_maker *m, bool reversed, struct err *err)
{
	const struct finding *f = m->finding;

	for (size_t i = 0; i < f->events.count; i++) {
		size_t k = reversed ? f->events.count - 1 - i : i;

		if (!add_stop(m, &f->events.items[k], err))
			return false;
	}
	for (size_t i = 0; i < m->plan->stops.count; i++)
		add_slice(m, m->plan->stops.items[i].thread,
			  (uint64_t)m->plan->stops.items[i].step + PLAN_STEPS_AFTER_RACE);
	return true;
}

/*
 * Deadlock on locks: adds a stop for each thread right before the lock that it will wait for. The
 * thread stays there until all these threads have reached their stops. Other waits begin with a
 * step of their own (WAIT, ARRIVE), so they need no stop.
 */
static bool add_meeting_of_locks(struct plan_finding_maker *m, struct err *err)
{
	const struct finding *f = m->finding;
	bool locks = f->events.count > 1 && f->events.count <= CONTROL_STOPS;

	for (size_t i = 0; i < f->events.count; i++) {
		uint8_t kind = f->events.items[i].kind;

		locks &= kind == EV_ACQUIRE || kind == EV_READ_ACQUIRE || kind == EV_REQUEST ||
			 kind == EV_READ_REQUEST;
	}
	for (size_t i = 0; locks && i < f->events.count; i++) {
		if (!add_stop(m, &f->events.items[i], err))
			return false;
	}
	return true;
}

/*
 * Adds the events of a pattern that follow the witness: parallel events and last reads. Each gets a
 * slice that ends right after it, so all of them happen before any of their consequences: after a
 * crash, for example, some of them would be missing from the recording. The slice of an event that
 * has already happened ends at once. A request needs no stop: its thread waits by itself.
 */
static void add_parallel_events(struct plan_finding_maker *m)
{
	const struct finding *f = m->finding;

	for (size_t i = 0; i < f->events.count; i++) {
		const struct finding_event *e = &f->events.items[i];

		if (!e->before)
			add_slice_before(m, e->id.stream, e->id.index + 1);
	}
}

/*
 * Adds the end of the lifetime, if it is not in the witness, and then the use. The run may end at
 * the use.
 */
static void add_end_and_use(struct plan_finding_maker *m)
{
	const struct finding_event *e = m->finding->events.items;

	add_slice_before(m, e[0].id.stream, e[0].id.index + 1);
	add_slice_before(m, e[1].id.stream, e[1].id.index + 1);
}

/* Adds a spurious wake-up: the wait returns without a signal, and its thread continues. */
static bool add_wake_up(struct plan_finding_maker *m, struct err *err)
{
	const struct finding_event *e = &m->finding->events.items[0];
	uint64_t step = recorded_steps_before(m->recorded, e->id.stream, e->id.index);

	if (step == TRACE_NO_STEP)
		return err_set(err, "the wait is in a signal handler");
	*vec_push(&m->plan->choices) =
		(struct control_choice){ e->id.stream, (uint32_t)step, CONTROL_SPURIOUS };
	add_slice(m, e->id.stream, step + PLAN_STEPS_AFTER_RACE);
	return true;
}

/*
 * Adds the event that is the misuse: event 0 if it destroys an object in use, otherwise event 1.
 */
static void add_misuse(struct plan_finding_maker *m)
{
	bool destroys = m->finding->misuse == EVENT_MISUSE_DESTROY_IN_USE;
	const struct finding_event *e = &m->finding->events.items[destroys ? 0 : 1];

	add_slice_before(m, e->id.stream, e->id.index + 1);
}

/* ---- the whole plan -------------------------------------------------------------------------- */

static bool is_replayable(const struct trace *trace, const struct finding *f, struct err *err)
{
	for (size_t i = 0; i < f->events.count; i++) {
		if (f->events.items[i].id.stream >= CONTROL_THREADS)
			return err_set(err, "the recording has more than %u threads",
				       CONTROL_THREADS);
	}
	return !trace_is_text(trace) || err_set(err, "a text trace has no program to run");
}

static void raise_goal(const struct trace *trace, uint64_t *goals, struct event_id id)
{
	uint32_t stream = trace_find_stream(trace, id.stream);

	if (goals[stream] < id.index + 1)
		goals[stream] = id.index + 1;
}

/*
 * Returns, for each stream, the index of the event up to which it must be read (0: not at all).
 * Sets m->start.
 */
static uint64_t *find_goals(struct plan_finding_maker *m)
{
	const struct finding *f = m->finding;
	uint32_t count = trace_stream_count(m->trace);
	uint64_t *goals = mem_zalloc(count, sizeof *goals);

	m->start = mem_zalloc(count, sizeof *m->start);
	for (size_t i = 0; i < f->start.count; i++) {
		uint32_t stream = trace_find_stream(m->trace, f->start.items[i].stream);

		m->start[stream] = goals[stream] = f->start.items[i].index;
	}
	for (size_t i = 0; i < f->steps.count; i++)
		raise_goal(m->trace, goals, f->steps.items[i]);
	for (size_t i = 0; i < f->events.count; i++)
		raise_goal(m->trace, goals, f->events.items[i].id);
	return goals;
}

bool plan_finding(struct plan *plan, const struct trace *trace, const struct finding *finding,
		  bool reversed, struct err *err)
{
	struct plan_finding_maker m = { .trace = trace, .finding = finding, .plan = plan };
	uint64_t *goals;
	bool ok = true;

	if (!is_replayable(trace, finding, err))
		return false;
	plan_clear(plan);
	plan->policy = CONTROL_STAY;
	plan->options = CONTROL_END_STUCK | CONTROL_CHECK_HEAP;
	goals = find_goals(&m);
	m.recorded = recorded_open(trace, goals);
	add_before_window(&m);
	add_witness(&m);
	if (finding->kind == FINDING_RACE)
		ok = add_stops(&m, reversed, err);
	else if (finding->kind == FINDING_DEADLOCK)
		ok = add_meeting_of_locks(&m, err);
	else if (finding->kind == FINDING_PATTERN || finding->kind == FINDING_ATOMICITY)
		add_parallel_events(&m);
	else if (finding_is_use_after_end(finding))
		add_end_and_use(&m);
	else if (finding->kind == FINDING_MISUSE && finding->events.count == 1)
		ok = add_wake_up(&m, err);
	else if (finding->kind == FINDING_MISUSE)
		add_misuse(&m);
	recorded_close(m.recorded);
	free(goals);
	free(m.start);
	return ok;
}

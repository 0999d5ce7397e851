/*
 * Verifies races and deadlocks in the recording of a run, and passes other findings on to
 * verify_KIND.c. A race is shown if both threads stood before their accesses and did them one
 * directly after the other. A deadlock or lost wake-up is shown if the threads are blocked at the
 * sites of the finding.
 */
#include "explore/confirm/verify.h"

#include "base/mem.h"
#include "base/sort.h"
#include "explore/control/recorded.h"
#include "explore/confirm/verify_lifetime.h"
#include "explore/confirm/verify_misuse.h"
#include "explore/confirm/verify_atomicity.h"
#include "trace/sites.h"

#include <string.h>

uint64_t *verify_keys(const struct trace *trace, const struct finding *f)
{
	uint64_t *keys = mem_alloc((f->events.count + 1) * sizeof *keys);

	for (size_t i = 0; i < f->events.count; i++)
		keys[i] = trace_site_key(trace, recorded_site(trace, f->events.items[i].id));
	if (f->kind == FINDING_ATOMICITY)
		keys[f->events.count] = trace_site_key(trace, recorded_site(trace, f->region));
	return keys;
}

uint64_t verify_event_key(const struct trace *recording, const struct base_run_event *ev)
{
	uint64_t site = trace_site_address(recording, (const struct wire_element *)ev->site);

	return trace_site_key(recording, site ? site : ev->site);
}

/* ---- sets of sites --------------------------------------------------------------------------- */

static uint64_t *copy_sorted(const uint64_t *keys, size_t count)
{
	uint64_t *copy = mem_alloc(count * sizeof *copy + 1);

	if (count)
		memcpy(copy, keys, count * sizeof *copy);
	sort_items(copy, count, sizeof *copy, sort_u64);
	return copy;
}

bool verify_same(const struct finding *a, const uint64_t *a_keys, const struct finding *b,
		 const uint64_t *b_keys)
{
	size_t count = a->events.count;
	uint64_t *x, *y;
	bool same;

	if (a->kind != b->kind || a->misuse != b->misuse || count != b->events.count ||
	    a->formula != b->formula || !a->property != !b->property ||
	    (a->property && strcmp(a->property->name, b->property->name)))
		return false;
	x = copy_sorted(a_keys, count);
	y = copy_sorted(b_keys, count);
	same = !count || !memcmp(x, y, count * sizeof *x);
	free(x);
	free(y);
	return same;
}

/* ---- races ----------------------------------------------------------------------------------- */

struct step_event {
	uint8_t kind;
	uint64_t key, address, size;
};

/* Finds the events of a step: a COPY has two, its read and its write. */
static unsigned find_events_of_step(const struct trace *recording, uint32_t thread, uint32_t step,
				    struct step_event seen[2])
{
	uint32_t stream = trace_find_stream(recording, thread);
	struct trace_cursor *cursor;
	struct trace_event ev;
	unsigned count = 0;
	struct err err;

	if (stream == TRACE_NONE)
		return 0;
	cursor = trace_cursor_open(recording, stream);
	while (count < 2 && trace_next(cursor, &ev, &err)) {
		if (ev.index == TRACE_NO_INDEX || ev.step < step)
			continue;
		if (ev.step > step)
			break;
		if (event_is_step(ev.kind))
			seen[count++] =
				(struct step_event){ ev.kind, trace_event_key(recording, &ev),
						     ev.address, ev.size };
	}
	trace_cursor_close(cursor);
	return count;
}

static bool writes(const struct step_event *s)
{
	return s->kind == EV_WRITE || s->kind == EV_ATOMIC_WRITE || s->kind == EV_ATOMIC_UPDATE ||
	       s->kind == EV_FREE;
}

static bool is_atomic(const struct step_event *s)
{
	return event_group(s->kind) == EG_ATOMIC;
}

static bool are_conflicting(const struct step_event *a, const struct step_event *b)
{
	return (writes(a) || writes(b)) && !(is_atomic(a) && is_atomic(b)) &&
	       a->address < b->address + b->size && b->address < a->address + a->size;
}

/*
 * Counts the steps that the scheduler binds to the access of thread `a`, such as the end of the
 * thread. It makes no choice before them, so no other thread could run in between.
 */
static uint32_t count_bound_steps(const struct outcome *outcome, uint32_t a, uint32_t a_step)
{
	uint32_t bound = 0;
	bool found = false;

	for (uint32_t i = 0; i < outcome->event_count; i++) {
		const struct control_event *ev = &outcome->events[i];

		if (!found)
			found = ev->thread == a && ev->step == a_step;
		else if (ev->thread == a && ev->flags & CONTROL_EVENT_NO_CHOICE)
			bound++;
		else
			break;
	}
	return bound;
}

/* Was (b, b_step) the next step after (a, a_step) and the `bound` steps that follow it? */
static bool are_adjacent(const struct trace *recording, uint32_t a, uint32_t a_step, uint32_t bound,
			 uint32_t b, uint32_t b_step)
{
	uint32_t b_done = 0;
	size_t count;
	const struct control_slice *runs = trace_schedule(recording, &count);

	for (size_t i = 0; i < count; i++) {
		if (runs[i].thread == b)
			b_done = runs[i].until;
		else if (runs[i].thread == a && runs[i].until > a_step)
			return runs[i].until <= a_step + 1 + bound && i + 1 < count &&
			       runs[i + 1].thread == b && b_done == b_step &&
			       runs[i + 1].until > b_step;
	}
	return false;
}

static bool verify_race(const struct finding *f, const uint64_t *keys,
			const struct outcome *outcome, const struct trace *recording)
{
	const struct control_stop *stops = outcome->control->stops;
	struct step_event a[2], b[2];
	unsigned a_count, b_count;

	if (f->events.count != 2 || !outcome->control->stops_met ||
	    outcome->control->stop_count != 2)
		return false;
	a_count = find_events_of_step(recording, stops[0].thread, stops[0].actual_step, a);
	b_count = find_events_of_step(recording, stops[1].thread, stops[1].actual_step, b);
	if (!are_adjacent(recording, stops[0].thread, stops[0].actual_step,
			  count_bound_steps(outcome, stops[0].thread, stops[0].actual_step),
			  stops[1].thread, stops[1].actual_step))
		return false;
	for (unsigned i = 0; i < a_count; i++) {
		for (unsigned k = 0; k < b_count; k++) {
			bool straight = a[i].key == keys[0] && b[k].key == keys[1];
			bool crossed = a[i].key == keys[1] && b[k].key == keys[0];

			if ((straight || crossed) && are_conflicting(&a[i], &b[k]))
				return true;
		}
	}
	return false;
}

/* ---- threads that wait forever --------------------------------------------------------------- */

/* Is the thread's last recorded event a request or the start of a wait? */
static bool last_event_waits(const struct trace *recording, uint32_t thread, uint64_t *key)
{
	uint32_t stream = trace_find_stream(recording, thread);
	struct trace_event ev, last = { .kind = EV_NONE };
	struct trace_cursor *cursor;
	struct err err;

	if (stream == TRACE_NONE)
		return false;
	cursor = trace_cursor_open(recording, stream);
	while (trace_next(cursor, &ev, &err)) {
		if (ev.index != TRACE_NO_INDEX)
			last = ev;
	}
	if (last.kind != EV_NONE)
		*key = trace_event_key(recording, &last);
	trace_cursor_close(cursor);
	switch (last.kind) {
	case EV_REQUEST:
	case EV_READ_REQUEST:
	case EV_DOWN_REQUEST:
	case EV_JOIN_REQUEST:
	case EV_WAIT:
	case EV_ARRIVE: return true;
	}
	return false;
}

static bool verify_blocked(const struct finding *f, const uint64_t *keys,
			   const struct outcome *outcome, const struct trace *recording, bool cycle)
{
	bool *used = mem_zalloc(outcome->blocked_count + 1, sizeof *used);
	size_t matched = 0;

	for (size_t i = 0; i < f->events.count; i++) {
		for (uint32_t k = 0; k < outcome->blocked_count; k++) {
			const struct control_blocked *b = &outcome->blocked[k];
			uint64_t key = 0;

			if (used[k] || b->how == CONTROL_BY_NOTHING || (cycle && !b->in_cycle) ||
			    trace_site_key(recording, b->site) != keys[i])
				continue;
			/*
			 * Waiting for a once is not recorded. For a once, the scheduler's report
			 * suffices.
			 */
			if (b->kind != EV_ONCE && b->kind != EV_ONCE_BEGIN &&
			    (!last_event_waits(recording, b->thread, &key) || key != keys[i]))
				continue;
			used[k] = true;
			matched++;
			break;
		}
	}
	free(used);
	return matched == f->events.count;
}

bool verify_finding(const struct finding *f, const uint64_t *keys, const struct outcome *outcome,
		    const struct trace *recording)
{
	bool cycle;

	if (f->kind == FINDING_ATOMICITY)
		return verify_atomicity(f, keys, recording);
	if (f->kind == FINDING_RACE)
		return verify_race(f, keys, outcome, recording);
	if (finding_is_use_after_end(f))
		return verify_lifetime(f, keys, outcome, recording);
	if (f->kind == FINDING_MISUSE)
		return verify_misuse(f, keys, outcome, recording);
	cycle = f->kind == FINDING_DEADLOCK && finding_is_cycle(f) &&
		outcome->result == CONTROL_DEADLOCK;
	if (!cycle && outcome->result != CONTROL_STUCK && outcome->result != CONTROL_DEADLOCK)
		return false;
	return verify_blocked(f, keys, outcome, recording, cycle);
}

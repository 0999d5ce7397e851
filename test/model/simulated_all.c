/*
 * Enumerates all schedules of a simulated program: their ends, their failures, and how many differ
 * in the order of dependent operations (Mazurkiewicz traces). Shares nothing with the search:
 * dependencies are computed in quadratic time.
 */
#include "simulated.h"

#include "event/event.h"

#include <string.h>

#define LONGEST 64

struct walk {
	const struct sim_program *program;
	struct sim_all *all;
	uint64_t most;
	struct control_event events[LONGEST];
	uint32_t length;
};

static bool is_read(const struct control_event *event)
{
	return event->kind == EV_READ || event->kind == EV_ATOMIC_READ;
}

static bool touches(const struct control_event *event, uint64_t object)
{
	return event->address == object ||
	       ((event->kind == EV_WAIT || event->kind == EV_WOKEN) && event->other == object);
}

static bool ordered(const struct control_event *a, const struct control_event *b)
{
	if (a->thread == b->thread)
		return true;
	if (a->kind == EV_CREATE || a->kind == EV_END || a->kind == EV_JOIN ||
	    a->kind == EV_BEGIN || b->kind == EV_CREATE || b->kind == EV_END ||
	    b->kind == EV_JOIN || b->kind == EV_BEGIN)
		return (a->kind == EV_CREATE && b->kind == EV_BEGIN && a->address == b->thread) ||
		       (a->kind == EV_END && b->kind == EV_JOIN && b->address == a->thread);
	if (a->size || b->size)
		return a->address == b->address && !(is_read(a) && is_read(b));
	if (a->kind == b->kind &&
	    (a->kind == EV_READ_ACQUIRE || a->kind == EV_ACQUIRE_FAIL || a->kind == EV_DOWN_FAIL))
		return false;
	return touches(b, a->address) ||
	       ((a->kind == EV_WAIT || a->kind == EV_WOKEN) && touches(b, a->other));
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0xbf58476d1ce4e5b9ull;
	return hash ^ hash >> 31;
}

/*
 * Hashes a Mazurkiewicz trace: a sum over all events of their identity and of the events that
 * happened before them. So the order of independent events does not matter.
 */
static uint64_t hash_trace(const struct walk *walk)
{
	uint64_t before[LONGEST], hash = 1;

	for (uint32_t i = 0; i < walk->length; i++) {
		uint64_t own;
		before[i] = 1ull << i;
		for (uint32_t k = 0; k < i; k++)
			if (ordered(&walk->events[k], &walk->events[i]))
				before[i] |= before[k];
		own = mix(walk->events[i].thread * 64u + walk->events[i].step,
			  walk->events[i].kind);
		for (uint32_t k = 0; k < i; k++)
			if (before[i] >> k & 1)
				own += mix(walk->events[k].thread * 64u + walk->events[k].step, 99);
		hash += mix(own, 5);
	}
	return hash | 1;
}

/* Returns a thread whose next event depends on no other: its order need not be varied. */
static uint32_t find_silent(const struct sim_program *program, const struct sim_state *state)
{
	struct control_event event;

	for (uint32_t t = 0; t < program->threads; t++)
		if (!state->threads[t].out && sim_next(program, state, t, &event) &&
		    (event.kind == EV_BEGIN || event.kind == EV_CREATE || event.kind == EV_END ||
		     event.kind == EV_BARRIER_INIT || event.kind == EV_SEM_INIT))
			return t;
	return UINT32_MAX;
}

static void step_all(struct walk *walk, const struct sim_state *state)
{
	uint32_t silent = state->result ? UINT32_MAX : find_silent(walk->program, state);
	bool stuck = true;

	if (walk->all->too_many)
		return;
	for (uint32_t t = 0; t < walk->program->threads && !state->result; t++) {
		struct sim_state next = *state;
		if ((silent != UINT32_MAX && t != silent) || !sim_can(walk->program, state, t))
			continue;
		stuck = false;
		if (walk->length == LONGEST) {
			walk->all->too_many = true;
			return;
		}
		walk->length += sim_step(walk->program, &next, t, &walk->events[walk->length]);
		step_all(walk, &next);
		walk->length -= next.threads[t].step != state->threads[t].step;
	}
	if (stuck) {
		struct sim_state end = *state;
		end.result = state->result ? state->result : CONTROL_STUCK;
		if (end.result != CONTROL_ASSERTION)
			map_put(&walk->all->ends, sim_hash_end(walk->program, &end), NULL);
		map_put(&walk->all->traces, hash_trace(walk), NULL);
		if (sim_hash_failure(&end))
			map_put(&walk->all->failures, sim_hash_failure(&end), NULL);
		if (++walk->all->schedules > walk->most)
			walk->all->too_many = true;
	}
}

void sim_walk_all(const struct sim_program *program, uint64_t most, struct sim_all *all)
{
	struct walk walk = { .program = program, .all = all, .most = most };
	struct sim_state state;

	memset(all, 0, sizeof *all);
	sim_start(program, &state);
	step_all(&walk, &state);
}

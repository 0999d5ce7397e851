/* Misuse of threads and sync objects: doc/prediction.md, "Misuse". */
#include "brute_search.h"

#include <string.h>

/* ---- destroyed while in use --------------------------------------------------------------- */

/* Does the event keep the object in use, when its thread has come this far? */
static bool keeps_in_use(const struct facts *f, const struct state *state, int object, int event)
{
	const struct event *e = &f->text->events[event];
	int at = state->at[e->thread];
	const struct held *held = &f->held[e->thread][at][object];
	bool is_last = e->index + 1 == at;
	bool is_over = at && f->text->events[f->text->of[e->thread][at - 1]].kind == END;

	switch (f->text->objects[object].class) {
	case LOCK:
		return (held->depth || held->readers) && held->since == event &&
		       !(f->robust[object] && is_over);
	case CONDITION:
		return e->kind == WAIT && is_last && rules_waits_on(f, state, e->thread, object);
	case BARRIER:
		return e->kind == ARRIVE && is_last && e->object == object &&
		       !rules_is_complete(f, state, event);
	default: return false;
	}
}

static bool destroys_in_use(const struct facts *f, const struct state *state, int destroy, int use)
{
	const struct event *d = &f->text->events[destroy];

	return facts_is_object_life(d) && !facts_begins_object(d) && !f->frozen[d->object] &&
	       f->text->events[use].thread != d->thread && rules_has_happened(f, state, use) &&
	       rules_is_next(f, state, destroy, f->need_begun[destroy]) &&
	       keeps_in_use(f, state, d->object, use);
}

/* ---- used before its begin ---------------------------------------------------------------- */

static bool uses_too_early(const struct facts *f, const struct state *state, int begin, int use)
{
	const struct event *i = &f->text->events[begin], *u = &f->text->events[use];

	if (!facts_begins_object(i) || !facts_uses(u, i->object) || facts_is_object_life(u) ||
	    i->thread == u->thread || use < begin || rules_has_happened(f, state, begin) ||
	    !rules_is_next(f, state, use, f->need_memory[use]))
		return false;
	for (int e = 0; e < f->text->event_count; e++) {
		const struct event *other = &f->text->events[e];

		if (!facts_uses(other, i->object))
			continue;
		if (e < begin || (e < use && e != begin && facts_is_object_life(other)) ||
		    rules_has_happened(f, state, e))
			return false;
	}
	return true;
}

/* ---- joined and detached ------------------------------------------------------------------ */

static bool is_join_of(const struct text *text, const struct event *e, int thread)
{
	const struct event *next = e->index + 1 < text->length[e->thread]
					   ? &text->events[text->of[e->thread][e->index + 1]]
					   : NULL;

	if (e->other != thread)
		return false;
	return e->kind == JOIN ||
	       (e->kind == JOIN_REQUEST && next && next->kind == JOIN && next->other == thread);
}

static bool joins_detached(const struct facts *f, const struct state *state, int detach, int join)
{
	const struct event *d = &f->text->events[detach], *j = &f->text->events[join];

	return d->kind == DETACH && is_join_of(f->text, j, d->other) && d->thread != j->thread &&
	       rules_is_next(f, state, join, f->need[join]) &&
	       (rules_has_happened(f, state, detach) ||
		rules_is_next(f, state, detach, f->need[detach]));
}

/* ---- recorded ----------------------------------------------------------------------------- */

static bool is_recorded(const struct facts *f, int event, int misuse)
{
	const struct event *e = &f->text->events[event];
	bool held = false;

	if (e->kind == MISUSE)
		return e->misuse == misuse;
	if (misuse == NOT_HELD)
		return f->not_held[event];
	if (misuse != HELD_AT_END || e->kind != END)
		return false;
	for (int o = 0; o < f->text->object_count; o++) {
		struct held h = facts_held(f, event, o);

		held |= (h.depth || h.readers) && !f->frozen[o] && !f->robust[o];
	}
	return held;
}

void misuse_find_recorded(struct hunt *hunt)
{
	for (int e = 0; e < hunt->facts->text->event_count; e++) {
		for (int m = 0; m < MISUSES; m++) {
			if (is_recorded(hunt->facts, e, m))
				search_add(hunt, -1, "misuse", misuse_names[m], &e, 1);
		}
	}
}

/* ------------------------------------------------------------------------------------------- */

bool misuse_holds(const struct facts *f, const struct state *state, const char *misuse,
		  const int *events, int count)
{
	int sort = 0;

	while (sort < MISUSES && strcmp(misuse, misuse_names[sort]))
		sort++;
	if (count == 1)
		return is_recorded(f, events[0], sort);
	if (count != 2)
		return false;
	switch (sort) {
	case DESTROY_IN_USE: return destroys_in_use(f, state, events[0], events[1]);
	case NOT_INIT: return uses_too_early(f, state, events[0], events[1]);
	case JOIN_DETACHED: return joins_detached(f, state, events[0], events[1]);
	default: return false;
	}
}

void misuse_find(struct hunt *hunt, const struct state *state, long number)
{
	static const int sorts[] = { DESTROY_IN_USE, NOT_INIT, JOIN_DETACHED };
	int count = hunt->facts->text->event_count;

	for (int i = 0; i < count; i++) {
		const struct event *e = &hunt->facts->text->events[i];

		if (!facts_is_object_life(e) && e->kind != DETACH)
			continue;
		for (int k = 0; k < count; k++) {
			for (int s = 0; s < 3; s++) {
				int pair[2] = { i, k };
				const char *name = misuse_names[sorts[s]];

				if (misuse_holds(hunt->facts, state, name, pair, 2))
					search_add(hunt, number, "misuse", name, pair, 2);
			}
		}
	}
}

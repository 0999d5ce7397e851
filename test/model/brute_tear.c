/* Atomicity violations: doc/prediction.md, "Atomicity". */
#include "brute_search.h"

#include <stddef.h>

enum { L1, R1, R2, L2 };

static bool is_access(const struct event *e)
{
	return e->kind == READ || e->kind == WRITE || e->kind == UPDATE;
}

static const struct event *get(const struct facts *f, int event)
{
	return &f->text->events[event];
}

static bool has_byte(const struct event *e, uint64_t address)
{
	return address >= e->address && address < e->address + e->size;
}

/* Is a block or a mapping that contains this byte created between the two events? */
static bool is_made_between(const struct facts *f, int a, int b, uint64_t address)
{
	for (int i = a < b ? a : b; i < (a < b ? b : a); i++) {
		const struct event *e = get(f, i);

		if ((e->kind == ALLOC || e->kind == MAP) && has_byte(e, address))
			return true;
	}
	return false;
}

static bool conflict(const struct facts *f, int first, int second)
{
	const struct event *a = get(f, first), *b = get(f, second);

	if ((a->kind == READ && b->kind == READ) || (a->kind == UPDATE && b->kind == UPDATE))
		return false;
	for (uint64_t at = a->address; at < a->address + a->size; at++) {
		if (has_byte(b, at) && !is_made_between(f, first, second, at))
			return true;
	}
	return false;
}

/* ---- what is meant so --------------------------------------------------------------------- */

static bool waits(const struct event *e)
{
	switch (e->kind) {
	case WOKEN:
	case JOIN:
	case DOWN:
	case PASS:
	case ONCE:
	case RECEIVE:
	case SYNC: return true;
	default: return false;
	}
}

/* Does the remote access, if it is a write, change the value of a cell that both access? */
static bool changes(const struct facts *f, int remote, int local)
{
	if (get(f, remote)->kind == READ)
		return true;
	for (int c = f->first_cell[remote]; c < f->first_cell[remote] + f->cells_of[remote]; c++) {
		int before = f->before[remote][c], after = f->written[remote][c];

		if (c >= f->first_cell[local] && c < f->first_cell[local] + f->cells_of[local] &&
		    (before < 0 || after >= UNKNOWN || before != after))
			return true;
	}
	return false;
}

static bool is_meant(const struct facts *f, const int events[4])
{
	const struct event *l1 = get(f, events[L1]), *l2 = get(f, events[L2]);

	for (int i = l1->index + 1; i < l2->index; i++) {
		if (waits(get(f, f->text->of[l1->thread][i])))
			return true;
	}
	if (l1->kind == READ && l2->kind == READ && l1->place && l1->place == l2->place)
		return true;
	return !changes(f, events[R1], events[L1]) || !changes(f, events[R2], events[L2]);
}

/* ---- regions ------------------------------------------------------------------------------ */

static bool in_annotated(const struct facts *f, const struct event *l1, const struct event *l2)
{
	const struct text *text = f->text;

	/* for each region that begins before l1: does it end after l2, or not at all? */
	for (int i = 0; i < l1->number_in_stream; i++) {
		const struct event *begin = get(f, text->of_stream[l1->stream][i]);
		int depth = 1;

		if (begin->kind != REGION_BEGIN)
			continue;
		for (int k = i + 1; depth && k < l2->number_in_stream; k++) {
			const struct event *e = get(f, text->of_stream[l1->stream][k]);

			if (e->name != begin->name)
				continue;
			depth += (e->kind == REGION_BEGIN) - (e->kind == REGION_END);
		}
		if (depth)
			return true;
	}
	return false;
}

/* Does the event's stream hold the lock by its own operations? */
static bool holds(const struct facts *f, const struct event *e, int lock)
{
	int depth = 0, saved = 0, readers = 0;

	for (int i = 0; i < e->number_in_stream; i++) {
		const struct event *x = get(f, f->text->of_stream[e->stream][i]);

		if (!facts_uses(x, lock))
			continue;
		if (x->kind == ACQUIRE)
			depth++;
		else if (x->kind == READ_ACQUIRE)
			readers++;
		else if (x->kind == RELEASE && depth)
			depth--;
		else if (x->kind == READ_RELEASE && readers)
			readers--;
		else if (x->kind == WAIT)
			saved = depth, depth = 0;
		else if (x->kind == WOKEN)
			depth = saved;
	}
	return depth || readers;
}

static bool is_guarded_byte(const struct facts *f, int lock, uint64_t address)
{
	int first = -1;

	for (int i = 0; i < f->text->event_count; i++) {
		const struct event *e = get(f, i);

		if (!is_access(e) || !has_byte(e, address) || !holds(f, e, lock))
			continue;
		if (first >= 0 && first != e->thread)
			return true;
		first = e->thread;
	}
	return false;
}

static bool guards(const struct facts *f, int lock, const struct event *a, const struct event *b)
{
	for (uint64_t at = a->address; at < a->address + a->size; at++) {
		if (has_byte(b, at) && is_guarded_byte(f, lock, at))
			return true;
	}
	return false;
}

static struct held held_at(const struct facts *f, const struct event *e, int lock)
{
	return facts_held(f, f->text->of[e->thread][e->index], lock);
}

static bool is_guarded_else(const struct facts *f, const struct event *a, const struct event *b)
{
	if (a->atomic && b->atomic)
		return true;
	for (int o = 0; o < f->text->object_count; o++) {
		struct held x = held_at(f, a, o);
		struct held y = held_at(f, b, o);

		if ((x.depth && (y.depth || y.readers)) || (x.readers && y.depth))
			return true;
	}
	return false;
}

static bool in_section(const struct facts *f, const int events[4])
{
	const struct event *l1 = get(f, events[L1]), *r1 = get(f, events[R1]);
	const struct event *r2 = get(f, events[R2]), *l2 = get(f, events[L2]);

	if (is_guarded_else(f, l1, r1) || is_guarded_else(f, r2, l2))
		return false;
	for (int o = 0; o < f->text->object_count; o++) {
		struct held a = held_at(f, l1, o);
		struct held b = held_at(f, l2, o);
		struct held x = held_at(f, r1, o);
		struct held y = held_at(f, r2, o);

		if (f->text->objects[o].class == LOCK && !f->frozen[o] && a.depth && b.depth &&
		    a.since == b.since && get(f, a.since)->stream == l1->stream && !x.depth &&
		    !x.readers && !y.depth && !y.readers && guards(f, o, l1, r1) &&
		    guards(f, o, r2, l2))
			return true;
	}
	return false;
}

bool tear_counts(const struct facts *f, const int events[4])
{
	const struct event *l1 = get(f, events[L1]), *r1 = get(f, events[R1]);
	const struct event *r2 = get(f, events[R2]), *l2 = get(f, events[L2]);

	return is_access(l1) && is_access(r1) && is_access(r2) && is_access(l2) &&
	       l1->stream == l2->stream && l1->stream == f->text->host[l1->stream] &&
	       l1->index < l2->index && r1->thread == r2->thread && r1->index <= r2->index &&
	       r1->thread != l1->thread && conflict(f, events[L1], events[R1]) &&
	       conflict(f, events[R2], events[L2]) && !is_meant(f, events) &&
	       (in_annotated(f, l1, l2) || in_section(f, events));
}

bool tear_holds(const struct facts *f, const struct state *state, const int events[4])
{
	const struct event *l2 = get(f, events[L2]);

	return rules_has_happened(f, state, events[R2]) &&
	       rules_is_next(f, state, events[L2], f->need[events[L2]]) &&
	       !(state->told_threads >> l2->thread & 1);
}

/* Requires that r1 comes after l1, and that l2 does not happen. */
static bool may(const struct hunt *hunt, const struct state *state, int event)
{
	return event != hunt->events[L2] &&
	       (event != hunt->events[R1] ||
		rules_has_happened(hunt->facts, state, hunt->events[L1]));
}

static bool visit(struct hunt *hunt, const struct state *state, long number)
{
	const int *e = hunt->events;
	int three[3] = { e[L1], e[R1], e[L2] };

	if (!tear_holds(hunt->facts, state, e))
		return false;
	if (e[R1] == e[R2])
		search_add(hunt, number, "atomicity", "", three, 3);
	else
		search_add(hunt, number, "atomicity", "", e, 4);
	return true;
}

static bool find(struct facts *f, const int events[4], struct findings *findings)
{
	struct hunt hunt = {
		.facts = f, .findings = findings, .may = may, .visit = visit, .events = events
	};
	bool ok;

	f->rumour = events[R2];
	ok = search_hunt(&hunt, NULL);
	f->rumour = -1;
	return ok;
}

bool tear_find(struct facts *f, struct findings *findings)
{
	int n = f->text->event_count, e[4];

	for (e[L1] = 0; e[L1] < n; e[L1]++) {
		for (e[L2] = e[L1] + 1; is_access(get(f, e[L1])) && e[L2] < n; e[L2]++) {
			if (!is_access(get(f, e[L2])) ||
			    get(f, e[L1])->stream != get(f, e[L2])->stream)
				continue;
			for (e[R1] = 0; e[R1] < n; e[R1]++) {
				for (e[R2] = e[R1]; e[R2] < n; e[R2]++) {
					if (tear_counts(f, e) && !find(f, e, findings))
						return false;
				}
			}
		}
	}
	return true;
}

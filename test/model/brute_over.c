/* Uses after the end of a lifetime: doc/prediction.md, "Use of what is over". */
#include "brute_search.h"

#include <stddef.h>

/* A range of bytes; size 0: empty. */
struct bytes {
	uint64_t address, size;
};

static struct bytes common(struct bytes a, struct bytes b)
{
	uint64_t first = a.address > b.address ? a.address : b.address;
	uint64_t end_a = a.address + a.size, end_b = b.address + b.size;
	uint64_t end = end_a < end_b ? end_a : end_b;

	return (struct bytes){ first, first < end ? end - first : 0 };
}

static struct bytes life_of(const struct facts *f, int event)
{
	struct bytes bytes = { 0, 0 };

	if (!facts_life(f->text, &f->text->events[event], &bytes.address, &bytes.size))
		bytes.size = 0;
	return bytes;
}

/*
 * Sets the bytes that a use touches: for a WOKEN those of its mutex, for a PASS none. Returns the
 * number of ranges.
 */
static int bytes_of_use(const struct facts *f, int event, struct bytes bytes[2])
{
	const struct event *e = &f->text->events[event];
	int count = 0;

	if (e->kind == PASS)
		return 0;
	if (e->kind != WOKEN)
		bytes[count++] = (struct bytes){ e->address, e->size };
	if (e->mutex >= 0)
		bytes[count++] = (struct bytes){ f->text->objects[e->mutex].address, 1 };
	return count;
}

/*
 * Is the object overwritten by a plain write between the two events? Then it is another object
 * after that.
 */
static bool is_written_over(const struct facts *f, int end, int use)
{
	uint64_t object = f->text->objects[f->text->events[end].object].address;

	for (int i = end + 1; i < use; i++) {
		const struct event *e = &f->text->events[i];

		if (e->kind == WRITE &&
		    common((struct bytes){ object, 1 }, (struct bytes){ e->address, e->size }).size)
			return true;
	}
	return false;
}

const char *over_kind(const struct facts *f, int end, int use, const char **misuse)
{
	const struct event *e = &f->text->events[end], *u = &f->text->events[use];
	struct bytes bytes[2], ignored;
	int count = bytes_of_use(f, use, bytes);
	bool memory = e->kind == FREE || e->kind == UNMAP || e->kind == END;

	*misuse = "";
	if (e->thread == u->thread)
		return NULL;
	if (facts_is_object_life(e) && !facts_begins_object(e)) {
		*misuse = misuse_names[DESTROYED];
		if (!facts_uses(u, e->object) || facts_begins_object(u) || u->kind == PASS ||
		    u->kind == RELEASE || u->kind == READ_RELEASE ||
		    (u->kind == WOKEN && u->mutex != e->object) || is_written_over(f, end, use))
			return NULL;
		return "misuse";
	}
	if (e->kind == FD_CLOSE) {
		*misuse = misuse_names[CLOSED];
		return u->address == e->address && (u->kind == FD_USE || u->kind == FD_CLOSE)
			       ? "misuse"
			       : NULL;
	}
	if (!memory || !life_of(f, end).size)
		return NULL;
	if (u->kind == FREE)
		return e->kind == FREE && e->address == u->address ? "use-after-free" : NULL;
	if (facts_life(f->text, u, &ignored.address, &ignored.size) || u->kind == FD_USE ||
	    !facts_touches(f->text, u, life_of(f, end).address, life_of(f, end).size))
		return NULL;
	for (int i = 0; i < count; i++) {
		if (common(life_of(f, end), bytes[i]).size)
			return "use-after-free";
	}
	return NULL;
}

/*
 * Does a lifetime begin at the address between the end and the event in the base run, or by the
 * event itself?
 */
static bool begins_between(const struct facts *f, int end, int event, uint64_t address)
{
	for (int b = end + 1; b <= event; b++) {
		if (facts_begins(&f->text->events[b]) &&
		    facts_touches(f->text, &f->text->events[b], address, 1))
			return true;
	}
	return false;
}

bool over_may(const struct facts *f, const struct state *state, int end, int event)
{
	const struct event *e = &f->text->events[end], *x = &f->text->events[event];
	struct bytes life = life_of(f, end);

	if (event == end || !rules_has_happened(f, state, end))
		return true;
	if (facts_is_object_life(e)) {
		if (!facts_uses(x, e->object))
			return true;
		for (int b = end + 1; b <= event; b++) {
			if (facts_begins_object(&f->text->events[b]) &&
			    facts_uses(&f->text->events[b], e->object))
				return true;
		}
		return false;
	}
	for (uint64_t at = life.address; at < life.address + life.size; at++) {
		if (facts_touches(f->text, x, at, 1) &&
		    (event < end || !begins_between(f, end, event, at)))
			return false;
	}
	return true;
}

/* Has another lifetime begun after the end, at the bytes of the use? */
static bool lives_again(const struct facts *f, const struct state *state, int end, int use)
{
	const struct event *e = &f->text->events[end];
	struct bytes bytes[2];
	int count = bytes_of_use(f, use, bytes);

	for (int b = end + 1; b < f->text->event_count; b++) {
		const struct event *begin = &f->text->events[b];

		if (!rules_has_happened(f, state, b))
			continue;
		if (facts_is_object_life(e)) {
			if (facts_begins_object(begin) && facts_uses(begin, e->object))
				return true;
			continue;
		}
		for (int i = 0; facts_begins(begin) && i < count; i++) {
			struct bytes both = common(life_of(f, end), bytes[i]);

			if (both.size && facts_touches(f->text, begin, both.address, both.size))
				return true;
		}
	}
	return false;
}

bool over_holds(const struct facts *f, const struct state *state, int end, int use)
{
	if (!rules_is_next(f, state, use, f->need_unbound[use]))
		return false;
	if (!rules_has_happened(f, state, end))
		return rules_is_next(f, state, end, f->need_begun[end]);
	return !lives_again(f, state, end, use);
}

static bool may(const struct hunt *hunt, const struct state *state, int event)
{
	return over_may(hunt->facts, state, hunt->events[0], event);
}

static bool visit(struct hunt *hunt, const struct state *state, long number)
{
	const struct facts *f = hunt->facts;
	int end = hunt->events[0];

	for (int t = 0; t < f->text->thread_count; t++) {
		const char *kind, *misuse;
		int pair[2] = { end, f->text->of[t][state->at[t]] };

		if (state->at[t] == f->text->length[t])
			continue;
		kind = over_kind(f, end, pair[1], &misuse);
		if (kind && over_holds(f, state, end, pair[1]))
			search_add(hunt, number, kind, misuse, pair, 2);
	}
	return false;
}

bool over_find(struct facts *f, struct findings *findings)
{
	bool ok = true;

	for (int end = 0; ok && end < f->text->event_count; end++) {
		struct hunt hunt = {
			.facts = f, .findings = findings, .may = may, .visit = visit, .events = &end
		};
		const char *misuse;
		bool any = false;

		for (int use = 0; use < f->text->event_count; use++)
			any |= over_kind(f, end, use, &misuse) != NULL;
		f->early = end;
		ok = !any || search_hunt(&hunt, NULL);
		f->early = -1;
	}
	return ok;
}

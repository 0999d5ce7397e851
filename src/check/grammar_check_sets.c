/*
 * Computes which events the productions of a grammar may begin with, whether they may be empty, and
 * whether the grammar is LL(1). These are the least fixed points of the usual definitions (FIRST,
 * nullable, FOLLOW).
 */
#include "check/grammar_check.h"

#include "base/mem.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>
#include <string.h>

static bool add_to_set(uint8_t *set)
{
	bool fresh = !*set;

	*set = 1;
	return fresh;
}

/* ---- nullable, useful, and possible first events --------------------------------------------- */

/* Applies one alternative. Returns false if nothing is new. */
static bool extend_first_sets(struct grammar_check *s, const struct grammar_check_choice *c)
{
	uint32_t events = s->property->event_count, p = c->production;
	bool nullable = true, useful = true, grew = false;

	for (size_t i = 0; i < c->parts.count; i++) {
		const struct grammar_check_part *part = &c->parts.items[i];

		if (part->kind == SPEC_ITEM_EVENT) {
			if (nullable)
				grew |= add_to_set(&s->starts[p * events + part->number]);
			nullable = false;
		} else if (part->kind == SPEC_ITEM_PRODUCTION) {
			for (uint32_t e = 0; nullable && e < events; e++) {
				if (s->starts[part->number * events + e])
					grew |= add_to_set(&s->starts[p * events + e]);
			}
			nullable &= s->nullable[part->number];
			useful &= s->useful[part->number];
		}
	}
	grew |= (nullable && !s->nullable[p]) || (useful && !s->useful[p]);
	s->nullable[p] |= nullable;
	s->useful[p] |= useful;
	return grew;
}

static bool is_useful(const struct grammar_check *s, const struct grammar_check_choice *c)
{
	for (size_t i = 0; i < c->parts.count; i++) {
		if (c->parts.items[i].kind == SPEC_ITEM_PRODUCTION &&
		    !s->useful[c->parts.items[i].number])
			return false;
	}
	return true;
}

/* ---- one event of look-ahead ----------------------------------------------------------------- */

/*
 * By production: whether it occurs in a parse tree, and which events may follow it (number
 * event_count stands for the end).
 */
struct lookahead_sets {
	const struct grammar_check *s;
	uint8_t *reached, *follows;
	uint32_t width;
};

/*
 * Adds the events with which the parts from `next` on can begin and, if these parts may be empty,
 * the events that may follow them.
 */
static bool add_starts(const struct lookahead_sets *p, const struct grammar_check_choice *c,
		       size_t next, uint8_t *set)
{
	const struct grammar_check *s = p->s;
	uint32_t events = s->property->event_count;
	bool grew = false;

	for (; next < c->parts.count; next++) {
		const struct grammar_check_part *part = &c->parts.items[next];

		if (part->kind == SPEC_ITEM_EVENT)
			return add_to_set(&set[part->number]) || grew;
		if (part->kind != SPEC_ITEM_PRODUCTION)
			continue;
		for (uint32_t e = 0; e < events; e++) {
			if (s->starts[part->number * events + e])
				grew |= add_to_set(&set[e]);
		}
		if (!s->nullable[part->number])
			return grew;
	}
	for (uint32_t e = 0; e < p->width; e++) {
		if (p->follows[c->production * p->width + e])
			grew |= add_to_set(&set[e]);
	}
	return grew;
}

static bool extend_follow_sets(const struct lookahead_sets *p, const struct grammar_check_choice *c)
{
	bool grew = false;

	if (c->production == GRAMMAR_CHECK_NONE || !p->reached[c->production])
		return false;
	for (size_t i = 0; i < c->parts.count; i++) {
		const struct grammar_check_part *part = &c->parts.items[i];

		if (part->kind != SPEC_ITEM_PRODUCTION)
			continue;
		grew |= add_to_set(&p->reached[part->number]);
		grew |= add_starts(p, c, i + 1, &p->follows[part->number * p->width]);
	}
	return grew;
}

/*
 * Can two alternatives of the production begin with the same event, so that one event of look-ahead
 * does not decide?
 */
static bool have_conflict(const struct lookahead_sets *p, uint32_t production)
{
	const struct grammar_check *s = p->s;
	uint8_t *all = mem_zalloc(p->width, 1), *own = mem_zalloc(p->width, 1);
	bool found = false;

	for (uint32_t i = s->first[production]; i < s->first[production + 1]; i++) {
		if (s->choices.items[i].production == GRAMMAR_CHECK_NONE)
			continue;
		memset(own, 0, p->width);
		add_starts(p, &s->choices.items[i], 0, own);
		for (uint32_t e = 0; e < p->width; e++)
			found |= own[e] && !add_to_set(&all[e]);
	}
	free(all);
	free(own);
	return found;
}

static bool has_code(const struct lookahead_sets *p)
{
	for (size_t i = 0; i < p->s->choices.count; i++) {
		const struct grammar_check_choice *c = &p->s->choices.items[i];

		for (size_t k = 0; k < c->parts.count; k++) {
			if (c->production != GRAMMAR_CHECK_NONE && p->reached[c->production] &&
			    c->parts.items[k].code.reference != LUA_NOREF)
				return true;
		}
	}
	return false;
}

static void find_lookahead(struct grammar_check *s)
{
	uint32_t count = s->grammar->production_count;
	struct lookahead_sets p = { .s = s, .width = s->property->event_count + 1 };

	p.reached = mem_zalloc(count + 1, 1);
	p.follows = mem_zalloc((size_t)count * p.width + 1, 1);
	p.reached[0] = 1;
	p.follows[p.width - 1] = 1;
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < s->choices.count; i++)
			more |= extend_follow_sets(&p, &s->choices.items[i]);
	}
	s->is_ll1 = true;
	for (uint32_t i = 0; i < count && s->is_ll1; i++)
		s->is_ll1 = !p.reached[i] || !have_conflict(&p, i);
	s->has_code = has_code(&p);
	free(p.reached);
	free(p.follows);
}

void grammar_check_find_sets(struct grammar_check *s)
{
	uint32_t count = s->grammar->production_count;

	s->nullable = mem_zalloc(count + 1, sizeof *s->nullable);
	s->useful = mem_zalloc(count + 1, sizeof *s->useful);
	s->starts = mem_zalloc((size_t)count * s->property->event_count + 1, 1);
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < s->choices.count; i++)
			more |= extend_first_sets(s, &s->choices.items[i]);
	}
	for (size_t i = 0; i < s->choices.count; i++) { /* disable choices that derive no word */
		if (!is_useful(s, &s->choices.items[i]))
			s->choices.items[i].production = GRAMMAR_CHECK_NONE;
	}
	find_lookahead(s);
}

/* The runs of a system: cuts, counts, words, and formulas on words. */
#include "lattice_brute.h"

#include <stdlib.h>
#include <string.h>

#define TOO_MANY 200000

/* ---- cuts ------------------------------------------------------------------------------------ */

static bool is_open(const struct system_set *s, uint64_t cut)
{
	if (!(s->members & cut))
		return false;
	return s->lock ? !(s->closers & cut) : (s->members & ~cut) != 0;
}

/* Can the event follow the cut? No other set of an object that the event accesses may be open. */
bool brute_enabled(const struct system *s, uint64_t cut, int event)
{
	uint64_t self = 1ull << event;

	if ((cut & self) || (s->before[event] & ~cut))
		return false;
	for (int i = 0; i < s->set_count; i++) {
		const struct system_set *own = &s->sets[i];

		for (int k = 0; (own->members & self) && k < s->set_count; k++) {
			const struct system_set *rival = &s->sets[k];

			if (rival->object == own->object && !(rival->members & self) &&
			    !(rival->shared && own->shared) && is_open(rival, cut))
				return false;
		}
	}
	return true;
}

/* A list of cuts, each only once, with a number that can be summed up. */
struct cut_list {
	uint64_t *cuts, *runs;
	int count, room;
	int *table; /* index of a cut + 1 */
	int mask;
};

static int find(struct cut_list *l, uint64_t cut)
{
	uint64_t hash = cut * 0x9e3779b97f4a7c15u;
	int at;

	if (l->count * 2 >= l->mask) {
		l->mask = l->mask ? 2 * l->mask + 1 : 255;
		free(l->table);
		l->table = calloc((size_t)l->mask + 1, sizeof *l->table);
		for (int i = 0; i < l->count; i++) {
			at = (int)(l->cuts[i] * 0x9e3779b97f4a7c15u >> 40) & l->mask;
			while (l->table[at])
				at = (at + 1) & l->mask;
			l->table[at] = i + 1;
		}
	}
	for (at = (int)(hash >> 40) & l->mask; l->table[at]; at = (at + 1) & l->mask) {
		if (l->cuts[l->table[at] - 1] == cut)
			return l->table[at] - 1;
	}
	if (l->count == l->room) {
		l->room = 2 * l->room + 16;
		l->cuts = realloc(l->cuts, (size_t)l->room * sizeof *l->cuts);
		l->runs = realloc(l->runs, (size_t)l->room * sizeof *l->runs);
	}
	l->table[at] = l->count + 1;
	l->cuts[l->count] = cut;
	l->runs[l->count] = 0;
	return l->count++;
}

static void drop(struct cut_list *l)
{
	free(l->cuts);
	free(l->runs);
	free(l->table);
	*l = (struct cut_list){ 0 };
}

static uint64_t everything(const struct system *s)
{
	return s->count == 64 ? ~0ull : (1ull << s->count) - 1;
}

/* Counts. Cuts are found in the order of their levels. */
bool brute_count(const struct system *s, struct brute_counts *counts)
{
	struct cut_list l = { 0 };
	uint64_t deepest = 0;
	bool fits;

	find(&l, 0);
	l.runs[0] = 1;
	for (int i = 0; i < l.count && l.count < TOO_MANY; i++) {
		uint64_t level = (uint64_t)__builtin_popcountll(l.cuts[i]);

		deepest = level > deepest ? level : deepest;
		for (int e = 0; e < s->count; e++) {
			if (brute_enabled(s, l.cuts[i], e)) {
				int next = find(&l, l.cuts[i] | 1ull << e);

				l.runs[next] += l.runs[i];
			}
		}
	}
	fits = l.count < TOO_MANY;
	*counts = (struct brute_counts){ .cuts = (uint64_t)l.count, .levels = deepest + 1 };
	for (int i = 0; fits && i < l.count; i++) {
		if (l.cuts[i] == everything(s))
			counts->runs = l.runs[i];
	}
	drop(&l);
	return fits;
}

/* ---- formulas -------------------------------------------------------------------------------- */

struct state {
	int values[CASE_VARIABLES];
	bool named[NAMED];
};
struct word {
	const struct lattice_case *c;
	struct state states[4 * CASE_EVENTS];
	int length;
};

static bool holds(const struct word *w, int node, int i)
{
	const struct case_node *n = &w->c->node[node];
	bool first = !i;

	switch (n->operator) {
	case NODE_ATOM:
		return n->atom == ATOM_EQUAL ? w->states[i].values[n->variable] == n->value
					     : w->states[i].named[n->named];
	case NODE_NOT: return !holds(w, n->left, i);
	case NODE_AND: return holds(w, n->left, i) && holds(w, n->right, i);
	case NODE_OR: return holds(w, n->left, i) || holds(w, n->right, i);
	case NODE_IMPLIES: return !holds(w, n->left, i) || holds(w, n->right, i);
	case NODE_PREV: return holds(w, n->left, first ? 0 : i - 1);
	case NODE_ONCE: return holds(w, n->left, i) || (!first && holds(w, node, i - 1));
	case NODE_SOFAR: return holds(w, n->left, i) && (first || holds(w, node, i - 1));
	case NODE_SINCE:
		return holds(w, n->right, i) ||
		       (!first && holds(w, n->left, i) && holds(w, node, i - 1));
	case NODE_START: return holds(w, n->left, i) && !holds(w, n->left, first ? 0 : i - 1);
	case NODE_END: return !holds(w, n->left, i) && holds(w, n->left, first ? 0 : i - 1);
	case NODE_INTERVAL:
		return !holds(w, n->right, i) &&
		       (holds(w, n->left, i) || (!first && holds(w, node, i - 1)));
	case NODE_NEXT: return i + 1 < w->length && holds(w, n->left, i + 1);
	case NODE_UNTIL:
		return holds(w, n->right, i) ||
		       (holds(w, n->left, i) && i + 1 < w->length && holds(w, node, i + 1));
	case NODE_EVENTUALLY:
		return holds(w, n->left, i) || (i + 1 < w->length && holds(w, node, i + 1));
	case NODE_ALWAYS:
		return holds(w, n->left, i) && (i + 1 == w->length || holds(w, node, i + 1));
	}
	return false;
}

static bool is_bad(const struct word *w, int i)
{
	return holds(w, w->c->root, i) == (w->c->kind == CASE_NEVER);
}

static void step(struct word *w, int seen)
{
	const struct case_event *e = &w->c->events[seen / 2];
	struct state *s = &w->states[w->length++];

	*s = s[-1];
	memset(s->named, 0, sizeof s->named);
	if (seen < 0)
		return;
	if (!(seen & 1)) {
		s->named[NAMED_REQUEST] = true;
		return;
	}
	if (e->op == OP_WRITE || e->op == OP_UPDATE)
		s->values[e->object] = e->value;
	s->named[NAMED_E0] = e->op == OP_PROBE && e->object == 0;
	s->named[NAMED_E1] = e->op == OP_PROBE && e->object == 1;
	s->named[NAMED_READ_X] = (e->op == OP_READ || e->op == OP_UPDATE) && e->object == 0;
	s->named[NAMED_WRITE_Y] = (e->op == OP_WRITE || e->op == OP_UPDATE) && e->object == 1;
	/* recursive operations are no events of the lattice and do not come here */
	s->named[NAMED_RELEASE] =
		(e->op == OP_RELEASE && e->object == 1) || (e->op == OP_WAIT && e->other == 1);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Adds all cuts that are reached by unseen events. */
static void close_silently(const struct system *s, struct cut_list *l)
{
	for (int i = 0; i < l->count && l->count < TOO_MANY; i++) {
		for (int e = 0; e < s->count; e++) {
			if (s->seen[e] < 0 && brute_enabled(s, l->cuts[i], e))
				find(l, l->cuts[i] | 1ull << e);
		}
	}
}

static void follow(const struct system *s, const struct cut_list *from, int event,
		   struct cut_list *to)
{
	*to = (struct cut_list){ 0 };
	for (int i = 0; i < from->count; i++) {
		if (brute_enabled(s, from->cuts[i], event))
			find(to, from->cuts[i] | 1ull << event);
	}
	if (to->count)
		close_silently(s, to);
}

struct judging {
	const struct system *s;
	struct brute_verdict *verdict;
	struct word word;
	bool all_seen;
	long budget;
};

static uint64_t count_ends(struct judging *j, uint64_t cut)
{
	uint64_t count = cut == everything(j->s);

	for (int e = 0; e < j->s->count && j->budget > 0; e++) {
		if (brute_enabled(j->s, cut, e)) {
			j->budget--;
			count += count_ends(j, cut | 1ull << e);
		}
	}
	return count;
}

static void judge(struct judging *j, const struct cut_list *at, int last);

static void judge_step(struct judging *j, const struct cut_list *at, int last, int event)
{
	bool past = j->word.c->kind != CASE_LTL, bad = false;
	int length = j->word.length;
	struct cut_list next;

	follow(j->s, at, event, &next);
	if (next.count) {
		if (last >= 0 && (j->s->fenced[event] >> last & 1)) {
			step(&j->word, -1);
			bad |= past && is_bad(&j->word, j->word.length - 1);
		}
		step(&j->word, j->s->seen[event]);
		bad |= past && is_bad(&j->word, j->word.length - 1);
		if (bad) {
			j->verdict->at[j->s->seen[event]] = j->verdict->any = true;
			if (j->all_seen)
				j->verdict->violating += count_ends(j, next.cuts[0]);
		} else {
			judge(j, &next, event);
		}
		j->word.length = length;
	}
	drop(&next);
}

/* Judges every word, one after the other. If every event is seen, each word is one run. */
static void judge(struct judging *j, const struct cut_list *at, int last)
{
	if (j->budget-- <= 0)
		return;
	for (int i = 0; j->word.c->kind == CASE_LTL && i < at->count; i++) {
		if (at->cuts[i] != everything(j->s))
			continue;
		if (!holds(&j->word, j->word.c->root, 0)) {
			j->verdict->any = true;
			j->verdict->violating += j->all_seen;
		}
	}
	for (int e = 0; e < j->s->count && j->budget > 0; e++) {
		if (j->s->seen[e] >= 0)
			judge_step(j, at, last, e);
	}
}

bool brute_judge(const struct lattice_case *c, const struct system *s, struct brute_verdict *out)
{
	struct judging j = { .s = s, .verdict = out, .all_seen = true, .budget = 60000 };
	struct cut_list start = { 0 };

	*out = (struct brute_verdict){ 0 };
	for (int e = 0; e < s->count; e++)
		j.all_seen &= s->seen[e] >= 0;
	j.word = (struct word){ .c = c, .length = 1 };
	memcpy(j.word.states[0].values, c->initial, sizeof c->initial);
	out->at_start = c->kind != CASE_LTL && is_bad(&j.word, 0);
	find(&start, 0);
	close_silently(s, &start);
	if (!out->at_start)
		judge(&j, &start, -1);
	drop(&start);
	return j.budget > 0;
}

/* ---- comparing ------------------------------------------------------------------------------- */

struct comparing {
	const struct system *a, *b;
	uint64_t *known; /* hashes of the pairs that have been compared */
	int known_count, budget;
	const char *wrong;
};

static uint64_t hash_list(const struct cut_list *l)
{
	uint64_t hash = 0;

	for (int i = 0; i < l->count; i++) {
		uint64_t cut = (l->cuts[i] + 1) * 0x9e3779b97f4a7c15u;

		hash += cut ^ cut >> 29; /* a sum, so the order does not matter */
	}
	return hash * 0xbf58476d1ce4e5b9u;
}

static bool has_all(const struct system *s, const struct cut_list *l)
{
	for (int i = 0; i < l->count; i++) {
		if (l->cuts[i] == everything(s))
			return true;
	}
	return false;
}

static int find_seen(const struct system *s, int seen)
{
	for (int e = 0; e < s->count; e++) {
		if (s->seen[e] == seen)
			return e;
	}
	return -1;
}

static bool was_compared(struct comparing *c, uint64_t hash)
{
	for (int i = c->known_count; i--;) {
		if (c->known[i] == hash)
			return true;
	}
	c->known[c->known_count++] = hash;
	return false;
}

static void compare(struct comparing *c, const struct cut_list *a, const struct cut_list *b)
{
	if (c->wrong || !c->budget || was_compared(c, hash_list(a) ^ hash_list(b) >> 1))
		return;
	c->budget--;
	if (has_all(c->a, a) != has_all(c->b, b)) {
		c->wrong = has_all(c->a, a) ? "a complete run is missing"
					    : "a run is complete that is not";
		return;
	}
	for (int e = 0; e < c->a->count && !c->wrong; e++) {
		int other = c->a->seen[e] < 0 ? -1 : find_seen(c->b, c->a->seen[e]);
		struct cut_list x, y;

		if (c->a->seen[e] < 0)
			continue;
		if (other < 0) {
			c->wrong = "an event is missing";
			return;
		}
		follow(c->a, a, e, &x);
		follow(c->b, b, other, &y);
		if (!x.count != !y.count)
			c->wrong = x.count ? "a run is missing" : "a run that is none";
		else if (x.count)
			compare(c, &x, &y);
		drop(&x);
		drop(&y);
	}
}

const char *brute_compare(const struct system *a, const struct system *b)
{
	struct comparing c = { .a = a, .b = b, .budget = 4000 };
	struct cut_list x = { 0 }, y = { 0 };

	for (int e = 0; e < b->count; e++) {
		if (b->seen[e] >= 0 && find_seen(a, b->seen[e]) < 0)
			return "an event that is none";
	}
	c.known = malloc((size_t)(c.budget + 1) * sizeof *c.known);
	find(&x, 0);
	find(&y, 0);
	close_silently(a, &x);
	close_silently(b, &y);
	compare(&c, &x, &y);
	drop(&x);
	drop(&y);
	free(c.known);
	return c.wrong;
}

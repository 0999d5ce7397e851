/*
 * pattern_brute TRACE PROPERTY ...
 *
 * The correct results for the pattern test. For each pair of a small text trace and a property
 * (pattern_case.h), finds all choices of events for which some feasible prefix matches the pattern,
 * by search, straight from doc/properties.md and without a line of src/. Prints a line of JSON for
 * each pair. "matches" are lists of [event of the property, thread, index, before] in the pattern's
 * order, with "observed" if the recorded order matches (null if that depends on when a request that
 * was never granted was made). Repeated parts (`* + ?`) are taken as rarely as possible.
 * "repeated": does the pattern match at all if they are repeated, up to twice?
 *
 * For each choice all prefixes are searched. A point in a run also has the order in which the
 * chosen events have happened.
 */
#include "brute_rules.h"
#include "pattern_case.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEAVES 8
#define MAX_MARKS 32
#define MAX_GROUPS 4
#define MAX_FORMS 400
#define MOST_STATES 400000l

static struct text text;
static struct facts facts;
static struct pattern_case given;

/* ---- patterns without choices in them -------------------------------------------------------- */

struct forms {
	struct tree *items[MAX_FORMS];
	int count;
	bool too_many;
};

static void add_form(struct forms *forms, struct tree *tree)
{
	if (forms->count == MAX_FORMS)
		forms->too_many = true;
	else
		forms->items[forms->count++] = tree;
}

static struct tree *copy(const struct tree *tree)
{
	struct tree *new = tree_new(tree->operator);

	*new = *tree;
	for (int i = 0; i < tree->count; i++)
		new->parts[i] = copy(tree->parts[i]);
	return new;
}

/* Extends each form in `left` by each form in `right` as one more part. */
static void multiply(struct forms *left, const struct forms *right)
{
	static struct forms out;

	out.count = 0;
	out.too_many = left->too_many | right->too_many;
	for (int i = 0; i < left->count; i++) {
		for (int k = 0; k < right->count; k++) {
			struct tree *tree = copy(left->items[i]);

			if (tree->count < MAX_PARTS)
				tree->parts[tree->count++] = copy(right->items[k]);
			add_form(&out, tree);
		}
	}
	*left = out;
}

/* Makes all forms of a pattern without repetitions. An empty SEQUENCE matches nothing. */
static void unroll(const struct tree *tree, int most, struct forms *out)
{
	struct forms *part = calloc(2, sizeof *part);

	out->count = 0;
	out->too_many = false;
	if (!part)
		abort();
	switch (tree->operator) {
	case LEAF:
	case INVERTED: add_form(out, copy(tree)); break;
	case SEQUENCE:
	case BOTH:
	case PARALLEL:
		add_form(out, tree_new(tree->operator));
		for (int i = 0; i < tree->count; i++) {
			unroll(tree->parts[i], most, part);
			multiply(out, part);
		}
		break;
	case EITHER:
		for (int i = 0; i < tree->count; i++) {
			unroll(tree->parts[i], most, part);
			for (int k = 0; k < part->count; k++)
				add_form(out, part->items[k]);
		}
		break;
	case STAR:
	case PLUS:
	case MAYBE:
		if (tree->operator!= PLUS)
			add_form(out, tree_new(SEQUENCE));
		unroll(tree->parts[0], most, part);
		for (int k = 0; k < part->count && (tree->operator== PLUS || most> 0); k++)
			add_form(out, part->items[k]);
		if (tree->operator== MAYBE || most<2)
			break;
		part[1].count = 0;
		add_form(&part[1], tree_new(SEQUENCE));
		multiply(&part[1], part);
		multiply(&part[1], part);
		for (int k = 0; k < part[1].count; k++)
			add_form(out, part[1].items[k]);
		break;
	}
	free(part);
}

/* ---- a choice -------------------------------------------------------------------------------- */

/* A moment whose position in a run matters: that of an event, or just before it. */
struct mark {
	int event;
	bool before;
};

struct group {
	int leaves[MAX_LEAVES], count;
};

struct choice {
	struct tree *form;
	int leaf_count;
	struct tree *leaves[MAX_LEAVES];
	const struct occurrence *chosen[MAX_LEAVES];
	int mark_of[MAX_LEAVES];
	int group_of[MAX_LEAVES]; /* by leaf: its group, or -1 */
	struct mark marks[MAX_MARKS];
	int mark_count;
	struct group groups[MAX_GROUPS];
	int group_count;
	int binding[MAX_PARAMETERS];
};

static void number_leaves(struct choice *c, struct tree *tree, int group)
{
	if (tree->operator== LEAF) {
		tree->leaf = c->leaf_count;
		c->group_of[c->leaf_count] = group;
		if (group >= 0)
			c->groups[group].leaves[c->groups[group].count++] = c->leaf_count;
		c->leaves[c->leaf_count++] = tree;
		return;
	}
	if (tree->operator== PARALLEL)
		group = c->group_count++;
	for (int i = 0; i < tree->count; i++)
		number_leaves(c, tree->parts[i], group);
}

static int count_leaves(const struct tree *tree)
{
	int count = tree->operator== LEAF;

	for (int i = 0; i < tree->count; i++)
		count += count_leaves(tree->parts[i]);
	return count;
}

static int mark_of(struct choice *c, int event, bool before)
{
	for (int i = 0; i < c->mark_count; i++) {
		if (c->marks[i].event == event && c->marks[i].before == before)
			return i;
	}
	c->marks[c->mark_count] = (struct mark){ event, before };
	return c->mark_count++;
}

static int thread_of(const struct occurrence *o)
{
	return text.events[o->anchor].thread;
}

/* ---- points in a run ------------------------------------------------------------------------- */

struct point_in_run {
	struct state state;
	uint8_t order[MAX_MARKS]; /* marks in the order in which they happened */
	/* met: bit set of the groups whose events were all next at one time */
	uint8_t count, met;
	uint8_t pad[6];
};

#define NEVER 1000
#define AT_END 999

static bool has_happened(const struct point_in_run *p, int event)
{
	return rules_has_happened(&facts, &p->state, event);
}

static bool is_next(const struct point_in_run *p, int event)
{
	return rules_next(&facts, &p->state, text.events[event].thread) == event;
}

static int place_of_mark(const struct point_in_run *p, int mark)
{
	for (int i = 0; i < p->count; i++) {
		if (p->order[i] == mark)
			return i;
	}
	return NEVER;
}

static bool all_next(const struct choice *c, const struct point_in_run *p, int group)
{
	for (int i = 0; i < c->groups[group].count; i++) {
		if (!is_next(p, c->chosen[c->groups[group].leaves[i]]->anchor))
			return false;
	}
	return true;
}

/* Returns how many of a group's anchors have happened. */
static int happened_in(const struct choice *c, const struct point_in_run *p, int group)
{
	int count = 0;

	for (int i = 0; i < c->groups[group].count; i++)
		count += has_happened(p, c->chosen[c->groups[group].leaves[i]]->anchor);
	return count;
}

/* ---- the law --------------------------------------------------------------------------------- */

struct law {
	const struct choice *choice;
	const struct point_in_run *point;
	int place[MAX_LEAVES];
};

/*
 * Returns the position of a leaf's event in the run so far. NEVER: it is not there in the required
 * way.
 */
static int place_of(const struct choice *c, const struct point_in_run *p, int leaf)
{
	const struct occurrence *o = c->chosen[leaf];
	int place = place_of_mark(p, c->mark_of[leaf]), group = c->group_of[leaf];

	if (place != NEVER || o->before)
		return place;
	if (group >= 0)
		return happened_in(c, p, group) ? NEVER : AT_END;
	return o->may_be_next && is_next(p, o->anchor) ? AT_END : NEVER;
}

static bool groups_hold(const struct choice *c, const struct point_in_run *p)
{
	for (int g = 0; g < c->group_count; g++) {
		int happened = happened_in(c, p, g);

		if (happened ? happened < c->groups[g].count || !(p->met >> g & 1)
			     : !all_next(c, p, g))
			return false;
	}
	return true;
}

/* Does leaf a come before leaf b? If a belongs to parallel events, they must have happened. */
static bool comes_before(const struct law *law, int a, int b)
{
	int group = law->choice->group_of[a];

	if (group >= 0 && !happened_in(law->choice, law->point, group))
		return false;
	return law->place[a] < law->place[b];
}

static bool all_before(const struct law *law, const struct tree *a, const struct tree *b)
{
	if (a->operator!= LEAF) {
		for (int i = 0; i < a->count; i++) {
			if (!all_before(law, a->parts[i], b))
				return false;
		}
		return true;
	}
	if (b->operator!= LEAF) {
		for (int i = 0; i < b->count; i++) {
			if (!all_before(law, a, b->parts[i]))
				return false;
		}
		return true;
	}
	return comes_before(law, a->leaf, b->leaf);
}

/* Does the order hold that the pattern requires? */
static bool order_holds(const struct law *law, const struct tree *tree)
{
	if (tree->operator== INVERTED)
		return !order_holds(law, tree->parts[0]);
	for (int i = 0; i < tree->count; i++) {
		if (!order_holds(law, tree->parts[i]))
			return false;
		for (int k = 0; k < i && tree->operator== SEQUENCE; k++) {
			if (!all_before(law, tree->parts[k], tree->parts[i]))
				return false;
		}
	}
	return true;
}

static bool lives_hold(const struct law *law)
{
	const struct choice *c = law->choice;

	for (int i = 0; i < c->leaf_count; i++) {
		for (int p = 0; p < given.parameter_count; p++) {
			int value = c->chosen[i]->values[p];
			const struct value *v = value == NO_VALUE ? NULL : &given.values[value];
			int anchor = c->chosen[i]->anchor, place;

			if (v && v->born >= 0 && v->born != anchor) {
				place = place_of_mark(law->point,
						      mark_of((struct choice *)c, v->born, false));
				if (place == NEVER || place >= law->place[i])
					return false;
			}
			if (v && v->dead >= 0 && v->dead != anchor) {
				place = place_of_mark(law->point,
						      mark_of((struct choice *)c, v->dead, false));
				if (place != NEVER && place <= law->place[i])
					return false;
			}
		}
	}
	return true;
}

static bool matches(const struct choice *c, const struct point_in_run *p)
{
	struct law law = { .choice = c, .point = p };

	for (int i = 0; i < c->leaf_count; i++) {
		law.place[i] = place_of(c, p, i);
		if (law.place[i] == NEVER)
			return false;
	}
	return groups_hold(c, p) && lives_hold(&law) && order_holds(&law, c->form);
}

/* ---- all prefixes ---------------------------------------------------------------------------- */

struct seen {
	struct point_in_run *items;
	long count, room, *table, mask;
};

static struct seen seen;

static uint64_t hash_point(const struct point_in_run *p)
{
	const uint8_t *bytes = (const uint8_t *)p;
	uint64_t hash = 0xcbf29ce484222325u, word_;

	static_assert(sizeof *p % 8 == 0, "a point is hashed in words");
	for (size_t i = 0; i < sizeof *p; i += 8) {
		memcpy(&word_, bytes + i, 8);
		hash = (hash ^ word_) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}

static void grow(void)
{
	seen.room = seen.room ? seen.room * 2 : 1024;
	seen.mask = seen.room * 2 - 1;
	seen.items = realloc(seen.items, (size_t)seen.room * sizeof *seen.items);
	seen.table = realloc(seen.table, (size_t)(seen.mask + 1) * sizeof *seen.table);
	if (!seen.items || !seen.table)
		abort();
	memset(seen.table, 0, (size_t)(seen.mask + 1) * sizeof *seen.table);
	for (long i = 0; i < seen.count; i++) {
		long at = (long)(hash_point(&seen.items[i]) & (uint64_t)seen.mask);

		while (seen.table[at])
			at = (at + 1) & seen.mask;
		seen.table[at] = i + 1;
	}
}

static void see(const struct choice *c, struct point_in_run p)
{
	long at;

	for (int g = 0; g < c->group_count; g++)
		p.met |= (uint8_t)(all_next(c, &p, g) << g);
	if (seen.count == seen.room)
		grow();
	at = (long)(hash_point(&p) & (uint64_t)seen.mask);
	for (; seen.table[at]; at = (at + 1) & seen.mask) {
		if (!memcmp(&seen.items[seen.table[at] - 1], &p, sizeof p))
			return;
	}
	seen.table[at] = seen.count + 1;
	seen.items[seen.count++] = p;
}

static void put_mark(const struct choice *c, struct point_in_run *p, int event, bool before)
{
	for (int i = 0; i < c->mark_count; i++) {
		if (c->marks[i].event == event && c->marks[i].before == before)
			p->order[p->count++] = (uint8_t)i;
	}
}

/* Adds the points at which a chosen request happens: any time after the event before its anchor. */
static void ask_first(const struct choice *c, const struct point_in_run *p)
{
	for (int i = 0; i < c->mark_count; i++) {
		const struct event *e = &text.events[c->marks[i].event];
		struct point_in_run after = *p;

		if (!c->marks[i].before || place_of_mark(p, i) != NEVER ||
		    p->state.at[e->thread] != e->index ||
		    !rules_is_created(&facts, &p->state, e->thread))
			continue;
		after.order[after.count++] = (uint8_t)i;
		see(c, after);
	}
}

static void go_on(const struct choice *c, const struct point_in_run *p)
{
	struct state after[MAX_THREADS];

	for (int t = 0; t < text.thread_count; t++) {
		int event = rules_next(&facts, &p->state, t);
		int count = event < 0 ? 0 : rules_step(&facts, &p->state, event, after);

		for (int i = 0; i < count; i++) {
			struct point_in_run next = *p;

			next.state = after[i];
			put_mark(c, &next, event, false);
			see(c, next);
		}
	}
}

enum verdict { NO, YES, TOO_MANY };

static enum verdict search(const struct choice *c)
{
	struct point_in_run start;

	memset(&start, 0, sizeof start);
	seen.count = 0;
	if (seen.table)
		memset(seen.table, 0, (size_t)(seen.mask + 1) * sizeof *seen.table);
	rules_start(&facts, &start.state);
	see(c, start);
	for (long i = 0; i < seen.count; i++) {
		struct point_in_run now = seen.items[i];

		if (matches(c, &now))
			return YES;
		if (seen.count > MOST_STATES)
			return TOO_MANY;
		ask_first(c, &now);
		go_on(c, &now);
	}
	return NO;
}

/* Is the event a request that was never granted? It stays open until the end, and has no effect. */
static bool is_hanging(int event)
{
	const struct event *e = &text.events[event];

	return (e->kind == REQUEST || e->kind == READ_REQUEST) &&
	       e->index + 1 == text.length[e->thread];
}

/* Returns event i of the recorded order, in which requests that were never granted come last. */
static int recorded_event(int i)
{
	for (int hanging = 0; hanging < 2; hanging++) {
		for (int event = 0; event < text.event_count; event++) {
			if (is_hanging(event) == hanging && i-- == 0)
				return event;
		}
	}
	return -1;
}

static bool is_observed_from(const struct choice *c, struct point_in_run now, int i);

static bool has_asked(const struct choice *c, const struct point_in_run *p, int event)
{
	for (int i = 0; i < p->count; i++) {
		if (c->marks[p->order[i]].event == event && c->marks[p->order[i]].before)
			return true;
	}
	return false;
}

/*
 * Tries to make a request that was never granted before event i: it may have any position from its
 * line on.
 */
static bool is_observed_asking(const struct choice *c, const struct point_in_run *now, int i)
{
	int event = recorded_event(i);

	for (int m = 0; m < c->mark_count; m++) {
		struct point_in_run after = *now;
		int asker = c->marks[m].event;

		if (!c->marks[m].before || !is_hanging(asker) || place_of_mark(now, m) != NEVER ||
		    (asker > event && !is_hanging(event)))
			continue;
		after.order[after.count++] = (uint8_t)m;
		if (is_observed_from(c, after, i))
			return true;
	}
	return false;
}

/*
 * Does the recorded order match, from event i on? Other requests happen just before their acquires.
 */
static bool is_observed_from(const struct choice *c, struct point_in_run now, int i)
{
	struct state states[MAX_THREADS];
	int count, event = recorded_event(i);

	for (int g = 0; g < c->group_count; g++)
		now.met |= (uint8_t)(all_next(c, &now, g) << g);
	if (event < 0)
		return matches(c, &now);
	if (is_observed_asking(c, &now, i))
		return true;
	if (!has_asked(c, &now, event))
		put_mark(c, &now, event, true);
	count = rules_step(&facts, &now.state, event, states);
	put_mark(c, &now, event, false);
	for (int k = 0; k < count; k++) {
		now.state = states[k];
		if (is_observed_from(c, now, i + 1))
			return true;
	}
	return false;
}

static bool is_observed(const struct choice *c)
{
	struct point_in_run start;

	memset(&start, 0, sizeof start);
	rules_start(&facts, &start.state);
	return is_observed_from(c, start, 0);
}

/* ---- all choices ----------------------------------------------------------------------------- */

struct search {
	struct choice choice;
	bool print, too_many;
	int found;
};

static bool agrees(const struct choice *c, const struct occurrence *o)
{
	for (int p = 0; p < given.parameter_count; p++) {
		if (c->binding[p] != NO_VALUE && o->values[p] != NO_VALUE &&
		    c->binding[p] != o->values[p])
			return false;
	}
	return true;
}

static bool is_marked(const struct tree *tree, int event, int region, bool end)
{
	if (tree->operator== LEAF)
		return tree->event == event && (end ? tree->ends : tree->begins) == region;
	for (int i = 0; i < tree->count; i++) {
		if (is_marked(tree->parts[i], event, region, end))
			return true;
	}
	return false;
}

/*
 * Do the two leaves begin and end one region? Regions are a stack per thread. An event that both
 * ends and begins a region ends one first.
 */
static bool is_region(const struct choice *c, int begin, int end)
{
	const struct occurrence *stack[MAX_OCCURRENCES], *from = c->chosen[begin];
	int depth = 0, region = c->leaves[begin]->begins;

	for (int i = 0; i < given.occurrence_count; i++) {
		const struct occurrence *o = &given.occurrences[i];

		if (thread_of(o) != thread_of(from) || !agrees(c, o))
			continue;
		if (is_marked(given.pattern, o->event, region, true) && depth &&
		    stack[--depth] == from)
			return o == c->chosen[end];
		if (is_marked(given.pattern, o->event, region, false))
			stack[depth++] = o;
	}
	return false;
}

static bool regions_hold(const struct choice *c)
{
	for (int i = 0; i < c->leaf_count; i++) {
		for (int k = 0; k < c->leaf_count; k++) {
			if (c->leaves[i]->begins >= 0 &&
			    c->leaves[k]->ends == c->leaves[i]->begins && !is_region(c, i, k))
				return false;
		}
	}
	return true;
}

static bool may_choose(const struct choice *c, int leaf, const struct occurrence *o)
{
	if (o->event != c->leaves[leaf]->event || !agrees(c, o))
		return false;
	for (int i = 0; i < leaf; i++) {
		bool same = thread_of(c->chosen[i]) == thread_of(o);

		if (c->chosen[i] == o)
			return false;
		if (c->leaves[i]->thread >= 0 && c->leaves[leaf]->thread >= 0 &&
		    same != (c->leaves[i]->thread == c->leaves[leaf]->thread))
			return false;
		if (c->group_of[i] >= 0 && c->group_of[i] == c->group_of[leaf] && same)
			return false;
	}
	return true;
}

static void print_choice(const struct choice *c, bool first)
{
	bool hangs = false;

	printf("%s{\"events\":[", first ? "" : ",");
	for (int i = 0; i < c->leaf_count; i++) {
		const struct occurrence *o = c->chosen[i];
		const struct event *e = &text.events[o->anchor];

		hangs |= is_hanging(o->anchor) && c->group_of[i] < 0;
		printf("%s[%d,%d,%d,%d]", i ? "," : "", o->event, e->stream, e->number_in_stream,
		       o->before);
	}
	printf("],\"observed\":%s}", hangs ? "null" : is_observed(c) ? "true" : "false");
}

static void judge_choice(struct search *s)
{
	struct choice *c = &s->choice;
	enum verdict verdict;

	c->mark_count = 0;
	for (int i = 0; i < c->leaf_count; i++) {
		c->mark_of[i] = mark_of(c, c->chosen[i]->anchor, c->chosen[i]->before);
		for (int p = 0; p < given.parameter_count; p++) {
			int v = c->chosen[i]->values[p];

			if (v != NO_VALUE && given.values[v].born >= 0)
				mark_of(c, given.values[v].born, false);
			if (v != NO_VALUE && given.values[v].dead >= 0)
				mark_of(c, given.values[v].dead, false);
		}
	}
	if (!regions_hold(c))
		return;
	verdict = search(c);
	s->too_many |= verdict == TOO_MANY;
	if (verdict == YES && s->print)
		print_choice(c, !s->found);
	s->found += verdict == YES;
}

static void choose(struct search *s, int leaf)
{
	struct choice *c = &s->choice;

	if (leaf == c->leaf_count) {
		judge_choice(s);
		return;
	}
	for (int i = 0; i < given.occurrence_count && (s->print || !s->found); i++) {
		const struct occurrence *o = &given.occurrences[i];
		int binding[MAX_PARAMETERS];

		if (!may_choose(c, leaf, o))
			continue;
		memcpy(binding, c->binding, sizeof binding);
		for (int p = 0; p < given.parameter_count; p++) {
			if (o->values[p] != NO_VALUE)
				c->binding[p] = o->values[p];
		}
		c->chosen[leaf] = o;
		choose(s, leaf + 1);
		memcpy(c->binding, binding, sizeof binding);
	}
}

static void search_forms(struct search *s, int most)
{
	static struct forms forms;

	unroll(given.pattern, most, &forms);
	s->too_many |= forms.too_many;
	for (int i = 0; i < forms.count; i++) {
		struct choice *c = &s->choice;

		if (!count_leaves(forms.items[i]))
			continue;
		if (count_leaves(forms.items[i]) > MAX_LEAVES)
			continue;
		memset(c, 0, sizeof *c);
		c->form = forms.items[i];
		number_leaves(c, c->form, -1);
		for (int p = 0; p < MAX_PARAMETERS; p++)
			c->binding[p] = NO_VALUE;
		choose(s, 0);
	}
}

static void judge(const char *trace, const char *property)
{
	static struct search s, again;

	memset(&s, 0, sizeof s);
	memset(&again, 0, sizeof again);
	printf("{\"trace\":\"%s\"", trace);
	if (!text_read(trace, &text) || !facts_make(&facts, &text)) {
		printf(",\"error\":\"%s%s\"}\n", text.error, text.error[0] ? "" : facts.error);
		return;
	}
	if (!case_read(property, &given) || !case_find(trace, &text, &given)) {
		printf(",\"error\":\"%s\"}\n", given.error);
		return;
	}
	printf(",\"unexplained\":%d,\"matches\":[", facts.unexplained);
	s.print = true;
	search_forms(&s, 0);
	printf("]");
	if (!s.found)
		search_forms(&again, 2);
	if (s.too_many || again.too_many)
		printf(",\"error\":\"too many states\"");
	printf(",\"repeated\":%s}\n", s.found || again.found ? "true" : "false");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		judge(argv[i], argv[i + 1]);
	return argc < 3 ? 2 : 0;
}

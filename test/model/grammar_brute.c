/* Words and trees, computed as least fixed points of the definitions. */
#include "grammar_brute.h"

#include <string.h>

static bool is_symbol(const struct brute_step *step)
{
	return step->kind == ITEM_EVENT || step->kind == ITEM_PRODUCTION;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void read_rule(struct brute *b, const struct rule *rule)
{
	struct brute_rule *made = &b->rules[b->rule_count++];

	*made = (struct brute_rule){ .left = rule->left };
	for (int i = 0; i < rule->count; i++) {
		const struct item *item = &rule->items[i];
		int times = item->kind == ITEM_EVENT ? b->c->stretch : 1;

		for (int k = 0; k < times; k++)
			made->steps[made->count++] =
				(struct brute_step){ item->kind, item->number, (uint8_t)i, !k };
	}
}

/* Marks each production that has a rule whose steps are all marked, until nothing changes. */
static void close_marks(const struct brute *b, bool *marked, bool events)
{
	for (bool more = true; more;) {
		more = false;
		for (int r = 0; r < b->rule_count; r++) {
			const struct brute_rule *rule = &b->rules[r];
			bool all = !marked[rule->left];

			for (int i = 0; i < rule->count && all; i++) {
				const struct brute_step *step = &rule->steps[i];

				all = step->kind == ITEM_EVENT	      ? events
				      : step->kind == ITEM_PRODUCTION ? marked[step->number]
								      : true;
			}
			marked[rule->left] |= all;
			more |= all;
		}
	}
}

static void find_reachable(struct brute *b)
{
	b->reachable[0] = true;
	for (bool more = true; more;) {
		more = false;
		for (int r = 0; r < b->rule_count; r++) {
			const struct brute_rule *rule = &b->rules[r];

			for (int i = 0; i < rule->count && b->reachable[rule->left]; i++) {
				const struct brute_step *step = &rule->steps[i];

				b->has_code |= !is_symbol(step);
				if (step->kind == ITEM_PRODUCTION && !b->reachable[step->number])
					b->reachable[step->number] = more = true;
			}
		}
	}
}

/* ---- LL(1): no two alternatives can start with the same event, or be empty before it --------- */

#define THE_END CASE_EVENTS

struct sets {
	uint8_t starts[CASE_PRODUCTIONS], follows[CASE_PRODUCTIONS];
};

/*
 * Returns the events that the steps can start with. If all steps may be empty, these include the
 * events of the last argument, which can follow the steps.
 */
static uint8_t starts_of(const struct brute *b, const struct sets *sets,
			 const struct brute_rule *rule, int step, uint8_t behind)
{
	uint8_t found = 0;

	for (; step < rule->count; step++) {
		const struct brute_step *s = &rule->steps[step];

		if (s->kind == ITEM_EVENT)
			return (uint8_t)(found | 1u << s->number);
		if (s->kind != ITEM_PRODUCTION)
			continue;
		found |= sets->starts[s->number];
		if (!b->nullable[s->number])
			return found;
	}
	return found | behind;
}

static void find_sets(const struct brute *b, struct sets *sets)
{
	*sets = (struct sets){ .follows = { 1u << THE_END } };
	for (bool more = true; more;) {
		struct sets old = *sets;

		for (int r = 0; r < b->rule_count; r++) {
			const struct brute_rule *rule = &b->rules[r];

			if (!b->reachable[rule->left])
				continue;
			sets->starts[rule->left] |= starts_of(b, sets, rule, 0, 0);
			for (int i = 0; i < rule->count; i++) {
				if (rule->steps[i].kind == ITEM_PRODUCTION)
					sets->follows[rule->steps[i].number] |= starts_of(
						b, sets, rule, i + 1, sets->follows[rule->left]);
			}
		}
		more = memcmp(&old, sets, sizeof old) != 0;
	}
}

static bool find_ll1(const struct brute *b)
{
	struct sets sets;

	find_sets(b, &sets);
	for (int r = 0; r < b->rule_count; r++) {
		for (int k = r + 1; k < b->rule_count; k++) {
			int left = b->rules[r].left;

			if (b->rules[k].left == left && b->reachable[left] &&
			    (starts_of(b, &sets, &b->rules[r], 0, sets.follows[left]) &
			     starts_of(b, &sets, &b->rules[k], 0, sets.follows[left])))
				return false;
		}
	}
	return true;
}

void brute_open(struct brute *b, const struct grammar_case *c, struct arena *arena)
{
	bool has_words[CASE_PRODUCTIONS] = { 0 };

	memset(b, 0, sizeof *b);
	b->c = c;
	b->arena = arena;
	for (int r = 0; r < c->rule_count; r++)
		read_rule(b, &c->rules[r]);
	close_marks(b, has_words, true);
	close_marks(b, b->nullable, false);
	for (int r = 0; r < b->rule_count; r++)
		b->has_wordless |= !has_words[b->rules[r].left];
	find_reachable(b);
	b->is_ll1 = find_ll1(b);
}

/* ---- trees ----------------------------------------------------------------------------------- */

/*
 * Returns in how many ways the rule can produce from … to, as far as is known; 2 stands for more.
 */
static int count_ways(const struct brute *b, const struct brute_rule *rule, int from, int to)
{
	uint8_t ways[2][CASE_WORD + 1] = { 0 };
	int now = 0;

	ways[0][from] = 1;
	for (int i = 0; i < rule->count; i++) {
		const struct brute_step *step = &rule->steps[i];
		uint8_t *old = ways[now], *next = ways[!now];

		if (!is_symbol(step))
			continue;
		memset(next + from, 0, (size_t)(to - from + 1));
		for (int p = from; p <= to; p++) {
			if (!old[p])
				continue;
			if (step->kind == ITEM_EVENT) {
				if (p < to && b->events[p] == step->number)
					next[p + 1] = old[p];
				continue;
			}
			for (int q = p; q <= to; q++) {
				int sum = next[q] + old[p] * b->trees[step->number][p][q];

				next[q] = (uint8_t)(sum < 2 ? sum : 2);
			}
		}
		now = !now;
	}
	return ways[now][to];
}

void brute_fill(struct brute *b, int start, int to)
{
	for (int p = 0; p < CASE_PRODUCTIONS; p++) {
		for (int from = start; from <= to; from++)
			b->trees[p][from][to] = 0;
	}
	for (int from = to; from >= start; from--) {
		for (bool more = true; more;) {
			int trees[CASE_PRODUCTIONS] = { 0 };

			more = false;
			for (int r = 0; r < b->rule_count; r++)
				trees[b->rules[r].left] += count_ways(b, &b->rules[r], from, to);
			for (int p = 0; p < CASE_PRODUCTIONS; p++) {
				uint8_t *known = &b->trees[p][from][to];
				uint8_t found = (uint8_t)(trees[p] < 2 ? trees[p] : 2);

				more |= found != *known;
				*known = found;
			}
		}
	}
}

int brute_count(struct brute *b, const uint8_t *events, int count)
{
	for (int i = 0; i <= count; i++) {
		brute_fill(b, 0, i);
		if (i < count)
			b->events[i] = events[i];
	}
	return b->trees[0][0][count];
}

bool brute_makes(const struct brute *b, const struct brute_rule *rule, int step, int from, int to)
{
	for (; step < rule->count && !is_symbol(&rule->steps[step]); step++)
		;
	if (step == rule->count)
		return from == to;
	if (rule->steps[step].kind == ITEM_EVENT)
		return from < to && b->events[from] == rule->steps[step].number &&
		       brute_makes(b, rule, step + 1, from + 1, to);
	for (int q = from; q <= to; q++) {
		if (b->trees[rule->steps[step].number][from][q] &&
		    brute_makes(b, rule, step + 1, q, to))
			return true;
	}
	return false;
}

/* ---- beginnings ------------------------------------------------------------------------------ */

bool brute_may_begin(const struct brute *b, const struct brute_rule *rule, int step, int from,
		     int to)
{
	for (; step < rule->count && !is_symbol(&rule->steps[step]); step++)
		;
	if (from == to)
		return true;
	if (step == rule->count)
		return false;
	if (rule->steps[step].kind == ITEM_EVENT)
		return b->events[from] == rule->steps[step].number &&
		       brute_may_begin(b, rule, step + 1, from + 1, to);
	if (b->begins[rule->steps[step].number][from])
		return true;
	for (int q = from; q <= to; q++) {
		if (b->trees[rule->steps[step].number][from][q] &&
		    brute_may_begin(b, rule, step + 1, q, to))
			return true;
	}
	return false;
}

/* Is start … to a prefix of a word? Each production must have words. */
bool brute_is_viable(struct brute *b, int start, int to)
{
	for (int p = 0; p < CASE_PRODUCTIONS; p++) {
		for (int from = start; from <= to; from++)
			b->begins[p][from] = from == to;
	}
	for (int from = to - 1; from >= start; from--) {
		for (bool more = true; more;) {
			more = false;
			for (int r = 0; r < b->rule_count; r++) {
				bool *begins = &b->begins[b->rules[r].left][from];

				if (!*begins && brute_may_begin(b, &b->rules[r], 0, from, to))
					*begins = more = true;
			}
		}
	}
	return b->begins[0][start];
}

/* Makes a case smaller, step by step. */
#include "grammar_case.h"

#include <string.h>

struct shrinker {
	struct grammar_case *c;
	int left; /* number of changes to skip before the one to make */
};

/* Is this the change to make? */
static bool is_it(struct shrinker *s)
{
	return s->left-- == 0;
}

static void remove_rule(struct grammar_case *c, int rule)
{
	memmove(&c->rules[rule], &c->rules[rule + 1],
		(size_t)(c->rule_count - rule - 1) * sizeof *c->rules);
	c->rule_count--;
}

static int count_rules(const struct grammar_case *c, int left)
{
	int count = 0;

	for (int r = 0; r < c->rule_count; r++)
		count += c->rules[r].left == left;
	return count;
}

/* Does a rule of another production use this production? */
static bool is_named(const struct grammar_case *c, int production)
{
	for (int r = 0; r < c->rule_count; r++) {
		for (int i = 0; i < c->rules[r].count; i++) {
			const struct item *item = &c->rules[r].items[i];

			if (c->rules[r].left != production && item->kind == ITEM_PRODUCTION &&
			    item->number == production)
				return true;
		}
	}
	return false;
}

static bool shrink_rules(struct shrinker *s)
{
	struct grammar_case *c = s->c;

	for (int p = 1; p < CASE_PRODUCTIONS; p++) {
		if (!count_rules(c, p) || is_named(c, p) || !is_it(s))
			continue;
		for (int r = c->rule_count; r--;) {
			if (c->rules[r].left == p)
				remove_rule(c, r);
		}
		return true;
	}
	for (int r = 0; r < c->rule_count; r++) {
		if (count_rules(c, c->rules[r].left) > 1 && is_it(s)) {
			remove_rule(c, r);
			return true;
		}
	}
	return false;
}

static bool shrink_items(struct shrinker *s)
{
	for (int r = 0; r < s->c->rule_count; r++) {
		struct rule *rule = &s->c->rules[r];

		for (int i = 0; i < rule->count; i++) {
			if (!is_it(s))
				continue;
			memmove(&rule->items[i], &rule->items[i + 1],
				(size_t)(rule->count - i - 1) * sizeof *rule->items);
			rule->count--;
			return true;
		}
	}
	return false;
}

static bool shrink_statements(struct shrinker *s)
{
	for (int r = 0; r < s->c->rule_count; r++) {
		for (int i = 0; i < s->c->rules[r].count; i++) {
			struct item *item = &s->c->rules[r].items[i];

			for (int k = 0; item->kind == ITEM_ACTION && k < item->count; k++) {
				struct statement *st = &s->c->statements[item->first + k];

				if (st->kind != STATEMENT_NONE && is_it(s)) {
					st->kind = STATEMENT_NONE;
					return true;
				}
				if (st->kind == STATEMENT_IF && is_it(s)) {
					st->kind = STATEMENT_SET;
					return true;
				}
			}
		}
	}
	return false;
}

/* Replaces a node by one of its parts, or by a number. */
static bool shrink_node(struct shrinker *s, int16_t *place)
{
	struct node *n = &s->c->nodes[*place];
	int16_t parts[3] = { n->a, n->b, n->c };

	if (n->kind == NODE_NIL || n->kind == NODE_NUMBER)
		return false;
	for (int i = 0; i < 3; i++) {
		if (parts[i] && is_it(s)) {
			*place = parts[i];
			return true;
		}
	}
	if (!n->a && is_it(s)) {
		*n = (struct node){ .kind = NODE_NUMBER, .number = 1 };
		return true;
	}
	for (int i = 0; i < 3; i++) {
		int16_t *part = i == 0 ? &n->a : i == 1 ? &n->b : &n->c;

		if (*part && shrink_node(s, part))
			return true;
	}
	return false;
}

static bool shrink_nodes(struct shrinker *s)
{
	struct grammar_case *c = s->c;

	for (int r = 0; r < c->rule_count; r++) {
		for (int i = 0; i < c->rules[r].count; i++) {
			struct item *item = &c->rules[r].items[i];

			if (item->kind == ITEM_ASSERT && shrink_node(s, &item->node))
				return true;
			for (int k = 0; item->kind == ITEM_ACTION && k < item->count; k++) {
				struct statement *st = &c->statements[item->first + k];

				if (st->kind != STATEMENT_NONE &&
				    (shrink_node(s, &st->a) || shrink_node(s, &st->b)))
					return true;
			}
		}
	}
	for (int e = 0; e < c->event_count; e++) {
		if (c->reset[e] == RESET_IF && shrink_node(s, &c->reset_node[e]))
			return true;
	}
	return false;
}

static bool shrink_rest(struct shrinker *s)
{
	struct grammar_case *c = s->c;

	if (c->stretch > 1 && is_it(s))
		return c->stretch = 1, true;
	if (c->stretch > 2 && is_it(s))
		return c->stretch = 2, true;
	for (int e = 0; e < c->event_count; e++) {
		if (c->reset[e] && is_it(s))
			return c->reset[e] = RESET_NONE, true;
		if (c->reset[e] == RESET_IF && is_it(s))
			return c->reset[e] = RESET_ALWAYS, true;
	}
	for (int i = 0; i < WIDES; i++) {
		if (c->head_is_set[i] && is_it(s))
			return c->head_is_set[i] = false, true;
	}
	if (c->until_end && is_it(s))
		return c->until_end = false, true;
	if (c->parameter && is_it(s))
		return c->parameter = false, true;
	if (c->reports && is_it(s))
		return c->reports = false, true;
	if (c->letter_count > c->event_count && is_it(s))
		return c->letter_count--, true;
	for (int i = 0; i < c->letter_count; i++) {
		struct letter *l = &c->letters[i];

		if ((l->x != 0 || l->y != 0 || l->tid != 1 || l->callee || l->o) && is_it(s)) {
			*l = (struct letter){ .event = l->event, .tid = 1 };
			return true;
		}
	}
	return false;
}

bool case_shrink(const struct grammar_case *c, int step, struct grammar_case *smaller)
{
	struct shrinker s = { smaller, step };

	*smaller = *c;
	return shrink_rules(&s) || shrink_items(&s) || shrink_rest(&s) || shrink_statements(&s) ||
	       shrink_nodes(&s);
}

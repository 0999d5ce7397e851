/*
 * The evaluation of a tree, and the correct verdicts for events: "When a session must be complete".
 */
#include "grammar_brute.h"

#include <assert.h>
#include <stdlib.h>

/* ---- the walk -------------------------------------------------------------------------------- */

enum going { GO_ON, STOP };

struct walk {
	struct brute *b;
	struct scope scope; /* attributes of the whole session */
	int to;
	bool early;
	int taken; /* events taken since the start of the word */
	struct walked *walked;
};

static enum going walk_production(struct walk *w, int production, int from, int to,
				  struct table *left);

static enum going run_code(struct walk *w, struct scope *scope, int rule, int item)
{
	const struct item *about = &scope->rule->items[item];
	bool holds = true, ok;

	w->b->codes += !w->early;

	for (int i = 0; i < WIDES; i++)
		scope->wide[i] = w->scope.wide[i];
	ok = about->kind == ITEM_ASSERT ? scope_holds(scope, about->node, &holds)
					: scope_run(scope, about);
	for (int i = 0; i < WIDES; i++)
		w->scope.wide[i] = scope->wide[i];
	if (ok && holds)
		return GO_ON;
	w->walked->broken = !ok;
	w->walked->false_assertion = ok;
	w->walked->rule = rule;
	w->walked->item = item;
	return STOP;
}

/*
 * Finds where the symbol at `step` ends, so that the remaining steps fit. If `to` is -1, the rule
 * may continue after the word; returns -1 if the symbol itself does.
 */
static int find_end(const struct walk *w, const struct brute_rule *rule, int step, int from, int to)
{
	int symbol = rule->steps[step].number;

	for (int q = from; q <= w->to; q++) {
		if (w->b->trees[symbol][from][q] &&
		    (to >= 0 ? brute_makes(w->b, rule, step + 1, q, to)
			     : brute_may_begin(w->b, rule, step + 1, q, w->to)))
			return q;
	}
	assert(to < 0 && w->b->begins[symbol][from]);
	return -1;
}

static enum going walk_rule(struct walk *w, int number, int from, int to, struct table *left)
{
	const struct brute_rule *rule = &w->b->rules[number];
	struct scope scope = w->scope;
	enum going going = GO_ON;

	scope.rule = &w->b->c->rules[number];
	scope.left = left;
	for (int i = 0; i < rule->count && going == GO_ON; i++) {
		const struct brute_step *step = &rule->steps[i];
		struct table **slot = &scope.slots[step->item];
		int end;

		if (step->kind != ITEM_EVENT && step->kind != ITEM_PRODUCTION) {
			going = run_code(w, &scope, number, step->item);
			continue;
		}
		if (w->early && w->taken == w->to)
			return STOP;
		if (step->kind == ITEM_EVENT) {
			if (step->first)
				*slot = scope_event(&scope, &w->b->c->letters[w->b->letters[from]]);
			w->taken = ++from;
			continue;
		}
		if (!*slot)
			*slot = table_make(w->b->arena);
		end = find_end(w, rule, i, from, to);
		going = walk_production(w, step->number, from, end, *slot);
		from = end;
	}
	return going;
}

static enum going walk_production(struct walk *w, int production, int from, int to,
				  struct table *left)
{
	for (int r = 0; r < w->b->rule_count; r++) {
		const struct brute_rule *rule = &w->b->rules[r];

		if (rule->left == production &&
		    (to >= 0 ? brute_makes(w->b, rule, 0, from, to)
			     : brute_may_begin(w->b, rule, 0, from, w->to)))
			return walk_rule(w, r, from, to, left);
	}
	assert(!"a tree");
	return STOP;
}

static struct scope make_scope(struct brute *b, const struct moment *from)
{
	return (struct scope){ .c = b->c, .arena = b->arena, .before = from->before };
}

void brute_walk(struct brute *b, const struct moment *from, int to, bool early,
		struct walked *walked)
{
	struct walk w = { .b = b,
			  .scope = make_scope(b, from),
			  .to = to,
			  .early = early,
			  .taken = from->start,
			  .walked = walked };

	*walked = (struct walked){ .rule = -1, .item = -1, .root = table_make(b->arena) };
	b->walks += !early;
	if (!scope_begin(&w.scope))
		walked->broken = true;
	else
		walk_production(&w, 0, from->start, early ? -1 : to, walked->root);
	for (int i = 0; i < WIDES; i++)
		walked->wide[i] = w.scope.wide[i];
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/*
 * Returns the set of events that could follow the first `count` events, and whether the word may
 * end there.
 */
static uint8_t find_expected(struct brute *b, int start, int count)
{
	uint8_t found = (uint8_t)((b->trees[0][start][count] > 0) << b->c->event_count);
	uint8_t event = b->events[count];

	for (uint8_t e = 0; e < b->c->event_count; e++) {
		b->events[count] = e;
		brute_fill(b, start, count + 1);
		found |= (uint8_t)(brute_is_viable(b, start, count + 1) << e);
	}
	b->events[count] = event;
	brute_fill(b, start, count + 1);
	return found;
}

static bool say_walked(struct brute *b, const struct walked *walked, struct truth *truth)
{
	size_t size;
	FILE *out;

	if (!walked->broken && !walked->false_assertion)
		return true;
	truth->verdict = walked->broken ? TRUTH_BROKEN : TRUTH_VIOLATED;
	truth->fault = TRUTH_ASSERTION;
	truth->rule = (int8_t)walked->rule;
	truth->item = (int8_t)walked->item;
	if (walked->broken)
		return false;
	char *text = NULL;
	out = open_memstream(&text, &size);
	value_show(walked->wide[WIDE_G], true, out);
	fprintf(out, " ");
	value_show(walked->wide[WIDE_H], true, out);
	fclose(out);
	truth->report = arena_text(b->arena, text, size);
	free(text);
	return false;
}

/* Checks that the session is complete, and sets `root` to the start symbol's attributes. */
static bool is_complete(struct brute *b, const struct moment *from, int count, struct truth *truth,
			const struct table **root)
{
	struct walked walked;

	if (!b->trees[0][from->start][count]) {
		truth->verdict = TRUTH_VIOLATED;
		truth->fault = TRUTH_INCOMPLETE;
		truth->expected = find_expected(b, from->start, count);
		return false;
	}
	*root = table_make(b->arena);
	if (!b->has_code)
		return true;
	if (b->trees[0][from->start][count] > 1) {
		truth->verdict = TRUTH_BROKEN;
		truth->two_trees = true;
		return false;
	}
	brute_walk(b, from, count, false, &walked);
	*root = walked.root;
	return say_walked(b, &walked, truth);
}

static bool has_resets(const struct grammar_case *c)
{
	for (int e = 0; e < c->event_count; e++) {
		if (c->reset[e])
			return true;
	}
	return false;
}

static bool ask_reset(struct brute *b, const struct moment *from, int at, struct truth *truth)
{
	struct scope scope = make_scope(b, from);
	int event = b->events[at];

	truth->reset_asked = true;
	truth->resets = b->c->reset[event] != RESET_NONE;
	if (b->c->reset[event] != RESET_IF)
		return true;
	scope.own = &b->c->letters[b->letters[at]];
	if (scope_holds(&scope, b->c->reset_node[event], &truth->resets))
		return true;
	truth->reset_fails = true;
	truth->verdict = TRUTH_BROKEN;
	return false;
}

/* Runs the head. If it fails, this is reported before the first event is examined. */
static bool is_begun(struct brute *b, const struct moment *from, struct truth *truth)
{
	struct scope scope = make_scope(b, from);

	if (scope_begin(&scope))
		return true;
	truth->verdict = TRUTH_BROKEN;
	return false;
}

void brute_take(struct brute *b, const struct moment *from, int at, bool early, struct truth *truth,
		struct moment *to)
{
	const struct table *root;
	struct walked walked;

	*truth = (struct truth){ .rule = -1, .item = -1 };
	*to = *from;
	if (at == from->start)
		brute_fill(b, at, at);
	brute_fill(b, from->start, at + 1);
	if (!is_begun(b, from, truth))
		return;
	if (!brute_is_viable(b, from->start, at + 1)) {
		truth->verdict = TRUTH_VIOLATED;
		truth->fault = TRUTH_NO_CONTINUATION;
		truth->expected = find_expected(b, from->start, at);
		return;
	}
	if (early) {
		brute_walk(b, from, at + 1, true, &walked);
		if (!say_walked(b, &walked, truth))
			return;
	}
	if (!has_resets(b->c) && !b->c->until_end) {
		is_complete(b, from, at + 1, truth, &root);
		return;
	}
	if (!ask_reset(b, from, at, truth) || !truth->resets)
		return;
	if (is_complete(b, from, at + 1, truth, &root))
		*to = (struct moment){ at + 1, root };
}

void brute_end(struct brute *b, const struct moment *from, int count, struct truth *truth)
{
	const struct table *root;

	*truth = (struct truth){ .rule = -1, .item = -1 };
	if (b->c->until_end && count > from->start)
		is_complete(b, from, count, truth, &root);
}

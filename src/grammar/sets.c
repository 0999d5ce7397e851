/*
 * The classic sets of a grammar (Aho, Lam, Sethi, Ullman, Compilers, 4.4.2): productions that have
 * words, reachable productions, nullable, FIRST, FOLLOW, and the LL(1) table with a description of
 * its first conflict. All are computed as plain fixpoints: one pass costs the size of the grammar,
 * and the number of passes is bounded by the longest chain of productions.
 */
#include "grammar/builder.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t set_words(const struct grammar *g)
{
	return g->terminal_count / 64 + 1; /* a bit for each terminal and one for the end */
}

static uint64_t **make_sets(struct grammar *g, uint32_t count)
{
	uint64_t **sets = arena_alloc(&g->arena, (count + 1) * sizeof *sets);

	for (uint32_t i = 0; i < count; i++)
		sets[i] = arena_alloc(&g->arena, set_words(g) * sizeof **sets);
	return sets;
}

static bool add_members(const struct grammar *g, uint64_t *set, const uint64_t *more)
{
	bool grew = false;

	for (uint32_t i = 0; i < set_words(g); i++) {
		grew |= more[i] & ~set[i];
		set[i] |= more[i];
	}
	return grew;
}

/* ---- productive and reachable productions ---------------------------------------------------- */

/*
 * Marks every nonterminal that has a rule with only marked symbols, until nothing changes.
 * Terminals count as marked if `terminals` is true: then this finds the productive nonterminals,
 * otherwise the nullable ones.
 */
static void mark_closed(const struct grammar *g, bool *marked, bool terminals)
{
	bool grew = true;

	for (uint32_t i = 0; i < g->terminal_count; i++)
		marked[i] = terminals;
	while (grew) {
		grew = false;
		for (size_t i = 0; i < g->rules.count; i++) {
			const struct grammar_rule *rule = &g->rules.items[i];
			bool all = true;

			for (uint32_t k = 0; k < rule->step_count && all; k++)
				all = !grammar_step_is_symbol(&rule->steps[k]) ||
				      marked[rule->steps[k].symbol];
			grew |= all && !marked[rule->left];
			marked[rule->left] |= all;
		}
	}
}

static void reject_wordless(struct builder *builder)
{
	const struct grammar *g = builder->grammar;
	bool *productive = mem_zalloc(g->symbol_count + 1, sizeof *productive);

	mark_closed(g, productive, true);
	for (uint32_t i = 0; i < builder->spec->production_count; i++)
		if (!productive[g->terminal_count + i])
			builder_complain(builder, SPEC_ERROR, builder->spec->productions[i].place,
					 "'%s' has no words: none of its alternatives ever ends",
					 builder->spec->productions[i].name);
	free(productive);
}

static void find_reachable(struct builder *builder)
{
	struct grammar *g = builder->grammar;
	uint32_t count = builder->spec->production_count;
	VEC(uint32_t) open = { 0 };

	builder->reachable = arena_alloc(&g->arena, count + 1);
	builder->reachable[0] = true;
	*vec_push(&open) = 0;
	while (open.count) {
		uint32_t from = open.items[--open.count];

		for (uint32_t r = g->first_rule[from]; r < g->first_rule[from + 1]; r++)
			for (uint32_t k = 0; k < g->rules.items[r].step_count; k++) {
				const struct grammar_step *step = &g->rules.items[r].steps[k];
				uint32_t to = step->symbol - g->terminal_count;

				g->has_code |= !grammar_step_is_symbol(step);
				if (step->kind != GRAMMAR_NONTERMINAL || builder->reachable[to])
					continue;
				builder->reachable[to] = true;
				*vec_push(&open) = to;
			}
	}
	vec_free(&open);
	for (uint32_t i = 0; i < count; i++)
		if (!builder->reachable[i])
			builder_complain(builder, SPEC_NOTE, builder->spec->productions[i].place,
					 "'%s' is never used: it cannot be reached from '%s'",
					 builder->spec->productions[i].name,
					 builder->spec->productions[0].name);
}

/* ---- FIRST and FOLLOW ------------------------------------------------------------------------ */

/* Adds FIRST of the steps from `from` on to `set`. Returns true if all of them may be empty. */
static bool add_starts(const struct grammar *g, const struct grammar_rule *rule, uint32_t from,
		       uint64_t *set, bool *grew)
{
	for (uint32_t i = from; i < rule->step_count; i++) {
		const struct grammar_step *step = &rule->steps[i];

		if (!grammar_step_is_symbol(step))
			continue;
		*grew |= add_members(g, set, g->starts[step->symbol]);
		if (!g->nullable[step->symbol])
			return false;
	}
	return true;
}

static void find_starts(struct grammar *g)
{
	bool grew = true;

	g->starts = make_sets(g, g->symbol_count);
	for (uint32_t i = 0; i < g->terminal_count; i++)
		grammar_set_add(g->starts[i], i);
	while (grew) {
		grew = false;
		for (size_t i = 0; i < g->rules.count; i++)
			add_starts(g, &g->rules.items[i], 0, g->starts[g->rules.items[i].left],
				   &grew);
	}
}

/*
 * Uses reachable rules only: an unreachable production is in no word, so nothing follows its
 * symbols.
 */
static void find_follows(struct builder *builder)
{
	struct grammar *g = builder->grammar;
	bool grew = true;

	g->follows = make_sets(g, builder->spec->production_count);
	grammar_set_add(g->follows[0], g->terminal_count);
	while (grew) {
		grew = false;
		for (size_t i = 0; i < g->rules.count; i++) {
			const struct grammar_rule *rule = &g->rules.items[i];
			uint32_t left = rule->left - g->terminal_count;

			for (uint32_t k = 0; k < rule->step_count && builder->reachable[left];
			     k++) {
				uint32_t symbol = rule->steps[k].symbol;

				if (rule->steps[k].kind != GRAMMAR_NONTERMINAL)
					continue;
				uint64_t *set = g->follows[symbol - g->terminal_count];
				if (add_starts(g, rule, k + 1, set, &grew))
					grew |= add_members(g, set, g->follows[left]);
			}
		}
	}
}

/* ---- the LL(1) table ------------------------------------------------------------------------- */

static bool is_empty_rule(const struct grammar *g, const struct grammar_rule *rule)
{
	for (uint32_t k = 0; k < rule->step_count; k++)
		if (grammar_step_is_symbol(&rule->steps[k]) && !g->nullable[rule->steps[k].symbol])
			return false;
	return true;
}

static bool starts_rule(const struct grammar *g, const struct grammar_rule *rule, uint32_t terminal)
{
	for (uint32_t k = 0; k < rule->step_count; k++) {
		const struct grammar_step *step = &rule->steps[k];

		if (!grammar_step_is_symbol(step))
			continue;
		if (grammar_set_has(g->starts[step->symbol], terminal))
			return true;
		if (!g->nullable[step->symbol])
			return false;
	}
	return false;
}

static void describe_conflict(struct grammar *g, const struct grammar_rule *a,
			      const struct grammar_rule *b, uint32_t terminal)
{
	const char *production = g->names[a->left];
	bool first = starts_rule(g, a, terminal), second = starts_rule(g, b, terminal);
	char text[512];

	if (first && second)
		snprintf(text, sizeof text, "%s: alternatives %u and %u both start with '%s'",
			 production, a->number + 1, b->number + 1, g->names[terminal]);
	else if (is_empty_rule(g, a) && is_empty_rule(g, b))
		snprintf(text, sizeof text, "%s: alternatives %u and %u can both be empty",
			 production, a->number + 1, b->number + 1);
	else
		snprintf(text, sizeof text,
			 "%s: alternative %u starts with '%s', and alternative %u can be "
			 "empty and followed by '%s'",
			 production, (first ? a : b)->number + 1, g->names[terminal],
			 (first ? b : a)->number + 1, g->names[terminal]);
	g->conflict = mem_copy_text(text, strlen(text));
}

static void enter_rule_in_table(struct builder *builder, uint32_t number, uint32_t terminal)
{
	struct grammar *g = builder->grammar;
	const struct grammar_rule *rule = &g->rules.items[number];
	uint32_t left = rule->left - g->terminal_count;
	uint32_t *entry = &g->table[(size_t)left * (g->terminal_count + 1) + terminal];

	if (*entry == GRAMMAR_NONE)
		*entry = number;
	else if (*entry != number && builder->reachable[left] && !g->conflict)
		describe_conflict(g, &g->rules.items[*entry], rule, terminal);
}

static void find_table(struct builder *builder)
{
	struct grammar *g = builder->grammar;
	size_t size = (size_t)builder->spec->production_count * (g->terminal_count + 1);

	g->table = mem_alloc((size + 1) * sizeof *g->table);
	for (size_t i = 0; i < size; i++)
		g->table[i] = GRAMMAR_NONE;
	for (uint32_t r = 0; r < g->rules.count; r++) {
		const struct grammar_rule *rule = &g->rules.items[r];
		const uint64_t *follows = g->follows[rule->left - g->terminal_count];
		bool empty = is_empty_rule(g, rule);

		for (uint32_t t = 0; t <= g->terminal_count; t++)
			if ((t < g->terminal_count && starts_rule(g, rule, t)) ||
			    (empty && grammar_set_has(follows, t)))
				enter_rule_in_table(builder, r, t);
	}
	g->is_ll1 = !g->conflict;
}

void sets_find(struct builder *builder)
{
	struct grammar *g = builder->grammar;

	reject_wordless(builder);
	find_reachable(builder);
	g->nullable = arena_alloc(&g->arena, g->symbol_count + 1);
	mark_closed(g, g->nullable, false);
	find_starts(g);
	find_follows(builder);
	find_table(builder);
}

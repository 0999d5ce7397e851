/*
 * Computes the tables of earley_tables.h: cores, corners, closures, and facts about empty trees and
 * code.
 */
#include "grammar/earley_tables.h"
#include "base/mem.h"

#include <string.h>

/* Does the symbol derive only the empty word? */
static bool derives_only_empty_word(const struct grammar *grammar, uint32_t symbol)
{
	if (!grammar->nullable[symbol])
		return false;
	for (uint32_t i = 0; i * 64 < grammar->terminal_count; i++)
		if (grammar->starts[symbol][i])
			return false;
	return true;
}

static void list_steps_with_cores(struct earley_tables *tables)
{
	const struct grammar *grammar = tables->grammar;
	size_t total = 0;
	for (size_t i = 0; i < grammar->rules.count; i++)
		total += grammar->rules.items[i].step_count;
	tables->kept = mem_zalloc(total + 1, sizeof *tables->kept);
	tables->first_kept = mem_zalloc(grammar->rules.count + 1, sizeof *tables->first_kept);
	uint32_t kept = 0;
	for (size_t i = 0; i < grammar->rules.count; i++) {
		const struct grammar_rule *rule = &grammar->rules.items[i];
		tables->first_kept[i] = kept;
		for (uint32_t j = 0; j < rule->step_count; j++)
			if (grammar_step_is_symbol(&rule->steps[j]) &&
			    !derives_only_empty_word(grammar, rule->steps[j].symbol))
				tables->kept[kept++] = j;
	}
	tables->first_kept[grammar->rules.count] = kept;
}

/* ---- cores ----------------------------------------------------------------------------------- */

/* Lists the cores rule by rule, before they are numbered; `next` is an index in this list. */
static void list_cores(struct earley_tables *tables, struct earley_core *cores)
{
	const struct grammar *grammar = tables->grammar;
	uint32_t at = 0, rule = 0;
	for (; rule < grammar->rules.count; rule++) {
		const struct grammar_rule *of = &grammar->rules.items[rule];
		for (uint32_t i = tables->first_kept[rule]; i <= tables->first_kept[rule + 1];
		     i++, at++)
			cores[at] = (struct earley_core){
				.symbol = i < tables->first_kept[rule + 1]
						  ? of->steps[tables->kept[i]].symbol
						  : GRAMMAR_NONE,
				.next = at + 1,
				.rule = rule,
				.left = of->left,
				.dot = i - tables->first_kept[rule],
			};
	}
	cores[at] = (struct earley_core){ grammar->terminal_count, at + 1, rule, tables->goal, 0 };
	cores[at + 1] = (struct earley_core){ GRAMMAR_NONE, 0, rule, tables->goal, 1 };
}

/* Numbers the cores by the symbol after the dot. Cores with the dot at the end come last. */
static void make_cores(struct earley_tables *tables)
{
	const struct grammar *grammar = tables->grammar;
	uint32_t symbols = grammar->symbol_count;
	uint32_t count = tables->first_kept[grammar->rules.count] + grammar->rules.count + 2;
	struct earley_core *listed = mem_zalloc(count, sizeof *listed);
	list_cores(tables, listed);

	uint32_t *place = mem_zalloc(symbols + 2, sizeof *place);
	for (uint32_t i = 0; i < count; i++)
		place[(listed[i].symbol == GRAMMAR_NONE ? symbols : listed[i].symbol) + 1]++;
	for (uint32_t i = 0; i < symbols; i++)
		place[i + 1] += place[i];
	tables->first_core = mem_zalloc(symbols + 1, sizeof *tables->first_core);
	memcpy(tables->first_core, place, (symbols + 1) * sizeof *place);
	uint32_t *number = mem_zalloc(count, sizeof *number);
	for (uint32_t i = 0; i < count; i++)
		number[i] = place[listed[i].symbol == GRAMMAR_NONE ? symbols : listed[i].symbol]++;

	tables->cores = mem_zalloc(count, sizeof *tables->cores);
	tables->core_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct earley_core *core = &tables->cores[number[i]];
		*core = listed[i];
		core->next = core->symbol == GRAMMAR_NONE ? GRAMMAR_NONE : number[core->next];
	}
	tables->start = number[count - 2];
	free(number);
	free(place);
	free(listed);
}

/*
 * Visits the corners in each rule: the cores up to the first symbol that is not nullable. Counts
 * them by symbol in `count`; if `corners` is not NULL, stores each corner at its symbol's count. S'
 * is never predicted, so S' → S is not a corner.
 */
static void visit_corners(struct earley_tables *tables, uint32_t *count, uint32_t *corners)
{
	const struct grammar *grammar = tables->grammar;
	for (uint32_t i = 0; i < tables->core_count; i++) {
		if (tables->cores[i].dot || i == tables->start)
			continue;
		for (uint32_t core = i; tables->cores[core].symbol != GRAMMAR_NONE;
		     core = tables->cores[core].next) {
			uint32_t symbol = tables->cores[core].symbol;
			if (corners)
				corners[count[symbol]] = core;
			count[symbol]++;
			if (!grammar->nullable[symbol])
				break;
		}
	}
}

static void make_corners(struct earley_tables *tables)
{
	uint32_t symbols = tables->grammar->symbol_count;
	tables->first_corner = mem_zalloc(symbols + 2, sizeof *tables->first_corner);
	visit_corners(tables, tables->first_corner + 2, NULL);
	for (uint32_t i = 2; i <= symbols + 1; i++)
		tables->first_corner[i] += tables->first_corner[i - 1];
	tables->corners =
		mem_zalloc(tables->first_corner[symbols + 1] + 1, sizeof *tables->corners);
	/*
	 * Now first_corner[s + 1] is the position of the first corner of symbol s. Storing a corner
	 * of s increments it, so in the end it is the position after the last corner of s, which is
	 * the first corner of s + 1.
	 */
	visit_corners(tables, tables->first_corner + 1, tables->corners);
}

static void make_closure(struct earley_tables *tables)
{
	const struct grammar *grammar = tables->grammar;
	uint32_t count = grammar_nonterminal_count(grammar), words = tables->words = count / 64 + 1;
	tables->closure = mem_zalloc((size_t)count * words, sizeof *tables->closure);
	for (uint32_t i = 0; i < count; i++) {
		grammar_set_add(&tables->closure[i * words], i);
		uint32_t symbol = grammar->terminal_count + i;
		for (uint32_t j = tables->first_corner[symbol];
		     j < tables->first_corner[symbol + 1]; j++) {
			uint32_t left =
				tables->cores[tables->corners[j]].left - grammar->terminal_count;
			grammar_set_add(&tables->closure[left * words], i);
		}
	}
	for (uint32_t via = 0; via < count; via++)
		for (uint32_t i = 0; i < count; i++)
			if (grammar_set_has(&tables->closure[i * words], via))
				for (uint32_t w = 0; w < words; w++)
					tables->closure[i * words + w] |=
						tables->closure[via * words + w];
}

/* ---- empty trees ----------------------------------------------------------------------------- */

/*
 * Counts the empty trees of each nonterminal, up to 2. If the search meets a nonterminal again on
 * its way down, that nonterminal derives itself, and so do all nonterminals in between. They have
 * infinitely many empty trees.
 */
enum { EMPTY_NEW, EMPTY_OPEN, EMPTY_DONE };
struct empty_tree_search {
	struct earley_tables *tables;
	uint8_t *state, *trees; /* by nonterminal */
};

static unsigned count_empty_trees(struct empty_tree_search *search, uint32_t nonterminal);

static unsigned count_empty_trees_of_rule(struct empty_tree_search *search,
					  const struct grammar_rule *rule)
{
	const struct grammar *grammar = search->tables->grammar;
	unsigned trees = 1;
	for (uint32_t i = 0; i < rule->step_count; i++)
		if (grammar_step_is_symbol(&rule->steps[i]) &&
		    !grammar->nullable[rule->steps[i].symbol])
			return 0;
	for (uint32_t i = 0; i < rule->step_count; i++)
		if (grammar_step_is_symbol(&rule->steps[i])) {
			uint32_t symbol = rule->steps[i].symbol - grammar->terminal_count;
			trees *= count_empty_trees(search, symbol);
			trees = trees > 2 ? 2 : trees;
		}
	return trees;
}

static unsigned count_empty_trees(struct empty_tree_search *search, uint32_t nonterminal)
{
	const struct grammar *grammar = search->tables->grammar;
	if (search->state[nonterminal] == EMPTY_OPEN)
		return 2;
	if (search->state[nonterminal] == EMPTY_DONE)
		return search->trees[nonterminal];
	search->state[nonterminal] = EMPTY_OPEN;
	unsigned trees = 0;
	for (uint32_t i = grammar->first_rule[nonterminal];
	     i < grammar->first_rule[nonterminal + 1]; i++) {
		unsigned more = count_empty_trees_of_rule(search, &grammar->rules.items[i]);
		if (more && search->tables->empty_rule[nonterminal] == GRAMMAR_NONE)
			search->tables->empty_rule[nonterminal] = i;
		trees += more;
	}
	search->state[nonterminal] = EMPTY_DONE;
	return search->trees[nonterminal] = trees > 2 ? 2 : trees;
}

static void find_empty_trees(struct earley_tables *tables)
{
	uint32_t count = grammar_nonterminal_count(tables->grammar);
	struct empty_tree_search search = {
		.tables = tables,
		.state = mem_zalloc(count, 1),
		.trees = mem_zalloc(count, 1),
	};
	tables->empty_rule = mem_zalloc(count, sizeof *tables->empty_rule);
	tables->empty_twice = mem_zalloc(count, sizeof *tables->empty_twice);
	for (uint32_t i = 0; i < count; i++)
		tables->empty_rule[i] = GRAMMAR_NONE;
	for (uint32_t i = 0; i < count; i++)
		if (tables->grammar->nullable[tables->grammar->terminal_count + i])
			tables->empty_twice[i] = count_empty_trees(&search, i) > 1;
	free(search.state);
	free(search.trees);
}

/* ---- where code is --------------------------------------------------------------------------- */

static bool rule_has_code(const struct earley_tables *tables, const struct grammar_rule *rule)
{
	for (uint32_t i = 0; i < rule->step_count; i++) {
		const struct grammar_step *step = &rule->steps[i];
		if (!grammar_step_is_symbol(step) ||
		    (step->kind == GRAMMAR_NONTERMINAL &&
		     tables->has_code[step->symbol - tables->grammar->terminal_count]))
			return true;
	}
	return false;
}

static void find_nonterminals_with_code(struct earley_tables *tables)
{
	const struct grammar *grammar = tables->grammar;
	tables->has_code = mem_zalloc(grammar_nonterminal_count(grammar), sizeof *tables->has_code);
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < grammar->rules.count; i++) {
			const struct grammar_rule *rule = &grammar->rules.items[i];
			bool *has = &tables->has_code[rule->left - grammar->terminal_count];
			if (!*has && rule_has_code(tables, rule))
				*has = more = true;
		}
	}
}

/*
 * Is the core's symbol the first step of its rule? Then no code and no empty tree comes before it.
 */
static bool is_first_step(const struct earley_tables *tables, const struct earley_core *core)
{
	return core->dot == 0 && tables->kept[tables->first_kept[core->rule]] == 0;
}

/*
 * Computes the bit set `leads` for nonterminal `at`: starts with all nonterminals that are
 * predicted with it, and removes those that violate the condition until nothing changes.
 */
static void find_leads_of(const struct earley_tables *tables, uint32_t at, uint64_t *leads)
{
	const struct grammar *grammar = tables->grammar;
	const uint64_t *closure = &tables->closure[at * tables->words];
	memcpy(leads, closure, tables->words * sizeof *leads);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < tables->first_corner[grammar->symbol_count]; i++) {
			const struct earley_core *core = &tables->cores[tables->corners[i]];
			if (core->symbol < grammar->terminal_count)
				continue;
			uint32_t bit = core->symbol - grammar->terminal_count;
			uint32_t left = core->left - grammar->terminal_count;
			if (grammar_set_has(leads, bit) && grammar_set_has(closure, left) &&
			    !(is_first_step(tables, core) && grammar_set_has(leads, left))) {
				leads[bit / 64] &= ~(UINT64_C(1) << bit % 64);
				more = true;
			}
		}
	}
}

static bool rule_ends_clean(const struct earley_tables *tables, uint32_t number)
{
	const struct grammar_rule *rule = &tables->grammar->rules.items[number];
	uint32_t from = tables->first_kept[number], to = tables->first_kept[number + 1];
	for (uint32_t i = to > from ? tables->kept[to - 1] + 1 : 0; i < rule->step_count; i++)
		if (!grammar_step_is_symbol(&rule->steps[i]) ||
		    (rule->steps[i].kind == GRAMMAR_NONTERMINAL &&
		     tables->has_code[rule->steps[i].symbol - tables->grammar->terminal_count]))
			return false;
	return true;
}

static void find_leads(struct earley_tables *tables)
{
	uint32_t count = grammar_nonterminal_count(tables->grammar),
		 rules = tables->grammar->rules.count;
	tables->leads = mem_zalloc((size_t)count * tables->words, sizeof *tables->leads);
	for (uint32_t i = 0; i < count; i++)
		find_leads_of(tables, i, &tables->leads[i * tables->words]);
	tables->ends_clean = mem_zalloc(rules + 1, sizeof *tables->ends_clean);
	for (uint32_t i = 0; i < rules; i++)
		tables->ends_clean[i] = rule_ends_clean(tables, i);
	tables->ends_clean[rules] = true;
}

struct earley_tables *earley_tables_make(const struct grammar *grammar)
{
	struct earley_tables *tables = mem_zalloc(1, sizeof *tables);
	tables->grammar = grammar;
	tables->goal = grammar->symbol_count;
	list_steps_with_cores(tables);
	make_cores(tables);
	make_corners(tables);
	make_closure(tables);
	find_empty_trees(tables);
	find_nonterminals_with_code(tables);
	find_leads(tables);
	return tables;
}

void earley_tables_free(struct earley_tables *tables)
{
	free(tables->cores);
	free(tables->first_core);
	free(tables->corners);
	free(tables->first_corner);
	free(tables->closure);
	free(tables->first_kept);
	free(tables->kept);
	free(tables->empty_rule);
	free(tables->empty_twice);
	free(tables->has_code);
	free(tables->leads);
	free(tables->ends_clean);
	free(tables);
}

/*
 * Searches for a word with two parse trees by enumeration: builds all words of each nonterminal,
 * shortest first, and remembers the first tree of each word. It stops at the first word that
 * already has a tree. Ambiguity is undecidable, so it also stops after a number of steps. If a
 * nonterminal has too many words of one length, only some of them are kept, so that longer words
 * are tried as well.
 *
 * A nonterminal that derives itself (A ⇒+ A) has infinitely many trees, so such cycles are searched
 * first. If there are none, the nonterminals can be ordered so that all parts of a word are built
 * before the word.
 */
#include "grammar/builder.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 600000u		 /* limit for the whole search, about 0.1 s */
#define CELL_STEPS 20000u	 /* limit for the words of one nonterminal and one length */
#define LENGTHS 48u		 /* all words are shorter */
#define BASE 0x9e3779b97f4a7c15u /* base of the polynomial hash of a word; odd */

struct ambiguity_tree {
	uint32_t symbol, rule; /* rule: GRAMMAR_NONE for a terminal */
	uint32_t length;       /* length of its word */
	uint32_t count;
	uint64_t hash, power; /* hash of its word; BASE to the power of `length` */
	const struct ambiguity_tree *children[];
};
typedef VEC(const struct ambiguity_tree *) trees;

struct rule_position { /* the position of a symbol in a rule: `at` counts symbols only, not code */
	uint32_t rule, at;
};

struct ambiguity_search {
	const struct grammar *grammar;
	struct arena arena;
	uint32_t *shortest; /* by symbol: the length of its shortest word */
	/* by symbol: the rule that derives the shortest word */
	uint32_t *shortest_rule;
	const struct ambiguity_tree **smallest; /* by symbol: the tree of its shortest word */
	/* by nonterminal: a rule that contains it, and where, on a path from the start symbol */
	struct rule_position *ways;
	/* nonterminals; if A derives B with all other symbols empty, B comes before A */
	uint32_t *order;
	trees *words;	  /* by nonterminal and length: trees with different words */
	struct map known; /* from the hash of a nonterminal and a word to its tree */
	uint64_t steps;
	const struct ambiguity_tree *found[2]; /* two trees of one nonterminal with the same word */
};

/* ---- trees ----------------------------------------------------------------------------------- */

static uint32_t count_symbols(const struct grammar_rule *rule)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < rule->step_count; i++)
		count += rule->steps[i].symbol != GRAMMAR_NONE;
	return count;
}

static struct ambiguity_tree *make_tree(struct ambiguity_search *s, uint32_t symbol, uint32_t rule,
					const struct ambiguity_tree *const *children,
					uint32_t count)
{
	struct ambiguity_tree *t = arena_alloc(&s->arena, sizeof *t + count * sizeof *t->children);

	*t = (struct ambiguity_tree){
		.symbol = symbol, .rule = rule, .count = count, .power = 1, .length = 0
	};
	if (rule == GRAMMAR_NONE) {
		t->length = 1;
		t->hash = symbol + 1;
		t->power = BASE;
	}
	for (uint32_t i = 0; i < count; i++) {
		t->children[i] = children[i];
		t->length += children[i]->length;
		t->hash = t->hash * children[i]->power + children[i]->hash;
		t->power *= children[i]->power;
	}
	return t;
}

/* Writes the word of a tree to `out`, which must have room for it. Returns the end. */
static uint32_t *write_word(const struct ambiguity_tree *t, uint32_t *out)
{
	if (t->rule == GRAMMAR_NONE)
		*out++ = t->symbol;
	for (uint32_t i = 0; i < t->count; i++)
		out = write_word(t->children[i], out);
	return out;
}

static bool has_same_word(const struct ambiguity_tree *a, const struct ambiguity_tree *b)
{
	uint32_t words[2][LENGTHS];

	if (a->length != b->length || a->hash != b->hash)
		return false;
	assert(a->length < LENGTHS);
	write_word(a, words[0]);
	write_word(b, words[1]);
	return !memcmp(words[0], words[1], a->length * sizeof **words);
}

/* ---- shortest words -------------------------------------------------------------------------- */

static uint32_t shortest_word_of_rule(const struct ambiguity_search *s,
				      const struct grammar_rule *rule)
{
	uint64_t length = 0;

	for (uint32_t i = 0; i < rule->step_count; i++) {
		uint32_t symbol = rule->steps[i].symbol;

		if (symbol == GRAMMAR_NONE)
			continue;
		if (s->shortest[symbol] == UINT32_MAX)
			return UINT32_MAX;
		length += s->shortest[symbol];
	}
	return length < UINT32_MAX - 1 ? (uint32_t)length : UINT32_MAX - 1;
}

/*
 * Repeats until no word gets shorter. The rule of a symbol's shortest word uses only symbols that
 * had a rule before, so that trees built from these rules are finite.
 */
static void find_shortest_words(struct ambiguity_search *s)
{
	const struct grammar *g = s->grammar;
	bool changed = true;

	for (uint32_t i = 0; i < g->symbol_count; i++)
		s->shortest[i] = i < g->terminal_count ? 1 : UINT32_MAX;
	while (changed) {
		changed = false;
		for (uint32_t r = 0; r < g->rules.count; r++) {
			const struct grammar_rule *rule = &g->rules.items[r];
			uint32_t length = shortest_word_of_rule(s, rule);

			if (length >= s->shortest[rule->left])
				continue;
			s->shortest[rule->left] = length;
			s->shortest_rule[rule->left] = r;
			changed = true;
		}
	}
}

static const struct ambiguity_tree *smallest_tree(struct ambiguity_search *s, uint32_t symbol);

/*
 * Builds a tree of this rule: symbol number `at` gets the tree `given`, the others get their
 * smallest trees.
 */
static const struct ambiguity_tree *make_tree_around(struct ambiguity_search *s, uint32_t rule,
						     uint32_t at,
						     const struct ambiguity_tree *given)
{
	const struct grammar_rule *r = &s->grammar->rules.items[rule];
	uint32_t count = 0;
	const struct ambiguity_tree **children =
		arena_alloc(&s->arena, (r->step_count + 1) * sizeof *children);

	for (uint32_t i = 0; i < r->step_count; i++) {
		if (r->steps[i].symbol == GRAMMAR_NONE)
			continue;
		children[count] = count == at ? given : smallest_tree(s, r->steps[i].symbol);
		count++;
	}
	return make_tree(s, r->left, rule, children, count);
}

static const struct ambiguity_tree *smallest_tree(struct ambiguity_search *s, uint32_t symbol)
{
	if (!s->smallest[symbol])
		s->smallest[symbol] =
			symbol < s->grammar->terminal_count
				? make_tree(s, symbol, GRAMMAR_NONE, NULL, 0)
				: make_tree_around(s, s->shortest_rule[symbol], UINT32_MAX, NULL);
	return s->smallest[symbol];
}

/* ---- nonterminals that derive themselves ----------------------------------------------------- */

enum colour { NEW, OPEN, DONE };

struct rule_path {
	struct rule_position *items; /* these fields are those of a VEC */
	size_t count, room;
};

/* Can all other symbols of the rule be empty? */
static bool may_stand_alone(const struct grammar *g, const struct grammar_rule *rule, uint32_t step)
{
	for (uint32_t i = 0; i < rule->step_count; i++)
		if (i != step && rule->steps[i].symbol != GRAMMAR_NONE &&
		    !g->nullable[rule->steps[i].symbol])
			return false;
	return true;
}

/*
 * Records two trees of a nonterminal that derives itself: its smallest tree, and this tree inside
 * the rules of the cycle, which are added from the inside out.
 */
static void record_cycle(struct ambiguity_search *s, const struct rule_path *way, uint32_t symbol)
{
	size_t i = way->count;

	s->found[0] = s->found[1] = smallest_tree(s, symbol);
	do {
		i--;
		s->found[1] =
			make_tree_around(s, way->items[i].rule, way->items[i].at, s->found[1]);
	} while (s->grammar->rules.items[way->items[i].rule].left != symbol);
}

/*
 * Depth-first search from `symbol`: fills `order`, or records the first cycle. `way` is the current
 * path.
 */
static void order_below(struct ambiguity_search *s, uint32_t symbol, uint8_t *colours,
			struct rule_path *way, uint32_t *ordered)
{
	const struct grammar *g = s->grammar;
	uint32_t number = symbol - g->terminal_count;

	colours[number] = OPEN;
	for (uint32_t r = g->first_rule[number]; r < g->first_rule[number + 1]; r++) {
		const struct grammar_rule *rule = &g->rules.items[r];
		uint32_t at = 0;

		for (uint32_t k = 0; k < rule->step_count && !s->found[0]; k++) {
			uint32_t to = rule->steps[k].symbol;

			if (rule->steps[k].kind == GRAMMAR_NONTERMINAL &&
			    may_stand_alone(g, rule, k)) {
				*vec_push(way) = (struct rule_position){ r, at };
				if (colours[to - g->terminal_count] == OPEN)
					record_cycle(s, way, to);
				else if (colours[to - g->terminal_count] == NEW)
					order_below(s, to, colours, way, ordered);
				way->count--;
			}
			at += to != GRAMMAR_NONE;
		}
	}
	colours[number] = DONE;
	s->order[(*ordered)++] = symbol;
}

static uint32_t order_nonterminals(struct ambiguity_search *s)
{
	const struct grammar *g = s->grammar;
	uint8_t *colours = mem_zalloc(grammar_nonterminal_count(g) + 1, 1);
	struct rule_path way = { 0 };
	uint32_t ordered = 0;

	for (uint32_t i = 0; i < grammar_nonterminal_count(g) && !s->found[0]; i++)
		if (s->ways[i].rule != GRAMMAR_NONE && colours[i] == NEW)
			order_below(s, g->terminal_count + i, colours, &way, &ordered);
	vec_free(&way);
	free(colours);
	return ordered;
}

/* ---- paths from the start symbol ------------------------------------------------------------- */

/* Breadth-first search from the start symbol: fills `ways`. */
static void find_paths_from_start(struct ambiguity_search *s)
{
	const struct grammar *g = s->grammar;
	VEC(uint32_t) queue = { 0 };

	for (uint32_t i = 0; i < grammar_nonterminal_count(g); i++)
		s->ways[i].rule = GRAMMAR_NONE;
	s->ways[0] = (struct rule_position){ UINT32_MAX - 1, 0 };
	*vec_push(&queue) = 0;
	for (size_t i = 0; i < queue.count; i++) {
		uint32_t from = queue.items[i];

		for (uint32_t r = g->first_rule[from]; r < g->first_rule[from + 1]; r++) {
			const struct grammar_rule *rule = &g->rules.items[r];
			uint32_t at = 0;

			for (uint32_t k = 0; k < rule->step_count; k++) {
				uint32_t to = rule->steps[k].symbol - g->terminal_count;

				if (rule->steps[k].kind == GRAMMAR_NONTERMINAL &&
				    s->ways[to].rule == GRAMMAR_NONE) {
					s->ways[to] = (struct rule_position){ r, at };
					*vec_push(&queue) = to;
				}
				at += rule->steps[k].symbol != GRAMMAR_NONE;
			}
		}
	}
	vec_free(&queue);
}

/* Returns a tree of the start symbol that contains the tree `t`. */
static const struct ambiguity_tree *wrap_up_to_start(struct ambiguity_search *s,
						     const struct ambiguity_tree *t)
{
	uint32_t start = s->grammar->terminal_count;

	while (t->symbol != start) {
		const struct rule_position *way = &s->ways[t->symbol - start];

		t = make_tree_around(s, way->rule, way->at, t);
	}
	return t;
}

/* ---- enumerating words ----------------------------------------------------------------------- */

struct word_attempt { /* the enumeration of the words of one rule */
	struct ambiguity_search *search;
	const struct grammar_rule *rule;
	uint32_t number;
	/*
	 * `rest`: by position, the length of the shortest word from this symbol to the end of the
	 * rule
	 */
	const uint32_t *symbols, *rest;
	uint32_t count;
	const struct ambiguity_tree **children;
	uint64_t steps; /* steps left */
};

static trees *trees_of_length(const struct ambiguity_search *s, uint32_t symbol, uint32_t length)
{
	return &s->words[(size_t)(symbol - s->grammar->terminal_count) * LENGTHS + length];
}

static void add_or_compare_word(struct word_attempt *a)
{
	struct ambiguity_search *s = a->search;
	const struct ambiguity_tree *t =
		make_tree(s, a->rule->left, a->number, a->children, a->count);
	uint64_t key = hash_mix(hash_mix(hash_mix(0, t->symbol), t->length), t->hash);
	bool fresh;
	uint64_t *value = map_put(&s->known, key, &fresh);

	if (fresh) {
		*value = (uintptr_t)t;
		*vec_push(trees_of_length(s, t->symbol, t->length)) = t;
		return;
	}
	const struct ambiguity_tree *other = (const struct ambiguity_tree *)(uintptr_t)*value;
	if (other->symbol == t->symbol && has_same_word(other, t)) {
		s->found[0] = other;
		s->found[1] = t;
	}
}

static void compose_words(struct word_attempt *a, uint32_t at, uint32_t left)
{
	struct ambiguity_search *s = a->search;

	if (s->found[0] || !a->steps)
		return;
	a->steps--;
	s->steps++;
	if (at == a->count) {
		if (!left)
			add_or_compare_word(a);
		return;
	}
	uint32_t symbol = a->symbols[at], rest = a->rest[at + 1];
	if (symbol < s->grammar->terminal_count) {
		a->children[at] = smallest_tree(s, symbol);
		compose_words(a, at + 1, left - 1);
		return;
	}
	for (uint32_t length = at + 1 == a->count ? left : s->shortest[symbol];
	     length + rest <= left; length++) {
		const trees *words = trees_of_length(s, symbol, length);

		for (size_t i = 0; i < words->count && a->steps && !s->found[0]; i++) {
			a->children[at] = words->items[i];
			compose_words(a, at + 1, left - length);
		}
	}
}

/* Builds all words of one rule and one length, or as many as `steps` allow. */
static void try_words_of_rule(struct ambiguity_search *s, uint32_t number, uint32_t length,
			      uint64_t steps)
{
	const struct grammar_rule *rule = &s->grammar->rules.items[number];
	uint32_t count = count_symbols(rule), at = 0;
	uint32_t *symbols = mem_alloc((count + 1) * sizeof *symbols);
	uint32_t *rest = mem_zalloc(count + 1, sizeof *rest);
	const struct ambiguity_tree **children = mem_alloc((count + 1) * sizeof *children);
	struct word_attempt a = { s, rule, number, symbols, rest, count, children, steps };

	for (uint32_t k = 0; k < rule->step_count; k++)
		if (rule->steps[k].symbol != GRAMMAR_NONE)
			symbols[at++] = rule->steps[k].symbol;
	while (at--) {
		rest[at] = rest[at + 1] + s->shortest[symbols[at]];
		if (rest[at] > LENGTHS || s->shortest[symbols[at]] > LENGTHS)
			rest[at] = LENGTHS; /* longer than any word that is built */
	}
	s->steps += 1 + count;
	if (rest[0] <= length)
		compose_words(&a, 0, length);
	free(symbols);
	free(rest);
	free(children);
}

static void try_all_words(struct ambiguity_search *s, uint32_t ordered)
{
	const struct grammar *g = s->grammar;
	uint64_t cell = STEPS / (8u * ordered);

	cell = cell < 500 ? 500 : cell > CELL_STEPS ? CELL_STEPS : cell;
	for (uint32_t length = 0; length < LENGTHS; length++)
		for (uint32_t i = 0; i < ordered; i++) {
			uint32_t number = s->order[i] - g->terminal_count;
			uint32_t first = g->first_rule[number], end = g->first_rule[number + 1];

			for (uint32_t r = first; r < end; r++) {
				try_words_of_rule(s, r, length, cell / (end - first) + 1);
				if (s->found[0] || s->steps > STEPS)
					return;
			}
		}
}

/* ---- printing -------------------------------------------------------------------------------- */

#define SHOWN 400 /* limit in bytes for a word or a tree, which may be arbitrarily long */

static void print_word(FILE *out, const struct grammar *g, const struct ambiguity_tree *t)
{
	if (ftell(out) > SHOWN)
		return;
	if (t->rule == GRAMMAR_NONE)
		fprintf(out, "%s%s", ftell(out) ? " " : "", g->names[t->symbol]);
	for (uint32_t i = 0; i < t->count; i++)
		print_word(out, g, t->children[i]);
}

/*
 * Prints a tree as S(a B(b)). With `numbers`, prints S:1(a B:2(b)), with the numbers of the
 * alternatives: these can be the only difference between two trees.
 */
static void print_tree(FILE *out, const struct grammar *g, const struct ambiguity_tree *t,
		       bool numbers)
{
	if (ftell(out) > SHOWN)
		return;
	fputs(g->names[t->symbol], out);
	if (t->rule == GRAMMAR_NONE)
		return;
	if (numbers)
		fprintf(out, ":%u", g->rules.items[t->rule].number + 1);
	putc('(', out);
	for (uint32_t i = 0; i < t->count && ftell(out) <= SHOWN; i++) {
		fputs(i ? " " : "", out);
		print_tree(out, g, t->children[i], numbers);
	}
	putc(')', out);
}

static char *format_word_or_tree(const struct grammar *g, const struct ambiguity_tree *t, bool word,
				 bool numbers)
{
	char *text = NULL;
	size_t size;
	FILE *out = mem_stream(&text, &size);

	if (word)
		print_word(out, g, t);
	else
		print_tree(out, g, t, numbers);
	if (ftell(out) > SHOWN)
		fputs("...", out);
	mem_stream_close(out);
	return text;
}

static void open_search(struct ambiguity_search *s, const struct grammar *g)
{
	size_t symbols = g->symbol_count + 1;

	*s = (struct ambiguity_search){ .grammar = g };
	s->shortest = mem_zalloc(symbols, sizeof *s->shortest);
	s->shortest_rule = mem_zalloc(symbols, sizeof *s->shortest_rule);
	s->smallest = mem_zalloc(symbols, sizeof *s->smallest);
	s->order = mem_zalloc(symbols, sizeof *s->order);
	s->ways = mem_zalloc(symbols, sizeof *s->ways);
	s->words = mem_zalloc((size_t)symbols * LENGTHS, sizeof *s->words);
}

static void close_search(struct ambiguity_search *s)
{
	for (size_t i = 0; i < (size_t)grammar_nonterminal_count(s->grammar) * LENGTHS; i++)
		vec_free(&s->words[i]);
	free(s->shortest);
	free(s->shortest_rule);
	free(s->smallest);
	free(s->order);
	free(s->ways);
	free(s->words);
	map_free(&s->known);
	arena_free(&s->arena);
}

char *grammar_find_ambiguity(const struct grammar *g, char *texts[2])
{
	struct ambiguity_search s;
	char *word = NULL;

	open_search(&s, g);
	find_shortest_words(&s);
	find_paths_from_start(&s);
	uint32_t ordered = order_nonterminals(&s);
	if (!s.found[0])
		try_all_words(&s, ordered);
	if (s.found[0]) {
		const struct ambiguity_tree *a = wrap_up_to_start(&s, s.found[0]);
		const struct ambiguity_tree *b = wrap_up_to_start(&s, s.found[1]);

		word = format_word_or_tree(g, a, true, false);
		for (int numbers = 0; numbers < 2; numbers++) {
			texts[0] = format_word_or_tree(g, a, false, numbers);
			texts[1] = format_word_or_tree(g, b, false, numbers);
			if (numbers || strcmp(texts[0], texts[1]) != 0)
				break;
			free(texts[0]);
			free(texts[1]);
		}
	}
	close_search(&s);
	return word;
}

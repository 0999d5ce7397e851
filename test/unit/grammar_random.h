/*
 * Small random grammars without code, and their meaning by definition: how many trees a word has,
 * and whether it can be continued. For tests of src/grammar.
 */
#ifndef TEST_GRAMMAR_RANDOM_H
#define TEST_GRAMMAR_RANDOM_H

#include "grammar/grammar.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum {
	MADE_TERMINALS = 3,
	MADE_NONTERMINALS = 5,
	MADE_RULES = 15,
	MADE_SYMBOLS = 4,
	MADE_WORD = 6
};

/*
 * Symbols are numbered: terminals first, then nonterminals. The first nonterminal is the start
 * symbol.
 */
struct made_rule {
	uint8_t left, count, right[MADE_SYMBOLS];
};
struct made {
	uint8_t terminals, nonterminals, rule_count;
	struct made_rule rules[MADE_RULES]; /* sorted by left side */
};

static inline unsigned made_draw(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*state >> 33) % below);
}

static inline void made_print(FILE *out, const struct made *made)
{
	for (unsigned i = 0; i < made->rule_count; i++) {
		const struct made_rule *rule = &made->rules[i];
		fprintf(out, "%c :", 'A' + rule->left - made->terminals);
		for (unsigned j = 0; j < rule->count; j++)
			fprintf(out, " %c",
				rule->right[j] < made->terminals
					? 'a' + rule->right[j]
					: 'A' + rule->right[j] - made->terminals);
		fprintf(out, " ;\n");
	}
}

/* Does every symbol derive a word? */
static inline bool made_is_productive(const struct made *made)
{
	bool good[MADE_TERMINALS + MADE_NONTERMINALS] = { false };
	unsigned symbols = made->terminals + made->nonterminals;
	for (unsigned i = 0; i < made->terminals; i++)
		good[i] = true;
	for (unsigned round = 0; round < symbols; round++)
		for (unsigned i = 0; i < made->rule_count; i++) {
			bool all = true;
			for (unsigned j = 0; j < made->rules[i].count; j++)
				all &= good[made->rules[i].right[j]];
			good[made->rules[i].left] |= all;
		}
	for (unsigned i = 0; i < symbols; i++)
		if (!good[i])
			return false;
	return true;
}

static inline struct made made_random(uint64_t *state)
{
	struct made made;
	do {
		made = (struct made){ .terminals = 1 + made_draw(state, 2) };
		made.nonterminals = 1 + made_draw(state, MADE_NONTERMINALS);
		for (unsigned left = 0; left < made.nonterminals; left++)
			for (unsigned n = 1 + made_draw(state, 3); n; n--) {
				struct made_rule *rule = &made.rules[made.rule_count++];
				rule->left = made.terminals + left;
				rule->count = made_draw(state, MADE_SYMBOLS + 1);
				for (unsigned j = 0; j < rule->count; j++)
					rule->right[j] = made_draw(
						state, made.terminals + made.nonterminals);
			}
	} while (!made_is_productive(&made));
	return made;
}

/*
 * Reads a grammar such as "A : A a | a; …"; capital letters are nonterminals.
 */
static inline struct made made_read(const char *text, unsigned terminals)
{
	struct made made = { .terminals = terminals };
	struct made_rule *rule = NULL;
	bool left = true;
	uint8_t symbol = 0;
	for (; *text; text++) {
		if (*text >= 'A' && *text <= 'Z') {
			symbol = terminals + *text - 'A';
			if (symbol - terminals >= made.nonterminals)
				made.nonterminals = symbol - terminals + 1;
			if (!left)
				rule->right[rule->count++] = symbol;
		} else if (*text >= 'a' && *text <= 'z') {
			rule->right[rule->count++] = *text - 'a';
		} else if (*text == ':' || *text == '|') {
			left = false;
			uint8_t of = *text == ':' ? symbol : rule->left;
			rule = &made.rules[made.rule_count++];
			rule->left = of;
		} else if (*text == ';') {
			left = true;
		}
	}
	return made;
}

/* ---- what it means --------------------------------------------------------------------------- */

/*
 * By symbol and part [from, to) of one word: how many trees the part has; 2 stands for more, also
 * for infinitely many. This is the least solution of the equations, computed by iteration from 0.
 * `begins`: the rest of the word, from there on, is a prefix of a word of the symbol.
 */
struct made_meaning {
	uint8_t trees[MADE_TERMINALS + MADE_NONTERMINALS][MADE_WORD + 1][MADE_WORD + 1];
	bool begins[MADE_TERMINALS + MADE_NONTERMINALS][MADE_WORD + 1];
};

static inline unsigned made_least(unsigned trees)
{
	return trees < 2 ? trees : 2;
}

/* Returns the number of trees of the symbols of a rule from `at` on. */
static inline unsigned made_count(const struct made_meaning *meaning, const struct made_rule *rule,
				  unsigned at, unsigned from, unsigned to)
{
	if (at == rule->count)
		return from == to;
	unsigned trees = 0;
	for (unsigned middle = from; middle <= to && trees < 2; middle++)
		if (meaning->trees[rule->right[at]][from][middle])
			trees += meaning->trees[rule->right[at]][from][middle] *
				 made_count(meaning, rule, at + 1, middle, to);
	return made_least(trees);
}

static inline void made_count_trees(const struct made *made, const uint8_t *word, unsigned length,
				    struct made_meaning *meaning)
{
	memset(meaning, 0, sizeof *meaning);
	for (unsigned i = 0; i < length; i++)
		meaning->trees[word[i]][i][i + 1] = 1;
	for (bool more = true; more;) {
		more = false;
		for (unsigned from = 0; from <= length; from++)
			for (unsigned to = from; to <= length; to++)
				for (unsigned left = made->terminals;
				     left < made->terminals + made->nonterminals; left++) {
					unsigned trees = 0;
					for (unsigned i = 0; i < made->rule_count; i++)
						if (made->rules[i].left == left)
							trees +=
								made_count(meaning, &made->rules[i],
									   0, from, to);
					trees = made_least(trees);
					more |= trees != meaning->trees[left][from][to];
					meaning->trees[left][from][to] = trees;
				}
	}
}

/* Can word[from … length) be a prefix of the symbols of a rule from `at` on? */
static inline bool made_rule_begins(const struct made_meaning *meaning,
				    const struct made_rule *rule, unsigned at, unsigned from,
				    unsigned length)
{
	if (from == length)
		return true;
	if (at == rule->count)
		return false;
	if (meaning->begins[rule->right[at]][from])
		return true;
	for (unsigned middle = from; middle <= length; middle++)
		if (meaning->trees[rule->right[at]][from][middle] &&
		    made_rule_begins(meaning, rule, at + 1, middle, length))
			return true;
	return false;
}

/* Is word[0 … length) a prefix of a word? The trees of `meaning` must have been counted. */
static inline bool made_begins(const struct made *made, const uint8_t *word, unsigned length,
			       struct made_meaning *meaning)
{
	memset(meaning->begins, 0, sizeof meaning->begins);
	for (unsigned i = 0; i < made->terminals; i++) {
		meaning->begins[i][length] = true;
		if (length)
			meaning->begins[i][length - 1] = word[length - 1] == i;
	}
	for (bool more = true; more;) {
		more = false;
		for (unsigned i = 0; i < made->rule_count; i++)
			for (unsigned from = 0; from <= length; from++) {
				bool *begins = &meaning->begins[made->rules[i].left][from];
				if (!*begins &&
				    made_rule_begins(meaning, &made->rules[i], 0, from, length))
					*begins = more = true;
			}
	}
	return meaning->begins[made->terminals][0];
}

#endif

/*
 * All small formulas and all short words over two atoms, for the tests of src/logic. A word is its
 * length and a number: each letter has 2 bits (bit 0 is the atom a, bit 1 the atom b), the first
 * letter the lowest bits.
 */
#ifndef TEST_LOGIC_WORDS_H
#define TEST_LOGIC_WORDS_H

#include "base/mem.h"
#include "base/vec.h"
#include "logic/automaton.h"
#include "logic/form.h"
#include "spec/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LARGEST 5u			      /* size of the largest formulas */
#define LONGEST 6u			      /* length of the longest words */
#define WORDS ((1u << 2 * (LONGEST + 1)) / 3) /* 1 + 4 + … + 4^6 */

static inline uint32_t word_at(unsigned length, uint32_t letters)
{
	return ((1u << 2 * length) - 1) / 3 + letters;
}

static inline unsigned letter_of(uint32_t letters, unsigned i)
{
	return letters >> 2 * i & 3;
}

/*
 * A formula: its text, and a table of where it is true. Each test defines the meaning of the table.
 */
struct small {
	char *text;
	uint8_t *table;
};
typedef VEC(struct small) smalls;

/* Called for each formula. `number` is its index among the formulas of this size. */
typedef void small_test(const struct small *small, unsigned size, size_t number);

/* How formulas are built from leaves and operators, and how their tables are computed. */
struct small_logic {
	const char *const *leaves, *const *unary,
					   *const *binary; /* formats for printf(), ended by NULL */
	uint8_t *(*leaf_table)(unsigned leaf);
	/* `q` is NULL if the operator has one operand */
	uint8_t *(*table_of)(unsigned operator, const uint8_t * p, const uint8_t *q);
};

static inline void add_small(smalls *list, uint8_t *table, const char *format, const char *a,
			     const char *b)
{
	struct small made = { .table = table };
	int length = a ? asprintf(&made.text, format, a, b) : asprintf(&made.text, "%s", format);

	assert_true(length > 0);
	*vec_push(list) = made;
}

static inline void combine_smalls(smalls *to, const struct small_logic *logic, const smalls *left,
				  const smalls *right)
{
	for (size_t i = 0; i < left->count; i++) {
		const struct small *p = &left->items[i];

		for (size_t k = 0; k < right->count; k++) {
			const struct small *q = &right->items[k];

			for (unsigned o = 0; logic->binary[o]; o++)
				add_small(to, logic->table_of(o, p->table, q->table),
					  logic->binary[o], p->text, q->text);
		}
	}
}

static inline void make_smalls(smalls *by_size, const struct small_logic *logic)
{
	for (unsigned i = 0; logic->leaves[i]; i++)
		add_small(&by_size[1], logic->leaf_table(i), logic->leaves[i], NULL, NULL);
	for (unsigned size = 2; size <= LARGEST; size++) {
		for (size_t i = 0; i < by_size[size - 1].count; i++) {
			const struct small *p = &by_size[size - 1].items[i];

			for (unsigned o = 0; logic->unary[o]; o++)
				add_small(&by_size[size], logic->table_of(o, p->table, NULL),
					  logic->unary[o], p->text, NULL);
		}
		for (unsigned left = 1; left + 1 < size; left++)
			combine_smalls(&by_size[size], logic, &by_size[left],
				       &by_size[size - 1 - left]);
	}
}

/* Calls `test` for each formula once. Returns the number of formulas. */
static inline size_t test_smalls(const struct small_logic *logic, small_test *test)
{
	smalls by_size[LARGEST + 1] = { 0 };
	size_t count = 0;

	make_smalls(by_size, logic);
	for (unsigned size = 1; size <= LARGEST; size++) {
		for (size_t i = 0; i < by_size[size].count; i++, count++) {
			struct small *small = &by_size[size].items[i];

			test(small, size, i);
			free(small->text);
			free(small->table);
		}
		vec_free(&by_size[size]);
	}
	return count;
}

static inline struct spec_file *parse_formula(const char *before, const char *formula)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file;
	char *text;

	assert_true(
		asprintf(&text,
			 "extern int x, y;\nproperty P { event a = call f(); event b = call g();\n"
			 "%s %s; }\n",
			 before, formula) > 0);
	file = spec_parse("test.prop", text, &messages);
	if (!file || messages.errors)
		fail_msg("%s", messages.list.count ? messages.list.items[0].shown : text);
	spec_messages_free(&messages);
	free(text);
	return file;
}

/* Finds the automaton's letter for each letter of a word. */
static inline void place_letters(const struct form *form, unsigned places[4])
{
	unsigned a = 0, b = 0;

	for (unsigned i = 0; i < form->atoms.count; i++) {
		a |= !strcmp(form->atoms.items[i]->text, "a") << i;
		b |= !strcmp(form->atoms.items[i]->text, "b") << i;
	}
	for (unsigned letter = 0; letter < 4; letter++)
		places[letter] = (letter & 1 ? a : 0) | (letter & 2 ? b : 0);
}

/*
 * Compares the verdicts of a state with `possible`: the values that the formula has on the word and
 * on the longer words that were tried. If a state of an automaton of n states has a continuation
 * with some value, it has one of less than n letters. If all of those have been tried, all
 * continuations have. `exact`: the word itself counts.
 */
static inline void expect_verdicts(const struct small *small, const struct automaton *a,
				   uint32_t state, unsigned length, uint32_t word, bool exact,
				   const bool possible[2])
{
	const struct automaton_state *s = &a->states.items[state];

	if ((s->bad && possible[1]) || (s->safe && possible[0]))
		fail_msg("%s: bad or safe on word %x of %u", small->text, word, length);
	if (exact && length + a->states.count - 1 <= LONGEST &&
	    (s->bad != !possible[1] || s->safe != !possible[0]))
		fail_msg("%s: not exact on word %x of %u", small->text, word, length);
}

typedef bool build_automaton(const struct spec_formula *formula, struct automaton *automaton,
			     struct err *err);

/* Returns the number of states of a formula's automaton, or 0 if it cannot be built (`err`). */
static inline size_t states_of(const char *before, const char *formula, build_automaton *build,
			       struct err *err)
{
	struct spec_file *file = parse_formula(before, formula);
	struct automaton automaton;
	size_t count = 0;

	err->text[0] = 0;
	if (build(file->properties->formulas, &automaton, err)) {
		count = automaton.states.count;
		automaton_free(&automaton);
	}
	spec_free(file);
	return count;
}

#endif

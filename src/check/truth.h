/*
 * The truth of formulas on a word, by definition: a table with a row for each part of the formula
 * and a column for each state. The caller fills in the rows of atoms (events, and conditions
 * without logical operators). To try continuations, it may add columns with freely chosen values,
 * the same value for equal atoms.
 */
#ifndef CHECK_TRUTH_H
#define CHECK_TRUTH_H

#include "base/vec.h"
#include "spec/tree.h"

enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_OPEN };

#define TRUTH_CONSTANT UINT32_MAX /* an atom that is the same in every state */

struct truth_row {
	const struct spec_expr *expr;
	bool atom;
	/* equal atoms have equal numbers; or TRUTH_CONSTANT */
	uint32_t atom_number;
	uint32_t left, right, third; /* rows */
	VEC(uint8_t) states;	     /* enum truth, by state */
};
struct truth_table {
	VEC(struct truth_row) rows; /* parts come before the whole: the last row is the formula */
	uint32_t atom_count;	    /* number of different atoms, without constants */
};

void truth_open(struct truth_table *table, const struct spec_expr *formula);
void truth_close(struct truth_table *table);

/* Returns the formula's truth at a state of a word of `count` states whose atoms are filled in. */
enum truth truth_at(struct truth_table *table, size_t state, size_t count);

/* ---- extended regular expressions (truth_ere.c) ---------------------------------------------- */

/*
 * Is the word in the language? An input symbol is the set of events that happen at once: bit i for
 * event i, of at most 64.
 */
bool truth_ere_has(const struct spec_ere *ere, const uint64_t *word, size_t count);

#endif

/*
 * A formula of `always`, `never` or `ltl:` as its engines want it: nodes in a row, each behind what it
 * is made of, equal ones once. What is no logic and no time is an *atom*: an event, or an expression of
 * C. At each state of a word a *letter* says which atoms are true, a bit for each.
 */
#ifndef LOGIC_FORM_H
#define LOGIC_FORM_H

#include "base/err.h"
#include "base/intern.h"
#include "base/vec.h"
#include "spec/tree.h"

#define FORM_NONE UINT32_MAX
#define FORM_ATOMS 64u /* the bits of a letter */

struct form_node {
	/*
	 * NOT, AND, OR, IMPLIES, IFF, CONDITIONAL or one of time (enum spec_operator); EVENT is an
	 * atom, whatever it is; NUMBER is true or false by itself.
	 */
	uint8_t operator;
	bool holds;		      /* NUMBER */
	uint32_t atom;		      /* EVENT */
	uint32_t part[3];	      /* nodes before this one; FORM_NONE: none */
	const struct spec_expr *expr; /* where it was first seen; NULL: not in the source */
};

struct form {
	VEC(struct form_node) nodes;
	VEC(const struct spec_expr *) atoms;
	uint32_t root;
	struct intern texts, shapes; /* of atoms, of nodes: equal ones are one */
};

/*
 * What must hold: for `never` the root is a NOT. False: more atoms than a letter has bits, or an event
 * or operator of time in the middle of arithmetic.
 */
bool form_read(struct form *form, const struct spec_formula *formula, struct err *err);
void form_free(struct form *form);

/* The text of an atom or a node, as spec explain has it; to be freed. */
char *form_text(const struct spec_expr *expr);

#endif

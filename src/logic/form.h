/*
 * A formula of `always`, `never` or `ltl:` in the form that the engines need: an array of nodes. A
 * node comes after its operands, and equal nodes are stored once. Everything that is neither logic
 * nor a temporal operator is an *atom*: an event, or a C expression. At each state of a word, an
 * *input symbol* says which atoms are true, one bit each.
 */
#ifndef LOGIC_FORM_H
#define LOGIC_FORM_H

#include "base/err.h"
#include "base/intern.h"
#include "base/vec.h"
#include "spec/tree.h"

#define FORM_NONE UINT32_MAX
#define FORM_ATOMS 64u /* number of bits of an input symbol */

struct form_node {
	/*
	 * NOT, AND, OR, IMPLIES, IFF, CONDITIONAL or a temporal operator (enum spec_operator);
	 * EVENT is any atom; NUMBER is a constant, true or false.
	 */
	uint8_t operator;
	bool holds;		      /* NUMBER: its value */
	uint32_t atom;		      /* EVENT: index in `atoms` */
	uint32_t part[3];	      /* operands, which are earlier nodes; FORM_NONE: none */
	const struct spec_expr *expr; /* its first occurrence; NULL: not in the source */
};

struct form {
	VEC(struct form_node) nodes;
	VEC(const struct spec_expr *) atoms;
	uint32_t root;
	struct intern texts, shapes; /* to find equal atoms by text, equal nodes by content */
};

/*
 * Reads a formula as a condition that must hold: for `never`, the root is a NOT. Returns false if
 * there are more atoms than an input symbol has bits, or if an event or temporal operator occurs
 * inside arithmetic.
 */
bool form_read(struct form *form, const struct spec_formula *formula, struct err *err);
void form_free(struct form *form);

/* Returns the text of an atom or a node as `spec explain` prints it. The caller frees it. */
char *form_text(const struct spec_expr *expr);

#endif

/*
 * A pattern's normal form: alternatives, each a list of leaves with the order that must hold
 * between the events chosen for them.
 *
 * By a theorem in doc/properties.md, `p*` and `p?` can be omitted and `p+` replaced by p without
 * loss: a match that uses more events contains a match that uses fewer, and none of these operators
 * is under a `!`. The remaining operator `|` is multiplied out.
 */
#ifndef PREDICT_PATTERN_PATTERN_FORM_H
#define PREDICT_PATTERN_PATTERN_FORM_H

#include "base/vec.h"
#include "spec/tree.h"

#include <stdbool.h>
#include <stdint.h>

#define FORM_NONE UINT32_MAX
#define FORM_LEAVES 64	      /* alternatives with more leaves are not searched */
#define FORM_ALTERNATIVES 512 /* further alternatives are not searched */

struct form_leaf {
	const struct spec_pattern *leaf;
	uint32_t group; /* number of its group of parallel leaves, or FORM_NONE */
	bool followed;	/* some leaf must come after it, regardless of what is under `!` */
	bool inverted;	/* it is under a `!` */
};

/* A part under `!`: its leaves are those from `first` on, in the order of the tree. */
struct form_inverted {
	const struct spec_pattern *part; /* the operand of the `!` */
	uint32_t first;
};

struct pattern_form {
	VEC(struct form_leaf) leaves;	 /* in the order of the pattern */
	uint64_t followers[FORM_LEAVES]; /* bit j of [i]: leaf i must come before leaf j */
	VEC(struct form_inverted) inverted;
	uint32_t groups;
};

typedef VEC(struct pattern_form) form_list;

/*
 * Makes the alternatives that have leaves. Returns false when there are too many leaves or
 * alternatives: then those that were made are good, and others are missing.
 */
bool form_make(const struct spec_pattern *pattern, form_list *forms);
void form_list_free(form_list *forms);

static inline bool form_orders(const struct pattern_form *form, uint32_t i, uint32_t j)
{
	return form->followers[i] >> j & 1;
}

/* How many leaves a tree without alternatives has. */
uint32_t form_count_leaves(const struct spec_pattern *pattern);

#endif

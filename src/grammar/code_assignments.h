/* What can be said of a piece of Lua without parsing it: what it assigns, what it declares. */
#ifndef GRAMMAR_CODE_ASSIGNMENTS_H
#define GRAMMAR_CODE_ASSIGNMENTS_H

#include "base/intern.h"
#include "script/lexeme.h"

/* Left of an assignment: x, x.y, x[i].y, …; also x of `function x()` and x.y of `function x.y()`. */
struct phrase_target {
	size_t root, last; /* lexemes: what it starts and ends with */
	bool is_name;	   /* x alone */
	bool is_local;	   /* local x = …, for x = … */
	bool is_only;	   /* there is no other to the left of this = */
	size_t equals;	   /* the lexeme = */
};
typedef VEC(struct phrase_target) phrase_targets;

void code_assignments_find_targets(const char *text, const script_lexemes *lexemes,
				   phrase_targets *out);

/* Names that are declared somewhere in it: a use of one may mean that. */
void code_assignments_find_locals(const char *text, const script_lexemes *lexemes,
				  struct intern *out);

#endif

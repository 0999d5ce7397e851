/*
 * Finds the assignments and the local declarations in a piece of Lua by its lexemes alone, without
 * parsing it. The result is conservative: a name that is declared local anywhere in the piece may
 * be local everywhere.
 */
#ifndef GRAMMAR_CODE_ASSIGNMENTS_H
#define GRAMMAR_CODE_ASSIGNMENTS_H

#include "base/intern.h"
#include "script/lexeme.h"

/*
 * A target of an assignment: x, x.y, x[i].y, …; also x in `function x()` and x.y in `function
 * x.y()`.
 */
struct assignment_target {
	size_t root, last; /* index of its first and of its last lexeme */
	bool is_name;	   /* the target is a single name, x */
	bool is_local;	   /* local x = …, for x = …, local function x() */
	bool is_only;	   /* the statement has no other target */
	size_t equals;	   /* index of the lexeme `=`; for a function, of its name's last lexeme */
};
typedef VEC(struct assignment_target) assignment_targets;

void code_assignments_find_targets(const char *text, const script_lexemes *lexemes,
				   assignment_targets *out);

/*
 * Adds all names that the piece declares local somewhere. Any use of such a name may mean the
 * local.
 */
void code_assignments_find_locals(const char *text, const script_lexemes *lexemes,
				  struct intern *out);

#endif

/*
 * Grammars for the checker: a schedule on which a word of a view is said to be wrong. The judge plays
 * the schedule, reads the word off it by itself (all events of the view that lie on the schedule, in its order),
 * and judges it by doc/grammars.md with a parser and an evaluator of its own, straight from the
 * definitions: all trees by trying all, actions in a fresh Lua.
 */
#ifndef CHECK_GRAMMAR_H
#define CHECK_GRAMMAR_H

#include "check/pattern.h"
#include "script/script.h"

struct checker_sentence {
	const struct spec_file *file;
	const struct spec_property *property;
	const struct spec_formula *formula;
	const struct checker_property *events;
	/*
	 * By occurrence of `events`: values of its attributes, in the order of: the property's
	 * parameters, the event's locals, and of tid, callee, caller those that are not among them.
	 */
	const struct script_value *const *values;
	/* Whose word: of the thread `stream`; of the instance, by parameter: a value or CHECKER_UNBOUND;
	 * both UINT32_MAX and NULL: everybody's. An object's: only the view's parameter counts. */
	uint32_t stream;
	const uint32_t *binding;
	bool at_end; /* it is wrong because it ends with the schedule */
};

#endif

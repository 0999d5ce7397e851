/*
 * Grammars for the checker: a schedule on which a word of a view is said to be wrong. The judge plays
 * the schedule, sees for itself that no event of the view was left out of the word, and judges the
 * word by doc/grammars.md with a parser and an evaluator of its own, straight from the definitions: all
 * trees by trying all, actions in a fresh Lua. It takes what the property's events are, and when a
 * request was made, from whoever read them.
 */
#ifndef CHECK_GRAMMAR_H
#define CHECK_GRAMMAR_H

#include "check/formula.h"
#include "script/script.h"

/* Longer sessions of a grammar that is not LL(1) are refused: they are judged by trying everything. */
#define CHECKER_SESSION 4000u

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
	/*
	 * The moments at which events of the word happen, in its order; of a thread's word perhaps
	 * those of other threads too. `paused` has no meaning.
	 */
	const struct checker_moment *moments;
	size_t moment_count;
	/*
	 * Whose word: of the thread `stream`; of the object that `binding` has at the view's
	 * parameter; UINT32_MAX and NULL: everybody's.
	 */
	uint32_t stream;
	const uint32_t *binding;
	bool at_end; /* it is wrong because it ends with the schedule */
};

#endif

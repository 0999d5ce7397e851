/*
 * The claim that a word is wrong on a schedule. The checker plays the schedule, verifies that no
 * event of the word was left out, and judges the word by doc/grammars.md with its own parser and
 * evaluator, directly from the definitions: it finds all trees by exhaustive search and runs
 * actions in a fresh Lua state. It takes over from the caller what the property's events are and
 * when a request was made.
 */
#ifndef CHECK_GRAMMAR_H
#define CHECK_GRAMMAR_H

#include "check/formula.h"
#include "script/script.h"

/* Longer sessions of a grammar that is not LL(1) are refused: judging them is a full search. */
#define CHECKER_SESSION 4000u

struct checker_grammar_claim {
	const struct spec_file *file;
	const struct spec_property *property;
	const struct spec_formula *formula;
	const struct checker_property *events;
	/*
	 * By occurrence in `events`, the values of its attributes, in this order: the property's
	 * parameters, the event's locals, and those of tid, callee and caller that are not among
	 * them.
	 */
	const struct script_value *const *values;
	/*
	 * The moments at which events of the word happen, in the word's order; for a thread's word
	 * perhaps those of other threads too. `paused` has no meaning.
	 */
	const struct checker_moment *moments;
	size_t moment_count;
	/*
	 * Whose word it is: of the thread `stream`; of the object that `binding` has at the view's
	 * parameter; or, with UINT32_MAX and NULL, of all threads.
	 */
	uint32_t stream;
	const uint32_t *binding;
	bool at_end; /* it is wrong because it ends with the schedule */
};

#endif

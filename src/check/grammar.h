/*
 * The claim that a word is wrong on a schedule. The checker plays the schedule, verifies that no
 * event of the word was left out, and judges the word by doc/grammars.md with its own parser and
 * evaluator, directly from the definitions: it finds all trees by exhaustive search and runs
 * actions in a fresh Lua state. The caller says what the property's events are and when a request
 * was made.
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
	 * By occurrence in `events`: the values of its attributes, namely the property's
	 * parameters, the event's locals, and then tid, callee and caller, except those that are a
	 * parameter or a local.
	 */
	const struct script_value *const *values;
	/*
	 * The moments at which events of the word happen, in the word's order. For the word of one
	 * thread, moments of other threads may be among them. `paused` has no meaning.
	 */
	const struct checker_moment *moments;
	size_t moment_count;
	/*
	 * Whose word it is: that of the thread `stream`; that of the object to which `binding`
	 * binds the view's parameter; or that of all threads, if these are UINT32_MAX and NULL.
	 */
	uint32_t stream;
	const uint32_t *binding;
	bool at_end; /* it is wrong because it ends with the schedule */
};

#endif

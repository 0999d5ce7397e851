/*
 * The grammars of a set of properties: their tables, their verdicts on the recorded run, and what
 * is wrong with words of other runs.
 */
#ifndef MONITOR_GRAMMAR_GRAMMAR_FORMULAS_H
#define MONITOR_GRAMMAR_GRAMMAR_FORMULAS_H

#include "monitor/computation/computation.h"
#include "monitor/grammar/grammar_run.h"
#include "monitor/formula/machine.h"

struct observe_word;

/* A formula that is a grammar. */
struct grammar_formula {
	uint32_t property; /* index in the set */
	uint32_t number;   /* number of the formula in its property, from 1 */
	const struct spec_file *file;
	struct grammar *grammar;
	char *why; /* why the grammar is not judged, or not any further; otherwise NULL */
};

struct grammar_formulas {
	const struct property_set *set;
	VEC(struct grammar_formula) list;
	struct grammar_run_result run;
};

/* Makes the tables of all grammars. If a grammar is wrong, its `why` says so. */
void grammar_formulas_open(struct grammar_formulas *formulas, const struct property_set *set,
			   struct spec_file *const *files, size_t count);
void grammar_formulas_close(struct grammar_formulas *formulas);

/* Judges the recorded run. Returns false if the trace cannot be read. */
bool grammar_formulas_judge_recorded(struct grammar_formulas *formulas, const struct trace *trace,
				     struct spec_file *const *files, size_t count, bool ended,
				     struct err *err);

/* Returns NULL if there is no such grammar. */
struct grammar_formula *grammar_formulas_find(struct grammar_formulas *formulas, uint32_t property,
					      uint32_t number);

/* Makes the machine for the lattice of a view. Returns NULL with `err` set if that fails. */
struct machine *grammar_formulas_machine(const struct grammar_formulas *formulas,
					 const struct grammar_formula *grammar,
					 const struct computation *computation, struct err *err);

/* Moves a violation that an engine found to `result`, which outlives the grammar's tables. */
void grammar_formulas_take_violation(struct observe_word *result,
				     struct grammar_violation *violation);

/*
 * Parses the word of a run and returns what is wrong with it. `messages`: those messages of the
 * computation that monitors see.
 */
struct observe_word *grammar_formulas_explain_word(const struct grammar_formulas *formulas,
						   const struct grammar_formula *grammar,
						   const struct computation *computation,
						   const uint32_t *messages, size_t count,
						   bool at_end);

#endif

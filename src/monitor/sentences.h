/*
 * The grammars of a set of properties: their tables, the recorded run's verdicts, and words of other
 * runs told to people.
 */
#ifndef MONITOR_SENTENCES_H
#define MONITOR_SENTENCES_H

#include "monitor/computation.h"
#include "monitor/grammar_run.h"
#include "monitor/machine.h"

struct observe_sentence;

/* A formula that is a grammar. */
struct sentence {
	uint32_t property; /* in the set */
	uint32_t number;   /* of the formula, from 1 */
	const struct spec_file *file;
	struct grammar *grammar;
	char *why; /* it is not judged, or not any further; NULL */
};

struct sentences {
	const struct property_set *set;
	VEC(struct sentence) list;
	struct grammar_run_result run;
};

/* Makes the tables. What is wrong with a grammar is its `why`. */
void sentences_open(struct sentences *sentences, const struct property_set *set,
		    struct spec_file *const *files, size_t count);
void sentences_close(struct sentences *sentences);

/* The recorded run. False: the trace cannot be read. */
bool sentences_judge_recorded(struct sentences *sentences, const struct trace *trace,
			      struct spec_file *const *files, size_t count, bool ended,
			      struct err *err);

/* NULL: there is none. */
struct sentence *sentences_find(struct sentences *sentences, uint32_t property, uint32_t number);

/* The machine for the lattice of a view. NULL: `err`. */
struct machine *sentences_machine(const struct sentences *sentences,
				  const struct sentence *sentence,
				  const struct computation *computation, struct err *err);

/* Takes over what an engine says is wrong, so that it outlives the tables. */
void sentences_keep(struct observe_sentence *told, struct grammar_violation *violation);

/*
 * What is wrong with the word of a run: `messages` of the computation, as far as monitors see them. NULL:
 * nothing.
 */
struct observe_sentence *sentences_tell(const struct sentences *sentences,
					const struct sentence *sentence,
					const struct computation *computation,
					const uint32_t *messages, size_t count, bool at_end);

#endif

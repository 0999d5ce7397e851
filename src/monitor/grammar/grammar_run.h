/*
 * Judges grammars on the recorded run: one pass over the trace for all views. There is a word for
 * each thread and each live object; an object's word ends with its lifetime. Nothing else is kept,
 * so memory is proportional to the open sessions.
 */
#ifndef MONITOR_GRAMMAR_GRAMMAR_RUN_H
#define MONITOR_GRAMMAR_GRAMMAR_RUN_H

#include "grammar/word.h"
#include "property/property.h"

struct grammar_found {
	uint32_t property;     /* its index in the order of the files */
	uint32_t formula;      /* its number in the property, from 1 */
	struct event_id event; /* the violating event; with `at_end`, the last event of the word */
	uint64_t site;
	bool before, at_end;
	uint32_t stream; /* view thread: the thread; otherwise UINT32_MAX */
	/* by parameter, as in observe_finding; empty in the views `thread` and `global` */
	VEC(struct property_value) binding;
	struct grammar_violation violation;
	/*
	 * The last events of the session, for the report: at most GRAMMAR_RUN_SHOWN. The last one
	 * is `event`.
	 */
	VEC(struct event_id) session;
	uint64_t session_length;
};
#define GRAMMAR_RUN_SHOWN 200u

/*
 * A grammar whose analysis ended with an error: a Lua error, an ambiguous word, events that could
 * not be seen.
 */
struct grammar_unjudged {
	uint32_t property, formula;
	char *why;
};

struct grammar_run_result {
	/* one violation for each word; at most 64 at one site */
	VEC(struct grammar_found) found;
	VEC(struct grammar_unjudged) unjudged;
	uint64_t events, words;
	uint64_t most; /* most words of one grammar that were open at once */
};

/*
 * `grammars`: by formula of all properties of the files, in order; NULL where a formula is not a
 * grammar or is not to be judged. `ended`: the program exited normally and the recording is
 * complete.
 */
bool grammar_run(const struct trace *trace, struct spec_file *const *files, size_t count,
		 struct grammar *const *grammars, bool ended, struct grammar_run_result *result,
		 struct err *err);
void grammar_run_free(struct grammar_run_result *result);

#endif

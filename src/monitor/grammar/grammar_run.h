/*
 * Grammars on the recorded run: one pass over the trace, all views at once. A word for each thread and
 * for each living object; an object's goes with it. Nothing else is kept: memory is that of the open
 * sessions.
 */
#ifndef MONITOR_GRAMMAR_GRAMMAR_RUN_H
#define MONITOR_GRAMMAR_GRAMMAR_RUN_H

#include "grammar/word.h"
#include "property/property.h"

struct grammar_found {
	uint32_t property;     /* in the order of the files */
	uint32_t formula;      /* of the property, from 1 */
	struct event_id event; /* at which the word is wrong; at_end: its last one */
	uint64_t site;
	bool before, at_end;
	uint32_t stream; /* view thread: whose word; UINT32_MAX otherwise */
	VEC(struct property_value)
	binding; /* by parameter, as in observe_finding; empty: view thread, global */
	struct grammar_violation violation;
	/* the last events of the session, for people: at most GRAMMAR_RUN_SHOWN; the last one is `event` */
	VEC(struct event_id) session;
	uint64_t session_length;
};
#define GRAMMAR_RUN_SHOWN 200u

/* An analysis that ended with an error: Lua's, two trees, events that could not be seen. */
struct grammar_left {
	uint32_t property, formula;
	char *why;
};

struct grammar_run_result {
	VEC(struct grammar_found)
	found; /* each word's violation; of words wrong at one site the first 64 */
	VEC(struct grammar_left) left;
	uint64_t events, words;
	uint64_t most; /* words of one grammar that were open at once */
};

/*
 * `grammars`: by formula of all properties of the files, in order; NULL where a formula is no grammar
 * or is not to be judged. `ended`: the program ended by itself and nothing of the recording is missing.
 */
bool grammar_run(const struct trace *trace, struct spec_file *const *files, size_t count,
		 struct grammar *const *grammars, bool ended, struct grammar_run_result *result,
		 struct err *err);
void grammar_run_free(struct grammar_run_result *result);

#endif

/*
 * The effect of a controlled run in words: how it failed or, if it ended well, which value it read
 * that another run did not read.
 */
#ifndef EXPLORE_CONTROL_RUN_OUTCOME_H
#define EXPLORE_CONTROL_RUN_OUTCOME_H

#include "explore/control/runner.h"
#include "trace/symbol.h"

enum run_outcome_kind {
	RUN_OUTCOME_NONE,
	RUN_OUTCOME_VALUE, /* a read that saw another value */
	RUN_OUTCOME_STATUS,
	RUN_OUTCOME_HANG,
	RUN_OUTCOME_USE_AFTER_FREE,
	RUN_OUTCOME_BAD_FREE,
	RUN_OUTCOME_CRASH,
	RUN_OUTCOME_ASSERTION,
	RUN_OUTCOME_NOT_SHOWN, /* the run did not get that far: nothing is known about it */
};
const char *run_outcome_name(enum run_outcome_kind kind); /* "other value" */

#define RUN_OUTCOME_TEXT 1024
struct run_outcome {
	enum run_outcome_kind kind;
	char text[RUN_OUTCOME_TEXT]; /* details beyond the name, or empty */
};

/* Where the names of sites and objects come from: any recording of the same build. */
struct run_outcome_source {
	const struct trace *trace;
	struct trace_symbols *symbols; /* may be NULL */
};

/*
 * Describes how a run ended. `status` is the exit status of the recorded run, or -1 if it is not
 * known.
 */
void run_outcome_of_end(struct run_outcome *effect, const struct outcome *outcome,
			const struct run_outcome_source *source, int status);

/* "T1 waits for m, which T2 holds, at a.c:12 (f)". */
void run_outcome_describe_blocked(char text[RUN_OUTCOME_TEXT],
				  const struct control_blocked *blocked,
				  const struct run_outcome_source *source);

/* As snprintf; text that does not fit is cut off. */
void run_outcome_print(char text[RUN_OUTCOME_TEXT], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- values that were read ------------------------------------------------------------------- */

/*
 * The reads of a run, from the moment when all stops were reached. They are copies: the next run
 * does not overwrite them.
 */
struct run_outcome_read {
	uint32_t thread, step, size;
	uint64_t site, address, value;
};
typedef VEC(struct run_outcome_read) run_outcome_reads;

void run_outcome_copy_reads(run_outcome_reads *reads, const struct outcome *outcome);

/*
 * Finds the first read in `b` whose value differs in `a` and gives its positions in both. Returns
 * false if there is none, as far as the two runs do the same.
 */
bool run_outcome_find_difference(const run_outcome_reads *a, const run_outcome_reads *b,
				 size_t *in_a, size_t *in_b);

/* "T2 reads balance as 100 instead of 110 at bank.c:9 (teller)". */
void run_outcome_of_read(struct run_outcome *effect, const struct run_outcome_read *read,
			 uint64_t instead, const struct run_outcome_source *source);

#endif

/*
 * Describes in words what a controlled run led to: how it failed or, if it did not fail, which
 * value it read that another run did not read.
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
	RUN_OUTCOME_UNDECIDED, /* the run was ended by a limit: it may be slow, or hang */
	RUN_OUTCOME_NOT_SHOWN, /* the run did not get to the finding, so nothing is known */
};
const char *run_outcome_name(enum run_outcome_kind kind); /* such as "other value" */

#define RUN_OUTCOME_TEXT 1024
struct run_outcome {
	enum run_outcome_kind kind;
	char text[RUN_OUTCOME_TEXT]; /* details beyond the name, or empty */
};

/* The recording that names of sites and objects are taken from: any one of the same build. */
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

/* Example: "T1 waits for m, which T2 holds, at a.c:12 (f)". */
void run_outcome_describe_blocked(char text[RUN_OUTCOME_TEXT],
				  const struct control_blocked *blocked,
				  const struct run_outcome_source *source);

/* As snprintf; text that does not fit is cut off. */
void run_outcome_print(char text[RUN_OUTCOME_TEXT], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- values that were read ------------------------------------------------------------------- */

/*
 * A read. run_outcome_copy_reads() copies the reads that follow the moment when all stops were
 * reached, because the next run overwrites the log.
 */
struct run_outcome_read {
	uint32_t thread, step, size;
	uint64_t site, address, value;
};
typedef VEC(struct run_outcome_read) run_outcome_reads;

void run_outcome_copy_reads(run_outcome_reads *reads, const struct outcome *outcome);

/*
 * Finds the first read in `b` that has another value than the same read in `a`, and returns its
 * index in both. Two reads are the same if thread, step and site are equal. Returns false if there
 * is none.
 */
bool run_outcome_find_difference(const run_outcome_reads *a, const run_outcome_reads *b,
				 size_t *in_a, size_t *in_b);

/*
 * Example: "T2 reads balance as 100 instead of 110 at bank.c:9 (teller)". `instead` is the other
 * value.
 */
void run_outcome_of_read(struct run_outcome *effect, const struct run_outcome_read *read,
			 uint64_t instead, const struct run_outcome_source *source);

#endif

/*
 * What goes wrong in a controlled run: how it ended, or, if it ended well, what it read that another
 * run did not.
 */
#ifndef EXPLORE_EFFECT_H
#define EXPLORE_EFFECT_H

#include "explore/session.h"
#include "trace/symbol.h"

enum effect_kind {
	EFFECT_NONE,
	EFFECT_VALUE, /* a read that saw another value */
	EFFECT_STATUS,
	EFFECT_HANG,
	EFFECT_USE_AFTER_FREE,
	EFFECT_BAD_FREE,
	EFFECT_CRASH,
	EFFECT_ASSERTION,
	EFFECT_NOT_SHOWN, /* the run did not come so far: nothing is known of it */
};
const char *effect_name(enum effect_kind kind); /* "other value" */

#define EFFECT_TEXT 1024
struct effect {
	enum effect_kind kind;
	char text[EFFECT_TEXT]; /* more than the name says, or empty */
};

/* Where words about a run's sites come from: any recording of the same build. */
struct effect_source {
	const struct trace *trace;
	struct trace_symbols *symbols; /* may be NULL */
};

/* `status` is how the recorded run exited, or -1: not known. */
void effect_of_end(struct effect *effect, const struct outcome *outcome,
		   const struct effect_source *source, int status);

/* "T1 waits for m, which T2 holds, at a.c:12 (f)". */
void effect_blocked_words(char text[EFFECT_TEXT], const struct control_blocked *blocked,
			  const struct effect_source *source);

/* As snprintf; what does not fit is cut. */
void effect_print(char text[EFFECT_TEXT], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- what was read ------------------------------------------------------------------------- */

/* The reads of a run from the meeting on, kept beyond it. */
struct effect_read {
	uint32_t thread, step, size;
	uint64_t site, address, value;
};
typedef VEC(struct effect_read) effect_reads;

void effect_keep_reads(effect_reads *reads, const struct outcome *outcome);

/*
 * The first read of `b` that has another value in `a`: positions in both. False: none, as far as the
 * two runs do the same.
 */
bool effect_find_difference(const effect_reads *a, const effect_reads *b, size_t *in_a,
			    size_t *in_b);

/* "T2 reads balance as 100 instead of 110 at bank.c:9 (teller)". */
void effect_of_read(struct effect *effect, const struct effect_read *read, uint64_t instead,
		    const struct effect_source *source);

#endif

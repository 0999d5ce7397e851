/*
 * The independent checker of witnesses. It shares no code with the engine. It reads the trace
 * itself, plays the base run event by event with its own model of locks, conditions and memory
 * (doc/prediction.md defines the rules), and then plays each witness from the start of its window.
 * Only witnesses that it accepts are reported.
 */
#ifndef CHECK_CHECKER_H
#define CHECK_CHECKER_H

#include "base/err.h"
#include "trace/trace.h"

/* A slice of the base run: the stream's events up to, but not including, index `end`. */
struct checker_slice {
	uint32_t stream;
	uint64_t end;
};

enum checker_claim {
	CHECKER_RACE,  /* two conflicting accesses, not both atomic, are next */
	CHECKER_CYCLE, /* each event is next, and blocked by the thread of another one of them */
	CHECKER_STUCK, /* every thread is over, not created, or blocked at one of the events */
	CHECKER_LOST,  /* as STUCK; one event is a wait that began after its recorded signal */
	/* [local, remote …, local]: another thread breaks the atomicity of a region */
	CHECKER_ATOMICITY,
	/* [end of a lifetime, use]: the use is next and the lifetime is over, or can be */
	CHECKER_FREED,
	CHECKER_MISUSE,	 /* as `misuse` says (doc/prediction.md) */
	CHECKER_PREFIX,	 /* the schedule is possible; nothing more is claimed */
	CHECKER_PATTERN, /* a property's pattern matches, as `match` says (check/pattern.h) */
	CHECKER_FORMULA, /* a property's formula is violated, as `word` says (check/formula.h) */
	/* a grammar rejects a word at its last event, as `sentence` says (check/grammar.h) */
	CHECKER_GRAMMAR,
};

struct checker_pattern_claim;
struct checker_formula_claim;
struct checker_grammar_claim;

/*
 * A step means that its stream runs up to and including that event, with all events in between. The
 * claim is about `events`. A thread that hung at the end of the recording is named by its last
 * event, which is the request that was never granted.
 */
struct checker_witness {
	enum checker_claim claim;
	const struct event_id *events, *steps;
	size_t event_count, step_count;
	enum event_misuse misuse;		      /* MISUSE */
	const struct checker_pattern_claim *match;    /* PATTERN; then `events` are not used */
	const struct checker_formula_claim *word;     /* FORMULA; likewise */
	const struct checker_grammar_claim *sentence; /* GRAMMAR; likewise */
};

struct checker;

struct checker *checker_open(const struct trace *trace);
void checker_close(struct checker *checker);

/*
 * Moves the checker to a window. `before` is the part of the base run from the start of the last
 * window to the start of this one; `within` is the part in the window. Returns false, with a reason
 * in `err`, if the slices do not fit the trace.
 */
bool checker_enter(struct checker *checker, const struct checker_slice *before, size_t before_count,
		   const struct checker_slice *within, size_t within_count, struct err *err);

/*
 * Does the witness show what it claims? If not, `err` says why. The schedule starts at the start of
 * the window.
 */
bool checker_accepts(struct checker *checker, const struct checker_witness *witness,
		     struct err *err);

#endif

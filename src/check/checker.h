/*
 * The independent judge of witnesses. It shares no code with the engine: it reads the trace
 * itself, plays the base run event by event with its own idea of what locks, conditions and
 * memory do (doc/prediction.md is the law), and then plays each witness from where its window
 * starts. What it accepts may be reported.
 */
#ifndef CHECK_CHECKER_H
#define CHECK_CHECKER_H

#include "base/err.h"
#include "trace/trace.h"

/* A stretch of the base run: the stream's events up to, not with, index `end`. */
struct checker_run {
	uint32_t stream;
	uint64_t end;
};

enum checker_claim {
	CHECKER_RACE,  /* two conflicting accesses, not both atomic, are next */
	CHECKER_CYCLE, /* each event is next and blocked by something that another's thread has */
	CHECKER_STUCK, /* every thread is over, not created, or blocked: at these events */
	CHECKER_LOST,  /* as STUCK, and a wait among them began after its recorded signal */
	CHECKER_ATOMICITY, /* [local, remote …, local]: a region is torn by another thread */
	CHECKER_FREED,	 /* [end of a life, use]: the use is next and its life is over, or can be */
	CHECKER_MISUSE,	 /* as `misuse` says (doc/prediction.md) */
	CHECKER_PREFIX,	 /* the schedule can happen; no more is claimed */
	CHECKER_PATTERN, /* a property's pattern matches, as `match` says (check/pattern.h) */
	CHECKER_FORMULA, /* a property's formula is violated, as `word` says (check/formula.h) */
	CHECKER_GRAMMAR, /* a word is wrong at the last event of it, as `sentence` says (check/grammar.h) */
};

struct checker_match;
struct checker_word;
struct checker_sentence;

/*
 * A step means: that stream runs on up to and including that event; what lies between belongs to
 * the step. `events` are what the claim is about. A thread that hung at the end of the recording
 * is named by its last event, the request that never came through.
 */
struct checker_witness {
	enum checker_claim claim;
	const struct event_id *events, *steps;
	size_t event_count, step_count;
	enum event_misuse misuse;		 /* MISUSE */
	const struct checker_match *match;	 /* PATTERN; `events` are not looked at then */
	const struct checker_word *word;	 /* FORMULA; the same */
	const struct checker_sentence *sentence; /* GRAMMAR; the same */
};

struct checker;

struct checker *checker_open(const struct trace *trace);
void checker_close(struct checker *checker);

/*
 * Moves the checker to a window. `before`: the part of the base run from where the last window
 * started to where this one does; `within`: the part that the window covers. False, with a
 * reason, when the runs do not fit the trace.
 */
bool checker_enter(struct checker *checker, const struct checker_run *before, size_t before_count,
		   const struct checker_run *within, size_t within_count, struct err *err);

/* Is the witness right, from the start of the window on? False: `err` says what is not. */
bool checker_accepts(struct checker *checker, const struct checker_witness *witness,
		     struct err *err);

#endif

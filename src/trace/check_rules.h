/* The rules of `trace_check` for one kind of object each, and what they report through. */
#ifndef TRACE_CHECK_RULES_H
#define TRACE_CHECK_RULES_H

#include "base/map.h"
#include "trace/check.h"
#include "trace/symbol.h"

struct check_object {
	uint64_t address;
	uint32_t holder; /* number + 1 of the thread; of a once: of the stream */
	uint32_t depth;
	uint32_t readers;
	bool count_known, running, ran;
	uint64_t count;		  /* semaphore: value; barrier: how many meet */
	uint64_t arrived, passed; /* at a barrier */
	uint64_t late;	   /* who has met there in an earlier life of it and has not passed yet */
	uint64_t sequence; /* of the last event, in a controlled recording */
	uint8_t value[16], known[16]; /* what atomics left there, byte by byte */
};

/* An atomic that read what no atomic wrote. */
struct check_doubt {
	uint64_t address, size;
	uint8_t value[16]; /* what it read */
	bool contradicted; /* an atomic did write that, at another time */
	char *text;
};

struct check {
	const struct trace *trace;
	struct trace_symbols *symbols;
	struct check_report *report;
	struct map index; /* address to position + 1 in objects */
	VEC(struct check_object) objects;
	struct map gone;	 /* streams that ended or stopped: they hold nothing any more */
	struct map waiting;	 /* stream to condition + 1 … */
	struct map waiting_with; /* … and to the mutex it gave back */
	struct map handling;	 /* stream of a handler: is one running? */
	struct map blocks;	 /* address to size + 1 of a live heap block, 0 freed */
	struct map created, joined, seen; /* stream numbers */
	struct map steps;		  /* stream to how many it has; controlled recordings */
	VEC(struct check_doubt) doubts;
	/*
	 * What a thread did last may be missing: the process ended between an operation and its
	 * record. Each stream that was not ended properly can explain one surprise.
	 */
	uint64_t may_be_lost;
	bool stopped; /* a stream had to stop before: from here on things happen unseen */
};

/* What cannot be, if every operation was recorded: a note when some were not, bad otherwise. */
void check_surprise(struct check *c, const struct trace_event *ev, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void check_violation(struct check *c, const struct trace_event *ev, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void check_note(struct check *c, const struct trace_event *ev, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "T1 event 17 (a.c:12): " and the message; to be freed. */
char *check_message(struct check *c, const struct trace_event *ev, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

struct check_object *check_object(struct check *c, uint64_t address);
/* These take the text over. */
void check_add_violation(struct check *c, char *text);
void check_add_note(struct check *c, char *text);

void check_lock(struct check *c, const struct trace_event *ev);
void check_condition(struct check *c, const struct trace_event *ev);
/*
 * Who waits uses no lock until it wakes up (a cancelled one unwinds before that), and in a text
 * does nothing at all.
 */
void check_awake(struct check *c, const struct trace_event *ev);
/* In a text, a handler's events stand between its `handler` and `handlerend`. */
void check_handler(struct check *c, const struct trace_event *ev);
void check_thread(struct check *c, const struct trace_event *ev);
void check_semaphore(struct check *c, const struct trace_event *ev);
void check_barrier(struct check *c, const struct trace_event *ev);
void check_once(struct check *c, const struct trace_event *ev);
void check_memory(struct check *c, const struct trace_event *ev);
void check_atomic(struct check *c, const struct trace_event *ev);

/* A controlled recording: numbers of an object rise along the schedule … */
void check_sequence(struct check *c, const struct trace_event *ev);
/* … and each stream has the steps that the schedule says. TRACE_NO_STEP: not a thread's. */
void check_count_steps(struct check *c, uint32_t stream, uint64_t steps);
void check_schedule(struct check *c);

/* Drops the doubts that a plain write or a new life of the memory explains, reports the rest. */
void check_settle_doubts(struct check *c);

#endif

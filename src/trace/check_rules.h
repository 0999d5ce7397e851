/* The rules of trace_check(), a function per kind of object, and how they report violations. */
#ifndef TRACE_CHECK_RULES_H
#define TRACE_CHECK_RULES_H

#include "base/map.h"
#include "trace/check.h"
#include "trace/symbol.h"

struct check_object {
	uint64_t address;
	/* number + 1 of the thread that holds it; for a once: of the stream that runs it */
	uint32_t holder;
	uint32_t depth;
	uint32_t readers;
	bool count_known, running, ran;
	uint64_t count;		  /* semaphore: its value; barrier: how many threads meet */
	uint64_t arrived, passed; /* threads at a barrier */
	/* threads that met in an earlier lifetime of the barrier and have not passed yet */
	uint64_t late;
	uint64_t sequence;	      /* of the last event, in a controlled recording */
	uint8_t value[16], known[16]; /* what the last atomic left there, byte by byte */
};

/* An atomic that read a value which no atomic wrote. */
struct check_doubt {
	uint64_t address, size;
	uint8_t value[16]; /* what it read */
	bool contradicted; /* an atomic wrote this value, but not last */
	char *text;
};

struct check {
	const struct trace *trace;
	struct trace_symbols *symbols;
	struct check_report *report;
	struct map index; /* address to position + 1 in objects */
	VEC(struct check_object) objects;
	/* streams that ended or were stopped: they hold no locks any more */
	struct map gone;
	struct map waiting;	 /* stream to condition + 1 that it waits on … */
	struct map waiting_with; /* … and to the mutex it released for that */
	struct map handling;	 /* stream of a handler to whether it is running */
	/* address to size + 1 of a live heap block, or 0 if it was freed */
	struct map blocks;
	struct map created, joined, seen; /* stream numbers */
	/* stream to its number of steps, in a controlled recording */
	struct map steps;
	VEC(struct check_doubt) doubts;
	/*
	 * A thread's last operation may be missing: the process can end between an operation and
	 * its record. Each stream that did not end properly can explain one surprise.
	 */
	uint64_t may_be_lost;
	bool stopped; /* a stream was stopped by a limit: from here on events are missing */
};

/*
 * A surprise is something that is impossible if every operation was recorded: a note if some may be
 * missing, otherwise a violation.
 */
enum check_severity { CHECK_NOTE, CHECK_SURPRISE, CHECK_VIOLATION };

/* Reports an event; the message is as in check_message(). */
void check_report(struct check *c, enum check_severity severity, const struct trace_event *ev,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));
#define check_note(c, ev, ...) check_report(c, CHECK_NOTE, ev, __VA_ARGS__)
#define check_surprise(c, ev, ...) check_report(c, CHECK_SURPRISE, ev, __VA_ARGS__)
#define check_violation(c, ev, ...) check_report(c, CHECK_VIOLATION, ev, __VA_ARGS__)

/* Adds a note or a violation, and takes ownership of the text. */
void check_add(struct check *c, enum check_severity severity, char *text);

/* Returns "T1 event 17 (a.c:12): " and the message. The caller frees it. */
char *check_message(struct check *c, const struct trace_event *ev, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

struct check_object *check_object(struct check *c, uint64_t address);

void check_lock(struct check *c, const struct trace_event *ev);
void check_condition(struct check *c, const struct trace_event *ev);
/*
 * A waiting thread uses no lock until it wakes up (a cancelled thread unwinds before that). In a
 * text trace it does nothing at all.
 */
void check_awake(struct check *c, const struct trace_event *ev);
/* In a text trace, a handler's events stand between its `handler` and `handlerend`. */
void check_handler(struct check *c, const struct trace_event *ev);
void check_thread(struct check *c, const struct trace_event *ev);
void check_semaphore(struct check *c, const struct trace_event *ev);
void check_barrier(struct check *c, const struct trace_event *ev);
void check_once(struct check *c, const struct trace_event *ev);
void check_memory(struct check *c, const struct trace_event *ev);
void check_atomic(struct check *c, const struct trace_event *ev);

/* In a controlled recording, an object's sequence numbers rise along the schedule … */
void check_sequence(struct check *c, const struct trace_event *ev);
/* … and each stream has the steps of the schedule. `steps` is TRACE_NO_STEP in a handler. */
void check_count_steps(struct check *c, uint32_t stream, uint64_t steps);
void check_schedule(struct check *c);

/* Drops the doubts that plain writes or new lifetimes of the memory explain; reports the rest. */
void check_settle_doubts(struct check *c);

#endif

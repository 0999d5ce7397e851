/*
 * Turns: in a controlled run one thread runs at a time, and before every visible operation it is
 * decided who goes on (doc/controlled-runs.md). This is the one header of the scheduler that the
 * interposers know.
 *
 * An interposer of an operation does, in this order:
 *	if (turn_on())
 *		turn_take(…)	returns when the operation can happen, and will not block
 *	the real operation
 *	record(…)		which counts the step (turn_did)
 * Conditions and barriers, whose real functions would block, are played by the scheduler alone.
 */
#ifndef RUNTIME_TURN_H
#define RUNTIME_TURN_H

#include "event/control.h"
#include "event/event.h"
#include "runtime/lane.h"

/* Does this process take turns? Decided once, when the runtime starts. */
extern bool turn_taking;

/* Does the calling thread, now? Not inside the runtime, not in a signal handler. */
static inline bool turn_on(void)
{
	return __builtin_expect(turn_taking, 0) && !lane_self.quiet && !lane_self.ended &&
	       lane_self.depth == 0;
}

struct turn_want {
	enum event_kind kind; /* what it will be if it succeeds: EV_ACQUIRE, EV_READ, EV_WOKEN … */
	enum event_how how;   /* PLAIN waits; TRY does not; TIMED may give up */
	uint32_t size;
	uint64_t object; /* address; JOIN: number of the other thread */
	uint64_t other;	 /* WAIT, WOKEN: the mutex; accesses: value to be written, if known */
	uint64_t site;	 /* element of the site, or return address */
	uint64_t until;	 /* TIMED: virtual time in ns */
	bool foreign;	 /* the caller is not instrumented: no decision unless it has to wait */
};

enum turn_answer { TURN_GO, TURN_TIMED_OUT, TURN_SPURIOUS };

/* Before an operation. Returns when it is this thread's turn and the operation can happen. */
enum turn_answer turn_take(const struct turn_want *want);

/*
 * Counts a step of the calling thread and logs it. Called by record() and record_close() for the
 * kinds that are steps (turn_is_step), and by the stub before an access.
 */
void turn_did(enum event_kind kind, uint64_t object, uint64_t other, uint32_t size, uint64_t site);
bool turn_is_step(enum event_kind kind);

/* Around a call that may block in the kernel: others go on meanwhile; back at their next switch. */
void turn_leave(uint64_t site);
void turn_return(void);

/* ---- threads (thread.c) ---- */

/* The number for a thread that the caller is about to create: by its path. Used as its stream. */
uint32_t turn_new_thread(void);
void turn_created(uint32_t thread);   /* the real creation succeeded; CONTROL_NONE: failed */
void turn_begin_thread(uint32_t thread); /* in the new thread: returns when it is its turn */
void turn_end_thread(void);		 /* behind END: the turn goes to somebody else */

/* ---- the process (process.c) ---- */

void turn_start(void);	/* reads the options; may become a server and return in each child */
void turn_finish(enum control_result result, const char *text); /* writes what the tool reads */
void turn_after_fork(void); /* a child of the program itself: takes no turns */

#endif

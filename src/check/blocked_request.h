/*
 * What a thread would do next, or asked for when the recording ended, if that is something that
 * can block; and what keeps it from it.
 */
#ifndef CHECK_BLOCKED_REQUEST_H
#define CHECK_BLOCKED_REQUEST_H

#include "check/play.h"

struct checker_want {
	uint8_t kind; /* ACQUIRE, READ_ACQUIRE, WOKEN, DOWN, PASS, ONCE, JOIN; NONE: none of these */
	bool pending; /* the recording ended with it */
	bool timed;   /* it gives up some time */
	uint32_t thread;
	uint64_t address;		    /* of the object; of a JOIN the stream's position */
	uint64_t mutex;			    /* of a WOKEN */
	const struct checker_record *event; /* that names it in a claim; NULL: not in the window */
};

struct checker_want checker_want_of(const struct checker_play *play, uint32_t thread);

/* The threads that have what it wants, or are what it waits for: the i-th, or CHECKER_END. */
uint32_t checker_want_blocker(const struct checker_play *play, const struct checker_want *want,
			      size_t i);

/* Is it blocked by such a thread, or by a count: a semaphore, a barrier? */
bool checker_want_is_blocked(const struct checker_play *play, const struct checker_want *want);

/* Does it wait for a signal, without an end? Whether one came is a question for all such waits. */
bool checker_want_is_wait(const struct checker_play *play, const struct checker_want *want);

#endif

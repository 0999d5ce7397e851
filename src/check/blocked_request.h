/*
 * The blocking operation that a thread would do next, or was waiting for when the recording ended;
 * and what blocks it.
 */
#ifndef CHECK_BLOCKED_REQUEST_H
#define CHECK_BLOCKED_REQUEST_H

#include "check/play.h"

struct checker_request {
	/* ACQUIRE, READ_ACQUIRE, WOKEN, DOWN, PASS, ONCE, JOIN; NONE if it does not block */
	uint8_t kind;
	bool pending; /* the recording ended while the thread waited for it */
	bool timed;   /* it has a time-out */
	uint32_t thread;
	uint64_t address; /* of the object; for a JOIN, position of the stream */
	uint64_t mutex;	  /* of a WOKEN */
	/* the event that names it in a claim; NULL if it is not in the window */
	const struct checker_record *event;
};

struct checker_request checker_next_request(const struct checker_play *play, uint32_t thread);

/*
 * Returns the i-th thread that blocks the request, because it holds the object or is what the
 * request waits for; CHECKER_END if there are no more.
 */
uint32_t checker_request_blocker(const struct checker_play *play,
				 const struct checker_request *request, size_t i);

/* Is it blocked by such a thread, or by a count (a semaphore, a barrier)? */
bool checker_request_is_blocked(const struct checker_play *play,
				const struct checker_request *request);

/*
 * Does it wait for a signal, without a time-out? Whether a signal came must be decided for all such
 * waits together (checker_condition_unwoken()).
 */
bool checker_request_is_wait(const struct checker_play *play,
			     const struct checker_request *request);

#endif

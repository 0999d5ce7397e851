/*
 * The blocking operation that a thread would do next, or was waiting for when the recording ended;
 * and what blocks that operation.
 */
#ifndef CHECK_BLOCKED_REQUEST_H
#define CHECK_BLOCKED_REQUEST_H

#include "check/play.h"

struct checker_request {
	/*
	 * ACQUIRE, READ_ACQUIRE, WOKEN, DOWN, PASS, ONCE, JOIN; NONE if the thread does not block
	 */
	uint8_t kind;
	bool pending; /* the recording ended while the thread waited for it */
	bool timed;   /* it has a time-out */
	uint32_t thread;
	uint64_t address; /* of the object; for a JOIN, position of the joined thread's stream */
	uint64_t mutex;	  /* for a WOKEN: address of the mutex */
	/* the event that names the request in a claim; NULL if it is not in the window */
	const struct checker_record *event;
};

struct checker_request checker_next_request(const struct checker_play *play, uint32_t thread);

/*
 * Returns the i-th thread that blocks the request because it holds the object, runs the once
 * routine, or is to be joined. CHECKER_END if there are no more.
 */
uint32_t checker_request_blocker(const struct checker_play *play,
				 const struct checker_request *request, size_t i);

/* Is the request blocked by such a thread, or by the count of a semaphore or barrier? */
bool checker_request_is_blocked(const struct checker_play *play,
				const struct checker_request *request);

/*
 * Does the request wait for a signal, without a time-out? Whether a signal woke it must be decided
 * for all such requests together (checker_condition_unwoken()).
 */
bool checker_request_is_wait(const struct checker_play *play,
			     const struct checker_request *request);

#endif

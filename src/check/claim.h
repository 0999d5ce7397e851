/* What judges of claims ask about the events that a witness names. */
#ifndef CHECK_CLAIM_H
#define CHECK_CLAIM_H

#include "check/play.h"

/* "T1 event 4" */
struct checker_words checker_claim_words(const struct checker_play *play,
					 const struct event_id *event);

bool checker_claim_names(const struct checker_play *play, const struct event_id *event,
			 const struct checker_record *record);

/* The thread that an event is of, or CHECKER_END. */
uint32_t checker_claim_thread(const struct checker_play *play, const struct event_id *event);

/* Its number in the window; 0, and `err`, when it is not there. */
uint32_t checker_claim_number(const struct checker_play *play, const struct event_id *event,
			      struct err *err);

bool checker_claim_not_next(const struct checker_play *play, const struct event_id *event,
			    struct err *err);

/*
 * Is it its thread's next event, and can it come: the thread was created, is at no barrier, and what
 * must come first has, but for the reasons `without` (play.h)?
 */
bool checker_claim_is_next(const struct checker_play *play, const struct event_id *event,
			   unsigned without, struct err *err);

/* Where in the schedule the window's event happened, from 1 on; 0: it has not. */
size_t checker_claim_place(const struct checker_play *play, uint32_t number);

#endif

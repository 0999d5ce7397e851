/* Queries about the events that a witness names, shared by the checks of all claims. */
#ifndef CHECK_CLAIM_H
#define CHECK_CLAIM_H

#include "check/play.h"

/* Returns the event's name for messages, such as "T1 event 4". */
struct checker_words checker_claim_words(const struct checker_play *play,
					 const struct event_id *event);

bool checker_claim_names(const struct checker_play *play, const struct event_id *event,
			 const struct checker_record *record);

/* Returns the thread that executed an event, or CHECKER_END. */
uint32_t checker_claim_thread(const struct checker_play *play, const struct event_id *event);

/* Returns the event's number in the window; 0, with `err`, if it is not there. */
uint32_t checker_claim_number(const struct checker_play *play, const struct event_id *event,
			      struct err *err);

bool checker_claim_not_next(const struct checker_play *play, const struct event_id *event,
			    struct err *err);

/*
 * Is the event its thread's next one, and can it come next? Its thread must have been created and
 * must not be at a barrier. All events that must come first must have happened, except those
 * required only for the reasons in `without` (play.h).
 */
bool checker_claim_is_next(const struct checker_play *play, const struct event_id *event,
			   unsigned without, struct err *err);

/* Returns the position of the window's event in the schedule, from 1; 0 if it has not happened. */
size_t checker_claim_position(const struct checker_play *play, uint32_t number);

#endif

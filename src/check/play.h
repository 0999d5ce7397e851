/* A witness being played, event by event, from where its window starts. */
#ifndef CHECK_PLAY_H
#define CHECK_PLAY_H

#include "check/base.h"
#include "check/checker.h"

struct checker_play {
	const struct checker_base *base;
	struct checker_world *world;
	uint32_t *next;	     /* for each thread: its next event in the window, or CHECKER_END */
	VEC(uint32_t) order; /* numbers of the window's events, as they happened */
};

void checker_play_open(struct checker_play *play, const struct checker_base *base);
void checker_play_close(struct checker_play *play);

/* Plays all steps. False: `err` says which event cannot happen when its turn comes, and why. */
bool checker_play_steps(struct checker_play *play, const struct checker_event *steps, size_t count,
			struct err *err);

/* Has the window's event with this number happened? */
bool checker_play_happened(const struct checker_play *play, uint32_t number);

/*
 * What must have happened for a next event to be one: its thread was created, and all that has to
 * keep its order before it is there. What it would read, or whether it would block, is open.
 */
bool checker_play_is_ready(const struct checker_play *play, uint32_t number, struct err *why);

/* Have all events of the thread happened, also those behind the window? */
bool checker_play_is_through(const struct checker_play *play, uint32_t thread);

/* Has it come through, and did the recording end while its last event, a request, hung? */
bool checker_play_hangs(const struct checker_play *play, uint32_t thread);

/* Did the thread arrive at a barrier that it may not leave yet? */
bool checker_play_is_at_barrier(const struct checker_play *play, uint32_t stream);

/* ---- what is claimed (claims.c) ----------------------------------------------------------- */

bool checker_play_shows(const struct checker_play *play, const struct checker_witness *witness,
			struct err *err);

/* The same for a pattern (pattern.c). */
bool checker_play_matches(const struct checker_play *play, const struct checker_match *match,
			  struct err *err);

/* … and for a formula (formula.c). */
bool checker_play_violates(const struct checker_play *play, const struct checker_word *word,
			   struct err *err);

/* … and for a word of a grammar (grammar.c). */
bool checker_play_misspells(const struct checker_play *play,
			    const struct checker_sentence *sentence, struct err *err);

/* One event more, if it is next and can happen: false, with `why`, otherwise. */
bool checker_play_event(struct checker_play *play, uint32_t number, struct err *why);

#endif

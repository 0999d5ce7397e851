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
	/* The end of a life that comes before uses it had behind them: no life binds it but those that
	 * begin what it ends. 0: there is none. */
	uint32_t early;
};

/* Which reasons (enum checker_why) for an order do not count. */
#define CHECKER_NO_OBJECTS (1u << CHECKER_WHY_OBJECT)
#define CHECKER_NO_LIVES (1u << CHECKER_WHY_LIFE | CHECKER_NO_OBJECTS)

void checker_play_open(struct checker_play *play, const struct checker_base *base);
void checker_play_close(struct checker_play *play);

/* Plays all steps. False: `err` says which event cannot happen when its turn comes, and why. */
bool checker_play_steps(struct checker_play *play, const struct event_id *steps, size_t count,
			struct err *err);

/* Has the window's event with this number happened? */
bool checker_play_happened(const struct checker_play *play, uint32_t number);

/*
 * What must have happened for a next event to be one: its thread was created, and all that has to
 * keep its order before it is there. What it would read, or whether it would block, is open.
 */
bool checker_play_is_ready(const struct checker_play *play, uint32_t number, struct err *why);
/* May it have waited for anything that came before it? Then it needs all of that. */
bool checker_play_is_behind_all(const struct checker_play *play,
				const struct checker_record *record);
/* The same as is_ready, without some reasons for an order. */
bool checker_play_is_free(const struct checker_play *play, uint32_t number, unsigned without,
			  struct err *why);
/* Have all begins happened that the base run has before this end, of what it ends? */
bool checker_play_has_begun(const struct checker_play *play, uint32_t end, struct err *why);

/* Have all events of the thread happened, also those behind the window? */
bool checker_play_is_through(const struct checker_play *play, uint32_t thread);

/* Has it come through, and did the recording end while its last event, a request, hung? */
bool checker_play_hangs(const struct checker_play *play, uint32_t thread);

/* Did the thread arrive at a barrier that it may not leave yet? */
bool checker_play_is_at_barrier(const struct checker_play *play, uint32_t stream);

/* ---- what is claimed (claims.c) ----------------------------------------------------------- */

bool checker_play_shows(const struct checker_play *play, const struct checker_witness *witness,
			struct err *err);

/* An end of a life and a use of what is over (lifetime.c): which end comes early, and is it there? */
void checker_play_expect(struct checker_play *play, const struct checker_witness *witness);
bool checker_play_frees(const struct checker_play *play, const struct checker_witness *witness,
			struct err *err);

/* A region that another thread tears (atomicity.c). */
bool checker_play_tears(const struct checker_play *play, const struct checker_witness *witness,
			struct err *err);

/* What is done wrong with threads and sync objects (misuse.c). */
bool checker_play_misuses(const struct checker_play *play, const struct checker_witness *witness,
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

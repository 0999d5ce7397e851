/* Plays a witness event by event, from the start of its window. */
#ifndef CHECK_PLAY_H
#define CHECK_PLAY_H

#include "check/base.h"
#include "check/checker.h"

struct checker_play {
	const struct checker_base *base;
	struct checker_world *world;
	uint32_t *next;	     /* by thread: its next event in the window, or CHECKER_END */
	VEC(uint32_t) order; /* numbers of the window's events, in the order they happened */
	/*
	 * An end of a lifetime that comes early: before uses that preceded it in the base run. Only
	 * the events that begin what it ends must come before it. 0 if there is none.
	 */
	uint32_t early;
};

/* Sets of reasons for an order (enum checker_why), to be ignored. */
#define CHECKER_NO_OBJECTS (1u << CHECKER_WHY_OBJECT)
#define CHECKER_NO_LIFETIMES (1u << CHECKER_WHY_LIFETIME | CHECKER_NO_OBJECTS)

void checker_play_open(struct checker_play *play, const struct checker_base *base);
void checker_play_close(struct checker_play *play);

/* Plays all steps. Returns false if an event cannot happen in its turn; `err` says why. */
bool checker_play_steps(struct checker_play *play, const struct event_id *steps, size_t count,
			struct err *err);

/* Has the window's event with this number happened? */
bool checker_play_happened(const struct checker_play *play, uint32_t number);

/*
 * Can this event, which is its thread's next, come next? Its thread must have been created, and
 * everything must have happened that must come before it. Its value, and whether it would block,
 * are not checked.
 */
bool checker_play_is_ready(const struct checker_play *play, uint32_t number, struct err *why);
/* May the event have waited for any event before it? Then it needs all of them. */
bool checker_play_is_after_all(const struct checker_play *play,
			       const struct checker_record *record);
/* As checker_play_is_ready(), but ignores the reasons in `without`. */
bool checker_play_is_free(const struct checker_play *play, uint32_t number, unsigned without,
			  struct err *why);
/* Have all events happened that, in the base run, begin what this event ends? */
bool checker_play_has_begun(const struct checker_play *play, uint32_t end, struct err *why);

/* Have all events of the thread happened, including those after the window? */
bool checker_play_is_finished(const struct checker_play *play, uint32_t thread);

/*
 * Have all events of the thread happened, and was the last one a request that was still waiting
 * when the recording ended?
 */
bool checker_play_hangs(const struct checker_play *play, uint32_t thread);

/* Has the thread arrived at a barrier that it may not leave yet? */
bool checker_play_is_at_barrier(const struct checker_play *play, uint32_t stream);

/* ---- claims (claims.c) ----------------------------------------------------------------------- */

bool checker_play_shows(const struct checker_play *play, const struct checker_witness *witness,
			struct err *err);

/*
 * The end of a lifetime and a use after it (lifetime.c): checker_play_expect() finds the end that
 * comes early, checker_play_uses_after_end() checks the claim.
 */
void checker_play_expect(struct checker_play *play, const struct checker_witness *witness);
bool checker_play_uses_after_end(const struct checker_play *play,
				 const struct checker_witness *witness, struct err *err);

/* A region whose atomicity another thread breaks (atomicity.c). */
bool checker_play_breaks_region(const struct checker_play *play,
				const struct checker_witness *witness, struct err *err);

/* Misuse of threads and sync objects (misuse.c). */
bool checker_play_misuses(const struct checker_play *play, const struct checker_witness *witness,
			  struct err *err);

/* A match of a pattern (pattern.c). */
bool checker_play_matches(const struct checker_play *play,
			  const struct checker_pattern_claim *match, struct err *err);

/* A violated formula (formula.c). */
bool checker_play_violates(const struct checker_play *play,
			   const struct checker_formula_claim *word, struct err *err);

/* A wrong word of a grammar (grammar.c). */
bool checker_play_rejects_word(const struct checker_play *play,
			       const struct checker_grammar_claim *sentence, struct err *err);

/* Plays one more event if it is next and can happen; otherwise returns false with `why`. */
bool checker_play_event(struct checker_play *play, uint32_t number, struct err *why);

#endif

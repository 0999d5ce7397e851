/*
 * Questions about misuse: an event that is next although lives (doc/prediction.md) would put others
 * before it. Nothing that is next is inside, and edges bind only what is inside, so the window's
 * model is asked as it is: only the sources of those edges need not be inside.
 */
#ifndef PREDICT_LIFETIME_MISUSE_ASK_H
#define PREDICT_LIFETIME_MISUSE_ASK_H

#include "base/map.h"
#include "order/model/sources.h"
#include "predict/driver/analysis.h"
#include "predict/driver/must_precede.h"

struct misuse_ask {
	struct analysis *analysis;
	const struct window *window;
	const struct order_model *model;
	struct order_query query;
	uint32_t *required; /* by thread */
	struct order_sources sources;
	bool *is_life; /* by edge of the model: only lives demand it */
	struct must_precede needs;
	bool has_needs;
	struct map asked; /* in this window, by key: how often in vain; or that it was found */
};

/* Which edges into what is next do not bind it. */
enum misuse_free {
	MISUSE_BOUND,	   /* all do */
	MISUSE_NO_LIVES,   /* those of lives */
	MISUSE_NOT_FROM,   /* those from the node `from` */
	MISUSE_NOT_THREAD, /* those from the thread `from`, but for the creation of its own */
};
struct misuse_next {
	uint32_t node;
	enum misuse_free free;
	uint32_t from;
};

void misuse_ask_open(struct misuse_ask *ask, struct analysis *analysis);
void misuse_ask_close(struct misuse_ask *ask);

/* Must `a` be inside when this is next? Not all that follows is seen here; the solver does. */
bool misuse_ask_pulls(struct misuse_ask *ask, struct misuse_next next, uint32_t a);

/* A new question, which says that this is next. */
void misuse_ask_next(struct misuse_ask *ask, struct misuse_next next);
/* And besides: */
void misuse_ask_inside(struct misuse_ask *ask, uint32_t node);
void misuse_ask_outside(struct misuse_ask *ask, uint32_t node); /* ORDER_NONE: never happens */

/*
 * One finding for the two places is wanted. `misuse_ask_wanted`: it has none, and was not asked about too
 * often; `misuse_ask_now` asks what was said above, and if it can be adds the claim.
 */
uint64_t misuse_ask_key(const struct misuse_ask *ask, enum event_misuse misuse, uint32_t a,
			uint32_t b);
bool misuse_ask_wanted(struct misuse_ask *ask, uint64_t key);
void misuse_ask_now(struct misuse_ask *ask, enum event_misuse misuse, uint32_t a, uint32_t b,
		    uint64_t key, bool observed);

#endif

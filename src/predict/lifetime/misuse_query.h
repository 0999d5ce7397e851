/*
 * Queries about misuse: an event is next although lifetimes (doc/prediction.md) demand that other
 * events come first. An event that is next is not inside. An edge demands something of a prefix
 * only if its target is inside, so the window's model can be used as it is; the query just does not
 * demand that the sources of the ignored edges are inside.
 */
#ifndef PREDICT_LIFETIME_MISUSE_QUERY_H
#define PREDICT_LIFETIME_MISUSE_QUERY_H

#include "base/map.h"
#include "predict/driver/analysis.h"
#include "predict/driver/must_precede.h"
#include "predict/driver/node_query.h"

struct misuse_query {
	struct analysis *analysis;
	const struct window *window;
	const struct order_model *model;
	struct node_query query;
	struct order_sources sources;
	bool *is_lifetime; /* by edge of the model: it exists only because of lifetimes */
	struct must_precede must_precede;
	bool has_must_precede;
	/* by key: the number of queries in vain in this window, or FOUND (misuse_query.c) */
	struct map asked;
};

/* Which edges into the event that is next are ignored. */
enum misuse_ignored_edges {
	MISUSE_IGNORE_NONE,
	MISUSE_IGNORE_LIFETIMES, /* those that exist only because of lifetimes */
	MISUSE_IGNORE_NODE,	 /* those from the node `from` */
	/* those from the thread `from`, except for the creation of the event's own thread */
	MISUSE_IGNORE_THREAD,
};
struct misuse_next {
	uint32_t node;
	enum misuse_ignored_edges ignored;
	uint32_t from;
};

void misuse_query_open(struct misuse_query *ask, struct analysis *analysis);
void misuse_query_close(struct misuse_query *ask);

/*
 * Must `a` be inside when this event is next? "No" may be wrong: the solver finds the other cases.
 */
bool misuse_query_implies_inside(struct misuse_query *ask, struct misuse_next next, uint32_t a);

/* Begins a query: demands that this event is next. */
void misuse_query_next(struct misuse_query *ask, struct misuse_next next);
/* These demand that the node is inside, or that it is outside. */
void misuse_query_inside(struct misuse_query *ask, uint32_t node);
void misuse_query_outside(struct misuse_query *ask,
			  uint32_t node); /* ORDER_NONE: demands nothing */

/*
 * One finding for each pair of code sites is wanted. misuse_query_is_wanted() returns whether the
 * pair has no finding yet and was not asked about too often. misuse_query_ask() asks the query
 * built so far and, if it is possible, adds the claim.
 */
uint64_t misuse_query_key(const struct misuse_query *ask, enum event_misuse misuse, uint32_t a,
			  uint32_t b);
bool misuse_query_is_wanted(struct misuse_query *ask, uint64_t key);
void misuse_query_ask(struct misuse_query *ask, enum event_misuse misuse, uint32_t a, uint32_t b,
		      uint64_t key, bool observed);

#endif

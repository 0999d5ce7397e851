/* Shared by the files of saturation: the clocks, and the functions by which rules add edges. */
#ifndef ORDER_SOLVER_SATURATE_H
#define ORDER_SOLVER_SATURATE_H

#include "order/solver/closure.h"

/* A section of a lock in the list of one thread, sorted by the position of its acquire. */
struct saturation_section {
	uint32_t section;
	uint32_t begin; /* 1 + position of the acquire; 0: before the window */
};

struct saturation {
	uint32_t threads;	/* number of threads, including the cut */
	uint32_t *first_edge;	/* for each node: the first edge out of it */
	uint32_t *changed;	/* for each node: when its clock last changed */
	uint32_t *cell_changed; /* for each cell: when a clock of one of its writes last changed */
	uint32_t *read_done;	/* for each read: when the rule was last applied to it */
	uint32_t *lock_done;	/* for each section: when the rule was last applied to it */
	uint32_t now;
	bool *waiting; /* for each node: must its clock be passed on? */
	/* the earliest waiting node that the current sweep has passed already, or ORDER_NONE */
	uint32_t earliest;
	uint32_t here;		   /* the current node of the sweep, or 0 */
	uint32_t *latest;	   /* scratch, for each thread: a write */
	uint32_t *by_thread_start; /* [lock * model threads + thread], offsets into by_thread */
	struct saturation_section *by_thread;
	uint64_t steps, limit;
	bool progress;
};

static inline uint32_t *saturation_clock(const struct closure *c, uint32_t node)
{
	return &c->count[(size_t)node * c->work->threads];
}

static inline bool saturation_before(const struct closure *c, uint32_t a, uint32_t b)
{
	const struct order_model *m = c->index->model;
	uint32_t thread = a == c->cut ? c->work->threads - 1 : m->thread.items[a];
	uint32_t position = a == c->cut ? 0 : m->position.items[a];

	return a != b && saturation_clock(c, b)[thread] > position;
}

static inline bool saturation_inside(const struct closure *c, uint32_t node)
{
	return node == ORDER_NONE || saturation_before(c, node, c->cut);
}

/* Must saturation end, because there is no schedule or the steps are used up? */
static inline bool saturation_is_over(const struct closure *c)
{
	return c->contradiction || c->work->steps > c->work->limit;
}

/* Adds the conclusion that a comes before b. The clocks of other nodes follow in spread_all(). */
void saturation_conclude(struct closure *closure, uint32_t a, uint32_t b);

/* saturate_sync.c: failed tries, semaphores and woken nodes */
void saturation_apply_fails(struct closure *closure, uint32_t lock);
void saturation_apply_semaphore(struct closure *closure, uint32_t semaphore);
void saturation_apply_waits(struct closure *closure, uint32_t condition);

#endif

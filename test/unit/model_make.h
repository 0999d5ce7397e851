/*
 * Random models with every kind of constraint, made by running random threads, and other feasible
 * prefixes of these models, found by trying.
 */
#ifndef TEST_MODEL_MAKE_H
#define TEST_MODEL_MAKE_H

#include "base/mem.h"
#include "order/model/model.h"

#define MAKE_THREADS 4
#define MAKE_CELLS 3
#define MAKE_LOCKS 2

static uint64_t make_seed;

static inline uint32_t make_pick(uint32_t below)
{
	make_seed = make_seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(make_seed >> 33) % below;
}

static inline bool make_one_in(uint32_t n)
{
	return make_pick(n) == 0;
}

/* ---- a model by running it ----------------------------------------------------------------- */

/* The parts of each object, until they are put together, and the state of the run. */
struct make_world {
	struct order_model *model;
	VEC(struct order_write) writes[MAKE_CELLS];
	VEC(struct order_read) reads[MAKE_CELLS];
	uint32_t value[MAKE_CELLS], writer[MAKE_CELLS];
	VEC(struct order_section) sections[MAKE_LOCKS];
	VEC(struct order_fail) fails[MAKE_LOCKS];
	/* by lock and thread: 1 + its open section */
	uint32_t open[MAKE_LOCKS][MAKE_THREADS];
	VEC(struct order_wait) waits;
	VEC(struct order_signal) signals;
	uint32_t waiting[MAKE_THREADS]; /* by thread: 1 + index of the wait that it is in */
	bool woken[MAKE_THREADS];	/* by thread: its wait has received a signal */
	uint32_t count, initial;
};

static inline uint32_t make_add_node(struct make_world *w, uint32_t thread)
{
	*vec_push(&w->model->thread) = thread;
	return w->model->node_count++;
}

static inline bool make_is_held(const struct make_world *w, uint32_t lock, uint32_t by_other_than,
				bool shared_too)
{
	for (uint32_t t = 0; t < MAKE_THREADS; t++) {
		uint32_t section = w->open[lock][t];

		if (section && t != by_other_than &&
		    (shared_too || !w->sections[lock].items[section - 1].shared))
			return true;
	}
	return false;
}

static inline void make_enter(struct make_world *w, uint32_t lock, uint32_t thread, uint32_t node,
			      bool shared)
{
	*vec_push(&w->sections[lock]) = (struct order_section){ node, ORDER_NONE, thread, shared };
	w->open[lock][thread] = (uint32_t)w->sections[lock].count;
}

static inline void make_leave(struct make_world *w, uint32_t lock, uint32_t thread, uint32_t node)
{
	w->sections[lock].items[w->open[lock][thread] - 1].release = node;
	w->open[lock][thread] = 0;
}

static inline void make_run_access(struct make_world *w, uint32_t thread)
{
	uint32_t cell = make_pick(MAKE_CELLS), node = make_add_node(w, thread), what = make_pick(3);

	if (what != 0)
		*vec_push(&w->reads[cell]) =
			(struct order_read){ node, w->value[cell],
					     make_one_in(3) ? w->writer[cell] : ORDER_ANY };
	if (what != 1) {
		w->value[cell] = make_pick(3);
		w->writer[cell] = node;
		*vec_push(&w->writes[cell]) = (struct order_write){ node, w->value[cell] };
	}
}

static inline void make_run_lock(struct make_world *w, uint32_t thread)
{
	uint32_t lock = make_pick(MAKE_LOCKS);
	bool shared = make_one_in(3);

	if (w->open[lock][thread])
		make_leave(w, lock, thread, make_add_node(w, thread));
	else if (make_is_held(w, lock, thread, !shared))
		*vec_push(&w->fails[lock]) =
			(struct order_fail){ make_add_node(w, thread), shared };
	else
		make_enter(w, lock, thread, make_add_node(w, thread), shared);
}

/* Runs an operation on the condition, whose mutex is lock 0. */
static inline void make_run_condition(struct make_world *w, uint32_t thread)
{
	uint32_t section = w->open[0][thread], node;

	if (section && !w->sections[0].items[section - 1].shared && !make_one_in(3)) {
		node = make_add_node(w, thread);
		make_leave(w, 0, thread, node);
		*vec_push(&w->waits) =
			(struct order_wait){ .wait = node,
					     .woken = ORDER_NONE,
					     .thread = thread,
					     .wake = make_one_in(5) ? ORDER_WAKE_FREE
								    : ORDER_WAKE_SIGNAL,
					     .used = ORDER_NONE };
		w->waiting[thread] = (uint32_t)w->waits.count;
		w->woken[thread] = w->waits.items[w->waits.count - 1].wake == ORDER_WAKE_FREE;
		return;
	}
	node = make_add_node(w, thread);
	*vec_push(&w->signals) = (struct order_signal){ node, make_one_in(3) };
	for (uint32_t t = 0; t < MAKE_THREADS; t++) {
		if (w->waiting[t] && !w->woken[t]) {
			w->woken[t] = true;
			if (!w->signals.items[w->signals.count - 1].broadcast)
				return;
		}
	}
}

static inline void make_run_woken(struct make_world *w, uint32_t thread)
{
	uint32_t node;

	if (!w->woken[thread] || make_is_held(w, 0, thread, true))
		return;
	node = make_add_node(w, thread);
	w->waits.items[w->waiting[thread] - 1].woken = node;
	w->waiting[thread] = 0;
	make_enter(w, 0, thread, node, false);
}

static inline void make_run_semaphore(struct make_world *w, uint32_t thread)
{
	uint32_t node = make_add_node(w, thread);

	if (make_one_in(2)) {
		w->count++;
		*vec_push(&w->model->posts) = node;
	} else if (w->count) {
		w->count--;
		*vec_push(&w->model->downs) = node;
	} else {
		*vec_push(&w->model->zeros) = node;
	}
}

static inline void make_put_together(struct make_world *w)
{
	struct order_model *m = w->model;

	for (uint32_t c = 0; c < MAKE_CELLS; c++) {
		struct order_cell *cell = vec_push(&m->cells);

		*cell = (struct order_cell){ 0, (uint32_t)m->writes.count,
					     (uint32_t)w->writes[c].count, (uint32_t)m->reads.count,
					     (uint32_t)w->reads[c].count };
		for (size_t i = 0; i < w->writes[c].count; i++)
			*vec_push(&m->writes) = w->writes[c].items[i];
		for (size_t i = 0; i < w->reads[c].count; i++)
			*vec_push(&m->reads) = w->reads[c].items[i];
		vec_free(&w->writes[c]);
		vec_free(&w->reads[c]);
	}
	for (uint32_t l = 0; l < MAKE_LOCKS; l++) {
		*vec_push(&m->locks) = (struct order_lock){ (uint32_t)m->sections.count,
							    (uint32_t)w->sections[l].count,
							    (uint32_t)m->fails.count,
							    (uint32_t)w->fails[l].count };
		for (size_t i = 0; i < w->sections[l].count; i++)
			*vec_push(&m->sections) = w->sections[l].items[i];
		for (size_t i = 0; i < w->fails[l].count; i++)
			*vec_push(&m->fails) = w->fails[l].items[i];
		vec_free(&w->sections[l]);
		vec_free(&w->fails[l]);
	}
	*vec_push(&m->conditions) = (struct order_condition){ 0, (uint32_t)w->waits.count, 0,
							      (uint32_t)w->signals.count };
	for (size_t i = 0; i < w->waits.count; i++)
		*vec_push(&m->waits) = w->waits.items[i];
	for (size_t i = 0; i < w->signals.count; i++)
		*vec_push(&m->signals) = w->signals.items[i];
	vec_free(&w->waits);
	vec_free(&w->signals);
	*vec_push(&m->semaphores) =
		(struct order_semaphore){ .initial = w->initial,
					  .exact = true,
					  .post_count = (uint32_t)m->posts.count,
					  .down_count = (uint32_t)m->downs.count,
					  .zero_count = (uint32_t)m->zeros.count };
	order_model_index(m);
}

static inline void make_model(struct order_model *model, uint32_t nodes)
{
	struct make_world w = { .model = model };
	uint32_t threads = 2 + make_pick(MAKE_THREADS - 1);

	*model = (struct order_model){ .thread_count = threads };
	for (uint32_t c = 0; c < MAKE_CELLS; c++)
		w.writer[c] = ORDER_NONE;
	w.count = w.initial = make_pick(2);
	if (make_one_in(3))
		make_enter(&w, 1, make_pick(threads), ORDER_NONE, make_one_in(2));
	for (uint32_t tries = 0; model->node_count < nodes && tries < 4 * nodes; tries++) {
		uint32_t thread = make_pick(threads), before = model->node_count,
			 what = make_pick(10);

		if (w.waiting[thread])
			make_run_woken(&w, thread);
		else if (what < 4)
			make_run_access(&w, thread);
		else if (what < 7)
			make_run_lock(&w, thread);
		else if (what < 9)
			make_run_condition(&w, thread);
		else
			make_run_semaphore(&w, thread);
		if (before && model->node_count > before && make_one_in(12))
			*vec_push(&model->edges) = (struct order_edge){ make_pick(before), before };
	}
	make_put_together(&w);
}

/* ---- another prefix of it ------------------------------------------------------------------- */

/*
 * Finds a random feasible prefix: picks random threads and lets each run; a node that is not
 * possible yet is tried again later.
 */
static inline uint32_t make_prefix(const struct order_model *model, uint32_t *inside)
{
	uint32_t next[MAKE_THREADS] = { 0 }, count = 0;
	uint32_t most = make_pick(model->node_count) + 1;

	for (uint32_t tries = 0; count < most && tries < 6 * model->node_count; tries++) {
		uint32_t thread = make_pick(model->thread_count);
		uint32_t at = model->thread_start.items[thread] + next[thread];

		if (at == model->thread_start.items[thread + 1])
			continue;
		inside[count] = model->thread_nodes.items[at];
		if (order_model_accepts(model, inside, count + 1)) {
			next[thread]++;
			count++;
		}
	}
	return count;
}

#endif

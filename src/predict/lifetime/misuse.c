/*
 * Misuse of threads and their objects (doc/prediction.md): what the recorded run itself did wrong,
 * and what another order of its events would do wrong. There are three kinds of the latter:
 *
 * - a lock, a condition or a barrier is destroyed while another thread holds it or waits at it;
 * - an object is used before it is initialised;
 * - a thread is joined that was detached.
 *
 * Uses after a destroy or close are found by lifetime.c.
 */
#include "predict/lifetime/misuse_query.h"

#include "base/mem.h"

#define TRY_MOST                                                                                   \
	4 /* for one destroy, this many sections or waits of each thread are tried: the last ones */

struct misuse {
	struct misuse_query query;
	const struct window *window;
	const struct order_model *model;
	/* by node: the section that it begins, in the model's sections; or ORDER_NONE */
	uint32_t *section_of;
	uint32_t *tried; /* by thread: uses tried so far */
};

static bool is_fresh(const struct misuse *m, uint32_t a, uint32_t b)
{
	return (a > b ? a : b) >= m->window->fresh;
}

/* ---- observed in the recorded run ------------------------------------------------------------ */

static void claim_observed(struct misuse *m, uint32_t node, enum event_misuse misuse)
{
	struct analysis *analysis = m->query.analysis;
	struct analysis_claim *claim = vec_push(&analysis->claims);

	*claim = (struct analysis_claim){ .kind = FINDING_MISUSE,
					  .claim = CHECKER_MISUSE,
					  .status = FINDING_OBSERVED,
					  .misuse = misuse,
					  .key = misuse_query_key(&m->query, misuse, node,
								  ORDER_NONE) };
	*vec_push(&claim->events) = node;
}

static bool holds(const struct misuse *m, const struct window_node *node)
{
	for (uint32_t at = node->held; at != ORDER_NONE; at = m->window->held.items[at].outer) {
		if (m->window->held.items[at].address == node->address)
			return true;
	}
	return false;
}

/* Does the thread end while it holds a lock that no other thread can take over? */
static bool ends_with_lock(const struct misuse *m, const struct window_node *node)
{
	for (uint32_t at = node->held; at != ORDER_NONE; at = m->window->held.items[at].outer) {
		const struct window_held *held = &m->window->held.items[at];

		if (!held->robust && held->lock != ORDER_NONE)
			return true;
	}
	return false;
}

/*
 * Which misuse does the event show? In a recording, the runtime has asked the library and recorded
 * MISUSE events. Releases are not judged then, because the library knows more than the recorded
 * events (the child of a fork releases locks that its parent took).
 */
static enum event_misuse misuse_of(const struct misuse *m, const struct window_node *node)
{
	switch (node->kind) {
	case EV_MISUSE: return node->mode < EVENT_MISUSES ? node->mode : EVENT_MISUSE_NONE;
	case EV_RELEASE:
	case EV_READ_RELEASE:
		return m->window->text && !holds(m, node) ? EVENT_MISUSE_NOT_HELD
							  : EVENT_MISUSE_NONE;
	case EV_END:
		if ((m->window->text || node->id.stream != 0) && ends_with_lock(m, node))
			return EVENT_MISUSE_HELD_AT_END;
	}
	return EVENT_MISUSE_NONE;
}

static void find_observed(struct misuse *m)
{
	for (uint32_t n = m->window->fresh; n < m->model->node_count; n++) {
		const struct window_node *node = &m->window->nodes.items[n];
		enum event_misuse misuse = node->moment ? EVENT_MISUSE_NONE : misuse_of(m, node);

		if (misuse != EVENT_MISUSE_NONE && misuse != EVENT_MISUSE_NO_RECHECK)
			claim_observed(m, n, misuse);
	}
}

/* ---- destroyed while in use ------------------------------------------------------------------ */

struct destroy {
	struct misuse_next next;
	uint32_t begin; /* the INIT that began the lifetime, or ORDER_NONE */
};

static void begin_destroy_query(struct misuse *m, const struct destroy *d)
{
	misuse_query_next(&m->query, d->next);
	if (d->begin != ORDER_NONE)
		misuse_query_inside(&m->query, d->begin);
}

/* Must this node have happened when the object is destroyed? (Not if it is ORDER_NONE.) */
static bool must_have_happened(struct misuse *m, const struct destroy *d, uint32_t node)
{
	return node != ORDER_NONE && misuse_query_implies_inside(&m->query, d->next, node);
}

/*
 * Returns the node at which a robust mutex is given up: the end of the thread that holds it.
 * ORDER_NONE if there is none.
 */
static uint32_t robust_end(const struct misuse *m, const struct order_section *s, uint64_t address)
{
	uint32_t last =
		m->model->thread_nodes.items[m->model->thread_start.items[s->thread + 1] - 1];
	const struct window_node *node = &m->window->nodes.items[last];

	if (node->kind != EV_END)
		return ORDER_NONE;
	for (uint32_t at = node->held; at != ORDER_NONE; at = m->window->held.items[at].outer) {
		if (m->window->held.items[at].address == address)
			return m->window->held.items[at].robust ? last : ORDER_NONE;
	}
	return ORDER_NONE;
}

static void ask_about_holder(struct misuse *m, const struct destroy *d, uint32_t taken,
			     uint64_t key)
{
	const struct order_section *s = &m->model->sections.items[m->section_of[taken]];
	uint64_t address = m->window->nodes.items[d->next.node].address;
	uint32_t left = s->release != ORDER_NONE ? s->release : robust_end(m, s, address);

	if (must_have_happened(m, d, left) || !misuse_query_is_wanted(&m->query, key))
		return;
	begin_destroy_query(m, d);
	misuse_query_inside(&m->query, taken);
	misuse_query_outside(&m->query, left);
	misuse_query_ask(&m->query, EVENT_MISUSE_DESTROY_IN_USE, d->next.node, taken, key,
			 s->release == ORDER_NONE && left > d->next.node);
}

/*
 * Demands that no broadcast wakes the wait. (A wait that timed out was not woken by signals, but a
 * broadcast before its time-out would have woken it.)
 */
static void forbid_broadcasts(struct misuse *m, uint32_t wait)
{
	const struct order_model *model = m->model;
	uint32_t number = m->window->nodes.items[wait].wait;

	for (size_t c = 0; c < model->conditions.count; c++) {
		const struct order_condition *cond = &model->conditions.items[c];

		if (number - cond->wait_start >= cond->wait_count)
			continue;
		for (uint32_t i = 0; i < cond->signal_count; i++) {
			const struct order_signal *s =
				&model->signals.items[cond->signal_start + i];

			if (s->broadcast)
				node_query_before_or_outside(&m->query.query, s->node, wait);
		}
	}
}

static void ask_about_waiter(struct misuse *m, const struct destroy *d, uint32_t wait, uint64_t key)
{
	uint32_t number = m->window->nodes.items[wait].wait;
	const struct order_wait *w = &m->model->waits.items[number];

	if (must_have_happened(m, d, w->woken) || !misuse_query_is_wanted(&m->query, key))
		return;
	begin_destroy_query(m, d);
	misuse_query_inside(&m->query, wait);
	misuse_query_outside(&m->query, w->woken);
	if (w->wake == ORDER_WAKE_SIGNAL) {
		int32_t deaf = order_query_boolean(&m->query.query.query);

		*vec_push(&m->query.query.query.unwoken) = (struct order_unwoken){ deaf, number };
		order_query_clause(&m->query.query.query, &deaf, 1);
	} else {
		forbid_broadcasts(m, wait);
	}
	misuse_query_ask(&m->query, EVENT_MISUSE_DESTROY_IN_USE, d->next.node, wait, key, false);
}

/*
 * Asks whether the barrier can be destroyed after this arrival, while another thread of the same
 * round has not arrived.
 */
static void ask_about_arrival(struct misuse *m, const struct destroy *d, uint32_t arrive,
			      uint64_t key)
{
	const struct window *w = m->window;
	const struct window_meeting *meeting = &w->meetings.items[w->nodes.items[arrive].object];
	VEC(int32_t) clause = { 0 };

	if (!misuse_query_is_wanted(&m->query, key))
		return;
	begin_destroy_query(m, d);
	misuse_query_inside(&m->query, arrive);
	for (uint32_t i = 0; i < meeting->arrive_count && !meeting->missing; i++) {
		uint32_t other = w->arrivals.items[meeting->arrive_start + i];

		if (other != arrive)
			*vec_push(&clause) =
				order_query_before(&m->query.query.query, ORDER_CUT, other);
	}
	if (clause.count || meeting->missing) {
		if (clause.count)
			order_query_clause(&m->query.query.query, clause.items,
					   (uint32_t)clause.count);
		misuse_query_ask(&m->query, EVENT_MISUSE_DESTROY_IN_USE, d->next.node, arrive, key,
				 false);
	}
	vec_free(&clause);
}

static void ask_about_use(struct misuse *m, const struct destroy *d, uint32_t use)
{
	const struct window_node *node = &m->window->nodes.items[use];
	uint32_t destroy = d->next.node, thread = m->model->thread.items[use];
	uint64_t key = misuse_query_key(&m->query, EVENT_MISUSE_DESTROY_IN_USE, destroy, use);
	uint8_t kind = m->window->nodes.items[destroy].kind;

	if (!is_fresh(m, destroy, use) || thread == m->model->thread.items[destroy] ||
	    (m->tried[thread] >= TRY_MOST && !m->query.analysis->options->every))
		return;
	m->tried[thread]++;
	if (kind == EV_LOCK_DESTROY && m->section_of[use] != ORDER_NONE)
		ask_about_holder(m, d, use, key);
	else if (kind == EV_COND_DESTROY && node->kind == EV_WAIT && node->wait != ORDER_NONE)
		ask_about_waiter(m, d, use, key);
	else if (kind == EV_BARRIER_DESTROY && node->kind == EV_ARRIVE &&
		 node->object != ORDER_NONE)
		ask_about_arrival(m, d, use, key);
	else
		m->tried[thread]--;
}

/* An object with an unexplained operation is not judged: all operations on it keep their order. */
static void find_uses_during_destroy(struct misuse *m, const struct window_touch *touches,
				     uint32_t at)
{
	struct destroy d = { { touches[at].node, MISUSE_IGNORE_LIFETIMES, ORDER_NONE },
			     ORDER_NONE };
	uint32_t first = at;

	if (m->window->nodes.items[d.next.node].environment)
		return;
	while (first && touches[first - 1].how == WINDOW_USES)
		first--;
	if (first && touches[first - 1].how == WINDOW_ENDS)
		return; /* the object had been destroyed already */
	if (first)
		d.begin = touches[first - 1].node;
	for (uint32_t t = 0; t < m->model->thread_count; t++)
		m->tried[t] = 0;
	for (uint32_t i = at; i-- > first;)
		ask_about_use(m, &d, touches[i].node);
}

/* ---- used before it is initialised ----------------------------------------------------------- */

/*
 * Is it certain that no static initialiser has initialised the object? Barriers and semaphores have
 * none. For other objects, this is so if the content of the memory is unknown: on the heap and on
 * stacks, and assumed for text traces.
 */
static bool has_no_static_initialiser(const struct misuse *m, const struct window_node *node)
{
	if (node->kind == EV_BARRIER_INIT || node->kind == EV_SEM_INIT)
		return true;
	if (m->window->text || node->block != ORDER_NONE)
		return true;
	for (size_t t = 0; t < m->window->threads.count; t++) {
		const struct window_thread *thread = &m->window->threads.items[t];

		if (node->address - thread->stack_low < thread->stack_size)
			return true;
	}
	return false;
}

static void ask_about_early_use(struct misuse *m, uint32_t init, uint32_t use)
{
	struct misuse_next next = { use, MISUSE_IGNORE_NODE, init };
	uint64_t key = misuse_query_key(&m->query, EVENT_MISUSE_NOT_INIT, init, use);

	if (!is_fresh(m, init, use) || misuse_query_implies_inside(&m->query, next, init) ||
	    !misuse_query_is_wanted(&m->query, key))
		return;
	misuse_query_next(&m->query, next);
	misuse_query_outside(&m->query, init);
	misuse_query_ask(&m->query, EVENT_MISUSE_NOT_INIT, init, use, key, false);
}

/* Only the first use of each thread is tried: its later events depend on an initialised object. */
static void find_early_uses(struct misuse *m, const struct window_touch *touches, uint32_t count,
			    uint32_t at)
{
	uint32_t init = touches[at].node;
	const struct window_node *node = &m->window->nodes.items[init];

	if (!node->first || node->environment || !has_no_static_initialiser(m, node))
		return;
	for (uint32_t t = 0; t < m->model->thread_count; t++)
		m->tried[t] = 0;
	m->tried[m->model->thread.items[init]] = 1;
	for (uint32_t i = at + 1; i < count && touches[i].how == WINDOW_USES; i++) {
		uint32_t *tried = &m->tried[m->model->thread.items[touches[i].node]];

		if (!*tried)
			ask_about_early_use(m, init, touches[i].node);
		*tried = 1;
	}
}

static void find_in_objects(struct misuse *m)
{
	for (size_t p = 0; p < m->window->entities.count; p++) {
		const struct window_entity *place = &m->window->entities.items[p];
		const struct window_touch *touches = m->window->touches.items + place->touch_start;

		for (uint32_t i = 0; place->object && i < place->touch_count; i++) {
			if (touches[i].how == WINDOW_ENDS)
				find_uses_during_destroy(m, touches, i);
			else if (touches[i].how == WINDOW_BEGINS)
				find_early_uses(m, touches, place->touch_count, i);
		}
	}
}

/* ---- joined and detached --------------------------------------------------------------------- */

static void ask_about_join(struct misuse *m, uint32_t detach, uint32_t join)
{
	uint32_t joined = m->window->nodes.items[join].object;
	struct misuse_next next = { join, MISUSE_IGNORE_THREAD, joined };
	uint64_t key = misuse_query_key(&m->query, EVENT_MISUSE_JOIN_DETACHED, detach, join);

	if (!is_fresh(m, detach, join) ||
	    misuse_query_implies_inside(
		    &m->query, (struct misuse_next){ detach, MISUSE_IGNORE_NONE, 0 }, join) ||
	    !misuse_query_is_wanted(&m->query, key))
		return;
	misuse_query_next(&m->query, next);
	misuse_query_inside(&m->query, detach);
	misuse_query_ask(&m->query, EVENT_MISUSE_JOIN_DETACHED, detach, join, key, false);
}

/*
 * Is this node a join of the thread? A failed join does not count. A request counts if the join
 * follows it.
 */
static bool is_join_of(const struct misuse *m, uint32_t n, uint64_t thread)
{
	const struct window_node *node = &m->window->nodes.items[n];
	uint32_t next;

	if (node->other != thread || node->moment)
		return false;
	if (node->kind == EV_JOIN)
		return true;
	if (node->kind != EV_JOIN_REQUEST)
		return false;
	next = order_model_next(m->model, n);
	return next != ORDER_NONE && m->window->nodes.items[next].kind == EV_JOIN &&
	       m->window->nodes.items[next].other == thread;
}

static void find_joins(struct misuse *m, uint32_t detach, const uint32_t *joins, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (m->model->thread.items[joins[i]] != m->model->thread.items[detach] &&
		    is_join_of(m, joins[i], m->window->nodes.items[detach].other))
			ask_about_join(m, detach, joins[i]);
	}
}

static void find_detached(struct misuse *m)
{
	VEC(uint32_t) joins = { 0 }, detaches = { 0 };

	for (uint32_t n = 0; n < m->model->node_count; n++) {
		const struct window_node *node = &m->window->nodes.items[n];

		if (node->kind == EV_JOIN || node->kind == EV_JOIN_REQUEST)
			*vec_push(&joins) = n;
		else if (node->kind == EV_DETACH && !node->moment)
			*vec_push(&detaches) = n;
	}
	for (size_t i = 0; i < detaches.count; i++)
		find_joins(m, detaches.items[i], joins.items, joins.count);
	vec_free(&joins);
	vec_free(&detaches);
}

/* ---- the analysis ---------------------------------------------------------------------------- */

static void index_sections(struct misuse *m)
{
	for (uint32_t n = 0; n < m->model->node_count; n++)
		m->section_of[n] = ORDER_NONE;
	for (uint32_t i = 0; i < m->model->sections.count; i++) {
		if (m->model->sections.items[i].acquire != ORDER_NONE)
			m->section_of[m->model->sections.items[i].acquire] = i;
	}
}

void predict_misuse(struct analysis *analysis)
{
	struct misuse m = { .window = analysis->window, .model = &analysis->window->model };

	misuse_query_open(&m.query, analysis);
	m.section_of = mem_alloc((m.model->node_count + (size_t)1) * sizeof *m.section_of);
	m.tried = mem_zalloc(m.model->thread_count + 1, sizeof *m.tried);
	index_sections(&m);
	find_observed(&m);
	find_in_objects(&m);
	find_detached(&m);
	misuse_query_close(&m.query);
	free(m.section_of);
	free(m.tried);
}

/* Lists the waiters of a window, and answers questions about pairs of them. */
#include "predict/deadlock/waiter.h"

#include "base/mem.h"
#include "base/sort.h"
#include "order/model/sources.h"
#include "predict/driver/analysis.h"

static bool is_running(const struct window *window, uint32_t once)
{
	const struct window_once *o = &window->onces.items[once];

	/*
	 * A ONCE is recorded after the end of the routine. If that end is not in the window, the
	 * ONCE waits for nothing.
	 */
	return o->end != ORDER_NONE && (o->begin != ORDER_NONE || o->running);
}

/*
 * Sets what an event of this kind waits for; returns false if it never blocks. A thread that holds
 * a lock for writing takes it again without waiting; only a request that was never granted shows
 * that it blocks.
 */
static bool set_what_it_waits_for(const struct window *window, struct waiter *w, uint8_t kind,
				  uint8_t mode, uint32_t object, uint32_t wait)
{
	const struct order_model *model = &window->model;

	switch (kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
		if (mode != EVENT_PLAIN || object == ORDER_NONE)
			return false;
		w->lock = object;
		w->shared = kind == EV_READ_ACQUIRE;
		if (!waiters_chain_blocks(window, w->held, object, true))
			return true;
		w->self = w->node == ORDER_NONE && kind == EV_ACQUIRE &&
			  !window->lock_lifetimes.items[object].recursive;
		return w->self;
	case EV_WOKEN:
		w->lock = object;
		w->wait = wait;
		w->waits_for_signal = wait != ORDER_NONE && !model->waits.items[wait].timed &&
				      model->waits.items[wait].wake == ORDER_WAKE_SIGNAL;
		return w->lock != ORDER_NONE || w->waits_for_signal;
	case EV_JOIN: /* in a recording with cancellations, no join counts as blocked */
		w->joined = object;
		return object != ORDER_NONE && object != w->thread && !window->cancels;
	case EV_ONCE: w->once = object; return object != ORDER_NONE && is_running(window, object);
	case EV_DOWN:
		w->semaphore = object;
		return mode == EVENT_PLAIN && object != ORDER_NONE &&
		       model->semaphores.items[object].exact;
	case EV_PASS: w->meeting = object; return object != ORDER_NONE;
	default: return false;
	}
}

static struct waiter make_waiter(uint32_t thread, uint32_t position)
{
	return (struct waiter){
		.node = ORDER_NONE,
		.thread = thread,
		.position = position,
		.until = ORDER_NONE,
		.lock = ORDER_NONE,
		.joined = ORDER_NONE,
		.once = ORDER_NONE,
		.wait = ORDER_NONE,
		.semaphore = ORDER_NONE,
		.meeting = ORDER_NONE,
	};
}

/*
 * Is this edge in the model because of what the waiter waits for? (The end of the joined thread, an
 * arrival at the barrier, or the end of the once routine.)
 */
static bool is_awaited(const struct window *window, const struct waiter *w, uint32_t from)
{
	if (w->joined != ORDER_NONE)
		return window->model.thread.items[from] == w->joined;
	if (w->meeting != ORDER_NONE)
		return window->nodes.items[from].kind == EV_ARRIVE;
	return w->once != ORDER_NONE && window->onces.items[w->once].end == from;
}

/*
 * `begin`: the node that begins the lifetime of the waiter's object, if no edge of the model
 * demands that node; otherwise ORDER_NONE.
 */
static void add_waiter(struct waiters *waiters, struct waiter w, uint32_t begin,
		       const struct order_sources *sources)
{
	const struct window *window = waiters->window;
	const struct order_model *model = &window->model;
	uint32_t create = window->threads.items[w.thread].create;

	w.required_start = (uint32_t)waiters->required.count;
	if (w.position > 0)
		*vec_push(&waiters->required) =
			model->thread_nodes
				.items[model->thread_start.items[w.thread] + w.position - 1];
	else if (create != ORDER_NONE)
		*vec_push(&waiters->required) = create;
	for (uint32_t i = w.node == ORDER_NONE ? 0 : sources->start[w.node];
	     w.node != ORDER_NONE && i < sources->start[w.node + 1]; i++)
		if (sources->from[i] != create && !is_awaited(window, &w, sources->from[i]))
			*vec_push(&waiters->required) = sources->from[i];
	if (begin != ORDER_NONE)
		*vec_push(&waiters->required) = begin;
	w.required_count = (uint32_t)waiters->required.count - w.required_start;
	*vec_push(&waiters->items) = w;
}

/*
 * Returns the window's lifetimes for objects of the kind that the pending thread requests. NULL:
 * there is one lifetime, or lifetimes do not matter.
 */
static const struct window_lifetime *pending_spans(const struct window *window,
						   const struct window_thread *thread)
{
	if (thread->pending_object == ORDER_NONE)
		return NULL;
	switch (thread->pending_kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE: return window->lock_lifetimes.items;
	case EV_DOWN: return window->semaphore_lifetimes.items;
	default: return NULL;
	}
}

static void add_pending(struct waiters *waiters, struct waiter make_waiter,
			const struct order_sources *sources)
{
	const struct window *window = waiters->window;
	const struct window_thread *thread = &window->threads.items[make_waiter.thread];
	const struct window_lifetime *spans = pending_spans(window, thread);
	uint32_t object = thread->pending_object, until = ORDER_NONE;

	do {
		struct window_lifetime span =
			spans ? spans[object]
			      : (struct window_lifetime){ ORDER_NONE, ORDER_NONE, false };
		struct waiter w = make_waiter;

		w.until = until;
		if (set_what_it_waits_for(window, &w, thread->pending_kind, EVENT_PLAIN, object,
					  thread->pending_wait))
			add_waiter(waiters, w, span.begin, sources);
		until = span.begin;
		object = span.earlier;
	} while (object != ORDER_NONE);
}

static void add_waiters_of_thread(struct waiters *waiters, uint32_t t,
				  const struct order_sources *sources)
{
	const struct window *window = waiters->window;
	const struct order_model *model = &window->model;
	const struct window_thread *thread = &window->threads.items[t];
	uint32_t first = model->thread_start.items[t];
	uint32_t count = model->thread_start.items[t + 1] - first;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t id = model->thread_nodes.items[first + i];
		const struct window_node *node = &window->nodes.items[id];
		struct waiter w = make_waiter(t, i);

		w.node = id;
		w.held = node->held;
		w.site = node->site;
		w.fresh = id >= window->fresh;
		if (set_what_it_waits_for(window, &w, node->kind, node->mode, node->object,
					  node->wait))
			add_waiter(waiters, w, ORDER_NONE, sources);
	}
	if (thread->end == WINDOW_PENDING) {
		struct waiter w = make_waiter(t, count);

		w.held = thread->held;
		w.site = thread->pending_site;
		w.fresh = window->last ||
			  (count && model->thread_nodes.items[first + count - 1] >= window->fresh);
		add_pending(waiters, w, sources);
	}
}

void waiters_make(struct waiters *waiters, const struct window *window)
{
	uint32_t threads = window->model.thread_count;
	struct order_sources sources;

	*waiters = (struct waiters){ .window = window };
	waiters->thread_start = mem_zalloc(threads + 1, sizeof *waiters->thread_start);
	order_sources_make(&sources, &window->model);
	for (uint32_t t = 0; t < threads; t++) {
		add_waiters_of_thread(waiters, t, &sources);
		waiters->thread_start[t + 1] = (uint32_t)waiters->items.count;
	}
	order_sources_free(&sources);
}

void waiters_free(struct waiters *waiters)
{
	vec_free(&waiters->items);
	vec_free(&waiters->required);
	free(waiters->thread_start);
}

bool waiters_chain_blocks(const struct window *window, uint32_t held, uint32_t lock, bool shared)
{
	for (; held != ORDER_NONE; held = window->held.items[held].outer) {
		const struct window_held *h = &window->held.items[held];

		if (h->lock == lock && !(shared && h->shared))
			return true;
	}
	return false;
}

bool waiters_runs_once(const struct window *window, uint32_t once, uint32_t thread,
		       uint32_t position)
{
	const struct order_model *model = &window->model;
	const struct window_once *o = &window->onces.items[once];

	return o->end != ORDER_NONE && model->thread.items[o->end] == thread &&
	       position <= model->position.items[o->end] &&
	       (o->begin == ORDER_NONE || position > model->position.items[o->begin]);
}

bool waiters_blocks(const struct waiters *waiters, const struct waiter *a, const struct waiter *b)
{
	if (a->thread == b->thread)
		return false;
	if (a->lock != ORDER_NONE &&
	    waiters_chain_blocks(waiters->window, b->held, a->lock, a->shared))
		return true;
	if (a->joined == b->thread)
		return true;
	return a->once != ORDER_NONE &&
	       waiters_runs_once(waiters->window, a->once, b->thread, b->position);
}

bool waiters_exclude(const struct waiters *waiters, const struct waiter *a, const struct waiter *b)
{
	const struct window *window = waiters->window;

	for (uint32_t at = a->held; at != ORDER_NONE; at = window->held.items[at].outer) {
		const struct window_held *held = &window->held.items[at];

		if (held->lock != ORDER_NONE &&
		    waiters_chain_blocks(window, b->held, held->lock, held->shared))
			return true;
	}
	return false;
}

/* Must `b` be inside when `a` is next? */
static bool requires_inside(const struct waiters *waiters, const struct order_clock *clock,
			    const struct waiter *a, const struct waiter *b)
{
	for (uint32_t i = 0; b->node != ORDER_NONE && i < a->required_count; i++) {
		uint32_t need = waiters->required.items[a->required_start + i];

		if (need == b->node ||
		    order_clock_before(clock, &waiters->window->model, b->node, need))
			return true;
	}
	return false;
}

bool waiters_ordered(const struct waiters *waiters, const struct order_clock *clock,
		     const struct waiter *a, const struct waiter *b)
{
	return requires_inside(waiters, clock, a, b) || requires_inside(waiters, clock, b, a);
}

uint32_t waiters_event(const struct waiters *waiters, const struct waiter *waiter)
{
	return waiter->node != ORDER_NONE ? waiter->node
					  : waiters->window->model.node_count + waiter->thread;
}

uint64_t waiters_key(const struct waiters *waiters, enum finding_kind kind, const uint32_t *items,
		     size_t count, bool every)
{
	const struct window *window = waiters->window;
	uint64_t *names = mem_zalloc(count, sizeof *names), key;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct waiter *w = &waiters->items.items[items[i]];
		struct event_id id = w->node == ORDER_NONE
					     ? window->threads.items[w->thread].pending
					     : window->nodes.items[w->node].id;

		names[i] = every ? (uint64_t)id.stream << 40 ^ id.index : w->site;
	}
	sort_items(names, count, sizeof *names, sort_u64);
	for (size_t i = 0; i < count; i++)
		if (n == 0 || names[n - 1] != names[i])
			names[n++] = names[i];
	key = analysis_key(kind, names, n);
	free(names);
	return key;
}

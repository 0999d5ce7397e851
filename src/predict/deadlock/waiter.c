#include "predict/deadlock/waiter.h"

#include "base/mem.h"
#include "predict/driver/analysis.h"

static bool is_running(const struct window *window, uint32_t once)
{
	const struct window_once *o = &window->onces.items[once];

	/* Who waits for a once saw its end: without one nothing is known to be waited for. */
	return o->end != ORDER_NONE && (o->begin != ORDER_NONE || o->running);
}

/*
 * What an event of this kind waits for; false if it never blocks. A lock that its own thread
 * holds as writer is taken again without waiting; only a request that hung says otherwise.
 */
static bool describe_want(const struct window *window, struct waiter *w, uint8_t kind, uint8_t mode,
			  uint32_t object, uint32_t wait)
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
			  !window->lock_spans.items[object].recursive;
		return w->self;
	case EV_WOKEN:
		w->lock = object;
		w->wait = wait;
		w->deaf = wait != ORDER_NONE && !model->waits.items[wait].timed &&
			  model->waits.items[wait].wake == ORDER_WAKE_SIGNAL;
		return w->lock != ORDER_NONE || w->deaf;
	case EV_JOIN: /* not for ever, where somebody may be cancelled */
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

static struct waiter blank(uint32_t thread, uint32_t position)
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

/* Edges into a node, as the places of their sources in `from`. */
struct incoming {
	uint32_t *start, *from;
};

static void list_incoming(struct incoming *in, const struct order_model *model)
{
	in->start = mem_zalloc((size_t)model->node_count + 2, sizeof *in->start);
	in->from = mem_zalloc(model->edges.count + 1, sizeof *in->from);
	for (size_t i = 0; i < model->edges.count; i++)
		in->start[model->edges.items[i].to + 2]++;
	for (size_t n = 2; n < (size_t)model->node_count + 2; n++)
		in->start[n] += in->start[n - 1];
	for (size_t i = 0; i < model->edges.count; i++)
		in->from[in->start[model->edges.items[i].to + 1]++] = model->edges.items[i].from;
}

/* Is this where an edge comes from that only says what the waiter is blocked by? */
static bool is_awaited(const struct window *window, const struct waiter *w, uint32_t from)
{
	if (w->joined != ORDER_NONE)
		return window->model.thread.items[from] == w->joined;
	if (w->meeting != ORDER_NONE)
		return window->nodes.items[from].kind == EV_ARRIVE;
	return w->once != ORDER_NONE && window->onces.items[w->once].end == from;
}

/* `begin`: of the life of its object, where no edge says so; or ORDER_NONE. */
static void add_waiter(struct waiters *waiters, struct waiter w, uint32_t begin,
		       const struct incoming *in)
{
	const struct window *window = waiters->window;
	const struct order_model *model = &window->model;
	uint32_t create = window->threads.items[w.thread].create;

	w.need_start = (uint32_t)waiters->needs.count;
	if (w.position > 0)
		*vec_push(&waiters->needs) =
			model->thread_nodes
				.items[model->thread_start.items[w.thread] + w.position - 1];
	else if (create != ORDER_NONE)
		*vec_push(&waiters->needs) = create;
	for (uint32_t i = w.node == ORDER_NONE ? 0 : in->start[w.node];
	     w.node != ORDER_NONE && i < in->start[w.node + 1]; i++)
		if (in->from[i] != create && !is_awaited(window, &w, in->from[i]))
			*vec_push(&waiters->needs) = in->from[i];
	if (begin != ORDER_NONE)
		*vec_push(&waiters->needs) = begin;
	w.need_count = (uint32_t)waiters->needs.count - w.need_start;
	*vec_push(&waiters->items) = w;
}

/* Lives of what the thread that hangs asks for, or NULL: then there is one, or none that counts. */
static const struct window_span *pending_spans(const struct window *window,
					       const struct window_thread *thread)
{
	if (thread->pending_object == ORDER_NONE)
		return NULL;
	switch (thread->pending_kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE: return window->lock_spans.items;
	case EV_DOWN: return window->semaphore_spans.items;
	default: return NULL;
	}
}

static void add_pending(struct waiters *waiters, struct waiter blank, const struct incoming *in)
{
	const struct window *window = waiters->window;
	const struct window_thread *thread = &window->threads.items[blank.thread];
	const struct window_span *spans = pending_spans(window, thread);
	uint32_t object = thread->pending_object, until = ORDER_NONE;

	do {
		struct window_span span =
			spans ? spans[object]
			      : (struct window_span){ ORDER_NONE, ORDER_NONE, false };
		struct waiter w = blank;

		w.until = until;
		if (describe_want(window, &w, thread->pending_kind, EVENT_PLAIN, object,
				  thread->pending_wait))
			add_waiter(waiters, w, span.begin, in);
		until = span.begin;
		object = span.earlier;
	} while (object != ORDER_NONE);
}

static void add_thread(struct waiters *waiters, uint32_t t, const struct incoming *in)
{
	const struct window *window = waiters->window;
	const struct order_model *model = &window->model;
	const struct window_thread *thread = &window->threads.items[t];
	uint32_t first = model->thread_start.items[t];
	uint32_t count = model->thread_start.items[t + 1] - first;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t id = model->thread_nodes.items[first + i];
		const struct window_node *node = &window->nodes.items[id];
		struct waiter w = blank(t, i);

		w.node = id;
		w.held = node->held;
		w.site = node->site;
		w.fresh = id >= window->fresh;
		if (describe_want(window, &w, node->kind, node->mode, node->object, node->wait))
			add_waiter(waiters, w, ORDER_NONE, in);
	}
	if (thread->end == WINDOW_PENDING) {
		struct waiter w = blank(t, count);

		w.held = thread->held;
		w.site = thread->pending_site;
		w.fresh = window->last ||
			  (count && model->thread_nodes.items[first + count - 1] >= window->fresh);
		add_pending(waiters, w, in);
	}
}

void waiters_make(struct waiters *waiters, const struct window *window)
{
	uint32_t threads = window->model.thread_count;
	struct incoming in;

	*waiters = (struct waiters){ .window = window };
	waiters->thread_start = mem_zalloc(threads + 1, sizeof *waiters->thread_start);
	list_incoming(&in, &window->model);
	for (uint32_t t = 0; t < threads; t++) {
		add_thread(waiters, t, &in);
		waiters->thread_start[t + 1] = (uint32_t)waiters->items.count;
	}
	free(in.start);
	free(in.from);
}

void waiters_free(struct waiters *waiters)
{
	vec_free(&waiters->items);
	vec_free(&waiters->needs);
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
static bool pulls_in(const struct waiters *waiters, const struct order_clock *clock,
		     const struct waiter *a, const struct waiter *b)
{
	for (uint32_t i = 0; b->node != ORDER_NONE && i < a->need_count; i++) {
		uint32_t need = waiters->needs.items[a->need_start + i];

		if (need == b->node ||
		    order_clock_before(clock, &waiters->window->model, b->node, need))
			return true;
	}
	return false;
}

bool waiters_ordered(const struct waiters *waiters, const struct order_clock *clock,
		     const struct waiter *a, const struct waiter *b)
{
	return pulls_in(waiters, clock, a, b) || pulls_in(waiters, clock, b, a);
}

uint32_t waiters_event(const struct waiters *waiters, const struct waiter *waiter)
{
	return waiter->node != ORDER_NONE ? waiter->node
					  : waiters->window->model.node_count + waiter->thread;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t waiters_key(const struct waiters *waiters, enum finding_kind kind, const uint32_t *items,
		     size_t count, bool every)
{
	const struct window *window = waiters->window;
	uint64_t *parts = mem_zalloc(count, sizeof *parts), key;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct waiter *w = &waiters->items.items[items[i]];
		struct event_id id = w->node == ORDER_NONE
					     ? window->threads.items[w->thread].pending
					     : window->nodes.items[w->node].id;

		parts[i] = every ? (uint64_t)id.stream << 40 ^ id.index : w->site;
	}
	qsort(parts, count, sizeof *parts, compare);
	for (size_t i = 0; i < count; i++)
		if (n == 0 || parts[n - 1] != parts[i])
			parts[n++] = parts[i];
	key = analysis_key(kind, parts, n);
	free(parts);
	return key;
}

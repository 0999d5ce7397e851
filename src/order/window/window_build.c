/*
 * Builds a window: makes a node of each item, keeps track of the threads and the locks they hold,
 * and calls the other files of the builder (window_build.h) for memory and sync objects.
 */
#include "order/window/window_build.h"

#include "base/mem.h"

#include <assert.h>

void build_add_edge(struct window_builder *b, uint32_t from, uint32_t to)
{
	const struct order_model *m = &b->window->model;

	assert(from < to);
	if (m->thread.items[from] != m->thread.items[to])
		*vec_push(&b->window->model.edges) = (struct order_edge){ from, to };
}

void build_add_lifetime_edge(struct window_builder *b, uint32_t from, uint32_t to)
{
	uint32_t count = (uint32_t)b->window->model.edges.count;

	build_add_edge(b, from, to);
	if (b->window->model.edges.count > count)
		*vec_push(&b->window->lifetime_edges) = count;
}

void build_collect_last(struct window_builder *b, uint32_t node)
{
	uint32_t *last = &b->last_of[b->window->model.thread.items[node]];

	if (*last == ORDER_NONE || *last < node)
		*last = node;
}

void build_add_edges_from_lasts(struct window_builder *b, uint32_t node)
{
	for (uint32_t t = 0; t < b->window->model.thread_count; t++) {
		if (b->last_of[t] != ORDER_NONE)
			build_add_edge(b, b->last_of[t], node);
		b->last_of[t] = ORDER_NONE;
	}
}

void build_add_lifetime_edges_from_lasts(struct window_builder *b, uint32_t node)
{
	uint32_t count = (uint32_t)b->window->model.edges.count;

	build_add_edges_from_lasts(b, node);
	for (; count < b->window->model.edges.count; count++)
		*vec_push(&b->window->lifetime_edges) = count;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Returns the kind of event that a thread waits for after an event of this kind, or EV_NONE. */
static uint8_t requested_event(uint8_t kind)
{
	switch (kind) {
	case EV_REQUEST: return EV_ACQUIRE;
	case EV_READ_REQUEST: return EV_READ_ACQUIRE;
	case EV_DOWN_REQUEST: return EV_DOWN;
	case EV_JOIN_REQUEST: return EV_JOIN;
	case EV_WAIT: return EV_WOKEN;
	case EV_ARRIVE: return EV_PASS;
	}
	return EV_NONE;
}

static uint32_t find_owner(const struct window_builder *b, uint64_t stream)
{
	uint32_t i = trace_find_stream(b->state->trace, (uint32_t)stream);

	return i == TRACE_NONE || stream > UINT32_MAX ? TRACE_NONE : b->state->survey->owner_of[i];
}

/*
 * Marks the threads of the window: those with events in it; those that were created and have not
 * ended; and those whose last event was before the window, but which still hold a lock or wait
 * forever.
 */
static void mark_streams(const struct window_builder *b, bool *in)
{
	const struct share_survey *survey = b->state->survey;

	for (uint32_t i = 0; i < survey->stream_count; i++) {
		const struct window_stream *stream = &b->state->streams[i];
		bool created =
			!survey->streams[i].has_creator || stream->created <= b->input->before;
		bool over = stream->finished <= b->input->before;

		in[i] = survey->owner_of[i] == i && survey->streams[i].events &&
			((created && !over) || stream->held.count ||
			 (over && requested_event(stream->last.kind)));
	}
	for (uint32_t i = 0; i < b->count; i++) {
		const struct window_item *item = &b->input->items[i];
		uint32_t child = item->kind == EV_CREATE ? find_owner(b, item->number) : TRACE_NONE;

		in[item->owner] = true;
		if (child != TRACE_NONE)
			in[child] |= survey->streams[child].events > 0;
	}
}

static void open_threads(struct window_builder *b)
{
	uint32_t streams = b->state->survey->stream_count, count = 0;
	bool *in = mem_zalloc(streams + 1, sizeof *in);

	b->thread_of = mem_alloc((streams + 1) * sizeof *b->thread_of);
	mark_streams(b, in);
	for (uint32_t i = 0; i < streams; i++)
		b->thread_of[i] = in[i] ? count++ : ORDER_NONE;
	free(in);
	b->window->model.thread_count = count;
	b->threads = mem_zalloc(count + 1, sizeof *b->threads);
	b->last_of = mem_alloc((count + 1) * sizeof *b->last_of);
	for (uint32_t i = 0; i < streams; i++) {
		struct build_thread *t = &b->threads[b->thread_of[i]];

		if (b->thread_of[i] == ORDER_NONE)
			continue;
		b->last_of[b->thread_of[i]] = ORDER_NONE;
		*t = (struct build_thread){ .owner = i,
					    .first = ORDER_NONE,
					    .last = ORDER_NONE,
					    .create = ORDER_NONE,
					    .head = ORDER_NONE,
					    .barrier = b->state->streams[i].barrier,
					    .arrived = b->state->streams[i].arrived,
					    .depth = b->state->streams[i].depth,
					    .passed = ORDER_NONE };
	}
	for (uint32_t i = 0; i < count; i++) {
		const window_holds *held = &b->state->streams[b->threads[i].owner].held;

		for (size_t k = 0; k < held->count; k++) {
			const struct window_hold *h = &held->items[k];

			build_add_hold(b, i, build_object_by_number(b, h->object), h->shared,
				       h->taken);
		}
		b->threads[i].head_after = b->threads[i].head;
	}
}

/* ---- locks held ------------------------------------------------------------------------------ */

static void push_held(struct window_builder *b, struct build_thread *t,
		      const struct window_hold *hold)
{
	uint32_t object = build_object_by_number(b, hold->object);
	struct window_held held = { .address = b->objects.items[object].now.address,
				    .taken = hold->taken,
				    .lock = b->objects.items[object].target,
				    .shared = hold->shared,
				    .robust = b->objects.items[object].now.robust,
				    .outer = t->head };

	t->head = (uint32_t)b->window->held.count;
	*vec_push(&b->window->held) = held;
}

void build_add_hold(struct window_builder *b, uint32_t thread, uint32_t object, bool shared,
		    struct event_id taken)
{
	struct build_thread *t = &b->threads[thread];
	struct window_hold hold = { b->objects.items[object].number, shared, taken };

	*vec_push(&t->held) = hold;
	push_held(b, t, &hold);
}

/*
 * Removes the lock from the list of held locks. If locks were acquired after it and are still held,
 * new entries without it are made for them.
 */
void build_release_hold(struct window_builder *b, uint32_t thread, uint32_t object)
{
	struct build_thread *t = thread == ORDER_NONE ? NULL : &b->threads[thread];
	uint32_t number = b->objects.items[object].number;
	size_t i = t ? t->held.count : 0;

	while (i && t->held.items[i - 1].object != number)
		i--;
	if (!i)
		return;
	for (size_t k = t->held.count; k >= i; k--)
		t->head = b->window->held.items[t->head].outer;
	for (size_t k = i; k < t->held.count; k++) {
		t->held.items[k - 1] = t->held.items[k];
		push_held(b, t, &t->held.items[k]);
	}
	t->held.count--;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint32_t add_node(struct window_builder *b, const struct window_item *item)
{
	uint32_t thread = b->thread_of[item->owner], node = (uint32_t)b->window->nodes.count;
	struct build_thread *t = &b->threads[thread];

	*vec_push(&b->window->model.thread) = thread;
	*vec_push(&b->window->nodes) =
		(struct window_node){ .id = item->id,
				      .kind = item->kind,
				      .flags = item->flags,
				      .mode = item->mode,
				      .address = item->address,
				      .size = item->size,
				      .site = item->site,
				      .other = event_group(item->kind) == EG_THREAD ? item->number
										    : item->other,
				      .held = t->head,
				      .object = ORDER_NONE,
				      .wait = ORDER_NONE,
				      .block = ORDER_NONE,
				      .moment = item->moment,
				      .kept = item->kept };
	if (t->first == ORDER_NONE) {
		t->first = node;
		if (t->create != ORDER_NONE)
			build_add_edge(b, t->create, node);
	}
	return node;
}

static void apply_thread_event(struct window_builder *b, const struct window_item *item,
			       uint32_t node)
{
	uint32_t owner = find_owner(b, item->number);
	uint32_t thread = owner == TRACE_NONE ? ORDER_NONE : b->thread_of[owner];

	if (thread == ORDER_NONE || owner == item->owner)
		return;
	if (item->kind == EV_CREATE && b->threads[thread].first == ORDER_NONE &&
	    b->threads[thread].create == ORDER_NONE &&
	    b->state->streams[owner].begun > b->input->before) {
		b->threads[thread].create = node;
	} else if (item->kind == EV_JOIN) {
		b->window->nodes.items[node].object = thread;
		if (b->threads[thread].last != ORDER_NONE)
			build_add_edge(b, b->threads[thread].last, node);
	}
}

/*
 * Must the event come after all earlier events, because it may have waited for any of them? These
 * are events that read a value which the environment wrote, a SYNC, and in a recording the BEGIN of
 * a thread whose creator is unknown.
 */
static bool must_come_after_all(const struct window_builder *b, const struct window_item *item)
{
	const struct share_survey *survey = b->state->survey;

	return b->read_unexplained || item->kind == EV_SYNC || item->kind == EV_OPAQUE ||
	       (item->kind == EV_BEGIN && !survey->text &&
		!survey->streams[item->owner].has_creator);
}

static void order_after_all(struct window_builder *b, uint32_t node)
{
	uint32_t own = b->window->model.thread.items[node];
	bool opaque = b->window->nodes.items[node].kind == EV_OPAQUE;

	b->window->nodes.items[node].after_all = true;
	b->window->nodes.items[node].environment |= b->read_unexplained;
	for (uint32_t i = 0; i < b->window->model.thread_count; i++) {
		if (b->threads[i].last == ORDER_NONE || i == own)
			continue;
		if (opaque)
			*vec_push(&b->window->opaque_edges) =
				(uint32_t)b->window->model.edges.count;
		build_add_edge(b, b->threads[i].last, node);
		b->window->nodes.items[node].environment = true;
	}
}

static void build_node(struct window_builder *b, const struct window_item *item)
{
	uint32_t node = add_node(b, item);

	if (item->moment) {
		b->threads[b->thread_of[item->owner]].last = node;
		return;
	}
	b->unexplained = b->read_unexplained = false;
	build_pass_without_event(b, item, node);
	build_touch_memory(b, item, node);
	if (event_group(item->kind) == EG_THREAD)
		apply_thread_event(b, item, node);
	else
		build_sync(b, item, node);
	if (must_come_after_all(b, item))
		order_after_all(b, node);
	b->threads[b->thread_of[item->owner]].last = node;
	b->threads[b->thread_of[item->owner]].head_after =
		b->threads[b->thread_of[item->owner]].head;
	b->window->unexplained += b->unexplained && node >= b->window->fresh;
}

/* ---- back to the state ----------------------------------------------------------------------- */

static void commit_objects(struct window_builder *b)
{
	for (size_t i = 0; i < b->objects.count; i++) {
		struct build_object *o = &b->objects.items[i];
		struct window_object *to = &b->state->objects.items[o->number];

		window_object_copy(to, &o->now);
		to->window = b->state->windows;
		to->local = (uint32_t)i;
	}
	for (uint32_t i = 0; i < b->window->model.thread_count; i++) {
		const struct build_thread *t = &b->threads[i];
		struct window_stream *stream = &b->state->streams[t->owner];

		stream->barrier = t->barrier;
		stream->arrived = t->arrived;
		stream->depth = t->depth;
		vec_copy(&stream->held, &t->held);
	}
}

/* ---- how threads end ------------------------------------------------------------------------- */

static uint32_t find_pending_wait(const struct window_builder *b, uint32_t object, uint32_t owner)
{
	const struct window_object *o = &b->objects.items[object].now;

	for (size_t i = 0; i < o->waiting.count; i++) {
		if (o->waiting.items[i].owner == owner)
			return o->waiting.items[i].wait;
	}
	return ORDER_NONE;
}

/* Sets the end of a thread whose last event is a request that was never fulfilled. */
static void fill_in_pending(struct window_builder *b, const struct build_thread *t,
			    struct window_thread *out)
{
	const struct window_item *last = &b->state->streams[t->owner].last;
	const struct object_arrival *arrival;
	uint32_t object, owner;

	out->pending = last->id;
	out->pending_address = last->address;
	out->pending_site = last->site;
	switch (out->pending_kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
		object = build_object(b, EG_LOCK, last->address);
		out->pending_object = b->objects.items[object].target;
		if (b->objects.items[object].now.recursive &&
		    b->objects.items[object].now.writer == t->owner + 1)
			out->end = WINDOW_GOES_ON;
		break;
	case EV_WOKEN:
		object = build_object(b, EG_CONDITION, last->address);
		out->pending_wait = find_pending_wait(b, object, t->owner);
		object = build_object(b, EG_LOCK, last->other);
		out->pending_object = b->objects.items[object].target;
		break;
	case EV_DOWN:
		object = build_object(b, EG_SEMAPHORE, last->address);
		out->pending_object = b->objects.items[object].target;
		break;
	case EV_PASS:
		object = build_object(b, EG_BARRIER, last->address);
		arrival = build_find_arrival(&b->objects.items[object].now, t->owner);
		out->pending_object = arrival ? arrival->local : ORDER_NONE;
		break;
	case EV_JOIN:
		owner = find_owner(b, last->number);
		out->pending_object = owner == TRACE_NONE ? ORDER_NONE : b->thread_of[owner];
		break;
	}
}

static void add_thread(struct window_builder *b, const struct build_thread *t)
{
	const struct window_stream *stream = &b->state->streams[t->owner];
	const struct survey_stream *survey = &b->state->survey->streams[t->owner];
	struct window_thread *out = vec_push(&b->window->threads);

	*out = (struct window_thread){
		.stream = stream->stream,
		.end = WINDOW_GOES_ON,
		.begun = stream->begun <= b->input->before,
		.created = !survey->has_creator || stream->created <= b->input->before,
		.create = t->create,
		.stack_low = stream->stack_low,
		.stack_size = stream->stack_size,
		.held = t->head_after,
		.pending_object = ORDER_NONE,
		.pending_wait = ORDER_NONE,
	};
	if (stream->finished > b->input->before + b->count || survey->stopped)
		return;
	out->pending_kind = requested_event(stream->last.kind);
	if (out->pending_kind != EV_NONE) {
		out->end = WINDOW_PENDING;
		fill_in_pending(b, t, out);
	} else if (b->state->survey->text || stream->last.kind == EV_END) {
		out->end = WINDOW_ENDED;
	} else if (survey->exits && stream->stream == 0) {
		out->end = WINDOW_EXITED;
	}
}

/* ---- the whole window ------------------------------------------------------------------------ */

static void free_builder(struct window_builder *b)
{
	for (size_t i = 0; i < b->objects.count; i++)
		window_object_free(&b->objects.items[i].now);
	for (uint32_t i = 0; i < b->window->model.thread_count; i++)
		vec_free(&b->threads[i].held);
	vec_free(&b->objects);
	vec_free(&b->operations);
	vec_free(&b->locks);
	vec_free(&b->conditions);
	vec_free(&b->semaphores);
	vec_free(&b->sections);
	vec_free(&b->fails);
	vec_free(&b->waits);
	vec_free(&b->signals);
	vec_free(&b->counts);
	vec_free(&b->meetings);
	vec_free(&b->arrivals);
	free(b->thread_of);
	free(b->threads);
	free(b->last_of);
	build_free_memory(b);
}

/*
 * The model must accept the recorded order, for any trace. This check takes 2 to 5 % of the time
 * for building a window.
 */
static void assert_feasible(const struct order_model *model)
{
	uint32_t *all = mem_alloc((model->node_count + (size_t)1) * sizeof *all);
	bool accepted;

	for (uint32_t i = 0; i < model->node_count; i++)
		all[i] = i;
	accepted = order_model_accepts(model, all, model->node_count);
	assert(accepted);
	free(all);
}

struct window *window_build(struct window_state *state, const struct window_input *input,
			    uint32_t *taken)
{
	struct window_builder b = { .state = state, .input = input, .count = input->count };
	uint32_t next;

	b.window = mem_zalloc(1, sizeof *b.window);
	b.window->number = state->windows;
	b.window->fresh = input->fresh;
	build_cut_accesses(&b);
	next = input->next < b.count ? input->next : b.count;
	open_threads(&b);
	for (uint32_t i = 0; i < b.count; i++) {
		if (i == next) {
			commit_objects(&b);
			build_commit_memory(&b, i);
		}
		build_node(&b, &input->items[i]);
	}
	if (next == b.count) {
		commit_objects(&b);
		build_commit_memory(&b, b.count);
	}
	b.window->model.node_count = b.count;
	for (uint32_t i = 0; i < b.window->model.thread_count; i++)
		add_thread(&b, &b.threads[i]);
	build_emit_memory(&b);
	build_emit_entities(&b);
	build_emit(&b);
	order_model_index(&b.window->model);
	assert_feasible(&b.window->model);
	free_builder(&b);
	state->windows++;
	*taken = b.count;
	return b.window;
}

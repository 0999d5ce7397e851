/*
 * The end of building: puts the collected operations on sync objects into the model, grouped by
 * object. A frozen object is not in the model: a chain of edges keeps the order of its operations.
 * The lifetimes of the other objects become edges, too.
 */
#include "order/window/window_build.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* ---- numbering ------------------------------------------------------------------------------- */

/* The numbers of lifetimes and waits in the model: ORDER_NONE if the object is frozen. */
struct emit_numbers {
	uint32_t *lock, *condition, *semaphore, *wait;
};

static uint32_t *number_lifetimes(const struct window_builder *b,
				  const struct build_lifetime *lifetimes, size_t count,
				  uint32_t *numbered)
{
	uint32_t *numbers = mem_alloc((count + 1) * sizeof *numbers);

	*numbered = 0;
	for (size_t i = 0; i < count; i++)
		numbers[i] =
			b->objects.items[lifetimes[i].object].frozen ? ORDER_NONE : (*numbered)++;
	return numbers;
}

/* Replaces `earlier` by its number in the model. All lifetimes of an object have one, or none. */
static struct window_lifetime number_lifetime(const struct build_lifetime *lifetime,
					      const uint32_t *numbers)
{
	struct window_lifetime span = lifetime->span;

	if (span.earlier != ORDER_NONE)
		span.earlier = numbers[span.earlier];
	return span;
}

/*
 * A stable sort by group. key[i] is the group of item i, or ORDER_NONE to leave it out. Returns an
 * array with the new index of each item. (*start)[g] is the new index of the first item of group g.
 */
static uint32_t *sort_groups(const uint32_t *key, size_t count, uint32_t groups, uint32_t **start)
{
	uint32_t *where = mem_alloc((count + 1) * sizeof *where);
	uint32_t *next = mem_zalloc((size_t)groups + 2, sizeof *next);

	*start = mem_zalloc((size_t)groups + 2, sizeof **start);
	for (size_t i = 0; i < count; i++) {
		if (key[i] != ORDER_NONE)
			(*start)[key[i] + 1]++;
	}
	for (uint32_t g = 0; g < groups; g++)
		(*start)[g + 1] += (*start)[g];
	memcpy(next, *start, (groups + 1) * sizeof *next);
	for (size_t i = 0; i < count; i++)
		where[i] = key[i] == ORDER_NONE ? ORDER_NONE : next[key[i]]++;
	free(next);
	return where;
}

/*
 * Fills `out` with the field `part` of the items of `in`. The group of an item is numbers[field
 * `by`]. `start` is as in sort_groups() and must be freed. All arrays of a model are made this way.
 */
#define GROUP(out, in, part, by, numbers, groups, start)                                           \
	do {                                                                                       \
		uint32_t *key_ = mem_alloc(((in)->count + 1) * sizeof *key_);                      \
		uint32_t *where_;                                                                  \
                                                                                                   \
		for (size_t i_ = 0; i_ < (in)->count; i_++)                                        \
			key_[i_] = (numbers)[(in)->items[i_].by];                                  \
		where_ = sort_groups(key_, (in)->count, groups, &(start));                         \
		(out)->count = (start)[groups];                                                    \
		(out)->items = mem_alloc(((out)->count + 1) * sizeof *(out)->items);               \
		(out)->room = (out)->count + 1;                                                    \
		for (size_t i_ = 0; i_ < (in)->count; i_++) {                                      \
			if (where_[i_] != ORDER_NONE)                                              \
				(out)->items[where_[i_]] = (in)->items[i_].part;                   \
		}                                                                                  \
		free(key_);                                                                        \
		free(where_);                                                                      \
	} while (0)

/* ---- kinds of objects ------------------------------------------------------------------------ */

static void emit_locks(struct window_builder *b, struct emit_numbers *numbers)
{
	struct order_model *m = &b->window->model;
	uint32_t count, *sections, *fails;

	numbers->lock = number_lifetimes(b, b->locks.items, b->locks.count, &count);
	GROUP(&m->sections, &b->sections, section, lock, numbers->lock, count, sections);
	GROUP(&m->fails, &b->fails, fail, lock, numbers->lock, count, fails);
	for (uint32_t i = 0; i < count; i++)
		*vec_push(&m->locks) =
			(struct order_lock){ sections[i], sections[i + 1] - sections[i], fails[i],
					     fails[i + 1] - fails[i] };
	for (size_t i = 0; i < b->locks.count; i++) {
		if (numbers->lock[i] != ORDER_NONE)
			*vec_push(&b->window->lock_lifetimes) =
				number_lifetime(&b->locks.items[i], numbers->lock);
	}
	free(sections);
	free(fails);
}

static void emit_conditions(struct window_builder *b, struct emit_numbers *numbers)
{
	struct order_model *m = &b->window->model;
	uint32_t count, *waits, *signals, *next;

	numbers->condition = number_lifetimes(b, b->conditions.items, b->conditions.count, &count);
	GROUP(&m->waits, &b->waits, wait, condition, numbers->condition, count, waits);
	GROUP(&m->signals, &b->signals, signal, condition, numbers->condition, count, signals);
	for (uint32_t i = 0; i < count; i++)
		*vec_push(&m->conditions) =
			(struct order_condition){ waits[i], waits[i + 1] - waits[i], signals[i],
						  signals[i + 1] - signals[i] };
	/* Repeats the sort, to know the new index of each wait. */
	numbers->wait = mem_alloc((b->waits.count + 1) * sizeof *numbers->wait);
	next = waits;
	for (size_t i = 0; i < b->waits.count; i++) {
		uint32_t condition = numbers->condition[b->waits.items[i].condition];

		numbers->wait[i] = condition == ORDER_NONE ? ORDER_NONE : next[condition]++;
	}
	free(waits);
	free(signals);
}

static void add_semaphores(struct window_builder *b, const struct emit_numbers *numbers)
{
	for (size_t i = 0; i < b->semaphores.count; i++) {
		const struct build_lifetime *lifetime = &b->semaphores.items[i];

		if (numbers->semaphore[i] == ORDER_NONE)
			continue;
		*vec_push(&b->window->semaphore_lifetimes) =
			number_lifetime(lifetime, numbers->semaphore);
		*vec_push(&b->window->model.semaphores) = (struct order_semaphore){
			.initial = lifetime->initial < INT32_MAX ? (uint32_t)lifetime->initial
								 : INT32_MAX,
			.exact = lifetime->exact,
		};
	}
}

static void emit_counts(struct order_model *m, struct order_semaphore *s,
			const struct build_counted *counted, uint32_t count)
{
	s->post_start = (uint32_t)m->posts.count;
	s->down_start = (uint32_t)m->downs.count;
	s->zero_start = (uint32_t)m->zeros.count;
	for (uint32_t i = 0; i < count; i++) {
		switch (counted[i].step) {
		case STEP_POST: *vec_push(&m->posts) = counted[i].node; break;
		case STEP_DOWN: *vec_push(&m->downs) = counted[i].node; break;
		case STEP_ZERO: *vec_push(&m->zeros) = counted[i].node; break;
		}
	}
	s->post_count = (uint32_t)m->posts.count - s->post_start;
	s->down_count = (uint32_t)m->downs.count - s->down_start;
	s->zero_count = (uint32_t)m->zeros.count - s->zero_start;
}

static void emit_semaphores(struct window_builder *b, struct emit_numbers *numbers)
{
	struct order_model *m = &b->window->model;
	VEC(struct build_counted) sorted = { 0 };
	uint32_t count, *start;

	numbers->semaphore = number_lifetimes(b, b->semaphores.items, b->semaphores.count, &count);
	add_semaphores(b, numbers);
	GROUP(&sorted, &b->counts, counted, semaphore, numbers->semaphore, count, start);
	for (uint32_t i = 0; i < count; i++)
		emit_counts(m, &m->semaphores.items[i], sorted.items + start[i],
			    start[i + 1] - start[i]);
	free(start);
	vec_free(&sorted);
}

/* Lists the arrivals of each meeting, oldest first, and the number of missing arrivals. */
static void emit_meetings(struct window_builder *b)
{
	struct window *w = b->window;

	for (size_t i = 0; i < b->meetings.count; i++) {
		const struct build_meeting *m = &b->meetings.items[i];
		uint32_t start = (uint32_t)w->arrivals.count, at = start + m->count;
		uint64_t came = m->before + m->count;

		*vec_push(&w->meetings) =
			(struct window_meeting){ start, m->count,
						 m->size > came ? (uint32_t)(m->size - came) : 0 };
		vec_reserve(&w->arrivals, m->count + 1)[0] = 0;
		w->arrivals.count += m->count;
		for (uint32_t k = m->last; k != ORDER_NONE; k = b->arrivals.items[k].previous)
			w->arrivals.items[--at] = b->arrivals.items[k].node;
		assert(at == start);
	}
}

/* ---- order of the operations on an object ---------------------------------------------------- */

static void chain_uses(struct window_builder *b, const struct build_use *uses, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		b->window->nodes.items[uses[i].node].environment = true;
		if (i)
			build_add_edge(b, uses[i - 1].node, uses[i].node);
	}
}

/* Adds edges: an INIT or DESTROY comes after all earlier uses and before all later uses. */
static void add_lifetime_edges(struct window_builder *b, const struct build_use *uses,
			       uint32_t count)
{
	uint32_t event = ORDER_NONE, threads = b->window->model.thread_count;
	bool *is_after = mem_zalloc(threads + 1, sizeof *is_after);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = uses[i].node, thread = b->window->model.thread.items[node];

		if (uses[i].lifetime) {
			if (event != ORDER_NONE)
				build_collect_last(b, event);
			build_add_lifetime_edges_from_lasts(b, node);
			memset(is_after, 0, threads * sizeof *is_after);
			event = node;
			continue;
		}
		if (event != ORDER_NONE && !is_after[thread])
			build_add_lifetime_edge(b, event, node);
		is_after[thread] = true;
		build_collect_last(b, node);
	}
	for (uint32_t t = 0; t < threads; t++)
		b->last_of[t] = ORDER_NONE;
	free(is_after);
}

/*
 * The order of a channel. A RECEIVE comes after all earlier SENDs and RECEIVEs. A SEND of bytes
 * comes after all earlier SENDs; a SEND that the program annotated comes after none of them. Each
 * SEND is added to both lists, and removed from each of them once.
 */
struct channel_sends {
	VEC(uint32_t) unreceived; /* sends since the last RECEIVE */
	VEC(uint32_t) unordered;  /* the last SEND of bytes and all sends since then */
	uint32_t receive;	  /* the last RECEIVE, or ORDER_NONE */
};

static void add_channel_edges(struct window_builder *b, const struct build_use *uses,
			      uint32_t count)
{
	struct channel_sends c = { .receive = ORDER_NONE };

	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = uses[i].node;

		if (b->window->nodes.items[node].kind == EV_RECEIVE) {
			for (size_t k = 0; k < c.unreceived.count; k++)
				build_collect_last(b, c.unreceived.items[k]);
			if (c.receive != ORDER_NONE)
				build_collect_last(b, c.receive);
			build_add_edges_from_lasts(b, node);
			c.unreceived.count = 0;
			c.receive = node;
			continue;
		}
		if (b->window->nodes.items[node].mode == EVENT_CHANNEL_BYTES) {
			for (size_t k = 0; k < c.unordered.count; k++)
				build_collect_last(b, c.unordered.items[k]);
			build_add_edges_from_lasts(b, node);
			c.unordered.count = c.unreceived.count = 0;
			/* A RECEIVE needs no edges from earlier sends: it comes after this one. */
		}
		*vec_push(&c.unordered) = node;
		*vec_push(&c.unreceived) = node;
	}
	vec_free(&c.unreceived);
	vec_free(&c.unordered);
}

static bool is_send_of_bytes(const struct window_node *n)
{
	return n->kind == EV_SEND && n->mode == EVENT_CHANNEL_BYTES;
}

static bool is_receive_of_nothing(const struct window_node *n)
{
	return n->kind == EV_RECEIVE && n->mode == EVENT_CHANNEL_NOTHING;
}

static bool is_deaf_send(const struct window_node *n)
{
	return n->kind == EV_SEND && n->mode == EVENT_CHANNEL_DEAF;
}

/*
 * Models a state of a channel as a cell. Each write has a different value, so a node that reads the
 * state must come after the same write as in the recorded run. The cell is not listed with any
 * node, because it is not memory.
 */
static void add_channel_cell(struct window_builder *b, const struct build_use *uses, uint32_t count,
			     bool (*reads)(const struct window_node *n),
			     bool (*writes)(const struct window_node *n))
{
	struct order_model *model = &b->window->model;
	struct order_cell cell = { .initial = ORDER_NONE,
				   .write_start = (uint32_t)model->writes.count,
				   .read_start = (uint32_t)model->reads.count };
	uint32_t last = ORDER_NONE;

	for (uint32_t i = 0; i < count; i++) {
		const struct window_node *n = &b->window->nodes.items[uses[i].node];

		if (reads(n)) {
			*vec_push(&model->reads) =
				(struct order_read){ uses[i].node, ORDER_NONE, last };
		} else if (writes(n)) {
			last = uses[i].node;
			*vec_push(&model->writes) =
				(struct order_write){ last, build_unique_value(b) };
		}
	}
	cell.write_count = (uint32_t)model->writes.count - cell.write_start;
	cell.read_count = (uint32_t)model->reads.count - cell.read_start;
	if (cell.read_count && cell.write_count) {
		*vec_push(&model->cells) = cell;
		return;
	}
	model->writes.count = cell.write_start;
	model->reads.count = cell.read_start;
}

static void emit_channel(struct window_builder *b, const struct build_use *uses, uint32_t count)
{
	add_channel_edges(b, uses, count);
	/* A RECEIVE that found nothing: no further bytes had been sent. */
	add_channel_cell(b, uses, count, is_receive_of_nothing, is_send_of_bytes);
	/* A SEND that succeeded: the channel still had a receiver. */
	add_channel_cell(b, uses, count, is_send_of_bytes, is_deaf_send);
}

static void emit_uses(struct window_builder *b)
{
	VEC(struct build_use) sorted = { 0 };
	uint32_t count = (uint32_t)b->objects.count, *start;
	uint32_t *same = mem_alloc(((size_t)count + 1) * sizeof *same);

	for (uint32_t i = 0; i < count; i++)
		same[i] = i;
	GROUP(&sorted, &b->operations, use, object, same, count, start);
	for (uint32_t i = 0; i < count; i++) {
		const struct build_object *o = &b->objects.items[i];

		if (o->reinitialised)
			build_emit_object(b, sorted.items + start[i], start[i + 1] - start[i]);
		if (o->now.group == EG_CHANNEL)
			emit_channel(b, sorted.items + start[i], start[i + 1] - start[i]);
		else if (o->frozen)
			chain_uses(b, sorted.items + start[i], start[i + 1] - start[i]);
		else if (o->reinitialised)
			add_lifetime_edges(b, sorted.items + start[i], start[i + 1] - start[i]);
	}
	free(same);
	free(start);
	vec_free(&sorted);
}

/* ---- objects that unrecorded code operates on, too ------------------------------------------- */

/* Does the event's thread learn from it that another thread operated on the object? */
static bool learns_of_others(uint8_t kind)
{
	switch (kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL:
	case EV_WOKEN:
	case EV_DOWN:
	case EV_DOWN_FAIL:
	case EV_ONCE: return true;
	default: return false;
	}
}

/*
 * If an operation is unexplained, unrecorded code operates on the object, and may do so after any
 * earlier event. So each event whose thread can learn of such an operation comes after all earlier
 * events.
 */
static void order_learners_after_all(struct window_builder *b)
{
	struct window *w = b->window;
	bool *learner = NULL;

	for (size_t i = 0; i < b->operations.count; i++) {
		const struct build_operation *o = &b->operations.items[i];

		if (!b->objects.items[o->object].unexplained ||
		    !learns_of_others(w->nodes.items[o->use.node].kind))
			continue;
		if (!learner)
			learner = mem_zalloc(w->nodes.count, sizeof *learner);
		learner[o->use.node] = true;
	}
	if (!learner)
		return;
	uint32_t *last = mem_alloc(w->model.thread_count * sizeof *last);

	for (uint32_t i = 0; i < w->model.thread_count; i++)
		last[i] = ORDER_NONE;
	for (uint32_t n = 0; n < w->nodes.count; n++) {
		uint32_t own = w->model.thread.items[n];

		w->nodes.items[n].after_all |= learner[n];
		for (uint32_t i = 0; learner[n] && i < w->model.thread_count; i++) {
			if (i != own && last[i] != ORDER_NONE) {
				build_add_edge(b, last[i], n);
				w->nodes.items[n].environment = true;
			}
		}
		last[own] = n;
	}
	free(last);
	free(learner);
}

/* ---- numbers in nodes and threads ------------------------------------------------------------ */

static uint32_t renumber_object(const struct window_builder *b, const struct emit_numbers *numbers,
				uint8_t kind, uint32_t object)
{
	if (object == ORDER_NONE)
		return ORDER_NONE;
	switch (event_group(kind)) {
	case EG_LOCK:
	case EG_CONDITION: return numbers->lock[object];
	case EG_SEMAPHORE: return numbers->semaphore[object];
	case EG_BARRIER:
		return b->objects.items[b->meetings.items[object].object].frozen ? ORDER_NONE
										 : object;
	default: return object;
	}
}

static void renumber_nodes(struct window_builder *b, const struct emit_numbers *numbers)
{
	struct window *w = b->window;

	for (size_t i = 0; i < w->nodes.count; i++) {
		struct window_node *n = &w->nodes.items[i];

		n->object = renumber_object(b, numbers, n->kind, n->object);
		if (n->wait != ORDER_NONE)
			n->wait = numbers->wait[n->wait];
	}
	for (size_t i = 0; i < w->held.count; i++)
		w->held.items[i].lock = numbers->lock[w->held.items[i].lock];
}

/* A thread that waits for a frozen object may not be blocked: it counts as WINDOW_GOES_ON. */
static void renumber_pending(struct window_builder *b, const struct emit_numbers *numbers)
{
	for (size_t i = 0; i < b->window->threads.count; i++) {
		struct window_thread *t = &b->window->threads.items[i];

		if (t->end != WINDOW_PENDING)
			continue;
		t->pending_object = renumber_object(b, numbers, t->pending_kind, t->pending_object);
		if (t->pending_wait != ORDER_NONE)
			t->pending_wait = numbers->wait[t->pending_wait];
		/* A wait that may have been signalled before the window may be woken. */
		if (t->pending_wait != ORDER_NONE &&
		    b->window->model.waits.items[t->pending_wait].wake == ORDER_WAKE_FREE)
			t->pending_wait = ORDER_NONE;
		if (t->pending_object == ORDER_NONE && t->pending_wait == ORDER_NONE)
			t->end = WINDOW_GOES_ON;
	}
}

static void drop_frozen_onces(struct window_builder *b)
{
	for (size_t i = 0; i < b->window->nodes.count; i++) {
		struct window_node *n = &b->window->nodes.items[i];

		if (event_group(n->kind) == EG_ONCE && n->environment)
			n->object = ORDER_NONE;
	}
}

void build_emit(struct window_builder *b)
{
	struct emit_numbers numbers;

	order_learners_after_all(b);
	emit_locks(b, &numbers);
	emit_conditions(b, &numbers);
	emit_semaphores(b, &numbers);
	emit_meetings(b);
	emit_uses(b);
	renumber_nodes(b, &numbers);
	renumber_pending(b, &numbers);
	drop_frozen_onces(b);
	free(numbers.lock);
	free(numbers.condition);
	free(numbers.semaphore);
	free(numbers.wait);
}

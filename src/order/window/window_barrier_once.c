/*
 * Operations on barriers and once. Such an operation needs all operations of a fixed set to happen
 * before it, so edges are enough to model it.
 */
#include "order/window/window_build.h"

/* ---- barriers -------------------------------------------------------------------------------- */

static uint32_t find_meeting(const struct window_builder *b, uint32_t object, uint64_t number)
{
	for (size_t i = b->meetings.count; i > 0; i--) {
		if (b->meetings.items[i - 1].object == object &&
		    b->meetings.items[i - 1].number == number)
			return (uint32_t)i - 1;
	}
	return ORDER_NONE;
}

static uint32_t add_meeting(struct window_builder *b, uint32_t object, uint64_t number,
			    uint64_t before)
{
	*vec_push(&b->meetings) = (struct build_meeting){ .object = object,
							  .number = number,
							  .size = b->objects.items[object].now.size,
							  .before = before,
							  .last = ORDER_NONE };
	return (uint32_t)b->meetings.count - 1;
}

void build_open_barrier(struct window_builder *b, uint32_t object)
{
	struct window_object *o = &b->objects.items[object].now;

	add_meeting(b, object, o->meeting, o->arrived);
	for (size_t i = 0; i < o->arrivals.count; i++) {
		struct object_arrival *a = &o->arrivals.items[i];

		a->local = find_meeting(b, object, a->meeting);
		if (a->local == ORDER_NONE)
			a->local = add_meeting(b, object, a->meeting, o->size);
	}
}

static void add_arrival_edges(struct window_builder *b, uint32_t meeting, uint32_t node)
{
	uint32_t i = b->meetings.items[meeting].last;

	for (; i != ORDER_NONE; i = b->arrivals.items[i].previous)
		build_add_edge(b, b->arrivals.items[i].node, node);
}

struct object_arrival *build_find_arrival(struct window_object *o, uint32_t owner)
{
	for (size_t i = 0; i < o->arrivals.count; i++) {
		if (o->arrivals.items[i].owner == owner)
			return &o->arrivals.items[i];
	}
	return NULL;
}

/* Adds edges from all arrivals of a thread's meeting to its PASS, or the event that replaces it. */
static uint32_t pass_barrier(struct window_builder *b, uint32_t object, uint32_t owner,
			     uint32_t node)
{
	struct window_object *o = &b->objects.items[object].now;
	struct object_arrival *a = build_find_arrival(o, owner);
	uint32_t meeting;

	if (!a || o->meeting <= a->meeting)
		build_mark_unexplained(b, object);
	if (!a)
		return ORDER_NONE;
	meeting = a->local;
	*a = o->arrivals.items[--o->arrivals.count];
	add_arrival_edges(b, meeting, node);
	b->threads[b->thread_of[owner]].passed = meeting;
	return meeting;
}

void build_pass_without_event(struct window_builder *b, const struct window_item *item,
			      uint32_t node)
{
	struct build_thread *t = &b->threads[b->thread_of[item->owner]];
	uint32_t object;

	/* An event of a signal handler does not show that the interrupted thread has passed. */
	if (!t->barrier || item->id.stream != t->arrived)
		return;
	object = build_object_by_number(b, t->barrier - 1);
	t->barrier = 0;
	if (item->kind != EV_PASS || item->address != b->objects.items[object].now.address)
		pass_barrier(b, object, item->owner, node);
}

static uint32_t arrive_at_barrier(struct window_builder *b, uint32_t object,
				  const struct window_item *item, uint32_t node)
{
	struct build_object *o = &b->objects.items[object];
	struct build_thread *t = &b->threads[b->thread_of[item->owner]];
	uint32_t meeting = find_meeting(b, object, o->now.meeting);
	uint32_t previous = find_meeting(b, object, o->now.meeting - 1);
	struct object_arrival *a = build_find_arrival(&o->now, item->owner);

	if (item->number && o->now.size && item->number != o->now.size)
		build_mark_unexplained(b, object);
	if (item->number)
		o->now.size = item->number;
	if (meeting == ORDER_NONE)
		meeting = add_meeting(b, object, o->now.meeting, 0);
	b->meetings.items[meeting].size = o->now.size;
	if (!o->now.size) /* the number of threads that meet is unknown */
		build_mark_unexplained(b, object);
	if (previous != ORDER_NONE && previous != t->passed)
		add_arrival_edges(b, previous, node);
	*vec_push(&b->arrivals) = (struct build_arrival){ node, b->meetings.items[meeting].last };
	b->meetings.items[meeting].last = (uint32_t)b->arrivals.count - 1;
	b->meetings.items[meeting].count++;
	if (!a)
		a = vec_push(&o->now.arrivals);
	*a = (struct object_arrival){ item->owner, meeting, o->now.meeting };
	if (++o->now.arrived >= o->now.size) {
		o->now.arrived = 0;
		o->now.meeting++;
	}
	if (b->state->survey->text) {
		t->barrier = o->number + 1;
		t->arrived = item->id.stream;
	}
	return meeting;
}

/*
 * Applies an INIT or DESTROY of a barrier. Threads whose meeting is complete can still pass;
 * threads that wait for further arrivals wait forever.
 */
static void restart_barrier(struct window_builder *b, uint32_t object, uint64_t size)
{
	struct window_object *o = &b->objects.items[object].now;
	size_t kept = 0;

	if (o->arrived)
		build_mark_unexplained(b, object);
	for (size_t i = 0; i < o->arrivals.count; i++) {
		if (o->arrivals.items[i].meeting < o->meeting)
			o->arrivals.items[kept++] = o->arrivals.items[i];
	}
	o->arrivals.count = kept;
	o->size = size;
	o->meeting += 2; /* so that the next meeting gets no edges from the previous one */
	o->arrived = 0;
}

void build_barrier(struct window_builder *b, const struct window_item *item, uint32_t node)
{
	uint32_t object = build_object(b, EG_BARRIER, item->address);
	bool lifetime = item->kind == EV_BARRIER_INIT || item->kind == EV_BARRIER_DESTROY;

	build_add_operation(b, object, node, lifetime);
	switch (item->kind) {
	case EV_BARRIER_INIT: restart_barrier(b, object, item->number); break;
	case EV_BARRIER_DESTROY: restart_barrier(b, object, 0); break;
	case EV_ARRIVE:
		b->window->nodes.items[node].object = arrive_at_barrier(b, object, item, node);
		break;
	case EV_PASS:
		b->window->nodes.items[node].object = pass_barrier(b, object, item->owner, node);
		break;
	}
}

/* ---- once ------------------------------------------------------------------------------------ */

void build_open_once(struct window_builder *b, uint32_t object)
{
	struct build_object *o = &b->objects.items[object];

	o->once = (uint32_t)b->window->onces.count;
	*vec_push(&b->window->onces) =
		(struct window_once){ ORDER_NONE, ORDER_NONE, o->now.running };
}

void build_once(struct window_builder *b, const struct window_item *item, uint32_t node)
{
	uint32_t object = build_object(b, EG_ONCE, item->address);
	struct build_object *o = &b->objects.items[object];
	struct window_once *once = &b->window->onces.items[o->once];

	build_add_operation(b, object, node, false);
	b->window->nodes.items[node].object = o->once;
	switch (item->kind) {
	case EV_ONCE_BEGIN:
		/* After an exception a once runs again. An entry of `onces` has only one run. */
		if (o->now.running || o->passed || once->begin != ORDER_NONE)
			build_mark_unexplained(b, object);
		o->now.running = true;
		once->begin = node;
		break;
	case EV_ONCE_END:
		if (!o->now.running)
			build_mark_unexplained(b, object);
		o->now.running = false;
		o->now.done = true;
		once->end = o->ended = node;
		break;
	case EV_ONCE:
		if (o->now.running)
			build_mark_unexplained(b, object);
		o->passed |= !o->now.done;
		if (o->ended != ORDER_NONE)
			build_add_edge(b, o->ended, node);
		break;
	}
}

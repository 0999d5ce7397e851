/* Applies operations on locks, conditions and semaphores, in the order of the base run. */
#include "order/window/window_build.h"

#define SENT_MAX 4096 /* number of signals stored for waiting threads of one condition */

void build_mark_unexplained(struct window_builder *b, uint32_t object)
{
	b->objects.items[object].frozen = true;
	b->objects.items[object].unexplained = true;
	b->unexplained = true;
}

void build_add_operation(struct window_builder *b, uint32_t object, uint32_t node, bool lifetime)
{
	b->window->nodes.items[node].first = lifetime && !b->objects.items[object].now.used;
	b->objects.items[object].now.used = true;
	*vec_push(&b->operations) = (struct build_operation){ object, { node, lifetime } };
	b->objects.items[object].reinitialised |= lifetime;
}

/* ---- lifetimes of objects -------------------------------------------------------------------- */

static uint32_t open_section(struct window_builder *b, uint32_t object, uint32_t acquire,
			     uint32_t thread, bool shared)
{
	*vec_push(&b->sections) = (struct build_section){ b->objects.items[object].target,
							  { acquire, ORDER_NONE, thread, shared } };
	return (uint32_t)b->sections.count - 1;
}

/* Begins a lifetime of the lock: with node `begin`, or before the window (ORDER_NONE). */
static void open_lock(struct window_builder *b, uint32_t object, uint32_t begin)
{
	struct build_object *o = &b->objects.items[object];
	struct window_lifetime span = { begin, o->target, o->now.recursive };

	o->target = (uint32_t)b->locks.count;
	*vec_push(&b->locks) = (struct build_lifetime){ .object = object, .span = span };
	if (o->now.writer)
		o->now.section =
			open_section(b, object, ORDER_NONE, b->thread_of[o->now.writer - 1], false);
	for (size_t i = 0; i < o->now.readers.count; i++)
		o->now.readers.items[i].section = open_section(
			b, object, ORDER_NONE, b->thread_of[o->now.readers.items[i].owner], true);
}

static bool has_signal(const struct window_object *o, uint64_t since)
{
	for (size_t i = 0; i < o->sent.count; i++) {
		if (o->sent.items[i].at > since)
			return true;
	}
	return false;
}

/*
 * Begins a lifetime of the condition. A wait that began before the window needs no signal in the
 * window if it may have been signalled before.
 */
static void open_condition(struct window_builder *b, uint32_t object)
{
	struct build_object *o = &b->objects.items[object];

	o->target = (uint32_t)b->conditions.count;
	*vec_push(&b->conditions) = (struct build_lifetime){ .object = object };
	for (size_t i = 0; i < o->now.waiting.count; i++) {
		struct object_waiting *w = &o->now.waiting.items[i];
		struct order_wait wait = { .wait = ORDER_NONE,
					   .woken = ORDER_NONE,
					   .thread = b->thread_of[w->owner],
					   .wake = has_signal(&o->now, w->since)
							   ? ORDER_WAKE_FREE
							   : ORDER_WAKE_SIGNAL,
					   .timed = w->timed,
					   .used = ORDER_NONE };

		w->wait = (uint32_t)b->waits.count;
		if (wait.thread == ORDER_NONE)
			/* The thread has ended although it waits. No query is about this wait. */
			wait.thread = 0;
		*vec_push(&b->waits) = (struct build_wait){ o->target, wait };
	}
}

static void open_semaphore(struct window_builder *b, uint32_t object, uint32_t begin)
{
	struct build_object *o = &b->objects.items[object];
	struct window_lifetime span = { begin, o->target, false };

	o->target = (uint32_t)b->semaphores.count;
	*vec_push(&b->semaphores) =
		(struct build_lifetime){ object, span, o->now.count, o->now.exact };
}

uint32_t build_object_by_number(struct window_builder *b, uint32_t number)
{
	struct window_object *from = &b->state->objects.items[number];
	struct build_object *o;
	uint32_t object;

	if (from->window == b->state->windows)
		return from->local;
	object = (uint32_t)b->objects.count;
	o = vec_push(&b->objects);
	*o = (struct build_object){
		.number = number, .target = ORDER_NONE, .once = ORDER_NONE, .ended = ORDER_NONE
	};
	from->window = b->state->windows;
	from->local = object;
	window_object_copy(&o->now, from);
	switch (from->group) {
	case EG_LOCK: open_lock(b, object, ORDER_NONE); break;
	case EG_CONDITION: open_condition(b, object); break;
	case EG_SEMAPHORE: open_semaphore(b, object, ORDER_NONE); break;
	case EG_BARRIER: build_open_barrier(b, object); break;
	case EG_ONCE: build_open_once(b, object); break;
	}
	return object;
}

uint32_t build_object(struct window_builder *b, enum event_group group, uint64_t address)
{
	return build_object_by_number(b, window_state_object(b->state, group, address));
}

/* ---- locks ----------------------------------------------------------------------------------- */

static struct object_reader *find_reader(struct window_object *o, uint32_t owner)
{
	for (size_t i = 0; i < o->readers.count; i++) {
		if (o->readers.items[i].owner == owner)
			return &o->readers.items[i];
	}
	return NULL;
}

static void drop_writer(struct window_builder *b, uint32_t object)
{
	struct window_object *o = &b->objects.items[object].now;

	if (o->writer)
		build_release_hold(b, b->thread_of[o->writer - 1], object);
	o->writer = o->depth = 0;
}

static void drop_reader(struct window_builder *b, uint32_t object, struct object_reader *r)
{
	struct window_object *o = &b->objects.items[object].now;

	build_release_hold(b, b->thread_of[r->owner], object);
	*r = o->readers.items[--o->readers.count];
}

static void drop_holders(struct window_builder *b, uint32_t object)
{
	struct window_object *o = &b->objects.items[object].now;

	drop_writer(b, object);
	while (o->readers.count)
		drop_reader(b, object, &o->readers.items[o->readers.count - 1]);
}

static void acquire_lock(struct window_builder *b, uint32_t object, const struct window_item *item,
			 uint32_t node, uint32_t depth)
{
	struct window_object *o = &b->objects.items[object].now;
	uint32_t thread = b->thread_of[item->owner];

	if (o->writer == item->owner + 1) {
		o->depth += depth;
		o->recursive = true; /* it was just acquired twice */
		b->locks.items[b->objects.items[object].target].span.recursive = true;
		return;
	}
	if (o->writer || o->readers.count) {
		build_mark_unexplained(b, object);
		drop_holders(b, object);
	}
	o->writer = item->owner + 1;
	o->depth = depth;
	o->section = open_section(b, object, node, thread, false);
	build_add_hold(b, thread, object, false, item->id);
}

/* Releases the lock once or entirely. Returns how often it was locked before. */
static uint32_t release_lock(struct window_builder *b, uint32_t object,
			     const struct window_item *item, uint32_t node, bool wholly)
{
	struct window_object *o = &b->objects.items[object].now;
	uint32_t depth = o->depth;

	if (o->writer != item->owner + 1) {
		build_mark_unexplained(b, object);
		drop_writer(b, object);
		return 1;
	}
	if (!wholly && --o->depth)
		return depth;
	b->sections.items[o->section].section.release = node;
	drop_writer(b, object);
	return depth;
}

static void acquire_for_reading(struct window_builder *b, uint32_t object,
				const struct window_item *item, uint32_t node)
{
	struct window_object *o = &b->objects.items[object].now;
	struct object_reader *r = find_reader(o, item->owner);
	uint32_t thread = b->thread_of[item->owner];

	if (o->writer) {
		build_mark_unexplained(b, object);
		drop_writer(b, object);
	}
	if (r) {
		r->depth++;
		return;
	}
	*vec_push(&o->readers) =
		(struct object_reader){ item->owner, 1,
					open_section(b, object, node, thread, true) };
	build_add_hold(b, thread, object, true, item->id);
}

static void release_for_reading(struct window_builder *b, uint32_t object,
				const struct window_item *item, uint32_t node)
{
	struct object_reader *r = find_reader(&b->objects.items[object].now, item->owner);

	if (!r) {
		build_mark_unexplained(b, object);
	} else if (!--r->depth) {
		b->sections.items[r->section].section.release = node;
		drop_reader(b, object, r);
	}
}

/* Adds a failed try. One that fails because its own thread holds the lock constrains nothing. */
static void add_failed_try(struct window_builder *b, uint32_t object,
			   const struct window_item *item, uint32_t node)
{
	struct build_object *o = &b->objects.items[object];
	bool shared = item->kind == EV_READ_FAIL;

	if (item->mode != EVENT_TRY || o->now.writer == item->owner + 1 ||
	    (!shared && find_reader(&o->now, item->owner)))
		return;
	if (!o->now.writer && (shared || !o->now.readers.count)) {
		build_mark_unexplained(b, object);
		return;
	}
	*vec_push(&b->fails) = (struct build_fail){ o->target, { node, shared } };
}

static void apply_lock_event(struct window_builder *b, const struct window_item *item,
			     uint32_t node)
{
	uint32_t object = build_object(b, EG_LOCK, item->address);
	bool lifetime = item->kind == EV_LOCK_INIT || item->kind == EV_LOCK_DESTROY;

	if (!build_is_request(item->kind))
		build_add_operation(b, object, node, lifetime);
	if (lifetime) {
		drop_holders(b, object);
		if (item->kind == EV_LOCK_INIT)
			b->objects.items[object].now.recursive = item->mode == EVENT_LOCK_RECURSIVE;
		b->objects.items[object].now.robust =
			item->kind == EV_LOCK_INIT && item->mode == EVENT_LOCK_ROBUST;
		open_lock(b, object, node);
	}
	b->window->nodes.items[node].object = b->objects.items[object].target;
	switch (item->kind) {
	case EV_ACQUIRE: acquire_lock(b, object, item, node, 1); break;
	case EV_RELEASE: release_lock(b, object, item, node, false); break;
	case EV_READ_ACQUIRE: acquire_for_reading(b, object, item, node); break;
	case EV_READ_RELEASE: release_for_reading(b, object, item, node); break;
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL: add_failed_try(b, object, item, node); break;
	}
}

/* ---- conditions ------------------------------------------------------------------------------ */

static void start_wait(struct window_builder *b, uint32_t object, const struct window_item *item,
		       uint32_t node, uint32_t depth)
{
	struct build_object *o = &b->objects.items[object];
	struct order_wait wait = { .wait = node,
				   .woken = ORDER_NONE,
				   .thread = b->thread_of[item->owner],
				   .wake = ORDER_WAKE_SIGNAL,
				   .timed = item->mode == EVENT_TIMED,
				   .used = ORDER_NONE };

	b->threads[wait.thread].depth = depth;
	b->window->nodes.items[node].wait = (uint32_t)b->waits.count;
	*vec_push(&o->now.waiting) =
		(struct object_waiting){ item->owner, depth, wait.timed, b->input->before + node,
					 (uint32_t)b->waits.count };
	*vec_push(&b->waits) = (struct build_wait){ o->target, wait };
}

/* Finds the first broadcast or signal after `since`. Removes a signal: it wakes only one wait. */
static bool take_signal(struct window_object *o, uint64_t since, uint64_t *at)
{
	for (size_t i = 0; i < o->sent.count; i++) {
		if (o->sent.items[i].at <= since)
			continue;
		*at = o->sent.items[i].at;
		if (!o->sent.items[i].broadcast) {
			o->sent.count--;
			for (; i < o->sent.count; i++)
				o->sent.items[i] = o->sent.items[i + 1];
		}
		return true;
	}
	return false;
}

/* Drops the signals that were sent before all current waits began: they wake none of these. */
static void drop_old_signals(struct window_object *o)
{
	uint64_t oldest = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < o->waiting.count; i++)
		oldest = o->waiting.items[i].since < oldest ? o->waiting.items[i].since : oldest;
	for (size_t i = 0; i < o->sent.count; i++) {
		if (o->sent.items[i].at > oldest)
			o->sent.items[kept++] = o->sent.items[i];
	}
	o->sent.count = kept;
}

static uint32_t end_wait(struct window_builder *b, uint32_t object, const struct window_item *item,
			 uint32_t node)
{
	struct window_object *o = &b->objects.items[object].now;
	struct object_waiting waiting;
	struct order_wait *wait;
	uint64_t at;
	size_t i = o->waiting.count;

	while (i && o->waiting.items[i - 1].owner != item->owner)
		i--;
	if (!i) {
		uint32_t depth = b->threads[b->thread_of[item->owner]].depth;

		build_mark_unexplained(b, object);
		return depth ? depth : 1; /* an INIT or DESTROY of the condition ended the wait */
	}
	waiting = o->waiting.items[i - 1];
	o->waiting.items[i - 1] = o->waiting.items[--o->waiting.count];
	wait = &b->waits.items[waiting.wait].wait;
	b->window->nodes.items[node].wait = waiting.wait;
	wait->woken = node;
	if (item->mode) {
		wait->wake = ORDER_WAKE_FREE;
	} else if (!take_signal(o, waiting.since, &at)) {
		build_mark_unexplained(b, object);
	} else if (at < b->input->before) {
		wait->wake = ORDER_WAKE_FREE;
	} else {
		wait->wake = ORDER_WAKE_SIGNAL;
		wait->used = (uint32_t)(at - b->input->before);
	}
	drop_old_signals(o);
	return waiting.depth;
}

static void send_signal(struct window_builder *b, uint32_t object, bool broadcast, uint32_t node)
{
	struct build_object *o = &b->objects.items[object];

	*vec_push(&b->signals) = (struct build_signal){ o->target, { node, broadcast } };
	if (!o->now.waiting.count)
		return;
	if (o->now.sent.count == SENT_MAX) { /* a thread waits while others send many signals */
		for (size_t i = 0; i < SENT_MAX / 2; i++)
			o->now.sent.items[i] = o->now.sent.items[i + SENT_MAX / 2];
		o->now.sent.count = SENT_MAX / 2;
	}
	*vec_push(&o->now.sent) = (struct object_sent){ b->input->before + node, broadcast };
}

static void apply_condition_event(struct window_builder *b, const struct window_item *item,
				  uint32_t node)
{
	uint32_t object = build_object(b, EG_CONDITION, item->address), mutex;
	bool lifetime = item->kind == EV_COND_INIT || item->kind == EV_COND_DESTROY;

	build_add_operation(b, object, node, lifetime);
	switch (item->kind) {
	case EV_COND_INIT:
	case EV_COND_DESTROY:
		if (b->objects.items[object].now.waiting.count)
			build_mark_unexplained(b, object);
		b->objects.items[object].now.waiting.count = 0;
		b->objects.items[object].now.sent.count = 0;
		open_condition(b, object);
		break;
	case EV_WAIT:
	case EV_WOKEN:
		mutex = build_object(b, EG_LOCK, item->other);
		build_add_operation(b, mutex, node, false);
		b->window->nodes.items[node].object = b->objects.items[mutex].target;
		if (item->kind == EV_WAIT)
			start_wait(b, object, item, node, release_lock(b, mutex, item, node, true));
		else
			acquire_lock(b, mutex, item, node, end_wait(b, object, item, node));
		break;
	case EV_SIGNAL:
	case EV_BROADCAST: send_signal(b, object, item->kind == EV_BROADCAST, node); break;
	}
}

/* ---- semaphores ------------------------------------------------------------------------------ */

static void apply_semaphore_event(struct window_builder *b, const struct window_item *item,
				  uint32_t node)
{
	uint32_t object = build_object(b, EG_SEMAPHORE, item->address);
	struct build_object *o = &b->objects.items[object];
	bool lifetime = item->kind == EV_SEM_INIT || item->kind == EV_SEM_DESTROY;

	if (!build_is_request(item->kind))
		build_add_operation(b, object, node, lifetime);
	if (lifetime) {
		o->now.count = item->kind == EV_SEM_INIT ? item->number : 0;
		/* a destroyed semaphore blocks no thread */
		o->now.exact = item->kind == EV_SEM_INIT;
		open_semaphore(b, object, node);
	}
	b->window->nodes.items[node].object = o->target;
	switch (item->kind) {
	case EV_POST:
		o->now.count++;
		*vec_push(&b->counts) = (struct build_count){ o->target, { node, STEP_POST } };
		break;
	case EV_DOWN:
		if (!o->now.count)
			build_mark_unexplained(b, object);
		o->now.count -= o->now.count > 0;
		*vec_push(&b->counts) = (struct build_count){ o->target, { node, STEP_DOWN } };
		break;
	case EV_DOWN_FAIL:
		if (item->mode != EVENT_TRY)
			break;
		if (o->now.count)
			build_mark_unexplained(b, object);
		*vec_push(&b->counts) = (struct build_count){ o->target, { node, STEP_ZERO } };
		break;
	}
}

/* Freezes a lock that unrecorded code uses, because it protects data that is not recorded. */
static void freeze_foreign_lock(struct window_builder *b, const struct window_item *item)
{
	uint64_t lock = item->address;
	uint32_t object;

	switch (item->kind) {
	case EV_WAIT:
	case EV_WOKEN: lock = item->other; break;
	case EV_ACQUIRE:
	case EV_RELEASE:
	case EV_ACQUIRE_FAIL:
	case EV_READ_ACQUIRE:
	case EV_READ_RELEASE:
	case EV_READ_FAIL: break;
	default: return;
	}
	object = build_object(b, EG_LOCK, lock);
	b->objects.items[object].frozen = true;
}

void build_sync(struct window_builder *b, const struct window_item *item, uint32_t node)
{
	if (item->foreign)
		freeze_foreign_lock(b, item);
	switch (event_group(item->kind)) {
	case EG_LOCK: apply_lock_event(b, item, node); break;
	case EG_CONDITION: apply_condition_event(b, item, node); break;
	case EG_SEMAPHORE: apply_semaphore_event(b, item, node); break;
	case EG_BARRIER: build_barrier(b, item, node); break;
	case EG_ONCE: build_once(b, item, node); break;
	case EG_CHANNEL:
		build_add_operation(b, build_object(b, EG_CHANNEL, item->address), node, false);
		break;
	default: break;
	}
}

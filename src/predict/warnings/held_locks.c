/*
 * Follows acquisitions and releases, and keeps the locks of each thread in the order of
 * acquisition.
 */
#include "predict/warnings/held_locks.h"

#include "base/mem.h"

void held_locks_open(struct held_locks *h, const struct trace *trace)
{
	*h = (struct held_locks){ .thread_count = trace_stream_count(trace),
				  .living = { .size = sizeof(uint32_t) } };
	h->threads = mem_zalloc((size_t)h->thread_count + 1, sizeof *h->threads);
	*vec_push(&h->locks) = 0;
	*vec_push(&h->writers) = 0;
}

void held_locks_close(struct held_locks *h)
{
	for (uint32_t i = 0; i < h->thread_count; i++)
		vec_free(&h->threads[i].held);
	free(h->threads);
	pages_free(&h->living);
	vec_free(&h->locks);
	vec_free(&h->writers);
}

uint32_t held_locks_number(struct held_locks *h, uint64_t address)
{
	uint32_t *living = pages_put(&h->living, address, NULL);

	if (!*living) {
		*vec_push(&h->locks) = address;
		*vec_push(&h->writers) = 0;
		*living = (uint32_t)h->locks.count;
	}
	return *living - 1;
}

/* ---- held locks ------------------------------------------------------------------------------ */

static struct held_lock *find_held(struct thread_locks *thread, uint32_t lock, bool shared)
{
	for (size_t i = thread->held.count; i-- > 0;) {
		if (thread->held.items[i].lock == lock && thread->held.items[i].shared == shared)
			return &thread->held.items[i];
	}
	return NULL;
}

/* Removes a lock. The others keep their order: locks may be released in any order. */
static void remove_held(struct held_locks *h, struct thread_locks *thread, struct held_lock *held)
{
	struct held_lock *end = thread->held.items + thread->held.count;

	if (!held->shared)
		h->writers.items[held->lock] = 0;
	for (; held + 1 < end; held++)
		held[0] = held[1];
	thread->held.count--;
	thread->changes++;
}

static void remove_writer(struct held_locks *h, uint32_t lock)
{
	uint32_t writer = h->writers.items[lock];

	if (writer)
		remove_held(h, &h->threads[writer - 1],
			    find_held(&h->threads[writer - 1], lock, false));
}

static bool acquire_lock(struct held_locks *h, const struct base_run_event *ev, uint64_t address,
			 bool shared, uint32_t depth)
{
	struct thread_locks *thread = &h->threads[ev->owner];
	uint32_t lock = held_locks_number(h, address);
	struct held_lock *held = find_held(thread, lock, shared);

	if (held) {
		held->depth += depth;
		return false;
	}
	remove_writer(h, lock);
	if (!shared)
		h->writers.items[lock] = ev->owner + 1;
	*vec_push(&thread->held) = (struct held_lock){
		.lock = lock,
		.depth = depth,
		.shared = shared,
		.tried = ev->kind != EV_WOKEN && ev->mode != EVENT_PLAIN,
		.taken = { ev->stream, ev->index },
	};
	thread->changes++;
	return true;
}

/* Releases the lock, once or completely. Returns how often the thread held it. */
static uint32_t release_lock(struct held_locks *h, const struct base_run_event *ev,
			     uint64_t address, bool shared, bool wholly)
{
	struct thread_locks *thread = &h->threads[ev->owner];
	uint32_t lock = held_locks_number(h, address), depth;
	struct held_lock *held = find_held(thread, lock, shared);

	if (!held && h->writers.items[lock] && !shared) {
		remove_writer(h, lock);
		return 1;
	}
	if (!held)
		held = find_held(thread, lock, !shared);
	if (!held)
		return 1;
	depth = held->depth;
	if (wholly || !--held->depth)
		remove_held(h, thread, held);
	return depth;
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

static void end_lifetime(struct held_locks *h, uint64_t address)
{
	uint32_t *living = pages_get(&h->living, address);

	if (!living || !*living)
		return;
	remove_writer(h, *living - 1);
	*living = 0;
}

static void end_lifetime_at(void *context, uint64_t address, void *item)
{
	(void)item;
	end_lifetime(context, address);
}

static void end_lifetimes(struct held_locks *h, uint64_t low, uint64_t high)
{
	pages_each(&h->living, low, high, end_lifetime_at, h);
}

bool held_locks_follow(struct held_locks *h, const struct base_run_event *ev)
{
	switch (ev->kind) {
	case EV_ACQUIRE: return acquire_lock(h, ev, ev->address, false, 1);
	case EV_READ_ACQUIRE: return acquire_lock(h, ev, ev->address, true, 1);
	case EV_RELEASE: release_lock(h, ev, ev->address, false, false); break;
	case EV_READ_RELEASE: release_lock(h, ev, ev->address, true, false); break;
	case EV_WAIT:
		h->threads[ev->owner].waited = release_lock(h, ev, ev->other, false, true);
		break;
	case EV_WOKEN: {
		uint32_t depth = h->threads[ev->owner].waited;

		h->threads[ev->owner].waited = 0;
		return acquire_lock(h, ev, ev->other, false, depth ? depth : 1);
	}
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY: end_lifetime(h, ev->address); break;
	case EV_ALLOC:
	case EV_MAP: end_lifetimes(h, ev->address, ev->address + ev->size); break;
	case EV_BEGIN: end_lifetimes(h, ev->address, ev->other); break;
	}
	return false;
}

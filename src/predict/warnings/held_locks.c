#include "predict/warnings/held_locks.h"

#include "base/mem.h"

void held_locks_open(struct held_locks *h, const struct trace *trace)
{
	*h = (struct held_locks){ .lane_count = trace_stream_count(trace),
				  .living = { .size = sizeof(uint32_t) } };
	h->lanes = mem_zalloc((size_t)h->lane_count + 1, sizeof *h->lanes);
	*vec_push(&h->locks) = 0;
	*vec_push(&h->writers) = 0;
}

void held_locks_close(struct held_locks *h)
{
	for (uint32_t i = 0; i < h->lane_count; i++)
		vec_free(&h->lanes[i].held);
	free(h->lanes);
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

/* ---- what is held ------------------------------------------------------------------------- */

static struct held_locks_lock *find(struct held_locks_lane *lane, uint32_t lock, bool shared)
{
	for (size_t i = lane->held.count; i-- > 0;) {
		if (lane->held.items[i].lock == lock && lane->held.items[i].shared == shared)
			return &lane->held.items[i];
	}
	return NULL;
}

/* The order of the others stays: locks may be given up in any. */
static void drop(struct held_locks *h, struct held_locks_lane *lane, struct held_locks_lock *held)
{
	struct held_locks_lock *end = lane->held.items + lane->held.count;

	if (!held->shared)
		h->writers.items[held->lock] = 0;
	for (; held + 1 < end; held++)
		held[0] = held[1];
	lane->held.count--;
	lane->changes++;
}

static void drop_writer(struct held_locks *h, uint32_t lock)
{
	uint32_t writer = h->writers.items[lock];

	if (writer)
		drop(h, &h->lanes[writer - 1], find(&h->lanes[writer - 1], lock, false));
}

static bool acquire(struct held_locks *h, const struct base_run_event *ev, uint64_t address,
		    bool shared, uint32_t depth)
{
	struct held_locks_lane *lane = &h->lanes[ev->lane];
	uint32_t lock = held_locks_number(h, address);
	struct held_locks_lock *held = find(lane, lock, shared);

	if (held) {
		held->depth += depth;
		return false;
	}
	drop_writer(h, lock);
	if (!shared)
		h->writers.items[lock] = ev->lane + 1;
	*vec_push(&lane->held) = (struct held_locks_lock){
		.lock = lock,
		.depth = depth,
		.shared = shared,
		.tried = ev->kind != EV_WOKEN && ev->mode != EVENT_PLAIN,
		.taken = { ev->stream, ev->index },
	};
	lane->changes++;
	return true;
}

/* Gives it up, once or wholly; how deep the thread was in it. */
static uint32_t release(struct held_locks *h, const struct base_run_event *ev, uint64_t address,
			bool shared, bool wholly)
{
	struct held_locks_lane *lane = &h->lanes[ev->lane];
	uint32_t lock = held_locks_number(h, address), depth;
	struct held_locks_lock *held = find(lane, lock, shared);

	if (!held && h->writers.items[lock] && !shared) {
		drop_writer(h, lock);
		return 1;
	}
	if (!held)
		held = find(lane, lock, !shared);
	if (!held)
		return 1;
	depth = held->depth;
	if (wholly || !--held->depth)
		drop(h, lane, held);
	return depth;
}

/* ---- lives -------------------------------------------------------------------------------- */

static void end_life(struct held_locks *h, uint64_t address)
{
	uint32_t *living = pages_get(&h->living, address);

	if (!living || !*living)
		return;
	drop_writer(h, *living - 1);
	*living = 0;
}

static void end_each(void *context, uint64_t address, void *item)
{
	(void)item;
	end_life(context, address);
}

static void end_lives(struct held_locks *h, uint64_t low, uint64_t high)
{
	pages_each(&h->living, low, high, end_each, h);
}

bool held_locks_see(struct held_locks *h, const struct base_run_event *ev)
{
	switch (ev->kind) {
	case EV_ACQUIRE: return acquire(h, ev, ev->address, false, 1);
	case EV_READ_ACQUIRE: return acquire(h, ev, ev->address, true, 1);
	case EV_RELEASE: release(h, ev, ev->address, false, false); break;
	case EV_READ_RELEASE: release(h, ev, ev->address, true, false); break;
	case EV_WAIT: h->lanes[ev->lane].waited = release(h, ev, ev->other, false, true); break;
	case EV_WOKEN: {
		uint32_t depth = h->lanes[ev->lane].waited;

		h->lanes[ev->lane].waited = 0;
		return acquire(h, ev, ev->other, false, depth ? depth : 1);
	}
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY: end_life(h, ev->address); break;
	case EV_ALLOC:
	case EV_MAP: end_lives(h, ev->address, ev->address + ev->size); break;
	case EV_BEGIN: end_lives(h, ev->address, ev->other); break;
	}
	return false;
}

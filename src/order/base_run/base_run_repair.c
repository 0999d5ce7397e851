/*
 * Emits events in a repaired order. The repair checks the oldest event whose stream is not parked.
 * If the event fits, it is emitted; otherwise its stream is parked with the reason. Where threads
 * race for the same memory, a plan (base_run_plan.h) gives the order.
 */
#include "order/base_run/base_run_repair.h"

#include "base/mem.h"
#include "order/base_run/base_run_buffer.h"
#include "order/base_run/base_run_plan.h"
#include "order/base_run/share_survey.h"

#define HELD_BACK_MAX 8192    /* events that are held back at the same time */
#define SCAN_MAX 4096	      /* accesses searched for a write of a value */
#define READS_MAX 32	      /* accesses searched for an owner's next read */
#define PLAN_ENTRIES_MAX 4096 /* entries of one owner that a plan looks at */
#define PLAN_PAUSE 64	      /* events emitted between a failed search and the next search */

#define OWNER_BITS BASE_RUN_REPAIR_OWNER_BITS
#define OWNER_MASK ((1u << OWNER_BITS) - 1)

enum repair_reason {
	GOES,
	WAITS_FOR_SYNC,	  /* earlier synchronisation has not been emitted */
	WAITS_FOR_PLAN,	  /* the plan puts other events first */
	WAITS_FOR_VALUE,  /* a read waits for another owner's write of its value */
	WAITS_FOR_LATER,  /* a read waits for a write of its value that may not be added yet */
	WAITS_FOR_READER, /* a write waits for another owner's read of the overwritten value */
	WAITS_FOR_HOLDER, /* a failed try waits until another thread holds the object */
};

struct repair_stream {
	struct buffer_stream buffer;
	enum repair_reason reason; /* why the stream is parked; GOES: it is not parked */
	uint32_t spot, version;
	uint32_t writer_owner; /* WAITS_FOR_VALUE: the owner and position of the write */
	uint64_t writer;
};

struct base_run_repair {
	const struct share_survey *survey;
	struct repair_stream *streams;
	VEC(uint32_t) active;	   /* owners that have had events */
	struct buffer_queue order; /* position << OWNER_BITS | owner, of all events */
	struct buffer_queue syncs; /* the same for synchronisation events only */
	uint64_t position;
	uint64_t newest;    /* the latest time of all events added so far */
	uint64_t emitted;   /* number of events emitted */
	uint32_t held_back; /* number of entries in all buffers */
	uint32_t parked;    /* number of parked streams */
	uint32_t last;	    /* the owner whose first entry was emitted last, or SPOT_NONE */
	struct base_run_memory memory;
	struct base_run_planner *planner;
	struct base_run_plan plan;
	uint32_t plan_number;
	uint64_t next_plan; /* when this number of events has been emitted, a plan may be made */
	struct map holders; /* address of a lock to its depth, of a semaphore to its count */
};

bool base_run_repair_has_room(const struct base_run_repair *r)
{
	return r->held_back < HELD_BACK_MAX;
}

void base_run_repair_add(struct base_run_repair *r, const struct base_run_event *ev, uint64_t time)
{
	struct repair_stream *stream = &r->streams[ev->owner];
	uint64_t after_sync = stream->buffer.after_sync,
		 item = r->position << OWNER_BITS | ev->owner;
	struct buffer_entry *e;

	if (!stream->buffer.room)
		*vec_push(&r->active) = ev->owner;
	e = buffer_put(&stream->buffer, ev, r->position++, time);
	buffer_add_parts(e, after_sync, &r->memory, r->survey);
	buffer_queue_put(&r->order, item);
	if (e->ordered)
		buffer_queue_put(&r->syncs, item);
	r->newest = time > r->newest ? time : r->newest;
	r->held_back++;
}

/* ---- what can come before what --------------------------------------------------------------- */

/* Can access `t` of another owner come before this stream's first event, by time and sync order? */
static bool can_precede(const struct base_run_repair *r, struct repair_stream *stream,
			uint32_t other, const struct spot_access *t)
{
	bool after_later_sync = t->after_sync && t->after_sync - 1 >= r->streams[other].buffer.done;
	uint64_t until = buffer_until(&stream->buffer);

	return (t->time <= until || t->time - until <= SPOT_SLACK) &&
	       !(after_later_sync && buffer_queue_first(&stream->buffer.syncs) < t->after_sync - 1);
}

/* Does the spot hold this value? Unknown bytes may have any value. */
static bool matches_spot(const struct spot *s, const struct spot_access *t)
{
	return !((s->value ^ t->value) & spot_bits(s->known & t->mask));
}

/* Finds a write of the read's value by another owner that can come before the read. */
static bool find_writer(const struct base_run_repair *r, struct repair_stream *stream,
			uint32_t number, const struct spot_access *read, uint8_t mask)
{
	const struct base_run_memory *s = &r->memory;
	uint32_t q = s->spots.items[read->spot].queues;

	for (; q != SPOT_NONE; q = s->queues.items[q].next) {
		uint32_t other = s->queues.items[q].owner, scanned = 0;

		if (other == number)
			continue;
		for (uint32_t i = s->queues.items[q].first; i != SPOT_NONE && scanned++ < SCAN_MAX;
		     i = s->accesses.items[i].next) {
			const struct spot_access *t = &s->accesses.items[i];
			uint64_t bits = spot_bits(t->mask & mask);

			if (!can_precede(r, stream, other, t))
				break;
			if (!t->write || !t->known || !bits || ((t->value ^ read->value) & bits))
				continue;
			stream->writer_owner = other;
			stream->writer = t->position;
			return true;
		}
	}
	return false;
}

/* Does the queue's owner read the current value, which `write` overwrites, before it writes? */
static bool reads_present_value(const struct base_run_repair *r, struct repair_stream *stream,
				const struct spot_queue *queue, const struct spot_access *write)
{
	const struct base_run_memory *s = &r->memory;
	uint32_t scanned = 0;

	for (uint32_t i = queue->first; i != SPOT_NONE && scanned++ < READS_MAX;
	     i = s->accesses.items[i].next) {
		const struct spot_access *t = &s->accesses.items[i];
		uint64_t bits = spot_bits(t->mask & write->mask);

		if (!bits)
			continue;
		if (t->write || !can_precede(r, stream, queue->owner, t))
			return false;
		if (t->known && (!write->known || ((t->value ^ write->value) & bits)))
			return matches_spot(&s->spots.items[write->spot], t);
	}
	return false;
}

static bool must_wait_for_reader(const struct base_run_repair *r, struct repair_stream *stream,
				 uint32_t number, const struct spot_access *write)
{
	uint32_t q = r->memory.spots.items[write->spot].queues;

	for (; q != SPOT_NONE; q = r->memory.queues.items[q].next) {
		if (r->memory.queues.items[q].owner != number &&
		    reads_present_value(r, stream, &r->memory.queues.items[q], write))
			return true;
	}
	return false;
}

static enum repair_reason check_read(const struct base_run_repair *r, struct repair_stream *stream,
				     uint32_t number, const struct spot_access *t)
{
	const struct spot *s = &r->memory.spots.items[t->spot];
	uint8_t unknown = t->mask & (uint8_t)~s->known, wrong = 0;
	uint64_t differs = s->value ^ t->value;

	for (unsigned i = 0; i < 8; i++) {
		if ((t->mask & s->known & 1u << i) && (differs >> 8 * i & 0xff))
			wrong |= (uint8_t)(1u << i);
	}
	/* An unknown byte may have its value from the start, but a write of it is preferred. */
	if ((wrong || unknown) && find_writer(r, stream, number, t, wrong ? wrong : unknown))
		return WAITS_FOR_VALUE;
	/* The thread may have slept before the read: the write may not be added yet. */
	return wrong && buffer_until(&stream->buffer) > r->newest ? WAITS_FOR_LATER : GOES;
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Can another owner's next access to the spot come first, by time and sync order? */
static bool is_contended(const struct base_run_repair *r, struct repair_stream *stream,
			 uint32_t number, uint32_t spot)
{
	uint32_t q = r->memory.spots.items[spot].queues;

	for (; q != SPOT_NONE; q = r->memory.queues.items[q].next) {
		const struct spot_queue *queue = &r->memory.queues.items[q];

		if (queue->owner != number &&
		    can_precede(r, stream, queue->owner, &r->memory.accesses.items[queue->first]))
			return true;
	}
	return false;
}

/* Do several owners access one of the entry's spots, and does one of them write it? */
static bool is_shared(const struct base_run_repair *r, const struct buffer_entry *e)
{
	for (size_t i = 0; i < e->parts.count; i++) {
		const struct spot_access *t = &r->memory.accesses.items[e->parts.items[i]];
		uint32_t q = r->memory.spots.items[t->spot].queues;

		if (r->memory.spots.items[t->spot].writes &&
		    r->memory.queues.items[q].next != SPOT_NONE)
			return true;
	}
	return false;
}

/* Sets `until` and `before_sync` of the planner's last owner, for its first `end` entries. */
static void bound_steps(struct base_run_repair *r, const struct buffer_stream *stream, uint32_t end)
{
	uint64_t until = BUFFER_NEVER, before = BUFFER_NEVER;
	uint32_t step;
	struct plan_step *steps = base_run_planner_steps(r->planner, &step);

	for (uint32_t k = end; k > 0; k--) {
		const struct buffer_entry *e = buffer_entry(stream, k - 1);
		const struct buffer_entry *next =
			k < stream->count ? buffer_entry(stream, k) : NULL;

		if (next && next->time != e->time)
			until = next->time;
		if (next && next->ordered)
			before = next->position + 1;
		if (step && steps[step - 1].position == e->position) {
			steps[step - 1].until = until;
			steps[--step].before_sync = before;
		}
	}
}

static bool collect_stream(struct base_run_repair *r, uint32_t number)
{
	const struct buffer_stream *stream = &r->streams[number].buffer;
	uint32_t k;

	if (!base_run_planner_add_stream(r->planner, number))
		return false;
	for (k = 0; k < stream->count && k < PLAN_ENTRIES_MAX; k++) {
		struct buffer_entry *e = buffer_entry(stream, k);
		struct plan_step step = { .position = e->position,
					  .time = e->time,
					  .after_sync = e->after_sync };

		if (!is_shared(r, e))
			continue;
		if (!base_run_planner_add_step(r->planner, &step, &r->memory, e->parts.items,
					       e->parts.count))
			break;
		e->plan = r->plan_number + 1;
	}
	if (k < stream->count)
		base_run_planner_cut_stream(r->planner);
	bound_steps(r, stream, k);
	return true;
}

/* Passes all accesses that are held back to the planner, if several owners access their spots. */
static bool collect_steps(struct base_run_repair *r)
{
	base_run_planner_clear(r->planner);
	for (size_t i = 0; i < r->active.count; i++) {
		if (r->streams[r->active.items[i]].buffer.count &&
		    !collect_stream(r, r->active.items[i]))
			return false;
	}
	return true;
}

static bool has_plan(const struct base_run_repair *r)
{
	return r->plan.next < r->plan.end;
}

/* Makes a plan unless there is one. A failed search is repeated only after PLAN_PAUSE events. */
static void make_plan(struct base_run_repair *r)
{
	bool collected;

	if (has_plan(r) || r->emitted < r->next_plan)
		return;
	collected = collect_steps(r);
	r->plan_number++;
	if (!collected || !base_run_planner_run(r->planner, &r->plan)) {
		r->plan.next = r->plan.end = 0;
		r->next_plan = r->emitted + PLAN_PAUSE;
	}
}

static bool is_planned(const struct base_run_repair *r, const struct buffer_entry *e)
{
	return has_plan(r) && e->plan == r->plan_number;
}

/* Advances the plan after an event. Drops the plan if the event was not the next one in it. */
static void advance_plan(struct base_run_repair *r, const struct buffer_entry *e)
{
	if (!is_planned(r, e))
		return;
	if (r->plan.entries.items[r->plan.next].position == e->position)
		r->plan.next++;
	else
		r->plan.end = 0;
}

/* ---- failed tries ---------------------------------------------------------------------------- */

static bool is_held(const struct base_run_repair *r, uint64_t address)
{
	const uint64_t *state = map_get(&r->holders, address);

	return state && *state;
}

/* Does another owner's event that is held back take the lock, or a token of the semaphore? */
static bool will_be_taken(const struct base_run_repair *r, uint32_t number, uint64_t address)
{
	for (size_t i = 0; i < r->active.count; i++) {
		const struct buffer_stream *stream = &r->streams[r->active.items[i]].buffer;

		for (uint32_t k = 0; r->active.items[i] != number && k < stream->count; k++) {
			const struct base_run_event *ev = &buffer_entry(stream, k)->event;

			if ((ev->address == address &&
			     (ev->kind == EV_ACQUIRE || ev->kind == EV_READ_ACQUIRE ||
			      ev->kind == EV_DOWN)) ||
			    (ev->kind == EV_WOKEN && ev->other == address))
				return true;
		}
	}
	return false;
}

/*
 * A try that failed because another thread held the lock can have a lower sequence number than the
 * ACQUIRE of that thread: the thread had the lock, but its ACQUIRE did not yet have a number
 * (src/runtime/sync/mutex.c, sem.c). Then the try must come after the ACQUIRE.
 */
static enum repair_reason check_try(const struct base_run_repair *r, uint32_t number,
				    const struct buffer_entry *e)
{
	const struct base_run_event *ev = &e->event;
	bool fits;

	if (ev->mode != EVENT_TRY ||
	    (ev->kind != EV_ACQUIRE_FAIL && ev->kind != EV_READ_FAIL && ev->kind != EV_DOWN_FAIL))
		return GOES;
	fits = is_held(r, ev->address) == (ev->kind != EV_DOWN_FAIL);
	return fits || !will_be_taken(r, number, ev->address) ? GOES : WAITS_FOR_HOLDER;
}

static void update_lock(struct base_run_repair *r, const struct base_run_event *ev)
{
	uint64_t *state;
	const uint64_t *least;
	bool fresh;

	if (event_group(ev->kind) < EG_LOCK)
		return;
	state = map_put(&r->holders,
			ev->kind == EV_WAIT || ev->kind == EV_WOKEN ? ev->other : ev->address,
			&fresh);
	if (fresh && event_group(ev->kind) == EG_SEMAPHORE) {
		least = map_get(&r->survey->semaphores, ev->address);
		*state = least ? *least : 0;
	}
	switch (ev->kind) {
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY:
	case EV_SEM_DESTROY:
	case EV_WAIT: *state = 0; break;
	case EV_SEM_INIT: *state = ev->number; break;
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_WOKEN:
	case EV_POST: ++*state; break;
	case EV_RELEASE:
	case EV_READ_RELEASE:
	case EV_DOWN: *state -= *state > 0; break;
	}
}

/* ---- what fits ------------------------------------------------------------------------------- */

/* Returns the position of the next synchronisation, but not of a failed try that waits. */
static uint64_t first_sync(struct base_run_repair *r)
{
	for (size_t i = r->syncs.first; i < r->syncs.items.count; i++) {
		uint64_t position = r->syncs.items.items[i] >> OWNER_BITS;
		const struct repair_stream *stream =
			&r->streams[r->syncs.items.items[i] & OWNER_MASK];

		if (position < stream->buffer.done) {
			if (i == r->syncs.first)
				r->syncs.first++;
		} else if (stream->reason != WAITS_FOR_HOLDER ||
			   buffer_entry(&stream->buffer, 0)->position != position) {
			return position;
		}
	}
	return BUFFER_NEVER;
}

static enum repair_reason check_access(struct base_run_repair *r, uint32_t number,
				       const struct buffer_entry *e, const struct spot_access *t)
{
	struct repair_stream *stream = &r->streams[number];

	if (!e->ordered && !is_planned(r, e) &&
	    (t->write || (t->known && !matches_spot(&r->memory.spots.items[t->spot], t))) &&
	    is_contended(r, stream, number, t->spot))
		make_plan(r);
	if (is_planned(r, e))
		return r->plan.entries.items[r->plan.next].position == e->position ? GOES
										   : WAITS_FOR_PLAN;
	if (!t->write && t->known)
		return check_read(r, stream, number, t);
	return t->write && !e->ordered && must_wait_for_reader(r, stream, number, t)
		       ? WAITS_FOR_READER
		       : GOES;
}

/* Returns GOES if the owner's first event may be emitted now, otherwise what it waits for. */
static enum repair_reason check_first_event(struct base_run_repair *r, uint32_t number)
{
	struct repair_stream *stream = &r->streams[number];
	const struct buffer_entry *e = buffer_entry(&stream->buffer, 0);
	enum repair_reason reason = GOES;

	if (e->ordered && first_sync(r) < e->position)
		return WAITS_FOR_SYNC;
	if (e->ordered)
		reason = check_try(r, number, e);
	for (size_t i = 0; reason == GOES && i < e->parts.count; i++) {
		const struct spot_access *t = &r->memory.accesses.items[e->parts.items[i]];

		stream->spot = t->spot;
		stream->version = r->memory.spots.items[t->spot].version;
		reason = check_access(r, number, e, t);
	}
	return reason;
}

/* Must a parked stream be checked again, because its reason may no longer hold? */
static bool may_go_now(struct base_run_repair *r, struct repair_stream *stream)
{
	const struct buffer_entry *e = buffer_entry(&stream->buffer, 0);
	const struct spot *s;

	switch (stream->reason) {
	case GOES: return true;
	case WAITS_FOR_SYNC: return first_sync(r) >= e->position;
	case WAITS_FOR_PLAN:
		return !is_planned(r, e) ||
		       r->plan.entries.items[r->plan.next].position == e->position;
	case WAITS_FOR_HOLDER:
		return is_held(r, e->event.address) == (e->event.kind != EV_DOWN_FAIL);
	case WAITS_FOR_READER:
		return r->memory.spots.items[stream->spot].version != stream->version;
	case WAITS_FOR_LATER:
		if (buffer_until(&stream->buffer) <= r->newest)
			return true;
		break;
	case WAITS_FOR_VALUE: break;
	}
	s = &r->memory.spots.items[stream->spot];
	if (s->version == stream->version)
		return false;
	/* A read is checked again if its value is there now, or if its write has been emitted. */
	for (size_t i = 0; i < e->parts.count; i++) {
		const struct spot_access *t = &r->memory.accesses.items[e->parts.items[i]];

		if (t->spot == stream->spot && !t->write && matches_spot(s, t))
			return true;
	}
	return stream->reason == WAITS_FOR_VALUE &&
	       r->streams[stream->writer_owner].buffer.done > stream->writer;
}

static void unpark_streams(struct base_run_repair *r)
{
	for (size_t i = 0; r->parked && i < r->active.count; i++) {
		struct repair_stream *stream = &r->streams[r->active.items[i]];

		if (stream->reason != GOES && may_go_now(r, stream)) {
			stream->reason = GOES;
			r->parked--;
		}
	}
}

/* ---- emitting -------------------------------------------------------------------------------- */

/* Returns the owner with the oldest event among those that wait for this reason, or SPOT_NONE. */
static uint32_t oldest_waiting(const struct base_run_repair *r, enum repair_reason reason)
{
	uint64_t best = BUFFER_NEVER;
	uint32_t found = SPOT_NONE;

	for (size_t i = 0; i < r->active.count; i++) {
		const struct repair_stream *stream = &r->streams[r->active.items[i]];

		if (stream->buffer.count && stream->reason == reason &&
		    buffer_entry(&stream->buffer, 0)->position < best) {
			best = buffer_entry(&stream->buffer, 0)->position;
			found = r->active.items[i];
		}
	}
	return found;
}

/* Returns the owner of the oldest event among those that are not parked, or SPOT_NONE. */
static uint32_t oldest_unparked(struct base_run_repair *r)
{
	while (r->order.first < r->order.items.count) {
		uint64_t item = r->order.items.items[r->order.first];
		const struct repair_stream *stream = &r->streams[item & OWNER_MASK];

		if (item >> OWNER_BITS >= stream->buffer.done)
			return stream->reason == GOES ? (uint32_t)item & OWNER_MASK
						      : oldest_waiting(r, GOES);
		r->order.first++;
	}
	return SPOT_NONE;
}

/*
 * Called if no event fits: unparks one stream. First come events that wait only as a precaution,
 * then events whose condition will not come true.
 */
static uint32_t force_one_stream(struct base_run_repair *r)
{
	static const enum repair_reason by_harm[] = { WAITS_FOR_READER, WAITS_FOR_PLAN,
						      WAITS_FOR_HOLDER, WAITS_FOR_LATER,
						      WAITS_FOR_VALUE,	WAITS_FOR_SYNC };

	for (unsigned k = 0; k < sizeof by_harm / sizeof by_harm[0]; k++) {
		uint32_t found = oldest_waiting(r, by_harm[k]);

		if (found != SPOT_NONE) {
			r->streams[found].reason = GOES;
			r->parked--;
			return found;
		}
	}
	return SPOT_NONE;
}

static void emit_first_event(struct base_run_repair *r, uint32_t number)
{
	struct repair_stream *stream = &r->streams[number];
	struct buffer_entry *e = buffer_entry(&stream->buffer, 0);

	for (size_t i = 0; i < e->parts.count; i++)
		base_run_memory_apply(&r->memory, number, e->parts.items[i]);
	advance_plan(r, e);
	if (e->ordered) {
		update_lock(r, &e->event);
		stream->buffer.syncs.first++;
		if (e->event.kind == EV_ALLOC || e->event.kind == EV_MAP)
			base_run_memory_forget(&r->memory, e->event.address, e->event.size);
	}
	stream->buffer.done = e->position + 1;
	r->emitted++;
	r->last = number;
}

bool base_run_repair_next(struct base_run_repair *r, struct base_run_event *event)
{
	uint32_t number;

	if (r->last != SPOT_NONE) {
		buffer_drop_first(&r->streams[r->last].buffer);
		r->held_back--;
		r->last = SPOT_NONE;
	}
	if (!r->held_back)
		return false;
	if (r->parked)
		unpark_streams(r);
	for (;;) {
		enum repair_reason reason;

		number = oldest_unparked(r);
		if (number == SPOT_NONE) {
			number = force_one_stream(r);
			break;
		}
		reason = check_first_event(r, number);
		if (reason == GOES)
			break;
		r->streams[number].reason = reason;
		r->parked++;
	}
	*event = buffer_entry(&r->streams[number].buffer, 0)->event;
	emit_first_event(r, number);
	return true;
}

/* ---- lifetime -------------------------------------------------------------------------------- */

struct base_run_repair *base_run_repair_open(const struct share_survey *survey)
{
	struct base_run_repair *r = mem_zalloc(1, sizeof *r);

	r->survey = survey;
	r->streams = mem_zalloc(survey->stream_count + 1, sizeof *r->streams);
	r->last = SPOT_NONE;
	r->planner = base_run_planner_open();
	return r;
}

void base_run_repair_close(struct base_run_repair *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->active.count; i++)
		buffer_free_stream(&r->streams[r->active.items[i]].buffer);
	base_run_planner_close(r->planner);
	free(r->streams);
	vec_free(&r->active);
	vec_free(&r->order.items);
	vec_free(&r->syncs.items);
	vec_free(&r->plan.entries);
	base_run_memory_free(&r->memory);
	map_free(&r->holders);
	free(r);
}

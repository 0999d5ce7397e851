#include "order/feed_repair.h"

#include "base/mem.h"
#include "order/feed_plan.h"
#include "order/feed_spots.h"
#include "order/window_survey.h"

#include <string.h>

#define AHEAD 8192    /* events held back */
#define PARTS_MAX 64  /* spots of an access, beyond which it is not looked at closely */
#define SCAN_MAX 4096 /* touches looked at to find who will write a value */
#define READS_MAX 32  /* … and to find a lane's next read */
#define UNPLANNED 64  /* touches of a spot after which a plan is tried again */
#define NEVER UINT64_MAX

/* An event held back, with its own copy of its values. What it has room for stays with its slot. */
struct entry {
	struct feed_event event;
	uint64_t position, time;
	bool ordered; /* keeps its place among all that are */
	VEC(uint8_t) bytes;
	VEC(uint32_t) parts; /* touches */
};

enum reason {
	GOES,
	WAITS_FOR_TURN,	  /* synchronisation before it has not come */
	WAITS_FOR_VALUE,  /* a read, for a write that another lane will do */
	WAITS_FOR_READER, /* a write, for another lane that must come first */
	WAITS_FOR_HOLDER, /* a failed try, for somebody to take what it could not get */
};

/* Oldest at `first`; what is before it is gone. */
struct queue {
	VEC(uint64_t) items;
	size_t first;
};

struct lane {
	struct entry *entries; /* a ring */
	uint32_t room, first, count;
	uint64_t done;	    /* position of its next event that has not come */
	uint64_t behind;    /* position + 1 of the last synchronisation put in */
	struct queue turns; /* positions of its synchronisation */
	enum reason reason; /* parked, unless GOES */
	uint32_t spot, version;
	uint32_t writer_lane; /* WAITS_FOR_VALUE: who will write it, and where that is */
	uint64_t writer;
	uint64_t until, until_of; /* when the stretch ends that has time `until_of` */
};

struct feed_repair {
	const struct window_survey *survey;
	struct lane *lanes;
	VEC(uint32_t) active;	   /* lanes that have had events */
	struct queue order, turns; /* position << 20 | lane: of all; of synchronisation */
	uint64_t position;
	uint32_t held;	 /* entries */
	uint32_t parked; /* lanes */
	uint32_t last;	 /* lane whose first entry was given out; SPOT_NONE */
	struct feed_spots spots;
	struct feed_planner *planner;
	VEC(struct feed_plan) plans;
	VEC(uint32_t) free_plans;
	struct map holders; /* lock: writers << 32 | readers; semaphore: count */
};

/* ---- queues ------------------------------------------------------------------------------- */

#define LANE_BITS FEED_REPAIR_LANE_BITS

static void queue_put(struct queue *q, uint64_t item)
{
	if (q->first > 1024 && q->first > q->items.count / 2) {
		q->items.count -= q->first;
		memmove(q->items.items, q->items.items + q->first,
			q->items.count * sizeof *q->items.items);
		q->first = 0;
	}
	*vec_push(&q->items) = item;
}

static uint64_t queue_first(const struct queue *q)
{
	return q->first < q->items.count ? q->items.items[q->first] : NEVER;
}

static struct entry *entry_at(const struct lane *lane, uint32_t i)
{
	uint32_t at = lane->first + i;

	return &lane->entries[at < lane->room ? at : at - lane->room];
}

/* A slot behind the lane's last entry. */
static struct entry *new_entry(struct lane *lane)
{
	uint32_t room = lane->room ? lane->room * 2 : 64;
	struct entry *entries;

	if (lane->count < lane->room) {
		lane->count++;
		return entry_at(lane, lane->count - 1);
	}
	entries = mem_zalloc(room, sizeof *entries);
	for (uint32_t i = 0; i < lane->count; i++)
		entries[i] = *entry_at(lane, i);
	free(lane->entries);
	lane->entries = entries;
	lane->room = room;
	lane->first = 0;
	return entry_at(lane, lane->count++);
}

/* ---- putting in --------------------------------------------------------------------------- */

/* Everything but plain accesses and function events keeps its order. */
static bool is_ordered(uint8_t kind)
{
	enum event_group group = event_group(kind);

	return group != EG_ACCESS && group != EG_FUNCTION;
}

static bool is_access(uint8_t kind)
{
	return kind >= EV_READ && kind <= EV_ATOMIC_UPDATE;
}

static void copy_values(struct entry *e, const struct feed_event *ev)
{
	size_t bytes = ev->unit;

	e->bytes.count = 0;
	if (ev->value) {
		memcpy(vec_reserve(&e->bytes, 2 * bytes), ev->value, bytes);
		if (ev->old)
			memcpy(e->bytes.items + bytes, ev->old, bytes);
	}
	e->event.value = ev->value ? e->bytes.items : NULL;
	e->event.old = ev->value && ev->old ? e->bytes.items + bytes : NULL;
}

static uint64_t part_value(const uint8_t *bytes, uint32_t unit, uint64_t from, unsigned offset,
			   unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)bytes[(from + i) % unit] << 8 * (offset + i);
	return value;
}

static void add_part(struct feed_repair *r, struct entry *e, const struct spot_touch *touch)
{
	*vec_push(&e->parts) = feed_spots_add(&r->spots, e->event.lane, touch);
}

/* An access, spot by spot. An update is a read and a write. */
static void add_parts(struct feed_repair *r, struct lane *lane, struct entry *e)
{
	const struct feed_event *ev = &e->event;
	uint64_t low = ev->address, end = ev->address + ev->size;
	bool known = ev->value && ev->unit && !(ev->flags & EF_INEXACT);

	if (ev->size > 8 * PARTS_MAX)
		return;
	for (uint64_t high; low < end; low = high) {
		unsigned offset = low % 8;
		struct spot_touch t = { .position = e->position,
					.time = e->time,
					.behind = lane->behind,
					.known = known };

		high = low - offset + 8 < end ? low - offset + 8 : end;
		if (!window_survey_shares(r->survey, low, high - low))
			continue;
		t.spot = feed_spots_find(&r->spots, low);
		t.mask = (uint8_t)(((1u << (high - low)) - 1) << offset);
		if (ev->kind != EV_WRITE && ev->kind != EV_ATOMIC_WRITE) {
			const uint8_t *read = ev->kind == EV_ATOMIC_UPDATE ? ev->old : ev->value;

			t.known = known && read;
			t.value = t.known ? part_value(read, ev->unit, low - ev->address, offset,
						       (unsigned)(high - low))
					  : 0;
			add_part(r, e, &t);
		}
		if (ev->kind != EV_READ && ev->kind != EV_ATOMIC_READ) {
			t.write = true;
			t.known = known;
			t.value = known ? part_value(ev->value, ev->unit, low - ev->address, offset,
						     (unsigned)(high - low))
					: 0;
			add_part(r, e, &t);
		}
	}
}

bool feed_repair_wants(const struct feed_repair *r)
{
	return r->held < AHEAD;
}

void feed_repair_put(struct feed_repair *r, const struct feed_event *ev, uint64_t time)
{
	struct lane *lane = &r->lanes[ev->lane];
	struct entry *e;

	if (!lane->room)
		*vec_push(&r->active) = ev->lane;
	if (!lane->count)
		lane->done = r->position;
	e = new_entry(lane);
	e->event = *ev;
	e->position = r->position++;
	e->time = time;
	e->ordered = is_ordered(ev->kind);
	e->parts.count = 0;
	copy_values(e, ev);
	if (is_access(ev->kind))
		add_parts(r, lane, e);
	queue_put(&r->order, e->position << LANE_BITS | ev->lane);
	if (e->ordered) {
		queue_put(&r->turns, e->position << LANE_BITS | ev->lane);
		queue_put(&lane->turns, e->position);
		lane->behind = e->position + 1;
	}
	r->held++;
}

/* ---- who must come before whom ------------------------------------------------------------ */

/* The latest moment of a lane's first event: the next time that its stream knows. */
static uint64_t until(struct lane *lane)
{
	uint64_t time = entry_at(lane, 0)->time;

	if (entry_at(lane, lane->count - 1)->time == time)
		return NEVER;
	if (lane->until_of == time && lane->until != NEVER)
		return lane->until;
	lane->until_of = time;
	lane->until = NEVER;
	for (uint32_t i = 1; i < lane->count; i++) {
		if (entry_at(lane, i)->time != time) {
			lane->until = entry_at(lane, i)->time;
			break;
		}
	}
	return lane->until;
}

/* Can the touch of another lane come before what `lane` does first? */
static bool can_precede(const struct feed_repair *r, struct lane *lane, uint32_t other,
			const struct spot_touch *t)
{
	bool behind_turn = t->behind && t->behind - 1 >= r->lanes[other].done;

	return (t->time <= until(lane) || t->time - until(lane) <= SPOT_SLACK) &&
	       !(behind_turn && queue_first(&lane->turns) < t->behind - 1);
}

/* Is this what the spot holds? Bytes that are not known are any. */
static bool matches(const struct spot *s, const struct spot_touch *t)
{
	uint64_t bits = spot_bits(s->known & t->mask);

	return !((s->value ^ t->value) & bits);
}

/* Somebody else who will write what the read saw, and can have done so in time. */
static bool find_writer(const struct feed_repair *r, struct lane *lane, uint32_t number,
			const struct spot_touch *read, uint8_t mask)
{
	const struct feed_spots *s = &r->spots;
	uint32_t q = s->spots.items[read->spot].queues;

	for (; q != SPOT_NONE; q = s->queues.items[q].next) {
		uint32_t other = s->queues.items[q].lane, scanned = 0;

		if (other == number)
			continue;
		for (uint32_t i = s->queues.items[q].first; i != SPOT_NONE && scanned++ < SCAN_MAX;
		     i = s->touches.items[i].next) {
			const struct spot_touch *t = &s->touches.items[i];
			uint64_t bits = spot_bits(t->mask & mask);

			if (!can_precede(r, lane, other, t))
				break;
			if (!t->write || !t->known || !bits || ((t->value ^ read->value) & bits))
				continue;
			lane->writer_lane = other;
			lane->writer = t->position;
			return true;
		}
	}
	return false;
}

/* Is the lane about to read what the write destroys? Only what it has not written itself counts. */
static bool wants_present(const struct feed_repair *r, struct lane *lane,
			  const struct spot_queue *queue, const struct spot_touch *write)
{
	const struct feed_spots *s = &r->spots;
	uint32_t scanned = 0;

	for (uint32_t i = queue->first; i != SPOT_NONE && scanned++ < READS_MAX;
	     i = s->touches.items[i].next) {
		const struct spot_touch *t = &s->touches.items[i];
		uint64_t bits = spot_bits(t->mask & write->mask);

		if (!bits)
			continue;
		if (t->write || !can_precede(r, lane, queue->lane, t))
			return false;
		if (t->known && (!write->known || ((t->value ^ write->value) & bits)))
			return matches(&s->spots.items[write->spot], t);
	}
	return false;
}

/* Will the lane overwrite what the write brings, although it goes on to read just that? */
static bool overwrites(struct feed_repair *r, struct lane *lane, uint32_t queue,
		       const struct spot_touch *write)
{
	const struct spot_touch *t = write->known ? feed_spots_foreign(&r->spots, queue) : NULL;
	uint64_t bits = t ? spot_bits(t->mask & write->mask) : 0;

	return bits && !((t->value ^ write->value) & bits) &&
	       can_precede(r, lane, r->spots.queues.items[queue].lane, t);
}

/* A write lets those go first who would otherwise see, or hide, the wrong value. */
static bool must_wait(struct feed_repair *r, struct lane *lane, uint32_t number,
		      const struct spot_touch *write)
{
	uint32_t q = r->spots.spots.items[write->spot].queues;

	for (; q != SPOT_NONE; q = r->spots.queues.items[q].next) {
		if (r->spots.queues.items[q].lane != number &&
		    (wants_present(r, lane, &r->spots.queues.items[q], write) ||
		     overwrites(r, lane, q, write)))
			return true;
	}
	return false;
}

/* Will another write of the value come, for the read that this one waits with? */
static bool comes_again(const struct feed_repair *r, const struct spot_touch *write,
			const struct spot_touch *read)
{
	const struct feed_spots *s = &r->spots;
	uint32_t q = s->spots.items[write->spot].queues, scanned = 0;

	for (; q != SPOT_NONE; q = s->queues.items[q].next) {
		for (uint32_t i = s->queues.items[q].first; i != SPOT_NONE && scanned++ < SCAN_MAX;
		     i = s->touches.items[i].next) {
			const struct spot_touch *t = &s->touches.items[i];

			if (t->write && t->known && t->position != write->position &&
			    (t->mask & read->mask) == read->mask &&
			    !((t->value ^ read->value) & spot_bits(read->mask)))
				return true;
		}
	}
	return false;
}

/*
 * Does the write wait for nothing but lanes that would hide it, and could see the value later?
 * Where two wait for each other this tells which may go.
 */
static bool can_be_hidden(struct feed_repair *r, uint32_t number, const struct spot_touch *write)
{
	struct lane *lane = &r->lanes[number];
	uint32_t q = r->spots.spots.items[write->spot].queues;

	for (; q != SPOT_NONE; q = r->spots.queues.items[q].next) {
		if (r->spots.queues.items[q].lane == number)
			continue;
		if (wants_present(r, lane, &r->spots.queues.items[q], write))
			return false;
		if (overwrites(r, lane, q, write) &&
		    !comes_again(r, write, feed_spots_foreign(&r->spots, q)))
			return false;
	}
	return true;
}

static enum reason judge_read(const struct feed_repair *r, struct lane *lane, uint32_t number,
			      const struct spot_touch *t)
{
	const struct spot *s = &r->spots.spots.items[t->spot];
	uint8_t unknown = t->mask & (uint8_t)~s->known, wrong = 0;
	uint64_t differs = s->value ^ t->value;

	for (unsigned i = 0; i < 8; i++) {
		if ((t->mask & s->known & 1u << i) && (differs >> 8 * i & 0xff))
			wrong |= (uint8_t)(1u << i);
	}
	/* A value from the beginning is the last thing to believe: it can be wrong. */
	if ((wrong || unknown) && find_writer(r, lane, number, t, wrong ? wrong : unknown))
		return WAITS_FOR_VALUE;
	return GOES;
}

/* ---- plans -------------------------------------------------------------------------------- */

/* Could another lane come first here, as far as times and synchronisation say? */
static bool is_contended(const struct feed_repair *r, struct lane *lane, uint32_t number,
			 uint32_t spot)
{
	uint32_t q = r->spots.spots.items[spot].queues;

	for (; q != SPOT_NONE; q = r->spots.queues.items[q].next) {
		const struct spot_queue *queue = &r->spots.queues.items[q];

		if (queue->lane != number &&
		    can_precede(r, lane, queue->lane, &r->spots.touches.items[queue->first]))
			return true;
	}
	return false;
}

static void drop_plan(struct feed_repair *r, uint32_t spot)
{
	struct spot *s = &r->spots.spots.items[spot];

	if (s->plan)
		*vec_push(&r->free_plans) = s->plan - 1;
	s->plan = 0;
}

/* A plan for a spot that lanes race for, if there is none; a vain search is not repeated soon. */
static void make_plan(struct feed_repair *r, uint32_t spot)
{
	struct spot *s = &r->spots.spots.items[spot];
	uint32_t number;

	if (s->plan || (int32_t)(s->version - s->unplanned) < 0)
		return;
	if (r->free_plans.count) {
		number = r->free_plans.items[--r->free_plans.count];
	} else {
		number = (uint32_t)r->plans.count;
		*vec_push(&r->plans) = (struct feed_plan){ 0 };
	}
	s->plan = number + 1;
	if (!feed_plan_make(r->planner, &r->plans.items[number], &r->spots, spot)) {
		drop_plan(r, spot);
		s->unplanned = s->version + UNPLANNED;
	}
}

static uint32_t planned(const struct feed_repair *r, uint32_t spot)
{
	const struct feed_plan *p = &r->plans.items[r->spots.spots.items[spot].plan - 1];

	return p->lanes.items[p->next];
}

/* The lane has done its part at the spot, as planned or not. */
static void follow_plan(struct feed_repair *r, uint32_t spot, uint32_t number)
{
	uint32_t plan = r->spots.spots.items[spot].plan;
	struct feed_plan *p = plan ? &r->plans.items[plan - 1] : NULL;

	if (p && (p->lanes.items[p->next] != number || ++p->next == p->end))
		drop_plan(r, spot);
}

/* ---- failed tries ------------------------------------------------------------------------- */

static bool is_held(const struct feed_repair *r, uint64_t address)
{
	const uint64_t *state = map_get(&r->holders, address);

	return state && *state;
}

/* Will another lane take the lock, or the last of the semaphore? */
static bool will_be_taken(const struct feed_repair *r, uint32_t number, uint64_t address)
{
	for (size_t i = 0; i < r->active.count; i++) {
		const struct lane *lane = &r->lanes[r->active.items[i]];

		for (uint32_t k = 0; r->active.items[i] != number && k < lane->count; k++) {
			const struct feed_event *ev = &entry_at(lane, k)->event;

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
 * The number of a failed try can be lower than that of the ACQUIRE it failed against, whose thread
 * had the lock but not yet a number (src/runtime/mutex.c, sem.c): then it belongs behind that.
 */
static enum reason judge_try(const struct feed_repair *r, uint32_t number, const struct entry *e)
{
	const struct feed_event *ev = &e->event;
	bool fits;

	if (ev->mode != EVENT_TRY ||
	    (ev->kind != EV_ACQUIRE_FAIL && ev->kind != EV_READ_FAIL && ev->kind != EV_DOWN_FAIL))
		return GOES;
	fits = is_held(r, ev->address) == (ev->kind != EV_DOWN_FAIL);
	return fits || !will_be_taken(r, number, ev->address) ? GOES : WAITS_FOR_HOLDER;
}

static void follow_lock(struct feed_repair *r, const struct feed_event *ev)
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
	case EV_SEM_DESTROY: *state = 0; break;
	case EV_SEM_INIT: *state = ev->number; break;
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_WOKEN:
	case EV_POST: ++*state; break;
	case EV_WAIT: *state = 0; break;
	case EV_RELEASE:
	case EV_READ_RELEASE:
	case EV_DOWN: *state -= *state > 0; break;
	}
}

/* ---- taking out --------------------------------------------------------------------------- */

/* Whose turn it is among synchronisation; failed tries that wait are passed over. */
static uint64_t first_turn(struct feed_repair *r)
{
	for (size_t i = r->turns.first; i < r->turns.items.count; i++) {
		uint64_t position = r->turns.items.items[i] >> LANE_BITS;
		const struct lane *lane =
			&r->lanes[r->turns.items.items[i] & ((1u << LANE_BITS) - 1)];

		if (position < lane->done) {
			if (i == r->turns.first)
				r->turns.first++;
		} else if (lane->reason != WAITS_FOR_HOLDER ||
			   entry_at(lane, 0)->position != position) {
			return position;
		}
	}
	return NEVER;
}

static enum reason judge_touch(struct feed_repair *r, uint32_t number, const struct entry *e,
			       const struct spot_touch *t)
{
	struct lane *lane = &r->lanes[number];
	enum reason reason = GOES;

	if (!e->ordered && !r->spots.spots.items[t->spot].plan &&
	    (t->write || (t->known && !matches(&r->spots.spots.items[t->spot], t))) &&
	    is_contended(r, lane, number, t->spot))
		make_plan(r, t->spot);
	if (r->spots.spots.items[t->spot].plan)
		return planned(r, t->spot) == number ? GOES : WAITS_FOR_READER;
	if (!t->write && t->known)
		reason = judge_read(r, lane, number, t);
	else if (t->write && !e->ordered && must_wait(r, lane, number, t))
		reason = WAITS_FOR_READER;
	return reason;
}

/* May the lane's first event come now? If not, what for it waits. */
static enum reason judge(struct feed_repair *r, uint32_t number)
{
	struct lane *lane = &r->lanes[number];
	const struct entry *e = entry_at(lane, 0);
	enum reason reason;

	if (e->ordered) {
		if (first_turn(r) < e->position)
			return WAITS_FOR_TURN;
		reason = judge_try(r, number, e);
		if (reason != GOES)
			return reason;
	}
	for (size_t i = 0; i < e->parts.count; i++) {
		const struct spot_touch *t = &r->spots.touches.items[e->parts.items[i]];

		reason = judge_touch(r, number, e, t);
		if (reason != GOES) {
			lane->spot = t->spot;
			lane->version = r->spots.spots.items[t->spot].version;
			return reason;
		}
	}
	return GOES;
}

static void park(struct feed_repair *r, struct lane *lane, enum reason reason)
{
	lane->reason = reason;
	r->parked += reason != GOES;
}

/* Is there a reason to look at a parked lane again? */
static bool may_go(struct feed_repair *r, const struct lane *lane)
{
	const struct entry *e = entry_at(lane, 0);
	const struct spot *s;

	switch (lane->reason) {
	case GOES: return true;
	case WAITS_FOR_TURN: return first_turn(r) >= e->position;
	case WAITS_FOR_HOLDER:
		return is_held(r, e->event.address) == (e->event.kind != EV_DOWN_FAIL);
	case WAITS_FOR_READER: return r->spots.spots.items[lane->spot].version != lane->version;
	case WAITS_FOR_VALUE: break;
	}
	s = &r->spots.spots.items[lane->spot];
	if (s->version == lane->version)
		return false;
	/* What it waits for is still to come, unless it has come: then look closely. */
	for (size_t i = 0; i < e->parts.count; i++) {
		const struct spot_touch *t = &r->spots.touches.items[e->parts.items[i]];

		if (t->spot == lane->spot && !t->write && matches(s, t))
			return true;
	}
	return r->lanes[lane->writer_lane].done > lane->writer;
}

static void unpark(struct feed_repair *r)
{
	for (size_t i = 0; r->parked && i < r->active.count; i++) {
		struct lane *lane = &r->lanes[r->active.items[i]];

		if (lane->reason != GOES && may_go(r, lane)) {
			lane->reason = GOES;
			r->parked--;
		}
	}
}

/* The lane of the oldest event of those that are not parked, or SPOT_NONE. */
static uint32_t oldest(struct feed_repair *r)
{
	uint64_t best = NEVER;
	uint32_t found = SPOT_NONE;

	while (r->order.first < r->order.items.count) {
		uint64_t item = r->order.items.items[r->order.first];
		uint32_t number = item & ((1u << LANE_BITS) - 1);

		if (item >> LANE_BITS >= r->lanes[number].done) {
			if (r->lanes[number].reason == GOES)
				return number;
			break;
		}
		r->order.first++;
	}
	for (size_t i = 0; i < r->active.count; i++) {
		const struct lane *lane = &r->lanes[r->active.items[i]];

		if (lane->count && lane->reason == GOES && entry_at(lane, 0)->position < best) {
			best = entry_at(lane, 0)->position;
			found = r->active.items[i];
		}
	}
	return found;
}

/* Of the lanes that wait for that reason the oldest; SPOT_NONE: none does. */
static uint32_t oldest_waiting(struct feed_repair *r, enum reason reason, bool only_hidden)
{
	uint64_t best = NEVER;
	uint32_t found = SPOT_NONE;

	for (size_t i = 0; i < r->active.count; i++) {
		uint32_t number = r->active.items[i];
		const struct lane *lane = &r->lanes[number];
		const struct entry *e = entry_at(lane, 0);
		bool good = true;

		if (!lane->count || lane->reason != reason || e->position >= best)
			continue;
		for (size_t k = 0; only_hidden && k < e->parts.count; k++) {
			const struct spot_touch *t = &r->spots.touches.items[e->parts.items[k]];

			good &= !t->write || can_be_hidden(r, number, t);
		}
		if (good) {
			best = e->position;
			found = number;
		}
	}
	return found;
}

/* Nobody fits. Who waits out of caution goes first, then who waits for what does not come. */
static uint32_t force(struct feed_repair *r)
{
	static const struct {
		enum reason reason;
		bool only_hidden;
	} by_harm[] = { { WAITS_FOR_READER, true },
			{ WAITS_FOR_READER, false },
			{ WAITS_FOR_HOLDER, false },
			{ WAITS_FOR_VALUE, false },
			{ WAITS_FOR_TURN, false } };

	for (unsigned k = 0; k < sizeof by_harm / sizeof by_harm[0]; k++) {
		uint32_t found = oldest_waiting(r, by_harm[k].reason, by_harm[k].only_hidden);

		if (found != SPOT_NONE) {
			r->lanes[found].reason = GOES;
			r->parked--;
			return found;
		}
	}
	return SPOT_NONE;
}

/* The event given out last is gone. */
static void drop_last(struct feed_repair *r)
{
	struct lane *lane = r->last == SPOT_NONE ? NULL : &r->lanes[r->last];

	if (!lane)
		return;
	lane->first = lane->first + 1 < lane->room ? lane->first + 1 : 0;
	lane->count--;
	r->held--;
	r->last = SPOT_NONE;
}

static void come(struct feed_repair *r, uint32_t number)
{
	struct lane *lane = &r->lanes[number];
	struct entry *e = entry_at(lane, 0);

	for (size_t i = 0; i < e->parts.count; i++) {
		uint32_t spot = r->spots.touches.items[e->parts.items[i]].spot;

		feed_spots_do(&r->spots, number, e->parts.items[i]);
		follow_plan(r, spot, number);
	}
	if (e->ordered) {
		follow_lock(r, &e->event);
		lane->turns.first++;
		if (e->event.kind == EV_ALLOC)
			feed_spots_forget(&r->spots, e->event.address, e->event.size);
	}
	lane->done = e->position + 1;
	r->last = number;
}

bool feed_repair_take(struct feed_repair *r, struct feed_event *event)
{
	uint32_t number;

	drop_last(r);
	if (!r->held)
		return false;
	if (r->parked)
		unpark(r);
	for (;;) {
		enum reason reason;

		number = oldest(r);
		if (number == SPOT_NONE) {
			number = force(r);
			break;
		}
		reason = judge(r, number);
		if (reason == GOES)
			break;
		park(r, &r->lanes[number], reason);
	}
	*event = entry_at(&r->lanes[number], 0)->event;
	come(r, number);
	return true;
}

/* ---- the rest ----------------------------------------------------------------------------- */

struct feed_repair *feed_repair_open(const struct window_survey *survey)
{
	struct feed_repair *r = mem_zalloc(1, sizeof *r);

	r->survey = survey;
	r->lanes = mem_zalloc(survey->lane_count + 1, sizeof *r->lanes);
	r->last = SPOT_NONE;
	r->planner = feed_planner_open();
	return r;
}

void feed_repair_close(struct feed_repair *r)
{
	for (size_t i = 0; r && i < r->active.count; i++) {
		struct lane *lane = &r->lanes[r->active.items[i]];

		for (uint32_t k = 0; k < lane->room; k++) {
			vec_free(&lane->entries[k].bytes);
			vec_free(&lane->entries[k].parts);
		}
		free(lane->entries);
		vec_free(&lane->turns.items);
	}
	if (!r)
		return;
	free(r->lanes);
	for (size_t i = 0; i < r->plans.count; i++)
		vec_free(&r->plans.items[i].lanes);
	vec_free(&r->plans);
	feed_planner_close(r->planner);
	vec_free(&r->free_plans);
	vec_free(&r->active);
	vec_free(&r->order.items);
	vec_free(&r->turns.items);
	feed_spots_free(&r->spots);
	map_free(&r->holders);
	free(r);
}

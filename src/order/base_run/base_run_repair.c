#include "order/base_run/base_run_repair.h"

#include "base/mem.h"
#include "order/base_run/base_run_buffer.h"
#include "order/base_run/base_run_plan.h"
#include "order/base_run/share_survey.h"

#define AHEAD 8192	  /* events held back */
#define SCAN_MAX 4096	  /* touches looked at to find who will write a value */
#define READS_MAX 32	  /* … and to find a lane's next read */
#define PLAN_ENTRIES 4096 /* of a lane, looked at for a plan */
#define UNPLANNED 64	  /* events after which a plan is tried again */

#define LANE_BITS BASE_RUN_REPAIR_LANE_BITS
#define LANE_MASK ((1u << LANE_BITS) - 1)

enum base_run_repair_reason {
	GOES,
	WAITS_FOR_TURN,	  /* synchronisation before it has not come */
	WAITS_FOR_PLAN,	  /* others come first, by plan */
	WAITS_FOR_VALUE,  /* a read, for a write that another lane will do */
	WAITS_FOR_LATER,  /* a read of a lane that slept, for one that is not in sight yet */
	WAITS_FOR_READER, /* a write, for another lane that reads what it destroys */
	WAITS_FOR_HOLDER, /* a failed try, for somebody to take what it could not get */
};

struct base_run_repair_lane {
	struct buffer_lane buffer;
	enum base_run_repair_reason reason; /* parked, unless GOES */
	uint32_t spot, version;
	uint32_t writer_lane; /* WAITS_FOR_VALUE: who will write it, and where that is */
	uint64_t writer;
};

struct base_run_repair {
	const struct share_survey *survey;
	struct base_run_repair_lane *lanes;
	VEC(uint32_t) active;	   /* lanes that have had events */
	struct buffer_queue order; /* position << LANE_BITS | lane of all events */
	struct buffer_queue turns; /* … of synchronisation */
	uint64_t position;
	uint64_t newest; /* time of what was put in last */
	uint64_t come;	 /* events that have come */
	uint32_t held;	 /* entries */
	uint32_t parked; /* lanes */
	uint32_t last;	 /* lane whose first entry was given out; SPOT_NONE */
	struct base_run_cells spots;
	struct base_run_planner *planner;
	struct base_run_plan plan;
	uint32_t plan_number;
	uint64_t unplanned; /* before so many events have come there is no use in a plan */
	struct map holders; /* how often a lock is held; what a semaphore has */
};

bool base_run_repair_wants(const struct base_run_repair *r)
{
	return r->held < AHEAD;
}

void base_run_repair_put(struct base_run_repair *r, const struct base_run_event *ev, uint64_t time)
{
	struct base_run_repair_lane *lane = &r->lanes[ev->lane];
	uint64_t behind = lane->buffer.behind, place = r->position << LANE_BITS | ev->lane;
	struct buffer_entry *e;

	if (!lane->buffer.room)
		*vec_push(&r->active) = ev->lane;
	e = buffer_put(&lane->buffer, ev, r->position++, time);
	buffer_add_parts(e, behind, &r->spots, r->survey);
	buffer_queue_put(&r->order, place);
	if (e->ordered)
		buffer_queue_put(&r->turns, place);
	r->newest = time > r->newest ? time : r->newest;
	r->held++;
}

/* ---- who can come before whom ------------------------------------------------------------- */

/* Can the touch of another lane come before what `lane` does first? */
static bool can_precede(const struct base_run_repair *r, struct base_run_repair_lane *lane,
			uint32_t other, const struct spot_touch *t)
{
	bool behind_turn = t->behind && t->behind - 1 >= r->lanes[other].buffer.done;
	uint64_t until = buffer_until(&lane->buffer);

	return (t->time <= until || t->time - until <= SPOT_SLACK) &&
	       !(behind_turn && buffer_queue_first(&lane->buffer.turns) < t->behind - 1);
}

/* Is this what the spot holds? Bytes that are not known are any. */
static bool matches(const struct spot *s, const struct spot_touch *t)
{
	return !((s->value ^ t->value) & spot_bits(s->known & t->mask));
}

/* Somebody else who will write what the read saw, and can have done so in time. */
static bool find_writer(const struct base_run_repair *r, struct base_run_repair_lane *lane,
			uint32_t number, const struct spot_touch *read, uint8_t mask)
{
	const struct base_run_cells *s = &r->spots;
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
static bool wants_present(const struct base_run_repair *r, struct base_run_repair_lane *lane,
			  const struct spot_queue *queue, const struct spot_touch *write)
{
	const struct base_run_cells *s = &r->spots;
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

static bool must_wait(const struct base_run_repair *r, struct base_run_repair_lane *lane,
		      uint32_t number, const struct spot_touch *write)
{
	uint32_t q = r->spots.spots.items[write->spot].queues;

	for (; q != SPOT_NONE; q = r->spots.queues.items[q].next) {
		if (r->spots.queues.items[q].lane != number &&
		    wants_present(r, lane, &r->spots.queues.items[q], write))
			return true;
	}
	return false;
}

static enum base_run_repair_reason judge_read(const struct base_run_repair *r,
					      struct base_run_repair_lane *lane, uint32_t number,
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
	/* It may have slept since its last known time: others run on to its next one. */
	return wrong && buffer_until(&lane->buffer) > r->newest ? WAITS_FOR_LATER : GOES;
}

/* ---- plans -------------------------------------------------------------------------------- */

/* Could another lane come first here, as far as times and synchronisation say? */
static bool is_contended(const struct base_run_repair *r, struct base_run_repair_lane *lane,
			 uint32_t number, uint32_t spot)
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

/* Do several lanes have something to do there, and one of them something to write? */
static bool is_shared(const struct base_run_repair *r, const struct buffer_entry *e)
{
	for (size_t i = 0; i < e->parts.count; i++) {
		const struct spot_touch *t = &r->spots.touches.items[e->parts.items[i]];
		uint32_t q = r->spots.spots.items[t->spot].queues;

		if (r->spots.spots.items[t->spot].writes &&
		    r->spots.queues.items[q].next != SPOT_NONE)
			return true;
	}
	return false;
}

/* By when the steps of the planner's last lane came: entries up to `end` are looked at. */
static void bound_steps(struct base_run_repair *r, const struct buffer_lane *lane, uint32_t end)
{
	uint64_t until = BUFFER_NEVER, before = BUFFER_NEVER;
	uint32_t step;
	struct plan_step *steps = base_run_planner_steps(r->planner, &step);

	for (uint32_t k = end; k > 0; k--) {
		const struct buffer_entry *e = buffer_entry(lane, k - 1);
		const struct buffer_entry *next = k < lane->count ? buffer_entry(lane, k) : NULL;

		if (next && next->time != e->time)
			until = next->time;
		if (next && next->ordered)
			before = next->position + 1;
		if (step && steps[step - 1].position == e->position) {
			steps[step - 1].until = until;
			steps[--step].before = before;
		}
	}
}

static bool collect_lane(struct base_run_repair *r, uint32_t number)
{
	const struct buffer_lane *lane = &r->lanes[number].buffer;
	uint32_t k;

	if (!base_run_planner_add_lane(r->planner, number))
		return false;
	for (k = 0; k < lane->count && k < PLAN_ENTRIES; k++) {
		struct buffer_entry *e = buffer_entry(lane, k);
		struct plan_step step = { .position = e->position,
					  .time = e->time,
					  .behind = e->behind };

		if (!is_shared(r, e))
			continue;
		if (!base_run_planner_add_step(r->planner, &step, &r->spots, e->parts.items,
					       e->parts.count))
			break;
		e->plan = r->plan_number + 1;
	}
	if (k < lane->count)
		base_run_planner_cut_lane(r->planner);
	bound_steps(r, lane, k);
	return true;
}

/* All that is held back and that several lanes touch, for the planner. */
static bool collect_steps(struct base_run_repair *r)
{
	base_run_planner_clear(r->planner);
	for (size_t i = 0; i < r->active.count; i++) {
		if (r->lanes[r->active.items[i]].buffer.count &&
		    !collect_lane(r, r->active.items[i]))
			return false;
	}
	return true;
}

static bool has_plan(const struct base_run_repair *r)
{
	return r->plan.next < r->plan.end;
}

/* A plan for what lanes race for, unless there is one; a vain search is not repeated soon. */
static void make_plan(struct base_run_repair *r)
{
	bool collected;

	if (has_plan(r) || r->come < r->unplanned)
		return;
	collected = collect_steps(r);
	r->plan_number++;
	if (!collected || !base_run_planner_run(r->planner, &r->plan)) {
		r->plan.next = r->plan.end = 0;
		r->unplanned = r->come + UNPLANNED;
	}
}

static bool is_planned(const struct base_run_repair *r, const struct buffer_entry *e)
{
	return has_plan(r) && e->plan == r->plan_number;
}

/* The event has come, as planned or not. */
static void follow_plan(struct base_run_repair *r, const struct buffer_entry *e)
{
	if (!is_planned(r, e))
		return;
	if (r->plan.places.items[r->plan.next].position == e->position)
		r->plan.next++;
	else
		r->plan.end = 0;
}

/* ---- failed tries ------------------------------------------------------------------------- */

static bool is_held(const struct base_run_repair *r, uint64_t address)
{
	const uint64_t *state = map_get(&r->holders, address);

	return state && *state;
}

/* Will another lane take the lock, or the last of the semaphore? */
static bool will_be_taken(const struct base_run_repair *r, uint32_t number, uint64_t address)
{
	for (size_t i = 0; i < r->active.count; i++) {
		const struct buffer_lane *lane = &r->lanes[r->active.items[i]].buffer;

		for (uint32_t k = 0; r->active.items[i] != number && k < lane->count; k++) {
			const struct base_run_event *ev = &buffer_entry(lane, k)->event;

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
 * had the lock but not yet a number (src/runtime/sync/mutex.c, sem.c): then it belongs behind that.
 */
static enum base_run_repair_reason judge_try(const struct base_run_repair *r, uint32_t number,
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

static void follow_lock(struct base_run_repair *r, const struct base_run_event *ev)
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

/* ---- judging ------------------------------------------------------------------------------ */

/* Whose turn it is among synchronisation; failed tries that wait are passed over. */
static uint64_t first_turn(struct base_run_repair *r)
{
	for (size_t i = r->turns.first; i < r->turns.items.count; i++) {
		uint64_t position = r->turns.items.items[i] >> LANE_BITS;
		const struct base_run_repair_lane *lane =
			&r->lanes[r->turns.items.items[i] & LANE_MASK];

		if (position < lane->buffer.done) {
			if (i == r->turns.first)
				r->turns.first++;
		} else if (lane->reason != WAITS_FOR_HOLDER ||
			   buffer_entry(&lane->buffer, 0)->position != position) {
			return position;
		}
	}
	return BUFFER_NEVER;
}

static enum base_run_repair_reason judge_touch(struct base_run_repair *r, uint32_t number,
					       const struct buffer_entry *e,
					       const struct spot_touch *t)
{
	struct base_run_repair_lane *lane = &r->lanes[number];

	if (!e->ordered && !is_planned(r, e) &&
	    (t->write || (t->known && !matches(&r->spots.spots.items[t->spot], t))) &&
	    is_contended(r, lane, number, t->spot))
		make_plan(r);
	if (is_planned(r, e))
		return r->plan.places.items[r->plan.next].position == e->position ? GOES
										  : WAITS_FOR_PLAN;
	if (!t->write && t->known)
		return judge_read(r, lane, number, t);
	return t->write && !e->ordered && must_wait(r, lane, number, t) ? WAITS_FOR_READER : GOES;
}

/* May the lane's first event come now? If not, what for it waits. */
static enum base_run_repair_reason judge(struct base_run_repair *r, uint32_t number)
{
	struct base_run_repair_lane *lane = &r->lanes[number];
	const struct buffer_entry *e = buffer_entry(&lane->buffer, 0);
	enum base_run_repair_reason reason = GOES;

	if (e->ordered && first_turn(r) < e->position)
		return WAITS_FOR_TURN;
	if (e->ordered)
		reason = judge_try(r, number, e);
	for (size_t i = 0; reason == GOES && i < e->parts.count; i++) {
		const struct spot_touch *t = &r->spots.touches.items[e->parts.items[i]];

		lane->spot = t->spot;
		lane->version = r->spots.spots.items[t->spot].version;
		reason = judge_touch(r, number, e, t);
	}
	return reason;
}

/* Is there a reason to look at a parked lane again? */
static bool may_go(struct base_run_repair *r, struct base_run_repair_lane *lane)
{
	const struct buffer_entry *e = buffer_entry(&lane->buffer, 0);
	const struct spot *s;

	switch (lane->reason) {
	case GOES: return true;
	case WAITS_FOR_TURN: return first_turn(r) >= e->position;
	case WAITS_FOR_PLAN:
		return !is_planned(r, e) ||
		       r->plan.places.items[r->plan.next].position == e->position;
	case WAITS_FOR_HOLDER:
		return is_held(r, e->event.address) == (e->event.kind != EV_DOWN_FAIL);
	case WAITS_FOR_READER: return r->spots.spots.items[lane->spot].version != lane->version;
	case WAITS_FOR_LATER:
		if (buffer_until(&lane->buffer) <= r->newest)
			return true;
		break;
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
	return lane->reason == WAITS_FOR_VALUE &&
	       r->lanes[lane->writer_lane].buffer.done > lane->writer;
}

static void unpark(struct base_run_repair *r)
{
	for (size_t i = 0; r->parked && i < r->active.count; i++) {
		struct base_run_repair_lane *lane = &r->lanes[r->active.items[i]];

		if (lane->reason != GOES && may_go(r, lane)) {
			lane->reason = GOES;
			r->parked--;
		}
	}
}

/* ---- taking out --------------------------------------------------------------------------- */

/* Of the lanes that wait for that reason the one with the oldest event; SPOT_NONE: none does. */
static uint32_t oldest_waiting(const struct base_run_repair *r, enum base_run_repair_reason reason)
{
	uint64_t best = BUFFER_NEVER;
	uint32_t found = SPOT_NONE;

	for (size_t i = 0; i < r->active.count; i++) {
		const struct base_run_repair_lane *lane = &r->lanes[r->active.items[i]];

		if (lane->buffer.count && lane->reason == reason &&
		    buffer_entry(&lane->buffer, 0)->position < best) {
			best = buffer_entry(&lane->buffer, 0)->position;
			found = r->active.items[i];
		}
	}
	return found;
}

/* The lane of the oldest event of those that are not parked, or SPOT_NONE. */
static uint32_t oldest(struct base_run_repair *r)
{
	while (r->order.first < r->order.items.count) {
		uint64_t item = r->order.items.items[r->order.first];
		const struct base_run_repair_lane *lane = &r->lanes[item & LANE_MASK];

		if (item >> LANE_BITS >= lane->buffer.done)
			return lane->reason == GOES ? (uint32_t)item & LANE_MASK
						    : oldest_waiting(r, GOES);
		r->order.first++;
	}
	return SPOT_NONE;
}

/* Nobody fits. Who waits out of caution goes first, then who waits for what does not come. */
static uint32_t force(struct base_run_repair *r)
{
	static const enum base_run_repair_reason by_harm[] = { WAITS_FOR_READER, WAITS_FOR_PLAN,
							       WAITS_FOR_HOLDER, WAITS_FOR_LATER,
							       WAITS_FOR_VALUE,	 WAITS_FOR_TURN };

	for (unsigned k = 0; k < sizeof by_harm / sizeof by_harm[0]; k++) {
		uint32_t found = oldest_waiting(r, by_harm[k]);

		if (found != SPOT_NONE) {
			r->lanes[found].reason = GOES;
			r->parked--;
			return found;
		}
	}
	return SPOT_NONE;
}

static void come(struct base_run_repair *r, uint32_t number)
{
	struct base_run_repair_lane *lane = &r->lanes[number];
	struct buffer_entry *e = buffer_entry(&lane->buffer, 0);

	for (size_t i = 0; i < e->parts.count; i++)
		base_run_cells_do(&r->spots, number, e->parts.items[i]);
	follow_plan(r, e);
	if (e->ordered) {
		follow_lock(r, &e->event);
		lane->buffer.turns.first++;
		if (e->event.kind == EV_ALLOC || e->event.kind == EV_MAP)
			base_run_cells_forget(&r->spots, e->event.address, e->event.size);
	}
	lane->buffer.done = e->position + 1;
	r->come++;
	r->last = number;
}

bool base_run_repair_take(struct base_run_repair *r, struct base_run_event *event)
{
	uint32_t number;

	if (r->last != SPOT_NONE) {
		buffer_drop_first(&r->lanes[r->last].buffer);
		r->held--;
		r->last = SPOT_NONE;
	}
	if (!r->held)
		return false;
	if (r->parked)
		unpark(r);
	for (;;) {
		enum base_run_repair_reason reason;

		number = oldest(r);
		if (number == SPOT_NONE) {
			number = force(r);
			break;
		}
		reason = judge(r, number);
		if (reason == GOES)
			break;
		r->lanes[number].reason = reason;
		r->parked++;
	}
	*event = buffer_entry(&r->lanes[number].buffer, 0)->event;
	come(r, number);
	return true;
}

/* ---- the rest ----------------------------------------------------------------------------- */

struct base_run_repair *base_run_repair_open(const struct share_survey *survey)
{
	struct base_run_repair *r = mem_zalloc(1, sizeof *r);

	r->survey = survey;
	r->lanes = mem_zalloc(survey->lane_count + 1, sizeof *r->lanes);
	r->last = SPOT_NONE;
	r->planner = base_run_planner_open();
	return r;
}

void base_run_repair_close(struct base_run_repair *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->active.count; i++)
		buffer_free_lane(&r->lanes[r->active.items[i]].buffer);
	base_run_planner_close(r->planner);
	free(r->lanes);
	vec_free(&r->active);
	vec_free(&r->order.items);
	vec_free(&r->turns.items);
	vec_free(&r->plan.places);
	base_run_cells_free(&r->spots);
	map_free(&r->holders);
	free(r);
}

#include "order/feed_plan.h"

#include "base/mem.h"

#include <string.h>

#define LANES_MAX 16
#define DEPTH_MAX 2048	/* touches of a lane: more than lie between two times of a stream */
#define NODES_MAX 20000 /* states */
#define BEST_STEP 32

struct lane {
	uint32_t number, count, done;
	bool more; /* it has touches behind these */
	struct spot_touch touches[DEPTH_MAX];
	/* a touch came before its lane's next known time, and before its next synchronisation */
	uint64_t until[DEPTH_MAX], before[DEPTH_MAX];
	/* the first read from here on that does not see what the lane itself wrote last */
	uint32_t foreign[DEPTH_MAX];
};
_Static_assert(LANES_MAX < 32, "lanes are a set of bits");

/* A choice: what was before it, and which lanes were tried. */
struct choice {
	uint64_t value;
	uint8_t known;
	uint32_t tried;	 /* set of lanes */
	uint32_t length; /* of the path */
	uint32_t last;	 /* lane that wrote before */
};

struct feed_planner {
	struct lane lanes[LANES_MAX];
	uint32_t count;
	uint64_t value;
	uint8_t known;
	VEC(uint32_t) path; /* lanes */
	VEC(uint32_t) best; /* the longest that led nowhere */
	VEC(struct choice) choices;
	struct map seen;
	uint64_t horizon;   /* the time up to which all lanes' touches are here */
	bool uniform;	    /* all touches are of the same bytes */
	struct map writers; /* value and lane: the last write of it, + 1 */
};

/* ---- what is to be done ------------------------------------------------------------------- */

static void bound_touches(struct lane *lane)
{
	uint64_t until = UINT64_MAX - SPOT_SLACK, before = UINT64_MAX;

	for (uint32_t i = lane->count; i > 0; i--) {
		const struct spot_touch *t = &lane->touches[i - 1];

		if (i < lane->count && t[1].time != t->time)
			until = t[1].time;
		if (i < lane->count && t[1].behind != t->behind)
			before = t[1].behind;
		lane->until[i - 1] = until;
		lane->before[i - 1] = before;
	}
}

/* A read at the lane's head is one, too: had it seen its value it would be gone. */
static void find_foreign(struct lane *lane)
{
	uint64_t own = 0;
	uint8_t own_mask = 0;
	uint32_t next = SPOT_NONE;

	for (uint32_t i = 0; i < lane->count; i++) {
		const struct spot_touch *t = &lane->touches[i];
		bool differs = (t->value ^ own) & spot_bits(t->mask & own_mask);

		lane->foreign[i] = !t->write && t->known && differs ? i : SPOT_NONE;
		if (t->write) {
			own = t->value;
			own_mask = t->known ? t->mask : 0;
		}
	}
	for (uint32_t i = lane->count; i > 0; i--) {
		const struct spot_touch *t = &lane->touches[i - 1];

		if (lane->foreign[i - 1] != SPOT_NONE)
			next = i - 1;
		lane->foreign[i - 1] = !t->write && t->known ? i - 1 : next;
	}
}

static uint64_t writer_key(uint32_t lane, uint64_t value)
{
	return (value ^ value >> 31) * 0x9e3779b97f4a7c15u + lane * 0xbf58476d1ce4e5b9u;
}

static void find_writers(struct feed_planner *s, uint32_t i)
{
	const struct lane *lane = &s->lanes[i];

	for (uint32_t k = 0; k < lane->count; k++) {
		const struct spot_touch *t = &lane->touches[k];

		s->uniform &= t->mask == s->lanes[0].touches[0].mask;
		if (t->write && t->known)
			*map_put(&s->writers, writer_key(i, t->value), NULL) = k + 1;
	}
}

static bool collect(struct feed_planner *s, const struct feed_spots *spots, uint32_t spot)
{
	uint32_t q = spots->spots.items[spot].queues;

	s->count = 0;
	for (; q != SPOT_NONE; q = spots->queues.items[q].next) {
		struct lane *lane = &s->lanes[s->count];
		uint32_t i = spots->queues.items[q].first;

		if (s->count++ == LANES_MAX)
			return false;
		lane->number = spots->queues.items[q].lane;
		lane->count = lane->done = 0;
		for (; i != SPOT_NONE && lane->count < DEPTH_MAX; i = spots->touches.items[i].next)
			lane->touches[lane->count++] = spots->touches.items[i];
		lane->more = i != SPOT_NONE;
		bound_touches(lane);
		find_foreign(lane);
	}
	s->horizon = UINT64_MAX;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct lane *lane = &s->lanes[i];
		uint64_t last = lane->touches[lane->count - 1].time;

		if (lane->more && last < s->horizon)
			s->horizon = last;
	}
	s->uniform = true;
	for (uint32_t i = 0; i < s->count; i++)
		find_writers(s, i);
	s->value = spots->spots.items[spot].value;
	s->known = spots->spots.items[spot].known;
	return true;
}

/* ---- steps -------------------------------------------------------------------------------- */

/* Does nothing of the other lanes have to come before it, by time or by synchronisation? */
static bool is_allowed(const struct feed_planner *s, const struct lane *lane)
{
	const struct spot_touch *t = &lane->touches[lane->done];

	for (uint32_t i = 0; i < s->count; i++) {
		const struct lane *other = &s->lanes[i];

		if (other != lane && other->done < other->count &&
		    (t->time > other->until[other->done] + SPOT_SLACK ||
		     t->behind > other->before[other->done]))
			return false;
	}
	return true;
}

/* Its read and its write are one step. */
static bool is_update(const struct lane *lane)
{
	const struct spot_touch *t = &lane->touches[lane->done];

	return !t->write && lane->done + 1 < lane->count && t[1].position == t->position;
}

static bool sees_its_value(const struct feed_planner *s, const struct spot_touch *t)
{
	return !t->known ||
	       (!(t->mask & ~s->known) && !((t->value ^ s->value) & spot_bits(t->mask)));
}

static void step(struct feed_planner *s, uint32_t i)
{
	struct lane *lane = &s->lanes[i];
	const struct spot_touch *t = &lane->touches[lane->done++];
	uint64_t bits = spot_bits(t->mask);

	*vec_push(&s->path) = i;
	if (t->known) {
		s->value = (s->value & ~bits) | t->value;
		s->known |= t->mask;
	} else if (t->write) {
		s->known &= (uint8_t)~t->mask;
	}
}

/* Reads that see their value go at once. */
static void run_reads(struct feed_planner *s)
{
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t i = 0; i < s->count; i++) {
			struct lane *lane = &s->lanes[i];

			while (lane->done < lane->count && !lane->touches[lane->done].write &&
			       !is_update(lane) && sees_its_value(s, &lane->touches[lane->done]) &&
			       is_allowed(s, lane)) {
				step(s, i);
				moved = true;
			}
		}
	}
}

/* Is somebody left who can write what the lane must see next? */
static bool can_be_served(const struct feed_planner *s, uint32_t i)
{
	const struct lane *lane = &s->lanes[i];
	uint32_t read = lane->done < lane->count ? lane->foreign[lane->done] : SPOT_NONE;
	const struct spot_touch *t = &lane->touches[read == SPOT_NONE ? 0 : read];

	if (read == SPOT_NONE || (t->mask & ~s->known) ||
	    (read == lane->done && sees_its_value(s, t)))
		return true;
	for (uint32_t k = 0; k < s->count; k++) {
		const uint64_t *last;

		if (k == i)
			continue;
		last = map_get(&s->writers, writer_key(k, t->value));
		if (last && *last > s->lanes[k].done)
			return true;
		/* what it does behind what was looked at may still be in time */
		if (s->lanes[k].more && s->lanes[k].touches[s->lanes[k].count - 1].time <=
						lane->until[read] + SPOT_SLACK)
			return true;
	}
	return false;
}

/* A look ahead that shows most wrong choices at once: all lanes must have what they will need. */
static bool has_future(const struct feed_planner *s)
{
	for (uint32_t i = 0; s->uniform && i < s->count; i++) {
		if (!can_be_served(s, i))
			return false;
	}
	return true;
}

/* ---- the search --------------------------------------------------------------------------- */

/*
 * The next lane to try: a write, of the lane whose time is up first; of those the one that wrote
 * last. A read of bytes that nobody is known to have written comes last of all.
 */
static uint32_t choose(const struct feed_planner *s, const struct choice *c)
{
	uint32_t best = SPOT_NONE;
	uint64_t rank = UINT64_MAX;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct lane *lane = &s->lanes[i];
		const struct spot_touch *t = &lane->touches[lane->done];
		uint64_t mine;

		if (c->tried & 1u << i || lane->done == lane->count || !is_allowed(s, lane))
			continue;
		if (!t->write && ((t->value ^ s->value) & spot_bits(t->mask & s->known)) &&
		    t->known)
			continue;
		mine = lane->until[lane->done] >> 2 << 1 | (i != c->last);
		if (!t->write && !(is_update(lane) && sees_its_value(s, t)))
			mine |= 1ull << 63;
		if (mine < rank) {
			rank = mine;
			best = i;
		}
	}
	return best;
}

static bool is_new(struct feed_planner *s)
{
	uint64_t hash = s->value * 0x9e3779b97f4a7c15u ^ s->known;
	bool fresh;

	for (uint32_t i = 0; i < s->count; i++)
		hash = (hash ^ hash >> 29 ^ s->lanes[i].done) * 0xbf58476d1ce4e5b9u;
	map_put(&s->seen, hash, &fresh);
	return fresh;
}

/* A way that ends: if it was long, most of it is right all the same. */
static void keep_best(struct feed_planner *s)
{
	if (s->path.count < s->best.count + BEST_STEP)
		return;
	s->best.count = 0;
	memcpy(vec_reserve(&s->best, s->path.count), s->path.items,
	       s->path.count * sizeof *s->path.items);
	s->best.count = s->path.count;
}

static void undo(struct feed_planner *s, const struct choice *c)
{
	while (s->path.count > c->length)
		s->lanes[s->path.items[--s->path.count]].done--;
	s->value = c->value;
	s->known = c->known;
}

static void push_choice(struct feed_planner *s, uint32_t last)
{
	*vec_push(&s->choices) =
		(struct choice){ s->value, s->known, 0, (uint32_t)s->path.count, last };
}

/*
 * All is done; or all lanes have come as far in time as all were looked at. That some run ahead is
 * not enough: those behind may still need what they overwrite.
 */
static bool is_good(const struct feed_planner *s, bool *whole)
{
	bool far = true;

	*whole = true;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct lane *lane = &s->lanes[i];

		if (lane->done < lane->count)
			far &= lane->touches[lane->done].time >= s->horizon;
		*whole &= lane->done == lane->count && !lane->more;
	}
	return far;
}

static bool search(struct feed_planner *s, bool *whole)
{
	run_reads(s);
	push_choice(s, SPOT_NONE);
	for (uint32_t nodes = 0; s->choices.count && nodes < NODES_MAX; nodes++) {
		struct choice *c = &s->choices.items[s->choices.count - 1];
		uint32_t i;

		if (is_good(s, whole))
			return true;
		i = choose(s, c);
		if (i == SPOT_NONE) {
			keep_best(s);
			if (--s->choices.count)
				undo(s, &s->choices.items[s->choices.count - 1]);
			continue;
		}
		c->tried |= 1u << i;
		if (is_update(&s->lanes[i]))
			step(s, i);
		step(s, i);
		run_reads(s);
		if (has_future(s) && is_new(s))
			push_choice(s, i);
		else
			undo(s, c);
	}
	return false;
}

bool feed_plan_make(struct feed_planner *s, struct feed_plan *plan, const struct feed_spots *spots,
		    uint32_t spot)
{
	bool whole = false, found;

	s->path.count = s->best.count = s->choices.count = plan->lanes.count = plan->next = 0;
	if (!collect(s, spots, spot)) {
		map_free(&s->writers);
		return false;
	}
	found = search(s, &whole);
	for (size_t i = 0; i < (found ? s->path.count : s->best.count); i++)
		*vec_push(&plan->lanes) =
			s->lanes[found ? s->path.items[i] : s->best.items[i]].number;
	plan->end = whole ? plan->lanes.count : (plan->lanes.count + 1) / 2;
	map_free(&s->seen);
	map_free(&s->writers);
	return plan->end;
}

struct feed_planner *feed_planner_open(void)
{
	return mem_zalloc(1, sizeof(struct feed_planner));
}

void feed_planner_close(struct feed_planner *s)
{
	vec_free(&s->path);
	vec_free(&s->best);
	vec_free(&s->choices);
	free(s);
}

#include "order/base_run/base_run_plan_state.h"

#include "base/mem.h"

#include <string.h>

#define NODES_MAX 50000 /* states */
#define BEST_STEP 32

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a + 1) * 0x9e3779b97f4a7c15u ^ b; /* not the same as mix(b, a) */
	return (a ^ a >> 29) * 0xbf58476d1ce4e5b9u;
}

/* ---- what is to be done ------------------------------------------------------------------- */

void base_run_planner_clear(struct base_run_planner *p)
{
	p->count = 0;
	p->touches.count = p->spots.count = 0;
	map_free(&p->spot_index);
	map_free(&p->writers);
	map_free(&p->seen);
}

bool base_run_planner_add_lane(struct base_run_planner *p, uint32_t lane)
{
	if (p->count == PLAN_LANES_MAX)
		return false;
	p->lanes[p->count].number = lane;
	p->lanes[p->count].count = p->lanes[p->count].done = 0;
	p->lanes[p->count].more = false;
	p->count++;
	return true;
}

static uint32_t find_spot(struct base_run_planner *p, const struct base_run_cells *spots,
			  const struct spot_touch *t)
{
	bool fresh;
	uint64_t *number = map_put(&p->spot_index, t->spot, &fresh);

	if (fresh) {
		*vec_push(&p->spots) =
			(struct plan_spot){ .value = spots->spots.items[t->spot].value,
					    .known = spots->spots.items[t->spot].known,
					    .mask = t->mask,
					    .uniform = true };
		*number = p->spots.count;
	}
	p->spots.items[*number - 1].uniform &= p->spots.items[*number - 1].mask == t->mask;
	return (uint32_t)*number - 1;
}

bool base_run_planner_add_step(struct base_run_planner *p, const struct plan_step *step,
			       const struct base_run_cells *spots, const uint32_t *touches,
			       size_t count)
{
	struct plan_lane *lane = &p->lanes[p->count - 1];

	if (lane->count == PLAN_STEPS_MAX)
		return false;
	lane->steps[lane->count] = *step;
	lane->steps[lane->count].first = (uint32_t)p->touches.count;
	lane->steps[lane->count++].count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		const struct spot_touch *t = &spots->touches.items[touches[i]];

		*vec_push(&p->touches) = (struct plan_touch){ .spot = find_spot(p, spots, t),
							      .value = t->value,
							      .bits = spot_bits(t->mask),
							      .mask = t->mask,
							      .write = t->write,
							      .known = t->known };
	}
	return true;
}

struct plan_step *base_run_planner_steps(struct base_run_planner *p, uint32_t *count)
{
	*count = p->lanes[p->count - 1].count;
	return p->lanes[p->count - 1].steps;
}

void base_run_planner_cut_lane(struct base_run_planner *p)
{
	p->lanes[p->count - 1].more = true;
}

/* ---- looking through it once -------------------------------------------------------------- */

static uint64_t writer_key(uint32_t spot, uint32_t lane, uint64_t value)
{
	return mix(mix(spot, lane), value);
}

/* Which reads need somebody else, and who writes what last. */
static void follow_lane(struct base_run_planner *p, uint32_t i)
{
	struct plan_lane *lane = &p->lanes[i];

	for (size_t k = 0; k < p->spots.count; k++)
		p->spots.items[k].own_mask = p->spots.items[k].own_step = 0;
	for (uint32_t k = 0; k < lane->count; k++) {
		lane->foreign[k] = SPOT_NONE;
		for (uint32_t n = 0; n < lane->steps[k].count; n++) {
			struct plan_touch *t = &p->touches.items[lane->steps[k].first + n];
			struct plan_spot *s = &p->spots.items[t->spot];

			if (t->write) {
				s->own = t->value;
				s->own_mask = t->known ? t->mask : 0;
				s->own_step = k + 1;
				if (t->known)
					*map_put(&p->writers, writer_key(t->spot, i, t->value),
						 NULL) = k + 1;
			} else if (t->known && (s->own_mask != t->mask || s->own != t->value)) {
				t->foreign = true;
				t->behind = s->own_step;
				lane->foreign[k] = k;
			}
		}
	}
	for (uint32_t k = lane->count; k > 1; k--) {
		if (lane->foreign[k - 2] == SPOT_NONE)
			lane->foreign[k - 2] = lane->foreign[k - 1];
	}
}

static void look_through(struct base_run_planner *p)
{
	p->horizon = UINT64_MAX;
	p->hash = 0;
	for (uint32_t i = 0; i < p->count; i++) {
		struct plan_lane *lane = &p->lanes[i];

		follow_lane(p, i);
		if (lane->more && lane->count && lane->steps[lane->count - 1].time < p->horizon)
			p->horizon = lane->steps[lane->count - 1].time;
	}
}

/* ---- steps -------------------------------------------------------------------------------- */

static bool is_later(uint64_t time, uint64_t until)
{
	return time > until && time - until > SPOT_SLACK;
}

/* Does nothing of the other lanes have to come before it, by time or by synchronisation? */
static bool is_allowed(const struct base_run_planner *p, const struct plan_lane *lane)
{
	const struct plan_step *s = &lane->steps[lane->done];

	for (uint32_t i = 0; i < p->count; i++) {
		const struct plan_lane *other = &p->lanes[i];

		if (other != lane && other->done < other->count &&
		    (is_later(s->time, other->steps[other->done].until) ||
		     s->behind > other->steps[other->done].before))
			return false;
	}
	return true;
}

enum fit { FITS, FITS_UNKNOWN, FITS_NOT };

/* Do the reads of the lane's next step see their values? Bytes not known may be anything. */
static enum fit fits(const struct base_run_planner *p, const struct plan_lane *lane, bool *writes)
{
	const struct plan_step *s = &lane->steps[lane->done];
	enum fit fit = FITS;

	*writes = false;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct plan_touch *t = &p->touches.items[s->first + i];
		const struct plan_spot *spot = &p->spots.items[t->spot];

		*writes |= t->write;
		if (t->write || !t->known)
			continue;
		if ((t->value ^ spot->value) & spot_bits(t->mask & spot->known))
			return FITS_NOT;
		if (t->mask & ~spot->known)
			fit = FITS_UNKNOWN;
	}
	return fit;
}

static void step(struct base_run_planner *p, uint32_t i)
{
	struct plan_lane *lane = &p->lanes[i];
	const struct plan_step *s = &lane->steps[lane->done++];

	*vec_push(&p->path) = i;
	for (uint32_t k = 0; k < s->count; k++) {
		const struct plan_touch *t = &p->touches.items[s->first + k];
		struct plan_spot *spot = &p->spots.items[t->spot];

		if (!t->known && !t->write)
			continue;
		*vec_push(&p->changes) = (struct change){ t->spot, spot->known, spot->value };
		p->hash ^= mix(mix(t->spot, spot->known), spot->value);
		spot->value = (spot->value & ~t->bits) | t->value;
		spot->known = t->known ? spot->known | t->mask : spot->known & (uint8_t)~t->mask;
		p->hash ^= mix(mix(t->spot, spot->known), spot->value);
	}
}

/* Reads that see their value go at once. */
static void run_reads(struct base_run_planner *p)
{
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t i = 0; i < p->count; i++) {
			struct plan_lane *lane = &p->lanes[i];
			bool writes;

			while (lane->done < lane->count && fits(p, lane, &writes) == FITS &&
			       !writes && is_allowed(p, lane)) {
				step(p, i);
				moved = true;
			}
		}
	}
}

/* Is somebody left who can write what the lane must see next? */
static bool can_be_served(const struct base_run_planner *p, uint32_t i)
{
	const struct plan_lane *lane = &p->lanes[i];
	uint32_t read = lane->done < lane->count ? lane->foreign[lane->done] : SPOT_NONE;
	const struct plan_step *s = &lane->steps[read == SPOT_NONE ? 0 : read];

	for (uint32_t k = 0; read != SPOT_NONE && k < s->count; k++) {
		const struct plan_touch *t = &p->touches.items[s->first + k];
		const struct plan_spot *spot = &p->spots.items[t->spot];
		bool served = !t->foreign || !spot->uniform || (t->mask & ~spot->known) ||
			      (spot->value == t->value && t->behind <= lane->done);

		for (uint32_t n = 0; n < p->count && !served; n++) {
			const struct plan_lane *other = &p->lanes[n];
			const uint64_t *last =
				n == i ? NULL
				       : map_get(&p->writers, writer_key(t->spot, n, t->value));

			/* what it does behind what was looked at may still be in time */
			served = (last && *last > other->done) ||
				 (n != i && other->more && !is_later(p->horizon, s->until));
		}
		if (!served)
			return false;
	}
	return true;
}

/* A look ahead that shows most wrong choices at once: all lanes must have what they will need. */
static bool has_future(const struct base_run_planner *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		if (!can_be_served(p, i))
			return false;
	}
	return true;
}

/* ---- the search --------------------------------------------------------------------------- */

/*
 * The next lane to try: a write, of the lane whose time is up first; of those the one that wrote
 * last. A read of bytes that nobody is known to have written comes last of all.
 */
static uint32_t choose(const struct base_run_planner *p, const struct choice *c)
{
	uint32_t best = SPOT_NONE;
	uint64_t rank = UINT64_MAX;

	for (uint32_t i = 0; i < p->count; i++) {
		const struct plan_lane *lane = &p->lanes[i];
		uint64_t mine;
		enum fit fit;
		bool writes;

		if (c->tried & 1u << i || lane->done == lane->count || !is_allowed(p, lane))
			continue;
		fit = fits(p, lane, &writes);
		if (fit == FITS_NOT)
			continue;
		mine = (lane->steps[lane->done].until >> 2 << 1 | (i != c->last)) & ~(1ull << 63);
		if (fit == FITS_UNKNOWN)
			mine |= 1ull << 63;
		if (mine < rank) {
			rank = mine;
			best = i;
		}
	}
	return best;
}

static bool is_new(struct base_run_planner *p)
{
	uint64_t hash = p->hash;
	bool fresh;

	for (uint32_t i = 0; i < p->count; i++)
		hash = mix(hash, p->lanes[i].done);
	map_put(&p->seen, hash, &fresh);
	return fresh;
}

/* A way that ends: if it was long, most of it is right all the same. */
static void keep_best(struct base_run_planner *p)
{
	if (p->path.count < p->best.count + BEST_STEP)
		return;
	p->best.count = 0;
	memcpy(vec_reserve(&p->best, p->path.count), p->path.items,
	       p->path.count * sizeof *p->path.items);
	p->best.count = p->path.count;
}

static void undo(struct base_run_planner *p, const struct choice *c)
{
	while (p->path.count > c->length)
		p->lanes[p->path.items[--p->path.count]].done--;
	while (p->changes.count > c->changes) {
		const struct change *change = &p->changes.items[--p->changes.count];
		struct plan_spot *spot = &p->spots.items[change->spot];

		p->hash ^= mix(mix(change->spot, spot->known), spot->value);
		spot->known = change->known;
		spot->value = change->value;
		p->hash ^= mix(mix(change->spot, spot->known), spot->value);
	}
}

static void push_choice(struct base_run_planner *p, uint32_t last)
{
	*vec_push(&p->choices) =
		(struct choice){ 0, (uint32_t)p->path.count, (uint32_t)p->changes.count, last };
}

/*
 * All is done; or all lanes have come as far in time as all were looked at. That some run ahead is
 * not enough: those behind may still need what they overwrite.
 */
static bool is_good(const struct base_run_planner *p, bool *whole)
{
	bool far = true;

	*whole = true;
	for (uint32_t i = 0; i < p->count; i++) {
		const struct plan_lane *lane = &p->lanes[i];

		if (lane->done < lane->count)
			far &= lane->steps[lane->done].time >= p->horizon;
		*whole &= lane->done == lane->count && !lane->more;
	}
	return far;
}

static bool search(struct base_run_planner *p, bool *whole)
{
	p->best.count = p->choices.count = 0;
	look_through(p);
	run_reads(p);
	push_choice(p, SPOT_NONE);
	for (uint32_t nodes = 0; p->choices.count && nodes < NODES_MAX; nodes++) {
		struct choice *c = &p->choices.items[p->choices.count - 1];
		uint32_t i;

		if (is_good(p, whole))
			return true;
		i = choose(p, c);
		if (i == SPOT_NONE) {
			keep_best(p);
			if (--p->choices.count)
				undo(p, &p->choices.items[p->choices.count - 1]);
			continue;
		}
		c->tried |= 1u << i;
		step(p, i);
		run_reads(p);
		if (has_future(p) && is_new(p))
			push_choice(p, i);
		else
			undo(p, c);
	}
	return false;
}

/* Is there use in another search? What made this one fail may be somebody's whom we do not see. */
static bool start_over(struct base_run_planner *p)
{
	undo(p, &(struct choice){ 0 });
	map_free(&p->writers);
	map_free(&p->seen);
	return base_run_planner_explain_odd(p);
}

bool base_run_planner_run(struct base_run_planner *p, struct base_run_plan *plan)
{
	const uint32_t *path;
	bool whole = false, found;
	size_t count;

	p->path.count = p->changes.count = 0;
	found = search(p, &whole);
	if (!found && start_over(p))
		found = search(p, &whole);
	path = found ? p->path.items : p->best.items;
	count = found ? p->path.count : p->best.count;
	for (uint32_t i = 0; i < p->count; i++)
		p->lanes[i].done = 0;
	plan->places.count = plan->next = 0;
	for (size_t i = 0; i < count; i++) {
		struct plan_lane *lane = &p->lanes[path[i]];

		*vec_push(&plan->places) =
			(struct plan_place){ lane->number, lane->steps[lane->done++].position };
	}
	plan->end = found && whole ? count : (count + 1) / 2;
	return plan->end;
}

struct base_run_planner *base_run_planner_open(void)
{
	return mem_zalloc(1, sizeof(struct base_run_planner));
}

void base_run_planner_close(struct base_run_planner *p)
{
	base_run_planner_clear(p);
	vec_free(&p->touches);
	vec_free(&p->spots);
	vec_free(&p->path);
	vec_free(&p->best);
	vec_free(&p->choices);
	vec_free(&p->changes);
	free(p);
}

/*
 * Explains reads of values that unrecorded code wrote, for the planner.
 *
 * No order of the recorded writes explains such a read. A single one among thousands of accesses
 * prevents any plan. So after a search that found nothing (most searches find an order), this looks
 * for two kinds of reads:
 *
 * - reads of bytes that only synchronised steps (atomics) write: these steps have the same order in
 *   every plan, so the value that each of them finds can be computed;
 * - reads of a byte value that no recorded access writes and that was not there at the start.
 *
 * The first such read, by position, is turned into a write; later reads find its value there.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "order/base_run/base_run_plan_state.h"

struct access_moment {
	uint64_t position;
	uint32_t access;
	bool synchronised;
};

struct unexplained {
	struct base_run_planner *planner;
	VEC(struct access_moment) moments; /* all accesses, sorted by position */
	/* by spot: does any step write it whose position is not fixed by synchronisation? */
	bool *in_plan;
	/* keys of (spot, value) that are written, if all accesses to the spot have one mask */
	struct map wholes;
	struct map written; /* keys of (spot, byte, value) that are written */
	struct map unclear; /* keys of (spot, byte) that are written with an unknown value */
	bool any;
};

static uint64_t byte_key(uint32_t spot, unsigned byte)
{
	return ((uint64_t)spot << 3 | byte) << 8;
}

static uint64_t byte_value(uint64_t value, unsigned byte)
{
	return value >> 8 * byte & 0xff;
}

static uint64_t whole_key(const struct plan_access *t)
{
	return hash_mix(hash_mix(0, t->spot), t->value);
}

static bool is_uniform(const struct unexplained *u, const struct plan_access *t)
{
	return u->planner->spots.items[t->spot].uniform;
}

static void add_write(struct unexplained *u, const struct plan_access *t)
{
	if (t->known && is_uniform(u, t))
		map_put(&u->wholes, whole_key(t), NULL);
	for (unsigned i = 0; i < 8; i++) {
		if (!(t->mask & 1u << i))
			continue;
		if (t->known)
			map_put(&u->written, byte_key(t->spot, i) | byte_value(t->value, i), NULL);
		else
			map_put(&u->unclear, byte_key(t->spot, i), NULL);
	}
}

static void add_step(struct unexplained *u, const struct plan_step *s)
{
	bool synchronised = s->after_sync == s->position + 1;

	for (uint32_t k = s->first; k < s->first + s->count; k++) {
		const struct plan_access *t = &u->planner->accesses.items[k];

		*vec_push(&u->moments) = (struct access_moment){ s->position, k, synchronised };
		u->in_plan[t->spot] |= t->write && !synchronised;
		if (t->write)
			add_write(u, t);
	}
}

SORT_COMPARISON(by_position, struct access_moment, a, b,
		sort_order(a->position, b->position) ?: sort_order(a->access, b->access))

static void collect_accesses(struct unexplained *u)
{
	const struct base_run_planner *p = u->planner;

	for (uint32_t i = 0; i < p->count; i++) {
		for (uint32_t k = 0; k < p->streams[i].count; k++)
			add_step(u, &p->streams[i].steps[k]);
	}
	vec_sort(&u->moments, by_position);
}

/* Turns a read into a write, as if unrecorded code had written the value just before the read. */
static void treat_as_write(struct unexplained *u, struct plan_access *t)
{
	t->write = true;
	t->foreign = false;
	add_write(u, t);
	u->any = true;
}

/* Replays the steps whose order is fixed, on copies of the spots, and finds the first kind. */
static void find_synchronised(struct unexplained *u)
{
	struct base_run_planner *p = u->planner;
	VEC(struct plan_spot) spots = { 0 };

	for (size_t i = 0; i < p->spots.count; i++)
		*vec_push(&spots) = p->spots.items[i];
	for (size_t i = 0; i < u->moments.count; i++) {
		struct plan_access *t = &p->accesses.items[u->moments.items[i].access];
		struct plan_spot *s = &spots.items[t->spot];

		if (!u->moments.items[i].synchronised || u->in_plan[t->spot] ||
		    !(t->known || t->write))
			continue;
		if (!t->write && ((t->value ^ s->value) & spot_bits(t->mask & s->known)))
			treat_as_write(u, t);
		s->value = (s->value & ~t->bits) | t->value;
		s->known = t->known ? s->known | t->mask : s->known & (uint8_t)~t->mask;
	}
	vec_free(&spots);
}

static bool can_be_explained(const struct unexplained *u, const struct plan_access *t)
{
	const struct plan_spot *s = &u->planner->spots.items[t->spot];
	bool uniform = is_uniform(u, t);

	if (uniform && map_get(&u->wholes, whole_key(t)))
		return true;
	for (unsigned i = 0; i < 8; i++) {
		uint64_t value = byte_value(t->value, i);

		if ((t->mask & s->known & 1u << i) && byte_value(s->value, i) != value &&
		    !map_get(&u->unclear, byte_key(t->spot, i)) &&
		    (uniform || !map_get(&u->written, byte_key(t->spot, i) | value)))
			return false;
	}
	return true;
}

static void find_unwritten(struct unexplained *u)
{
	for (size_t i = 0; i < u->moments.count; i++) {
		struct plan_access *t = &u->planner->accesses.items[u->moments.items[i].access];

		if (!t->write && t->known && !can_be_explained(u, t))
			treat_as_write(u, t);
	}
}

/* Does an owner have more steps than were added? They may write the missing values. */
static bool has_more_steps(const struct base_run_planner *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		if (p->streams[i].more)
			return true;
	}
	return false;
}

bool base_run_planner_add_unseen_writes(struct base_run_planner *p)
{
	struct unexplained u = { .planner = p,
				 .in_plan = mem_zalloc(p->spots.count + 1, sizeof *u.in_plan) };

	collect_accesses(&u);
	find_synchronised(&u);
	if (!has_more_steps(p))
		find_unwritten(&u);
	free(u.in_plan);
	map_free(&u.wholes);
	map_free(&u.written);
	map_free(&u.unclear);
	vec_free(&u.moments);
	return u.any;
}

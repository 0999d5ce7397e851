/*
 * What code that was not recorded wrote is read by somebody, and no order of the recorded writes explains it.
 * One such read among thousands, and there is no plan for any of them. So when there is none, two
 * kinds are looked for:
 *
 * - of bytes that only synchronised steps (atomics) write: these keep their order whatever the plan
 *   is, so what each of them finds is known beforehand;
 * - of a byte's value that nobody writes, and that was not there at the start.
 *
 * The first to read it, by time, is taken for who wrote it: the others find it there. This is done after a
 * search in vain only, since most find an order.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "order/base_run/base_run_plan_state.h"

#include <stdlib.h>

struct moment {
	uint64_t position;
	uint32_t touch;
	bool synchronised;
};

struct odd {
	struct base_run_planner *planner;
	VEC(struct moment) moments; /* all touches, by time */
	bool *in_plan;		    /* by spot: a step writes it whose place is the plan's to say */
	struct map wholes;  /* spot and value, hashed: where all touches are of the same bytes */
	struct map written; /* spot, byte, value */
	struct map unclear; /* spot, byte: written, with no value */
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

static uint64_t whole_key(const struct plan_touch *t)
{
	return hash_mix(hash_mix(0, t->spot), t->value);
}

static bool is_uniform(const struct odd *o, const struct plan_touch *t)
{
	return o->planner->spots.items[t->spot].uniform;
}

static void note_write(struct odd *o, const struct plan_touch *t)
{
	if (t->known && is_uniform(o, t))
		map_put(&o->wholes, whole_key(t), NULL);
	for (unsigned i = 0; i < 8; i++) {
		if (!(t->mask & 1u << i))
			continue;
		if (t->known)
			map_put(&o->written, byte_key(t->spot, i) | byte_value(t->value, i), NULL);
		else
			map_put(&o->unclear, byte_key(t->spot, i), NULL);
	}
}

static void note_step(struct odd *o, const struct plan_step *s)
{
	bool synchronised = s->behind == s->position + 1;

	for (uint32_t k = s->first; k < s->first + s->count; k++) {
		const struct plan_touch *t = &o->planner->touches.items[k];

		*vec_push(&o->moments) = (struct moment){ s->position, k, synchronised };
		o->in_plan[t->spot] |= t->write && !synchronised;
		if (t->write)
			note_write(o, t);
	}
}

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->touch < y->touch ? -1 : x->touch > y->touch;
}

static void look_at(struct odd *o)
{
	const struct base_run_planner *p = o->planner;

	for (uint32_t i = 0; i < p->count; i++) {
		for (uint32_t k = 0; k < p->lanes[i].count; k++)
			note_step(o, &p->lanes[i].steps[k]);
	}
	if (o->moments.count)
		qsort(o->moments.items, o->moments.count, sizeof *o->moments.items,
		      compare_moments);
}

/* Somebody else wrote it, just before. */
static void make_write(struct odd *o, struct plan_touch *t)
{
	t->write = true;
	t->foreign = false;
	note_write(o, t);
	o->any = true;
}

/* Plays what keeps its order, on copies of the spots. */
static void find_synchronised(struct odd *o)
{
	struct base_run_planner *p = o->planner;
	VEC(struct plan_spot) spots = { 0 };

	for (size_t i = 0; i < p->spots.count; i++)
		*vec_push(&spots) = p->spots.items[i];
	for (size_t i = 0; i < o->moments.count; i++) {
		struct plan_touch *t = &p->touches.items[o->moments.items[i].touch];
		struct plan_spot *s = &spots.items[t->spot];

		if (!o->moments.items[i].synchronised || o->in_plan[t->spot] ||
		    !(t->known || t->write))
			continue;
		if (!t->write && ((t->value ^ s->value) & spot_bits(t->mask & s->known)))
			make_write(o, t);
		s->value = (s->value & ~t->bits) | t->value;
		s->known = t->known ? s->known | t->mask : s->known & (uint8_t)~t->mask;
	}
	vec_free(&spots);
}

static bool can_be_found(const struct odd *o, const struct plan_touch *t)
{
	const struct plan_spot *s = &o->planner->spots.items[t->spot];
	bool uniform = is_uniform(o, t);

	if (uniform && map_get(&o->wholes, whole_key(t)))
		return true;
	for (unsigned i = 0; i < 8; i++) {
		uint64_t value = byte_value(t->value, i);

		if ((t->mask & s->known & 1u << i) && byte_value(s->value, i) != value &&
		    !map_get(&o->unclear, byte_key(t->spot, i)) &&
		    (uniform || !map_get(&o->written, byte_key(t->spot, i) | value)))
			return false;
	}
	return true;
}

static void find_unwritten(struct odd *o)
{
	for (size_t i = 0; i < o->moments.count; i++) {
		struct plan_touch *t = &o->planner->touches.items[o->moments.items[i].touch];

		if (!t->write && t->known && !can_be_found(o, t))
			make_write(o, t);
	}
}

/* Does a lane go on behind what was looked at? It may still write what is missing. */
static bool is_cut(const struct base_run_planner *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		if (p->lanes[i].more)
			return true;
	}
	return false;
}

bool base_run_planner_explain_odd(struct base_run_planner *p)
{
	struct odd o = { .planner = p,
			 .in_plan = mem_zalloc(p->spots.count + 1, sizeof *o.in_plan) };

	look_at(&o);
	find_synchronised(&o);
	if (!is_cut(p))
		find_unwritten(&o);
	free(o.in_plan);
	map_free(&o.wholes);
	map_free(&o.written);
	map_free(&o.unclear);
	vec_free(&o.moments);
	return o.any;
}

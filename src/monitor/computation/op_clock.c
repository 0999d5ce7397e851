#include "monitor/computation/op_clock.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct set_clock {
	uint32_t set;
	bool used;
	uint32_t column, position; /* of its first member */
	uint32_t *opened, *members;
};
/* Clocks are made when they are needed. Strong: `chain` is the last write's, `any` everything's. */
struct object_clock {
	uint32_t *life, *any, *finders, *chain;
	struct set_clock last;	     /* the last set that is not shared */
	VEC(struct set_clock) group; /* the shared ones since */
};

struct clocks {
	const struct run_ops *acts;
	struct op_clock_options options;
	size_t width, next;
	uint32_t **lanes, **starts; /* starts: what the lane's next act comes after */
	bool *starts_due;
	struct object_clock *objects;
};

/* ---- numbers ---------------------------------------------------------------------------------- */

static void join(const struct clocks *c, uint32_t *to, const uint32_t *from)
{
	if (!from)
		return;
	for (size_t i = 0; i < c->width; i++)
		to[i] = to[i] < from[i] ? from[i] : to[i];
}

static void set(const struct clocks *c, uint32_t **to, const uint32_t *from)
{
	if (!*to)
		*to = mem_alloc(c->width * sizeof **to + 1);
	memcpy(*to, from, c->width * sizeof **to);
}

static void join_into(const struct clocks *c, uint32_t **to, const uint32_t *from)
{
	if (*to)
		join(c, *to, from);
	else
		set(c, to, from);
}

static void drop(uint32_t **clock)
{
	free(*clock);
	*clock = NULL;
}

/* ---- sets ------------------------------------------------------------------------------------- */

static struct set_clock *find_set(struct object_clock *o, uint32_t number)
{
	if (o->last.used && o->last.set == number)
		return &o->last;
	for (size_t i = o->group.count; i--;) {
		if (o->group.items[i].set == number)
			return &o->group.items[i];
	}
	return NULL;
}

static void free_set(struct set_clock *s)
{
	drop(&s->opened);
	drop(&s->members);
	s->used = false;
}

static void clear_group(struct object_clock *o)
{
	for (size_t i = 0; i < o->group.count; i++)
		free_set(&o->group.items[i]);
	o->group.count = 0;
}

static void open_set(struct clocks *c, struct object_clock *o, const struct run_op *act,
		     const struct run_op_touch *touch, const uint32_t *now)
{
	struct set_clock fresh = {
		.set = touch->set, .used = true, .column = act->column, .position = act->position
	};

	if (touch->shared) {
		*vec_push(&o->group) = fresh;
		set(c, &o->group.items[o->group.count - 1].opened, now);
		set(c, &o->group.items[o->group.count - 1].members, now);
		return;
	}
	clear_group(o);
	fresh.opened = o->last.opened;
	fresh.members = o->last.members;
	o->last = fresh;
	set(c, &o->last.opened, now);
	set(c, &o->last.members, now);
}

/* ---- what a touch comes after ------------------------------------------------------------------- */

/* A set that comes before the first member of another one comes before it as a whole. */
static bool order_behind(struct clocks *c, const struct set_clock *s, uint32_t *now)
{
	if (now[s->column] <= s->position)
		return false;
	join(c, now, s->members);
	return true;
}

/*
 * The sets that a new one must be apart from: those of the last group, or the last one that is not
 * shared. True: all of them come before it.
 */
static bool order_sets(struct clocks *c, const struct run_op_touch *touch, uint32_t *now)
{
	const struct object_clock *o = &c->objects[touch->object];
	bool ordered = true;

	for (size_t i = 0; !touch->shared && i < o->group.count; i++)
		ordered &= order_behind(c, &o->group.items[i], now);
	if (o->last.used && (touch->shared || !o->group.count))
		ordered &= order_behind(c, &o->last, now);
	return ordered;
}

static void gather(struct clocks *c, const struct run_op_touch *touch, uint32_t *now)
{
	struct object_clock *o = &c->objects[touch->object];
	const struct set_clock *s;

	if (c->options.strong) {
		join(c, now, touch->writes ? o->any : o->chain);
		return;
	}
	join(c, now, o->life);
	switch (touch->role) {
	case RUN_OP_OPENS: join(c, now, o->finders); break;
	case RUN_OP_JOINS:
		s = find_set(o, touch->set);
		join(c, now, s ? s->opened : NULL);
		break;
	case RUN_OP_CLOSES:
		s = find_set(o, touch->set);
		join(c, now, s ? s->members : NULL);
		break;
	case RUN_OP_CHAINS: join(c, now, o->chain); break;
	case RUN_OP_LIVES: join(c, now, o->any); break;
	}
}

/* ---- what comes after it ------------------------------------------------------------------------ */

static void end_life(struct object_clock *o)
{
	clear_group(o);
	free_set(&o->last);
	drop(&o->finders);
}

static void publish(struct clocks *c, const struct run_op *act, const struct run_op_touch *touch,
		    const uint32_t *now)
{
	struct object_clock *o = &c->objects[touch->object];
	struct set_clock *s;

	if (c->options.strong) {
		join_into(c, &o->any, now);
		if (touch->writes)
			set(c, &o->chain, now);
		return;
	}
	switch (touch->role) {
	case RUN_OP_OPENS: open_set(c, o, act, touch, now); break;
	case RUN_OP_JOINS:
	case RUN_OP_CLOSES:
		s = find_set(o, touch->set);
		if (s)
			join_into(c, &s->members, now);
		break;
	case RUN_OP_FINDS: join_into(c, &o->finders, now); break;
	case RUN_OP_CHAINS: set(c, &o->chain, now); break;
	case RUN_OP_LIVES:
		end_life(o);
		set(c, &o->life, now);
		break;
	}
	if (c->acts->objects.items[touch->object].mortal)
		join_into(c, &o->any, now);
}

/* ---- acts ------------------------------------------------------------------------------------- */

static void count_itself(struct clocks *c, const struct run_op *act, uint32_t *now)
{
	uint32_t columns = c->acts->columns;

	now[act->column] = act->position + 1;
	if (c->options.parts > OP_CLOCK_COUNTED && c->options.counted &&
	    c->options.counted[act - c->acts->list.items])
		now[OP_CLOCK_COUNTED * columns + act->column]++;
}

static void raise_fence(struct clocks *c, uint32_t *now)
{
	uint32_t columns = c->acts->columns;
	const uint32_t *counted = now + OP_CLOCK_COUNTED * columns;
	uint32_t *fences = now + OP_CLOCK_FENCES * columns;

	for (uint32_t i = 0; i < columns; i++)
		fences[i] = fences[i] < counted[i] ? counted[i] : fences[i];
}

/*
 * Sets that come before one of the act's may bring those of another object with them: as often as
 * there is something new. Most acts open one.
 */
static void come_after_sets(struct clocks *c, const struct run_op *act, uint32_t *now)
{
	const struct run_op_touch *touches = c->acts->touches.items + act->touches;
	uint32_t unordered = act->touch_count + 1, before;

	do {
		before = unordered;
		unordered = 0;
		for (uint32_t i = 0; i < act->touch_count; i++)
			unordered +=
				touches[i].role == RUN_OP_OPENS && !order_sets(c, &touches[i], now);
	} while (unordered && unordered < before);
	for (uint32_t i = 0; unordered && c->options.decides && i < act->touch_count; i++) {
		if (touches[i].role == RUN_OP_OPENS && !order_sets(c, &touches[i], now))
			c->options.decides[touches[i].object] = 1;
	}
}

static void come_after(struct clocks *c, const struct run_op *act, uint32_t *now)
{
	const struct run_op_touch *touches = c->acts->touches.items + act->touches;

	if (c->starts_due[act->lane])
		join(c, now, c->starts[act->lane]);
	c->starts_due[act->lane] = false;
	if (act->flags & RUN_OP_AWAITS)
		join(c, now, c->lanes[act->other]);
	for (uint32_t i = 0; (act->flags & RUN_OP_LAST) && i < c->acts->lanes; i++)
		join(c, now, c->lanes[i]);
	for (uint32_t i = 0; i < act->touch_count; i++)
		gather(c, &touches[i], now);
	if (!c->options.strong)
		come_after_sets(c, act, now);
}

void clocks_step(struct clocks *c, uint32_t *seen)
{
	const struct run_op *act = &c->acts->list.items[c->next++];
	const struct run_op_touch *touches = c->acts->touches.items + act->touches;
	uint32_t *now = c->lanes[act->lane];

	come_after(c, act, now);
	count_itself(c, act, now);
	if (seen)
		memcpy(seen, now, c->width * sizeof *now);
	if ((act->flags & RUN_OP_FENCE) && c->options.parts > OP_CLOCK_FENCES)
		raise_fence(c, now);
	for (uint32_t i = 0; i < act->touch_count; i++)
		publish(c, act, &touches[i], now);
	/* who goes on although it was awaited comes behind that */
	if (act->flags & (RUN_OP_CREATES | RUN_OP_AWAITS)) {
		join_into(c, &c->starts[act->other], now);
		c->starts_due[act->other] = true;
	}
}

/* ------------------------------------------------------------------------------------------------ */

struct clocks *clocks_open(const struct run_ops *acts, const struct op_clock_options *options)
{
	struct clocks *c = mem_zalloc(1, sizeof *c);

	c->acts = acts;
	c->options = *options;
	c->width = (size_t)acts->columns * options->parts;
	c->lanes = mem_zalloc((size_t)acts->lanes + 1, sizeof *c->lanes);
	c->starts = mem_zalloc((size_t)acts->lanes + 1, sizeof *c->starts);
	c->starts_due = mem_zalloc((size_t)acts->lanes + 1, sizeof *c->starts_due);
	for (uint32_t i = 0; i < acts->lanes; i++)
		c->lanes[i] = mem_zalloc(c->width + 1, sizeof **c->lanes);
	c->objects = mem_zalloc(acts->objects.count + 1, sizeof *c->objects);
	return c;
}

void clocks_close(struct clocks *c)
{
	for (uint32_t i = 0; i < c->acts->lanes; i++) {
		free(c->lanes[i]);
		free(c->starts[i]);
	}
	for (size_t i = 0; i < c->acts->objects.count; i++) {
		struct object_clock *o = &c->objects[i];

		end_life(o);
		vec_free(&o->group);
		drop(&o->life);
		drop(&o->any);
		drop(&o->chain);
	}
	free(c->objects);
	free(c->lanes);
	free(c->starts);
	free(c->starts_due);
	free(c);
}

/* ------------------------------------------------------------------------------------------------ */

uint8_t *op_clock_find_deciding(const struct run_ops *acts)
{
	struct op_clock_options options = { .parts = 1 };
	struct clocks *clocks;

	options.decides = mem_zalloc(acts->objects.count + 1, 1);
	clocks = clocks_open(acts, &options);
	for (size_t i = 0; i < acts->list.count; i++)
		clocks_step(clocks, NULL);
	clocks_close(clocks);
	return options.decides;
}

/*
 * Vector clocks along the operations of a run (op_clock.h). clocks_step() joins the clocks of
 * everything that comes before the operation into the clock of its thread, then stores the result
 * in the objects that the operation touches.
 */
#include "monitor/computation/op_clock.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct set_clock {
	uint32_t set;
	bool used;
	uint32_t column, position; /* of the set's first member */
	uint32_t *opened, *members;
};
/*
 * The clocks of an object, allocated when needed. Under strong causality, `chain` is the clock of
 * the last write, and `any` that of all operations. Under weak causality, `life` is the clock of
 * the last operation that began or ended the lifetime, `any` that of all operations, `finders` that
 * of the operations that read the initial value, and `chain` that of the last operation that keeps
 * its order.
 */
struct object_clock {
	uint32_t *life, *any, *finders, *chain;
	struct set_clock last;	     /* the last set that is not shared */
	VEC(struct set_clock) group; /* the shared sets after `last` */
};

struct clocks {
	const struct run_ops *ops;
	struct op_clock_options options;
	size_t width, next;
	/* starts: clock that the thread's next operation comes after */
	uint32_t **threads, **starts;
	bool *starts_due;
	struct object_clock *objects;
};

/* ---- clock arithmetic ------------------------------------------------------------------------ */

static void join_clock(const struct clocks *c, uint32_t *to, const uint32_t *from)
{
	if (!from)
		return;
	for (size_t i = 0; i < c->width; i++)
		to[i] = to[i] < from[i] ? from[i] : to[i];
}

static void copy_clock(const struct clocks *c, uint32_t **to, const uint32_t *from)
{
	if (!*to)
		*to = mem_alloc(c->width * sizeof **to + 1);
	memcpy(*to, from, c->width * sizeof **to);
}

static void join_or_copy_clock(const struct clocks *c, uint32_t **to, const uint32_t *from)
{
	if (*to)
		join_clock(c, *to, from);
	else
		copy_clock(c, to, from);
}

static void free_clock(uint32_t **clock)
{
	free(*clock);
	*clock = NULL;
}

/* ---- sets ------------------------------------------------------------------------------------ */

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
	free_clock(&s->opened);
	free_clock(&s->members);
	s->used = false;
}

static void clear_group(struct object_clock *o)
{
	for (size_t i = 0; i < o->group.count; i++)
		free_set(&o->group.items[i]);
	o->group.count = 0;
}

static void open_set(struct clocks *c, struct object_clock *o, const struct run_op *op,
		     const struct run_op_touch *touch, const uint32_t *now)
{
	struct set_clock fresh = {
		.set = touch->set, .used = true, .column = op->column, .position = op->position
	};

	if (touch->shared) {
		*vec_push(&o->group) = fresh;
		copy_clock(c, &o->group.items[o->group.count - 1].opened, now);
		copy_clock(c, &o->group.items[o->group.count - 1].members, now);
		return;
	}
	clear_group(o);
	fresh.opened = o->last.opened;
	fresh.members = o->last.members;
	o->last = fresh;
	copy_clock(c, &o->last.opened, now);
	copy_clock(c, &o->last.members, now);
}

/* ---- predecessors of an operation ------------------------------------------------------------ */

/*
 * If the first member of set `s` comes before the operation, lets the whole set come before it.
 * Returns false if the first member does not.
 */
static bool join_set_if_before(struct clocks *c, const struct set_clock *s, uint32_t *now)
{
	if (now[s->column] <= s->position)
		return false;
	join_clock(c, now, s->members);
	return true;
}

/*
 * Orders a new set after the sets that exclude it. If the new set is not shared, these are the
 * shared sets since the last unshared one; otherwise, or if there are none, it is the last unshared
 * set. Returns true if all of them come before the new set.
 */
static bool order_sets(struct clocks *c, const struct run_op_touch *touch, uint32_t *now)
{
	const struct object_clock *o = &c->objects[touch->object];
	bool ordered = true;

	for (size_t i = 0; !touch->shared && i < o->group.count; i++)
		ordered &= join_set_if_before(c, &o->group.items[i], now);
	if (o->last.used && (touch->shared || !o->group.count))
		ordered &= join_set_if_before(c, &o->last, now);
	return ordered;
}

static void join_predecessors(struct clocks *c, const struct run_op_touch *touch, uint32_t *now)
{
	struct object_clock *o = &c->objects[touch->object];
	const struct set_clock *s;

	if (c->options.strong) {
		join_clock(c, now, touch->writes ? o->any : o->chain);
		return;
	}
	join_clock(c, now, o->life);
	switch (touch->role) {
	case RUN_OP_OPENS: join_clock(c, now, o->finders); break;
	case RUN_OP_JOINS:
		s = find_set(o, touch->set);
		join_clock(c, now, s ? s->opened : NULL);
		break;
	case RUN_OP_CLOSES:
		s = find_set(o, touch->set);
		join_clock(c, now, s ? s->members : NULL);
		break;
	case RUN_OP_KEEPS_ORDER: join_clock(c, now, o->chain); break;
	case RUN_OP_LIFETIME: join_clock(c, now, o->any); break;
	}
}

/* ---- effects of an operation ----------------------------------------------------------------- */

static void end_lifetime(struct object_clock *o)
{
	clear_group(o);
	free_set(&o->last);
	free_clock(&o->finders);
}

static void update_object(struct clocks *c, const struct run_op *op,
			  const struct run_op_touch *touch, const uint32_t *now)
{
	struct object_clock *o = &c->objects[touch->object];
	struct set_clock *s;

	if (c->options.strong) {
		join_or_copy_clock(c, &o->any, now);
		if (touch->writes)
			copy_clock(c, &o->chain, now);
		return;
	}
	switch (touch->role) {
	case RUN_OP_OPENS: open_set(c, o, op, touch, now); break;
	case RUN_OP_JOINS:
	case RUN_OP_CLOSES:
		s = find_set(o, touch->set);
		if (s)
			join_or_copy_clock(c, &s->members, now);
		break;
	case RUN_OP_READS_INITIAL: join_or_copy_clock(c, &o->finders, now); break;
	case RUN_OP_KEEPS_ORDER: copy_clock(c, &o->chain, now); break;
	case RUN_OP_LIFETIME:
		end_lifetime(o);
		copy_clock(c, &o->life, now);
		break;
	}
	if (c->ops->objects.items[touch->object].has_lifetime)
		join_or_copy_clock(c, &o->any, now);
}

/* ---- operations ------------------------------------------------------------------------------ */

static void count_op(struct clocks *c, const struct run_op *op, uint32_t *now)
{
	uint32_t columns = c->ops->columns;

	now[op->column] = op->position + 1;
	if (c->options.parts > OP_CLOCK_COUNTED && c->options.counted &&
	    c->options.counted[op - c->ops->list.items])
		now[OP_CLOCK_COUNTED * columns + op->column]++;
}

static void update_fences(struct clocks *c, uint32_t *now)
{
	uint32_t columns = c->ops->columns;
	const uint32_t *counted = now + OP_CLOCK_COUNTED * columns;
	uint32_t *fences = now + OP_CLOCK_FENCES * columns;

	for (uint32_t i = 0; i < columns; i++)
		fences[i] = fences[i] < counted[i] ? counted[i] : fences[i];
}

/*
 * Orders earlier sets before those that the operation opens. When one set is ordered, the clock
 * grows, and then a set of another object may be ordered as well. Therefore this repeats as long as
 * something changes. Most operations open one set.
 */
static void join_earlier_sets(struct clocks *c, const struct run_op *op, uint32_t *now)
{
	const struct run_op_touch *touches = c->ops->touches.items + op->touches;
	uint32_t unordered = op->touch_count + 1, before;

	do {
		before = unordered;
		unordered = 0;
		for (uint32_t i = 0; i < op->touch_count; i++)
			unordered +=
				touches[i].role == RUN_OP_OPENS && !order_sets(c, &touches[i], now);
	} while (unordered && unordered < before);
	for (uint32_t i = 0; unordered && c->options.decides && i < op->touch_count; i++) {
		if (touches[i].role == RUN_OP_OPENS && !order_sets(c, &touches[i], now))
			c->options.decides[touches[i].object] = 1;
	}
}

static void join_all_predecessors(struct clocks *c, const struct run_op *op, uint32_t *now)
{
	const struct run_op_touch *touches = c->ops->touches.items + op->touches;

	if (c->starts_due[op->thread])
		join_clock(c, now, c->starts[op->thread]);
	c->starts_due[op->thread] = false;
	if (op->flags & RUN_OP_AWAITS)
		join_clock(c, now, c->threads[op->other]);
	for (uint32_t i = 0; (op->flags & RUN_OP_AFTER_ALL) && i < c->ops->threads; i++)
		join_clock(c, now, c->threads[i]);
	for (uint32_t i = 0; i < op->touch_count; i++)
		join_predecessors(c, &touches[i], now);
	if (!c->options.strong)
		join_earlier_sets(c, op, now);
}

void clocks_step(struct clocks *c, uint32_t *seen)
{
	const struct run_op *op = &c->ops->list.items[c->next++];
	const struct run_op_touch *touches = c->ops->touches.items + op->touches;
	uint32_t *now = c->threads[op->thread];

	join_all_predecessors(c, op, now);
	count_op(c, op, now);
	if (seen)
		memcpy(seen, now, c->width * sizeof *now);
	if ((op->flags & RUN_OP_FENCE) && c->options.parts > OP_CLOCK_FENCES)
		update_fences(c, now);
	for (uint32_t i = 0; i < op->touch_count; i++)
		update_object(c, op, &touches[i], now);
	/* If a joined thread runs on nevertheless, the rest of it comes after the join. */
	if (op->flags & (RUN_OP_CREATES | RUN_OP_AWAITS)) {
		join_or_copy_clock(c, &c->starts[op->other], now);
		c->starts_due[op->other] = true;
	}
}

/* ---- the interface --------------------------------------------------------------------------- */

struct clocks *clocks_open(const struct run_ops *ops, const struct op_clock_options *options)
{
	struct clocks *c = mem_zalloc(1, sizeof *c);

	c->ops = ops;
	c->options = *options;
	c->width = (size_t)ops->columns * options->parts;
	c->threads = mem_zalloc((size_t)ops->threads + 1, sizeof *c->threads);
	c->starts = mem_zalloc((size_t)ops->threads + 1, sizeof *c->starts);
	c->starts_due = mem_zalloc((size_t)ops->threads + 1, sizeof *c->starts_due);
	for (uint32_t i = 0; i < ops->threads; i++)
		c->threads[i] = mem_zalloc(c->width + 1, sizeof **c->threads);
	c->objects = mem_zalloc(ops->objects.count + 1, sizeof *c->objects);
	return c;
}

void clocks_close(struct clocks *c)
{
	for (uint32_t i = 0; i < c->ops->threads; i++) {
		free(c->threads[i]);
		free(c->starts[i]);
	}
	for (size_t i = 0; i < c->ops->objects.count; i++) {
		struct object_clock *o = &c->objects[i];

		end_lifetime(o);
		vec_free(&o->group);
		free_clock(&o->life);
		free_clock(&o->any);
		free_clock(&o->chain);
	}
	free(c->objects);
	free(c->threads);
	free(c->starts);
	free(c->starts_due);
	free(c);
}

uint8_t *op_clock_find_deciding(const struct run_ops *ops)
{
	struct op_clock_options options = { .parts = 1 };
	struct clocks *clocks;

	options.decides = mem_zalloc(ops->objects.count + 1, 1);
	clocks = clocks_open(ops, &options);
	for (size_t i = 0; i < ops->list.count; i++)
		clocks_step(clocks, NULL);
	clocks_close(clocks);
	return options.decides;
}

/*
 * Makes the pool (message_pool.h): first finds the objects whose sets are not ordered, then takes
 * every operation that is relevant or touches such an object, with its clock.
 */
#include "monitor/computation/message_pool.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool is_member(const uint8_t *deciding, const struct run_op_touch *touch)
{
	return deciding && touch->role <= RUN_OP_CLOSES && deciding[touch->object];
}

static bool touches_deciding_object(const struct run_ops *ops, const uint8_t *deciding,
				    const struct run_op *op)
{
	for (uint32_t i = 0; i < op->touch_count; i++) {
		if (is_member(deciding, &ops->touches.items[op->touches + i]))
			return true;
	}
	return false;
}

static uint8_t *choose_entries(const struct run_ops *ops,
			       const struct message_pool_options *options, const uint8_t *deciding)
{
	uint8_t *counted = mem_zalloc(ops->list.count + 1, 1);

	for (size_t i = 0; i < ops->list.count; i++) {
		const struct run_op *op = &ops->list.items[i];

		counted[i] = (op->flags & RUN_OP_RELEVANT) ||
			     (options->every ? op->flags & RUN_OP_COUNTED
					     : touches_deciding_object(ops, deciding, op));
	}
	return counted;
}

/* ---- entries --------------------------------------------------------------------------------- */

static const struct message_need *counts_as_needs(struct message_pool *pool, const uint32_t *counts,
						  uint32_t but, uint32_t *count)
{
	uint32_t columns = pool->ops->columns, n = 0;
	struct message_need *needs;

	for (uint32_t i = 0; i < columns; i++)
		n += counts[i] && i != but;
	*count = n;
	if (!n)
		return NULL;
	needs = arena_alloc(&pool->arena, n * sizeof *needs);
	n = 0;
	for (uint32_t i = 0; i < columns; i++) {
		if (counts[i] && i != but)
			needs[n++] = (struct message_need){ i, counts[i] };
	}
	return needs;
}

static void add_member(struct message_pool *pool, const struct run_op *op,
		       const struct run_op_touch *touch)
{
	uint32_t *column = &pool->set_column[touch->set];

	*vec_push(&pool->members) = (struct message_pool_member){ .object = touch->object,
								  .set = touch->set,
								  .role = touch->role,
								  .lock = touch->lock,
								  .shared = touch->shared };
	if (!*column)
		*column = op->column + 1;
	else if (*column != op->column + 1)
		*column = MESSAGE_POOL_MANY;
	pool->set_sizes[touch->set]++;
	pool->set_closes[touch->set] |= !touch->lock || touch->role == RUN_OP_CLOSES;
	pool->object_seen[touch->object] = 1;
}

static void add_entry(struct message_pool *pool, uint32_t number, const uint32_t *clock,
		      const struct message_pool_options *options, const uint8_t *deciding)
{
	const struct run_op *op = &pool->ops->list.items[number];
	uint32_t columns = pool->ops->columns;
	struct message_pool_entry *entry = vec_push(&pool->entries);

	*entry = (struct message_pool_entry){ .op = number,
					      .column = op->column,
					      .position = pool->column_entries[op->column]++,
					      .members = (uint32_t)pool->members.count };
	pool->entry_of[number] = (uint32_t)pool->entries.count;
	entry->needs = counts_as_needs(pool, clock + OP_CLOCK_COUNTED * columns, op->column,
				       &entry->need_count);
	if (options->every)
		entry->fences = counts_as_needs(pool, clock + OP_CLOCK_FENCES * columns, UINT32_MAX,
						&entry->fence_count);
	entry->past = arena_copy(&pool->arena, clock, columns * sizeof *clock);
	for (uint32_t i = 0; i < op->touch_count; i++) {
		const struct run_op_touch *touch = &pool->ops->touches.items[op->touches + i];

		if (is_member(deciding, touch))
			add_member(pool, op, touch);
	}
	entry->member_count = (uint32_t)pool->members.count - entry->members;
}

static void find_last_members(struct message_pool *pool)
{
	uint8_t *seen = mem_zalloc((size_t)pool->ops->sets + 1, 1);

	for (size_t i = pool->members.count; i--;) {
		struct message_pool_member *member = &pool->members.items[i];

		member->last =
			!seen[member->set] && pool->set_column[member->set] != MESSAGE_POOL_MANY;
		seen[member->set] = 1;
	}
	free(seen);
}

static void init_pool(struct message_pool *pool, const struct run_ops *ops)
{
	size_t sets = (size_t)ops->sets + 1;

	*pool = (struct message_pool){ .ops = ops };
	pool->entry_of = mem_zalloc(ops->list.count + 1, sizeof *pool->entry_of);
	pool->column_entries = mem_zalloc((size_t)ops->columns + 1, sizeof *pool->column_entries);
	pool->set_column = mem_zalloc(sets, sizeof *pool->set_column);
	pool->set_sizes = mem_zalloc(sets, sizeof *pool->set_sizes);
	pool->set_closes = mem_zalloc(sets, 1);
	pool->object_seen = mem_zalloc(ops->objects.count + 1, 1);
	pool->column_ops = mem_zalloc((size_t)ops->columns + 1, sizeof *pool->column_ops);
	for (uint32_t i = 0; i < ops->list.count; i++)
		*vec_push(&pool->column_ops[ops->list.items[i].column]) = i;
}

void message_pool_make(const struct run_ops *ops, const struct message_pool_options *options,
		       struct message_pool *pool)
{
	struct op_clock_options how = { .strong = options->strong,
					.parts =
						options->every ? OP_CLOCK_PARTS : OP_CLOCK_FENCES };
	uint8_t *deciding = options->strong ? NULL : op_clock_find_deciding(ops);
	struct clocks *clocks;
	uint32_t *clock;
	uint8_t *counted;

	init_pool(pool, ops);
	counted = choose_entries(ops, options, deciding);
	how.counted = counted;
	clocks = clocks_open(ops, &how);
	clock = mem_zalloc((size_t)ops->columns * how.parts + 1, sizeof *clock);
	for (uint32_t i = 0; i < ops->list.count; i++) {
		clocks_step(clocks, counted[i] ? clock : NULL);
		if (counted[i])
			add_entry(pool, i, clock, options, deciding);
	}
	clocks_close(clocks);
	find_last_members(pool);
	free(clock);
	free(counted);
	free(deciding);
}

void message_pool_free(struct message_pool *pool)
{
	for (uint32_t i = 0; pool->ops && i < pool->ops->columns; i++)
		vec_free(&pool->column_ops[i]);
	free(pool->column_ops);
	free(pool->column_entries);
	free(pool->entry_of);
	free(pool->set_column);
	free(pool->set_sizes);
	free(pool->set_closes);
	free(pool->object_seen);
	vec_free(&pool->entries);
	vec_free(&pool->members);
	arena_free(&pool->arena);
}

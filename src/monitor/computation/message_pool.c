#include "monitor/computation/message_pool.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool is_member(const uint8_t *deciding, const struct run_op_touch *touch)
{
	return deciding && touch->role <= RUN_OP_CLOSES && deciding[touch->object];
}

static bool decides(const struct run_ops *acts, const uint8_t *deciding, const struct run_op *act)
{
	for (uint32_t i = 0; i < act->touch_count; i++) {
		if (is_member(deciding, &acts->touches.items[act->touches + i]))
			return true;
	}
	return false;
}

static uint8_t *choose(const struct run_ops *acts, const struct message_pool_options *options,
		       const uint8_t *deciding)
{
	uint8_t *counted = mem_zalloc(acts->list.count + 1, 1);

	for (size_t i = 0; i < acts->list.count; i++) {
		const struct run_op *act = &acts->list.items[i];

		counted[i] = (act->flags & RUN_OP_MEANS) ||
			     (options->every ? act->flags & RUN_OP_COUNTED
					     : decides(acts, deciding, act));
	}
	return counted;
}

/* ---- entries ---------------------------------------------------------------------------------- */

static const struct message_need *keep_counts(struct message_pool *pool, const uint32_t *counts,
					      uint32_t but, uint32_t *count)
{
	uint32_t columns = pool->acts->columns, n = 0;
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

static void add_member(struct message_pool *pool, const struct run_op *act,
		       const struct run_op_touch *touch)
{
	uint32_t *column = &pool->set_column[touch->set];

	*vec_push(&pool->members) = (struct message_pool_member){ .object = touch->object,
								  .set = touch->set,
								  .role = touch->role,
								  .lock = touch->lock,
								  .shared = touch->shared };
	if (!*column)
		*column = act->column + 1;
	else if (*column != act->column + 1)
		*column = MESSAGE_POOL_MANY;
	pool->set_sizes[touch->set]++;
	pool->set_closes[touch->set] |= !touch->lock || touch->role == RUN_OP_CLOSES;
	pool->object_seen[touch->object] = 1;
}

static void add_entry(struct message_pool *pool, uint32_t number, const uint32_t *clock,
		      const struct message_pool_options *options, const uint8_t *deciding)
{
	const struct run_op *act = &pool->acts->list.items[number];
	uint32_t columns = pool->acts->columns;
	struct message_pool_entry *entry = vec_push(&pool->entries);

	*entry = (struct message_pool_entry){ .act = number,
					      .column = act->column,
					      .position = pool->column_entries[act->column]++,
					      .members = (uint32_t)pool->members.count };
	pool->entry_of[number] = (uint32_t)pool->entries.count;
	entry->needs = keep_counts(pool, clock + OP_CLOCK_COUNTED * columns, act->column,
				   &entry->need_count);
	if (options->every)
		entry->fences = keep_counts(pool, clock + OP_CLOCK_FENCES * columns, UINT32_MAX,
					    &entry->fence_count);
	entry->past = arena_copy(&pool->arena, clock, columns * sizeof *clock);
	for (uint32_t i = 0; i < act->touch_count; i++) {
		const struct run_op_touch *touch = &pool->acts->touches.items[act->touches + i];

		if (is_member(deciding, touch))
			add_member(pool, act, touch);
	}
	entry->member_count = (uint32_t)pool->members.count - entry->members;
}

static void find_last_members(struct message_pool *pool)
{
	uint8_t *seen = mem_zalloc((size_t)pool->acts->sets + 1, 1);

	for (size_t i = pool->members.count; i--;) {
		struct message_pool_member *member = &pool->members.items[i];

		member->last =
			!seen[member->set] && pool->set_column[member->set] != MESSAGE_POOL_MANY;
		seen[member->set] = 1;
	}
	free(seen);
}

static void list_acts(struct message_pool *pool)
{
	const struct run_ops *acts = pool->acts;

	pool->column_acts = mem_zalloc((size_t)acts->columns + 1, sizeof *pool->column_acts);
	pool->run_ops_of = mem_zalloc((size_t)acts->columns + 1, sizeof *pool->run_ops_of);
	for (size_t i = 0; i < acts->list.count; i++)
		pool->column_acts[acts->list.items[i].column]++;
	for (uint32_t i = 0; i < acts->columns; i++)
		pool->run_ops_of[i] =
			mem_alloc((pool->column_acts[i] + 1) * sizeof **pool->run_ops_of);
	for (size_t i = 0; i < acts->list.count; i++)
		pool->run_ops_of[acts->list.items[i].column][acts->list.items[i].position] =
			(uint32_t)i;
}

static void open_pool(struct message_pool *pool, const struct run_ops *acts)
{
	size_t sets = (size_t)acts->sets + 1;

	*pool = (struct message_pool){ .acts = acts };
	pool->entry_of = mem_zalloc(acts->list.count + 1, sizeof *pool->entry_of);
	pool->column_entries = mem_zalloc((size_t)acts->columns + 1, sizeof *pool->column_entries);
	pool->set_column = mem_zalloc(sets, sizeof *pool->set_column);
	pool->set_sizes = mem_zalloc(sets, sizeof *pool->set_sizes);
	pool->set_closes = mem_zalloc(sets, 1);
	pool->object_seen = mem_zalloc(acts->objects.count + 1, 1);
	list_acts(pool);
}

void message_pool_make(const struct run_ops *acts, const struct message_pool_options *options,
		       struct message_pool *pool)
{
	struct op_clock_options how = { .strong = options->strong,
					.parts =
						options->every ? OP_CLOCK_PARTS : OP_CLOCK_FENCES };
	uint8_t *deciding = options->strong ? NULL : op_clock_find_deciding(acts);
	struct clocks *clocks;
	uint32_t *clock;
	uint8_t *counted;

	open_pool(pool, acts);
	counted = choose(acts, options, deciding);
	how.counted = counted;
	clocks = clocks_open(acts, &how);
	clock = mem_zalloc((size_t)acts->columns * how.parts + 1, sizeof *clock);
	for (uint32_t i = 0; i < acts->list.count; i++) {
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
	for (uint32_t i = 0; pool->acts && i < pool->acts->columns; i++)
		free(pool->run_ops_of[i]);
	free(pool->run_ops_of);
	free(pool->column_acts);
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

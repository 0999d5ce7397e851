/* Lists the operations of a solution: a counting sort of the model's events by rank. */
#include "witness/operations.h"

#include "base/mem.h"

#include <assert.h>

struct operations_builder {
	struct operations *ops;
	const uint32_t *rank;
	uint32_t *fill; /* by rank: index of the next item; NULL in the pass that only counts */
	uint32_t object;
	const uint32_t *fixed;
	uint32_t fixed_count;
};

/* A node that does two things to one object (an atomic update) is one exclusive operation. */
static void add_operation(struct operations_builder *b, uint32_t node, enum operation_sort sort)
{
	uint32_t rank = node == ORDER_NONE ? ORDER_NONE : b->rank[node];
	struct operation *last;

	if (rank == ORDER_NONE)
		return;
	if (!b->fill) {
		b->ops->start[rank + 1]++;
		return;
	}
	if (b->fill[rank] > b->ops->start[rank]) {
		last = &b->ops->items[b->fill[rank] - 1];
		if (last->object == b->object) {
			last->sort = OPERATION_EXCLUSIVE;
			return;
		}
	}
	b->ops->items[b->fill[rank]++] = (struct operation){ b->object, 0, (uint8_t)sort };
}

static void add_cell(struct operations_builder *b, const struct order_model *model,
		     const struct order_cell *cell)
{
	for (uint32_t i = 0; i < cell->write_count; i++)
		add_operation(b, model->writes.items[cell->write_start + i].node,
			      OPERATION_EXCLUSIVE);
	for (uint32_t i = 0; i < cell->read_count; i++)
		add_operation(b, model->reads.items[cell->read_start + i].node, OPERATION_READ);
}

static void add_lock(struct operations_builder *b, const struct order_model *model,
		     const struct order_lock *lock)
{
	for (uint32_t i = 0; i < lock->section_count; i++) {
		const struct order_section *s = &model->sections.items[lock->section_start + i];

		add_operation(b, s->acquire, s->shared ? OPERATION_SHARE : OPERATION_EXCLUSIVE);
		add_operation(b, s->release, s->shared ? OPERATION_SHARE : OPERATION_EXCLUSIVE);
	}
	for (uint32_t i = 0; i < lock->fail_count; i++)
		add_operation(b, model->fails.items[lock->fail_start + i].node, OPERATION_TRY);
}

static void add_condition(struct operations_builder *b, const struct order_model *model,
			  const struct order_condition *condition)
{
	for (uint32_t i = 0; i < condition->wait_count; i++) {
		add_operation(b, model->waits.items[condition->wait_start + i].wait,
			      OPERATION_EXCLUSIVE);
		add_operation(b, model->waits.items[condition->wait_start + i].woken,
			      OPERATION_EXCLUSIVE);
	}
	for (uint32_t i = 0; i < condition->signal_count; i++)
		add_operation(b, model->signals.items[condition->signal_start + i].node,
			      OPERATION_EXCLUSIVE);
}

static void add_semaphore(struct operations_builder *b, const struct order_model *model,
			  const struct order_semaphore *semaphore)
{
	for (uint32_t i = 0; i < semaphore->post_count; i++)
		add_operation(b, model->posts.items[semaphore->post_start + i],
			      OPERATION_EXCLUSIVE);
	for (uint32_t i = 0; i < semaphore->down_count; i++)
		add_operation(b, model->downs.items[semaphore->down_start + i],
			      OPERATION_EXCLUSIVE);
	for (uint32_t i = 0; i < semaphore->zero_count; i++)
		add_operation(b, model->zeros.items[semaphore->zero_start + i], OPERATION_TRY);
}

/*
 * Called once to count and once to fill. Objects are numbered in this order: cells, locks,
 * conditions, semaphores, edges, the fixed order.
 */
static void add_all_objects(struct operations_builder *b, const struct order_model *model)
{
	b->object = 0;
	for (size_t i = 0; i < model->cells.count; i++, b->object++)
		add_cell(b, model, &model->cells.items[i]);
	for (size_t i = 0; i < model->locks.count; i++, b->object++)
		add_lock(b, model, &model->locks.items[i]);
	for (size_t i = 0; i < model->conditions.count; i++, b->object++)
		add_condition(b, model, &model->conditions.items[i]);
	for (size_t i = 0; i < model->semaphores.count; i++, b->object++)
		add_semaphore(b, model, &model->semaphores.items[i]);
	for (size_t i = 0; i < model->edges.count; i++, b->object++) {
		add_operation(b, model->edges.items[i].from, OPERATION_EXCLUSIVE);
		add_operation(b, model->edges.items[i].to, OPERATION_EXCLUSIVE);
	}
	for (uint32_t i = 0; i < b->fixed_count; i++)
		add_operation(b, b->fixed[i], OPERATION_EXCLUSIVE);
	b->object++;
}

void operations_make(struct operations *ops, const struct order_model *model,
		     const struct order_solution *solution, const uint32_t *fixed,
		     uint32_t fixed_count)
{
	struct operations_builder b = { .ops = ops, .fixed = fixed, .fixed_count = fixed_count };
	uint32_t *from;

	ops->count = solution->count;
	ops->rank = mem_alloc(model->node_count * sizeof *ops->rank + 1);
	for (uint32_t i = 0; i < model->node_count; i++)
		ops->rank[i] = ORDER_NONE;
	for (uint32_t i = 0; i < solution->count; i++)
		ops->rank[solution->inside[i]] = i;
	b.rank = ops->rank;
	ops->start = mem_zalloc(ops->count + 1, sizeof *ops->start);
	add_all_objects(&b, model);
	for (uint32_t i = 0; i < ops->count; i++)
		ops->start[i + 1] += ops->start[i];
	ops->items = mem_alloc(ops->start[ops->count] * sizeof *ops->items + 1);
	b.fill = mem_alloc(ops->count * sizeof *b.fill + 1);
	for (uint32_t i = 0; i < ops->count; i++)
		b.fill[i] = ops->start[i];
	add_all_objects(&b, model);
	ops->objects = b.object;
	/* Closes the gaps: an atomic update was counted twice, but is only one item. */
	from = mem_alloc(ops->count * sizeof *from + 1);
	for (uint32_t i = 0; i < ops->count; i++)
		from[i] = ops->start[i];
	for (uint32_t i = 0, to = 0; i < ops->count; i++) {
		ops->start[i] = to;
		for (uint32_t j = from[i]; j < b.fill[i]; j++)
			ops->items[to++] = ops->items[j];
		ops->start[i + 1] = to;
	}
	free(from);
	free(b.fill);
}

struct operation_group {
	uint32_t all;	 /* operations on the object so far */
	uint32_t before; /* operations on the object before the current group */
	uint8_t sort;
};

void operations_arrange(struct operations *ops, const struct order_model *model,
			const struct order_solution *solution, const uint32_t *need)
{
	struct operation_group *groups = mem_zalloc(ops->objects + 1, sizeof *groups);

	for (uint32_t rank = 0; rank < ops->count; rank++) {
		uint32_t node = solution->inside[rank];

		if (model->position.items[node] >= need[model->thread.items[node]])
			continue;
		for (uint32_t i = ops->start[rank]; i < ops->start[rank + 1]; i++) {
			struct operation *op = &ops->items[i];
			struct operation_group *group = &groups[op->object];

			if (op->sort == OPERATION_EXCLUSIVE || op->sort != group->sort) {
				group->before = group->all;
				group->sort = op->sort;
			}
			op->before = group->before;
			group->all++;
		}
	}
	free(groups);
}

void operations_free(struct operations *ops)
{
	free(ops->rank);
	free(ops->start);
	free(ops->items);
}

/*
 * Builds the index of a model: a list of events sorted by node, and edge lists in both directions.
 * Replays the recorded order to find the node that explains each event.
 */
#include "order/model/index.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

typedef VEC(struct index_event) event_list;

static void add_event(event_list *list, uint32_t node, enum index_kind kind, size_t object,
		      uint32_t item)
{
	if (node != ORDER_NONE)
		*vec_push(list) = (struct index_event){ node, kind, (uint32_t)object, item };
}

static void add_cells(event_list *list, const struct order_model *m)
{
	for (size_t o = 0; o < m->cells.count; o++) {
		const struct order_cell *c = &m->cells.items[o];

		for (uint32_t i = c->read_start; i < c->read_start + c->read_count; i++)
			add_event(list, m->reads.items[i].node, INDEX_READ, o, i);
		for (uint32_t i = c->write_start; i < c->write_start + c->write_count; i++)
			add_event(list, m->writes.items[i].node, INDEX_WRITE, o, i);
	}
}

static void add_locks(event_list *list, const struct order_model *m)
{
	for (size_t o = 0; o < m->locks.count; o++) {
		const struct order_lock *l = &m->locks.items[o];

		for (uint32_t i = l->section_start; i < l->section_start + l->section_count; i++) {
			add_event(list, m->sections.items[i].acquire, INDEX_ACQUIRE, o, i);
			add_event(list, m->sections.items[i].release, INDEX_RELEASE, o, i);
		}
		for (uint32_t i = l->fail_start; i < l->fail_start + l->fail_count; i++)
			add_event(list, m->fails.items[i].node, INDEX_FAIL, o, i);
	}
}

static void add_conditions(event_list *list, const struct order_model *m)
{
	for (size_t o = 0; o < m->conditions.count; o++) {
		const struct order_condition *c = &m->conditions.items[o];

		for (uint32_t i = c->wait_start; i < c->wait_start + c->wait_count; i++) {
			add_event(list, m->waits.items[i].wait, INDEX_WAIT, o, i);
			add_event(list, m->waits.items[i].woken, INDEX_WOKEN, o, i);
		}
		for (uint32_t i = c->signal_start; i < c->signal_start + c->signal_count; i++)
			add_event(list, m->signals.items[i].node, INDEX_SIGNAL, o, i);
	}
}

static void add_semaphores(event_list *list, const struct order_model *m, const bool *is_mutex)
{
	for (size_t o = 0; o < m->semaphores.count; o++) {
		const struct order_semaphore *s = &m->semaphores.items[o];

		for (uint32_t i = s->post_start; i < s->post_start + s->post_count; i++)
			add_event(list, m->posts.items[i], INDEX_POST, o, i);
		for (uint32_t i = s->down_start; i < s->down_start + s->down_count; i++)
			add_event(list, m->downs.items[i], is_mutex[o] ? INDEX_TAKE : INDEX_DOWN, o,
				  i);
		for (uint32_t i = s->zero_start; i < s->zero_start + s->zero_count; i++)
			add_event(list, m->zeros.items[i], INDEX_ZERO, o, i);
	}
}

static bool comes_before(const struct index_event *a, const struct index_event *b)
{
	return a->kind != b->kind ? a->kind < b->kind : a->item < b->item;
}

static void sort_group(struct index_event *group, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct index_event event = group[i];
		uint32_t at = i;

		for (; at && comes_before(&event, &group[at - 1]); at--)
			group[at] = group[at - 1];
		group[at] = event;
	}
}

/*
 * Sorts by node, kind and item: first into groups by node, then each group by insertion, which is
 * linear because the events of a group are nearly in order. qsort took a tenth of a query's time.
 */
static void group_by_node(struct order_index *x, const event_list *list)
{
	uint32_t nodes = x->model->node_count, *start;

	start = x->event_start = mem_zalloc((size_t)nodes + 2, sizeof *start);
	x->events = mem_alloc((list->count + 1) * sizeof *x->events);
	for (size_t i = 0; i < list->count; i++)
		start[list->items[i].node + 2]++;
	for (uint32_t n = 1; n < nodes; n++)
		start[n + 1] += start[n];
	for (size_t i = 0; i < list->count; i++)
		x->events[start[list->items[i].node + 1]++] = list->items[i];
	for (uint32_t n = 0; n < nodes; n++)
		sort_group(x->events + start[n], start[n + 1] - start[n]);
}

static void make_events(struct order_index *x)
{
	event_list list = { 0 };

	add_cells(&list, x->model);
	add_locks(&list, x->model);
	add_conditions(&list, x->model);
	add_semaphores(&list, x->model, x->is_mutex);
	group_by_node(x, &list);
	vec_free(&list);
}

static void make_edges(struct order_index *x)
{
	const struct order_model *m = x->model;
	size_t nodes = m->node_count;

	order_sources_make(&x->in, m);
	x->out_start = mem_zalloc(nodes + 2, sizeof *x->out_start);
	x->out = mem_zalloc(m->edges.count + 1, sizeof *x->out);
	/* As in order_sources_make(): the last loop moves each start to its final value. */
	for (size_t i = 0; i < m->edges.count; i++)
		x->out_start[m->edges.items[i].from + 2]++;
	for (size_t n = 2; n < nodes + 2; n++)
		x->out_start[n] += x->out_start[n - 1];
	for (size_t i = 0; i < m->edges.count; i++) {
		struct order_edge e = m->edges.items[i];

		x->out[x->out_start[e.from + 1]++] = e.to;
	}
}

/* Replays the recorded order and stores for each event the node that explains it. */
static void make_needs(struct order_index *x)
{
	const struct order_model *m = x->model;
	uint32_t *last = mem_alloc((m->cells.count + 1) * sizeof *last);
	uint32_t *held = mem_alloc((m->locks.count + 1) * sizeof *held);
	uint32_t *used = mem_zalloc(m->semaphores.count + 1, sizeof *used);

	x->read_needs = mem_zalloc(m->reads.count + 1, sizeof *x->read_needs);
	x->fail_needs = mem_zalloc(m->fails.count + 1, sizeof *x->fail_needs);
	x->down_needs = mem_zalloc(m->downs.count + 1, sizeof *x->down_needs);
	memset(last, 0xff, (m->cells.count + 1) * sizeof *last);
	memset(held, 0xff, (m->locks.count + 1) * sizeof *held);
	for (uint32_t i = 0; i < x->event_start[m->node_count]; i++) {
		const struct index_event *e = &x->events[i];

		if (e->kind == INDEX_READ) {
			x->read_needs[e->item] = last[e->object];
		} else if (e->kind == INDEX_WRITE) {
			last[e->object] = e->node;
		} else if (e->kind == INDEX_ACQUIRE) {
			held[e->object] = e->node;
		} else if (e->kind == INDEX_FAIL) {
			x->fail_needs[e->item] = held[e->object];
		} else if (e->kind == INDEX_DOWN) {
			const struct order_semaphore *s = &m->semaphores.items[e->object];
			uint32_t k = used[e->object]++;

			x->down_needs[e->item] =
				k < s->initial || k - s->initial >= s->post_count
					? ORDER_NONE
					: m->posts.items[s->post_start + k - s->initial];
		}
	}
	free(last);
	free(held);
	free(used);
}

/* Lists the sections and waits that began before the window. */
static void make_carried(struct order_index *x)
{
	const struct order_model *m = x->model;
	uint32_t open = 0, idle = 0;

	x->open_start = mem_zalloc(m->locks.count + 1, sizeof *x->open_start);
	x->open = mem_zalloc(m->sections.count + 1, sizeof *x->open);
	for (size_t o = 0; o < m->locks.count; o++) {
		const struct order_lock *l = &m->locks.items[o];

		for (uint32_t i = l->section_start; i < l->section_start + l->section_count; i++)
			if (m->sections.items[i].acquire == ORDER_NONE)
				x->open[open++] = i;
		x->open_start[o + 1] = open;
	}
	x->idle_start = mem_zalloc(m->conditions.count + 1, sizeof *x->idle_start);
	x->wait_condition = mem_zalloc(m->waits.count + 1, sizeof *x->wait_condition);
	x->idle = mem_zalloc(m->waits.count + 1, sizeof *x->idle);
	for (size_t o = 0; o < m->conditions.count; o++) {
		const struct order_condition *c = &m->conditions.items[o];

		for (uint32_t i = c->wait_start; i < c->wait_start + c->wait_count; i++) {
			x->wait_condition[i] = (uint32_t)o;
			if (m->waits.items[i].wait == ORDER_NONE)
				x->idle[idle++] = i;
		}
		x->idle_start[o + 1] = idle;
	}
}

struct open_sections *order_index_open_sections(const struct order_index *x,
						struct open_sections *locks, uint32_t lock,
						uint32_t epoch)
{
	struct open_sections *open = &locks[lock];

	if (open->epoch == epoch)
		return open;
	open->epoch = epoch;
	open->list.count = 0;
	for (uint32_t i = x->open_start[lock]; i < x->open_start[lock + 1]; i++)
		*vec_push(&open->list) = x->open[i];
	return open;
}

void order_index_make(struct order_index *index, const struct order_model *model,
		      const struct order_clock *clock, const bool *is_mutex)
{
	index->model = model;
	index->clock = clock;
	index->is_mutex = is_mutex;
	make_events(index);
	make_edges(index);
	make_needs(index);
	make_carried(index);
}

void order_index_free(struct order_index *index)
{
	free(index->event_start);
	free(index->events);
	order_sources_free(&index->in);
	free(index->out_start);
	free(index->out);
	free(index->read_needs);
	free(index->fail_needs);
	free(index->down_needs);
	free(index->open_start);
	free(index->open);
	free(index->idle_start);
	free(index->idle);
	free(index->wait_condition);
}

/*
 * Walks through a schedule, node by node, and marks what depends on one event, the source. A thread
 * is *dependent* once it has learned of the source: by an edge from a node of a dependent thread,
 * by reading what a dependent thread wrote, or at a synchronisation object at which a dependent
 * thread let other threads continue.
 */
#include "predict/atomicity/atomicity_dependence.h"

#include "base/map.h"
#include "base/mem.h"
#include "predict/race/race_candidates.h"

struct dependence {
	const struct window *window;
	const struct order_model *model;
	bool *threads; /* by thread: is it dependent? */
	bool *nodes;   /* by node: was its thread dependent when the node happened? */
	/* cell to 1 if a dependent thread wrote it last, otherwise 0 */
	struct map cells;
	struct map senders; /* objects at which a dependent thread let other threads continue */
	const struct order_sources *sources;
};

static uint64_t object_of(const struct window_node *n)
{
	return n->address << 4 | (uint64_t)event_group(n->kind);
}

static bool depends_on_source(const struct dependence *s, uint32_t node)
{
	const struct window_node *n = &s->window->nodes.items[node];
	const uint32_t *cells = &s->window->cells.items[n->cell_start];
	const uint64_t *dependent;

	if (n->after_all)
		return true; /* it may depend on anything that has happened */
	for (uint32_t i = s->sources->start[node]; i < s->sources->start[node + 1]; i++) {
		if (s->nodes[s->sources->from[i]])
			return true;
	}
	switch (n->kind) {
	case EV_WOKEN:
	case EV_DOWN:
	case EV_PASS:
	case EV_ONCE:
	case EV_RECEIVE: return map_get(&s->senders, object_of(n));
	}
	if (!race_is_access(n) || n->kind == EV_WRITE || n->kind == EV_ATOMIC_WRITE)
		return false;
	for (uint32_t i = 0; i < n->cell_count; i++) {
		dependent = map_get(&s->cells, cells[i]);
		if (dependent && *dependent)
			return true;
	}
	return false;
}

static void pass_on_dependence(struct dependence *s, uint32_t node, bool dependent)
{
	const struct window_node *n = &s->window->nodes.items[node];

	if (race_is_access(n) && race_is_write(n->kind)) {
		for (uint32_t i = 0; i < n->cell_count; i++) {
			uint32_t cell = s->window->cells.items[n->cell_start + i];

			if (dependent || map_get(&s->cells, cell))
				*map_put(&s->cells, cell, NULL) = dependent;
		}
	}
	if (!dependent)
		return;
	switch (n->kind) {
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_POST:
	case EV_ARRIVE:
	case EV_ONCE_END:
	case EV_SEND: map_put(&s->senders, object_of(n), NULL);
	}
}

uint32_t first_dependent_node(const struct window *window, const struct order_sources *sources,
			      const uint32_t *inside, size_t count, uint32_t source,
			      uint32_t thread)
{
	struct dependence s = { .window = window, .model = &window->model, .sources = sources };
	uint32_t found = ORDER_NONE;
	size_t i = 0;

	s.threads = mem_zalloc(s.model->thread_count + 1, sizeof *s.threads);
	s.nodes = mem_zalloc(s.model->node_count + 1, sizeof *s.nodes);
	while (i < count && inside[i] != source)
		i++;
	for (; i < count && found == ORDER_NONE; i++) {
		uint32_t node = inside[i];
		bool *dependent = &s.threads[s.model->thread.items[node]];

		*dependent |= node == source || depends_on_source(&s, node);
		s.nodes[node] = *dependent;
		pass_on_dependence(&s, node, *dependent);
		if (*dependent && s.model->thread.items[node] == thread)
			found = node;
	}
	free(s.threads);
	free(s.nodes);
	map_free(&s.cells);
	map_free(&s.senders);
	return found;
}

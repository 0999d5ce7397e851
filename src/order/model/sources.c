/* Groups the edges of a model by target: a counting sort. */
#include "order/model/sources.h"

#include "base/mem.h"

#include <stdlib.h>

void order_sources_make(struct order_sources *s, const struct order_model *model)
{
	size_t nodes = model->node_count, edges = model->edges.count;

	/* A node's count is stored at node + 2. After the last loop, start[node] is its start. */
	s->start = mem_zalloc(nodes + 2, sizeof *s->start);
	s->from = mem_alloc(edges * sizeof *s->from + 1);
	s->edge = mem_alloc(edges * sizeof *s->edge + 1);
	for (size_t i = 0; i < edges; i++)
		s->start[model->edges.items[i].to + 2]++;
	for (size_t n = 2; n < nodes + 2; n++)
		s->start[n] += s->start[n - 1];
	for (size_t i = 0; i < edges; i++) {
		uint32_t at = s->start[model->edges.items[i].to + 1]++;

		s->from[at] = model->edges.items[i].from;
		s->edge[at] = (uint32_t)i;
	}
}

void order_sources_free(struct order_sources *s)
{
	free(s->start);
	free(s->from);
	free(s->edge);
}

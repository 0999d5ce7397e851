/*
 * Copies a window's model without some of its constraints: the edges of OPAQUE events, or the
 * reads. Each read is dropped, or replaced by an edge from the write that it saw.
 */
#include "predict/pattern/relaxed_window.h"

/*
 * Adds an edge to each read from the write that it saw: the last write to the cell that was
 * recorded before the read. Nodes are numbered in recorded order.
 */
static void keep_writers(struct order_model *model, const struct order_model *from)
{
	for (size_t c = 0; c < from->cells.count; c++) {
		const struct order_cell *cell = &from->cells.items[c];
		const struct order_write *writes = from->writes.items + cell->write_start;
		uint32_t next = 0;

		for (uint32_t i = 0; i < cell->read_count; i++) {
			uint32_t read = from->reads.items[cell->read_start + i].node, writer;

			while (next < cell->write_count && writes[next].node < read)
				next++;
			if (!next)
				continue;
			writer = writes[next - 1].node;
			if (from->thread.items[writer] != from->thread.items[read])
				*vec_push(&model->edges) = (struct order_edge){ writer, read };
		}
	}
}

/*
 * Copies the edges, without those of OPAQUE if `drop_opaque`. The lists of edges that exist for a
 * reason then have the positions of the copy.
 */
static void copy_edges(struct window *window, const struct window *from, bool drop_opaque)
{
	size_t opaque = 0, lifetime = 0;

	window->model.edges.items = NULL;
	window->model.edges.count = window->model.edges.room = 0;
	window->lifetime_edges.items = NULL;
	window->lifetime_edges.count = window->lifetime_edges.room = 0;
	for (size_t i = 0; i < from->model.edges.count; i++) {
		bool is_opaque =
			opaque < from->opaque_edges.count && from->opaque_edges.items[opaque] == i;
		bool is_lifetime = lifetime < from->lifetime_edges.count &&
				   from->lifetime_edges.items[lifetime] == i;

		opaque += is_opaque;
		lifetime += is_lifetime;
		if (is_opaque && drop_opaque)
			continue;
		if (is_lifetime)
			*vec_push(&window->lifetime_edges) = (uint32_t)window->model.edges.count;
		*vec_push(&window->model.edges) = from->model.edges.items[i];
	}
}

void relaxed_window_make(struct relaxed_window *r, const struct window *window,
			 enum relaxation level)
{
	const struct order_model *from = &window->model;
	struct order_model *model = &r->window.model;

	r->window = *window;
	copy_edges(&r->window, window, level == RELAXED_OPAQUE);
	if (level != RELAXED_OPAQUE)
		model->cells.count = model->writes.count = model->reads.count = 0;
	if (level == RELAXED_VALUES)
		keep_writers(model, from);
	order_clock_make(&r->clock, model);
}

void relaxed_window_free(struct relaxed_window *r)
{
	vec_free(&r->window.model.edges);
	vec_free(&r->window.lifetime_edges);
	order_clock_free(&r->clock);
}

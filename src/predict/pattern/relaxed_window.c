/*
 * Copies a window's model without its reads. Each read is dropped, or replaced by an edge from the
 * write that it saw.
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

void relaxed_window_make(struct relaxed_window *r, const struct window *window,
			 enum relaxation level)
{
	const struct order_model *from = &window->model;
	struct order_model *model = &r->window.model;

	r->window = *window;
	model->cells.count = model->writes.count = model->reads.count = 0;
	/* The edges are a copy, because more are added. */
	model->edges.items = NULL;
	model->edges.count = model->edges.room = 0;
	for (size_t i = 0; i < from->edges.count; i++)
		*vec_push(&model->edges) = from->edges.items[i];
	if (level == RELAXED_VALUES)
		keep_writers(model, from);
	order_clock_make(&r->clock, model);
}

void relaxed_window_free(struct relaxed_window *r)
{
	vec_free(&r->window.model.edges);
	order_clock_free(&r->clock);
}

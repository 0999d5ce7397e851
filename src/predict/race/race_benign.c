/*
 * Benign pairs (doc/prediction.md, Race): a write stores the value that is there already, for
 * example a destructor that stores the pointer to its class's virtual functions once more. Whether
 * it comes before or after the other access, that one finds and leaves the same value.
 */
#include "predict/race/race_candidates.h"

#include "base/sort.h"

/* Returns the node's write to the cell, or NULL. */
static const struct order_write *write_of(const struct order_model *model,
					  const struct order_cell *cell, uint32_t node)
{
	const struct order_write *writes = &model->writes.items[cell->write_start];
	uint32_t i;

	SEARCH_FIRST(i, cell->write_count, writes[i].node >= node);
	return i < cell->write_count && writes[i].node == node ? &writes[i] : NULL;
}

/* Did the cell have this value already in the recorded order? */
static bool is_idle(const struct order_model *model, const struct order_cell *cell,
		    const struct order_write *write)
{
	bool first = write == &model->writes.items[cell->write_start];
	uint32_t before = first ? cell->initial : write[-1].value;

	return before != ORDER_NONE && before == write->value;
}

static bool finds_value(const struct order_model *model, const struct order_cell *cell,
			uint32_t node, uint32_t value)
{
	const struct order_read *reads = &model->reads.items[cell->read_start];
	uint32_t i;

	SEARCH_FIRST(i, cell->read_count, reads[i].node >= node);
	return i < cell->read_count && reads[i].node == node && reads[i].value == value;
}

static bool is_benign_in_cell(const struct order_model *model, const struct order_cell *cell,
			      uint32_t a, uint32_t b)
{
	const struct order_write *x = write_of(model, cell, a), *y = write_of(model, cell, b);

	if (x && y)
		return x->value == y->value && is_idle(model, cell, x) && is_idle(model, cell, y);
	if (!x && !y)
		return false; /* the order of accesses to frozen cells is kept */
	return is_idle(model, cell, x ? x : y) &&
	       finds_value(model, cell, x ? b : a, x ? x->value : y->value);
}

bool race_pair_is_benign(const struct window *window, uint32_t a, uint32_t b)
{
	const struct window_node *x = &window->nodes.items[a], *y = &window->nodes.items[b];
	const struct order_model *model = &window->model;
	const uint32_t *cells = window->cells.items;
	bool meet = false;

	if (x->kind == EV_ATOMIC_UPDATE || y->kind == EV_ATOMIC_UPDATE)
		return false;
	for (uint32_t i = x->cell_start; i < x->cell_start + x->cell_count; i++) {
		for (uint32_t j = y->cell_start; j < y->cell_start + y->cell_count; j++) {
			if (cells[i] != cells[j])
				continue;
			if (!is_benign_in_cell(model, &model->cells.items[cells[i]], a, b))
				return false;
			meet = true;
		}
	}
	return meet;
}

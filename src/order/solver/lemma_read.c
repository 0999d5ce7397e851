/*
 * Lemmas about reads: a read sees its value. For a read r that does not, these are added once:
 *
 *	r is outside, or r reads from one of the writes w of its value (or the initial value)
 *	r reads from w  =>  w < r
 *
 * Then, for each other write v that is between the chosen w and r in the current order:
 *
 *	r reads from w  =>  v < w or r < v
 *
 * If there is only one write w to choose from, the literal "r is inside" replaces "r reads from w".
 */
#include "order/solver/lemma.h"

#include <assert.h>

/* Sets l->latest[t] to thread t's last write that certainly precedes the read, or ORDER_NONE. */
static void find_latest_writes(struct lemma *l, const struct order_cell *cell, uint32_t reader)
{
	const struct order_model *m = l->index->model;

	for (uint32_t t = 0; t < m->thread_count; t++)
		l->latest[t] = ORDER_NONE;
	for (uint32_t i = cell->write_start; i < cell->write_start + cell->write_count; i++) {
		uint32_t node = m->writes.items[i].node;

		if (closure_before(l->closure, node, reader))
			l->latest[m->thread.items[node]] = node;
	}
	l->cdcl->steps += cell->write_count;
}

/* Can `reader` read from this write (ORDER_NONE: the initial value), according to the closure? */
static bool can_take_from(struct lemma *l, uint32_t reader, uint32_t writer)
{
	const struct order_model *m = l->index->model;

	if (writer != ORDER_NONE &&
	    (writer == reader || closure_before(l->closure, reader, writer)))
		return false;
	for (uint32_t t = 0; t < m->thread_count; t++) {
		uint32_t between = l->latest[t];

		if (between == ORDER_NONE || between == writer)
			continue;
		if (writer == ORDER_NONE || closure_before(l->closure, writer, between))
			return false;
	}
	return true;
}

static void list_writers(struct lemma *l, const struct order_cell *cell,
			 const struct order_read *read)
{
	const struct order_model *m = l->index->model;

	find_latest_writes(l, cell, read->node);
	if (read->writer != ORDER_ANY) {
		if (can_take_from(l, read->node, read->writer))
			*vec_push(&l->choices) = (struct lemma_choice){ 0, read->writer };
		return;
	}
	if (cell->initial != ORDER_NONE && cell->initial == read->value &&
	    can_take_from(l, read->node, ORDER_NONE))
		*vec_push(&l->choices) = (struct lemma_choice){ 0, ORDER_NONE };
	for (uint32_t i = cell->write_start; i < cell->write_start + cell->write_count; i++)
		if (m->writes.items[i].value == read->value &&
		    can_take_from(l, read->node, m->writes.items[i].node))
			*vec_push(&l->choices) =
				(struct lemma_choice){ 0, m->writes.items[i].node };
}

static void add_writer_choices(struct lemma *l, const struct order_cell *cell, uint32_t item)
{
	const struct order_read *read = &l->index->model->reads.items[item];
	uint32_t start = (uint32_t)l->choices.count, count;

	list_writers(l, cell, read);
	count = (uint32_t)l->choices.count - start;
	l->of_read[item] = (struct lemma_choices){ l->epoch, start, count };
	for (uint32_t i = start; i < start + count; i++) {
		struct lemma_choice *c = &l->choices.items[i];

		c->literal = count == 1 ? lemma_before(l, read->node, l->total->cut)
					: cdcl_boolean(l->cdcl, c->what, read->node,
						       c->what == l->index->read_needs[item]);
		if (c->what != ORDER_NONE)
			lemma_add_implication(l, c->literal, lemma_before(l, c->what, read->node));
	}
	if (count == 1)
		return;
	lemma_begin_clause(l);
	lemma_add_literal(l, lemma_before(l, l->total->cut, read->node));
	for (uint32_t i = start; i < start + count; i++)
		lemma_add_literal(l, l->choices.items[i].literal);
	lemma_end_clause(l);
}

/* Adds a clause for each write that is between the chosen write and the read in this order. */
static void forbid_writes_between(struct lemma *l, const struct order_cell *cell, uint32_t reader,
				  const struct lemma_choice *choice)
{
	const struct order_model *m = l->index->model;

	l->cdcl->steps += cell->write_count;
	for (uint32_t i = cell->write_start; i < cell->write_start + cell->write_count; i++) {
		uint32_t node = m->writes.items[i].node;

		if (node == choice->what || node == reader ||
		    !topo_order_before(l->total, node, reader) ||
		    (choice->what != ORDER_NONE && topo_order_before(l->total, node, choice->what)))
			continue;
		lemma_begin_clause(l);
		lemma_add_literal(l, -choice->literal);
		if (choice->what != ORDER_NONE)
			lemma_add_literal(l, lemma_before(l, node, choice->what));
		lemma_add_literal(l, lemma_before(l, reader, node));
		lemma_end_clause(l);
	}
}

void lemma_add_read(struct lemma *l, uint32_t cell_number, uint32_t item)
{
	const struct order_model *m = l->index->model;
	const struct order_cell *cell = &m->cells.items[cell_number];
	const struct order_read *read = &m->reads.items[item];
	struct lemma_choices made = l->of_read[item];

	l->lemmas++;
	if (made.epoch != l->epoch) {
		add_writer_choices(l, cell, item);
		made = l->of_read[item];
		if (made.count != 1)
			return;
	}
	for (uint32_t i = made.start; i < made.start + made.count; i++) {
		const struct lemma_choice choice = l->choices.items[i];

		if (cdcl_holds(l->cdcl, choice.literal) &&
		    (choice.what == ORDER_NONE ||
		     topo_order_before(l->total, choice.what, read->node)))
			forbid_writes_between(l, cell, read->node, &choice);
	}
}

/* Writes the edges, reads and locks of a model for Z3. */
#include "order/z3/z3_writer.h"

#include "base/mem.h"

/* ---- edges ----------------------------------------------------------------------------------- */

static void write_before(struct z3_writer *w, uint32_t a, uint32_t b)
{
	Z3_solver_assert(w->z3, w->solver, Z3_mk_lt(w->z3, z3_moment(w, a), z3_moment(w, b)));
	w->written++;
}

/*
 * Writes the order of a node that is certainly outside, but that the query names. Uses the clock to
 * order it with the written nodes, because paths of edges may lead through nodes that are not
 * written.
 */
static void write_outsider(struct z3_writer *w, uint32_t node)
{
	const struct order_model *m = w->model;
	const uint32_t *counts = &w->clock->count[(size_t)node * w->clock->threads];

	write_before(w, ORDER_CUT, node);
	for (uint32_t t = 0; t < m->thread_count; t++)
		for (uint32_t k = counts[t]; k-- > w->cone.reach[t];) {
			uint32_t other = m->thread_nodes.items[m->thread_start.items[t] + k];

			if (other != node && w->moment[other])
				write_before(w, other, node);
		}
	for (uint32_t t = 0; t < m->thread_count; t++) {
		uint32_t k = counts[t] < w->cone.reach[t] ? counts[t] : w->cone.reach[t];

		if (k)
			write_before(w, m->thread_nodes.items[m->thread_start.items[t] + k - 1],
				     node);
	}
}

static void make_moment(struct z3_writer *w, uint32_t node)
{
	if (node != ORDER_NONE && node != ORDER_CUT && !w->moment[node])
		w->moment[node] =
			Z3_mk_const(w->z3, Z3_mk_int_symbol(w->z3, (int)node + 1), w->integer);
}

void z3_write_edges(struct z3_writer *w)
{
	const struct order_model *m = w->model;

	w->cut = Z3_mk_const(w->z3, Z3_mk_int_symbol(w->z3, 0), w->integer);
	for (uint32_t t = 0; t < m->thread_count; t++) {
		const uint32_t *nodes = &m->thread_nodes.items[m->thread_start.items[t]];

		for (uint32_t k = 0; k < w->cone.reach[t]; k++) {
			make_moment(w, nodes[k]);
			if (k)
				write_before(w, nodes[k - 1], nodes[k]);
		}
		if (w->cone.inside[t])
			write_before(w, nodes[w->cone.inside[t] - 1], ORDER_CUT);
	}
	for (size_t i = 0; i < m->edges.count; i++)
		if (z3_can_be_inside(w, m->edges.items[i].to))
			write_before(w, m->edges.items[i].from, m->edges.items[i].to);
	for (size_t i = 0; i < w->query->atoms.count; i++) {
		make_moment(w, w->query->atoms.items[i].before);
		make_moment(w, w->query->atoms.items[i].after);
	}
	for (uint32_t n = 0; n < m->node_count; n++)
		if (w->moment[n] && !z3_can_be_inside(w, n))
			write_outsider(w, n);
}

/* ---- reads ----------------------------------------------------------------------------------- */

/* If `choice` holds (NULL: if the read is inside), the read takes its value from `from`. */
static void write_source(struct z3_writer *w, const struct order_cell *cell, uint32_t reader,
			 uint32_t from, Z3_ast choice)
{
	const struct order_write *writes = &w->model->writes.items[cell->write_start];

	for (uint32_t i = 0; i <= cell->write_count; i++) {
		uint32_t other = i < cell->write_count ? writes[i].node : ORDER_NONE;

		if (other == ORDER_NONE
			    ? from == ORDER_NONE
			    : !z3_can_be_inside(w, other) || other == from || other == reader)
			continue;
		if (choice)
			z3_add_not(w, choice);
		else
			z3_add_before(w, ORDER_CUT, reader);
		if (other == ORDER_NONE) {
			z3_add_before(w, from, reader);
		} else {
			z3_add_before(w, reader, other);
			if (from != ORDER_NONE)
				z3_add_before(w, other, from);
		}
		z3_end_clause(w);
	}
}

static void write_read(struct z3_writer *w, const struct order_cell *cell,
		       const struct order_read *read, uint32_t *writers)
{
	uint32_t count = order_cone_writers(&w->cone, cell, read, writers);
	Z3_ast *choices;

	if (count == 1) {
		write_source(w, cell, read->node, writers[0], NULL);
		return;
	}
	choices = mem_zalloc(count + 1, sizeof *choices);
	z3_add_before(w, ORDER_CUT, read->node);
	for (uint32_t i = 0; i < count; i++) {
		choices[i] = z3_make_boolean(w);
		z3_add(w, choices[i]);
	}
	z3_end_clause(w);
	for (uint32_t i = 0; i < count && !w->over; i++)
		write_source(w, cell, read->node, writers[i], choices[i]);
	free(choices);
}

void z3_write_reads(struct z3_writer *w)
{
	const struct order_model *m = w->model;
	uint32_t *writers = mem_zalloc(m->writes.count + 1, sizeof *writers);

	for (size_t c = 0; c < m->cells.count && !w->over; c++) {
		const struct order_cell *cell = &m->cells.items[c];
		const struct order_read *reads = &m->reads.items[cell->read_start];

		for (uint32_t i = 0; i < cell->read_count && !w->over; i++)
			if (z3_can_be_inside(w, reads[i].node))
				write_read(w, cell, &reads[i], writers);
	}
	free(writers);
}

/* ---- locks ----------------------------------------------------------------------------------- */

static bool section_can_be_entered(const struct z3_writer *w, const struct order_section *s)
{
	return s->acquire == ORDER_NONE || z3_can_be_inside(w, s->acquire);
}

static void write_exclusion(struct z3_writer *w, const struct order_section *a,
			    const struct order_section *b)
{
	if ((a->shared && b->shared) || (a->acquire == ORDER_NONE && b->acquire == ORDER_NONE) ||
	    !section_can_be_entered(w, b))
		return;
	if (a->acquire != ORDER_NONE) {
		z3_add_before(w, ORDER_CUT, a->acquire);
		if (z3_can_be_inside(w, b->release))
			z3_add_before(w, b->release, a->acquire);
	}
	if (b->acquire != ORDER_NONE) {
		z3_add_before(w, ORDER_CUT, b->acquire);
		if (z3_can_be_inside(w, a->release))
			z3_add_before(w, a->release, b->acquire);
	}
	z3_end_clause(w);
}

static void write_fail(struct z3_writer *w, const struct order_lock *lock,
		       const struct order_fail *fail)
{
	const struct order_section *sections = &w->model->sections.items[lock->section_start];
	Z3_ast *choices = mem_zalloc(lock->section_count + 1, sizeof *choices);

	z3_add_before(w, ORDER_CUT, fail->node);
	for (uint32_t i = 0; i < lock->section_count; i++) {
		if ((fail->shared && sections[i].shared) ||
		    !section_can_be_entered(w, &sections[i]) ||
		    sections[i].thread == w->model->thread.items[fail->node])
			continue;
		choices[i] = z3_make_boolean(w);
		z3_add(w, choices[i]);
	}
	z3_end_clause(w);
	for (uint32_t i = 0; i < lock->section_count; i++) {
		if (choices[i] && sections[i].acquire != ORDER_NONE)
			z3_write_choice_implies(w, choices[i], sections[i].acquire, fail->node);
		if (choices[i] && z3_can_be_inside(w, sections[i].release))
			z3_write_choice_implies(w, choices[i], fail->node, sections[i].release);
	}
	free(choices);
}

void z3_write_locks(struct z3_writer *w)
{
	const struct order_model *m = w->model;

	for (size_t l = 0; l < m->locks.count && !w->over; l++) {
		const struct order_lock *lock = &m->locks.items[l];
		const struct order_section *sections = &m->sections.items[lock->section_start];
		const struct order_fail *fails = &m->fails.items[lock->fail_start];

		for (uint32_t i = 0; i < lock->section_count && !w->over; i++)
			for (uint32_t k = i + 1;
			     section_can_be_entered(w, &sections[i]) && k < lock->section_count;
			     k++)
				write_exclusion(w, &sections[i], &sections[k]);
		for (uint32_t i = 0; i < lock->fail_count; i++)
			if (z3_can_be_inside(w, fails[i].node))
				write_fail(w, lock, &fails[i]);
	}
}

#include "predict/atomicity/atomicity_conflict.h"

#include "base/hash.h"

static const struct window_node *node_at(const struct tears *t, uint32_t node)
{
	return &t->window->nodes.items[node];
}

static uint8_t kind_of(const struct tears *t, uint32_t node)
{
	return node_at(t, node)->kind;
}

static uint32_t thread_of(const struct tears *t, uint32_t node)
{
	return t->model->thread.items[node];
}

bool tears_lean(const struct tears *t, uint32_t a, uint32_t b)
{
	return t->candidates.needs.count[(size_t)a * t->model->thread_count + thread_of(t, b)] >
	       t->model->position.items[b];
}

/* A signal handler has what it took itself, not what the thread has that it interrupts. */
static bool holds(const struct tears *t, uint32_t node, uint64_t lock)
{
	const struct window_held *held = t->window->held.items;
	const struct window_node *n = node_at(t, node);
	bool handler = n->id.stream != t->window->threads.items[thread_of(t, node)].stream;

	for (uint32_t i = n->held; i != ORDER_NONE; i = held[i].outer) {
		if (held[i].address == lock && (!handler || held[i].taken.stream == n->id.stream))
			return true;
	}
	return false;
}

/* Do two threads access the cell while they hold the lock? What no window has together is missed. */
static bool is_guarded(struct tears *t, uint32_t cell, uint64_t lock)
{
	const struct candidates *c = &t->candidates;
	bool fresh;
	uint64_t *known = map_put(&t->guarded, hash_mix(hash_mix(0, cell), lock), &fresh);
	uint32_t first = ORDER_NONE;

	if (!fresh)
		return *known == 2;
	*known = 1;
	for (uint32_t i = c->cell_start[cell]; i < c->cell_start[cell + 1]; i++) {
		uint32_t node = c->cell_nodes[i];

		t->steps++;
		if ((first != ORDER_NONE && thread_of(t, node) == first) || !holds(t, node, lock))
			continue;
		if (first != ORDER_NONE) {
			*known = 2;
			return true;
		}
		first = thread_of(t, node);
	}
	return false;
}

/* Of a frozen cell, whose writes the model does not have: does the node leave there what was? */
static bool is_idle(const struct window *window, uint32_t node, uint32_t cell)
{
	size_t low = 0, high = window->idle.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (window->idle.items[middle] >> 32 < node)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < window->idle.count && window->idle.items[low] >> 32 == node; low++) {
		if ((uint32_t)window->idle.items[low] == cell)
			return true;
	}
	return false;
}

/*
 * In the recorded order, had the cell another value before this write, or one that no recorded write
 * tells of? What reads tell does not count: who wrote that, and when, is not known.
 */
static bool changes(const struct tears *t, uint32_t node, uint32_t cell)
{
	const struct order_cell *c = &t->model->cells.items[cell];
	const struct order_write *writes = t->model->writes.items;
	uint32_t low = c->write_start, high = low + c->write_count, before;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (writes[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->write_start + c->write_count || writes[low].node != node)
		return !is_idle(t->window, node, cell);
	before = low > c->write_start ? writes[low - 1].value : c->initial;
	return before == ORDER_NONE || before != writes[low].value;
}

static bool has_lock(const struct tears *t, uint32_t locks, uint64_t lock)
{
	for (; locks != ORDER_NONE; locks = t->candidates.locksets.items[locks].rest) {
		if (t->candidates.locksets.items[locks].address == lock)
			return true;
	}
	return false;
}

bool tears_kinds_conflict(struct tears *t, const struct part *part, uint32_t local, uint8_t kind,
			  uint32_t locks)
{
	uint8_t own = kind_of(t, local);

	if (!race_candidates_is_write(own) && !race_candidates_is_write(kind))
		return false;
	if (own == EV_ATOMIC_UPDATE && kind == EV_ATOMIC_UPDATE)
		return false;
	if (part->annotated)
		return true;
	if (part->inferred)
		return race_candidates_is_write(kind) && has_lock(t, locks, part->lock);
	return !(race_candidates_is_atomic(own) && race_candidates_is_atomic(kind)) &&
	       !candidates_exclude(&t->candidates,
				   candidates_lockset(&t->candidates, node_at(t, local)->held),
				   locks);
}

bool tears_cell_counts(struct tears *t, const struct part *part, uint32_t cell)
{
	return part->annotated || part->inferred || is_guarded(t, cell, part->lock);
}

bool tears_remote_counts(const struct tears *t, uint32_t remote, uint32_t cell)
{
	return !race_candidates_is_write(kind_of(t, remote)) || changes(t, remote, cell);
}

bool tears_conflict(struct tears *t, const struct part *part, uint32_t local, uint32_t remote)
{
	const struct window_node *l = node_at(t, local), *r = node_at(t, remote);
	const uint32_t *cells = t->window->cells.items;

	if (!tears_kinds_conflict(t, part, local, r->kind,
				  candidates_lockset(&t->candidates, r->held)))
		return false;
	for (uint32_t i = 0; i < l->cell_count; i++) {
		for (uint32_t k = 0; k < r->cell_count; k++) {
			uint32_t cell = cells[l->cell_start + i];

			if (cell == cells[r->cell_start + k] && tears_cell_counts(t, part, cell) &&
			    tears_remote_counts(t, remote, cell))
				return true;
		}
	}
	return false;
}

bool tears_fit(const struct tears *t, uint32_t l1, uint32_t l2)
{
	const struct window_node *a = node_at(t, l1), *b = node_at(t, l2);

	return race_candidates_is_write(a->kind) || race_candidates_is_write(b->kind) || !a->site ||
	       a->site != b->site;
}

/* Does the region's thread have a lock from l1 to l2 that the other one needs? */
static bool shuts_out(const struct tears *t, uint32_t l1, uint32_t l2, uint32_t remote)
{
	const struct window_held *held = t->window->held.items;

	for (uint32_t i = node_at(t, l1)->held; i != ORDER_NONE; i = held[i].outer) {
		for (uint32_t k = node_at(t, l2)->held; k != ORDER_NONE; k = held[k].outer) {
			if (held[i].address == held[k].address &&
			    held[i].taken.stream == held[k].taken.stream &&
			    held[i].taken.index == held[k].taken.index && !held[i].shared &&
			    holds(t, remote, held[i].address))
				return true;
		}
	}
	return false;
}

bool tears_possible(const struct tears *t, const struct tear *tear)
{
	return !tears_lean(t, tear->l1, tear->r1) && !tears_lean(t, tear->r2, tear->l2) &&
	       !shuts_out(t, tear->l1, tear->l2, tear->r1) &&
	       !shuts_out(t, tear->l1, tear->l2, tear->r2);
}

bool tears_fresh(const struct tears *t, const struct tear *tear)
{
	return tear->l2 >= t->window->fresh || tear->r2 >= t->window->fresh;
}

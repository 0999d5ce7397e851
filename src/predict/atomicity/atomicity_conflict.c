/*
 * The rules by which accesses conflict and by which interruptions are ruled out (doc/prediction.md,
 * Atomicity): counting, guarded cells, changes, polling, and locks that exclude the other thread.
 */
#include "predict/atomicity/atomicity_conflict.h"

#include "base/hash.h"
#include "base/sort.h"

static uint8_t kind_of(const struct interruptions *t, uint32_t node)
{
	return interruptions_node(t, node)->kind;
}

/*
 * Does the node's thread hold the lock? A signal handler holds only the locks that it took itself,
 * not those of the thread that it interrupts.
 */
static bool holds_lock(const struct interruptions *t, uint32_t node, uint64_t lock)
{
	const struct window_held *held = t->window->held.items;
	const struct window_node *n = interruptions_node(t, node);
	bool handler =
		n->id.stream != t->window->threads.items[interruptions_thread(t, node)].stream;

	for (uint32_t i = n->held; i != ORDER_NONE; i = held[i].outer) {
		if (held[i].address == lock && (!handler || held[i].taken.stream == n->id.stream))
			return true;
	}
	return false;
}

/* Do two threads access the cell in this window while they hold the lock? */
static bool is_guarded(struct interruptions *t, uint32_t cell, uint64_t lock)
{
	const struct race_candidates *c = &t->candidates;
	bool fresh;
	uint64_t *known = map_put(&t->guarded, hash_mix(hash_mix(0, cell), lock), &fresh);
	uint32_t first = ORDER_NONE;

	if (!fresh)
		return *known == 2;
	*known = 1;
	for (uint32_t i = c->cell_start[cell]; i < c->cell_start[cell + 1]; i++) {
		uint32_t node = c->cell_nodes[i];

		t->steps++;
		if ((first != ORDER_NONE && interruptions_thread(t, node) == first) ||
		    !holds_lock(t, node, lock))
			continue;
		if (first != ORDER_NONE) {
			*known = 2;
			return true;
		}
		first = interruptions_thread(t, node);
	}
	return false;
}

/*
 * Does the node write to a frozen cell the value that the cell had already? (The model does not
 * contain the writes to frozen cells.)
 */
static bool writes_same_value(const struct window *window, uint32_t node, uint32_t cell)
{
	size_t i;

	SEARCH_FIRST(i, window->idle.count, window->idle.items[i] >> 32 >= node);
	for (; i < window->idle.count && window->idle.items[i] >> 32 == node; i++) {
		if ((uint32_t)window->idle.items[i] == cell)
			return true;
	}
	return false;
}

/*
 * Did the write change the cell's value in the recorded order? Yes if the value before it is
 * different or unknown. Only the recorded write before it, or the cell's initial value, is
 * consulted. What a read in between reveals does not count: it is not known which thread wrote
 * that, and when.
 */
static bool changes_value(const struct interruptions *t, uint32_t node, uint32_t cell)
{
	const struct order_cell *c = &t->model->cells.items[cell];
	const struct order_write *writes = &t->model->writes.items[c->write_start];
	uint32_t i, before;

	SEARCH_FIRST(i, c->write_count, writes[i].node >= node);
	if (i == c->write_count || writes[i].node != node)
		return !writes_same_value(t->window, node, cell);
	before = i ? writes[i - 1].value : c->initial;
	return before == ORDER_NONE || before != writes[i].value;
}

static bool lockset_has(const struct interruptions *t, uint32_t locks, uint64_t lock)
{
	for (; locks != ORDER_NONE; locks = t->candidates.locksets.items[locks].rest) {
		if (t->candidates.locksets.items[locks].address == lock)
			return true;
	}
	return false;
}

bool interruptions_kinds_conflict(struct interruptions *t, const struct region_fragment *fragment,
				  uint32_t local, uint8_t kind, uint32_t locks)
{
	uint8_t own = kind_of(t, local);

	if (!race_is_write(own) && !race_is_write(kind))
		return false;
	if (own == EV_ATOMIC_UPDATE && kind == EV_ATOMIC_UPDATE)
		return false;
	if (fragment->annotated)
		return true;
	if (fragment->inferred)
		return race_is_write(kind) && lockset_has(t, locks, fragment->lock);
	return !(race_is_atomic(own) && race_is_atomic(kind)) &&
	       !race_candidates_locks_exclude(
		       &t->candidates,
		       race_candidates_lockset(&t->candidates, interruptions_node(t, local)->held),
		       locks);
}

bool interruptions_cell_counts(struct interruptions *t, const struct region_fragment *fragment,
			       uint32_t cell)
{
	return fragment->annotated || fragment->inferred || is_guarded(t, cell, fragment->lock);
}

bool interruptions_remote_counts(const struct interruptions *t, uint32_t remote, uint32_t cell)
{
	return !race_is_write(kind_of(t, remote)) || changes_value(t, remote, cell);
}

bool interruptions_conflict(struct interruptions *t, const struct region_fragment *fragment,
			    uint32_t local, uint32_t remote)
{
	const struct window_node *l = interruptions_node(t, local),
				 *r = interruptions_node(t, remote);
	const uint32_t *cells = t->window->cells.items;

	if (!interruptions_kinds_conflict(t, fragment, local, r->kind,
					  race_candidates_lockset(&t->candidates, r->held)))
		return false;
	for (uint32_t i = 0; i < l->cell_count; i++) {
		for (uint32_t k = 0; k < r->cell_count; k++) {
			uint32_t cell = cells[l->cell_start + i];

			if (cell == cells[r->cell_start + k] &&
			    interruptions_cell_counts(t, fragment, cell) &&
			    interruptions_remote_counts(t, remote, cell))
				return true;
		}
	}
	return false;
}

bool interruptions_can_be_ends(const struct interruptions *t, uint32_t l1, uint32_t l2)
{
	const struct window_node *a = interruptions_node(t, l1), *b = interruptions_node(t, l2);

	return race_is_write(a->kind) || race_is_write(b->kind) || !a->site || a->site != b->site;
}

/* Does the region's thread hold, from l1 to l2, a lock that the other thread holds at `remote`? */
static bool is_locked_out(const struct interruptions *t, uint32_t l1, uint32_t l2, uint32_t remote)
{
	const struct window_held *held = t->window->held.items;

	for (uint32_t i = interruptions_node(t, l1)->held; i != ORDER_NONE; i = held[i].outer) {
		for (uint32_t k = interruptions_node(t, l2)->held; k != ORDER_NONE;
		     k = held[k].outer) {
			if (held[i].address == held[k].address &&
			    held[i].taken.stream == held[k].taken.stream &&
			    held[i].taken.index == held[k].taken.index && !held[i].shared &&
			    holds_lock(t, remote, held[i].address))
				return true;
		}
	}
	return false;
}

bool interruptions_possible(const struct interruptions *t, const struct interruption *candidate)
{
	const struct must_precede *required = &t->candidates.must_precede;

	return !must_precede_inside(required, candidate->r1, candidate->l1) &&
	       !must_precede_inside(required, candidate->l2, candidate->r2) &&
	       !is_locked_out(t, candidate->l1, candidate->l2, candidate->r1) &&
	       !is_locked_out(t, candidate->l1, candidate->l2, candidate->r2);
}

bool interruptions_fresh(const struct interruptions *t, const struct interruption *candidate)
{
	return candidate->l2 >= t->window->fresh || candidate->r2 >= t->window->fresh;
}

/*
 * Maintains the total order: a linked list in which each node has a 64-bit label. Comparing labels
 * compares positions. A node that moves between two others gets a label between theirs; if there is
 * none, all nodes are renumbered. The nodes that must move are found by a search (topo_order.h).
 */
#include "order/solver/topo_order.h"
#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <string.h>

/* The distance between neighbouring labels after renumbering. It can be halved 32 times. */
#define LABEL_DISTANCE ((uint64_t)1 << 32)

void topo_order_make(struct topo_order *total, const struct order_index *index,
		     const struct closure *closure)
{
	size_t size = (size_t)index->model->node_count + 2;

	*total = (struct topo_order){ .index = index,
				      .closure = closure,
				      .cut = index->model->node_count };
	total->label = mem_zalloc(size, sizeof *total->label);
	total->next = mem_zalloc(size, sizeof *total->next);
	total->previous = mem_zalloc(size, sizeof *total->previous);
	total->in_first = mem_zalloc(size, sizeof *total->in_first);
	total->out_first = mem_zalloc(size, sizeof *total->out_first);
	total->seen = mem_zalloc(size, sizeof *total->seen);
	total->settled = mem_zalloc(size, sizeof *total->settled);
	total->parent = mem_zalloc(size, sizeof *total->parent);
	total->parent_node = mem_zalloc(size, sizeof *total->parent_node);
	total->has_moved = mem_zalloc(size, sizeof *total->has_moved);
}

void topo_order_free(struct topo_order *total)
{
	free(total->label);
	free(total->next);
	free(total->previous);
	free(total->in_first);
	free(total->out_first);
	free(total->seen);
	free(total->settled);
	free(total->parent);
	free(total->parent_node);
	free(total->has_moved);
	vec_free(&total->moved);
	vec_free(&total->edges);
	vec_free(&total->near);
	vec_free(&total->far);
	vec_free(&total->moving);
	vec_free(&total->reasons);
}

static void link_after(struct topo_order *total, uint32_t where, uint32_t node)
{
	uint32_t next = total->next[where];

	total->next[where] = node;
	total->previous[node] = where;
	total->next[node] = next;
	total->previous[next] = node;
}

static void unlink_node(struct topo_order *total, uint32_t node)
{
	total->next[total->previous[node]] = total->next[node];
	total->previous[total->next[node]] = total->previous[node];
}

static void renumber(struct topo_order *total)
{
	uint64_t label = LABEL_DISTANCE;

	for (uint32_t n = topo_order_first(total); n != total->cut + 1; n = total->next[n]) {
		total->label[n] = label;
		label += LABEL_DISTANCE;
	}
}

void topo_order_forget_moved(struct topo_order *total)
{
	for (size_t i = 0; i < total->moved.count; i++)
		total->has_moved[total->moved.items[i]] = false;
	total->moved.count = 0;
}

void topo_order_reset(struct topo_order *total, const uint32_t *inside)
{
	const struct order_model *m = total->index->model;
	uint32_t last = total->cut + 1;

	total->next[last] = total->previous[last] = last;
	for (uint32_t n = 0; n < m->node_count; n++)
		if (m->position.items[n] < inside[m->thread.items[n]]) {
			link_after(total, last, n);
			last = n;
		}
	link_after(total, last, total->cut);
	last = total->cut;
	for (uint32_t n = 0; n < m->node_count; n++)
		if (m->position.items[n] >= inside[m->thread.items[n]]) {
			link_after(total, last, n);
			last = n;
		}
	renumber(total);
	total->edges.count = 0;
	topo_order_forget_moved(total);
	memset(total->in_first, 0xff, ((size_t)total->cut + 2) * sizeof *total->in_first);
	memset(total->out_first, 0xff, ((size_t)total->cut + 2) * sizeof *total->out_first);
}

/* ---- nodes that must move -------------------------------------------------------------------- */

/*
 * A search from `from`, against the edges (back) or along them, no further than `to`. It visits
 * nodes in the order of the number of edges with a literal on the path to them, so that a cycle has
 * as few reasons as possible.
 */
struct topo_order_walk {
	struct topo_order *total;
	uint32_t from, to;
	bool back;
};

static void reach_node(struct topo_order_walk *walk, uint32_t node, uint32_t via, uint32_t edge)
{
	struct topo_order *t = walk->total;
	bool costs = edge != ORDER_NONE && t->edges.items[edge].literal != 0;

	if (walk->back ? t->label[node] < t->label[walk->to] : t->label[node] > t->label[walk->to])
		return;
	if (t->settled[node] == t->search || (t->seen[node] == t->search && costs))
		return;
	t->seen[node] = t->search;
	t->parent[node] = edge;
	t->parent_node[node] = via;
	if (costs)
		*vec_push(&t->far) = node;
	else
		*vec_push(&t->near) = node;
}

static void reach_neighbours(struct topo_order_walk *walk, uint32_t node)
{
	struct topo_order *t = walk->total;
	const struct order_index *x = t->index;

	if (node != t->cut) {
		uint32_t beside = walk->back ? order_model_previous(x->model, node)
					     : order_model_next(x->model, node);
		const uint32_t *start = walk->back ? x->in.start : x->out_start;
		const uint32_t *other = walk->back ? x->in.from : x->out;

		if (beside != ORDER_NONE)
			reach_node(walk, beside, node, ORDER_NONE);
		for (uint32_t i = start[node]; i < start[node + 1]; i++)
			reach_node(walk, other[i], node, ORDER_NONE);
	}
	for (uint32_t i = walk->back ? t->in_first[node] : t->out_first[node]; i != ORDER_NONE;) {
		const struct topo_order_edge *e = &t->edges.items[i];

		reach_node(walk, walk->back ? e->from : e->to, node, i);
		i = walk->back ? e->in_next : e->out_next;
	}
}

/* Does a path certainly lead from this node to the target of the search? */
static bool leads_to_target(const struct topo_order_walk *walk, uint32_t node)
{
	const struct closure *certain = walk->total->closure;

	return node == walk->to || (walk->back ? closure_before(certain, walk->to, node)
					       : closure_before(certain, node, walk->to));
}

static void collect_reasons(struct topo_order *t, uint32_t node, uint32_t from)
{
	t->reasons.count = 0;
	for (; node != from; node = t->parent_node[node])
		if (t->parent[node] != ORDER_NONE && t->edges.items[t->parent[node]].literal)
			*vec_push(&t->reasons) = t->edges.items[t->parent[node]].literal;
}

/* Collects the nodes that must move. Returns false, and sets `reasons`, if there is a cycle. */
static bool collect_moving(struct topo_order_walk *walk)
{
	struct topo_order *t = walk->total;

	t->search++;
	t->near.count = t->far.count = t->moving.count = 0;
	t->seen[walk->from] = t->search;
	*vec_push(&t->near) = walk->from;
	while (t->near.count || t->far.count) {
		uint32_t node;

		if (!t->near.count) {
			for (size_t i = 0; i < t->far.count; i++)
				*vec_push(&t->near) = t->far.items[i];
			t->far.count = 0;
		}
		node = t->near.items[--t->near.count];
		if (t->settled[node] == t->search)
			continue;
		t->settled[node] = t->search;
		t->moves++;
		if (leads_to_target(walk, node)) {
			collect_reasons(t, node, walk->from);
			return false;
		}
		*vec_push(&t->moving) = (struct topo_order_moving){ t->label[node], node };
		reach_neighbours(walk, node);
	}
	return true;
}

SORT_COMPARISON(by_label, struct topo_order_moving, a, b, sort_order(a->label, b->label))

/*
 * Sorts the moving nodes by label. A backward search along one thread finds the nodes in reverse
 * order, so first reverses them if they seem to be so; often no sorting is needed then.
 */
static void sort_moving(struct topo_order *t)
{
	struct topo_order_moving *items = t->moving.items;
	size_t count = t->moving.count, i = 1;

	if (count > 1 && items[0].label > items[1].label)
		for (size_t low = 0, high = count - 1; low < high; low++, high--) {
			struct topo_order_moving place = items[low];

			items[low] = items[high];
			items[high] = place;
		}
	while (i < count && items[i - 1].label < items[i].label)
		i++;
	if (i < count)
		qsort(items, count, sizeof *items, by_label);
}

/* Moves the collected nodes, in their current order, right after `where`. */
static void move_after(struct topo_order *t, uint32_t where)
{
	size_t count = t->moving.count;
	uint32_t end;
	uint64_t low, step;

	sort_moving(t);
	for (size_t i = 0; i < count; i++)
		unlink_node(t, t->moving.items[i].node);
	end = t->next[where];
	low = where == t->cut + 1 ? 0 : t->label[where];
	step = end == t->cut + 1 ? LABEL_DISTANCE : (t->label[end] - low) / (count + 1);
	for (size_t i = 0; i < count; i++) {
		uint32_t node = t->moving.items[i].node;

		link_after(t, where, node);
		where = node;
		t->label[node] = low += step;
		if (!t->has_moved[node])
			*vec_push(&t->moved) = node;
		t->has_moved[node] = true;
	}
	if (step == 0)
		renumber(t);
}

bool topo_order_add(struct topo_order *total, uint32_t a, uint32_t b, int32_t literal)
{
	uint32_t number = (uint32_t)total->edges.count;

	assert(a != b);
	if (!topo_order_before(total, a, b)) {
		/*
		 * If a is the cut, b and all nodes that must follow b leave the prefix. Otherwise a
		 * and all nodes that must precede a move to right before b.
		 */
		struct topo_order_walk walk = { total, a == total->cut ? b : a,
						a == total->cut ? a : b, a != total->cut };

		if (!collect_moving(&walk))
			return false;
		move_after(total, a == total->cut ? a : total->previous[b]);
	}
	*vec_push(&total->edges) =
		(struct topo_order_edge){ a, b, total->in_first[b], total->out_first[a], literal };
	total->in_first[b] = total->out_first[a] = number;
	return true;
}

void topo_order_remove_last(struct topo_order *total)
{
	const struct topo_order_edge *e = &total->edges.items[total->edges.count - 1];

	total->in_first[e->to] = e->in_next;
	total->out_first[e->from] = e->out_next;
	total->edges.count--;
}

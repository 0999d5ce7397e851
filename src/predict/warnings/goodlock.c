/*
 * Searches the lock trees for cycles. Locks that cannot be in a cycle are excluded first (strongly
 * connected components); then a depth-first search extends paths of nodes, in rounds of growing
 * length.
 */
#include "predict/warnings/goodlock.h"

#include "base/mem.h"
#include "base/sort.h"
#include "predict/warnings/warnings.h"

#include <stdlib.h>

/* A lock that the thread holds when it waits for the lock of `node`. */
struct lock_above {
	uint32_t lock, node;
	bool shared;
};

struct goodlock_search {
	const struct lock_trees *trees;
	void (*report)(void *context, const uint32_t *nodes, size_t count);
	void *context;
	VEC(struct lock_above) above; /* sorted by lock */
	uint32_t *first;	      /* by lock: its first item of `above`; one more at the end */
	/* by lock: locks that are in a cycle together have the same component */
	uint32_t *component;
	bool *used;	    /* by tree: is it on the path? */
	VEC(uint32_t) path; /* nodes */
	/* this round finds cycles that are longer than `searched`, and at most `length` long */
	uint32_t searched, length;
	bool longer; /* a path was cut because of `length` */
	uint64_t steps;
};

static const struct lock_node *node_of(const struct goodlock_search *s, uint32_t node)
{
	return &s->trees->nodes.items[node];
}

/* ---- which locks can be in a cycle: Tarjan's components, without recursion ------------------- */

struct tarjan {
	uint32_t *low, *number;
	VEC(uint32_t) stack; /* locks whose component is open */
	struct tarjan_frame {
		uint32_t lock, edge;
	} * frames;
	uint32_t depth, count;
};

static void tarjan_enter(struct tarjan *t, const struct goodlock_search *s, uint32_t lock)
{
	t->low[lock] = t->number[lock] = ++t->count;
	*vec_push(&t->stack) = lock;
	t->frames[t->depth++] = (struct tarjan_frame){ lock, s->first[lock] };
}

static void tarjan_leave(struct tarjan *t, struct goodlock_search *s)
{
	uint32_t lock = t->frames[--t->depth].lock, one;

	if (t->depth && t->low[lock] < t->low[t->frames[t->depth - 1].lock])
		t->low[t->frames[t->depth - 1].lock] = t->low[lock];
	if (t->low[lock] != t->number[lock])
		return;
	do {
		one = t->stack.items[--t->stack.count];
		s->component[one] = lock + 1;
	} while (one != lock);
}

static void find_components(struct goodlock_search *s)
{
	size_t locks = s->trees->locks.count;
	struct tarjan t = { .low = mem_zalloc(locks + 1, sizeof *t.low),
			    .number = mem_zalloc(locks + 1, sizeof *t.number),
			    .frames = mem_zalloc(locks + 1, sizeof *t.frames) };

	for (uint32_t start = 0; start < locks; start++) {
		if (t.number[start])
			continue;
		tarjan_enter(&t, s, start);
		while (t.depth) {
			struct tarjan_frame *f = &t.frames[t.depth - 1];
			uint32_t to;

			if (f->edge == s->first[f->lock + 1]) {
				tarjan_leave(&t, s);
				continue;
			}
			to = node_of(s, s->above.items[f->edge++].node)->lock;
			if (!t.number[to])
				tarjan_enter(&t, s, to);
			else if (!s->component[to] && t.number[to] < t.low[f->lock])
				t.low[f->lock] = t.number[to];
		}
	}
	vec_free(&t.stack);
	free(t.low);
	free(t.number);
	free(t.frames);
}

SORT_COMPARISON(by_lock, struct lock_above, a, b,
		sort_order(a->lock, b->lock) ?: sort_order(a->node, b->node))

static void list_locks_above(struct goodlock_search *s)
{
	size_t locks = s->trees->locks.count;

	for (uint32_t n = 0; n < s->trees->nodes.count; n++) {
		uint32_t up = node_of(s, n)->asked ? node_of(s, n)->parent : LOCK_TREE_NONE;

		for (; up != LOCK_TREE_NONE; up = node_of(s, up)->parent)
			*vec_push(&s->above) = (struct lock_above){ node_of(s, up)->lock, n,
								    node_of(s, up)->shared };
	}
	vec_sort(&s->above, by_lock);
	s->first = mem_zalloc(locks + 2, sizeof *s->first);
	for (size_t i = 0; i < s->above.count; i++)
		s->first[s->above.items[i].lock + 1]++;
	for (size_t i = 0; i < locks; i++)
		s->first[i + 1] += s->first[i];
	s->component = mem_zalloc(locks + 1, sizeof *s->component);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* Is there a gate lock: a lock above both nodes that only one thread can hold at a time? */
static bool has_gate_lock(const struct goodlock_search *s, uint32_t a, uint32_t b)
{
	for (uint32_t i = node_of(s, a)->parent; i != LOCK_TREE_NONE; i = node_of(s, i)->parent) {
		for (uint32_t k = node_of(s, b)->parent; k != LOCK_TREE_NONE;
		     k = node_of(s, k)->parent) {
			if (node_of(s, i)->lock == node_of(s, k)->lock &&
			    !(node_of(s, i)->shared && node_of(s, k)->shared))
				return true;
		}
	}
	return false;
}

/* The thread of the first tree starts the cycle, so that each cycle is found once. */
static bool can_continue(const struct goodlock_search *s, uint32_t node)
{
	uint32_t tree = node_of(s, node)->tree;

	if (s->used[tree] || tree <= node_of(s, s->path.items[0])->tree)
		return false;
	for (size_t i = 0; i < s->path.count; i++) {
		if (has_gate_lock(s, s->path.items[i], node))
			return false;
	}
	return true;
}

static void extend_path(struct goodlock_search *s)
{
	const struct lock_node *last = node_of(s, s->path.items[s->path.count - 1]);
	uint32_t i = s->first[last->lock], end = s->first[last->lock + 1];

	for (; i < end && s->steps; i++) {
		const struct lock_above *a = &s->above.items[i];

		s->steps--;
		if ((a->shared && last->shared) ||
		    s->component[node_of(s, a->node)->lock] != s->component[last->lock])
			continue;
		if (a->node == s->path.items[0]) {
			if (s->path.count > s->searched)
				s->report(s->context, s->path.items, s->path.count);
		} else if (can_continue(s, a->node)) {
			if (s->path.count == s->length) {
				s->longer = true;
				continue;
			}
			*vec_push(&s->path) = a->node;
			s->used[node_of(s, a->node)->tree] = true;
			extend_path(s);
			s->used[node_of(s, a->node)->tree] = false;
			s->path.count--;
		}
	}
}

static void search_round(struct goodlock_search *s)
{
	s->longer = false;
	for (uint32_t n = 0; n < s->trees->nodes.count && s->steps; n++) {
		if (!node_of(s, n)->asked || node_of(s, n)->parent == LOCK_TREE_NONE)
			continue;
		s->path.count = 0;
		*vec_push(&s->path) = n;
		s->used[node_of(s, n)->tree] = true;
		extend_path(s);
		s->used[node_of(s, n)->tree] = false;
	}
}

bool goodlock_search(const struct lock_trees *trees, const struct goodlock_options *options,
		     void (*report)(void *context, const uint32_t *nodes, size_t count),
		     void *context)
{
	struct goodlock_search s = { .trees = trees,
				     .report = report,
				     .context = context,
				     .longer = true,
				     .steps = options->steps ? options->steps : GOODLOCK_STEPS };
	uint32_t longest = options->longest ? options->longest : (uint32_t)trees->trees.count;

	list_locks_above(&s);
	find_components(&s);
	s.used = mem_zalloc(trees->trees.count + 1, sizeof *s.used);
	/* The length grows by half each round: a ring of a thousand threads takes 16 rounds. */
	for (uint32_t next = 2; s.searched < longest && s.longer && s.steps;
	     next += (next + 1) / 2) {
		s.length = next < longest ? next : longest;
		search_round(&s);
		s.searched = s.length;
	}
	vec_free(&s.above);
	vec_free(&s.path);
	free(s.first);
	free(s.component);
	free(s.used);
	return s.steps > 0;
}

/* ---- findings -------------------------------------------------------------------------------- */

struct conflict_reporter {
	const struct lock_trees *trees;
	struct predict_result *result;
	struct map found;
	bool every;
};

static void add_event(const struct lock_trees *trees, struct finding *f, uint32_t node,
		      uint32_t waits_for)
{
	const struct lock_node *n = &trees->nodes.items[node];
	struct finding_event *event = vec_push(&f->events);

	*event = (struct finding_event){
		.id = n->id,
		.kind = n->kind,
		.address = trees->locks.items[n->lock],
		.site = n->site,
		.pending = n->pending,
		.waits_for = waits_for,
	};
	for (size_t i = 0; i < n->held_count; i++)
		*vec_push(&event->held) = trees->held.items[n->held + i];
}

/*
 * The key contains each site once: a cycle with one more thread at a site that it contains already
 * is not a new finding.
 */
static void add_finding(void *context, const uint32_t *nodes, size_t count)
{
	struct conflict_reporter *r = context;
	VEC(uint64_t) sites = { 0 };
	struct finding *f;

	for (size_t i = 0; i < count; i++) {
		const struct lock_node *n = &r->trees->nodes.items[nodes[i]];
		uint64_t site = r->every ? (uint64_t)n->id.stream << 44 ^ n->id.index : n->site;
		bool listed = false;

		for (size_t k = 0; k < sites.count; k++)
			listed |= sites.items[k] == site;
		if (!listed)
			*vec_push(&sites) = site;
	}
	f = warnings_add(r->result, &r->found, FINDING_LOCK_ORDER, sites.items, sites.count);
	vec_free(&sites);
	for (size_t i = 0; f->count == 1 && i < count; i++)
		add_event(r->trees, f, nodes[i], (uint32_t)((i + 1) % count));
}

uint64_t predict_goodlock(const struct trace *trace, bool every, struct predict_result *result)
{
	struct lock_trees trees;
	struct conflict_reporter reporter = { .trees = &trees, .result = result, .every = every };

	lock_trees_make(&trees, trace);
	if (!goodlock_search(&trees, &(struct goodlock_options){ 0 }, add_finding, &reporter))
		result->stats.not_asked++;
	for (size_t i = 0; i < trees.problems.count; i++)
		warnings_add_problem(result, trees.problems.items[i]);
	map_free(&reporter.found);
	lock_trees_free(&trees);
	return trees.events;
}

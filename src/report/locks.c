/*
 * Prints lock trees. A node of a lock tree is a lock that a thread acquired while it held the locks
 * of the nodes above it (predict/warnings/lock_tree.h).
 */
#include "report/locks.h"

#include "base/mem.h"
#include "predict/warnings/goodlock.h"
#include "report/describe.h"
#include "report/name.h"

#include <inttypes.h>
#include <string.h>

#define CONFLICTS_MOST 100 /* conflicts that are printed; further ones are only counted */
#define SITE_COLUMN 36

struct lock_conflict {
	size_t start, count; /* index and number of its nodes in lock_page.nodes */
};

struct lock_page {
	struct lock_trees trees;
	struct describe *describe;
	const char **names;  /* by lock: the name at the first node with this lock */
	uint32_t *same;	     /* by lock: its number among locks of that name; 0: no other */
	uint32_t *numbers;   /* by node: its number (from 1) in the output */
	VEC(uint32_t) nodes; /* the nodes of all conflicts, one conflict after the other */
	VEC(struct lock_conflict) conflicts;
	uint64_t more;
	FILE *out;
};

static const struct lock_node *node_of(const struct lock_page *p, uint32_t node)
{
	return &p->trees.nodes.items[node];
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Numbers different locks with the same name: v->lock #1, v->lock #2. */
static void number_names(struct lock_page *p)
{
	size_t locks = p->trees.locks.count;
	struct map all = { 0 }, before = { 0 };

	for (size_t i = 0; i < locks; i++) {
		if (p->names[i])
			++*map_put(&all, (uintptr_t)p->names[i], NULL);
	}
	for (size_t i = 0; i < locks; i++) {
		if (p->names[i] && *map_get(&all, (uintptr_t)p->names[i]) > 1)
			p->same[i] = (uint32_t)++ * map_put(&before, (uintptr_t)p->names[i], NULL);
	}
	map_free(&all);
	map_free(&before);
}

static void name_locks(struct lock_page *p)
{
	size_t locks = p->trees.locks.count;

	p->names = mem_zalloc(locks + 1, sizeof *p->names);
	p->same = mem_zalloc(locks + 1, sizeof *p->same);
	for (uint32_t i = 0; i < p->trees.nodes.count; i++) {
		uint32_t lock = node_of(p, i)->lock;

		if (!p->names[lock])
			p->names[lock] = name_lock(p->describe, p->trees.locks.items[lock],
						   node_of(p, i)->id);
	}
	number_names(p);
}

static int print_lock(const struct lock_page *p, uint32_t lock, FILE *out)
{
	if (p->same[lock])
		return fprintf(out, "%s #%" PRIu32, p->names[lock], p->same[lock]);
	return fprintf(out, "%s", p->names[lock]);
}

/* ---- trees ----------------------------------------------------------------------------------- */

static void print_thread(const struct lock_page *p, uint32_t stream)
{
	const struct described *created = describe_creation(p->describe, stream);
	const struct described *begun = describe_begin(p->describe, stream);

	fprintf(p->out, "%s", describe_thread(p->describe, stream));
	if (created)
		fprintf(p->out, ", created by %s at %s",
			describe_thread(p->describe, created->event.stream),
			name_event_site(p->describe, created));
	if (created && begun && begun->stack.count && begun->stack.items[0].function)
		fprintf(p->out, ", runs %s", begun->stack.items[0].function);
	fputc('\n', p->out);
}

/* Prints the conflicts in which the thread waits at this node. */
static void print_marks(const struct lock_page *p, uint32_t node)
{
	for (size_t i = 0; i < p->conflicts.count; i++) {
		const struct lock_conflict *c = &p->conflicts.items[i];

		for (size_t k = 0; k < c->count; k++) {
			if (p->nodes.items[c->start + k] == node)
				fprintf(p->out, "  * conflict %zu", i + 1);
		}
	}
}

static void print_node(const struct lock_page *p, uint32_t node)
{
	const struct lock_node *n = node_of(p, node);
	const struct described *one = describe_find(p->describe, n->id);
	int used = 5, depth = 0;

	for (uint32_t up = n->parent; up != LOCK_TREE_NONE; up = node_of(p, up)->parent)
		depth++;
	fprintf(p->out, "%4" PRIu32 " %*s", p->numbers[node], 2 * depth, "");
	used += 2 * depth + print_lock(p, n->lock, p->out);
	if (n->shared)
		used += fprintf(p->out, " for reading");
	fprintf(p->out, "%*s %s", used < SITE_COLUMN ? SITE_COLUMN - used : 1, "",
		name_event_site(p->describe, one));
	if (n->pending)
		fputs(", never acquired", p->out);
	else if (!n->count)
		fputs(", held since before", p->out);
	else if (!n->asked)
		fputs(", without waiting", p->out);
	if (n->count > 1)
		fprintf(p->out, ", %" PRIu64 " times", n->count);
	print_marks(p, node);
	fputc('\n', p->out);
}

static void print_trees(struct lock_page *p)
{
	for (size_t i = 0; i < p->trees.trees.count; i++) {
		const struct lock_tree *tree = &p->trees.trees.items[i];

		if (tree->child != LOCK_TREE_NONE)
			print_thread(p, tree->stream);
		for (uint32_t n = tree->child; n != LOCK_TREE_NONE;
		     n = lock_trees_next(&p->trees, n))
			print_node(p, n);
	}
}

/* ---- conflicts ------------------------------------------------------------------------------- */

static void add_conflict(void *context, const uint32_t *nodes, size_t count)
{
	struct lock_page *p = context;

	if (p->conflicts.count == CONFLICTS_MOST) {
		p->more++;
		return;
	}
	*vec_push(&p->conflicts) = (struct lock_conflict){ p->nodes.count, count };
	for (size_t i = 0; i < count; i++)
		*vec_push(&p->nodes) = nodes[i];
}

/* Returns the node above `node` that has the lock. */
static uint32_t find_above(const struct lock_page *p, uint32_t node, uint32_t lock)
{
	uint32_t up = node_of(p, node)->parent;

	while (node_of(p, up)->lock != lock)
		up = node_of(p, up)->parent;
	return up;
}

static void print_conflict(const struct lock_page *p, size_t number)
{
	const struct lock_conflict *c = &p->conflicts.items[number];
	const uint32_t *nodes = &p->nodes.items[c->start];

	fprintf(p->out, "conflict %zu:", number + 1);
	for (size_t i = 0; i < c->count; i++) {
		/* The thread holds the lock for which the previous thread of the cycle waits. */
		uint32_t wanted = node_of(p, nodes[(i + c->count - 1) % c->count])->lock;
		const struct lock_tree *tree = &p->trees.trees.items[node_of(p, nodes[i])->tree];

		fprintf(p->out, "%s %s holds ", i ? "," : "",
			describe_thread(p->describe, tree->stream));
		print_lock(p, wanted, p->out);
		fprintf(p->out, " (%" PRIu32 ") and acquires ",
			p->numbers[find_above(p, nodes[i], wanted)]);
		print_lock(p, node_of(p, nodes[i])->lock, p->out);
		fprintf(p->out, " (%" PRIu32 ")", p->numbers[nodes[i]]);
	}
	fputc('\n', p->out);
}

static void print_conflicts(struct lock_page *p, bool all)
{
	for (size_t i = 0; i < p->conflicts.count; i++)
		print_conflict(p, i);
	if (p->more)
		fprintf(p->out, "and %" PRIu64 " more\n", p->more);
	if (!all)
		fputs("the search for conflicts stopped at its limit of steps; there may be more\n",
		      p->out);
	if (!p->trees.nodes.count)
		fputs("no lock was acquired\n", p->out);
	else if (!p->conflicts.count && all)
		fputs("no conflict\n", p->out);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void number_nodes(struct lock_page *p)
{
	uint32_t number = 0;

	p->numbers = mem_zalloc(p->trees.nodes.count + 1, sizeof *p->numbers);
	for (size_t i = 0; i < p->trees.trees.count; i++) {
		for (uint32_t n = p->trees.trees.items[i].child; n != LOCK_TREE_NONE;
		     n = lock_trees_next(&p->trees, n))
			p->numbers[n] = ++number;
	}
}

static struct describe *describe_nodes(const struct lock_trees *trees, const struct trace *trace,
				       const char *path)
{
	static const struct predict_result nothing;
	VEC(struct event_id) ids = { 0 };
	struct describe *made;

	for (size_t i = 0; i < trees->nodes.count; i++)
		*vec_push(&ids) = trees->nodes.items[i].id;
	made = describe_open(&(struct describe_request){ .trace = trace,
							 .path = path,
							 .result = &nothing,
							 .also = ids.items,
							 .also_count = ids.count });
	vec_free(&ids);
	return made;
}

bool locks_print(const struct trace *trace, const char *path, FILE *out, struct err *err)
{
	struct lock_page p = { .out = out };
	bool all, whole = true;

	lock_trees_make(&p.trees, trace);
	p.describe = describe_nodes(&p.trees, trace, path);
	name_locks(&p);
	number_nodes(&p);
	all = goodlock_search(&p.trees, &(struct goodlock_options){ 0 }, add_conflict, &p);
	print_trees(&p);
	print_conflicts(&p, all);
	if (p.trees.problems.count)
		whole = err_set(err, "%s", p.trees.problems.items[0]);
	describe_close(p.describe);
	lock_trees_free(&p.trees);
	vec_free(&p.nodes);
	vec_free(&p.conflicts);
	free(p.names);
	free(p.same);
	free(p.numbers);
	return whole;
}

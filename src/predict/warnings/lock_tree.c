/* Builds the lock trees in one pass along the base run. */
#include "predict/warnings/lock_tree.h"

#include "base/mem.h"
#include "predict/warnings/held_locks.h"

#include <assert.h>
#include <string.h>

/* A thread's open request for a lock: its last event so far is the request. */
struct open_request {
	bool open, shared;
	struct event_id id;
	uint64_t address, site;
};

struct lock_tree_pass {
	struct lock_trees *t;
	struct held_locks holding;
	struct open_request *requests;
};

/* Appends the node to its parent's children, so that they are in the order of creation. */
static void link_node(struct lock_trees *t, uint32_t tree, uint32_t parent, uint32_t number)
{
	uint32_t *first = &t->trees.items[tree].child, *last = &t->trees.items[tree].last;

	if (parent != LOCK_TREE_NONE) {
		first = &t->nodes.items[parent].child;
		last = &t->nodes.items[parent].last;
	}
	if (*first == LOCK_TREE_NONE)
		*first = number;
	else
		t->nodes.items[*last].next = number;
	*last = number;
}

/*
 * The child of a node (LOCK_TREE_NONE: of the root) for a lock in a mode; created if there is none.
 */
static uint32_t child_of(struct lock_tree_pass *p, uint32_t tree, uint32_t parent, uint32_t lock,
			 bool shared)
{
	struct lock_trees *t = p->t;
	uint64_t from = parent == LOCK_TREE_NONE ? tree : (uint64_t)parent | 1u << 31;
	uint32_t number = (uint32_t)t->nodes.count;
	uint64_t *found;
	bool fresh;

	/* The key consists of 31 bits for each number, and the mode. */
	assert(t->nodes.count < 1u << 31 && lock < 1u << 31);
	found = map_put(&t->children, from << 32 | (uint64_t)lock << 1 | shared, &fresh);
	if (!fresh)
		return (uint32_t)*found;
	*found = number;
	*vec_push(&t->nodes) = (struct lock_node){
		.tree = tree,
		.parent = parent,
		.child = LOCK_TREE_NONE,
		.last = LOCK_TREE_NONE,
		.next = LOCK_TREE_NONE,
		.lock = lock,
		.shared = shared,
	};
	link_node(t, tree, parent, number);
	return number;
}

/*
 * Records the operation that represents a node: the first that waits for the lock there, or if none
 * waits, the first that takes it. At that time the thread held its first `outer` locks.
 */
static void record_operation(struct lock_tree_pass *p, uint32_t number, uint32_t thread,
			     size_t outer, const struct lock_node *what)
{
	const struct thread_locks *h = &p->holding.threads[thread];
	struct lock_node *node = &p->t->nodes.items[number];

	node->count += what->count;
	if (node->kind && (node->asked || !what->asked))
		return;
	node->asked = what->asked;
	node->pending = what->pending;
	node->id = what->id;
	node->kind = what->kind;
	node->site = what->site;
	node->held = p->t->held.count;
	node->held_count = outer;
	for (size_t i = 0; i < outer; i++) {
		const struct held_lock *one = &h->held.items[i];

		*vec_push(&p->t->held) = (struct finding_lock){ p->holding.locks.items[one->lock],
								one->taken, one->shared };
	}
}

/* The node for the first `count` locks that a thread holds. */
static uint32_t find_node_of_held(struct lock_tree_pass *p, uint32_t thread, size_t count)
{
	uint32_t node = LOCK_TREE_NONE;

	for (size_t i = 0; i < count; i++) {
		const struct held_lock *one = &p->holding.threads[thread].held.items[i];

		node = child_of(p, thread, node, one->lock, one->shared);
		/* A new node: the lock was kept when one around it was released. */
		if (!p->t->nodes.items[node].kind)
			record_operation(p, node, thread, i,
					 &(struct lock_node){ .id = one->taken,
							      .kind = one->shared ? EV_READ_ACQUIRE
										  : EV_ACQUIRE });
	}
	return node;
}

static void add_acquisition(struct lock_tree_pass *p, const struct base_run_event *ev)
{
	const struct thread_locks *h = &p->holding.threads[ev->owner];
	const struct held_lock *last = &h->held.items[h->held.count - 1];
	uint32_t parent = find_node_of_held(p, ev->owner, h->held.count - 1);
	uint32_t node = child_of(p, ev->owner, parent, last->lock, last->shared);

	record_operation(p, node, ev->owner, h->held.count - 1,
			 &(struct lock_node){ .id = last->taken,
					      .kind = ev->kind,
					      .site = ev->site,
					      .asked = !last->tried,
					      .count = 1 });
}

/* Requests that are still open at the end count as well. */
static void add_open_requests(struct lock_tree_pass *p)
{
	for (uint32_t thread = 0; thread < p->holding.thread_count; thread++) {
		const struct open_request *r = &p->requests[thread];
		const struct thread_locks *h = &p->holding.threads[thread];
		uint32_t lock, parent;
		bool own = false;

		if (!r->open)
			continue;
		lock = held_locks_number(&p->holding, r->address);
		for (size_t i = 0; i < h->held.count; i++)
			own |= h->held.items[i].lock == lock;
		if (own)
			continue;
		parent = find_node_of_held(p, thread, h->held.count);
		record_operation(
			p, child_of(p, thread, parent, lock, r->shared), thread, h->held.count,
			&(struct lock_node){ .id = r->id,
					     .kind = r->shared ? EV_READ_REQUEST : EV_REQUEST,
					     .site = r->site,
					     .asked = true,
					     .pending = true });
	}
}

static void follow_request(struct lock_tree_pass *p, const struct base_run_event *ev)
{
	p->requests[ev->owner] = (struct open_request){
		.open = ev->kind == EV_REQUEST || ev->kind == EV_READ_REQUEST,
		.shared = ev->kind == EV_READ_REQUEST,
		.id = { ev->stream, ev->index },
		.address = ev->address,
		.site = ev->site,
	};
}

void lock_trees_make(struct lock_trees *t, const struct trace *trace)
{
	struct lock_tree_pass p = { .t = t };
	struct base_run *base_run = base_run_open(trace, NULL);
	uint32_t threads = trace_stream_count(trace);
	struct base_run_event ev;

	*t = (struct lock_trees){ 0 };
	for (uint32_t i = 0; i < threads; i++)
		*vec_push(&t->trees) = (struct lock_tree){ trace_stream(trace, i)->number,
							   LOCK_TREE_NONE, LOCK_TREE_NONE };
	p.requests = mem_zalloc((size_t)threads + 1, sizeof *p.requests);
	held_locks_open(&p.holding, trace);
	while (base_run_next(base_run, &ev)) {
		t->events++;
		follow_request(&p, &ev);
		if (held_locks_follow(&p.holding, &ev))
			add_acquisition(&p, &ev);
	}
	add_open_requests(&p);
	vec_append(&t->locks, p.holding.locks.items, p.holding.locks.count);
	for (size_t i = 0; i < base_run_failure_count(base_run); i++)
		*vec_push(&t->problems) = mem_copy_text(base_run_failure(base_run, i),
							strlen(base_run_failure(base_run, i)));
	held_locks_close(&p.holding);
	base_run_close(base_run);
	free(p.requests);
}

void lock_trees_free(struct lock_trees *t)
{
	vec_free_all(&t->problems);
	vec_free(&t->trees);
	vec_free(&t->nodes);
	vec_free(&t->held);
	vec_free(&t->locks);
	map_free(&t->children);
}

uint32_t lock_trees_next(const struct lock_trees *t, uint32_t node)
{
	if (t->nodes.items[node].child != LOCK_TREE_NONE)
		return t->nodes.items[node].child;
	while (node != LOCK_TREE_NONE && t->nodes.items[node].next == LOCK_TREE_NONE)
		node = t->nodes.items[node].parent;
	return node == LOCK_TREE_NONE ? LOCK_TREE_NONE : t->nodes.items[node].next;
}

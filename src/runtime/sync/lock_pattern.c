/*
 * Keeps a lock tree for each thread and appends a line to the file `patterns` for each new node. A
 * path from the root of a tree is a sequence of locks that the thread has held, in the order of
 * their acquisition.
 */
#include "runtime/sync/lock_pattern.h"

#include "runtime/buffer/thread_buffer.h"
#include "runtime/host/options.h"
#include "runtime/host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define HELD_MOST 32 /* locks held at the same time; further locks are not reported */
#define CHUNK 16384

struct lock_pattern_node {
	uint64_t lock; /* 0: the root */
	bool shared;
	struct lock_pattern_node *child, *next;
};

struct lock_pattern_held {
	uint64_t lock;
	uint32_t depth;
	bool shared;
	struct lock_pattern_node *node;
};

/* A thread's tree and the locks that it holds, in memory that is never freed. */
struct lock_pattern_thread {
	struct lock_pattern_node root;
	struct lock_pattern_held held[HELD_MOST];
	unsigned count;
	uint32_t waited; /* recursion depth of the mutex before the current wait */
	char *room, *end;
};

bool lock_pattern_on;
static SOOTH_TLS struct lock_pattern_thread *self;
static SOOTH_TLS bool updating;

/* ---- memory ---------------------------------------------------------------------------------- */

static char *new_chunk(void)
{
	void *chunk = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return chunk == MAP_FAILED ? NULL : chunk;
}

static struct lock_pattern_thread *own_tree(void)
{
	if (!self) {
		char *chunk = new_chunk();

		if (!chunk)
			return NULL;
		self = (struct lock_pattern_thread *)chunk;
		self->room = chunk + sizeof(*self);
		self->end = chunk + CHUNK;
	}
	return self;
}

static struct lock_pattern_node *new_node(struct lock_pattern_thread *t, uint64_t lock, bool shared)
{
	if (t->room + sizeof(struct lock_pattern_node) > t->end) {
		char *chunk = new_chunk();

		if (!chunk)
			return NULL;
		t->room = chunk;
		t->end = chunk + CHUNK;
	}
	struct lock_pattern_node *node = (struct lock_pattern_node *)t->room;
	t->room += sizeof(*node);
	node->lock = lock;
	node->shared = shared;
	return node;
}

/* ---- the tree -------------------------------------------------------------------------------- */

/*
 * Returns the child of `parent` for a lock, and moves it to the front of the children. Sets
 * `*fresh` if the child is new. Returns NULL if there is no memory.
 */
static struct lock_pattern_node *child_of(struct lock_pattern_thread *t,
					  struct lock_pattern_node *parent, uint64_t lock,
					  bool shared, bool *fresh)
{
	struct lock_pattern_node **link = &parent->child;

	while (*link && ((*link)->lock != lock || (*link)->shared != shared))
		link = &(*link)->next;
	struct lock_pattern_node *node = *link;
	*fresh = !node;
	if (node)
		*link = node->next;
	else
		node = new_node(t, lock, shared);
	if (!node)
		return NULL;
	node->next = parent->child;
	parent->child = node;
	return node;
}

static struct lock_pattern_node *node_before(struct lock_pattern_thread *t, unsigned i)
{
	return i ? t->held[i - 1].node : &t->root;
}

static struct lock_pattern_held *find_held(struct lock_pattern_thread *t, uint64_t lock,
					   bool shared)
{
	for (unsigned i = t->count; i-- > 0;)
		if (t->held[i].lock == lock && t->held[i].shared == shared)
			return &t->held[i];
	return NULL;
}

static void append_line(const struct lock_pattern_thread *t, uintptr_t pc)
{
	char path[OPTIONS_PATH_MAX + 48], line[24 * (HELD_MOST + 4)];
	int n = 0;

	n += snprintf(line, sizeof(line), "%u %#llx", thread_buffer_self.stream,
		      (unsigned long long)pc);
	for (unsigned i = 0; i < t->count; i++) {
		/* the acquired lock comes first; it is the last one in `held` */
		const struct lock_pattern_held *h = &t->held[i ? i - 1 : t->count - 1];

		n += snprintf(line + n, sizeof(line) - (size_t)n, " %#llx%s",
			      (unsigned long long)h->lock, h->shared ? "r" : "");
	}
	line[n++] = '\n';
	snprintf(path, sizeof(path), "%s/patterns", process_dir());
	struct cancel_before before = cancel_forbid();
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd >= 0) {
		/* no message: if the disk is full, the recording reports that */
		ssize_t written = write(fd, line, (size_t)n);
		(void)written;
		close(fd);
	}
	cancel_allow(before);
}

static void push_lock(struct lock_pattern_thread *t, uint64_t lock, bool shared, uint32_t depth,
		      uintptr_t pc)
{
	struct lock_pattern_held *h = find_held(t, lock, shared);
	bool fresh;

	if (h) {
		h->depth += depth;
		return;
	}
	if (t->count == HELD_MOST)
		return;
	struct lock_pattern_node *node =
		child_of(t, node_before(t, t->count), lock, shared, &fresh);
	if (!node)
		return;
	t->held[t->count++] = (struct lock_pattern_held){ lock, depth, shared, node };
	if (fresh)
		append_line(t, pc);
}

/*
 * Removes a lock from the held locks. The locks that were acquired after it get shorter paths,
 * which are not reported as new patterns. Returns the lock's previous recursion depth.
 */
static uint32_t remove_lock(struct lock_pattern_thread *t, uint64_t lock, bool shared, bool wholly)
{
	struct lock_pattern_held *h = find_held(t, lock, shared);
	uint32_t depth = h ? h->depth : 0;
	bool fresh;

	if (!h || (!wholly && --h->depth))
		return depth;
	t->count--;
	for (unsigned i = (unsigned)(h - t->held); i < t->count; i++) {
		struct lock_pattern_node *before = node_before(t, i);

		t->held[i] = t->held[i + 1];
		t->held[i].node = child_of(t, before, t->held[i].lock, t->held[i].shared, &fresh);
		if (!t->held[i].node)
			t->held[i].node = before;
	}
	return depth;
}

static void update_tree(struct lock_pattern_thread *t, enum event_kind kind, uintptr_t pc,
			const struct record_fields *f)
{
	switch (kind) {
	case EV_ACQUIRE: push_lock(t, f->a, false, 1, pc); break;
	case EV_READ_ACQUIRE: push_lock(t, f->a, true, 1, pc); break;
	case EV_RELEASE: remove_lock(t, f->a, false, false); break;
	case EV_READ_RELEASE: remove_lock(t, f->a, true, false); break;
	case EV_WAIT: t->waited = remove_lock(t, f->b, false, true); break;
	case EV_WOKEN: push_lock(t, f->b, false, t->waited ? t->waited : 1, pc); break;
	default: break;
	}
}

void lock_pattern_update(enum event_kind kind, uintptr_t pc, const struct record_fields *fields)
{
	int error = errno;
	enum event_group group;

	if (kind < EV_LOCK_INIT || kind > EV_BROADCAST)
		return;
	group = event_group(kind);
	/* Ignore signal handlers: their locks do not belong to the thread's pattern. */
	if ((group != EG_LOCK && group != EG_CONDITION) || updating || thread_buffer_self.depth)
		return;
	updating = true;
	atomic_signal_fence(memory_order_seq_cst);
	bool quiet = thread_buffer_self.quiet;
	thread_buffer_self.quiet = true;
	struct lock_pattern_thread *t = own_tree();
	if (t)
		update_tree(t, kind, pc, fields);
	thread_buffer_self.quiet = quiet;
	atomic_signal_fence(memory_order_seq_cst);
	updating = false;
	errno = error;
}

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

#define HELD_MOST 32 /* locks at once; what is above is not told */
#define CHUNK 16384

struct node {
	uint64_t lock; /* 0: the root */
	bool shared;
	struct node *child, *next;
};

struct held {
	uint64_t lock;
	uint32_t depth;
	bool shared;
	struct node *node;
};

/* What is known of a thread; in memory of its own, which goes with the process. */
struct lock_pattern_thread {
	struct node root;
	struct held held[HELD_MOST];
	unsigned count;
	uint32_t waited; /* how deep the mutex of the present wait was held */
	char *room, *end;
};

bool lock_pattern_on;
static SOOTH_TLS struct lock_pattern_thread *self;
static SOOTH_TLS bool busy;

/* ---- memory ------------------------------------------------------------------------------- */

static char *new_chunk(void)
{
	void *chunk = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return chunk == MAP_FAILED ? NULL : chunk;
}

static struct lock_pattern_thread *thread(void)
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

static struct node *new_node(struct lock_pattern_thread *t, uint64_t lock, bool shared)
{
	if (t->room + sizeof(struct node) > t->end) {
		char *chunk = new_chunk();

		if (!chunk)
			return NULL;
		t->room = chunk;
		t->end = chunk + CHUNK;
	}
	struct node *node = (struct node *)t->room;
	t->room += sizeof(*node);
	node->lock = lock;
	node->shared = shared;
	return node;
}

/* ---- the tree ----------------------------------------------------------------------------- */

/* The child for a lock, which comes to the front; `*fresh` when it was made. NULL: no memory. */
static struct node *child_of(struct lock_pattern_thread *t, struct node *parent, uint64_t lock,
			     bool shared, bool *fresh)
{
	struct node **link = &parent->child;

	while (*link && ((*link)->lock != lock || (*link)->shared != shared))
		link = &(*link)->next;
	struct node *node = *link;
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

static struct node *node_before(struct lock_pattern_thread *t, unsigned i)
{
	return i ? t->held[i - 1].node : &t->root;
}

static struct held *find(struct lock_pattern_thread *t, uint64_t lock, bool shared)
{
	for (unsigned i = t->count; i-- > 0;)
		if (t->held[i].lock == lock && t->held[i].shared == shared)
			return &t->held[i];
	return NULL;
}

static void tell(const struct lock_pattern_thread *t, uintptr_t pc)
{
	char path[OPTIONS_PATH_MAX + 48], line[24 * (HELD_MOST + 4)];
	int n = 0;

	n += snprintf(line, sizeof(line), "%u %#llx", thread_buffer_self.stream,
		      (unsigned long long)pc);
	for (unsigned i = 0; i < t->count; i++) {
		/* the last one first: it is the one that was taken */
		const struct held *h = &t->held[i ? i - 1 : t->count - 1];

		n += snprintf(line + n, sizeof(line) - (size_t)n, " %#llx%s",
			      (unsigned long long)h->lock, h->shared ? "r" : "");
	}
	line[n++] = '\n';
	snprintf(path, sizeof(path), "%s/patterns", process_dir());
	struct cancel_before before = cancel_forbid();
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd >= 0) {
		/* Nobody reads it, or the disk is full: the recording itself will say that. */
		ssize_t written = write(fd, line, (size_t)n);
		(void)written;
		close(fd);
	}
	cancel_allow(before);
}

static void take(struct lock_pattern_thread *t, uint64_t lock, bool shared, uint32_t depth,
		 uintptr_t pc)
{
	struct held *h = find(t, lock, shared);
	bool fresh;

	if (h) {
		h->depth += depth;
		return;
	}
	if (t->count == HELD_MOST)
		return;
	struct node *node = child_of(t, node_before(t, t->count), lock, shared, &fresh);
	if (!node)
		return;
	t->held[t->count++] = (struct held){ lock, depth, shared, node };
	if (fresh)
		tell(t, pc);
}

/* Those behind it stay: their path is a shorter one now, which is no news. */
static uint32_t give(struct lock_pattern_thread *t, uint64_t lock, bool shared, bool wholly)
{
	struct held *h = find(t, lock, shared);
	uint32_t depth = h ? h->depth : 0;
	bool fresh;

	if (!h || (!wholly && --h->depth))
		return depth;
	t->count--;
	for (unsigned i = (unsigned)(h - t->held); i < t->count; i++) {
		struct node *before = node_before(t, i);

		t->held[i] = t->held[i + 1];
		t->held[i].node = child_of(t, before, t->held[i].lock, t->held[i].shared, &fresh);
		if (!t->held[i].node)
			t->held[i].node = before;
	}
	return depth;
}

static void see(struct lock_pattern_thread *t, enum event_kind kind, uintptr_t pc,
		const struct record_fields *f)
{
	switch (kind) {
	case EV_ACQUIRE: take(t, f->a, false, 1, pc); break;
	case EV_READ_ACQUIRE: take(t, f->a, true, 1, pc); break;
	case EV_RELEASE: give(t, f->a, false, false); break;
	case EV_READ_RELEASE: give(t, f->a, true, false); break;
	case EV_WAIT: t->waited = give(t, f->b, false, true); break;
	case EV_WOKEN: take(t, f->b, false, t->waited ? t->waited : 1, pc); break;
	default: break;
	}
}

void lock_pattern_see(enum event_kind kind, uintptr_t pc, const struct record_fields *fields)
{
	int error = errno;
	enum event_group group;

	if (kind < EV_LOCK_INIT || kind > EV_BROADCAST)
		return;
	group = event_group(kind);
	/* Signal handlers may have cut in here, and what they lock is no pattern of the thread. */
	if ((group != EG_LOCK && group != EG_CONDITION) || busy || thread_buffer_self.depth)
		return;
	busy = true;
	atomic_signal_fence(memory_order_seq_cst);
	bool quiet = thread_buffer_self.quiet;
	thread_buffer_self.quiet = true;
	struct lock_pattern_thread *t = thread();
	if (t)
		see(t, kind, pc, fields);
	thread_buffer_self.quiet = quiet;
	atomic_signal_fence(memory_order_seq_cst);
	busy = false;
	errno = error;
}

/*
 * The scheduler's model of every synchronisation object: whether an operation is enabled, and what
 * it changes. The model is updated from the records, so it cannot differ from the trace. The count
 * of a semaphore is the exception: it is read from the semaphore itself, so that posts by handlers
 * and other processes count.
 *
 * Objects are found by address through a hash table of indices. The objects are in one array that
 * is filled from the front. Both grow by doubling into new mappings. The old mappings are not
 * freed; together they are at most as large as the new one.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/server/per_run.h"
#include "runtime/host/save_vectors.h"
#include "runtime/host/shared_mapping.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_OBJECTS 256u
#define FIRST_BUCKETS 512u

/* The first tables, which are on adjacent pages. */
static struct {
	uint32_t buckets[FIRST_BUCKETS];
	struct sched_object items[FIRST_OBJECTS];
} first __attribute__((aligned(4096)));

PER_RUN static struct {
	struct sched_object *items;
	uint32_t *buckets; /* index of the first object + 1; 0: none */
	uint32_t count, room;
	uint32_t bucket_count; /* a power of two */
} objects;

/* ---- links: readers of a lock, tokens of a condition ----------------------------------------- */

/*
 * A link is a reader of a lock, or a *token* of a condition: a signal that no thread has used to
 * wake up yet. There are never more tokens than waiting threads. For readers, links may run out: a
 * reader without a link is counted, but a cycle search does not find it.
 */
struct link {
	uint64_t number; /* token: value of condition_clock; reader: how often it holds the lock */
	uint32_t thread;
	uint32_t next; /* next in the list: index + 1 */
};
#define LINKS (4 * CONTROL_THREADS)
#define LINKS_FOR_TOKENS CONTROL_THREADS
static struct link links[LINKS];
PER_RUN static uint32_t links_used, links_free;
PER_RUN static uint32_t links_taken;

static uint32_t new_link(bool for_reader)
{
	uint32_t index;

	if (for_reader && links_taken >= LINKS - LINKS_FOR_TOKENS)
		return 0;
	if (links_free) {
		index = links_free;
		links_free = links[index - 1].next;
	} else if (links_used < LINKS) {
		index = ++links_used;
	} else {
		return 0;
	}
	links_taken++;
	links[index - 1] = (struct link){ 0 };
	return index;
}

static void drop_link(uint32_t *at)
{
	uint32_t index = *at;

	*at = links[index - 1].next;
	links[index - 1].next = links_free;
	links_free = index;
	links_taken--;
}

/* ---- the table of objects -------------------------------------------------------------------- */

void sched_object_start(void)
{
	objects.items = first.items;
	objects.buckets = first.buckets;
	objects.room = FIRST_OBJECTS;
	objects.bucket_count = FIRST_BUCKETS;
}

static uint32_t *bucket_of(uint64_t address)
{
	return &objects.buckets[(address * 0x9e3779b97f4a7c15ull >> 32) &
				(objects.bucket_count - 1)];
}

/* Allocates objects and buckets in one mapping, so that both succeed or neither. */
static void grow_table(void *unused)
{
	size_t item_bytes = sizeof(*objects.items) * objects.room * 2;
	size_t bucket_bytes = sizeof(*objects.buckets) * objects.bucket_count * 2;
	void *map = mmap(NULL, item_bytes + bucket_bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sched_object *items = map;

	(void)unused;
	if (map == MAP_FAILED)
		return;
	memcpy(items, objects.items, sizeof(*items) * objects.count);
	objects.items = items;
	objects.buckets = (uint32_t *)((char *)map + item_bytes);
	objects.room *= 2;
	objects.bucket_count *= 2;
	for (uint32_t i = 0; i < objects.count; i++) {
		uint32_t *bucket = bucket_of(items[i].address);
		items[i].next = *bucket;
		*bucket = i + 1;
	}
}

struct sched_object *sched_object(uint32_t index)
{
	return &objects.items[index];
}

/* Is the object in its initial state, with no thread waiting for it? */
static bool is_object_idle(uint32_t index)
{
	const struct sched_object *o = &objects.items[index];

	if (o->owner || o->readers || o->waiters || o->tokens || o->parties || o->blocked ||
	    o->contenders)
		return false;
	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t->state != SCHED_ENDED && (t->object == index || t->other == index))
			return false;
	}
	return true;
}

/* There is no memory for more objects: reuses one that is in its initial state. */
static uint32_t reuse_idle_object(void)
{
	for (uint32_t index = 0; index < objects.count; index++) {
		if (!is_object_idle(index))
			continue;
		uint32_t *at = bucket_of(objects.items[index].address);
		while (*at != index + 1)
			at = &objects.items[*at - 1].next;
		*at = objects.items[index].next;
		return index;
	}
	sched_end_run(CONTROL_UNFIT, "no memory for the scheduler's objects", 127 << 8);
}

uint32_t sched_object_find(uint64_t address)
{
	PER_RUN static uint32_t last;

	if (last < objects.count && objects.items[last].address == address)
		return last;
	for (uint32_t i = *bucket_of(address); i; i = objects.items[i - 1].next)
		if (objects.items[i - 1].address == address)
			return last = i - 1;
	if (objects.count == objects.room)
		/* spin detection looks up objects where vector registers may be live */
		save_vectors_call(grow_table, NULL);
	uint32_t index = objects.count < objects.room ? objects.count++ : reuse_idle_object();
	uint32_t *bucket = bucket_of(address);
	objects.items[index] = (struct sched_object){ .address = address, .next = *bucket };
	*bucket = index + 1;
	return last = index;
}

static struct sched_object *object_at(uint64_t address)
{
	return sched_object(sched_object_find(address));
}

/* ---- is an operation enabled? ---------------------------------------------------------------- */

/*
 * Can the thread acquire the lock without blocking? The owner can, unless the mutex is of the
 * normal kind: a recursive mutex can be acquired again; an errorcheck mutex and a read-write lock
 * return an error at once.
 */
static bool can_acquire(const struct sched_object *o, uint32_t self, uint8_t lock)
{
	if (o->owner == self + 1)
		return (lock & ~SCHED_LOCK_ROBUST) != EVENT_LOCK_NORMAL;
	if (lock & SCHED_LOCK_ROBUST && o->owner &&
	    sched_threads[o->owner - 1].state == SCHED_ENDED)
		return true;
	return !o->owner && !o->readers;
}

static bool has_token(const struct sched_object *o, uint64_t since)
{
	for (uint32_t i = o->token_list; i; i = links[i - 1].next)
		if (links[i - 1].number > since)
			return true;
	return false;
}

bool sched_object_has_token(const struct sched_thread *t)
{
	return has_token(sched_object(t->object), t->waiting_since);
}

bool sched_object_mutex_free(const struct sched_thread *t)
{
	return t->op.kind != EV_WOKEN ||
	       can_acquire(sched_object(t->other), sched_number(t), t->op.lock);
}

bool sched_object_enabled(const struct sched_thread *t)
{
	const struct sched_op *op = &t->op;
	const struct sched_object *o = sched_object(t->object);
	uint32_t self = sched_number(t);

	if (op->how == EVENT_TRY)
		return true;
	switch (op->kind) {
	case EV_ACQUIRE: return can_acquire(o, self, op->lock);
	case EV_READ_ACQUIRE: return !o->owner || o->owner == self + 1;
	case EV_WOKEN: return has_token(o, t->waiting_since) && sched_object_mutex_free(t);
	case EV_DOWN: /* in glibc the count is the low half of the first word */
		return __atomic_load_n((const uint32_t *)op->other, __ATOMIC_ACQUIRE) > 0;
	case EV_PASS: return o->round != t->round;
	case EV_ONCE_BEGIN:
		return !o->owner || (o->owner == self + 1 && op->lock == EVENT_LOCK_ERRORCHECK);
	case EV_COND_DESTROY:
	case EV_BARRIER_DESTROY:
		return op->lock != SCHED_DESTROY_WAITS || (!o->waiters && !o->arrived);
	case EV_JOIN:
		return op->object == self || op->object >= CONTROL_THREADS ||
		       sched_threads[op->object].state == SCHED_ENDED;
	default: return true;
	}
}

bool sched_object_visit_owners(const struct sched_thread *t,
			       bool (*visit)(uint32_t owner, void *data), void *data)
{
	const struct sched_op *op = &t->op;
	const struct sched_object *o;

	switch (op->kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_ONCE_BEGIN: o = sched_object(t->object); break;
	case EV_WOKEN:
		if (!sched_object_has_token(t))
			return false;
		o = sched_object(t->other);
		break;
	case EV_JOIN: return visit((uint32_t)op->object, data);
	default: return false;
	}
	if (o->owner)
		return visit(o->owner - 1, data);
	for (uint32_t i = o->reader_list; i; i = links[i - 1].next)
		if (visit(links[i - 1].thread, data))
			return true;
	return false;
}

bool sched_has_waiters(const volatile void *object)
{
	const struct sched_object *o = object_at(shared_mapping_identity((uintptr_t)object));

	return o->waiters > o->tokens || o->arrived;
}

static void mark_changed(struct sched_object *o)
{
	o->version++;
	if (o->blocked)
		sched_recheck_blocked(o);
}

void sched_object_owner_ended(const struct sched_thread *t)
{
	for (uint32_t i = 0; t->locks_held && i < objects.count; i++)
		if (objects.items[i].owner == sched_number(t) + 1)
			mark_changed(&objects.items[i]);
}

/* ---- what a lock operation changes ----------------------------------------------------------- */

static void acquire(struct sched_thread *t, struct sched_object *o)
{
	if (o->owner != sched_number(t) + 1)
		o->depth = 0; /* a robust mutex whose owner has ended */
	o->owner = sched_number(t) + 1;
	o->depth++;
	t->locks_held++;
	sched_update_contenders(o);
}

/* Releases the lock. The thread that does this need not be the owner. */
static void release(struct sched_object *o)
{
	if (!o->owner)
		return;
	struct sched_thread *owner = &sched_threads[o->owner - 1];
	if (owner->locks_held)
		owner->locks_held--;
	if (--o->depth == 0) {
		o->owner = 0;
		sched_update_contenders(o);
	}
}

static uint32_t *reader_link(struct sched_object *o, uint32_t thread)
{
	uint32_t *at = &o->reader_list;

	while (*at && links[*at - 1].thread != thread)
		at = &links[*at - 1].next;
	return at;
}

static void acquire_read(struct sched_thread *t, struct sched_object *o)
{
	uint32_t *at = reader_link(o, sched_number(t));

	o->readers++;
	t->locks_held++;
	sched_update_contenders(o);
	if (!*at) {
		uint32_t made = new_link(true);
		if (!made)
			return;
		links[made - 1].thread = sched_number(t);
		*at = made;
	}
	links[*at - 1].number++;
}

static void release_read(struct sched_thread *t, struct sched_object *o)
{
	uint32_t *at = reader_link(o, sched_number(t));

	if (!o->readers)
		return;
	o->readers--;
	sched_update_contenders(o);
	if (t->locks_held)
		t->locks_held--;
	if (*at && --links[*at - 1].number == 0)
		drop_link(at);
}

static void reset_object(struct sched_object *o)
{
	while (o->owner)
		release(o);
	while (o->reader_list) {
		struct sched_thread *t = &sched_threads[links[o->reader_list - 1].thread];
		if (t->locks_held)
			t->locks_held--;
		drop_link(&o->reader_list);
	}
	while (o->token_list)
		drop_link(&o->token_list);
	o->readers = o->tokens = o->waiters = o->arrived = 0;
	sched_update_contenders(o);
}

/* ---- conditions ------------------------------------------------------------------------------ */

static void add_token(struct sched_object *o)
{
	uint32_t *at = &o->token_list;
	uint32_t made = new_link(false);

	if (!made)
		return;
	while (*at)
		at = &links[*at - 1].next;
	links[made - 1].number = ++sched.condition_clock;
	*at = made;
	o->tokens++;
}

/* Takes the oldest token that is younger than the wait. */
static void take_token(struct sched_object *o, uint64_t since)
{
	uint32_t *at = &o->token_list;

	while (*at && links[*at - 1].number <= since)
		at = &links[*at - 1].next;
	if (*at) {
		drop_link(at);
		o->tokens--;
	}
}

static void apply_signal(struct sched_object *o, bool all)
{
	uint32_t wanted = o->waiters > o->tokens ? o->waiters - o->tokens : 0;

	for (uint32_t i = 0; i < (all || !wanted ? wanted : 1); i++)
		add_token(o);
}

void sched_object_signalled(uint64_t condition, bool all)
{
	struct sched_object *o = object_at(condition);

	mark_changed(o);
	apply_signal(o, all);
}

/*
 * Removes the tokens that no waiter can use. Otherwise the next signal would add no token, because
 * apply_signal() adds one only if there are more waiters than tokens.
 */
static void drop_surplus_tokens(struct sched_object *o)
{
	while (o->tokens > o->waiters) {
		drop_link(&o->token_list);
		o->tokens--;
	}
}

/* object_at() may move all objects, so the mutex is looked up last. */
static void apply_wait(struct sched_thread *t, struct sched_object *o, uint64_t mutex)
{
	o->waiters++;
	t->waiting_since = ++sched.condition_clock;
	o = object_at(mutex);
	release(o);
	mark_changed(o);
}

static void apply_wake(struct sched_thread *t, struct sched_object *o, uint64_t mutex)
{
	if (t->outcome == SCHED_GO && !t->cancel_seen)
		take_token(o, t->waiting_since);
	if (o->waiters)
		o->waiters--;
	drop_surplus_tokens(o);
	o = object_at(mutex);
	acquire(t, o);
	mark_changed(o);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static void apply_arrive(struct sched_thread *t, struct sched_object *o, uint32_t parties)
{
	if (parties)
		o->parties = parties;
	t->round = o->round;
	if (++o->arrived >= o->parties) {
		o->arrived = 0;
		o->round++;
	}
}

void sched_object_apply(struct sched_thread *t, enum event_kind kind, enum event_group group,
			const struct record_fields *fields)
{
	if (!sched_is_sync(group))
		return;
	if (kind == EV_ACQUIRE_FAIL || kind == EV_READ_FAIL || kind == EV_DOWN_FAIL ||
	    kind == EV_ONCE)
		return; /* nothing has changed, not even for a thread that spins on the object */
	struct sched_object *o = object_at(fields->a);
	mark_changed(o);
	switch (kind) {
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY:
	case EV_COND_INIT:
	case EV_BARRIER_DESTROY: reset_object(o); break;
	case EV_COND_DESTROY: /* a thread that was woken can still return from its wait */
		if (!o->waiters)
			reset_object(o);
		break;
	case EV_ACQUIRE: acquire(t, o); break;
	case EV_RELEASE: release(o); break;
	case EV_READ_ACQUIRE: acquire_read(t, o); break;
	case EV_READ_RELEASE: release_read(t, o); break;
	case EV_WAIT: apply_wait(t, o, fields->b); break;
	case EV_WOKEN: apply_wake(t, o, fields->b); break;
	case EV_SIGNAL: apply_signal(o, false); break;
	case EV_BROADCAST: apply_signal(o, true); break;
	case EV_BARRIER_INIT:
		reset_object(o);
		o->parties = (uint32_t)fields->n;
		break;
	case EV_ARRIVE: apply_arrive(t, o, (uint32_t)fields->n); break;
	case EV_ONCE_BEGIN: o->owner = sched_number(t) + 1; break;
	case EV_ONCE_END: o->owner = 0; break;
	default: break;
	}
}

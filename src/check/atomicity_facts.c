/*
 * Examines a broken region (atomicity.h). Plays its schedule once more and tracks which locks are
 * held, which bytes each lock guards, and which events can know of the remote accesses.
 */
#include "check/atomicity.h"

#include "base/mem.h"

#include <stdlib.h>

/* ---- held locks ------------------------------------------------------------------------------ */

static void add_held_lock(checker_held_locks *locks, uint64_t lock, const struct checker_hold *hold,
			  bool writes)
{
	*vec_push(locks) = (struct checker_held_lock){ lock, hold->index, hold->stream, writes };
}

static void find_held_locks(const struct checker_world *world, uint32_t thread,
			    checker_held_locks *locks)
{
	const struct checker_world *top = world;

	for (; world; world = world->under) {
		for (size_t i = 0; i < world->objects[CHECKER_LOCK].items.count; i++) {
			uint64_t address = world->objects[CHECKER_LOCK].items.items[i].address;
			const struct checker_lock *lock =
				&checker_world_see(top, CHECKER_LOCK, address)->lock;

			if (lock->writer.depth && lock->writer.thread == thread)
				add_held_lock(locks, address, &lock->writer, true);
			for (size_t k = 0; k < lock->readers.count; k++) {
				if (lock->readers.items[k].thread == thread)
					add_held_lock(locks, address, &lock->readers.items[k],
						      false);
			}
		}
	}
}

void checker_broken_region_find_locks(struct checker_broken_region *t)
{
	const struct checker_base *base = t->play->base;
	struct checker_world *world = checker_world_on(base->start);
	uint32_t local = checker_base_record(base, t->l1)->thread;
	uint32_t remote = checker_base_record(base, t->r1)->thread;

	for (size_t i = 0; i < t->play->order.count; i++) {
		uint32_t number = t->play->order.items[i];

		if (number == t->l1)
			find_held_locks(world, local, &t->locks_at_l1);
		if (number == t->r1)
			find_held_locks(world, remote, &t->locks_at_r1);
		if (number == t->r2)
			find_held_locks(world, remote, &t->locks_at_r2);
		checker_world_apply(world, checker_base_record(base, number), number);
	}
	find_held_locks(world, local, &t->locks_at_l2);
	checker_world_close(world);
}

void checker_broken_region_close(struct checker_broken_region *t)
{
	vec_free(&t->locks_at_l1);
	vec_free(&t->locks_at_r1);
	vec_free(&t->locks_at_r2);
	vec_free(&t->locks_at_l2);
}

/* ---- what a lock guards ---------------------------------------------------------------------- */

/*
 * Returns the depths of the lock at the start of the window, by stream: for the threads that hold
 * the lock, and for those that wait and will hold it again.
 */
static struct checker_lock_depth *start_depths(const struct checker_base *base, uint64_t address)
{
	struct checker_lock_depth *depths = mem_zalloc(base->streams, sizeof *depths);
	const struct checker_lock *lock =
		&checker_world_see(base->start, CHECKER_LOCK, address)->lock;

	if (lock->writer.depth)
		depths[lock->writer.stream].writes = lock->writer.depth;
	for (size_t i = 0; i < lock->readers.count; i++)
		depths[lock->readers.items[i].stream].reads = lock->readers.items[i].depth;
	for (uint32_t i = 0; i < base->streams; i++)
		depths[i].saved = base->start->threads[i].wait_depth;
	return depths;
}

static bool operates_on_lock(const struct checker_record *record, uint64_t lock)
{
	struct checker_operand operands[2];
	unsigned count = checker_operands(record, operands);

	for (unsigned i = 0; i < count; i++) {
		if (operands[i].class == CHECKER_LOCK && operands[i].address == lock)
			return true;
	}
	return false;
}

bool checker_broken_region_is_guarded(const struct checker_broken_region *t, uint64_t lock,
				      uint64_t address)
{
	const struct checker_base *base = t->play->base;
	struct checker_lock_depth *depths = start_depths(base, lock);
	uint32_t first = CHECKER_END;
	bool guarded = false;

	for (uint32_t i = 1; i <= base->count && !guarded; i++) {
		const struct checker_record *record = checker_base_record(base, i);
		struct checker_lock_depth *depth = &depths[record->stream];

		if (operates_on_lock(record, lock))
			checker_lock_depth_follow(depth, record->kind);
		if (!checker_is_access(record) || (!depth->writes && !depth->reads) ||
		    address - record->address >= record->size)
			continue;
		guarded = first != CHECKER_END && first != record->thread;
		first = record->thread;
	}
	free(depths);
	return guarded || checker_survey_guards(t->play->world->survey, lock, address);
}

/* ---- knowledge of the remote access ---------------------------------------------------------- */

/*
 * Which threads, events and objects know of r2. An event learns of r2 if an event that must come
 * before it knows of r2, if it reads what an event that knows of r2 wrote, or if it waits at an
 * object where such an event let threads continue. Locks do not pass knowledge on.
 */
struct knowledge {
	const struct checker_play *play;
	const struct checker_base *base;
	struct checker_world *world;
	bool *threads, *created;
	bool *events;	   /* by event number */
	struct map passed; /* objects at which an event that knows of r2 let threads continue */
	/* address of a barrier to 1 + the first round at which a thread that knows of r2 arrived */
	struct map met;
};

static uint64_t object_key(const struct checker_record *record)
{
	return record->address * 16 + (uint64_t)event_group(record->kind);
}

/*
 * If this event knows of r2, do threads that wait for its object learn of r2, too? It is open which
 * post or signal woke a thread, so any of them counts.
 */
static bool passes_knowledge_on(const struct checker_record *record)
{
	switch (record->kind) {
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_POST:
	case EV_ARRIVE:
	case EV_ONCE_END:
	case EV_SEND: return true;
	}
	return false;
}

static bool learns_by_waiting(const struct knowledge *n, const struct checker_record *record)
{
	uint32_t joined;

	switch (record->kind) {
	case EV_WOKEN:
	case EV_DOWN:
	case EV_PASS:
	case EV_ONCE:
	case EV_RECEIVE: return map_get(&n->passed, object_key(record));
	case EV_JOIN:
		joined = checker_stream_of(n->world->trace, record->number);
		return joined != TRACE_NONE && n->threads[joined];
	}
	return false;
}

/*
 * Does an event learn of r2 at a barrier? An arrival comes after all earlier rounds. An event of a
 * thread that has left a barrier comes after the round in which the thread arrived there.
 */
static bool learns_at_barrier(const struct knowledge *n, const struct checker_record *record)
{
	const struct checker_thread *self = &n->world->threads[record->stream];
	const uint64_t *first;

	if (record->kind == EV_ARRIVE) {
		first = map_get(&n->met, record->address);
		if (first && record->note >= *first)
			return true;
	}
	first = self->at_barrier ? map_get(&n->met, self->barrier) : NULL;
	return first && self->round + 1 >= *first;
}

static bool learns_by_reading(const struct knowledge *n, const struct checker_record *record)
{
	struct checker_piece piece = { 0 };

	while (checker_piece_next(&piece, record->address, record->size)) {
		struct checker_writers writers;
		struct checker_line bytes;

		checker_memory_see(n->world, piece.line, &bytes, &writers);
		for (unsigned at = piece.from; at < piece.to; at++) {
			if (writers.of[at] && n->events[writers.of[at]])
				return true;
		}
	}
	return false;
}

static bool follows_knowing_event(const struct knowledge *n, uint32_t number)
{
	size_t count;
	const struct checker_need *needs = checker_base_needs(n->base, number, &count);

	for (size_t i = 0; i < count; i++) {
		if (n->events[needs[i].earlier])
			return true;
	}
	return false;
}

/*
 * Handles an event that comes after r2: does it know of r2, and if so, which threads and objects
 * pass that on?
 */
static void update_knowledge(struct knowledge *n, uint32_t number)
{
	const struct checker_record *record = checker_base_record(n->base, number);
	bool fresh;
	uint64_t *first;
	uint32_t other;

	if (n->created[record->thread] || learns_by_waiting(n, record) ||
	    learns_at_barrier(n, record) || follows_knowing_event(n, number) ||
	    checker_play_is_after_all(n->play, record) ||
	    (checker_reads(record) && learns_by_reading(n, record)))
		n->threads[record->thread] = true;
	if (!n->threads[record->thread])
		return;
	n->events[number] = true;
	if (passes_knowledge_on(record))
		map_put(&n->passed, object_key(record), NULL);
	if (record->kind == EV_ARRIVE) {
		first = map_put(&n->met, record->address, &fresh);
		if (fresh || *first > record->note + 1)
			*first = record->note + 1;
	}
	if (record->kind == EV_CREATE) {
		other = checker_stream_of(n->world->trace, record->number);
		if (other != TRACE_NONE)
			n->created[other] = true;
	}
}

bool checker_broken_region_is_known(const struct checker_broken_region *t)
{
	const struct checker_base *base = t->play->base;
	struct knowledge n = {
		.play = t->play,
		.base = base,
		.world = checker_world_on(base->start),
		.threads = mem_zalloc(base->streams, sizeof *n.threads),
		.created = mem_zalloc(base->streams, sizeof *n.created),
		.events = mem_zalloc((size_t)base->count + 1, sizeof *n.events),
	};
	bool learned;

	for (size_t i = 0; i < t->play->order.count; i++) {
		uint32_t number = t->play->order.items[i];
		const struct checker_record *record = checker_base_record(base, number);

		if (number == t->r2) /* from here on, the thread and what it writes know of r2 */
			n.threads[record->thread] = true;
		if (n.threads[checker_base_record(base, t->r2)->thread])
			update_knowledge(&n, number);
		checker_world_apply(n.world, record, number);
	}
	learned = n.threads[checker_base_record(base, t->l2)->thread];
	free(n.events);
	map_free(&n.passed);
	map_free(&n.met);
	free(n.threads);
	free(n.created);
	checker_world_close(n.world);
	return learned;
}

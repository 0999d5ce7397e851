/*
 * Indexes the log of a run in one pass. Clocks and sets of held locks are immutable and numbered.
 * An event refers to the current number of its thread, so memory grows with the number of changes
 * and not with the number of events.
 */
#include "explore/search/runlog.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "event/event.h"

#include <string.h>

/* ---- clocks ---------------------------------------------------------------------------------- */

/*
 * The current clock and set of locks of each thread. Events of a thread share a clock until it
 * changes.
 */
struct runlog_builder {
	struct runlog *log;
	uint32_t *now[2];	   /* by thread: number of its clock (strong, weak) */
	uint32_t *set;		   /* by thread: number of its set of held locks */
	struct map messages[2];	   /* from the key of a carrier to the number of a clock */
	struct map initial_counts; /* by address of a semaphore: the rest of its initial count */
};

static uint32_t new_clock(struct runlog *log, int order, uint32_t from)
{
	runlog_numbers copy = { 0 };
	size_t bytes = log->threads * sizeof(uint32_t);

	if (log->clocks[order].count)
		memcpy(vec_reserve(&copy, log->threads), log->clocks[order].items[from].items,
		       bytes);
	else
		memset(vec_reserve(&copy, log->threads), 0, bytes);
	copy.count = log->threads;
	*vec_push(&log->clocks[order]) = copy;
	return (uint32_t)log->clocks[order].count - 1;
}

static void join_clock(struct runlog *log, int order, uint32_t into, uint32_t from)
{
	uint32_t *to = log->clocks[order].items[into].items;
	const uint32_t *other = log->clocks[order].items[from].items;

	for (uint32_t t = 0; t < log->threads; t++)
		to[t] = to[t] < other[t] ? other[t] : to[t];
}

static void send_clock(struct runlog_builder *builder, int order, const struct control_event *event,
		       uint64_t key)
{
	struct runlog *log = builder->log;
	bool fresh;
	uint64_t *message = map_put(&builder->messages[order], key, &fresh);
	uint32_t clock = new_clock(log, order, builder->now[order][event->thread]);

	log->clocks[order].items[clock].items[event->thread] = event->step + 1;
	if (!fresh)
		join_clock(log, order, clock, (uint32_t)*message);
	*message = clock;
}

static void receive_clock(struct runlog_builder *builder, int order, uint32_t thread, uint64_t key)
{
	const uint64_t *message = map_get(&builder->messages[order], key);
	uint32_t clock;

	if (!message)
		return;
	clock = new_clock(builder->log, order, builder->now[order][thread]);
	join_clock(builder->log, order, clock, (uint32_t)*message);
	builder->now[order][thread] = clock;
}

/* Keys of what carries a clock from one thread to another; key 0: nothing does. */
enum { BY_CREATION = 1ull << 60, BY_END = 2ull << 60, BY_OBJECT = 3ull << 60 };

static uint64_t carrier_received(const struct control_event *event, bool *strong)
{
	*strong = true;
	switch (event->kind) {
	case EV_BEGIN: return BY_CREATION | event->thread;
	case EV_JOIN: return BY_END | event->address;
	case EV_PASS: return BY_OBJECT | event->address;
	case EV_WOKEN:
	case EV_DOWN:
	case EV_ONCE: *strong = false; return BY_OBJECT | event->address;
	default: return 0;
	}
}

static uint64_t carrier_sent(const struct control_event *event, bool *strong)
{
	*strong = true;
	switch (event->kind) {
	case EV_CREATE: return BY_CREATION | event->address;
	case EV_END: return BY_END | event->thread;
	case EV_ARRIVE: return BY_OBJECT | event->address;
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_POST:
	case EV_ONCE_END: *strong = false; return BY_OBJECT | event->address;
	default: return 0;
	}
}

/* Does this DOWN take from the semaphore's initial count? Then no POST happened before it. */
static bool takes_initial_count(struct runlog_builder *builder, const struct control_event *event)
{
	uint64_t *left;

	if (event->kind == EV_SEM_INIT)
		*map_put(&builder->initial_counts, event->address, NULL) = event->other;
	if (event->kind != EV_DOWN)
		return false;
	left = map_put(&builder->initial_counts, event->address, NULL);
	return *left && (*left)--;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void add_held_lock(struct runlog_builder *builder, const struct control_event *event,
			  uint64_t lock, bool shared)
{
	struct runlog *log = builder->log;
	runlog_locks set = { 0 };
	const runlog_locks *old = &log->held_sets.items[builder->set[event->thread]];

	for (size_t i = 0; i < old->count; i++)
		*vec_push(&set) = old->items[i];
	*vec_push(&set) = (struct runlog_lock){ lock, event->step, shared };
	*vec_push(&log->acquires[event->thread]) = set.items[set.count - 1];
	*vec_push(&log->held_sets) = set;
	*vec_push(&log->parents) = builder->set[event->thread];
	builder->set[event->thread] = (uint32_t)log->held_sets.count - 1;
}

/* Returns the number of the set without its last lock. Makes that set and its own parents. */
static uint32_t parent_of(struct runlog *log, const runlog_locks *set)
{
	runlog_locks copy = { 0 };

	if (set->count < 2)
		return 0;
	for (size_t i = 0; i + 1 < set->count; i++)
		*vec_push(&copy) = set->items[i];
	*vec_push(&log->held_sets) = copy;
	*vec_push(&log->parents) = 0;
	log->parents.items[log->held_sets.count - 1] = parent_of(log, &copy);
	return (uint32_t)log->held_sets.count - 1;
}

static void remove_held_lock(struct runlog_builder *builder, const struct control_event *event,
			     uint64_t lock)
{
	struct runlog *log = builder->log;
	runlog_locks set = { 0 };
	const runlog_locks *old = &log->held_sets.items[builder->set[event->thread]];
	size_t last = old->count;

	while (last > 0 && old->items[last - 1].address != lock)
		last--;
	if (!last)
		return;
	if (last == old->count) { /* usually locks are released in reverse order */
		builder->set[event->thread] = log->parents.items[builder->set[event->thread]];
		return;
	}
	for (size_t i = 0; i < old->count; i++)
		if (i != last - 1)
			*vec_push(&set) = old->items[i];
	*vec_push(&log->held_sets) = set;
	*vec_push(&log->parents) = 0;
	builder->set[event->thread] = (uint32_t)log->held_sets.count - 1;
	log->parents.items[builder->set[event->thread]] = parent_of(log, &set);
}

static void update_held_locks(struct runlog_builder *builder, const struct control_event *event)
{
	switch (event->kind) {
	case EV_ACQUIRE: add_held_lock(builder, event, event->address, false); break;
	case EV_READ_ACQUIRE: add_held_lock(builder, event, event->address, true); break;
	case EV_WOKEN: add_held_lock(builder, event, event->other, false); break;
	case EV_RELEASE:
	case EV_READ_RELEASE: remove_held_lock(builder, event, event->address); break;
	case EV_WAIT: remove_held_lock(builder, event, event->other); break;
	default: break;
	}
}

/* ---- the whole run --------------------------------------------------------------------------- */

static void add_event(struct runlog_builder *builder, uint32_t position)
{
	struct runlog *log = builder->log;
	const struct control_event *event = &log->events[position];
	struct control_slice *slice =
		log->slices.count ? &log->slices.items[log->slices.count - 1] : NULL;
	bool strong;
	uint64_t key;

	if (!slice || slice->thread != event->thread)
		slice = vec_push(&log->slices);
	*slice = (struct control_slice){ event->thread, event->step + 1 };
	while (log->positions[event->thread].count <= event->step)
		*vec_push(&log->positions[event->thread]) = position;
	key = carrier_received(event, &strong);
	if (takes_initial_count(builder, event))
		key = 0;
	for (int order = strong ? 0 : 1; key && order < 2; order++)
		receive_clock(builder, order, event->thread, key);
	for (int order = 0; order < 2; order++)
		log->clock[order][position] = builder->now[order][event->thread];
	key = carrier_sent(event, &strong);
	for (int order = strong ? 0 : 1; key && order < 2; order++)
		send_clock(builder, order, event, key);
	log->held[position] = builder->set[event->thread];
	update_held_locks(builder, event);
	log->hash = hash_mix(hash_mix(log->hash, (uint64_t)event->thread << 8 | event->kind),
			     event->site);
	if (event_group(event->kind) < EG_MEMORY)
		log->hash = hash_mix(log->hash, event->other);
}

static void start_builder(struct runlog_builder *builder, struct runlog *log)
{
	*builder = (struct runlog_builder){ .log = log };
	builder->set = mem_zalloc(log->threads, sizeof *builder->set);
	*vec_push(&log->held_sets) = (runlog_locks){ 0 };
	*vec_push(&log->parents) = 0;
	for (int order = 0; order < 2; order++) {
		builder->now[order] = mem_zalloc(log->threads, sizeof(uint32_t));
		log->clock[order] = mem_zalloc(log->count + 1, sizeof(uint32_t));
		new_clock(log, order, 0);
	}
	log->positions = mem_zalloc(log->threads, sizeof *log->positions);
	log->acquires = mem_zalloc(log->threads, sizeof *log->acquires);
	log->held = mem_zalloc(log->count + 1, sizeof *log->held);
}

struct runlog *runlog_make(const struct outcome *outcome, uint32_t depth)
{
	struct runlog *log = mem_zalloc(1, sizeof *log);
	struct runlog_builder builder;

	log->depth = depth;
	log->count = outcome->event_count;
	log->events = mem_alloc((log->count + 1) * sizeof *log->events);
	memcpy(log->events, outcome->events, log->count * sizeof *log->events);
	log->threads = outcome->thread_count;
	for (uint32_t i = 0; i < log->count; i++)
		if (log->threads <= log->events[i].thread)
			log->threads = log->events[i].thread + 1;
	start_builder(&builder, log);
	for (uint32_t i = 0; i < log->count; i++)
		add_event(&builder, i);
	free(builder.set);
	map_free(&builder.initial_counts);
	for (int order = 0; order < 2; order++) {
		free(builder.now[order]);
		map_free(&builder.messages[order]);
	}
	return log;
}

void runlog_free(struct runlog *log)
{
	for (uint32_t t = 0; t < log->threads; t++) {
		vec_free(&log->positions[t]);
		vec_free(&log->acquires[t]);
	}
	for (size_t i = 0; i < log->held_sets.count; i++)
		vec_free(&log->held_sets.items[i]);
	for (int order = 0; order < 2; order++) {
		for (size_t i = 0; i < log->clocks[order].count; i++)
			vec_free(&log->clocks[order].items[i]);
		vec_free(&log->clocks[order]);
		free(log->clock[order]);
	}
	vec_free(&log->held_sets);
	vec_free(&log->parents);
	vec_free(&log->slices);
	free(log->positions);
	free(log->acquires);
	free(log->held);
	free(log->events);
	free(log);
}

uint32_t runlog_position(const struct runlog *log, uint32_t thread, uint32_t step)
{
	if (thread >= log->threads || step >= log->positions[thread].count)
		return RUNLOG_NONE;
	return log->positions[thread].items[step];
}

bool runlog_happens_before(const struct runlog *log, uint32_t a, uint32_t b, bool weak)
{
	const struct control_event *x = &log->events[a], *y = &log->events[b];

	if (x->thread == y->thread)
		return a < b;
	return log->clocks[weak].items[log->clock[weak][b]].items[x->thread] > x->step;
}

uint32_t runlog_steps_at(const struct runlog *log, uint32_t thread, uint32_t position)
{
	const runlog_numbers *positions = &log->positions[thread];
	uint32_t steps;

	SEARCH_FIRST(steps, positions->count, positions->items[steps] >= position);
	return steps;
}

bool runlog_overlap(const struct control_event *a, const struct control_event *b)
{
	return a->address < b->address + (b->size ? b->size : 1) &&
	       b->address < a->address + (a->size ? a->size : 1);
}

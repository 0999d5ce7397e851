/*
 * Simulates the plan of a lead on the log of the lead's run, and hashes the resulting order of
 * dependent operations.
 */
#include "explore/search/run_key.h"

#include "base/hash.h"
#include "base/mem.h"
#include "event/event.h"
#include "explore/control/plan_play.h"

/* ---- the key of an order --------------------------------------------------------------------- */

/*
 * The key is a sum with a term for each operation: the hash of the operation and of the last
 * operations on which it depends. Two accesses count as dependent only if their first bytes are
 * equal.
 */
struct key_builder {
	struct map last, readers; /* by address: last write; reads since (hashes) */
	uint64_t sum;
};

static void add_use(struct key_builder *keying, uint64_t id, uint64_t address, bool writes)
{
	uint64_t *last = map_put(&keying->last, address, NULL);

	if (writes) {
		uint64_t *readers = map_put(&keying->readers, address, NULL);
		keying->sum += hash_mix(id, *last ^ hash_mix(*readers, address));
		*readers = 0;
		*last = id;
	} else {
		keying->sum += hash_mix(id, *last);
		*map_put(&keying->readers, address, NULL) += hash_mix(id, 7);
	}
}

static void add_event(struct key_builder *keying, const struct control_event *event)
{
	uint64_t id = hash_mix((uint64_t)event->thread << 32 | event->step, 3);

	keying->sum += id;
	if (event->kind == EV_COPY)
		add_use(keying, id, event->other, false);
	if (op_uses_reads(event) || op_uses_writes(event))
		add_use(keying, id, event->address, op_uses_writes(event));
	else if (event->kind == EV_FREE || op_uses_sync(event))
		add_use(keying, id, event->address, event->kind != EV_READ_ACQUIRE);
}

static uint64_t finish_key(struct key_builder *keying)
{
	map_free(&keying->last);
	map_free(&keying->readers);
	return keying->sum | 1;
}

uint64_t run_key_of_events(const struct control_event *events, uint32_t count)
{
	struct key_builder keying = { 0 };

	for (uint32_t i = 0; i < count; i++)
		add_event(&keying, &events[i]);
	return finish_key(&keying);
}

/* ---- simulating a plan ----------------------------------------------------------------------- */

#define MOST_WORK 4000000 /* limit on the number of events times the number of slices */

struct plan_simulation {
	const struct runlog *log;
	uint32_t *next;	   /* by thread: number of its next step */
	struct map owners; /* by address of the lock: thread + 1; 0: free */
	bool *begun;	   /* by thread: was it created? */
	struct key_builder keying;
};

static bool has_ended(const struct plan_simulation *p, uint32_t thread)
{
	return p->next[thread] >= p->log->positions[thread].count;
}

static const struct control_event *next_event(const struct plan_simulation *p, uint32_t thread)
{
	return &p->log->events[runlog_position(p->log, thread, p->next[thread])];
}

/*
 * Can the thread run, as far as creation, joins and mutexes are concerned? Other operations are
 * assumed to be possible.
 */
static bool can_run(const void *context, uint32_t thread)
{
	const struct plan_simulation *p = context;
	const struct control_event *event;
	const uint64_t *owner;

	if (has_ended(p, thread) || !p->begun[thread])
		return false;
	event = next_event(p, thread);
	if (event->kind == EV_JOIN)
		return event->address >= p->log->threads || has_ended(p, (uint32_t)event->address);
	if (event->kind != EV_ACQUIRE && event->kind != EV_WOKEN)
		return true;
	owner = map_get(&p->owners, event->kind == EV_WOKEN ? event->other : event->address);
	return !owner || !*owner || *owner == thread + 1;
}

static uint32_t next_step(const void *context, uint32_t thread)
{
	return ((const struct plan_simulation *)context)->next[thread];
}

static void do_next_step(struct plan_simulation *p, uint32_t thread)
{
	const struct control_event *event = next_event(p, thread);

	if (event->kind == EV_CREATE && event->address < p->log->threads)
		p->begun[event->address] = true;
	if (event->kind == EV_ACQUIRE)
		*map_put(&p->owners, event->address, NULL) = thread + 1;
	if (event->kind == EV_WOKEN)
		*map_put(&p->owners, event->other, NULL) = thread + 1;
	if (event->kind == EV_RELEASE)
		*map_put(&p->owners, event->address, NULL) = 0;
	if (event->kind == EV_WAIT)
		*map_put(&p->owners, event->other, NULL) = 0;
	add_event(&p->keying, event);
	p->next[thread]++;
}

uint64_t run_key_of_lead(const struct lead *lead, const struct plan *plan, bool *possible)
{
	const struct runlog *log = lead->log;
	struct plan_simulation playing = { .log = log };
	struct plan_player player = { .plan = plan,
				      .threads = log->threads,
				      .can = can_run,
				      .step = next_step,
				      .context = &playing };
	uint32_t thread;

	*possible = true;
	if ((uint64_t)log->count * (plan->slices.count + 1) > MOST_WORK)
		return 0;
	playing.next = mem_zalloc(log->threads, sizeof *playing.next);
	playing.begun = mem_zalloc(log->threads, sizeof *playing.begun);
	playing.begun[0] = true;
	while ((thread = plan_pick(&player)) != PLAN_NO_THREAD)
		do_next_step(&playing, thread);
	*possible = !player.broken;
	free(playing.next);
	free(playing.begun);
	map_free(&playing.owners);
	return finish_key(&playing.keying);
}

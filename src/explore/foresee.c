#include "explore/foresee.h"

#include "base/hash.h"
#include "base/mem.h"
#include "event/event.h"

/* ---- the key of an order ------------------------------------------------------------------ */

/*
 * A sum over the operations of who they are and which ones they depend on came last. Locations are
 * told apart by their first byte.
 */
struct keying {
	struct map last, readers; /* by address */
	uint64_t sum;
};

static void add_use(struct keying *keying, uint64_t id, uint64_t address, bool writes)
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

static void add_event(struct keying *keying, const struct control_event *event)
{
	uint64_t id = hash_mix((uint64_t)event->thread << 32 | event->step, 3);

	keying->sum += id;
	if (event->kind == EV_COPY)
		add_use(keying, id, event->other, false);
	if (uses_reads(event) || uses_writes(event))
		add_use(keying, id, event->address, uses_writes(event));
	else if (event->kind == EV_FREE || uses_sync(event))
		add_use(keying, id, event->address, event->kind != EV_READ_ACQUIRE);
}

static uint64_t finish(struct keying *keying)
{
	map_free(&keying->last);
	map_free(&keying->readers);
	return keying->sum | 1;
}

uint64_t foresee_key_of(const struct control_event *events, uint32_t count)
{
	struct keying keying = { 0 };

	for (uint32_t i = 0; i < count; i++)
		add_event(&keying, &events[i]);
	return finish(&keying);
}

/* ---- playing a plan ----------------------------------------------------------------------- */

#define MOST_WORK 4000000 /* events times runs */

struct playing {
	const struct runlog *log;
	const struct plan *plan;
	uint32_t *next; /* of each thread: the step to come */
	size_t run;	/* the first that is not finished */
	uint32_t current;
	bool free;	   /* the rules were given up */
	bool broken;	   /* … although somebody could have gone on */
	struct map owners; /* of locks: thread + 1 */
	bool *begun;	   /* of each thread: created */
	struct keying keying;
};

static bool is_over(const struct playing *p, uint32_t thread)
{
	return p->next[thread] >= p->log->places[thread].count;
}

static const struct control_event *next_of(const struct playing *p, uint32_t thread)
{
	return &p->log->events[runlog_place(p->log, thread, p->next[thread])];
}

/* Creation, joins and mutexes; everything else is taken to be possible. */
static bool possible(const struct playing *p, uint32_t thread)
{
	const struct control_event *event;
	const uint64_t *owner;

	if (is_over(p, thread) || !p->begun[thread])
		return false;
	event = next_of(p, thread);
	if (event->kind == EV_JOIN)
		return event->address >= p->log->threads || is_over(p, (uint32_t)event->address);
	if (event->kind != EV_ACQUIRE && event->kind != EV_WOKEN)
		return true;
	owner = map_get(&p->owners, event->kind == EV_WOKEN ? event->other : event->address);
	return !owner || !*owner || *owner == thread + 1;
}

static bool held_back(const struct playing *p, uint32_t thread, bool nobody_else)
{
	for (size_t i = 0; i < p->plan->rules.count && !p->free; i++) {
		const struct control_rule *rule = &p->plan->rules.items[i];
		if (rule->after_thread != thread || rule->after_step != p->next[thread])
			continue;
		if (rule->before_step == CONTROL_NONE
			    ? !nobody_else
			    : p->next[rule->before_thread] <= rule->before_step)
			return true;
	}
	return false;
}

static uint32_t pick(struct playing *p, bool nobody_else)
{
	const struct plan *plan = p->plan;

	while (p->run < plan->runs.count &&
	       p->next[plan->runs.items[p->run].thread] >= plan->runs.items[p->run].until)
		p->run++;
	for (size_t i = p->run; i < plan->runs.count; i++) {
		uint32_t thread = plan->runs.items[i].thread;
		if (p->next[thread] < plan->runs.items[i].until && possible(p, thread) &&
		    !held_back(p, thread, nobody_else))
			return thread;
	}
	if (possible(p, p->current) && !held_back(p, p->current, nobody_else))
		return p->current;
	for (uint32_t t = 0; t < p->log->threads; t++)
		if (possible(p, t) && !held_back(p, t, nobody_else))
			return t;
	return RUNLOG_NONE;
}

static void play(struct playing *p, uint32_t thread)
{
	const struct control_event *event = next_of(p, thread);

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
	p->current = thread;
}

static void play_all(struct playing *p)
{
	for (;;) {
		uint32_t thread = pick(p, false);
		if (thread == RUNLOG_NONE)
			thread = pick(p, true);
		if (thread == RUNLOG_NONE && !p->free) {
			p->free = true;
			for (uint32_t t = 0; t < p->log->threads; t++)
				p->broken |= possible(p, t);
			continue;
		}
		if (thread == RUNLOG_NONE)
			return;
		play(p, thread);
	}
}

uint64_t foresee_key(const struct lead *lead, const struct plan *plan, bool *possible_)
{
	const struct runlog *log = lead->log;
	struct playing playing = { .log = log, .plan = plan };

	*possible_ = true;
	if ((uint64_t)log->count * (plan->runs.count + 1) > MOST_WORK)
		return 0;
	playing.next = mem_zalloc(log->threads, sizeof *playing.next);
	playing.begun = mem_zalloc(log->threads, sizeof *playing.begun);
	for (uint32_t t = 0; t < log->threads; t++)
		playing.begun[t] = t == 0;
	play_all(&playing);
	*possible_ = !playing.broken;
	free(playing.next);
	free(playing.begun);
	map_free(&playing.owners);
	return finish(&playing.keying);
}

/*
 * The queue of leads: ranks leads, limits the number of queued leads per pair of sites, and returns
 * the best one. leads_memory.c and leads_sync.c find the leads of a run.
 */
#include "explore/search/leads.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "event/event.h"

#include <assert.h>
#include <string.h>

#define MOST_OF_A_PAIR 6 /* queued leads of one pair of sites */
#define MOST_OPEN 20000	 /* queued leads in total */
#define COST_OF_A_TRY 4	 /* in points of rank, like the numbers below */
#define COST_OF_DEPTH 2
#define COST_OF_NOTHING_NEW 6
#define COST_OF_TURNING_BACK 6
#define GAIN_OF_A_HINT 1

/* Kinds of the same family share the counters of tried and queued leads at a pair of sites. */
static const struct {
	const char *name;
	int rank;
	bool stay;
	enum lead_kind family;
} kinds[LEAD_KINDS] = {
	[LEAD_CYCLE] = { "cycle", 0, false, LEAD_CYCLE },
	[LEAD_FREE] = { "free", 0, false, LEAD_FREE },
	[LEAD_FREE_LATE] = { "free-late", 2, false, LEAD_FREE },
	[LEAD_SIGNAL] = { "signal", 1, false, LEAD_SIGNAL },
	[LEAD_SEE] = { "see", 2, false, LEAD_SEE },
	[LEAD_SEE_LAST] = { "see-last", 1, false, LEAD_SEE },
	[LEAD_OLDER] = { "older", 1, true, LEAD_OLDER },
	[LEAD_OLDER_BACK] = { "older-back", 2, false, LEAD_OLDER },
	[LEAD_BEFORE] = { "before", 2, true, LEAD_OLDER },
	[LEAD_BEFORE_BACK] = { "before-back", 2, false, LEAD_OLDER },
	[LEAD_TRIPLE] = { "triple", 2, false, LEAD_TRIPLE },
	[LEAD_WRITES] = { "writes", 2, true, LEAD_WRITES },
};

const char *lead_kind_name(enum lead_kind kind)
{
	return kinds[kind].name;
}

static uint64_t hash_three(uint64_t a, uint64_t b, uint64_t c)
{
	return hash_mix(hash_mix(hash_mix(0, a), b), c);
}

static uint64_t pair_of(uint64_t one, uint64_t other)
{
	return one < other ? hash_three(one, other, 0) : hash_three(other, one, 0);
}

void leads_hint(struct leads *leads, uint64_t one, uint64_t other)
{
	map_put(&leads->hinted, pair_of(one, other), NULL);
}

/* ---- adding ---------------------------------------------------------------------------------- */

void leads_add(struct leads *leads, struct runlog *log, enum lead_kind kind,
	       const struct control_rule *rules, size_t count, uint64_t site_a, uint64_t site_b,
	       int penalty)
{
	uint64_t pair = hash_three(site_a, site_b, kinds[kind].family);
	uint64_t sites = pair_of(site_a, site_b);
	uint64_t *queued = map_put(&leads->queued, pair, NULL);
	struct lead lead = { .kind = kind,
			     .log = log,
			     .pair = pair,
			     .site_a = site_a,
			     .site_b = site_b,
			     .stay = kinds[kind].stay };

	if (*queued >= MOST_OF_A_PAIR || leads->queue.count >= MOST_OPEN) {
		leads->dropped++;
		return;
	}
	++*queued;
	lead.rank = kinds[kind].rank + penalty + COST_OF_DEPTH * (int)log->depth +
		    (log->interesting ? 0 : COST_OF_NOTHING_NEW) +
		    (log->turned == sites ? COST_OF_TURNING_BACK : 0) -
		    (map_get(&leads->hinted, sites) ? GAIN_OF_A_HINT : 0);
	for (size_t i = 0; i < count; i++)
		*vec_push(&lead.rules) = rules[i];
	log->leads++;
	leads->made++;
	*vec_push(&leads->queue) = lead;
}

/* ---- moving a stop above locks --------------------------------------------------------------- */

/* Does the thread, in the steps from..last, acquire `lock` in a mode that conflicts with it? */
static bool has_acquire(const struct runlog *log, uint32_t thread, const struct runlog_lock *lock,
			uint32_t from, uint32_t last)
{
	const runlog_locks *list = &log->acquires[thread];
	size_t at;

	SEARCH_FIRST(at, list->count, list->items[at].step >= from);
	for (; at < list->count && list->items[at].step <= last; at++)
		if (list->items[at].address == lock->address &&
		    !(list->items[at].shared && lock->shared))
			return true;
	return false;
}

uint32_t lead_stop_above_locks(const struct runlog *log, uint32_t held, uint32_t step,
			       uint32_t other, uint32_t other_step)
{
	for (int round = 0; round < 50; round++) {
		uint32_t position = runlog_position(log, held, step), up = step;
		const runlog_locks *set;
		uint32_t from;
		if (position == RUNLOG_NONE)
			return step;
		set = &log->held_sets.items[log->held[position]];
		from = runlog_steps_at(log, other, position);
		for (size_t i = 0; i < set->count; i++)
			if (set->items[i].step < up &&
			    has_acquire(log, other, &set->items[i], from, other_step))
				up = set->items[i].step;
		if (up == step)
			return step;
		step = up;
		while (step > 0 && log->events[runlog_position(log, held, step)].kind == EV_WOKEN)
			step--;
	}
	return step;
}

/* ---- learning from a run --------------------------------------------------------------------- */

/*
 * Does the run show something that no run showed before: a read that sees a write at another site
 * (or in another thread), or a wait, signal or failed try at a site that had none? Otherwise its
 * leads are probably not new either.
 */
static bool shows_new_pairs(struct leads *leads, const struct runlog *log)
{
	struct map writers = { 0 };
	bool new = false;

	for (uint32_t i = 0; i < log->count; i++) {
		const struct control_event *event = &log->events[i];
		bool fresh = false;
		if (op_uses_reads(event)) {
			const uint64_t *writer = map_get(&writers, event->address);
			const struct control_event *by = writer ? &log->events[*writer] : NULL;
			map_put(&leads->seen_pairs,
				hash_three(event->site, by ? by->site : 0,
					   by ? 1 + (by->thread == event->thread) : 0),
				&fresh);
			new |= fresh;
		}
		if (event->kind == EV_WAIT || event->kind == EV_SIGNAL ||
		    event->kind == EV_ACQUIRE_FAIL || event->kind == EV_DOWN_FAIL) {
			map_put(&leads->seen_pairs, hash_three(event->site, event->kind, 7),
				&fresh);
			new |= fresh;
		}
		if (op_uses_writes(event))
			*map_put(&writers, event->address, NULL) = i;
	}
	map_free(&writers);
	return new;
}

static void free_unused_log(struct leads *leads, struct runlog *log)
{
	if (log->leads)
		return;
	for (size_t i = 0; i < leads->logs.count; i++)
		if (leads->logs.items[i] == log) {
			leads->logs.items[i] = leads->logs.items[--leads->logs.count];
			break;
		}
	runlog_free(log);
}

bool leads_learn(struct leads *leads, const struct outcome *outcome, uint32_t depth,
		 const struct lead *by)
{
	struct runlog *log;
	bool fresh;

	if (outcome->events_lost || !outcome->event_count)
		return false;
	log = runlog_make(outcome, depth);
	log->turned = by ? pair_of(by->site_a, by->site_b) : 0;
	map_put(&leads->hashes, log->hash, &fresh);
	if (!fresh || leads->queue.count >= MOST_OPEN) {
		runlog_free(log);
		return false;
	}
	log->interesting = shows_new_pairs(leads, log);
	*vec_push(&leads->logs) = log;
	leads_from_cycles(leads, log);
	leads_from_blocks(leads, log);
	leads_from_signals(leads, log);
	leads_from_memory(leads, log);
	free_unused_log(leads, log);
	return true;
}

/* ---- the queue ------------------------------------------------------------------------------- */

/* Linear search is fast enough: a run takes far longer than looking at 20,000 leads. */
bool leads_take(struct leads *leads, struct lead *lead)
{
	size_t best = SIZE_MAX;
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < leads->queue.count; i++) {
		const uint64_t *tried = map_get(&leads->tried, leads->queue.items[i].pair);
		int64_t score =
			leads->queue.items[i].rank + COST_OF_A_TRY * (int64_t)(tried ? *tried : 0);
		if (score < least) {
			least = score;
			best = i;
		}
	}
	if (best == SIZE_MAX)
		return false;
	*lead = leads->queue.items[best];
	memmove(&leads->queue.items[best], &leads->queue.items[best + 1],
		(leads->queue.count - best - 1) * sizeof *leads->queue.items);
	leads->queue.count--;
	leads->taken++;
	++*map_put(&leads->tried, lead->pair, NULL);
	--*map_put(&leads->queued, lead->pair, NULL);
	return true;
}

void lead_done(struct leads *leads, struct lead *lead)
{
	vec_free(&lead->rules);
	assert(lead->log->leads > 0);
	lead->log->leads--;
	free_unused_log(leads, lead->log);
}

void leads_free(struct leads *leads)
{
	for (size_t i = 0; i < leads->queue.count; i++)
		vec_free(&leads->queue.items[i].rules);
	for (size_t i = 0; i < leads->logs.count; i++)
		runlog_free(leads->logs.items[i]);
	vec_free(&leads->queue);
	vec_free(&leads->logs);
	map_free(&leads->tried);
	map_free(&leads->queued);
	map_free(&leads->seen_pairs);
	map_free(&leads->hashes);
	map_free(&leads->hinted);
}

/*
 * Leads from synchronisation: blocks that are freed too early, locks that are acquired in a cycle,
 * waits that begin too late for their signal.
 */
#include "explore/search/leads.h"

#include "base/hash.h"
#include "event/event.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

#define MOST_USES 32 /* uses that are kept of one block */
#define MOST_FREES 1000

/* Keeps the use at `at`, unless the same site in the same thread has used the block before. */
static void add_first_use(const struct runlog *log, runlog_numbers *uses, uint32_t at)
{
	const struct control_event *event = &log->events[at];

	for (size_t i = 0; i < uses->count; i++) {
		const struct control_event *known = &log->events[uses->items[i]];
		if (known->site == event->site && known->thread == event->thread)
			return;
	}
	if (uses->count < MOST_USES)
		*vec_push(uses) = at;
}

/*
 * For each use of a block by another thread that does not happen before the free at `at`, adds
 * leads by which the free comes first.
 */
static void add_free_leads(struct leads *leads, struct runlog *log, const runlog_numbers *uses,
			   uint32_t at)
{
	const struct control_event *end = &log->events[at];

	for (size_t i = 0; i < uses->count; i++) {
		const struct control_event *use = &log->events[uses->items[i]];
		struct control_rule rule;
		int penalty;
		if (use->thread == end->thread ||
		    runlog_happens_before(log, uses->items[i], at, false))
			continue;
		penalty = runlog_happens_before(log, uses->items[i], at, true) ? 4 : 0;
		rule = (struct control_rule){ end->thread, end->step, use->thread,
					      lead_stop_above_locks(log, use->thread, use->step,
								    end->thread, end->step) };
		leads_add(leads, log, LEAD_FREE, &rule, 1, use->site, end->site, penalty);
		rule.before_step = CONTROL_NONE;
		leads_add(leads, log, LEAD_FREE_LATE, &rule, 1, use->site, end->site, penalty);
	}
}

/* Passes over the log once; looks up the block that each event uses. */
void leads_from_blocks(struct leads *leads, struct runlog *log)
{
	struct use_blocks blocks = { 0 };
	VEC(runlog_numbers) uses = { 0 };
	int frees = 0;

	op_uses_learn_blocks(&blocks, log->events, log->count);
	for (size_t i = 0; i < blocks.list.count; i++)
		*vec_push(&uses) = (runlog_numbers){ 0 };
	for (uint32_t i = 0; i < log->count && blocks.list.count; i++) {
		const struct control_event *event = &log->events[i];
		size_t at;
		if (!op_uses_reads(event) && !op_uses_writes(event) && !op_uses_sync(event) &&
		    event->kind != EV_FREE)
			continue;
		at = op_uses_find_block(&blocks, event->address);
		if (at == SIZE_MAX)
			continue;
		if (event->kind == EV_FREE && frees++ < MOST_FREES)
			add_free_leads(leads, log, &uses.items[at], i);
		add_first_use(log, &uses.items[at], i);
	}
	for (size_t i = 0; i < uses.count; i++)
		vec_free(&uses.items[i]);
	vec_free(&uses);
	op_uses_free_blocks(&blocks);
}

/* ---- locks in a cycle ------------------------------------------------------------------------ */

/* A thread acquires `second` while it holds `first`. */
struct lock_edge {
	uint32_t thread, position, first_step, second_step, set;
	uint64_t first, second;
	bool first_shared, second_shared;
};
typedef VEC(struct lock_edge) edges;

#define MOST_EDGES 400
#define LONGEST_CYCLE 5

static void find_edges(const struct runlog *log, edges *list)
{
	struct map known = { 0 };

	for (uint32_t i = 0; i < log->count && list->count < MOST_EDGES; i++) {
		const struct control_event *event = &log->events[i];
		const runlog_locks *held = &log->held_sets.items[log->held[i]];
		if ((event->kind != EV_ACQUIRE && event->kind != EV_READ_ACQUIRE) ||
		    (event->flags & (CONTROL_EVENT_TRY | CONTROL_EVENT_TIMED)))
			continue;
		for (size_t h = 0; h < held->count; h++) {
			uint64_t locks =
				hash_mix(hash_mix(0, held->items[h].address), event->address);
			uint64_t key = hash_mix(hash_mix(locks, event->site), event->thread);
			bool fresh;
			map_put(&known, key, &fresh);
			if (fresh && held->items[h].address != event->address)
				*vec_push(list) = (struct lock_edge){
					.thread = event->thread,
					.position = i,
					.first_step = held->items[h].step,
					.second_step = event->step,
					.set = log->held[i],
					.first = held->items[h].address,
					.second = event->address,
					.first_shared = held->items[h].shared,
					.second_shared = event->kind == EV_READ_ACQUIRE,
				};
		}
	}
	map_free(&known);
}

/* Do both threads hold a common lock (a gate lock)? It prevents the deadlock. */
static bool have_gate(const struct runlog *log, const struct lock_edge *a,
		      const struct lock_edge *b)
{
	const runlog_locks *x = &log->held_sets.items[a->set], *y = &log->held_sets.items[b->set];

	for (size_t i = 0; i < x->count; i++)
		for (size_t k = 0; k < y->count; k++)
			if (x->items[i].address == y->items[k].address &&
			    !(x->items[i].shared && y->items[k].shared))
				return true;
	return false;
}

static bool can_extend_cycle(const struct runlog *log, const edges *list, const uint32_t *cycle,
			     uint32_t length, uint32_t next)
{
	const struct lock_edge *edge = &list->items[next];

	for (uint32_t i = 0; i < length; i++) {
		const struct lock_edge *other = &list->items[cycle[i]];
		uint32_t early =
			other->position < edge->position ? other->position : edge->position;
		uint32_t late = other->position < edge->position ? edge->position : other->position;
		if (other->thread == edge->thread ||
		    runlog_happens_before(log, early, late, false) || have_gate(log, other, edge))
			return false;
	}
	return true;
}

/*
 * Adds the lead in which every thread holds its first lock before any thread acquires its second.
 */
static void add_cycle(struct leads *leads, struct runlog *log, const edges *list,
		      const uint32_t *cycle, uint32_t length)
{
	VEC(struct control_rule) rules = { 0 };
	uint64_t sites = 0;

	for (uint32_t i = 0; i < length; i++) {
		const struct lock_edge *edge = &list->items[cycle[i]];
		sites ^= log->events[edge->position].site;
		for (uint32_t k = 0; k < length; k++)
			if (k != i)
				*vec_push(&rules) =
					(struct control_rule){ list->items[cycle[k]].thread,
							       list->items[cycle[k]].first_step,
							       edge->thread, edge->second_step };
	}
	leads_add(leads, log, LEAD_CYCLE, rules.items, rules.count, sites, length, 0);
	vec_free(&rules);
}

static void extend_cycle(struct leads *leads, struct runlog *log, const edges *list,
			 uint32_t *cycle, uint32_t length)
{
	const struct lock_edge *last = &list->items[cycle[length - 1]];
	const struct lock_edge *first = &list->items[cycle[0]];

	if (length > 1 && last->second == first->first &&
	    !(last->second_shared && first->first_shared)) {
		add_cycle(leads, log, list, cycle, length);
		return;
	}
	if (length == LONGEST_CYCLE)
		return;
	for (uint32_t i = cycle[0] + 1; i < list->count; i++)
		if (list->items[i].first == last->second &&
		    !(list->items[i].first_shared && last->second_shared) &&
		    can_extend_cycle(log, list, cycle, length, i)) {
			cycle[length] = i;
			extend_cycle(leads, log, list, cycle, length + 1);
		}
}

void leads_from_cycles(struct leads *leads, struct runlog *log)
{
	uint32_t cycle[LONGEST_CYCLE];
	edges list = { 0 };

	find_edges(log, &list);
	for (uint32_t i = 0; i < list.count; i++) {
		cycle[0] = i;
		extend_cycle(leads, log, &list, cycle, 1);
	}
	vec_free(&list);
}

/* ---- wake-ups -------------------------------------------------------------------------------- */

#define MOST_WAITS 200

void leads_from_signals(struct leads *leads, struct runlog *log)
{
	int waits = 0;

	for (uint32_t i = 0; i < log->count && waits < MOST_WAITS; i++) {
		const struct control_event *wait = &log->events[i];
		struct control_rule rule;
		if (wait->kind != EV_WAIT)
			continue;
		waits++;
		for (uint32_t k = i + 1; k < log->count; k++) {
			const struct control_event *signal = &log->events[k];
			if ((signal->kind != EV_SIGNAL && signal->kind != EV_BROADCAST) ||
			    signal->address != wait->address || signal->thread == wait->thread)
				continue;
			rule = (struct control_rule){ signal->thread, signal->step, wait->thread,
						      lead_stop_above_locks(
							      log, wait->thread, wait->step,
							      signal->thread, signal->step) };
			leads_add(leads, log, LEAD_SIGNAL, &rule, 1, wait->site, signal->site,
				  rule.after_step != wait->step ? 2 : 0);
			break;
		}
	}
}

/*
 * Leads from accesses: another value for a read, a write of another thread between two accesses,
 * two writes in the other order. Only locations that several threads use and at least one thread
 * writes have leads.
 *
 * A location may be used a hundred thousand times, and looking at all pairs of uses would take too
 * long. So only the first few uses of a location by each site in each thread count, and each is
 * paired only with uses at most FAR away. Loops would repeat the same pairs of sites anyway.
 */
#include "explore/search/leads.h"

#include "base/hash.h"
#include "event/event.h"

#define FAR 400		 /* in uses of the location */
#define USES_OF_A_SITE 6 /* uses that count, by one site in one thread at one location */
#define OF_A_PAIR 8	 /* leads from one pair of sites at one location */

/* ---- locations ------------------------------------------------------------------------------- */

/* A cell of 8 bytes and its accesses, in the order of the run. */
struct location {
	uint32_t first_thread;
	bool shared, written;
	runlog_numbers uses; /* positions in the log; empty unless shared and written */
};
struct locations {
	struct map cells;
	VEC(struct location) list;
};

/* Of a large access only the first cells count: bulk copies of data rarely have bugs. */
#define MOST_CELLS 32

static void add_to_cells(struct locations *locations, const struct control_event *event,
			 uint64_t address, uint32_t position, bool collect, bool writes)
{
	uint64_t last = (address + (event->size ? event->size : 1) - 1) >> 3;

	if (last > (address >> 3) + MOST_CELLS)
		last = (address >> 3) + MOST_CELLS;
	for (uint64_t cell = address >> 3; cell <= last; cell++) {
		bool fresh;
		uint64_t *at = map_put(&locations->cells, cell, &fresh);
		struct location *location;
		if (fresh) {
			*at = locations->list.count;
			*vec_push(&locations->list) =
				(struct location){ .first_thread = event->thread };
		}
		location = &locations->list.items[*at];
		if (!collect) {
			location->shared |= location->first_thread != event->thread;
			location->written |= writes;
		} else if (location->shared && location->written) {
			*vec_push(&location->uses) = position;
		}
	}
}

static void find_locations(struct locations *locations, const struct runlog *log)
{
	for (int collect = 0; collect < 2; collect++)
		for (uint32_t i = 0; i < log->count; i++) {
			const struct control_event *event = &log->events[i];
			if (event->kind == EV_COPY)
				add_to_cells(locations, event, event->other, i, collect, false);
			if (op_uses_reads(event) || op_uses_writes(event))
				add_to_cells(locations, event, event->address, i, collect,
					     op_uses_writes(event));
		}
}

/* ---- one location ---------------------------------------------------------------------------- */

struct search {
	struct leads *leads;
	struct runlog *log;
	const runlog_numbers *uses;
	struct map pairs, sites; /* leads by pair of sites; uses by site and thread */
	VEC(struct control_rule) rules;
};

static bool count_below(struct map *map, uint64_t a, uint64_t b, uint64_t c, uint64_t most)
{
	return (*map_put(map, hash_mix(hash_mix(hash_mix(0, a), b), c), NULL))++ < most;
}

static const struct control_event *use_at(const struct search *search, size_t i)
{
	return &search->log->events[search->uses->items[i]];
}

static bool same_value(const struct control_event *a, const struct control_event *b)
{
	return a->size == b->size && a->address == b->address && a->other == b->other;
}

/* Adds leads that delay the read at `r` until after a later write. */
static void add_see_leads(struct search *search, size_t r)
{
	const struct runlog *log = search->log;
	const struct control_event *read = use_at(search, r);
	struct map seen = { 0 };
	int found = 0;

	for (size_t w = r + 1; w < search->uses->count && w < r + FAR && found < 40; w++) {
		const struct control_event *write = use_at(search, w);
		struct control_rule rule;
		int penalty = 0;
		if (!op_uses_writes(write) || write->thread == read->thread ||
		    !runlog_overlap(read, write) ||
		    runlog_happens_before(log, search->uses->items[r], search->uses->items[w],
					  false) ||
		    !count_below(&seen, write->thread, write->site, 0, 1))
			continue;
		found++;
		if (!count_below(&search->pairs, read->site, write->site, 1, OF_A_PAIR))
			continue;
		if (read->kind != EV_ATOMIC_UPDATE && same_value(read, write))
			penalty += 3;
		if (runlog_happens_before(log, search->uses->items[r], search->uses->items[w],
					  true))
			penalty += 4;
		penalty += write->kind == EV_ATOMIC_UPDATE;
		rule = (struct control_rule){ write->thread, write->step, read->thread,
					      lead_stop_above_locks(log, read->thread, read->step,
								    write->thread, write->step) };
		leads_add(search->leads, search->log, LEAD_SEE, &rule, 1, read->site, write->site,
			  penalty);
		rule.before_step = CONTROL_NONE;
		leads_add(search->leads, search->log, LEAD_SEE_LAST, &rule, 1, read->site,
			  write->site, penalty);
	}
	map_free(&seen);
}

/*
 * Makes rules by which the read comes before all these writes: one rule for each thread, with its
 * first write.
 */
static void make_rules_before(struct search *search, const struct control_event *read,
			      const runlog_numbers *writes)
{
	search->rules.count = 0;
	for (size_t i = 0; i < writes->count; i++) {
		const struct control_event *write = &search->log->events[writes->items[i]];
		size_t k = 0;
		while (k < search->rules.count &&
		       search->rules.items[k].after_thread != write->thread)
			k++;
		if (k == search->rules.count)
			*vec_push(&search->rules) =
				(struct control_rule){ read->thread, read->step, write->thread,
						       write->step };
		else if (write->step < search->rules.items[k].after_step)
			search->rules.items[k].after_step = write->step;
	}
	for (size_t k = 0; k < search->rules.count; k++) {
		struct control_rule *rule = &search->rules.items[k];
		rule->after_step =
			lead_stop_above_locks(search->log, rule->after_thread, rule->after_step,
					      read->thread, read->step);
	}
}

static void add_before_leads(struct search *search, enum lead_kind kind, enum lead_kind back,
			     const struct control_event *read, const struct control_event *write,
			     int penalty)
{
	leads_add(search->leads, search->log, kind, search->rules.items, search->rules.count,
		  read->site, write->site, penalty);
	leads_add(search->leads, search->log, back, search->rules.items, search->rules.count,
		  read->site, write->site, penalty);
}

/* Adds leads by which the read at `r` comes before writes that it followed. */
static void add_older_leads(struct search *search, size_t r)
{
	const struct runlog *log = search->log;
	const struct control_event *read = use_at(search, r), *last;
	runlog_numbers writes = { 0 };
	int penalty = 0;

	for (size_t w = r; w-- > 0 && r - w < FAR;) {
		const struct control_event *write = use_at(search, w);
		if (!op_uses_writes(write) || !runlog_overlap(read, write))
			continue;
		if (write->thread == read->thread ||
		    runlog_happens_before(log, search->uses->items[w], search->uses->items[r],
					  false))
			break;
		*vec_push(&writes) = search->uses->items[w];
	}
	last = writes.count ? &log->events[writes.items[0]] : NULL;
	if (last && count_below(&search->pairs, read->site, last->site, 2, OF_A_PAIR)) {
		if (runlog_happens_before(log, writes.items[0], search->uses->items[r], true))
			penalty = 4;
		make_rules_before(search, read, &writes);
		add_before_leads(search, LEAD_OLDER, LEAD_OLDER_BACK, read, last, penalty);
		if (writes.count > 1) {
			if (same_value(last, &log->events[writes.items[1]]))
				penalty += 3;
			writes.count = 1;
			make_rules_before(search, read, &writes);
			add_before_leads(search, LEAD_BEFORE, LEAD_BEFORE_BACK, read, last,
					 penalty);
		}
	}
	vec_free(&writes);
}

/* Adds leads that move an earlier write of another thread between two accesses of one thread. */
static void add_triple_leads(struct search *search, size_t second)
{
	const struct runlog *log = search->log;
	const struct control_event *two = use_at(search, second), *one;
	size_t first = second;
	int found = 0;

	do {
		if (first == 0 || second - first > FAR / 2)
			return;
		one = use_at(search, --first);
	} while (one->thread != two->thread);
	for (size_t w = first; w-- > 0 && second - w < FAR && found < 8;) {
		const struct control_event *write = use_at(search, w);
		struct control_rule rules[2];
		if (!op_uses_writes(write) || write->thread == two->thread ||
		    !runlog_overlap(two, write) ||
		    runlog_happens_before(log, search->uses->items[w], search->uses->items[first],
					  false))
			continue;
		found++;
		if (!count_below(&search->pairs, two->site, write->site, 3 ^ one->site,
				 OF_A_PAIR / 2))
			continue;
		rules[0] = (struct control_rule){ one->thread, one->step, write->thread,
						  lead_stop_above_locks(log, write->thread,
									write->step, one->thread,
									one->step) };
		rules[1] =
			(struct control_rule){ write->thread, write->step, two->thread,
					       lead_stop_above_locks(log, two->thread, two->step,
								     write->thread, write->step) };
		if (rules[1].after_step <= one->step)
			continue;
		leads_add(search->leads, search->log, LEAD_TRIPLE, rules, 2, two->site,
			  write->site ^ one->site,
			  runlog_happens_before(log, search->uses->items[w],
						search->uses->items[first], true)
				  ? 4
				  : 0);
	}
}

static void add_writes_lead(struct search *search, size_t first)
{
	const struct runlog *log = search->log;
	const struct control_event *one = use_at(search, first);

	for (size_t w = first + 1; w < search->uses->count && w < first + 60; w++) {
		const struct control_event *two = use_at(search, w);
		struct control_rule rule;
		if (!op_uses_writes(two) || two->thread == one->thread ||
		    !runlog_overlap(one, two) ||
		    runlog_happens_before(log, search->uses->items[first], search->uses->items[w],
					  false))
			continue;
		if (!count_below(&search->pairs, one->site, two->site, 4, 3))
			continue;
		rule = (struct control_rule){ two->thread, two->step, one->thread,
					      lead_stop_above_locks(log, one->thread, one->step,
								    two->thread, two->step) };
		leads_add(search->leads, search->log, LEAD_WRITES, &rule, 1, one->site, two->site,
			  one->other == two->other ? 4 : 1);
		return;
	}
}

static void add_leads_at_location(struct search *search)
{
	for (size_t i = 0; i < search->uses->count; i++) {
		const struct control_event *event = use_at(search, i);
		if (!count_below(&search->sites, event->site, event->thread, event->kind,
				 USES_OF_A_SITE))
			continue;
		if (op_uses_reads(event)) {
			add_see_leads(search, i);
			add_older_leads(search, i);
			add_triple_leads(search, i);
		}
		if (op_uses_writes(event))
			add_writes_lead(search, i);
	}
}

void leads_from_memory(struct leads *leads, struct runlog *log)
{
	struct locations locations = { 0 };
	struct search search = { .leads = leads, .log = log };

	find_locations(&locations, log);
	for (size_t i = 0; i < locations.list.count; i++) {
		search.uses = &locations.list.items[i].uses;
		if (search.uses->count)
			add_leads_at_location(&search);
		map_free(&search.pairs);
		map_free(&search.sites);
		search.pairs = search.sites = (struct map){ 0 };
		vec_free(&locations.list.items[i].uses);
	}
	vec_free(&locations.list);
	map_free(&locations.cells);
	vec_free(&search.rules);
}

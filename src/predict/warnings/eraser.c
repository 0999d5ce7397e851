/*
 * Eraser (the paper cited in lockset.h): each byte of shared memory has a state and a set of locks.
 * Each access reduces the set to the locks that its thread holds as well. If the set becomes empty,
 * no lock protects the byte.
 *
 *	            first access            another thread reads
 *	VIRGIN ------------------> EXCLUSIVE ------------------> SHARED
 *	                               |                           | a write
 *	                               | another thread writes     v
 *	                               +-------------------> SHARED_MODIFIED
 *
 * This is section 2 of the paper; the diagram is its figure 3. The set is kept in SHARED and
 * SHARED_MODIFIED; warnings are given in SHARED_MODIFIED only. (In the figure, only a write leaves
 * VIRGIN. A C variable may never be written before it is shared, so here any first access leaves
 * VIRGIN, as the text of the paper says.) With read-write locks, a read is protected by any lock
 * held, a write by those held for writing. All atomic operations hold one additional lock. Nothing
 * else orders threads here, neither creation nor joins nor barriers: that is the paper's rule, and
 * the reason why this is only a warning.
 *
 * The paper has one state for a variable. C accesses memory in any size, so here each byte has a
 * state, in a word of 32 bits. Bytes that are used together have equal words and cost one step.
 * There are two passes along the base run: the first finds the bytes, the second records the
 * accesses to them, so that a warning can name two accesses. Costs 4 bytes for each byte that two
 * threads use; 10 million accesses take about as long as reading them.
 */
#include "predict/warnings/warnings.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/pages.h"
#include "order/window/window_blocks.h"
#include "order/base_run/share_survey.h"
#include "predict/warnings/held_locks.h"
#include "predict/warnings/lockset.h"

#include <assert.h>
#include <string.h>

#define CELL SURVEY_GRANULE
#define SIZE_MOST (1u << 24) /* no real access is larger: it would be in a corrupt trace */

/*
 * The state of a byte is a word: the state in the low bits; above them the owner (EXCLUSIVE) or the
 * set of locks (SHARED, SHARED_MODIFIED).
 */
enum eraser_state { VIRGIN, EXCLUSIVE, SHARED, SHARED_MODIFIED };
#define STATE_BITS 2

struct eraser_cell {
	uint32_t words[CELL]; /* 0: VIRGIN */
};

/*
 * The sets of locks that a thread holds now: for reads and for writes, each with and without the
 * lock of atomic operations.
 */
struct thread_sets {
	uint64_t changes; /* value of `changes` in the held locks when these sets were made */
	bool made[2][2];  /* [write][atomic] */
	uint32_t set[2][2];
	uint32_t snapshot; /* second pass: position in `snapshots`, + 1; 0: not made */
};

/* An access to a cell that has a warning, as the second pass records it. */
struct eraser_access {
	struct event_id id;
	uint64_t address, size, site;
	uint32_t thread, snapshot;
	uint32_t any, write; /* sets of locks: all that are held; those held for writing */
	uint8_t kind, mask;  /* mask: the accessed bytes of the cell */
	/* the byte was shared at that time: the access did not initialise it */
	bool counted;
};

typedef VEC(struct eraser_access) access_history;

struct snapshot {
	size_t start, count; /* range in held */
};

struct eraser {
	const struct trace *trace;
	const struct share_survey *survey;
	struct held_locks holding;
	struct locksets sets;
	struct thread_sets *threads;
	VEC(uint32_t) scratch;
	struct pages shadow; /* address / CELL to struct eraser_cell */
	bool second_pass;
	/*
	 * cells with a warning, by address / CELL: the result of the first pass. The second pass
	 * maps them to positions in histories, + 1.
	 */
	struct map *warned;
	/* only in the second pass */
	bool every;
	VEC(access_history) histories;
	VEC(struct snapshot) snapshots;
	VEC(struct finding_lock) held;
	struct window_blocks blocks;
	struct predict_result *result;
	struct map found;
};

/* ---- the state machine ----------------------------------------------------------------------- */

enum warning {
	FINE,
	UNPROTECTED, /* the set is empty, and was before */
	EMPTIED,     /* this access emptied it */
};

static uint32_t word_of(enum eraser_state state, uint32_t rest)
{
	return rest << STATE_BITS | state;
}

static enum eraser_state state_of(uint32_t word)
{
	return word & ((1u << STATE_BITS) - 1);
}

/* Returns the word of a byte after an access to it. */
static uint32_t next_word(struct locksets *sets, uint32_t word, uint32_t thread, bool write,
			  uint32_t set, enum warning *warning)
{
	enum eraser_state state = state_of(word);
	uint32_t rest = word >> STATE_BITS, refined = set;

	*warning = FINE;
	if (state == VIRGIN || (state == EXCLUSIVE && rest == thread))
		return word_of(EXCLUSIVE, thread);
	if (state != EXCLUSIVE)
		refined = locksets_intersect(sets, rest, set);
	if (write || state == SHARED_MODIFIED) {
		if (refined == LOCKSET_EMPTY)
			*warning = state == SHARED_MODIFIED && rest == LOCKSET_EMPTY ? UNPROTECTED
										     : EMPTIED;
		return word_of(SHARED_MODIFIED, refined);
	}
	return word_of(SHARED, refined);
}

/* Makes an access to the bytes `mask` of a cell. Returns the worst of their warnings. */
static enum warning update_cell(struct eraser *e, struct eraser_cell *cell, uint8_t mask,
				uint32_t thread, bool write, uint32_t set)
{
	enum warning worst = FINE, warning = FINE;
	uint32_t before = 0, after = 0;
	bool made = false;

	for (unsigned i = 0; i < CELL; i++) {
		if (!(mask >> i & 1))
			continue;
		if (!made || cell->words[i] != before) {
			before = cell->words[i];
			after = next_word(&e->sets, before, thread, write, set, &warning);
			worst = warning > worst ? warning : worst;
			made = true;
		}
		cell->words[i] = after;
	}
	return worst;
}

/* ---- what threads hold ----------------------------------------------------------------------- */

static uint32_t make_set(struct eraser *e, const struct thread_locks *thread, bool write,
			 bool atomic)
{
	e->scratch.count = 0;
	if (atomic)
		*vec_push(&e->scratch) = LOCKSET_ATOMIC;
	for (size_t i = 0; i < thread->held.count; i++) {
		if (!write || !thread->held.items[i].shared)
			*vec_push(&e->scratch) = thread->held.items[i].lock;
	}
	return locksets_find(&e->sets, e->scratch.items, e->scratch.count);
}

static struct thread_sets *sets_of(struct eraser *e, uint32_t thread)
{
	const struct thread_locks *holding = &e->holding.threads[thread];
	struct thread_sets *sets = &e->threads[thread];

	if (sets->changes != holding->changes)
		*sets = (struct thread_sets){ .changes = holding->changes };
	return sets;
}

static uint32_t set_of(struct eraser *e, uint32_t thread, bool write, bool atomic)
{
	struct thread_sets *sets = sets_of(e, thread);

	if (!sets->made[write][atomic]) {
		sets->set[write][atomic] = make_set(e, &e->holding.threads[thread], write, atomic);
		sets->made[write][atomic] = true;
	}
	return sets->set[write][atomic];
}

/* ---- the second pass: which accesses --------------------------------------------------------- */

static uint32_t snapshot_of(struct eraser *e, uint32_t thread)
{
	const struct thread_locks *holding = &e->holding.threads[thread];
	struct thread_sets *sets = sets_of(e, thread);

	if (sets->snapshot)
		return sets->snapshot - 1;
	*vec_push(&e->snapshots) = (struct snapshot){ e->held.count, holding->held.count };
	for (size_t i = 0; i < holding->held.count; i++) {
		const struct held_lock *h = &holding->held.items[i];

		*vec_push(&e->held) = (struct finding_lock){ e->holding.locks.items[h->lock],
							     h->taken, h->shared };
	}
	sets->snapshot = (uint32_t)e->snapshots.count;
	return sets->snapshot - 1;
}

static bool is_atomic(uint8_t kind)
{
	return event_group(kind) == EG_ATOMIC;
}

static bool writes(uint8_t kind)
{
	return kind != EV_READ && kind != EV_ATOMIC_READ;
}

/* How well an earlier access fits as the other half of a warning, from worst to best. */
enum partner {
	PARTNER_NONE,
	PARTNER_OTHER,	  /* by another thread */
	PARTNER_CONFLICT, /* one of the two writes, and not both are atomic */
	/* a conflict without a common lock; but the earlier one seems to be an initialisation */
	PARTNER_EARLY,
	PARTNER_GOOD,
};

static enum partner rate_partner(struct eraser *e, const struct eraser_access *old,
				 const struct eraser_access *new)
{
	if (old->thread == new->thread || !(old->mask & new->mask))
		return PARTNER_NONE;
	if ((!writes(old->kind) && !writes(new->kind)) ||
	    (is_atomic(old->kind) && is_atomic(new->kind)))
		return PARTNER_OTHER;
	if (locksets_intersect(&e->sets, old->any, new->write) ||
	    locksets_intersect(&e->sets, old->write, new->any))
		return PARTNER_CONFLICT;
	return old->counted ? PARTNER_GOOD : PARTNER_EARLY;
}

static void add_finding_event(struct eraser *e, struct finding *f, const struct eraser_access *a)
{
	const struct snapshot *s = &e->snapshots.items[a->snapshot];
	uint32_t block = window_blocks_find(&e->blocks, a->address);
	struct finding_event *event = vec_push(&f->events);

	*event = (struct finding_event){
		.id = a->id,
		.kind = a->kind,
		.address = a->address,
		.size = a->size,
		.site = a->site,
		.waits_for = ORDER_NONE,
	};
	if (block) {
		event->in_block = true;
		event->block = e->blocks.nodes.items[block].block;
	}
	for (size_t i = 0; i < s->count; i++)
		*vec_push(&event->held) = e->held.items[s->start + i];
}

static uint64_t identity_of(const struct eraser *e, const struct eraser_access *a)
{
	if (e->every)
		return (uint64_t)a->id.stream << 44 ^ a->id.index;
	return a->site * 2 + writes(a->kind);
}

static void add_pair(struct eraser *e, const struct eraser_access *a, const struct eraser_access *b)
{
	uint64_t sites[] = { identity_of(e, a), identity_of(e, b) };
	struct finding *f = warnings_add(e->result, &e->found, FINDING_LOCKSET, sites, 2);

	if (f->count > 1)
		return;
	add_finding_event(e, f, a);
	add_finding_event(e, f, b);
}

/*
 * Makes a pair of the access and each earlier access that conflicts and that no lock excludes. If
 * there is none, the access that empties the set gives a warning all the same, as the paper's rule
 * demands: together with the best partner there is.
 */
static void add_warnings(struct eraser *e, const access_history *h, const struct eraser_access *a,
			 enum warning warning)
{
	const struct eraser_access *partner = NULL;
	enum partner best = PARTNER_NONE;

	for (size_t i = 0; i < h->count; i++) {
		enum partner how = rate_partner(e, &h->items[i], a);

		if (how == PARTNER_GOOD)
			add_pair(e, &h->items[i], a);
		if (how > best) {
			best = how;
			partner = &h->items[i];
		}
	}
	if (partner && best < PARTNER_GOOD && warning == EMPTIED)
		add_pair(e, partner, a);
}

/*
 * Adds an access to the history. Only the last access of each thread at each site under the same
 * locks is kept.
 */
static void remember_access(access_history *h, const struct eraser_access *a)
{
	for (size_t i = 0; i < h->count; i++) {
		struct eraser_access *old = &h->items[i];

		if (old->thread == a->thread && old->site == a->site && old->kind == a->kind &&
		    old->mask == a->mask && old->any == a->any && old->write == a->write &&
		    old->counted == a->counted) {
			*old = *a;
			return;
		}
	}
	*vec_push(h) = *a;
}

static void record_access(struct eraser *e, const struct base_run_event *ev, uint64_t number,
			  uint8_t mask, enum warning warning, const struct eraser_cell *cell)
{
	uint64_t *position = map_get(e->warned, number);
	bool atomic = is_atomic(ev->kind);
	struct eraser_access a = {
		.id = { ev->stream, ev->index },
		.address = ev->address,
		.size = ev->size,
		.site = ev->site,
		.thread = ev->owner,
		.snapshot = snapshot_of(e, ev->owner),
		.any = set_of(e, ev->owner, false, atomic),
		.write = set_of(e, ev->owner, true, atomic),
		.kind = ev->kind,
		.mask = mask,
		.counted = state_of(cell->words[__builtin_ctz(mask)]) > EXCLUSIVE,
	};

	if (!*position) {
		*vec_push(&e->histories) = (access_history){ 0 };
		*position = e->histories.count;
	}
	if (warning != FINE)
		add_warnings(e, &e->histories.items[*position - 1], &a, warning);
	remember_access(&e->histories.items[*position - 1], &a);
}

/* ---- the pass along the base run ------------------------------------------------------------- */

static void access_bytes(struct eraser *e, const struct base_run_event *ev, uint64_t low,
			 uint64_t high)
{
	bool write = writes(ev->kind);
	uint32_t set = set_of(e, ev->owner, write, is_atomic(ev->kind));

	while (low < high) {
		uint64_t number = low / CELL,
			 end = (number + 1) * CELL < high ? (number + 1) * CELL : high;
		uint8_t mask = (uint8_t)(((1u << (end - low)) - 1) << low % CELL);
		enum warning warning;
		struct eraser_cell *cell;

		low = end;
		if (e->second_pass && !map_get(e->warned, number))
			continue;
		cell = pages_put(&e->shadow, number, NULL);
		warning = update_cell(e, cell, mask, ev->owner, write, set);
		if (e->second_pass)
			record_access(e, ev, number, mask, warning, cell);
		else if (warning == EMPTIED)
			map_put(e->warned, number, NULL);
	}
}

/*
 * Skips memory that only one thread uses, which the survey knows: such memory never leaves
 * EXCLUSIVE.
 */
static void access_memory(struct eraser *e, const struct base_run_event *ev)
{
	uint64_t low = ev->address, high = low + ev->size, end;

	if (high < low || ev->size > SIZE_MOST)
		return;
	for (; (end = share_survey_next_part(e->survey, &low, high)); low = end)
		access_bytes(e, ev, low, end);
}

static void clear_cell(void *context, uint64_t number, void *item)
{
	struct eraser *e = context;
	const uint64_t *position = e->second_pass ? map_get(e->warned, number) : NULL;

	memset(item, 0, sizeof(struct eraser_cell));
	if (position && *position)
		e->histories.items[*position - 1].count = 0;
}

/* A new block or stack: its bytes are VIRGIN, and no thread has accessed them. */
static void begin_lifetime(struct eraser *e, uint64_t low, uint64_t high)
{
	if (low < high)
		pages_each(&e->shadow, low / CELL, (high - 1) / CELL + 1, clear_cell, e);
}

static void remove_block(struct eraser *e, uint64_t address)
{
	uint32_t block = window_blocks_remove(&e->blocks, address);

	if (block)
		window_blocks_reuse(&e->blocks, block);
}

static void follow_memory_event(struct eraser *e, const struct base_run_event *ev)
{
	bool begins = ev->kind == EV_ALLOC || ev->kind == EV_MAP;

	if (begins)
		begin_lifetime(e, ev->address, ev->address + ev->size);
	if (!e->second_pass)
		return;
	remove_block(e, ev->address);
	if (begins)
		window_blocks_add(
			&e->blocks,
			&(struct window_block){ ev->address, ev->size, { ev->stream, ev->index } });
}

static void run_pass(struct eraser *e)
{
	struct base_run *base_run = base_run_open(e->trace, e->survey);
	struct base_run_event ev;

	e->threads = mem_zalloc((size_t)trace_stream_count(e->trace) + 1, sizeof *e->threads);
	e->shadow = (struct pages){ .size = sizeof(struct eraser_cell) };
	held_locks_open(&e->holding, e->trace);
	locksets_open(&e->sets);
	while (base_run_next(base_run, &ev)) {
		switch (ev.kind) {
		case EV_READ:
		case EV_WRITE:
		case EV_ATOMIC_READ:
		case EV_ATOMIC_WRITE:
		case EV_ATOMIC_UPDATE:
			if (!(ev.flags & EVENT_NO_RACE))
				access_memory(e, &ev);
			continue;
		case EV_ALLOC:
		case EV_FREE:
		case EV_MAP:
		case EV_UNMAP: follow_memory_event(e, &ev); break;
		case EV_BEGIN: begin_lifetime(e, ev.address, ev.other); break;
		}
		held_locks_follow(&e->holding, &ev);
	}
	for (size_t i = 0; i < base_run_failure_count(base_run); i++)
		warnings_add_problem(e->result, base_run_failure(base_run, i));
	base_run_close(base_run);
	locksets_close(&e->sets);
	held_locks_close(&e->holding);
	pages_free(&e->shadow);
	free(e->threads);
}

uint64_t predict_eraser(const struct trace *trace, bool every, struct predict_result *result)
{
	struct share_survey survey;
	struct map warned = { 0 };
	uint64_t events;
	struct eraser e = { .trace = trace,
			    .survey = &survey,
			    .warned = &warned,
			    .every = every,
			    .result = result };

	/*
	 * A word has 30 bits for the number of a set or of a thread. Both numbers are far smaller.
	 */
	assert(trace_stream_count(trace) < 1u << (32 - STATE_BITS));
	share_survey_make(&survey, trace);
	run_pass(&e);
	if (warned.count || warned.has_zero) {
		e.second_pass = true;
		run_pass(&e);
	}
	for (size_t i = 0; i < e.histories.count; i++)
		vec_free(&e.histories.items[i]);
	vec_free(&e.histories);
	vec_free(&e.scratch);
	vec_free(&e.snapshots);
	vec_free(&e.held);
	window_blocks_free(&e.blocks);
	map_free(&e.found);
	map_free(&warned);
	events = survey.events;
	share_survey_free(&survey);
	return events;
}

/*
 * Eraser: each byte of shared memory has a state and a set of locks, refined with the locks of each
 * thread that comes by. A set that becomes empty means that no lock protects the byte.
 *
 *	            first access            another thread reads
 *	VIRGIN ------------------> EXCLUSIVE ------------------> SHARED
 *	                               |                           | a write
 *	                               | another thread writes     v
 *	                               +-------------------> SHARED_MODIFIED
 *
 * Figure 3 of the paper, section 2 of which this is; the set counts from SHARED on and warnings
 * come in SHARED_MODIFIED. (The figure leaves VIRGIN with a write. A C variable may never be
 * written before it is shared, so the first access of any kind does, as in Eraser's own words.)
 * With read-write locks a read is protected by any lock held, a write by those held for writing.
 * Atomic operations hold a lock of their own. Nothing else orders threads here, neither creation nor
 * joins nor barriers: that is the paper's rule, and why this only warns.
 *
 * The paper has one state for a variable. C accesses memory in any size, so it is one for each byte,
 * a word of 32 bits; bytes that go together have equal words and cost one step. Two walks along
 * the base run: the first finds the bytes, the second remembers who accesses them, so that a
 * warning can name two accesses. 4 bytes for each byte that two threads use; 10 million accesses
 * take about as long as reading them.
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
#define SIZE_MOST (1u << 24) /* no access is larger: it would be forged */

/* A shadow word: the state in its low bits, above them the owner or the set. */
enum eraser_state { VIRGIN, EXCLUSIVE, SHARED, SHARED_MODIFIED };
#define STATE_BITS 2

struct eraser_cell {
	uint32_t words[CELL]; /* 0: VIRGIN */
};

/* What a thread holds now, as sets: for reads, for writes, and both for atomic operations. */
struct lane_sets {
	uint64_t changes; /* of the holding when these were made */
	bool made[2][2];  /* [write][atomic] */
	uint32_t set[2][2];
	uint32_t snapshot; /* second walk: in `snapshots`, + 1; 0 not made */
};

/* An access of a cell that warns, as the second walk remembers it. */
struct access {
	struct event_id id;
	uint64_t address, size, site;
	uint32_t lane, snapshot;
	uint32_t any, write; /* its sets: all locks, those held for writing */
	uint8_t kind, mask;  /* bytes of the cell */
	bool counted;	     /* the byte was shared by then: it was no initialisation */
};

typedef VEC(struct access) history;

struct snapshot {
	size_t start, count; /* in held */
};

struct eraser {
	const struct trace *trace;
	const struct share_survey *survey;
	struct held_locks holding;
	struct locksets sets;
	struct lane_sets *lanes;
	VEC(uint32_t) scratch;
	struct pages shadow; /* address / CELL: struct eraser_cell */
	bool second;
	/* the first walk's result: address / CELL; in the second the value is in histories, + 1 */
	struct map *warned;
	/* second walk */
	bool every;
	VEC(history) histories;
	VEC(struct snapshot) snapshots;
	VEC(struct finding_lock) held;
	struct window_blocks blocks;
	struct predict_result *result;
	struct map known;
};

/* ---- the machine -------------------------------------------------------------------------- */

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

/* One access of one byte: its new word. */
static uint32_t step(struct locksets *sets, uint32_t word, uint32_t lane, bool write, uint32_t set,
		     enum warning *warning)
{
	enum eraser_state state = state_of(word);
	uint32_t rest = word >> STATE_BITS, refined = set;

	*warning = FINE;
	if (state == VIRGIN || (state == EXCLUSIVE && rest == lane))
		return word_of(EXCLUSIVE, lane);
	if (state != EXCLUSIVE)
		refined = locksets_meet(sets, rest, set);
	if (write || state == SHARED_MODIFIED) {
		if (refined == LOCKSET_EMPTY)
			*warning = state == SHARED_MODIFIED && rest == LOCKSET_EMPTY ? UNPROTECTED
										     : EMPTIED;
		return word_of(SHARED_MODIFIED, refined);
	}
	return word_of(SHARED, refined);
}

/* The bytes `mask` of a cell; the worst of their warnings. */
static enum warning step_cell(struct eraser *e, struct eraser_cell *cell, uint8_t mask,
			      uint32_t lane, bool write, uint32_t set)
{
	enum warning worst = FINE, warning = FINE;
	uint32_t before = 0, after = 0;
	bool made = false;

	for (unsigned i = 0; i < CELL; i++) {
		if (!(mask >> i & 1))
			continue;
		if (!made || cell->words[i] != before) {
			before = cell->words[i];
			after = step(&e->sets, before, lane, write, set, &warning);
			worst = warning > worst ? warning : worst;
			made = true;
		}
		cell->words[i] = after;
	}
	return worst;
}

/* ---- what threads hold -------------------------------------------------------------------- */

static uint32_t make_set(struct eraser *e, const struct held_locks_lane *lane, bool write,
			 bool atomic)
{
	e->scratch.count = 0;
	if (atomic)
		*vec_push(&e->scratch) = LOCKSET_ATOMIC;
	for (size_t i = 0; i < lane->held.count; i++) {
		if (!write || !lane->held.items[i].shared)
			*vec_push(&e->scratch) = lane->held.items[i].lock;
	}
	return locksets_put(&e->sets, e->scratch.items, e->scratch.count);
}

static struct lane_sets *sets_of(struct eraser *e, uint32_t lane)
{
	const struct held_locks_lane *holding = &e->holding.lanes[lane];
	struct lane_sets *sets = &e->lanes[lane];

	if (sets->changes != holding->changes)
		*sets = (struct lane_sets){ .changes = holding->changes };
	return sets;
}

static uint32_t set_of(struct eraser *e, uint32_t lane, bool write, bool atomic)
{
	struct lane_sets *sets = sets_of(e, lane);

	if (!sets->made[write][atomic]) {
		sets->set[write][atomic] = make_set(e, &e->holding.lanes[lane], write, atomic);
		sets->made[write][atomic] = true;
	}
	return sets->set[write][atomic];
}

/* ---- the second walk: who it was ---------------------------------------------------------- */

static uint32_t snapshot_of(struct eraser *e, uint32_t lane)
{
	const struct held_locks_lane *holding = &e->holding.lanes[lane];
	struct lane_sets *sets = sets_of(e, lane);

	if (sets->snapshot)
		return sets->snapshot - 1;
	*vec_push(&e->snapshots) = (struct snapshot){ e->held.count, holding->held.count };
	for (size_t i = 0; i < holding->held.count; i++) {
		const struct held_locks_lock *h = &holding->held.items[i];

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

/* How good a partner is an earlier access? */
enum partner {
	PARTNER_NONE,
	PARTNER_OTHER,	  /* another thread's */
	PARTNER_CONFLICT, /* one of both writes, and not both are atomic */
	PARTNER_EARLY,	  /* and no lock is held at both; but it was an initialisation, it seemed */
	PARTNER_GOOD,
};

static enum partner judge(struct eraser *e, const struct access *old, const struct access *new)
{
	if (old->lane == new->lane || !(old->mask & new->mask))
		return PARTNER_NONE;
	if ((!writes(old->kind) && !writes(new->kind)) ||
	    (is_atomic(old->kind) && is_atomic(new->kind)))
		return PARTNER_OTHER;
	if (locksets_meet(&e->sets, old->any, new->write) ||
	    locksets_meet(&e->sets, old->write, new->any))
		return PARTNER_CONFLICT;
	return old->counted ? PARTNER_GOOD : PARTNER_EARLY;
}

static void add_event(struct eraser *e, struct finding *f, const struct access *a)
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

static uint64_t name_of(const struct eraser *e, const struct access *a)
{
	if (e->every)
		return (uint64_t)a->id.stream << 44 ^ a->id.index;
	return a->site * 2 + writes(a->kind);
}

static void add_pair(struct eraser *e, const struct access *a, const struct access *b)
{
	struct finding *f = warnings_put(
		e->result, &e->known, warnings_key((uint64_t[]){ name_of(e, a), name_of(e, b) }, 2),
		FINDING_LOCKSET);

	if (f->count > 1)
		return;
	add_event(e, f, a);
	add_event(e, f, b);
}

/*
 * Every earlier access that conflicts and that no lock keeps apart makes a pair. The access that
 * empties the set warns even if there is none, as the paper's rule has it: with the best there is.
 */
static void warn(struct eraser *e, const history *h, const struct access *a, enum warning warning)
{
	const struct access *partner = NULL;
	enum partner best = PARTNER_NONE;

	for (size_t i = 0; i < h->count; i++) {
		enum partner how = judge(e, &h->items[i], a);

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

/* The last access of each thread at each place under the same locks is enough. */
static void remember(history *h, const struct access *a)
{
	for (size_t i = 0; i < h->count; i++) {
		struct access *old = &h->items[i];

		if (old->lane == a->lane && old->site == a->site && old->kind == a->kind &&
		    old->mask == a->mask && old->any == a->any && old->write == a->write &&
		    old->counted == a->counted) {
			*old = *a;
			return;
		}
	}
	*vec_push(h) = *a;
}

static void look_closer(struct eraser *e, const struct base_run_event *ev, uint64_t number,
			uint8_t mask, enum warning warning, const struct eraser_cell *cell)
{
	uint64_t *position = map_get(e->warned, number);
	bool atomic = is_atomic(ev->kind);
	struct access a = {
		.id = { ev->stream, ev->index },
		.address = ev->address,
		.size = ev->size,
		.site = ev->site,
		.lane = ev->lane,
		.snapshot = snapshot_of(e, ev->lane),
		.any = set_of(e, ev->lane, false, atomic),
		.write = set_of(e, ev->lane, true, atomic),
		.kind = ev->kind,
		.mask = mask,
		.counted = state_of(cell->words[__builtin_ctz(mask)]) > EXCLUSIVE,
	};

	if (!*position) {
		*vec_push(&e->histories) = (history){ 0 };
		*position = e->histories.count;
	}
	if (warning != FINE)
		warn(e, &e->histories.items[*position - 1], &a, warning);
	remember(&e->histories.items[*position - 1], &a);
}

/* ---- walking ------------------------------------------------------------------------------ */

static void access_bytes(struct eraser *e, const struct base_run_event *ev, uint64_t low,
			 uint64_t high)
{
	bool write = writes(ev->kind);
	uint32_t set = set_of(e, ev->lane, write, is_atomic(ev->kind));

	while (low < high) {
		uint64_t number = low / CELL,
			 end = (number + 1) * CELL < high ? (number + 1) * CELL : high;
		uint8_t mask = (uint8_t)(((1u << (end - low)) - 1) << low % CELL);
		enum warning warning;
		struct eraser_cell *cell;

		low = end;
		if (e->second && !map_get(e->warned, number))
			continue;
		cell = pages_put(&e->shadow, number, NULL);
		warning = step_cell(e, cell, mask, ev->lane, write, set);
		if (e->second)
			look_closer(e, ev, number, mask, warning, cell);
		else if (warning == EMPTIED)
			map_put(e->warned, number, NULL);
	}
}

/* What one thread alone uses never leaves EXCLUSIVE: the survey knows it. */
static void access_memory(struct eraser *e, const struct base_run_event *ev)
{
	uint64_t low = ev->address, high = low + ev->size, end;

	if (high < low || ev->size > SIZE_MOST)
		return;
	for (; (end = share_survey_stretch(e->survey, &low, high)); low = end)
		access_bytes(e, ev, low, end);
}

static void clear_cell(void *context, uint64_t number, void *item)
{
	struct eraser *e = context;
	const uint64_t *position = e->second ? map_get(e->warned, number) : NULL;

	memset(item, 0, sizeof(struct eraser_cell));
	if (position && *position)
		e->histories.items[*position - 1].count = 0;
}

/* A new block, a new stack: its bytes are VIRGIN, and nobody accessed them. */
static void begin_life(struct eraser *e, uint64_t low, uint64_t high)
{
	if (low < high)
		pages_each(&e->shadow, low / CELL, (high - 1) / CELL + 1, clear_cell, e);
}

static void remove_block(struct eraser *e, uint64_t address)
{
	uint32_t block = window_blocks_remove(&e->blocks, address);

	if (block)
		window_blocks_give_back(&e->blocks, block);
}

static void see_memory(struct eraser *e, const struct base_run_event *ev)
{
	bool begins = ev->kind == EV_ALLOC || ev->kind == EV_MAP;

	if (begins)
		begin_life(e, ev->address, ev->address + ev->size);
	if (!e->second)
		return;
	remove_block(e, ev->address);
	if (begins)
		window_blocks_add(
			&e->blocks,
			&(struct window_block){ ev->address, ev->size, { ev->stream, ev->index } });
}

static void walk(struct eraser *e)
{
	struct base_run *feed = base_run_open(e->trace, e->survey);
	struct base_run_event ev;

	e->lanes = mem_zalloc((size_t)trace_stream_count(e->trace) + 1, sizeof *e->lanes);
	e->shadow = (struct pages){ .size = sizeof(struct eraser_cell) };
	held_locks_open(&e->holding, e->trace);
	locksets_open(&e->sets);
	while (base_run_next(feed, &ev)) {
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
		case EV_UNMAP: see_memory(e, &ev); break;
		case EV_BEGIN: begin_life(e, ev.address, ev.other); break;
		}
		held_locks_see(&e->holding, &ev);
	}
	for (size_t i = 0; i < base_run_failure_count(feed); i++)
		warnings_add_problem(e->result, base_run_failure(feed, i));
	base_run_close(feed);
	locksets_close(&e->sets);
	held_locks_close(&e->holding);
	pages_free(&e->shadow);
	free(e->lanes);
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

	/* A set's number and a lane have 30 bits each; both are far below. */
	assert(trace_stream_count(trace) < 1u << (32 - STATE_BITS));
	share_survey_make(&survey, trace);
	walk(&e);
	if (warned.count || warned.has_zero) {
		e.second = true;
		walk(&e);
	}
	for (size_t i = 0; i < e.histories.count; i++)
		vec_free(&e.histories.items[i]);
	vec_free(&e.histories);
	vec_free(&e.scratch);
	vec_free(&e.snapshots);
	vec_free(&e.held);
	window_blocks_free(&e.blocks);
	map_free(&e.known);
	map_free(&warned);
	events = survey.events;
	share_survey_free(&survey);
	return events;
}

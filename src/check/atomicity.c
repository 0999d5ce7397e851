/*
 * Checks the claim that another thread breaks the atomicity of a region (doc/prediction.md,
 * "Atomicity"). The events are l1, r1 (, r2), l2. l1 and l2 are local accesses, r1 and r2 remote
 * ones that conflict with them, so that in the schedule the region comes both before and after the
 * remote accesses. Interleavings that the program intends do not count: where the thread waits,
 * learns of the remote accesses, polls or counts, or where the remote accesses change nothing.
 */
#include "check/atomicity.h"

#include "check/claim.h"

/* ---- bytes ----------------------------------------------------------------------------------- */

static bool common_bytes(const struct checker_record *a, const struct checker_record *b,
			 uint64_t *first, uint64_t *count)
{
	uint64_t end_a = a->address + a->size, end_b = b->address + b->size;

	*first = a->address > b->address ? a->address : b->address;
	*count = (end_a < end_b ? end_a : end_b) - *first;
	if (*count > CHECKER_ACCESS_MAX)
		*count = CHECKER_ACCESS_MAX; /* only this many are compared */
	return *first < end_a && *first < end_b;
}

/* Is a block or mapping with this byte allocated between the two events in the base run? */
static bool is_made_between(const struct checker_base *base, uint32_t a, uint32_t b,
			    uint64_t address)
{
	uint32_t low = a < b ? a : b, high = a < b ? b : a;

	for (size_t i = 0; i < base->lifetimes.count; i++) {
		const struct checker_range *life = &base->lifetimes.items[i];

		if (life->number > low && life->number < high &&
		    checker_is_blank(checker_base_record(base, life->number)) &&
		    address >= life->first && address <= life->last)
			return true;
	}
	return false;
}

/* Do the two events conflict at a byte that belongs to the same lifetime of the memory? */
static bool events_conflict(const struct checker_base *base, uint32_t first_event, uint32_t second)
{
	const struct checker_record *a = checker_base_record(base, first_event);
	const struct checker_record *b = checker_base_record(base, second);
	uint64_t first, count;

	if (!common_bytes(a, b, &first, &count) || (!checker_writes(a) && !checker_writes(b)) ||
	    (a->kind == EV_ATOMIC_UPDATE && b->kind == EV_ATOMIC_UPDATE))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		if (!is_made_between(base, first_event, second, first + i))
			return true;
	}
	return false;
}

/*
 * Is the byte's value before the remote access unknown? `writer` is the event that wrote it last.
 * The value is known only if the window contains that write, or if it is an initial value of a text
 * trace. A value that only a read shows, or that was left before the window, counts as unknown:
 * only writes that the window shows to change nothing are harmless.
 */
static bool is_unknown(const struct checker_base *base, uint32_t writer)
{
	if (writer)
		return !checker_written_value(checker_base_record(base, writer));
	return !trace_is_text(base->start->trace) || base->passed_count;
}

/* Does the remote event change a byte that both events access? */
static bool changes_value(const struct checker_broken_region *t, uint32_t remote, uint32_t local)
{
	const struct checker_record *record = checker_base_record(t->play->base, remote);
	const uint8_t *value = checker_written_value(record);
	uint64_t first, count;
	struct checker_world *world;
	bool changed = false;

	if (!checker_writes(record) || !value || record->size > CHECKER_ACCESS_MAX)
		return true;
	common_bytes(record, checker_base_record(t->play->base, local), &first, &count);
	world = checker_base_before(t->play->base, remote);
	for (uint64_t i = 0; i < count && !changed; i++) {
		uint64_t address = first + i;
		struct checker_line line;
		struct checker_writers writers;

		checker_memory_see(world, address / CHECKER_LINE, &line, &writers);
		changed = !(line.known >> address % CHECKER_LINE & 1) ||
			  is_unknown(t->play->base, writers.of[address % CHECKER_LINE]) ||
			  line.value[address % CHECKER_LINE] !=
				  value[(address - record->address) % record->unit];
	}
	checker_world_close(world);
	return changed;
}

/* ---- checks of the events -------------------------------------------------------------------- */

static bool are_accesses(const struct checker_broken_region *t,
			 const struct checker_witness *witness, struct err *err)
{
	const uint32_t numbers[] = { t->l1, t->r1, t->r2, t->l2 };

	for (unsigned i = 0; i < 4; i++) {
		const struct checker_record *record =
			checker_base_record(t->play->base, numbers[i]);

		if (!checker_is_access(record) || record->flags & EVENT_NO_RACE)
			return err_set(err, "%s is not a memory access of the program",
				       checker_event_words(t->play->world->trace, record->stream,
							   record->index)
					       .text);
	}
	if (!events_conflict(t->play->base, t->l1, t->r1))
		return err_set(err, "%s and %s do not conflict",
			       checker_claim_words(t->play, &witness->events[0]).text,
			       checker_claim_words(t->play, &witness->events[1]).text);
	if (!events_conflict(t->play->base, t->r2, t->l2))
		return err_set(
			err, "the last remote access does not conflict with %s",
			checker_claim_words(t->play, &witness->events[witness->event_count - 1])
				.text);
	return true;
}

static bool are_of_right_threads(const struct checker_broken_region *t, struct err *err)
{
	const struct checker_record *l1 = checker_base_record(t->play->base, t->l1);
	const struct checker_record *l2 = checker_base_record(t->play->base, t->l2);
	const struct checker_record *r1 = checker_base_record(t->play->base, t->r1);
	const struct checker_record *r2 = checker_base_record(t->play->base, t->r2);

	if (l1->stream != l2->stream || t->l1 >= t->l2)
		return err_set(err,
			       "the first and last events are not in program order in one thread");
	if (l1->stream != l1->thread)
		return err_set(err, "atomic regions in signal handlers are not supported");
	if (r1->thread != r2->thread || r1->thread == l1->thread || t->r1 > t->r2)
		return err_set(err, "the events between them are not in program order in one other "
				    "thread");
	return true;
}

static bool are_in_order(const struct checker_broken_region *t, struct err *err)
{
	size_t l1 = checker_claim_position(t->play, t->l1),
	       r1 = checker_claim_position(t->play, t->r1);
	size_t r2 = checker_claim_position(t->play, t->r2);

	return l1 && l1 < r1 && r1 <= r2
		       ? true
		       : err_set(err, "the first events do not happen in this order");
}

/* ---- interleavings that the program intends -------------------------------------------------- */

static bool is_waiting_operation(const struct checker_record *record)
{
	switch (record->kind) {
	case EV_WOKEN:
	case EV_JOIN:
	case EV_DOWN:
	case EV_ARRIVE: /* counts because a barrier may have no PASS records */
	case EV_PASS:
	case EV_ONCE:
	case EV_RECEIVE:
	case EV_SYNC:
	case EV_OPAQUE: return true;
	}
	return false;
}

static bool is_intended(const struct checker_broken_region *t, struct err *err)
{
	const struct checker_record *l1 = checker_base_record(t->play->base, t->l1);
	const struct checker_record *l2 = checker_base_record(t->play->base, t->l2);

	for (uint32_t i = l1->next; i != t->l2; i = checker_base_record(t->play->base, i)->next) {
		const struct checker_record *record = checker_base_record(t->play->base, i);

		if (is_waiting_operation(record))
			return !err_set(err, "%s, inside the region, waits for other threads",
					checker_event_words(t->play->world->trace, record->stream,
							    record->index)
						.text);
	}
	if (!checker_writes(l1) && !checker_writes(l2) && l1->place && l1->place == l2->place)
		return !err_set(
			err,
			"both local reads are at the same site: this is polling, not a violation");
	if (!changes_value(t, t->r1, t->l1) || !changes_value(t, t->r2, t->l2))
		return !err_set(err, "the remote accesses write values that were there before");
	if (checker_broken_region_is_known(t))
		return !err_set(err, "the thread can know of the remote accesses");
	return false;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Is an annotated region open at l1, and still open at l2? */
static bool is_in_annotated_region(const struct checker_broken_region *t)
{
	const struct checker_base *base = t->play->base;
	const struct checker_record *l1 = checker_base_record(base, t->l1);
	VEC(struct checker_open_region) open = { 0 };
	bool after_l1 = false;
	/* number of regions open at l1 that are still open: the first ones of `open` */
	size_t still_open = 0;

	for (size_t i = 0; i < base->regions.count; i++) {
		if (base->regions.items[i].stream == l1->stream)
			*vec_push(&open) = base->regions.items[i];
	}
	for (uint32_t number = base->first[l1->thread]; number != t->l2;) {
		const struct checker_record *record = checker_base_record(base, number);
		size_t i = 0;

		if (number == t->l1) {
			after_l1 = true;
			still_open = open.count;
		}
		number = record->next;
		if (record->stream != l1->stream || !record->mode ||
		    (record->kind != EV_PROBE && record->kind != EV_POINT))
			continue;
		while (i < open.count && open.items[i].name != record->other)
			i++;
		if (record->mode == CHECKER_REGION_BEGINS && !after_l1 && i == open.count)
			*vec_push(&open) =
				(struct checker_open_region){ l1->stream, 1, record->other };
		else if (record->mode == CHECKER_REGION_BEGINS && i < open.count)
			open.items[i].depth++;
		else if (record->mode == CHECKER_REGION_ENDS && i < open.count &&
			 !--open.items[i].depth) {
			open.items[i] = open.items[--open.count];
			still_open -= after_l1;
		}
	}
	vec_free(&open);
	return still_open;
}

static bool guards_common_byte(const struct checker_broken_region *t, uint64_t lock, uint32_t a,
			       uint32_t b)
{
	uint64_t first, count;

	common_bytes(checker_base_record(t->play->base, a), checker_base_record(t->play->base, b),
		     &first, &count);
	for (uint64_t i = 0; i < count; i++) {
		if (checker_broken_region_is_guarded(t, lock, first + i))
			return true;
	}
	return false;
}

/*
 * Are the common bytes protected even without the region: do both accesses hold a common lock, or
 * are both atomic?
 */
static bool is_protected_anyway(const struct checker_broken_region *t,
				const checker_held_locks *local, const checker_held_locks *remote,
				uint32_t a, uint32_t b)
{
	if (checker_is_atomic(checker_base_record(t->play->base, a)) &&
	    checker_is_atomic(checker_base_record(t->play->base, b)))
		return true;
	for (size_t i = 0; i < local->count; i++) {
		for (size_t k = 0; k < remote->count; k++) {
			if (local->items[i].lock == remote->items[k].lock &&
			    (local->items[i].writes || remote->items[k].writes))
				return true;
		}
	}
	return false;
}

static const struct checker_held_lock *find_held_lock(const checker_held_locks *locks,
						      uint64_t lock)
{
	for (size_t i = 0; i < locks->count; i++) {
		if (locks->items[i].lock == lock)
			return &locks->items[i];
	}
	return NULL;
}

/*
 * Are l1 and l2 in one critical section that the program means to be atomic? That is: its lock
 * guards a common byte of each conflicting pair, r1 and r2 do not hold the lock, and nothing else
 * protects these bytes.
 */
static bool is_in_critical_section(const struct checker_broken_region *t)
{
	const struct checker_record *l1 = checker_base_record(t->play->base, t->l1);

	if (is_protected_anyway(t, &t->locks_at_l1, &t->locks_at_r1, t->l1, t->r1) ||
	    is_protected_anyway(t, &t->locks_at_l2, &t->locks_at_r2, t->r2, t->l2))
		return false;
	for (size_t i = 0; i < t->locks_at_l1.count; i++) {
		const struct checker_held_lock *held = &t->locks_at_l1.items[i];
		const struct checker_held_lock *later = find_held_lock(&t->locks_at_l2, held->lock);

		if (held->writes && later && later->writes && held->stream == l1->stream &&
		    later->stream == held->stream && later->index == held->index &&
		    !checker_base_is_frozen(t->play->base, CHECKER_LOCK, held->lock) &&
		    !find_held_lock(&t->locks_at_r1, held->lock) &&
		    !find_held_lock(&t->locks_at_r2, held->lock) &&
		    guards_common_byte(t, held->lock, t->l1, t->r1) &&
		    guards_common_byte(t, held->lock, t->r2, t->l2))
			return true;
	}
	return false;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static bool judge_broken_region(struct checker_broken_region *t,
				const struct checker_witness *witness, struct err *err)
{
	if (!are_of_right_threads(t, err) || !are_accesses(t, witness, err) ||
	    !are_in_order(t, err) ||
	    !checker_claim_is_next(t->play, &witness->events[witness->event_count - 1], 0, err) ||
	    is_intended(t, err))
		return false;
	if (is_in_annotated_region(t))
		return true;
	checker_broken_region_find_locks(t);
	return is_in_critical_section(t)
		       ? true
		       : err_set(err, "%s and the last event are not in one atomic region",
				 checker_claim_words(t->play, &witness->events[0]).text);
}

bool checker_play_breaks_region(const struct checker_play *play,
				const struct checker_witness *witness, struct err *err)
{
	struct checker_broken_region t = { .play = play };
	uint32_t numbers[4];
	bool ok;

	if (witness->event_count != 3 && witness->event_count != 4)
		return err_set(err, "an atomicity violation has three or four events, not %zu",
			       witness->event_count);
	for (size_t i = 0; i < witness->event_count; i++) {
		numbers[i] = checker_claim_number(play, &witness->events[i], err);
		if (!numbers[i])
			return false;
	}
	t.l1 = numbers[0];
	t.r1 = numbers[1];
	t.r2 = numbers[witness->event_count - 2];
	t.l2 = numbers[witness->event_count - 1];
	if (witness->event_count == 4 && t.r1 == t.r2)
		return err_set(err, "an event is named twice");
	ok = judge_broken_region(&t, witness, err);
	checker_broken_region_close(&t);
	return ok;
}

/*
 * Condition variables. Which thread a signal wakes is a choice. The question is always whether some
 * choice explains what happened.
 *
 * A signal must wake one of the waiting threads that were not woken yet, if there is one. So the
 * number of threads that remain does not depend on the choices, only which ones they are. A wait
 * that returns must have been woken by then. Give each signal to the wait that returns first (this
 * is the scheduling of unit jobs by earliest deadline). If any choice works, this one does: suppose
 * that another choice gives a signal to x and a later one to y, and y returns before x; then the
 * two signals can be exchanged. Waits that have not returned yet are all equally late, so the
 * choice among them stays open. `entries` represents this:
 *
 *   WAIT       adds an entry of its own at the end
 *   SIGNAL     adds an entry if there are more waits than signals: one of the waits has been woken
 *   BROADCAST  wakes all waits; the signals before it are used up and removed
 *   WOKEN      by a broadcast, or by the first signal after the wait. That signal is removed with
 *              the wait, because of all waits that have not returned yet, this one returns first.
 *
 * A wait that was recorded as timed out got no signal, so it is not counted.
 */
#include "check/world.h"

#include <string.h>

static void remove_entry(struct checker_condition_entry *items, size_t *count, size_t i)
{
	memmove(&items[i], &items[i + 1], (*count - i - 1) * sizeof *items);
	--*count;
}

static size_t find_wait(const struct checker_condition_entry *items, size_t count, uint32_t thread)
{
	size_t i = 0;

	while (i < count && (items[i].kind != CHECKER_WAIT || items[i].thread != thread))
		i++;
	return i;
}

static size_t find_signal(const struct checker_condition_entry *items, size_t count, size_t from)
{
	while (from < count && items[from].kind == CHECKER_WAIT)
		from++;
	return from;
}

static bool can_be_signalled(const struct checker_condition_entry *entry)
{
	return entry->kind == CHECKER_WAIT && !entry->timed_out && !entry->woken;
}

/* ---- the rule -------------------------------------------------------------------------------- */

bool checker_condition_allows(const struct checker_world *world,
			      const struct checker_record *record, struct err *why)
{
	const struct checker_condition *condition =
		&checker_world_see(world, CHECKER_CONDITION, record->address)->condition;
	const struct checker_condition_entry *entries = condition->entries.items;
	size_t count = condition->entries.count, wait;
	struct checker_words name = checker_object_words(world->trace, record->address);

	if (record->kind == EV_WAIT && (record->bits & CHECKER_ASTRAY))
		return err_set(why,
			       "waits on condition %s and never returns, but its thread continues",
			       name.text);
	if (record->kind != EV_WOKEN)
		return true;
	wait = find_wait(entries, count, record->thread);
	if (wait == count)
		return err_set(why, "is woken on condition %s without waiting there", name.text);
	if (record->mode || entries[wait].woken || find_signal(entries, count, wait) < count)
		return true;
	return err_set(why, "is woken on condition %s, but no signal is left for it", name.text);
}

bool checker_condition_is_used(const struct checker_world *world, uint64_t address)
{
	const struct checker_condition *condition =
		&checker_world_see(world, CHECKER_CONDITION, address)->condition;

	for (size_t i = 0; i < condition->entries.count; i++) {
		if (condition->entries.items[i].kind == CHECKER_WAIT)
			return true;
	}
	return false;
}

/* ---- the effects ----------------------------------------------------------------------------- */

static bool can_wake_one(const struct checker_condition *condition)
{
	size_t waits = 0, signals = 0;

	for (size_t i = 0; i < condition->entries.count; i++) {
		waits += can_be_signalled(&condition->entries.items[i]);
		signals += condition->entries.items[i].kind == CHECKER_SIGNAL;
	}
	return waits > signals;
}

static void wake_all(struct checker_condition *condition)
{
	size_t kept = 0;

	for (size_t i = 0; i < condition->entries.count; i++) {
		struct checker_condition_entry *entry = &condition->entries.items[i];

		if (entry->kind != CHECKER_WAIT)
			continue;
		entry->woken = true;
		condition->entries.items[kept++] = *entry;
	}
	condition->entries.count = kept;
}

static void end_wait(struct checker_condition *condition, const struct checker_record *record)
{
	struct checker_condition_entry *entries = condition->entries.items;
	size_t wait = find_wait(entries, condition->entries.count, record->thread);
	size_t signal = find_signal(entries, condition->entries.count, wait);

	if (wait == condition->entries.count)
		return;
	if (can_be_signalled(&entries[wait]) && signal < condition->entries.count)
		remove_entry(entries, &condition->entries.count, signal);
	remove_entry(entries, &condition->entries.count, wait);
}

/* ---- which event woke each wait in the base run ---------------------------------------------- */

/*
 * Records a signal or broadcast. In base order, each WOKEN without a time-out was woken by the
 * first broadcast or signal after its WAIT that no earlier WOKEN used (doc/prediction.md). Calls
 * that no wait can use are not kept. These are calls between a broadcast and the next wait, and,
 * after the last wait, signals beyond the number of waits.
 */
static void record_call(struct checker_condition *condition, struct checker_condition_entry call)
{
	const struct checker_condition_entry *items = condition->recorded.items;
	size_t waits = 0, calls_after = 0;

	for (size_t i = 0; i < condition->recorded.count; i++) {
		waits += items[i].kind == CHECKER_WAIT;
		calls_after = items[i].kind == CHECKER_WAIT ? 0 : calls_after + 1;
	}
	if (calls_after >= waits || items[condition->recorded.count - 1].kind == CHECKER_BROADCAST)
		return;
	*vec_push(&condition->recorded) = call;
}

static size_t find_waker(const struct checker_condition *condition, uint32_t thread)
{
	const struct checker_condition_entry *items = condition->recorded.items;
	size_t count = condition->recorded.count;

	return find_signal(items, count, find_wait(items, count, thread));
}

static void record_return(struct checker_condition *condition, const struct checker_record *record)
{
	struct checker_condition_entry *items = condition->recorded.items;
	size_t waker = find_waker(condition, record->thread);
	size_t wait = find_wait(items, condition->recorded.count, record->thread);

	if (wait == condition->recorded.count)
		return;
	if (!record->mode && waker < condition->recorded.count &&
	    items[waker].kind == CHECKER_SIGNAL)
		remove_entry(items, &condition->recorded.count, waker);
	remove_entry(items, &condition->recorded.count, wait);
	while (condition->recorded.count && items[0].kind != CHECKER_WAIT)
		remove_entry(items, &condition->recorded.count, 0);
}

uint32_t checker_condition_waker(const struct checker_world *world,
				 const struct checker_record *woken)
{
	const struct checker_condition *condition =
		&checker_world_see(world, CHECKER_CONDITION, woken->address)->condition;
	size_t waker = find_waker(condition, woken->thread);

	if (woken->mode || waker >= condition->recorded.count)
		return 0;
	return condition->recorded.items[waker].number;
}

/* ---- applying an event ----------------------------------------------------------------------- */

void checker_condition_apply(struct checker_world *world, const struct checker_record *record,
			     uint32_t number)
{
	struct checker_condition *condition =
		&checker_world_change(world, CHECKER_CONDITION, record->address)->condition;
	struct checker_condition_entry entry = { .thread = record->thread, .number = number };

	switch (record->kind) {
	case EV_COND_INIT:
	case EV_COND_DESTROY: condition->entries.count = condition->recorded.count = 0; break;
	case EV_WAIT:
		if (record->bits & CHECKER_ASTRAY)
			break;
		entry.timed_out = record->bits & CHECKER_TIMES_OUT;
		*vec_push(&condition->entries) = entry;
		*vec_push(&condition->recorded) = entry;
		break;
	case EV_SIGNAL:
		entry.kind = CHECKER_SIGNAL;
		if (can_wake_one(condition))
			*vec_push(&condition->entries) = entry;
		record_call(condition, entry);
		break;
	case EV_BROADCAST:
		entry.kind = CHECKER_BROADCAST;
		wake_all(condition);
		record_call(condition, entry);
		break;
	case EV_WOKEN:
		end_wait(condition, record);
		record_return(condition, record);
		break;
	}
}

static bool is_among(uint32_t thread, const uint32_t *threads, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (threads[i] == thread)
			return true;
	}
	return false;
}

/* Each signal in turn must find a waiting thread other than the given ones. */
bool checker_condition_unwoken(const struct checker_world *world, uint64_t address,
			       const uint32_t *threads, size_t count)
{
	const struct checker_condition *condition =
		&checker_world_see(world, CHECKER_CONDITION, address)->condition;
	size_t others = 0, waiting = 0;

	for (size_t i = 0; i < condition->entries.count; i++) {
		const struct checker_condition_entry *entry = &condition->entries.items[i];

		if (entry->kind == CHECKER_SIGNAL) {
			if (!others--)
				return false;
		} else if (is_among(entry->thread, threads, count)) {
			if (entry->woken)
				return false;
			waiting++;
		} else {
			others += can_be_signalled(entry);
		}
	}
	return waiting == count;
}

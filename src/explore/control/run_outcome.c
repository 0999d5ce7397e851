/* Describes in words how a run ended, and finds the first read in which two runs differ. */
#include "explore/control/run_outcome.h"

#include "base/map.h"
#include "explore/control/site_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

const char *run_outcome_name(enum run_outcome_kind kind)
{
	static const char *const names[] = {
		[RUN_OUTCOME_NONE] = "nothing seen",
		[RUN_OUTCOME_VALUE] = "other value",
		[RUN_OUTCOME_STATUS] = "exit status",
		[RUN_OUTCOME_HANG] = "hang",
		[RUN_OUTCOME_USE_AFTER_FREE] = "use after free",
		[RUN_OUTCOME_BAD_FREE] = "bad free",
		[RUN_OUTCOME_CRASH] = "crash",
		[RUN_OUTCOME_ASSERTION] = "assertion failed",
		[RUN_OUTCOME_UNDECIDED] = "not decided",
		[RUN_OUTCOME_NOT_SHOWN] = "not shown",
	};

	assert(kind < sizeof names / sizeof names[0]);
	return names[kind];
}

void run_outcome_print(char text[RUN_OUTCOME_TEXT], const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(text, RUN_OUTCOME_TEXT, format, list);
	va_end(list);
}

/* ---- how a run ended ------------------------------------------------------------------------- */

void run_outcome_describe_blocked(char text[RUN_OUTCOME_TEXT], const struct control_blocked *b,
				  const struct run_outcome_source *source)
{
	struct site_text at = site_text(source->trace, source->symbols, b->site);
	struct site_text what = object_text(source->trace, source->symbols, b->site, b->address);

	switch (b->how) {
	case CONTROL_BY_OWNER:
		if (b->kind == EV_JOIN || b->kind == EV_JOIN_REQUEST)
			run_outcome_print(text,
					  "T%" PRIu32 " waits for the end of T%" PRIu32 " at %s",
					  b->thread, b->owner, at.text);
		else if (b->owner == b->thread)
			run_outcome_print(text,
					  "T%" PRIu32
					  " waits for %.100s, which it already holds, at %s",
					  b->thread, what.text, at.text);
		else
			run_outcome_print(text,
					  "T%" PRIu32 " waits for %.100s, which T%" PRIu32
					  " holds, at %s",
					  b->thread, what.text, b->owner, at.text);
		break;
	case CONTROL_BY_SPIN:
		run_outcome_print(text, "T%" PRIu32 " spins at %s", b->thread, at.text);
		break;
	case CONTROL_BY_CALL:
		run_outcome_print(text, "T%" PRIu32 " waits in a system call at %s", b->thread,
				  at.text);
		break;
	case CONTROL_BY_NOBODY:
		run_outcome_print(text, "T%" PRIu32 " waits on %.100s at %s", b->thread, what.text,
				  at.text);
		break;
	default: run_outcome_print(text, "T%" PRIu32 " is ready to run at %s", b->thread, at.text);
	}
}

static void describe_blocked_threads(struct run_outcome *e, const struct outcome *outcome,
				     const struct run_outcome_source *source)
{
	bool cycle = outcome->result == CONTROL_DEADLOCK;

	for (uint32_t i = 0; i < outcome->blocked_count; i++) {
		const struct control_blocked *b = &outcome->blocked[i];
		char words[RUN_OUTCOME_TEXT], all[RUN_OUTCOME_TEXT];

		if (b->how == CONTROL_BY_NOTHING || (cycle && !b->in_cycle))
			continue;
		run_outcome_describe_blocked(words, b, source);
		run_outcome_print(all, "%s%s%s", e->text, e->text[0] ? ", " : "", words);
		strcpy(e->text, all);
	}
}

static void describe_crash(struct run_outcome *e, const struct outcome *outcome,
			   const struct run_outcome_source *source)
{
	int number = WIFSIGNALED(outcome->status) ? WTERMSIG(outcome->status) : outcome->status;
	const char *name = sigabbrev_np(number);
	const struct control *c = outcome->control;

	if (c->fault_site)
		run_outcome_print(e->text, "SIG%s at %s, address 0x%" PRIx64, name ? name : "?",
				  site_text(source->trace, source->symbols, c->fault_site).text,
				  c->fault_address);
	else
		run_outcome_print(e->text, "SIG%s", name ? name : "?");
}

static void describe_fault(struct run_outcome *e, const struct outcome *outcome,
			   const struct run_outcome_source *source)
{
	const struct control *c = outcome->control;

	run_outcome_print(
		e->text, "T%" PRIu32 ", %s at %s", c->fault_thread,
		object_text(source->trace, source->symbols, c->fault_site, c->fault_address).text,
		site_text(source->trace, source->symbols, c->fault_site).text);
}

static void compare_status(struct run_outcome *e, int status, int usual)
{
	if (usual < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == usual)
		return;
	e->kind = RUN_OUTCOME_STATUS;
	run_outcome_print(e->text, "%d instead of %d", WEXITSTATUS(status), usual);
}

void run_outcome_of_end(struct run_outcome *e, const struct outcome *outcome,
			const struct run_outcome_source *source, int status)
{
	static const enum run_outcome_kind kinds[] = {
		[CONTROL_ASSERTION] = RUN_OUTCOME_ASSERTION,
		[CONTROL_ABORTED] = RUN_OUTCOME_ASSERTION,
		[CONTROL_DEADLOCK] = RUN_OUTCOME_HANG,
		[CONTROL_STUCK] = RUN_OUTCOME_HANG,
		[CONTROL_USE_AFTER_FREE] = RUN_OUTCOME_USE_AFTER_FREE,
		[CONTROL_BAD_FREE] = RUN_OUTCOME_BAD_FREE,
		[CONTROL_CRASHED] = RUN_OUTCOME_CRASH,
		[CONTROL_LIMIT] = RUN_OUTCOME_UNDECIDED,
		[CONTROL_HUNG] = RUN_OUTCOME_UNDECIDED,
		[CONTROL_UNFIT] = RUN_OUTCOME_NONE,
	};
	const char *text = outcome->control ? outcome->control->text : "";

	*e = (struct run_outcome){ kinds[outcome->result], "" };
	switch (outcome->result) {
	case CONTROL_UNFINISHED:
	case CONTROL_ASLEEP:
	case CONTROL_UNFIT: break;
	case CONTROL_ENDED: compare_status(e, outcome->status, status); break;
	case CONTROL_ABORTED: text = *text ? text : "abort() was called"; /* fall through */
	case CONTROL_ASSERTION:
		run_outcome_print(e->text, "%.*s", (int)CONTROL_TEXT - 1, text);
		break;
	case CONTROL_DEADLOCK:
	case CONTROL_STUCK: describe_blocked_threads(e, outcome, source); break;
	case CONTROL_USE_AFTER_FREE:
	case CONTROL_BAD_FREE: describe_fault(e, outcome, source); break;
	case CONTROL_CRASHED: describe_crash(e, outcome, source); break;
	case CONTROL_LIMIT:
	case CONTROL_HUNG: run_outcome_print(e->text, "the run did not end in time"); break;
	}
}

/* ---- values that were read ------------------------------------------------------------------- */

static bool is_read(uint8_t kind)
{
	return kind == EV_READ || kind == EV_ATOMIC_READ || kind == EV_ATOMIC_UPDATE;
}

/*
 * Returns the log position of the first stop's operation: 0 if not all stops were reached, the end
 * of the log if the operation was not done.
 */
static uint32_t find_first_stop(const struct outcome *outcome)
{
	const struct control *c = outcome->control;

	for (uint32_t i = 0; i < outcome->event_count && c->stops_met; i++) {
		if (outcome->events[i].thread == c->stops[0].thread &&
		    outcome->events[i].step == c->stops[0].actual_step)
			return i;
	}
	return c->stops_met ? outcome->event_count : 0;
}

void run_outcome_copy_reads(run_outcome_reads *kept, const struct outcome *outcome)
{
	kept->count = 0;
	for (uint32_t i = find_first_stop(outcome); i < outcome->event_count; i++) {
		const struct control_event *ev = &outcome->events[i];

		if (is_read(ev->kind) && ev->size <= 8)
			*vec_push(kept) =
				(struct run_outcome_read){ ev->thread, ev->step,    ev->size,
							   ev->site,   ev->address, ev->other };
	}
}

bool run_outcome_find_difference(const run_outcome_reads *a, const run_outcome_reads *b,
				 size_t *in_a, size_t *in_b)
{
	struct map positions = { 0 };
	bool found = false;

	for (size_t i = 0; i < a->count; i++)
		*map_put(&positions, (uint64_t)a->items[i].thread << 32 | a->items[i].step, NULL) =
			i + 1;
	for (size_t i = 0; i < b->count && !found; i++) {
		const struct run_outcome_read *read = &b->items[i];
		const uint64_t *at = map_get(&positions, (uint64_t)read->thread << 32 | read->step);

		if (!at || a->items[*at - 1].site != read->site ||
		    a->items[*at - 1].value == read->value)
			continue;
		*in_a = *at - 1;
		*in_b = i;
		found = true;
	}
	map_free(&positions);
	return found;
}

/*
 * Prints small values as signed decimal numbers, large ones (which may be pointers) in hexadecimal.
 */
static void print_value(char text[32], uint64_t value, uint32_t size)
{
	unsigned unused = size < 8 ? 64 - 8 * size : 0;
	int64_t number = size ? (int64_t)(value << unused) >> unused : 0;

	if (number > -(1ll << 40) && number < 1ll << 40)
		snprintf(text, 32, "%" PRId64, number);
	else
		snprintf(text, 32, "0x%" PRIx64, value);
}

void run_outcome_of_read(struct run_outcome *e, const struct run_outcome_read *read,
			 uint64_t instead, const struct run_outcome_source *source)
{
	char value[32], other[32];

	print_value(value, read->value, read->size);
	print_value(other, instead, read->size);
	e->kind = RUN_OUTCOME_VALUE;
	run_outcome_print(
		e->text, "T%" PRIu32 " reads %.100s as %s instead of %s at %s", read->thread,
		object_text(source->trace, source->symbols, read->site, read->address).text, value,
		other, site_text(source->trace, source->symbols, read->site).text);
}

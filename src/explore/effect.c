#include "explore/effect.h"

#include "base/map.h"
#include "explore/place_words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

const char *effect_name(enum effect_kind kind)
{
	static const char *const names[] = {
		[EFFECT_NONE] = "nothing seen",
		[EFFECT_VALUE] = "other value",
		[EFFECT_STATUS] = "exit status",
		[EFFECT_HANG] = "hang",
		[EFFECT_USE_AFTER_FREE] = "use after free",
		[EFFECT_BAD_FREE] = "bad free",
		[EFFECT_CRASH] = "crash",
		[EFFECT_ASSERTION] = "assertion failed",
		[EFFECT_NOT_SHOWN] = "not shown",
	};

	assert(kind < sizeof names / sizeof names[0]);
	return names[kind];
}

void effect_print(char text[EFFECT_TEXT], const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(text, EFFECT_TEXT, format, list);
	va_end(list);
}

/* ---- how it ended -------------------------------------------------------------------------- */

void effect_blocked_words(char text[EFFECT_TEXT], const struct control_blocked *b,
			  const struct effect_source *source)
{
	struct place_words at = place_words(source->trace, source->symbols, b->site);
	struct place_words what = place_object(source->trace, source->symbols, b->site, b->address);

	switch (b->how) {
	case CONTROL_BY_OWNER:
		if (b->kind == EV_JOIN || b->kind == EV_JOIN_REQUEST)
			effect_print(text, "T%" PRIu32 " waits for the end of T%" PRIu32 " at %s",
				     b->thread, b->owner, at.text);
		else if (b->owner == b->thread)
			effect_print(text,
				     "T%" PRIu32 " waits for %.100s, which it has itself, at %s",
				     b->thread, what.text, at.text);
		else
			effect_print(text,
				     "T%" PRIu32 " waits for %.100s, which T%" PRIu32 " has, at %s",
				     b->thread, what.text, b->owner, at.text);
		break;
	case CONTROL_BY_SPIN:
		effect_print(text, "T%" PRIu32 " spins at %s", b->thread, at.text);
		break;
	case CONTROL_BY_CALL:
		effect_print(text, "T%" PRIu32 " waits in a system call at %s", b->thread, at.text);
		break;
	case CONTROL_BY_NOBODY:
		effect_print(text, "T%" PRIu32 " waits on %.100s at %s", b->thread, what.text,
			     at.text);
		break;
	default: effect_print(text, "T%" PRIu32 " is about to go on at %s", b->thread, at.text);
	}
}

static void tell_blocked(struct effect *e, const struct outcome *outcome,
			 const struct effect_source *source)
{
	bool cycle = outcome->result == CONTROL_DEADLOCK;

	for (uint32_t i = 0; i < outcome->blocked_count; i++) {
		const struct control_blocked *b = &outcome->blocked[i];
		char words[EFFECT_TEXT], all[EFFECT_TEXT];

		if (b->how == CONTROL_BY_NOTHING || (cycle && !b->in_cycle))
			continue;
		effect_blocked_words(words, b, source);
		effect_print(all, "%s%s%s", e->text, e->text[0] ? ", " : "", words);
		strcpy(e->text, all);
	}
}

static void tell_crash(struct effect *e, const struct outcome *outcome,
		       const struct effect_source *source)
{
	int number = WIFSIGNALED(outcome->status) ? WTERMSIG(outcome->status) : outcome->status;
	const char *name = sigabbrev_np(number);
	const struct control *c = outcome->control;

	if (c->fault_site)
		effect_print(e->text, "SIG%s at %s, address 0x%" PRIx64, name ? name : "?",
			     place_words(source->trace, source->symbols, c->fault_site).text,
			     c->fault_address);
	else
		effect_print(e->text, "SIG%s", name ? name : "?");
}

static void tell_fault(struct effect *e, const struct outcome *outcome,
		       const struct effect_source *source)
{
	const struct control *c = outcome->control;

	effect_print(
		e->text, "T%" PRIu32 ", %s at %s", c->fault_thread,
		place_object(source->trace, source->symbols, c->fault_site, c->fault_address).text,
		place_words(source->trace, source->symbols, c->fault_site).text);
}

static void tell_status(struct effect *e, int status, int usual)
{
	if (usual < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == usual)
		return;
	e->kind = EFFECT_STATUS;
	effect_print(e->text, "%d instead of %d", WEXITSTATUS(status), usual);
}

void effect_of_end(struct effect *e, const struct outcome *outcome,
		   const struct effect_source *source, int status)
{
	*e = (struct effect){ EFFECT_NONE, "" };
	switch (outcome->result) {
	case CONTROL_UNFINISHED:
	case CONTROL_ASLEEP:
	case CONTROL_UNFIT: return;
	case CONTROL_ENDED: tell_status(e, outcome->status, status); return;
	case CONTROL_ASSERTION:
		e->kind = EFFECT_ASSERTION;
		effect_print(e->text, "%.*s", (int)CONTROL_TEXT - 1, outcome->control->text);
		return;
	case CONTROL_ABORTED:
		e->kind = EFFECT_ASSERTION;
		effect_print(e->text, "%.*s", (int)CONTROL_TEXT - 1,
			     outcome->control->text[0] ? outcome->control->text
						       : "abort() was called");
		return;
	case CONTROL_DEADLOCK:
	case CONTROL_STUCK:
		e->kind = EFFECT_HANG;
		tell_blocked(e, outcome, source);
		return;
	case CONTROL_USE_AFTER_FREE:
		e->kind = EFFECT_USE_AFTER_FREE;
		tell_fault(e, outcome, source);
		return;
	case CONTROL_BAD_FREE:
		e->kind = EFFECT_BAD_FREE;
		tell_fault(e, outcome, source);
		return;
	case CONTROL_CRASHED:
		e->kind = EFFECT_CRASH;
		tell_crash(e, outcome, source);
		return;
	case CONTROL_LIMIT:
	case CONTROL_HUNG:
		e->kind = EFFECT_HANG;
		effect_print(e->text, "it did not end in time");
		return;
	}
}

/* ---- what was read ------------------------------------------------------------------------- */

static bool reads(uint8_t kind)
{
	return kind == EV_READ || kind == EV_ATOMIC_READ || kind == EV_ATOMIC_UPDATE;
}

/* Where in the log the first of the stops did its operation. */
static uint32_t find_meeting(const struct outcome *outcome)
{
	const struct control *c = outcome->control;

	for (uint32_t i = 0; i < outcome->event_count && c->stops_met; i++) {
		if (outcome->events[i].thread == c->stops[0].thread &&
		    outcome->events[i].step == c->stops[0].actual_step)
			return i;
	}
	return c->stops_met ? outcome->event_count : 0;
}

void effect_keep_reads(effect_reads *kept, const struct outcome *outcome)
{
	kept->count = 0;
	for (uint32_t i = find_meeting(outcome); i < outcome->event_count; i++) {
		const struct control_event *ev = &outcome->events[i];

		if (reads(ev->kind) && ev->size <= 8)
			*vec_push(kept) =
				(struct effect_read){ ev->thread, ev->step,    ev->size,
						      ev->site,	  ev->address, ev->other };
	}
}

bool effect_find_difference(const effect_reads *a, const effect_reads *b, size_t *in_a,
			    size_t *in_b)
{
	struct map positions = { 0 };
	bool found = false;

	for (size_t i = 0; i < a->count; i++)
		*map_put(&positions, (uint64_t)a->items[i].thread << 32 | a->items[i].step, NULL) =
			i + 1;
	for (size_t i = 0; i < b->count && !found; i++) {
		const struct effect_read *read = &b->items[i];
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

/* Small ones as signed numbers, as people write them; what looks like a pointer as one. */
static void print_value(char text[32], uint64_t value, uint32_t size)
{
	unsigned unused = size < 8 ? 64 - 8 * size : 0;
	int64_t number = size ? (int64_t)(value << unused) >> unused : 0;

	if (number > -(1ll << 40) && number < 1ll << 40)
		snprintf(text, 32, "%" PRId64, number);
	else
		snprintf(text, 32, "0x%" PRIx64, value);
}

void effect_of_read(struct effect *e, const struct effect_read *read, uint64_t instead,
		    const struct effect_source *source)
{
	char value[32], other[32];

	print_value(value, read->value, read->size);
	print_value(other, instead, read->size);
	e->kind = EFFECT_VALUE;
	effect_print(e->text, "T%" PRIu32 " reads %.100s as %s instead of %s at %s", read->thread,
		     place_object(source->trace, source->symbols, read->site, read->address).text,
		     value, other, place_words(source->trace, source->symbols, read->site).text);
}

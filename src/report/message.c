#include "report/message.h"

#include "base/mem.h"
#include "report/lifetime.h"
#include "report/matched.h"
#include "report/misuse.h"
#include "report/name.h"
#include "report/atomicity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *message_operation(uint8_t kind)
{
	switch (kind) {
	case EV_READ:
	case EV_ATOMIC_READ: return "read";
	case EV_WRITE:
	case EV_ATOMIC_WRITE: return "write";
	case EV_ATOMIC_UPDATE: return "update";
	case EV_ACQUIRE:
	case EV_REQUEST: return "acquire";
	case EV_READ_ACQUIRE:
	case EV_READ_REQUEST: return "read-acquire";
	case EV_WAIT:
	case EV_WOKEN: return "wait";
	case EV_JOIN:
	case EV_JOIN_REQUEST: return "join";
	case EV_DOWN:
	case EV_DOWN_REQUEST: return "down";
	case EV_ARRIVE:
	case EV_PASS: return "pass";
	case EV_ONCE:
	case EV_ONCE_BEGIN: return "once";
	}
	return event_text(kind);
}

bool message_is_atomic(uint8_t kind)
{
	return event_group(kind) == EG_ATOMIC;
}

const char *message_subject(struct describe *d, const struct finding_event *e)
{
	const struct described *one = describe_find(d, e->id);
	const char *life = lifetime_subject(d, e);

	if (life)
		return life;
	if (one)
		return name_subject(d, &one->event);
	return name_object(d, e->address, NULL);
}

/* The mutex of a condition; of a lock the lock itself. */
static uint64_t lock_of(const struct described *one)
{
	bool waits = one->event.kind == EV_WOKEN || one->event.kind == EV_WAIT;

	return waits ? one->event.other : one->event.address;
}

static bool holds(const struct finding_event *e, uint64_t lock)
{
	for (size_t i = 0; i < e->held.count; i++) {
		if (e->held.items[i].address == lock)
			return true;
	}
	return false;
}

static void print_owner(FILE *out, struct describe *d, const struct finding *f, size_t event,
			const char *what)
{
	const struct finding_event *e = &f->events.items[event];

	if (e->waits_for == event)
		fprintf(out, "%s, which it holds itself", what);
	else if (e->waits_for < f->events.count)
		fprintf(out, "%s, which %s holds", what,
			describe_thread(d, f->events.items[e->waits_for].id.stream));
	else
		fprintf(out, "%s", what);
}

static void print_wait(FILE *out, struct describe *d, const struct finding *f, size_t event)
{
	const struct finding_event *e = &f->events.items[event];
	const struct described *one = describe_find(d, e->id);
	const char *what = message_subject(d, e);
	bool owned = e->waits_for < f->events.count;

	switch (e->kind) {
	case EV_WOKEN:
	case EV_WAIT:
		if (one && owned && holds(&f->events.items[e->waits_for], lock_of(one)))
			print_owner(out, d, f, event, name_object(d, lock_of(one), NULL));
		else
			fprintf(out, "a signal on %s", what);
		break;
	case EV_JOIN:
	case EV_JOIN_REQUEST: fprintf(out, "the end of %s", what); break;
	case EV_DOWN:
	case EV_DOWN_REQUEST: fprintf(out, "a post of semaphore %s", what); break;
	case EV_PASS:
	case EV_ARRIVE: fprintf(out, "the others at barrier %s", what); break;
	case EV_ONCE:
		fprintf(out, "the end of once %s", what);
		if (owned)
			fprintf(out, ", which %s runs",
				describe_thread(d, f->events.items[e->waits_for].id.stream));
		break;
	default: print_owner(out, d, f, event, what);
	}
}

static const char *finish(struct describe *d, FILE *out, char **text, size_t *size)
{
	const char *kept;

	fclose(out);
	kept = describe_keep(d, *text, *size);
	free(*text);
	return kept;
}

static FILE *begin(char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);

	if (!out)
		abort();
	return out;
}

const char *message_wait(struct describe *d, const struct finding *f, size_t event)
{
	char *text;
	size_t size;
	FILE *out = begin(&text, &size);

	print_wait(out, d, f, event);
	return finish(d, out, &text, &size);
}

static void print_race(FILE *out, struct describe *d, const struct finding *f)
{
	for (size_t i = 0; i < f->events.count; i++) {
		const struct finding_event *e = &f->events.items[i];

		fprintf(out, "%s%s%s of %s in %s", i ? " and " : "",
			message_is_atomic(e->kind) ? "atomic " : "", message_operation(e->kind),
			message_subject(d, e), describe_thread(d, e->id.stream));
	}
	fputs(" can happen at the same time", out);
}

/* "T1 and T2", "T1, T2 and T3" */
static void print_threads(FILE *out, struct describe *d, const struct finding *f)
{
	for (size_t i = 0; i < f->events.count; i++)
		fprintf(out, "%s%s",
			!i			  ? ""
			: i + 1 < f->events.count ? ", "
						  : " and ",
			describe_thread(d, f->events.items[i].id.stream));
}

static bool is_cycle(const struct finding *f)
{
	for (size_t i = 0; i < f->events.count; i++) {
		if (f->events.items[i].waits_for >= f->events.count)
			return false;
	}
	return true;
}

static void print_deadlock(FILE *out, struct describe *d, const struct finding *f)
{
	bool seen = f->status == FINDING_OBSERVED;
	const char *can = seen ? "" : "can ", *s = seen ? "s" : "";

	if (f->events.count == 1) {
		fprintf(out, "%s %swait%s for ever for ",
			describe_thread(d, f->events.items[0].id.stream), can, s);
		print_wait(out, d, f, 0);
		return;
	}
	print_threads(out, d, f);
	if (is_cycle(f))
		fprintf(out, " %swait for each other for ever: ", can);
	else
		fprintf(out, " %swait for ever: ", can);
	for (size_t i = 0; i < f->events.count; i++) {
		fprintf(out, "%s%s for ", i ? ", " : "",
			describe_thread(d, f->events.items[i].id.stream));
		if (is_cycle(f))
			fputs(message_subject(d, &f->events.items[i]), out);
		else
			print_wait(out, d, f, i);
	}
}

static void print_lost(FILE *out, struct describe *d, const struct finding *f)
{
	bool seen = f->status == FINDING_OBSERVED;
	size_t waits = 0;

	for (size_t i = 0; i < f->events.count; i++) {
		const struct finding_event *e = &f->events.items[i];

		if (e->kind != EV_WOKEN && e->kind != EV_WAIT)
			continue;
		fprintf(out, "%s%s %s on %s", waits++ ? ", " : "", describe_thread(d, e->id.stream),
			seen ? "waits for ever" : "can wait for ever", message_subject(d, e));
	}
	fputs(seen ? ": its signal came before the wait" : ": its signal can come before the wait",
	      out);
}

static void print_unprotected(FILE *out, struct describe *d, const struct finding *f)
{
	fprintf(out, "%s is accessed unprotected:", message_subject(d, &f->events.items[1]));
	for (size_t i = 0; i < f->events.count; i++)
		fprintf(out, "%s %s%s in %s", i ? "," : "",
			message_is_atomic(f->events.items[i].kind) ? "atomic " : "",
			message_operation(f->events.items[i].kind),
			describe_thread(d, f->events.items[i].id.stream));
}

static const char *plain_lock(struct describe *d, const struct finding_event *e)
{
	const struct described *one = describe_find(d, e->id);

	return name_object(d, e->address,
			   one && one->event.address == e->address ? &one->event : NULL);
}

/* Locks of different objects are often called the same: then the address tells. */
const char *message_lock(struct describe *d, const struct finding *f, size_t event)
{
	const struct finding_event *e = &f->events.items[event];
	const char *name = plain_lock(d, e);
	char text[512];
	bool clear = true;

	for (size_t i = 0; i < f->events.count; i++)
		clear &= f->events.items[i].address == e->address ||
			 strcmp(plain_lock(d, &f->events.items[i]), name) != 0;
	if (clear)
		return name;
	snprintf(text, sizeof text, "%s (0x%" PRIx64 ")", name, e->address);
	return describe_keep(d, text, strlen(text));
}

static void print_lock_order(FILE *out, struct describe *d, const struct finding *f)
{
	fputs("locks ", out);
	for (size_t i = 0; i < f->events.count; i++)
		fprintf(out, "%s%s",
			!i			  ? ""
			: i + 1 < f->events.count ? ", "
						  : " and ",
			message_lock(d, f, i));
	fprintf(out, " are taken in %s by ", f->events.count == 2 ? "opposite order" : "a circle");
	print_threads(out, d, f);
}

const char *message_make(struct describe *d, const struct finding *f)
{
	char *text;
	size_t size;
	FILE *out;

	if (f->property)
		return matched_message(d, f);
	out = begin(&text, &size);
	if (finding_is_of_life(f)) {
		lifetime_message(d, f, out);
		return finish(d, out, &text, &size);
	}
	if (misuse_is(f)) {
		misuse_message(d, f, out);
		return finish(d, out, &text, &size);
	}
	switch (f->kind) {
	case FINDING_RACE: print_race(out, d, f); break;
	case FINDING_LOST_SIGNAL: print_lost(out, d, f); break;
	case FINDING_ATOMICITY: atomicity_print_message(d, f, out); break;
	case FINDING_LOCKSET: print_unprotected(out, d, f); break;
	case FINDING_LOCK_ORDER: print_lock_order(out, d, f); break;
	default: print_deadlock(out, d, f);
	}
	return finish(d, out, &text, &size);
}

/*
 * The messages of races, deadlocks, lost wake-ups and lock warnings. The messages of other findings
 * are in the files about their kinds.
 */
#include "report/message.h"

#include "report/lifetime.h"
#include "report/matched.h"
#include "report/misuse.h"
#include "report/name.h"
#include "report/atomicity.h"

#include <inttypes.h>
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
	const char *block = lifetime_subject(d, e);

	if (block)
		return block;
	if (one)
		return name_subject(d, &one->event);
	return name_object(d, e->address, NULL);
}

/* Returns the lock of a request, or the mutex of a wait. */
static uint64_t lock_of(const struct described *one)
{
	bool waits = one->event.kind == EV_WOKEN || one->event.kind == EV_WAIT;

	return waits ? one->event.other : one->event.address;
}

static bool holds_lock(const struct finding_event *e, uint64_t lock)
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
		if (one && owned && holds_lock(&f->events.items[e->waits_for], lock_of(one)))
			print_owner(out, d, f, event, name_object(d, lock_of(one), NULL));
		else
			fprintf(out, "a signal on %s", what);
		break;
	case EV_JOIN:
	case EV_JOIN_REQUEST: fprintf(out, "the end of %s", what); break;
	case EV_DOWN:
	case EV_DOWN_REQUEST: fprintf(out, "a post of semaphore %s", what); break;
	case EV_PASS:
	case EV_ARRIVE: fprintf(out, "the other threads at barrier %s", what); break;
	case EV_ONCE:
		fprintf(out, "the end of the once routine %s", what);
		if (owned)
			fprintf(out, ", which %s runs",
				describe_thread(d, f->events.items[e->waits_for].id.stream));
		break;
	default: print_owner(out, d, f, event, what);
	}
}

const char *message_wait(struct describe *d, const struct finding *f, size_t event)
{
	struct text_stream text;

	print_wait(text_begin(&text), d, f, event);
	return text_end(&text, d);
}

void message_print_access(struct describe *d, const struct finding_event *e, FILE *out)
{
	fprintf(out, "%s%s of %s", message_is_atomic(e->kind) ? "atomic " : "",
		message_operation(e->kind), message_subject(d, e));
}

static void print_race(FILE *out, struct describe *d, const struct finding *f)
{
	fputs("data race: ", out);
	for (size_t i = 0; i < f->events.count; i++) {
		const struct finding_event *e = &f->events.items[i];

		fputs(i ? " and " : "", out);
		message_print_access(d, e, out);
		fprintf(out, " in %s", describe_thread(d, e->id.stream));
	}
	fputs(" can happen at the same time", out);
}

/* Returns what precedes item `i` in a list "a, b and c". */
static const char *separator(size_t i, size_t count)
{
	return !i ? "" : i + 1 < count ? ", " : " and ";
}

static void print_threads(FILE *out, struct describe *d, const struct finding *f)
{
	for (size_t i = 0; i < f->events.count; i++)
		fprintf(out, "%s%s", separator(i, f->events.count),
			describe_thread(d, f->events.items[i].id.stream));
}

static void print_deadlock(FILE *out, struct describe *d, const struct finding *f)
{
	bool seen = f->status == FINDING_OBSERVED;
	const char *can = seen ? "" : "can ", *s = seen ? "s" : "";

	fputs("deadlock: ", out);
	if (f->events.count == 1) {
		fprintf(out, "%s %swait%s forever for ",
			describe_thread(d, f->events.items[0].id.stream), can, s);
		print_wait(out, d, f, 0);
		return;
	}
	print_threads(out, d, f);
	fprintf(out, " %swait%s forever: ", can, finding_is_cycle(f) ? " for each other" : "");
	for (size_t i = 0; i < f->events.count; i++) {
		fprintf(out, "%s%s for ", i ? ", " : "",
			describe_thread(d, f->events.items[i].id.stream));
		if (finding_is_cycle(f))
			fputs(message_subject(d, &f->events.items[i]), out);
		else
			print_wait(out, d, f, i);
	}
}

static void print_lost(FILE *out, struct describe *d, const struct finding *f)
{
	bool seen = f->status == FINDING_OBSERVED;
	size_t waits = 0;

	fputs("lost wake-up: ", out);
	for (size_t i = 0; i < f->events.count; i++) {
		const struct finding_event *e = &f->events.items[i];

		if (e->kind != EV_WOKEN && e->kind != EV_WAIT)
			continue;
		fprintf(out, "%s%s %s on %s", waits++ ? ", " : "", describe_thread(d, e->id.stream),
			seen ? "waits forever" : "can wait forever", message_subject(d, e));
	}
	fputs(seen ? ": the signal came before the wait" : ": the signal can come before the wait",
	      out);
}

static void print_unprotected(FILE *out, struct describe *d, const struct finding *f)
{
	fprintf(out,
		"%s is accessed without a common lock:", message_subject(d, &f->events.items[1]));
	for (size_t i = 0; i < f->events.count; i++)
		fprintf(out, "%s %s%s in %s", i ? "," : "",
			message_is_atomic(f->events.items[i].kind) ? "atomic " : "",
			message_operation(f->events.items[i].kind),
			describe_thread(d, f->events.items[i].id.stream));
}

/* Adds the address to the name if another lock of the finding has the same name. */
const char *message_lock(struct describe *d, const struct finding *f, size_t event)
{
	const struct finding_event *e = &f->events.items[event];
	const char *name = name_lock(d, e->address, e->id);
	bool unique = true;

	for (size_t i = 0; i < f->events.count; i++) {
		const struct finding_event *other = &f->events.items[i];

		unique &= other->address == e->address ||
			  strcmp(name_lock(d, other->address, other->id), name) != 0;
	}
	return unique ? name : describe_format(d, "%s (0x%" PRIx64 ")", name, e->address);
}

static void print_lock_order(FILE *out, struct describe *d, const struct finding *f)
{
	fputs("lock order inversion: ", out);
	print_threads(out, d, f);
	fputs(" acquire locks ", out);
	for (size_t i = 0; i < f->events.count; i++)
		fprintf(out, "%s%s", separator(i, f->events.count), message_lock(d, f, i));
	fputs(f->events.count == 2 ? " in opposite order" : " in an order that forms a cycle", out);
}

bool message_share_lock(const struct finding_event *a, const struct finding_event *b)
{
	for (size_t i = 0; i < a->held.count; i++) {
		if (holds_lock(b, a->held.items[i].address))
			return true;
	}
	return false;
}

const char *message_make(struct describe *d, const struct finding *f)
{
	struct text_stream text;
	FILE *out;

	if (f->property)
		return matched_message(d, f);
	out = text_begin(&text);
	if (finding_is_use_after_end(f)) {
		lifetime_message(d, f, out);
		return text_end(&text, d);
	}
	switch (f->kind) {
	case FINDING_RACE: print_race(out, d, f); break;
	case FINDING_LOST_SIGNAL: print_lost(out, d, f); break;
	case FINDING_ATOMICITY: atomicity_print_message(d, f, out); break;
	case FINDING_MISUSE: misuse_message(d, f, out); break;
	case FINDING_LOCKSET: print_unprotected(out, d, f); break;
	case FINDING_LOCK_ORDER: print_lock_order(out, d, f); break;
	default: print_deadlock(out, d, f);
	}
	return text_end(&text, d);
}

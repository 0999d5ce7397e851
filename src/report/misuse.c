/*
 * A misuse that happened in the recorded run has one event. A misuse that another order shows has
 * two events: the destroy and the event by which the object is in use, the initialisation and the
 * use before it, or the detach and the join.
 */
#include "report/misuse.h"

#include "report/message.h"
#include "report/name.h"
#include "report/verb.h"

#include <assert.h>

bool misuse_is(const struct finding *f)
{
	return f->kind == FINDING_MISUSE && !finding_is_use_after_end(f);
}

const char *misuse_name(enum event_misuse misuse)
{
	static const char *const names[EVENT_MISUSES] = {
		[EVENT_MISUSE_NOT_HELD] = "not-held",
		[EVENT_MISUSE_DESTROY_IN_USE] = "destroy-in-use",
		[EVENT_MISUSE_DESTROYED] = "destroyed",
		[EVENT_MISUSE_NOT_INIT] = "not-init",
		[EVENT_MISUSE_JOIN_TWICE] = "join-twice",
		[EVENT_MISUSE_JOIN_DETACHED] = "join-detached",
		[EVENT_MISUSE_HELD_AT_END] = "held-at-end",
		[EVENT_MISUSE_NO_RECHECK] = "no-recheck",
		[EVENT_MISUSE_CLOSED] = "closed",
	};

	assert(misuse < EVENT_MISUSES && misuse != EVENT_MISUSE_NONE);
	return names[misuse];
}

/* Returns the thread that is joined or detached. */
static const char *target_thread(struct describe *d, const struct finding_event *e)
{
	const struct described *one = describe_find(d, e->id);

	return one ? describe_thread(d, (uint32_t)one->event.number) : "a thread";
}

/* ---- in another order ------------------------------------------------------------------------ */

static const char *use_verb(uint8_t kind)
{
	switch (kind) {
	case EV_WAIT: return "waits on it";
	case EV_ARRIVE: return "waits at it";
	}
	return "holds it";
}

static void print_pair(struct describe *d, const struct finding *f, FILE *out)
{
	const struct finding_event *a = &f->events.items[0], *b = &f->events.items[1];
	const char *first = describe_thread(d, a->id.stream);
	const char *second = describe_thread(d, b->id.stream);
	bool seen = f->status == FINDING_OBSERVED;

	switch (f->misuse) {
	case EVENT_MISUSE_DESTROY_IN_USE:
		fprintf(out, "%s %s %s while %s %s", first, seen ? "destroys" : "can destroy",
			message_subject(d, a), second, use_verb(b->kind));
		break;
	case EVENT_MISUSE_NOT_INIT:
		fprintf(out, "%s can %s %s before %s has initialised it", second,
			verb_of(b->kind).plain, message_subject(d, b), first);
		break;
	default: /* JOIN_DETACHED */
		fprintf(out, "%s can join %s after ", second, target_thread(d, b));
		if (a->id.stream == describe_find(d, a->id)->event.number)
			fputs("it has detached itself", out);
		else
			fprintf(out, "%s has detached it", first);
	}
}

/* ---- in the recorded run --------------------------------------------------------------------- */

static void print_locks(struct describe *d, const struct finding_event *e, FILE *out)
{
	for (size_t i = 0; i < e->held.count; i++) {
		const struct finding_lock *held = &e->held.items[i];

		fprintf(out, "%s%s", i ? ", " : "", name_lock(d, held->address, held->taken));
	}
}

static void print_observed(struct describe *d, const struct finding *f, FILE *out)
{
	const struct finding_event *e = &f->events.items[0];
	const char *what = message_subject(d, e);

	fprintf(out, "%s ", describe_thread(d, e->id.stream));
	switch (f->misuse) {
	case EVENT_MISUSE_NOT_HELD: fprintf(out, "unlocks %s, which it does not hold", what); break;
	case EVENT_MISUSE_DESTROY_IN_USE:
		fprintf(out, "destroys %s while it is in use", what);
		break;
	case EVENT_MISUSE_DESTROYED: fprintf(out, "uses %s after it was destroyed", what); break;
	case EVENT_MISUSE_NOT_INIT: fprintf(out, "uses %s, which is not initialised", what); break;
	case EVENT_MISUSE_JOIN_TWICE:
		fprintf(out, "joins %s, which was already joined", target_thread(d, e));
		break;
	case EVENT_MISUSE_JOIN_DETACHED:
		fprintf(out, "joins or detaches %s, which was already detached or joined",
			target_thread(d, e));
		break;
	case EVENT_MISUSE_HELD_AT_END:
		fputs("ends while it holds ", out);
		print_locks(d, e, out);
		break;
	case EVENT_MISUSE_NO_RECHECK:
		fprintf(out, "does not check its condition again after waiting on %s", what);
		break;
	default: fprintf(out, "uses %s after it was closed", what);
	}
}

void misuse_message(struct describe *d, const struct finding *f, FILE *out)
{
	if (f->events.count == 2)
		print_pair(d, f, out);
	else
		print_observed(d, f, out);
}

void misuse_event(struct describe *d, const struct finding *f, size_t i, FILE *out)
{
	const struct finding_event *e = &f->events.items[i];

	if (f->events.count == 1) {
		print_observed(d, f, out);
		return;
	}
	fprintf(out, "%s ", describe_thread(d, e->id.stream));
	switch (e->kind) {
	case EV_DETACH: fprintf(out, "detaches %s", target_thread(d, e)); break;
	case EV_JOIN:
	case EV_JOIN_REQUEST: fprintf(out, "joins %s", target_thread(d, e)); break;
	default: fprintf(out, "%s %s", verb_of(e->kind).third, message_subject(d, e));
	}
}

/* ---- why, and what to do --------------------------------------------------------------------- */

void misuse_why(const struct finding *f, FILE *out)
{
	static const char *const texts[EVENT_MISUSES] = {
		[EVENT_MISUSE_NOT_HELD] =
			"only the thread that locked a lock may unlock it; the thread that holds "
			"it "
			"now loses its mutual exclusion. Unlock in the thread that locked; to let "
			"one thread lock and another unlock, use a semaphore.",
		[EVENT_MISUSE_DESTROY_IN_USE] =
			"destroying an object that a thread holds or waits on is undefined "
			"behaviour; if the library notices, the call fails or hangs. Join the "
			"threads that use it, or synchronise with them in another way, before it "
			"is destroyed.",
		[EVENT_MISUSE_DESTROYED] =
			"an object that was destroyed must be initialised again before it is used. "
			"Destroy it when no thread needs it any more.",
		[EVENT_MISUSE_NOT_INIT] =
			"the state of an object before its initialisation is undefined, and the "
			"initialisation overwrites the effect of earlier calls. Initialise it "
			"before the threads that use it are created.",
		[EVENT_MISUSE_JOIN_TWICE] =
			"a thread can be joined once; after that its id may belong to another "
			"thread. Join it in one thread, once.",
		[EVENT_MISUSE_JOIN_DETACHED] =
			"a thread can be joined or detached, not both: the id of a detached thread "
			"is invalid as soon as it ends, so that joining it may fail or wait for "
			"another thread. Leave out one of them.",
		[EVENT_MISUSE_HELD_AT_END] =
			"no other thread can unlock a lock of a thread that has ended: the next "
			"thread that locks it waits forever. Unlock it on every path, or make it "
			"robust.",
		[EVENT_MISUSE_NO_RECHECK] =
			"a wait can return without a signal, or after another thread has changed "
			"the condition again. Wait in a loop: while (!ready) wait. (The property "
			"wait-without-loop finds this by the order of calls alone.)",
		[EVENT_MISUSE_CLOSED] = "the number of a closed descriptor may refer to another "
					"file. Close it when "
					"no thread needs it any more.",
	};

	fputs("Why: ", out);
	if (f->events.count == 2 && f->status != FINDING_OBSERVED)
		fputs("no synchronisation keeps the two in their recorded order, and ", out);
	fputs(texts[f->misuse], out);
}

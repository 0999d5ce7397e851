#include "report/misuse.h"

#include "report/message.h"
#include "report/name.h"
#include "report/verb.h"

#include <assert.h>

bool misuse_is(const struct finding *f)
{
	return f->kind == FINDING_MISUSE && !finding_is_of_life(f);
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

/* The thread that a join or a detach is about. */
static const char *other_thread(struct describe *d, const struct finding_event *e)
{
	const struct described *one = describe_find(d, e->id);

	return one ? describe_thread(d, (uint32_t)one->event.number) : "a thread";
}

/* ---- what another order does ----------------------------------------------------------------- */

static const char *how_used(uint8_t kind)
{
	switch (kind) {
	case EV_WAIT: return "waits for it";
	case EV_ARRIVE: return "waits at it for others";
	}
	return "holds it";
}

static void predicted(struct describe *d, const struct finding *f, FILE *out)
{
	const struct finding_event *a = &f->events.items[0], *b = &f->events.items[1];
	const char *first = describe_thread(d, a->id.stream);
	const char *second = describe_thread(d, b->id.stream);
	bool seen = f->status == FINDING_OBSERVED;

	switch (f->misuse) {
	case EVENT_MISUSE_DESTROY_IN_USE:
		fprintf(out, "%s %s %s while %s %s", first, seen ? "destroys" : "can destroy",
			message_subject(d, a), second, how_used(b->kind));
		break;
	case EVENT_MISUSE_NOT_INIT:
		fprintf(out, "%s can %s %s before %s has initialised it", second,
			verb_of(b->kind).plain, message_subject(d, b), first);
		break;
	default: /* JOIN_DETACHED */
		fprintf(out, "%s can join %s after ", second, other_thread(d, b));
		if (a->id.stream == describe_find(d, a->id)->event.number)
			fputs("that has detached itself", out);
		else
			fprintf(out, "%s has detached it", first);
	}
}

/* ---- what the recorded run did --------------------------------------------------------------- */

static void print_locks(struct describe *d, const struct finding_event *e, FILE *out)
{
	for (size_t i = 0; i < e->held.count; i++) {
		const struct finding_lock *held = &e->held.items[i];
		const struct described *taken = describe_find(d, held->taken);
		bool same = taken && taken->event.address == held->address;

		fprintf(out, "%s%s", i ? ", " : "",
			name_object(d, held->address, same ? &taken->event : NULL));
	}
}

static void seen(struct describe *d, const struct finding *f, FILE *out)
{
	const struct finding_event *e = &f->events.items[0];
	const char *what = message_subject(d, e);

	fprintf(out, "%s ", describe_thread(d, e->id.stream));
	switch (f->misuse) {
	case EVENT_MISUSE_NOT_HELD:
		fprintf(out, "gives up %s, which it does not hold", what);
		break;
	case EVENT_MISUSE_DESTROY_IN_USE:
		fprintf(out, "destroys %s while it is in use", what);
		break;
	case EVENT_MISUSE_DESTROYED: fprintf(out, "uses %s, which is destroyed", what); break;
	case EVENT_MISUSE_NOT_INIT: fprintf(out, "uses %s, which is not initialised", what); break;
	case EVENT_MISUSE_JOIN_TWICE:
		fprintf(out, "joins %s, which is joined already", other_thread(d, e));
		break;
	case EVENT_MISUSE_JOIN_DETACHED:
		fprintf(out, "joins or detaches %s, which is detached or joined already",
			other_thread(d, e));
		break;
	case EVENT_MISUSE_HELD_AT_END:
		fputs("ends and still holds ", out);
		print_locks(d, e, out);
		break;
	case EVENT_MISUSE_NO_RECHECK:
		fprintf(out, "does not look again at what it waited for at %s", what);
		break;
	default: fprintf(out, "uses %s, which is closed", what);
	}
}

void misuse_message(struct describe *d, const struct finding *f, FILE *out)
{
	if (f->events.count == 2)
		predicted(d, f, out);
	else
		seen(d, f, out);
}

void misuse_event(struct describe *d, const struct finding *f, size_t i, FILE *out)
{
	const struct finding_event *e = &f->events.items[i];

	if (f->events.count == 1) {
		seen(d, f, out);
		return;
	}
	fprintf(out, "%s ", describe_thread(d, e->id.stream));
	switch (e->kind) {
	case EV_DETACH: fprintf(out, "detaches %s", other_thread(d, e)); break;
	case EV_JOIN:
	case EV_JOIN_REQUEST: fprintf(out, "joins %s", other_thread(d, e)); break;
	default: fprintf(out, "%s %s", verb_of(e->kind).third, message_subject(d, e));
	}
}

/* ---- why, and what to do --------------------------------------------------------------------- */

void misuse_why(const struct finding *f, FILE *out)
{
	static const char *const texts[EVENT_MISUSES] = {
		[EVENT_MISUSE_NOT_HELD] =
			"only who has taken a lock may give it up. Whoever holds it now is no "
			"longer alone. Unlock where it was locked, in the same thread; a lock "
			"that one thread takes and another gives back is a semaphore.",
		[EVENT_MISUSE_DESTROY_IN_USE] =
			"what is destroyed must not be held, nor waited at: that is undefined, "
			"and where the library notices the call fails or hangs. Join who uses it,"
			" or make sure in another way that nobody does, before it is destroyed.",
		[EVENT_MISUSE_DESTROYED] =
			"what is destroyed must be initialised again before it is used. Destroy "
			"it when nobody needs it any more.",
		[EVENT_MISUSE_NOT_INIT] =
			"what is used before it is initialised may be anything, and the "
			"initialisation undoes what was done to it. Initialise it before the "
			"threads that use it are made.",
		[EVENT_MISUSE_JOIN_TWICE] =
			"a thread is joined once; after that its name may be another thread's. "
			"Let one thread join it, once.",
		[EVENT_MISUSE_JOIN_DETACHED] =
			"a thread is joined or detached, not both: when it is detached its name "
			"is nobody's as soon as it ends, and joining it may wait for another "
			"thread, or fail. Leave out one of them.",
		[EVENT_MISUSE_HELD_AT_END] =
			"nobody can unlock what a thread held that has ended: whoever locks it "
			"next waits for ever. Unlock it on every way out, or make it robust.",
		[EVENT_MISUSE_NO_RECHECK] =
			"a wait can come back without a signal, or when another thread was "
			"faster, and what it waited for is not so. Wait in a loop: while (!ready)"
			" wait. (The property wait-without-loop finds it by the order of calls "
			"alone.)",
		[EVENT_MISUSE_CLOSED] =
			"the number of a closed descriptor may be another file's. Close it when "
			"nobody needs it any more.",
	};

	fputs("Why: ", out);
	if (f->events.count == 2 && f->status != FINDING_OBSERVED)
		fputs("nothing keeps these two in the order they had in the recorded run; and ",
		      out);
	fputs(texts[f->misuse], out);
}

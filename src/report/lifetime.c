/* Texts about findings with two events: the end of a lifetime, and a use of the object. */
#include "report/lifetime.h"

#include "report/message.h"
#include "report/name.h"
#include "report/verb.h"

#include <inttypes.h>

const char *lifetime_subject(struct describe *d, const struct finding_event *e)
{
	if (trace_is_text(describe_trace(d)) || (e->kind != EV_FREE && e->kind != EV_UNMAP))
		return NULL;
	return describe_format(d, "%s of %" PRIu64 " byte%s",
			       e->kind == EV_FREE ? "block" : "mapping", e->size,
			       e->size == 1 ? "" : "s");
}

static const char *past_participle(uint8_t kind)
{
	switch (kind) {
	case EV_FREE: return "freed";
	case EV_UNMAP: return "unmapped";
	case EV_FD_CLOSE: return "closed";
	}
	return "destroyed";
}

static bool is_double_free(const struct finding *f)
{
	return f->events.items[0].kind == EV_FREE && f->events.items[1].kind == EV_FREE;
}

static const char *bug_name(const struct finding *f)
{
	switch (f->events.items[0].kind) {
	case EV_FREE: return is_double_free(f) ? "double free" : "use after free";
	case EV_UNMAP: return "use after unmap";
	case EV_FD_CLOSE: return "use after close";
	case EV_END: return "use of an ended thread's stack";
	}
	return "use after destroy";
}

/* Prints "the 40 bytes that T1 allocated at pool.c:12 (pool_new)". */
static void print_block(struct describe *d, const struct finding_event *e, FILE *out)
{
	fprintf(out, "the %" PRIu64 " byte%s that %s allocated at %s", e->block.size,
		e->block.size == 1 ? "" : "s", describe_thread(d, e->block.allocated.stream),
		name_event_site(d, describe_find(d, e->block.allocated)));
}

void lifetime_message(struct describe *d, const struct finding *f, FILE *out)
{
	const struct finding_event *end = &f->events.items[0], *use = &f->events.items[1];
	bool seen = f->status == FINDING_OBSERVED;
	struct verb verb = verb_of(use->kind);
	const char *ender = describe_thread(d, end->id.stream);

	fprintf(out, "%s: %s %s%s ", bug_name(f), describe_thread(d, use->id.stream),
		seen ? "" : "can ", seen ? verb.third : verb.plain);
	if (is_double_free(f) && end->in_block)
		print_block(d, end, out);
	else
		fputs(message_subject(d, use), out);
	if (end->kind == EV_END)
		fprintf(out, ", on the stack of %s, after %s has ended", ender, ender);
	else
		fprintf(out, " after %s has %s %s", ender, past_participle(end->kind),
			is_double_free(f)      ? "them"
			: end->kind == EV_FREE ? "its block"
					       : "it");
}

void lifetime_event(struct describe *d, const struct finding *f, size_t i, FILE *out)
{
	const struct finding_event *e = &f->events.items[i];
	const char *thread = describe_thread(d, e->id.stream);

	if (e->kind == EV_END) {
		fprintf(out, "%s ends, and its stack with it", thread);
		return;
	}
	fprintf(out, "%s %s ", thread, verb_of(e->kind).third);
	if ((e->kind == EV_FREE || e->kind == EV_UNMAP) && e->size > 1)
		fprintf(out, "%" PRIu64 " bytes", e->size);
	else
		fputs(message_subject(d, e), out);
	if (i && event_group(e->kind) <= EG_ATOMIC)
		fprintf(out, ", %" PRIu64 " byte%s", e->size, e->size == 1 ? "" : "s");
	if (!trace_is_text(describe_trace(d)) && e->address < EVENT_FD)
		fprintf(out, " at 0x%" PRIx64, e->address);
}

void lifetime_step(struct describe *d, const struct finding *f, size_t i, FILE *out)
{
	const struct finding_event *e = &f->events.items[i];

	if (e->kind == EV_END)
		fputs("end", out);
	else
		fprintf(out, "%s %s", verb_of(e->kind).plain, message_subject(d, e));
}

void lifetime_why(const struct finding *f, FILE *out)
{
	uint8_t kind = f->events.items[0].kind;

	if (f->status == FINDING_OBSERVED)
		fputs("Why: the recorded run did this; no synchronisation orders the use before "
		      "the "
		      "end of the lifetime.",
		      out);
	else if (message_share_lock(&f->events.items[0], &f->events.items[1]))
		fputs("Why: a common lock keeps them from overlapping but does not order them, and "
		      "the thread that comes second does not check whether the object still "
		      "exists.",
		      out);
	else
		fputs("Why: in the recorded run the use came first, but no synchronisation orders "
		      "it before the end of the lifetime.",
		      out);
	if (kind == EV_END)
		fputs(" Let the thread wait until its stack is no longer used, or allocate the "
		      "object.",
		      out);
	else
		fprintf(out,
			" Join the threads that use it before it is %s, or count references to it.",
			past_participle(kind));
}

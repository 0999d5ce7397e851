#include "report/lifetime.h"

#include "report/message.h"
#include "report/name.h"
#include "report/verb.h"

#include <inttypes.h>
#include <string.h>

const char *lifetime_subject(struct describe *d, const struct finding_event *e)
{
	char text[64];

	if (trace_is_text(describe_trace(d)) || (e->kind != EV_FREE && e->kind != EV_UNMAP))
		return NULL;
	snprintf(text, sizeof text, "%s of %" PRIu64 " byte%s",
		 e->kind == EV_FREE ? "block" : "mapping", e->size, e->size == 1 ? "" : "s");
	return describe_keep(d, text, strlen(text));
}

/* What ends a life, as done: "freed". */
static const char *done(uint8_t kind)
{
	switch (kind) {
	case EV_FREE: return "freed";
	case EV_UNMAP: return "unmapped";
	case EV_FD_CLOSE: return "closed";
	}
	return "destroyed";
}

static bool is_twice(const struct finding *f)
{
	return f->events.items[0].kind == EV_FREE && f->events.items[1].kind == EV_FREE;
}

/* The block by the place that made it: "the 40 bytes that T1 allocated at pool.c:12 (pool_new)". */
static void print_block(struct describe *d, const struct finding_event *e, FILE *out)
{
	const struct described *made = describe_find(d, e->block.allocated);

	fprintf(out, "the %" PRIu64 " byte%s that %s allocated at %s", e->block.size,
		e->block.size == 1 ? "" : "s", describe_thread(d, e->block.allocated.stream),
		name_place(d, name_frame(made)));
}

void lifetime_message(struct describe *d, const struct finding *f, FILE *out)
{
	const struct finding_event *end = &f->events.items[0], *use = &f->events.items[1];
	bool seen = f->status == FINDING_OBSERVED;
	struct verb verb = verb_of(use->kind);
	const char *ender = describe_thread(d, end->id.stream);

	fprintf(out, "%s %s%s ", describe_thread(d, use->id.stream), seen ? "" : "can ",
		seen ? verb.third : verb.plain);
	if (is_twice(f) && end->in_block)
		print_block(d, end, out);
	else
		fputs(message_subject(d, use), out);
	if (end->kind == EV_END)
		fprintf(out, ", on the stack of %s, after %s has ended", ender, ender);
	else
		fprintf(out, " after %s has %s %s", ender, done(end->kind),
			is_twice(f)	       ? "them: a block is freed twice"
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

static bool share_lock(const struct finding *f)
{
	for (size_t i = 0; i < f->events.items[0].held.count; i++) {
		for (size_t k = 0; k < f->events.items[1].held.count; k++) {
			if (f->events.items[0].held.items[i].address ==
			    f->events.items[1].held.items[k].address)
				return true;
		}
	}
	return false;
}

void lifetime_why(const struct finding *f, FILE *out)
{
	uint8_t kind = f->events.items[0].kind;
	bool closes = kind == EV_FD_CLOSE;

	if (f->status == FINDING_OBSERVED)
		fputs("Why: the recorded run did this, and nothing keeps the use before the end.",
		      out);
	else if (share_lock(f))
		fputs("Why: a lock keeps them apart, but not in this order, and whoever comes "
		      "second does not look whether it is still there.",
		      out);
	else
		fputs("Why: in the recorded run the use came in time, but nothing keeps it before "
		      "the end.",
		      out);
	if (kind == EV_END)
		fputs(" Wait until nobody uses what is on the stack, or allocate it.", out);
	else
		fprintf(out, " Join who uses it before it is %s, or count who does.",
			closes ? "closed" : done(kind));
}

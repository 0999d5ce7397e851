#include "report/atomicity.h"

#include "report/message.h"
#include "report/name.h"

static const struct finding_event *first(const struct finding *f)
{
	return &f->events.items[0];
}

static const struct finding_event *last(const struct finding *f)
{
	return &f->events.items[f->events.count - 1];
}

static bool writes(const struct finding_event *e)
{
	return e->kind != EV_READ && e->kind != EV_ATOMIC_READ;
}

static bool reads(const struct finding_event *e)
{
	return e->kind != EV_WRITE && e->kind != EV_ATOMIC_WRITE;
}

static const char *region_lock(struct describe *d, const struct finding *f)
{
	const struct described *taken = describe_find(d, f->region);

	return name_object(d, f->region_lock,
			   taken && taken->event.address == f->region_lock ? &taken->event : NULL);
}

static void print_region(struct describe *d, const struct finding *f, FILE *out)
{
	if (f->region_name)
		fprintf(out, "region %s", f->region_name);
	else if (f->inferred)
		fprintf(out, "what is done in two critical sections of %s", region_lock(d, f));
	else
		fprintf(out, "the critical section of %s", region_lock(d, f));
}

void atomicity_print_message(struct describe *d, const struct finding *f, FILE *out)
{
	print_region(d, f, out);
	fprintf(out, " in %s is torn by %s's", describe_thread(d, first(f)->id.stream),
		describe_thread(d, f->events.items[1].id.stream));
	for (size_t i = 1; i + 1 < f->events.count; i++)
		fprintf(out, "%s %s%s of %s", i > 1 ? " and" : "",
			message_is_atomic(f->events.items[i].kind) ? "atomic " : "",
			message_operation(f->events.items[i].kind),
			message_subject(d, &f->events.items[i]));
}

/* One variable: which of the four ways it is. */
static void print_single(struct describe *d, const struct finding *f, FILE *out)
{
	const struct finding_event *l1 = first(f), *r = &f->events.items[1], *l2 = last(f);
	const char *local = describe_thread(d, l1->id.stream);
	const char *remote = describe_thread(d, r->id.stream), *what = message_subject(d, l2);

	if (!writes(r))
		fprintf(out,
			"left alone, nobody sees what %s has only half done; here %s reads %s "
			"between two writes.",
			local, remote, what);
	else if (reads(l2) && reads(l1))
		fprintf(out,
			"left alone, %s finds the same in %s both times; here %s writes it in "
			"between.",
			local, what, remote);
	else if (reads(l2))
		fprintf(out,
			"left alone, %s reads back what it wrote to %s; here it finds what %s "
			"wrote.",
			local, what, remote);
	else
		fprintf(out,
			"left alone, %s writes to %s what follows from what it read; here the "
			"write of %s is lost, or it is based on what is there no more.",
			local, what, remote);
}

static void print_several(struct describe *d, const struct finding *f, FILE *out)
{
	const char *local = describe_thread(d, first(f)->id.stream);
	const struct finding_event *r1 = &f->events.items[1], *r2 = &f->events.items[2];

	fprintf(out,
		"left alone, all of it comes before or all of it behind what %s does; here the "
		"%s of %s comes behind the %s by %s, and the %s of %s before the %s.",
		describe_thread(d, r1->id.stream), message_operation(r1->kind),
		message_subject(d, r1), message_operation(first(f)->kind), local,
		message_operation(r2->kind), message_subject(d, r2),
		message_operation(last(f)->kind));
}

/* Nobody said that it is a region. */
static void print_inferred(struct describe *d, const struct finding *f, FILE *out)
{
	const char *lock = region_lock(d, f), *local = describe_thread(d, first(f)->id.stream);

	fprintf(out,
		"%s reads %s under %s, leaves it, and writes under it again, while %s may have "
		"changed what was read.",
		local, message_subject(d, first(f)), lock,
		describe_thread(d, f->events.items[1].id.stream));
	if (f->status == FINDING_WARNING)
		fputs(" Whether it matters was not asked: a warning is a lead, no proof.", out);
	else
		fprintf(out, " Hold %s from the first to the last, or look again behind taking it.",
			lock);
}

void atomicity_print_why(struct describe *d, const struct finding *f, FILE *out)
{
	fputs("Why: ", out);
	if (f->inferred) {
		print_inferred(d, f, out);
		return;
	}
	if (f->events.count == 3)
		print_single(d, f, out);
	else
		print_several(d, f, out);
	if (f->region_name)
		fprintf(out,
			" Hold one lock from the first to the last of them, and take it in %s "
			"as well.",
			describe_thread(d, f->events.items[1].id.stream));
	else
		fprintf(out, " %s guards this elsewhere: take it in %s as well.", region_lock(d, f),
			describe_thread(d, f->events.items[1].id.stream));
}

int atomicity_find(const struct finding *f, const struct trace_event *ev)
{
	for (size_t i = 0; f->kind == FINDING_ATOMICITY && i < f->events.count; i++) {
		if (f->events.items[i].id.stream == ev->stream &&
		    f->events.items[i].id.index == ev->index)
			return (int)i;
	}
	return -1;
}

/*
 * An atomicity violation has the events l1, r1, (r2,) l2. The accesses l1 and l2 belong to the
 * region, in the local thread. The accesses r1 and r2 of the remote thread come between them.
 */
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

static const char *local_thread(struct describe *d, const struct finding *f)
{
	return describe_thread(d, first(f)->id.stream);
}

static const char *remote_thread(struct describe *d, const struct finding *f)
{
	return describe_thread(d, f->events.items[1].id.stream);
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
	return name_lock(d, f->region_lock, f->region);
}

static void print_region(struct describe *d, const struct finding *f, FILE *out)
{
	const struct described *begin = describe_find(d, f->region);

	if (f->region_name)
		fprintf(out, "region %s", f->region_name);
	else if (f->inferred)
		fprintf(out, "a sequence of two critical sections of %s", region_lock(d, f));
	else
		fprintf(out, "the critical section of %s", region_lock(d, f));
	if (begin)
		fprintf(out, " at %s", name_event_site(d, begin));
}

void atomicity_print_message(struct describe *d, const struct finding *f, FILE *out)
{
	fputs("atomicity violation: ", out);
	print_region(d, f, out);
	fprintf(out, " in %s %s interleaved by %s's ", local_thread(d, f),
		f->status == FINDING_OBSERVED ? "is" : "can be", remote_thread(d, f));
	for (size_t i = 1; i + 1 < f->events.count; i++) {
		fputs(i > 1 ? " and " : "", out);
		message_print_access(d, &f->events.items[i], out);
	}
}

/*
 * Explains a violation on one variable, which has three events. There are four cases that are not
 * serialisable.
 */
static void print_single(struct describe *d, const struct finding *f, FILE *out)
{
	const struct finding_event *l1 = first(f), *r = &f->events.items[1], *l2 = last(f);
	const char *local = local_thread(d, f), *remote = remote_thread(d, f);
	const char *what = message_subject(d, l2);

	if (!writes(r))
		fprintf(out,
			"without the interleaving, no other thread sees the intermediate state of "
			"%s; here %s reads %s between two writes.",
			local, remote, what);
	else if (reads(l2) && reads(l1))
		fprintf(out,
			"without the interleaving, %s reads the same value of %s twice; here %s "
			"writes it in between.",
			local, what, remote);
	else if (reads(l2))
		fprintf(out,
			"without the interleaving, %s reads back what it wrote to %s; here it "
			"reads "
			"what %s wrote.",
			local, what, remote);
	else
		fprintf(out,
			"without the interleaving, what %s writes to %s depends on its current "
			"value; here the write of %s is lost, or the value is out of date.",
			local, what, remote);
}

static void print_several(struct describe *d, const struct finding *f, FILE *out)
{
	const struct finding_event *r1 = &f->events.items[1], *r2 = &f->events.items[2];
	const char *local = local_thread(d, f);

	fprintf(out,
		"without the interleaving, the whole region comes before or after what %s does; "
		"here the %s of %s comes after the %s by %s, and the %s of %s before the %s by %s.",
		remote_thread(d, f), message_operation(r1->kind), message_subject(d, r1),
		message_operation(first(f)->kind), local, message_operation(r2->kind),
		message_subject(d, r2), message_operation(last(f)->kind), local);
}

/* Explains the violation of a region that the program does not declare. */
static void print_inferred(struct describe *d, const struct finding *f, FILE *out)
{
	const char *lock = region_lock(d, f);

	fprintf(out,
		"%s reads %s while it holds %s, releases it, acquires it again and writes; in "
		"between, %s may change what was read.",
		local_thread(d, f), message_subject(d, first(f)), lock, remote_thread(d, f));
	if (f->status == FINDING_WARNING)
		fputs(" Whether this causes an error was not checked: a warning is not proved.",
		      out);
	else
		fprintf(out,
			" Hold %s from the first access to the last, or check again after "
			"acquiring "
			"it.",
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
			" Hold one lock from the first access to the last, and acquire it in %s as "
			"well.",
			remote_thread(d, f));
	else
		fprintf(out, " %s protects this elsewhere: acquire it in %s as well.",
			region_lock(d, f), remote_thread(d, f));
}

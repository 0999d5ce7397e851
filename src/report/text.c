/* The report for people: what, where, why, and a schedule that shows it. */
#include "report/columns.h"
#include "report/confirmed.h"
#include "report/lifetime.h"
#include "report/matched.h"
#include "report/message.h"
#include "report/misuse.h"
#include "report/name.h"
#include "report/report.h"
#include "report/source.h"
#include "report/formula_table.h"
#include "report/atomicity.h"
#include "report/grammar.h"

#include <inttypes.h>
#include <string.h>

#define WIDTH 100
#define STACK_MOST 12 /* frames shown */
#define FUNCTION_MOST 48

/* A paragraph, broken at blanks; lines after the first are indented by two more. */
static void print_wrapped(FILE *out, int indent, const char *text)
{
	int column = indent;
	bool first = true;

	fprintf(out, "%*s", indent, "");
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (!first && column + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", indent + 2, "");
			column = indent + 2;
		} else if (!first) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", length, text);
		column += length;
		text += length;
		text += *text == ' ';
		first = false;
	}
	fputc('\n', out);
}

/* ---- events ------------------------------------------------------------------------------- */

/* "      teller  bank.c:7   balance = seen + 10;" */
static void print_frame(struct describe *d, const struct describe_frame *frame, FILE *out)
{
	const char *source = source_line(d, frame->file, frame->line);
	char place[256];
	int used;

	if (frame->file)
		snprintf(place, sizeof place, "%s:%u", frame->file, frame->line);
	else
		strcpy(place, "(no source)");
	if (frame->function && strlen(frame->function) > FUNCTION_MOST)
		used = fprintf(out, "      %.*s.. %s", FUNCTION_MOST - 2, frame->function, place);
	else if (frame->function)
		used = fprintf(out, "      %-16s %-16s", frame->function, place);
	else
		used = fprintf(out, "      %-16s", place);
	if (source && used + 12 < WIDTH)
		fprintf(out, "  | %.*s", WIDTH - used - 4, source);
	fputc('\n', out);
}

static void print_stack(struct describe *d, const struct described *one, FILE *out)
{
	size_t count = one ? one->stack.count : 0;

	for (size_t i = 0; i < count && i < STACK_MOST; i++)
		print_frame(d, &one->stack.items[i], out);
	if (count > STACK_MOST)
		fprintf(out, "      ... %zu more\n", count - STACK_MOST);
}

static const char *place_of(struct describe *d, const struct described *one)
{
	return name_place(d, name_frame(one));
}

static const char *lock_name(struct describe *d, const struct finding_lock *held)
{
	const struct described *taken = describe_find(d, held->taken);
	bool same = taken && taken->event.address == held->address;

	return name_object(d, held->address, same ? &taken->event : NULL);
}

static void print_held(struct describe *d, const struct finding_event *e, FILE *out)
{
	for (size_t i = 0; i < e->held.count; i++) {
		const struct finding_lock *held = &e->held.items[i];

		fprintf(out, "    holds %s%s, taken at %s\n", lock_name(d, held),
			held->shared ? " for reading" : "",
			place_of(d, describe_find(d, held->taken)));
	}
	if (!e->held.count)
		fputs("    holds no lock\n", out);
}

static void print_block(struct describe *d, const struct finding_event *e, FILE *out)
{
	const struct described *made = describe_find(d, e->block.allocated);

	fprintf(out, "    in a block of %" PRIu64 " bytes, allocated by %s at %s\n", e->block.size,
		describe_thread(d, e->block.allocated.stream), place_of(d, made));
}

/* "p->id" beside "bank+56"; nothing where it says the same, or less: "table[]" of "table[3]". */
static const char *other_name(struct describe *d, const struct described *one, const char *name)
{
	const char *expression = one ? name_expression(d, &one->event) : NULL;
	size_t same = strcspn(name, "[");

	if (!expression || !strcmp(expression, name) ||
	    (name[same] && !strncmp(expression, name, same) && !strcmp(expression + same, "[]")))
		return NULL;
	return expression;
}

static void print_event(struct describe *d, const struct finding *f, size_t i, FILE *out)
{
	const struct finding_event *e = &f->events.items[i];
	const struct described *one = describe_find(d, e->id);
	const char *name = message_subject(d, e), *other = other_name(d, one, name);

	if (f->property) {
		fprintf(out, "  %s: ", describe_thread(d, e->id.stream));
		if (e->named != ORDER_NONE)
			fprintf(out, "%s: ", matched_name(f, e));
		fputs(matched_event(d, e), out);
		if (other && !one->point)
			fprintf(out, " (%s)", other);
		fputc('\n', out);
	} else if (f->kind == FINDING_RACE || f->kind == FINDING_LOCKSET ||
		   f->kind == FINDING_ATOMICITY) {
		fprintf(out, "  %s: %s%s of %s", describe_thread(d, e->id.stream),
			message_is_atomic(e->kind) ? "atomic " : "", message_operation(e->kind),
			name);
		if (other)
			fprintf(out, " (%s)", other);
		fprintf(out, ", %" PRIu64 " byte%s", e->size, e->size == 1 ? "" : "s");
		if (!trace_is_text(describe_trace(d)))
			fprintf(out, " at 0x%" PRIx64, e->address);
		fputc('\n', out);
	} else if (finding_is_of_life(f)) {
		fputs("  ", out);
		lifetime_event(d, f, i, out);
		fputc('\n', out);
	} else if (misuse_is(f)) {
		fputs("  ", out);
		misuse_event(d, f, i, out);
		fputc('\n', out);
	} else if (f->kind == FINDING_LOCK_ORDER) {
		fprintf(out, "  %s is taken last by %s\n", message_lock(d, f, i),
			describe_thread(d, e->id.stream));
	} else {
		fprintf(out, "  %s waits for %s\n", describe_thread(d, e->id.stream),
			message_wait(d, f, i));
	}
	print_stack(d, one, out);
	if (!f->property || e->held.count)
		print_held(d, e, out);
	if (e->in_block)
		print_block(d, e, out);
}

static void print_thread(struct describe *d, uint32_t stream, FILE *out)
{
	const struct described *created = describe_creation(d, stream);
	const struct described *begun = describe_begin(d, stream);

	if (!created)
		return;
	fprintf(out, "  %s was created by %s at %s", describe_thread(d, stream),
		describe_thread(d, created->event.stream), place_of(d, created));
	if (begun && begun->stack.count && begun->stack.items[0].function)
		fprintf(out, " and runs %s", begun->stack.items[0].function);
	fputc('\n', out);
}

/* ---- why, and what to do ------------------------------------------------------------------ */

static bool share_lock(const struct finding_event *a, const struct finding_event *b)
{
	for (size_t i = 0; i < a->held.count; i++) {
		for (size_t k = 0; k < b->held.count; k++) {
			if (a->held.items[i].address == b->held.items[k].address)
				return true;
		}
	}
	return false;
}

static void why_race(const struct finding *f, FILE *out)
{
	const struct finding_event *a = &f->events.items[0], *b = &f->events.items[1];

	if (share_lock(a, b))
		fputs("Why: the lock they both hold is held for reading only, and nothing else "
		      "keeps one before the other.",
		      out);
	else if (a->held.count && b->held.count)
		fputs("Why: they hold locks, but none in common, and nothing else keeps one before "
		      "the other.",
		      out);
	else if (a->held.count || b->held.count)
		fputs("Why: only one of them holds a lock, and nothing else keeps one before the "
		      "other.",
		      out);
	else
		fputs("Why: neither holds a lock, and nothing else keeps one before the other.",
		      out);
	fputs(share_lock(a, b) ? " Take it for writing where something is written."
			       : " Guard both with the same lock, or make both accesses atomic.",
	      out);
}

/* The signal that went by, and the wait that comes too late for it. */
static void why_lost(struct describe *d, const struct finding *f, FILE *out)
{
	const char *opening = "Why:";

	for (size_t i = 0; i < f->events.count; i++) {
		const struct finding_event *e = &f->events.items[i];
		const struct described *one = describe_find(d, e->id), *signal;

		if (!one || (e->kind != EV_WOKEN && e->kind != EV_WAIT))
			continue;
		signal = columns_find_signal(d, f, one->event.address, e->id);
		if (!signal)
			continue;
		struct describe_frame frame = { 0 };
		describe_place(d, &signal->event, &frame);
		fprintf(out, "%s the %s of %s by %s at %s comes when %s does not wait yet.",
			opening, signal->event.kind == EV_BROADCAST ? "broadcast" : "signal",
			message_subject(d, e), describe_thread(d, signal->event.stream),
			name_place(d, &frame), describe_thread(d, e->id.stream));
		opening = " Also,";
	}
	fputs(" Before waiting, test under the mutex a variable that the signaller sets under it.",
	      out);
}

static void why_deadlock(const struct finding *f, FILE *out)
{
	bool locks = true;

	for (size_t i = 0; i < f->events.count; i++) {
		uint8_t kind = f->events.items[i].kind;

		locks &= kind == EV_ACQUIRE || kind == EV_REQUEST || kind == EV_READ_ACQUIRE ||
			 kind == EV_READ_REQUEST;
	}
	if (f->events.count == 1 && locks)
		fputs("Why: a lock that is not recursive is taken again by the thread that holds "
		      "it. Make it recursive, or do not take it twice.",
		      out);
	else if (locks)
		fputs("Why: each holds what the next one waits for. Take the locks in the same "
		      "order everywhere.",
		      out);
	else
		fputs("Why: none of them can go on unless another of them does, and no other "
		      "thread is left to wake them.",
		      out);
}

static void why_warning(const struct finding *f, FILE *out)
{
	if (f->kind == FINDING_LOCKSET)
		fputs("Why: no lock was held at every access. Whether both can happen at once was "
		      "not asked: a warning is a lead, no proof.",
		      out);
	else
		fputs("Why: each holds what the next one takes last, and no lock keeps them apart. "
		      "Whether they can be there at once was not asked: a warning is a lead, no "
		      "proof.",
		      out);
}

/* What matches, and for which values of the parameters. */
static void why_property(struct describe *d, const struct finding *f, FILE *out)
{
	const struct spec_formula *formula = matched_formula(f);
	bool any = false;

	fprintf(out, "Why: %s%s", f->kind == FINDING_PATTERN ? "pattern: " : "",
		formula && formula->text ? formula->text : "?");
	for (uint32_t i = 0; i < f->binding.count; i++) {
		const char *value = matched_value(d, f, i);

		if (!value)
			continue;
		fprintf(out, "%s %s = %s", any ? "," : " with",
			i < f->property->parameter_count ? f->property->parameters[i].name
							 : "the field",
			value);
		any = true;
	}
}

/* What is wrong with the word, and what the property's own Lua says of it. */
static void why_word(const struct observe_sentence *s, FILE *out)
{
	char *fault = grammar_fault(s);

	fprintf(out, "Why: %s", fault);
	for (size_t i = 0; i < s->violation.reports.count; i++)
		fprintf(out, "%s %s",
			i ? ";" : ". The property says:", s->violation.reports.items[i]);
	free(fault);
}

static void print_why(const struct report *r, const struct finding *f, FILE *out)
{
	struct describe *d = r->describe;
	char *text;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		abort();
	if (misuse_is(f))
		misuse_why(f, line);
	else if (f->status == FINDING_WARNING && f->kind == FINDING_ATOMICITY)
		atomicity_print_why(d, f, line);
	else if (f->status == FINDING_WARNING)
		why_warning(f, line);
	else if (grammar_find(r, f))
		why_word(grammar_find(r, f), line);
	else if (f->property)
		why_property(d, f, line);
	else if (f->kind == FINDING_RACE)
		why_race(f, line);
	else if (finding_is_of_life(f))
		lifetime_why(f, line);
	else if (f->kind == FINDING_ATOMICITY)
		atomicity_print_why(d, f, line);
	else if (f->kind == FINDING_LOST_SIGNAL)
		why_lost(d, f, line);
	else
		why_deadlock(f, line);
	if (f->environment && f->steps.count)
		fputs(" Part of this leans on something that only code outside of the recording "
		      "explains; its order was kept.",
		      line);
	fclose(line);
	print_wrapped(out, 2, text + strspn(text, " "));
	free(text);
}

/* ---- findings ----------------------------------------------------------------------------- */

static void print_head(const struct report *r, const char *id, const char *status,
		       const char *message, uint64_t count, FILE *out)
{
	char *text;
	char times[40] = "";

	if (count > 1)
		snprintf(times, sizeof times, " (%" PRIu64 " times)", count);
	if (asprintf(&text, "%s (%s%s%s): %s%s", id, status, r->process ? ", in " : "",
		     r->process ? r->process : "", message, times) < 0)
		abort();
	print_wrapped(out, 0, text);
	free(text);
}

/* What replaying showed, and how to do it again. */
static void print_confirmation(const struct report *r, const struct report_item *item, FILE *out)
{
	char *replay = report_replay(r, item);
	const char *line;

	for (unsigned i = 0;
	     (line = confirmed_line(r->describe, item->finding, item->confirmation, i)); i++)
		print_wrapped(out, i ? 4 : 2, line);
	if (replay)
		fprintf(out, "  To see it again: %s\n", replay);
	free(replay);
}

static void print_finding(const struct report *r, const struct report_item *item, FILE *out)
{
	const struct finding *f = item->finding;
	struct describe *d = r->describe;

	print_head(r, item->id, finding_status_name(f->status), message_make(d, f), f->count, out);
	for (size_t i = 0; i < f->events.count; i++)
		print_event(d, f, i, out);
	print_why(r, f, out);
	formula_table_print(r, f, out);
	grammar_print(r, f, out);
	print_confirmation(r, item, out);
	for (size_t i = 0; i < f->events.count; i++) {
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told |= f->events.items[k].id.stream == f->events.items[i].id.stream;
		if (!told)
			print_thread(d, f->events.items[i].id.stream, out);
	}
	if (f->status == FINDING_WARNING || f->at_start || (misuse_is(f) && f->events.count == 1)) {
		fputc('\n', out);
		return;
	}
	if (f->status == FINDING_OBSERVED)
		fputs("  What happened:\n", out);
	else if (f->lead)
		fputs("  The order that was tried; what is read in it differs from the recorded "
		      "run:\n",
		      out);
	else if (f->start.count)
		fputs("  A schedule that leads there, from the middle of the run on:\n", out);
	else
		fputs("  A schedule that leads there:\n", out);
	columns_print(d, f, out);
	fputc('\n', out);
}

static void print_observed(const struct report *r, const struct report_observed *o, const char *id,
			   FILE *out)
{
	print_head(r, id, finding_status_name(o->status), o->message, 1, out);
	for (size_t i = 0; i < o->events.count; i++) {
		const struct described *one = describe_find(r->describe, o->events.items[i]);

		if (!one)
			continue;
		fprintf(out, "  %s %s here:\n", describe_thread(r->describe, one->event.stream),
			o->ends ? "freed it" : "was last seen");
		print_stack(r->describe, one, out);
	}
	if (o->replay)
		fprintf(out, "  To see it again: %s\n", o->replay);
	fputc('\n', out);
}

void report_print_findings(const struct report *r, struct report_numbers *numbers, FILE *out)
{
	report_items items = { 0 };

	report_list(r, numbers, &items);
	for (size_t i = 0; i < items.count; i++) {
		if (items.items[i].finding)
			print_finding(r, &items.items[i], out);
		else
			print_observed(r, items.items[i].observed, items.items[i].id, out);
	}
	vec_free(&items);
}

/* ---- the end ------------------------------------------------------------------------------ */

static void print_count(FILE *out, const char *before, uint64_t count, const char *one,
			const char *many)
{
	fprintf(out, "%s%" PRIu64 " %s", before, count, count == 1 ? one : many);
}

static struct predict_stats sum_of(const struct report *reports, size_t count)
{
	struct predict_stats all = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct predict_stats *s = &reports[i].result->stats;

		all.threads += s->threads;
		all.events += s->events;
		all.windows += s->windows;
		all.unknown += s->unknown;
		all.not_asked += s->not_asked;
		all.far_choices += s->far_choices;
		all.apart += s->apart;
		all.windows_left += s->windows_left;
		all.unexplained += s->unexplained;
		all.seconds += s->seconds;
	}
	return all;
}

void report_print_summary(const struct report *reports, size_t count, FILE *out)
{
	struct predict_stats s = sum_of(reports, count);
	uint64_t findings = 0, instances = 0, warnings = 0;

	for (size_t i = 0; i < count; i++) {
		findings += reports[i].observed.count;
		instances += reports[i].observed.count;
		for (size_t k = 0; k < reports[i].result->findings.count; k++) {
			const struct finding *f = &reports[i].result->findings.items[k];

			if (f->status == FINDING_WARNING) {
				warnings++;
				continue;
			}
			findings++;
			instances += f->count;
		}
	}
	if (findings)
		print_count(out, "", findings, "finding", "findings");
	else
		fputs("nothing found", out);
	if (instances > findings)
		fprintf(out, " (%" PRIu64 " places in the run)", instances);
	if (warnings)
		print_count(out, ", ", warnings, "warning", "warnings");
	print_count(out, " in ", s.events, "event", "events");
	print_count(out, " of ", s.threads, "thread", "threads");
	if (s.windows > 1)
		fprintf(out, ", %" PRIu64 " windows", s.windows);
	fprintf(out, "; %" PRIu64 " unknown; %.2f s\n", s.unknown + s.not_asked + s.far_choices,
		s.seconds);
	if (s.unknown)
		print_count(out, "not decided within the steps of a query: ", s.unknown,
			    "candidate\n", "candidates\n");
	if (s.not_asked)
		print_count(out,
			    "not asked, the time was over (--time) or one place had too many: ",
			    s.not_asked, "candidate\n", "candidates\n");
	if (s.far_choices)
		print_count(out, "not looked at, a pattern fits too many: at least ", s.far_choices,
			    "choice of events\n", "choices of events\n");
	if (s.apart)
		print_count(out, "not looked at, in no window together (--window): at least ",
			    s.apart, "pair of events of a pattern\n",
			    "pairs of events of a pattern\n");
	if (s.windows_left)
		print_count(out, "not looked at, the time was over (--time): ", s.windows_left,
			    "window\n", "windows\n");
	if (s.unexplained)
		print_count(out, "the doing of code that was not recorded, kept in order: ",
			    s.unexplained, "event\n", "events\n");
}

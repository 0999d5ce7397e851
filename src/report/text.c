/*
 * The report as text. For each finding, prints the message, the events with their stacks and locks,
 * the reason, the result of the replay, the threads, and a schedule that shows the finding.
 */
#include "report/atomicity.h"
#include "report/columns.h"
#include "report/confirmed.h"
#include "report/formula_table.h"
#include "report/grammar.h"
#include "report/lifetime.h"
#include "report/matched.h"
#include "report/message.h"
#include "report/misuse.h"
#include "report/name.h"
#include "report/report.h"
#include "report/source.h"
#include "report/unrecorded.h"
#include "report/wrap.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

#define STACK_MOST 12 /* frames shown */
#define FUNCTION_MOST 48

/* Prints a paragraph. Its lines after the first are indented by two more columns. */
static void print_wrapped(FILE *out, int indent, const char *text)
{
	fprintf(out, "%*s", indent, "");
	wrap_print(out, indent, indent + 2, text);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Prints a frame: " teller bank.c:7 balance = seen + 10;". */
static void print_frame(struct describe *d, const struct describe_frame *frame, FILE *out)
{
	const char *source = source_line(d, frame->file, frame->line);
	const char *site =
		frame->file ? describe_format(d, "%s:%u", frame->file, frame->line) : "(no source)";
	int used;

	if (frame->function && strlen(frame->function) > FUNCTION_MOST)
		used = fprintf(out, "      %.*s.. %s", FUNCTION_MOST - 2, frame->function, site);
	else if (frame->function)
		used = fprintf(out, "      %-16s %-16s", frame->function, site);
	else
		used = fprintf(out, "      %-16s", site);
	if (source && used + 12 < WRAP_WIDTH)
		fprintf(out, "  | %.*s", WRAP_WIDTH - used - 4, source);
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

static void print_held(struct describe *d, const struct finding_event *e, FILE *out)
{
	for (size_t i = 0; i < e->held.count; i++) {
		const struct finding_lock *held = &e->held.items[i];

		fprintf(out, "    holds %s%s, acquired at %s\n",
			name_lock(d, held->address, held->taken),
			held->shared ? " for reading" : "",
			name_event_site(d, describe_find(d, held->taken)));
	}
	if (!e->held.count)
		fputs("    holds no lock\n", out);
}

static void print_block(struct describe *d, const struct finding_event *e, FILE *out)
{
	fprintf(out, "    in a block of %" PRIu64 " bytes, allocated by %s at %s\n", e->block.size,
		describe_thread(d, e->block.allocated.stream),
		name_event_site(d, describe_find(d, e->block.allocated)));
}

/*
 * Returns the expression in the source if it says more than the name: "p->id" for "bank+56", but
 * not "table[]" for "table[3]". Otherwise returns NULL.
 */
static const char *other_name(struct describe *d, const struct described *one, const char *name)
{
	const char *expression = one ? name_expression(d, &one->event) : NULL;
	size_t same = strcspn(name, "[");

	if (!expression || !strcmp(expression, name) ||
	    (name[same] && !strncmp(expression, name, same) && !strcmp(expression + same, "[]")))
		return NULL;
	return expression;
}

/* Prints the line about an event, without indentation and line feed. */
static void print_event_line(struct describe *d, const struct finding *f, size_t i, FILE *out)
{
	const struct finding_event *e = &f->events.items[i];
	const struct described *one = describe_find(d, e->id);
	const char *thread = describe_thread(d, e->id.stream);
	const char *other = other_name(d, one, message_subject(d, e));

	if (f->property) {
		fprintf(out, "%s: ", thread);
		if (e->named != ORDER_NONE)
			fprintf(out, "%s: ", matched_name(f, e));
		fputs(matched_event(d, e), out);
		if (other && !one->point)
			fprintf(out, " (%s)", other);
	} else if (f->kind == FINDING_RACE || f->kind == FINDING_LOCKSET ||
		   f->kind == FINDING_ATOMICITY) {
		fprintf(out, "%s: ", thread);
		message_print_access(d, e, out);
		if (other)
			fprintf(out, " (%s)", other);
		fprintf(out, ", %" PRIu64 " byte%s", e->size, e->size == 1 ? "" : "s");
		if (!trace_is_text(describe_trace(d)))
			fprintf(out, " at 0x%" PRIx64, e->address);
	} else if (finding_is_use_after_end(f)) {
		lifetime_event(d, f, i, out);
	} else if (misuse_is(f)) {
		misuse_event(d, f, i, out);
	} else if (f->kind == FINDING_LOCK_ORDER) {
		fprintf(out, "%s acquires %s last", thread, message_lock(d, f, i));
	} else {
		fprintf(out, "%s waits for %s", thread, message_wait(d, f, i));
	}
}

static void print_event(struct describe *d, const struct finding *f, size_t i, FILE *out)
{
	const struct finding_event *e = &f->events.items[i];

	fputs("  ", out);
	print_event_line(d, f, i, out);
	fputc('\n', out);
	print_stack(d, describe_find(d, e->id), out);
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
		describe_thread(d, created->event.stream), name_event_site(d, created));
	if (begun && begun->stack.count && begun->stack.items[0].function)
		fprintf(out, " and runs %s", begun->stack.items[0].function);
	fputc('\n', out);
}

/* ---- why, and what to do --------------------------------------------------------------------- */

static void why_race(const struct finding *f, FILE *out)
{
	const struct finding_event *a = &f->events.items[0], *b = &f->events.items[1];
	bool shared = message_share_lock(a, b);

	fprintf(out, "Why: %s, and no other synchronisation orders the two accesses. %s",
		shared				 ? "both hold the lock for reading only"
		: a->held.count && b->held.count ? "they hold locks, but none in common"
		: a->held.count || b->held.count ? "only one of them holds a lock"
						 : "neither holds a lock",
		shared ? "Acquire it for writing where something is written."
		       : "Protect both with the same lock, or make both accesses atomic.");
}

/* Prints which signal comes before the wait. */
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
		describe_site(d, &signal->event, &frame);
		fprintf(out, "%s the %s of %s by %s at %s comes before %s waits.", opening,
			signal->event.kind == EV_BROADCAST ? "broadcast" : "signal",
			message_subject(d, e), describe_thread(d, signal->event.stream),
			name_site(d, &frame), describe_thread(d, e->id.stream));
		opening = " Also,";
	}
	fputs(" Before waiting, check under the mutex a variable that the signalling thread sets "
	      "under the mutex.",
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
		fputs("Why: the thread locks a non-recursive lock that it already holds. Make it "
		      "recursive, or lock it once.",
		      out);
	else if (locks)
		fputs("Why: each thread holds the lock that the next one waits for. Acquire the "
		      "locks in the same order everywhere.",
		      out);
	else
		fputs("Why: each of these threads waits for another of them, and no other thread "
		      "is left to wake them.",
		      out);
}

static void why_warning(const struct finding *f, FILE *out)
{
	if (f->kind == FINDING_LOCKSET)
		fputs("Why: the accesses have no lock in common. It was not checked whether two of "
		      "them can happen at the same time: a warning is not proved.",
		      out);
	else
		fputs("Why: each thread holds the lock that the next one acquires last, and no "
		      "common lock prevents it. Whether the threads can get there at the same time "
		      "was not checked: a warning is not proved.",
		      out);
}

/* Prints the formula and the values of its parameters. */
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

/* Prints what is wrong with the word, and what the property's Lua code reported. */
static void why_word(const struct observe_word *s, FILE *out)
{
	char *fault = grammar_fault(s);

	fprintf(out, "Why: %s", fault);
	for (size_t i = 0; i < s->violation.reports.count; i++)
		fprintf(out, "%s %s",
			i ? ";" : ". The property reports:", s->violation.reports.items[i]);
	free(fault);
}

static void print_why(const struct report *r, const struct finding *f, FILE *out)
{
	struct describe *d = r->describe;
	char *text;
	size_t size;
	FILE *line = mem_stream(&text, &size);

	if (misuse_is(f))
		misuse_why(f, line);
	else if (f->status == FINDING_WARNING && f->kind == FINDING_ATOMICITY)
		atomicity_print_why(d, f, line);
	else if (f->status == FINDING_WARNING && !f->unrecorded)
		why_warning(f, line);
	else if (grammar_find(r, f))
		why_word(grammar_find(r, f), line);
	else if (f->property)
		why_property(d, f, line);
	else if (f->kind == FINDING_RACE)
		why_race(f, line);
	else if (finding_is_use_after_end(f))
		lifetime_why(f, line);
	else if (f->kind == FINDING_ATOMICITY)
		atomicity_print_why(d, f, line);
	else if (f->kind == FINDING_LOST_SIGNAL)
		why_lost(d, f, line);
	else
		why_deadlock(f, line);
	if (f->environment && f->steps.count && !f->unrecorded)
		fputs(" This depends on effects of code that was not recorded; their recorded "
		      "order "
		      "was kept.",
		      line);
	if (f->benign)
		fputs(" This race is benign in the recorded run: the value that is written was "
		      "there already.",
		      line);
	unrecorded_why(r, f, line);
	mem_stream_close(line);
	print_wrapped(out, 2, text + strspn(text, " "));
	free(text);
}

/* ---- findings -------------------------------------------------------------------------------- */

static void print_head(const struct report *r, const char *id, const char *status,
		       const char *message, uint64_t count, FILE *out)
{
	char times[40] = "", *text;

	if (count > 1)
		snprintf(times, sizeof times, " (%" PRIu64 " times)", count);
	text = mem_format("%s (%s%s%s): %s%s", id, status, r->process ? ", in " : "",
			  r->process ? r->process : "", message, times);
	print_wrapped(out, 0, text);
	free(text);
}

/* Prints the result of the replay, and the command that repeats the replay. */
static void print_confirmation(const struct report *r, const struct report_item *item, FILE *out)
{
	char *replay = report_replay(r, item);
	const char *line;

	for (unsigned i = 0;
	     (line = confirmed_line(r->describe, item->finding, item->confirmation, i)); i++)
		print_wrapped(out, i ? 4 : 2, line);
	if (replay)
		fprintf(out, "  To replay it: %s\n", replay);
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
		bool named = false;

		for (size_t k = 0; k < i; k++)
			named |= f->events.items[k].id.stream == f->events.items[i].id.stream;
		if (!named)
			print_thread(d, f->events.items[i].id.stream, out);
	}
	if (f->status == FINDING_WARNING || f->at_start || (misuse_is(f) && f->events.count == 1)) {
		fputc('\n', out);
		return;
	}
	if (f->status == FINDING_OBSERVED)
		fputs("  What happened:\n", out);
	else if (f->lead)
		fputs("  The schedule that was tried; reads in it differ from the recorded run:\n",
		      out);
	else if (f->start.count)
		fputs("  A schedule that leads there, starting in the middle of the run:\n", out);
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
			o->ends ? "freed it" : "was last recorded");
		print_stack(r->describe, one, out);
	}
	if (o->replay)
		fprintf(out, "  To replay it: %s\n", o->replay);
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

/* ---- the summary ----------------------------------------------------------------------------- */

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
		all.unexplained += s->unexplained;
		all.seconds += s->seconds;
	}
	return all;
}

/* Was any of the processes analysed? */
static bool is_analysed(const struct report *reports, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!reports[i].not_instrumented)
			return true;
	}
	return false;
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
				warnings += !report_hides(&reports[i], f);
				continue;
			}
			findings++;
			instances += f->count;
		}
	}
	if (findings)
		print_count(out, "", findings, "finding", "findings");
	else
		fputs(is_analysed(reports, count) ? "nothing found" : "nothing analysed", out);
	if (instances > findings)
		fprintf(out, " (%" PRIu64 " occurrences in the run)", instances);
	if (warnings)
		print_count(out, ", ", warnings, "warning", "warnings");
	print_count(out, " in ", s.events, "event", "events");
	print_count(out, " of ", s.threads, "thread", "threads");
	if (s.windows > 1)
		fprintf(out, ", %" PRIu64 " windows", s.windows);
	fprintf(out, "; %" PRIu64 " unknown; %.2f s\n", s.unknown + s.not_asked + s.far_choices,
		s.seconds);
	if (s.unexplained)
		print_count(out, "caused by code that was not recorded, kept in recorded order: ",
			    s.unexplained, "event\n", "events\n");
	unrecorded_print(reports, count, out);
}

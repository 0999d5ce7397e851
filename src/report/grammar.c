/* Prints the session of a word, and which events the grammar expected. */
#include "report/grammar.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/matched.h"
#include "report/message.h"
#include "report/name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 20u /* events of a session that are printed, its last ones */

const struct observe_word *grammar_find(const struct report *r, const struct finding *finding)
{
	const struct observe_finding *f =
		finding->kind == FINDING_GRAMMAR ? report_observed_finding(r, finding) : NULL;

	return f ? f->sentence : NULL;
}

char *grammar_fault(const struct observe_word *s)
{
	const char *expected = s->violation.expected ? s->violation.expected : "nothing";
	const char *values = s->violation.values ? s->violation.values : "";

	switch (s->violation.fault) {
	case GRAMMAR_ASSERTION:
		return mem_format("assert(%s), line %" PRIu32 ", fails%s%s",
				  s->assertion ? s->assertion : "?", s->line, *values ? ": " : "",
				  values);
	case GRAMMAR_INCOMPLETE:
		return mem_format("the word is incomplete here; expected: %s", expected);
	default:
		return mem_format("no word of the grammar continues like this; expected: %s",
				  expected);
	}
}

/*
 * Returns a text about whose events the word has: "of T2", "of f = fork[1]", "of all threads". The
 * caller frees it.
 */
static char *name_owner(struct describe *d, const struct finding *f, const struct observe_word *s)
{
	uint32_t object = f->property->view_parameter;

	if (s->stream != UINT32_MAX)
		return mem_format("of %s", describe_thread(d, s->stream));
	if (f->property->view == SPEC_VIEW_OBJECT && object < f->binding.count)
		return mem_format("of %s = %s", f->property->parameters[object].name,
				  matched_value(d, f, object));
	return mem_format("of all threads");
}

/*
 * Returns the property's name for event `at` of the session. One event of the trace may be several
 * events of the property, such as a request and its acquire. The property's set lists them in
 * order, so the k-th occurrence in the session is the k-th in the set.
 */
static const char *name_in_property(const struct report *r, const struct finding *f,
				    const struct observe_word *s, size_t at)
{
	const struct property_events *events = NULL;
	struct event_id id = s->session.items[at];
	size_t number = 0;

	for (size_t i = 0; r->properties && i < r->properties->properties.count; i++) {
		if (r->properties->properties.items[i].property == f->property)
			events = &r->properties->properties.items[i];
	}
	for (size_t i = 0; i <= at; i++)
		number += s->session.items[i].stream == id.stream &&
			  s->session.items[i].index == id.index;
	for (size_t i = 0; events && i < events->events.count; i++) {
		const struct property_event *e = &events->events.items[i];

		if (e->id.stream == id.stream && e->id.index == id.index && !--number)
			return f->property->events[e->event].name;
	}
	return NULL;
}

static void print_event(const struct report *r, const struct finding *f,
			const struct observe_word *s, size_t at, FILE *out)
{
	struct describe *d = r->describe;
	struct event_id id = s->session.items[at];
	const char *name = name_in_property(r, f, s, at);
	const struct described *one = describe_find(d, id);
	struct describe_frame frame;

	fprintf(out, "    %s %s: ", at + 1 == s->session.count ? ">>" : "  ",
		describe_thread(d, id.stream));
	if (name)
		fprintf(out, "%s: ", name);
	if (one && one->point)
		fputs(one->point, out);
	else
		fprintf(out, "%s %s", one ? message_operation(one->event.kind) : "?",
			one ? name_subject(d, &one->event) : "");
	if (one && describe_site(d, &one->event, &frame) && frame.file)
		fprintf(out, "  %s:%u", path_name(frame.file), frame.line);
	fputc('\n', out);
}

void grammar_print(const struct report *r, const struct finding *finding, FILE *out)
{
	const struct observe_word *s = grammar_find(r, finding);
	size_t first;
	char *owner;

	if (!s)
		return;
	owner = name_owner(r->describe, finding, s);
	first = s->session.count > SHOWN ? s->session.count - SHOWN : 0;
	fprintf(out, "  The word %s", owner);
	if (first || s->session_length > s->session.count)
		fprintf(out, ", the last %zu of the %" PRIu64 " events of its session",
			s->session.count - first, s->session_length);
	fputs(":\n", out);
	for (size_t i = first; i < s->session.count; i++)
		print_event(r, finding, s, i, out);
	free(owner);
}

void grammar_json(const struct report *r, const struct finding *finding, json_t *object)
{
	static const char *const faults[] = { [GRAMMAR_NO_CONTINUATION] = "no continuation",
					      [GRAMMAR_INCOMPLETE] = "incomplete",
					      [GRAMMAR_ASSERTION] = "assertion" };
	const struct observe_word *s = grammar_find(r, finding);
	json_t *word = json_object(), *reports = json_array();
	char *owner, *fault;

	if (!s) {
		json_decref(word);
		json_decref(reports);
		return;
	}
	owner = name_owner(r->describe, finding, s);
	fault = grammar_fault(s);
	for (size_t i = 0; i < s->violation.reports.count; i++)
		json_array_append_new(reports, report_json_text(s->violation.reports.items[i]));
	json_object_set_new(word, "of", report_json_text(owner));
	json_object_set_new(word, "fault", json_string(faults[s->violation.fault]));
	json_object_set_new(word, "text", report_json_text(fault));
	json_object_set_new(word, "session", json_integer((json_int_t)s->session_length));
	json_object_set_new(word, "reports", reports);
	json_object_set_new(object, "word", word);
	free(owner);
	free(fault);
}

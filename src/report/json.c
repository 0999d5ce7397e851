/*
 * The report as JSON. Scripts and our tests depend on it: fields may be added but must not change.
 */
#include "base/mem.h"
#include "report/confirmed.h"
#include "report/grammar.h"
#include "report/lattices.h"
#include "report/lifetime.h"
#include "report/matched.h"
#include "report/message.h"
#include "report/misuse.h"
#include "report/name.h"
#include "report/report.h"
#include "report/unrecorded.h"

#include <inttypes.h>
#include <string.h>

static json_t *number_json(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/*
 * Converts a text. Names from a trace may not be valid UTF-8; then their bytes are read as Latin-1.
 */
json_t *report_json_text(const char *text)
{
	json_t *value;
	char *wide;
	size_t n = 0;

	if (!text)
		return json_null();
	value = json_string(text);
	if (value)
		return value;
	wide = mem_alloc(2 * strlen(text) + 1);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p >= 0x80)
			wide[n++] = (char)(0xc0 | *p >> 6);
		wide[n++] = (char)(*p >= 0x80 ? 0x80 | (*p & 0x3f) : *p);
	}
	value = json_stringn(wide, n);
	free(wide);
	return value;
}

static json_t *text_json(const char *text)
{
	return report_json_text(text);
}

static json_t *address_json(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "0x%" PRIx64, value);
	return json_string(text);
}

/* ---- events ---------------------------------------------------------------------------------- */

static json_t *line_json(unsigned line)
{
	return line ? number_json(line) : json_null();
}

static void set_site(json_t *object, const struct describe_frame *frame)
{
	json_object_set_new(object, "file", text_json(frame ? frame->file : NULL));
	json_object_set_new(object, "line", line_json(frame ? frame->line : 0));
	json_object_set_new(object, "function", text_json(frame ? frame->function : NULL));
}

static json_t *stack_json(const struct described *one)
{
	json_t *list = json_array();

	for (size_t i = 0; one && i < one->stack.count; i++) {
		const struct describe_frame *f = &one->stack.items[i];

		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o}", "function", text_json(f->function),
					"file", text_json(f->file), "line", line_json(f->line)));
	}
	return list;
}

static const struct describe_frame *innermost_frame(const struct described *one)
{
	return one && one->stack.count ? &one->stack.items[0] : NULL;
}

static json_t *lock_json(struct describe *d, const struct finding_lock *held)
{
	json_t *object = json_pack("{s:o, s:o}", "variable",
				   text_json(name_lock(d, held->address, held->taken)), "address",
				   address_json(held->address));

	set_site(object, innermost_frame(describe_find(d, held->taken)));
	json_object_set_new(object, "index", number_json(held->taken.index));
	json_object_set_new(object, "shared", json_boolean(held->shared));
	return object;
}

static json_t *block_json(struct describe *d, const struct window_block *b)
{
	const struct described *allocated = describe_find(d, b->allocated);
	json_t *object =
		json_pack("{s:o, s:o, s:o, s:o}", "address", address_json(b->address), "size",
			  number_json(b->size), "thread", number_json(b->allocated.stream), "index",
			  number_json(b->allocated.index));

	set_site(object, innermost_frame(allocated));
	json_object_set_new(object, "stack", stack_json(allocated));
	return object;
}

static json_t *creation_json(struct describe *d, uint32_t stream)
{
	const struct described *created = describe_creation(d, stream);
	const struct describe_frame *begun = innermost_frame(describe_begin(d, stream));
	json_t *object;

	if (!created)
		return json_null();
	object = json_pack("{s:o, s:o}", "thread", number_json(created->event.stream), "index",
			   number_json(created->event.index));
	set_site(object, innermost_frame(created));
	json_object_set_new(object, "runs", text_json(begun ? begun->function : NULL));
	return object;
}

/*
 * Returns an object with the fields that every event has. `one` is NULL if the event could not be
 * read again.
 */
static json_t *event_json(struct describe *d, struct event_id id, uint8_t kind, uint64_t at,
			  const struct described *one)
{
	const struct trace *trace = describe_trace(d);
	bool joins = kind == EV_JOIN || kind == EV_JOIN_REQUEST;
	json_t *object =
		json_pack("{s:o, s:o, s:o, s:o, s:o}", "thread", number_json(id.stream), "index",
			  number_json(id.index), "op", text_json(message_operation(kind)),
			  "address", joins ? json_null() : address_json(at), "variable",
			  text_json(one ? name_subject(d, &one->event) : name_object(d, at, NULL)));

	set_site(object, innermost_frame(one));
	json_object_set_new(object, "stack", stack_json(one));
	if (trace_thread_name(trace, id.stream))
		json_object_set_new(object, "thread_name",
				    text_json(trace_thread_name(trace, id.stream)));
	if (one && trace_is_text(trace) && trace_place_text(trace, one->event.pc))
		json_object_set_new(object, "place",
				    text_json(trace_place_text(trace, one->event.pc)));
	if (message_is_atomic(kind))
		json_object_set_new(object, "atomic", json_true());
	if (joins && one)
		json_object_set_new(object, "joins", number_json(one->event.number));
	return object;
}

static json_t *finding_event_json(struct describe *d, const struct finding_event *e)
{
	const struct described *one = describe_find(d, e->id);
	json_t *object = event_json(d, e->id, e->kind, e->address, one), *held = json_array();

	if (lifetime_subject(d, e))
		json_object_set_new(object, "variable", text_json(lifetime_subject(d, e)));
	if (e->size)
		json_object_set_new(object, "size", number_json(e->size));
	if (one && name_expression(d, &one->event))
		json_object_set_new(object, "expression",
				    text_json(name_expression(d, &one->event)));
	if (one && name_field(d, &one->event))
		json_object_set_new(object, "field", text_json(name_field(d, &one->event)));
	for (size_t i = 0; i < e->held.count; i++)
		json_array_append_new(held, lock_json(d, &e->held.items[i]));
	json_object_set_new(object, "held", held);
	json_object_set_new(object, "block", e->in_block ? block_json(d, &e->block) : json_null());
	json_object_set_new(object, "created", creation_json(d, e->id.stream));
	json_object_set_new(object, "pending", json_boolean(e->pending));
	if (e->waits_for != ORDER_NONE)
		json_object_set_new(object, "waits_for", number_json(e->waits_for));
	return object;
}

/* ---- findings -------------------------------------------------------------------------------- */

static json_t *ids_json(const struct event_id *items, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:o, s:o}", "thread",
						      number_json(items[i].stream), "index",
						      number_json(items[i].index)));
	return list;
}

static json_t *witness_json(const struct finding *f)
{
	json_t *object = json_object();

	if (f->start.count)
		json_object_set_new(object, "start", ids_json(f->start.items, f->start.count));
	json_object_set_new(object, "steps", ids_json(f->steps.items, f->steps.count));
	return object;
}

static json_t *start_finding(const char *id, const char *kind, const char *status, uint64_t count,
			     const char *message)
{
	return json_pack("{s:o, s:o, s:n, s:o, s:o, s:o}", "id", text_json(id), "kind",
			 text_json(kind), "property", "status", text_json(status), "count",
			 number_json(count), "message", text_json(message));
}

static json_t *replay_json(const struct report *r, const struct report_item *item)
{
	char *text = report_replay(r, item);
	json_t *value = text_json(text);

	free(text);
	return value;
}

/* Adds or replaces the fields in which an event of a property differs from other events. */
static void set_matched(json_t *object, struct describe *d, const struct finding *f,
			const struct finding_event *e)
{
	const struct described *one = describe_find(d, e->id);

	json_object_set_new(object, "event",
			    e->named == ORDER_NONE ? json_null() : text_json(matched_name(f, e)));
	json_object_set_new(object, "op", text_json(matched_operation(d, e)));
	json_object_set_new(object, "variable", text_json(matched_subject(d, e)));
	if (one && one->point) {
		json_object_set_new(object, "address", json_null());
		json_object_set_new(object, "point", text_json(one->point));
	}
}

static void set_property(json_t *object, struct describe *d, const struct finding *f)
{
	json_t *binding = json_object();

	for (uint32_t i = 0; i < f->binding.count; i++) {
		if (matched_value(d, f, i))
			json_object_set_new(binding,
					    i < f->property->parameter_count
						    ? f->property->parameters[i].name
						    : "->*",
					    text_json(matched_value(d, f, i)));
	}
	json_object_set_new(object, "property", text_json(f->property->name));
	json_object_set_new(object, "formula", number_json(f->formula));
	json_object_set_new(object, "binding", binding);
}

/* Returns the events of the violating run that the monitor used. */
static json_t *run_json(struct describe *d, const struct finding *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->run.count; i++) {
		const struct described *one = describe_find(d, f->run.items[i]);

		json_array_append_new(list,
				      event_json(d, f->run.items[i], one ? one->event.kind : 0,
						 one ? one->event.address : 0, one));
	}
	return list;
}

static json_t *finding_json(const struct report *r, const struct report_item *item)
{
	const struct finding *f = item->finding;
	struct describe *d = r->describe;
	json_t *object =
		start_finding(item->id, finding_kind_name(f->kind), finding_status_name(f->status),
			      f->count, message_make(d, f));
	json_t *events = json_array();

	if (f->kind == FINDING_MISUSE)
		json_object_set_new(object, "misuse", text_json(misuse_name(f->misuse)));
	for (size_t i = 0; i < f->events.count; i++) {
		json_array_append_new(events, finding_event_json(d, &f->events.items[i]));
		if (f->property)
			set_matched(json_array_get(events, i), d, f, &f->events.items[i]);
	}
	json_object_set_new(object, "events", events);
	if (f->property)
		set_property(object, d, f);
	if (f->run.count)
		json_object_set_new(object, "run", run_json(d, f));
	grammar_json(r, f, object);
	/* A lead has no checked schedule: it is proved by the run that confirmed it. */
	json_object_set_new(object, "witness",
			    f->status == FINDING_WARNING || f->lead ? json_null()
								    : witness_json(f));
	json_object_set_new(object, "replay", replay_json(r, item));
	json_object_set_new(object, "confirmation", confirmed_json(item->confirmation));
	json_object_set_new(object, "environment", json_boolean(f->environment));
	json_object_set_new(object, "benign", json_boolean(f->benign));
	return object;
}

/* Returns an object like that of an event, with null in the fields that only events have. */
static json_t *site_json(const struct report_site *p)
{
	return json_pack("{s:o, s:n, s:s, s:n, s:n, s:o, s:o, s:o, s:[]}", "thread",
			 number_json(p->thread), "index", "op", p->operation, "address", "variable",
			 "file", text_json(p->file), "line", line_json(p->line), "function",
			 text_json(p->function), "stack");
}

static json_t *observed_json(struct describe *d, const struct report_item *item)
{
	const struct report_observed *o = item->observed;
	json_t *object =
		start_finding(item->id, o->kind, finding_status_name(o->status), 1, o->message);
	json_t *events = json_array();

	if (o->site.operation && !o->ends)
		json_array_append_new(events, site_json(&o->site));
	for (size_t i = 0; i < o->events.count; i++) {
		const struct described *one = describe_find(d, o->events.items[i]);

		if (one)
			json_array_append_new(events,
					      event_json(d, o->events.items[i], one->event.kind,
							 one->event.address, one));
	}
	if (o->site.operation && o->ends)
		json_array_append_new(events, site_json(&o->site));
	json_object_set_new(object, "events", events);
	json_object_set_new(object, "witness", json_null());
	json_object_set_new(object, "replay", text_json(o->replay));
	return object;
}

static void add_findings(json_t *list, const struct report *r, struct report_numbers *numbers)
{
	size_t first = json_array_size(list);
	report_items items = { 0 };

	report_list(r, numbers, &items);
	for (size_t i = 0; i < items.count; i++)
		json_array_append_new(list, items.items[i].finding
						    ? finding_json(r, &items.items[i])
						    : observed_json(r->describe, &items.items[i]));
	vec_free(&items);
	for (size_t i = first; r->process && i < json_array_size(list); i++)
		json_object_set_new(json_array_get(list, i), "process", text_json(r->process));
}

/* ---- the whole report ------------------------------------------------------------------------ */

static void add_number(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(
		object, key,
		number_json((uint64_t)json_integer_value(json_object_get(object, key)) + value));
}

static void add_stats(json_t *all, json_t *trace, json_t *stats, const struct predict_stats *s)
{
	const struct order_counts *c = &s->solver;
	double seconds = json_real_value(json_object_get(stats, "seconds"));
	const struct {
		const char *key;
		uint64_t value;
	} counts[] = {
		{ "windows", s->windows },
		{ "candidates", s->candidates },
		{ "queries", s->queries },
		{ "impossible", s->impossible },
		{ "possible", s->possible },
		{ "unknown", s->unknown },
		{ "not_asked", s->not_asked },
		{ "far_choices", s->far_choices },
		{ "apart", s->apart },
		{ "windows_left", s->windows_left },
		{ "same_sites", s->same_sites },
		{ "unexplained", s->unexplained },
		{ "rejected", s->rejected },
		{ "by_projection", c->by_projection },
		{ "by_saturation", c->by_saturation },
		{ "by_greedy", c->by_greedy },
		{ "by_search", c->by_search },
		{ "conflicts", c->conflicts },
		{ "decisions", c->decisions },
		{ "lemmas", c->lemmas },
		{ "moves", c->moves },
	};

	add_number(trace, "threads", s->threads);
	add_number(trace, "events", s->events);
	add_number(all, "unknown", s->unknown + s->not_asked + s->far_choices);
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		add_number(stats, counts[i].key, counts[i].value);
	json_object_set_new(stats, "seconds", json_real(seconds + s->seconds));
}

json_t *report_json(const struct report *reports, size_t count, char *const *problems,
		    size_t problem_count)
{
	json_t *all = json_object(), *trace = json_object(), *findings = json_array();
	json_t *stats = json_object(), *wrong = json_array();
	struct predict_stats none = { 0 };
	struct report_numbers numbers = { 0 };

	json_object_set_new(all, "version", json_integer(1));
	json_object_set_new(all, "trace", trace);
	json_object_set_new(all, "findings", findings);
	add_stats(all, trace, stats, &none);
	json_object_set_new(all, "stats", stats);
	for (size_t i = 0; i < count; i++) {
		add_findings(findings, &reports[i], &numbers);
		add_stats(all, trace, stats, &reports[i].result->stats);
	}
	unrecorded_json(reports, count, all);
	lattices_json(stats, reports, count);
	json_object_set_new(all, "properties", report_json_properties(reports, count));
	for (size_t i = 0; i < problem_count; i++)
		json_array_append_new(wrong, text_json(problems[i]));
	json_object_set_new(all, "problems", wrong);
	return all;
}

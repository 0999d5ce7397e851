/*
 * Grammars on the schedules of predicted findings: a deadlock that prediction found is one that a
 * global view may see as well, also where the lattice is too wide to be walked whole.
 *
 * A schedule is the recorded order up to where each stream stands at its start, and then its steps. The
 * events of a property on it, one after the other, are words of its views; the first violation of each
 * word is checked on the schedule up to there.
 */
#include "monitor/observe/observe_state.h"

#include "base/map.h"
#include "base/mem.h"
#include "monitor/grammar/grammar_tokens.h"
#include "trace/order.h"

#include <stdlib.h>

/* A property event on the schedule. */
struct place {
	uint32_t number; /* in property_events */
	size_t step; /* so many of the schedule's steps were begun then, it is in the last of them */
	uint64_t from; /* index in its stream at which that one begins */
};

struct word {
	struct grammar_word *word;
	bool over; /* violated: told already */
	VEC(uint32_t) events;
	size_t session; /* where in `events` its session starts */
};

struct linear {
	struct observe_state *o;
	const struct observe_schedule *schedule;
	const struct property_events *events;
	const struct sentence *sentence;
	struct grammar_parser *parser;
	struct map next;	 /* by stream: index of its next event */
	VEC(uint32_t) by_stream; /* numbers of property events, by stream and index */
	VEC(struct place) places;
	VEC(struct word) words; /* by value of the view's parameter; [0] alone otherwise */
	VEC(struct script_value) values;
};

/* ---- the events of the property ------------------------------------------------------------------ */

static uint64_t *next_of(struct linear *l, uint32_t stream)
{
	return map_put(&l->next, stream, NULL);
}

static int compare(const void *a, const void *b, void *context)
{
	const struct property_event *events = context;
	const struct property_event *x = &events[*(const uint32_t *)a];
	const struct property_event *y = &events[*(const uint32_t *)b];

	if (x->id.stream != y->id.stream)
		return x->id.stream < y->id.stream ? -1 : 1;
	if (x->id.index != y->id.index)
		return x->id.index < y->id.index ? -1 : 1;
	return (x > y) - (x < y);
}

static void sort_by_stream(struct linear *l)
{
	for (uint32_t i = 0; i < l->events->events.count; i++)
		*vec_push(&l->by_stream) = i;
	if (l->by_stream.count)
		qsort_r(l->by_stream.items, l->by_stream.count, sizeof *l->by_stream.items, compare,
			l->events->events.items);
}

/* Events of one stream from an index up to, not with, another one. */
static void place_stretch(struct linear *l, uint32_t stream, uint64_t from, uint64_t to,
			  size_t step)
{
	size_t low = 0, high = l->by_stream.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct event_id *id = &l->events->events.items[l->by_stream.items[middle]].id;

		if (id->stream < stream || (id->stream == stream && id->index < from))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < l->by_stream.count; low++) {
		uint32_t number = l->by_stream.items[low];
		const struct event_id *id = &l->events->events.items[number].id;

		if (id->stream != stream || id->index >= to)
			break;
		*vec_push(&l->places) = (struct place){ number, step, from };
	}
}

/* A thread that stands at an event has made the request for it. */
static void place_requests(struct linear *l)
{
	for (uint32_t i = 0; i < l->events->events.count; i++) {
		const struct property_event *e = &l->events->events.items[i];

		if (e->before && *next_of(l, e->id.stream) == e->id.index && e->id.index)
			*vec_push(&l->places) = (struct place){ i, l->schedule->step_count, 0 };
	}
}

static void place_all(struct linear *l)
{
	sort_by_stream(l);
	for (size_t i = 0; i < l->schedule->start_count; i++)
		*next_of(l, l->schedule->start[i].stream) = l->schedule->start[i].index;
	for (uint32_t i = 0; i < l->events->events.count; i++) {
		const struct event_id *id = &l->events->events.items[i].id;

		if (id->index < *next_of(l, id->stream))
			*vec_push(&l->places) = (struct place){ i, 0, 0 };
	}
	for (size_t i = 0; i < l->schedule->step_count; i++) {
		const struct event_id *step = &l->schedule->steps[i];
		uint64_t *next = next_of(l, step->stream);

		if (step->index < *next)
			continue;
		place_stretch(l, step->stream, *next, step->index + 1, i + 1);
		*next = step->index + 1;
	}
	place_requests(l);
}

/* ---- the schedule up to an event ----------------------------------------------------------------- */

typedef VEC(struct event_id) step_list;

/* The recorded order up to where the schedule starts. */
static void add_start(struct linear *l, step_list *out)
{
	struct trace_order *order = trace_order_open(l->o->trace);
	struct map start = { 0 };
	struct trace_event event;

	for (size_t i = 0; i < l->schedule->start_count; i++)
		*map_put(&start, l->schedule->start[i].stream, NULL) = l->schedule->start[i].index;
	while (trace_order_next(order, &event)) {
		const uint64_t *end = map_get(&start, event.stream);
		struct event_id *last = out->count ? &out->items[out->count - 1] : NULL;

		if (event.index == TRACE_NO_INDEX || !end || event.index >= *end)
			continue;
		if (last && last->stream == event.stream)
			last->index = event.index;
		else
			*vec_push(out) = (struct event_id){ event.stream, event.index };
	}
	trace_order_close(order);
	map_free(&start);
}

static void add_steps(struct linear *l, const struct place *at, step_list *out)
{
	const struct property_event *event = &l->events->events.items[at->number];

	if (l->schedule->start_count)
		add_start(l, out);
	for (size_t i = 0; i < at->step; i++) {
		const struct event_id *step = &l->schedule->steps[i];
		uint64_t index = step->index;

		/* the last one goes no further than the event; in front of a request it may not begin */
		if (i + 1 == at->step && step->stream == event->id.stream)
			index = event->id.index - event->before;
		if (i + 1 < at->step || step->stream != event->id.stream || index + 1 > at->from)
			*vec_push(out) = (struct event_id){ step->stream, index };
	}
}

/* ---- words ---------------------------------------------------------------------------------------- */

static struct word *word_of(struct linear *l, const struct property_event *event)
{
	const struct spec_property *property = l->events->property;
	uint32_t value = 0;

	if (property->view == SPEC_VIEW_OBJECT)
		value = l->events->bindings.items[event->bindings + property->view_parameter];
	if (value == PROPERTY_NONE)
		return NULL;
	while (l->words.count <= value)
		*vec_push(&l->words) = (struct word){ 0 };
	return &l->words.items[value];
}

static struct observe_sentence *tell(const struct linear *l, const struct word *word,
				     struct grammar_violation *violation)
{
	struct observe_sentence *told = mem_zalloc(1, sizeof *told);
	size_t first = word->session;

	told->stream = UINT32_MAX;
	grammar_claims_keep(told, violation);
	told->session_length = word->events.count - first;
	if (told->session_length > OBSERVE_STORY)
		first = word->events.count - OBSERVE_STORY;
	for (size_t i = first; i < word->events.count; i++)
		*vec_push(&told->session) = l->events->events.items[word->events.items[i]].id;
	return told;
}

static struct observe_finding make_finding(const struct linear *l, const struct word *word,
					   const struct property_event *event, step_list *steps)
{
	const struct spec_property *property = l->events->property;
	bool of_object = property->view == SPEC_VIEW_OBJECT;
	struct observe_finding finding = { .property = property,
					   .formula = l->sentence->number,
					   .count = 1,
					   .event = event->id,
					   .before = event->before };

	*vec_push(&finding.events) = event->event;
	for (uint32_t p = 0; of_object && p < l->events->parameters; p++) {
		bool is_object = p == property->view_parameter;

		*vec_push(&finding.binding) =
			is_object ? l->events->values.items[word - l->words.items]
				  : (struct property_value){ .type = OBSERVE_UNBOUND };
	}
	for (size_t i = 0; i < steps->count; i++)
		*vec_push(&finding.steps) =
			(struct event_id){ steps->items[i].stream, steps->items[i].index };
	for (size_t i = 0; i < word->events.count; i++)
		*vec_push(&finding.run) = l->events->events.items[word->events.items[i]].id;
	return finding;
}

static bool check(struct linear *l, const struct word *word, const step_list *steps,
		  struct err *err)
{
	struct observe_state *o = l->o;
	uint32_t count = l->events->parameters,
		 *binding = mem_alloc((count + 1ull) * sizeof *binding);
	struct checker_moment *moments = mem_zalloc(word->events.count + 1, sizeof *moments);
	bool ok;

	for (uint32_t p = 0; p < count; p++)
		binding[p] = p == l->events->property->view_parameter
				     ? (uint32_t)(word - l->words.items)
				     : CHECKER_UNBOUND;
	for (size_t i = 0; i < word->events.count; i++) {
		const struct property_event *e = &l->events->events.items[word->events.items[i]];

		moments[i].anchor = (struct event_id){ e->id.stream, e->id.index };
		moments[i].before = e->before;
	}
	ok = judge_accepts_sentence(
		o->judge,
		&(struct judge_sentence){
			.sentence = l->sentence,
			.stream = UINT32_MAX,
			.binding = l->events->property->view == SPEC_VIEW_OBJECT ? binding : NULL,
			.steps = steps->items,
			.step_count = steps->count,
			.moments = moments,
			.moment_count = word->events.count },
		err);
	free(moments);
	free(binding);
	return ok;
}

/* False: Lua failed, and nothing more is known of this schedule. */
static bool take(struct linear *l, const struct place *at)
{
	const struct property_event *event = &l->events->events.items[at->number];
	struct word *word = word_of(l, event);
	struct grammar_violation violation = { 0 };
	struct observe_accepted found = { 0 };
	enum grammar_verdict verdict;
	step_list steps = { 0 };
	struct err err = { 0 };

	if (!word || word->over)
		return true;
	if (!word->word)
		word->word = grammar_word_open(l->parser, &err);
	if (!word->word)
		return false;
	if (!grammar_word_length(word->word))
		word->session = word->events.count;
	*vec_push(&word->events) = at->number;
	grammar_tokens_of_event(l->events, event, l->values.items);
	verdict = grammar_word_take(
		word->word, &(struct grammar_token){ event->event, l->values.items }, &violation);
	if (verdict != GRAMMAR_VIOLATED) {
		grammar_violation_free(&violation);
		return verdict == GRAMMAR_OPEN;
	}
	word->over = true;
	if (!at->step) { /* the recorded run's own: that is told already */
		grammar_violation_free(&violation);
		return true;
	}
	add_steps(l, at, &steps);
	found.finding = make_finding(l, word, event, &steps);
	found.finding.sentence = tell(l, word, &violation);
	observe_settle(l->o, &found, check(l, word, &steps, &err), &err);
	vec_free(&steps);
	return true;
}

static void take_schedule(struct observe_state *o, const struct sentence *sentence,
			  const struct observe_schedule *schedule)
{
	struct linear l = { .o = o,
			    .schedule = schedule,
			    .sentence = sentence,
			    .events = &o->set->properties.items[sentence->property] };
	struct err err;
	bool good = true;

	l.parser = grammar_parser_open(sentence->grammar, false, NULL, &err);
	if (!l.parser)
		return;
	for (uint32_t i = 0; i < sentence->grammar->terminal_count; i++) {
		while (l.values.count < sentence->grammar->events[i].attribute_count)
			*vec_push(&l.values) = (struct script_value){ 0 };
	}
	place_all(&l);
	for (size_t i = 0; i < l.places.count && good; i++)
		good = take(&l, &l.places.items[i]);
	for (size_t i = 0; i < l.words.count; i++) {
		if (l.words.items[i].word)
			grammar_word_close(l.words.items[i].word);
		vec_free(&l.words.items[i].events);
	}
	grammar_parser_close(l.parser);
	map_free(&l.next);
	vec_free(&l.by_stream);
	vec_free(&l.places);
	vec_free(&l.words);
	vec_free(&l.values);
}

void observe_take_schedules(struct observe_state *o)
{
	for (size_t i = 0; i < o->sentences.list.count; i++) {
		const struct sentence *s = &o->sentences.list.items[i];

		if (s->why || observe_property(o, s->property)->view == SPEC_VIEW_THREAD)
			continue;
		for (size_t k = 0; k < o->options->schedule_count; k++)
			take_schedule(o, s, &o->options->schedules[k]);
	}
}

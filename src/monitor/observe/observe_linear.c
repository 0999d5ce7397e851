/*
 * Judges grammars on the schedules of predicted findings: a global view may see a predicted
 * deadlock too, even where the lattice is too wide to be walked completely.
 *
 * A schedule is the recorded order up to where each stream stands at its start, then the schedule's
 * steps. The property's events in this order are the words of its views. The first violation of
 * each word is checked on the schedule up to there.
 */
#include "monitor/observe/observe_state.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "monitor/grammar/grammar_tokens.h"
#include "trace/order.h"

#include <stdlib.h>

/* A property event on the schedule. */
struct scheduled_event {
	uint32_t number; /* index in property_events */
	/* number of steps of the schedule that have begun; the event is in the last of these */
	size_t step;
	uint64_t from; /* index in its stream of the first event of that step */
};

struct schedule_word {
	struct grammar_word *word;
	bool violated; /* its violation has been reported */
	VEC(uint32_t) events;
	size_t session; /* index in `events` at which the session starts */
};

struct schedule_pass {
	struct observe_state *o;
	const struct observe_schedule *schedule;
	const struct property_events *events;
	const struct grammar_formula *sentence;
	struct grammar_parser *parser;
	struct map next;	 /* by stream: index of its next event */
	VEC(uint32_t) by_stream; /* indices of property events, sorted by stream and index */
	VEC(struct scheduled_event) scheduled;
	VEC(struct schedule_word) words; /* by value of the view's parameter; otherwise only [0] */
	grammar_token_values values;
};

/* ---- the events of the property -------------------------------------------------------------- */

static uint64_t *next_of(struct schedule_pass *l, uint32_t stream)
{
	return map_put(&l->next, stream, NULL);
}

static int by_stream_and_index(const void *a, const void *b, void *context)
{
	const struct property_event *events = context;
	const struct property_event *x = &events[*(const uint32_t *)a];
	const struct property_event *y = &events[*(const uint32_t *)b];

	return sort_order(x->id.stream, y->id.stream) ?: sort_order(x->id.index, y->id.index)
?: sort_order(x, y);
}

static void sort_by_stream(struct schedule_pass *l)
{
	for (uint32_t i = 0; i < l->events->events.count; i++)
		*vec_push(&l->by_stream) = i;
	if (l->by_stream.count)
		qsort_r(l->by_stream.items, l->by_stream.count, sizeof *l->by_stream.items,
			by_stream_and_index, l->events->events.items);
}

/* Adds the events of a stream from index `from` up to but excluding `to`. */
static void schedule_events_of_stream(struct schedule_pass *l, uint32_t stream, uint64_t from,
				      uint64_t to, size_t step)
{
	const struct property_event *events = l->events->events.items;
	const uint32_t *sorted = l->by_stream.items;
	size_t i;

	SEARCH_FIRST(i, l->by_stream.count,
		     events[sorted[i]].id.stream > stream ||
			     (events[sorted[i]].id.stream == stream &&
			      events[sorted[i]].id.index >= from));
	for (; i < l->by_stream.count; i++) {
		const struct event_id *id = &events[sorted[i]].id;

		if (id->stream != stream || id->index >= to)
			break;
		*vec_push(&l->scheduled) = (struct scheduled_event){ sorted[i], step, from };
	}
}

/* Adds requests: a thread that stands right before an event has made the request for it. */
static void schedule_requests(struct schedule_pass *l)
{
	for (uint32_t i = 0; i < l->events->events.count; i++) {
		const struct property_event *e = &l->events->events.items[i];

		if (e->before && *next_of(l, e->id.stream) == e->id.index && e->id.index)
			*vec_push(&l->scheduled) =
				(struct scheduled_event){ i, l->schedule->step_count, 0 };
	}
}

static void schedule_all_events(struct schedule_pass *l)
{
	sort_by_stream(l);
	for (size_t i = 0; i < l->schedule->start_count; i++)
		*next_of(l, l->schedule->start[i].stream) = l->schedule->start[i].index;
	for (uint32_t i = 0; i < l->events->events.count; i++) {
		const struct event_id *id = &l->events->events.items[i].id;

		if (id->index < *next_of(l, id->stream))
			*vec_push(&l->scheduled) = (struct scheduled_event){ i, 0, 0 };
	}
	for (size_t i = 0; i < l->schedule->step_count; i++) {
		const struct event_id *step = &l->schedule->steps[i];
		uint64_t *next = next_of(l, step->stream);

		if (step->index < *next)
			continue;
		schedule_events_of_stream(l, step->stream, *next, step->index + 1, i + 1);
		*next = step->index + 1;
	}
	schedule_requests(l);
}

/* ---- the schedule up to an event ------------------------------------------------------------- */

typedef VEC(struct event_id) step_list;

/* Adds the recorded order up to where the schedule starts. */
static void add_start(struct schedule_pass *l, step_list *out)
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

static void add_steps(struct schedule_pass *l, const struct scheduled_event *at, step_list *out)
{
	const struct property_event *event = &l->events->events.items[at->number];

	if (l->schedule->start_count)
		add_start(l, out);
	for (size_t i = 0; i < at->step; i++) {
		const struct event_id *step = &l->schedule->steps[i];
		uint64_t index = step->index;

		/*
		 * The last step goes no further than the event. If the event is a request, the step
		 * may even be empty.
		 */
		if (i + 1 == at->step && step->stream == event->id.stream)
			index = event->id.index - event->before;
		if (i + 1 < at->step || step->stream != event->id.stream || index + 1 > at->from)
			*vec_push(out) = (struct event_id){ step->stream, index };
	}
}

/* ---- words ----------------------------------------------------------------------------------- */

static struct schedule_word *word_of_event(struct schedule_pass *l,
					   const struct property_event *event)
{
	const struct spec_property *property = l->events->property;
	uint32_t value = 0;

	if (property->view == SPEC_VIEW_OBJECT)
		value = l->events->bindings.items[event->bindings + property->view_parameter];
	if (value == PROPERTY_NONE)
		return NULL;
	while (l->words.count <= value)
		*vec_push(&l->words) = (struct schedule_word){ 0 };
	return &l->words.items[value];
}

static struct observe_word *describe_violation(const struct schedule_pass *l,
					       const struct schedule_word *word,
					       struct grammar_violation *violation)
{
	struct observe_word *told = mem_zalloc(1, sizeof *told);
	size_t first = word->session;

	told->stream = UINT32_MAX;
	grammar_formulas_take_violation(told, violation);
	told->session_length = word->events.count - first;
	if (told->session_length > OBSERVE_SHOWN)
		first = word->events.count - OBSERVE_SHOWN;
	for (size_t i = first; i < word->events.count; i++)
		*vec_push(&told->session) = l->events->events.items[word->events.items[i]].id;
	return told;
}

static struct observe_finding make_finding(const struct schedule_pass *l,
					   const struct schedule_word *word,
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
	vec_append(&finding.steps, steps->items, steps->count);
	for (size_t i = 0; i < word->events.count; i++)
		*vec_push(&finding.run) = l->events->events.items[word->events.items[i]].id;
	return finding;
}

static bool check_word(struct schedule_pass *l, const struct schedule_word *word,
		       const step_list *steps, struct err *err)
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

		moments[i].anchor = e->id;
		moments[i].before = e->before;
	}
	ok = judge_accepts_word(
		o->judge,
		&(struct judge_grammar_word){
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

/*
 * Makes the word read the event. Returns false if Lua failed: then nothing more is known about the
 * schedule.
 */
static bool read_event(struct schedule_pass *l, const struct scheduled_event *at)
{
	const struct property_event *event = &l->events->events.items[at->number];
	struct schedule_word *word = word_of_event(l, event);
	struct grammar_violation violation = { 0 };
	struct observe_accepted found = { 0 };
	enum grammar_verdict verdict;
	step_list steps = { 0 };
	struct err err = { 0 };

	if (!word || word->violated)
		return true;
	if (!word->word)
		word->word = grammar_word_open(l->parser, &err);
	if (!word->word)
		return false;
	if (!grammar_word_length(word->word))
		word->session = word->events.count;
	*vec_push(&word->events) = at->number;
	verdict = grammar_word_take(
		word->word,
		&(struct grammar_token){ event->event,
					 grammar_tokens_of_event(l->events, event, &l->values) },
		&violation);
	if (verdict != GRAMMAR_VIOLATED) {
		grammar_violation_free(&violation);
		return verdict == GRAMMAR_OPEN;
	}
	word->violated = true;
	if (!at->step) { /* in the recorded run: already reported */
		grammar_violation_free(&violation);
		return true;
	}
	add_steps(l, at, &steps);
	found.finding = make_finding(l, word, event, &steps);
	found.finding.sentence = describe_violation(l, word, &violation);
	observe_add_finding(l->o, &found, check_word(l, word, &steps, &err), &err);
	vec_free(&steps);
	return true;
}

static void judge_schedule(struct observe_state *o, const struct grammar_formula *sentence,
			   const struct observe_schedule *schedule)
{
	struct schedule_pass l = { .o = o,
				   .schedule = schedule,
				   .sentence = sentence,
				   .events = &o->set->properties.items[sentence->property] };
	struct err err;
	bool good = true;

	l.parser = grammar_parser_open(sentence->grammar, false, NULL, &err);
	if (!l.parser)
		return;
	schedule_all_events(&l);
	for (size_t i = 0; i < l.scheduled.count && good; i++)
		good = read_event(&l, &l.scheduled.items[i]);
	for (size_t i = 0; i < l.words.count; i++) {
		if (l.words.items[i].word)
			grammar_word_close(l.words.items[i].word);
		vec_free(&l.words.items[i].events);
	}
	grammar_parser_close(l.parser);
	map_free(&l.next);
	vec_free(&l.by_stream);
	vec_free(&l.scheduled);
	vec_free(&l.words);
	vec_free(&l.values);
}

void observe_check_schedules(struct observe_state *o)
{
	for (size_t i = 0; i < o->grammars.list.count; i++) {
		const struct grammar_formula *s = &o->grammars.list.items[i];

		if (s->why || observe_property(o, s->property)->view == SPEC_VIEW_THREAD)
			continue;
		for (size_t k = 0; k < o->options->schedule_count; k++)
			judge_schedule(o, s, &o->options->schedules[k]);
	}
}

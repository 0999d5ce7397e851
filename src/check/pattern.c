/*
 * Checks that a schedule matches a pattern, by the text of doc/properties.md, "Patterns". Each
 * chosen event gets its position in the schedule that was played, and the pattern's tree is
 * evaluated on these positions. An event of kind `request` may be anywhere between its anchor and
 * the event before the anchor, so all orders that this allows are tried; matches have few of them.
 */
#include "check/pattern.h"

#include "base/mem.h"
#include "base/sort.h"
#include "check/claim.h"

#include <stdlib.h>
#include <string.h>

/* Orders of requests that are tried before the claim is refused: more than any real match has. */
#define ATTEMPTS_MAX 100000u

struct chosen_event {
	const struct spec_pattern *leaf;
	const struct checker_occurrence *occurrence;
	uint32_t number; /* number of the anchor in the window, or 0 */
	uint32_t thread;
	/* position of the anchor in the schedule, from 1; 0 if it did not happen */
	uint32_t happened_at;
	bool in_group;
	bool located;	 /* its position is set; requests get theirs one after the other */
	double position; /* in the schedule: a whole number for events; below 0 before the window */
	double low, high; /* requests: bounds of the position */
};

struct pattern_judge {
	const struct checker_play *play;
	const struct checker_pattern_claim *match;
	struct chosen_event *chosen;
	size_t count;
	double end; /* the position after the last event */
	uint32_t *binding;
	unsigned attempts;
};

/* ---- positions of events --------------------------------------------------------------------- */

/* Returns the event's number in the window; 0 if it is not there. */
static uint32_t find_number(const struct pattern_judge *j, const struct event_id *event)
{
	uint32_t thread = checker_claim_thread(j->play, event), number;

	if (thread == CHECKER_END)
		return 0;
	number = checker_base_find(j->play->base, j->play->base->first[thread],
				   checker_stream_of(j->play->world->trace, event->stream),
				   event->index);
	return number == CHECKER_END ? 0 : number;
}

/* Returns the number of the event before it in its thread; 0 if it is the first of the window. */
static uint32_t find_previous(const struct pattern_judge *j, uint32_t number)
{
	const struct checker_base *base = j->play->base;
	uint32_t at = base->first[checker_base_record(base, number)->thread], previous = 0;

	for (; at != number; at = checker_base_record(base, at)->next)
		previous = at;
	return previous;
}

/* Did the event happen before the window? */
static bool is_past(const struct pattern_judge *j, const struct event_id *event)
{
	uint32_t stream = checker_stream_of(j->play->world->trace, event->stream);

	return stream != TRACE_NONE && event->index < j->play->base->start->threads[stream].done;
}

/* Returns the position of an event before the window: these are all negative, in their order. */
static double past_position(const struct pattern_judge *j, const struct event_id *event)
{
	uint32_t stream = checker_stream_of(j->play->world->trace, event->stream);

	return (double)checker_base_position(j->play->base, stream, event->index) -
	       (double)j->play->base->passed_count;
}

/*
 * Returns the position of the thread's creation; 0 if the thread was created before the window or
 * no CREATE is known; -1 if it has not been created yet.
 */
static double creation_position(const struct pattern_judge *j, uint32_t number)
{
	const struct checker_record *first = checker_base_record(j->play->base, number);
	uint32_t of = trace_stream(j->play->world->trace, first->thread)->number;

	if (!(first->bits & CHECKER_CREATED) ||
	    j->play->base->start->threads[first->thread].created)
		return 0;
	for (size_t i = 0; i < j->play->order.count; i++) {
		const struct checker_record *record =
			checker_base_record(j->play->base, j->play->order.items[i]);

		if (record->kind == EV_CREATE && record->number == of)
			return (double)i + 1;
	}
	return -1;
}

/* Can the event come next, after all events that were played? */
static bool is_next(const struct checker_play *play, uint32_t number)
{
	const struct checker_record *record = checker_base_record(play->base, number);
	struct err why;

	return play->next[record->thread] == number && checker_play_is_ready(play, number, &why) &&
	       !checker_play_is_at_barrier(play, record->stream);
}

static bool refuse(const struct pattern_judge *j, const struct chosen_event *event, const char *why,
		   struct err *err)
{
	return err_set(err, "%s %s", checker_claim_words(j->play, &event->occurrence->anchor).text,
		       why);
}

static bool bound_request(struct pattern_judge *j, struct chosen_event *event, struct err *err)
{
	uint32_t previous = find_previous(j, event->number);

	event->high = event->happened_at ? event->happened_at : j->end;
	event->low = previous ? (double)checker_claim_position(j->play, previous)
			      : creation_position(j, event->number);
	if (event->low < 0 || (previous && event->low == 0))
		return refuse(j, event, "is not requested in the schedule", err);
	return true;
}

/*
 * Gives an event before the window its position. A request is just before the event that it
 * requested.
 */
static bool locate_past_event(struct pattern_judge *j, struct chosen_event *event, struct err *err)
{
	const struct event_id *anchor = &event->occurrence->anchor;
	uint32_t stream = checker_stream_of(j->play->world->trace, anchor->stream);

	if (event->in_group)
		return refuse(j, event, "was before the window, but is claimed to be next in it",
			      err);
	event->thread = checker_source_thread(j->play->base->source, stream);
	event->position = past_position(j, anchor) - (event->occurrence->before ? 0.5 : 0);
	event->low = event->high = event->position;
	event->located = true;
	return true;
}

static bool locate_event(struct pattern_judge *j, struct chosen_event *event, struct err *err)
{
	if (is_past(j, &event->occurrence->anchor))
		return locate_past_event(j, event, err);
	event->number = find_number(j, &event->occurrence->anchor);
	if (!event->number)
		return refuse(j, event, "is not in the window", err);
	event->thread = checker_base_record(j->play->base, event->number)->thread;
	event->happened_at = (uint32_t)checker_claim_position(j->play, event->number);
	if (event->occurrence->before)
		return bound_request(j, event, err);
	event->position = event->happened_at ? event->happened_at : j->end;
	event->located = true;
	if (event->happened_at || event->in_group)
		return true;
	if (event->occurrence->may_be_next && is_next(j->play, event->number))
		return true;
	return refuse(j, event, "does not happen in the schedule", err);
}

/* ---- conditions that do not depend on positions ---------------------------------------------- */

static const uint32_t *binding_of(const struct pattern_judge *j, const struct checker_occurrence *o)
{
	return &j->match->property->bindings[o->bindings];
}

static bool agrees(const struct pattern_judge *j, const struct checker_occurrence *o)
{
	const uint32_t *binding = binding_of(j, o);

	for (uint32_t p = 0; p < j->match->property->parameters; p++) {
		if (binding[p] != CHECKER_UNBOUND && j->binding[p] != CHECKER_UNBOUND &&
		    binding[p] != j->binding[p])
			return false;
	}
	return true;
}

static bool bind_parameters(struct pattern_judge *j, struct err *err)
{
	for (uint32_t p = 0; p < j->match->property->parameters; p++)
		j->binding[p] = CHECKER_UNBOUND;
	for (size_t i = 0; i < j->count; i++) {
		const struct checker_occurrence *o = j->chosen[i].occurrence;

		if (!agrees(j, o))
			return refuse(j, &j->chosen[i], "has other parameter values", err);
		for (uint32_t p = 0; p < j->match->property->parameters; p++) {
			if (binding_of(j, o)[p] != CHECKER_UNBOUND)
				j->binding[p] = binding_of(j, o)[p];
		}
	}
	return true;
}

static bool check_threads(const struct pattern_judge *j, struct err *err)
{
	for (size_t i = 0; i < j->count; i++) {
		const struct chosen_event *a = &j->chosen[i];

		if (a->leaf->event != a->occurrence->event)
			return refuse(j, a, "is not the property event that the claim says", err);
		for (size_t k = 0; k < i; k++) {
			const struct chosen_event *b = &j->chosen[k];

			if (a->occurrence == b->occurrence || a->leaf == b->leaf)
				return refuse(j, a, "is chosen twice", err);
			if (a->leaf->thread != SPEC_NONE && b->leaf->thread != SPEC_NONE &&
			    (a->leaf->thread == b->leaf->thread) != (a->thread == b->thread))
				return refuse(j, a, "is in the wrong thread", err);
		}
	}
	return true;
}

/* Is this event marked as the begin (or end) of the region in some leaf of the pattern? */
static bool is_marked(const struct spec_pattern *pattern, uint32_t event, uint32_t region,
		      bool ends)
{
	bool found = pattern->kind == SPEC_LEAF && pattern->event == event &&
		     (ends ? pattern->ends : pattern->begins) == region;

	for (const struct spec_pattern *part = pattern->parts; part && !found; part = part->next)
		found = is_marked(part, event, region, ends);
	return found;
}

/*
 * Do the two events delimit one region? Begins push and ends pop, in one thread, among the events
 * that agree with the match's binding.
 */
static bool is_region(const struct pattern_judge *j, const struct chosen_event *begin,
		      const struct chosen_event *end)
{
	const struct checker_property *property = j->match->property;
	uint32_t region = begin->leaf->begins;
	VEC(const struct checker_occurrence *) open = { 0 };
	bool found = false;

	for (size_t i = 0; i < property->count && !found; i++) {
		const struct checker_occurrence *o = &property->occurrences[i];
		uint32_t stream = checker_stream_of(j->play->world->trace, o->anchor.stream);

		if (stream == TRACE_NONE || !agrees(j, o) ||
		    checker_source_thread(j->play->base->source, stream) != begin->thread)
			continue;
		if (is_marked(j->match->pattern, o->event, region, true) && open.count) {
			open.count--;
			found = o == end->occurrence && open.items[open.count] == begin->occurrence;
		}
		if (is_marked(j->match->pattern, o->event, region, false))
			*vec_push(&open) = o;
	}
	vec_free(&open);
	return found;
}

static bool check_regions(const struct pattern_judge *j, struct err *err)
{
	for (size_t i = 0; i < j->count; i++) {
		for (size_t k = 0; k < j->count && j->chosen[i].leaf->begins != SPEC_NONE; k++) {
			if (j->chosen[k].leaf->ends == j->chosen[i].leaf->begins &&
			    !is_region(j, &j->chosen[i], &j->chosen[k]))
				return refuse(j, &j->chosen[k], "ends another region", err);
		}
	}
	return true;
}

/* ---- parallel events (`||`) ------------------------------------------------------------------ */

static struct chosen_event *find_chosen(const struct pattern_judge *j,
					const struct spec_pattern *leaf)
{
	for (size_t i = 0; i < j->count; i++) {
		if (j->chosen[i].leaf == leaf)
			return &j->chosen[i];
	}
	return NULL;
}

typedef VEC(struct chosen_event *) chosen_list;

static void collect_chosen(const struct pattern_judge *j, const struct spec_pattern *pattern,
			   chosen_list *out)
{
	struct chosen_event *event = pattern->kind == SPEC_LEAF ? find_chosen(j, pattern) : NULL;

	if (event)
		*vec_push(out) = event;
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next)
		collect_chosen(j, part, out);
}

/* Are all events of the group next when the first `events` events of the schedule have happened? */
static bool all_next_at(const struct pattern_judge *j, const chosen_list *group, uint32_t events)
{
	struct checker_play again;
	struct err why;
	bool ok = true;

	checker_play_open(&again, j->play->base);
	for (uint32_t i = 0; i < events && ok; i++)
		ok = checker_play_event(&again, j->play->order.items[i], &why);
	for (size_t i = 0; i < group->count && ok; i++)
		ok = is_next(&again, group->items[i]->number);
	checker_play_close(&again);
	return ok;
}

static bool check_group(const struct pattern_judge *j, const chosen_list *group, struct err *err)
{
	uint32_t first = UINT32_MAX, happened = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct chosen_event *event = group->items[i];

		for (size_t k = 0; k < i; k++) {
			if (group->items[k]->thread == event->thread)
				return refuse(j, event, "is in the same thread as another one",
					      err);
		}
		if (event->happened_at) {
			happened++;
			first = event->happened_at < first ? event->happened_at : first;
		}
	}
	if (happened && happened < group->count)
		return err_set(err, "some of the parallel events happen, others do not");
	if (!all_next_at(j, group, happened ? first - 1 : (uint32_t)j->play->order.count))
		return refuse(j, group->items[0], "and the others are never next together", err);
	return true;
}

static bool check_groups(const struct pattern_judge *j, const struct spec_pattern *pattern,
			 struct err *err)
{
	bool ok = true;

	if (pattern->kind == SPEC_PARALLEL) {
		chosen_list group = { 0 };

		collect_chosen(j, pattern, &group);
		ok = !group.count || check_group(j, &group, err);
		vec_free(&group);
		return ok;
	}
	for (const struct spec_pattern *part = pattern->parts; part && ok; part = part->next)
		ok = check_groups(j, part, err);
	return ok;
}

static void mark_groups(struct pattern_judge *j, const struct spec_pattern *pattern, bool parallel)
{
	struct chosen_event *event = pattern->kind == SPEC_LEAF ? find_chosen(j, pattern) : NULL;

	if (event)
		event->in_group = parallel;
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next)
		mark_groups(j, part, parallel || pattern->kind == SPEC_PARALLEL);
}

/* ---- evaluating the tree on positions -------------------------------------------------------- */

/*
 * Does a come before b? If a is in a group, it must also have happened: what follows a parallel
 * event requires that.
 */
static bool comes_before(const struct chosen_event *a, const struct chosen_event *b)
{
	return a->position < b->position && (!a->in_group || a->happened_at);
}

static bool all_before(const struct pattern_judge *j, const struct spec_pattern *a,
		       const struct spec_pattern *b)
{
	chosen_list early = { 0 }, late = { 0 };
	bool ok = true;

	collect_chosen(j, a, &early);
	collect_chosen(j, b, &late);
	for (size_t i = 0; i < early.count; i++) {
		for (size_t k = 0; k < late.count; k++)
			ok &= comes_before(early.items[i], late.items[k]);
	}
	vec_free(&early);
	vec_free(&late);
	return ok;
}

static bool is_absent(const struct pattern_judge *j, const struct spec_pattern *pattern)
{
	if (pattern->kind == SPEC_LEAF)
		return !find_chosen(j, pattern);
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next) {
		if (!is_absent(j, part))
			return false;
	}
	return true;
}

static bool in_order(const struct pattern_judge *j, const struct spec_pattern *sequence)
{
	for (const struct spec_pattern *a = sequence->parts; a; a = a->next) {
		for (const struct spec_pattern *b = a->next; b; b = b->next) {
			if (!all_before(j, a, b))
				return false;
		}
	}
	return true;
}

/*
 * Does the order hold that the pattern under `!` requires? (Which events are chosen does not matter
 * here.)
 */
static bool order_holds(const struct pattern_judge *j, const struct spec_pattern *pattern)
{
	if (pattern->kind == SPEC_INVERTED)
		return !order_holds(j, pattern->parts);
	if (pattern->kind == SPEC_SEQUENCE && !in_order(j, pattern))
		return false;
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next) {
		if (!order_holds(j, part))
			return false;
	}
	return true;
}

static bool all_chosen(const struct pattern_judge *j, const struct spec_pattern *pattern)
{
	if (pattern->kind == SPEC_LEAF)
		return find_chosen(j, pattern);
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next) {
		if (!all_chosen(j, part))
			return false;
	}
	return true;
}

static bool holds(const struct pattern_judge *j, const struct spec_pattern *pattern);

static bool all_hold(const struct pattern_judge *j, const struct spec_pattern *pattern)
{
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next) {
		if (!holds(j, part))
			return false;
	}
	return true;
}

/* Does one part hold, while no event is chosen for the others? */
static bool one_holds(const struct pattern_judge *j, const struct spec_pattern *either)
{
	for (const struct spec_pattern *part = either->parts; part; part = part->next) {
		bool alone = holds(j, part);

		for (const struct spec_pattern *o = either->parts; o && alone; o = o->next)
			alone = o == part || is_absent(j, o);
		if (alone)
			return true;
	}
	return false;
}

static bool holds(const struct pattern_judge *j, const struct spec_pattern *pattern)
{
	switch ((enum spec_pattern_kind)pattern->kind) {
	case SPEC_LEAF: return find_chosen(j, pattern);
	case SPEC_SEQUENCE: return all_hold(j, pattern) && in_order(j, pattern);
	case SPEC_BOTH:
	case SPEC_PARALLEL:
	case SPEC_PLUS: return all_hold(j, pattern);
	case SPEC_EITHER: return one_holds(j, pattern);
	case SPEC_STAR:
	case SPEC_MAYBE: return is_absent(j, pattern) || holds(j, pattern->parts);
	case SPEC_INVERTED: return all_chosen(j, pattern) && !order_holds(j, pattern->parts);
	}
	return false;
}

/* ---- lifetimes of values --------------------------------------------------------------------- */

static bool is_same(const struct event_id *a, const struct event_id *b)
{
	return a->stream == b->stream && a->index == b->index;
}

/*
 * Sets *position to the event's position, before the window or in it. Returns false if the event
 * has not happened.
 */
static bool find_position(const struct pattern_judge *j, const struct event_id *event,
			  double *position)
{
	if (is_past(j, event))
		*position = past_position(j, event);
	else
		*position = (double)checker_claim_position(j->play, find_number(j, event));
	return *position != 0;
}

static bool is_alive_at(const struct pattern_judge *j, const struct chosen_event *event,
			const struct checker_lifetime *life)
{
	const struct event_id *anchor = &event->occurrence->anchor;
	double position;

	if (life->has_born && !is_same(&life->born, anchor) &&
	    (!find_position(j, &life->born, &position) || position >= event->position))
		return false;
	return !life->has_dead || is_same(&life->dead, anchor) ||
	       !find_position(j, &life->dead, &position) || position > event->position;
}

static bool all_are_alive(const struct pattern_judge *j)
{
	const struct checker_property *property = j->match->property;

	for (size_t i = 0; i < j->count; i++) {
		const uint32_t *binding = binding_of(j, j->chosen[i].occurrence);

		for (uint32_t p = 0; p < property->parameters; p++) {
			if (binding[p] != CHECKER_UNBOUND &&
			    !is_alive_at(j, &j->chosen[i], &property->lives[binding[p]]))
				return false;
		}
	}
	return true;
}

/* ---- positions of requests ------------------------------------------------------------------- */

SORT_COMPARISON(by_value, double, a, b, sort_order(*a, *b))

typedef VEC(double) position_list;

static void add_lifetime_bounds(const struct pattern_judge *j, const struct chosen_event *event,
				position_list *marks)
{
	const struct checker_property *property = j->match->property;
	const uint32_t *binding = binding_of(j, event->occurrence);
	double position;

	for (uint32_t p = 0; p < property->parameters; p++) {
		const struct checker_lifetime *life =
			binding[p] == CHECKER_UNBOUND ? NULL : &property->lives[binding[p]];

		if (life && life->has_born && find_position(j, &life->born, &position))
			*vec_push(marks) = position;
		if (life && life->has_dead && find_position(j, &life->dead, &position))
			*vec_push(marks) = position;
	}
}

/* Sets the position of all requests at one anchor: they happen at once. */
static void set_request_positions(struct pattern_judge *j, uint32_t number, double position,
				  bool located)
{
	for (size_t i = 0; i < j->count; i++) {
		struct chosen_event *event = &j->chosen[i];

		if (event->occurrence->before && event->number == number) {
			event->position = position;
			event->located = located;
		}
	}
}

/*
 * Tries each possible position for the next request that has none, and recursively for those after
 * it. A position is a gap between two neighbouring positions that matter: those of chosen events
 * and of requests that have one, and the bounds of requests and lifetimes.
 */
static bool try_request_positions(struct pattern_judge *j, size_t i)
{
	position_list marks = { 0 };
	bool ok = false;

	while (i < j->count && j->chosen[i].located)
		i++;
	if (j->attempts++ > ATTEMPTS_MAX)
		return false;
	if (i == j->count)
		return all_are_alive(j) && holds(j, j->match->pattern);
	for (size_t k = 0; k < j->count; k++) {
		if (j->chosen[k].located)
			*vec_push(&marks) = j->chosen[k].position;
		if (j->chosen[k].occurrence->before) {
			*vec_push(&marks) = j->chosen[k].low;
			*vec_push(&marks) = j->chosen[k].high;
		}
	}
	add_lifetime_bounds(j, &j->chosen[i], &marks);
	vec_sort(&marks, by_value);
	for (size_t k = 0; k + 1 < marks.count && !ok; k++) {
		double position = (marks.items[k] + marks.items[k + 1]) / 2;

		if (marks.items[k] == marks.items[k + 1] || position <= j->chosen[i].low ||
		    position >= j->chosen[i].high)
			continue;
		set_request_positions(j, j->chosen[i].number, position, true);
		ok = try_request_positions(j, i + 1);
		set_request_positions(j, j->chosen[i].number, position, false);
	}
	vec_free(&marks);
	return ok;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static bool judge_match(struct pattern_judge *j, struct err *err)
{
	mark_groups(j, j->match->pattern, false);
	for (size_t i = 0; i < j->count; i++) {
		if (!locate_event(j, &j->chosen[i], err))
			return false;
	}
	if (!bind_parameters(j, err) || !check_threads(j, err) || !check_regions(j, err) ||
	    !check_groups(j, j->match->pattern, err))
		return false;
	return try_request_positions(j, 0) ||
	       err_set(err, "the chosen events are not in the order that the pattern requires");
}

bool checker_play_matches(const struct checker_play *play,
			  const struct checker_pattern_claim *match, struct err *err)
{
	struct pattern_judge j = { .play = play,
				   .match = match,
				   .count = match->count,
				   .end = (double)play->order.count + 1 };
	bool ok;

	if (!match->count)
		return err_set(err, "a match without events");
	j.chosen = mem_zalloc(match->count, sizeof *j.chosen);
	j.binding = mem_alloc(match->property->parameters * sizeof *j.binding + 1);
	for (size_t i = 0; i < match->count; i++) {
		const struct checker_choice *choice = &match->choices[i];

		if (choice->occurrence >= match->property->count) {
			free(j.chosen);
			free(j.binding);
			return err_set(err, "a chosen event that does not exist");
		}
		j.chosen[i].leaf = choice->leaf;
		j.chosen[i].occurrence = &match->property->occurrences[choice->occurrence];
	}
	ok = judge_match(&j, err);
	free(j.chosen);
	free(j.binding);
	return ok;
}

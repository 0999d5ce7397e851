/*
 * Checks that a schedule matches a pattern, by the text of doc/properties.md, "Patterns": each
 * chosen event gets its position in the schedule that was played, and the pattern's tree is
 * evaluated on these positions. An event of `request` may be anywhere between its anchor and the
 * event before that, so all orders that this leaves are tried; matches have few of them.
 */
#include "check/pattern.h"

#include "base/mem.h"
#include "check/play.h"

#include <stdlib.h>
#include <string.h>

/* Orders of requests that are tried before the claim is refused: more than any real match has. */
#define PLACINGS 100000u

struct seat {
	const struct spec_pattern *leaf;
	const struct checker_occurrence *occurrence;
	uint32_t number; /* number of the anchor in the window, or 0 */
	uint32_t thread;
	/* position of the anchor in the schedule, from 1; 0 if it did not happen */
	uint32_t position;
	bool in_group;
	bool placed;  /* has a position: requests get theirs one after the other */
	double place; /* in the schedule: a whole number for events; below 0 before the window */
	double low, high; /* requests: bounds of the position */
};

struct pattern_judge {
	const struct checker_play *play;
	const struct checker_match *match;
	struct seat *seats;
	size_t count;
	double end; /* the position after the last event */
	uint32_t *binding;
	unsigned placings;
};

/* ---- positions of events ------------------------------------------------------------------- */

static uint32_t find_number(const struct pattern_judge *j, const struct event_id *event,
			    uint32_t *previous)
{
	uint32_t stream = checker_stream_of(j->play->world->trace, event->stream), number;

	*previous = 0;
	if (stream == TRACE_NONE)
		return 0;
	number = j->play->base->first[checker_source_thread(j->play->base->source, stream)];
	while (number != CHECKER_END) {
		const struct checker_record *record = checker_base_record(j->play->base, number);

		if (record->stream == stream && record->index == event->index)
			return number;
		*previous = number;
		number = record->next;
	}
	return 0;
}

static uint32_t position_of(const struct pattern_judge *j, uint32_t number)
{
	for (size_t i = 0; i < j->play->order.count && number; i++) {
		if (j->play->order.items[i] == number)
			return (uint32_t)i + 1;
	}
	return 0;
}

/* Did it happen before the window? */
static bool is_past(const struct pattern_judge *j, const struct event_id *event)
{
	uint32_t stream = checker_stream_of(j->play->world->trace, event->stream);

	return stream != TRACE_NONE && event->index < j->play->base->start->threads[stream].done;
}

/* Returns the position of an event before the window: these are all negative, in their order. */
static double past_place(const struct pattern_judge *j, const struct event_id *event)
{
	uint32_t stream = checker_stream_of(j->play->world->trace, event->stream);

	return (double)checker_base_place(j->play->base, stream, event->index) -
	       (double)j->play->base->passed_count;
}

/*
 * Returns the position of the thread's creation: 0 if it was before the window or no CREATE is
 * known; -1 if it has not happened.
 */
static double creation_of(const struct pattern_judge *j, uint32_t number)
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

/* Can the event come next, after everything that was played? */
static bool is_next(const struct checker_play *play, uint32_t number)
{
	const struct checker_record *record = checker_base_record(play->base, number);
	struct err why;

	return play->next[record->thread] == number && checker_play_is_ready(play, number, &why) &&
	       !checker_play_is_at_barrier(play, record->stream);
}

static bool refuse(const struct pattern_judge *j, const struct seat *seat, const char *why,
		   struct err *err)
{
	const struct trace *trace = j->play->world->trace;
	uint32_t stream = checker_stream_of(trace, seat->occurrence->anchor.stream);

	return err_set(
		err, "%s %s",
		stream == TRACE_NONE
			? "an event of no stream"
			: checker_event_words(trace, stream, seat->occurrence->anchor.index).text,
		why);
}

static bool seat_request(struct pattern_judge *j, struct seat *seat, uint32_t previous,
			 struct err *err)
{
	seat->high = seat->position ? seat->position : j->end;
	seat->low = previous ? position_of(j, previous) : creation_of(j, seat->number);
	if (seat->low < 0 || (previous && seat->low == 0))
		return refuse(j, seat, "is not asked for in the schedule", err);
	return true;
}

/* Gives an event before the window its position. A request is just before what it requested. */
static bool seat_past(struct pattern_judge *j, struct seat *seat, struct err *err)
{
	const struct event_id *anchor = &seat->occurrence->anchor;
	uint32_t stream = checker_stream_of(j->play->world->trace, anchor->stream);

	if (seat->in_group)
		return refuse(j, seat, "was before the window, and is said to be next in it", err);
	seat->thread = checker_source_thread(j->play->base->source, stream);
	seat->place = past_place(j, anchor) - (seat->occurrence->before ? 0.5 : 0);
	seat->low = seat->high = seat->place;
	seat->placed = true;
	return true;
}

static bool seat_choice(struct pattern_judge *j, struct seat *seat, struct err *err)
{
	uint32_t previous;

	if (is_past(j, &seat->occurrence->anchor))
		return seat_past(j, seat, err);
	seat->number = find_number(j, &seat->occurrence->anchor, &previous);
	if (!seat->number)
		return refuse(j, seat, "is not in the window", err);
	seat->thread = checker_base_record(j->play->base, seat->number)->thread;
	seat->position = position_of(j, seat->number);
	if (seat->occurrence->before)
		return seat_request(j, seat, previous, err);
	seat->place = seat->position ? seat->position : j->end;
	seat->placed = true;
	if (seat->position || seat->in_group)
		return true;
	if (seat->occurrence->may_be_next && is_next(j->play, seat->number))
		return true;
	return refuse(j, seat, "does not happen in the schedule", err);
}

/* ---- conditions that do not depend on positions -------------------------------------------- */

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

static bool bind(struct pattern_judge *j, struct err *err)
{
	for (uint32_t p = 0; p < j->match->property->parameters; p++)
		j->binding[p] = CHECKER_UNBOUND;
	for (size_t i = 0; i < j->count; i++) {
		const struct checker_occurrence *o = j->seats[i].occurrence;

		if (!agrees(j, o))
			return refuse(j, &j->seats[i], "binds something else", err);
		for (uint32_t p = 0; p < j->match->property->parameters; p++) {
			if (binding_of(j, o)[p] != CHECKER_UNBOUND)
				j->binding[p] = binding_of(j, o)[p];
		}
	}
	return true;
}

static bool suits_threads(const struct pattern_judge *j, struct err *err)
{
	for (size_t i = 0; i < j->count; i++) {
		const struct seat *a = &j->seats[i];

		if (a->leaf->event != a->occurrence->event)
			return refuse(j, a, "is another event of the property", err);
		for (size_t k = 0; k < i; k++) {
			const struct seat *b = &j->seats[k];

			if (a->occurrence == b->occurrence || a->leaf == b->leaf)
				return refuse(j, a, "is chosen twice", err);
			if (a->leaf->thread != SPEC_NONE && b->leaf->thread != SPEC_NONE &&
			    (a->leaf->thread == b->leaf->thread) != (a->thread == b->thread))
				return refuse(j, a, "is of the wrong thread", err);
		}
	}
	return true;
}

/* Does the region begin (or end) at this event in some leaf of the pattern? */
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
static bool is_region(const struct pattern_judge *j, const struct seat *begin,
		      const struct seat *end)
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

static bool suits_regions(const struct pattern_judge *j, struct err *err)
{
	for (size_t i = 0; i < j->count; i++) {
		for (size_t k = 0; k < j->count && j->seats[i].leaf->begins != SPEC_NONE; k++) {
			if (j->seats[k].leaf->ends == j->seats[i].leaf->begins &&
			    !is_region(j, &j->seats[i], &j->seats[k]))
				return refuse(j, &j->seats[k], "ends another region", err);
		}
	}
	return true;
}

/* ---- parallel events (`||`) ---------------------------------------------------------------- */

static struct seat *seat_of(const struct pattern_judge *j, const struct spec_pattern *leaf)
{
	for (size_t i = 0; i < j->count; i++) {
		if (j->seats[i].leaf == leaf)
			return &j->seats[i];
	}
	return NULL;
}

typedef VEC(struct seat *) seat_list;

static void collect(const struct pattern_judge *j, const struct spec_pattern *pattern,
		    seat_list *out)
{
	struct seat *seat = pattern->kind == SPEC_LEAF ? seat_of(j, pattern) : NULL;

	if (seat)
		*vec_push(out) = seat;
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next)
		collect(j, part, out);
}

/* Are all of them next when this many events of the schedule have happened? */
static bool all_next_at(const struct pattern_judge *j, const seat_list *group, uint32_t events)
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

static bool meets(const struct pattern_judge *j, const seat_list *group, struct err *err)
{
	uint32_t first = UINT32_MAX, happened = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct seat *seat = group->items[i];

		for (size_t k = 0; k < i; k++) {
			if (group->items[k]->thread == seat->thread)
				return refuse(j, seat, "is of the same thread as another", err);
		}
		if (seat->position) {
			happened++;
			first = seat->position < first ? seat->position : first;
		}
	}
	if (happened && happened < group->count)
		return err_set(err, "some of the parallel events happen, others do not");
	if (!all_next_at(j, group, happened ? first - 1 : (uint32_t)j->play->order.count))
		return refuse(j, group->items[0], "and the others are never next together", err);
	return true;
}

static bool suits_groups(const struct pattern_judge *j, const struct spec_pattern *pattern,
			 struct err *err)
{
	bool ok = true;

	if (pattern->kind == SPEC_PARALLEL) {
		seat_list group = { 0 };

		collect(j, pattern, &group);
		ok = !group.count || meets(j, &group, err);
		vec_free(&group);
		return ok;
	}
	for (const struct spec_pattern *part = pattern->parts; part && ok; part = part->next)
		ok = suits_groups(j, part, err);
	return ok;
}

static void mark_groups(struct pattern_judge *j, const struct spec_pattern *pattern, bool parallel)
{
	struct seat *seat = pattern->kind == SPEC_LEAF ? seat_of(j, pattern) : NULL;

	if (seat)
		seat->in_group = parallel;
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next)
		mark_groups(j, part, parallel || pattern->kind == SPEC_PARALLEL);
}

/* ---- evaluating the tree on positions ------------------------------------------------------ */

/* What follows a parallel event requires that it happens. */
static bool comes_before(const struct seat *a, const struct seat *b)
{
	return a->place < b->place && (!a->in_group || a->position);
}

static bool all_before(const struct pattern_judge *j, const struct spec_pattern *a,
		       const struct spec_pattern *b)
{
	seat_list early = { 0 }, late = { 0 };
	bool ok = true;

	collect(j, a, &early);
	collect(j, b, &late);
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
	seat_list seats = { 0 };
	bool absent;

	collect(j, pattern, &seats);
	absent = !seats.count;
	vec_free(&seats);
	return absent;
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

/* Does the order alone hold that something under `!` requires? */
static bool demands(const struct pattern_judge *j, const struct spec_pattern *pattern)
{
	if (pattern->kind == SPEC_INVERTED)
		return !demands(j, pattern->parts);
	if (pattern->kind == SPEC_SEQUENCE && !in_order(j, pattern))
		return false;
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next) {
		if (!demands(j, part))
			return false;
	}
	return true;
}

static bool all_chosen(const struct pattern_judge *j, const struct spec_pattern *pattern)
{
	if (pattern->kind == SPEC_LEAF)
		return seat_of(j, pattern);
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

/* One part holds, and no event of the others is chosen. */
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
	case SPEC_LEAF: return seat_of(j, pattern);
	case SPEC_SEQUENCE: return all_hold(j, pattern) && in_order(j, pattern);
	case SPEC_BOTH:
	case SPEC_PARALLEL:
	case SPEC_PLUS: return all_hold(j, pattern);
	case SPEC_EITHER: return one_holds(j, pattern);
	case SPEC_STAR:
	case SPEC_MAYBE: return is_absent(j, pattern) || holds(j, pattern->parts);
	case SPEC_INVERTED: return all_chosen(j, pattern) && !demands(j, pattern->parts);
	}
	return false;
}

/* ---- lifetimes of values ------------------------------------------------------------------- */

static bool is_same(const struct event_id *a, const struct event_id *b)
{
	return a->stream == b->stream && a->index == b->index;
}

/*
 * Finds the event's position, before the window or in the schedule; false if it has not happened.
 */
static bool find_place(const struct pattern_judge *j, const struct event_id *event, double *place)
{
	uint32_t previous;

	if (is_past(j, event))
		*place = past_place(j, event);
	else
		*place = position_of(j, find_number(j, event, &previous));
	return *place != 0;
}

static bool lives_at(const struct pattern_judge *j, const struct seat *seat,
		     const struct checker_life *life)
{
	const struct event_id *anchor = &seat->occurrence->anchor;
	double place;

	if (life->has_born && !is_same(&life->born, anchor) &&
	    (!find_place(j, &life->born, &place) || place >= seat->place))
		return false;
	return !life->has_dead || is_same(&life->dead, anchor) ||
	       !find_place(j, &life->dead, &place) || place > seat->place;
}

static bool all_live(const struct pattern_judge *j)
{
	const struct checker_property *property = j->match->property;

	for (size_t i = 0; i < j->count; i++) {
		const uint32_t *binding = binding_of(j, j->seats[i].occurrence);

		for (uint32_t p = 0; p < property->parameters; p++) {
			if (binding[p] != CHECKER_UNBOUND &&
			    !lives_at(j, &j->seats[i], &property->lives[binding[p]]))
				return false;
		}
	}
	return true;
}

/* ---- positions of requests ----------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

typedef VEC(double) place_list;

static void mark_lives(const struct pattern_judge *j, const struct seat *seat, place_list *marks)
{
	const struct checker_property *property = j->match->property;
	const uint32_t *binding = binding_of(j, seat->occurrence);
	double place;

	for (uint32_t p = 0; p < property->parameters; p++) {
		const struct checker_life *life =
			binding[p] == CHECKER_UNBOUND ? NULL : &property->lives[binding[p]];

		if (life && life->has_born && find_place(j, &life->born, &place))
			*vec_push(marks) = place;
		if (life && life->has_dead && find_place(j, &life->dead, &place))
			*vec_push(marks) = place;
	}
}

/* Requests at one anchor happen at once. */
static void put_requests(struct pattern_judge *j, uint32_t number, double place, bool placed)
{
	for (size_t i = 0; i < j->count; i++) {
		struct seat *seat = &j->seats[i];

		if (seat->occurrence->before && seat->number == number) {
			seat->place = place;
			seat->placed = placed;
		}
	}
}

/*
 * Tries each possible position for the next request without one, and the same for those after it:
 * the gaps between all positions that matter, namely those of chosen events, of requests that have
 * one, and the bounds of requests and lifetimes.
 */
static bool place_requests(struct pattern_judge *j, size_t i)
{
	place_list marks = { 0 };
	bool ok = false;

	while (i < j->count && j->seats[i].placed)
		i++;
	if (j->placings++ > PLACINGS)
		return false;
	if (i == j->count)
		return all_live(j) && holds(j, j->match->pattern);
	for (size_t k = 0; k < j->count; k++) {
		if (j->seats[k].placed)
			*vec_push(&marks) = j->seats[k].place;
		if (j->seats[k].occurrence->before) {
			*vec_push(&marks) = j->seats[k].low;
			*vec_push(&marks) = j->seats[k].high;
		}
	}
	mark_lives(j, &j->seats[i], &marks);
	qsort(marks.items, marks.count, sizeof *marks.items, compare_places);
	for (size_t k = 0; k + 1 < marks.count && !ok; k++) {
		double place = (marks.items[k] + marks.items[k + 1]) / 2;

		if (marks.items[k] == marks.items[k + 1] || place <= j->seats[i].low ||
		    place >= j->seats[i].high)
			continue;
		put_requests(j, j->seats[i].number, place, true);
		ok = place_requests(j, i + 1);
		put_requests(j, j->seats[i].number, place, false);
	}
	vec_free(&marks);
	return ok;
}

/* ---- the verdict --------------------------------------------------------------------------- */

static bool judge(struct pattern_judge *j, struct err *err)
{
	mark_groups(j, j->match->pattern, false);
	for (size_t i = 0; i < j->count; i++) {
		if (!seat_choice(j, &j->seats[i], err))
			return false;
	}
	if (!bind(j, err) || !suits_threads(j, err) || !suits_regions(j, err) ||
	    !suits_groups(j, j->match->pattern, err))
		return false;
	return place_requests(j, 0) ||
	       err_set(err, "the chosen events do not come as the pattern demands");
}

bool checker_play_matches(const struct checker_play *play, const struct checker_match *match,
			  struct err *err)
{
	struct pattern_judge j = { .play = play,
				   .match = match,
				   .count = match->count,
				   .end = (double)play->order.count + 1 };
	bool ok;

	if (!match->count)
		return err_set(err, "a match of no events");
	j.seats = mem_zalloc(match->count, sizeof *j.seats);
	j.binding = mem_alloc(match->property->parameters * sizeof *j.binding + 1);
	for (size_t i = 0; i < match->count; i++) {
		const struct checker_choice *choice = &match->choices[i];

		if (choice->occurrence >= match->property->count) {
			free(j.seats);
			free(j.binding);
			return err_set(err, "a choice of no event");
		}
		j.seats[i].leaf = choice->leaf;
		j.seats[i].occurrence = &match->property->occurrences[choice->occurrence];
	}
	ok = judge(&j, err);
	free(j.seats);
	free(j.binding);
	return ok;
}

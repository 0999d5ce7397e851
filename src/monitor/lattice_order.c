#include "monitor/lattice_order.h"

#include "base/map.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* ---- columns --------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct lattice_fed *x = a, *y = b;

	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static int by_column(const void *a, const void *b)
{
	const struct message_need *x = a, *y = b;

	return x->column < y->column ? -1 : x->column > y->column;
}

/* Every column has its events from 0 on, each once. */
static bool check_places(const struct lattice_feed *feed, struct err *err)
{
	for (size_t i = 0; i < feed->messages.count; i++) {
		const struct lattice_fed *m = &feed->messages.items[i];
		bool same = i && m[-1].column == m->column;
		uint32_t want = same ? m[-1].position + 1 : 0;

		if (same && m[-1].position == m->position)
			return err_set(err, "column %u: event %u came twice", m->column,
				       m->position);
		if (m->position != want)
			return err_set(err, "column %u: event %u is missing", m->column, want);
	}
	return true;
}

static void lay_columns(struct lattice_order *order, const struct lattice_feed *feed)
{
	size_t count = feed->messages.count;

	order->event_count = count;
	order->events = mem_zalloc(count, sizeof *order->events);
	order->column_count = count ? feed->messages.items[count - 1].column + 1 : 0;
	order->columns = mem_zalloc(order->column_count, sizeof *order->columns);
	for (size_t i = 0; i < count; i++) {
		const struct lattice_fed *m = &feed->messages.items[i];
		struct lattice_column *column = &order->columns[m->column];

		if (!column->count) {
			column->events = &order->events[i];
			column->first = i;
		}
		column->count++;
	}
}

static bool take_needs(struct lattice_order *order, const struct lattice_feed *feed,
		       const struct lattice_fed *m, struct lattice_event *event, struct err *err)
{
	event->need = order->needs.count;
	event->height = m->position;
	for (size_t i = 0; i < m->need_count; i++) {
		const struct message_need *need = &feed->needs.items[m->need + i];

		if (!need->count || need->column == m->column)
			continue;
		if (need->column >= order->column_count ||
		    need->count > order->columns[need->column].count)
			return err_set(err,
				       "event %u of column %u needs %u events of column %u, "
				       "which has fewer",
				       m->position, m->column, need->count, need->column);
		*vec_push(&order->needs) = *need;
		event->height += need->count;
	}
	event->need_count = order->needs.count - event->need;
	if (event->need_count)
		qsort(&order->needs.items[event->need], event->need_count,
		      sizeof(struct message_need), by_column);
	return true;
}

uint32_t lattice_order_need(const struct lattice_order *order, const struct lattice_event *event,
			    uint32_t column)
{
	const struct message_need *needs = &order->needs.items[event->need];
	uint32_t low = 0, high = event->need_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (needs[middle].column < column)
			low = middle + 1;
		else
			high = middle;
	}
	return low < event->need_count && needs[low].column == column ? needs[low].count : 0;
}

/* ---- sets ------------------------------------------------------------------------------------------ */

/* A touch while they are collected. */
struct touched {
	uint32_t object, column, position, set;
};
typedef VEC(struct touched) touched_list;

static uint32_t find_set(struct lattice_order *order, struct map *index,
			 const struct message_member *member)
{
	bool fresh;
	uint64_t *at = map_put(index, (uint64_t)member->object << 32 | member->set, &fresh);

	if (fresh) {
		*at = order->sets.count;
		*vec_push(&order->sets) = (struct lattice_set){ .object = member->object,
								.lock = member->lock,
								.shared = member->shared,
								.closes = !member->lock };
	}
	return *at;
}

static bool take_members(struct lattice_order *order, const struct lattice_feed *feed,
			 const struct lattice_fed *m, struct lattice_event *event,
			 struct map *index, touched_list *touched, struct err *err)
{
	event->member = order->members.count;
	for (size_t i = 0; i < m->member_count; i++) {
		const struct message_member *member = &feed->members.items[m->member + i];
		uint32_t number = find_set(order, index, member);
		struct lattice_set *set = &order->sets.items[number];

		if (set->lock != member->lock || set->shared != member->shared)
			return err_set(err,
				       "event %u of column %u: set %u of object %u is of "
				       "another kind elsewhere",
				       m->position, m->column, member->set, member->object);
		set->members++;
		if (member->role == MESSAGE_CLOSES || member->role == MESSAGE_PASSES)
			set->closes = true;
		*vec_push(&order->members) = number;
		*vec_push(touched) =
			(struct touched){ member->object, m->column, m->position, number };
	}
	event->member_count = order->members.count - event->member;
	return true;
}

static int by_touch(const void *a, const void *b)
{
	const struct touched *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->set < y->set ? -1 : x->set > y->set;
}

static int by_set(const void *a, const void *b)
{
	const struct touched *x = a, *y = b;

	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static void find_spans(struct lattice_order *order, touched_list *touched)
{
	qsort(touched->items, touched->count, sizeof *touched->items, by_set);
	for (size_t i = 0; i < touched->count; i++) {
		const struct touched *t = &touched->items[i];
		struct lattice_set *set = &order->sets.items[t->set];
		bool same = i && t[-1].set == t->set;

		if (!same)
			set->span = order->spans.count;
		if (!same || t[-1].column != t->column) {
			*vec_push(&order->spans) =
				(struct lattice_span){ t->column, t->position, t->position };
			set->span_count++;
		}
		order->spans.items[order->spans.count - 1].last = t->position;
	}
	for (size_t i = 0; i < order->sets.count; i++) {
		struct lattice_set *set = &order->sets.items[i];
		const struct lattice_span *span = &order->spans.items[set->span];

		set->opens = !set->closes || set->span_count > 1 || span->first != span->last;
	}
}

/* ---- guards ---------------------------------------------------------------------------------------- */

/* The touches of an object by one column. */
struct lane {
	uint32_t column, touch, count;
	/* for objects with shared sets: what lies before it is complete for the column looked at */
	uint32_t reader, start;
};
struct object {
	size_t lane, lane_count;
	bool shares;
};
struct guards {
	struct lattice_order *order;
	struct map objects; /* to their number */
	VEC(struct object) list;
	VEC(struct lane) lanes;
};

/* Sets that are never open keep nobody out: no touches of them. */
static void find_lanes(struct guards *guards, touched_list *touched)
{
	struct lattice_order *order = guards->order;

	qsort(touched->items, touched->count, sizeof *touched->items, by_touch);
	for (size_t i = 0; i < touched->count; i++) {
		const struct touched *t = &touched->items[i];
		struct lane *last =
			guards->lanes.count ? &guards->lanes.items[guards->lanes.count - 1] : NULL;
		bool fresh;
		uint64_t *at;

		if (!order->sets.items[t->set].opens)
			continue;
		at = map_put(&guards->objects, t->object, &fresh);
		if (fresh) {
			*at = guards->list.count;
			*vec_push(&guards->list) = (struct object){ .lane = guards->lanes.count };
		}
		guards->list.items[*at].shares |= order->sets.items[t->set].shared;
		if (fresh || last->column != t->column) {
			*vec_push(&guards->lanes) = (struct lane){
				.column = t->column,
				.touch = order->touches.count,
				.reader = UINT32_MAX,
			};
			last = &guards->lanes.items[guards->lanes.count - 1];
			guards->list.items[*at].lane_count++;
		}
		last->count++;
		*vec_push(&order->touches) = (struct lattice_touch){ t->position, t->set };
	}
}

/* The first touch of the lane at `position` or behind it. */
static uint32_t touch_at(const struct lattice_order *order, const struct lane *lane,
			 uint32_t position)
{
	uint32_t low = lane->touch, high = lane->touch + lane->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (order->touches.items[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first event of `other` that comes after the event: needs grow along a column. */
static uint32_t first_behind(const struct lattice_order *order, uint32_t column, uint32_t position,
			     uint32_t other)
{
	const struct lattice_column *in = &order->columns[other];
	uint32_t low = 0, high = in->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (lattice_order_need(order, &in->events[middle], column) <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* All of the set comes before the event. */
static bool comes_before(const struct lattice_order *order, const struct lattice_set *set,
			 const struct lattice_event *event, uint32_t column, uint32_t position)
{
	if (!set->closes)
		return false;
	for (uint32_t i = 0; i < set->span_count; i++) {
		const struct lattice_span *span = &order->spans.items[set->span + i];
		uint32_t had = span->column == column
				       ? position
				       : lattice_order_need(order, event, span->column);

		if (span->last >= had)
			return false;
	}
	return true;
}

static bool is_member(const struct lattice_order *order, const struct lattice_event *event,
		      uint32_t set)
{
	for (uint32_t i = 0; i < event->member_count; i++) {
		if (order->members.items[event->member + i] == set)
			return true;
	}
	return false;
}

static void guard_lane(struct guards *guards, const struct object *object, struct lane *lane,
		       struct lattice_event *event, uint32_t column, uint32_t position, bool shared)
{
	struct lattice_order *order = guards->order;
	const struct lattice_touch *touches = order->touches.items;
	bool own = lane->column == column;
	uint32_t floor = own ? position : lattice_order_need(order, event, lane->column);
	uint32_t after = touch_at(order, lane, floor), start = after;
	bool matters = false;

	if (object->shares) {
		if (lane->reader != column) {
			lane->reader = column;
			lane->start = lane->touch;
		}
		while (lane->start < after &&
		       comes_before(order, &order->sets.items[touches[lane->start].set], event,
				    column, position))
			lane->start++;
		start = lane->start;
	} else if (start > lane->touch) {
		start--;
		while (start > lane->touch &&
		       touches[start - 1].position == touches[start].position)
			start--;
	}
	if (!own && after < lane->touch + lane->count)
		after = touch_at(order, lane, first_behind(order, column, position, lane->column));
	for (uint32_t i = start; i < after && !matters; i++) {
		const struct lattice_set *set = &order->sets.items[touches[i].set];

		matters = !(shared && set->shared) && !is_member(order, event, touches[i].set) &&
			  !comes_before(order, set, event, column, position);
	}
	if (matters)
		*vec_push(&order->guards) =
			(struct lattice_guard){ lane->column, start, after - start, shared,
						object->shares };
}

static void guard_event(struct guards *guards, struct lattice_event *event, uint32_t column,
			uint32_t position)
{
	struct lattice_order *order = guards->order;

	event->guard = order->guards.count;
	for (uint32_t i = 0; i < event->member_count; i++) {
		uint32_t number = order->members.items[event->member + i];
		uint32_t name = order->sets.items[number].object;
		bool shared = true, again = false;
		uint64_t *at = map_get(&guards->objects, name);

		for (uint32_t j = 0; j < event->member_count; j++) {
			const struct lattice_set *set =
				&order->sets.items[order->members.items[event->member + j]];

			if (set->object == name) {
				again |= j < i;
				shared &= set->shared;
			}
		}
		if (again || !at)
			continue;
		for (size_t l = 0; l < guards->list.items[*at].lane_count; l++) {
			const struct object *object = &guards->list.items[*at];

			guard_lane(guards, object, &guards->lanes.items[object->lane + l], event,
				   column, position, shared);
		}
	}
	event->guard_count = order->guards.count - event->guard;
	order->columns[column].guarded |= event->guard_count > 0;
}

static void find_guards(struct lattice_order *order, touched_list *touched)
{
	struct guards guards = { .order = order };

	find_lanes(&guards, touched);
	for (uint32_t c = 0; c < order->column_count; c++) {
		for (uint32_t p = 0; p < order->columns[c].count; p++)
			guard_event(&guards, &order->columns[c].events[p], c, p);
	}
	map_free(&guards.objects);
	vec_free(&guards.list);
	vec_free(&guards.lanes);
}

/* ---- all of it ------------------------------------------------------------------------------------- */

bool lattice_order_build(struct lattice_order *order, struct lattice_feed *feed, struct err *err)
{
	touched_list touched = { 0 };
	struct map index = { 0 };
	bool good;

	*order = (struct lattice_order){ 0 };
	if (feed->messages.count)
		qsort(feed->messages.items, feed->messages.count, sizeof *feed->messages.items,
		      by_place);
	good = check_places(feed, err);
	if (good)
		lay_columns(order, feed);
	for (size_t i = 0; good && i < feed->messages.count; i++) {
		const struct lattice_fed *m = &feed->messages.items[i];

		order->events[i].label = m->label;
		good = take_needs(order, feed, m, &order->events[i], err) &&
		       take_members(order, feed, m, &order->events[i], &index, &touched, err);
	}
	if (good && touched.count) {
		find_spans(order, &touched);
		find_guards(order, &touched);
	}
	map_free(&index);
	vec_free(&touched);
	if (!good)
		lattice_order_free(order);
	return good;
}

void lattice_order_free(struct lattice_order *order)
{
	free(order->columns);
	free(order->events);
	vec_free(&order->needs);
	vec_free(&order->members);
	vec_free(&order->sets);
	vec_free(&order->spans);
	vec_free(&order->touches);
	vec_free(&order->guards);
	*order = (struct lattice_order){ 0 };
}

static bool is_open(const struct lattice_order *order, const struct lattice_set *set,
		    const uint32_t *cut)
{
	bool started = false, complete = set->closes;

	for (uint32_t i = 0; i < set->span_count; i++) {
		const struct lattice_span *span = &order->spans.items[set->span + i];

		started |= cut[span->column] > span->first;
		complete &= cut[span->column] > span->last;
	}
	return started && !complete;
}

bool lattice_order_allows(const struct lattice_order *order, const uint32_t *cut, uint32_t column)
{
	const struct lattice_column *in = &order->columns[column];
	const struct lattice_event *event;

	if (cut[column] >= in->count)
		return false;
	event = &in->events[cut[column]];
	for (uint32_t i = 0; i < event->need_count; i++) {
		const struct message_need *need = &order->needs.items[event->need + i];

		if (cut[need->column] < need->count)
			return false;
	}
	for (uint32_t g = 0; g < event->guard_count; g++) {
		const struct lattice_guard *guard = &order->guards.items[event->guard + g];

		for (uint32_t i = 0; i < guard->count; i++) {
			const struct lattice_touch *touch = &order->touches.items[guard->touch + i];
			const struct lattice_set *set = &order->sets.items[touch->set];

			if (touch->position >= cut[guard->column])
				break;
			if (!(guard->shared && set->shared) &&
			    !is_member(order, event, touch->set) && is_open(order, set, cut))
				return false;
		}
	}
	return true;
}

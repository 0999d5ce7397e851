#include "monitor/lattice/lattice_order.h"

#include "base/map.h"

#include <string.h>

/* The touches of an object by one column. */
struct lattice_guards_lane {
	uint32_t column, touch, count;
	/* for objects with shared sets: what lies before it is complete for the column looked at */
	uint32_t reader, start;
	bool marked;
	uint32_t from, top;
	size_t marks;
};
struct lattice_guards_object {
	size_t lane, lane_count;
	bool shares;
};
struct guards {
	struct lattice_order *order;
	struct map objects; /* to their number */
	VEC(struct lattice_guards_object) list;
	VEC(struct lattice_guards_lane) lanes;
};

static int by_touch(const void *a, const void *b)
{
	const struct lattice_touched *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->set < y->set ? -1 : x->set > y->set;
}

/* Sets that are never open keep nobody out: no touches of them. */
static void find_lanes(struct guards *guards, lattice_touched_list *touched)
{
	struct lattice_order *order = guards->order;

	qsort(touched->items, touched->count, sizeof *touched->items, by_touch);
	for (size_t i = 0; i < touched->count; i++) {
		const struct lattice_touched *t = &touched->items[i];
		struct lattice_guards_lane *last =
			guards->lanes.count ? &guards->lanes.items[guards->lanes.count - 1] : NULL;
		bool fresh;
		uint64_t *at;

		if (!order->sets.items[t->set].opens)
			continue;
		at = map_put(&guards->objects, t->object, &fresh);
		if (fresh) {
			*at = guards->list.count;
			*vec_push(&guards->list) =
				(struct lattice_guards_object){ .lane = guards->lanes.count };
		}
		guards->list.items[*at].shares |= order->sets.items[t->set].shared;
		if (fresh || last->column != t->column) {
			*vec_push(&guards->lanes) = (struct lattice_guards_lane){
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

/* Marks where sets of the lane are open, if it alone decides that and there is not too much to mark. */
static void mark_lane(struct lattice_order *order, struct lattice_guards_lane *lane)
{
	const struct lattice_touch *touches = &order->touches.items[lane->touch];
	uint32_t from = touches[0].position;
	uint32_t top = touches[lane->count - 1].position + 1 - from;
	uint64_t *marks;

	if (top / 64 > lane->count)
		return;
	for (uint32_t i = 0; i < lane->count; i++) {
		if (order->sets.items[touches[i].set].span_count > 1)
			return;
	}
	lane->marked = true;
	lane->from = from;
	lane->top = top;
	lane->marks = order->marks.count;
	marks = vec_reserve(&order->marks, top / 64 + 1);
	memset(marks, 0, (top / 64 + 1) * sizeof *marks);
	order->marks.count += top / 64 + 1;
	for (uint32_t i = 0; i < lane->count; i++) {
		const struct lattice_set *set = &order->sets.items[touches[i].set];
		const struct lattice_span *span = &order->spans.items[set->span];
		uint32_t end = set->closes ? span->last - from : top;

		if (touches[i].position != span->first)
			continue;
		for (uint32_t at = span->first - from + 1; at <= end; at++)
			marks[at / 64] |= 1ull << at % 64;
	}
}

/* The first touch of the lane at `position` or behind it. */
static uint32_t touch_at(const struct lattice_order *order, const struct lattice_guards_lane *lane,
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

/* Events of `other` that come before the event, which is the one at `position` of `column`. */
static uint32_t count_before(const struct lattice_order *order, const struct lattice_event *event,
			     uint32_t column, uint32_t position, uint32_t other)
{
	return other == column ? position : lattice_order_need(order, event, other);
}

/* All of the set comes before the event. */
static bool comes_before(const struct lattice_order *order, const struct lattice_set *set,
			 const struct lattice_event *event, uint32_t column, uint32_t position)
{
	if (!set->closes)
		return false;
	for (uint32_t i = 0; i < set->span_count; i++) {
		const struct lattice_span *span = &order->spans.items[set->span + i];

		if (span->last >= count_before(order, event, column, position, span->column))
			return false;
	}
	return true;
}

static void guard_lane(struct guards *guards, const struct lattice_guards_object *object,
		       struct lattice_guards_lane *lane, struct lattice_event *event,
		       uint32_t column, uint32_t position, bool shared)
{
	struct lattice_order *order = guards->order;
	const struct lattice_touch *touches = order->touches.items;
	bool own = lane->column == column;
	uint32_t floor = count_before(order, event, column, position, lane->column);
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

		matters = !(shared && set->shared) &&
			  !lattice_is_member(order, event, touches[i].set) &&
			  !comes_before(order, set, event, column, position);
	}
	if (matters)
		*vec_push(&order->guards) = (struct lattice_guard){ .column = lane->column,
								    .touch = start,
								    .count = after - start,
								    .shared = shared,
								    .every = object->shares,
								    .marked = lane->marked,
								    .from = lane->from,
								    .top = lane->top,
								    .marks = lane->marks };
}

/*
 * Does another member of the set come before the event? Then the set is open when the event's turn
 * comes, which keeps all rivals out already: nothing is to be asked.
 */
static bool has_begun(const struct lattice_order *order, const struct lattice_set *set,
		      const struct lattice_event *event, uint32_t column, uint32_t position)
{
	for (uint32_t i = 0; i < set->span_count; i++) {
		const struct lattice_span *span = &order->spans.items[set->span + i];

		if (span->first < count_before(order, event, column, position, span->column))
			return true;
	}
	return false;
}

static void guard_event(struct guards *guards, struct lattice_event *event, uint32_t column,
			uint32_t position)
{
	struct lattice_order *order = guards->order;

	event->guard = order->guards.count;
	for (uint32_t i = 0; i < event->member_count; i++) {
		uint32_t number = order->members.items[event->member + i];
		uint32_t name = order->sets.items[number].object;
		bool shared = true, again = false; /* nothing is to be asked (any more) */
		uint64_t *at = map_get(&guards->objects, name);

		for (uint32_t j = 0; j < event->member_count; j++) {
			const struct lattice_set *set =
				&order->sets.items[order->members.items[event->member + j]];

			if (set->object == name) {
				again |= j < i || has_begun(order, set, event, column, position);
				shared &= set->shared;
			}
		}
		if (again || !at)
			continue;
		for (size_t l = 0; l < guards->list.items[*at].lane_count; l++) {
			const struct lattice_guards_object *object = &guards->list.items[*at];

			guard_lane(guards, object, &guards->lanes.items[object->lane + l], event,
				   column, position, shared);
		}
	}
	event->guard_count = order->guards.count - event->guard;
	order->columns[column].guarded |= event->guard_count > 0;
}

void lattice_find_guards(struct lattice_order *order, lattice_touched_list *touched)
{
	struct guards guards = { .order = order };

	find_lanes(&guards, touched);
	for (size_t i = 0; i < guards.list.count; i++) {
		const struct lattice_guards_object *object = &guards.list.items[i];

		for (size_t l = 0; l < object->lane_count && !object->shares; l++)
			mark_lane(order, &guards.lanes.items[object->lane + l]);
	}
	for (uint32_t c = 0; c < order->column_count; c++) {
		for (uint32_t p = 0; p < order->columns[c].count; p++)
			guard_event(&guards, &order->columns[c].events[p], c, p);
	}
	map_free(&guards.objects);
	vec_free(&guards.list);
	vec_free(&guards.lanes);
}

/*
 * Finds the guards of events (lattice_order.h): for each event and each column, the slice of that
 * column's touches of the same object that may have opened an atomic set which excludes the event.
 * Only guards that can ever exclude the event are kept.
 */
#include "monitor/lattice/lattice_order.h"

#include "base/map.h"
#include "base/sort.h"

#include <string.h>

/* The touches of an object by one column. */
struct touch_group {
	uint32_t column, touch, count;
	/*
	 * For objects with shared sets. `reader` is the column whose events are being guarded. Sets
	 * with a touch before `start` lie completely before the current event of that column, and
	 * so before its later events.
	 */
	uint32_t reader, start;
	bool marked;
	uint32_t from, top;
	size_t marks;
};
struct guarded_object {
	size_t group, group_count;
	bool shares;
};
struct guard_search {
	struct lattice_order *order;
	struct map objects; /* object to index in `list` */
	VEC(struct guarded_object) list;
	VEC(struct touch_group) groups;
	/* the event whose guards are searched */
	struct lattice_event *event;
	uint32_t column, position;
};

SORT_COMPARISON(by_object, struct lattice_membership, a, b,
		sort_order(a->object, b->object) ?: sort_order(a->column, b->column)
			?: sort_order(a->position, b->position) ?: sort_order(a->set, b->set))

/*
 * Groups the touches by object and column. Sets that are never open exclude nothing, so their
 * touches are left out.
 */
static void group_touches(struct guard_search *search, lattice_memberships *memberships)
{
	struct lattice_order *order = search->order;

	vec_sort(memberships, by_object);
	for (size_t i = 0; i < memberships->count; i++) {
		const struct lattice_membership *t = &memberships->items[i];
		struct touch_group *last = search->groups.count
						   ? &search->groups.items[search->groups.count - 1]
						   : NULL;
		bool fresh;
		uint64_t *at;

		if (!order->sets.items[t->set].opens)
			continue;
		at = map_put(&search->objects, t->object, &fresh);
		if (fresh) {
			*at = search->list.count;
			*vec_push(&search->list) =
				(struct guarded_object){ .group = search->groups.count };
		}
		search->list.items[*at].shares |= order->sets.items[t->set].shared;
		if (fresh || last->column != t->column) {
			*vec_push(&search->groups) = (struct touch_group){
				.column = t->column,
				.touch = order->touches.count,
				.reader = UINT32_MAX,
			};
			last = &search->groups.items[search->groups.count - 1];
			search->list.items[*at].group_count++;
		}
		last->count++;
		*vec_push(&order->touches) = (struct lattice_touch){ t->position, t->set };
	}
}

/*
 * Marks for which counts of the column a set of the group is open. Does nothing if this depends on
 * other columns, or if the bitmap would be too large.
 */
static void mark_open_counts(struct lattice_order *order, struct touch_group *group)
{
	const struct lattice_touch *touches = &order->touches.items[group->touch];
	uint32_t from = touches[0].position;
	uint32_t top = touches[group->count - 1].position + 1 - from;
	uint64_t *marks;

	if (top / 64 > group->count)
		return;
	for (uint32_t i = 0; i < group->count; i++) {
		if (order->sets.items[touches[i].set].span_count > 1)
			return;
	}
	group->marked = true;
	group->from = from;
	group->top = top;
	group->marks = order->marks.count;
	marks = vec_reserve(&order->marks, top / 64 + 1);
	memset(marks, 0, (top / 64 + 1) * sizeof *marks);
	order->marks.count += top / 64 + 1;
	for (uint32_t i = 0; i < group->count; i++) {
		const struct lattice_set *set = &order->sets.items[touches[i].set];
		const struct lattice_span *span = &order->spans.items[set->span];
		uint32_t end = set->closes ? span->last - from : top;

		if (touches[i].position != span->first)
			continue;
		for (uint32_t at = span->first - from + 1; at <= end; at++)
			marks[at / 64] |= 1ull << at % 64;
	}
}

/* Returns the group's first touch at `position` or after it. */
static uint32_t first_touch_at(const struct lattice_order *order, const struct touch_group *group,
			       uint32_t position)
{
	const struct lattice_touch *touches = &order->touches.items[group->touch];
	uint32_t at;

	SEARCH_FIRST(at, group->count, touches[at].position >= position);
	return group->touch + at;
}

/*
 * Returns the first event of `other` that must come after the event. It is found by binary search,
 * because needs grow along a column.
 */
static uint32_t first_event_after(const struct guard_search *s, uint32_t other)
{
	const struct lattice_column *in = &s->order->columns[other];
	uint32_t at;

	SEARCH_FIRST(at, in->count,
		     lattice_order_need(s->order, &in->events[at], s->column) > s->position);
	return at;
}

/* Returns how many events of `other` come before the event. */
static uint32_t count_before(const struct guard_search *s, uint32_t other)
{
	return other == s->column ? s->position : lattice_order_need(s->order, s->event, other);
}

/* Does the whole set come before the event? */
static bool set_comes_before(const struct guard_search *s, const struct lattice_set *set)
{
	if (!set->closes)
		return false;
	for (uint32_t i = 0; i < set->span_count; i++) {
		const struct lattice_span *span = &s->order->spans.items[set->span + i];

		if (span->last >= count_before(s, span->column))
			return false;
	}
	return true;
}

static void add_guard_of_group(struct guard_search *s, const struct guarded_object *object,
			       struct touch_group *group, bool shared)
{
	struct lattice_order *order = s->order;
	const struct lattice_touch *touches = order->touches.items;
	uint32_t after = first_touch_at(order, group, count_before(s, group->column));
	uint32_t start = after;
	bool matters = false;

	if (object->shares) {
		if (group->reader != s->column) {
			group->reader = s->column;
			group->start = group->touch;
		}
		while (group->start < after &&
		       set_comes_before(s, &order->sets.items[touches[group->start].set]))
			group->start++;
		start = group->start;
	} else if (start > group->touch) {
		start--;
		while (start > group->touch &&
		       touches[start - 1].position == touches[start].position)
			start--;
	}
	if (group->column != s->column && after < group->touch + group->count)
		after = first_touch_at(order, group, first_event_after(s, group->column));
	for (uint32_t i = start; i < after && !matters; i++) {
		const struct lattice_set *set = &order->sets.items[touches[i].set];

		matters = !(shared && set->shared) &&
			  !lattice_is_member(order, s->event, touches[i].set) &&
			  !set_comes_before(s, set);
	}
	if (matters)
		*vec_push(&order->guards) = (struct lattice_guard){ .column = group->column,
								    .touch = start,
								    .count = after - start,
								    .shared = shared,
								    .every = object->shares,
								    .marked = group->marked,
								    .from = group->from,
								    .top = group->top,
								    .marks = group->marks };
}

/*
 * Does another member of the set come before the event? Then the set is already open when the event
 * can come next, and excludes all other sets, so no guard is needed.
 */
static bool set_has_begun(const struct guard_search *s, const struct lattice_set *set)
{
	for (uint32_t i = 0; i < set->span_count; i++) {
		const struct lattice_span *span = &s->order->spans.items[set->span + i];

		if (span->first < count_before(s, span->column))
			return true;
	}
	return false;
}

static void guard_event(struct guard_search *s)
{
	struct lattice_order *order = s->order;
	struct lattice_event *event = s->event;

	event->guard = order->guards.count;
	for (uint32_t i = 0; i < event->member_count; i++) {
		uint32_t number = order->members.items[event->member + i];
		uint32_t name = order->sets.items[number].object;
		bool shared = true, again = false; /* again: no guard is needed */
		uint64_t *at = map_get(&s->objects, name);

		for (uint32_t j = 0; j < event->member_count; j++) {
			const struct lattice_set *set =
				&order->sets.items[order->members.items[event->member + j]];

			if (set->object == name) {
				again |= j < i || set_has_begun(s, set);
				shared &= set->shared;
			}
		}
		if (again || !at)
			continue;
		for (size_t l = 0; l < s->list.items[*at].group_count; l++) {
			const struct guarded_object *object = &s->list.items[*at];

			add_guard_of_group(s, object, &s->groups.items[object->group + l], shared);
		}
	}
	event->guard_count = order->guards.count - event->guard;
	order->columns[s->column].guarded |= event->guard_count > 0;
}

void lattice_find_guards(struct lattice_order *order, lattice_memberships *memberships)
{
	struct guard_search search = { .order = order };

	group_touches(&search, memberships);
	for (size_t i = 0; i < search.list.count; i++) {
		const struct guarded_object *object = &search.list.items[i];

		for (size_t l = 0; l < object->group_count && !object->shares; l++)
			mark_open_counts(order, &search.groups.items[object->group + l]);
	}
	for (uint32_t c = 0; c < order->column_count; c++) {
		for (uint32_t p = 0; p < order->columns[c].count; p++) {
			search.event = &order->columns[c].events[p];
			search.column = c;
			search.position = p;
			guard_event(&search);
		}
	}
	map_free(&search.objects);
	vec_free(&search.list);
	vec_free(&search.groups);
}

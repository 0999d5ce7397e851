/*
 * Sorts the messages of a computation into columns, checks that they are consistent, and builds the
 * atomic sets (lattice_order.h).
 */
#include "monitor/lattice/lattice_order.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <string.h>

/* ---- columns and needs ----------------------------------------------------------------------- */

SORT_COMPARISON(by_column_and_position, struct lattice_fed, a, b,
		sort_order(a->column, b->column) ?: sort_order(a->position, b->position))
SORT_COMPARISON(by_column, struct message_need, a, b, sort_order(a->column, b->column))

/* Checks that every column has its events from 0 on, each once. */
static bool check_positions(const struct lattice_feed *feed, struct err *err)
{
	for (size_t i = 0; i < feed->messages.count; i++) {
		const struct lattice_fed *m = &feed->messages.items[i];
		bool same = i && m[-1].column == m->column;
		uint32_t want = same ? m[-1].position + 1 : 0;

		if (same && m[-1].position == m->position)
			return err_set(err, "column %u: event %u occurs twice", m->column,
				       m->position);
		if (m->position != want)
			return err_set(err, "column %u: event %u is missing", m->column, want);
	}
	return true;
}

static void make_columns(struct lattice_order *order, const struct lattice_feed *feed)
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

static bool copy_needs(struct lattice_order *order, const struct lattice_feed *feed,
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
	sort_items(&order->needs.items[event->need], event->need_count, sizeof(struct message_need),
		   by_column);
	return true;
}

uint32_t lattice_order_need(const struct lattice_order *order, const struct lattice_event *event,
			    uint32_t column)
{
	const struct message_need *needs = &order->needs.items[event->need];
	uint32_t at;

	SEARCH_FIRST(at, event->need_count, needs[at].column >= column);
	return at < event->need_count && needs[at].column == column ? needs[at].count : 0;
}

/* ---- atomic sets ----------------------------------------------------------------------------- */

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

static bool add_members(struct lattice_order *order, const struct lattice_feed *feed,
			const struct lattice_fed *m, struct lattice_event *event, struct map *index,
			lattice_memberships *memberships, struct err *err)
{
	event->member = order->members.count;
	for (size_t i = 0; i < m->member_count; i++) {
		const struct message_member *member = &feed->members.items[m->member + i];
		uint32_t number = find_set(order, index, member);
		struct lattice_set *set = &order->sets.items[number];

		if (set->lock != member->lock || set->shared != member->shared)
			return err_set(err,
				       "event %u of column %u: set %u of object %u has "
				       "another kind in another event",
				       m->position, m->column, member->set, member->object);
		if (member->role == MESSAGE_CLOSES || member->role == MESSAGE_PASSES)
			set->closes = true;
		*vec_push(&order->members) = number;
		*vec_push(memberships) = (struct lattice_membership){ member->object, m->column,
								      m->position, number };
	}
	event->member_count = order->members.count - event->member;
	return true;
}

SORT_COMPARISON(by_set, struct lattice_membership, a, b,
		sort_order(a->set, b->set) ?: sort_order(a->column, b->column)
			?: sort_order(a->position, b->position))

static void find_spans(struct lattice_order *order, lattice_memberships *memberships)
{
	vec_sort(memberships, by_set);
	for (size_t i = 0; i < memberships->count; i++) {
		const struct lattice_membership *t = &memberships->items[i];
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

/* ---- building -------------------------------------------------------------------------------- */

bool lattice_order_build(struct lattice_order *order, struct lattice_feed *feed, struct err *err)
{
	lattice_memberships memberships = { 0 };
	struct map index = { 0 };
	bool good;

	*order = (struct lattice_order){ 0 };
	vec_sort(&feed->messages, by_column_and_position);
	good = check_positions(feed, err);
	if (good)
		make_columns(order, feed);
	for (size_t i = 0; good && i < feed->messages.count; i++) {
		const struct lattice_fed *m = &feed->messages.items[i];

		order->events[i].label = m->label;
		good = copy_needs(order, feed, m, &order->events[i], err) &&
		       add_members(order, feed, m, &order->events[i], &index, &memberships, err);
	}
	if (good && memberships.count) {
		find_spans(order, &memberships);
		lattice_find_guards(order, &memberships);
	}
	map_free(&index);
	vec_free(&memberships);
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
	vec_free(&order->marks);
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
			    !lattice_is_member(order, event, touch->set) &&
			    is_open(order, set, cut))
				return false;
		}
	}
	return true;
}

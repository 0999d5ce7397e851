/*
 * The stack of transitions. A push computes clocks and appends to histories; a cut undoes both.
 * `undo` lists the histories to which the transitions appended.
 */
#include "explore/search/dpor_path.h"

#include "event/event.h"

#include <assert.h>
#include <string.h>

/* ---- clocks ---------------------------------------------------------------------------------- */

static void widen_clock(dpor_path_clock *clock, size_t count)
{
	size_t more = count > clock->count ? count - clock->count : 0;

	if (!more)
		return;
	memset(vec_reserve(clock, more), 0, more * sizeof *clock->items);
	clock->count = count;
}

void dpor_path_join(dpor_path_clock *clock, const dpor_path_clock *other)
{
	widen_clock(clock, other->count);
	for (size_t i = 0; i < other->count; i++)
		if (clock->items[i] < other->items[i])
			clock->items[i] = other->items[i];
}

static void raise_clock(dpor_path_clock *clock, uint32_t thread, uint32_t value)
{
	widen_clock(clock, thread + 1);
	if (clock->items[thread] < value)
		clock->items[thread] = value;
}

static void copy_clock(dpor_path_clock *to, const dpor_path_clock *from)
{
	to->count = 0;
	if (from->count)
		memcpy(vec_reserve(to, from->count), from->items,
		       from->count * sizeof *from->items);
	to->count = from->count;
}

/* ---- numbers per thread ---------------------------------------------------------------------- */

uint32_t dpor_path_get(const uint32_t *items, size_t count, uint32_t thread, uint32_t none)
{
	return thread < count ? items[thread] : none;
}

/* If the caller has lowered path->depth to look at the state before the top, the top is skipped. */
uint32_t dpor_path_last_of(const struct dpor_path *path, uint32_t thread)
{
	uint32_t last = dpor_path_get(path->last.items, path->last.count, thread, DPOR_PATH_NONE);

	return last != DPOR_PATH_NONE && last >= path->depth ? path->nodes.items[last].previous
							     : last;
}

#define PUT_FOR_THREAD(vec, thread, value, none)                                                   \
	do {                                                                                       \
		while ((vec)->count <= (thread))                                                   \
			*vec_push(vec) = (none);                                                   \
		(vec)->items[thread] = (value);                                                    \
	} while (0)

/* ---- the stack ------------------------------------------------------------------------------- */

void dpor_path_free(struct dpor_path *path)
{
	for (size_t i = 0; i < path->nodes.count; i++) {
		vec_free(&path->nodes.items[i].before);
		vec_free(&path->nodes.items[i].clock);
	}
	for (size_t i = 0; i < path->histories.count; i++)
		vec_free(&path->histories.items[i]);
	vec_free(&path->events);
	vec_free(&path->nodes);
	vec_free(&path->histories);
	vec_free(&path->undo);
	vec_free(&path->locals);
	vec_free(&path->last);
	vec_free(&path->created);
	vec_free(&path->ended);
	vec_free(&path->scratch);
	map_free(&path->objects);
	op_uses_free_blocks(&path->blocks);
}

static void forget_threads(struct dpor_path *path, const struct dpor_path_node *node)
{
	for (uint32_t i = node->first; i < node->first + node->count; i++) {
		const struct control_event *event = &path->events.items[i];
		if (event->kind == EV_CREATE)
			PUT_FOR_THREAD(&path->created, (uint32_t)event->address, DPOR_PATH_NONE,
				       DPOR_PATH_NONE);
		if (event->kind == EV_END)
			PUT_FOR_THREAD(&path->ended, event->thread, DPOR_PATH_NONE, DPOR_PATH_NONE);
	}
}

void dpor_path_cut(struct dpor_path *path, uint32_t depth)
{
	assert(depth <= path->depth);
	while (path->depth > depth) {
		struct dpor_path_node *node = &path->nodes.items[--path->depth];
		while (path->undo.count > node->touches)
			path->histories.items[path->undo.items[--path->undo.count]].count--;
		forget_threads(path, node);
		path->locals.items[node->thread] = node->local;
		path->last.items[node->thread] = node->previous;
		path->events.count = node->first;
	}
}

static void join_before(struct dpor_path *path, struct dpor_path_node *node, uint32_t by)
{
	if (by != DPOR_PATH_NONE)
		dpor_path_join(&node->before, &path->nodes.items[by].clock);
}

/* Computes the clock from the order that cannot be reversed: program order, creation, joins. */
static void order_node(struct dpor_path *path, struct dpor_path_node *node)
{
	node->before.count = 0;
	if (node->previous != DPOR_PATH_NONE)
		copy_clock(&node->before, &path->nodes.items[node->previous].clock);
	else
		join_before(path, node,
			    dpor_path_get(path->created.items, path->created.count, node->thread,
					  DPOR_PATH_NONE));
	for (uint32_t i = node->first; i < node->first + node->count; i++) {
		const struct control_event *event = &path->events.items[i];
		if (event->kind == EV_JOIN)
			join_before(path, node,
				    dpor_path_get(path->ended.items, path->ended.count,
						  (uint32_t)event->address, DPOR_PATH_NONE));
	}
	copy_clock(&node->clock, &node->before);
	raise_clock(&node->clock, node->thread, node->local + 1);
}

struct dpor_path_node *dpor_path_push(struct dpor_path *path, const struct control_event *events,
				      size_t count, size_t *at)
{
	struct dpor_path_node *node;
	uint32_t thread = events[*at].thread;

	if (path->depth == path->nodes.count)
		*vec_push(&path->nodes) = (struct dpor_path_node){ 0 };
	node = &path->nodes.items[path->depth];
	node->thread = thread;
	node->local = dpor_path_get(path->locals.items, path->locals.count, thread, 0);
	node->first = (uint32_t)path->events.count;
	node->touches = (uint32_t)path->undo.count;
	node->previous = dpor_path_get(path->last.items, path->last.count, thread, DPOR_PATH_NONE);
	do
		*vec_push(&path->events) = events[(*at)++];
	while (*at < count && events[*at].thread == thread &&
	       (events[*at].flags & CONTROL_EVENT_NO_CHOICE));
	node->count = (uint32_t)path->events.count - node->first;
	order_node(path, node);
	PUT_FOR_THREAD(&path->locals, thread, node->local + 1, 0);
	PUT_FOR_THREAD(&path->last, thread, path->depth, DPOR_PATH_NONE);
	path->depth++;
	return node;
}

const dpor_path_history *dpor_path_history_of(const struct dpor_path *path, uint64_t key)
{
	const uint64_t *at = map_get(&path->objects, key);

	return at ? &path->histories.items[*at] : NULL;
}

static void append_touch(struct dpor_path *path, uint32_t node, uint32_t event,
			 const struct use *use)
{
	bool fresh;
	uint64_t *at = map_put(&path->objects, use->key, &fresh);
	const struct dpor_path_touch *last;
	uint32_t alone = DPOR_PATH_NONE;
	dpor_path_history *history;

	if (fresh) {
		*at = path->histories.count;
		*vec_push(&path->histories) = (dpor_path_history){ 0 };
	}
	history = &path->histories.items[*at];
	if (history->count) {
		last = &history->items[history->count - 1];
		alone = last->mode == USE_ALONE ? (uint32_t)history->count - 1 : last->alone;
	}
	*vec_push(history) = (struct dpor_path_touch){ node, event, alone, use->mode, use->mask };
	*vec_push(&path->undo) = (uint32_t)*at;
}

void dpor_path_touch_top(struct dpor_path *path)
{
	uint32_t top = path->depth - 1;
	const struct dpor_path_node *node = &path->nodes.items[top];

	for (uint32_t i = node->first; i < node->first + node->count; i++) {
		const struct control_event *event = &path->events.items[i];
		path->scratch.count = 0;
		op_uses_of(&path->blocks, event, false, &path->scratch);
		for (size_t u = 0; u < path->scratch.count; u++)
			append_touch(path, top, i, &path->scratch.items[u]);
		if (event->kind == EV_CREATE)
			PUT_FOR_THREAD(&path->created, (uint32_t)event->address, top,
				       DPOR_PATH_NONE);
		if (event->kind == EV_END)
			PUT_FOR_THREAD(&path->ended, event->thread, top, DPOR_PATH_NONE);
	}
}

/*
 * Recognises rounds of a waiting loop: compares the last transitions of a thread with the
 * transitions one round earlier, for each possible length of a round.
 */
#include "explore/search/spin_loops.h"

#include "event/event.h"

#define LONGEST 8 /* most transitions in a round */

/*
 * Does the event leave nothing changed for other threads after a round? An acquire does change its
 * lock, but the round releases the lock again.
 */
static bool is_idle(const struct control_event *event)
{
	switch (event->kind) {
	case EV_READ:
	case EV_ATOMIC_READ:
	case EV_ACQUIRE:
	case EV_RELEASE:
	case EV_ACQUIRE_FAIL:
	case EV_READ_ACQUIRE:
	case EV_READ_RELEASE:
	case EV_READ_FAIL:
	case EV_DOWN_FAIL: return true;
	default: return false;
	}
}

static bool same_site_and_address(const struct control_event *a, const struct control_event *b)
{
	return a->site == b->site && a->address == b->address;
}

static bool are_same_transition(const struct dpor_path *path, uint32_t a, uint32_t b)
{
	const struct dpor_path_node *x = &path->nodes.items[a], *y = &path->nodes.items[b];
	const struct control_event *one = &path->events.items[x->first];
	const struct control_event *other = &path->events.items[y->first];

	return x->count == 1 && y->count == 1 && one->kind == other->kind && is_idle(one) &&
	       same_site_and_address(one, other) && one->size == other->size &&
	       one->other == other->other;
}

static uint32_t nth_previous(const struct dpor_path *path, uint32_t node, unsigned steps)
{
	while (steps-- && node != DPOR_PATH_NONE)
		node = path->nodes.items[node].previous;
	return node;
}

/*
 * Are the last SPIN_LOOPS_ROUNDS rounds of `length` transitions, which end with `node`, all the
 * same?
 */
static bool has_rounds(const struct dpor_path *path, uint32_t node, unsigned length)
{
	uint32_t before = nth_previous(path, node, length);

	for (unsigned i = 0; i < length * (SPIN_LOOPS_ROUNDS - 1); i++) {
		if (node == DPOR_PATH_NONE || before == DPOR_PATH_NONE ||
		    !are_same_transition(path, node, before))
			return false;
		node = path->nodes.items[node].previous;
		before = path->nodes.items[before].previous;
	}
	return true;
}

bool spin_loops_is_round(const struct dpor_path *path, uint32_t last,
			 const struct control_event *operation)
{
	if (last == DPOR_PATH_NONE || !is_idle(&path->events.items[path->nodes.items[last].first]))
		return false;
	for (unsigned length = 1; length <= LONGEST; length++) {
		uint32_t like = nth_previous(path, last, length - 1);
		if (like == DPOR_PATH_NONE)
			return false;
		if (same_site_and_address(operation,
					  &path->events.items[path->nodes.items[like].first]) &&
		    has_rounds(path, last, length))
			return true;
	}
	return false;
}

uint32_t spin_loops_first(const struct dpor_path *path, uint32_t node)
{
	unsigned length = 1;

	if (!is_idle(&path->events.items[path->nodes.items[node].first]))
		return node;
	while (length <= LONGEST && !has_rounds(path, node, length))
		length++;
	if (length > LONGEST)
		return node;
	for (;;) {
		uint32_t before = nth_previous(path, node, length);
		if (before == DPOR_PATH_NONE || !are_same_transition(path, node, before) ||
		    !has_rounds(path, before, length))
			return node;
		node = before;
	}
}

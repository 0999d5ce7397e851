/*
 * Decides whether an operation could have happened without some earlier operations. Replays the
 * history of its object, without the removed nodes, on a small model of a lock, condition,
 * semaphore, barrier or once.
 */
#include "explore/search/op_enabled.h"

#include "event/event.h"

/* ---- the remaining history ------------------------------------------------------------------- */

static bool is_removed(const struct dpor_path *path, uint32_t node, uint32_t without)
{
	return without != DPOR_PATH_NONE && node >= without &&
	       dpor_path_covers(&path->nodes.items[node].clock, &path->nodes.items[without]);
}

/* Returns the next event of the history whose node is not removed, or NULL. */
static const struct control_event *next_event(const struct dpor_path *path,
					      const dpor_path_history *history, uint32_t without,
					      size_t *at)
{
	while (history && *at < history->count) {
		const struct dpor_path_touch *touch = &history->items[(*at)++];
		if (!is_removed(path, touch->node, without))
			return &path->events.items[touch->event];
	}
	return NULL;
}

/* ---- locks ----------------------------------------------------------------------------------- */

struct lock_state {
	uint32_t writer, depth, readers;
	uint32_t own_reads; /* read locks that the asking thread holds */
};

static void replay_lock(struct lock_state *lock, const struct control_event *event, uint32_t asking)
{
	switch (event->kind) {
	case EV_ACQUIRE:
	case EV_WOKEN:
		lock->depth = lock->writer == event->thread ? lock->depth + 1 : 1;
		lock->writer = event->thread;
		break;
	case EV_RELEASE:
		if (lock->depth && --lock->depth == 0)
			lock->writer = DPOR_PATH_NONE;
		break;
	case EV_WAIT:
		lock->writer = DPOR_PATH_NONE;
		lock->depth = 0;
		break;
	case EV_READ_ACQUIRE:
		lock->readers++;
		lock->own_reads += event->thread == asking;
		break;
	case EV_READ_RELEASE:
		lock->readers -= lock->readers > 0;
		lock->own_reads -= event->thread == asking && lock->own_reads > 0;
		break;
	default: break;
	}
}

static bool can_lock(const struct dpor_path *path, uint64_t lock_address, uint32_t asking,
		     bool reads, uint32_t without)
{
	const dpor_path_history *history = dpor_path_history_of(path, USE_SYNC | lock_address);
	struct lock_state lock = { .writer = DPOR_PATH_NONE };
	const struct control_event *event;
	size_t at = 0;

	while ((event = next_event(path, history, without, &at)))
		replay_lock(&lock, event, asking);
	if (reads)
		return lock.writer == DPOR_PATH_NONE;
	return (lock.writer == DPOR_PATH_NONE && lock.readers == 0) || lock.writer == asking;
}

/* ---- conditions ------------------------------------------------------------------------------ */

struct condition_entry {
	uint32_t thread;
	uint32_t since;
};
/* Waiters and tokens, each with the time at which it came, oldest first. */
struct condition_state {
	VEC(struct condition_entry) waiters, tokens;
};

static void remove_entry(struct condition_entry *items, size_t *count, size_t at)
{
	for (size_t i = at + 1; i < *count; i++)
		items[i - 1] = items[i];
	--*count;
}

static size_t find_waiter(const struct condition_state *condition, uint32_t thread)
{
	size_t i = 0;

	while (i < condition->waiters.count && condition->waiters.items[i].thread != thread)
		i++;
	return i;
}

static size_t find_token(const struct condition_state *condition, uint32_t since)
{
	size_t i = 0;

	while (i < condition->tokens.count && condition->tokens.items[i].since <= since)
		i++;
	return i;
}

static void wake_waiter(struct condition_state *condition, const struct control_event *event)
{
	size_t waiter = find_waiter(condition, event->thread), token;

	if (waiter == condition->waiters.count)
		return;
	if (!(event->flags & (CONTROL_EVENT_TIMED_OUT | CONTROL_EVENT_SPURIOUS))) {
		token = find_token(condition, condition->waiters.items[waiter].since);
		if (token < condition->tokens.count)
			remove_entry(condition->tokens.items, &condition->tokens.count, token);
	}
	remove_entry(condition->waiters.items, &condition->waiters.count, waiter);
	while (condition->tokens.count > condition->waiters.count)
		remove_entry(condition->tokens.items, &condition->tokens.count, 0);
}

static void replay_condition(struct condition_state *condition, const struct control_event *event,
			     uint32_t now)
{
	switch (event->kind) {
	case EV_WAIT:
		*vec_push(&condition->waiters) = (struct condition_entry){ event->thread, now };
		break;
	case EV_SIGNAL:
		if (condition->waiters.count > condition->tokens.count)
			*vec_push(&condition->tokens) = (struct condition_entry){ 0, now };
		break;
	case EV_BROADCAST:
		while (condition->waiters.count > condition->tokens.count)
			*vec_push(&condition->tokens) = (struct condition_entry){ 0, now };
		break;
	case EV_WOKEN: wake_waiter(condition, event); break;
	default: break;
	}
}

static bool can_wake(const struct dpor_path *path, const struct control_event *operation,
		     uint32_t without)
{
	const dpor_path_history *history =
		dpor_path_history_of(path, USE_SYNC | operation->address);
	struct condition_state condition = { 0 };
	const struct control_event *event;
	size_t at = 0, waiter;
	bool can = false;

	while ((event = next_event(path, history, without, &at)))
		replay_condition(&condition, event, (uint32_t)at);
	waiter = find_waiter(&condition, operation->thread);
	if (waiter < condition.waiters.count)
		can = find_token(&condition, condition.waiters.items[waiter].since) <
		      condition.tokens.count;
	vec_free(&condition.waiters);
	vec_free(&condition.tokens);
	return can;
}

/* ---- semaphores, barriers, once -------------------------------------------------------------- */

/*
 * If no initialisation of the semaphore was seen, its initial count is taken to be the smallest
 * that the whole history needs.
 */
static bool can_down(const struct dpor_path *path, const struct control_event *operation,
		     uint32_t without)
{
	const dpor_path_history *history =
		dpor_path_history_of(path, USE_SYNC | operation->address);
	const struct control_event *event;
	int64_t count = 0, lowest = 0;
	bool known = false;
	size_t at = 0;

	while ((event = next_event(path, history, DPOR_PATH_NONE, &at))) {
		known |= event->kind == EV_SEM_INIT;
		count += (event->kind == EV_POST) - (event->kind == EV_DOWN);
		lowest = count < lowest ? count : lowest;
	}
	count = known ? 0 : -lowest;
	at = 0;
	while ((event = next_event(path, history, without, &at)))
		if (event->kind == EV_SEM_INIT)
			count = (int64_t)event->other;
		else
			count += (event->kind == EV_POST) - (event->kind == EV_DOWN);
	return count > 0;
}

/*
 * Could the thread pass the barrier? Arrivals form groups in their order, and a full group passes.
 * If the size of a group is not known, returns false.
 */
static bool can_pass(const struct dpor_path *path, const struct control_event *operation,
		     uint32_t without)
{
	const dpor_path_history *history =
		dpor_path_history_of(path, USE_SYNC | operation->address);
	const struct control_event *event;
	uint64_t arrived = 0, own = 0, meet = 0;
	size_t at = 0;

	while ((event = next_event(path, history, without, &at))) {
		if (event->kind == EV_BARRIER_INIT)
			meet = event->other;
		if (event->kind != EV_ARRIVE)
			continue;
		if (event->thread == operation->thread)
			own = arrived;
		arrived++;
	}
	return meet && arrived >= (own / meet + 1) * meet;
}

static bool can_once(const struct dpor_path *path, const struct control_event *operation,
		     uint32_t without)
{
	const dpor_path_history *history =
		dpor_path_history_of(path, USE_SYNC | operation->address);
	const struct control_event *event;
	bool running = false;
	size_t at = 0;

	while ((event = next_event(path, history, without, &at)))
		if (event->kind == EV_ONCE_BEGIN || event->kind == EV_ONCE_END)
			running = event->kind == EV_ONCE_BEGIN;
	return !running;
}

/* ---- all operations -------------------------------------------------------------------------- */

bool op_enabled_without(const struct dpor_path *path, const struct control_event *operation,
			uint32_t without)
{
	bool always = operation->flags & (CONTROL_EVENT_TRY | CONTROL_EVENT_TIMED);

	switch (operation->kind) {
	case EV_ACQUIRE:
		return always ||
		       can_lock(path, operation->address, operation->thread, false, without);
	case EV_READ_ACQUIRE:
		return always ||
		       can_lock(path, operation->address, operation->thread, true, without);
	case EV_WOKEN:
		return can_lock(path, operation->other, operation->thread, false, without) &&
		       (always || can_wake(path, operation, without));
	case EV_DOWN: return always || can_down(path, operation, without);
	case EV_PASS: return can_pass(path, operation, without);
	case EV_ONCE: return can_once(path, operation, without);
	default: return true;
	}
}

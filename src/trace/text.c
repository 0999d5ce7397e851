/* The tables of the text form: operations, memory orders, flags and kinds of misuse. */
#include "trace/text.h"

#include <string.h>

const struct text_row text_rows[] = {
	{ "r", EV_READ, TEXT_ACCESS, TEXT_MEMORY, 0, NULL },
	{ "w", EV_WRITE, TEXT_ACCESS, TEXT_MEMORY, 0, NULL },
	{ "ra", EV_ATOMIC_READ, TEXT_ATOMIC, TEXT_MEMORY, 0, NULL },
	{ "wa", EV_ATOMIC_WRITE, TEXT_ATOMIC, TEXT_MEMORY, 0, NULL },
	{ "u", EV_ATOMIC_UPDATE, TEXT_ATOMIC, TEXT_MEMORY, 0, NULL },
	{ "fence", EV_FENCE, TEXT_FENCE, TEXT_MEMORY, 0, NULL },
	{ "alloc", EV_ALLOC, TEXT_NUMBERED, TEXT_MEMORY, 0, NULL },
	{ "free", EV_FREE, TEXT_OBJECT, TEXT_MEMORY, 0, NULL },
	{ "call", EV_ENTER, TEXT_CALL, 0, 0, NULL },
	{ "ret", EV_EXIT, TEXT_CALL, 0, 0, NULL },
	{ "probe", EV_PROBE, TEXT_CALL, 0, 0, NULL },
	{ "point", EV_POINT, TEXT_CALL, 0, 0, NULL },
	{ "fork", EV_CREATE, TEXT_THREAD, 0, 0, NULL },
	{ "begin", EV_BEGIN, TEXT_BEGIN, 0, 0, NULL },
	{ "end", EV_END, TEXT_BARE, 0, 0, NULL },
	{ "join", EV_JOIN, TEXT_THREAD, 0, 0, NULL },
	{ "jreq", EV_JOIN_REQUEST, TEXT_THREAD, 0, 0, NULL },
	{ "sync", EV_SYNC, TEXT_BARE, 0, 0, NULL },
	{ "opaque", EV_OPAQUE, TEXT_OBJECT, TEXT_MEMORY, 0, NULL },
	{ "detach", EV_DETACH, TEXT_THREAD, 0, 0, NULL },
	{ "init", EV_LOCK_INIT, TEXT_MODE, TEXT_LOCK, EVENT_LOCK_NORMAL, "normal" },
	{ "init", EV_LOCK_INIT, TEXT_MODE, TEXT_LOCK, EVENT_LOCK_RECURSIVE, "recursive" },
	{ "init", EV_LOCK_INIT, TEXT_MODE, TEXT_LOCK, EVENT_LOCK_ERRORCHECK, "errorcheck" },
	{ "init", EV_LOCK_INIT, TEXT_MODE, TEXT_LOCK, EVENT_LOCK_RW, "rw" },
	{ "init", EV_LOCK_INIT, TEXT_MODE, TEXT_LOCK, EVENT_LOCK_ROBUST, "robust" },
	{ "destroy", EV_LOCK_DESTROY, TEXT_OBJECT, TEXT_LOCK, 0, NULL },
	{ "req", EV_REQUEST, TEXT_OBJECT, TEXT_LOCK, 0, NULL },
	{ "acq", EV_ACQUIRE, TEXT_MODE, TEXT_LOCK, EVENT_PLAIN, NULL },
	{ "tryacq", EV_ACQUIRE, TEXT_MODE, TEXT_LOCK, EVENT_TRY, "1" },
	{ "acq", EV_ACQUIRE, TEXT_MODE, TEXT_LOCK, EVENT_TIMED, "timed" },
	{ "rel", EV_RELEASE, TEXT_OBJECT, TEXT_LOCK, 0, NULL },
	{ "tryacq", EV_ACQUIRE_FAIL, TEXT_MODE, TEXT_LOCK, EVENT_TRY, "0" },
	{ "tryacq", EV_ACQUIRE_FAIL, TEXT_MODE, TEXT_LOCK, EVENT_TIMED, "timeout" },
	{ "rreq", EV_READ_REQUEST, TEXT_OBJECT, TEXT_LOCK, 0, NULL },
	{ "racq", EV_READ_ACQUIRE, TEXT_MODE, TEXT_LOCK, EVENT_PLAIN, NULL },
	{ "tryracq", EV_READ_ACQUIRE, TEXT_MODE, TEXT_LOCK, EVENT_TRY, "1" },
	{ "racq", EV_READ_ACQUIRE, TEXT_MODE, TEXT_LOCK, EVENT_TIMED, "timed" },
	{ "rrel", EV_READ_RELEASE, TEXT_OBJECT, TEXT_LOCK, 0, NULL },
	{ "tryracq", EV_READ_FAIL, TEXT_MODE, TEXT_LOCK, EVENT_TRY, "0" },
	{ "tryracq", EV_READ_FAIL, TEXT_MODE, TEXT_LOCK, EVENT_TIMED, "timeout" },
	{ "cinit", EV_COND_INIT, TEXT_OBJECT, TEXT_CONDITION, 0, NULL },
	{ "cdestroy", EV_COND_DESTROY, TEXT_OBJECT, TEXT_CONDITION, 0, NULL },
	{ "wait", EV_WAIT, TEXT_PAIR, TEXT_CONDITION, EVENT_PLAIN, NULL },
	{ "wait", EV_WAIT, TEXT_PAIR, TEXT_CONDITION, EVENT_TIMED, "timed" },
	{ "woken", EV_WOKEN, TEXT_PAIR, TEXT_CONDITION, 0, NULL },
	{ "woken", EV_WOKEN, TEXT_PAIR, TEXT_CONDITION, 1, "timeout" },
	{ "notify", EV_SIGNAL, TEXT_OBJECT, TEXT_CONDITION, 0, NULL },
	{ "notifyall", EV_BROADCAST, TEXT_OBJECT, TEXT_CONDITION, 0, NULL },
	{ "sinit", EV_SEM_INIT, TEXT_NUMBERED, TEXT_SEMAPHORE, 0, NULL },
	{ "sdestroy", EV_SEM_DESTROY, TEXT_OBJECT, TEXT_SEMAPHORE, 0, NULL },
	{ "post", EV_POST, TEXT_OBJECT, TEXT_SEMAPHORE, 0, NULL },
	{ "sreq", EV_DOWN_REQUEST, TEXT_OBJECT, TEXT_SEMAPHORE, 0, NULL },
	{ "down", EV_DOWN, TEXT_MODE, TEXT_SEMAPHORE, EVENT_PLAIN, NULL },
	{ "trydown", EV_DOWN, TEXT_MODE, TEXT_SEMAPHORE, EVENT_TRY, "1" },
	{ "down", EV_DOWN, TEXT_MODE, TEXT_SEMAPHORE, EVENT_TIMED, "timed" },
	{ "trydown", EV_DOWN_FAIL, TEXT_MODE, TEXT_SEMAPHORE, EVENT_TRY, "0" },
	{ "trydown", EV_DOWN_FAIL, TEXT_MODE, TEXT_SEMAPHORE, EVENT_TIMED, "timeout" },
	{ "binit", EV_BARRIER_INIT, TEXT_NUMBERED, TEXT_BARRIER, 0, NULL },
	{ "bdestroy", EV_BARRIER_DESTROY, TEXT_OBJECT, TEXT_BARRIER, 0, NULL },
	{ "barrier", EV_ARRIVE, TEXT_NUMBERED, TEXT_BARRIER, 0, NULL },
	{ "passed", EV_PASS, TEXT_MODE, TEXT_BARRIER, 0, NULL },
	{ "passed", EV_PASS, TEXT_MODE, TEXT_BARRIER, 1, "serial" },
	{ "oncebegin", EV_ONCE_BEGIN, TEXT_OBJECT, TEXT_ONCE, 0, NULL },
	{ "onceend", EV_ONCE_END, TEXT_OBJECT, TEXT_ONCE, 0, NULL },
	{ "once", EV_ONCE, TEXT_OBJECT, TEXT_ONCE, 0, NULL },
	{ "send", EV_SEND, TEXT_MODE, TEXT_CHANNEL, EVENT_CHANNEL_BYTES, NULL },
	{ "send", EV_SEND, TEXT_MODE, TEXT_CHANNEL, EVENT_CHANNEL_TOLD, "told" },
	{ "send", EV_SEND, TEXT_MODE, TEXT_CHANNEL, EVENT_CHANNEL_DEAF, "deaf" },
	{ "receive", EV_RECEIVE, TEXT_MODE, TEXT_CHANNEL, EVENT_CHANNEL_BYTES, NULL },
	{ "receive", EV_RECEIVE, TEXT_MODE, TEXT_CHANNEL, EVENT_CHANNEL_TOLD, "told" },
	{ "receive", EV_RECEIVE, TEXT_MODE, TEXT_CHANNEL, EVENT_CHANNEL_NOTHING, "nothing" },
	{ "map", EV_MAP, TEXT_NUMBERED, TEXT_MEMORY, 0, NULL },
	{ "unmap", EV_UNMAP, TEXT_NUMBERED, TEXT_MEMORY, 0, NULL },
	{ "fdopen", EV_FD_OPEN, TEXT_DESCRIPTOR, 0, 0, NULL },
	{ "fdclose", EV_FD_CLOSE, TEXT_DESCRIPTOR, 0, 0, NULL },
	{ "fduse", EV_FD_USE, TEXT_DESCRIPTOR, 0, 0, NULL },
	{ "misuse", EV_MISUSE, TEXT_MISUSE, TEXT_LOCK, 0, NULL },
	{ "handler", EV_HANDLER, TEXT_HANDLER, 0, 0, NULL },
	{ "handlerend", EV_HANDLER_END, TEXT_BARE, 0, 0, NULL },
};
const size_t text_row_count = sizeof text_rows / sizeof text_rows[0];

const struct text_row *text_find_row(enum event_kind kind, uint64_t mode)
{
	const struct text_row *first = NULL;

	for (size_t i = 0; i < text_row_count; i++) {
		const struct text_row *row = &text_rows[i];

		if (row->kind != kind)
			continue;
		if (!first)
			first = row;
		if ((row->shape != TEXT_MODE && row->shape != TEXT_PAIR) || row->mode == mode)
			return row;
	}
	return first; /* a mode without a row is written like the kind's first row */
}

static const char *const orders[] = { "relaxed", "consume", "acquire",
				      "release", "acq_rel", "seq_cst" };
static const char *const flags[TEXT_FLAGS] = { "volatile",    "bitfield", "inexact", "casfail",
					       "environment", "look",	  "ignored" };
static const char *const misuses[EVENT_MISUSES] = {
	[EVENT_MISUSE_NONE] = "none",
	[EVENT_MISUSE_NOT_HELD] = "notheld",
	[EVENT_MISUSE_DESTROY_IN_USE] = "destroyinuse",
	[EVENT_MISUSE_DESTROYED] = "destroyed",
	[EVENT_MISUSE_NOT_INIT] = "notinit",
	[EVENT_MISUSE_JOIN_TWICE] = "jointwice",
	[EVENT_MISUSE_JOIN_DETACHED] = "joindetached",
	[EVENT_MISUSE_HELD_AT_END] = "heldatend",
	[EVENT_MISUSE_NO_RECHECK] = "norecheck",
	[EVENT_MISUSE_CLOSED] = "closed",
};

static int find_name(const char *const *names, int count, const char *name, size_t length)
{
	for (int i = 0; i < count; i++) {
		if (strlen(names[i]) == length && !memcmp(names[i], name, length))
			return i;
	}
	return -1;
}

const char *text_order_name(unsigned order)
{
	return order < 6 ? orders[order] : orders[TEXT_SEQ_CST];
}

int text_order(const char *name, size_t length)
{
	return find_name(orders, 6, name, length);
}

const char *text_flag_name(unsigned bit)
{
	return bit < TEXT_FLAGS ? flags[bit] : NULL;
}

int text_flag(const char *name, size_t length)
{
	return find_name(flags, TEXT_FLAGS, name, length);
}

const char *text_misuse_name(unsigned misuse)
{
	return misuse < EVENT_MISUSES ? misuses[misuse] : misuses[EVENT_MISUSE_NONE];
}

int text_misuse(const char *name, size_t length)
{
	return find_name(misuses, EVENT_MISUSES, name, length);
}

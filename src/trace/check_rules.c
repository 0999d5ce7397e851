/*
 * The rules for locks, condition variables, threads, semaphores, barriers, once, the heap and
 * atomics. Each keeps the state of its objects and reports the events that this state does not
 * allow.
 */
#include "trace/check_rules.h"

#include <inttypes.h>
#include <string.h>

/* ---- locks ----------------------------------------------------------------------------------- */

/* Returns the thread that executed a stream. A signal handler holds the locks of its thread. */
static uint32_t thread_number(const struct check *c, uint32_t stream)
{
	uint32_t owner = trace_stream_owner(c->trace, trace_find_stream(c->trace, stream));

	return trace_stream(c->trace, owner)->number;
}

static bool holds(const struct check *c, const struct check_object *o, uint32_t stream)
{
	return o->holder && o->holder == thread_number(c, stream) + 1;
}

/* Is the object held by another thread, and can that thread still release it? */
static bool other_holds(const struct check *c, const struct check_object *o, uint32_t stream)
{
	return o->holder && !holds(c, o, stream) && !map_get(&c->gone, o->holder - 1);
}

static void acquire_lock(struct check *c, struct check_object *o, const struct trace_event *ev,
			 const char *how)
{
	if (other_holds(c, o, ev->stream))
		check_surprise(c, ev, "%s lock %#" PRIx64 " while stream %" PRIu32 " holds it", how,
			       o->address, o->holder - 1);
	o->depth = holds(c, o, ev->stream) ? o->depth + 1 : 1;
	o->holder = thread_number(c, ev->stream) + 1;
}

static void release_lock(struct check *c, struct check_object *o, const struct trace_event *ev)
{
	if (!holds(c, o, ev->stream))
		check_note(c, ev, "releases lock %#" PRIx64 ", which it does not hold", o->address);
	if (o->depth > 1) {
		o->depth--;
		return;
	}
	o->holder = o->depth = 0;
}

void check_lock(struct check *c, const struct trace_event *ev)
{
	struct check_object *o = check_object(c, ev->address);

	switch (ev->kind) {
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY: o->holder = o->depth = o->readers = 0; break;
	case EV_ACQUIRE:
		if (o->readers)
			check_surprise(c, ev,
				       "takes lock %#" PRIx64 " for writing while %" PRIu32
				       " threads hold it for reading",
				       o->address, o->readers);
		acquire_lock(c, o, ev, "takes");
		break;
	case EV_RELEASE: release_lock(c, o, ev); break;
	case EV_READ_ACQUIRE:
		if (o->holder && !map_get(&c->gone, o->holder - 1))
			check_surprise(c, ev,
				       "takes lock %#" PRIx64 " for reading while stream %" PRIu32
				       " holds it for writing",
				       o->address, o->holder - 1);
		o->readers++;
		break;
	case EV_READ_RELEASE:
		if (o->readers)
			o->readers--;
		else
			check_note(c, ev,
				   "releases lock %#" PRIx64 ", which no thread holds for reading",
				   o->address);
		break;
	}
}

/* ---- condition variables and signal handlers ------------------------------------------------- */

static void start_wait(struct check *c, const struct trace_event *ev)
{
	struct check_object *mutex = check_object(c, ev->other);

	if (other_holds(c, mutex, ev->stream))
		check_surprise(c, ev,
			       "waits with mutex %#" PRIx64 ", which stream %" PRIu32 " holds",
			       ev->other, mutex->holder - 1);
	else if (!mutex->holder)
		check_surprise(c, ev, "waits with mutex %#" PRIx64 ", which it does not hold",
			       ev->other);
	mutex->holder = mutex->depth = 0;
	*map_put(&c->waiting, ev->stream, NULL) = ev->address + 1;
	*map_put(&c->waiting_with, ev->stream, NULL) = ev->other;
}

static void end_wait(struct check *c, const struct trace_event *ev)
{
	uint64_t *waiting = map_put(&c->waiting, ev->stream, NULL);

	if (*waiting != ev->address + 1)
		check_surprise(c, ev, "is woken at condition %#" PRIx64 " without waiting there",
			       ev->address);
	else if (*map_put(&c->waiting_with, ev->stream, NULL) != ev->other)
		check_surprise(c, ev, "is woken with mutex %#" PRIx64 ", but waits with another",
			       ev->other);
	*waiting = 0;
	acquire_lock(c, check_object(c, ev->other), ev, "wakes up with");
}

void check_condition(struct check *c, const struct trace_event *ev)
{
	if (ev->kind == EV_WAIT)
		start_wait(c, ev);
	else if (ev->kind == EV_WOKEN)
		end_wait(c, ev);
}

void check_awake(struct check *c, const struct trace_event *ev)
{
	const uint64_t *waiting = map_get(&c->waiting, ev->stream);

	bool at_work = event_group(ev->kind) == EG_LOCK || ev->kind == EV_WAIT ||
		       (trace_is_text(c->trace) && ev->index != TRACE_NO_INDEX);

	if (waiting && *waiting && at_work && ev->kind != EV_WOKEN)
		check_surprise(c, ev, "has an event while it waits on condition %#" PRIx64,
			       *waiting - 1);
}

void check_handler(struct check *c, const struct trace_event *ev)
{
	uint32_t stream = trace_find_stream(c->trace, ev->stream);
	uint64_t *running;

	if (!trace_is_text(c->trace) || trace_stream(c->trace, stream)->host == TRACE_NONE)
		return;
	running = map_put(&c->handling, ev->stream, NULL);
	if (ev->kind == EV_HANDLER || ev->kind == EV_HANDLER_END)
		*running = ev->kind == EV_HANDLER;
	else if (!*running)
		check_violation(c, ev, "is in a signal handler that is not running");
}

/* ---- threads --------------------------------------------------------------------------------- */

void check_thread(struct check *c, const struct trace_event *ev)
{
	bool fresh;

	switch (ev->kind) {
	case EV_CREATE:
		map_put(&c->created, ev->number, &fresh);
		if (!fresh)
			check_violation(c, ev, "creates stream %" PRIu64 " a second time",
					ev->number);
		else if (map_get(&c->seen, ev->number))
			check_violation(c, ev,
					"creates stream %" PRIu64 ", which had events before",
					ev->number);
		break;
	case EV_BEGIN:
		if (ev->index)
			check_violation(c, ev, "begins, but had events before");
		if (ev->stream && !map_get(&c->created, ev->stream) && !trace_is_text(c->trace))
			check_note(c, ev, "begins, but no recorded thread created it");
		break;
	case EV_END: map_put(&c->gone, ev->stream, NULL); break;
	case EV_JOIN:
		map_put(&c->joined, ev->number, NULL);
		if (!map_get(&c->gone, ev->number) && !trace_is_text(c->trace) &&
		    trace_find_stream(c->trace, (uint32_t)ev->number) != TRACE_NONE)
			check_surprise(c, ev, "joins stream %" PRIu64 ", which has not ended",
				       ev->number);
		break;
	}
}

/* ---- semaphores, barriers, once -------------------------------------------------------------- */

void check_semaphore(struct check *c, const struct trace_event *ev)
{
	struct check_object *o = check_object(c, ev->address);

	switch (ev->kind) {
	case EV_SEM_INIT:
		o->count_known = true;
		o->count = ev->number;
		break;
	case EV_SEM_DESTROY: o->count_known = false; break;
	case EV_POST: o->count++; break;
	case EV_DOWN:
		if (!o->count && o->count_known)
			check_surprise(c, ev, "takes from semaphore %#" PRIx64 ", which is at 0",
				       o->address);
		o->count -= o->count > 0;
		break;
	}
}

/*
 * Starts a new lifetime of a barrier. The program may destroy or initialise a barrier as soon as
 * one thread has passed. The other threads that met there pass later; `late` counts them.
 */
static void restart_barrier(struct check_object *o, uint64_t count)
{
	uint64_t met = o->count ? o->arrived / o->count * o->count : 0;

	o->late += met > o->passed ? met - o->passed : 0;
	o->count = count;
	o->arrived = o->passed = 0;
}

void check_barrier(struct check *c, const struct trace_event *ev)
{
	struct check_object *o = check_object(c, ev->address);

	switch (ev->kind) {
	case EV_BARRIER_INIT: restart_barrier(o, ev->number); break;
	case EV_BARRIER_DESTROY: restart_barrier(o, 0); break;
	case EV_ARRIVE:
		if (ev->number && o->count && ev->number != o->count)
			check_surprise(c, ev,
				       "arrives at barrier %#" PRIx64 " for %" PRIu64
				       ", made for %" PRIu64,
				       o->address, ev->number, o->count);
		if (ev->number)
			o->count = ev->number;
		o->arrived++;
		break;
	case EV_PASS:
		if (o->late) {
			o->late--;
			break;
		}
		o->passed++;
		if (o->count && o->passed > o->arrived / o->count * o->count)
			check_surprise(c, ev,
				       "passes barrier %#" PRIx64 " with %" PRIu64 " of %" PRIu64
				       " there",
				       o->address, o->arrived % o->count, o->count);
		break;
	}
}

void check_once(struct check *c, const struct trace_event *ev)
{
	struct check_object *o = check_object(c, ev->address);

	switch (ev->kind) {
	case EV_ONCE_BEGIN:
		if (o->running)
			check_surprise(c, ev, "runs once %#" PRIx64 " while it is being run",
				       o->address);
		o->running = true;
		o->holder = ev->stream + 1;
		break;
	case EV_ONCE_END:
		if (trace_is_text(c->trace) && (!o->running || o->holder != ev->stream + 1))
			check_violation(c, ev, "ends once %#" PRIx64 ", which it does not run",
					o->address);
		o->running = false;
		o->ran = true;
		break;
	case EV_ONCE:
		if (o->running && !o->ran)
			check_surprise(c, ev, "passes once %#" PRIx64 " while it is being run",
				       o->address);
		break;
	}
}

/* ---- the heap -------------------------------------------------------------------------------- */

void check_memory(struct check *c, const struct trace_event *ev)
{
	uint64_t *size;
	bool fresh;

	if (ev->kind != EV_ALLOC && ev->kind != EV_FREE)
		return; /* mappings may overlap; code that is not recorded may open descriptors */
	if (ev->kind == EV_ALLOC) {
		*map_put(&c->blocks, ev->address, NULL) = ev->size + 1;
		return;
	}
	if (!ev->address) /* free(NULL) */
		return;
	size = map_put(&c->blocks, ev->address, &fresh);
	if (fresh)
		check_note(c, ev, "frees %#" PRIx64 ", which no recorded code allocated",
			   ev->address);
	else if (!*size && !ev->site && !trace_is_text(c->trace))
		/* The loader's allocations are not recorded, but libc may free them. */
		check_note(c, ev, "frees %#" PRIx64 ", which code that is not recorded allocated",
			   ev->address);
	else if (!*size)
		check_surprise(c, ev, "frees %#" PRIx64 ", which is already free", ev->address);
	*size = 0;
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* The second pass compares each event with each doubt, so the number of doubts is limited. */
#define DOUBTS_MAX 64

static void add_doubt(struct check *c, const struct trace_event *ev, const uint8_t *read)
{
	struct check_doubt d = { .address = ev->address, .size = ev->size };

	if (c->stopped)
		return;
	for (size_t i = 0; i < c->doubts.count; i++) {
		if (c->doubts.items[i].address == ev->address)
			return; /* one doubt per address is enough */
	}
	if (c->doubts.count == DOUBTS_MAX) {
		check_note(c, ev,
			   "reads from atomic %#" PRIx64
			   " a value that no atomic wrote; not checked",
			   ev->address);
		return;
	}
	memcpy(d.value, read, ev->size);
	d.text = check_message(c, ev,
			       "reads from atomic %#" PRIx64
			       " a value that the atomic before it did not write",
			       ev->address);
	*vec_push(&c->doubts) = d;
}

void check_atomic(struct check *c, const struct trace_event *ev)
{
	const uint8_t *read = ev->kind == EV_ATOMIC_UPDATE ? ev->old : ev->value;
	const uint8_t *written = ev->kind == EV_ATOMIC_READ ? NULL : ev->value;
	struct check_object *o;
	bool wrong = false;

	if (ev->kind == EV_FENCE)
		return;
	o = check_object(c, ev->address);
	if (!ev->value || ev->size > sizeof o->value) {
		if (ev->kind != EV_ATOMIC_READ) /* the value is now unknown */
			memset(o->known, 0, sizeof o->known);
		return;
	}
	for (unsigned i = 0; i < ev->size; i++) {
		if (ev->kind != EV_ATOMIC_WRITE)
			wrong |= o->known[i] && o->value[i] != read[i];
		o->value[i] = written ? written[i] : read[i];
		o->known[i] = true;
	}
	if (wrong)
		add_doubt(c, ev, read);
}

/*
 * Can this event have changed the doubted bytes, although the sequence of the atomics at this
 * address does not show that? An atomic of a signal handler can: the handler may interrupt its
 * thread between an atomic operation and the assignment of the operation's sequence number.
 */
static bool can_explain(const struct trace_event *ev, bool by_handler, const struct check_doubt *d)
{
	bool writes = ev->kind == EV_WRITE || ev->kind == EV_ALLOC || ev->kind == EV_FREE ||
		      ev->kind == EV_MAP || ev->kind == EV_UNMAP ||
		      ((ev->kind == EV_ATOMIC_WRITE || ev->kind == EV_ATOMIC_UPDATE) &&
		       (ev->address != d->address || by_handler));

	if (!writes)
		return false;
	if (ev->kind == EV_FREE) /* a FREE has no size: the ALLOC of the block explains the doubt */
		return ev->address == d->address;
	return ev->address < d->address + d->size && d->address < ev->address + ev->size;
}

static bool wrote_doubted_value(const struct trace_event *ev, const struct check_doubt *d)
{
	return (ev->kind == EV_ATOMIC_WRITE || ev->kind == EV_ATOMIC_UPDATE) && ev->value &&
	       ev->address == d->address && ev->size == d->size &&
	       !memcmp(ev->value, d->value, d->size);
}

static void drop_explained(struct check *c, const struct trace_event *ev, bool by_handler)
{
	for (size_t i = 0; i < c->doubts.count;) {
		c->doubts.items[i].contradicted |= wrote_doubted_value(ev, &c->doubts.items[i]);
		if (can_explain(ev, by_handler, &c->doubts.items[i])) {
			free(c->doubts.items[i].text);
			c->doubts.items[i] = c->doubts.items[--c->doubts.count];
		} else {
			i++;
		}
	}
}

/*
 * Plain writes have no sequence number, so it is unknown whether a plain write happened between two
 * atomics. Therefore addresses with any plain write are not judged. Code that is not recorded
 * writes too (a library's flag). So a value is certainly wrong only if some recorded atomic wrote
 * it, but not the last one before the read. A text trace is complete, so there every unexplained
 * value is wrong. This second pass over the trace runs only if there is a doubt.
 */
void check_settle_doubts(struct check *c)
{
	struct trace_event ev;
	struct err err;

	for (uint32_t i = 0; i < trace_stream_count(c->trace) && c->doubts.count; i++) {
		struct trace_cursor *cursor = trace_cursor_open(c->trace, i);

		while (c->doubts.count && trace_next(cursor, &ev, &err))
			drop_explained(c, &ev, trace_stream(c->trace, i)->host != TRACE_NONE);
		trace_cursor_close(cursor);
	}
	for (size_t i = 0; i < c->doubts.count; i++) {
		const struct check_doubt *d = &c->doubts.items[i];

		bool certain = d->contradicted || trace_is_text(c->trace);

		check_add(c, certain && !c->may_be_lost ? CHECK_VIOLATION : CHECK_NOTE, d->text);
		c->may_be_lost -= certain && c->may_be_lost;
	}
	vec_free(&c->doubts);
}

/*
 * Matches points about locks and threads, and tracks which locks each thread holds.
 *
 * For a recursive lock only the outermost acquire and release are events. Mutexes and read-write
 * locks are treated alike. A condition wait releases its mutex and acquires it again. A request is
 * the moment just before a blocking acquire, even if the lock was free. Trylock and timed
 * operations have no request. A request that was never granted is the last event of its thread.
 */
#include "property/reader.h"

#include <string.h>

/* ---- held locks ------------------------------------------------------------------------------ */

static struct reader_held *find_held(struct reader_stream *thread, uint64_t address, bool shared)
{
	for (size_t i = thread->held.count; i-- > 0;) {
		if (thread->held.items[i].address == address &&
		    thread->held.items[i].shared == shared)
			return &thread->held.items[i];
	}
	return NULL;
}

static void remove_held(struct property_reader *r, struct reader_stream *thread,
			struct reader_held *held)
{
	size_t at = (size_t)(held - thread->held.items);

	memmove(held, held + 1, (--thread->held.count - at) * sizeof *held);
	r->held_count--;
}

/* Removes all locks whose address is in this range from all threads. */
static void forget_locks_in(struct property_reader *r, uint64_t low, uint64_t size)
{
	for (uint32_t i = 0; r->held_count && i < trace_stream_count(r->trace); i++) {
		struct reader_stream *thread = &r->streams[i];

		for (size_t k = thread->held.count; k-- > 0;) {
			if (thread->held.items[k].address - low < size)
				remove_held(r, thread, &thread->held.items[k]);
		}
	}
}

/* ---- matching -------------------------------------------------------------------------------- */

/* Does the target name this lock? Binds the target's parameter if it has one. */
static bool match_lock(const struct match *m, const struct spec_target *target, uint64_t address,
		       const struct wire_element *site)
{
	bool held = target == m->point->spec->holding;
	const char *tag = held ? m->point->holding_tag : m->point->tag;
	struct field_range field_range =
		held ? m->point->holding_field_range : m->point->field_range;
	struct property_reader *r = m->reader;
	const char *name = r->text ? trace_object_name(r->trace, address) : NULL;
	const char *path, *field;
	struct property_raw raw;
	size_t length;

	switch (target->kind) {
	case SPEC_GLOBAL:
		return r->text ? name && accesses_is_named(target, name)
			       : accesses_in_target(r, m->number, target, address);
	case SPEC_FIELD:
		if (r->text) {
			length = name ? accesses_split(name, target->path, &field) : 0;
			raw = (struct property_raw){ .known = true,
						     .word = true,
						     .text = name,
						     .length = (uint32_t)length };
			return length && match_parameter(m, target->parameter, target->local, &raw);
		}
		if (field_range.size)
			return field_owners_match(m, target, field_range, address);
		path = trace_site_path(r->trace, site);
		field = accesses_field(path, tag, target->path);
		raw = raw_value_number(field ? address - site->field_offset : 0);
		return field && match_parameter(m, target->parameter, target->local, &raw);
	default:
		raw = raw_value_address(r->text, address);
		return match_parameter(m, target->parameter, target->local, &raw);
	}
}

/*
 * Matches the lock. If it fits, marks the point as visible (not_recorded.c), even if the rest of
 * the point does not match.
 */
static bool match_and_mark_visible(const struct match *m, const struct spec_target *target,
				   uint64_t address, const struct wire_element *site)
{
	bool fits = match_lock(m, target, address, site);

	m->point->visible |= fits;
	return fits;
}

bool locks_match(const struct match *m)
{
	const struct spec_point *spec = m->point->spec;
	const struct trace_event *ev = m->happening->event;
	struct property_raw raw;

	if (reader_is_lock(spec))
		return match_and_mark_visible(m, spec->target, m->happening->lock, ev->site);
	/*
	 * spawn and join: `raw` is the other thread's number; binds it if the point has a slot for
	 * it
	 */
	raw = raw_value_number(ev->number);
	if (spec->target)
		return match_parameter(m, spec->target->parameter, spec->target->local, &raw);
	return !spec->argument_count || match_slot(m, &spec->arguments[0], &raw);
}

bool locks_match_held(const struct match *m, const struct reader_held *held)
{
	return match_lock(m, m->point->spec->holding, held->address, held->site);
}

/* Matches all points of this kind, and no others, with the event. */
static void match_points_of_kind(struct property_reader *r, struct reader_happening *what,
				 enum spec_point_kind kind)
{
	for (size_t i = 0; i < r->kinds[kind].count; i++)
		*vec_push(&r->candidates) = r->kinds[kind].items[i];
	what->before = kind == SPEC_POINT_REQUEST;
	if (r->candidates.count)
		match_candidates(r, what);
}

/*
 * ---- tracking held locks ----------------------------------------------------------------------
 */

static void track_acquire(struct property_reader *r, struct reader_happening *what,
			  uint64_t address, bool shared, uint32_t depth)
{
	struct reader_stream *thread = &r->streams[what->thread];
	struct reader_held *held = find_held(thread, address, shared);
	const struct trace_event *ev = what->event;

	if (held) {
		held->depth += depth;
		return;
	}
	what->lock = address;
	if (ev->kind != EV_WOKEN && ev->mode == EVENT_PLAIN)
		match_points_of_kind(r, what, SPEC_POINT_REQUEST);
	match_points_of_kind(r, what, SPEC_POINT_ACQUIRE);
	*vec_push(&thread->held) = (struct reader_held){ address, depth, shared, ev->site };
	r->held_count++;
}

/* Releases a lock once, or completely; returns the previous recursion depth. */
static uint32_t track_release(struct property_reader *r, struct reader_happening *what,
			      uint64_t address, bool shared, bool wholly)
{
	struct reader_stream *thread = &r->streams[what->thread];
	struct reader_held *held = find_held(thread, address, shared);
	uint32_t depth = 1;

	if (!held) /* readers and writers release a read-write lock with the same unlock function */
		held = find_held(thread, address, !shared);
	if (held) {
		depth = held->depth;
		if (!wholly && --held->depth)
			return depth;
	}
	what->lock = address;
	match_points_of_kind(r, what, SPEC_POINT_RELEASE);
	if (held)
		remove_held(r, thread, held);
	else /* a different thread acquired the lock */
		forget_locks_in(r, address, 1);
	return depth;
}

/*
 * Finds the requests that were never granted: each is the last event of its stream. If any point is
 * about requests, this reads the whole trace once.
 */
void locks_prepare(struct property_reader *r)
{
	for (uint32_t i = 0; r->kinds[SPEC_POINT_REQUEST].count && i < trace_stream_count(r->trace);
	     i++) {
		struct trace_cursor *cursor = trace_cursor_open(r->trace, i);
		uint64_t *last = &r->streams[i].last_request;
		struct trace_event event;
		struct err err;

		while (trace_next(cursor, &event, &err)) {
			if (event.index != TRACE_NO_INDEX)
				*last = event.kind == EV_REQUEST || event.kind == EV_READ_REQUEST
						? event.index + 1
						: 0;
		}
		trace_cursor_close(cursor);
	}
}

static void match_last_request(struct property_reader *r, struct reader_happening *what)
{
	uint32_t stream = trace_find_stream(r->trace, what->event->stream);

	what->lock = what->event->address;
	if (r->streams[stream].last_request == what->event->index + 1)
		match_points_of_kind(r, what, SPEC_POINT_REQUEST);
}

void locks_match_event(struct property_reader *r, struct reader_happening *what)
{
	const struct trace_event *ev = what->event;
	struct reader_stream *thread = &r->streams[what->thread];

	switch (ev->kind) {
	case EV_REQUEST:
	case EV_READ_REQUEST: match_last_request(r, what); break;
	case EV_ACQUIRE: track_acquire(r, what, ev->address, false, 1); break;
	case EV_READ_ACQUIRE: track_acquire(r, what, ev->address, true, 1); break;
	case EV_RELEASE: track_release(r, what, ev->address, false, false); break;
	case EV_READ_RELEASE: track_release(r, what, ev->address, true, false); break;
	case EV_WAIT: thread->waited = track_release(r, what, ev->other, false, true); break;
	case EV_WOKEN:
		track_acquire(r, what, ev->other, false, thread->waited ? thread->waited : 1);
		thread->waited = 0;
		break;
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY: forget_locks_in(r, ev->address, 1); break;
	case EV_ALLOC:
	case EV_MAP: forget_locks_in(r, ev->address, ev->size ? ev->size : 1); break;
	case EV_CREATE: match_points_of_kind(r, what, SPEC_POINT_SPAWN); break;
	case EV_JOIN: match_points_of_kind(r, what, SPEC_POINT_JOIN); break;
	}
}

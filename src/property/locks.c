/*
 * Points about locks and threads, and the locks that each thread holds.
 *
 * Only the outermost acquire and release of a recursive lock are events. Mutexes and read-write
 * locks are treated alike. A condition wait releases its mutex and acquires it again. A request is
 * the moment before a blocking acquire, however short the wait; trylock and timed operations have
 * no request. A request that was never granted is the last event of its thread.
 */
#include "property/reader.h"

#include <string.h>

/* ---- held locks ------------------------------------------------------------------------------ */

static struct reader_held *find(struct reader_lane *lane, uint64_t address, bool shared)
{
	for (size_t i = lane->held.count; i-- > 0;) {
		if (lane->held.items[i].address == address && lane->held.items[i].shared == shared)
			return &lane->held.items[i];
	}
	return NULL;
}

static void drop(struct property_reader *r, struct reader_lane *lane, struct reader_held *held)
{
	size_t at = (size_t)(held - lane->held.items);

	memmove(held, held + 1, (--lane->held.count - at) * sizeof *held);
	r->held_count--;
}

/* Removes all locks in these bytes from all threads. */
static void forget(struct property_reader *r, uint64_t low, uint64_t size)
{
	for (uint32_t i = 0; r->held_count && i < trace_stream_count(r->trace); i++) {
		struct reader_lane *lane = &r->lanes[i];

		for (size_t k = lane->held.count; k-- > 0;) {
			if (lane->held.items[k].address - low < size)
				drop(r, lane, &lane->held.items[k]);
		}
	}
}

/* ---- matching -------------------------------------------------------------------------------- */

/* Is this lock the target? Binds the parameter that the target names. */
static bool match_lock(const struct match *m, const struct spec_target *target, uint64_t address,
		       const struct wire_element *site)
{
	bool held = target == m->point->spec->holding;
	const char *tag = held ? m->point->holding_tag : m->point->tag;
	struct reader_place place = held ? m->point->holding_place : m->point->place;
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
		if (place.size)
			return field_owners_match(m, target, place, address);
		path = trace_site_path(r->trace, site);
		field = accesses_field(path, tag, target->path);
		raw = raw_value_number(field ? address - site->field_offset : 0);
		return field && match_parameter(m, target->parameter, target->local, &raw);
	default:
		raw = raw_value_address(r->text, address);
		return match_parameter(m, target->parameter, target->local, &raw);
	}
}

/* Text traces: a lock with this name exists, whether or not the rest of the point matches. */
static bool match_and_note(const struct match *m, const struct spec_target *target,
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
		return match_and_note(m, spec->target, m->happening->lock, ev->site);
	/* spawn, join: binds the other thread if the point asks for it */
	raw = raw_value_number(ev->number);
	if (spec->target)
		return match_parameter(m, spec->target->parameter, spec->target->local, &raw);
	return !spec->argument_count || match_slot(m, &spec->arguments[0], &raw);
}

bool locks_match_held(const struct match *m, const struct reader_held *held)
{
	return match_lock(m, m->point->spec->holding, held->address, held->site);
}

/* Matches all points of a kind. */
static void happen(struct property_reader *r, struct reader_happening *what,
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

static void acquire(struct property_reader *r, struct reader_happening *what, uint64_t address,
		    bool shared, uint32_t depth)
{
	struct reader_lane *lane = &r->lanes[what->lane];
	struct reader_held *held = find(lane, address, shared);
	const struct trace_event *ev = what->event;

	if (held) {
		held->depth += depth;
		return;
	}
	what->lock = address;
	if (ev->kind != EV_WOKEN && ev->mode == EVENT_PLAIN)
		happen(r, what, SPEC_POINT_REQUEST);
	happen(r, what, SPEC_POINT_ACQUIRE);
	*vec_push(&lane->held) = (struct reader_held){ address, depth, shared, ev->site };
	r->held_count++;
}

/* Releases a lock once, or completely; returns the previous recursion depth. */
static uint32_t release(struct property_reader *r, struct reader_happening *what, uint64_t address,
			bool shared, bool wholly)
{
	struct reader_lane *lane = &r->lanes[what->lane];
	struct reader_held *held = find(lane, address, shared);
	uint32_t depth = 1;

	if (!held) /* a read-write lock has the same unlock for readers and writers */
		held = find(lane, address, !shared);
	if (held) {
		depth = held->depth;
		if (!wholly && --held->depth)
			return depth;
	}
	what->lock = address;
	happen(r, what, SPEC_POINT_RELEASE);
	if (held)
		drop(r, lane, held);
	else /* another thread holds it */
		forget(r, address, 1);
	return depth;
}

/*
 * Finds requests that were never granted: they are the last event of their stream. Costs a pass
 * over the trace if there are points about requests.
 */
void locks_prepare(struct property_reader *r)
{
	for (uint32_t i = 0; r->kinds[SPEC_POINT_REQUEST].count && i < trace_stream_count(r->trace);
	     i++) {
		struct trace_cursor *cursor = trace_cursor_open(r->trace, i);
		uint64_t *last = &r->lanes[i].last_request;
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

static void ask(struct property_reader *r, struct reader_happening *what)
{
	uint32_t stream = trace_find_stream(r->trace, what->event->stream);

	what->lock = what->event->address;
	if (r->lanes[stream].last_request == what->event->index + 1)
		happen(r, what, SPEC_POINT_REQUEST);
}

void locks_see(struct property_reader *r, struct reader_happening *what)
{
	const struct trace_event *ev = what->event;
	struct reader_lane *lane = &r->lanes[what->lane];

	switch (ev->kind) {
	case EV_REQUEST:
	case EV_READ_REQUEST: ask(r, what); break;
	case EV_ACQUIRE: acquire(r, what, ev->address, false, 1); break;
	case EV_READ_ACQUIRE: acquire(r, what, ev->address, true, 1); break;
	case EV_RELEASE: release(r, what, ev->address, false, false); break;
	case EV_READ_RELEASE: release(r, what, ev->address, true, false); break;
	case EV_WAIT: lane->waited = release(r, what, ev->other, false, true); break;
	case EV_WOKEN:
		acquire(r, what, ev->other, false, lane->waited ? lane->waited : 1);
		lane->waited = 0;
		break;
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY: forget(r, ev->address, 1); break;
	case EV_ALLOC:
	case EV_MAP: forget(r, ev->address, ev->size ? ev->size : 1); break;
	case EV_CREATE: happen(r, what, SPEC_POINT_SPAWN); break;
	case EV_JOIN: happen(r, what, SPEC_POINT_JOIN); break;
	}
}

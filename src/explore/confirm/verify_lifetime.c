/*
 * Verifies a use after end of lifetime in the recording of a controlled run. The recording must
 * contain the end of the lifetime at its site and later a use at the other site. No new lifetime of
 * the same object may start between them.
 *
 * With CONTROL_CHECK_HEAP, an access to a freed block ends the run before the access is done, so
 * only the scheduler reports that use: its site and address. All other uses are recorded.
 */
#include "explore/confirm/verify_lifetime.h"

#include "base/map.h"
#include "base/mem.h"
#include "order/base_run/base_run.h"
#include "trace/sites.h"

enum lifetime_mark { MARK_END = 1, MARK_USE = 2 };

/* A lifetime that ended at the finding's site. */
struct verify_range {
	uint64_t low, high;
	uint32_t owner;
	/*
	 * group of the event that ended the lifetime; EG_THREAD (a thread's stack) and EG_MEMORY
	 * are memory
	 */
	enum event_group group;
};

struct lifetime_verifier {
	const struct finding *finding;
	const uint64_t *keys;
	const struct trace *recording;
	struct map marks;  /* from an event to its set of enum lifetime_mark */
	struct map sizes;  /* sizes of blocks, by address */
	struct map stacks; /* by owner: 1 + position in `ranges` of the thread's stack */
	VEC(struct verify_range) ranges;
	VEC(struct verify_range) ended;
	/* uses after end of lifetime that the runtime recorded as MISUSE */
	VEC(struct verify_range) reported;
};

static uint64_t event_key(uint32_t stream, uint64_t index)
{
	return (uint64_t)stream << 40 ^ index;
}

/* ---- events at the sites of the finding ------------------------------------------------------ */

static void mark_stream(struct lifetime_verifier *w, uint32_t i)
{
	const struct finding *f = w->finding;
	struct trace_cursor *cursor = trace_cursor_open(w->recording, i);
	struct trace_event ev;
	struct err err;

	while (trace_next(cursor, &ev, &err)) {
		uint64_t key, marks = 0;

		if (ev.index == TRACE_NO_INDEX)
			continue;
		key = trace_event_key(w->recording, &ev);
		if (ev.kind == f->events.items[0].kind && key == w->keys[0])
			marks |= MARK_END;
		if (key == w->keys[1])
			marks |= MARK_USE;
		if (marks)
			*map_put(&w->marks, event_key(ev.stream, ev.index), NULL) = marks;
	}
	trace_cursor_close(cursor);
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

/*
 * Returns the range of bytes whose lifetime the event starts or ends. For a synchronisation object,
 * that is one byte at its address.
 */
static struct verify_range lifetime_of(const struct lifetime_verifier *w,
				       const struct base_run_event *ev)
{
	const uint64_t *size = map_get(&w->sizes, ev->address);
	const uint64_t *stack = map_get(&w->stacks, ev->owner);
	struct verify_range range = { ev->address, ev->address + 1, ev->owner,
				      event_group(ev->kind) };

	if (ev->kind == EV_END)
		return stack ? w->ranges.items[*stack - 1] : (struct verify_range){ 0 };
	if (ev->kind == EV_BEGIN)
		range.high = ev->other;
	else if (ev->kind == EV_FREE)
		range.high = ev->address + (size && *size ? *size : 1);
	else if (range.group == EG_MEMORY && ev->size)
		range.high = ev->address + ev->size;
	return range;
}

static bool starts_lifetime(uint8_t kind)
{
	return window_effect_of(kind) == WINDOW_BEGINS;
}

static bool is_of_memory(const struct verify_range *e)
{
	return e->group == EG_MEMORY || e->group == EG_THREAD;
}

static void start_lifetime(struct lifetime_verifier *w, const struct base_run_event *ev)
{
	struct verify_range range = lifetime_of(w, ev);
	size_t kept = 0;

	if (ev->kind == EV_ALLOC)
		*map_put(&w->sizes, ev->address, NULL) = ev->size;
	if (ev->kind == EV_BEGIN) {
		*vec_push(&w->ranges) = range;
		*map_put(&w->stacks, ev->owner, NULL) = w->ranges.count;
	}
	for (size_t i = 0; i < w->ended.count; i++) {
		struct verify_range e = w->ended.items[i];
		bool same = is_of_memory(&e) ? is_of_memory(&range) : e.group == range.group;

		if (!same || range.high <= e.low || e.high <= range.low)
			w->ended.items[kept++] = e;
	}
	w->ended.count = kept;
}

/* Is `address` in a block, stack or object whose lifetime another thread ended? */
static bool has_ended(const struct lifetime_verifier *w, uint64_t address, uint64_t size,
		      uint32_t owner, enum event_group group)
{
	for (size_t i = 0; i < w->ended.count; i++) {
		const struct verify_range *e = &w->ended.items[i];

		if (e->owner != owner && address < e->high &&
		    e->low < address + (size ? size : 1) &&
		    (is_of_memory(e) || group == e->group || group == EG_THREAD))
			return true;
	}
	return false;
}

/* ---- reading the run ------------------------------------------------------------------------- */

static bool is_request(uint8_t kind)
{
	return kind == EV_REQUEST || kind == EV_READ_REQUEST || kind == EV_DOWN_REQUEST;
}

static bool is_use_after_end(const struct lifetime_verifier *w, const struct base_run_event *ev)
{
	enum event_group group = event_group(ev->kind);

	if (is_request(ev->kind) || starts_lifetime(ev->kind))
		return false;
	if (has_ended(w, ev->address, ev->size, ev->owner, group))
		return true;
	return (ev->kind == EV_WAIT || ev->kind == EV_WOKEN) &&
	       has_ended(w, ev->other, 1, ev->owner, EG_LOCK);
}

/*
 * Keeps a MISUSE until the whole recording is read. It is not a step, so it may come before the end
 * of the lifetime in the order of steps.
 */
static void keep_reported_misuse(struct lifetime_verifier *w, const struct base_run_event *ev)
{
	if (ev->mode == w->finding->misuse)
		*vec_push(&w->reported) =
			(struct verify_range){ ev->address, ev->address + 1, ev->owner, EG_THREAD };
}

static bool is_misuse_reported(const struct lifetime_verifier *w)
{
	for (size_t i = 0; i < w->reported.count; i++) {
		const struct verify_range *b = &w->reported.items[i];

		if (has_ended(w, b->low, 1, b->owner, b->group))
			return true;
	}
	return false;
}

static bool find_use_after_end(struct lifetime_verifier *w)
{
	struct base_run *run = base_run_open(w->recording, NULL);
	struct base_run_event ev;
	bool found = false;

	while (!found && base_run_next(run, &ev)) {
		const uint64_t *marks = map_get(&w->marks, event_key(ev.stream, ev.index));

		if (starts_lifetime(ev.kind))
			start_lifetime(w, &ev);
		else if (marks && *marks & MARK_USE && ev.kind == EV_MISUSE)
			keep_reported_misuse(w, &ev);
		else if (marks && *marks & MARK_USE)
			found = is_use_after_end(w, &ev);
		if (marks && *marks & MARK_END)
			*vec_push(&w->ended) = lifetime_of(w, &ev);
	}
	base_run_close(run);
	return found || is_misuse_reported(w);
}

/* Did the scheduler end the run at the use? */
static bool was_ended_at_use(const struct lifetime_verifier *w, const struct outcome *outcome)
{
	const struct control *c = outcome->control;
	uint32_t stream = trace_find_stream(w->recording, c->fault_thread);

	if (outcome->result != CONTROL_USE_AFTER_FREE && outcome->result != CONTROL_BAD_FREE)
		return false;
	return stream != TRACE_NONE && trace_site_key(w->recording, c->fault_site) == w->keys[1] &&
	       has_ended(w, c->fault_address, 1, stream, EG_MEMORY);
}

/*
 * Did the program crash at the use? Access to unmapped memory ends the program without the
 * scheduler, which then knows no site. But if the run followed its plan to the end, the crash was
 * at the use.
 */
static bool crashed_at_use(const struct lifetime_verifier *w, const struct outcome *outcome)
{
	const struct control *c = outcome->control;
	uint32_t stream = trace_find_stream(w->recording, c->fault_thread);

	return outcome->result == CONTROL_CRASHED && c->diverged_slice == CONTROL_NONE &&
	       stream != TRACE_NONE && has_ended(w, c->fault_address, 1, stream, EG_MEMORY);
}

bool verify_lifetime(const struct finding *f, const uint64_t *keys, const struct outcome *outcome,
		     const struct trace *recording)
{
	struct lifetime_verifier w = { .finding = f, .keys = keys, .recording = recording };
	bool shown;

	for (uint32_t i = 0; i < trace_stream_count(recording); i++)
		mark_stream(&w, i);
	shown = find_use_after_end(&w) || was_ended_at_use(&w, outcome) ||
		crashed_at_use(&w, outcome);
	map_free(&w.marks);
	map_free(&w.sizes);
	map_free(&w.stacks);
	vec_free(&w.ranges);
	vec_free(&w.ended);
	vec_free(&w.reported);
	return shown;
}

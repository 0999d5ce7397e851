/*
 * Steps. What an operation leaves behind: its step is counted and logged, and what the scheduler knows
 * changes. Accesses of instrumented code come by turn_access, all else by its record.
 */
#include "runtime/turn_state.h"

#include "runtime/carrier.h"
#include "runtime/follow.h"
#include "runtime/place.h"
#include "runtime/vectors.h"

/* Memory that is gone when its turn has come; before, it might not have been. */
void turn_check_heap(uint64_t address, uint64_t size, uint64_t site)
{
	if (turn.control->options & CONTROL_CHECK_HEAP && place_is_freed(address, size))
		turn_fault(CONTROL_USE_AFTER_FREE, address, site);
}

/* The value of the last write, which is over now. */
void turn_settle_access(struct turn_thread *t)
{
	if (!t->access_open)
		return;
	t->access_open = false;
	if (t->access_event)
		t->access_event->other = turn_value(t->access_address, t->access_size);
}

void turn_settle(void)
{
	if (turn_me)
		turn_settle_access(turn_me);
}

/* ---- the log ------------------------------------------------------------------------------------------ */

/* Where what cannot be logged goes. */
struct control_event turn_unlogged;

/*
 * The event of the step to come, to be filled in by the caller: all but the fields that are set here.
 * It is in the log when it is counted, by `did`.
 */
static inline struct control_event *begin_event(const struct turn_thread *t, enum event_kind kind)
{
	struct control_event *event = turn.event;

	event->thread = turn_number(t);
	event->step = t->step;
	event->kind = (uint8_t)kind;
	event->flags = t->decided ? 0 : CONTROL_EVENT_NO_CHOICE;
	event->spare = 0;
	return event;
}

/* It has been done. */
static inline void did(struct turn_thread *t, struct control_event *event)
{
	struct control *control = turn.control;

	t->decided = false;
	t->step++;
	if (__builtin_expect(event != &turn_unlogged, 1)) {
		t->access_event = event;
		turn.event = event + 1 == turn.events_end ? &turn_unlogged : event + 1;
		control->event_count++;
	} else {
		t->access_event = NULL;
		control->events_lost = turn.events_end != NULL;
	}
	if (__builtin_expect(++control->steps == control->most_steps, 0))
		turn_end_run(CONTROL_LIMIT, "", 0);
	if (__builtin_expect(!turn.plain, 0) && event->kind != EV_END)
		turn_plan_did(t, event);
}

/* ---- accesses ----------------------------------------------------------------------------------------- */

static void take_access(struct turn_thread *t, const struct wire_element *e, uint64_t address,
			uint64_t value)
{
	struct turn_want *want = &t->want;

	/* By hand: what the compiler makes of an initialiser is slower. */
	want->kind = (enum event_kind)e->kind;
	want->how = EVENT_PLAIN;
	want->size = e->size;
	want->object = address;
	want->other = value;
	want->site = (uint64_t)e;
	want->foreign = false;
	want->pause = TURN_NO_PAUSE;
	want->pc = 0;
	carrier_vectors_live = true;
	turn_take_slowly(t);
	carrier_vectors_live = false;
}

/*
 * A thread that is torn out of a segment has done accesses of it that are in the schedule and nowhere else. One
 * that is cancelled may be torn out of where no segment is, too; so it is looked whether another begins, or a
 * record is made, where one should have ended.
 */
static void abandon(void *unused)
{
	(void)unused;
	turn_log_abandon();
}

static void note_segment(struct turn_thread *t, const uint8_t *record, unsigned element)
{
	if (__builtin_expect(lane_self.asynchronous, 0) && t->segment == record &&
	    element <= t->element)
		vectors_call(abandon, NULL);
	t->segment = record;
	t->element = element;
}

static bool is_in_segment(const struct turn_thread *t)
{
	return t->segment == (const uint8_t *)__sooth_lane->cursor;
}

void turn_look_torn(void)
{
	if (!turn_me)
		return;
	if (is_in_segment(turn_me))
		turn_log_abandon();
	turn_me->segment = NULL;
}

bool turn_is_at_work(void)
{
	return turn_on() && turn_me &&
	       (is_in_segment(turn_me) ||
		(turn_me->where != TURN_RUNS && turn_me->where != TURN_OUTSIDE));
}

/*
 * The way through for an access, when the same thread goes on, is short: the plan was asked before, and
 * said how far. No vector registers are used on it, nor by anything behind it (see vectors.h).
 */
void turn_access(const uint8_t *record, unsigned element)
{
	struct turn_thread *t = turn_me;
	uint64_t address, value = 0;

	if (__builtin_expect(!turn_on(), 0)) {
		if (turn_may_leave())
			turn_in_handler();
		return;
	}
	if (!t)
		return;
	const struct wire_element *e = follow_next(record, element, &address);
	if (__builtin_expect(!e, 0))
		return;
	bool reads = e->kind == EV_READ, has_value = reads || follow_value(e, record, &value);
	if (__builtin_expect(turn.holder != turn_number(t), 0))
		turn_return(); /* it was taken away while we waited for something unseen */
	turn_work(t);
	turn_settle_access(t);
	if (t->step < turn.straight_until) {
		turn_count_move();
		t->decided = true;
	} else {
		take_access(t, e, address, value);
	}
	turn_check_heap(address, e->size, (uint64_t)e);

	struct control_event *event = begin_event(t, (enum event_kind)e->kind);
	event->size = e->size;
	event->address = address;
	event->site = (uint64_t)e;
	if (!reads) {
		if (!has_value || e->size > 8 || address < 4096 ||
		    turn_value(address, e->size) != value)
			turn_spin_reset(t);
	} else if (address >= 4096) { /* else the program is about to crash itself */
		value = turn_value(address, e->size);
		turn_spin_read(t, address, e->size, value, (uint64_t)e);
	}
	event->other = value;
	did(t, event);
	note_segment(t, record, element);
	if (!has_value) {
		t->access_open = t->access_event != NULL;
		t->access_address = address;
		t->access_size = e->size;
	}
	turn_rest(t);
}

/* ---- records ------------------------------------------------------------------------------------------ */

static uint64_t first_bytes(const void *bytes, size_t size)
{
	return bytes ? turn_value((uint64_t)bytes, size < 8 ? (uint32_t)size : 8) : 0;
}

/* How the fields of a record are those of an event in the log. */
static void describe(struct control_event *event, const struct record_fields *fields,
		     const void *bytes)
{
	event->address = fields->a;
	event->size = (uint32_t)fields->n;
	event->other = 0;
	switch (event->kind) {
	case EV_ATOMIC_UPDATE:
		event->other = bytes ? first_bytes((const char *)bytes + fields->n, fields->n) : 0;
		break;
	case EV_READ:
	case EV_WRITE:
	case EV_ATOMIC_READ:
	case EV_ATOMIC_WRITE: event->other = first_bytes(bytes, fields->n); break;
	case EV_FILL: event->other = (fields->m & 255) * 0x0101010101010101ull; break;
	case EV_COPY: event->other = fields->b; break;
	case EV_ALLOC:
	case EV_FREE: break;
	case EV_CREATE:
	case EV_BEGIN:
	case EV_JOIN:
	case EV_DETACH:
		event->address = fields->n;
		event->size = 0;
		break;
	case EV_LOCK_INIT: event->other = fields->m; break;
	case EV_SEM_INIT:
	case EV_BARRIER_INIT:
		event->other = fields->n;
		event->size = 0;
		break;
	default:
		event->other = fields->b;
		event->size = 0;
		break;
	}
}

static uint8_t flags_of(const struct turn_thread *t, enum event_kind kind, uint64_t mode)
{
	uint8_t flags = 0;

	switch (kind) {
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL:
	case EV_DOWN_FAIL:
		if (mode == EVENT_TIMED)
			flags |= CONTROL_EVENT_TIMED_OUT;
		/* fall through */
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_DOWN:
	case EV_WAIT:
		flags |= mode == EVENT_TRY     ? CONTROL_EVENT_TRY
			 : mode == EVENT_TIMED ? CONTROL_EVENT_TIMED
					       : 0;
		break;
	case EV_WOKEN:
		if (t->want.how == EVENT_TIMED)
			flags |= CONTROL_EVENT_TIMED;
		if (t->answer == TURN_TIMED_OUT)
			flags |= CONTROL_EVENT_TIMED_OUT;
		if (t->answer == TURN_SPURIOUS)
			flags |= CONTROL_EVENT_SPURIOUS;
		break;
	default: break;
	}
	return flags;
}

/* What of it is waiting for somebody else, if it is done again and again? See turn_spin.c. */
static void note_spin(struct turn_thread *t, const struct control_event *event, const void *bytes)
{
	switch (event->kind) {
	case EV_FENCE:
	case EV_PROBE:
	case EV_POINT: break;
	case EV_ATOMIC_UPDATE:
		if (first_bytes(bytes, event->size) != event->other || event->size > 8) {
			turn_spin_reset(t);
			break;
		}
		/* fall through */
	case EV_READ:
	case EV_ATOMIC_READ:
		turn_spin_read(t, event->address, event->size, event->other, event->site);
		break;
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL:
	case EV_DOWN_FAIL: turn_spin_try(t, event->address, event->site); break;
	default: turn_spin_reset(t); break;
	}
}

void turn_recorded(enum event_kind kind, uintptr_t pc, const struct record_fields *fields,
		   const void *bytes, size_t size)
{
	struct turn_thread *t = turn_me;

	(void)size;
	if (!t || !event_is_step(kind))
		return;
	if (turn.holder != turn_number(t))
		turn_return();
	turn_work(t);
	turn_settle_access(t);
	enum event_group group = event_group(kind);
	if (group == EG_ACCESS && !(kind == EV_READ && fields->m & EF_LOOK)) {
		turn_check_heap(fields->a, fields->n, t->want.site);
		if (kind == EV_COPY)
			turn_check_heap(fields->b, fields->n, t->want.site);
	}
	struct control_event *event = begin_event(t, kind);
	describe(event, fields, bytes);
	if (group == EG_ATOMIC)
		event->flags |= CONTROL_EVENT_ATOMIC;
	else
		event->flags |= flags_of(t, kind, fields->m);
	if (t->want.foreign)
		event->flags |= CONTROL_EVENT_FOREIGN;
	event->site = t->want.pc == pc ? t->want.site : follow_site(kind, pc);
	turn_object_did(t, kind, group, fields);
	note_spin(t, event, bytes);
	did(t, event);
	turn_rest(t);
}

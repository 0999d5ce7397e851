/*
 * Steps. When an operation happens, its step is counted and logged, and the scheduler's model of
 * the object is updated. Accesses of instrumented code come through sched_access(), all other
 * operations through their records (sched_recorded()).
 */
#include "runtime/sched/sched_state.h"

#include "runtime/sched/carrier.h"
#include "runtime/sched/access_decoder.h"
#include "runtime/sched/det_heap.h"
#include "runtime/host/save_vectors.h"

/* Must be called after the thread got the turn: the memory may have been freed while it waited. */
void sched_check_heap(uint64_t address, uint64_t size, uint64_t site)
{
	if (sched.control->options & CONTROL_CHECK_HEAP && det_heap_is_freed(address, size))
		sched_fault(CONTROL_USE_AFTER_FREE, address, site);
}

void sched_finish_access(struct sched_thread *t)
{
	if (!t->access_open)
		return;
	t->access_open = false;
	if (t->access_event)
		t->access_event->other = sched_value(t->access_address, t->access_size);
}

void sched_finish_own_access(void)
{
	if (sched_me)
		sched_finish_access(sched_me);
}

/* ---- the log of steps ------------------------------------------------------------------------ */

/* Events that are not logged are written here. */
struct control_event sched_unlogged;

/*
 * Returns the log's event for the next step. The caller fills in the fields that are not set here.
 * count_step() makes the event part of the log.
 */
static inline struct control_event *begin_event(const struct sched_thread *t, enum event_kind kind)
{
	struct control_event *event = sched.event;

	event->thread = sched_number(t);
	event->step = t->step;
	event->kind = (uint8_t)kind;
	event->flags = t->decided ? 0 : CONTROL_EVENT_NO_CHOICE;
	event->spare = 0;
	return event;
}

/* The step is done: counts it and keeps its event. */
static inline void count_step(struct sched_thread *t, struct control_event *event)
{
	struct control *control = sched.control;

	t->decided = false;
	t->step++;
	if (__builtin_expect(event != &sched_unlogged, 1)) {
		t->access_event = event;
		sched.event = event + 1 == sched.events_end ? &sched_unlogged : event + 1;
		control->event_count++;
	} else {
		t->access_event = NULL;
		control->events_lost = sched.events_end != NULL;
	}
	if (__builtin_expect(++control->steps == control->most_steps, 0))
		sched_end_run(CONTROL_LIMIT, "", 0);
	if (__builtin_expect(!sched.unconstrained, 0) && event->kind != EV_END)
		sched_plan_step_done(t, event);
}

/* ---- accesses of instrumented code ----------------------------------------------------------- */

static void decide_before_access(struct sched_thread *t, const struct wire_element *e,
				 uint64_t address, uint64_t value)
{
	struct sched_op *op = &t->op;

	/* One by one: the code that the compiler makes of an initialiser is slower. */
	op->kind = (enum event_kind)e->kind;
	op->how = EVENT_PLAIN;
	op->size = e->size;
	op->object = address;
	op->other = value;
	op->site = (uint64_t)e;
	op->foreign = false;
	op->pause = SCHED_NO_PAUSE;
	op->pc = 0;
	carrier_vectors_live = true;
	sched_decide(t);
	carrier_vectors_live = false;
}

/*
 * A jump or a cancellation can make a thread leave a segment in the middle. Then the thread has
 * done accesses that are in the schedule but have no record, so the schedule is abandoned.
 * track_segment() and sched_check_torn_segment() notice this when another segment or record begins
 * at the address of a segment that has not ended.
 */
static void abandon_schedule(void *unused)
{
	(void)unused;
	sched_log_abandon();
}

static void track_segment(struct sched_thread *t, const uint8_t *record, unsigned element)
{
	if (__builtin_expect(thread_buffer_self.asynchronous, 0) && t->segment == record &&
	    element <= t->element)
		save_vectors_call(abandon_schedule, NULL);
	t->segment = record;
	t->element = element;
}

static bool is_in_segment(const struct sched_thread *t)
{
	return t->segment == (const uint8_t *)__sooth_lane->cursor;
}

void sched_check_torn_segment(void)
{
	if (!sched_me)
		return;
	if (is_in_segment(sched_me))
		sched_log_abandon();
	sched_me->segment = NULL;
}

bool sched_jump_would_lose_steps(void)
{
	return sched_on() && sched_me &&
	       (is_in_segment(sched_me) ||
		(sched_me->state != SCHED_RUNNING && sched_me->state != SCHED_OUTSIDE));
}

/*
 * The hot path. It is short if the same thread continues: an earlier decision says up to which step
 * (next_decision). It uses no vector registers, and nothing that it calls does (save_vectors.h).
 */
void sched_access(const uint8_t *record, unsigned element)
{
	struct sched_thread *t = sched_me;
	uint64_t address, value = 0;

	if (__builtin_expect(!sched_on(), 0)) {
		if (sched_may_leave())
			sched_in_handler();
		return;
	}
	if (!t)
		return;
	const struct wire_element *e = access_decoder_next(record, element, &address);
	if (__builtin_expect(!e, 0))
		return;
	bool reads = e->kind == EV_READ,
	     has_value = reads || access_decoder_value(e, record, &value);
	sched_begin_work(t);
	sched_keep_turn(t);
	sched_finish_access(t);
	if (t->step < sched.next_decision) {
		sched_count_progress();
		t->decided = true;
	} else {
		decide_before_access(t, e, address, value);
	}
	sched_check_heap(address, e->size, (uint64_t)e);

	struct control_event *event = begin_event(t, (enum event_kind)e->kind);
	event->size = e->size;
	event->address = address;
	event->site = (uint64_t)e;
	if (!reads) {
		if (!has_value || e->size > 8 || address < 4096 ||
		    sched_value(address, e->size) != value)
			sched_spin_reset(t);
		/* at lower addresses, the program is about to crash by itself */
	} else if (address >= 4096) {
		value = sched_value(address, e->size);
		sched_spin_read(t, address, e->size, value, (uint64_t)e);
	}
	event->other = value;
	count_step(t, event);
	track_segment(t, record, element);
	if (!has_value) {
		t->access_open = t->access_event != NULL;
		t->access_address = address;
		t->access_size = e->size;
	}
	sched_end_work(t);
}

/* ---- steps that have a record ---------------------------------------------------------------- */

static uint64_t first_bytes(const void *bytes, size_t size)
{
	return bytes ? sched_value((uint64_t)bytes, size < 8 ? (uint32_t)size : 8) : 0;
}

/* Copies the fields of a record to the event in the log. */
static void fill_event(struct control_event *event, const struct record_fields *fields,
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

static uint8_t event_flags(const struct sched_thread *t, enum event_kind kind, uint64_t mode)
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
		if (t->op.how == EVENT_TIMED)
			flags |= CONTROL_EVENT_TIMED;
		if (t->outcome == SCHED_TIMED_OUT)
			flags |= CONTROL_EVENT_TIMED_OUT;
		if (t->outcome == SCHED_SPURIOUS)
			flags |= CONTROL_EVENT_SPURIOUS;
		break;
	default: break;
	}
	return flags;
}

/*
 * Spin detection (sched_spin.c): a thread that only repeats some of these operations waits for
 * another thread.
 */
static void watch_for_spin(struct sched_thread *t, const struct control_event *event,
			   const void *bytes)
{
	switch (event->kind) {
	case EV_FENCE:
	case EV_PROBE:
	case EV_POINT:
	case EV_OPAQUE: break; /* a loop may wait by calls of such code */
	case EV_ATOMIC_UPDATE:
		if (first_bytes(bytes, event->size) != event->other || event->size > 8) {
			sched_spin_reset(t);
			break;
		}
		/* fall through */
	case EV_READ:
	case EV_ATOMIC_READ:
		sched_spin_read(t, event->address, event->size, event->other, event->site);
		break;
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL:
	case EV_DOWN_FAIL: sched_spin_try(t, event->address, event->site); break;
	default: sched_spin_reset(t); break;
	}
}

void sched_recorded(enum event_kind kind, uintptr_t pc, const struct record_fields *fields,
		    const void *bytes, size_t size)
{
	struct sched_thread *t = sched_me;

	(void)size;
	if (!t || !event_is_step(kind))
		return;
	sched_begin_work(t);
	sched_keep_turn(t);
	sched_finish_access(t);
	enum event_group group = event_group(kind);
	if (group == EG_ACCESS && !(kind == EV_READ && fields->m & EF_LOOK)) {
		sched_check_heap(fields->a, fields->n, t->op.site);
		if (kind == EV_COPY)
			sched_check_heap(fields->b, fields->n, t->op.site);
	}
	struct control_event *event = begin_event(t, kind);
	fill_event(event, fields, bytes);
	if (group == EG_ATOMIC)
		event->flags |= CONTROL_EVENT_ATOMIC;
	else
		event->flags |= event_flags(t, kind, fields->m);
	if (t->op.foreign)
		event->flags |= CONTROL_EVENT_FOREIGN;
	event->site = t->op.pc == pc ? t->op.site : access_decoder_site(kind, pc);
	sched_object_apply(t, kind, group, fields);
	watch_for_spin(t, event, bytes);
	count_step(t, event);
	sched_end_work(t);
}

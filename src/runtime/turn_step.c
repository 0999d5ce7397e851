/*
 * What an operation leaves behind: its step is counted and logged, and what the scheduler knows
 * changes. Accesses of instrumented code come by turn_access (turn.c), all else by its record.
 */
#include "runtime/turn_state.h"

#include "runtime/follow.h"
#include "runtime/place.h"

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
	if (t->access_event != CONTROL_NONE)
		turn.events[t->access_event].other = turn_value(t->access_address, t->access_size);
}

void turn_settle(void)
{
	if (turn_me)
		turn_settle_access(turn_me);
}

void turn_did(struct turn_thread *t, struct control_event *event)
{
	event->thread = turn_number(t);
	event->step = t->step;
	event->others = t->others > UINT16_MAX ? UINT16_MAX : (uint16_t)t->others;
	if (!t->decided)
		event->flags |= CONTROL_EVENT_NO_CHOICE;
	t->decided = false;
	t->step++;
	t->access_event = CONTROL_NONE;
	if (turn.events) {
		struct control_event *kept = turn_log_step(t, event);
		if (kept)
			t->access_event = (uint32_t)(kept - turn.events);
	}
	struct control *control = turn.control;
	if (++control->steps == control->most_steps)
		turn_end_run(CONTROL_LIMIT, "", 0);
	if (!turn.plain && event->kind != EV_END)
		turn_plan_did(t, event);
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
	uint8_t flags = event_group(kind) == EG_ATOMIC ? CONTROL_EVENT_ATOMIC : 0;

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
	case EV_FENCE: break;
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
	struct control_event event = { .kind = (uint8_t)kind };

	(void)size;
	if (!t || !event_is_step(kind))
		return;
	if (turn.holder != turn_number(t))
		turn_return();
	turn_settle_access(t);
	describe(&event, fields, bytes);
	event.flags = flags_of(t, kind, fields->m);
	if (t->want.foreign)
		event.flags |= CONTROL_EVENT_FOREIGN;
	if (event_group(kind) == EG_ACCESS) {
		turn_check_heap(fields->a, fields->n, t->want.site);
		if (kind == EV_COPY)
			turn_check_heap(fields->b, fields->n, t->want.site);
	}
	event.site = t->want.pc == pc ? t->want.site : follow_site(pc);
	turn_object_did(t, kind, fields);
	note_spin(t, &event, bytes);
	turn_did(t, &event);
}

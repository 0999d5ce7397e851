#include "event/event.h"

static const struct {
	const char *name, *text, *fields;
	enum event_group group;
} kinds[] = {
#define EVENT(name, text, group, fields) [EV_##name] = { #name, text, fields, EG_##group },
#include "event/event.def"
#undef EVENT
};

#define FIELD(fields, letter, bit) (__builtin_strchr(fields, letter) ? bit : 0)
#define SET(fields)                                                                                \
	(FIELD(fields, 'p', EVENT_FIELD_P) | FIELD(fields, 't', EVENT_FIELD_T) |                   \
	 FIELD(fields, 'q', EVENT_FIELD_Q) | FIELD(fields, 'a', EVENT_FIELD_A) |                   \
	 FIELD(fields, 'b', EVENT_FIELD_B) | FIELD(fields, 'n', EVENT_FIELD_N) |                   \
	 FIELD(fields, 'm', EVENT_FIELD_M))
#define N_IS_FIRST(fields) (!__builtin_strncmp(fields, "ptna", 4))

const uint8_t event_field_set[EV_COUNT] = {
#define EVENT(name, text, group, fields) [EV_##name] = N_IS_FIRST(fields) ? 0 : SET(fields),
#include "event/event.def"
#undef EVENT
};

const char *event_name(enum event_kind kind)
{
	return kind < EV_COUNT ? kinds[kind].name : "?";
}

const char *event_text(enum event_kind kind)
{
	return kind < EV_COUNT ? kinds[kind].text : "?";
}

const char *event_fields(enum event_kind kind)
{
	return kind < EV_COUNT ? kinds[kind].fields : "";
}

bool event_is_step(enum event_kind kind)
{
	switch (kind) {
	case EV_REQUEST: /* not a step: whether these are recorded depends on the schedule */
	case EV_READ_REQUEST:
	case EV_DOWN_REQUEST:
	case EV_JOIN_REQUEST:
	case EV_MISUSE:
	case EV_ENTER: /* not a step: no other thread can observe these */
	case EV_EXIT: return false;
	default: return event_group(kind) != EG_NOTE;
	}
}

bool event_fits_site(enum event_kind kind, unsigned group)
{
	enum event_group own = event_group(kind);

	group &= 0xff; /* without WIRE_SITE_WRAPPER */
	switch (kind) {
	case EV_FD_OPEN: /* calls that record these have no EV_SITE */
	case EV_FD_CLOSE:
	case EV_FD_USE:
	case EV_MAP:
	case EV_UNMAP:
	case EV_OPAQUE: return false;
	case EV_MISUSE: return group == EG_NOTE || group >= EG_THREAD;
	default: /* a wait for a condition also has records of its lock */
		return group == EG_NOTE || group == own ||
		       (group == EG_CONDITION && own == EG_LOCK);
	}
}

enum event_group event_group(enum event_kind kind)
{
	return kind < EV_COUNT ? kinds[kind].group : EG_NOTE;
}

#include "event/event.h"

static const struct {
	const char *name, *text, *fields;
	enum event_group group;
} kinds[] = {
#define EVENT(name, text, group, fields) [EV_##name] = { #name, text, fields, EG_##group },
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
	case EV_REQUEST: /* whether they are recorded depends on the schedule */
	case EV_READ_REQUEST:
	case EV_DOWN_REQUEST:
	case EV_JOIN_REQUEST:
	case EV_MISUSE:
	case EV_ENTER: /* nobody else can tell when */
	case EV_EXIT: return false;
	default: return event_group(kind) != EG_NOTE;
	}
}

enum event_group event_group(enum event_kind kind)
{
	return kind < EV_COUNT ? kinds[kind].group : EG_NOTE;
}

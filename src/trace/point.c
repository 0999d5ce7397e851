#include "trace/point.h"

#include "trace/names.h"
#include "trace/point_text.h"
#include "trace/store.h"

#include <inttypes.h>
#include <string.h>

const char *const point_words[POINT_KINDS] = { "call", "exec", "return", "probe" };

/* ---- text traces -------------------------------------------------------------------------- */

static bool read_words(const struct trace_cursor *cursor, uint8_t kind, const char *text,
		       size_t length, struct trace_point *point)
{
	char *room = text ? store_cursor_room(cursor, POINT_ROOM(length)) : NULL;

	if (!room)
		return false;
	point_read_text(kind, text, length, room, point);
	return true;
}

/* A `ret` has the arguments of the call that it ends, unless it says some itself. */
static bool read_return(const struct trace_cursor *cursor, const char *text,
			struct trace_point *point)
{
	const char *call = store_cursor_ended(cursor);
	struct trace_point began;
	size_t length, begun;
	char *room;

	if (!text)
		return false;
	length = strlen(text);
	begun = call ? strlen(call) : 0;
	room = store_cursor_room(cursor, POINT_ROOM(length) + POINT_ROOM(begun));
	point_read_text(POINT_RETURN, text, length, room, point);
	if (!call || point->count)
		return true;
	point_read_text(POINT_CALL, call, begun, room + POINT_ROOM(length), &began);
	point->count = began.count;
	point->more = began.more;
	memcpy(point->arguments, began.arguments, sizeof began.arguments);
	return true;
}

static bool read_text(const struct trace_cursor *cursor, const struct trace_event *event,
		      bool calls_are_points, struct trace_point *point)
{
	const struct trace *trace = store_cursor_trace(cursor);
	const char *call = trace_call_text(trace, event->pc);

	switch (event->kind) {
	case EV_ENTER:
		return calls_are_points &&
		       read_words(cursor, POINT_CALL, call, call ? strlen(call) : 0, point);
	case EV_EXIT: return calls_are_points && read_return(cursor, call, point);
	case EV_PROBE:
		return read_words(cursor, POINT_PROBE, (const char *)event->value, event->size,
				  point);
	case EV_POINT:
		return event->value &&
		       point_read_line((const char *)event->value, event->size,
				       store_cursor_room(cursor, POINT_ROOM(event->size)), point);
	}
	return false;
}

/* ---- recordings --------------------------------------------------------------------------- */

bool point_read_record(const struct trace *trace, const struct trace_event *event,
		       struct trace_point *point)
{
	(void)trace;
	(void)point;
	return event->kind == EV_POINT && false;
}

bool trace_read_point(const struct trace_cursor *cursor, const struct trace_event *event,
		      struct trace_point *point)
{
	bool calls_are_points;

	if (event_group(event->kind) != EG_FUNCTION)
		return false;
	if (store_cursor_is_text(cursor, &calls_are_points))
		return read_text(cursor, event, calls_are_points, point);
	return point_read_record(store_cursor_trace(cursor), event, point);
}

/* ---- printing ----------------------------------------------------------------------------- */

static void print_value(FILE *out, const struct trace_value *value)
{
	if (!value->known) {
		fputc('?', out);
		return;
	}
	switch (value->type) {
	case POINT_SIGNED: fprintf(out, "%" PRId64, (int64_t)value->bits); break;
	case POINT_UNSIGNED: fprintf(out, "%" PRIu64, value->bits); break;
	case POINT_POINTER:
		if (value->bits)
			fprintf(out, "0x%" PRIx64, value->bits);
		else
			fputs("NULL", out);
		break;
	case POINT_FLOAT: {
		char text[40];

		snprintf(text, sizeof text, "%.17g", value->number);
		fputs(text, out);
		if (!strpbrk(text,
			     ".en")) /* 2 would be read as an integer; inf and nan are words */
			fputs(".0", out);
		break;
	}
	case POINT_STRING:
		fputc('"', out);
		names_escape(out, value->text, value->length, "\"");
		fputs(value->cut ? "\"..." : "\"", out);
		break;
	case POINT_BYTES:
		fputs("x\"", out);
		for (uint32_t i = 0; i < value->length; i++)
			fprintf(out, "%02x", (uint8_t)value->text[i]);
		fputc('"', out);
		break;
	default: fputc('?', out);
	}
}

void point_print(FILE *out, const struct trace_point *point)
{
	fprintf(out, "%s ", point_words[point->kind]);
	if (point->library)
		fprintf(out, "\"%s\":", point->library);
	fprintf(out, "%s(", point->function);
	for (uint32_t i = 0; i < point->count; i++) {
		if (i)
			fputc(',', out);
		print_value(out, &point->arguments[i]);
	}
	if (point->more)
		fputs(",?", out);
	fputc(')', out);
	if (point->kind == POINT_RETURN && point->result.type != POINT_VOID) {
		fputc('=', out);
		print_value(out, &point->result);
	}
}

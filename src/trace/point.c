/*
 * Reads points from events, and prints them. In a recording, a point is the payload of a POINT; the
 * table of points gives its layout. In a text trace, a point is the text of a line.
 */
#include "trace/point.h"

#include "event/codec.h"
#include "trace/point_text.h"
#include "trace/store.h"

#include <inttypes.h>
#include <string.h>

const char *const point_words[POINT_KINDS] = { "call", "exec", "return", "probe" };

/* ---- text traces ----------------------------------------------------------------------------- */

static bool read_words(const struct trace_cursor *cursor, uint8_t kind, const char *text,
		       size_t length, struct trace_point *point)
{
	char *room = text ? store_cursor_room(cursor, POINT_ROOM(length)) : NULL;

	if (!room)
		return false;
	point_read_text(kind, text, length, room, point);
	return true;
}

/* A `ret` without arguments gets the arguments of the call that it ends. */
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

/* ---- recordings ------------------------------------------------------------------------------ */

struct point_payload {
	const uint8_t *p, *end;
};

static bool take_bytes(struct point_payload *in, void *out, size_t bytes)
{
	if ((size_t)(in->end - in->p) < bytes)
		return false;
	memcpy(out, in->p, bytes);
	in->p += bytes;
	return true;
}

static bool take_text(struct point_payload *in, struct trace_value *value)
{
	uint16_t length;

	if (!take_bytes(in, &value->bits, 8) || !take_bytes(in, &length, 2))
		return false;
	value->type = POINT_STRING;
	value->known = length != POINT_STRING_UNREADABLE;
	if (!value->known)
		return true;
	value->cut = length & POINT_STRING_CUT;
	value->length = length & ~POINT_STRING_CUT;
	value->text = (const char *)in->p;
	if (value->length > in->end - in->p)
		return false;
	in->p += value->length;
	return true;
}

static bool take_number(struct point_payload *in, char letter, struct trace_value *value)
{
	if (!take_bytes(in, &value->bits, 8))
		return false;
	value->known = true;
	if (letter == 'f') {
		float number;

		memcpy(&number, &value->bits, sizeof number);
		value->number = (double)number;
	} else if (letter == 'd') {
		memcpy(&value->number, &value->bits, sizeof value->number);
	}
	value->type = letter == 'f' || letter == 'd' ? POINT_FLOAT
		      : letter == 'p'		     ? POINT_POINTER
		      : letter >= 'a'		     ? POINT_SIGNED
						     : POINT_UNSIGNED;
	return true;
}

static bool take_value(struct point_payload *in, char letter, struct trace_value *value)
{
	*value = (struct trace_value){ .type = letter == 'v' ? POINT_VOID : POINT_OPAQUE };
	if (letter == 'o' || letter == 'v')
		return true;
	if (letter == 's')
		return take_text(in, value);
	if (letter > '@')
		return take_number(in, letter, value);
	value->type = POINT_BYTES;
	value->known = true;
	value->text = (const char *)in->p;
	value->length = (uint32_t)(letter - '0');
	if (value->length > in->end - in->p)
		return false;
	in->p += value->length;
	return true;
}

/* Reads the arguments that were passed to `from`, a CALL, BODY or PROBE. */
static bool take_arguments(struct point_payload *in, const struct store_point *from,
			   struct trace_point *point)
{
	point->more = from->flags & POINT_ROW_MORE;
	for (const char *type = from->types; *type && *type != '*'; type++)
		if (!take_value(in, *type, &point->arguments[point->count++]))
			return false;
	return true;
}

/* Reads the rest of the payload: the values that arguments point at. */
static bool take_pointed(struct point_payload *in, const struct store_point *from,
			 struct trace_point *point)
{
	const char *types = strchr(from->types, '*');

	while (in->p < in->end) {
		unsigned which = *in->p++;
		unsigned i = (which & 127) - 1;

		if (i >= point->count)
			return false;
		if (which & 128)
			continue;
		if (!types || strlen(types + 1) <= i ||
		    !take_number(in, types[1 + i], &point->pointed[i]))
			return false;
	}
	return true;
}

static bool take_return(const struct trace *trace, struct point_payload *in,
			const struct store_point *self, struct trace_point *point)
{
	const struct store_point *call;
	uint64_t number;

	if (!codec_get_number(&in->p, in->end, &number))
		return false;
	call = store_point(trace, number);
	if (number && (!call || !take_arguments(in, call, point)))
		return false;
	if (*self->types && *self->types != '*' && !take_value(in, *self->types, &point->result))
		return false;
	return !call || take_pointed(in, call, point);
}

bool point_read_record(const struct trace *trace, const struct trace_event *event,
		       struct trace_point *point)
{
	const struct store_point *self =
		event->kind == EV_POINT ? store_point(trace, event->number) : NULL;
	struct point_payload in = { event->value, event->value + event->size };

	if (!self || !event->value)
		return false;
	*point = (struct trace_point){
		.kind = self->kind,
		.function = self->name,
		.plain = self->plain ? self->plain : self->name,
		.library = self->library,
		.is_body = self->kind == POINT_RETURN && !(self->flags & POINT_ROW_AFTER_CALL),
	};
	if (self->kind == POINT_RETURN)
		return take_return(trace, &in, self, point);
	return take_arguments(&in, self, point) && take_pointed(&in, self, point);
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

/* ---- printing -------------------------------------------------------------------------------- */

static void print_text(FILE *out, const char *text, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\n' || c == '\t')
			fputs(c == '\n' ? "\\n" : "\\t", out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c >= 127)
			fprintf(out, "\\%03o", c);
		else
			fputc(c, out);
	}
}

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
			     ".en")) /* "2" would be read as an integer; "inf" and "nan" are not */
			fputs(".0", out);
		break;
	}
	case POINT_STRING:
		fputc('"', out);
		print_text(out, value->text, value->length);
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
	if (point->library &&
	    (point->kind == POINT_CALL || (point->kind == POINT_RETURN && !point->is_body)))
		fprintf(out, "\"%s\":", point->library);
	fprintf(out, "%s(", point->plain);
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

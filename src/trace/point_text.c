/*
 * Reads points in a text trace: what follows `call`, `ret`, `probe` and `point`.
 *
 *	f(1, "x", name)			call, probe
 *	f=3, f(1,2)=3, f		ret
 *	call f(1) | exec f(1) | return f(1)=3 | probe app:n(1)		point
 *
 * A value is a number (SIGNED; with 0x, or NULL, a POINTER; with a fraction or an exponent a
 * FLOAT), "text" in quotes, with the escapes \" \\ \n \t and \ooo of C (dots after the second quote
 * mean that the text was cut), bytes as x"0a0b", or any other word, which is a STRING. A `?` is an
 * unknown value.
 */
#include "trace/point_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct point_reader {
	const char *p, *end;
	char *room; /* the next unescaped text goes here; it is never longer than the input */
};

static void skip_spaces(struct point_reader *t)
{
	while (t->p < t->end && isspace((unsigned char)*t->p))
		t->p++;
}

static bool skip(struct point_reader *t, char c)
{
	skip_spaces(t);
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool read_number(const char *text, size_t length, struct trace_value *value)
{
	bool hex = length > 2 && !strncmp(text, "0x", 2);
	char copy[64], *stop;

	if (!length || length >= sizeof copy || (!isdigit((unsigned char)*text) && *text != '-'))
		return false;
	memcpy(copy, text, length);
	copy[length] = 0;
	errno = 0;
	value->bits = strtoull(copy, &stop, hex ? 16 : 10);
	value->type = hex ? POINT_POINTER : POINT_SIGNED;
	if (!*stop && !errno) {
		if (!hex && *copy != '-' && value->bits > INT64_MAX)
			value->type = POINT_UNSIGNED;
		return true;
	}
	value->number = strtod(copy, &stop);
	value->type = POINT_FLOAT;
	return !*stop && length > 1;
}

/* Converts hex digits to bytes in place. Returns false if they are not hex digits. */
static bool read_hex(char *text, uint32_t *length)
{
	if (*length % 2)
		return false;
	for (uint32_t i = 0; i < *length; i += 2) {
		char pair[3] = { text[i], text[i + 1], 0 }, *stop;

		text[i / 2] = (char)strtoul(pair, &stop, 16);
		if (*stop)
			return false;
	}
	*length /= 2;
	return true;
}

/* Reads one character, or an escape sequence. */
static char read_character(struct point_reader *t)
{
	char c = *t->p++;
	unsigned value = 0, digits = 0;

	if (c != '\\' || t->p == t->end)
		return c;
	for (; digits < 3 && t->p < t->end && *t->p >= '0' && *t->p <= '7'; digits++)
		value = value * 8 + (unsigned)(*t->p++ - '0');
	if (digits)
		return (char)value;
	c = *t->p++;
	return c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

/* Reads a quoted text after its first quote. */
static void read_quoted(struct point_reader *t, struct trace_value *value, bool bytes)
{
	char *copy = t->room;
	bool closed = false;

	while (t->p < t->end && !(closed = *t->p == '"'))
		*t->room++ = read_character(t);
	t->p += closed;
	value->length = (uint32_t)(t->room - copy);
	value->text = copy;
	value->type = bytes ? POINT_BYTES : POINT_STRING;
	value->known = closed && (!bytes || read_hex(copy, &value->length));
	if (t->end - t->p >= 3 && !memcmp(t->p, "...", 3)) {
		value->cut = true;
		t->p += 3;
	}
}

static struct trace_value read_value(struct point_reader *t, const char *stops)
{
	struct trace_value value = { .known = true };
	const char *start;
	size_t length;

	skip_spaces(t);
	if (t->end - t->p >= 2 && t->p[0] == 'x' && t->p[1] == '"') {
		t->p += 2;
		read_quoted(t, &value, true);
		return value;
	}
	if (skip(t, '"')) {
		read_quoted(t, &value, false);
		return value;
	}
	start = t->p;
	while (t->p < t->end && !strchr(stops, *t->p))
		t->p++;
	length = (size_t)(t->p - start);
	while (length && isspace((unsigned char)start[length - 1]))
		length--;
	if (!length || (length == 1 && *start == '?')) {
		value.known = false;
		value.type = POINT_OPAQUE;
	} else if (length == 4 && !memcmp(start, "NULL", 4)) {
		value.type = POINT_POINTER;
	} else if (!read_number(start, length, &value)) {
		value = (struct trace_value){ .type = POINT_STRING,
					      .known = true,
					      .text = start,
					      .length = (uint32_t)length };
	}
	return value;
}

/* ---- the whole point ------------------------------------------------------------------------- */

/* Reads "lib":f or f, and stores the names in t->room, each with a terminating NUL. */
static void read_name(struct point_reader *t, struct trace_point *point)
{
	const char *start, *colon;
	size_t length;

	skip_spaces(t);
	if (t->p < t->end && *t->p == '"' &&
	    (colon = memmem(t->p + 1, (size_t)(t->end - t->p - 1), "\":", 2))) {
		length = (size_t)(colon - t->p - 1);
		memcpy(t->room, t->p + 1, length);
		t->room[length] = 0;
		point->library = t->room;
		t->room += length + 1;
		t->p = colon + 2;
	}
	start = t->p;
	while (t->p < t->end && *t->p != '(' && *t->p != '=')
		t->p++;
	length = (size_t)(t->p - start);
	while (length && isspace((unsigned char)start[length - 1]))
		length--;
	memcpy(t->room, start, length);
	t->room[length] = 0;
	point->function = point->plain = t->room;
	t->room += length + 1;
}

static void read_arguments(struct point_reader *t, struct trace_point *point)
{
	if (!skip(t, '('))
		return;
	if (skip(t, ')'))
		return;
	do {
		struct trace_value value = read_value(t, ",)");

		if (point->count < POINT_ARGUMENTS)
			point->arguments[point->count++] = value;
		else
			point->more = true;
	} while (skip(t, ','));
	skip(t, ')');
}

static void read_point(struct point_reader *t, struct trace_point *point)
{
	read_name(t, point);
	read_arguments(t, point);
	if (point->kind == POINT_RETURN && skip(t, '='))
		point->result = read_value(t, "");
}

void point_read_text(uint8_t kind, const char *text, size_t length, char *room,
		     struct trace_point *point)
{
	struct point_reader t = { text, text + length, room };

	*point = (struct trace_point){ .kind = kind, .is_body = kind == POINT_RETURN };
	read_point(&t, point);
}

/* Returns which of the words the text starts with, or POINT_KINDS if none. */
static unsigned find_kind(const char *text, size_t length)
{
	unsigned kind = 0;

	for (; kind < POINT_KINDS; kind++) {
		size_t word = strlen(point_words[kind]);

		if (length > word + 1 && !memcmp(text, point_words[kind], word) &&
		    text[word] == ' ')
			break;
	}
	return kind;
}

bool point_is_line(const char *text, size_t length)
{
	return find_kind(text, length) < POINT_KINDS;
}

bool point_read_line(const char *text, size_t length, char *room, struct trace_point *point)
{
	unsigned kind = find_kind(text, length);
	size_t word;

	if (kind == POINT_KINDS)
		return false;
	word = strlen(point_words[kind]) + 1;
	point_read_text((uint8_t)kind, text + word, length - word, room, point);
	return true;
}

size_t point_text_name(const char *text)
{
	size_t length = strcspn(text, "(=");

	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	return length;
}

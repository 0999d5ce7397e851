/*
 * Splits a line of a text trace into thread, operation, arguments, result and place; reads numbers.
 */
#include "trace/parse.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 100 /* maximum number of characters of the line that a message shows */

bool parse_fail(const struct parse_line *line, const char *at, struct err *err, const char *format,
		...)
{
	size_t column = (size_t)(at - line->whole.text), from = 0, length, used;
	char text[256], shown[SHOWN + 1];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (column > SHOWN / 2)
		from = column - SHOWN / 2;
	length = line->whole.length - from;
	if (length > SHOWN)
		length = SHOWN;
	for (used = 0; used < length; used++) {
		char c = line->whole.text[from + used];

		shown[used] = isprint((unsigned char)c) || (c & 128) ? c : ' ';
	}
	shown[used] = 0;
	return err_set(err, "%s:%zu:%zu: %s\n  %s\n  %*s^", line->file, line->number, column + 1,
		       text, shown, (int)(column - from), "");
}

bool parse_is(struct parse_slice slice, const char *word)
{
	return strlen(word) == slice.length && !memcmp(word, slice.text, slice.length);
}

/* ---- splitting a line ------------------------------------------------------------------------ */

/* Takes the text up to `stop` and skips `stop`. Without one, takes the rest and returns false. */
static bool take_until(const char **p, const char *end, char stop, struct parse_slice *slice)
{
	const char *hit = memchr(*p, stop, (size_t)(end - *p));

	*slice = (struct parse_slice){ *p, (size_t)((hit ? hit : end) - *p) };
	*p = hit ? hit + 1 : end;
	return hit;
}

static bool is_call(struct parse_slice op)
{
	return parse_is(op, "call") || parse_is(op, "ret") || parse_is(op, "probe") ||
	       parse_is(op, "point");
}

static bool split_arguments(struct parse_line *line, const char *p, const char *end,
			    struct err *err)
{
	line->has_arguments = true;
	if (p == end)
		return true;
	for (bool more = true; more;) {
		if (line->count == PARSE_ARGUMENTS)
			return parse_fail(line, p, err, "expected ')': too many arguments");
		more = take_until(&p, end, ',', &line->arguments[line->count++]);
	}
	return true;
}

/* Splits "op", "op=result", "op(arguments)", "op(arguments)=result" or "call f(...)". */
static bool split_operation(struct parse_line *line, struct parse_slice whole, struct err *err)
{
	const char *p = whole.text, *end = whole.text + whole.length, *close;
	size_t length = 0;

	while (p + length < end && !strchr("(= ", p[length]))
		length++;
	line->op = (struct parse_slice){ p, length };
	p += length;
	if (!length)
		return parse_fail(line, p, err, "expected an operation");
	if (p < end && *p == ' ' && is_call(line->op)) {
		line->call = (struct parse_slice){ p + 1, (size_t)(end - p - 1) };
		return line->call.length ? true : parse_fail(line, end, err, "expected a name");
	}
	if (p < end && *p == '(') {
		close = memchr(p, ')', (size_t)(end - p));
		if (!close)
			return parse_fail(line, end, err, "expected ')'");
		if (!split_arguments(line, p + 1, close, err))
			return false;
		p = close + 1;
	}
	if (p < end && *p == '=') {
		line->has_result = true;
		line->result = (struct parse_slice){ p + 1, (size_t)(end - p - 1) };
		if (!line->result.length)
			return parse_fail(line, end, err, "expected a value");
		p = end;
	}
	return p == end ? true : parse_fail(line, p, err, "expected '=' or '|'");
}

bool parse_line(struct parse_line *line, struct err *err)
{
	const char *p = line->whole.text, *end = p + line->whole.length;
	struct parse_slice operation;

	*line = (struct parse_line){ .file = line->file,
				     .number = line->number,
				     .whole = line->whole };
	if (!take_until(&p, end, '|', &line->thread))
		return parse_fail(line, end, err, "expected '|' and an operation after the thread");
	if (!line->thread.length)
		return parse_fail(line, line->whole.text, err, "expected a thread");
	take_until(&p, end, '|', &operation);
	line->place = (struct parse_slice){ p, (size_t)(end - p) };
	return split_operation(line, operation, err);
}

/* ---- numbers --------------------------------------------------------------------------------- */

int parse_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_hex(struct parse_slice s)
{
	return s.length > 2 && s.text[0] == '0' && (s.text[1] | 32) == 'x';
}

bool parse_number(struct parse_slice s, uint64_t *out)
{
	int base = is_hex(s) ? 16 : 10;
	uint64_t value = 0;

	if (!s.length)
		return false;
	for (size_t i = base == 16 ? 2 : 0; i < s.length; i++) {
		int d = parse_hex_digit(s.text[i]);

		if (d < 0 || d >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)d, &value))
			return false;
	}
	*out = value;
	return true;
}

static const char *parse_wide(struct parse_slice s, size_t size, uint8_t *out)
{
	size_t digits = s.length - 2;

	if (!is_hex(s))
		return "expected 0x and hex digits: the value has more than 8 bytes";
	if (digits > size * 2)
		return "the value has more bytes than the access";
	memset(out, 0, size);
	for (size_t i = 0; i < digits; i++) {
		int d = parse_hex_digit(s.text[s.length - 1 - i]);

		if (d < 0)
			return "expected hex digits";
		out[i / 2] |= (uint8_t)(d << (i % 2 * 4));
	}
	return NULL;
}

const char *parse_value(struct parse_slice s, size_t size, uint8_t *out)
{
	bool negative = s.length && s.text[0] == '-';
	uint64_t value, most;

	if (size > 8)
		return parse_wide(s, size, out);
	if (negative)
		s = (struct parse_slice){ s.text + 1, s.length - 1 };
	if (!parse_number(s, &value))
		return "expected a number";
	most = size == 8 ? UINT64_MAX : (1ull << size * 8) - 1;
	if (negative ? value > most / 2 + 1 : value > most)
		return "the value does not fit the size of the access";
	if (negative)
		value = -value;
	memcpy(out, &value, size);
	return NULL;
}

bool parse_cut_size(struct parse_slice *name, uint64_t *size)
{
	size_t i = name->length;

	while (i > 0 && isdigit((unsigned char)name->text[i - 1]))
		i--;
	if (i < 1 || i == name->length || name->text[i - 1] != '@')
		return true;
	if (!parse_number((struct parse_slice){ name->text + i, name->length - i }, size))
		return false;
	name->length = i - 1;
	return *size < 1ull << 47;
}

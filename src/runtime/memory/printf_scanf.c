/*
 * sprintf, sscanf and their kin: they write into the caller's memory, and read texts from it. Both are
 * accesses of the calling thread without a value (transfer.h), when instrumented code calls.
 */
#define __NO_INLINE__ 1 /* the C library's headers have bodies for some of these */
#include "runtime/memory/printf_scanf.h"

#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/transfer.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <wchar.h>

/* ---- conversions ------------------------------------------------------------------------------ */

/* One of them, behind its %. */
struct conversion {
	const char *end;		   /* behind it */
	char kind;			   /* 0: the format ends, or has numbered arguments */
	bool skipped;			   /* scanf: * */
	bool allocates;			   /* scanf: m */
	bool width_given, precision_given; /* printf: by an argument */
	int width, precision;		   /* INT_MAX: none */
	enum { CHAR, SHORT, INT, LONG, LONG_DOUBLE } length;
};

static int number(const char **at, int without)
{
	long value = 0;

	if (**at < '0' || **at > '9')
		return without;
	for (; **at >= '0' && **at <= '9'; ++*at)
		value = value > INT_MAX / 10 ? INT_MAX : value * 10 + (**at - '0');
	return value > INT_MAX ? INT_MAX : (int)value;
}

static const char *read_length(const char *at, struct conversion *c)
{
	c->length = INT;
	for (;; at++) {
		switch (*at) {
		case 'h': c->length = c->length == SHORT ? CHAR : SHORT; break;
		case 'l':
		case 'q':
		case 'j':
		case 'z':
		case 't':
		case 'Z': c->length = LONG; break;
		case 'L': c->length = LONG_DOUBLE; break;
		default: return at;
		}
	}
}

/* What stands between brackets: a ] that is the first there is one of them. */
static const char *behind_set(const char *at)
{
	at += *at == '^';
	at += *at == ']';
	at = strchr(at, ']');
	return at ? at + 1 : NULL;
}

static struct conversion finish(struct conversion c, const char *at)
{
	at = read_length(at, &c);
	c.kind = *at;
	c.end = *at ? at + 1 : at;
	if (c.kind == '$')
		c.kind = 0;
	return c;
}

static struct conversion read_print(const char *at)
{
	struct conversion c = { .width = 0, .precision = INT_MAX };

	while (*at && strchr("-+ #0'I", *at))
		at++;
	c.width_given = *at == '*';
	if (c.width_given)
		at++;
	number(&at, 0);
	if (*at == '.') {
		c.precision_given = *++at == '*';
		if (c.precision_given)
			at++;
		c.precision = number(&at, 0);
	}
	return finish(c, at);
}

static struct conversion read_scan(const char *at)
{
	struct conversion c = { .precision = INT_MAX };

	for (; *at == '*' || *at == '\''; at++)
		c.skipped |= *at == '*';
	c.width = number(&at, INT_MAX);
	c.allocates = *at == 'm';
	if (c.allocates)
		at++;
	c = finish(c, at);
	if (c.kind == '[') {
		c.end = behind_set(c.end);
		c.kind = c.end ? '[' : 0;
	}
	return c;
}

/* ---- what is printed -------------------------------------------------------------------------- */

static void read_text(const struct conversion *c, const void *text, uintptr_t pc)
{
	size_t most = c->precision < 0 ? SIZE_MAX : (size_t)c->precision;

	if (!text)
		return;
	if (c->precision == INT_MAX)
		most = SIZE_MAX;
	if (c->kind == 'S' || c->length == LONG) {
		size_t length = wcsnlen(text, most > SIZE_MAX / 8 ? SIZE_MAX / 8 : most);
		transfer_reads(text, (length + (length < most)) * sizeof(wchar_t), pc);
	} else {
		size_t length = strnlen(text, most);
		transfer_reads(text, length + (length < most), pc);
	}
}

/* Texts among the arguments, and where %n puts how many there were. */
static void look_at_printed(const char *format, va_list *values, bool before, uintptr_t pc)
{
	for (const char *at = format; (at = strchr(at, '%'));) {
		struct conversion c = read_print(at + 1);

		at = c.end;
		if (c.width_given)
			(void)va_arg(*values, int);
		if (c.precision_given)
			c.precision = va_arg(*values, int);
		switch (c.kind) {
		case '%':
		case 'm': break;
		case 'd':
		case 'i':
		case 'o':
		case 'u':
		case 'x':
		case 'X':
		case 'c':
		case 'C':
			if (c.length == LONG || c.length == LONG_DOUBLE)
				(void)va_arg(*values, long);
			else
				(void)va_arg(*values, int);
			break;
		case 'e':
		case 'f':
		case 'g':
		case 'a':
		case 'E':
		case 'F':
		case 'G':
		case 'A':
			if (c.length == LONG_DOUBLE)
				(void)va_arg(*values, long double);
			else
				(void)va_arg(*values, double);
			break;
		case 's':
		case 'S': {
			const void *text = va_arg(*values, const void *);
			if (before)
				read_text(&c, text, pc);
			break;
		}
		case 'p': (void)va_arg(*values, void *); break;
		case 'n': {
			static const uint8_t sizes[] = { 1, 2, 4, 8, 8 };
			const void *to = va_arg(*values, const void *);
			if (!before)
				transfer_wrote(to, sizes[c.length], pc);
			break;
		}
		default: return; /* registered by the program, or numbered arguments */
		}
	}
}

static void printed(const char *format, va_list values, bool before, uintptr_t pc)
{
	va_list copy;

	if (!transfer_is_seen(pc))
		return;
	va_copy(copy, values);
	look_at_printed(format, &copy, before, pc);
	va_end(copy);
}

/* How many of `room` bytes were written, the end of the text among them. */
static size_t filled(int result, size_t room)
{
	if (result < 0 || !room)
		return 0;
	return (size_t)result < room ? (size_t)result + 1 : room;
}

/*
 * Two interposers: one with a list of arguments, one with `...`. `to` is where, `room` bounds how much.
 * The compiler calls those with _chk where it knows how long the destination is.
 */
#define LIST(...) __VA_ARGS__
#define PRINT(name, list_name, parameters, arguments, at, bytes)                                   \
	static int at_##list_name(LIST parameters, const char *format, va_list values,             \
				  uintptr_t pc)                                                    \
	{                                                                                          \
		va_list copy;                                                                      \
		va_copy(copy, values);                                                             \
		printed(format, copy, true, pc);                                                   \
		int result = real()->list_name(LIST arguments, format, values);                    \
		transfer_wrote(at, bytes, pc);                                                     \
		printed(format, copy, false, pc);                                                  \
		va_end(copy);                                                                      \
		return result;                                                                     \
	}                                                                                          \
	SOOTH_API int list_name(LIST parameters, const char *restrict format, va_list values)      \
	{                                                                                          \
		return at_##list_name(LIST arguments, format, values, RECORD_CALLER);              \
	}                                                                                          \
	SOOTH_API int name(LIST parameters, const char *restrict format, ...)                      \
	{                                                                                          \
		va_list values;                                                                    \
		va_start(values, format);                                                          \
		int result = at_##list_name(LIST arguments, format, values, RECORD_CALLER);        \
		va_end(values);                                                                    \
		return result;                                                                     \
	}

PRINT(sprintf, vsprintf, (char *restrict to), (to), to, filled(result, SIZE_MAX))
PRINT(snprintf, vsnprintf, (char *restrict to, size_t room), (to, room), to, filled(result, room))
PRINT(__sprintf_chk, __vsprintf_chk, (char *restrict to, int level, size_t most), (to, level, most),
      to, filled(result, SIZE_MAX))
PRINT(__snprintf_chk, __vsnprintf_chk, (char *restrict to, size_t room, int level, size_t most),
      (to, room, level, most), to, filled(result, room))
/* The text is in a new block, which is nobody else's yet. */
PRINT(asprintf, vasprintf, (char **restrict to), (to), to, sizeof(*to))
PRINT(__asprintf_chk, __vasprintf_chk, (char **restrict to, int level), (to, level), to,
      sizeof(*to))

/* ---- what is scanned -------------------------------------------------------------------------- */

static size_t stored(const struct conversion *c, const void *at)
{
	static const uint8_t whole[] = { 1, 2, 4, 8, 8 };
	bool wide = c->kind == 'S' || c->kind == 'C' || c->length == LONG;

	if (c->allocates)
		return sizeof(void *);
	switch (c->kind) {
	case 'c':
	case 'C':
		return (c->width == INT_MAX ? 1 : (size_t)c->width) * (wide ? sizeof(wchar_t) : 1);
	case 's':
	case 'S':
	case '[': return wide ? (wcslen(at) + 1) * sizeof(wchar_t) : strlen(at) + 1;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return c->length == LONG_DOUBLE ? sizeof(long double)
		       : c->length == LONG	? sizeof(double)
						: sizeof(float);
	case 'p': return sizeof(void *);
	}
	return whole[c->length];
}

void printf_scanf_scanned(const char *format, va_list values, int result, uintptr_t pc)
{
	if (!transfer_is_seen(pc))
		return;
	for (const char *at = format; (at = strchr(at, '%'));) {
		struct conversion c = read_scan(at + 1);

		at = c.end;
		if (!c.kind)
			return;
		if (c.kind == '%' || c.skipped)
			continue;
		if (c.kind != 'n' && --result < 0)
			return;
		const void *to = va_arg(values, const void *);
		transfer_wrote(to, stored(&c, to), pc);
	}
}

static int scan(const char *text, const char *format, va_list values, uintptr_t pc)
{
	va_list copy;

	if (transfer_is_seen(pc))
		transfer_reads(text, strlen(text) + 1, pc);
	va_copy(copy, values);
	int result = real()->__isoc99_vsscanf(text, format, values);
	printf_scanf_scanned(format, copy, result, pc);
	va_end(copy);
	return result;
}

/* The names that these have since C99, as in stdio.c. */
SOOTH_API int __isoc99_vsscanf(const char *restrict text, const char *restrict format,
			       va_list values)
{
	return scan(text, format, values, RECORD_CALLER);
}

SOOTH_API int __isoc99_sscanf(const char *restrict text, const char *restrict format, ...)
{
	va_list values;

	va_start(values, format);
	int result = scan(text, format, values, RECORD_CALLER);
	va_end(values);
	return result;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* Up to where it was no number any more, that byte too. */
static void read_number(const char *text, const char *end, char **told, uintptr_t pc)
{
	transfer_reads(text, (size_t)(end - text) + 1, pc);
	if (told)
		transfer_wrote(told, sizeof(*told), pc);
}

#define NUMBER(type, name, parameters, arguments)                                                  \
	SOOTH_API type name parameters                                                             \
	{                                                                                          \
		char *end;                                                                         \
		type result = real()->name arguments;                                              \
		if (told)                                                                          \
			*told = end;                                                               \
		read_number(text, end, told, RECORD_CALLER);                                       \
		return result;                                                                     \
	}

#define WHOLE(type, name)                                                                          \
	NUMBER(type, name, (const char *restrict text, char **restrict told, int base),            \
	       (text, &end, base))
#define REAL_NUMBER(type, name)                                                                    \
	NUMBER(type, name, (const char *restrict text, char **restrict told), (text, &end))

WHOLE(long, strtol)
WHOLE(long long, strtoll)
WHOLE(unsigned long, strtoul)
WHOLE(unsigned long long, strtoull)
REAL_NUMBER(float, strtof)
REAL_NUMBER(double, strtod)
REAL_NUMBER(long double, strtold)

#define SIMPLE(type, name, real_name, ...)                                                         \
	SOOTH_API type name(const char *text)                                                      \
	{                                                                                          \
		char *end;                                                                         \
		type result = (type)real()->real_name(text, &end, ##__VA_ARGS__);                  \
		read_number(text, end, NULL, RECORD_CALLER);                                       \
		return result;                                                                     \
	}

SIMPLE(int, atoi, strtol, 10)
SIMPLE(long, atol, strtol, 10)
SIMPLE(long long, atoll, strtoll, 10)
SIMPLE(double, atof, strtod)

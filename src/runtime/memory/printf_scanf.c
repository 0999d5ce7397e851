/*
 * printf, sscanf and similar functions: they write to the caller's memory and read texts from it.
 * If the caller is instrumented, both are recorded as accesses by the calling thread without values
 * (transfer.h).
 */
#define __NO_INLINE__ 1 /* otherwise the headers define some of these inline */
#include "runtime/memory/printf_scanf.h"

#include "runtime/host/interposer.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/transfer.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <wchar.h>

/* ---- conversions ----------------------------------------------------------------------------- */

/* A conversion of a format. `end` points after its last character. */
struct conversion {
	const char *end;
	char kind;			   /* 0: the format ends here, or has numbered arguments */
	bool skipped;			   /* scanf: has a * (its result is not stored) */
	bool allocates;			   /* scanf: has an m (allocates its result) */
	bool width_given, precision_given; /* printf: * stands for the number */
	int width, precision;		   /* INT_MAX: not given */
	enum { CHAR, SHORT, INT, LONG, LONG_DOUBLE } length;
};

static int read_decimal(const char **at, int missing)
{
	long value = 0;

	if (**at < '0' || **at > '9')
		return missing;
	for (; **at >= '0' && **at <= '9'; ++*at)
		value = value > INT_MAX / 10 ? INT_MAX : value * 10 + (**at - '0');
	return value > INT_MAX ? INT_MAX : (int)value;
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static const char *read_length(const char *at, struct conversion *c)
{
	c->length = INT;
	for (;; at++) {
		if (*at == 'h')
			c->length = c->length == SHORT ? CHAR : SHORT;
		else if (*at == 'L')
			c->length = LONG_DOUBLE;
		else if (is_one_of(*at, "lqjztZ"))
			c->length = LONG;
		else
			return at;
	}
}

/*
 * `at` is after the opening bracket of a set of characters. Returns the address after its closing
 * bracket, or NULL if there is none. A ] at the beginning belongs to the set.
 */
static const char *after_set(const char *at)
{
	at += *at == '^';
	at += *at == ']';
	at = strchr(at, ']');
	return at ? at + 1 : NULL;
}

static struct conversion read_length_and_kind(struct conversion c, const char *at)
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

	while (is_one_of(*at, "-+ #0'I"))
		at++;
	c.width_given = *at == '*';
	if (c.width_given)
		at++;
	read_decimal(&at, 0);
	if (*at == '.') {
		c.precision_given = *++at == '*';
		if (c.precision_given)
			at++;
		c.precision = read_decimal(&at, 0);
	}
	return read_length_and_kind(c, at);
}

static struct conversion read_scan(const char *at)
{
	struct conversion c = { .precision = INT_MAX };

	for (; *at == '*' || *at == '\''; at++)
		c.skipped |= *at == '*';
	c.width = read_decimal(&at, INT_MAX);
	c.allocates = *at == 'm';
	if (c.allocates)
		at++;
	c = read_length_and_kind(c, at);
	if (c.kind == '[') {
		c.end = after_set(c.end);
		c.kind = c.end ? '[' : 0;
	}
	return c;
}

static const uint8_t integer_sizes[] = { 1, 2, 4, 8, 8 }; /* size in bytes, by `length` */

/* ---- printf ---------------------------------------------------------------------------------- */

static void record_text_read(const struct conversion *c, const void *text, uintptr_t pc)
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

/*
 * If `before`: records reads of the texts among the arguments, for a call that follows. Otherwise
 * records the writes of the call's %n conversions.
 */
static void record_arguments(const char *format, va_list *values, bool before, uintptr_t pc)
{
	for (const char *at = format; (at = strchr(at, '%'));) {
		struct conversion c = read_print(at + 1);

		at = c.end;
		if (c.width_given)
			(void)va_arg(*values, int);
		if (c.precision_given)
			c.precision = va_arg(*values, int);
		if (is_one_of(c.kind, "diouxXcC") && c.length >= LONG) {
			(void)va_arg(*values, long);
		} else if (is_one_of(c.kind, "diouxXcC")) {
			(void)va_arg(*values, int);
		} else if (is_one_of(c.kind, "efgaEFGA") && c.length == LONG_DOUBLE) {
			(void)va_arg(*values, long double);
		} else if (is_one_of(c.kind, "efgaEFGA")) {
			(void)va_arg(*values, double);
		} else if (is_one_of(c.kind, "sSpn")) {
			const void *pointer = va_arg(*values, const void *);
			if (is_one_of(c.kind, "sS") && before)
				record_text_read(&c, pointer, pc);
			else if (c.kind == 'n' && !before)
				transfer_wrote(pointer, integer_sizes[c.length], pc);
		} else if (!is_one_of(c.kind, "%m")) {
			return; /* a conversion registered by the program, or numbered arguments */
		}
	}
}

static void record_printed(const char *format, va_list values, bool before, uintptr_t pc)
{
	va_list copy;

	if (!transfer_is_seen(pc))
		return;
	va_copy(copy, values);
	record_arguments(format, &copy, before, pc);
	va_end(copy);
}

/*
 * Returns how many of `room` bytes at the destination were written, including the terminating null.
 */
static size_t filled(int result, size_t room)
{
	if (result < 0 || !room)
		return 0;
	return (size_t)result < room ? (size_t)result + 1 : room;
}

/*
 * Two interposers: `list_name`, which takes a va_list, and `name`, which takes `...`. The real
 * function writes `bytes` bytes to `at`. The compiler calls the variants with _chk if it knows the
 * size of the destination.
 */
#define PRINT(name, list_name, parameters, result, at, bytes)                                      \
	static int list_name##_from(PARAMETERS parameters, const char *format, va_list values,     \
				    uintptr_t pc)                                                  \
	{                                                                                          \
		va_list copy;                                                                      \
		va_copy(copy, values);                                                             \
		record_printed(format, copy, true, pc);                                            \
		int result = real()->list_name(ARGUMENTS parameters, format, values);              \
		transfer_wrote(at, bytes, pc);                                                     \
		record_printed(format, copy, false, pc);                                           \
		va_end(copy);                                                                      \
		return result;                                                                     \
	}                                                                                          \
	SOOTH_API int list_name(PARAMETERS parameters, const char *format, va_list values)         \
	{                                                                                          \
		return list_name##_from(ARGUMENTS parameters, format, values, RECORD_CALLER);      \
	}                                                                                          \
	SOOTH_API int name(PARAMETERS parameters, const char *format, ...)                         \
	{                                                                                          \
		va_list values;                                                                    \
		va_start(values, format);                                                          \
		int result =                                                                       \
			list_name##_from(ARGUMENTS parameters, format, values, RECORD_CALLER);     \
		va_end(values);                                                                    \
		return result;                                                                     \
	}

PRINT(sprintf, vsprintf, (char *, to), result, to, filled(result, SIZE_MAX))
PRINT(snprintf, vsnprintf, (char *, to, size_t, room), result, to, filled(result, room))
PRINT(__sprintf_chk, __vsprintf_chk, (char *, to, int, level, size_t, most), result, to,
      filled(result, SIZE_MAX))
PRINT(__snprintf_chk, __vsnprintf_chk, (char *, to, size_t, room, int, level, size_t, most), result,
      to, filled(result, room))
/*
 * Only the write of the pointer is recorded: the text is in a new block, which no other thread
 * knows yet.
 */
PRINT(asprintf, vasprintf, (char **, to), result, to, sizeof(*to))
PRINT(__asprintf_chk, __vasprintf_chk, (char **, to, int, level), result, to, sizeof(*to))

/* Output to a file reads the texts only. The program's memory is not written, except by %n. */
PRINT(fprintf, vfprintf, (FILE *, file), result, NULL, 0)
PRINT(__fprintf_chk, __vfprintf_chk, (FILE *, file, int, level), result, NULL, 0)
INTERPOSER_VARIADIC(printf, (const char *, format), format, values,
		    vfprintf_from(stdout, format, values, RECORD_CALLER))
INTERPOSER_VARIADIC(__printf_chk, (int, level, const char *, format), format, values,
		    __vfprintf_chk_from(stdout, level, format, values, RECORD_CALLER))

SOOTH_API int vprintf(const char *restrict format, va_list values)
{
	return vfprintf_from(stdout, format, values, RECORD_CALLER);
}

SOOTH_API int __vprintf_chk(int level, const char *restrict format, va_list values)
{
	return __vfprintf_chk_from(stdout, level, format, values, RECORD_CALLER);
}

/* ---- scanf ----------------------------------------------------------------------------------- */

/* Returns how many bytes this conversion of scanf has stored at `at`. */
static size_t stored_size(const struct conversion *c, const void *at)
{
	bool wide = c->kind == 'S' || c->kind == 'C' || c->length == LONG;
	size_t each = wide ? sizeof(wchar_t) : 1;

	if (c->allocates || c->kind == 'p')
		return sizeof(void *);
	if (is_one_of(c->kind, "cC"))
		return (c->width == INT_MAX ? 1 : (size_t)c->width) * each;
	if (is_one_of(c->kind, "sS["))
		return (wide ? wcslen(at) + 1 : strlen(at) + 1) * each;
	if (!is_one_of(c->kind, "aAeEfFgG"))
		return integer_sizes[c->length];
	return c->length == LONG_DOUBLE ? sizeof(long double)
	       : c->length == LONG	? sizeof(double)
					: sizeof(float);
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
		transfer_wrote(to, stored_size(&c, to), pc);
	}
}

static int scan_text(const char *text, const char *format, va_list values, uintptr_t pc)
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

/* The names of the functions since C99, as in stdio.c. */
INTERPOSER(int, __isoc99_vsscanf, (const char *, text, const char *, format, va_list, values),
	   scan_text)
INTERPOSER_VARIADIC(__isoc99_sscanf, (const char *, text, const char *, format), format, values,
		    scan_text(text, format, values, RECORD_CALLER))

/* ---- numbers --------------------------------------------------------------------------------- */

/* Records the read of a number: its text and the first byte after it. */
static void record_number(const char *text, const char *end, char **after, uintptr_t pc)
{
	transfer_reads(text, (size_t)(end - text) + 1, pc);
	if (after)
		transfer_wrote(after, sizeof(*after), pc);
}

/*
 * An interposer that reads a number from `text` and, unless `after` is NULL, stores the end of the
 * number there.
 */
#define NUMBER(type, name, parameters, text, after, ...)                                           \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		char *end;                                                                         \
		type result = real()->name(text, &end, ##__VA_ARGS__);                             \
		if (after)                                                                         \
			*after = end;                                                              \
		record_number(text, end, after, RECORD_CALLER);                                    \
		return result;                                                                     \
	}

NUMBER(long, strtol, (const char *, text, char **, after, int, base), text, after, base)
NUMBER(long long, strtoll, (const char *, text, char **, after, int, base), text, after, base)
NUMBER(unsigned long, strtoul, (const char *, text, char **, after, int, base), text, after, base)
NUMBER(unsigned long long, strtoull, (const char *, text, char **, after, int, base), text, after,
       base)
NUMBER(float, strtof, (const char *, text, char **, after), text, after)
NUMBER(double, strtod, (const char *, text, char **, after), text, after)
NUMBER(long double, strtold, (const char *, text, char **, after), text, after)

/* An interposer that returns the number but does not store its end. */
#define NUMBER_ONLY(type, name, real_name, ...)                                                    \
	SOOTH_API type name(const char *text)                                                      \
	{                                                                                          \
		char *end;                                                                         \
		type result = (type)real()->real_name(text, &end, ##__VA_ARGS__);                  \
		record_number(text, end, NULL, RECORD_CALLER);                                     \
		return result;                                                                     \
	}

NUMBER_ONLY(int, atoi, strtol, 10)
NUMBER_ONLY(long, atol, strtol, 10)
NUMBER_ONLY(long long, atoll, strtoll, 10)
NUMBER_ONLY(double, atof, strtod)

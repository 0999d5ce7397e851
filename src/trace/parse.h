/* Splits one line of a text trace into its parts. */
#ifndef TRACE_PARSE_H
#define TRACE_PARSE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define PARSE_ARGUMENTS 8

/* A part of the line as it is written, with escapes. */
struct parse_slice {
	const char *text;
	size_t length;
};

struct parse_line {
	const char *file;
	size_t number; /* from 1 */
	struct parse_slice whole, thread, op, place;
	struct parse_slice arguments[PARSE_ARGUMENTS];
	unsigned count;
	bool has_arguments, has_result;
	struct parse_slice result;
	struct parse_slice call; /* what follows "call ", "ret ", "probe " or "point " */
};

/* Splits line->whole into the other fields. `file` and `number` are only for messages. */
bool parse_line(struct parse_line *line, struct err *err);

/* Sets an error: file:line:column, the line itself and a caret. Returns false. */
bool parse_fail(const struct parse_line *line, const char *at, struct err *err, const char *format,
		...) __attribute__((format(printf, 4, 5)));

bool parse_is(struct parse_slice slice, const char *word);

/* Returns the value of a hex digit; -1: it is none. */
int parse_hex_digit(char c);

/* Reads an unsigned number, decimal or 0x…, from the whole slice. */
bool parse_number(struct parse_slice slice, uint64_t *out);

/*
 * Reads a value of `size` bytes into `out`, in memory order: a decimal number, possibly negative,
 * or 0x and hex digits; above 8 bytes only hex. Returns what is wrong with it, or NULL.
 */
const char *parse_value(struct parse_slice slice, size_t size, uint8_t *out);

/* Cuts a final "@size" off a name and sets `*size`. Returns false if the size is invalid. */
bool parse_cut_size(struct parse_slice *name, uint64_t *size);

#endif

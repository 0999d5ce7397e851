/* A value as it was recorded, before a parameter gives it a type. */
#ifndef PROPERTY_RAW_VALUE_H
#define PROPERTY_RAW_VALUE_H

#include "spec/spec.h"
#include "trace/point.h"

struct property_raw {
	bool known;
	bool real;     /* a floating number, in `number` */
	bool word;     /* a name that a text trace uses: it stands for itself, whatever the type */
	bool cut;      /* there is more text than what was kept */
	bool lost;     /* the text of a string could not be read; `bits` is where it is */
	bool bound;    /* of a local: some slot gave it, though perhaps nothing that is known */
	uint64_t bits; /* an integer, an address; a string's pointer; 0 for a word */
	double number;
	const char *text; /* a string's content, a word; NULL none */
	uint32_t length;
};

static inline struct property_raw raw_value_number(uint64_t bits)
{
	return (struct property_raw){ .known = true, .bits = bits };
}

/*
 * An address. `text` is the trace if it is a text, else NULL: what is there has a name then, which
 * calls use as well.
 */
struct property_raw raw_value_address(const struct trace *text, uint64_t address);

/* An argument or a result; the type is that of what it is bound to. */
struct property_raw raw_value_argument(const struct trace *text, const struct trace_value *value,
				       uint8_t type);

/* Bytes from memory; more than 8 are no number. */
enum raw_value_form { RAW_VALUE_SIGNED, RAW_VALUE_UNSIGNED, RAW_VALUE_FLOATING };
struct property_raw raw_value_bytes(const uint8_t *bytes, uint64_t size, enum raw_value_form form);

/* For filters: strings as text unless the type is a number or a pointer. */
struct spec_value raw_value_spec_value(const struct property_raw *raw, uint8_t type);

#endif

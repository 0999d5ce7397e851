/* A value as it was recorded, before a parameter gives it a type. */
#ifndef PROPERTY_RAW_H
#define PROPERTY_RAW_H

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

static inline struct property_raw raw_number(uint64_t bits)
{
	return (struct property_raw){ .known = true, .bits = bits };
}

/*
 * An address. `text` is the trace if it is a text, else NULL: what is there has a name then, which
 * calls use as well.
 */
struct property_raw raw_address(const struct trace *text, uint64_t address);

/* An argument or a result; the type is that of what it is bound to. */
struct property_raw raw_argument(const struct trace *text, const struct trace_value *value,
				 uint8_t type);

/* Bytes from memory; more than 8 are no number. */
enum raw_form { RAW_SIGNED, RAW_UNSIGNED, RAW_FLOATING };
struct property_raw raw_bytes(const uint8_t *bytes, uint64_t size, enum raw_form form);

/* For filters: strings as text unless the type is a number or a pointer. */
struct spec_value raw_spec_value(const struct property_raw *raw, uint8_t type);

#endif

/* A value as it was recorded, before the type of a parameter is applied to it. */
#ifndef PROPERTY_RAW_VALUE_H
#define PROPERTY_RAW_VALUE_H

#include "spec/spec.h"
#include "trace/point.h"

struct property_raw {
	bool known;
	bool real; /* a floating-point number, in `number` */
	/* a name in a text trace; it is the value itself, for every type of parameter */
	bool word;
	bool cut;      /* only the start of the string was recorded */
	bool lost;     /* the string could not be read; `bits` is the string's address */
	bool bound;    /* for a local: a slot bound it, perhaps to an unknown value */
	uint64_t bits; /* an integer or address; a string's pointer; 0 for a word */
	double number;
	const char *text; /* a string's content or a word; otherwise NULL */
	uint32_t length;
};

static inline struct property_raw raw_value_number(uint64_t bits)
{
	return (struct property_raw){ .known = true, .bits = bits };
}

/*
 * Returns an address as a value. `text` is the trace if it is a text trace, else NULL. In a text
 * trace the value is the name of the memory, so that it equals the same name used as an argument of
 * a call.
 */
struct property_raw raw_value_address(const struct trace *text, uint64_t address);

/* Converts an argument or a result. `type` is the type of the parameter that gets the value. */
struct property_raw raw_value_argument(const struct trace *text, const struct trace_value *value,
				       uint8_t type);

/* Converts bytes from memory to a number. More than 8 bytes give an unknown value. */
enum raw_value_form { RAW_VALUE_SIGNED, RAW_VALUE_UNSIGNED, RAW_VALUE_FLOATING };
struct property_raw raw_value_bytes(const uint8_t *bytes, uint64_t size, enum raw_value_form form);

/* Converts a value for filters. A string becomes text, unless `type` is a number or a pointer. */
struct spec_value raw_value_spec_value(const struct property_raw *raw, uint8_t type);

/* The same for the value of a parameter. */
struct property_value;
struct spec_value raw_value_of_known(const struct property_value *value);

#endif

/*
 * Converts recorded values (addresses, arguments, bytes of memory) to struct property_raw, and
 * these to the values of filters. See raw_value.h.
 */
#include "property/raw_value.h"

#include "property/property.h"

#include <string.h>

static struct property_raw word_value(const char *text, size_t length)
{
	return (struct property_raw){
		.known = true, .word = true, .text = text, .length = (uint32_t)length
	};
}

struct property_raw raw_value_address(const struct trace *text, uint64_t address)
{
	const char *name = text ? trace_object_name(text, address) : NULL;
	struct property_raw raw = name ? word_value(name, strlen(name)) : raw_value_number(address);

	raw.bits = address;
	return raw;
}

static bool is_address_type(uint8_t type)
{
	return type == SPEC_POINTER || type == SPEC_ADDR || type == SPEC_LOCK;
}

struct property_raw raw_value_argument(const struct trace *text, const struct trace_value *value,
				       uint8_t type)
{
	struct property_raw raw = { .known = value->known, .bits = value->bits };

	switch (value->type) {
	case POINT_SIGNED:
	case POINT_UNSIGNED:
	case POINT_POINTER:
		return raw.known && is_address_type(type) ? raw_value_address(text, raw.bits) : raw;
	case POINT_FLOAT:
		raw.real = true;
		raw.number = value->number;
		return raw;
	/* in a recording the pointer is known even if the string cannot be read */
	case POINT_STRING:
		raw.known |= !text;
		raw.lost = !value->known;
		raw.word = value->known && text;
		raw.text = value->known ? value->text : NULL;
		raw.length = value->known ? value->length : 0;
		raw.cut = value->cut;
		return raw;
	case POINT_BYTES:
		if (value->known && value->length <= 8)
			return raw_value_bytes((const uint8_t *)value->text, value->length,
					       RAW_VALUE_SIGNED);
		break;
	}
	return (struct property_raw){ 0 };
}

struct property_raw raw_value_bytes(const uint8_t *bytes, uint64_t size, enum raw_value_form form)
{
	struct property_raw raw = { .known = true };
	unsigned spare = (unsigned)(64 - 8 * size);
	float single;

	if (!bytes || !size || size > 8)
		return (struct property_raw){ 0 };
	memcpy(&raw.bits, bytes, size);
	if (form == RAW_VALUE_SIGNED)
		raw.bits = (uint64_t)((int64_t)(raw.bits << spare) >> spare);
	raw.real = form == RAW_VALUE_FLOATING && (size == 4 || size == 8);
	if (raw.real && size == 8)
		memcpy(&raw.number, bytes, 8);
	if (raw.real && size == 4) {
		memcpy(&single, bytes, 4);
		raw.number = single;
	}
	return raw;
}

struct spec_value raw_value_spec_value(const struct property_raw *raw, uint8_t type)
{
	struct spec_value value = { .type = SPEC_VALUE_UNKNOWN };
	bool as_text = raw->text && (raw->word || type == SPEC_STRING);

	if (!raw->known)
		return value;
	value.number = (int64_t)raw->bits;
	value.real = raw->number;
	value.text = raw->text;
	value.length = raw->length;
	value.cut = raw->cut;
	value.type = as_text ? SPEC_VALUE_TEXT : raw->real ? SPEC_VALUE_REAL : SPEC_VALUE_INT;
	return value;
}

struct spec_value raw_value_of_known(const struct property_value *value)
{
	struct property_raw raw = { .known = true,
				    .word = value->text && value->type != SPEC_STRING,
				    .bits = value->bits,
				    .text = value->text,
				    .length = value->length };

	if (value->type == SPEC_FLOATING && !value->text) {
		raw.real = true;
		memcpy(&raw.number, &value->bits, sizeof raw.number);
	}
	return raw_value_spec_value(&raw, value->type);
}

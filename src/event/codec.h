/*
 * Encoding and decoding of runtime records. The runtime writes them; the tool reads them, and
 * writes them for imported traces. Header-only, because the runtime must not call other libraries.
 *
 * A record is a byte (kind << 1 | 1), a byte with the length of the rest, and the fields that
 * event.def lists for the kind, as LEB128 numbers. A length of 255 means that the real length
 * follows in two bytes. Most fields are close to those of the previous record (the same lock, the
 * next call). So pc, address and sequence number are written as zigzag-coded differences from the
 * previous record, and the second address as its difference from the first. At the start of a block
 * these differences count from zero, and time differences from the block's time.
 */
#ifndef EVENT_CODEC_H
#define EVENT_CODEC_H

#include "event/event.h"

#include <stddef.h>

/* The values of the previous record, from which the next differences are taken. */
struct codec {
	uint64_t time, pc, address, sequence;
};

struct codec_fields {
	uint64_t p, t, q, a, b, n, m; /* `t` is the time itself, not the difference */
	const uint8_t *bytes;	      /* decoding only: the raw bytes and their number */
	size_t size;
};

/* codec_put_number() may store 8 bytes at once, so this many bytes after the record must exist. */
#define CODEC_OVERHANG 8

/* Size of a header. The long form is needed if fields and raw bytes may exceed 254 bytes. */
#define CODEC_SHORT_HEADER 2
#define CODEC_LONG_HEADER 4
#define CODEC_FIELDS_MAX (7 * 10)

/*
 * Writes a LEB128 number. Two to eight bytes, the usual size of an address difference, are written
 * without a loop, whose length the processor could not predict: the 7-bit groups are spread apart,
 * halves first, and then all bytes but the last get their continuation bit.
 */
static inline uint8_t *codec_put_number(uint8_t *p, uint64_t value)
{
	if (value < 128) {
		*p = (uint8_t)value;
		return p + 1;
	}
	if (value >> 56) {
		for (; value >= 128; value >>= 7)
			*p++ = (uint8_t)(value | 128);
		*p = (uint8_t)value;
		return p + 1;
	}
	unsigned bits = (unsigned)(63 - __builtin_clzll(value));
	/* bits / 7, correct up to 55: the number of bytes before the last */
	unsigned more = bits * 37 >> 8;
	uint64_t v = (value & 0xfffffff0000000) << 4 | (value & 0xfffffff);
	v = (v & 0x0fffc0000fffc000) << 2 | (v & 0x00003fff00003fff);
	v = (v & 0x3f803f803f803f80) << 1 | (v & 0x007f007f007f007f);
	v |= 0x8080808080808080 & ((1ull << 8 * more) - 1);
	__builtin_memcpy(p, &v, sizeof v);
	return p + more + 1;
}

static inline uint8_t *codec_put_difference(uint8_t *p, uint64_t value, uint64_t from)
{
	int64_t d = (int64_t)(value - from);
	return codec_put_number(p, (uint64_t)d << 1 ^ (uint64_t)(d >> 63));
}

/*
 * Writes the field that `letter` names. Always inlined: `letter` is a constant in almost all calls.
 */
static inline __attribute__((always_inline)) uint8_t *
codec_put_field(struct codec *c, uint8_t *p, char letter, const struct codec_fields *f)
{
	switch (letter) {
	case 'p':
		p = codec_put_difference(p, f->p, c->pc);
		c->pc = f->p;
		break;
	case 't':
		p = codec_put_number(p, f->t - c->time);
		c->time = f->t;
		break;
	case 'q':
		p = codec_put_difference(p, f->q, c->sequence);
		c->sequence = f->q;
		break;
	case 'a':
		p = codec_put_difference(p, f->a, c->address);
		c->address = f->a;
		break;
	case 'b': p = codec_put_difference(p, f->b, f->a); break;
	case 'n': p = codec_put_number(p, f->n); break;
	case 'm': p = codec_put_number(p, f->m); break;
	}
	return p;
}

/* Writes the fields of a record. Returns the address at which its raw bytes start. */
static inline uint8_t *codec_put_fields(struct codec *c, uint8_t *p, const char *letters,
					const struct codec_fields *f)
{
	for (; *letters; letters++)
		p = codec_put_field(c, p, *letters, f);
	return p;
}

/* The same for a kind that has an event_field_set, with branches that the processor can predict. */
static inline __attribute__((always_inline)) uint8_t *
codec_put_set(struct codec *c, uint8_t *p, unsigned set, const struct codec_fields *f)
{
	if (set & EVENT_FIELD_P)
		p = codec_put_field(c, p, 'p', f);
	if (set & EVENT_FIELD_T)
		p = codec_put_field(c, p, 't', f);
	if (set & EVENT_FIELD_Q)
		p = codec_put_field(c, p, 'q', f);
	if (set & EVENT_FIELD_A)
		p = codec_put_field(c, p, 'a', f);
	if (set & EVENT_FIELD_B)
		p = codec_put_field(c, p, 'b', f);
	if (set & EVENT_FIELD_N)
		p = codec_put_field(c, p, 'n', f);
	if (set & EVENT_FIELD_M)
		p = codec_put_field(c, p, 'm', f);
	return p;
}

/* Writes the header, once the length of the record is known. */
static inline void codec_put_header(uint8_t *start, enum event_kind kind, size_t header,
				    size_t bytes)
{
	start[0] = (uint8_t)(kind << 1 | 1);
	start[1] = header == CODEC_SHORT_HEADER ? (uint8_t)bytes : 255;
	if (header == CODEC_LONG_HEADER) {
		start[2] = (uint8_t)bytes;
		start[3] = (uint8_t)(bytes >> 8);
	}
}

/*
 * Reads a header: the kind and the number of bytes that follow. Returns the size of the header, or
 * 0 if it does not fit between `p` and `end`.
 */
static inline size_t codec_get_header(const uint8_t *p, const uint8_t *end, enum event_kind *kind,
				      size_t *bytes)
{
	if (end - p < CODEC_SHORT_HEADER)
		return 0;
	*kind = (enum event_kind)(p[0] >> 1);
	*bytes = p[1];
	if (p[1] != 255)
		return CODEC_SHORT_HEADER;
	if (end - p < CODEC_LONG_HEADER)
		return 0;
	*bytes = (size_t)p[2] | (size_t)p[3] << 8;
	return CODEC_LONG_HEADER;
}

static inline bool codec_get_number(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
	uint64_t value = 0;

	for (unsigned shift = 0; *p < end && shift < 70; shift += 7) {
		uint8_t byte = *(*p)++;

		if (shift == 63 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128)) {
			*out = value;
			return true;
		}
	}
	return false;
}

static inline uint64_t codec_difference(uint64_t coded, uint64_t from)
{
	return from + (coded >> 1 ^ -(coded & 1));
}

/* Reads the fields of a record. Returns false if they do not fill its bytes exactly. */
static inline bool codec_get_fields(struct codec *c, const char *letters, const uint8_t *p,
				    const uint8_t *end, struct codec_fields *f)
{
	for (; *letters; letters++) {
		uint64_t value;

		if (*letters == '*') {
			f->bytes = p;
			f->size = (size_t)(end - p);
			return true;
		}
		if (!codec_get_number(&p, end, &value))
			return false;
		switch (*letters) {
		case 'p': f->p = c->pc = codec_difference(value, c->pc); break;
		case 't': f->t = c->time += value; break;
		case 'q': f->q = c->sequence = codec_difference(value, c->sequence); break;
		case 'a': f->a = c->address = codec_difference(value, c->address); break;
		case 'b': f->b = codec_difference(value, f->a); break;
		case 'n': f->n = value; break;
		case 'm': f->m = value; break;
		}
	}
	return p == end;
}

#endif

/*
 * Runtime records, byte for byte: shared by the runtime, which writes them, and the tool, which
 * reads them and writes those of imported traces. Header-only, since the runtime calls nothing.
 *
 * A record is a byte (kind << 1 | 1), a byte with the length of what follows, and the fields that
 * event.def lists for the kind, as LEB128 numbers. A length of 255 means that two bytes with the
 * length come next. Most fields are near those of the record before (the same lock, the next
 * call), so pc, address and sequence number are written as the difference, zigzag-coded, and the
 * second address as its difference from the first; at the start of a block all of them count
 * from zero, and the time from the block's.
 */
#ifndef EVENT_CODEC_H
#define EVENT_CODEC_H

#include "event/event.h"

#include <stddef.h>

/* What the next record's differences are taken from. */
struct codec {
	uint64_t time, pc, address, sequence;
};

struct codec_fields {
	uint64_t p, t, q, a, b, n, m; /* t: the time itself, not the difference */
	const uint8_t *bytes;	      /* decoding only: the raw bytes, and how many */
	size_t size;
};

/* A number may be stored 8 bytes at a time, whatever it takes: so many behind it must be there. */
#define CODEC_OVERHANG 8

/* Bytes before the fields; the long form if the fields and raw bytes may exceed 254 bytes. */
#define CODEC_SHORT_HEADER 2
#define CODEC_LONG_HEADER 4
#define CODEC_FIELDS_MAX (7 * 10)

/*
 * LEB128. Of two to eight bytes, as differences of addresses are, without a loop whose length nobody can
 * foretell: the groups of 7 bits are spread, halves first, and the mark of all but the last is set.
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
	unsigned more = bits * 37 >> 8; /* bits / 7, up to 55: bytes before the last */
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

/* Inline whatever its size: `letter` is mostly a constant. */
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

/* Writes the fields of a record; returns where its raw bytes go. */
static inline uint8_t *codec_put_fields(struct codec *c, uint8_t *p, const char *letters,
					const struct codec_fields *f)
{
	for (; *letters; letters++)
		p = codec_put_field(c, p, *letters, f);
	return p;
}

/* The same for a kind that has an event_field_set: code that the processor can foresee. */
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

/* Writes the header once the length is known. */
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
 * Reads a header: kind and how many bytes follow. Returns its size, or 0 when `p` … `end` does not
 * hold all of it.
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

/* Reads the fields of a record. False: they do not fit its bytes. */
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

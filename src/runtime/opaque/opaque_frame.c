/*
 * Reads .eh_frame_hdr and .eh_frame as linkers and compilers write them on x86-64: 32-bit offsets
 * from the place where they stand (DWARF 5, 6.4; Linux Standard Base, exception frames). Only what
 * says where a frame begins (the CFA) is evaluated; rules for registers are skipped.
 */
#include "runtime/opaque/opaque_frame.h"

#include <string.h>

#define UDATA4 0x03
#define DATAREL_SDATA4 0x3b
#define PCREL_SDATA4 0x1b

bool opaque_frames_open(struct opaque_frames *frames, const uint8_t *header)
{
	uint32_t count;

	if (!header || header[0] != 1 || header[2] != UDATA4 || header[3] != DATAREL_SDATA4 ||
	    header[1] != PCREL_SDATA4)
		return false;
	memcpy(&count, header + 8, sizeof(count));
	*frames = (struct opaque_frames){ .header = header,
					  .table = (const int32_t *)(header + 12),
					  .count = count };
	return true;
}

uintptr_t opaque_frames_start(const struct opaque_frames *frames, size_t function)
{
	return (uintptr_t)frames->header + (uintptr_t)(intptr_t)frames->table[2 * function];
}

/* ---- one description ------------------------------------------------------------------------- */

struct frame_reader {
	const uint8_t *at, *end;
	bool bad;
};

static uint64_t read_unsigned(struct frame_reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
		uint8_t byte = *r->at++;
		value |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return value;
	}
	r->bad = true;
	return 0;
}

static int64_t read_signed(struct frame_reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; r->at < r->end && shift < 64;) {
		uint8_t byte = *r->at++;
		value |= (uint64_t)(byte & 127) << shift;
		shift += 7;
		if (byte & 128)
			continue;
		if (byte & 64 && shift < 64)
			value |= ~0ull << shift;
		return (int64_t)value;
	}
	r->bad = true;
	return 0;
}

static uint32_t read_bytes(struct frame_reader *r, size_t count)
{
	uint32_t value = 0;

	if ((size_t)(r->end - r->at) < count) {
		r->bad = true;
		return 0;
	}
	memcpy(&value, r->at, count);
	r->at += count;
	return value;
}

static void skip(struct frame_reader *r, uint64_t count)
{
	if ((uint64_t)(r->end - r->at) < count)
		r->bad = true;
	else
		r->at += count;
}

struct frame_common {
	uint64_t code_unit;
	int64_t data_unit;
	bool has_data; /* descriptions contain augmentation data, which are skipped */
};

/* Reads the part that descriptions share, up to its instructions. */
static void read_common(struct frame_reader *r, struct frame_common *common)
{
	unsigned version = read_bytes(r, 1);
	const char *augmentation = (const char *)r->at;

	skip(r, strnlen(augmentation, (size_t)(r->end - r->at)) + 1);
	common->code_unit = read_unsigned(r);
	common->data_unit = read_signed(r);
	if (version == 1)
		skip(r, 1);
	else
		read_unsigned(r);
	common->has_data = augmentation[0] == 'z';
	if (!common->has_data) {
		r->bad |= augmentation[0] != 0;
		return;
	}
	uint64_t bytes = read_unsigned(r);
	struct frame_reader data = *r;
	skip(r, bytes);
	for (const char *letter = augmentation + 1; *letter && *letter != 'R'; letter++) {
		if (*letter == 'P') { /* a personality function: 4 bytes, or 8 if absolute */
			unsigned encoding = read_bytes(&data, 1);
			skip(&data, (encoding & 15) == 0 ? 8 : 4);
		} else if (*letter == 'L') {
			skip(&data, 1);
		}
	}
	r->bad |= data.bad || !strchr(augmentation, 'R') || read_bytes(&data, 1) != PCREL_SDATA4;
}

/* ---- its instructions ------------------------------------------------------------------------ */

struct frame_state {
	struct { /* the rule */
		uint64_t reg;
		int64_t offset;
		bool indirect, known;
	} now, kept[4];
	unsigned kept_count;
	uintptr_t pc, wanted;
};

/* Understands one form only: the frame's begin is stored at an offset from a register. */
static void read_expression(struct frame_reader *r, struct frame_state *s)
{
	enum { BREG0 = 0x70, DEREF = 0x06 };
	uint64_t bytes = read_unsigned(r);
	struct frame_reader body = { r->at, r->at + bytes, false };

	skip(r, bytes);
	s->now.known = false;
	if (r->bad || !bytes)
		return;
	unsigned first = read_bytes(&body, 1);
	if (first < BREG0 || first > BREG0 + 15)
		return;
	s->now.reg = first - BREG0;
	s->now.offset = read_signed(&body);
	s->now.known = read_bytes(&body, 1) == DEREF && !body.bad && body.at == body.end;
	s->now.indirect = true;
}

static void set_rule(struct frame_state *s, uint64_t reg, int64_t offset)
{
	s->now.reg = reg;
	s->now.offset = offset;
	s->now.indirect = false;
	s->now.known = true;
}

static void keep_state(struct frame_reader *r, struct frame_state *s, bool restore)
{
	if (restore && s->kept_count)
		s->now = s->kept[--s->kept_count];
	else if (!restore && s->kept_count < sizeof(s->kept) / sizeof(s->kept[0]))
		s->kept[s->kept_count++] = s->now;
	else
		r->bad = true;
}

static void run_extended(struct frame_reader *r, const struct frame_common *common,
			 struct frame_state *s, unsigned code)
{
	uint64_t reg;

	switch (code) {
	case 0x00: break; /* nop */
	case 0x02: s->pc += read_bytes(r, 1) * common->code_unit; break;
	case 0x03: s->pc += read_bytes(r, 2) * common->code_unit; break;
	case 0x04: s->pc += read_bytes(r, 4) * common->code_unit; break;
	case 0x06:
	case 0x07:
	case 0x08:
	case 0x2e: read_unsigned(r); break; /* of one register */
	case 0x05:
	case 0x09:
	case 0x11:
	case 0x14:
	case 0x15:
	case 0x2f: /* and a number */
		read_unsigned(r);
		read_unsigned(r);
		break;
	case 0x0a: keep_state(r, s, false); break;
	case 0x0b: keep_state(r, s, true); break;
	case 0x0c:
		reg = read_unsigned(r);
		set_rule(s, reg, (int64_t)read_unsigned(r));
		break;
	case 0x0d: set_rule(s, read_unsigned(r), s->now.offset); break;
	case 0x0e: set_rule(s, s->now.reg, (int64_t)read_unsigned(r)); break;
	case 0x0f: read_expression(r, s); break;
	case 0x10:
	case 0x16: /* the rule of a register is an expression */
		read_unsigned(r);
		skip(r, read_unsigned(r));
		break;
	case 0x12:
		reg = read_unsigned(r);
		set_rule(s, reg, read_signed(r) * common->data_unit);
		break;
	case 0x13: set_rule(s, s->now.reg, read_signed(r) * common->data_unit); break;
	default: r->bad = true;
	}
}

/* Runs instructions up to the wanted address. */
static void run(struct frame_reader *r, const struct frame_common *common, struct frame_state *s)
{
	while (r->at < r->end && !r->bad) {
		struct frame_state before = *s;
		unsigned code = *r->at++;

		switch (code >> 6) {
		case 0: run_extended(r, common, s, code); break;
		case 1: s->pc += (code & 63) * common->code_unit; break;
		case 2: read_unsigned(r); break;
		}
		if (s->pc > s->wanted) {
			*s = before;
			return;
		}
	}
}

/* ---- lookup ---------------------------------------------------------------------------------- */

/* Opens a part of .eh_frame: its length precedes it. */
static struct frame_reader open_part(const uint8_t *at)
{
	uint32_t length;

	memcpy(&length, at, sizeof(length));
	return (struct frame_reader){ at + 4, at + 4 + length, length == UINT32_MAX || length < 4 };
}

struct frame_description {
	struct frame_reader common_part, part;
	struct frame_common common;
	uintptr_t start, end;
};

static bool read_description(const struct opaque_frames *frames, size_t function,
			     struct frame_description *d)
{
	d->part = open_part(frames->header + frames->table[2 * function + 1]);
	if (d->part.bad)
		return false;
	const uint8_t *here = d->part.at;
	d->common_part = open_part(here - read_bytes(&d->part, 4));
	skip(&d->common_part, 4);
	if (d->common_part.bad)
		return false;
	read_common(&d->common_part, &d->common);
	here = d->part.at;
	d->start = (uintptr_t)here + (uintptr_t)(intptr_t)(int32_t)read_bytes(&d->part, 4);
	d->end = d->start + read_bytes(&d->part, 4);
	if (d->common.has_data)
		skip(&d->part, read_unsigned(&d->part));
	return !d->part.bad && !d->common_part.bad;
}

size_t opaque_frames_find(const struct opaque_frames *frames, uintptr_t pc)
{
	size_t low = 0, high = frames->count;
	struct frame_description d;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (opaque_frames_start(frames, middle) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && read_description(frames, low - 1, &d) && pc >= d.start && pc < d.end
		       ? low - 1
		       : OPAQUE_FRAME_NONE;
}

bool opaque_frames_rule(const struct opaque_frames *frames, size_t function, uintptr_t pc,
			struct opaque_frame_rule *rule)
{
	static const uint8_t numbers[] = { 0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct frame_description d;

	if (!read_description(frames, function, &d))
		return false;
	struct frame_state state = { .pc = d.start, .wanted = pc };
	run(&d.common_part, &d.common, &state);
	run(&d.part, &d.common, &state);
	if (d.part.bad || d.common_part.bad || !state.now.known || state.now.reg > 15 ||
	    state.now.offset < -(1 << 30) || state.now.offset > 1 << 30)
		return false;
	rule->reg = numbers[state.now.reg];
	rule->offset = (int32_t)state.now.offset;
	rule->indirect = state.now.indirect;
	return true;
}

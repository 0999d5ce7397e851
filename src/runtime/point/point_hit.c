#include "runtime/point/point_hit.h"

#include "event/event.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/point/point_pointee.h"
#include "runtime/point/point_operand.h"
#include "runtime/point/point_read.h"
#include "runtime/point/point_stack.h"
#include "runtime/buffer/record.h"
#include "runtime/buffer/refill.h"
#include "runtime/sched/sched.h"
#include "runtime/host/save_vectors.h"

struct point_site *point_sites;

struct hit {
	const struct point_site *site;
	uint32_t number;
	const uint64_t *registers, *vectors;
	/* RETURN: what began the call, 0 unknown, and its values */
	uint32_t began;
	const uint8_t *values;
	size_t bytes;
	const struct looked *looked; /* NULL: nothing is to be looked at */
};

/* What looks have seen, by number of operand. */
struct looked {
	struct {
		unsigned length; /* as in a record */
		uint8_t bytes[POINT_STRING_MOST + 8];
	} texts[POINT_ARGUMENTS];
	uint64_t pointed[POINT_ARGUMENTS]; /* by argument */
	unsigned readable;		   /* bits of those */
};

/* ---- values ------------------------------------------------------------------------------- */

typedef uint64_t loose64 __attribute__((aligned(1), may_alias));
typedef uint16_t loose16 __attribute__((aligned(1), may_alias));

static void copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
	/* both have room for whole words */
	for (size_t i = 0; i < bytes; i += 8)
		*(loose64 *)(to + i) = *(const loose64 *)(from + i);
}

static unsigned size_of(char letter)
{
	switch (letter) {
	case 'b':
	case 'B': return 1;
	case 'h':
	case 'H': return 2;
	case 'i':
	case 'I':
	case 'f': return 4;
	default: return letter <= '@' ? (unsigned)(letter - '0') : 8;
	}
}

static inline uint64_t address_of(const struct point_operand *o, const uint64_t *registers)
{
	uint64_t address = (uint64_t)o->value;

	if (o->reg != POINT_NO_REGISTER)
		address += registers[o->reg];
	if (o->index != POINT_NO_REGISTER)
		address += registers[o->index] * o->scale;
	return address;
}

static uint64_t load(uint64_t address, unsigned size)
{
	const uint8_t *from = (const uint8_t *)address;
	uint64_t value = 0;

	for (unsigned i = size; i-- > 0;)
		value = value << 8 | from[i];
	return value;
}

static inline uint64_t fetch(const struct hit *hit, const struct point_operand *o)
{
	switch (o->how) {
	case POINT_REGISTER: return hit->registers[o->reg];
	case POINT_MEMORY: return load(address_of(o, hit->registers), size_of(o->letter));
	case POINT_VECTOR: return hit->vectors[o->reg];
	default: return (uint64_t)o->value;
	}
}

/* A struct: its bytes are in memory, or in one register. */
static uint8_t *put_bytes(const struct hit *hit, const struct point_operand *o, uint8_t *p)
{
	unsigned size = size_of(o->letter);
	uint64_t value;
	const uint8_t *from = (const uint8_t *)&value;

	if (o->how == POINT_MEMORY)
		from = (const uint8_t *)address_of(o, hit->registers);
	else
		value = fetch(hit, o);
	for (unsigned i = 0; i < size; i++)
		p[i] = from[i];
	return p + size;
}

static unsigned bytes_of(unsigned length)
{
	return length == POINT_STRING_UNREADABLE ? 0 : length & ~POINT_STRING_CUT;
}

static uint8_t *put_text(const struct hit *hit, unsigned i, uint64_t address, uint8_t *p)
{
	unsigned length;

	*(loose64 *)p = address;
	if (hit->looked && hit->site->texts >> i & 1) {
		length = hit->looked->texts[i].length;
		copy(p + 10, hit->looked->texts[i].bytes, bytes_of(length));
	} else {
		length = point_read_text(p + 10, address, POINT_STRING_MOST);
	}
	*(loose16 *)(p + 8) = (uint16_t)length;
	return p + 10 + bytes_of(length);
}

static uint8_t *put_values(const struct hit *hit, uint8_t *p)
{
	const struct point_site *site = hit->site;

	for (unsigned i = 0; i < site->count; i++) {
		const struct point_operand *o = &site->operands[i];

		if (o->letter == 'o' || o->letter == 'v')
			continue;
		if (o->letter == 's') {
			p = put_text(hit, i, fetch(hit, o), p);
		} else if (o->letter <= '@') {
			p = put_bytes(hit, o, p);
		} else {
			*(loose64 *)p = point_extend(fetch(hit, o), o->letter);
			p += 8;
		}
	}
	return p;
}

/* ---- what arguments point at -------------------------------------------------------------- */

/* The bytes that a value of the letter takes at `p`. */
static unsigned taken(char letter, const uint8_t *p)
{
	if (letter == 'o' || letter == 'v')
		return 0;
	if (letter <= '@')
		return (unsigned)(letter - '0');
	return letter == 's' ? 10 + bytes_of(*(const loose16 *)(p + 8)) : 8;
}

static bool is_pointed(const struct hit *hit, const struct point_site *from, unsigned i)
{
	char letter = from->operands[i].letter;

	return hit->site->pointed >> i & 1 && (letter == 'p' || letter == 's');
}

static uint8_t *put_pointed(const struct hit *hit, const struct point_site *from, uint8_t *p)
{
	for (unsigned i = 0; i < from->count; i++) {
		bool ok = hit->looked->readable >> i & 1;

		if (!is_pointed(hit, from, i))
			continue;
		*p++ = (uint8_t)((i + 1) | (ok ? 0 : 128));
		if (ok) {
			*(loose64 *)p =
				point_extend(hit->looked->pointed[i], from->operands[i].pointed);
			p += 8;
		}
	}
	return p;
}

/* ---- a record's payload ------------------------------------------------------------------- */

static void remember(const struct hit *hit, const uint8_t *values, size_t bytes)
{
	uint64_t sp = hit->registers[4];
	uint8_t *room = point_stack_room(hit->number, sp);

	if (!room)
		return;
	copy(room, values, bytes);
	point_stack_push(hit->number, sp, bytes);
}

/* RETURN: what the call had, then the result. */
static uint8_t *put_return(const struct hit *hit, uint8_t *p)
{
	const struct point_site *call = &point_sites[hit->began];

	p = codec_put_number(p, hit->began);
	if (!hit->began)
		return put_values(hit, p);
	copy(p, hit->values, hit->bytes);
	p = put_values(hit, p + hit->bytes);
	return hit->site->pointed ? put_pointed(hit, call, p) : p;
}

/* The most bytes the payload can take; a RETURN looks for its call first. */
static size_t prepare(struct hit *hit)
{
	if (hit->site->kind != POINT_RETURN)
		return hit->site->most;
	hit->began =
		point_stack_pop(hit->site->function, hit->registers[4], &hit->values, &hit->bytes);
	return hit->site->most + (hit->began ? hit->bytes : 0);
}

/* All of it at `p`. Returns its end. */
static uint8_t *put_payload(const struct hit *hit, uint8_t *p)
{
	uint8_t *end;

	if (hit->site->kind == POINT_RETURN)
		return put_return(hit, p);
	end = put_values(hit, p);
	if (hit->site->remembers)
		remember(hit, p, (size_t)(end - p));
	return hit->site->pointed ? put_pointed(hit, hit->site, end) : end;
}

/* ---- records ------------------------------------------------------------------------------ */

static void make_room(void *lane)
{
	(void)lane;
	thread_buffer_refill();
}

static bool is_live(const struct wire_block *lane)
{
	return lane->flags & WIRE_BLOCK_LIVE;
}

/* Room for `bytes` in the thread's lane; NULL: nothing is recorded here. */
static struct wire_block *find_room(size_t bytes)
{
	struct wire_block *lane = __sooth_lane;

	if (__builtin_expect(lane->cursor > lane->limit, 0)) {
		if (!thread_buffer_page())
			save_vectors_call(make_room, NULL);
		lane = __sooth_lane;
	}
	if (__builtin_expect(is_live(lane) && lane->base + WIRE_CHUNK - lane->cursor < bytes + 16,
			     0)) {
		save_vectors_call(make_room, NULL);
		lane = __sooth_lane;
	}
	return is_live(lane) ? lane : NULL;
}

static void write_record(struct hit *hit)
{
	size_t most = prepare(hit);
	struct wire_block *lane = find_room(most + 16);

	if (!lane)
		return;
	uint8_t *start = (uint8_t *)lane->cursor;
	size_t header = most + 5 < 255 ? CODEC_SHORT_HEADER : CODEC_LONG_HEADER;
	uint8_t *end = put_payload(hit, codec_put_number(start + header, hit->number));

	codec_put_header(start, EV_POINT, header, (size_t)(end - start) - header);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane->cursor = (uint64_t)end;
}

/* ---- looks, if no turns are taken --------------------------------------------------------- */

/* A READ of the text, as point_pointee.c makes it, but by general registers alone. */
static void write_look(uint64_t pc, uint64_t address, uint8_t *text, unsigned length)
{
	unsigned bytes = length & ~POINT_STRING_CUT;
	struct wire_block *lane = find_room(bytes + 16 + CODEC_FIELDS_MAX);

	if (!lane)
		return;
	if (length == bytes)
		text[bytes++] = 0; /* the NUL is part of what was seen */
	struct codec next = thread_buffer_self.codec;
	uint8_t *start = (uint8_t *)lane->cursor, *p;
	size_t header = bytes + CODEC_FIELDS_MAX < 255 ? CODEC_SHORT_HEADER : CODEC_LONG_HEADER;

	p = codec_put_difference(start + header, pc, next.pc);
	p = codec_put_difference(p, address, next.address);
	p = codec_put_number(p, bytes);
	p = codec_put_number(p, EF_LOOK);
	copy(p, text, bytes);
	p += bytes;
	next.pc = pc;
	next.address = address;
	codec_put_header(start, EV_READ, header, (size_t)(p - start) - header);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane->cursor = (uint64_t)p;
	thread_buffer_self.codec = next;
}

static void look(const struct hit *hit, struct looked *looked)
{
	const struct point_site *site = hit->site;

	for (unsigned i = 0; i < site->count; i++) {
		if (!(site->texts >> i & 1))
			continue;
		uint64_t address = fetch(hit, &site->operands[i]);
		unsigned length =
			point_read_text(looked->texts[i].bytes, address, POINT_STRING_MOST);

		looked->texts[i].length = length;
		if (length != POINT_STRING_UNREADABLE)
			write_look(site->pc, address, looked->texts[i].bytes, length);
	}
}

/* ---- turns and looks ---------------------------------------------------------------------- */

static void look_at_texts(const struct hit *hit, struct looked *looked)
{
	const struct point_site *site = hit->site;

	for (unsigned i = 0; i < site->count; i++)
		if (site->texts >> i & 1)
			looked->texts[i].length = point_pointee_text(
				site->pc, fetch(hit, &site->operands[i]), looked->texts[i].bytes);
}

/* The pointers are its own arguments, or those of the call that a RETURN ends. */
static void look_at_pointed(const struct hit *hit, struct looked *looked)
{
	bool returns = hit->site->kind == POINT_RETURN;
	const struct point_site *from = returns ? &point_sites[hit->began] : hit->site;
	const uint8_t *values = hit->values;

	for (unsigned i = 0; i < from->count && (!returns || hit->began); i++) {
		const struct point_operand *o = &from->operands[i];
		uint64_t address;

		if (is_pointed(hit, from, i) && o->pointed != 'o') {
			address = returns ? *(const loose64 *)values : fetch(hit, o);
			if (point_pointee(hit->site->pc, address, size_of(o->pointed),
					  &looked->pointed[i]))
				looked->readable |= 1u << i;
		}
		if (returns)
			values += taken(o->letter, values);
	}
}

/*
 * In a controlled run, a step as others are; looks are steps before it, with records of their own.
 * Here nothing is live, and there is time.
 */
static void note(void *argument)
{
	struct hit *hit = argument;
	uint8_t values[POINT_VALUES_MOST + 512];
	uintptr_t pc = hit->site->pc;
	struct looked looked;

	if (!record_on())
		return;
	prepare(hit);
	if (hit->site->texts || hit->site->pointed) {
		looked.readable = 0;
		look_at_texts(hit, &looked);
		look_at_pointed(hit, &looked);
		hit->looked = &looked;
	}
	size_t size = (size_t)(put_payload(hit, values) - values);
	if (!hit->site->records)
		return;
	sched_before(EV_POINT, NULL, 0, pc);
	uint8_t *bytes =
		record_open(EV_POINT, pc, (struct record_fields){ .n = hit->number }, size);
	if (!bytes)
		return;
	for (size_t i = 0; i < size; i++)
		bytes[i] = values[i];
	record_close();
}

/* Nobody asked for the call itself. */
static void remember_only(const struct hit *hit)
{
	uint8_t *room = point_stack_room(hit->number, hit->registers[4]);

	if (room)
		point_stack_push(hit->number, hit->registers[4],
				 (size_t)(put_values(hit, room) - room));
}

void point_hit(uint64_t number, const uint64_t *registers, const uint64_t *vectors)
{
	struct hit hit;
	struct looked looked;

	if (thread_buffer_self.quiet)
		return;
	/* One by one: of an initialiser gcc makes `rep stos` here, which takes as long as the rest. */
	hit.site = &point_sites[number];
	hit.number = (uint32_t)number;
	hit.registers = registers;
	hit.vectors = vectors;
	hit.began = 0;
	hit.values = NULL;
	hit.bytes = 0;
	hit.looked = NULL;
	if (sched_taking || hit.site->pointed) {
		save_vectors_call(note, &hit);
		return;
	}
	if (hit.site->texts && (hit.site->records || hit.site->remembers)) {
		looked.readable = 0;
		look(&hit, &looked);
		hit.looked = &looked;
	}
	if (hit.site->records)
		write_record(&hit);
	else if (hit.site->remembers)
		remember_only(&hit);
}

/*
 * Writes the record of a point in all cases that generated code does not handle: its values, what
 * its arguments point to, and for a RETURN the values of its call. In a controlled run, the point
 * is a step.
 */
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
	/*
	 * `began`: for a RETURN, the number of the point that began the call, or 0 if it is not
	 * known. `values` and `bytes`: the values that were kept there.
	 */
	uint32_t began;
	const uint8_t *values;
	size_t bytes;
	const struct looks *looks; /* NULL: nothing is read through pointers */
};

/* What was read through pointers. Texts are indexed by operand, other values by argument. */
struct looks {
	struct {
		unsigned length; /* encoded as in a record */
		uint8_t bytes[POINT_STRING_MOST + 8];
	} texts[POINT_ARGUMENTS];
	uint64_t pointed[POINT_ARGUMENTS]; /* indexed by argument */
	unsigned readable;		   /* bits: arguments whose pointees are readable */
};

/* ---- values ---------------------------------------------------------------------------------- */

typedef uint64_t loose64 __attribute__((aligned(1), may_alias));
typedef uint16_t loose16 __attribute__((aligned(1), may_alias));

static void copy_words(uint8_t *to, const uint8_t *from, size_t bytes)
{
	/* Both have room for a whole number of words. */
	for (size_t i = 0; i < bytes; i += 8)
		*(loose64 *)(to + i) = *(const loose64 *)(from + i);
}

static unsigned type_size(char letter)
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

static uint64_t load_bytes(uint64_t address, unsigned size)
{
	const uint8_t *from = (const uint8_t *)address;
	uint64_t value = 0;

	for (unsigned i = size; i-- > 0;)
		value = value << 8 | from[i];
	return value;
}

static inline uint64_t operand_value(const struct hit *hit, const struct point_operand *o)
{
	switch (o->how) {
	case POINT_REGISTER: return hit->registers[o->reg];
	case POINT_MEMORY: return load_bytes(address_of(o, hit->registers), type_size(o->letter));
	case POINT_VECTOR: return hit->vectors[o->reg];
	default: return (uint64_t)o->value;
	}
}

/* Writes a struct, which is in memory or in one register. */
static uint8_t *write_struct(const struct hit *hit, const struct point_operand *o, uint8_t *p)
{
	unsigned size = type_size(o->letter);
	uint64_t value;
	const uint8_t *from = (const uint8_t *)&value;

	if (o->how == POINT_MEMORY)
		from = (const uint8_t *)address_of(o, hit->registers);
	else
		value = operand_value(hit, o);
	for (unsigned i = 0; i < size; i++)
		p[i] = from[i];
	return p + size;
}

static unsigned bytes_of(unsigned length)
{
	return length == POINT_STRING_UNREADABLE ? 0 : length & ~POINT_STRING_CUT;
}

static uint8_t *write_text(const struct hit *hit, unsigned i, uint64_t address, uint8_t *p)
{
	unsigned length;

	*(loose64 *)p = address;
	if (hit->looks && hit->site->texts >> i & 1) {
		length = hit->looks->texts[i].length;
		copy_words(p + 10, hit->looks->texts[i].bytes, bytes_of(length));
	} else {
		length = point_read_text(p + 10, address, POINT_STRING_MOST);
	}
	*(loose16 *)(p + 8) = (uint16_t)length;
	return p + 10 + bytes_of(length);
}

static uint8_t *write_values(const struct hit *hit, uint8_t *p)
{
	const struct point_site *site = hit->site;

	for (unsigned i = 0; i < site->count; i++) {
		const struct point_operand *o = &site->operands[i];

		if (o->letter == 'o' || o->letter == 'v')
			continue;
		if (o->letter == 's') {
			p = write_text(hit, i, operand_value(hit, o), p);
		} else if (o->letter <= '@') {
			p = write_struct(hit, o, p);
		} else {
			*(loose64 *)p = point_extend(operand_value(hit, o), o->letter);
			p += 8;
		}
	}
	return p;
}

/* ---- what arguments point to ----------------------------------------------------------------- */

/* Returns the number of bytes that the value of this type at `p` takes. */
static unsigned value_size(char letter, const uint8_t *p)
{
	if (letter == 'o' || letter == 'v')
		return 0;
	if (letter <= '@')
		return (unsigned)(letter - '0');
	return letter == 's' ? 10 + bytes_of(*(const loose16 *)(p + 8)) : 8;
}

static bool is_pointee_requested(const struct hit *hit, const struct point_site *from, unsigned i)
{
	char letter = from->operands[i].letter;

	return hit->site->pointed >> i & 1 && (letter == 'p' || letter == 's');
}

static uint8_t *write_pointees(const struct hit *hit, const struct point_site *from, uint8_t *p)
{
	for (unsigned i = 0; i < from->count; i++) {
		bool ok = hit->looks->readable >> i & 1;

		if (!is_pointee_requested(hit, from, i))
			continue;
		*p++ = (uint8_t)((i + 1) | (ok ? 0 : 128));
		if (ok) {
			*(loose64 *)p =
				point_extend(hit->looks->pointed[i], from->operands[i].pointed);
			p += 8;
		}
	}
	return p;
}

/* ---- a record's payload ---------------------------------------------------------------------- */

static void push_call(const struct hit *hit, const uint8_t *values, size_t bytes)
{
	uint64_t sp = hit->registers[4];
	uint8_t *room = point_stack_room(hit->number, sp);

	if (!room)
		return;
	copy_words(room, values, bytes);
	point_stack_push(hit->number, sp, bytes);
}

/* Writes the payload of a RETURN: the values of the call, then the result. */
static uint8_t *write_return(const struct hit *hit, uint8_t *p)
{
	const struct point_site *call = &point_sites[hit->began];

	p = codec_put_number(p, hit->began);
	if (!hit->began)
		return write_values(hit, p);
	copy_words(p, hit->values, hit->bytes);
	p = write_values(hit, p + hit->bytes);
	return hit->site->pointed ? write_pointees(hit, call, p) : p;
}

/* Returns the largest possible size of the payload. For a RETURN, first finds its call. */
static size_t prepare_payload(struct hit *hit)
{
	if (hit->site->kind != POINT_RETURN)
		return hit->site->most;
	hit->began =
		point_stack_pop(hit->site->function, hit->registers[4], &hit->values, &hit->bytes);
	return hit->site->most + (hit->began ? hit->bytes : 0);
}

/* Writes the whole payload at `p`. Returns its end. */
static uint8_t *write_payload(const struct hit *hit, uint8_t *p)
{
	uint8_t *end;

	if (hit->site->kind == POINT_RETURN)
		return write_return(hit, p);
	end = write_values(hit, p);
	if (hit->site->pushes_call)
		push_call(hit, p, (size_t)(end - p));
	return hit->site->pointed ? write_pointees(hit, hit->site, end) : end;
}

/* ---- records --------------------------------------------------------------------------------- */

static void refill_buffer(void *buffer)
{
	(void)buffer;
	thread_buffer_refill();
}

static bool is_live(const struct wire_block *buffer)
{
	return buffer->flags & WIRE_BLOCK_LIVE;
}

/* Returns the thread buffer with room for `bytes` bytes, or NULL if nothing is recorded here. */
static struct wire_block *buffer_with_room(size_t bytes)
{
	struct wire_block *buffer = __sooth_lane;

	if (__builtin_expect(buffer->cursor > buffer->limit, 0)) {
		if (!thread_buffer_page())
			save_vectors_call(refill_buffer, NULL);
		buffer = __sooth_lane;
	}
	if (__builtin_expect(is_live(buffer) &&
				     buffer->base + WIRE_CHUNK - buffer->cursor < bytes + 16,
			     0)) {
		save_vectors_call(refill_buffer, NULL);
		buffer = __sooth_lane;
	}
	return is_live(buffer) ? buffer : NULL;
}

static void write_record(struct hit *hit)
{
	size_t most = prepare_payload(hit);
	struct wire_block *buffer = buffer_with_room(most + 16);

	if (!buffer)
		return;
	uint8_t *start = (uint8_t *)buffer->cursor;
	size_t header = most + 5 < 255 ? CODEC_SHORT_HEADER : CODEC_LONG_HEADER;
	uint8_t *end = write_payload(hit, codec_put_number(start + header, hit->number));

	codec_put_header(start, EV_POINT, header, (size_t)(end - start) - header);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	buffer->cursor = (uint64_t)end;
}

/* ---- looks, outside of controlled runs ------------------------------------------------------- */

/* Writes a READ of the text. The same as in point_pointee.c, but uses general registers only. */
static void write_look(uint64_t pc, uint64_t address, uint8_t *text, unsigned length)
{
	unsigned bytes = length & ~POINT_STRING_CUT;
	struct wire_block *buffer = buffer_with_room(bytes + 16 + CODEC_FIELDS_MAX);

	if (!buffer)
		return;
	if (length == bytes)
		text[bytes++] = 0; /* the terminating NUL was read, too */
	struct codec next = thread_buffer_self.codec;
	uint8_t *start = (uint8_t *)buffer->cursor, *p;
	size_t header = bytes + CODEC_FIELDS_MAX < 255 ? CODEC_SHORT_HEADER : CODEC_LONG_HEADER;

	p = codec_put_difference(start + header, pc, next.pc);
	p = codec_put_difference(p, address, next.address);
	p = codec_put_number(p, bytes);
	p = codec_put_number(p, EF_LOOK);
	copy_words(p, text, bytes);
	p += bytes;
	next.pc = pc;
	next.address = address;
	codec_put_header(start, EV_READ, header, (size_t)(p - start) - header);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	buffer->cursor = (uint64_t)p;
	thread_buffer_self.codec = next;
}

static void write_looks(const struct hit *hit, struct looks *looks)
{
	const struct point_site *site = hit->site;

	for (unsigned i = 0; i < site->count; i++) {
		if (!(site->texts >> i & 1))
			continue;
		uint64_t address = operand_value(hit, &site->operands[i]);
		unsigned length =
			point_read_text(looks->texts[i].bytes, address, POINT_STRING_MOST);

		looks->texts[i].length = length;
		if (length != POINT_STRING_UNREADABLE)
			write_look(site->pc, address, looks->texts[i].bytes, length);
	}
}

/* ---- controlled runs ------------------------------------------------------------------------- */

static void look_at_texts(const struct hit *hit, struct looks *looks)
{
	const struct point_site *site = hit->site;

	for (unsigned i = 0; i < site->count; i++)
		if (site->texts >> i & 1)
			looks->texts[i].length =
				point_pointee_text(site->pc, operand_value(hit, &site->operands[i]),
						   looks->texts[i].bytes);
}

/*
 * Reads what the requested pointers point to. They are arguments of this point, or, for a RETURN,
 * arguments of its call.
 */
static void look_at_pointed(const struct hit *hit, struct looks *looks)
{
	bool returns = hit->site->kind == POINT_RETURN;
	const struct point_site *from = returns ? &point_sites[hit->began] : hit->site;
	const uint8_t *values = hit->values;

	for (unsigned i = 0; i < from->count && (!returns || hit->began); i++) {
		const struct point_operand *o = &from->operands[i];
		uint64_t address;

		if (is_pointee_requested(hit, from, i) && o->pointed != 'o') {
			address = returns ? *(const loose64 *)values : operand_value(hit, o);
			if (point_pointee(hit->site->pc, address, type_size(o->pointed),
					  &looks->pointed[i]))
				looks->readable |= 1u << i;
		}
		if (returns)
			values += value_size(o->letter, values);
	}
}

/*
 * In a controlled run, a point is a step like others. Each look is a separate step before it, with
 * its own record. No vector registers are live here, and speed does not matter.
 */
static void record_step(void *argument)
{
	struct hit *hit = argument;
	uint8_t values[POINT_VALUES_MOST + 512];
	uintptr_t pc = hit->site->pc;
	struct looks looks;

	if (!record_on())
		return;
	prepare_payload(hit);
	if (hit->site->texts || hit->site->pointed) {
		looks.readable = 0;
		look_at_texts(hit, &looks);
		look_at_pointed(hit, &looks);
		hit->looks = &looks;
	}
	size_t size = (size_t)(write_payload(hit, values) - values);
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

/* Pushes the entry of a call whose RETURN is requested but which is not itself recorded. */
static void push_call_only(const struct hit *hit)
{
	uint8_t *room = point_stack_room(hit->number, hit->registers[4]);

	if (room)
		point_stack_push(hit->number, hit->registers[4],
				 (size_t)(write_values(hit, room) - room));
}

void point_hit(uint64_t number, const uint64_t *registers, const uint64_t *vectors)
{
	struct hit hit;
	struct looks looks;

	if (thread_buffer_self.quiet)
		return;
	/*
	 * Assigned one by one: gcc turns an initialiser into `rep stos`, which takes as long as all
	 * the rest.
	 */
	hit.site = &point_sites[number];
	hit.number = (uint32_t)number;
	hit.registers = registers;
	hit.vectors = vectors;
	hit.began = 0;
	hit.values = NULL;
	hit.bytes = 0;
	hit.looks = NULL;
	if (sched_active || hit.site->pointed) {
		save_vectors_call(record_step, &hit);
		return;
	}
	if (hit.site->texts && (hit.site->records || hit.site->pushes_call)) {
		looks.readable = 0;
		write_looks(&hit, &looks);
		hit.looks = &looks;
	}
	if (hit.site->records)
		write_record(&hit);
	else if (hit.site->pushes_call)
		push_call_only(&hit);
}

/*
 * The wire format: what instrumented code and the runtime write and the trace reader reads.
 * doc/trace-format.md tells the same in prose. Little-endian, x86-64; C and C++.
 *
 * A stream (one per thread, one more per depth of signal handlers) is a sequence of blocks; a
 * block is a header of 64 bytes and a sequence of records, at any alignment. Of a record's first
 * byte the lowest bit tells which sort it is:
 *
 *   1  a runtime record (codec.h)
 *   0  a segment: the first four bytes are the low half of the address of a struct wire_segment,
 *      a row in the table that the compiler plugin left in the object file. The row says how many
 *      bytes follow and what they mean.
 *
 * A segment stands for a stretch of straight code. What is the same each time it runs (sites,
 * names, the addresses of globals, constants stored) stands in the row once; only what differs
 * is written, at fixed offsets, by plain stores in the instrumented code itself.
 */
#ifndef EVENT_WIRE_H
#define EVENT_WIRE_H

#include <stdint.h>

#define WIRE_VERSION 1

/* ---- blocks ------------------------------------------------------------------------------ */

#define WIRE_BLOCK_MAGIC 0x4b4c4253u /* "SBLK" */
#define WIRE_CHUNK (64u << 10)	     /* bytes of a thread's buffer, header included */
#define WIRE_PAGE 1024u /* a TIME record at least every so many bytes: at most 1,000 accesses */
#define WIRE_SEGMENT_MAX 768u /* most bytes one segment may write, header word included */
#define WIRE_RECORD_MAX 4096u /* most bytes of a runtime record, header included */

/*
 * The log files of a trace: events.0 … events.6 hold full blocks, one at each multiple of
 * WIRE_CHUNK; events.7 holds short ones (the last of a stream), each at a multiple of 64 bytes. A
 * place may be empty (zeros) where a process was killed while it wrote. Which full block is in which
 * file is the runtime's affair (log.c).
 */
#define WIRE_LOG_FILES 8u

/*
 * The header of a block, and of the buffer it is made in. Instrumented code knows the first two
 * words: it writes at `cursor` and then moves it; when cursor > limit it calls the runtime first.
 * The buffer is a piece of the file `ring`, mapped shared, so that what was written before a
 * SIGKILL can be read from there.
 */
struct wire_block {
	uint64_t cursor; /* address of the next record; in a log file what it was then */
	uint64_t limit;
	uint64_t base; /* address of this header; cursor - base - sizeof is what is filled */
	uint32_t magic;
	uint32_t stream; /* 0 is the main thread; numbers are given in order of creation */
	uint64_t number; /* of the block in its stream, from 0 */
	uint32_t bytes;	 /* of records, in a log file; 0 in the ring */
	uint32_t flags;	 /* enum wire_block_flag */
	uint64_t time;	 /* what the first `t` of the block counts from */
	uint64_t spare;
};

enum wire_block_flag {
	WIRE_BLOCK_LIVE = 1,	/* ring: a stream is writing here */
	WIRE_BLOCK_LAST = 2,	/* the stream ended with this block */
	WIRE_BLOCK_HANDLER = 4, /* a signal handler's stream: `spare` is the stream it interrupts */
	WIRE_BLOCK_GLOBAL =
		8, /* log=global: pieces of many streams, each behind a struct wire_piece */
};

/* A piece of a stream in a block of the global log. */
struct wire_piece {
	uint32_t stream;
	uint32_t bytes;
};

/* How much of a log file a block with so many bytes of records takes. */
static inline uint32_t wire_block_room(uint32_t bytes)
{
	uint32_t whole = (uint32_t)sizeof(struct wire_block) + bytes;
	return whole > WIRE_CHUNK - 2 * WIRE_RECORD_MAX ? WIRE_CHUNK : (whole + 63) & ~63u;
}

/* ---- the plugin's table: sections sooth_seg and sooth_str of each module ------------------ */

/*
 * Fields called `…_ref` are self-relative: the address of the field plus its value is the address
 * meant; 0 means nothing. Strings end in NUL.
 */
struct wire_segment {
	uint16_t bytes;	      /* of payload, after the header word */
	uint16_t count;	      /* of struct wire_element, which follow the row at once */
	int32_t function_ref; /* the function this code is in, as the linker names it */
};

enum wire_form {
	WIRE_NONE,
	WIRE_PAYLOAD, /* at `…_at` in the payload: `size` bytes of a value; 6 bytes of an address, to
		       * which address_ref is added. The bytes alone define slot `…_slot`. */
	WIRE_SLOT,    /* what `…_slot` holds, plus a constant (address_ref or value) */
	WIRE_CONST, /* address_ref is self-relative; a value is in `value` */
	WIRE_SAME,  /* value only: the bytes of the element before this one (a copied struct) */
	WIRE_INDEX, /* the value of an EV_NONE only: a place in an array, see wire_index */
};

#define WIRE_ADDRESS_BYTES 6
#define WIRE_NO_SLOT 0xffffu
#define WIRE_SLOTS 1024

/*
 * One event of a segment, in program order. Slots are variables of the stream, 64 bits each; an
 * element can use a slot only if it was defined earlier in the same segment or in one before it
 * with no function entered or left between the two.
 */
struct wire_element {
	uint8_t kind;  /* EV_READ, EV_WRITE, EV_ENTER (address = return address), EV_EXIT,
				* EV_SITE, or EV_NONE: no event, but address_slot becomes what is in the
				* payload at address_at (address_form PAYLOAD: an address) or at value_at
				* (value_form PAYLOAD: a number of `size` bytes), value_slot + value
				* (value_form SLOT) or wire_index (value_form INDEX) */
	uint8_t flags; /* enum event_flag */
	uint16_t size; /* bytes accessed; SITE: event_group of the records it is for, 0: any */
	uint8_t address_form; /* enum wire_form */
	uint8_t value_form;
	uint16_t address_slot;
	uint16_t value_slot;
	uint16_t address_at;
	uint16_t value_at;
	uint16_t column;
	uint32_t line;
	int32_t address_ref; /* CONST: self-relative; PAYLOAD and SLOT: what to add */
	int32_t name_ref;    /* as the source says it: "counter", "o->refs", "a[]" */
	int32_t path_ref;    /* struct type and field: "table.refs"; SITE: the lock's */
	int32_t place_ref; /* "function\tfile", then for each inlined call "\tline\tfunction\tfile" */
	uint32_t field_offset; /* of path's field in its struct */
	uint64_t value;	       /* CONST: the value, zeros behind it; SLOT: what to add */
};

/*
 * An element of the form WIRE_INDEX is base + index * scale: address_slot becomes the place of an array's
 * element, of whose base and index the reader knows. The base is slot address_at plus address_ref
 * (address_form SLOT), or a variable (CONST). The index is what value_slot holds plus `value`, cut to
 * `size` bytes and extended: an index of 32 bits that runs over is 0 again, as in the program. value_at is
 * the scale, and whether the index is signed.
 */
#define WIRE_INDEX_SIGNED 0x8000u
#define WIRE_INDEX_SCALE_MAX 0x7fffu

static inline uint64_t wire_index(uint64_t base, uint64_t index, unsigned size, unsigned scale)
{
	unsigned spare = 64 - 8 * size;

	index <<= spare;
	index = scale & WIRE_INDEX_SIGNED ? (uint64_t)((int64_t)index >> spare) : index >> spare;
	return base + index * (scale & WIRE_INDEX_SCALE_MAX);
}

/* A row of the section sooth_nop (not loaded): a 5-byte NOP just before each access. */
struct wire_nop {
	uint64_t pc;	  /* of the NOP */
	uint16_t element; /* which element of the segment whose record is under construction */
	char cursor[6];	  /* the register that points at that record: "%rax", or "rax" */
};

/* ---- the file `modules` ------------------------------------------------------------------ */

#define WIRE_MODULE_MAGIC 0x444f4d53u /* "SMOD" */

/* Followed by path, build id, the bytes of sooth_seg and those of sooth_str. */
struct wire_module {
	uint32_t magic;
	uint32_t path_bytes;
	uint64_t base, end; /* addresses of the module's image */
	uint64_t seg_address, str_address;
	uint32_t seg_bytes, str_bytes;
	uint32_t build_id_bytes;
	uint32_t spare;
};

#ifdef __cplusplus
static_assert(sizeof(struct wire_block) == 64 && sizeof(struct wire_element) == 48, "wire format");
#else
_Static_assert(sizeof(struct wire_block) == 64 && sizeof(struct wire_element) == 48, "wire format");
_Static_assert(sizeof(struct wire_segment) == 8 && sizeof(struct wire_nop) == 16, "wire format");
#endif

#endif

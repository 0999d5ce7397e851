/*
 * The wire format: what instrumented code and the runtime write and the trace reader reads.
 * doc/trace-format.md describes it in prose. Little-endian, x86-64; C and C++.
 *
 * A stream (one per thread, and one per thread and nesting depth of signal handlers) is a sequence
 * of blocks. A block is a header of 64 bytes and a sequence of records, without alignment. The
 * lowest bit of a record's first byte says what it is:
 *
 *   1  a runtime record (codec.h)
 *   0  a segment: the first four bytes are the low half of the address of a struct wire_segment,
 *      a row in the table that the compiler plugin left in the object file. The row says how many
 *      bytes follow and what they mean.
 *
 * A segment stands for a piece of straight code. What is the same in every execution (sites, names,
 * addresses of globals, stored constants) is in the row, once. Only what differs is written, at
 * fixed offsets, by plain stores in the instrumented code itself.
 */
#ifndef EVENT_WIRE_H
#define EVENT_WIRE_H

#include <stdint.h>

#define WIRE_VERSION 1

/* ---- blocks ---------------------------------------------------------------------------------- */

#define WIRE_BLOCK_MAGIC 0x4b4c4253u /* "SBLK" */
#define WIRE_CHUNK (64u << 10)	     /* bytes of a thread buffer, header included */
/* maximum bytes between two TIME records, so at most 1,000 accesses */
#define WIRE_PAGE 1024u
#define WIRE_SEGMENT_MAX 768u /* maximum bytes of a segment, header word included */
#define WIRE_RECORD_MAX 4096u /* maximum bytes of a runtime record, header included */

/*
 * The log files of a trace: events.0 to events.6 hold full blocks, one at each multiple of
 * WIRE_CHUNK. events.7 holds short blocks (the last of a stream), each at a multiple of 64 bytes. A
 * position may be empty (zeros) if the process was killed while it wrote. The runtime decides which
 * full block goes to which file (log.c).
 */
#define WIRE_LOG_FILES 8u

/*
 * The header of a block, and of the thread buffer in which the block is made. Instrumented code
 * knows the first two words: it writes at `cursor` and then advances it; if cursor > limit, it
 * calls the runtime first. The buffer is a chunk of the file `ring`, mapped shared, so that
 * everything written before a SIGKILL can be read from that file.
 */
struct wire_block {
	/* address of the next record; in a log file, as it was when the block was written */
	uint64_t cursor;
	uint64_t limit;
	/* address of this header; cursor - base - sizeof is the number of bytes filled */
	uint64_t base;
	uint32_t magic;
	uint32_t stream; /* 0 is the main thread; numbers are assigned in order of creation */
	uint64_t number; /* position of the block in its stream, from 0 */
	uint32_t bytes;	 /* bytes of records, in a log file; 0 in the ring */
	uint32_t flags;	 /* enum wire_block_flag */
	uint64_t time;	 /* the time from which the first `t` of the block counts */
	uint64_t spare;
};

enum wire_block_flag {
	WIRE_BLOCK_LIVE = 1, /* ring: a stream is writing here */
	WIRE_BLOCK_LAST = 2, /* the stream ended with this block */
	/*
	 * a block of a signal handler's stream; `spare` is the stream that the handler interrupts
	 */
	WIRE_BLOCK_HANDLER = 4,
};

/* Bytes that a block with this many bytes of records takes in a log file. */
static inline uint32_t wire_block_room(uint32_t bytes)
{
	uint32_t whole = (uint32_t)sizeof(struct wire_block) + bytes;
	return whole > WIRE_CHUNK - 2 * WIRE_RECORD_MAX ? WIRE_CHUNK : (whole + 63) & ~63u;
}

/* ---- the plugin's table: sections sooth_seg and sooth_str of each module --------------------- */

/*
 * Fields called `..._ref` are self-relative: the target is the address of the field plus its value;
 * 0 means none. Strings end in NUL.
 */
struct wire_segment {
	uint16_t bytes;	      /* bytes of payload, after the header word */
	uint16_t count;	      /* number of struct wire_element, which follow the row */
	int32_t function_ref; /* linker name of the function that contains this code */
};

enum wire_form {
	WIRE_NONE,
	/*
	 * in the payload at `..._at`: a value of `size` bytes, or an address of 6 bytes to which
	 * address_ref is added. Slot `..._slot` is set to these bytes, without address_ref.
	 */
	WIRE_PAYLOAD,
	WIRE_SLOT,  /* the contents of `..._slot` plus a constant (address_ref or value) */
	WIRE_CONST, /* address_ref is self-relative; a value is in `value` */
	WIRE_SAME,  /* value only: the same bytes as the previous element's value (a struct copy) */
	WIRE_INDEX, /* value of an EV_NONE only: an array element, see wire_index() */
};

/*
 * In `size` of a SITE: the called function of the C++ library calls the one that is recorded, so
 * the pc of the record is not in the code of the site.
 */
#define WIRE_SITE_WRAPPER 0x8000u

#define WIRE_ADDRESS_BYTES 6
#define WIRE_ADDRESS_MASK ((1ull << 8 * WIRE_ADDRESS_BYTES) - 1)
#define WIRE_NO_SLOT 0xffffu
#define WIRE_SLOTS 1024

/*
 * One event of a segment, in program order. Slots are variables of the stream, 64 bits each. An
 * element can use a slot only if it was defined earlier in the same segment, or in an earlier one
 * with no function entry or exit in between.
 */
struct wire_element {
	/*
	 * EV_READ, EV_WRITE, EV_ENTER (address = return address), EV_EXIT, EV_SITE; or EV_NONE,
	 * which is not an event but sets address_slot: to the address in the payload at address_at
	 * (address_form PAYLOAD), to the number of `size` bytes in the payload at value_at
	 * (value_form PAYLOAD), to value_slot + value (value_form SLOT), or to wire_index()
	 * (value_form INDEX)
	 */
	uint8_t kind;
	uint8_t flags;	      /* enum event_flag */
	uint16_t size;	      /* bytes accessed; SITE: event_group of its records, 0: any; flags */
	uint8_t address_form; /* enum wire_form */
	uint8_t value_form;
	uint16_t address_slot;
	uint16_t value_slot;
	uint16_t address_at;
	uint16_t value_at;
	uint16_t column;
	uint32_t line;
	int32_t address_ref; /* CONST: self-relative; PAYLOAD and SLOT: the constant to add */
	int32_t name_ref;    /* as in the source: "counter", "o->refs", "a[]" */
	int32_t path_ref;    /* struct type and field: "table.refs"; SITE: of the lock */
	int32_t site_ref;    /* "function\tfile"; for each inlined call "\tline\tfunction\tfile" */
	uint32_t field_offset; /* offset of the field of path_ref in its struct */
	uint64_t value;	       /* CONST: the value, padded with zeros; SLOT: the constant to add */
};

/*
 * An element of the form WIRE_INDEX sets address_slot to base + index * scale: the address of an
 * array element whose base and index the reader knows. The base is slot address_at plus address_ref
 * (address_form SLOT), or a variable (CONST). The index is the contents of value_slot plus `value`,
 * truncated to `size` bytes and extended, so that a 32-bit index wraps around as in the program.
 * value_at holds the scale and whether the index is signed.
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

/* A row of the section sooth_nop (not loaded): the 5-byte NOP before each access. */
struct wire_nop {
	uint64_t pc;	  /* address of the NOP */
	uint16_t element; /* the element of the segment whose record is under construction */
	char cursor[6];	  /* the register that points at that record: "%rax" or "rax" */
};

/* ---- the file `modules` ---------------------------------------------------------------------- */

#define WIRE_MODULE_MAGIC 0x444f4d53u /* "SMOD" */

/* Followed by the path, the build id, and the contents of sooth_seg and sooth_str. */
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

/* An event as the checker keeps it, and names of threads, events and objects for messages. */
#ifndef CHECK_RECORD_H
#define CHECK_RECORD_H

#include "trace/trace.h"

enum checker_bit {
	CHECKER_VALUE = 1,     /* the value that was read or written is known */
	CHECKER_OLD = 2,       /* the value that an update found is known */
	CHECKER_TIMES_OUT = 4, /* WAIT: recorded as timed out, so no signal wakes it */
	CHECKER_ASTRAY = 8,    /* WAIT: the next event in its stream is not its WOKEN */
	/* the first event of its thread; the thread's CREATE came before it */
	CHECKER_CREATED = 16,
	CHECKER_KEEPS_ORDER = 32,  /* there are events that must come before it (order.c) */
	CHECKER_KEEPS_WRITER = 64, /* a read with bytes that are bound to their writers */
	/* JOIN, reads: the base run breaks their rule. Also SYNC, OPAQUE, a BEGIN without CREATE */
	CHECKER_UNEXPLAINED = 128,
};

/* Probes that begin or end an atomic region. */
enum checker_region { CHECKER_NO_REGION, CHECKER_REGION_BEGINS, CHECKER_REGION_ENDS };

struct checker_record {
	uint8_t kind, flags;
	uint8_t mode;	 /* field m of sync events; enum checker_region of a probe */
	uint8_t bits;	 /* enum checker_bit */
	bool foreign;	 /* from code that was not recorded (recordings only) */
	uint32_t stream; /* position of its stream in the trace */
	uint32_t thread; /* position of the owner's stream; differs from `stream` for handlers */
	uint32_t unit;	 /* bytes of the value; if fewer than `size`, the value repeats */
	uint64_t index, address, size;
	uint64_t place; /* code site; equal values mean equal sites; 0: unknown */
	union {
		/* unit <= 8: the value; from byte 8 on, the value that an update found */
		uint8_t near[16];
		struct {
			const uint8_t *value, *old;
		} far;
		struct {
			uint64_t other, number; /* `other` of a region's probe is its name */
		};				/* for events that are not accesses */
	};
	uint32_t next; /* number of the thread's next event in the window, or CHECKER_END */
	/*
	 * ARRIVE: number of its round. ONCE, ONCE_BEGIN: how many runs had ended before. WOKEN:
	 * the event that woke it in the base run, 0 if that was before the window. RECEIVE of
	 * nothing: the first SEND of bytes after it. SEND of bytes, and deaf SEND: the next deaf
	 * SEND. 0 if there is none.
	 */
	uint32_t note;
};

/* Events of a window are numbered from 1 in base order; 0 stands for what was before the window. */
#define CHECKER_END UINT32_MAX

/*
 * Values longer than 8 bytes belong to the trace_event: they are valid until its cursor advances.
 */
void checker_record_init(struct checker_record *record, const struct trace_event *event,
			 uint32_t stream, uint32_t thread);
/*
 * Returns the last address of a range. A range that extends past the end of the address space is
 * cut off there.
 */
static inline uint64_t checker_last_address(uint64_t first, uint64_t size)
{
	return size - 1 > UINT64_MAX - first ? UINT64_MAX : first + size - 1;
}

/*
 * checker_record_keep() gives the record its own copy of long values. checker_record_drop() frees
 * it.
 */
void checker_record_keep(struct checker_record *record);
void checker_record_drop(struct checker_record *record);

bool checker_reads(const struct checker_record *record);
bool checker_writes(const struct checker_record *record);
bool checker_is_access(const struct checker_record *record);
bool checker_is_atomic(const struct checker_record *record);

/* What the access read and wrote, `unit` bytes; NULL if unknown. */
const uint8_t *checker_read_value(const struct checker_record *record);
const uint8_t *checker_written_value(const struct checker_record *record);

/* ---- sync objects ---------------------------------------------------------------------------- */

enum checker_class {
	CHECKER_LOCK,
	CHECKER_CONDITION,
	CHECKER_SEMAPHORE,
	CHECKER_BARRIER,
	CHECKER_ONCE,
	CHECKER_CLASSES,
};

struct checker_operand {
	enum checker_class class;
	uint64_t address;
};

/*
 * Returns the sync objects that an event operates on: none, one, or a condition and its mutex. A
 * request does not operate on an object: it only announces what comes next.
 */
unsigned checker_operands(const struct checker_record *record, struct checker_operand operands[2]);

/*
 * Does it begin a lifetime of memory (a heap block or a mapping), whose contents are then unknown?
 */
bool checker_is_blank(const struct checker_record *record);

/* Returns the position of the stream with this number (as events name it), or TRACE_NONE. */
uint32_t checker_stream_of(const struct trace *trace, uint64_t number);

/* ---- names in messages ----------------------------------------------------------------------- */

struct checker_words {
	char text[96];
};

struct checker_words checker_thread_words(const struct trace *trace, uint32_t stream);
/* Returns a name for messages, such as "T1 event 4". */
struct checker_words checker_event_words(const struct trace *trace, uint32_t stream,
					 uint64_t index);
struct checker_words checker_object_words(const struct trace *trace, uint64_t address);

#endif

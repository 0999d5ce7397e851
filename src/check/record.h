/* An event as the checker keeps it, and how messages call things. */
#ifndef CHECK_RECORD_H
#define CHECK_RECORD_H

#include "trace/trace.h"

enum checker_bit {
	CHECKER_VALUE = 1,	   /* what was read or written is known … */
	CHECKER_OLD = 2,	   /* … and what an update found */
	CHECKER_TIMES_OUT = 4,	   /* WAIT: no signal wakes it: it was recorded as timed out */
	CHECKER_ASTRAY = 8,	   /* WAIT: what follows in the stream is no WOKEN of its own */
	CHECKER_CREATED = 16,	   /* the first of its thread, and the CREATE came before it */
	CHECKER_KEEPS_ORDER = 32,  /* there are events that must come before it (order.h) */
	CHECKER_KEEPS_WRITER = 64, /* a read with bytes that are bound to who wrote them */
	CHECKER_UNEXPLAINED = 128, /* JOIN, reads: the base run breaks the rule for it; SYNC */
};

/* A probe that begins or ends an atomic region. */
enum checker_region { CHECKER_NO_REGION, CHECKER_REGION_BEGINS, CHECKER_REGION_ENDS };

struct checker_record {
	uint8_t kind, flags;
	uint8_t mode;	 /* field m of sync events; of a probe enum checker_region */
	uint8_t bits;	 /* enum checker_bit */
	bool foreign;	 /* in a recording, by code that was not recorded */
	uint32_t stream; /* position in the trace */
	uint32_t thread; /* position of the thread's stream: another one for handlers */
	uint32_t unit;	 /* bytes of a value; when fewer than size they repeat */
	uint64_t index, address, size;
	uint64_t place; /* in the code: equal for equal places; 0: not known */
	union {
		uint8_t near[16]; /* unit <= 8: value, and from 8 on what an update found */
		struct {
			const uint8_t *value, *old;
		} far;
		struct {
			uint64_t other, number; /* `other` of a region's probe is its name */
		};				/* of what is no access */
	};
	uint32_t next; /* number of the thread's next event in the window; CHECKER_END: none */
	/* ARRIVE: number of its meeting; ONCE, ONCE_BEGIN: how many runs had ended before; WOKEN:
	 * the event that woke it in the base run, 0 when that was before the window; RECEIVE of
	 * nothing: the first SEND of bytes behind it, SEND of bytes, and one that is deaf: the first
	 * that is deaf, 0 if there is none */
	uint32_t note;
};

/* Events of a window are numbered from 1 in base order; 0 is what was before the window. */
#define CHECKER_END UINT32_MAX

/* Far values stay those of the trace_event: good until its cursor moves on. */
void checker_record_make(struct checker_record *record, const struct trace_event *event,
			 uint32_t stream, uint32_t thread);
/* A record that owns its far values, and the end of one. */
void checker_record_keep(struct checker_record *record);
void checker_record_drop(struct checker_record *record);

bool checker_reads(const struct checker_record *record);
bool checker_writes(const struct checker_record *record);
bool checker_is_access(const struct checker_record *record);
bool checker_is_atomic(const struct checker_record *record);

/* What the access read and wrote, `unit` bytes; NULL: not known. */
const uint8_t *checker_read_value(const struct checker_record *record);
const uint8_t *checker_written_value(const struct checker_record *record);

/* ---- sync objects ------------------------------------------------------------------------- */

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
 * The sync objects that an event operates on: none, one, or a condition and its mutex. A request
 * operates on nothing: it only says what comes next.
 */
unsigned checker_operands(const struct checker_record *record, struct checker_operand operands[2]);

/* Does it begin or end the life of its sync object? */
bool checker_is_object_life(const struct checker_record *record);

/* Does it begin the life of memory in which is who knows what: a heap block, a mapping? */
bool checker_is_blank(const struct checker_record *record);

/* The position of the stream with this number (as events name it), or TRACE_NONE. */
uint32_t checker_stream_of(const struct trace *trace, uint64_t number);

/* ---- words -------------------------------------------------------------------------------- */

struct checker_words {
	char text[96];
};

struct checker_words checker_thread_words(const struct trace *trace, uint32_t stream);
/* "T1 event 4" */
struct checker_words checker_event_words(const struct trace *trace, uint32_t stream,
					 uint64_t index);
struct checker_words checker_object_words(const struct trace *trace, uint64_t address);

#endif

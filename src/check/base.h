/*
 * The base run of a window, in memory, and what follows from it: which bytes and objects are frozen
 * because the recording does not explain them, which values unknown bytes must have had, which
 * write each read without a value read from, and which events must keep their order.
 */
#ifndef CHECK_BASE_H
#define CHECK_BASE_H

#include "check/source.h"
#include "check/world.h"

/* Why an event needs another one before it. */
enum checker_why {
	CHECKER_WHY_LIFETIME, /* one begins or ends the lifetime of bytes that the other uses */
	CHECKER_WHY_OBJECT,   /* … of a sync object */
	CHECKER_WHY_FROZEN,   /* the order of operations on a frozen byte or object */
	CHECKER_WHY_JOIN,     /* a join that returned before the joined thread's last event */
	CHECKER_WHY_CHANNEL,  /* what it received was sent there, or was sent after that */
};
struct checker_need {
	uint32_t later, earlier;
	uint8_t why; /* enum checker_why */
};

/* A byte that had this value when its block or mapping was allocated. */
struct checker_found {
	uint32_t alloc;
	uint8_t value;
	uint64_t address;
};

/* A read with bytes bound to their writers: `start` is the first byte's position in `writers`. */
struct checker_bound {
	uint32_t read;
	size_t start;
};
#define CHECKER_BY_VALUE UINT32_MAX /* this byte is not bound to a writer */

/* The bytes whose lifetime an event begins or ends. */
struct checker_range {
	uint32_t number;
	uint64_t first, last;
};

/* Consecutive events of a stream before the window. */
struct checker_passed_slice {
	uint64_t begin, end; /* indices */
	uint64_t place;	     /* how many events of all streams came before the first of them */
};
typedef VEC(struct checker_passed_slice) checker_passed_list;

/* An atomic region that a stream is in, and how many times it was entered. */
struct checker_open_region {
	uint32_t stream, depth;
	uint64_t name;
};

struct checker_base {
	struct checker_source *source;
	struct checker_world *start;	   /* state at the start of the window */
	VEC(struct checker_record) loaded; /* events from there on, in base order */
	uint32_t count;			   /* how many of them are in the window */
	uint32_t streams;
	uint64_t *loaded_end;	     /* by stream: the first index that is not loaded */
	uint64_t *window_end;	     /* by stream: the first index after the window */
	checker_passed_list *passed; /* by stream: what came before the window */
	uint64_t passed_count;	     /* total number of these events */
	uint32_t *first;	     /* by thread: its first event in the window, or CHECKER_END */
	struct map frozen_bytes;     /* line to bits */
	/* the same: bytes that are not judged because only their own thread uses them */
	struct map own_bytes;
	struct map frozen[CHECKER_CLASSES];
	/* the frozen objects that have an unexplained operation */
	struct map unexplained[CHECKER_CLASSES];
	/* locks that a thread acquires in the window while it holds them */
	struct map recursive;
	VEC(struct checker_need) needs; /* sorted by the later event */
	VEC(struct checker_found) found;
	VEC(struct checker_bound) bound;
	VEC(uint32_t) writers;
	VEC(struct checker_range) lifetimes;
	VEC(struct checker_open_region) regions; /* open at the start of the window */
};

struct checker_base *checker_base_open(const struct trace *trace, struct checker_survey *survey);
void checker_base_close(struct checker_base *base);

/*
 * Moves the start of the window forward by one slice, or loads one slice of the window. `number` is
 * the stream's number.
 */
bool checker_base_pass(struct checker_base *base, uint32_t number, uint64_t end, struct err *err);
bool checker_base_load(struct checker_base *base, uint32_t number, uint64_t end, struct err *err);

/* Returns how many events precede this one, itself before the window. `stream` is a position. */
uint64_t checker_base_position(const struct checker_base *base, uint32_t stream, uint64_t index);

/* To be called between moving and loading, and when the window is loaded completely. */
void checker_base_clear(struct checker_base *base);
void checker_base_learn(struct checker_base *base);

/* Returns the state of the base run just before an event of the window. The caller closes it. */
struct checker_world *checker_base_before(const struct checker_base *base, uint32_t number);

/* The window's events are numbered from 1. */
struct checker_record *checker_base_record(const struct checker_base *base, uint32_t number);

/*
 * Finds the event of the stream at position `stream` with this index, among its thread's events
 * from number `from` on; CHECKER_END if it is not there.
 */
uint32_t checker_base_find(const struct checker_base *base, uint32_t from, uint32_t stream,
			   uint64_t index);

bool checker_base_is_frozen(const struct checker_base *base, enum checker_class class,
			    uint64_t address);
bool checker_base_is_unexplained(const struct checker_base *base, enum checker_class class,
				 uint64_t address);
uint64_t checker_base_frozen_bits(const struct checker_base *base, uint64_t line);
/* Returns the bytes of a line whose values reads need not match, including the frozen ones. */
uint64_t checker_base_unjudged_bits(const struct checker_base *base, uint64_t line);

/* Does the thread have events after the window? */
bool checker_base_goes_on(const struct checker_base *base, uint32_t thread);

/* Returns the bytes whose lifetime the event begins or ends; false if it does neither. */
bool checker_base_lifetime(const struct checker_base *base, uint32_t number,
			   struct checker_range *range);

/* Computes `needs` (order.c). */
void checker_base_order(struct checker_base *base);
/* Returns the needs of an event. */
const struct checker_need *checker_base_needs(const struct checker_base *base, uint32_t later,
					      size_t *count);

/* Returns the writers that the bytes of a read are bound to, or NULL if none is. */
const uint32_t *checker_base_writers(const struct checker_base *base, uint32_t read);
/* Returns what is known about the contents of a block when it was allocated. */
const struct checker_found *checker_base_found(const struct checker_base *base, uint32_t alloc,
					       size_t *count);

#endif

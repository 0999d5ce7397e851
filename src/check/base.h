/*
 * The base run of a window, in memory, and what follows from it: which bytes and objects are frozen
 * because the recording does not explain them, which values unknown bytes must have had, from which
 * write each read without a recorded value took its value, and which events must keep their order.
 */
#ifndef CHECK_BASE_H
#define CHECK_BASE_H

#include "check/source.h"
#include "check/world.h"

/* Why one event needs another one to come before it. */
enum checker_why {
	CHECKER_WHY_LIFETIME, /* one begins or ends a lifetime of bytes that the other uses */
	CHECKER_WHY_OBJECT,   /* the same for a synchronisation object */
	CHECKER_WHY_FROZEN,   /* the order of operations on a frozen byte or object */
	CHECKER_WHY_JOIN,     /* a join that returned before the joined thread's last event */
	CHECKER_WHY_CHANNEL,  /* the order of sends and receives on a channel */
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

/*
 * A read some of whose bytes are bound to their writers. The first byte's writer is at `start` in
 * `writers`.
 */
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
	uint64_t place;	     /* number of events of all streams before the first of them */
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
	VEC(struct checker_record) loaded; /* events from `start` on, in base order */
	uint32_t count;			   /* how many of them are in the window */
	uint32_t streams;
	uint64_t *loaded_end;	     /* by stream: the first index that is not loaded */
	uint64_t *window_end;	     /* by stream: the first index after the window */
	checker_passed_list *passed; /* by stream: its slices before the window */
	uint64_t passed_count;	     /* number of events before the window */
	uint32_t *first;	     /* by thread: its first event in the window, or CHECKER_END */
	struct map frozen_bytes;     /* memory line to bits: the frozen bytes */
	/* the same for bytes that are not judged because only one thread uses them */
	struct map own_bytes;
	struct map frozen[CHECKER_CLASSES];
	/* the frozen objects that have an unexplained operation */
	struct map unexplained[CHECKER_CLASSES];
	/* locks that a thread acquires in the window while it holds them */
	struct map recursive;
	VEC(struct checker_need) needs; /* sorted by `later` */
	VEC(struct checker_found) found;
	VEC(struct checker_bound) bound;
	VEC(uint32_t) writers;
	VEC(struct checker_range) lifetimes;
	VEC(struct checker_open_region) regions; /* open at the start of the window */
};

struct checker_base *checker_base_open(const struct trace *trace, struct checker_survey *survey);
void checker_base_close(struct checker_base *base);

/*
 * checker_base_pass() moves the start of the window forward by one slice. checker_base_load() adds
 * one slice to the window. `number` is the number of the slice's stream.
 */
bool checker_base_pass(struct checker_base *base, uint32_t number, uint64_t end, struct err *err);
bool checker_base_load(struct checker_base *base, uint32_t number, uint64_t end, struct err *err);

/*
 * Returns how many events of all streams precede this event in the base run. The event must be
 * before the window. `stream` is a position in the trace.
 */
uint64_t checker_base_position(const struct checker_base *base, uint32_t stream, uint64_t index);

/*
 * checker_base_clear() drops the records before the window, and the facts about the last window. It
 * is called after moving and before loading. checker_base_learn() infers facts from the window
 * (infer_values.c). It is called when the window is loaded completely.
 */
void checker_base_clear(struct checker_base *base);
void checker_base_learn(struct checker_base *base);

/*
 * Returns the state of the base run just before event `number` of the window. The caller closes it.
 */
struct checker_world *checker_base_before(const struct checker_base *base, uint32_t number);

/* Returns the record of an event of the window. The events are numbered from 1. */
struct checker_record *checker_base_record(const struct checker_base *base, uint32_t number);

/*
 * Returns the number of the event with this index in the stream at position `stream`. Searches its
 * thread's events from number `from` on. CHECKER_END if it is not there.
 */
uint32_t checker_base_find(const struct checker_base *base, uint32_t from, uint32_t stream,
			   uint64_t index);

bool checker_base_is_frozen(const struct checker_base *base, enum checker_class class,
			    uint64_t address);
bool checker_base_is_unexplained(const struct checker_base *base, enum checker_class class,
				 uint64_t address);
uint64_t checker_base_frozen_bits(const struct checker_base *base, uint64_t line);
/*
 * Returns the bytes of a line that are not judged: frozen bytes, and those in own_bytes. A read may
 * find any value in them.
 */
uint64_t checker_base_unjudged_bits(const struct checker_base *base, uint64_t line);

/* Does the thread have events after the window? */
bool checker_base_goes_on(const struct checker_base *base, uint32_t thread);

/*
 * Sets *range to the bytes whose lifetime the event begins or ends. Returns false if it does
 * neither.
 */
bool checker_base_lifetime(const struct checker_base *base, uint32_t number,
			   struct checker_range *range);

/* Computes `needs` (order.c). */
void checker_base_order(struct checker_base *base);
const struct checker_need *checker_base_needs(const struct checker_base *base, uint32_t later,
					      size_t *count);

/*
 * Returns, for each byte of a read, the writer to which it is bound or CHECKER_BY_VALUE; NULL if no
 * byte is bound.
 */
const uint32_t *checker_base_writers(const struct checker_base *base, uint32_t read);
/* Returns the bytes of a block whose values at its allocation are known. */
const struct checker_found *checker_base_found(const struct checker_base *base, uint32_t alloc,
					       size_t *count);

#endif

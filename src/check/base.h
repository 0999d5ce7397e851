/*
 * The base run of a window, in memory, and what it says: which bytes and objects follow rules
 * that the recording does not explain, what unknown bytes must have held, who wrote what reads
 * without a value read, and what must keep its order.
 */
#ifndef CHECK_BASE_H
#define CHECK_BASE_H

#include "check/source.h"
#include "check/world.h"

/* Why an event needs another before it. */
enum checker_why {
	CHECKER_WHY_LIFE,    /* one begins or ends the life of bytes that the other uses */
	CHECKER_WHY_OBJECT,  /* … of a sync object */
	CHECKER_WHY_FROZEN,  /* something around them is the environment's doing */
	CHECKER_WHY_JOIN,    /* a join that came while the joined thread went on */
	CHECKER_WHY_CHANNEL, /* what it received was sent there, or sent behind that */
};
struct checker_need {
	uint32_t later, earlier;
	uint8_t why; /* enum checker_why */
};

/* A byte that held this value when its block was allocated, or its mapping made. */
struct checker_found {
	uint32_t alloc;
	uint8_t value;
	uint64_t address;
};

/* A read with bytes that are bound to their writers: those of its bytes start at `start`. */
struct checker_bound {
	uint32_t read;
	size_t start;
};
#define CHECKER_BY_VALUE UINT32_MAX /* this byte is not bound */

/* Bytes that an event gives life to, or takes it from. */
struct checker_range {
	uint32_t number;
	uint64_t first, last;
};

/* Events of a stream that came one after the other before the window. */
struct checker_passed {
	uint64_t begin, end; /* indices */
	uint64_t place;	     /* how many events came before the first of them */
};
typedef VEC(struct checker_passed) checker_passed_list;

/* An atomic region that a stream is in, so many times. */
struct checker_open_region {
	uint32_t stream, depth;
	uint64_t name;
};

struct checker_base {
	struct checker_source *source;
	struct checker_world *start;	   /* when the window starts */
	VEC(struct checker_record) loaded; /* from there on, in base order */
	uint32_t count;			   /* of them in the window */
	uint32_t streams;
	uint64_t *loaded_end;	     /* for each stream: the first index that is not loaded */
	uint64_t *window_end;	     /* … not in the window */
	checker_passed_list *passed; /* for each stream: what came before the window */
	uint64_t passed_count;	     /* events of them all */
	uint32_t *first; /* for each thread: its first event of the window, or CHECKER_END */
	struct map frozen_bytes; /* line to bits */
	struct map own_bytes;	 /* the same: not judged, what is in them is the thread's doing */
	struct map frozen[CHECKER_CLASSES];
	struct map unexplained[CHECKER_CLASSES]; /* those of them with an operation that is */
	struct map recursive;			 /* locks that somebody takes in it who has them */
	VEC(struct checker_need) needs;		 /* by the later one */
	VEC(struct checker_found) found;
	VEC(struct checker_bound) bound;
	VEC(uint32_t) writers;
	VEC(struct checker_range) lives;
	VEC(struct checker_open_region) regions; /* open when the window starts */
};

struct checker_base *checker_base_open(const struct trace *trace, struct checker_survey *survey);
void checker_base_close(struct checker_base *base);

/* Moves the start on, or loads the window: one run. */
bool checker_base_pass(struct checker_base *base, uint32_t number, uint64_t end, struct err *err);
bool checker_base_load(struct checker_base *base, uint32_t number, uint64_t end, struct err *err);

/* How many events had come when this one did, which came before the window; by stream, not number. */
uint64_t checker_base_place(const struct checker_base *base, uint32_t stream, uint64_t index);

/* Between the two, and when all of the window is loaded. */
void checker_base_clear(struct checker_base *base);
void checker_base_learn(struct checker_base *base);

/* The world of the base run right before an event of the window; to be closed. */
struct checker_world *checker_base_before(const struct checker_base *base, uint32_t number);

/* The window's events, from 1 on. */
struct checker_record *checker_base_record(const struct checker_base *base, uint32_t number);

bool checker_base_is_frozen(const struct checker_base *base, enum checker_class class,
			    uint64_t address);
bool checker_base_is_unexplained(const struct checker_base *base, enum checker_class class,
				 uint64_t address);
uint64_t checker_base_frozen_bits(const struct checker_base *base, uint64_t line);
/* Those bytes of a line whose value a read is not asked for: the frozen ones among them. */
uint64_t checker_base_unjudged_bits(const struct checker_base *base, uint64_t line);

/* Have the thread's events that lie behind the window, or behind all windows, yet to happen? */
bool checker_base_goes_on(const struct checker_base *base, uint32_t thread);

/* The bytes whose life the event begins or ends; false: none. */
bool checker_base_life(const struct checker_base *base, uint32_t number,
		       struct checker_range *range);

/* Makes `needs` (order.c). */
void checker_base_order(struct checker_base *base);
/* Those of an event: from the one returned on, as long as `later` is this event. */
const struct checker_need *checker_base_needs(const struct checker_base *base, uint32_t later,
					      size_t *count);

/* The writers that the bytes of a read are bound to; NULL: none is. */
const uint32_t *checker_base_writers(const struct checker_base *base, uint32_t read);
/* What is known to have been in a block when it was allocated. */
const struct checker_found *checker_base_found(const struct checker_base *base, uint32_t alloc,
					       size_t *count);

#endif

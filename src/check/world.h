/*
 * A world: the state of the program after the events so far. It says which thread holds what, which
 * thread waits where, what is in memory, and which threads exist.
 *
 * One world moves through the base run. For each play of a window there is another world on top of
 * it. That world starts in the same state and then changes on its own: before it changes something,
 * it copies it from the world under it. So a play costs only as much as it changes.
 *
 * For each kind of object there are rules (`…_allows`: can this event happen now with its recorded
 * result, and if not, why?) and effects (`…_apply`: the event happens, allowed or not). They
 * implement doc/prediction.md, "When an event can happen".
 */
#ifndef CHECK_WORLD_H
#define CHECK_WORLD_H

#include "base/map.h"
#include "base/vec.h"
#include "check/record.h"
#include "check/survey.h"

/* ---- locks (locks.c) ------------------------------------------------------------------------- */

struct checker_hold {
	uint32_t thread;
	uint32_t depth;	 /* 0: not held */
	uint32_t stream; /* the hold began with event `index` of this stream */
	uint64_t index;
};

struct checker_lock {
	struct checker_hold writer;
	VEC(struct checker_hold) readers; /* one per reading thread */
	uint8_t kind;			  /* enum event_lock */
};

/* ---- conditions (conditions.c) --------------------------------------------------------------- */

enum checker_condition_entry_kind { CHECKER_WAIT, CHECKER_SIGNAL, CHECKER_BROADCAST };

struct checker_condition_entry {
	uint8_t kind;	 /* enum checker_condition_entry_kind */
	bool timed_out;	 /* a wait recorded as timed out: no signal wakes it */
	bool woken;	 /* the wait was woken by a broadcast */
	uint32_t thread; /* the thread that waits */
	uint32_t number; /* of a signal or broadcast: its number in the window */
};

struct checker_condition {
	/*
	 * Waits that have not returned, and signals that each woke one of them (it is open which).
	 */
	VEC(struct checker_condition_entry) entries;
	/*
	 * The same waits, and the calls since then, for the question which call woke which wait in
	 * the base run.
	 */
	VEC(struct checker_condition_entry) recorded;
};

/* ---- semaphores, barriers, once (counted_objects.c) ------------------------------------------ */

struct checker_semaphore {
	uint64_t count;
	bool exact; /* true: the count is the real one; false: the least possible one */
};

struct checker_barrier {
	uint64_t size;	  /* number of threads that meet in a round; 0 if unknown */
	uint64_t arrived; /* number of threads that have arrived at the current round */
	uint32_t round;	  /* number of the current round */
};

struct checker_once {
	uint32_t ended; /* number of runs that have ended */
	bool running, passed_early;
	struct checker_hold runner;
};

struct checker_object {
	uint64_t address;
	union {
		struct checker_lock lock;
		struct checker_condition condition;
		struct checker_semaphore semaphore;
		struct checker_barrier barrier;
		struct checker_once once;
	};
};

/* ---- memory (memory.c) ----------------------------------------------------------------------- */

#define CHECKER_LINE 64u

struct checker_line {
	uint64_t known; /* bit i: byte i has a known value */
	uint8_t value[CHECKER_LINE];
};
struct checker_writers {
	uint32_t of[CHECKER_LINE]; /* numbers of the last writers in the window */
};
struct checker_forgotten {
	uint64_t first, last; /* addresses of the range */
	uint32_t number;
};

struct checker_memory {
	struct map index; /* line number to position + 1 */
	VEC(struct checker_line) lines;
	VEC(struct checker_writers) writers;	 /* only in a world on top of another */
	VEC(struct checker_forgotten) forgotten; /* applies to lines that are not in `lines` yet */
	bool zeros; /* bytes without a value are 0 (in a text trace), not unknown */
};

/* ---- threads (world.c) ----------------------------------------------------------------------- */

struct checker_thread {
	uint64_t done; /* number of events of the stream that have happened */
	/* its last event, if that is a request; otherwise kind NONE */
	struct checker_record pending;
	struct checker_record hangs; /* the same for a thread and its handlers */
	uint64_t stack_low, stack_high;
	uint32_t wait_depth; /* during a wait: how often it held the mutex before */
	bool created;	     /* its CREATE has happened */
	bool ended;	     /* its END has happened */
	bool late;	     /* its last wait began after the event that woke it in the base run */
	bool at_barrier;     /* it has arrived at a barrier and not left it */
	uint32_t round;
	uint64_t barrier;
};

struct checker_world {
	const struct trace *trace;
	struct checker_survey *survey;
	const struct checker_world *under;
	struct checker_memory memory;
	struct {
		struct map index;
		VEC(struct checker_object) items;
	} objects[CHECKER_CLASSES];
	/* address of a heap block to its size + 1; 0 if it was freed */
	struct map blocks;
	struct checker_thread *threads; /* by stream */
	uint32_t unseen;		/* number of created threads that have no stream */
};

struct checker_world *checker_world_open(const struct trace *trace, struct checker_survey *survey);
struct checker_world *checker_world_on(const struct checker_world *under);
void checker_world_close(struct checker_world *world);

/* Returns the object as it is in this world. Valid until an object of its class is changed. */
const struct checker_object *checker_world_see(const struct checker_world *world,
					       enum checker_class class, uint64_t address);
struct checker_object *checker_world_change(struct checker_world *world, enum checker_class class,
					    uint64_t address);
/* Has any operation on the object happened? Requests do not count. */
bool checker_world_knows(const struct checker_world *world, enum checker_class class,
			 uint64_t address);

/*
 * Applies all effects of the event, allowed or not. `number` is its number in the window, or 0
 * before the window.
 */
void checker_world_apply(struct checker_world *world, const struct checker_record *record,
			 uint32_t number);

/* Returns the size of the heap block at an address; 0 if none is known there. */
uint64_t checker_world_block(const struct checker_world *world, uint64_t address);
/* Is the address in a heap block? Searches all blocks. */
bool checker_world_block_at(const struct checker_world *world, uint64_t address);

/*
 * The rules. Each function is about one class of object. An event on a condition is judged by the
 * condition's rules and by those of its mutex. checker_object_allows() applies the rules of a
 * class.
 */
bool checker_object_allows(const struct checker_world *world, enum checker_class class,
			   const struct checker_record *record, struct err *why);
bool checker_lock_allows(const struct checker_world *world, const struct checker_record *record,
			 struct err *why);
bool checker_condition_allows(const struct checker_world *world,
			      const struct checker_record *record, struct err *why);
bool checker_semaphore_allows(const struct checker_world *world,
			      const struct checker_record *record, struct err *why);
bool checker_barrier_allows(const struct checker_world *world, const struct checker_record *record,
			    struct err *why);
bool checker_once_allows(const struct checker_world *world, const struct checker_record *record,
			 struct err *why);

void checker_lock_apply(struct checker_world *world, const struct checker_record *record);
void checker_condition_apply(struct checker_world *world, const struct checker_record *record,
			     uint32_t number);
void checker_semaphore_apply(struct checker_world *world, const struct checker_record *record);
void checker_barrier_apply(struct checker_world *world, const struct checker_record *record);
void checker_once_apply(struct checker_world *world, const struct checker_record *record);
void checker_memory_apply(struct checker_world *world, const struct checker_record *record,
			  uint32_t number);

/* ---- queries about blocking ------------------------------------------------------------------ */

/* Returns the i-th hold of another thread that keeps `thread` from acquiring the lock, or NULL. */
const struct checker_hold *checker_lock_obstacle(const struct checker_world *world,
						 uint64_t address, uint32_t thread, bool to_read,
						 size_t i);
bool checker_lock_is_held_by(const struct checker_lock *lock, uint32_t thread);
/* Does the thread hold the lock for writing? */
bool checker_lock_written_by(const struct checker_world *world, uint64_t address, uint32_t thread);

/* Is it possible that signals and broadcasts have woken none of these threads? */
bool checker_condition_unwoken(const struct checker_world *world, uint64_t address,
			       const uint32_t *threads, size_t count);
/* Returns the event that woke this WOKEN in the base run; 0 if it was before the window. */
uint32_t checker_condition_waker(const struct checker_world *world,
				 const struct checker_record *woken);

/* Returns the number of the round to which the next arrival would belong. */
uint32_t checker_barrier_next(const struct checker_world *world, uint64_t address);
/* Have all threads arrived at this round? */
bool checker_barrier_complete(const struct checker_world *world, uint64_t address, uint32_t round);

/*
 * Do threads wait at the barrier for others to arrive? The same for a condition: do threads wait
 * there for a signal?
 */
bool checker_barrier_is_used(const struct checker_world *world, uint64_t address);
bool checker_condition_is_used(const struct checker_world *world, uint64_t address);

/* ---- memory, byte by byte -------------------------------------------------------------------- */

/*
 * The part of an access that is in one line: its bytes from `from` up to, but not including, `to`.
 */
struct checker_piece {
	uint64_t line;
	unsigned from, to;
	uint64_t offset; /* offset of byte `from` in the access */
};

/*
 * Accesses up to this size are tracked byte by byte. A larger write (a memset of megabytes) writes
 * unknown values, and a larger read in a witness is refused.
 */
#define CHECKER_ACCESS_MAX (1u << 20)

/* Iterates over the pieces of an access. Start with *piece all zero. Returns false at the end. */
bool checker_piece_next(struct checker_piece *piece, uint64_t address, uint64_t size);

/*
 * Returns the line as it is in this world, and which events wrote its bytes last. `writers` may be
 * NULL.
 */
void checker_memory_see(const struct checker_world *world, uint64_t line,
			struct checker_line *bytes, struct checker_writers *writers);
/* Makes the value of an unknown byte known. This is not a write: the byte had the value before. */
void checker_memory_learn(struct checker_world *world, uint64_t address, uint8_t value);

#endif

/*
 * What the events so far have made of the program: who holds what, who waits where, what is in
 * memory, which threads there are.
 *
 * There is one world that moves through the base run, and on it, for each play of a window, one
 * that starts as it is and goes its own way: what it changes it copies from the world under it
 * first. So a play costs what it touches.
 *
 * For each sort of thing there are rules (`…_allows`: can this event happen now, with the result
 * it had? If not, why) and effects (`…_apply`: it happens, allowed or not). doc/prediction.md,
 * "When an event can happen", is what they say.
 */
#ifndef CHECK_WORLD_H
#define CHECK_WORLD_H

#include "base/map.h"
#include "base/vec.h"
#include "check/record.h"
#include "check/survey.h"

/* ---- locks (locks.c) ---------------------------------------------------------------------- */

struct checker_hold {
	uint32_t thread;
	uint32_t depth;	 /* 0: not held */
	uint32_t stream; /* the event since which */
	uint64_t index;
};

struct checker_lock {
	struct checker_hold writer;
	VEC(struct checker_hold) readers; /* one for each thread that reads */
	uint8_t kind;			  /* enum event_lock */
};

/* ---- conditions (conditions.c) ------------------------------------------------------------ */

enum checker_turn_kind { CHECKER_WAIT, CHECKER_SIGNAL, CHECKER_BROADCAST };

struct checker_turn {
	uint8_t kind;	 /* enum checker_turn_kind */
	bool deaf;	 /* a wait recorded as timed out: no signal is for it */
	bool woken;	 /* a wait, by a broadcast */
	uint32_t thread; /* that waits */
	uint32_t number; /* of a signal or broadcast, in the window */
};

struct checker_condition {
	/* Waits that have not returned, and signals that have woken some of them: which is open. */
	VEC(struct checker_turn) turns;
	/* The same waits, and what came since: who was woken by what if this is the base run. */
	VEC(struct checker_turn) recorded;
};

/* ---- semaphores, barriers, once (counts.c) ------------------------------------------------ */

struct checker_semaphore {
	uint64_t count;
	bool exact; /* the count is what it was, not the least that it can have been */
};

struct checker_barrier {
	uint64_t size;	  /* how many meet; 0: not known */
	uint64_t arrived; /* at the current meeting */
	uint32_t meeting; /* its number */
};

struct checker_once {
	uint32_t ended; /* how often */
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

/* ---- memory (memory.c) -------------------------------------------------------------------- */

#define CHECKER_LINE 64u

struct checker_line {
	uint64_t known; /* a bit for each byte */
	uint8_t value[CHECKER_LINE];
};
struct checker_writers {
	uint32_t of[CHECKER_LINE]; /* numbers in the window */
};
struct checker_stretch {
	uint64_t first, last; /* addresses */
	uint32_t number;
};

struct checker_memory {
	struct map index; /* line to position + 1 */
	VEC(struct checker_line) lines;
	VEC(struct checker_writers) writers;   /* only in a world on another */
	VEC(struct checker_stretch) forgotten; /* for lines that are not there yet */
	bool zeros; /* what nothing was said about is 0, as in a text; not unknown */
};

/* ---- threads (world.c) -------------------------------------------------------------------- */

struct checker_thread {
	uint64_t done;		       /* events of the stream that have happened */
	struct checker_record pending; /* its last event, if that is a request; else kind NONE */
	struct checker_record hangs;   /* the same, of a thread with all its signal handlers */
	uint64_t stack_low, stack_high;
	uint32_t wait_depth; /* in a wait: how deep it held the mutex */
	bool created;	     /* a CREATE of it has happened */
	bool ended;	     /* by END */
	bool late;	     /* its last wait began after what woke it in the base run */
	bool meets;	     /* it arrived at a barrier and has not passed */
	uint32_t meeting;
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
	struct map blocks;		/* address of a heap block to its size + 1; 0: freed */
	struct checker_thread *threads; /* for each stream */
	uint32_t unseen;		/* threads that were created and have no stream */
};

struct checker_world *checker_world_open(const struct trace *trace, struct checker_survey *survey);
struct checker_world *checker_world_on(const struct checker_world *under);
void checker_world_close(struct checker_world *world);

/* The object as it is; good until an object of its class is changed. */
const struct checker_object *checker_world_see(const struct checker_world *world,
					       enum checker_class class, uint64_t address);
struct checker_object *checker_world_change(struct checker_world *world, enum checker_class class,
					    uint64_t address);
/* Has anything been done with it, a request aside? */
bool checker_world_knows(const struct checker_world *world, enum checker_class class,
			 uint64_t address);

/* Everything the event does, allowed or not. `number` is its number in the window, 0 before it. */
void checker_world_apply(struct checker_world *world, const struct checker_record *record,
			 uint32_t number);

/* The size of the heap block at an address; 0 when none is known there. */
uint64_t checker_world_block(const struct checker_world *world, uint64_t address);
/* Does the address lie in a heap block? Looks through them all. */
bool checker_world_block_at(const struct checker_world *world, uint64_t address);

/*
 * The rules. Each is about one class of object; an event on a condition is judged by the
 * condition's rules and by those of its mutex.
 */
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

/* ---- questions about blocking ------------------------------------------------------------- */

/* Somebody other than `thread` who keeps it from taking the lock; NULL: nobody. `i` counts up. */
const struct checker_hold *checker_lock_obstacle(const struct checker_world *world,
						 uint64_t address, uint32_t thread, bool to_read,
						 size_t i);
/* Does the thread hold it, not just for reading? */
bool checker_lock_written_by(const struct checker_world *world, uint64_t address, uint32_t thread);

/* Can it be, by some assignment of signals, that none of these threads has been woken? */
bool checker_condition_unwoken(const struct checker_world *world, uint64_t address,
			       const uint32_t *threads, size_t count);
/* What the next WOKEN of this thread was woken by, in the base run; 0: before the window. */
uint32_t checker_condition_waker(const struct checker_world *world,
				 const struct checker_record *woken);

/* The number of the meeting that the next to arrive would come to. */
uint32_t checker_barrier_next(const struct checker_world *world, uint64_t address);
/* Has everybody arrived at this meeting? */
bool checker_barrier_complete(const struct checker_world *world, uint64_t address,
			      uint32_t meeting);

/* Does somebody wait there for others to come, or for a signal? */
bool checker_barrier_is_used(const struct checker_world *world, uint64_t address);
bool checker_condition_is_used(const struct checker_world *world, uint64_t address);

/* ---- memory, byte by byte ----------------------------------------------------------------- */

/* A part of an access that lies in one line: bytes `from` up to, not with, `to`. */
struct checker_piece {
	uint64_t line;
	unsigned from, to;
	uint64_t offset; /* of `from` in the access */
};

/*
 * So much of an access is looked at byte by byte. More at once, a memset of megabytes, writes
 * unknown values, and a read of more is refused in a witness.
 */
#define CHECKER_ACCESS_MAX (1u << 20)

/* Pieces of an access one by one; start with *piece all zero. */
bool checker_piece_next(struct checker_piece *piece, uint64_t address, uint64_t size);

/* The line as it is in this world; `writers` may be NULL. */
void checker_memory_see(const struct checker_world *world, uint64_t line,
			struct checker_line *bytes, struct checker_writers *writers);
/* Says what is, and was, in a byte whose value is not known. */
void checker_memory_learn(struct checker_world *world, uint64_t address, uint8_t value);

#endif

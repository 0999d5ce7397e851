/*
 * The first pass over a trace: finds the memory and the objects that several threads use, and where
 * the recording does not explain what happened. Only these can order events.
 *
 * Bytes that are always accessed together form a *cell*. Cost: one pass, and 8 bytes for each
 * accessed byte.
 */
#ifndef MONITOR_COMPUTATION_SURVEY_H
#define MONITOR_COMPUTATION_SURVEY_H

#include "base/map.h"
#include "base/pages.h"
#include "trace/trace.h"

enum survey_class {
	SURVEY_LOCK,
	SURVEY_CONDITION,
	SURVEY_SEMAPHORE,
	SURVEY_BARRIER,
	SURVEY_ONCE,
	SURVEY_CHANNEL,
	SURVEY_DESCRIPTOR,
	/*
	 * memory between adjacent bounds of blocks and stacks; a lifetime that covers it is an
	 * operation on it
	 */
	SURVEY_BLOCK,
	SURVEY_CLASSES
};
#define SURVEY_NONE UINT32_MAX

/* The threads that hold a lock. `set` is the number of the atomic set, for run_ops_sync.c. */
struct lock_holder {
	uint32_t thread, depth, set;
};
struct lock_holders {
	struct lock_holder writer;
	VEC(struct lock_holder) readers;
};
struct survey_object {
	uint64_t address;
	uint32_t thread; /* 1 + the first thread that used it; 0: none */
	/* index among cells and shared objects; SURVEY_NONE if only one thread uses it */
	uint32_t number;
	uint8_t class;
	bool several, frozen;
	bool unexplained; /* code that was not recorded operates on it too (survey_unexplained.c) */
	/* of a lock; tracked in the survey, and again for the operations */
	struct lock_holders holders;
};

enum survey_bit {
	SURVEY_SEVERAL = 1, /* used by several threads */
	SURVEY_WRITTEN = 2,
	SURVEY_IN_BLOCK = 4, /* in a block or stack whose begin or end was recorded */
	SURVEY_BORDER = 8,   /* an access begins here or ends just before */
	SURVEY_KNOWN = 16,   /* `value` is known; only used in the survey */
	SURVEY_FROZEN = 32,
};
struct survey_byte {
	uint32_t cell;	 /* 1 + its cell; 0: orders nothing */
	uint16_t thread; /* 1 + the first thread that used it; 0: none */
	uint8_t bits, value;
};

struct survey {
	const struct trace *trace;
	uint32_t threads;
	uint32_t *thread_of; /* by stream: the thread that it belongs to */
	bool *created;	     /* by thread: its creation was recorded */
	uint32_t *waited;    /* by thread: recursion depth of the mutex that it released to wait */
	struct pages bytes;
	struct map index[SURVEY_CLASSES];
	VEC(struct survey_object) objects; /* sorted by class and address after the pass */
	struct map unexplained;		   /* positions of reads that no recorded write explains */
	/*
	 * `cells`: number of cells; `numbers`: number of cells and objects that several threads use
	 */
	uint32_t cells, numbers;
	bool stopped, aborted; /* the recording is incomplete; the process was aborted */
	/* no order of the events is consistent with everything that was recorded */
	bool forced;
};

void survey_make(const struct trace *trace, struct survey *survey);
void survey_free(struct survey *survey);

/* Is the event an access of memory with a valid size? */
bool survey_is_access(const struct trace_event *event);

struct survey_object *survey_object(struct survey *survey, enum survey_class class,
				    uint64_t address);
/* Returns the first object of the class, or of a later one, at or after the address. */
size_t survey_first_object(const struct survey *survey, enum survey_class class, uint64_t address);

static inline bool lock_is_written_by(const struct lock_holders *lock, uint32_t thread)
{
	return lock->writer.depth && lock->writer.thread == thread;
}

/* Returns NULL if the thread does not hold the lock for reading. */
static inline struct lock_holder *lock_find_reader(const struct lock_holders *lock, uint32_t thread)
{
	for (size_t i = 0; i < lock->readers.count; i++) {
		if (lock->readers.items[i].thread == thread)
			return &lock->readers.items[i];
	}
	return NULL;
}

/* ---- survey_locks.c -------------------------------------------------------------------------- */

/*
 * Updates the holders of the event's lock, if it has one. A lock becomes frozen if
 * doc/prediction.md does not allow the operation, or if the operation was made by code that was not
 * recorded.
 */
void survey_locks_see(struct survey *survey, const struct trace_event *event, uint32_t thread);

/* ---- survey_unexplained.c -------------------------------------------------------------------- */

/*
 * Finds objects with operations that the recording does not explain; gets all events in trace
 * order. survey_depends_on_unexplained() returns whether the event depends on an unrecorded
 * operation on such an object.
 */
struct survey_unexplained;
struct survey_unexplained *survey_unexplained_open(uint32_t threads);
void survey_unexplained_see(struct survey_unexplained *unseen, struct survey *survey,
			    const struct trace_event *event, uint32_t thread);
void survey_unexplained_close(struct survey_unexplained *unseen);
bool survey_depends_on_unexplained(struct survey *survey, const struct trace_event *event);

/* ---- lifetimes, in survey.c ------------------------------------------------------------------ */

/* The heap blocks and stacks whose lifetimes events begin or end. */
struct survey_lifetimes {
	struct map blocks; /* address to size + 1 */
	uint64_t *stacks;  /* by thread: low, high */
};
void survey_lifetimes_open(struct survey_lifetimes *lifetimes, uint32_t threads);
void survey_lifetimes_close(struct survey_lifetimes *lifetimes);
/*
 * Sets the range of memory whose lifetime the event begins or ends. Returns false if there is none.
 */
bool survey_lifetimes_range(struct survey_lifetimes *lifetimes, const struct trace_event *event,
			    uint32_t thread, uint64_t *low, uint64_t *high);

#endif

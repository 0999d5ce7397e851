/*
 * A window while it is built. The builder processes the events once, in the order of the base run,
 * and applies the rules of doc/prediction.md to each: it updates the window's copies of objects and
 * bytes, and collects the event's constraints. Only at the end it is known which objects and bytes
 * are frozen. So the constraints are put into the model at the end.
 *
 *   window_build.c         nodes, threads, the locks they hold, how they end
 *   window_sync.c          operations on locks, conditions and semaphores
 *   window_barrier_once.c  operations on barriers and once
 *   window_emit.c          sync objects into the model: lifetimes, order of frozen objects
 *   window_cells.c         accesses cut into cells; values
 *   window_memory.c        reads and writes of cells, lifetimes of memory
 *   window_lifetimes.c     lists the things that have a lifetime
 *
 * At the item where the next window starts, the copies are stored back into the state. So each
 * event changes the state once.
 */
#ifndef ORDER_WINDOW_WINDOW_BUILD_H
#define ORDER_WINDOW_WINDOW_BUILD_H

#include "order/window/window_state.h"

struct window_input {
	const struct window_item *items;
	uint32_t count;
	uint32_t next;	     /* the item with which the next window starts, or `count` */
	uint64_t before;     /* number of nodes in the whole run before the first item */
	uint32_t fresh;	     /* items from here on were in no earlier window */
	const uint8_t *pool; /* long values; an item's value is an offset from pool_start */
	uint64_t pool_start;
};

/* ---- threads and sync objects ---------------------------------------------------------------- */

struct build_thread {
	uint32_t owner;
	uint32_t first, last; /* its first and last node so far, or ORDER_NONE */
	uint32_t create;      /* the node that creates it, or ORDER_NONE */
	window_holds held;
	uint32_t head; /* innermost lock it holds: index in window->held */
	/* `head` right after its last event, even if the lifetime of a lock has ended since then */
	uint32_t head_after;
	uint32_t barrier, arrived, depth; /* as in window_stream */
	uint32_t passed;		  /* the meeting it passed last: index in `meetings` */
};

/* A sync object in a window: a copy of its state, which the events change, and the results. */
struct build_object {
	struct window_object now;
	uint32_t number; /* index in the state's `objects` */
	bool frozen;
	bool unexplained;   /* frozen, because an operation was not possible at its position */
	bool reinitialised; /* this window has an INIT or DESTROY of the object */
	uint32_t target;    /* its current lifetime: index in locks, conditions or semaphores */
	uint32_t once;	    /* index in window->onces */
	uint32_t ended;	    /* once: node of its ONCE_END */
	bool passed;	    /* once: a thread passed it before a ONCE_END was recorded */
};

/* An operation on an object. `lifetime`: it is an INIT or DESTROY. */
struct build_use {
	uint32_t node;
	bool lifetime;
};
struct build_operation {
	uint32_t object;
	struct build_use use;
};

struct build_section {
	uint32_t lock;
	struct order_section section;
};
struct build_fail {
	uint32_t lock;
	struct order_fail fail;
};
struct build_wait {
	uint32_t condition;
	struct order_wait wait;
};
struct build_signal {
	uint32_t condition;
	struct order_signal signal;
};
enum build_step { STEP_POST, STEP_DOWN, STEP_ZERO };
struct build_counted {
	uint32_t node;
	uint8_t step; /* enum build_step */
};
struct build_count {
	uint32_t semaphore;
	struct build_counted counted;
};
struct build_lifetime { /* of a lock, a condition or a semaphore */
	uint32_t object;
	struct window_lifetime span; /* locks and semaphores; `earlier`: index in the same list */
	uint64_t initial;	     /* semaphores: the value at its start */
	bool exact;
};
struct build_meeting {
	uint32_t object;
	/* its number; how many threads meet; how many of them arrived before the window */
	uint64_t number, size, before;
	/* arrivals in the window: index of the last in `arrivals` or ORDER_NONE; their number */
	uint32_t last, count;
};
struct build_arrival {
	uint32_t node, previous;
};

/* ---- memory ---------------------------------------------------------------------------------- */

/* Bytes that no access and no lifetime event of the window splits. */
struct build_segment {
	uint64_t low, high;
	uint32_t cell;	/* cell of its current lifetime */
	uint32_t first; /* cell of its first lifetime in the window */
	bool covered;	/* a part of an access that counts covers it */
	bool mortal;	/* a lifetime begins or ends here */
	bool frozen;
	/* head of the list of threads that touched it after `lifetime_event`, in `touchers` */
	uint32_t toucher;
	uint32_t lifetime_event; /* the last node that began or ended a lifetime here */
};

/* The bytes of an access or a lifetime event: `count` segments from `first` on. */
struct build_range {
	uint64_t low, high;
	bool lifetime;
	uint32_t next; /* number + 1 of another range with the same start, or 0 */
	uint32_t first, count;
};

struct build_cell {
	uint32_t segment;
	uint32_t initial; /* the value at the start of the window, or ORDER_NONE */
	uint32_t value;	  /* the current value in the base run, or ORDER_NONE if unknown */
	uint32_t writer;  /* the last node that wrote it, or ORDER_NONE if none in the window */
	bool pinned;	  /* the last write's value is unknown: reads must read from this write */
	bool blind;	  /* the last write's value is not recorded (a read may have shown it) */
	bool loaded;	  /* the value at the start of the window has been loaded */
	uint32_t reads, writes;
	uint32_t thread; /* the first thread that accesses it */
	bool many;	 /* further threads access it */
	uint32_t number; /* index in the model's cells, or ORDER_NONE if left out */
};

struct build_access {
	uint32_t cell, node, value;
	uint32_t writer; /* reads: as in order_read */
	bool write;
	bool idle; /* the write does not change the value, and the old value is certain */
};

/* A thread's last touch of a segment since a lifetime began or ended there. */
struct build_toucher {
	uint32_t thread, node, next;
};

/* A touch of a segment that has a lifetime. */
struct build_touch {
	uint32_t segment;
	struct window_touch touch;
};

/* A value of up to 8 bytes is stored in `bits`. A longer value is a repeated byte, or bytes. */
struct build_value {
	uint64_t bits;	 /* the value, or the offset of its bytes in `long_bytes` */
	uint32_t length; /* number of bytes in `long_bytes`; 0: the value is in `bits` */
};

/* A part of an access that counts, between two bounds. */
struct build_piece {
	uint32_t range, low, high; /* low, high: index in `positions`, after bounds are sorted */
};
/* The start or end of a piece. */
struct build_bound {
	uint64_t at;
	uint32_t piece;
	bool high;
};

struct build_memory {
	VEC(struct build_segment) segments;
	bool mortal; /* some segments are mortal */
	VEC(struct build_range) ranges;
	struct map range_index; /* start address to number of the range + 1 */
	VEC(uint32_t) range_of; /* for each item: its range, or ORDER_NONE */
	VEC(struct build_piece) pieces;
	VEC(struct build_bound) bounds, sorted; /* sorted: scratch */
	VEC(uint64_t) positions;		/* addresses of the bounds, each once */
	VEC(struct build_cell) cells;
	VEC(struct build_access) accesses;
	VEC(struct build_toucher) touchers;
	VEC(struct build_touch) touches;
	VEC(struct build_value) values;
	VEC(uint8_t) long_bytes;
	struct map value_index, long_index;
	VEC(uint8_t) scratch;
};

struct window_builder {
	struct window_state *state;
	const struct window_input *input;
	struct window *window;
	uint32_t count;	     /* number of items that the window takes */
	uint32_t *thread_of; /* owner to thread of the model, or ORDER_NONE */
	struct build_thread *threads;
	VEC(struct build_object) objects;
	VEC(struct build_operation) operations;
	VEC(struct build_lifetime) locks, conditions, semaphores;
	VEC(struct build_section) sections;
	VEC(struct build_fail) fails;
	VEC(struct build_wait) waits;
	VEC(struct build_signal) signals;
	VEC(struct build_count) counts;
	VEC(struct build_meeting) meetings;
	VEC(struct build_arrival) arrivals;
	struct build_memory memory;
	uint32_t *last_of;     /* scratch: a node for each thread, ORDER_NONE between uses */
	bool unexplained;      /* only the environment explains the current event */
	bool read_unexplained; /* the current event read a value that no recorded event wrote */
};

/* Builds a window of the first `*taken` items: all of them, unless it would have too many cells. */
struct window *window_build(struct window_state *state, const struct window_input *input,
			    uint32_t *taken);

/* ---- between the files of the builder -------------------------------------------------------- */

void build_add_edge(struct window_builder *b, uint32_t from, uint32_t to);
/* Adds an edge that exists only because of a lifetime. */
void build_add_lifetime_edge(struct window_builder *b, uint32_t from, uint32_t to);

/* Returns the index of the window's copy of an object. Makes the copy at the first use. */
uint32_t build_object(struct window_builder *b, enum event_group group, uint64_t address);
uint32_t build_object_by_number(struct window_builder *b, uint32_t number);

/* Is the event a request? A request is not yet an operation on its object. */
static inline bool build_is_request(uint8_t kind)
{
	return kind == EV_REQUEST || kind == EV_READ_REQUEST || kind == EV_DOWN_REQUEST;
}

void build_add_operation(struct window_builder *b, uint32_t object, uint32_t node, bool lifetime);
void build_mark_unexplained(struct window_builder *b, uint32_t object);
void build_barrier(struct window_builder *b, const struct window_item *item, uint32_t node);
void build_once(struct window_builder *b, const struct window_item *item, uint32_t node);
/* Returns the arrival of a thread that has not passed the barrier yet, or NULL. */
struct object_arrival *build_find_arrival(struct window_object *barrier, uint32_t owner);
/* Initialise the copy of a barrier or a once. */
void build_open_barrier(struct window_builder *b, uint32_t object);
void build_open_once(struct window_builder *b, uint32_t object);
void build_sync(struct window_builder *b, const struct window_item *item, uint32_t node);
/* Text traces: if a thread at a barrier has no PASS event, it passes with its next event. */
void build_pass_without_event(struct window_builder *b, const struct window_item *item,
			      uint32_t node);
void build_add_hold(struct window_builder *b, uint32_t thread, uint32_t object, bool shared,
		    struct event_id taken);
void build_release_hold(struct window_builder *b, uint32_t thread, uint32_t object);
void build_emit(struct window_builder *b);

/*
 * build_collect_last() collects nodes and keeps the last one of each thread. The other functions
 * add edges from these nodes to `node`: normal edges, or edges because of a lifetime.
 */
void build_collect_last(struct window_builder *b, uint32_t node);
void build_add_edges_from_lasts(struct window_builder *b, uint32_t node);
void build_add_lifetime_edges_from_lasts(struct window_builder *b, uint32_t node);

/* Cuts the items' accesses into cells. Lowers b->count if there would be too many cells. */
void build_cut_accesses(struct window_builder *b);
uint32_t build_value(struct window_builder *b, const struct build_segment *segment,
		     const struct window_item *item, bool old);
uint32_t build_value_of_bytes(struct window_builder *b, const uint8_t *bytes, uint64_t size);
uint32_t build_unique_value(struct window_builder *b);
/* Returns the bytes of a known value: `*unit` bytes that repeat. */
const uint8_t *build_bytes_of_value(const struct window_builder *b, uint32_t value, uint64_t size,
				    uint32_t *unit);
/* Returns the segment that contains this byte, or NULL. */
struct build_segment *build_segment_at(const struct window_builder *b, uint64_t address);
void build_free_memory(struct window_builder *b);
void build_touch_memory(struct window_builder *b, const struct window_item *item, uint32_t node);
void build_commit_memory(struct window_builder *b, uint32_t items);
void build_emit_memory(struct window_builder *b);

/*
 * build_add_touch() adds the touch of a segment that has a lifetime. build_emit_object() lists a
 * sync object and all operations on it.
 */
void build_add_touch(struct window_builder *b, const struct build_segment *segment, uint32_t node);
void build_emit_object(struct window_builder *b, const struct build_use *uses, uint32_t count);
void build_emit_entities(struct window_builder *b);

#endif

/*
 * One window being built. The events are walked through once, in base order, each judged by
 * doc/prediction.md: what it does to the copies of the objects and bytes that it touches, and what
 * the model must say about it. Whether an object or a byte is frozen is known only at the end, so
 * what belongs to them is collected first and put into the model then.
 *
 *   window_build.c   nodes, threads, what they hold, how they end
 *   window_sync.c    what operations do to locks, conditions, semaphores
 *   window_barrier_once.c    … to barriers and once
 *   window_emit.c    the same into the model; lives and frozen order of objects
 *   window_cells.c   accesses cut into cells, values
 *   window_memory.c  reads and writes of cells, lives of memory
 *   window_lives.c   the places that live, for those who ask about them
 *
 * At the item where the next window starts the copies are put back into the state: each event
 * moves the state once.
 */
#ifndef ORDER_WINDOW_WINDOW_BUILD_H
#define ORDER_WINDOW_WINDOW_BUILD_H

#include "order/window/window_state.h"

struct window_input {
	const struct window_item *items;
	uint32_t count;
	uint32_t next;	     /* item where the next window starts; count: behind this one */
	uint64_t before;     /* nodes before the first, through the whole run */
	uint32_t fresh;	     /* items from here on were in no window before */
	const uint8_t *pool; /* long values; those of the items are numbered from pool_start */
	uint64_t pool_start;
};

/* ---- threads and sync objects ------------------------------------------------------------- */

struct build_thread {
	uint32_t owner;
	uint32_t first, last; /* nodes so far, or ORDER_NONE */
	uint32_t create;      /* node */
	window_holds held;
	uint32_t head;	 /* of what it holds: in window->held */
	uint32_t behind; /* … right behind its last event, whatever has ended since */
	uint32_t barrier, arrived, depth; /* as in window_lane */
	uint32_t passed;		  /* the meeting that it passed last: in meetings */
};

/* A sync object as the window sees it: the copy that moves, and what came of it. */
struct build_object {
	struct window_object now;
	uint32_t number; /* of the state */
	bool frozen;
	bool unexplained; /* … because an operation was not allowed where it is */
	bool turned;	  /* an INIT or DESTROY was in this window */
	uint32_t target;  /* its present life: in locks, conditions or semaphores below */
	uint32_t once;	  /* in window->onces */
	uint32_t ended;	  /* once: node of its ONCE_END */
	bool passed;	  /* once: somebody found it done who cannot have */
};

/* An operation on an object; INIT and DESTROY are marked. */
struct build_use {
	uint32_t node;
	bool life;
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
struct build_life { /* of a lock, a condition or a semaphore */
	uint32_t object;
	struct window_span span; /* locks and semaphores; `earlier` is in the same list */
	uint64_t initial;	 /* semaphores */
	bool exact;
};
struct build_meeting {
	uint32_t object;
	uint64_t number, size, before; /* which; how many meet; came before the window */
	uint32_t last, count;	       /* who came in it: in arrivals, or ORDER_NONE */
};
struct build_arrival {
	uint32_t node, previous;
};

/* ---- memory ------------------------------------------------------------------------------- */

/* Bytes that no access and no life's event of the window splits. */
struct build_segment {
	uint64_t low, high;
	uint32_t cell;	/* of its present life */
	uint32_t first; /* cell of its first life in the window */
	bool covered;	/* by an access that counts */
	bool mortal;	/* a life begins or ends here */
	bool frozen;
	uint32_t toucher; /* first of those that have touched it since then, in touchers */
	uint32_t turn;	  /* node that began or ended a life here last */
};

/* What an access or a life's event is about, as segments. */
struct build_range {
	uint64_t low, high;
	bool life;
	uint32_t next; /* of those with the same start, + 1 */
	uint32_t first, count;
};

struct build_cell {
	uint32_t segment;
	uint32_t initial; /* a value or ORDER_NONE */
	uint32_t value;	  /* in base order so far; ORDER_NONE not known */
	uint32_t writer;  /* the last in base order; ORDER_NONE: none in the window */
	bool pinned;	  /* that one had no value: reads take it from there alone */
	bool blind;	  /* … whatever reads told since */
	bool loaded;	  /* from the state: somebody has touched it */
	uint32_t reads, writes;
	uint32_t thread; /* of those who touch it */
	bool many;	 /* more than one does */
	uint32_t number; /* in the model; ORDER_NONE: left out */
};

struct build_access {
	uint32_t cell, node, value;
	uint32_t writer; /* reads */
	bool write;
	bool idle; /* writes what was there, as far as a recorded write tells */
};

/* Who touched a cell last, since a life began or ended there. */
struct build_toucher {
	uint32_t thread, node, next;
};

/* What touched a segment that lives. */
struct build_touch {
	uint32_t segment;
	struct window_touch touch;
};

/* Up to 8 bytes are the bits themselves. Of a longer one: a byte that repeats, or bytes. */
struct build_value {
	uint64_t bits;	 /* or where the bytes are in `long_bytes` */
	uint32_t length; /* of long_bytes; 0: bits */
};

/* A part of an access that counts, between two bounds. */
struct build_piece {
	uint32_t range, low, high; /* low, high: in bounds, once they are sorted */
};
/* Where a piece starts or ends. */
struct build_bound {
	uint64_t at;
	uint32_t piece;
	bool high;
};

struct build_memory {
	VEC(struct build_segment) segments;
	bool mortal; /* some of them are */
	VEC(struct build_range) ranges;
	struct map range_index; /* start to number + 1 */
	VEC(uint32_t) range_of; /* of each item, or ORDER_NONE */
	VEC(struct build_piece) pieces;
	VEC(struct build_bound) bounds, sorted; /* sorted: room for that */
	VEC(uint64_t) places;			/* of the bounds, each once */
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
	uint32_t count;	     /* items that the window takes */
	uint32_t *thread_of; /* by lane; ORDER_NONE */
	struct build_thread *threads;
	VEC(struct build_object) objects;
	VEC(struct build_operation) operations;
	VEC(struct build_life) locks, conditions, semaphores;
	VEC(struct build_section) sections;
	VEC(struct build_fail) fails;
	VEC(struct build_wait) waits;
	VEC(struct build_signal) signals;
	VEC(struct build_count) counts;
	VEC(struct build_meeting) meetings;
	VEC(struct build_arrival) arrivals;
	struct build_memory memory;
	uint32_t *last_of; /* scratch: a node for each thread, ORDER_NONE between uses */
	bool surprised;	   /* by the present event: only the environment explains it */
	bool changed;	   /* it read what nobody wrote */
};

/* The window of the items, or of as many as keep it small: `*taken`. */
struct window *window_build(struct window_state *state, const struct window_input *input,
			    uint32_t *taken);

/* ---- between its files -------------------------------------------------------------------- */

void build_edge(struct window_builder *b, uint32_t from, uint32_t to);
/* The same, because of a life. */
void build_life_edge(struct window_builder *b, uint32_t from, uint32_t to);

/* The copy of an object; made when the window first touches it. */
uint32_t build_object(struct window_builder *b, enum event_group group, uint64_t address);
uint32_t build_object_by_number(struct window_builder *b, uint32_t number);

/* A request is no operation on its object yet. */
static inline bool build_is_request(uint8_t kind)
{
	return kind == EV_REQUEST || kind == EV_READ_REQUEST || kind == EV_DOWN_REQUEST;
}

void build_operation(struct window_builder *b, uint32_t object, uint32_t node, bool life);
void build_surprise(struct window_builder *b, uint32_t object);
void build_barrier(struct window_builder *b, const struct window_item *item, uint32_t node);
void build_once(struct window_builder *b, const struct window_item *item, uint32_t node);
/* What a copy of a barrier or a once starts with. */
void build_open_barrier(struct window_builder *b, uint32_t object);
void build_open_once(struct window_builder *b, uint32_t object);
void build_sync(struct window_builder *b, const struct window_item *item, uint32_t node);
/* Text: who has arrived and says no PASS passes with the next event. */
void build_pass_silently(struct window_builder *b, const struct window_item *item, uint32_t node);
void build_hold(struct window_builder *b, uint32_t thread, uint32_t object, bool shared,
		struct event_id taken);
void build_let_go(struct window_builder *b, uint32_t thread, uint32_t object);
void build_emit(struct window_builder *b);

/* Edges from the last node that was noted of each thread; the same, because of a life. */
void build_note_last(struct window_builder *b, uint32_t node);
void build_join_lasts(struct window_builder *b, uint32_t node);
void build_join_lives(struct window_builder *b, uint32_t node);

/* Cuts the items' accesses; lowers b->count if there would be too many cells. */
void build_cut(struct window_builder *b);
uint32_t build_value(struct window_builder *b, const struct build_segment *segment,
		     const struct window_item *item, bool old);
uint32_t build_value_bytes(struct window_builder *b, const uint8_t *bytes, uint64_t size);
uint32_t build_value_alone(struct window_builder *b);
/* The bytes of a known value: `*unit` of them, which repeat. */
const uint8_t *build_value_of(const struct window_builder *b, uint32_t value, uint64_t size,
			      uint32_t *unit);
/* The segment that has this byte, or NULL. */
struct build_segment *build_segment_at(const struct window_builder *b, uint64_t address);
void build_free_memory(struct window_builder *b);
void build_touch_memory(struct window_builder *b, const struct window_item *item, uint32_t node);
void build_commit_memory(struct window_builder *b, uint32_t items);
void build_emit_memory(struct window_builder *b);

/* The node touches a segment that lives; a sync object, all of whose operations these are. */
void build_note_touch(struct window_builder *b, const struct build_segment *segment, uint32_t node);
void build_emit_object(struct window_builder *b, const struct build_use *uses, uint32_t count);
void build_emit_places(struct window_builder *b);

#endif

/*
 * Windows: pieces of the base run that are small enough to be analysed at once. A window is an
 * order model, together with the state of objects and memory at its start.
 *
 * Window k starts with event number k * (size + 1) / 2 of the base run and has `size` events. So
 * any two events with a distance of less than size / 2 are together in some window. A window with
 * very many overlapping accesses ends early. Only events that another thread can notice are
 * counted; in a text trace all events are counted.
 */
#ifndef ORDER_WINDOW_WINDOW_H
#define ORDER_WINDOW_WINDOW_H

#include "base/err.h"
#include "base/map.h"
#include "order/model/model.h"
#include "trace/trace.h"

/* A lock that a thread holds, linked to the lock that the thread acquired before it. */
struct window_held {
	uint64_t address;
	struct event_id taken; /* the event that acquired the lock */
	uint32_t lock;	       /* index in the model's `locks` */
	bool shared;
	bool robust;	/* if the thread that holds the lock ends, another thread gets it */
	uint32_t outer; /* index in `held`, or ORDER_NONE */
};

/* A live heap block, to name addresses in reports. */
struct window_block {
	uint64_t address, size;
	struct event_id allocated;
};

struct window_node {
	struct event_id id;
	uint8_t kind, flags, mode;
	uint64_t address, size, site;
	/* WAIT, WOKEN: address of the mutex; thread events: number of the other thread */
	uint64_t other;
	uint32_t held; /* innermost lock held before this event: index in `held`, or ORDER_NONE */
	/*
	 * An index, by kind. Lock events, WAIT, WOKEN: in the model's locks; semaphore events: in
	 * its semaphores; ONCE…: in `onces`; ARRIVE, PASS: in `meetings`; JOIN: a thread of the
	 * model. Otherwise ORDER_NONE.
	 */
	uint32_t object;
	uint32_t wait;			 /* WAIT, WOKEN: index in the model's waits */
	uint32_t cell_start, cell_count; /* accesses: range in `cells` (numbers of model cells) */
	uint32_t block;			 /* accesses, INITs: index in `blocks`, or ORDER_NONE */
	bool first;	  /* an INIT that is the first operation on its object in the whole run */
	bool environment; /* only the environment explains it, or it must keep its position */
	bool after_all;	  /* comes after all earlier events: may have waited for any of them */
	/*
	 * The node is the moment before an event, requested by window_reader_keep(). It has the id
	 * of the event and the kind REQUEST or READ_REQUEST, and does nothing.
	 */
	bool moment;
	uint32_t kept; /* index in the list of window_reader_keep(), or ORDER_NONE */
};

/* The state of a thread after its last node of the window. */
enum window_end {
	WINDOW_GOES_ON, /* the thread has further events, or this is not known */
	WINDOW_ENDED,	/* the thread has ended */
	WINDOW_EXITED,	/* the main thread, which ended the process */
	/*
	 * its last event is a request that was never fulfilled (but not a request for a recursive
	 * mutex which the thread holds itself)
	 */
	WINDOW_PENDING,
};

struct window_thread {
	uint32_t stream;		/* number of its stream */
	uint8_t end;			/* enum window_end */
	bool begun;			/* the thread began before the window */
	bool created;			/* it was created before it, or has no recorded CREATE */
	uint32_t create;		/* the node that creates it, or ORDER_NONE */
	uint64_t stack_low, stack_size; /* size 0: unknown */
	uint32_t held;			/* innermost lock at its end: index in `held` */
	/* WINDOW_PENDING: kind, `object` and `wait` of the missing event's node */
	uint8_t pending_kind; /* ACQUIRE, READ_ACQUIRE, WOKEN, DOWN, PASS, JOIN */
	uint32_t pending_object, pending_wait;
	/* the request, which is the thread's last event; it may be from before the window */
	struct event_id pending;
	uint64_t pending_address, pending_site;
};

/* The arrivals at one meeting of a barrier that are nodes in the window. */
struct window_meeting {
	uint32_t arrive_start, arrive_count; /* range in `arrivals` */
	/* how many arrivals are missing at the end of the window */
	uint32_t missing;
};
struct window_once {
	uint32_t begin, end; /* nodes, or ORDER_NONE if not in the window */
	bool running;	     /* the once was running at the start of the window */
};

/*
 * A lifetime of a lock or a semaphore: the INIT or DESTROY that it begins with, or ORDER_NONE, and
 * the lifetime before it, or ORDER_NONE. A request is not an operation on the object. If a thread
 * blocks forever after a request, the request belongs to the lifetime at that time, which may be
 * earlier than the last one (`pending_object`).
 */
struct window_lifetime {
	uint32_t begin, earlier;
	bool recursive; /* a lock that the thread which holds it may acquire again */
};

/*
 * An *entity* has a lifetime (doc/prediction.md): a descriptor, a sync object, or bytes of memory
 * that no access of the window splits. Entities are for queries that lifetimes do not constrain.
 * The window lists sync objects with an INIT or a DESTROY in the window, and memory whose lifetime
 * ends in the window if two threads touch it or if it is touched after its end. An operation on a
 * sync object in such memory touches two entities.
 */
enum window_effect { WINDOW_USES, WINDOW_BEGINS, WINDOW_ENDS };
enum window_effect window_effect_of(uint8_t kind); /* what an event does to its object or memory */
struct window_touch {
	uint32_t node;
	uint8_t how; /* enum window_effect */
};
struct window_entity {
	uint32_t touch_start, touch_count; /* range in `touches`: recorded order, each node once */
	bool object;			   /* the entity is a sync object */
};

/* A slice of the base run: the events of one stream up to index `end` (exclusive). */
struct window_slice {
	uint32_t stream;
	uint64_t end;
};

struct window {
	uint32_t number;
	uint64_t first_slice, last_slice; /* its part of the base run: see window_reader_slices() */
	uint32_t fresh;			  /* nodes from this one on were in no earlier window */
	bool last;
	struct order_model model;
	VEC(struct window_node) nodes;
	VEC(struct window_thread) threads;
	VEC(uint32_t) cells;
	VEC(struct window_held) held;
	VEC(struct window_meeting) meetings;
	VEC(uint32_t) arrivals;
	VEC(struct window_once) onces;
	/* for each lock and semaphore of the model */
	VEC(struct window_lifetime) lock_lifetimes, semaphore_lifetimes;
	VEC(struct window_block) blocks; /* blocks that nodes refer to, sorted by address */
	VEC(struct window_entity) entities;
	VEC(struct window_touch) touches;
	/* indices of the model's edges that exist only because of lifetimes */
	VEC(uint32_t) lifetime_edges;
	/* the same for edges that exist only because of code that is not recorded (OPAQUE) */
	VEC(uint32_t) opaque_edges;
	/*
	 * Writes to frozen cells that do not change the value: node << 32 | cell, sorted by node.
	 * The model has no reads and writes of a frozen cell.
	 */
	VEC(uint64_t) idle;
	uint64_t unexplained; /* number of events that only the environment explains */
	bool text;	      /* the window is from a text trace */
	bool handlers;	      /* the recording has signal handlers: they may interrupt any wait */
	/* the recording has cancellations: they end most waits, but not those for locks */
	bool cancels;
};

struct window_reader;

/* `size` is in events, at least 2. Reads the whole trace once to see what is shared. */
struct window_reader *window_reader_open(const struct trace *trace, uint32_t size);
void window_reader_close(struct window_reader *reader);

/*
 * An event that must be a node although no other thread can notice it. With `before`, the node is
 * not the event, but the moment before it, when its thread requests it. In program order this node
 * is between the thread's previous node and the event. No edge or object constrains it, so a
 * schedule can have it anywhere in between. Call window_reader_keep() once, before the first
 * window. `keeps` is sorted by stream, index and `before` (true first), has no duplicates, and must
 * live as long as the reader.
 */
struct window_keep {
	struct event_id id;
	bool before;
};
void window_reader_keep(struct window_reader *reader, const struct window_keep *keeps,
			uint32_t count);

/* Returns the next window, to be freed with window_free(), or NULL at the end. */
struct window *window_reader_next(struct window_reader *reader);
void window_free(struct window *window);

/*
 * Returns the base run so far, in slices. A window starts with slice `first_slice` and ends before
 * `last_slice`: slices never cross the start or end of a window.
 */
const struct window_slice *window_reader_slices(const struct window_reader *reader, size_t *count);

/* Returns the number of events read so far and of all events, to show the progress. */
void window_reader_progress(const struct window_reader *reader, uint64_t *done, uint64_t *all);

/* Returns the addresses of code that is not recorded, with the number of OPAQUE events of each. */
const struct map *window_reader_opaque(const struct window_reader *reader);

/* Returns why streams end early: bits 1 << enum event_stop. */
unsigned window_reader_stops(const struct window_reader *reader);

/* Messages about streams that could not be read to their end; complete after the last window. */
size_t window_reader_failure_count(const struct window_reader *reader);
const char *window_reader_failure(const struct window_reader *reader, size_t i);

/* Returns the block that an access touches, or NULL. */
const struct window_block *window_find_block(const struct window *window, uint32_t node);

#endif

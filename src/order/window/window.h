/*
 * Windows: pieces of the base run small enough to ask about, each with all state that its events
 * start from, as an order model.
 *
 * Window k starts k * (size + 1) / 2 events into the run and has `size` of them, so that each pair
 * of events closer than size / 2 is together in one; one with very many overlapping accesses ends
 * early. Counted are only events that another thread can
 * notice; in a text trace all are.
 */
#ifndef ORDER_WINDOW_WINDOW_H
#define ORDER_WINDOW_WINDOW_H

#include "base/err.h"
#include "order/model/model.h"
#include "trace/trace.h"

/* A lock that is held, and the one that the same thread took before it. */
struct window_held {
	uint64_t address;
	struct event_id taken; /* the event that took it */
	uint32_t lock;	       /* in the model */
	bool shared;
	bool robust;	/* who ends with it leaves it to the next */
	uint32_t outer; /* position in `held`, or ORDER_NONE */
};

/* A live heap block, for naming. */
struct window_block {
	uint64_t address, size;
	struct event_id allocated;
};

struct window_node {
	struct event_id id;
	uint8_t kind, flags, mode;
	uint64_t address, size, site;
	uint64_t other;	 /* WAIT, WOKEN: address of the mutex; threads' events: the other thread's
			    number */
	uint32_t held;	 /* innermost lock held before this event: in `held`, or ORDER_NONE */
	uint32_t object; /* lock events and WOKEN: lock; DOWN…: semaphore; ONCE…: in `onces`;
			    JOIN: thread of the model; PASS: in `meetings`; ORDER_NONE otherwise */
	uint32_t wait;	 /* WAIT, WOKEN: in the model's waits */
	uint32_t cell_start, cell_count; /* accesses: in `cells`, numbers of model cells */
	uint32_t block;			 /* accesses, INITs: in `blocks`, or ORDER_NONE */
	bool first;	  /* an INIT: nothing was done to its object before, in all of the run */
	bool environment; /* what it needs is the environment's doing, or must keep its place */
	bool behind_all;  /* it may have waited for anything that came before it */
	/* The moment before an event that was asked for by window_reader_keep. Such a node has the
	 * id of that event, is of kind REQUEST or READ_REQUEST, and does nothing. */
	bool moment;
	uint32_t kept; /* position in the list of window_reader_keep, or ORDER_NONE */
};

/* How a thread stands behind its last node of the window. */
enum window_end {
	WINDOW_GOES_ON, /* there is more, or it is not known */
	WINDOW_ENDED,	/* the thread is over */
	WINDOW_EXITED,	/* the main thread, which took the process with it */
	WINDOW_PENDING, /* its last event asks for something it never got; not so when that is a
			   recursive mutex which it holds itself */
};

struct window_thread {
	uint32_t stream;		/* its number */
	uint8_t end;			/* enum window_end */
	bool begun;			/* before the window */
	bool created;			/* before the window, or nobody is known to create it */
	uint32_t create;		/* node that creates it, or ORDER_NONE */
	uint64_t stack_low, stack_size; /* size 0: not known */
	uint32_t held;			/* locks held behind the last node: in `held` */
	/* for WINDOW_PENDING: what `object` and `wait` of the missing event would be, its kind */
	uint8_t pending_kind; /* ACQUIRE, READ_ACQUIRE, WOKEN, DOWN, PASS, JOIN */
	uint32_t pending_object, pending_wait;
	/* and the request itself, its last event, which may be from before the window */
	struct event_id pending;
	uint64_t pending_address, pending_site;
};

/* Who meets at a barrier: nodes in the window, and how many of them came before it. */
struct window_meeting {
	uint32_t arrive_start, arrive_count; /* in `arrivals` */
	uint32_t missing;		     /* how many never came, as far as the window shows */
};
struct window_once {
	uint32_t begin, end; /* nodes; ORDER_NONE: before the window, or not in it */
	bool running;	     /* at the start of the window */
};

/*
 * A life of a lock or a semaphore: the INIT or DESTROY that it begins with, or ORDER_NONE; and the
 * life before it, or ORDER_NONE. A request is no operation: one that a thread hangs at stands in
 * whichever life it is at the time, the last (`pending_object`) or one before.
 */
struct window_span {
	uint32_t begin, earlier;
	bool recursive; /* a lock: who has it may take it again */
};

/*
 * What lives (doc/prediction.md, Lives), for questions that lives do not bind: bytes that nothing in
 * the window splits, a descriptor, or a sync object. Listed are sync objects with an INIT or a
 * DESTROY in the window, and memory with an end in it that two threads touch, or that is touched behind it. An operation on a
 * sync object touches two places when it is in such memory.
 */
enum window_how { WINDOW_USES, WINDOW_BEGINS, WINDOW_ENDS };
enum window_how window_how_of(uint8_t kind); /* what an event does to the place it is of */
struct window_touch {
	uint32_t node;
	uint8_t how; /* enum window_how */
};
struct window_place {
	uint32_t touch_start, touch_count; /* in `touches`, as recorded; each node once */
	bool object;			   /* a sync object */
};

/* A stretch of the base run: the stream's events up to, not with, index `end`. */
struct window_run {
	uint32_t stream;
	uint64_t end;
};

struct window {
	uint32_t number;
	uint64_t first_run, last_run; /* its part of the base run: see window_reader_runs */
	uint32_t fresh; /* nodes from here on are in no earlier window; 0 in the first */
	bool last;
	struct order_model model;
	VEC(struct window_node) nodes;
	VEC(struct window_thread) threads;
	VEC(uint32_t) cells;
	VEC(struct window_held) held;
	VEC(struct window_meeting) meetings;
	VEC(uint32_t) arrivals;
	VEC(struct window_once) onces;
	VEC(struct window_span) lock_spans, semaphore_spans; /* of the model's, one for each */
	VEC(struct window_block) blocks; /* live at some time in the window, by address */
	VEC(struct window_place) places;
	VEC(struct window_touch) touches;
	VEC(uint32_t) life_edges; /* those of the model's edges that only lives demand */
	/* Writes of frozen cells, which the model does not have, that leave there what was: node << 32 | cell,
	 * by node. */
	VEC(uint64_t) idle;
	uint64_t unexplained; /* events that only the environment explains */
	bool text;	      /* of a text trace */
	bool handlers; /* recorded with signal handlers: they come whatever a thread waits for */
	bool cancels; /* recorded with cancellations: they end most waits, but not those for locks */
};

struct window_reader;

/* `size` is in events; at least 2. Reads the trace once to see what is shared. */
struct window_reader *window_reader_open(const struct trace *trace, uint32_t size);
void window_reader_close(struct window_reader *reader);

/*
 * Events that must be nodes although no other thread can notice them; with `before`, there is also
 * a node for the moment before the event, when its thread asks for it. Such a node lies between
 * the thread's node before the event and the event, as the thread's own doing: no edge or object
 * binds it, so in a schedule it has any place there. Once, before the first window. `keeps` is
 * sorted by stream, index and with `before` first, each once, and lives as long as the reader.
 */
struct window_keep {
	struct event_id id;
	bool before;
};
void window_reader_keep(struct window_reader *reader, const struct window_keep *keeps,
			uint32_t count);

/* The next window, to be freed with window_free; NULL at the end. */
struct window *window_reader_next(struct window_reader *reader);
void window_free(struct window *window);

/*
 * The base run so far. A window starts with run `first_run` and ends before `last_run`: a window
 * starts and ends where a run does.
 */
const struct window_run *window_reader_runs(const struct window_reader *reader, size_t *count);

/* How much of the trace has been read, of how much: for progress. */
void window_reader_progress(const struct window_reader *reader, uint64_t *done, uint64_t *all);

/* What stopped streams before their end; complete after the last window. */
size_t window_reader_failure_count(const struct window_reader *reader);
const char *window_reader_failure(const struct window_reader *reader, size_t i);

/* The block that an access touches, or NULL. */
const struct window_block *window_find_block(const struct window *window, uint32_t node);

#endif

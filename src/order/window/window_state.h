/*
 * The state of threads, sync objects and memory at the start of the next window. The events of a
 * window change copies of it; window_build.h says when the copies are stored back.
 */
#ifndef ORDER_WINDOW_WINDOW_STATE_H
#define ORDER_WINDOW_WINDOW_STATE_H

#include "order/window/window.h"
#include "order/window/window_bytes.h"
#include "order/base_run/share_survey.h"

/* An event of the base run that is or will be a node. */
struct window_item {
	uint8_t kind, flags, mode;
	bool has_value, has_old;
	bool foreign; /* as in base_run_event */
	bool moment;  /* as in window_node */
	uint32_t kept;
	struct event_id id;
	uint32_t owner;
	uint32_t unit;	/* number of bytes of the value; if less than `size`, they repeat */
	uint32_t block; /* for accesses and INITs: index in window_blocks, or 0 */
	uint32_t slice; /* index of its slice of the base run */
	uint64_t address, other, number, site;
	/* bytes accessed; FREE, BEGIN, END: size of the block or stack */
	uint64_t size;
	uint64_t value, old; /* the value if it has up to 8 bytes; otherwise its pool offset */
};

/* ---- sync objects ---------------------------------------------------------------------------- */

/* The fields `section`, `wait` and `local` are used only while a window is built. */
struct object_reader {
	uint32_t owner, depth;
	uint32_t section; /* index in the builder's `sections` */
};
struct object_waiting {
	uint32_t owner, depth; /* depth: how often the mutex was locked before the wait */
	bool timed;
	uint64_t since; /* number of the WAIT's node in the whole run */
	uint32_t wait;	/* index in the builder's `waits` */
};
struct object_sent { /* a signal that no wait has used, or a broadcast */
	uint64_t at;
	bool broadcast;
};
struct object_arrival { /* a thread that has arrived and not passed */
	uint32_t owner;
	uint32_t local; /* index in the builder's `meetings` */
	uint64_t meeting;
};

struct window_object {
	uint64_t address;
	uint8_t group;		/* enum event_group */
	uint32_t window, local; /* the last window that copied it, and the copy's index there */
	bool used;		/* an operation on it has happened */
	/* locks */
	bool recursive, robust;
	uint32_t writer; /* owner + 1 */
	uint32_t depth;
	uint32_t section;
	VEC(struct object_reader) readers;
	/* conditions */
	VEC(struct object_waiting) waiting;
	VEC(struct object_sent) sent;
	/* semaphores */
	uint64_t count;
	bool exact;
	/* barriers: how many threads meet; the current meeting's number and arrivals so far */
	uint64_t size, meeting, arrived;
	VEC(struct object_arrival) arrivals;
	/* once */
	bool running, done;
};

/* ---- threads --------------------------------------------------------------------------------- */

#define WINDOW_NEVER UINT64_MAX

struct window_hold {
	uint32_t object; /* index in the state's `objects` */
	bool shared;
	struct event_id taken;
};
typedef VEC(struct window_hold) window_holds;

/* Times are numbers of nodes in the whole run, up to and including the event. */
struct window_stream {
	uint32_t stream; /* number of the stream */
	uint64_t left;	 /* number of events not yet read */
	uint64_t begun, finished, created;
	uint64_t stack_low, stack_size;
	struct window_item last; /* its last event so far */
	/* at the start of the next window: */
	window_holds held;
	uint32_t barrier; /* text trace: object + 1 of the barrier that it waits at, or 0 */
	uint32_t arrived; /* text trace: the stream with that ARRIVE: its own or a handler's */
	uint32_t depth;	  /* how often the mutex was locked before its last wait */
};

struct window_state {
	const struct share_survey *survey;
	const struct trace *trace;
	struct window_stream *streams;
	uint32_t windows; /* number of windows built so far */
	struct window_bytes bytes;
	struct map index; /* address << 4 | group to number + 1 in objects */
	VEC(struct window_object) objects;
};

void window_state_open(struct window_state *state, const struct trace *trace,
		       const struct share_survey *survey);
void window_state_close(struct window_state *state);

/* Returns the object's number; adds the object if it is new. */
uint32_t window_state_object(struct window_state *state, enum event_group group, uint64_t address);
void window_object_copy(struct window_object *to, const struct window_object *from);
void window_object_free(struct window_object *object);

#endif

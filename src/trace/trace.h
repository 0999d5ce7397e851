/*
 * A recorded run, opened for reading: its streams, and cursors that read a stream's events one by
 * one. A trace does not change after trace_open(); different threads may use cursors of one trace.
 *
 * Nothing in a trace is trusted. Damage that does not prevent reading the rest is kept in a list of
 * problems; damage that stops a stream is an error of its cursor.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/err.h"
#include "event/event.h"
#include "event/wire.h"

#include <stddef.h>
#include <stdint.h>

struct trace;
struct trace_cursor;

/* Opens a trace directory or a text trace (any file that is not a directory). */
bool trace_open(const char *path, struct trace **out, struct err *err);
void trace_close(struct trace *trace);

/* Returns the path of the directory or text file that the trace was read from. */
const char *trace_path(const struct trace *trace);

/* Returns the value of a key in `meta`, or NULL. The last line of a key counts. */
const char *trace_meta(const struct trace *trace, const char *key);

/* Is it a text trace? Then times and sequence numbers are line numbers: the order is known. */
bool trace_is_text(const struct trace *trace);

/* Is the end of the run missing? Then the process was killed or is still running. */
bool trace_is_cut(const struct trace *trace);

/* Damage found while opening, as messages. */
size_t trace_problem_count(const struct trace *trace);
const char *trace_problem(const struct trace *trace, size_t i);

/* ---- streams --------------------------------------------------------------------------------- */

#define TRACE_NONE UINT32_MAX

struct trace_stream {
	uint32_t number; /* field `stream` of its events */
	/* for a signal handler's stream, the number of the interrupted stream; else TRACE_NONE */
	uint32_t host;
	bool ended;	 /* the stream is complete: its last block has the mark for the end */
	uint64_t blocks; /* number of blocks */
	uint64_t bytes;	 /* size of all records */
};

/* Streams are sorted by number; numbers may be missing. `i` is a position in this list. */
uint32_t trace_stream_count(const struct trace *trace);
const struct trace_stream *trace_stream(const struct trace *trace, uint32_t i);
/* Returns the position of the stream with this number, or TRACE_NONE. */
uint32_t trace_find_stream(const struct trace *trace, uint32_t number);

/*
 * Returns the position of the owner of stream `i`. The owner of a thread's stream is that stream
 * itself. The owner of a handler's stream is the stream of the thread that was interrupted, if need
 * be through a chain of handlers that interrupt each other. If a stream of this chain is missing,
 * the owner is the last stream before it. In a corrupt trace the chain can run into a cycle: then
 * its first stream in the cycle is the owner. An owner always owns itself.
 */
uint32_t trace_stream_owner(const struct trace *trace, uint32_t i);

/* ---- events ---------------------------------------------------------------------------------- */

#define TRACE_NO_INDEX UINT64_MAX
#define TRACE_NO_STEP UINT64_MAX

struct trace_event {
	/* enum event_kind; never COPY, FILL, SITE or TIME, which the cursor resolves */
	uint8_t kind;
	uint8_t flags;	 /* enum event_flag */
	uint8_t order;	 /* memory order of an atomic */
	uint32_t stream; /* number of the event's stream */
	uint32_t unit;	 /* bytes at `value`; if fewer than `size`, they repeat (a memset) */
	uint64_t index;	 /* from 0 in its stream; TRACE_NO_INDEX for a note */
	/*
	 * number of steps that the thread did before this event (doc/controlled-runs.md). This is
	 * the number of the step if the event is a step, otherwise the number of the thread's next
	 * step. TRACE_NO_STEP in a signal handler
	 */
	uint64_t step;
	uint64_t address;  /* field a */
	uint64_t size;	   /* bytes accessed or allocated */
	uint64_t other;	   /* field b */
	uint64_t number;   /* field n, if it is not a size */
	uint64_t mode;	   /* field m, if it is not flags */
	uint64_t sequence; /* sequence number of the object; 0 if the kind has none */
	uint64_t time;	   /* the last time seen in the stream, in ticks */
	/* return address, 0 if a site replaces it; number of a place in a text trace */
	uint64_t pc;
	/* bytes read or written, text of a note; NULL if unknown */
	const uint8_t *value;
	const uint8_t *old;		 /* ATOMIC_UPDATE: the value before the update */
	const struct wire_element *site; /* place in the source; NULL if unknown */
};

/* Pointers in an event are valid until the next trace_next() of the same cursor. */
struct trace_cursor *trace_cursor_open(const struct trace *trace, uint32_t i);
void trace_cursor_close(struct trace_cursor *cursor);

/* Reads the next event. Returns false at the end (then err->text is empty) and on an error. */
bool trace_next(struct trace_cursor *cursor, struct trace_event *event, struct err *err);

/* Where the last event's record starts. A HANDLER has the position at which it interrupts. */
struct trace_position {
	uint64_t block, offset;
};
struct trace_position trace_cursor_position(const struct trace_cursor *cursor);

/* The calls that are open at the last event, outermost first. */
struct trace_frame {
	uint64_t return_address; /* 0 if unknown */
	const char *function;	 /* linker name, or NULL */
	const struct wire_element *site;
	uint64_t pc; /* text trace: number of the place */
};
size_t trace_cursor_stack(const struct trace_cursor *cursor, const struct trace_frame **frames);
/* Returns the call that the last EXIT ended, or NULL. Valid until the next call. */
const struct trace_frame *trace_cursor_last_exit(const struct trace_cursor *cursor);

/* ---- controlled recordings ------------------------------------------------------------------- */

struct control_slice;
struct control_thread;

/* Did only one thread run at a time, so that the order of all events is known? */
bool trace_has_schedule(const struct trace *trace);

/*
 * Returns the schedule: in each slice one thread runs until it has done a number of steps. The
 * schedule can end before the events do if the process was killed or the file is damaged. A thread
 * in the schedule need not have a stream.
 */
const struct control_slice *trace_schedule(const struct trace *trace, size_t *count);
uint64_t trace_switch_count(const struct trace *trace);

/*
 * Returns how each thread was created. The index in `*threads` is the number of the thread, which
 * is also the number of its stream. Numbers without a CREATE (handlers, threads that unrecorded
 * code created) have creator CONTROL_NONE. The caller frees `*threads`. Returns false if there are
 * more threads than a controlled run can have.
 */
bool trace_threads_by_path(const struct trace *trace, struct control_thread **threads,
			   uint32_t *count, struct err *err);

/* ---- source lines and names ------------------------------------------------------------------ */

/* Text that is not NUL-terminated: print it with %.*s. */
struct trace_span {
	const char *text;
	int length;
};

struct trace_source_line {
	struct trace_span function, file;
	uint32_t line, column;
};

/* Stores where a site is, the innermost function first, then the functions it was inlined into. */
unsigned trace_site_lines(const struct trace *trace, const struct wire_element *site,
			  struct trace_source_line *places, unsigned most);
const char *trace_site_name(const struct trace *trace, const struct wire_element *site);
const char *trace_site_path(const struct trace *trace, const struct wire_element *site);

/*
 * Returns the name of the global variable at an address, if it is known and no other variable has
 * it; in a text trace the name that the text uses. Otherwise NULL.
 */
const char *trace_object_name(const struct trace *trace, uint64_t address);

/* Is the byte in the image of a recorded module: code, constants or static variables? */
bool trace_is_static(const struct trace *trace, uint64_t address);

/*
 * Does the recording have the compiler's tables? Then a runtime event without a site came from code
 * that was not recorded.
 */
bool trace_has_sites(const struct trace *trace);

/* Text traces only (otherwise NULL): name of a thread, text of a place, "f(a)" of a call or ret. */
const char *trace_thread_name(const struct trace *trace, uint32_t stream);
const char *trace_place_text(const struct trace *trace, uint64_t place);
const char *trace_call_text(const struct trace *trace, uint64_t place);

/* Initial values that a text trace gives. */
struct trace_initial {
	uint64_t address;
	uint32_t size;
	const uint8_t *value;
};
size_t trace_initial_count(const struct trace *trace);
struct trace_initial trace_initial(const struct trace *trace, size_t i);

#endif

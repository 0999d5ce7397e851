/*
 * A recorded run, open for reading: which streams there are, and one cursor for each that walks
 * through its events. A trace does not change after trace_open; cursors of one trace may be used
 * by different threads.
 *
 * Nothing in a trace is trusted. What is damaged but does not keep the rest from being read is
 * kept as a list of problems; what stops a stream comes out of its cursor as an error there.
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

/* The directory, or the text, that it was read from. */
const char *trace_path(const struct trace *trace);

/* What `meta` says for a key, or NULL. The last line of a key counts. */
const char *trace_meta(const struct trace *trace, const char *key);

/* Times and sequence numbers are the lines of a text: the order of all events is known. */
bool trace_is_text(const struct trace *trace);

/* Not ended by the process itself: it was killed, or it is still running. */
bool trace_is_cut(const struct trace *trace);

/* Damage found while opening, in words. */
size_t trace_problem_count(const struct trace *trace);
const char *trace_problem(const struct trace *trace, size_t i);

/* ---- streams ------------------------------------------------------------------------------ */

#define TRACE_NONE UINT32_MAX

struct trace_stream {
	uint32_t number; /* as events name it */
	uint32_t host;	 /* a signal handler's: the stream it interrupts; TRACE_NONE otherwise */
	bool ended;	 /* its last block says so */
	uint64_t blocks; /* how many */
	uint64_t bytes;	 /* of records */
};

/* Streams are in order of their numbers; numbers may be missing. */
uint32_t trace_stream_count(const struct trace *trace);
const struct trace_stream *trace_stream(const struct trace *trace, uint32_t i);
uint32_t trace_find_stream(const struct trace *trace, uint32_t number); /* TRACE_NONE: not there */

/*
 * The position of the stream of the thread that executed stream `i`: the thread that a signal
 * handler interrupted (through all handlers between them), or `i` itself if it is a thread's stream.
 * If the interrupted stream is missing, the last stream of the chain that exists is the owner. In a
 * corrupt trace the chain can run into a cycle: then its first stream in the cycle is the owner.
 * An owner always owns itself.
 */
uint32_t trace_stream_owner(const struct trace *trace, uint32_t i);

/* ---- events ------------------------------------------------------------------------------- */

#define TRACE_NO_INDEX UINT64_MAX
#define TRACE_NO_STEP UINT64_MAX

struct trace_event {
	uint8_t kind;	   /* enum event_kind; never COPY, FILL, SITE or TIME, which dissolve */
	uint8_t flags;	   /* enum event_flag */
	uint8_t order;	   /* memory order, of an atomic */
	uint32_t stream;   /* its number */
	uint32_t unit;	   /* bytes at `value`; when fewer than `size` they repeat (a memset) */
	uint64_t index;	   /* from 0 in its stream; TRACE_NO_INDEX for a note */
	uint64_t step;	   /* how many steps its thread did before it (doc/controlled-runs.md):
			    * the number of the step that it is, or, of an event that is none,
			    * of the one to come. TRACE_NO_STEP in a signal handler */
	uint64_t address;  /* field a */
	uint64_t size;	   /* bytes accessed or allocated */
	uint64_t other;	   /* field b */
	uint64_t number;   /* field n, where it is no size */
	uint64_t mode;	   /* field m, where it is no flags */
	uint64_t sequence; /* of the object; 0 when the kind has none */
	uint64_t time;	   /* the last time seen in the stream, ticks */
	uint64_t pc; /* return address, 0 when a site says it better; a place in a text trace */
	const uint8_t *value;		 /* bytes read or written, text of a note; NULL unknown */
	const uint8_t *old;		 /* ATOMIC_UPDATE: what was there before */
	const struct wire_element *site; /* where it is in the source, NULL when unknown */
};

/* Pointers in an event are good until the next trace_next of the same cursor. */
struct trace_cursor *trace_cursor_open(const struct trace *trace, uint32_t i);
void trace_cursor_close(struct trace_cursor *cursor);

/* The next event. False at the end, with an empty err->text, and where reading cannot go on. */
bool trace_next(struct trace_cursor *cursor, struct trace_event *event, struct err *err);

/* Where the record of the last event starts: for "it cut in here" and for messages. */
struct trace_position {
	uint64_t block, offset;
};
struct trace_position trace_cursor_position(const struct trace_cursor *cursor);

/* The calls open at the last event, outermost first. */
struct trace_frame {
	uint64_t return_address; /* 0 unknown */
	const char *function;	 /* as the linker names it, or NULL */
	const struct wire_element *site;
	uint64_t pc; /* a place, in a text trace */
};
size_t trace_cursor_stack(const struct trace_cursor *cursor, const struct trace_frame **frames);
/* The call that the last EXIT ended; NULL: none. Good until the next call. */
const struct trace_frame *trace_cursor_left(const struct trace_cursor *cursor);

/* ---- controlled recordings ---------------------------------------------------------------- */

struct control_run;
struct control_thread;

/* Was one thread running at a time, and is the order of all events known? */
bool trace_has_schedule(const struct trace *trace);

/*
 * That order: each run is of a thread until it has done so many steps. Where a process was killed,
 * or a file damaged, it can end early; threads it names need not have streams.
 */
const struct control_run *trace_schedule(const struct trace *trace, size_t *count);
uint64_t trace_switch_count(const struct trace *trace);

/*
 * How each thread came to be, by the number of its stream: with control or without, the number of a
 * thread is that of its stream. Numbers that no CREATE has (of handlers, of threads that others
 * made) have creator CONTROL_NONE. To be freed. False: there are more threads than can be controlled.
 */
bool trace_threads_by_path(const struct trace *trace, struct control_thread **threads,
			   uint32_t *count, struct err *err);

/* ---- places and names --------------------------------------------------------------------- */

/* Text that does not end in NUL: print it with %.*s. */
struct trace_span {
	const char *text;
	int length;
};

struct trace_place {
	struct trace_span function, file;
	uint32_t line, column;
};

/* Where a site is: the innermost function first, then those it was inlined into. */
unsigned trace_site_places(const struct trace *trace, const struct wire_element *site,
			   struct trace_place *places, unsigned most);
const char *trace_site_name(const struct trace *trace, const struct wire_element *site);
const char *trace_site_path(const struct trace *trace, const struct wire_element *site);

/*
 * The global variable at an address: known, and no other has that name. In a text trace the name
 * the text uses. NULL otherwise.
 */
const char *trace_object_name(const struct trace *trace, uint64_t address);

/* Does the byte lie in the image of a module that is recorded: code, constants, static variables? */
bool trace_is_static(const struct trace *trace, uint64_t address);

/*
 * Does the recording have the compiler's tables? Then a runtime event without a site was made by
 * code that was not recorded.
 */
bool trace_has_sites(const struct trace *trace);

/* Text traces only (NULL otherwise): a thread's name; a place's text; the f(a) of a call or ret. */
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

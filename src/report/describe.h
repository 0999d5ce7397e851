/*
 * Reads everything that a report shows about the events of findings. A finding holds only the ids
 * of its events. This module reads those events again, with their stacks, and the steps of the
 * witnesses. It passes over each stream at most once.
 */
#ifndef REPORT_DESCRIBE_H
#define REPORT_DESCRIBE_H

#include "predict/driver/predict.h"
#include "trace/symbol.h"

#include <stdio.h>

struct describe_frame {
	const char *function; /* NULL: unknown */
	const char *file;     /* NULL: unknown */
	unsigned line;	      /* 0: unknown */
};

/* The largest size, in bytes, of a value that is kept and shown. */
#define DESCRIBE_BYTES 16

struct described {
	struct trace_event event; /* `value`, `old`: NULL; their bytes are in the fields below */
	bool has_value, has_old;
	uint8_t value[DESCRIBE_BYTES], old[DESCRIBE_BYTES];
	VEC(struct describe_frame) stack; /* innermost frame first; empty in rows */
	const char *point; /* a point as text, "call use(0x10, 3)"; NULL: not a point, or a row */
};

struct describe;

/* What to read: all events of the findings, and the events in `also`. */
struct describe_request {
	const struct trace *trace;
	const char *path; /* the trace as the user named it */
	const struct predict_result *result;
	const struct event_id *also;
	size_t also_count;
	bool rows; /* also read the steps of the witnesses */
};

struct describe *describe_open(const struct describe_request *request);
void describe_close(struct describe *describe);

const struct trace *describe_trace(const struct describe *describe);
struct trace_symbols *describe_symbols(const struct describe *describe);

/*
 * Returns an event of a finding, the acquisition of a lock held there, the allocation of its block,
 * or an event of `also`. NULL: the event was not read.
 */
const struct described *describe_find(const struct describe *describe, struct event_id id);

/*
 * Returns the innermost frame that is not in a system header, or the innermost one if all are;
 * NULL: there is no frame.
 */
const struct describe_frame *describe_innermost(const struct describe_frame *frames, size_t count);

/*
 * Finds describe_innermost() of an event. Returns false if the event
 * has no frame.
 */
bool describe_site(struct describe *describe, const struct trace_event *event,
		   struct describe_frame *frame);

/*
 * Returns the number of rows of a stream for events with from <= index < to. Sets `*rows` to the
 * first of them.
 */
size_t describe_rows(const struct describe *describe, uint32_t stream, uint64_t from, uint64_t to,
		     const struct described **rows);

/* Return the CREATE and the BEGIN of a thread that a finding names; NULL: not recorded. */
const struct described *describe_creation(const struct describe *describe, uint32_t stream);
const struct described *describe_begin(const struct describe *describe, uint32_t stream);

/* ---- texts that last until describe_close() -------------------------------------------------- */

/*
 * Returns the name of a lock that no symbol names: the expression with which it was first asked
 * for, or its address if that was NULL.
 */
const char *describe_lock(struct describe *describe, uint64_t address, const char *expression);

/* Returns "T1", or the name that a text trace gives to the thread. */
const char *describe_thread(struct describe *describe, uint32_t stream);

/* Copies a text. Equal texts share one copy. It is valid until describe_close(). */
const char *describe_keep(struct describe *describe, const char *text, size_t length);

/* Returns a formatted text, as printf does. It is valid until describe_close(). */
const char *describe_format(struct describe *describe, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* For a text that is printed in pieces: call text_begin(), print to `out`, call text_end(). */
struct text_stream {
	FILE *out;
	char *text;
	size_t size;
};
FILE *text_begin(struct text_stream *stream);
const char *text_end(struct text_stream *stream, struct describe *describe);

#endif

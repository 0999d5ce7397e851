/*
 * Everything a report needs to know of the events of findings. A finding holds only event ids; here
 * those events are read again, all of them in one pass over the streams they are in, with their
 * stacks and with the steps of the witnesses.
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

/* The most bytes of a value that are kept; longer ones are not shown. */
#define DESCRIBE_BYTES 16

struct described {
	struct trace_event event; /* `value` and `old` are NULL; the bytes are copied here: */
	bool has_value, has_old;
	uint8_t value[DESCRIBE_BYTES], old[DESCRIBE_BYTES];
	VEC(struct describe_frame) stack; /* innermost first; empty in rows */
	const char *point; /* of a point: "call use(0x10, 3)"; NULL otherwise, and in rows */
};

struct describe;

/* What to read: all events of the findings, and those in `also`. */
struct describe_request {
	const struct trace *trace;
	const char *path; /* the trace as the user named it */
	const struct predict_result *result;
	const struct event_id *also;
	size_t also_count;
	bool rows; /* the steps of the witnesses as well */
};

struct describe *describe_open(const struct describe_request *request);
void describe_close(struct describe *describe);

const struct trace *describe_trace(const struct describe *describe);
struct trace_symbols *describe_symbols(const struct describe *describe);

/*
 * An event of a finding, the acquisition of a lock that it holds, the allocation of its block, or
 * one of `also`. NULL: it was not read.
 */
const struct described *describe_find(const struct describe *describe, struct event_id id);

/* The innermost frame of an event that is not in a system header. Returns false without one. */
bool describe_site(struct describe *describe, const struct trace_event *event,
		   struct describe_frame *frame);

/* The events of a stream with from <= index < to that are worth a row in a witness. */
size_t describe_rows(const struct describe *describe, uint32_t stream, uint64_t from, uint64_t to,
		     const struct described **rows);

/* The CREATE of a thread that a finding names, and its BEGIN; NULL: not recorded. */
const struct described *describe_creation(const struct describe *describe, uint32_t stream);
const struct described *describe_begin(const struct describe *describe, uint32_t stream);

/* ---- texts that last until describe_close() -------------------------------------------------- */

/* "T1", or the thread's name in a text trace. */
const char *describe_thread(struct describe *describe, uint32_t stream);

/* A copy of a text; equal texts share one. */
const char *describe_keep(struct describe *describe, const char *text, size_t length);

/* A formatted text, as printf does it. */
const char *describe_format(struct describe *describe, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A text that is printed piece by piece: text_begin(), prints to `out`, text_end(). */
struct text_stream {
	FILE *out;
	char *text;
	size_t size;
};
FILE *text_begin(struct text_stream *stream);
const char *text_end(struct text_stream *stream, struct describe *describe);

#endif

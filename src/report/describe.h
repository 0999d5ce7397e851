/*
 * What the report says of the events of findings. Findings carry only names of events (stream and
 * index); here those events are read again, all of them in one pass over the streams concerned,
 * with their stacks, and with what the witnesses step over.
 */
#ifndef REPORT_DESCRIBE_H
#define REPORT_DESCRIBE_H

#include "predict/driver/predict.h"
#include "trace/symbol.h"

struct describe_frame {
	const char *function; /* NULL unknown */
	const char *file;     /* NULL unknown */
	unsigned line;	      /* 0 unknown */
};

/* Bytes of a value that are kept; a longer one is not shown. */
#define DESCRIBE_BYTES 16

struct described {
	struct trace_event event; /* value and old: never set, see below */
	bool has_value, has_old;
	uint8_t value[DESCRIBE_BYTES], old[DESCRIBE_BYTES];
	VEC(struct describe_frame) stack; /* innermost first; rows of a witness have none */
	const char *point; /* of a POINT: "call use(0x10, 3)"; NULL otherwise, and in rows */
};

struct describe;

/* What is to be read: all events of the findings, and these; with `rows` the witnesses as well. */
struct describe_request {
	const struct trace *trace;
	const char *path; /* the trace as the user named it */
	const struct predict_result *result;
	const struct event_id *also;
	size_t also_count;
	bool rows;
};

struct describe *describe_open(const struct describe_request *request);
void describe_close(struct describe *describe);

const struct trace *describe_trace(const struct describe *describe);
struct trace_symbols *describe_symbols(const struct describe *describe);

/* An event of a finding, the taking of a lock it holds, or the allocation of its block. */
const struct described *describe_find(const struct describe *describe, struct event_id id);

/* Where an event is: the innermost frame that is no library's. False: nothing is known. */
bool describe_place(struct describe *describe, const struct trace_event *event,
		    struct describe_frame *frame);

/* What is worth showing of a stream's events with from <= index < to: a row for each. */
size_t describe_rows(const struct describe *describe, uint32_t stream, uint64_t from, uint64_t to,
		     const struct described **rows);

/* The CREATE of a thread that a finding names, and its BEGIN; NULL when not recorded. */
const struct described *describe_creation(const struct describe *describe, uint32_t stream);
const struct described *describe_begin(const struct describe *describe, uint32_t stream);

/* "T1", or the name that a text gives it. Good until the report is closed. */
const char *describe_thread(struct describe *describe, uint32_t stream);

/* A copy that lasts until the report is closed; equal texts are one. */
const char *describe_keep(struct describe *describe, const char *text, size_t length);

#endif

/*
 * Points in a trace: an event of kind POINT (or a `call`, `ret` or `probe` line of a text trace),
 * as a function with arguments and a result.
 */
#ifndef TRACE_POINT_H
#define TRACE_POINT_H

#include "event/point.h"
#include "trace/trace.h"

struct trace_value {
	/* enum point_type; in a text trace a number is SIGNED, other words are STRING */
	uint8_t type;
	bool known;	  /* false if unreadable, opaque or not given */
	bool cut;	  /* STRING: longer than what was kept */
	uint64_t bits;	  /* SIGNED, UNSIGNED, POINTER, and the pointer of a STRING */
	double number;	  /* FLOAT */
	const char *text; /* STRING, BYTES: not NUL-terminated */
	uint32_t length;
};

struct trace_point {
	uint8_t kind; /* enum point_kind */
	/* linker name; "app:name" of a probe; in a text trace, the word there */
	const char *function;
	/* name in the source, or demangled without parameters; otherwise as `function` */
	const char *plain;
	/* file name of the module that defines it, without directory; NULL if unknown */
	const char *library;
	uint32_t count; /* number of arguments */
	struct trace_value arguments[POINT_ARGUMENTS];
	struct trace_value result; /* RETURN */
	/* RETURN: recorded in the function's body, not after a call of it */
	bool is_body;
	bool more; /* there were more arguments than these */
	/* What the arguments pointed at, if the selection asked for it; otherwise unknown. */
	struct trace_value pointed[POINT_ARGUMENTS];
};

/*
 * Reads the event, the last one of the cursor, as a point. Returns false if it is not one. Texts in
 * the point are valid as long as the event. In a text trace a `call` becomes a CALL, and `ret f=v`
 * gets the arguments of the call that it ends, which the cursor remembers.
 */
bool trace_read_point(const struct trace_cursor *cursor, const struct trace_event *event,
		      struct trace_point *point);

/* The points that were on in a recording, numbered from 1. */
struct trace_point_row {
	uint64_t number;      /* `number` of its events */
	uint8_t kind;	      /* enum point_kind */
	bool is_body;	      /* not at a call of a function that is not recorded */
	const char *function; /* as in trace_point */
	const char *plain, *library;
	uint32_t count; /* of arguments; RETURN: of results */
};
size_t trace_point_row_count(const struct trace *trace);
struct trace_point_row trace_point_row(const struct trace *trace, size_t i);

#endif

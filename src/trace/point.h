/*
 * Reads a point of a trace as a function with arguments and a result. A point is an event of kind
 * POINT, or in a text trace a line `point`, `call`, `ret` or `probe`.
 */
#ifndef TRACE_POINT_H
#define TRACE_POINT_H

#include "event/point.h"
#include "trace/trace.h"

struct trace_value {
	/* enum point_type; in a text trace the type follows from the syntax (point_text.c) */
	uint8_t type;
	bool known;	  /* false if unreadable, opaque or not given */
	bool cut;	  /* STRING: longer than what was kept */
	uint64_t bits;	  /* value of a SIGNED, UNSIGNED or POINTER; pointer of a STRING */
	double number;	  /* value of a FLOAT */
	const char *text; /* contents of a STRING or BYTES, not NUL-terminated */
	uint32_t length;
};

struct trace_point {
	uint8_t kind; /* enum point_kind */
	/* linker name; for a probe "app:name"; in a text trace the name in the text */
	const char *function;
	/* name in the source (C++: demangled, without parameters), or the same as `function` */
	const char *plain;
	/* file name of the module that defines the function, without directory; NULL if unknown */
	const char *library;
	uint32_t count; /* number of arguments */
	struct trace_value arguments[POINT_ARGUMENTS];
	struct trace_value result; /* RETURN */
	/* RETURN: recorded at the end of the function's body, not after a call of the function */
	bool is_body;
	bool more; /* the call had further arguments */
	/* the values that the arguments pointed at; unknown unless the selection asked for them */
	struct trace_value pointed[POINT_ARGUMENTS];
};

/*
 * Reads the last event of the cursor as a point. Returns false if it is not a point. The texts in
 * the point are valid as long as the event. In a text trace a `call` becomes a CALL, and `ret f=v`
 * becomes a RETURN with the arguments of the call that it ends.
 */
bool trace_read_point(const struct trace_cursor *cursor, const struct trace_event *event,
		      struct trace_point *point);

/* A point that was switched on during the recorded run. */
struct trace_point_row {
	uint64_t number;      /* field `number` of its events, from 1 */
	uint8_t kind;	      /* enum point_kind */
	bool is_body;	      /* false: after a call of a function that is not recorded */
	const char *function; /* as in trace_point */
	const char *plain, *library;
	uint32_t count; /* number of arguments; RETURN: number of results */
};
size_t trace_point_row_count(const struct trace *trace);
struct trace_point_row trace_point_row(const struct trace *trace, size_t i);

#endif

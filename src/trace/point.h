/*
 * Points in a trace: an event of kind POINT (or a text's call, ret and probe) as a function with
 * arguments and a result.
 */
#ifndef TRACE_POINT_H
#define TRACE_POINT_H

#include "event/point.h"
#include "trace/trace.h"

struct trace_value {
	uint8_t type;  /* enum point_type; a number in a text is SIGNED, other words are STRING */
	bool known;    /* false: unreadable, opaque, not given */
	bool cut;      /* STRING: longer than what is kept */
	uint64_t bits; /* SIGNED, UNSIGNED, POINTER, and a STRING's pointer */
	double number; /* FLOAT */
	const char *text; /* STRING, BYTES: not ended by NUL */
	uint32_t length;
};

struct trace_point {
	uint8_t kind;	      /* enum point_kind */
	const char *function; /* linker's name; "app:name" of a probe; a text's word */
	const char *plain;   /* the source's, or demangled without parameters; else as `function` */
	const char *library; /* last component of the module that defines it; NULL unknown */
	uint32_t count;	     /* of arguments */
	struct trace_value arguments[POINT_ARGUMENTS];
	struct trace_value result; /* RETURN */
	bool is_body;		   /* RETURN: of the body, not behind a call */
	bool more;		   /* there were arguments behind those */
	/* What arguments pointed at, where the selection asked for it; else not known. */
	struct trace_value pointed[POINT_ARGUMENTS];
};

/*
 * Is the event, the last one of the cursor, a point? Text in it is good as long as the event. A
 * text's `call` is told as CALL; `ret f=v` gets the arguments of the call that it ends, which the
 * cursor remembers.
 */
bool trace_read_point(const struct trace_cursor *cursor, const struct trace_event *event,
		      struct trace_point *point);

/* The points that were on in a recording, by number from 1. */
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

/* The selection (event/point.h): which points are requested, and which of them were found. */
#ifndef RUNTIME_POINT_POINT_SELECT_H
#define RUNTIME_POINT_POINT_SELECT_H

#include "event/point.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads the file. Returns false if nothing is requested. */
bool point_select_read(const char *path);

/*
 * After that, adds the points that are always on: the probes around atomic regions, which
 * predictions use. point_select_is_always(): does a module's text section contain any?
 */
#define POINT_ATOMIC_BEGIN "sooth:atomic_begin"
#define POINT_ATOMIC_END "sooth:atomic_end"
void point_select_always(void);
bool point_select_is_always(const char *texts, size_t bytes);

/* The kinds of requests, as bits and as indices. */
enum point_request {
	POINT_REQUEST_CALL,
	POINT_REQUEST_EXEC,
	POINT_REQUEST_RETURN,
	POINT_REQUEST_PROBE
};
#define POINT_REQUESTS 4
struct point_requested {
	unsigned requests; /* 1 << enum point_request */
	/*
	 * by kind: arguments whose pointees are requested, bit 0 the first; arguments whose text
	 * matters, bit 0 the result, bit 1 the first argument
	 */
	uint16_t pointed[POINT_REQUESTS], texts[POINT_REQUESTS];
};

/*
 * A function of the program. `name` is as in a row: the linker's name, and after a tab the plain
 * one. The library that defines it is only looked up if a line of the selection needs it.
 */
struct point_named {
	const char *name;
	/* last component; NULL: undefined */
	const char *(*library)(const struct point_named *named);
	const void *context;
};
/* Does any line match this name? */
bool point_select_matches_name(const char *name);
struct point_requested point_select(const struct point_named *named);

/* These of the requested points exist ... */
void point_select_found(const struct point_named *named, unsigned requests);
/* ... and these do not. */
void point_select_missed(const struct point_named *named, unsigned requests, const char *why);

/* A recorded module has no rows: what was not found may be in it. */
void point_select_no_rows(void);

/* Writes a copy of the selection, and what is missing so far, to the trace. */
void point_select_write_copy(void);
void point_select_report(void);

#endif

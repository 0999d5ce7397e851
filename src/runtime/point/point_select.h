/* The selection (event/point.h): which points are requested, and which of these were found. */
#ifndef RUNTIME_POINT_POINT_SELECT_H
#define RUNTIME_POINT_POINT_SELECT_H

#include "event/point.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads the file. Returns false if nothing is requested. */
bool point_select_read(const char *path);

/*
 * point_select_always() is called after point_select_read(). It adds the points that are always on:
 * the probes around atomic regions, which predictions use. point_select_is_always() tells whether
 * the texts of a module contain such a probe.
 */
#define POINT_ATOMIC_BEGIN "sooth:atomic_begin"
#define POINT_ATOMIC_END "sooth:atomic_end"
void point_select_always(void);
bool point_select_is_always(const char *texts, size_t bytes);

/* The kinds of requests; also used as bit numbers and as indices. */
enum point_request {
	POINT_REQUEST_CALL,
	POINT_REQUEST_EXEC,
	POINT_REQUEST_RETURN,
	POINT_REQUEST_PROBE
};
#define POINT_REQUESTS 4
struct point_requested {
	unsigned requests; /* a set of bits 1 << enum point_request */
	/*
	 * Indexed by kind. `pointed`: arguments whose pointees are requested; bit 0 is the first
	 * argument. `texts`: values whose text matters; bit 0 is the result, bit 1 the first
	 * argument.
	 */
	uint16_t pointed[POINT_REQUESTS], texts[POINT_REQUESTS];
};

/*
 * A function of the program. `name` is as in a row: the linker's name, a tab, and the plain name.
 * The library that defines the function is looked up only if a line of the selection requires it.
 */
struct point_named {
	const char *name;
	/* returns the last component of its path; NULL: undefined */
	const char *(*library)(const struct point_named *named);
	const void *context;
};
/* Does any line match this name? */
bool point_select_matches_name(const char *name);
struct point_requested point_select(const struct point_named *named);

/* Notes that these requests (bits) for a function were satisfied. */
void point_select_found(const struct point_named *named, unsigned requests);
/* Notes that these requests were not satisfied, and why. */
void point_select_missed(const struct point_named *named, unsigned requests, const char *why);

/* Notes that a recorded module has no rows. Functions that were not found may be in it. */
void point_select_no_rows(void);

/*
 * point_select_write_copy() writes a copy of the selection to the trace, point_select_report() the
 * requests that were not satisfied so far.
 */
void point_select_write_copy(void);
void point_select_report(void);

#endif

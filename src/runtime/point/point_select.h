/* The selection (event/point.h): which points are asked for, and what was found of it. */
#ifndef RUNTIME_POINT_POINT_SELECT_H
#define RUNTIME_POINT_POINT_SELECT_H

#include "event/point.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads the file. False: nothing is asked for. */
bool point_select_read(const char *path);

/*
 * Behind that, what is on without being asked for: the probes that bound atomic regions, which a
 * prediction looks at by itself. Are there any in a module's texts?
 */
#define POINT_ATOMIC_BEGIN "sooth:atomic_begin"
#define POINT_ATOMIC_END "sooth:atomic_end"
void point_select_always(void);
bool point_select_is_always(const char *texts, size_t bytes);

/* The kinds of a selection, as bits and as indices. */
enum point_wish { POINT_WISH_CALL, POINT_WISH_EXEC, POINT_WISH_RETURN, POINT_WISH_PROBE };
#define POINT_WISHES 4
struct point_asked {
	unsigned wishes; /* 1 << enum point_wish */
	/* by wish: arguments of which the contents are wanted, bit 0 the first; those whose text
	 * matters, bit 0 the result, bit 1 the first argument */
	uint16_t pointed[POINT_WISHES], texts[POINT_WISHES];
};

/*
 * A function of the program: `name` as in a row, the linker's, and behind a tab the plain one. Where it
 * is defined is asked only if a line of the selection wants to know.
 */
struct point_named {
	const char *name;
	const char *(*library)(const struct point_named *named); /* last component; NULL: nowhere */
	const void *context;
};
/* Does any line ask for such a name? */
bool point_select_names(const char *name);
struct point_asked point_select(const struct point_named *named);

/* Of what was asked for these are there … */
void point_select_found(const struct point_named *named, unsigned wishes);
/* … and these are not. */
void point_select_missed(const struct point_named *named, unsigned wishes, const char *why);

/* A recorded module has no rows: whatever was not found may be there. */
void point_select_lost(void);

/* Writes the copy of the selection, and what is missing so far, into the trace. */
void point_select_copy(void);
void point_select_tell(void);

#endif

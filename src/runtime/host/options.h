/* SOOTH_OPTIONS, read once at start: key=value words separated by spaces, commas or colons. */
#ifndef RUNTIME_HOST_OPTIONS_H
#define RUNTIME_HOST_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_PATH_MAX 3800

struct options {
	char dir[OPTIONS_PATH_MAX]; /* dir=PATH  where the trace goes; empty: record nothing */
	uint64_t limit;		    /* limit=SIZE[KMG]  most bytes of events; 0: no limit */
	bool quiet;		    /* quiet=1  say nothing, whatever happens */
	int verbosity;		    /* verbosity=N  1: say where the trace is */
	char control[256]; /* control=PATH  take turns as this file says (event/control.h) */
	bool serial;	   /* serial=1  take turns; nobody says how */
	bool has_seed;	   /* seed=N  with serial: by priorities that are drawn from it */
	uint64_t seed;
	char points[OPTIONS_PATH_MAX]; /* points=PATH  a selection of points: event/point.h */
	bool patterns;		       /* patterns=1  tell new locking patterns: lock_pattern.h */
	bool remains;		       /* remains=1  keep variables as they end: final_memory.h */
};

void options_read(struct options *options, const char *text);

#endif

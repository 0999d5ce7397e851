/* SOOTH_OPTIONS, read once at the start: key=value words separated by spaces, commas or colons. */
#ifndef RUNTIME_HOST_OPTIONS_H
#define RUNTIME_HOST_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_PATH_MAX 3800

struct options {
	char dir[OPTIONS_PATH_MAX]; /* dir=PATH  directory of the trace; empty: record nothing */
	uint64_t limit;		    /* limit=SIZE[KMG]  maximum bytes of events; 0: no limit */
	bool quiet;		    /* quiet=1  print no messages */
	int verbosity;		    /* verbosity=N  1: print where the trace is */
	char control[256]; /* control=PATH  schedule threads by this file (event/control.h) */
	bool serial;	   /* serial=1  run one thread at a time, without a control file */
	bool has_seed;	   /* seed=N  with serial=1: draw random priorities from this seed */
	uint64_t seed;
	char points[OPTIONS_PATH_MAX]; /* points=PATH  a selection of points (event/point.h) */
	bool patterns; /* patterns=1  report new locking patterns (lock_pattern.h) */
	/* remains=1  write the final values of variables (final_memory.h) */
	bool remains;
	bool opaque; /* opaque=0  do not record where threads run opaque code (opaque.h) */
};

void options_read(struct options *options, const char *text);

#endif

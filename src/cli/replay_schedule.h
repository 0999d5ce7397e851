/* sooth replay FILE.schedule -- PROG ARGS... */
#ifndef CLI_REPLAY_SCHEDULE_H
#define CLI_REPLAY_SCHEDULE_H

#include "pipeline/property_files.h"

/* Is it a schedule, by its name? */
bool replay_is_schedule(const char *path);

struct replay_schedule {
	const char *path;
	char **program;	  /* NULL: not given */
	const char *keep; /* where the recording goes; NULL: nowhere */
	double seconds;	  /* for a run */
	unsigned times;	  /* how often it is run, to see that it is the same each time */
	bool use_gdb, verbose, json;
	struct property_files *properties; /* of -p; a schedule that violates one needs its file */
};

/* The exit status. */
int replay_schedule(const struct replay_schedule *replay);

#endif

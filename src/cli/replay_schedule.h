/* sooth replay FILE.schedule -- PROG ARGS... */
#ifndef CLI_REPLAY_SCHEDULE_H
#define CLI_REPLAY_SCHEDULE_H

#include "pipeline/property_files.h"

/* Does the name end in ".schedule"? */
bool replay_is_schedule(const char *path);

struct replay_schedule {
	const char *path;
	char **program;
	const char *keep; /* where to keep the recording; NULL: nowhere */
	double seconds;	  /* time limit of a run */
	unsigned times;	  /* number of runs, which must be identical */
	bool use_gdb, verbose, json;
	struct property_files *properties; /* -p; needed if the schedule violates a property */
};

/* Returns the exit status. */
int replay_schedule(const struct replay_schedule *replay);

#endif

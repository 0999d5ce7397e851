/* What `sooth explore` says at its end, as text and as JSON. */
#ifndef CLI_EXPLORE_TOLD_H
#define CLI_EXPLORE_TOLD_H

#include "cli/exploring.h"

struct explore_told {
	const struct explored *found;
	size_t found_count;
	const struct exploring_doubt *doubts;
	size_t doubt_count;
	const struct explore_result *result;
	const struct hints *hints;
	const char *mode;     /* "persistent" … */
	const char *fallback; /* why it is not the one that was asked for; NULL: it is */
	uint64_t extra;	      /* runs to minimise and to confirm */
	/* With -p, what the properties are told from: of the first run, and of each in `found`. */
	const struct report *judged;
	size_t judged_count;
};

void explore_print_text(const struct explore_told *told);
void explore_print_json(const struct explore_told *told);

#endif

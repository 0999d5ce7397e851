/* What `sooth explore` says at its end, as text and as JSON. */
#ifndef PIPELINE_EXPLORE_PRINT_H
#define PIPELINE_EXPLORE_PRINT_H

#include "pipeline/explore_program.h"

struct explore_print {
	const struct explore_report *found;
	size_t found_count;
	const struct explore_program_doubt *doubts;
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

void explore_print_text(const struct explore_print *told);
void explore_print_json(const struct explore_print *told);

#endif

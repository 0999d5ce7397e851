/* The output of `sooth explore`, as text and as JSON. */
#ifndef CLI_EXPLORE_PRINT_H
#define CLI_EXPLORE_PRINT_H

#include "pipeline/explore_program.h"

/* `judged`: with -p, the reports that verdicts on properties come from. */
void explore_print_text(const struct explore_program *x, const struct report *judged, size_t count);
void explore_print_json(const struct explore_program *x, const struct report *judged, size_t count);

#endif

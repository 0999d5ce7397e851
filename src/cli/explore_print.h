/* Prints the result of `sooth explore`, as text and as JSON. */
#ifndef CLI_EXPLORE_PRINT_H
#define CLI_EXPLORE_PRINT_H

#include "pipeline/explore_program.h"

/* `judged`: the reports from which verdicts on properties are made; `count` is 0 without -p. */
void explore_print_text(const struct explore_program *x, const struct report *judged, size_t count);
void explore_print_json(const struct explore_program *x, const struct report *judged, size_t count);

/* Returns why the search is not complete; NULL: it is. */
const char *explore_incomplete(const struct explore_program *x);

#endif

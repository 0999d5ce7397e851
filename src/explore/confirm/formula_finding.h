/* A violation that src/monitor found, as the findings of a prediction are. */
#ifndef EXPLORE_CONFIRM_FORMULA_FINDING_H
#define EXPLORE_CONFIRM_FORMULA_FINDING_H

#include "monitor/observe/observe.h"
#include "predict/driver/finding.h"

/* Texts in it are the property set's. Freed with finding_free. */
struct finding formula_finding(const struct trace *trace, const struct observe_finding *found);

/*
 * Where the file of each property of the set is, for observe_options.directories: plug-ins are looked
 * for there.
 */
char **formula_directories(const struct property_set *set, struct spec_file *const *files,
			   size_t count);
void formula_directories_free(char **directories, const struct property_set *set);

#endif

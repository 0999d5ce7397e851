/* Converts a violation that src/monitor found to a finding as the prediction makes them. */
#ifndef EXPLORE_CONFIRM_FORMULA_FINDING_H
#define EXPLORE_CONFIRM_FORMULA_FINDING_H

#include "monitor/observe/observe.h"
#include "predict/driver/finding.h"

/* The texts in it belong to the property set. Free it with finding_free(). */
struct finding formula_finding(const struct trace *trace, const struct observe_finding *found);

/*
 * Returns, for each property of the set, the directory of its file: for
 * observe_options.directories, where plug-ins are searched.
 */
char **formula_directories(const struct property_set *set, struct spec_file *const *files,
			   size_t count);
void formula_directories_free(char **directories, const struct property_set *set);

#endif

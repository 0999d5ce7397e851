/*
 * Converts a violation that src/monitor found into a finding like those of the predictive analyses.
 */
#ifndef EXPLORE_CONFIRM_FORMULA_FINDING_H
#define EXPLORE_CONFIRM_FORMULA_FINDING_H

#include "monitor/observe/observe.h"
#include "predict/driver/finding.h"

/*
 * The finding's strings belong to the property set. The caller frees the finding with
 * finding_free().
 */
struct finding formula_finding(const struct trace *trace, const struct observe_finding *found);

/*
 * Returns, for each property of the set, the directory of its file: plug-ins of the property are
 * looked up in that directory (observe_options.directories).
 */
char **formula_directories(const struct property_set *set, struct spec_file *const *files,
			   size_t count);
void formula_directories_free(char **directories, const struct property_set *set);

#endif

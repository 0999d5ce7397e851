/* Checks of a property file that need only the file itself, after its names are resolved. */
#ifndef SPEC_CHECK_H
#define SPEC_CHECK_H

#include "spec/spec.h"

void check_file(const struct spec_file *file, struct spec_messages *messages);

/* Checks a formula of kind `pattern:`. */
void check_pattern(const struct spec_file *file, const struct spec_formula *formula,
		   struct spec_messages *messages);

#endif

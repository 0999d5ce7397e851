/* Checks a property file without knowledge of the program. Its names must have been resolved. */
#ifndef SPEC_CHECK_H
#define SPEC_CHECK_H

#include "spec/spec.h"

void check_file(const struct spec_file *file, struct spec_messages *messages);

/* Checks a `pattern:` formula. */
void check_pattern(const struct spec_file *file, const struct spec_formula *formula,
		   struct spec_messages *messages);

#endif

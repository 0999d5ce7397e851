/* What the parser did not expect, in the user's words. */
#ifndef SPEC_SYNTAX_H
#define SPEC_SYNTAX_H

#include "spec/build.h"

/* `token`: the parser's name of what stands at `span`; `expected`: of what might stand there. */
void syntax_complain(struct build *build, const struct span *span, const char *token,
		     const char *const *expected, size_t count);

#endif

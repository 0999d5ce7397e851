/* Turns the parser's syntax errors into messages. */
#ifndef SPEC_SYNTAX_H
#define SPEC_SYNTAX_H

#include "spec/build.h"

/*
 * Reports a syntax error. `token` is the parser's name for the unexpected token at `span`.
 * `expected` has the names of the tokens that are allowed there.
 */
void syntax_complain(struct build *build, const struct span *span, const char *token,
		     const char *const *expected, size_t count);

#endif

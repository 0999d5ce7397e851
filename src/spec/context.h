/* Which words are keywords where: between the lexer and the parser. */
#ifndef SPEC_CONTEXT_H
#define SPEC_CONTEXT_H

#include "spec/lexer.h"

/* What a token stands in. */
enum context_where {
	CONTEXT_TOP,
	CONTEXT_USE,
	CONTEXT_EXTERN,
	CONTEXT_HEADER, /* property NAME(…) up to its { */
	CONTEXT_BODY,	/* a statement starts */
	CONTEXT_EVENT,
	CONTEXT_TEMPORAL,
	CONTEXT_PATTERN,
	CONTEXT_ERE,
	CONTEXT_GRAMMAR_HEAD,
	CONTEXT_GRAMMAR,
	CONTEXT_VIOLATION,
	CONTEXT_OTHER, /* of a statement: no keywords */
};

struct context {
	struct lexer lexer;
	enum context_where where;
	unsigned depth;		 /* of parentheses in a statement */
	unsigned words;		 /* tokens of this statement so far */
	bool at_point;		 /* of an event: a point starts here */
	bool function;		 /* the next token is a function's glob */
	int last, previous;	 /* the last two tokens */
	struct span before, now; /* the last two: where something may be missing */
	struct lexer_token kept; /* behind a token that was missing */
	int kept_kind;
};

/* The next token for the parser. */
int context_next(struct context *context, struct lexer_token *token);

#endif

/*
 * Decides which words are keywords. It stands between the lexer and the parser: most keywords of
 * the language are keywords only in some kinds of statements, so that events and parameters may be
 * called `use`, `next` or `end`.
 */
#ifndef SPEC_CONTEXT_H
#define SPEC_CONTEXT_H

#include "spec/lexer.h"

/* The part of the file that the next token belongs to. */
enum context_where {
	CONTEXT_TOP,
	CONTEXT_USE,
	CONTEXT_EXTERN,
	CONTEXT_HEADER, /* property NAME(...) up to its { */
	CONTEXT_BODY,	/* at the start of a statement */
	CONTEXT_EVENT,
	CONTEXT_TEMPORAL,
	CONTEXT_PATTERN,
	CONTEXT_ERE,
	CONTEXT_GRAMMAR_HEAD,
	CONTEXT_GRAMMAR,
	CONTEXT_VIOLATION,
	CONTEXT_OTHER, /* in a statement without keywords */
};

struct context {
	struct lexer lexer;
	enum context_where where;
	unsigned depth;		 /* of parentheses in the statement */
	unsigned words;		 /* number of tokens in this statement so far */
	bool at_point;		 /* in an event: a point starts here */
	bool function;		 /* the next token is the glob of a function */
	int last, previous;	 /* the last two tokens */
	struct span before, now; /* their locations: where something may be missing */
	struct lexer_token kept; /* the token that follows an inserted, missing token */
	int kept_kind;
};

/* Reads the next token and returns its kind for the parser, 0 at the end of the file. */
int context_next(struct context *context, struct lexer_token *token);

#endif

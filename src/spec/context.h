/*
 * Decides which words are keywords. This code stands between the lexer and the parser. Most
 * keywords of the language are keywords only in some kinds of statements, so that events and
 * parameters may be called `use`, `next` or `end`.
 */
#ifndef SPEC_CONTEXT_H
#define SPEC_CONTEXT_H

#include "spec/lexer.h"

/* The kind of statement that the next token belongs to. */
enum context_where {
	CONTEXT_TOP,
	CONTEXT_USE,
	CONTEXT_EXTERN,
	CONTEXT_HEADER, /* in property NAME(...), up to the { */
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
	unsigned depth;	    /* number of open parentheses in this statement */
	unsigned words;	    /* number of tokens in this statement so far */
	bool at_point;	    /* in an event: the next token starts a point */
	bool function;	    /* the next token is the glob of a function */
	int last, previous; /* the last two tokens */
	/* locations of `previous` and `last`; a missing token is reported there */
	struct span before, now;
	/* the token read when a missing token was inserted; it is returned next */
	struct lexer_token kept;
	int kept_kind;
};

/* Reads the next token and returns its kind for the parser, 0 at the end of the file. */
int context_next(struct context *context, struct lexer_token *token);

#endif

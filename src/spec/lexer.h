/*
 * Tokens of a property file. lexer.l splits the text into words, numbers and signs; what a word
 * means depends on where it stands, which context.c knows: an event may be called `use`, `next` or
 * `end`, and only a formula's `next` is an operator.
 */
#ifndef SPEC_LEXER_H
#define SPEC_LEXER_H

#include "spec/span.h"

#include <stddef.h>

struct build;

/* What kind of text comes next. */
enum lexer_mode {
	LEXER_PLAIN,
	LEXER_FUNCTION,	   /* "library":glob, behind call, exec, return and probe */
	LEXER_BRACES,	   /* Lua up to the } that closes; its { has been read */
	LEXER_PARENTHESES, /* the same up to ) */
};

struct lexer_token {
	struct span span;
	const char
		*text;	 /* in the arena, ended by NUL: words, globs, Lua, strings without quotes */
	uint32_t length; /* of the text: a string may have NULs in it */
	int64_t number;
	double real;
};

/* Where a scanner is. The text is its own copy: flex writes into it. */
struct lexer {
	struct build *build;
	void *scanner;
	char *text;
	uint32_t offset, line, column;
	enum lexer_mode mode;
	struct span piece;	    /* what was matched last */
	unsigned depth, long_level; /* of Lua's brackets; of its [==[ */
	int before_long;	    /* flex's state around a long bracket or a comment */
};

void lexer_open(struct lexer *lexer, struct build *build, const char *text, size_t length);
void lexer_close(struct lexer *lexer);

/* The next token's kind as parser.y names them, 0 at the end; what is no token is complained of. */
int lexer_next(struct lexer *lexer, enum lexer_mode mode, struct lexer_token *token);

/* A number or a character as C writes it. Complains of what is none. */
int lexer_number(struct build *build, const struct span *span, const char *text, uint32_t length,
		 struct lexer_token *token);
void lexer_character(struct build *build, const struct span *span, const char *text,
		     uint32_t length, struct lexer_token *token);

/* What is between a string's quotes, escapes replaced. */
void lexer_string(struct build *build, const struct span *span, const char *text, uint32_t length,
		  struct lexer_token *token);

#endif

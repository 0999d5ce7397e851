/*
 * Tokens of a property file. lexer.l splits the text into words, numbers and signs. Whether a word
 * is a keyword depends on its context, which context.c tracks: an event may be called `use`, `next`
 * or `end`, and `next` is an operator only in a formula.
 */
#ifndef SPEC_LEXER_H
#define SPEC_LEXER_H

#include "spec/span.h"

#include <stddef.h>

struct build;

/* How to read the text that follows. */
enum lexer_mode {
	LEXER_PLAIN,
	LEXER_FUNCTION,	   /* "library":glob, after call, exec, return and probe */
	LEXER_BRACES,	   /* Lua up to the matching }; its { has been read */
	LEXER_PARENTHESES, /* Lua up to the matching ) */
};

struct lexer_token {
	struct span span;
	const char
		*text;	 /* in the arena, ended by NUL: words, globs, Lua, strings without quotes */
	uint32_t length; /* of the text; a string may contain NULs */
	int64_t number;
	double real;
};

/* The state of a scanner. It has its own copy of the text because flex writes into its buffer. */
struct lexer {
	struct build *build;
	void *scanner;
	char *text;
	uint32_t offset, line, column;
	enum lexer_mode mode;
	struct span piece;	    /* the last match */
	unsigned depth, long_level; /* of nested Lua brackets; of Lua's [==[ */
	int before_long;	    /* flex's start condition outside the long bracket or comment */
};

void lexer_open(struct lexer *lexer, struct build *build, const char *text, size_t length);
void lexer_close(struct lexer *lexer);

/*
 * Reads the next token and returns its kind as in parser.y, 0 at the end. Reports text that is not
 * a token.
 */
int lexer_next(struct lexer *lexer, enum lexer_mode mode, struct lexer_token *token);

/* Convert a number or character constant in C's notation. They report malformed constants. */
int lexer_number(struct build *build, const struct span *span, const char *text, uint32_t length,
		 struct lexer_token *token);
void lexer_character(struct build *build, const struct span *span, const char *text,
		     uint32_t length, struct lexer_token *token);

/* Converts the text between a string's quotes: replaces the escapes. */
void lexer_string(struct build *build, const struct span *span, const char *text, uint32_t length,
		  struct lexer_token *token);

#endif

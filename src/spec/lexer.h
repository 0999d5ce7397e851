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

/* How to read the text after the last token. */
enum lexer_mode {
	LEXER_PLAIN,
	LEXER_FUNCTION,	   /* after call, exec, return and probe: "library":glob */
	LEXER_BRACES,	   /* Lua up to the matching }; its { has been read */
	LEXER_PARENTHESES, /* Lua up to the matching ) */
};

struct lexer_token {
	struct span span;
	const char
		/*
		 * the text of words, globs, Lua code, and strings without their quotes; in the
		 * arena, ends in NUL
		 */
		*text;
	uint32_t length; /* bytes of the text; a string may contain NULs */
	int64_t number;
	double real;
};

/*
 * The state of a scanner. It has its own copy of the text, because flex writes into the buffer it
 * reads.
 */
struct lexer {
	struct build *build;
	void *scanner;
	char *text;
	uint32_t offset, line, column;
	enum lexer_mode mode;
	struct span piece;	    /* the text of the last match */
	unsigned depth, long_level; /* depth of nested Lua brackets; number of = in Lua's [==[ */
	int before_long;	    /* flex's start condition before the long bracket or comment */
};

void lexer_open(struct lexer *lexer, struct build *build, const char *text, size_t length);
void lexer_close(struct lexer *lexer);

/*
 * Reads the next token and returns its kind as in parser.y, 0 at the end. Reports text that is not
 * a token.
 */
int lexer_next(struct lexer *lexer, enum lexer_mode mode, struct lexer_token *token);

/*
 * These convert a number or a character constant in C's notation, and report malformed constants.
 */
int lexer_number(struct build *build, const struct span *span, const char *text, uint32_t length,
		 struct lexer_token *token);
void lexer_character(struct build *build, const struct span *span, const char *text,
		     uint32_t length, struct lexer_token *token);

/* Converts the text between the quotes of a string: replaces the escape sequences. */
void lexer_string(struct build *build, const struct span *span, const char *text, uint32_t length,
		  struct lexer_token *token);

#endif

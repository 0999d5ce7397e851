/*
 * Conditions: C expressions with additions from Lua (doc/grammars.md, "assert"). condition_token.c
 * splits the text into tokens, condition.c parses the tokens into a tree, and condition_lua.c
 * writes the tree as a Lua expression.
 */
#ifndef SCRIPT_CONDITION_H
#define SCRIPT_CONDITION_H

#include "base/arena.h"
#include "script/script_internal.h"

enum condition_token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER, /* includes character constants */
	TOKEN_TEXT,
	/* the kind of a one-character sign is that character */
	TOKEN_EQUAL = 256,
	TOKEN_UNEQUAL, /* != ~= */
	TOKEN_LESS_EQUAL,
	TOKEN_GREATER_EQUAL,
	TOKEN_LEFT,
	TOKEN_RIGHT,
	TOKEN_AND_AND, /* && */
	TOKEN_OR_OR,
	TOKEN_ARROW,
	TOKEN_CONCAT, /* .. */
	TOKEN_FLOOR,  /* // */
	/* keywords */
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_NIL,
	TOKEN_TRUE,
	TOKEN_FALSE,
};

struct condition_token {
	uint16_t kind;
	uint32_t line; /* from 0 */
	size_t at, length;
	/* set for NUMBER */
	bool is_real;
	int64_t integer;
	double real;
	/* TEXT: the string with its escapes resolved, in the arena. NAME: the name as written */
	const char *text;
	size_t text_length;
};

struct condition_reader {
	const char *text;
	size_t at;
	uint32_t line;
	struct arena *arena;
	struct err *err;
};

/* Reads a token. Returns false on an error: `at` of the reader is then the offset of the error. */
bool condition_read(struct condition_reader *reader, struct condition_token *token);

/* ---- trees ----------------------------------------------------------------------------------- */

enum condition_kind {
	CONDITION_LEAF,	  /* `token` */
	CONDITION_UNARY,  /* `token` is one of - + ~ ! not # */
	CONDITION_BINARY, /* includes && || and or */
	CONDITION_CHOICE, /* a ? b : c */
	CONDITION_PARENTHESES,
	CONDITION_FIELD,  /* a.name */
	CONDITION_INDEX,  /* a[b] */
	CONDITION_CALL,	  /* a(b, b->next, …) */
	CONDITION_METHOD, /* a:name(b, …) */
	/* { items from b on }; an item's key is its `c`, or its `token` if it is `named` */
	CONDITION_TABLE,
};

struct condition {
	uint8_t kind;
	uint16_t height;
	struct condition_token token; /* the operator, the leaf's token, or the name */
	struct condition *a, *b, *c;
	struct condition *next; /* next item or argument in a list */
	bool named;		/* table item: name = value */
};

/*
 * Returns the precedence in C of a binary operator: the lowest is 1. Returns 0 if the token is not
 * a binary operator.
 */
unsigned condition_precedence(uint16_t kind);

/* Appends the condition to `out` as a Lua expression whose value is true or false. */
void condition_write(const struct condition *condition, script_buffer *out);

#endif

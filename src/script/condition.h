/*
 * Conditions: C expressions with additions from Lua (doc/grammars.md, "assert"). condition_token.c
 * splits the text into tokens, condition.c parses them to a tree, and condition_lua.c writes the
 * tree as a Lua expression.
 */
#ifndef SCRIPT_CONDITION_H
#define SCRIPT_CONDITION_H

#include "base/arena.h"
#include "script/script_internal.h"

enum condition_token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER, /* also character constants */
	TOKEN_TEXT,
	/* a sign of one character is that character */
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
	/* of NUMBER */
	bool is_real;
	int64_t integer;
	double real;
	/* of TEXT: with escapes resolved, in the arena; of NAME: as written */
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

/* Reads a token. Returns false on an error, whose offset is then the reader's `at`. */
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
	CONDITION_TABLE,  /* { b, … }; the key of an item is its `c`, or its `token` if `named` */
};

struct condition {
	uint8_t kind;
	uint16_t height;
	struct condition_token token; /* operator, leaf or name */
	struct condition *a, *b, *c;
	struct condition *next; /* in a list */
	bool named;		/* table item: name = value */
};

/* How tightly a binary operator binds in C, from 1; 0 if the token is not one. */
unsigned condition_precedence(uint16_t kind);

/* Appends the condition to `out` as a Lua expression whose value is true or false. */
void condition_write(const struct condition *condition, script_buffer *out);

#endif

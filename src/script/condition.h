/*
 * Conditions: expressions of C with what Lua may add (doc/grammars.md, "assert"). condition_token.c
 * reads them, condition.c makes a tree, condition_lua.c writes it down as Lua.
 */
#ifndef SCRIPT_CONDITION_H
#define SCRIPT_CONDITION_H

#include "base/arena.h"
#include "script/script_internal.h"

enum condition_token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER, /* characters too */
	TOKEN_TEXT,
	/* signs of one character are that character */
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
	/* words */
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
	/* NUMBER */
	bool is_real;
	int64_t integer;
	double real;
	/* TEXT: with its escapes resolved, in the arena; NAME: as it is */
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

/* The next token. False: `err`, and the reader's `at` is the byte. */
bool condition_read(struct condition_reader *reader, struct condition_token *token);

/* ---- trees ---------------------------------------------------------------------------------- */

enum condition_kind {
	CONDITION_LEAF,	  /* `token` */
	CONDITION_UNARY,  /* - + ~ ! not #, `token` */
	CONDITION_BINARY, /* && || and or too */
	CONDITION_CHOICE, /* a ? b : c */
	CONDITION_PARENTHESES,
	CONDITION_FIELD,  /* a.name */
	CONDITION_INDEX,  /* a[b] */
	CONDITION_CALL,	  /* a(b, b->next, …) */
	CONDITION_METHOD, /* a:name(b, …) */
	CONDITION_TABLE, /* { b, … }; an item's key is its `c`, or its `token` if it has a name */
};

struct condition {
	uint8_t kind;
	uint16_t height;
	struct condition_token token; /* operator, leaf, name */
	struct condition *a, *b, *c;
	struct condition *next; /* of a list */
	bool named;		/* item of a table: name = value */
};

/* Appends the condition as Lua. */
void condition_write(const struct condition *condition, script_key_text *out);

#endif

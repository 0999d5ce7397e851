/*
 * Parses a condition into a tree. C's operators have C's precedence. Lua's operators are accepted
 * as well: `and`, `or` and `not` bind like &&, || and !. `..` has no counterpart in C and binds as
 * in Lua, between shifts and sums.
 */
#include "script/condition.h"
#include "script/lexeme.h"
#include "base/mem.h"

#include <stdlib.h>

/*
 * Maximum nesting. Lua allows 200 levels, and the Lua expression nests a few levels deeper than the
 * tree.
 */
#define MAX_DEPTH 60u
#define MAX_HEIGHT 1000u

struct condition_parser {
	struct condition_reader reader;
	struct condition_token token; /* the next token */
	unsigned depth;
	bool colon_ends; /* between ? and :, where a colon does not start a method call */
	bool failed;
	size_t failed_at;
};

/* ---- errors and tokens ----------------------------------------------------------------------- */

static struct condition *fail_at(struct condition_parser *p, size_t at)
{
	if (!p->failed) {
		p->failed = true;
		p->failed_at = at;
	}
	return NULL;
}

/* FAIL(p, offset, format, …) reports an error and returns NULL. Only the first error is kept. */
#define FAIL(p, offset, ...)                                                                       \
	((p)->failed ? NULL : (err_set((p)->reader.err, __VA_ARGS__), fail_at((p), (offset))))

static void advance(struct condition_parser *p)
{
	if (p->failed || condition_read(&p->reader, &p->token))
		return;
	fail_at(p, p->reader.at);
	p->token = (struct condition_token){ .kind = TOKEN_END, .at = p->reader.at };
}

static bool is_c_type(const char *name)
{
	static const char *const words[] = {
		"char",	   "short",   "int",	  "long",     "unsigned", "signed",   "float",
		"double",  "void",    "struct",	  "union",    "enum",	  "const",    "volatile",
		"bool",	   "_Bool",   "size_t",	  "ssize_t",  "int8_t",	  "int16_t",  "int32_t",
		"int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "intptr_t", "uintptr_t"
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i], name))
			return true;
	return false;
}

static struct condition *fail_dereference(struct condition_parser *p,
					  const struct condition_token *token)
{
	return FAIL(p, token->at,
		    "'%.*s': pointers cannot be used here; attributes are values captured at the "
		    "event",
		    (int)token->length, p->reader.text + token->at);
}

/* Reports that `wanted` was expected instead of the next token. */
static struct condition *fail_token(struct condition_parser *p, const char *wanted)
{
	const struct condition_token *t = &p->token;
	int length = t->length < 40 ? (int)t->length : 40;

	switch (t->kind) {
	case TOKEN_END: return FAIL(p, t->at, "expected %s at the end", wanted);
	case TOKEN_ARROW: return fail_dereference(p, t);
	case '=': return FAIL(p, t->at, "'=' is an assignment; use == to compare");
	default:
		return FAIL(p, t->at, "expected %s before '%.*s'", wanted, length,
			    p->reader.text + t->at);
	}
}

static bool accept_token(struct condition_parser *p, uint16_t kind)
{
	if (p->failed || p->token.kind != kind)
		return false;
	advance(p);
	return true;
}

static bool expect_token(struct condition_parser *p, uint16_t kind, const char *wanted)
{
	if (!p->failed && p->token.kind != kind)
		fail_token(p, wanted);
	return accept_token(p, kind);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint16_t height_of(const struct condition *of)
{
	return of ? of->height : 0;
}

static struct condition *make_node(struct condition_parser *p, enum condition_kind kind,
				   const struct condition_token *token, struct condition *a,
				   struct condition *b)
{
	struct condition *made = arena_alloc(p->reader.arena, sizeof *made);
	uint16_t height = height_of(a) > height_of(b) ? height_of(a) : height_of(b);

	*made = (struct condition){
		.kind = (uint8_t)kind, .token = *token, .a = a, .b = b, .height = height + 1
	};
	if (made->height > MAX_HEIGHT)
		FAIL(p, token->at, "the condition is too long: compute parts of it in an action");
	return made;
}

/* Enters a nested construct. Returns false if the nesting is too deep. */
static bool enter_nesting(struct condition_parser *p)
{
	if (p->depth >= MAX_DEPTH)
		FAIL(p, p->token.at, "the condition is nested too deeply");
	else
		p->depth++;
	return !p->failed;
}

static struct condition *parse_choice(struct condition_parser *p);

/* Parses an expression inside brackets of any kind. */
static struct condition *parse_inner(struct condition_parser *p)
{
	struct condition *made;
	bool colon_ends = p->colon_ends;

	if (!enter_nesting(p))
		return NULL;
	p->colon_ends = false;
	made = parse_choice(p);
	p->colon_ends = colon_ends;
	p->depth--;
	return made;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Parses an item of a table: value, name = value, or [key] = value. */
static struct condition *parse_item(struct condition_parser *p)
{
	struct condition_token token = p->token;
	struct condition *item, *key = NULL;
	struct condition_reader before = p->reader;

	if (token.kind == TOKEN_NAME) {
		advance(p);
		if (accept_token(p, '=')) {
			item = make_node(p, CONDITION_PARENTHESES, &token, parse_inner(p), NULL);
			item->named = true;
			return item;
		}
		if (!p->failed) { /* the name starts a value: go back and parse the value */
			p->reader = before;
			p->token = token;
		}
	} else if (accept_token(p, '[')) {
		key = parse_inner(p);
		if (!expect_token(p, ']', "']'") || !expect_token(p, '=', "'='"))
			return NULL;
	}
	item = make_node(p, CONDITION_PARENTHESES, &token, parse_inner(p), key);
	item->c = key;
	return item;
}

/*
 * Parses items up to the closing bracket `close`. They are items of a table if `fields` is set,
 * otherwise arguments.
 */
static struct condition *parse_list(struct condition_parser *p, uint16_t close, bool fields,
				    uint16_t *height)
{
	struct condition *first = NULL, **next = &first;

	while (!p->failed && p->token.kind != close) {
		struct condition *item = fields ? parse_item(p) : NULL;

		if (!fields) {
			struct condition_token token = p->token;

			item = make_node(p, CONDITION_PARENTHESES, &token, parse_inner(p), NULL);
		}
		if (!item || p->failed)
			return NULL;
		*next = item;
		next = &item->next;
		*height = item->height > *height ? item->height : *height;
		if (!accept_token(p, ',') && !(fields && accept_token(p, ';')))
			break;
		if (!fields && p->token.kind == close)
			fail_token(p, "a value");
	}
	expect_token(p, close, close == ')' ? "')' or ','" : "'}' or ','");
	return first;
}

static struct condition *make_node_with_list(struct condition_parser *p, enum condition_kind kind,
					     const struct condition_token *token,
					     struct condition *a, uint16_t close)
{
	uint16_t height = 0;
	struct condition *list = parse_list(p, close, close == '}', &height);
	struct condition *made = make_node(p, kind, token, a, NULL);

	made->b = list;
	if (height >= made->height)
		made->height = height + 1;
	return made;
}

static struct condition *parse_table(struct condition_parser *p)
{
	struct condition_token token = p->token;

	advance(p);
	return make_node_with_list(p, CONDITION_TABLE, &token, NULL, '}');
}

/* Parses the arguments of a call: (…), or one string or table without parentheses as in Lua. */
static struct condition *parse_arguments(struct condition_parser *p, enum condition_kind kind,
					 const struct condition_token *token, struct condition *of)
{
	struct condition *made, *only;
	struct condition_token at = p->token;

	if (accept_token(p, '('))
		return make_node_with_list(p, kind, token, of, ')');
	if (p->token.kind == '{') {
		only = parse_table(p);
	} else if (p->token.kind == TOKEN_TEXT) {
		only = make_node(p, CONDITION_LEAF, &at, NULL, NULL);
		advance(p);
	} else {
		return fail_token(p, "'('");
	}
	only = make_node(p, CONDITION_PARENTHESES, &at, only, NULL);
	made = make_node(p, kind, token, of, only);
	return made;
}

static bool expect_name(struct condition_parser *p, struct condition_token *name)
{
	/*
	 * A keyword such as `end` or `and` may be the name of a field: it is written to Lua as a
	 * string key.
	 */
	bool is_name = p->token.text && p->token.kind != TOKEN_TEXT;

	*name = p->token;
	if (!is_name) {
		fail_token(p, "a name");
		return false;
	}
	advance(p);
	return true;
}

static bool is_callable(const struct condition *c)
{
	return c->kind == CONDITION_PARENTHESES || c->kind == CONDITION_FIELD ||
	       c->kind == CONDITION_INDEX || c->kind == CONDITION_CALL ||
	       c->kind == CONDITION_METHOD ||
	       (c->kind == CONDITION_LEAF && c->token.kind == TOKEN_NAME);
}

/* Parses any number of suffixes: .name, [index], :name(…), (…), "…", { … } */
static struct condition *parse_suffixes(struct condition_parser *p, struct condition *of)
{
	while (of && !p->failed) {
		struct condition_token sign = p->token, name;

		if (accept_token(p, '.')) {
			if (expect_name(p, &name))
				of = make_node(p, CONDITION_FIELD, &name, of, NULL);
		} else if (accept_token(p, '[')) {
			of = make_node(p, CONDITION_INDEX, &sign, of, parse_inner(p));
			expect_token(p, ']', "']'");
		} else if (sign.kind == ':' && !p->colon_ends) {
			advance(p);
			if (expect_name(p, &name) && script_is_keyword(name.text))
				FAIL(p, name.at,
				     "'%s' is a Lua keyword and cannot be a method name",
				     name.text);
			if (!p->failed)
				of = parse_arguments(p, CONDITION_METHOD, &name, of);
		} else if (is_callable(of) &&
			   (sign.kind == '(' || sign.kind == '{' || sign.kind == TOKEN_TEXT)) {
			of = parse_arguments(p, CONDITION_CALL, &sign, of);
		} else if (sign.kind == TOKEN_ARROW) {
			return fail_dereference(p, &sign);
		} else {
			break;
		}
	}
	return p->failed ? NULL : of;
}

/* Parses an expression in parentheses. Rejects casts: (int)x and (T)x. */
static struct condition *parse_parentheses(struct condition_parser *p)
{
	struct condition_token token = p->token;
	struct condition *inner, *made;

	advance(p);
	if (p->token.kind == TOKEN_NAME && is_c_type(p->token.text))
		return FAIL(p, token.at,
			    "casts are not supported: captured values have no C types");
	inner = parse_inner(p);
	if (!expect_token(p, ')', "')'") || !inner)
		return NULL;
	made = make_node(p, CONDITION_PARENTHESES, &token, inner, NULL);
	if (inner->kind == CONDITION_LEAF && inner->token.kind == TOKEN_NAME &&
	    (p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_NUMBER))
		return FAIL(p, token.at,
			    "casts are not supported: captured values have no C types");
	return parse_suffixes(p, made);
}

static struct condition *parse_name(struct condition_parser *p)
{
	struct condition_token token = p->token;

	if (!strcmp(token.text, "sizeof") || is_c_type(token.text))
		return FAIL(p, token.at, "'%s' is not supported: captured values have no C types",
			    token.text);
	if (!strcmp(token.text, "function"))
		return FAIL(p, token.at, "functions cannot be defined here, only in an action");
	if (script_is_keyword(token.text))
		return FAIL(p, token.at,
			    "'%s' is a Lua keyword and cannot be used as a name: give it "
			    "a label",
			    token.text);
	advance(p);
	if (!strcmp(token.text, "NULL") || !strcmp(token.text, "nullptr"))
		token.kind = TOKEN_NUMBER;
	return parse_suffixes(p, make_node(p, CONDITION_LEAF, &token, NULL, NULL));
}

static struct condition *parse_operand(struct condition_parser *p)
{
	struct condition_token token = p->token;

	switch (token.kind) {
	case '(': return parse_parentheses(p);
	case '{': return parse_suffixes(p, parse_table(p));
	case TOKEN_NAME: return parse_name(p);
	case TOKEN_NUMBER:
	case TOKEN_TEXT:
	case TOKEN_NIL:
	case TOKEN_TRUE:
	case TOKEN_FALSE:
		advance(p);
		return parse_suffixes(p, make_node(p, CONDITION_LEAF, &token, NULL, NULL));
	default: return fail_token(p, "a value");
	}
}

/* ---- operators ------------------------------------------------------------------------------- */

static struct condition *parse_unary(struct condition_parser *p)
{
	struct condition_token token = p->token;
	struct condition *of;

	switch (token.kind) {
	case '*':
	case '&':
	case TOKEN_AND_AND: return fail_dereference(p, &token);
	case '-':
	case '+':
	case '~':
	case '!':
	case '#':
	case TOKEN_NOT: break;
	default: return parse_operand(p);
	}
	if (!enter_nesting(p))
		return NULL;
	advance(p);
	of = parse_unary(p);
	p->depth--;
	return of ? make_node(p, CONDITION_UNARY, &token, of, NULL) : NULL;
}

static struct condition *parse_binary(struct condition_parser *p, unsigned level)
{
	struct condition *left = parse_unary(p);

	while (left && !p->failed && condition_precedence(p->token.kind) >= level) {
		struct condition_token sign = p->token;
		struct condition *right;

		advance(p);
		right = parse_binary(p, condition_precedence(sign.kind) + 1);
		left = right ? make_node(p, CONDITION_BINARY, &sign, left, right) : NULL;
	}
	return p->failed ? NULL : left;
}

static struct condition *parse_choice(struct condition_parser *p)
{
	struct condition *of = parse_binary(p, 1), *made;
	struct condition_token sign = p->token;
	bool colon_ends = p->colon_ends;

	if (!of || !accept_token(p, '?') || !enter_nesting(p))
		return p->failed ? NULL : of;
	p->colon_ends = true;
	made = make_node(p, CONDITION_CHOICE, &sign, of, parse_choice(p));
	p->colon_ends = colon_ends;
	expect_token(p, ':', "':'");
	made->c = parse_choice(p);
	p->depth--;
	if (height_of(made->c) >= made->height)
		made->height = height_of(made->c) + 1;
	return p->failed ? NULL : made;
}

char *script_translate_condition(const char *text, size_t *at, struct err *err)
{
	struct arena arena = { 0 };
	struct condition_parser p = { .reader = { .text = text, .arena = &arena, .err = err } };
	struct condition *made;
	script_buffer out = { 0 };

	advance(&p);
	made = p.failed ? NULL : parse_choice(&p);
	if (made && p.token.kind != TOKEN_END)
		fail_token(&p, "an operator");
	if (p.failed) {
		*at = p.failed_at;
	} else {
		condition_write(made, &out);
		*vec_push(&out) = 0;
	}
	arena_free(&arena);
	return out.items;
}

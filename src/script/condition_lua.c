/*
 * Writes a condition as a Lua expression. C and Lua differ in these points:
 *
 *	truth	0 is false in C, but true in Lua. Where a truth value is needed (the whole
 *		condition, operands of && || !, the condition of ?:), a value v is written as
 *		(v or 0) ~= 0, which evaluates v once. In such places `and` and `or` mean && and
 *		||. Where a value is needed they keep Lua's meaning, so that (n or 0) + 1 works.
 *	numbers	A comparison is 0 or 1 in sums and in comparisons with numbers. C's / and % and
 *		shifts are functions in the library.
 *	?:	Lua's `c and x or y` gives the wrong result if c holds and x is false or nil. If
 *		x may be false or nil, an expression of the form ({…})[1] is written instead.
 *
 * Line breaks are kept, so that the line numbers in Lua's errors are right.
 */
#include "script/condition.h"
#include "script/lexeme.h"

#include <inttypes.h>
#include <stdio.h>

/* Lua's operators by precedence, from loose to tight. */
enum lua_level {
	ANY,
	OR,
	AND,
	COMPARE,
	BIT_OR,
	BIT_XOR,
	BIT_AND,
	CONCAT,
	SUM,
	PRODUCT,
	UNARY,
	LITERAL, /* a literal, which Lua requires in parentheses before a suffix */
	PREFIX,
};

/* What is known about the value of an expression. */
enum value_type {
	VALUE,
	SOLID, /* neither nil nor false, and not a truth value */
	TRUTH, /* true or false */
};

struct lua_writer {
	script_buffer *out;
	uint32_t line;
};

typedef void write_operand(struct lua_writer *w, const struct condition *c, enum lua_level level);

/* Each of these writes an expression that binds at least as tightly as `level`. */
static write_operand write_value, write_truth, write_as_number;

/* ---- binary operators ------------------------------------------------------------------------ */

static const struct binary_operator {
	uint16_t kind;
	uint8_t precedence;   /* precedence in C; 1 is the lowest */
	uint8_t level;	      /* precedence in Lua; PREFIX if a library function is called */
	const char *lua;      /* the operator with spaces, or the library function */
	write_operand *write; /* writes each of the operands */
	uint8_t type;	      /* type of the result; VALUE: the common type of the operands */
} operators[] = {
	{ TOKEN_OR_OR, 1, OR, " or ", write_truth, TRUTH },
	{ TOKEN_OR, 1, OR, " or ", write_value, VALUE },
	{ TOKEN_AND_AND, 2, AND, " and ", write_truth, TRUTH },
	{ TOKEN_AND, 2, AND, " and ", write_value, VALUE },
	{ '|', 3, BIT_OR, " | ", write_as_number, SOLID },
	{ '^', 4, BIT_XOR, " ~ ", write_as_number, SOLID },
	{ '~', 4, BIT_XOR, " ~ ", write_as_number, SOLID },
	{ '&', 5, BIT_AND, " & ", write_as_number, SOLID },
	{ TOKEN_EQUAL, 6, COMPARE, " == ", write_value, TRUTH }, /* see write_equality() */
	{ TOKEN_UNEQUAL, 6, COMPARE, " ~= ", write_value, TRUTH },
	{ '<', 7, COMPARE, " < ", write_as_number, TRUTH },
	{ '>', 7, COMPARE, " > ", write_as_number, TRUTH },
	{ TOKEN_LESS_EQUAL, 7, COMPARE, " <= ", write_as_number, TRUTH },
	{ TOKEN_GREATER_EQUAL, 7, COMPARE, " >= ", write_as_number, TRUTH },
	{ TOKEN_LEFT, 8, PREFIX, "__c_left", write_as_number, SOLID },
	{ TOKEN_RIGHT, 8, PREFIX, "__c_right", write_as_number, SOLID },
	{ TOKEN_CONCAT, 9, CONCAT, " .. ", write_value, SOLID }, /* associative */
	{ '+', 10, SUM, " + ", write_as_number, SOLID },
	{ '-', 10, SUM, " - ", write_as_number, SOLID },
	{ '*', 11, PRODUCT, " * ", write_as_number, SOLID },
	{ '/', 11, PREFIX, "__c_divide", write_as_number, SOLID },
	{ '%', 11, PREFIX, "__c_remainder", write_as_number, SOLID },
	{ TOKEN_FLOOR, 11, PRODUCT, " // ", write_as_number, SOLID },
};

static const struct binary_operator *find_operator(uint16_t kind)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (operators[i].kind == kind)
			return &operators[i];
	return NULL;
}

unsigned condition_precedence(uint16_t kind)
{
	const struct binary_operator *found = find_operator(kind);

	return found ? found->precedence : 0;
}

static void write_raw(struct lua_writer *w, const char *text)
{
	script_append(w->out, text);
}

/* Writes newlines until the output has reached the token's line. */
static void write_newlines_before(struct lua_writer *w, const struct condition_token *token)
{
	for (; w->line < token->line; w->line++)
		write_raw(w, "\n");
}

/* ---- types ----------------------------------------------------------------------------------- */

static enum value_type type_of(const struct condition *c);

static enum value_type common_type(const struct condition *a, const struct condition *b)
{
	enum value_type type = type_of(a);

	return type == type_of(b) ? type : VALUE;
}

static enum value_type type_of_binary(const struct condition *c)
{
	enum value_type type = (enum value_type)find_operator(c->token.kind)->type;

	return type == VALUE ? common_type(c->a, c->b) : type;
}

static enum value_type type_of(const struct condition *c)
{
	switch ((enum condition_kind)c->kind) {
	case CONDITION_LEAF:
		return c->token.kind == TOKEN_TRUE || c->token.kind == TOKEN_FALSE    ? TRUTH
		       : c->token.kind == TOKEN_NUMBER || c->token.kind == TOKEN_TEXT ? SOLID
										      : VALUE;
	case CONDITION_UNARY:
		return c->token.kind == '!' || c->token.kind == TOKEN_NOT ? TRUTH : SOLID;
	case CONDITION_BINARY: return type_of_binary(c);
	case CONDITION_CHOICE: return common_type(c->b, c->c);
	case CONDITION_PARENTHESES: return type_of(c->a);
	case CONDITION_TABLE: return SOLID;
	default: return VALUE;
	}
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static void write_number(struct lua_writer *w, const struct condition_token *token)
{
	char text[64];

	if (token->is_real) {
		snprintf(text, sizeof text, "%.17g", token->real);
		write_raw(w, text);
		if (!strpbrk(text, ".en")) /* otherwise Lua would read an integer */
			write_raw(w, ".0");
		return;
	}
	/*
	 * Negative integers are written in hexadecimal: Lua reads -9223372036854775808 as a float,
	 * but its hexadecimal integers wrap around.
	 */
	snprintf(text, sizeof text, token->integer < 0 ? "0x%" PRIx64 : "%" PRIu64,
		 (uint64_t)token->integer);
	write_raw(w, text);
}

static void write_string(struct lua_writer *w, const char *text, size_t length)
{
	write_raw(w, "\"");
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		char piece[8];

		if (c < 32 || c == 127 || c == '"' || c == '\\')
			snprintf(piece, sizeof piece, "\\%03u", c);
		else
			snprintf(piece, sizeof piece, "%c", c);
		write_raw(w, piece);
	}
	write_raw(w, "\"");
}

static void write_leaf(struct lua_writer *w, const struct condition_token *token)
{
	switch (token->kind) {
	case TOKEN_NUMBER: write_number(w, token); break;
	case TOKEN_TEXT: write_string(w, token->text, token->text_length); break;
	default: script_append_bytes(w->out, token->text, token->text_length);
	}
}

/* ---- operators ------------------------------------------------------------------------------- */

/*
 * Writes a parenthesis if an expression of precedence `has` stands where at least `level` is
 * required.
 */
static void open_parenthesis(struct lua_writer *w, enum lua_level has, enum lua_level level)
{
	if (has < level)
		write_raw(w, "(");
}

static void close_parenthesis(struct lua_writer *w, enum lua_level has, enum lua_level level)
{
	if (has < level)
		write_raw(w, ")");
}

/* Writes an operand of arithmetic, where the truth values are 0 and 1. */
static void write_as_number(struct lua_writer *w, const struct condition *c, enum lua_level level)
{
	if (type_of(c) != TRUTH) {
		write_value(w, c, level);
		return;
	}
	write_raw(w, "(");
	write_truth(w, c, AND);
	write_raw(w, " and 1 or 0)");
}

static void write_call(struct lua_writer *w, const char *name, const struct condition *c,
		       write_operand *write)
{
	write_raw(w, name);
	write_raw(w, "(");
	write(w, c->a, ANY);
	write_raw(w, ", ");
	write(w, c->b, ANY);
	write_raw(w, ")");
}

static void write_infix(struct lua_writer *w, const struct condition *c, const char *sign,
			enum lua_level has, enum lua_level level, write_operand *write)
{
	open_parenthesis(w, has, level);
	write(w, c->a, has);
	write_raw(w, sign);
	write(w, c->b, (enum lua_level)(has + 1));
	close_parenthesis(w, has, level);
}

/*
 * Writes == or != between a truth value, which counts as 0 or 1, and another type. For all other
 * operands Lua's own operators suffice.
 */
static void write_equality(struct lua_writer *w, const struct condition *c, enum lua_level level)
{
	bool equal = c->token.kind == TOKEN_EQUAL;

	open_parenthesis(w, equal ? PREFIX : UNARY, level);
	write_raw(w, equal ? "" : "not ");
	write_call(w, "__c_equal", c, write_value);
	close_parenthesis(w, equal ? PREFIX : UNARY, level);
}

static void write_binary(struct lua_writer *w, const struct condition *c, enum lua_level level)
{
	const struct binary_operator *op = find_operator(c->token.kind);
	bool is_equality = op->kind == TOKEN_EQUAL || op->kind == TOKEN_UNEQUAL;

	if (is_equality && (type_of(c->a) == TRUTH) != (type_of(c->b) == TRUTH))
		write_equality(w, c, level);
	else if (op->level == PREFIX)
		write_call(w, op->lua, c, op->write);
	else
		write_infix(w, c, op->lua, (enum lua_level)op->level, level, op->write);
}

/*
 * Writes a unary operator and its operand. A sign is followed by a space, because -- would start a
 * comment.
 */
static void write_unary(struct lua_writer *w, const struct condition *c, enum lua_level level)
{
	switch (c->token.kind) {
	case '+': write_as_number(w, c->a, level); return;
	case '!':
	case TOKEN_NOT:
		open_parenthesis(w, UNARY, level);
		write_raw(w, "not ");
		write_truth(w, c->a, UNARY);
		break;
	case '#':
		open_parenthesis(w, UNARY, level);
		write_raw(w, "# ");
		write_value(w, c->a, UNARY);
		break;
	default:
		open_parenthesis(w, UNARY, level);
		write_raw(w, c->token.kind == '-' ? "- " : "~ ");
		write_as_number(w, c->a, UNARY);
	}
	close_parenthesis(w, UNARY, level);
}

static void write_choice(struct lua_writer *w, const struct condition *c, enum lua_level level)
{
	bool solid = type_of(c->b) == SOLID;

	open_parenthesis(w, solid ? OR : PREFIX, level);
	write_raw(w, solid ? "" : "(");
	write_truth(w, c->a, AND);
	write_raw(w, solid ? " and " : " and {");
	write_value(w, c->b, solid ? COMPARE : ANY);
	write_raw(w, solid ? " or " : "} or {");
	write_value(w, c->c, solid ? AND : ANY);
	write_raw(w, solid ? "" : "})[1]");
	close_parenthesis(w, solid ? OR : PREFIX, level);
}

/* ---- Lua's additions to C -------------------------------------------------------------------- */

static void write_items(struct lua_writer *w, const struct condition *list)
{
	for (; list; list = list->next) {
		if (list->named) {
			write_raw(w, "[");
			write_string(w, list->token.text, list->token.text_length);
			write_raw(w, "] = ");
		} else if (list->c) {
			write_raw(w, "[");
			write_value(w, list->c, ANY);
			write_raw(w, "] = ");
		}
		write_value(w, list->a, ANY);
		write_raw(w, list->next ? ", " : "");
	}
}

static void write_suffix(struct lua_writer *w, const struct condition *c)
{
	write_value(w, c->a, PREFIX);
	write_newlines_before(w, &c->token);
	switch ((enum condition_kind)c->kind) {
	case CONDITION_FIELD:
		write_raw(w, script_is_keyword(c->token.text) ? "[\"" : ".");
		write_raw(w, c->token.text);
		write_raw(w, script_is_keyword(c->token.text) ? "\"]" : "");
		return;
	case CONDITION_INDEX:
		write_raw(w, "[");
		write_value(w, c->b, ANY);
		write_raw(w, "]");
		return;
	case CONDITION_METHOD:
		write_raw(w, ":");
		write_raw(w, c->token.text);
		break;
	default: break;
	}
	write_raw(w, "(");
	write_items(w, c->b);
	write_raw(w, ")");
}

static void write_value(struct lua_writer *w, const struct condition *c, enum lua_level level)
{
	switch ((enum condition_kind)c->kind) {
	case CONDITION_LEAF: {
		enum lua_level has = c->token.kind == TOKEN_NAME ? PREFIX : LITERAL;

		open_parenthesis(w, has, level);
		write_newlines_before(w, &c->token);
		write_leaf(w, &c->token);
		close_parenthesis(w, has, level);
		break;
	}
	case CONDITION_UNARY: write_unary(w, c, level); break;
	case CONDITION_BINARY: write_binary(w, c, level); break;
	case CONDITION_CHOICE: write_choice(w, c, level); break;
	case CONDITION_PARENTHESES:
		write_raw(w, "(");
		write_value(w, c->a, ANY);
		write_raw(w, ")");
		break;
	case CONDITION_TABLE:
		open_parenthesis(w, LITERAL, level);
		write_raw(w, "{");
		write_items(w, c->b);
		write_raw(w, "}");
		close_parenthesis(w, LITERAL, level);
		break;
	default: write_suffix(w, c);
	}
}

static void write_truth(struct lua_writer *w, const struct condition *c, enum lua_level level)
{
	if (c->kind == CONDITION_PARENTHESES) {
		write_truth(w, c->a, level);
	} else if (c->kind == CONDITION_BINARY && c->token.kind == TOKEN_OR) {
		write_infix(w, c, " or ", OR, level, write_truth);
	} else if (c->kind == CONDITION_BINARY && c->token.kind == TOKEN_AND) {
		write_infix(w, c, " and ", AND, level, write_truth);
	} else if (type_of(c) == TRUTH) {
		write_value(w, c, level);
	} else {
		bool solid = type_of(c) == SOLID;

		open_parenthesis(w, COMPARE, level);
		write_raw(w, solid ? "" : "(");
		write_value(w, c, solid ? BIT_OR : AND);
		write_raw(w, solid ? " ~= 0" : " or 0) ~= 0");
		close_parenthesis(w, COMPARE, level);
	}
}

void condition_write(const struct condition *c, script_buffer *out)
{
	struct lua_writer w = { .out = out };

	write_truth(&w, c, ANY);
}

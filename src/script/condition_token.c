/*
 * Splits conditions into tokens: names, C's numbers, characters and strings, and the signs of C and
 * Lua. Comments are Lua's comments.
 */
#include "script/condition.h"
#include "script/lexeme.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- white space and comments ---------------------------------------------------------------- */

static void skip_space(struct condition_reader *r)
{
	const char *text = r->text;

	for (;;) {
		size_t from = r->at, end;

		while (isspace((unsigned char)text[r->at]))
			r->at++;
		if (text[r->at] == '-' && text[r->at + 1] == '-') {
			end = script_skip_long(text, r->at + 2);
			if (end)
				r->at = end;
			else
				r->at += strcspn(text + r->at, "\n");
		}
		if (r->at == from)
			return;
		for (; from < r->at; from++)
			r->line += text[from] == '\n';
	}
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool read_suffix(const char *text, bool *is_unsigned)
{
	size_t length = strlen(text);
	unsigned u = 0, l = 0;

	for (size_t i = 0; i < length; i++) {
		u += tolower((unsigned char)text[i]) == 'u';
		l += tolower((unsigned char)text[i]) == 'l';
	}
	*is_unsigned = u;
	return u + l == length && u <= 1 && l <= 2;
}

static bool read_integer(struct condition_reader *r, const char *digits,
			 struct condition_token *token)
{
	bool binary = digits[0] == '0' && tolower((unsigned char)digits[1]) == 'b', is_unsigned;
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(binary ? digits + 2 : digits, &end, binary ? 2 : 0);
	token->integer = (int64_t)value;
	if (!read_suffix(end, &is_unsigned) || end == digits || (binary && end == digits + 2))
		return err_set(r->err, "'%.40s' is not a number", digits);
	if (errno || (digits[0] != '0' && !is_unsigned && value > INT64_MAX))
		return err_set(r->err, "'%.40s' does not fit in 64 bits%s", digits,
			       errno ? "" : "; add the suffix u to make it unsigned");
	return true;
}

static bool read_number(struct condition_reader *r, struct condition_token *token)
{
	const char *text = r->text + r->at;
	bool hex = text[0] == '0' && tolower((unsigned char)text[1]) == 'x';
	size_t length = 0;
	char *digits, *end;

	token->kind = TOKEN_NUMBER;
	while (isalnum((unsigned char)text[length]) || text[length] == '_' ||
	       (text[length] == '.' && text[length + 1] != '.')) {
		char c = (char)tolower((unsigned char)text[length++]);

		if (c == (hex ? 'p' : 'e') && (text[length] == '+' || text[length] == '-'))
			length++;
	}
	token->length = length;
	digits = arena_text(r->arena, text, length);
	token->is_real = strpbrk(digits, hex ? ".pP" : ".eE");
	if (!token->is_real)
		return read_integer(r, digits, token);
	token->real = strtod(digits, &end);
	if (*end && strchr("fFlL", *end))
		end++;
	if (*end || end == digits)
		return err_set(r->err, "'%.40s' is not a number", digits);
	if (isinf(token->real))
		return err_set(r->err, "'%.40s' is too large", digits);
	return true;
}

/* ---- characters and strings ------------------------------------------------------------------ */

static int digit_of(char c)
{
	return isdigit((unsigned char)c)    ? c - '0'
	       : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
					    : 99;
}

/* Reads at most `most` digits of a base. Returns their count. */
static size_t read_digits(const char *text, int base, size_t most, unsigned *value)
{
	size_t count = 0;

	for (*value = 0; count < most && digit_of(text[count]) < base; count++)
		*value = *value * (unsigned)base + (unsigned)digit_of(text[count]);
	return count;
}

/*
 * Reads an escape sequence after its backslash. Returns its length, or 0 if C has no such escape
 * sequence.
 */
static size_t read_escape(const char *text, char *out)
{
	static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"\?";
	const char *found = *text ? strchr(names, *text) : NULL;
	unsigned value;
	size_t count;

	if (found) {
		*out = values[found - names];
		return 1;
	}
	if (*text == 'x')
		count = read_digits(text + 1, 16, 2, &value);
	else
		count = read_digits(text, 8, 3, &value);
	*out = (char)value;
	return count && value < 256 ? count + (*text == 'x') : 0;
}

/* Reads a string in " or a character constant in '. */
static bool read_quoted(struct condition_reader *r, struct condition_token *token)
{
	const char *text = r->text + r->at;
	size_t i = 1, count = 0, length;
	char *out = arena_text(r->arena, text, strcspn(text, "\n"));

	while (text[i] != text[0]) {
		if (!text[i] || text[i] == '\n')
			return err_set(r->err, "this string does not end on its line");
		if (text[i] != '\\') {
			out[count++] = text[i++];
			continue;
		}
		length = read_escape(text + i + 1, &out[count++]);
		if (!length) {
			r->at += i;
			return err_set(r->err, "unknown escape sequence: \\%.1s", text + i + 1);
		}
		i += 1 + length;
	}
	token->length = i + 1;
	token->kind = TOKEN_TEXT;
	token->text = out;
	token->text_length = count;
	if (text[0] == '"')
		return true;
	if (count != 1)
		return err_set(r->err,
			       "a character constant has one character; write strings in \"\"");
	token->kind = TOKEN_NUMBER;
	token->integer = (signed char)out[0];
	return true;
}

/* ---- names and signs ------------------------------------------------------------------------- */

static bool read_name(struct condition_reader *r, struct condition_token *token)
{
	static const struct {
		const char *text;
		uint16_t kind;
	} words[] = { { "and", TOKEN_AND }, { "or", TOKEN_OR },	    { "not", TOKEN_NOT },
		      { "nil", TOKEN_NIL }, { "true", TOKEN_TRUE }, { "false", TOKEN_FALSE } };
	const char *text = r->text + r->at;
	char *name;
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	name = arena_text(r->arena, text, length);
	token->length = token->text_length = length;
	token->text = name;
	token->kind = TOKEN_NAME;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i].text, name))
			token->kind = words[i].kind;
	return true;
}

static bool read_sign(struct condition_reader *r, struct condition_token *token)
{
	static const struct {
		char text[3];
		uint16_t kind;
	} signs[] = { { "==", TOKEN_EQUAL },	     { "!=", TOKEN_UNEQUAL },
		      { "~=", TOKEN_UNEQUAL },	     { "<=", TOKEN_LESS_EQUAL },
		      { ">=", TOKEN_GREATER_EQUAL }, { "<<", TOKEN_LEFT },
		      { ">>", TOKEN_RIGHT },	     { "&&", TOKEN_AND_AND },
		      { "||", TOKEN_OR_OR },	     { "->", TOKEN_ARROW },
		      { "..", TOKEN_CONCAT },	     { "//", TOKEN_FLOOR } };
	const char *text = r->text + r->at;

	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		if (!strncmp(text, signs[i].text, 2)) {
			token->kind = signs[i].kind;
			token->length = 2;
			return true;
		}
	}
	if (!strchr("()[]{}.,;:?<>=+-*/%&|^~!#", *text))
		return err_set(r->err,
			       isprint((unsigned char)*text) ? "unexpected character '%c'"
							     : "unexpected byte %#x",
			       (unsigned char)*text);
	token->kind = (unsigned char)*text;
	token->length = 1;
	return true;
}

bool condition_read(struct condition_reader *r, struct condition_token *token)
{
	const char *text;
	bool done;

	skip_space(r);
	text = r->text + r->at;
	*token = (struct condition_token){ .at = r->at, .line = r->line };
	if (!*text)
		return true;
	if (isalpha((unsigned char)*text) || *text == '_')
		done = read_name(r, token);
	else if (isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)text[1])))
		done = read_number(r, token);
	else if (*text == '"' || *text == '\'')
		done = read_quoted(r, token);
	else
		done = read_sign(r, token);
	if (done)
		r->at += token->length;
	return done;
}

/*
 * The lexer for the Lua code of actions, and functions that examine the neighbours of a lexeme. It
 * follows the lexical rules of Lua 5.4. See lexeme.h.
 */
#include "script/lexeme.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const keywords[] = { "and",	 "break", "do",	      "else", "elseif", "end",
					"false", "for",	  "function", "goto", "if",	"in",
					"local", "nil",	  "not",      "or",   "repeat", "return",
					"then",	 "true",  "until",    "while" };

static bool is_keyword(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (strlen(keywords[i]) == length && !memcmp(keywords[i], name, length))
			return true;
	return false;
}

bool script_is_keyword(const char *name)
{
	return is_keyword(name, strlen(name));
}

/* ---- reading lexemes ------------------------------------------------------------------------- */

size_t script_skip_long(const char *text, size_t at)
{
	size_t level = 0;

	if (text[at] != '[')
		return 0;
	while (text[at + 1 + level] == '=')
		level++;
	if (text[at + 1 + level] != '[')
		return 0;
	for (at += 2 + level; text[at]; at++) {
		size_t equal = 0;

		if (text[at] != ']')
			continue;
		while (text[at + 1 + equal] == '=')
			equal++;
		if (equal == level && text[at + 1 + equal] == ']')
			return at + 2 + equal;
	}
	return at;
}

static size_t skip_quoted(const char *text, size_t at)
{
	char quote = text[at++];

	while (text[at] && text[at] != quote && text[at] != '\n') {
		if (text[at] != '\\') {
			at++;
			/* \z skips all white space after it, including newlines */
		} else if (text[at + 1] == 'z') {
			for (at += 2; isspace((unsigned char)text[at]);)
				at++;
		} else {
			at += text[at + 1] ? 2 : 1;
		}
	}
	return at + (text[at] == quote);
}

static size_t skip_comment(const char *text, size_t at)
{
	size_t end = script_skip_long(text, at + 2);

	if (end)
		return end;
	while (text[at] && text[at] != '\n')
		at++;
	return at;
}

/* Skips a number as Lua does: digits, letters, dots, and a sign after an exponent. */
static size_t skip_number(const char *text, size_t at)
{
	bool hex = text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');

	while (isalnum((unsigned char)text[at]) || text[at] == '.' || text[at] == '_') {
		char c = (char)tolower((unsigned char)text[at++]);

		if (c == (hex ? 'p' : 'e') && (text[at] == '+' || text[at] == '-'))
			at++;
	}
	return at;
}

static size_t skip_sign(const char *text, size_t at, char *sign)
{
	static const struct {
		const char *text;
		char sign;
	} signs[] = { { "...", 0 }, { "..", 'd' }, { "::", 'l' }, { "==", 'q' }, { "~=", 0 },
		      { "<=", 0 },  { ">=", 0 },   { "//", 0 },	  { "<<", 0 },	 { ">>", 0 } };

	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		size_t length = strlen(signs[i].text);

		if (!strncmp(text + at, signs[i].text, length)) {
			*sign = signs[i].sign;
			return at + length;
		}
	}
	*sign = text[at];
	return at + 1;
}

static bool starts_name(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool starts_number(const char *text)
{
	return isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)text[1]));
}

/*
 * Reads the lexeme at `at`, which must not be white space or the start of a comment. Returns the
 * lexeme's end.
 */
static size_t read_lexeme(const char *text, size_t at, struct script_lexeme *lexeme)
{
	size_t end = at;

	*lexeme = (struct script_lexeme){ .at = at };
	if (starts_name(text[at])) {
		while (isalnum((unsigned char)text[end]) || text[end] == '_')
			end++;
		lexeme->kind = is_keyword(text + at, end - at) ? SCRIPT_KEYWORD : SCRIPT_NAME;
	} else if (starts_number(text + at)) {
		lexeme->kind = SCRIPT_NUMBER;
		end = skip_number(text, at);
	} else if (text[at] == '"' || text[at] == '\'') {
		lexeme->kind = SCRIPT_STRING;
		end = skip_quoted(text, at);
	} else if ((end = script_skip_long(text, at))) {
		lexeme->kind = SCRIPT_STRING;
	} else {
		lexeme->kind = SCRIPT_SIGN;
		end = skip_sign(text, at, &lexeme->sign);
	}
	lexeme->length = end - at;
	return end;
}

bool script_lexeme_is_keyword(const char *text, const struct script_lexeme *lexeme,
			      const char *word)
{
	return lexeme->kind == SCRIPT_KEYWORD && lexeme->length == strlen(word) &&
	       !memcmp(text + lexeme->at, word, lexeme->length);
}

/*
 * Returns the change of the nesting depth: 1 for an opening lexeme, -1 for a closing one, otherwise
 * 0. In `while` and `for` loops only the `do` counts as opening.
 */
static int nesting_change(const char *text, const struct script_lexeme *lexeme)
{
	static const char *const open[] = { "function", "do", "if", "repeat" };

	if (lexeme->kind == SCRIPT_SIGN && lexeme->sign)
		return strchr("({[", lexeme->sign) ? 1 : strchr(")}]", lexeme->sign) ? -1 : 0;
	for (size_t i = 0; i < sizeof open / sizeof *open; i++)
		if (script_lexeme_is_keyword(text, lexeme, open[i]))
			return 1;
	return script_lexeme_is_keyword(text, lexeme, "end") ||
			       script_lexeme_is_keyword(text, lexeme, "until")
		       ? -1
		       : 0;
}

void script_read_lexemes(const char *text, script_lexemes *lexemes)
{
	VEC(size_t) open = { 0 };
	size_t at = 0;

	while (text[at]) {
		struct script_lexeme lexeme;
		int nest;

		if (isspace((unsigned char)text[at])) {
			at++;
			continue;
		}
		if (text[at] == '-' && text[at + 1] == '-') {
			at = skip_comment(text, at);
			continue;
		}
		at = read_lexeme(text, at, &lexeme);
		nest = nesting_change(text, &lexeme);
		if (nest < 0 && open.count)
			lexeme.opens = open.items[--open.count];
		lexeme.depth = (uint32_t)open.count;
		lexeme.in_table =
			open.count && lexemes->items[open.items[open.count - 1]].sign == '{';
		if (nest > 0)
			*vec_push(&open) = lexemes->count;
		*vec_push(lexemes) = lexeme;
	}
	vec_free(&open);
}

/* ---- neighbours of a name -------------------------------------------------------------------- */

bool script_is_sign(const script_lexemes *lexemes, size_t i, char sign)
{
	return i < lexemes->count && lexemes->items[i].kind == SCRIPT_SIGN &&
	       lexemes->items[i].sign == sign;
}

/* Is the name a field or a method, that is, does it follow . or :? */
static bool is_field(const script_lexemes *lexemes, size_t i)
{
	return i && (script_is_sign(lexemes, i - 1, '.') || script_is_sign(lexemes, i - 1, ':'));
}

static bool is_key(const script_lexemes *lexemes, size_t i)
{
	return lexemes->items[i].in_table && script_is_sign(lexemes, i + 1, '=') && i &&
	       (script_is_sign(lexemes, i - 1, '{') || script_is_sign(lexemes, i - 1, ',') ||
		script_is_sign(lexemes, i - 1, ';'));
}

static bool is_closing(const script_lexemes *lexemes, size_t i)
{
	return script_is_sign(lexemes, i, ')') || script_is_sign(lexemes, i, ']') ||
	       script_is_sign(lexemes, i, '}');
}

/* Can a call, an index or a field follow this lexeme? */
static bool ends_operand(const script_lexemes *lexemes, size_t i)
{
	return lexemes->items[i].kind == SCRIPT_NAME || lexemes->items[i].kind == SCRIPT_STRING ||
	       is_closing(lexemes, i);
}

size_t script_operand_start(const script_lexemes *lexemes, size_t i)
{
	for (;;) {
		if (is_closing(lexemes, i))
			i = lexemes->items[i].opens;
		if (is_field(lexemes, i)) {
			if (i < 2 || !ends_operand(lexemes, i - 2))
				return i;
			i -= 2;
		} else if (i && lexemes->items[i].kind != SCRIPT_NAME &&
			   ends_operand(lexemes, i - 1)) {
			i--;
		} else {
			return i;
		}
	}
}

bool script_is_free(const script_lexemes *lexemes, size_t i)
{
	return lexemes->items[i].kind == SCRIPT_NAME && !is_field(lexemes, i) &&
	       !is_key(lexemes, i);
}

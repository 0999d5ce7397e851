/* Converts numbers, characters and strings in C's notation. */
#include "spec/build.h"
#include "spec/lexer.h"
#include "spec/parser.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Is the text a valid suffix of an integer (u, l, ll and their combinations)? Sets `unsigned_` if
 * the suffix contains a u.
 */
static bool read_suffix(const char *text, bool *unsigned_)
{
	size_t length = strlen(text);
	unsigned u = 0, l = 0;

	for (size_t i = 0; i < length; i++) {
		u += tolower((unsigned char)text[i]) == 'u';
		l += tolower((unsigned char)text[i]) == 'l';
	}
	*unsigned_ = u;
	return u + l == length && u <= 1 && l <= 2;
}

static bool read_real(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text &&
	       (!*end || ((*end == 'f' || *end == 'F' || *end == 'l' || *end == 'L') && !end[1]));
}

static int read_integer(struct build *build, const struct span *span, const char *text,
			struct lexer_token *token)
{
	bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B'), unsigned_;
	char *end;

	errno = 0;
	uint64_t value = binary ? strtoull(text + 2, &end, 2) : strtoull(text, &end, 0);
	token->number = (int64_t)value;
	if (!read_suffix(end, &unsigned_) || (binary && end == text + 2) || text[1] == '_' ||
	    (tolower((unsigned char)text[1]) == 'x' && end < text + 3))
		build_complain(build, span->place, "'%.40s' is not a number", text);
	else if (errno || (text[0] != '0' && !unsigned_ && value > INT64_MAX))
		build_complain(build, span->place, "'%.40s' does not fit in 64 bits%s", text,
			       errno ? "" : "; add the suffix u for an unsigned number");
	return TOK_NUMBER;
}

int lexer_number(struct build *build, const struct span *span, const char *text, uint32_t length,
		 struct lexer_token *token)
{
	token->span = *span;
	token->text = build_text(build, text, length);
	token->length = length;
	bool hex = token->text[0] == '0' && tolower((unsigned char)token->text[1]) == 'x';
	if (hex || !strpbrk(token->text, ".eE"))
		return read_integer(build, span, token->text, token);
	if (!read_real(token->text, &token->real))
		build_complain(build, span->place, "'%.40s' is not a number", token->text);
	return TOK_REAL;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/*
 * Decodes the escape sequence after the backslash at `*at`, and advances `*at` past it. Returns
 * false if there is no such escape sequence.
 */
static bool unescape(const char *text, uint32_t length, uint32_t *at, unsigned char *out)
{
	static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"\?";
	const char *found;
	unsigned value = 0, digits = 0;

	if (*at < length && text[*at] == 'x') {
		for (++*at; *at < length && digits < 2 && hex_digit(text[*at]) >= 0;
		     ++*at, digits++)
			value = value * 16 + (unsigned)hex_digit(text[*at]);
		*out = (unsigned char)value;
		return digits > 0;
	}
	while (*at < length && digits < 3 && text[*at] >= '0' && text[*at] <= '7') {
		value = value * 8 + (unsigned)(text[*at] - '0');
		++*at, digits++;
	}
	*out = (unsigned char)value;
	if (digits)
		return value < 256;
	if (*at >= length || !text[*at] || !(found = strchr(names, text[*at])))
		return false;
	*out = (unsigned char)values[found - names];
	++*at;
	return true;
}

void lexer_string(struct build *build, const struct span *span, const char *text, uint32_t length,
		  struct lexer_token *token)
{
	char *out = build_text(build, text, length);
	uint32_t n = 0;

	for (uint32_t i = 0; i < length;) {
		unsigned char c = (unsigned char)text[i++];

		if (c == '\\' && !unescape(text, length, &i, &c)) {
			struct spec_location place = span->place;

			/*
			 * the column of the backslash: the opening quote is one byte before text[0]
			 */
			place.column += i;
			place.length = 2;
			build_complain(build, place, "unknown escape sequence \\%.1s",
				       i < length ? text + i : "");
		}
		out[n++] = (char)c;
	}
	out[n] = 0;
	token->span = *span;
	token->text = out;
	token->length = n;
}

void lexer_character(struct build *build, const struct span *span, const char *text,
		     uint32_t length, struct lexer_token *token)
{
	lexer_string(build, span, text, length, token);
	if (token->length != 1)
		build_complain(build, span->place,
			       "a character constant holds one character; write text in \"\"");
	token->number = (signed char)token->text[0];
}

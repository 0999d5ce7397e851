/*
 * Reports syntax errors. The parser knows every token that could come next. A user wants to read
 * what kind of thing is expected: "an expression" rather than the fourteen tokens that can start
 * one. Some mistakes are common because a sign has another meaning in C or in another formalism;
 * for these, adds a hint.
 */
#include "spec/syntax.h"
#include "spec/spelling.h"
#include "spec/parser.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct token_list {
	const char *const *items;
	size_t count;
};

static const char *const operators[] = {
	"=>", "<=>", "until", "since", "'?'", "||",  "&&",  "'|'", "'^'", "'&'", "==",	"!=", "'<'",
	"<=", "'>'", ">=",    "<<",    ">>",  "'+'", "'-'", "'*'", "'/'", "'%'", "'.'", "->", "'['",
};
static const char *const starts_expression[] = {
	"a name", "a number", "a real number", "text in \"\"", "'('",	     "((",  "'!'",
	"'~'",	  "'-'",      "'+'",	       "'*'",	       "'&'",	     "'['", "always",
	"prev",	  "once",     "sofar",	       "next",	       "eventually",
};
static const char *const starts_pattern[] = { "a name", "'('", "'!'", "'~'", "'.'", "((" };
static const char *const of_patterns[] = { "'*'", "'+'", "'?'", "'|'", "'&'", "||" };
static const char *const words[] = {
	"call",	   "exec",  "return", "probe", "read",	  "write", "becomes", "request", "acquire",
	"release", "spawn", "join",   "if",    "holding", "reset", "new",     "end",
};

#define HAS(list, name) contains((list), sizeof(list) / sizeof(*(list)), (name))

static bool contains(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static bool expects(const struct token_list *expected, const char *name)
{
	return contains(expected->items, expected->count, name);
}

/*
 * ---- expected tokens --------------------------------------------------------------------------
 */

struct wording {
	const char *names[64];
	size_t count;
};

static void add_wording(struct wording *w, const char *name)
{
	if (w->count < 64 && !contains(w->names, w->count, name))
		w->names[w->count++] = name;
}

/*
 * Replaces sets of expected tokens by a name for what they start or join, such as "an expression".
 */
static void summarize_expected(struct wording *w, const struct token_list *expected)
{
	bool expression = expects(expected, "a number") && expects(expected, "a real number");
	bool pattern = !expression && expects(expected, "a name") && expects(expected, "'('");
	bool name = expects(expected, "a name");
	bool repeats = expects(expected, "'?'") && expects(expected, "'*'");
	size_t infix = 0;

	for (size_t i = 0; i < expected->count; i++)
		infix += HAS(operators, expected->items[i]);
	if (expression)
		add_wording(w, "an expression");
	else if (pattern)
		add_wording(w, "an event");
	else if (name)
		add_wording(w, "a name");
	for (size_t i = 0; i < expected->count; i++) {
		const char *item = expected->items[i];

		if ((expression && HAS(starts_expression, item)) || (name && HAS(words, item)) ||
		    (pattern && HAS(starts_pattern, item)))
			continue;
		if (!expression && infix >= 10 &&
		    (HAS(operators, item) || HAS(starts_expression, item)))
			add_wording(w, "an operator");
		else if (!expression && repeats && HAS(of_patterns, item))
			add_wording(w, "an operator");
		else
			add_wording(w, !strcmp(item, "((") ? "'('" : item);
	}
}

static void print_name(FILE *out, const char *name)
{
	bool quoted = name[0] == '\'' || strchr(name, ' ');

	fprintf(out, quoted ? "%s" : "'%s'", name);
}

static void print_expected(FILE *out, const struct token_list *expected)
{
	struct wording w = { .count = 0 };

	summarize_expected(&w, expected);
	if (!w.count)
		return;
	fprintf(out, "; expected ");
	for (size_t i = 0; i < w.count; i++) {
		print_name(out, w.names[i]);
		fprintf(out, i + 2 < w.count ? ", " : i + 1 < w.count ? " or " : "");
	}
}

/*
 * ---- hints ------------------------------------------------------------------------------------
 */

static bool is_token(const char *token, const char *name)
{
	return token && !strcmp(token, name);
}

/* Returns the expected keyword that is most similar to the word at `span`, or NULL. */
static const char *nearest_keyword(const struct build *build, const struct span *span,
				   const struct token_list *expected)
{
	char word[32] = "";
	struct spelling near;

	if (span->to - span->from >= sizeof word)
		return NULL;
	memcpy(word, build->file->text + span->from, span->to - span->from);
	spelling_start(&near, word);
	for (size_t i = 0; i < expected->count && isalpha((unsigned char)word[0]); i++)
		if (isalpha((unsigned char)expected->items[i][0]) &&
		    !strchr(expected->items[i], ' '))
			spelling_try(&near, expected->items[i]);
	return near.best;
}

static void print_hint(FILE *out, const struct build *build, const char *token,
		       const struct token_list *expected)
{
	const struct context *at = &build->context;
	bool in_pattern = at->where == CONTEXT_PATTERN;

	if (is_token(token, "property"))
		fprintf(out, "; is the '}' of '%s' missing?", build->now.property->name);
	else if (in_pattern && expects(expected, "','"))
		fprintf(out, "; a '(' right after an event gives its thread; put a blank before a "
			     "group");
	else if (in_pattern && is_token(token, "&&"))
		fprintf(out, "; in a pattern, use '&' for both");
	else if (in_pattern && is_token(token, "'~'"))
		fprintf(out, "; in a pattern, use '!' to negate an order");
	else if (at->where == CONTEXT_ERE && is_token(token, "'!'"))
		fprintf(out, "; in 'ere:', the complement is '~'");
	else if (at->where == CONTEXT_ERE && is_token(token, "||"))
		fprintf(out, "; in 'ere:', use '|' for alternatives");
	else if (at->previous == TOK_ARROW && at->where == CONTEXT_TEMPORAL)
		fprintf(out, "; '->' accesses a member, as in C; implication is '=>'");
	else if (is_token(token, "'='") && expects(expected, "=="))
		fprintf(out, "; to compare, write '=='");
}

void syntax_complain(struct build *build, const struct span *span, const char *token,
		     const char *const *expected, size_t count)
{
	const struct token_list list = { expected, count };
	const struct span *before = &build->context.before;
	struct spec_location place = span->place;
	char text[1024] = "";
	FILE *out = fmemopen(text, sizeof text, "w");

	if (!out)
		return;
	if (expects(&list, "';'") && before->place.line && before->place.line < place.line) {
		place = before->place;
		place.column += place.length ? place.length - 1 : 0;
		place.length = 1;
		fprintf(out, "a ';' is missing after this");
	} else {
		uint32_t length = span->to - span->from;

		if (length)
			fprintf(out, "'%.*s%s' is not expected here",
				length > 40 ? 40 : (int)length, build->file->text + span->from,
				length > 40 ? "..." : "");
		else
			fprintf(out, "the file ends too early");
		print_expected(out, &list);
		print_hint(out, build, token, &list);
		const char *keyword = nearest_keyword(build, span, &list);
		if (keyword)
			fprintf(out, "; did you mean '%s'?", keyword);
	}
	fclose(out);
	build_complain(build, place, "%s", text);
}

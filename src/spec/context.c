/*
 * Decides by context whether a word is a keyword. The context depends only on the tokens
 * (statements end in `;`, bodies in `}`), not on how far the parser has looked ahead. After an
 * error the parser and this file resume at the same `;`.
 */
#include "spec/context.h"
#include "spec/build.h"
#include "spec/parser.h"

#include <ctype.h>
#include <string.h>

struct keyword {
	const char *word;
	int token;
	enum context_where goes; /* the context after this word, if the word starts a statement */
};

static const struct keyword top[] = {
	{ "property", TOK_PROPERTY, CONTEXT_HEADER },
	{ "use", TOK_USE, CONTEXT_USE },
	{ "extern", TOK_EXTERN, CONTEXT_EXTERN },
	{ 0 },
};
static const struct keyword use[] = { { "with", TOK_WITH, 0 }, { 0 } };
static const struct keyword body[] = {
	{ "event", TOK_EVENT, CONTEXT_EVENT },
	{ "view", TOK_VIEW, CONTEXT_OTHER },
	{ "always", TOK_ALWAYS, CONTEXT_TEMPORAL },
	{ "never", TOK_NEVER, CONTEXT_TEMPORAL },
	{ "ltl", TOK_LTL, CONTEXT_TEMPORAL },
	{ "pattern", TOK_PATTERN, CONTEXT_PATTERN },
	{ "ere", TOK_ERE, CONTEXT_ERE },
	{ "grammar", TOK_GRAMMAR, CONTEXT_GRAMMAR_HEAD },
	{ "monitor", TOK_MONITOR, CONTEXT_OTHER },
	{ "on", TOK_ON, CONTEXT_VIOLATION },
	/* a } is missing before it; the parser reports that */
	{ "property", TOK_PROPERTY, CONTEXT_HEADER },
	{ 0 },
};
static const struct keyword event[] = {
	{ "call", TOK_CALL, 0 },       { "exec", TOK_EXEC, 0 },	      { "return", TOK_RETURN, 0 },
	{ "probe", TOK_PROBE, 0 },     { "read", TOK_READ, 0 },	      { "write", TOK_WRITE, 0 },
	{ "becomes", TOK_BECOMES, 0 }, { "request", TOK_REQUEST, 0 }, { "acquire", TOK_ACQUIRE, 0 },
	{ "release", TOK_RELEASE, 0 }, { "spawn", TOK_SPAWN, 0 },     { "join", TOK_JOIN, 0 },
	{ "if", TOK_IF, 0 },	       { "holding", TOK_HOLDING, 0 }, { "reset", TOK_RESET, 0 },
	{ "new", TOK_NEW, 0 },	       { "end", TOK_END, 0 },	      { 0 },
};
static const struct keyword temporal[] = {
	{ "prev", TOK_PREV, 0 },
	{ "once", TOK_ONCE, 0 },
	{ "sofar", TOK_SOFAR, 0 },
	{ "since", TOK_SINCE, 0 },
	{ "always", TOK_ALWAYS, 0 },
	{ "next", TOK_NEXT, 0 },
	{ "until", TOK_UNTIL, 0 },
	{ "eventually", TOK_EVENTUALLY, 0 },
	{ 0 },
};
static const struct keyword grammar[] = { { "assert", TOK_ASSERT, 0 }, { 0 } };
static const struct keyword none[] = { { 0 } };

static const struct keyword *keywords(enum context_where where)
{
	switch (where) {
	case CONTEXT_TOP: return top;
	case CONTEXT_USE: return use;
	case CONTEXT_BODY: return body;
	case CONTEXT_EVENT: return event;
	case CONTEXT_TEMPORAL: return temporal;
	case CONTEXT_GRAMMAR: return grammar;
	default: return none;
	}
}

static int keyword_token(struct context *c, const struct lexer_token *token)
{
	const struct keyword *known = keywords(c->where);
	bool starts = c->where == CONTEXT_TOP || c->where == CONTEXT_BODY;

	while (known->word && strcmp(known->word, token->text))
		known++;
	if (starts) {
		c->where = known->word		      ? known->goes
			   : c->where == CONTEXT_BODY ? CONTEXT_OTHER
						      : CONTEXT_TOP;
		c->depth = c->words = 0;
	}
	return known->word ? known->token : TOK_WORD;
}

static bool precedes_function(int token)
{
	return token == TOK_CALL || token == TOK_EXEC || token == TOK_RETURN || token == TOK_PROBE;
}

/* A point of an event starts after `event NAME =` and after each comma outside of parentheses. */
static void update_event_context(struct context *c, int token)
{
	if (c->function)
		c->function = token == TOK_STRING || token == ':';
	else
		c->function = c->at_point && precedes_function(token);
	c->at_point = (token == '=' && c->words == 3) || (token == ',' && !c->depth);
}

static enum context_where context_after_brace(enum context_where where, int token)
{
	if (token == '{')
		return where == CONTEXT_HEADER	       ? CONTEXT_BODY
		       : where == CONTEXT_GRAMMAR_HEAD ? CONTEXT_GRAMMAR
						       : where;
	return where == CONTEXT_GRAMMAR ? CONTEXT_BODY : CONTEXT_TOP;
}

/* Updates the context for the token that follows `token`. */
static void update_context(struct context *c, int token)
{
	c->words++;
	if (token == '(' || token == TOK_ATTACHED)
		c->depth++;
	else if (token == ')' && c->depth)
		c->depth--;
	if (c->where == CONTEXT_EVENT)
		update_event_context(c, token);
	else
		c->function = c->at_point = false;
	if (token == '{' || token == '}')
		c->where = context_after_brace(c->where, token);
	else if (token == TOK_LUA && c->where == CONTEXT_VIOLATION)
		c->where = CONTEXT_BODY;
	else if (token == ';' && (c->where == CONTEXT_USE || c->where == CONTEXT_EXTERN))
		c->where = CONTEXT_TOP;
	else if (token == ';' && c->where != CONTEXT_TOP && c->where != CONTEXT_GRAMMAR)
		c->where = CONTEXT_BODY;
}

/*
 * Returns the lexer mode for the text after this token: a Lua mode if the token is a bracket that
 * opens Lua code.
 */
static enum lexer_mode lua_mode(const struct context *c, int token)
{
	if (token == '{' && (c->where == CONTEXT_GRAMMAR || c->where == CONTEXT_VIOLATION))
		return LEXER_BRACES;
	if (token == '(' && (c->last == TOK_ASSERT || (c->last == TOK_RESET && !c->depth) ||
			     (c->last == TOK_GRAMMAR && c->where == CONTEXT_GRAMMAR_HEAD)))
		return LEXER_PARENTHESES;
	return LEXER_PLAIN;
}

/*
 * ---- missing ; and } --------------------------------------------------------------------------
 */

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

static const char *skip_word(const char *text)
{
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return text;
}

/* Does the text after `word` continue like a statement that starts with this keyword? */
static bool starts_statement(const char *word, const char *after)
{
	const char *next = skip_blanks(after), *end = skip_word(next);

	if (!strcmp(word, "event"))
		return next > after && end > next && *skip_blanks(end) == '=';
	if (!strcmp(word, "pattern") || !strcmp(word, "ltl") || !strcmp(word, "ere"))
		return *next == ':';
	if (!strcmp(word, "monitor"))
		return *next == '"';
	if (!strcmp(word, "property"))
		return next > after && end > next && strchr("({", *skip_blanks(end)) &&
		       *skip_blanks(end);
	return false;
}

/*
 * Returns ';' or '}' if one is missing before this token, and reports it; otherwise 0. A sign is
 * missing if the token starts a statement on a new line although the previous statement has not
 * ended. Inserting the sign here costs one message. The parser's own recovery would also skip the
 * new statement and then report every use of the names that the statement declares.
 */
static int find_missing_sign(struct context *c, const struct lexer_token *token)
{
	bool statement = c->where == CONTEXT_EVENT || c->where == CONTEXT_TEMPORAL ||
			 c->where == CONTEXT_PATTERN || c->where == CONTEXT_ERE ||
			 c->where == CONTEXT_OTHER;
	struct build *build = c->lexer.build;

	if ((!statement && c->where != CONTEXT_BODY) ||
	    token->span.place.line == c->now.place.line ||
	    !starts_statement(token->text, build->file->text + token->span.to))
		return 0;
	struct spec_location place = c->now.place;
	place.column += place.length ? place.length - 1 : 0;
	place.length = 1;
	if (statement) {
		build_complain(build, place, "a ';' is missing after this");
		return ';';
	}
	if (strcmp(token->text, "property") != 0)
		return 0;
	build_complain(build, token->span.place, "a '}' is missing before this: '%s' is not closed",
		       build->now.property ? build->now.property->name : "the property");
	return '}';
}

static int insert_before(struct context *c, struct lexer_token *token, int kind)
{
	c->kept = *token;
	c->kept_kind = TOK_WORD;
	token->span = c->now; /* the location where the missing token should be */
	token->span.from = token->span.to;
	return kind;
}

/*
 * ---- tokens for the parser --------------------------------------------------------------------
 */

static int read_token(struct context *c, struct lexer_token *token)
{
	int kind = c->kept_kind;

	if (!kind)
		return lexer_next(&c->lexer, c->function ? LEXER_FUNCTION : LEXER_PLAIN, token);
	*token = c->kept;
	c->kept_kind = 0;
	return kind;
}

int context_next(struct context *c, struct lexer_token *token)
{
	int kind = read_token(c, token), missing = 0;
	bool touches = token->span.from == c->now.to && c->now.to;

	if (kind == TOK_WORD)
		missing = find_missing_sign(c, token);
	if (missing)
		kind = insert_before(c, token, missing);
	else if (kind == TOK_WORD)
		kind = keyword_token(c, token);
	enum lexer_mode mode = missing ? LEXER_PLAIN : lua_mode(c, kind);
	if (mode != LEXER_PLAIN)
		kind = lexer_next(&c->lexer, mode, token);
	else if (kind == '(' && touches && c->last > 255)
		/* the token before it was a word, because single-character tokens are below 256 */
		kind = TOK_ATTACHED;
	update_context(c, kind);
	c->before = c->now;
	c->now = token->span;
	c->previous = c->last;
	c->last = kind;
	return kind;
}

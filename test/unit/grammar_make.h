/*
 * Makes words for grammars from texts: the text of a property, and events such as "get:f=1,tid=2
 * eat". Values are integers or texts in quotes; attributes without a value are nil.
 */
#ifndef TEST_GRAMMAR_MAKE_H
#define TEST_GRAMMAR_MAKE_H

#include "base/mem.h"
#include "grammar/word.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct made {
	struct spec_messages messages;
	struct spec_file *file;
	struct grammar *grammar;
};

static inline struct made make_grammar(const char *text)
{
	struct made made = { 0 };

	made.file = spec_parse("t.prop", text, &made.messages);
	if (made.file)
		made.grammar = grammar_open(made.file, made.file->properties,
					    made.file->properties->formulas, &made.messages);
	if (!made.grammar) {
		for (size_t i = 0; i < made.messages.list.count; i++)
			print_error("%s\n", made.messages.list.items[i].shown);
		fail_msg("no grammar: %s", text);
	}
	return made;
}

static inline void made_free(struct made *made)
{
	grammar_close(made->grammar);
	spec_free(made->file);
	spec_messages_free(&made->messages);
}

static inline struct grammar_parser *make_parser(const struct grammar *grammar, bool earley)
{
	struct err err;
	struct grammar_parser *parser = grammar_parser_open(grammar, earley, NULL, &err);

	if (!parser)
		fail_msg("%s", err.text);
	return parser;
}

static inline struct grammar_word *make_word(struct grammar_parser *parser)
{
	struct err err;
	struct grammar_word *word = grammar_word_open(parser, &err);

	if (!word)
		fail_msg("%s", err.text);
	return word;
}

#define MAKE_ATTRIBUTES 16

/* Sets one attribute, "f=1", of a token. */
static inline const char *make_value(const struct grammar_event *event, const char *at,
				     struct script_value *values)
{
	size_t length = strcspn(at, "=");
	uint32_t a = 0;
	char *end;

	while (a < event->attribute_count &&
	       (strlen(event->attributes[a]) != length || memcmp(event->attributes[a], at, length)))
		a++;
	if (a == event->attribute_count)
		fail_msg("no such attribute: %s", at);
	at += length + 1;
	if (*at == '"') {
		size_t text = strcspn(at + 1, "\"");

		values[a] = (struct script_value){ .type = SCRIPT_TEXT,
						   .length = (uint32_t)text,
						   .text = at + 1 };
		return at + text + 2;
	}
	values[a] =
		(struct script_value){ .type = SCRIPT_INTEGER, .integer = strtoll(at, &end, 0) };
	return end;
}

/* Reads the event that starts at `at`; returns the text after it. */
static inline const char *make_token(const struct grammar *grammar, const char *at,
				     struct grammar_token *token, struct script_value *values)
{
	size_t length = strcspn(at, ": ");
	uint32_t e = 0;

	while (e < grammar->terminal_count &&
	       (strlen(grammar->names[e]) != length || memcmp(grammar->names[e], at, length)))
		e++;
	if (e == grammar->terminal_count)
		fail_msg("no such event: %s", at);
	memset(values, 0, MAKE_ATTRIBUTES * sizeof *values);
	assert_true(grammar->events[e].attribute_count <= MAKE_ATTRIBUTES);
	at += length;
	while (*at == ':' || *at == ',')
		at = make_value(&grammar->events[e], at + 1, values);
	token->event = e;
	token->values = values;
	return at + strspn(at, " ");
}

/* The letter of a verdict: . open, N no continuation, I incomplete, A assertion, B broken. */
static inline char make_letter(enum grammar_verdict verdict,
			       const struct grammar_violation *violation)
{
	if (verdict == GRAMMAR_OPEN)
		return '.';
	if (verdict == GRAMMAR_BROKEN)
		return 'B';
	return "NIA"[violation->fault];
}

/*
 * Takes all events of the text, up to the first verdict that is not open. `letters` gets one letter
 * for each event, and one more for the end if `ends` is set. Returns the last verdict. The caller
 * frees its violation.
 */
static inline enum grammar_verdict make_run(const struct grammar *grammar,
					    struct grammar_word *word, const char *text, bool ends,
					    char *letters, struct grammar_violation *violation)
{
	struct script_value values[MAKE_ATTRIBUTES];
	enum grammar_verdict verdict = GRAMMAR_OPEN;
	struct grammar_token token;

	*violation = (struct grammar_violation){ 0 };
	while (*text && verdict == GRAMMAR_OPEN) {
		text = make_token(grammar, text, &token, values);
		verdict = grammar_word_take(word, &token, violation);
		*letters++ = make_letter(verdict, violation);
	}
	if (ends && verdict == GRAMMAR_OPEN) {
		verdict = grammar_word_end(word, violation);
		*letters++ = make_letter(verdict, violation);
	}
	*letters = '\0';
	return verdict;
}

#endif

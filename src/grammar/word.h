/*
 * A word as it comes in, event by event: sessions, resets, and one of two engines below them. A parser
 * is a grammar with its Lua, shared by all words of a view. One thread at a time.
 */
#ifndef GRAMMAR_WORD_H
#define GRAMMAR_WORD_H

#include "grammar/grammar.h"

struct grammar_token {
	uint32_t event;			   /* of the property */
	const struct script_value *values; /* by attribute of the event */
};

enum grammar_verdict {
	GRAMMAR_OPEN, /* nothing is wrong so far */
	GRAMMAR_VIOLATED,
	GRAMMAR_BROKEN, /* Lua failed, or a word has two trees: `why`; nothing is known any more */
};

enum grammar_fault { GRAMMAR_NO_CONTINUATION, GRAMMAR_INCOMPLETE, GRAMMAR_ASSERTION };

/* What is wrong, and for people. Cleared with grammar_violation_free. */
struct grammar_violation {
	uint8_t fault;
	const struct grammar_code *assertion; /* ASSERTION */
	char *values;	/* ASSERTION: what the names in it are, "get.tid = 1, release.tid = 2" */
	char *expected; /* otherwise: which events could have come, "get, release or the end" */
	char *why;	/* BROKEN, with file and line */
	script_reports reports; /* of on violation */
};
void grammar_violation_free(struct grammar_violation *violation);

struct grammar_parser;

/* `earley`: also where LL(1) would do; for tests. NULL: `err`. The grammar stays the caller's. */
struct grammar_parser *grammar_parser_open(const struct grammar *grammar, bool earley,
					   const struct script_limits *limits, struct err *err);
void grammar_parser_close(struct grammar_parser *parser);

struct grammar_word;

/* NULL: the head's attributes fail, `err`. */
struct grammar_word *grammar_word_open(struct grammar_parser *parser, struct err *err);
void grammar_word_close(struct grammar_word *word);

/*
 * The next event; behind a verdict other than OPEN the word may only be closed. `violation` is zeroed
 * by the caller, and is touched only where the verdict is not OPEN.
 */
enum grammar_verdict grammar_word_take(struct grammar_word *word, const struct grammar_token *token,
				       struct grammar_violation *violation);
/* The word ends here: must it be complete, and is it? The word may only be closed then. */
enum grammar_verdict grammar_word_end(struct grammar_word *word,
				      struct grammar_violation *violation);

/*
 * For lattices: a second word in the same state (NULL: its attributes are too deep or too large); a text
 * that is equal for words with the same future (false: there is something in it that cannot be
 * compared).
 */
struct grammar_word *grammar_word_copy(const struct grammar_word *word, struct err *err);
bool grammar_word_key(const struct grammar_word *word, script_key_text *key, struct err *err);

/*
 * How many events the session has that is open: 0 at the start and right behind a reset. Behind a
 * violation the one that is wrong is counted.
 */
uint64_t grammar_word_length(const struct grammar_word *word);

/*
 * For tests and for people: the attributes of the start symbol of the session that ended last (what
 * `session` is now) as script_show prints them. To be freed.
 */
char *grammar_word_session(const struct grammar_word *word);

#endif

/*
 * Judges a word event by event: divides it into sessions at resets and parses each session with one
 * of two engines. A parser is a grammar with its Lua state; all words of a view share it. Not
 * thread-safe: only one thread at a time may use a parser and its words.
 */
#ifndef GRAMMAR_WORD_H
#define GRAMMAR_WORD_H

#include "grammar/grammar.h"

struct grammar_token {
	uint32_t event;			   /* number of the event in the property */
	const struct script_value *values; /* by attribute of the event */
};

enum grammar_verdict {
	GRAMMAR_OPEN, /* no violation so far */
	GRAMMAR_VIOLATED,
	/* Lua failed, or a word has two trees, see `why`: the word can no longer be judged */
	GRAMMAR_BROKEN,
};

enum grammar_fault { GRAMMAR_NO_CONTINUATION, GRAMMAR_INCOMPLETE, GRAMMAR_ASSERTION };

/* A violation, with texts for the report. grammar_violation_free() releases it. */
struct grammar_violation {
	uint8_t fault;
	const struct grammar_code *assertion; /* ASSERTION: the assertion that failed */
	/* ASSERTION: the values of the names in the assertion, "get.tid = 1, release.tid = 2" */
	char *values;
	/* other violations: the events that would have been allowed, "get, release or the end" */
	char *expected;
	char *why;		/* BROKEN: the error, with file and line */
	script_reports reports; /* the lines that `on violation` reported */
};
void grammar_violation_free(struct grammar_violation *violation);

struct grammar_parser;

/*
 * `earley`: use Earley's algorithm even if the grammar is LL(1), for tests. Returns NULL and sets
 * `err` on failure. The caller keeps ownership of the grammar.
 */
struct grammar_parser *grammar_parser_open(const struct grammar *grammar, bool earley,
					   const struct script_limits *limits, struct err *err);
void grammar_parser_close(struct grammar_parser *parser);

struct grammar_word;

/* Returns NULL and sets `err` if the evaluation of the head's attributes fails. */
struct grammar_word *grammar_word_open(struct grammar_parser *parser, struct err *err);
void grammar_word_close(struct grammar_word *word);

/*
 * Adds the next event. After a verdict other than OPEN the word may only be closed. The caller
 * zeroes `violation`; it changes only if the verdict is not OPEN.
 */
enum grammar_verdict grammar_word_take(struct grammar_word *word, const struct grammar_token *token,
				       struct grammar_violation *violation);
/*
 * Ends the word. Judges whether its last session is complete, if it must be. Afterwards the word
 * may only be closed.
 */
enum grammar_verdict grammar_word_end(struct grammar_word *word,
				      struct grammar_violation *violation);

/*
 * For lattices. grammar_word_copy() returns a second word in the same state, or NULL if the
 * attributes are nested too deeply or too large. grammar_word_key() appends a text that is equal
 * only for words with the same future; it returns false if an attribute cannot be compared.
 */
struct grammar_word *grammar_word_copy(const struct grammar_word *word, struct err *err);
bool grammar_word_key(const struct grammar_word *word, script_buffer *key, struct err *err);

/*
 * The number of events in the open session: 0 at the start and right after a reset. After a
 * violation the violating event is included.
 */
uint64_t grammar_word_length(const struct grammar_word *word);

/*
 * For tests and debugging: the attributes of the start symbol of the last finished session (the
 * current value of `session`), as script_show prints them. The caller frees the text.
 */
char *grammar_word_session(const struct grammar_word *word);

#endif

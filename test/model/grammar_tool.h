/* The parts of the tool that are tested: the tables, both engines, and the checker's judge. */
#ifndef MODEL_GRAMMAR_TOOL_H
#define MODEL_GRAMMAR_TOOL_H

#include "grammar_brute.h"

#include "check/grammar_check.h"
#include "grammar/word.h"
#include "spec/spec.h"

enum tool_engine { ENGINE_LL1, ENGINE_EARLEY, ENGINES };

struct tool {
	const struct grammar_case *c;
	struct spec_file *file;
	struct grammar *grammar;		 /* NULL: the grammar was refused */
	struct grammar_parser *parsers[ENGINES]; /* NULL: this engine is not used */
	struct grammar_check spell;
	bool has_spell;
	bool heads_fail; /* the head of the first session fails */
	case_lines lines;
	/* values of the attributes of each letter, in order */
	struct script_value values[CASE_LETTERS][8];
	char said[4096]; /* the error message */
};

/*
 * Opens the grammar. Returns false on an error, which is in `said`. If the grammar is refused for a
 * good reason, returns true without a grammar.
 */
bool tool_open(struct tool *t, struct brute *b);
void tool_close(struct tool *t);

/* Compares a violation with the correct verdict. Returns false on an error, which is in `said`. */
bool tool_compare(struct tool *t, const char *who, enum grammar_verdict verdict,
		  const struct grammar_violation *violation, const struct truth *truth,
		  bool at_end);
/* Compares `session` of a word after an event. */
bool tool_compare_session(struct tool *t, const char *who, const struct grammar_word *word,
			  const struct moment *moment);

/*
 * Compares the judge's verdicts on the session from moment->start up to `count`. The judge, which
 * knows from the definition whether the grammar is LL(1), is compared with `early` (NULL: it is
 * not). Its chart alone, without that knowledge, is compared with `late`. The caller sets
 * spell.before.
 */
bool tool_judge(struct tool *t, const struct brute *b, const struct moment *moment, int count,
		const struct truth *early, const struct truth *late, bool at_end);

void tool_start_word(struct tool *t); /* starts a word without an earlier session */
int tool_keep_root(struct tool *t);
void tool_forget_root(struct tool *t, int root);

bool tool_fail(struct tool *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

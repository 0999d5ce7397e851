/* The parts that are tried: the tables, both engines, and the checker's judge. */
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
	struct grammar *grammar;		 /* NULL: refused */
	struct grammar_parser *parsers[ENGINES]; /* NULL: not this one */
	struct grammar_check spell;
	bool has_spell;
	bool heads_fail; /* the first session's */
	case_lines lines;
	/* values of each letter's attributes, in their order */
	struct script_value values[CASE_LETTERS][8];
	char said[4096]; /* what is wrong */
};

/* False: `said`. Where the grammar is refused for a good reason there is no grammar. */
bool tool_open(struct tool *t, struct brute *b);
void tool_close(struct tool *t);

/* What a violation says, against the truth. False: `said`. */
bool tool_compare(struct tool *t, const char *who, enum grammar_verdict verdict,
		  const struct grammar_violation *violation, const struct truth *truth,
		  bool at_end);
/* `session` of a word behind an event. */
bool tool_compare_session(struct tool *t, const char *who, const struct grammar_word *word,
			  const struct moment *moment);

/*
 * The judge, on the session from moment->start on up to `count`: by itself against `early` (NULL: it is
 * not asked), what the law says of the grammar; its chart alone against `late`, without what the law says
 * of LL(1). spell.before is set by the caller.
 */
bool tool_judge(struct tool *t, const struct brute *b, const struct moment *moment, int count,
		const struct truth *early, const struct truth *late, bool at_end);

void tool_start_word(struct tool *t); /* no session was before */
int tool_keep_root(struct tool *t);
void tool_forget_root(struct tool *t, int root);

bool tool_fail(struct tool *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

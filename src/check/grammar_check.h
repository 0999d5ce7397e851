/*
 * Judges one session of a word by a grammar, directly from doc/grammars.md and the syntax tree.
 * There are two methods. *Forced* follows the session from left to right as long as one event of
 * look-ahead leaves a single alternative. It takes linear time and works for any length. *Chart*
 * tries everything, and is for short sessions. Both run the Lua code in the order of the parse
 * tree.
 */
#ifndef CHECK_GRAMMAR_CHECK_H
#define CHECK_GRAMMAR_CHECK_H

#include "base/vec.h"
#include "script/script.h"
#include "spec/tree.h"

#define GRAMMAR_CHECK_NONE UINT32_MAX

/* A piece of Lua. Its parameters are the names in scope that occur in its text. */
struct grammar_check_code {
	int reference;	     /* reference of the compiled chunk in Lua; LUA_NOREF: none */
	VEC(uint32_t) names; /* numbers in the scope's list */
};

struct grammar_check_part {
	uint8_t kind;	 /* enum spec_item_kind */
	uint32_t number; /* EVENT, PRODUCTION */
	uint32_t slot; /* slot of its attributes in the frame; GRAMMAR_CHECK_NONE: it has no name */
	struct grammar_check_code code; /* ACTION, ASSERT */
};
/* An alternative of a production. Slot 0 is the symbol on the left. */
struct grammar_check_choice {
	uint32_t production;
	VEC(struct grammar_check_part) parts;
	VEC(const char *) names; /* names of the slots, followed by "session" */
};
struct grammar_check_token {
	uint32_t event;
	const struct script_value *values;
};

struct grammar_check {
	const struct spec_file *file;
	const struct spec_property *property;
	const struct spec_grammar *grammar;
	struct script *script;
	VEC(struct grammar_check_choice) choices; /* sorted by production */
	uint32_t *first;	 /* by production: its first choice; one more at the end */
	bool *nullable, *useful; /* by production; useful: some word can be derived from it */
	/* [production][event]: can a word of the production begin with the event? */
	uint8_t *starts;
	bool is_ll1;   /* if true, an assertion fails as soon as it is reached (doc/grammars.md) */
	bool has_code; /* there is code in some parse tree */
	int head;      /* code that sets the session's attributes; LUA_NOREF: none */
	struct grammar_check_code *resets; /* by event: when it resets; none: always */

	/* the session being judged */
	const struct grammar_check_token *tokens;
	size_t count;
	int before;	 /* attributes with which the session before ended */
	int given;	 /* a copy of `before`: actions may change it without effect elsewhere */
	int environment; /* session-wide names */
	int root;	 /* attributes of the start symbol */
};

/*
 * Computes nullable, useful, starts, is_ll1 and has_code from the choices. Disables choices that
 * derive no word.
 */
void grammar_check_find_sets(struct grammar_check *check);

bool grammar_check_open(struct grammar_check *check, const struct spec_file *file,
			const struct spec_property *property, const struct spec_formula *formula,
			struct err *err);
void grammar_check_close(struct grammar_check *check);

enum grammar_check_verdict {
	GRAMMAR_CHECK_GOOD,
	GRAMMAR_CHECK_WRONG,  /* at token `at` */
	GRAMMAR_CHECK_UNSURE, /* this method cannot decide */
	GRAMMAR_CHECK_BROKEN, /* error: see `err` */
};
struct grammar_check_result {
	enum grammar_check_verdict verdict;
	size_t at;
};

/*
 * Does the event end the session? This is decided before the event is judged. Returns false, with
 * `err` set, if Lua failed.
 */
bool grammar_check_resets(struct grammar_check *check, const struct grammar_check_token *token,
			  bool *resets, struct err *err);

/*
 * If `complete` is set, the session must be in the language; otherwise it must be a prefix of a
 * word in the language.
 */
struct grammar_check_result grammar_check_judge(struct grammar_check *check,
						const struct grammar_check_token *tokens,
						size_t count, bool complete, struct err *err);
/* After a session was judged: keeps the attributes of its start symbol for the next session. */
void grammar_check_next_session(struct grammar_check *check);

/*
 * The two methods. Call grammar_check_begin() before each of them: it sets the session's attributes
 * as the grammar's head says.
 */
bool grammar_check_begin(struct grammar_check *check, const struct grammar_check_token *tokens,
			 size_t count, struct err *err);
struct grammar_check_result grammar_check_forced(struct grammar_check *check, bool complete,
						 struct err *err);
struct grammar_check_result grammar_check_chart(struct grammar_check *check, bool complete,
						struct err *err);
#define GRAMMAR_CHECK_CHART 4000u /* longest session for the chart method, in events */

/* ---- Lua ------------------------------------------------------------------------------------- */

/*
 * Creates a frame, which has a table for each slot. The tables of nonterminals exist from the
 * start. The left side's table is `left`.
 */
int grammar_check_frame(struct grammar_check *check, const struct grammar_check_choice *choice,
			int left);
void grammar_check_frame_free(struct grammar_check *check, int frame);
/* Returns the slot's table as a new reference; a new table if there is no slot. */
int grammar_check_take_slot(struct grammar_check *check, int frame, uint32_t slot);
void grammar_check_put_token(struct grammar_check *check, int frame, uint32_t slot,
			     const struct grammar_check_token *token);
/* Runs an action or an assertion. Returns GOOD, WRONG (the assertion is false) or BROKEN. */
enum grammar_check_verdict grammar_check_run(struct grammar_check *check,
					     const struct grammar_check_choice *choice,
					     const struct grammar_check_part *part, int frame,
					     struct err *err);

#endif

/*
 * A grammar and one session of a word, for the checker: read from the spec tree, judged straight from
 * doc/grammars.md. Two ways: *forced* goes along the session from left to right as long as one look ahead
 * leaves a single alternative (any length, linear); *chart* tries everything (short sessions). Both
 * carry out the Lua in the order of the tree.
 */
#ifndef CHECK_GRAMMAR_CHECK_H
#define CHECK_GRAMMAR_CHECK_H

#include "base/vec.h"
#include "script/script.h"
#include "spec/tree.h"

#define GRAMMAR_CHECK_NONE UINT32_MAX

/* A piece of Lua. Its parameters are those of the names in scope that stand in its text. */
struct grammar_check_code {
	int reference;	     /* LUA_NOREF: none */
	VEC(uint32_t) names; /* numbers in the scope's list */
};

struct grammar_check_part {
	uint8_t kind;	 /* enum spec_item_kind */
	uint32_t number; /* EVENT, PRODUCTION */
	uint32_t
		slot; /* of its attributes in the frame; GRAMMAR_CHECK_NONE: no name leads to them */
	struct grammar_check_code code; /* ACTION, ASSERT */
};
/* An alternative. Slot 0 is the symbol on the left. */
struct grammar_check_choice {
	uint32_t production;
	VEC(struct grammar_check_part) parts;
	VEC(const char *) names; /* by slot, and then "session" */
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
	VEC(struct grammar_check_choice) choices; /* by production */
	uint32_t *first;			  /* by production, and one more */
	bool *nullable, *useful;		  /* by production; useful: some word comes of it */
	uint8_t *starts;			  /* [production][event]: may begin with it */
	bool is_ll1;   /* an assertion fails as soon as it is reached (doc/grammars.md) */
	bool has_code; /* in some tree */
	int head;      /* of the session's attributes; LUA_NOREF none */
	struct grammar_check_code *resets; /* by event: its condition; none: always */

	/* the session that is judged */
	const struct grammar_check_token *tokens;
	size_t count;
	int before;	 /* attributes of the session before */
	int given;	 /* a copy of them: what actions may change, nobody else sees */
	int environment; /* session-wide names */
	int root;	 /* attributes of the start symbol */
};

/* From the choices: nullable … has_code. What no word comes of is no choice any more. */
void grammar_check_find_sets(struct grammar_check *spell);

bool grammar_check_open(struct grammar_check *spell, const struct spec_file *file,
			const struct spec_property *property, const struct spec_formula *formula,
			struct err *err);
void grammar_check_close(struct grammar_check *spell);

enum grammar_check_verdict {
	GRAMMAR_CHECK_GOOD,
	GRAMMAR_CHECK_WRONG,  /* at token `at` */
	GRAMMAR_CHECK_UNSURE, /* this way does not decide it */
	GRAMMAR_CHECK_BROKEN, /* `err` */
};
struct grammar_check_result {
	enum grammar_check_verdict verdict;
	size_t at;
};

/* Does the event end the session before it is looked at any further? False with `err`: Lua failed. */
bool grammar_check_resets(struct grammar_check *spell, const struct grammar_check_token *token,
			  bool *resets, struct err *err);

/* `complete`: it must be in the language; otherwise only the beginning of something that is. */
struct grammar_check_result grammar_check_judge(struct grammar_check *spell,
						const struct grammar_check_token *tokens,
						size_t count, bool complete, struct err *err);
/* The attributes of the start symbol become those of the session before. */
void grammar_check_next_session(struct grammar_check *spell);

/* The two ways by themselves, each behind grammar_check_begin: the session's attributes as its head says. */
bool grammar_check_begin(struct grammar_check *spell, const struct grammar_check_token *tokens,
			 size_t count, struct err *err);
struct grammar_check_result grammar_check_forced(struct grammar_check *spell, bool complete,
						 struct err *err);
struct grammar_check_result grammar_check_chart(struct grammar_check *spell, bool complete,
						struct err *err);
#define GRAMMAR_CHECK_CHART 4000u /* events */

/* ---- Lua ------------------------------------------------------------------------------------- */

/* A frame: tables by slot. Of nonterminals they are there from the start, the left one is `left`. */
int grammar_check_frame(struct grammar_check *spell, const struct grammar_check_choice *choice,
			int left);
void grammar_check_frame_free(struct grammar_check *spell, int frame);
/* The slot's table as a new reference; without a slot a fresh one. */
int grammar_check_take_slot(struct grammar_check *spell, int frame, uint32_t slot);
void grammar_check_put_token(struct grammar_check *spell, int frame, uint32_t slot,
			     const struct grammar_check_token *token);
/* An action or an assertion: GOOD, WRONG (it is false), BROKEN. */
enum grammar_check_verdict grammar_check_run(struct grammar_check *spell,
					     const struct grammar_check_choice *choice,
					     const struct grammar_check_part *part, int frame,
					     struct err *err);

#endif

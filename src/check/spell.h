/*
 * A grammar and one session of a word, for the checker: read from the spec tree, judged straight from
 * doc/grammars.md. Two ways: *forced* goes along the session from left to right as long as one look ahead
 * leaves a single alternative (any length, linear); *chart* tries everything (short sessions). Both
 * carry out the Lua in the order of the tree.
 */
#ifndef CHECK_SPELL_H
#define CHECK_SPELL_H

#include "base/vec.h"
#include "script/script.h"
#include "spec/tree.h"

#define SPELL_NONE UINT32_MAX

/* A piece of Lua. Its parameters are those of the names in scope that stand in its text. */
struct spell_code {
	int reference;	     /* LUA_NOREF: none */
	VEC(uint32_t) names; /* numbers in the scope's list */
};

struct spell_part {
	uint8_t kind;	 /* enum spec_item_kind */
	uint32_t number; /* EVENT, PRODUCTION */
	uint32_t slot;	 /* of its attributes in the frame; SPELL_NONE: no name leads to them */
	struct spell_code code; /* ACTION, ASSERT */
};
/* An alternative. Slot 0 is the symbol on the left. */
struct spell_choice {
	uint32_t production;
	VEC(struct spell_part) parts;
	VEC(const char *) names; /* by slot, and then "session" */
};
struct spell_token {
	uint32_t event;
	const struct script_value *values;
};

struct spell {
	const struct spec_file *file;
	const struct spec_property *property;
	const struct spec_grammar *grammar;
	struct script *script;
	VEC(struct spell_choice) choices; /* by production */
	uint32_t *first;		  /* by production, and one more */
	bool *nullable, *useful;	  /* by production; useful: some word comes of it */
	uint8_t *starts;		  /* [production][event]: may begin with it */
	bool is_ll1;   /* an assertion fails as soon as it is reached (doc/grammars.md) */
	bool has_code; /* in some tree */
	int head;      /* of the session's attributes; LUA_NOREF none */
	struct spell_code *resets; /* by event: its condition; none: always */

	/* the session that is judged */
	const struct spell_token *tokens;
	size_t count;
	int before;	 /* attributes of the session before */
	int given;	 /* a copy of them: what actions may change, nobody else sees */
	int environment; /* session-wide names */
	int root;	 /* attributes of the start symbol */
};

/* From the choices: nullable … has_code. What no word comes of is no choice any more. */
void spell_find_sets(struct spell *spell);

bool spell_open(struct spell *spell, const struct spec_file *file,
		const struct spec_property *property, const struct spec_formula *formula,
		struct err *err);
void spell_close(struct spell *spell);

enum spell_verdict {
	SPELL_GOOD,
	SPELL_WRONG,  /* at token `at` */
	SPELL_UNSURE, /* this way does not decide it */
	SPELL_BROKEN, /* `err` */
};
struct spell_result {
	enum spell_verdict verdict;
	size_t at;
};

/* Does the event end the session before it is looked at any further? False with `err`: Lua failed. */
bool spell_resets(struct spell *spell, const struct spell_token *token, bool *resets,
		  struct err *err);

/* `complete`: it must be in the language; otherwise only the beginning of something that is. */
struct spell_result spell_judge(struct spell *spell, const struct spell_token *tokens, size_t count,
				bool complete, struct err *err);
/* The attributes of the start symbol become those of the session before. */
void spell_next_session(struct spell *spell);

/* The two ways by themselves, each behind spell_begin: the session's attributes as its head says. */
bool spell_begin(struct spell *spell, const struct spell_token *tokens, size_t count,
		 struct err *err);
struct spell_result spell_forced(struct spell *spell, bool complete, struct err *err);
struct spell_result spell_chart(struct spell *spell, bool complete, struct err *err);
#define SPELL_CHART 4000u /* events */

/* ---- Lua ------------------------------------------------------------------------------------- */

/* A frame: tables by slot. Of nonterminals they are there from the start, the left one is `left`. */
int spell_frame(struct spell *spell, const struct spell_choice *choice, int left);
void spell_frame_free(struct spell *spell, int frame);
/* The slot's table as a new reference; without a slot a fresh one. */
int spell_take_slot(struct spell *spell, int frame, uint32_t slot);
void spell_put_token(struct spell *spell, int frame, uint32_t slot,
		     const struct spell_token *token);
/* An action or an assertion: GOOD, WRONG (it is false), BROKEN. */
enum spell_verdict spell_run(struct spell *spell, const struct spell_choice *choice,
			     const struct spell_part *part, int frame, struct err *err);

#endif

/*
 * What an engine does: parse one session. word.c keeps sessions, resets and verdicts; ll1.c and
 * earley.c are the engines.
 *
 * Lua's side of a parser: `codes` are compiled, one reference for each of grammar->codes. An engine
 * calls a code with the session's environment, the tables of its slots and `session`.
 */
#ifndef GRAMMAR_ENGINE_H
#define GRAMMAR_ENGINE_H

#include "grammar/word.h"

struct grammar_parser {
	const struct grammar *grammar;
	struct script *script;
	int *codes; /* by code: a reference in the registry */
	const struct engine *engine;
	void *shared; /* the engine's own, for all sessions */
	/* references too: the head, on violation, and by event its reset's condition; or LUA_NOREF */
	int attributes, on_violation;
	int *resets;
	bool uses_session;	    /* some code or a reset names `session` */
	struct engine_shown *shown; /* by code; engine_show_values keeps what it compiled */
};

/*
 * A session's table in the registry (`attributes`) is the word's `session` of the one before, LUA_NOREF
 * for none; the engine reads it and does not own it. What an engine returns as VIOLATED has been
 * through engine_report, with the environment of the walk in which it failed.
 */
struct engine {
	bool (*open)(struct grammar_parser *parser, struct err *err); /* sets `shared` */
	void (*close)(struct grammar_parser *parser);

	/* A fresh session; NULL: the head's attributes fail, `violation->why`. */
	void *(*begin)(struct grammar_parser *parser, int before,
		       struct grammar_violation *violation);
	/*
	 * VIOLATED: no continuation, or an assertion that was reached. Where there is no
	 * continuation the session is as it was before the event.
	 */
	enum grammar_verdict (*take)(struct grammar_parser *parser, void *session, int before,
				     const struct grammar_token *token,
				     struct grammar_violation *violation);
	/*
	 * Is the session complete, and do its assertions hold? `goes_on`: as if on a copy, the
	 * session then takes more events. Otherwise it is over, and if nothing is wrong `*attributes`
	 * is a new reference to the table of the start symbol, or LUA_NOREF: there are none.
	 */
	enum grammar_verdict (*finish)(struct grammar_parser *parser, void *session, int before,
				       bool goes_on, int *attributes,
				       struct grammar_violation *violation);
	/*
	 * Which events may come next, for messages: adds to a set of terminals, in which bit
	 * terminal_count is the end of the session.
	 */
	void (*expects)(struct grammar_parser *parser, const void *session, uint64_t *terminals);
	/* NULL: it is too large, `err`. */
	void *(*copy)(struct grammar_parser *parser, const void *session, struct err *err);
	bool (*key)(struct grammar_parser *parser, const void *session, script_key_text *key,
		    struct err *err);
	void (*end)(struct grammar_parser *parser, void *session);
};

extern const struct engine engine_ll1, engine_earley;

/*
 * Both engines: calls a code. On the top of the stack lie the environment and then what its parameters
 * are; they are taken off. An assertion that fails: VIOLATED, with its values; what is broken: BROKEN
 * with `why`.
 */
enum grammar_verdict engine_run(struct grammar_parser *parser, uint32_t code,
				struct grammar_violation *violation);
/* Pushes the table of a token's attributes: those that are used. */
void engine_push_token(struct grammar_parser *parser, const struct grammar_token *token);
/*
 * Pushes what `session` is: a copy, since an action may change it, or keep it and change it later,
 * while other words share the original. An empty table for LUA_NOREF. False: `violation->why`.
 */
bool engine_push_session(struct grammar_parser *parser, int before,
			 struct grammar_violation *violation);
/* Pushes a fresh environment with the head's attributes. False: `violation->why`. */
bool engine_push_attributes(struct grammar_parser *parser, int before,
			    struct grammar_violation *violation);
/* Runs `on violation`, if any, with the environment on the top of the stack, which is taken off. */
void engine_report(struct grammar_parser *parser, int before, struct grammar_violation *violation);

/* BROKEN, with these words. */
enum grammar_verdict engine_break(struct grammar_violation *violation, const char *why);

/*
 * What the names in an assertion are: "get.tid = 1, release.tid = 2". Its arguments lie on the stack
 * from `base` on, the environment first. To be freed.
 */
char *engine_show_values(struct grammar_parser *parser, uint32_t code, int base);
void engine_forget_shown(struct grammar_parser *parser);

#endif

/*
 * The interface of a parsing engine. An engine parses one session at a time; word.c handles resets
 * and verdicts, and ll1.c and earley.c are the engines.
 *
 * The Lua state of a parser holds the compiled codes, one registry reference for each of
 * grammar->codes. An engine calls a code with the session's environment, the tables of the code's
 * slots, and `session`.
 */
#ifndef GRAMMAR_ENGINE_H
#define GRAMMAR_ENGINE_H

#include "grammar/word.h"

struct grammar_parser {
	const struct grammar *grammar;
	struct script *script;
	int *codes; /* by code: a registry reference */
	const struct engine *engine;
	void *shared; /* data of the engine that all sessions share */
	/*
	 * References to the head, to `on violation` and, by event, to its reset condition.
	 * LUA_NOREF: the grammar has none.
	 */
	int attributes, on_violation;
	int *resets;
	bool uses_session; /* some code or reset condition names `session` */
	/* by code: the expressions that engine_show_values() has compiled */
	struct engine_shown *shown;
};

/*
 * The parameter `before` is a reference to the attributes of the previous session (`session` in the
 * code), or LUA_NOREF for none. The engine reads it and does not own it. An engine that returns
 * VIOLATED has called engine_report() with the environment of the walk that failed.
 */
struct engine {
	bool (*open)(struct grammar_parser *parser, struct err *err); /* sets `shared` */
	void (*close)(struct grammar_parser *parser);

	/*
	 * Starts a session. Returns NULL if the head's attributes cannot be evaluated, and sets
	 * `violation->why`.
	 */
	void *(*begin)(struct grammar_parser *parser, int before,
		       struct grammar_violation *violation);
	/*
	 * Adds an event. VIOLATED: the event does not fit here, or an assertion that was reached
	 * fails. If the event does not fit, the session remains as it was before the event.
	 */
	enum grammar_verdict (*take)(struct grammar_parser *parser, void *session, int before,
				     const struct grammar_token *token,
				     struct grammar_violation *violation);
	/*
	 * Is the session complete, and do its assertions hold? If `goes_on`, the session accepts
	 * more events afterwards, as if a copy had been judged. Otherwise the session is over; if
	 * the verdict is OPEN, `*attributes` is a new reference to the table of the start symbol,
	 * or LUA_NOREF if there is none.
	 */
	enum grammar_verdict (*finish)(struct grammar_parser *parser, void *session, int before,
				       bool goes_on, int *attributes,
				       struct grammar_violation *violation);
	/*
	 * For messages: adds the possible next events to the set `terminals`, in which bit
	 * terminal_count stands for the end of the session.
	 */
	void (*expects)(struct grammar_parser *parser, const void *session, uint64_t *terminals);
	/* Returns NULL and sets `err` if the session is too large to copy. */
	void *(*copy)(struct grammar_parser *parser, const void *session, struct err *err);
	bool (*key)(struct grammar_parser *parser, const void *session, script_buffer *key,
		    struct err *err);
	void (*end)(struct grammar_parser *parser, void *session);
};

extern const struct engine engine_ll1, engine_earley;

/*
 * Calls a code, for both engines. The environment and then the code's arguments are on the top of
 * Lua's stack; the call pops them. If an assertion fails, returns VIOLATED and sets the values of
 * its names in `violation`. If Lua fails, returns BROKEN and sets `violation->why`.
 */
enum grammar_verdict engine_run(struct grammar_parser *parser, uint32_t code,
				struct grammar_violation *violation);
/* Pushes a table with the used attributes of a token. */
void engine_push_token(struct grammar_parser *parser, const struct grammar_token *token);
/*
 * Pushes the value of `session`: a copy, because an action may change it now or keep it and change
 * it later, while other words share the original. Pushes an empty table for LUA_NOREF. Returns
 * false and sets `violation->why` on failure.
 */
bool engine_push_session(struct grammar_parser *parser, int before,
			 struct grammar_violation *violation);
/*
 * Pushes a new environment with the head's attributes. Returns false and sets `violation->why` on
 * failure.
 */
bool engine_push_attributes(struct grammar_parser *parser, int before,
			    struct grammar_violation *violation);
/* Pops the environment and runs `on violation` with it, if the property has one. */
void engine_report(struct grammar_parser *parser, int before, struct grammar_violation *violation);

/* Returns BROKEN and sets `violation->why` to this text. */
enum grammar_verdict engine_break(struct grammar_violation *violation, const char *why);

/*
 * Returns the values of the names in an assertion: "get.tid = 1, release.tid = 2". The assertion's
 * arguments are on Lua's stack from `base` on, the environment first. The caller frees the text.
 */
char *engine_show_values(struct grammar_parser *parser, uint32_t code, int base);
void engine_forget_shown(struct grammar_parser *parser);

#endif

/*
 * Lua for users' actions, shut in (doc/grammars.md, "Lua"): a state with the safe library, bounded
 * instructions and memory, errors that say where in the property file. Values live on Lua's own stack:
 * engines work on it with Lua's functions, and come here for what must be bounded or is ours.
 */
#ifndef SCRIPT_SCRIPT_H
#define SCRIPT_SCRIPT_H

#include "base/err.h"
#include "base/vec.h"

#include <lua5.4/lua.h>
#include <stdint.h>

struct script_limits {
	uint64_t instructions; /* of one call */
	size_t memory;	       /* of the whole state */
};
#define SCRIPT_INSTRUCTIONS 10000000u
#define SCRIPT_MEMORY ((size_t)256 << 20)

struct script;

/* NULL limits: the ones above. */
struct script *script_open(const struct script_limits *limits);
void script_close(struct script *script);
lua_State *script_lua(struct script *script);

/* Where a piece of Lua stands in its property file. */
struct script_place {
	const char *file;
	uint32_t line, column;
};

/*
 * A function whose parameters are `names`, in that order, behind its environment: the names that the
 * text uses freely are fields of the table that is its first argument. `expression`: its value is the
 * result; otherwise it is a chunk, without results. Left in the registry; the reference is good until
 * the script is closed. False: `err` has the place and what is wrong.
 */
bool script_compile(struct script *script, const char *text, const struct script_place *place,
		    const char *const *names, size_t count, bool expression, int *reference,
		    struct err *err);

/*
 * Calls the function below its `arguments` on the stack, as lua_call does, within the limits. False:
 * everything of the call is off the stack and `err` says file, line and what.
 */
bool script_call(struct script *script, int arguments, int results, struct err *err);

/* Pushes an empty environment: what it lacks is looked for in the library. */
void script_push_environment(struct script *script);

/* A captured value. */
enum script_type { SCRIPT_NIL, SCRIPT_BOOLEAN, SCRIPT_INTEGER, SCRIPT_REAL, SCRIPT_TEXT };
struct script_value {
	uint8_t type;
	uint32_t length; /* TEXT */
	union {
		int64_t integer; /* and BOOLEAN */
		double real;
		const char *text; /* whoever gives the value owns it */
	};
};
void script_push_value(struct script *script, const struct script_value *value);

/*
 * What is on the top of the stack is replaced by a copy of it, all the way down; what is one table in
 * it is one table in the copy, environments stay environments. False: it is too deep or too large.
 */
bool script_copy(struct script *script, struct err *err);
/*
 * Appends a text that is equal for equal values: content, and which tables are the same one. Takes
 * nothing off the stack. False: there is something in it that cannot be compared.
 */
typedef VEC(char) script_key_text;
bool script_key(struct script *script, script_key_text *key, struct err *err);
/* A value for people, on one line and of bounded length: {1: 2, "a": true}. To be freed. */
char *script_show(struct script *script, int index);

/* What `report` was called with since the last time, one text a call; to be freed. */
typedef VEC(char *) script_reports;
void script_take_reports(struct script *script, script_reports *out);

/*
 * An expression of C, or of Lua (doc/grammars.md, "assert"), as one of Lua whose value is true or
 * false. To be freed. NULL: `err` says what is wrong, and `*at` is the byte of the text.
 */
char *script_condition(const char *text, size_t *at, struct err *err);

/*
 * The names that a piece of Lua uses freely or not: identifiers that are no keywords, no fields
 * behind . or : and no keys of a table constructor; each once, in the order of the text; with the byte
 * of the first use. Strings and comments are skipped. For scopes: it may name too many (locals), never
 * too few. To be freed with their texts.
 */
struct script_name {
	char *name;
	size_t at;
	bool assigned; /* some use of it stands left of an assignment by itself (x =, x, y =) */
};
typedef VEC(struct script_name) script_names;
void script_find_names(const char *text, script_names *out);
void script_names_free(script_names *names);

#endif

/*
 * Sandboxed Lua for users' actions (doc/grammars.md, "Lua"). A `struct script` is a Lua state with
 * a safe library, limits on instructions and memory, and errors that give the location in the
 * property file. Values live on Lua's own stack. The grammar engines use Lua's C API on it, and
 * this interface for operations that need limits or that Lua does not have.
 */
#ifndef SCRIPT_SCRIPT_H
#define SCRIPT_SCRIPT_H

#include "base/err.h"
#include "base/vec.h"

#include <lua5.4/lua.h>
#include <stdint.h>

struct script_limits {
	uint64_t instructions; /* maximum per call */
	size_t memory;	       /* maximum bytes of the whole Lua state */
};
#define SCRIPT_INSTRUCTIONS 10000000u
#define SCRIPT_MEMORY ((size_t)256 << 20)

struct script;

/* Opens a script. NULL means the default limits above. */
struct script *script_open(const struct script_limits *limits);
void script_close(struct script *script);
lua_State *script_lua(struct script *script);

/* Where a piece of Lua is in its property file. */
struct script_location {
	const char *file;
	uint32_t line, column;
};

/*
 * Compiles `text` to a function in Lua's registry. `*reference` is the function's reference, valid
 * until the script is closed. The function's first parameter is its environment, a table whose
 * fields are the free names in the text. Its further parameters are `names`, in that order. If
 * `expression` is set, the text is an expression and the function returns its value; otherwise the
 * text is a chunk and the function returns nothing. Returns false if the text does not compile;
 * `err` then has the location and the reason.
 */
bool script_compile(struct script *script, const char *text, const struct script_location *location,
		    const char *const *names, size_t count, bool expression, int *reference,
		    struct err *err);

/*
 * Calls the function that lies below its `arguments` on the stack, as lua_call() does, but within
 * the limits. Returns false on an error: the function and its arguments have then been removed from
 * the stack, and `err` has the file, the line and the reason.
 */
bool script_call(struct script *script, int arguments, int results, struct err *err);

/*
 * Pushes an empty environment. Names that are not in the environment are looked up in the library.
 */
void script_push_environment(struct script *script);

/* A value captured at an event. */
enum script_type { SCRIPT_NIL, SCRIPT_BOOLEAN, SCRIPT_INTEGER, SCRIPT_REAL, SCRIPT_TEXT };
struct script_value {
	uint8_t type;
	uint32_t length; /* TEXT: bytes */
	union {
		int64_t integer; /* also for BOOLEAN */
		double real;
		const char *text; /* belongs to the caller */
	};
};
void script_push_value(struct script *script, const struct script_value *value);

/*
 * Replaces the value on the top of the stack by a deep copy. If a table occurs twice in the value,
 * both places of the copy refer to one table. The copy of an environment is an environment. Returns
 * false if the value has too many tables, needs too much memory or contains a function that an
 * action defined.
 */
bool script_copy(struct script *script, struct err *err);
/*
 * Appends a key: a byte string that is the same for equal values. Two values are equal if they have
 * the same content and share tables in the same way. The value is on the top of the stack and stays
 * there. Returns false if the value contains something that cannot be compared.
 */
typedef VEC(char) script_buffer;
bool script_key(struct script *script, script_buffer *key, struct err *err);
/*
 * Formats the value at `index` for reports, on one line of bounded length: {1: 2, "a": true}. The
 * caller frees the text.
 */
char *script_show(struct script *script, int index);

/*
 * Moves the lines that the library function `report` has added since the last call to `out`, one
 * line for each use of `report`. The caller frees them.
 */
typedef VEC(char *) script_reports;
void script_take_reports(struct script *script, script_reports *out);

/*
 * Translates a condition, an expression in C with additions from Lua (doc/grammars.md, "assert"),
 * to a Lua expression whose value is true or false. The caller frees it. Returns NULL if the text
 * is invalid: `err` has the reason, and `*at` the offset in the text.
 */
char *script_translate_condition(const char *text, size_t *at, struct err *err);

/*
 * Lists the names that a piece of Lua uses: identifiers except keywords, fields after . or :, and
 * keys in table constructors. Each name appears once, in the order of the text, with the offset of
 * its first use. Strings and comments are skipped. The list may contain too many names (locals) but
 * never too few, which is what scope rules need. The caller frees it with script_names_free().
 */
struct script_name {
	char *name;
	size_t at;
	bool assigned; /* some assignment has just the name on its left (x =, x, y =) */
};
typedef VEC(struct script_name) script_names;
void script_find_names(const char *text, script_names *out);
void script_names_free(script_names *names);

#endif

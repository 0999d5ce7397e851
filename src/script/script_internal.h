/* Declarations that the files in src/script share. Other folders must not include this file. */
#ifndef SCRIPT_SCRIPT_INTERNAL_H
#define SCRIPT_SCRIPT_INTERNAL_H

#include "base/map.h"
#include "script/script.h"

#include <string.h>

/* Why a call was stopped. */
enum script_stop {
	SCRIPT_NOT_STOPPED,
	SCRIPT_STOP_INSTRUCTIONS,
	SCRIPT_STOP_TIME,
	SCRIPT_STOP_MEMORY,
	SCRIPT_STOP_TEXT,
};

/*
 * The kind of a table, identified by its metatable. Actions cannot set other metatables, because
 * the library has no setmetatable. A LIST differs from a PLAIN table only in how it is printed.
 */
enum script_kind { SCRIPT_ENVIRONMENT, SCRIPT_GRAPH, SCRIPT_LIST, SCRIPT_KINDS, SCRIPT_PLAIN };

/*
 * A scalar Lua value (a number, a string or a truth value), such as a table key or a graph node. It
 * can be compared without Lua. It is valid as long as the table contains the value.
 */
struct script_scalar {
	uint8_t type; /* LUA_TNUMBER, … */
	bool is_real;
	union {
		lua_Integer integer;
		lua_Number real;
		const char *text;
		bool boolean;
	};
	size_t length;
};
typedef VEC(struct script_scalar) script_scalars;

/* Numbers of tables, from 0, in the order in which a traversal finds them. */
struct script_table_numbers {
	VEC(const void *) list;
	struct map numbers; /* key: address; value: number; used only if there are many tables */
};

#define SCRIPT_SHOWN_DEPTH 8u

struct script {
	lua_State *lua;
	struct script_limits limits;
	size_t used; /* bytes allocated now */

	/* State of the current call. */
	bool running;
	int64_t budget;	     /* instructions left */
	uint64_t charged;    /* instructions charged by C functions since the clock was last read */
	uint8_t stop;	     /* enum script_stop */
	char stopped_at[80]; /* location in Lua's format, "source:line: " */
	/*
	 * `collected`: in this call a block was refused, so that Lua collected garbage. `asking`:
	 * Lua has not requested this block again yet.
	 */
	bool collected, asking;
	/*
	 * in ns: the monotonic time of the last check; the CPU time of the first check, 0 before it
	 */
	int64_t looked, started;

	int metatables[SCRIPT_KINDS];	 /* references in the registry */
	const void *kinds[SCRIPT_KINDS]; /* the same metatables, as lua_topointer() returns them */
	VEC(char *) files;		 /* property files of the compiled pieces */
	script_reports reports;

	/*
	 * Temporary buffers. They are here because a Lua error longjmps out of C functions, which
	 * would leak memory that the functions own.
	 */
	script_scalars keys[SCRIPT_SHOWN_DEPTH];
	struct script_table_numbers seen;
	script_buffer text;
};

static inline struct script *script_of(lua_State *lua)
{
	return *(struct script **)lua_getextraspace(lua);
}

static inline void script_append_bytes(script_buffer *text, const void *bytes, size_t count)
{
	if (text->room - text->count < count)
		(void)vec_reserve(text, count);
	if (count)
		memcpy(text->items + text->count, bytes, count);
	text->count += count;
}

static inline void script_append(script_buffer *text, const char *more)
{
	script_append_bytes(text, more, strlen(more));
}

/* Like script_call(), but for C functions: limits memory and does not count instructions. */
bool script_call_plain(struct script *script, int arguments, int results, struct err *err);

/* ---- limits.c -------------------------------------------------------------------------------- */

#define SCRIPT_TEXT_MOST ((size_t)64 << 10) /* bytes in one string */

void *script_allocate(void *script, void *old, size_t old_size, size_t size);
/*
 * Start and end a call within the limits. If `counted`, instructions are counted: for calls of Lua
 * code.
 */
void script_begin_call(struct script *script, bool counted);
void script_end_call(struct script *script);
/*
 * Adds the work of a C function, `steps` instructions, to the current call. Raises a Lua error if
 * that exceeds a limit.
 */
void script_charge(lua_State *lua, uint64_t steps);
/* A message handler for lua_pcall(): adds the location to errors that C functions raised. */
int script_add_location(lua_State *lua);
/*
 * The first character of a location in Lua's messages. Lua truncates long file names, so a chunk is
 * named by this character and the number of its file; see script.c.
 */
#define SCRIPT_MARK "\001"
/* Writes the message for the current stop to `text`: which limit was exceeded and what to do. */
const char *script_stop_message(const struct script *script, char *text, size_t size);

/* ---- library.c, map_library.c, graph_library.c, string_library.c, list_library.c ------------- */

/* Creates the library and the metatables. */
void script_open_library(struct script *script);
int script_new_graph(lua_State *lua);
int script_pairs(lua_State *lua);
int script_next(lua_State *lua);
int script_count(lua_State *lua);
int script_bump(lua_State *lua);
/* Is the table at `index` empty? `index` must be absolute, not relative to the top of the stack. */
bool script_is_empty(lua_State *lua, int index);
/* Raises a Lua error: keys of this type have no order. */
int script_fail_order(lua_State *lua, int type);
void script_push_graph_metatable(lua_State *lua);
/*
 * Copies the fields called `names` from the second table on the stack to the table on the top. NULL
 * ends the names.
 */
void script_copy_fields(lua_State *lua, const char *const *names);
/* Both push a table of functions. */
void script_push_string_library(lua_State *lua);
void script_push_table_library(lua_State *lua);

/* ---- values.c, value_text.c ------------------------------------------------------------------ */

/*
 * Replaces the value on the top of the stack by its copy, or raises a Lua error. For use by the
 * library inside a call.
 */
void script_copy_top(lua_State *lua);
/* Appends the value to `text` as it is printed. If `plain`, strings have no quotes. */
void script_append_printed(lua_State *lua, int index, bool plain, script_buffer *text);

/* Sets the metatable of the table on the top of the stack. */
void script_set_kind(lua_State *lua, enum script_kind kind);
/* Returns the kind of the table at `index`. */
enum script_kind script_kind_of(lua_State *lua, int index);

/* ---- key_order.c ----------------------------------------------------------------------------- */

/*
 * Lists the keys of the table at `index` in order: numbers, strings, truth values. Returns false if
 * a key has no order: `*odd` is then the type of such a key, and `keys` has all the other keys.
 */
bool script_order_keys(lua_State *lua, int index, script_scalars *keys, int *odd);
int script_compare_scalars(const struct script_scalar *a, const struct script_scalar *b);
/* Converts the value at `index`. Returns false if its type has no order. */
bool script_to_scalar(lua_State *lua, int index, struct script_scalar *key);
void script_push_scalar(lua_State *lua, const struct script_scalar *key);

#endif

/* What the files of src/script share; nobody else includes it. */
#ifndef SCRIPT_SCRIPT_INTERNAL_H
#define SCRIPT_SCRIPT_INTERNAL_H

#include "base/map.h"
#include "script/script.h"

#include <string.h>

/* Why a call was stopped. */
enum script_stop {
	SCRIPT_GOES_ON,
	SCRIPT_STOP_INSTRUCTIONS,
	SCRIPT_STOP_TIME,
	SCRIPT_STOP_MEMORY,
	SCRIPT_STOP_TEXT,
};

/*
 * What a table is, by its metatable. There are no others than ours: the library has no setmetatable.
 * A LIST is only shown as one, otherwise it is PLAIN.
 */
enum script_kind { SCRIPT_ENVIRONMENT, SCRIPT_GRAPH, SCRIPT_LIST, SCRIPT_KINDS, SCRIPT_PLAIN };

/* A key of a table, without Lua: good as long as the table has it. */
struct script_ordered {
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
typedef VEC(struct script_ordered) script_ordered_keys;

/* Tables and their numbers, in the order in which they were seen. */
struct script_seen {
	VEC(const void *) list;
	struct map numbers; /* of all of them, once they are many */
};

#define SCRIPT_SHOWN_DEPTH 8u

struct script {
	lua_State *lua;
	struct script_limits limits;
	size_t used; /* bytes */

	/* of the call that runs */
	bool running;
	int64_t budget;		 /* instructions that are left */
	uint64_t charged;	 /* by functions in C, since the last look at the clock */
	uint8_t stop;		 /* enum script_stop */
	char stopped_at[80];	 /* where, as Lua writes it: "source:line: " */
	bool collected, asking;	 /* Lua collected for want of memory; it asks again behind that */
	int64_t looked, started; /* ns: of the clock when it was last read; of the processor */

	int metatables[SCRIPT_KINDS];	 /* in the registry */
	const void *kinds[SCRIPT_KINDS]; /* the same, as lua_topointer has them */
	VEC(char *) files;		 /* of pieces that were compiled */
	script_reports reports;

	/* Lua's errors jump over whoever had memory of his own: what is needed for a while is here. */
	script_ordered_keys keys[SCRIPT_SHOWN_DEPTH];
	struct script_seen seen;
	script_key_text text;
};

static inline struct script *script_of(lua_State *lua)
{
	return *(struct script **)lua_getextraspace(lua);
}

/* Texts that grow. */
static inline void script_append_bytes(script_key_text *text, const void *bytes, size_t count)
{
	if (text->room - text->count < count)
		(void)vec_reserve(text, count);
	if (count)
		memcpy(text->items + text->count, bytes, count);
	text->count += count;
}

static inline void script_append(script_key_text *text, const char *more)
{
	script_append_bytes(text, more, strlen(more));
}

/* As script_call, for functions in C: bounded memory, no instructions. script.c */
bool script_call_plain(struct script *script, int arguments, int results, struct err *err);

/* ---- limits.c ------------------------------------------------------------------------------- */

#define SCRIPT_TEXT_MOST ((size_t)64 << 10) /* bytes of one text */

void *script_allocate(void *script, void *old, size_t old_size, size_t size);
/* Starts and ends a call within the limits; `counted`: with instructions, for calls of Lua. */
void script_begin(struct script *script, bool counted);
void script_end(struct script *script);
/* For functions in C: this many steps are done in it. Raises Lua's error when that is too much. */
void script_charge(lua_State *lua, uint64_t steps);
/* A message handler for lua_pcall: errors raised in C have no place yet. */
int script_add_place(lua_State *lua);
/* Begins a place in Lua's messages: Lua cuts names of files, so chunks are called by number. script.c */
#define SCRIPT_MARK "\001"
/* What to say of a stop: which limit, and what to do. */
const char *script_stop_words(const struct script *script, char *text, size_t size);

/* ---- library.c, map_library.c, graph_library.c, string_library.c, list_library.c ---------------------------------------------------- */

/* Makes the library and the metatables. */
void script_open_library(struct script *script);
int script_new_graph(lua_State *lua);
int script_pairs(lua_State *lua);
int script_next(lua_State *lua);
int script_count(lua_State *lua);
int script_bump(lua_State *lua);
void script_push_graph_metatable(lua_State *lua);
/* Each pushes a table of functions. */
void script_push_texts(lua_State *lua);
void script_push_lists(lua_State *lua);

/* ---- values.c, value_text.c ------------------------------------------------------------------------ */

/* In a call, for the library: replaces the top by its copy, or raises an error. */
void script_copy_top(lua_State *lua);
/* Puts what a value looks like behind `text`; a text as it is if `plain`. */
void script_append_shown(lua_State *lua, int index, bool plain, script_key_text *text);

/* Sets the metatable of the table on the top. */
void script_set_kind(lua_State *lua, enum script_kind kind);
/* Of a table. */
enum script_kind script_kind_of(lua_State *lua, int index);

/* ---- key_order.c -------------------------------------------------------------------------------- */

/*
 * The keys of the table at `index` in their order: numbers, texts, truth values. False: there is one
 * that has no order, of the type `*odd`; the others are there.
 */
bool script_order_keys(lua_State *lua, int index, script_ordered_keys *keys, int *odd);
int script_compare_keys(const struct script_ordered *a, const struct script_ordered *b);
/* The value at `index` as a key; false: it has no order. */
bool script_to_ordered(lua_State *lua, int index, struct script_ordered *key);
void script_push_ordered(lua_State *lua, const struct script_ordered *key);

#endif

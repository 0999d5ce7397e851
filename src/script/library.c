/*
 * The library that actions can use: functions for grammars, and the parts of Lua's library that
 * affect neither the machine nor the interpreter. A C function that does more than a little work
 * charges it with script_charge(). Actions cannot change the library's tables, so a session leaves
 * nothing except its attributes.
 */
#include "script/script_internal.h"
#include "base/mem.h"

#include <assert.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>

#define REPORTS_MOST 100u

/* ---- reports, strings and errors ------------------------------------------------------------- */

static int add_report(lua_State *lua)
{
	struct script *s = script_of(lua);
	int count = lua_gettop(lua);

	s->text.count = 0;
	for (int i = 1; i <= count; i++) {
		if (i > 1)
			script_append(&s->text, " ");
		script_append_printed(lua, i, true, &s->text);
	}
	if (s->reports.count < REPORTS_MOST)
		*vec_push(&s->reports) = mem_copy_text(s->text.items, s->text.count);
	return 0;
}

static int format_value(lua_State *lua)
{
	struct script *s = script_of(lua);

	luaL_checkany(lua, 1);
	if (lua_type(lua, 1) == LUA_TNUMBER || lua_type(lua, 1) == LUA_TSTRING) {
		lua_tostring(lua, 1);
		lua_pushvalue(lua, 1);
		return 1;
	}
	s->text.count = 0;
	script_append_printed(lua, 1, true, &s->text);
	lua_pushlstring(lua, s->text.items, s->text.count);
	return 1;
}

static int raise_user_error(lua_State *lua)
{
	lua_settop(lua, 1);
	if (lua_isnil(lua, 1))
		lua_pushstring(lua, "error without a message");
	else
		format_value(lua);
	return luaL_error(lua, "%s", lua_tostring(lua, -1));
}

static int reject_assert(lua_State *lua)
{
	return luaL_error(lua, "assert(…) cannot be used in an action: write it outside");
}

/* ---- C's operators and functions ------------------------------------------------------------- */

/* Functions for operators that differ between C and Lua. condition_lua.c writes calls of them. */

static lua_Integer to_signed(lua_Unsigned value)
{
	return (lua_Integer)value;
}

static int c_divide(lua_State *lua)
{
	if (!lua_isinteger(lua, 1) || !lua_isinteger(lua, 2)) {
		lua_pushnumber(lua, luaL_checknumber(lua, 1) / luaL_checknumber(lua, 2));
		return 1;
	}
	lua_Integer a = lua_tointeger(lua, 1), b = lua_tointeger(lua, 2);

	if (!b)
		return luaL_error(lua, "division by 0");
	lua_pushinteger(lua, b == -1 ? to_signed(0 - (lua_Unsigned)a) : a / b);
	return 1;
}

static int c_remainder(lua_State *lua)
{
	lua_Integer a = luaL_checkinteger(lua, 1), b = luaL_checkinteger(lua, 2);

	if (!b)
		return luaL_error(lua, "division by 0");
	lua_pushinteger(lua, b == -1 ? 0 : a % b);
	return 1;
}

static int shift(lua_State *lua, bool left)
{
	lua_Integer a = luaL_checkinteger(lua, 1), b = luaL_checkinteger(lua, 2);

	if (b < 0 || b > 63)
		return luaL_error(lua, "shift by %d: only 0 to 63 are possible",
				  (int)(b < -999  ? -999
					: b > 999 ? 999
						  : b));
	lua_pushinteger(lua, left ? to_signed((lua_Unsigned)a << b) : a >> b);
	return 1;
}

static int c_shift_left(lua_State *lua)
{
	return shift(lua, true);
}

static int c_shift_right(lua_State *lua)
{
	return shift(lua, false);
}

/* C's ==, where a truth value counts as 0 or 1. */
static int c_equal(lua_State *lua)
{
	for (int i = 1; i <= 2; i++) {
		if (lua_type(lua, i) == LUA_TBOOLEAN) {
			lua_pushinteger(lua, lua_toboolean(lua, i));
			lua_replace(lua, i);
		}
	}
	lua_pushboolean(lua, lua_compare(lua, 1, 2, LUA_OPEQ));
	return 1;
}

static int c_strlen(lua_State *lua)
{
	size_t length;

	luaL_checklstring(lua, 1, &length);
	lua_pushinteger(lua, (lua_Integer)length);
	return 1;
}

static int compare_strings(lua_State *lua, size_t most)
{
	size_t a_length, b_length, shorter;
	const char *a = luaL_checklstring(lua, 1, &a_length);
	const char *b = luaL_checklstring(lua, 2, &b_length);
	int order;

	a_length = a_length < most ? a_length : most;
	b_length = b_length < most ? b_length : most;
	shorter = a_length < b_length ? a_length : b_length;
	order = memcmp(a, b, shorter);
	if (!order)
		order = (a_length > b_length) - (a_length < b_length);
	return (order > 0) - (order < 0);
}

static int c_strcmp(lua_State *lua)
{
	lua_pushinteger(lua, compare_strings(lua, SIZE_MAX));
	return 1;
}

static int c_strncmp(lua_State *lua)
{
	lua_Integer most = luaL_checkinteger(lua, 3);

	lua_pushinteger(lua, compare_strings(lua, (size_t)most));
	return 1;
}

/* strstr() as in the filter `if (…)` of an event: returns 1 if found, 0 if not. */
static int c_strstr(lua_State *lua)
{
	size_t length, part_length;
	const char *text = luaL_checklstring(lua, 1, &length);
	const char *part = luaL_checklstring(lua, 2, &part_length);

	lua_pushinteger(lua, memmem(text, length, part, part_length) != NULL);
	return 1;
}

static int c_startswith(lua_State *lua)
{
	size_t length, start_length;
	const char *text = luaL_checklstring(lua, 1, &length);
	const char *start = luaL_checklstring(lua, 2, &start_length);

	lua_pushinteger(lua, start_length <= length && !memcmp(text, start, start_length));
	return 1;
}

/* ---- assembling the library ------------------------------------------------------------------ */

static int reject_change(lua_State *lua)
{
	return luaL_error(lua, "the library cannot be changed");
}

/*
 * Replaces the table on the top of the stack by a userdata that forwards reads to the table.
 * Actions cannot change a userdata, not even with raw access.
 */
static void make_read_only(lua_State *lua)
{
	lua_newuserdatauv(lua, 0, 0);
	lua_createtable(lua, 0, 2);
	lua_rotate(lua, -3, -1);
	lua_setfield(lua, -2, "__index");
	lua_pushcfunction(lua, reject_change);
	lua_setfield(lua, -2, "__newindex");
	lua_setmetatable(lua, -2);
}

void script_copy_fields(lua_State *lua, const char *const *names)
{
	for (; *names; names++) {
		lua_getfield(lua, -2, *names);
		lua_setfield(lua, -2, *names);
	}
}

static void add_base(lua_State *lua)
{
	static const char *const names[] = { "ipairs", "select", "tonumber", "type", NULL };
	static const luaL_Reg ours[] = { { "pairs", script_pairs },
					 { "next", script_next },
					 { "count", script_count },
					 { "bump", script_bump },
					 { "report", add_report },
					 { "tostring", format_value },
					 { "error", raise_user_error },
					 { "assert", reject_assert },
					 { "strlen", c_strlen },
					 { "strcmp", c_strcmp },
					 { "strncmp", c_strncmp },
					 { "strstr", c_strstr },
					 { "startswith", c_startswith },
					 { "__c_divide", c_divide },
					 { "__c_remainder", c_remainder },
					 { "__c_left", c_shift_left },
					 { "__c_right", c_shift_right },
					 { "__c_equal", c_equal },
					 { NULL, NULL } };

	luaopen_base(lua);
	lua_pushvalue(lua, -2);
	script_copy_fields(lua, names);
	luaL_setfuncs(lua, ours, 0);
	lua_pop(lua, 2);
	/* Clear Lua's globals: actions cannot see them and do not need them. */
	lua_newtable(lua);
	lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

static void add_math(lua_State *lua)
{
	static const char *const names[] = { "abs",	   "ceil",	 "floor",     "fmod",
					     "huge",	   "max",	 "min",	      "modf",
					     "maxinteger", "mininteger", "tointeger", "type",
					     "ult",	   "sqrt",	 "exp",	      "log",
					     "pi",	   NULL };

	luaopen_math(lua);
	lua_newtable(lua);
	script_copy_fields(lua, names);
	make_read_only(lua);
	lua_setfield(lua, -3, "math");
	lua_pop(lua, 1);
}

/*
 * Adds the string library and lets strings have methods, as in s:upper(). Does not add Lua's
 * arithmetic on strings.
 */
static void add_string_library(lua_State *lua)
{
	script_push_string_library(lua);
	lua_pushliteral(lua, "");
	lua_createtable(lua, 0, 1);
	lua_pushvalue(lua, -3);
	lua_setfield(lua, -2, "__index");
	lua_setmetatable(lua, -2);
	lua_pop(lua, 1);
	make_read_only(lua);
	lua_setfield(lua, -2, "string");
}

void script_set_kind(lua_State *lua, enum script_kind kind)
{
	lua_rawgeti(lua, LUA_REGISTRYINDEX, script_of(lua)->metatables[kind]);
	lua_setmetatable(lua, -2);
}

bool script_is_empty(lua_State *lua, int table)
{
	lua_pushnil(lua);
	if (!lua_next(lua, table))
		return true;
	lua_pop(lua, 2);
	return false;
}

enum script_kind script_kind_of(lua_State *lua, int index)
{
	struct script *s = script_of(lua);
	const void *metatable;
	int kind;

	if (!lua_getmetatable(lua, index))
		return SCRIPT_PLAIN;
	metatable = lua_topointer(lua, -1);
	lua_pop(lua, 1);
	for (kind = 0; kind < SCRIPT_KINDS && s->kinds[kind] != metatable; kind++)
		;
	assert(kind < SCRIPT_KINDS);
	return (enum script_kind)kind;
}

static void register_metatable(struct script *s, enum script_kind kind)
{
	s->kinds[kind] = lua_topointer(s->lua, -1);
	s->metatables[kind] = luaL_ref(s->lua, LUA_REGISTRYINDEX);
}

void script_open_library(struct script *s)
{
	lua_State *lua = s->lua;

	lua_newtable(lua);
	add_base(lua);
	add_math(lua);
	add_string_library(lua);
	script_push_table_library(lua);
	make_read_only(lua);
	lua_setfield(lua, -2, "table");
	lua_pushcfunction(lua, script_new_graph);
	lua_setfield(lua, -2, "graph");

	lua_createtable(lua, 0, 1);
	lua_rotate(lua, -2, 1);
	lua_setfield(lua, -2, "__index");
	register_metatable(s, SCRIPT_ENVIRONMENT);
	script_push_graph_metatable(lua);
	register_metatable(s, SCRIPT_GRAPH);
	lua_newtable(lua);
	register_metatable(s, SCRIPT_LIST);
}

/*
 * Library functions on lists and other tables. They replace Lua's own: those can run for a long
 * time without a check of the limits, and Lua's sort uses random numbers.
 */
#include "script/script_internal.h"

#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>

#define EQUAL_DEPTH 100

static lua_Integer length_of(lua_State *lua, int index)
{
	luaL_checktype(lua, index, LUA_TTABLE);
	return (lua_Integer)lua_rawlen(lua, index);
}

static void charge_moves(lua_State *lua, lua_Integer from, lua_Integer to)
{
	if (to > from)
		script_charge(lua, (uint64_t)(to - from));
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* insert(list, value) or insert(list, at, value) */
static int insert_item(lua_State *lua)
{
	lua_Integer length = length_of(lua, 1), at = length + 1;

	if (lua_gettop(lua) == 3) {
		at = luaL_checkinteger(lua, 2);
		luaL_argcheck(lua, at >= 1 && at <= length + 1, 2, "position out of range");
		charge_moves(lua, at, length);
		for (lua_Integer i = length; i >= at; i--) {
			lua_rawgeti(lua, 1, i);
			lua_rawseti(lua, 1, i + 1);
		}
	} else if (lua_gettop(lua) != 2) {
		return luaL_error(lua, "use insert(list, value) or insert(list, at, value)");
	}
	lua_rawseti(lua, 1, at);
	return 0;
}

/*
 * remove(list) removes the last item, remove(list, at) the item at that position. Returns the
 * removed item, or nothing if there was none.
 */
static int remove_item(lua_State *lua)
{
	lua_Integer length = length_of(lua, 1), at = luaL_optinteger(lua, 2, length);

	if (at < 1 || at > length)
		return 0;
	lua_rawgeti(lua, 1, at);
	charge_moves(lua, at, length);
	for (; at < length; at++) {
		lua_rawgeti(lua, 1, at + 1);
		lua_rawseti(lua, 1, at);
	}
	lua_pushnil(lua);
	lua_rawseti(lua, 1, length);
	return 1;
}

static int unpack_list(lua_State *lua)
{
	lua_Integer from = luaL_optinteger(lua, 2, 1), to;
	lua_Unsigned count;

	to = lua_isnoneornil(lua, 3) ? length_of(lua, 1) : luaL_checkinteger(lua, 3);
	luaL_checktype(lua, 1, LUA_TTABLE);
	if (from > to)
		return 0;
	count = (lua_Unsigned)to - (lua_Unsigned)from;
	if (count >= 1000000 || !lua_checkstack(lua, (int)count + 1))
		return luaL_error(lua, "too many results");
	script_charge(lua, count);
	for (lua_Unsigned i = 0; i <= count; i++)
		lua_rawgeti(lua, 1, from + (lua_Integer)i);
	return (int)count + 1;
}

static int concat_list(lua_State *lua)
{
	size_t separator_length, total = 0;
	lua_Integer length = length_of(lua, 1);
	const char *separator = luaL_optlstring(lua, 2, "", &separator_length);
	lua_Integer from = luaL_optinteger(lua, 3, 1), to = luaL_optinteger(lua, 4, length);
	luaL_Buffer made;

	luaL_buffinit(lua, &made);
	for (lua_Integer i = from; i <= to; i++) {
		int type = lua_rawgeti(lua, 1, i);

		if (type != LUA_TSTRING && type != LUA_TNUMBER)
			return luaL_error(lua,
					  "the list contains a %s: expected strings and numbers",
					  lua_typename(lua, type));
		total += lua_rawlen(lua, -1) + separator_length;
		if (total > SCRIPT_TEXT_MOST + separator_length)
			return luaL_error(lua, "string would be longer than %d bytes",
					  (int)SCRIPT_TEXT_MOST);
		luaL_addvalue(&made);
		if (i < to)
			luaL_addlstring(&made, separator, separator_length);
		if (i == to) /* avoids the overflow of ++i if `to` is the greatest integer */
			break;
		script_charge(lua, 1);
	}
	luaL_pushresult(&made);
	return 1;
}

/* ---- sorting --------------------------------------------------------------------------------- */

/*
 * Must the value at stack index `a` come before the value at `b`? Calls the comparison function in
 * argument 2, or uses < if there is none.
 */
static bool is_before(lua_State *lua, int a, int b)
{
	bool before;

	script_charge(lua, 2);
	if (lua_isnil(lua, 2))
		return lua_compare(lua, a, b, LUA_OPLT);
	a = lua_absindex(lua, a);
	b = lua_absindex(lua, b);
	lua_pushvalue(lua, 2);
	lua_pushvalue(lua, a);
	lua_pushvalue(lua, b);
	lua_call(lua, 2, 1);
	before = lua_toboolean(lua, -1);
	lua_pop(lua, 1);
	return before;
}

/* Merges two adjacent sorted ranges in `from`, [low, middle) and [middle, high), into `to`. */
static void merge_ranges(lua_State *lua, int from, int to, lua_Integer low, lua_Integer middle,
			 lua_Integer high)
{
	lua_Integer left = low, right = middle;

	for (lua_Integer i = low; i < high; i++) {
		bool take_right = left >= middle;

		if (left < middle && right < high) {
			lua_rawgeti(lua, from, left);
			lua_rawgeti(lua, from, right);
			take_right = is_before(lua, -1, -2);
			lua_pop(lua, 2);
		}
		lua_rawgeti(lua, from, take_right ? right++ : left++);
		lua_rawseti(lua, to, i);
	}
}

/*
 * Merge sort: stable, never quadratic, and safe even if the comparison function contradicts itself.
 */
static int sort_list(lua_State *lua)
{
	lua_Integer length = length_of(lua, 1);
	int from = 1, to = 3;

	lua_settop(lua, 2);
	if (!lua_isnil(lua, 2))
		luaL_checktype(lua, 2, LUA_TFUNCTION);
	script_charge(lua, (uint64_t)length);
	lua_createtable(lua, (int)length, 0);
	for (lua_Integer width = 1; width < length; width *= 2) {
		for (lua_Integer low = 1; low <= length; low += 2 * width) {
			lua_Integer middle = low + width, high = low + 2 * width;

			middle = middle < length + 1 ? middle : length + 1;
			high = high < length + 1 ? high : length + 1;
			merge_ranges(lua, from, to, low, middle, high);
		}
		from = 4 - from;
		to = 4 - to;
	}
	for (lua_Integer i = 1; from != 1 && i <= length; i++) {
		lua_rawgeti(lua, from, i);
		lua_rawseti(lua, 1, i);
	}
	return 0;
}

/* ---- whole tables ---------------------------------------------------------------------------- */

/* Returns the keys of a table in order, as a list. */
static int list_keys(lua_State *lua)
{
	script_scalars *found = &script_of(lua)->keys[0];
	int odd;

	luaL_checktype(lua, 1, LUA_TTABLE);
	if (!script_order_keys(lua, 1, found, &odd))
		return script_fail_order(lua, odd);
	lua_createtable(lua, (int)found->count, 0);
	script_set_kind(lua, SCRIPT_LIST);
	for (size_t i = 0; i < found->count; i++) {
		script_push_scalar(lua, &found->items[i]);
		lua_rawseti(lua, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int copy_value(lua_State *lua)
{
	lua_settop(lua, 1);
	script_copy_top(lua);
	return 1;
}

static bool is_equal(lua_State *lua, int a, int b, int depth)
{
	int64_t more = 0;
	bool same = true;

	script_charge(lua, 1);
	a = lua_absindex(lua, a);
	b = lua_absindex(lua, b);
	if (!lua_istable(lua, a) || !lua_istable(lua, b) || lua_rawequal(lua, a, b))
		return lua_rawequal(lua, a, b);
	if (depth > EQUAL_DEPTH)
		luaL_error(lua, "tables are nested too deeply");
	luaL_checkstack(lua, 8, "tables are nested too deeply");
	lua_pushnil(lua);
	while (same && lua_next(lua, a)) {
		more++;
		lua_pushvalue(lua, -2);
		lua_rawget(lua, b);
		same = is_equal(lua, -1, -2, depth + 1);
		lua_pop(lua, same ? 2 : 3);
	}
	if (!same)
		return false;
	lua_pushnil(lua);
	while (more >= 0 && lua_next(lua, b)) {
		lua_pop(lua, more ? 1 : 2);
		more--;
	}
	return more == 0;
}

static int compare_values(lua_State *lua)
{
	luaL_checkany(lua, 2);
	lua_pushboolean(lua, is_equal(lua, 1, 2, 0));
	return 1;
}

void script_push_table_library(lua_State *lua)
{
	static const luaL_Reg functions[] = {
		{ "insert", insert_item }, { "remove", remove_item },	{ "unpack", unpack_list },
		{ "concat", concat_list }, { "sort", sort_list },	{ "keys", list_keys },
		{ "copy", copy_value },	   { "equal", compare_values }, { NULL, NULL }
	};

	luaL_newlib(lua, functions);
	luaopen_table(lua);
	lua_getfield(lua, -1, "pack");
	lua_setfield(lua, -3, "pack");
	lua_pop(lua, 1);
}

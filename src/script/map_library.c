/*
 * Library functions on tables as maps: iteration in the order of the keys, `count`, and the nested
 * counters of `bump`.
 */
#include "script/script_internal.h"

#include <lua5.4/lauxlib.h>

/* ---- iteration in order ---------------------------------------------------------------------- */

int script_fail_order(lua_State *lua, int odd)
{
	return luaL_error(
		lua, "a %s is used as a key: only numbers, strings, true and false have an order",
		lua_typename(lua, odd));
}

/*
 * The upvalues of an iterator: the table, the position, the number of keys, and the keys. A list
 * (keys 1, 2, 3, …) needs no keys. Up to FEW keys have one upvalue each; more keys are in one
 * table. Keys that are removed during the iteration are skipped.
 */
enum { TABLE = 1, AT, COUNT, KEYS };
#define FEW 16u

static int push_next_pair(lua_State *lua, void push_key(lua_State *lua, lua_Integer at))
{
	lua_Integer at = lua_tointeger(lua, lua_upvalueindex(AT));
	lua_Integer count = lua_tointeger(lua, lua_upvalueindex(COUNT));

	while (at < count) {
		push_key(lua, ++at);
		lua_pushvalue(lua, -1);
		if (lua_rawget(lua, lua_upvalueindex(TABLE)) != LUA_TNIL) {
			lua_pushinteger(lua, at);
			lua_replace(lua, lua_upvalueindex(AT));
			return 2;
		}
		lua_pop(lua, 2);
	}
	return 0;
}

static void push_key_of_few(lua_State *lua, lua_Integer at)
{
	lua_pushvalue(lua, lua_upvalueindex(KEYS - 1 + (int)at));
}

static void push_key_of_many(lua_State *lua, lua_Integer at)
{
	lua_rawgeti(lua, lua_upvalueindex(KEYS), at);
}

static int next_in_list(lua_State *lua)
{
	return push_next_pair(lua, lua_pushinteger);
}

static int next_of_few(lua_State *lua)
{
	return push_next_pair(lua, push_key_of_few);
}

static int next_of_many(lua_State *lua)
{
	return push_next_pair(lua, push_key_of_many);
}

/* Are the keys 1, 2, 3, …? */
static bool are_list_keys(const script_scalars *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		if (keys->items[i].type != LUA_TNUMBER || keys->items[i].is_real ||
		    keys->items[i].integer != (lua_Integer)i + 1)
			return false;
	return true;
}

/*
 * The iterator for a table with at most one key. The loop calls it twice: first with nil, before
 * the loop body can change the table, and then with the key, which ends the loop.
 */
static int next_of_one(lua_State *lua)
{
	if (!lua_isnil(lua, 2))
		return 0;
	return lua_next(lua, 1) ? 2 : 0;
}

/*
 * Pushes an iterator over the keys in order. Actions iterate at each event, mostly over small
 * tables, so a small table needs at most one allocation.
 */
int script_pairs(lua_State *lua)
{
	script_scalars *keys = &script_of(lua)->keys[0];
	int odd;

	luaL_checktype(lua, 1, LUA_TTABLE);
	if (!script_order_keys(lua, 1, keys, &odd))
		return script_fail_order(lua, odd);
	if (keys->count <= 1) {
		lua_pushcfunction(lua, next_of_one);
		lua_pushvalue(lua, 1);
		return 2;
	}
	lua_settop(lua, 1);
	lua_pushinteger(lua, 0);
	lua_pushinteger(lua, (lua_Integer)keys->count);
	if (are_list_keys(keys)) {
		lua_pushcclosure(lua, next_in_list, COUNT);
	} else if (keys->count <= FEW) {
		luaL_checkstack(lua, FEW, NULL);
		for (size_t i = 0; i < keys->count; i++)
			script_push_scalar(lua, &keys->items[i]);
		lua_pushcclosure(lua, next_of_few, COUNT + (int)keys->count);
	} else {
		lua_createtable(lua, (int)keys->count, 0);
		for (size_t i = 0; i < keys->count; i++) {
			script_push_scalar(lua, &keys->items[i]);
			lua_rawseti(lua, KEYS, (lua_Integer)i + 1);
		}
		lua_pushcclosure(lua, next_of_many, KEYS);
	}
	return 1;
}

/*
 * next(table, key): returns the first key, or the first key after `key`, with its value. Examines
 * every key.
 */
int script_next(lua_State *lua)
{
	struct script_scalar previous, key, best = { 0 };
	uint64_t looked = 0;
	bool from_start = lua_isnoneornil(lua, 2), found = false;

	luaL_checktype(lua, 1, LUA_TTABLE);
	if (!from_start && !script_to_scalar(lua, 2, &previous))
		return script_fail_order(lua, lua_type(lua, 2));
	lua_pushnil(lua);
	while (lua_next(lua, 1)) {
		looked++;
		lua_pop(lua, 1);
		if (!script_to_scalar(lua, -1, &key))
			return script_fail_order(lua, lua_type(lua, -1));
		if ((from_start || script_compare_scalars(&key, &previous) > 0) &&
		    (!found || script_compare_scalars(&key, &best) < 0)) {
			best = key;
			found = true;
		}
	}
	script_charge(lua, looked);
	if (!found)
		return 0;
	script_push_scalar(lua, &best);
	lua_pushvalue(lua, -1);
	lua_rawget(lua, 1);
	return 2;
}

int script_count(lua_State *lua)
{
	lua_Integer found = 0;

	luaL_checktype(lua, 1, LUA_TTABLE);
	lua_pushnil(lua);
	while (lua_next(lua, 1)) {
		lua_pop(lua, 1);
		found++;
	}
	script_charge(lua, (uint64_t)found);
	lua_pushinteger(lua, found);
	return 1;
}

/* ---- bump ------------------------------------------------------------------------------------ */

/*
 * Pushes the map that the map on the top of the stack has under the key at index `key`. Creates it
 * if there is none.
 */
static void push_inner_map(lua_State *lua, int key)
{
	lua_pushvalue(lua, key);
	if (lua_rawget(lua, -2) == LUA_TTABLE)
		return;
	if (!lua_isnil(lua, -1))
		luaL_error(lua, "expected a map to count in, found a %s", luaL_typename(lua, -1));
	lua_pop(lua, 1);
	lua_createtable(lua, 0, 1);
	lua_pushvalue(lua, key);
	lua_pushvalue(lua, -2);
	lua_rawset(lua, -4);
}

static void check_bump_arguments(lua_State *lua, int last)
{
	if (last < 3)
		luaL_error(lua, "bump(map, key…, n) needs a map, at least one key and a number");
	luaL_checktype(lua, 1, LUA_TTABLE);
	for (int i = 2; i < last; i++)
		if (lua_isnil(lua, i))
			luaL_error(lua, "a key is nil: it was not recorded or never set");
	luaL_checktype(lua, last, LUA_TNUMBER);
	luaL_checkstack(lua, last + 4, "too many keys");
}

/*
 * bump(map, a, b, n): map[a][b] += n. A counter that becomes 0 is removed, and so is each map that
 * becomes empty.
 */
int script_bump(lua_State *lua)
{
	int last = lua_gettop(lua), key = last - 1, inner;

	check_bump_arguments(lua, last);
	/*
	 * The maps are pushed at stack indices from last + 1 on. Argument i is a key of the map at
	 * last + i - 1.
	 */
	lua_pushvalue(lua, 1);
	for (int i = 2; i < key; i++)
		push_inner_map(lua, i);
	inner = lua_gettop(lua);
	lua_pushvalue(lua, last);
	lua_pushvalue(lua, key);
	if (lua_rawget(lua, inner) == LUA_TNUMBER)
		lua_arith(lua, LUA_OPADD);
	else if (lua_isnil(lua, -1))
		lua_pop(lua, 1);
	else
		luaL_error(lua, "the old value must be a number, but is a %s",
			   luaL_typename(lua, -1));
	lua_pushvalue(lua, key);
	if (lua_tonumber(lua, -2) != 0) {
		lua_pushvalue(lua, -2);
		lua_rawset(lua, inner);
		return 1;
	}
	lua_pushnil(lua);
	lua_rawset(lua, inner);
	for (int map = inner, of = key - 1; of >= 2 && script_is_empty(lua, map); map--, of--) {
		lua_pushvalue(lua, of);
		lua_pushnil(lua);
		lua_rawset(lua, map - 1);
	}
	return 1;
}

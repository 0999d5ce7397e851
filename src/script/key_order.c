/*
 * Lists the keys of a table in an order that depends only on the keys. Lua's own order depends on
 * addresses and on a random seed. Numbers come first (integers and floats by value), then strings
 * (by their bytes), then false and true. Tables and functions as keys have no order.
 */
#include "script/script_internal.h"

#include "base/sort.h"

bool script_to_scalar(lua_State *lua, int index, struct script_scalar *key)
{
	*key = (struct script_scalar){ .type = (uint8_t)lua_type(lua, index) };
	switch (key->type) {
	case LUA_TNUMBER:
		key->is_real = !lua_isinteger(lua, index);
		if (key->is_real)
			key->real = lua_tonumber(lua, index);
		else
			key->integer = lua_tointeger(lua, index);
		return true;
	case LUA_TSTRING: key->text = lua_tolstring(lua, index, &key->length); return true;
	case LUA_TBOOLEAN: key->boolean = lua_toboolean(lua, index); return true;
	default: return false;
	}
}

void script_push_scalar(lua_State *lua, const struct script_scalar *key)
{
	if (key->type == LUA_TSTRING)
		lua_pushlstring(lua, key->text, key->length);
	else if (key->type == LUA_TBOOLEAN)
		lua_pushboolean(lua, key->boolean);
	else if (key->is_real)
		lua_pushnumber(lua, key->real);
	else
		lua_pushinteger(lua, key->integer);
}

/*
 * Compares an integer with a float. They are never equal, because Lua converts a float key with an
 * integral value to an integer. But a float may be close to a large integer.
 */
static int compare_mixed(lua_Integer a, lua_Number b)
{
	if (b >= 0x1p63)
		return -1;
	if (b < -0x1p63)
		return 1;
	lua_Integer whole = (lua_Integer)b; /* rounds towards 0 */
	if (a != whole)
		return a < whole ? -1 : 1;
	return sort_order((lua_Number)whole, b);
}

static int compare_numbers(const struct script_scalar *a, const struct script_scalar *b)
{
	if (!a->is_real && !b->is_real)
		return sort_order(a->integer, b->integer);
	if (a->is_real && b->is_real)
		return sort_order(a->real, b->real);
	return a->is_real ? -compare_mixed(b->integer, a->real)
			  : compare_mixed(a->integer, b->real);
}

static int type_rank(int type)
{
	return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : 2;
}

int script_compare_scalars(const struct script_scalar *a, const struct script_scalar *b)
{
	if (a->type != b->type)
		return type_rank(a->type) - type_rank(b->type);
	if (a->type == LUA_TNUMBER)
		return compare_numbers(a, b);
	if (a->type == LUA_TBOOLEAN)
		return a->boolean - b->boolean;
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->text, b->text, shorter);
	return order ? order : sort_order(a->length, b->length);
}

SORT_COMPARISON(by_order, struct script_scalar, a, b, script_compare_scalars(a, b))

/*
 * Sorts without qsort() if the table is small or the keys are sorted already, as those of lists
 * are. Most tables are of this kind.
 */
static void sort_keys(script_scalars *keys)
{
	for (size_t i = 1; i < keys->count; i++) {
		struct script_scalar key = keys->items[i];
		size_t to = i;

		if (script_compare_scalars(&keys->items[i - 1], &key) < 0)
			continue;
		if (keys->count > 16) {
			vec_sort(keys, by_order);
			return;
		}
		for (; to && script_compare_scalars(&keys->items[to - 1], &key) > 0; to--)
			keys->items[to] = keys->items[to - 1];
		keys->items[to] = key;
	}
}

bool script_order_keys(lua_State *lua, int index, script_scalars *keys, int *odd)
{
	bool all = true;

	index = lua_absindex(lua, index);
	keys->count = 0;
	lua_pushnil(lua);
	while (lua_next(lua, index)) {
		struct script_scalar key;

		lua_pop(lua, 1);
		if (script_to_scalar(lua, -1, &key)) {
			if (keys->count == keys->room)
				(void)vec_reserve(keys, 1);
			keys->items[keys->count++] = key;
			continue;
		}
		all = false;
		if (odd)
			*odd = lua_type(lua, -1);
	}
	script_charge(lua, keys->count * 8); /* the cost of sorting */
	sort_keys(keys);
	return all;
}

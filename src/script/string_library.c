/*
 * Library functions on strings. Lua's patterns are left out, because matching one pattern can take
 * almost forever inside a single call. So find() searches for a literal string.
 */
#include "script/script_internal.h"

#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>

static int repeat_string(lua_State *lua)
{
	size_t length, separator_length;
	const char *text = luaL_checklstring(lua, 1, &length);
	lua_Integer count = luaL_checkinteger(lua, 2);
	const char *separator = luaL_optlstring(lua, 3, "", &separator_length);
	luaL_Buffer made;

	if (count <= 0 || length + separator_length == 0) {
		lua_pushliteral(lua, "");
		return 1;
	}
	if ((lua_Unsigned)count > SCRIPT_TEXT_MOST / (length + separator_length) + 1)
		return luaL_error(lua, "string would be longer than %d bytes",
				  (int)SCRIPT_TEXT_MOST);
	script_charge(lua, (uint64_t)count + (length + separator_length) * (uint64_t)count / 64);
	luaL_buffinit(lua, &made);
	for (lua_Integer i = 0; i < count; i++) {
		luaL_addlstring(&made, text, length);
		if (i + 1 < count)
			luaL_addlstring(&made, separator, separator_length);
	}
	luaL_pushresult(&made);
	return 1;
}

/*
 * find(s, part [, from]): returns the first and last position of `part`. memmem() takes linear
 * time; the search in Lua's own find() does not.
 */
static int find_literal(lua_State *lua)
{
	size_t length, part_length;
	const char *text = luaL_checklstring(lua, 1, &length), *found;
	const char *part = luaL_checklstring(lua, 2, &part_length);
	lua_Integer from = luaL_optinteger(lua, 3, 1);

	if (from < 0)
		from = from < -(lua_Integer)length ? 1 : (lua_Integer)length + from + 1;
	if (from < 1)
		from = 1;
	if ((lua_Unsigned)from > length + 1)
		return 0;
	found = memmem(text + from - 1, length - (size_t)(from - 1), part, part_length);
	if (!found)
		return 0;
	lua_pushinteger(lua, found - text + 1);
	lua_pushinteger(lua, found - text + (lua_Integer)part_length);
	return 2;
}

/* Rejects the conversion %p, which prints an address. */
static void reject_addresses(lua_State *lua, const char *format_string, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (format_string[i] != '%')
			continue;
		i++;
		while (i < length && strchr("-+ #0123456789.", format_string[i]))
			i++;
		if (i < length && format_string[i] == 'p')
			luaL_error(lua, "'%%p' would print a different address in each run");
	}
}

/*
 * Calls Lua's own format(), which is the upvalue, after converting tables and truth values to
 * strings. Lua itself would print the addresses of tables.
 */
static int format_string(lua_State *lua)
{
	struct script *s = script_of(lua);
	size_t length;
	const char *text = luaL_checklstring(lua, 1, &length);
	int count = lua_gettop(lua);

	reject_addresses(lua, text, length);
	for (int i = 2; i <= count; i++) {
		if (lua_type(lua, i) == LUA_TNUMBER || lua_type(lua, i) == LUA_TSTRING)
			continue;
		s->text.count = 0;
		script_append_printed(lua, i, true, &s->text);
		lua_pushlstring(lua, s->text.items, s->text.count);
		lua_replace(lua, i);
	}
	lua_pushvalue(lua, lua_upvalueindex(1));
	lua_insert(lua, 1);
	lua_call(lua, count, 1);
	return 1;
}

void script_push_string_library(lua_State *lua)
{
	static const char *const names[] = { "byte",	"char", "len",	 "lower",
					     "reverse", "sub",	"upper", NULL };

	luaopen_string(lua);
	lua_newtable(lua);
	script_copy_fields(lua, names);
	lua_pushcfunction(lua, repeat_string);
	lua_setfield(lua, -2, "rep");
	lua_pushcfunction(lua, find_literal);
	lua_setfield(lua, -2, "find");
	lua_getfield(lua, -2, "format");
	lua_pushcclosure(lua, format_string, 1);
	lua_setfield(lua, -2, "format");
	lua_remove(lua, -2);
}

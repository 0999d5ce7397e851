/*
 * Pushes values from outside Lua, copies Lua values, and computes their keys (script_key()).
 * Copying and key computation process one table after the other, in the order in which they find
 * them. So a list with a million links needs no recursion. Tables that are still to be processed
 * are kept on Lua's stack.
 */
#include "script/script_internal.h"
#include "base/mem.h"

#include <assert.h>
#include <lua5.4/lauxlib.h>
#include <math.h>

/* Lua's stack has room for a million values, and a copy needs two for each table. */
#define TABLES_MOST 400000u
#define LINEAR_MOST 12u

void script_push_value(struct script *s, const struct script_value *value)
{
	switch ((enum script_type)value->type) {
	case SCRIPT_NIL: lua_pushnil(s->lua); break;
	case SCRIPT_BOOLEAN: lua_pushboolean(s->lua, value->integer != 0); break;
	case SCRIPT_INTEGER: lua_pushinteger(s->lua, value->integer); break;
	case SCRIPT_REAL: lua_pushnumber(s->lua, value->real); break;
	case SCRIPT_TEXT: lua_pushlstring(s->lua, value->text, value->length); break;
	}
}

/* ---- numbering tables ------------------------------------------------------------------------ */

static void forget_tables(struct script_table_numbers *seen)
{
	seen->list.count = 0;
	if (seen->numbers.slots)
		map_free(&seen->numbers);
}

/*
 * Returns the number of a table; a table that was not seen before gets the next number. A short
 * list is searched linearly.
 */
static uint32_t number_table(struct script_table_numbers *seen, const void *table, bool *fresh)
{
	uint64_t *number;

	if (seen->list.count < LINEAR_MOST) {
		for (size_t i = 0; i < seen->list.count; i++)
			if (seen->list.items[i] == table) {
				*fresh = false;
				return (uint32_t)i;
			}
		*fresh = true;
		*vec_push(&seen->list) = table;
		return (uint32_t)seen->list.count - 1;
	}
	if (!seen->numbers.slots)
		for (size_t i = 0; i < LINEAR_MOST; i++)
			*map_put(&seen->numbers, (uintptr_t)seen->list.items[i], NULL) = i;
	number = map_put(&seen->numbers, (uintptr_t)table, fresh);
	if (*fresh) {
		*number = seen->list.count;
		*vec_push(&seen->list) = table;
	}
	return (uint32_t)*number;
}

/* ---- copying --------------------------------------------------------------------------------- */

/* Pushes an empty table of the same kind, with room for as many entries as the original has. */
static void push_empty_copy(lua_State *lua, int original)
{
	lua_Unsigned list = lua_rawlen(lua, original);
	uint64_t all = 0;
	enum script_kind kind = script_kind_of(lua, original);

	lua_pushnil(lua);
	while (lua_next(lua, original)) {
		lua_pop(lua, 1);
		all++;
	}
	script_charge(lua, all);
	lua_createtable(lua, (int)list, all > list ? (int)(all - list) : 0);
	if (kind < SCRIPT_KINDS)
		script_set_kind(lua, kind);
}

/* Does a copy need a new object for this value? Strings and library functions are shared. */
static bool needs_copy(lua_State *lua, int index)
{
	int type = lua_type(lua, index);

	if (type == LUA_TFUNCTION && !lua_iscfunction(lua, index))
		luaL_error(lua, "functions defined by actions cannot be copied");
	return type == LUA_TTABLE;
}

/*
 * Replaces the table on the top of the stack by its copy. The stack, from `base` on: a pair
 * (original, copy) for each table seen so far, then `above` temporary values of the traversal, then
 * the table.
 */
static void replace_by_copy(lua_State *lua, int base, int above)
{
	struct script *s = script_of(lua);
	bool fresh;
	uint32_t number = number_table(&s->seen, lua_topointer(lua, -1), &fresh);

	if (!fresh) {
		lua_pushvalue(lua, base + 2 * (int)number + 1);
		lua_replace(lua, -2);
		return;
	}
	if (number >= TABLES_MOST || !lua_checkstack(lua, 10))
		luaL_error(lua, "too many tables to copy: more than %d", (int)number);
	push_empty_copy(lua, lua_gettop(lua));
	lua_pushvalue(lua, -1);		 /* …, temporaries, original, copy, copy */
	lua_rotate(lua, -3 - above, 3);	 /* …, original, copy, copy, temporaries */
	lua_rotate(lua, -1 - above, -1); /* …, original, copy, temporaries, copy */
}

/* Fills the copy of table number `number`. */
static void copy_fields(lua_State *lua, int base, uint32_t number)
{
	int from = base + 2 * (int)number, to = from + 1;

	lua_pushnil(lua);
	while (lua_next(lua, from)) {
		if (needs_copy(lua, -1))
			replace_by_copy(lua, base, 1); /* one temporary value: the key */
		lua_pushvalue(lua, -2);
		if (needs_copy(lua, -1))
			replace_by_copy(lua, base, 2);
		lua_insert(lua, -2);
		lua_rawset(lua, to);
	}
}

void script_copy_top(lua_State *lua)
{
	struct script *s = script_of(lua);
	int base = lua_gettop(lua);

	if (!needs_copy(lua, base))
		return;
	forget_tables(&s->seen);
	replace_by_copy(lua, base, 0);
	lua_pop(lua, 1); /* the pair above contains the copy, too */
	for (uint32_t i = 0; i < s->seen.list.count; i++)
		copy_fields(lua, base, i);
	lua_copy(lua, base + 1, base);
	lua_settop(lua, base);
}

static int copy_argument(lua_State *lua)
{
	script_copy_top(lua);
	return 1;
}

bool script_copy(struct script *s, struct err *err)
{
	lua_State *lua = s->lua;

	if (!lua_istable(lua, -1) && !lua_isfunction(lua, -1))
		return true;
	lua_pushcfunction(lua, copy_argument);
	lua_insert(lua, -2);
	return script_call_plain(s, 1, 1, err);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void append_integer(script_buffer *key, char tag, uint64_t value)
{
	script_append_bytes(key, &tag, 1);
	script_append_bytes(key, &value, sizeof value);
}

static void append_scalar(script_buffer *key, const struct script_scalar *value)
{
	uint64_t bits;

	if (value->type == LUA_TSTRING) {
		append_integer(key, 's', value->length);
		script_append_bytes(key, value->text, value->length);
	} else if (value->type == LUA_TBOOLEAN) {
		script_append(key, value->boolean ? "t" : "f");
	} else if (!value->is_real) {
		append_integer(key, 'i', (uint64_t)value->integer);
	} else {
		double real = isnan(value->real) ? NAN : value->real;

		memcpy(&bits, &real, sizeof bits);
		append_integer(key, 'r', bits);
	}
}

/*
 * Appends the value on the top of the stack to the key, and pops it. A table that was not seen
 * before stays on the stack: its content is appended later.
 */
static bool append_value(struct script *s, script_buffer *key, struct err *err)
{
	lua_State *lua = s->lua;
	struct script_scalar scalar;
	bool fresh;

	if (script_to_scalar(lua, -1, &scalar)) {
		append_scalar(key, &scalar);
	} else if (lua_isnil(lua, -1)) {
		script_append(key, "n");
		/* a library function or table */
	} else if (lua_iscfunction(lua, -1) || lua_isuserdata(lua, -1)) {
		append_integer(key, 'c', (uintptr_t)lua_topointer(lua, -1));
	} else if (lua_istable(lua, -1)) {
		append_integer(key, '{', number_table(&s->seen, lua_topointer(lua, -1), &fresh));
		if (fresh)
			return lua_checkstack(lua, 8) ||
			       err_set(err, "attributes have too many tables to compare them");
	} else {
		lua_pop(lua, 1);
		return err_set(err, "attributes contain a function: functions defined by "
				    "actions cannot be compared");
	}
	lua_pop(lua, 1);
	return true;
}

static bool append_table(struct script *s, int table, script_buffer *key, struct err *err)
{
	lua_State *lua = s->lua;
	script_scalars *fields = &s->keys[0];
	enum script_kind kind = script_kind_of(lua, table);

	if (!script_order_keys(lua, table, fields, NULL))
		return err_set(err, "attributes contain a table with a table or a function as "
				    "a key: such keys cannot be compared");
	script_append(key, kind == SCRIPT_ENVIRONMENT ? "e" : kind == SCRIPT_GRAPH ? "g" : "p");
	for (size_t i = 0; i < fields->count; i++) {
		append_scalar(key, &fields->items[i]);
		script_push_scalar(lua, &fields->items[i]);
		lua_rawget(lua, table);
		if (!append_value(s, key, err))
			return false;
	}
	script_append(key, "}");
	return true;
}

bool script_key(struct script *s, script_buffer *key, struct err *err)
{
	lua_State *lua = s->lua;
	int top = lua_gettop(lua);
	bool done;

	forget_tables(&s->seen);
	lua_checkstack(lua, 8);
	lua_pushvalue(lua, -1);
	done = append_value(s, key, err);
	for (int i = 0; done && i < (int)s->seen.list.count; i++)
		done = append_table(s, top + 1 + i, key, err);
	lua_settop(lua, top);
	return done;
}

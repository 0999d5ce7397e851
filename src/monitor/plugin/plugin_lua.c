/*
 * Users' monitors in Lua: a file that returns a table with
 *
 *	init(about)		the first state: anything but nil
 *	step(state, event)	the next states, one per result; none: nothing bad can follow
 *	is_bad(state)		and optionally is_bad_at_end(state)
 *	key(state)		optional: a string or number that is equal for equal states
 *
 * The state passed to `step` is a copy: it may be changed and returned. Without `key`, states are
 * compared by content: tables of numbers, strings and booleans, recursively.
 */
#include "monitor/plugin/plugin.h"
#include "base/hash.h"
#include "base/mem.h"

#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
#include <string.h>

/* A step that takes more instructions is assumed not to terminate. */
#define MOST_INSTRUCTIONS 50000000

struct plugin_lua_script {
	lua_State *lua;
	char *path;
	/* registry references: the user's table, and the functions of `prelude` */
	int table, copy, key;
	bool has_end;
};

struct plugin_lua_state {
	int value; /* registry reference of the state */
	char *key;
	size_t length;
};

/*
 * Lua code that returns the functions copy and key. A key has its parts sorted, so that equal
 * tables have equal keys.
 */
static const char prelude[] =
	"local function copy(v, depth)\n"
	"	if type(v) ~= 'table' then return v end\n"
	"	if depth > 100 then error('a state is nested too deeply', 0) end\n"
	"	local made = {}\n"
	"	for k, x in pairs(v) do made[copy(k, depth + 1)] = copy(x, depth + 1) end\n"
	"	return setmetatable(made, getmetatable(v))\n"
	"end\n"
	"local function key(v, depth)\n"
	"	local t = type(v)\n"
	"	if t == 'string' then return string.format('s%d:%s', #v, v) end\n"
	"	if t == 'number' then\n"
	"		return math.type(v) == 'integer' and string.format('i%d;', v)\n"
	"			or string.format('f%a;', v)\n"
	"	end\n"
	"	if t == 'boolean' then return v and 'T' or 'F' end\n"
	"	if t ~= 'table' then error('a state with a ' .. t .. ' in it needs a key()', 0) "
	"end\n"
	"	if depth > 100 then error('a state is nested too deeply', 0) end\n"
	"	local parts = {}\n"
	"	for k, x in pairs(v) do\n"
	"		parts[#parts + 1] = key(k, depth + 1) .. key(x, depth + 1)\n"
	"	end\n"
	"	table.sort(parts)\n"
	"	return '{' .. table.concat(parts) .. '}'\n"
	"end\n"
	"return copy, key\n";

/* ---- calling Lua ----------------------------------------------------------------------------- */

static void stop_endless_call(lua_State *lua, lua_Debug *where)
{
	(void)where;
	luaL_error(lua, "the function runs too long");
}

/* Calls the function on the stack with its arguments. Lua's message has file and line. */
static bool call_lua(struct plugin_lua_script *s, int arguments, int results, struct err *err)
{
	const char *why;

	lua_sethook(s->lua, stop_endless_call, LUA_MASKCOUNT, MOST_INSTRUCTIONS);
	if (lua_pcall(s->lua, arguments, results, 0) == LUA_OK)
		return true;
	why = lua_tostring(s->lua, -1);
	err_set(err, "%s: %s", s->path, why ? why : "an error without a message");
	lua_settop(s->lua, 0);
	return false;
}

static void push_function(struct plugin_lua_script *s, const char *name)
{
	lua_rawgeti(s->lua, LUA_REGISTRYINDEX, s->table);
	lua_getfield(s->lua, -1, name);
	lua_remove(s->lua, -2);
}

/*
 * Pops the state from the top of the stack. Returns NULL with `err` set if it is not a valid state.
 */
static struct plugin_lua_state *pop_state(struct plugin_lua_script *s, struct err *err)
{
	lua_State *lua = s->lua;
	struct plugin_lua_state *made;
	const char *key;
	size_t length;

	if (lua_isnil(lua, -1)) {
		err_set(err, "%s: a state is nil", s->path);
		lua_settop(lua, 0);
		return NULL;
	}
	push_function(s, "key");
	if (lua_isnil(lua, -1)) {
		lua_pop(lua, 1);
		lua_rawgeti(lua, LUA_REGISTRYINDEX, s->key);
	}
	lua_pushvalue(lua, -2);
	lua_pushinteger(lua, 0);
	if (!call_lua(s, 2, 1, err))
		return NULL;
	key = lua_tolstring(lua, -1, &length);
	if (!key) {
		err_set(err, "%s: key() returned neither a string nor a number", s->path);
		lua_settop(lua, 0);
		return NULL;
	}
	made = mem_zalloc(1, sizeof *made);
	made->key = mem_copy_text(key, length);
	made->length = length;
	lua_pop(lua, 1);
	made->value = luaL_ref(lua, LUA_REGISTRYINDEX);
	return made;
}

/* ---- the driver ------------------------------------------------------------------------------ */

static void push_names(lua_State *lua, const char *const *names, uint32_t count)
{
	lua_createtable(lua, (int)count, 0);
	for (uint32_t i = 0; i < count; i++) {
		lua_pushstring(lua, names[i]);
		lua_rawseti(lua, -2, i + 1);
	}
}

static bool first(void *self, const struct sooth_about *about, void **state, struct err *err)
{
	struct plugin_lua_script *s = self;

	push_function(s, "init");
	lua_createtable(s->lua, 0, 3);
	lua_pushstring(s->lua, about->property);
	lua_setfield(s->lua, -2, "property");
	push_names(s->lua, about->events, about->event_count);
	lua_setfield(s->lua, -2, "events");
	push_names(s->lua, about->parameters, about->parameter_count);
	lua_setfield(s->lua, -2, "parameters");
	*state = call_lua(s, 1, 1, err) ? pop_state(s, err) : NULL;
	return *state;
}

static void push_value(lua_State *lua, const struct sooth_value *v)
{
	switch (v->type) {
	case SOOTH_NUMBER: lua_pushinteger(lua, v->number); break;
	case SOOTH_REAL: lua_pushnumber(lua, v->real); break;
	case SOOTH_STRING: lua_pushlstring(lua, v->text, v->length); break;
	default: lua_pushnil(lua);
	}
}

/* { name =, number =, thread =, values = { … }, identities = { … } }; values by parameter */
static void push_event(lua_State *lua, const struct sooth_event *event)
{
	lua_createtable(lua, 0, 5);
	lua_pushstring(lua, event->name);
	lua_setfield(lua, -2, "name");
	lua_pushinteger(lua, event->number + 1);
	lua_setfield(lua, -2, "number");
	lua_pushinteger(lua, event->thread);
	lua_setfield(lua, -2, "thread");
	lua_createtable(lua, (int)event->value_count, 0);
	lua_createtable(lua, (int)event->value_count, 0);
	for (uint32_t i = 0; i < event->value_count; i++) {
		push_value(lua, &event->values[i]);
		lua_rawseti(lua, -3, i + 1);
		if (event->values[i].type == SOOTH_UNBOUND)
			continue;
		lua_pushinteger(lua, event->values[i].identity);
		lua_rawseti(lua, -2, i + 1);
	}
	lua_setfield(lua, -3, "identities");
	lua_setfield(lua, -2, "values");
}

static bool step(void *self, const void *state, const struct sooth_event *event,
		 plugin_states *next, struct err *err)
{
	struct plugin_lua_script *s = self;
	lua_State *lua = s->lua;

	push_function(s, "step");
	lua_rawgeti(lua, LUA_REGISTRYINDEX, s->copy);
	lua_rawgeti(lua, LUA_REGISTRYINDEX, ((const struct plugin_lua_state *)state)->value);
	lua_pushinteger(lua, 0);
	if (!call_lua(s, 2, 1, err))
		return false;
	push_event(lua, event);
	if (!call_lua(s, 2, LUA_MULTRET, err))
		return false;
	while (lua_gettop(lua) > 0) {
		struct plugin_lua_state *made = pop_state(s, err);

		if (!made)
			return false;
		*vec_push(next) = made;
	}
	return true;
}

static bool call_predicate(struct plugin_lua_script *s, const char *name,
			   const struct plugin_lua_state *state, bool *answer, struct err *err)
{
	push_function(s, name);
	lua_rawgeti(s->lua, LUA_REGISTRYINDEX, state->value);
	if (!call_lua(s, 1, 1, err))
		return false;
	*answer = lua_toboolean(s->lua, -1);
	lua_settop(s->lua, 0);
	return true;
}

static bool classify(void *self, const void *state, bool *bad, bool *bad_at_end, struct err *err)
{
	struct plugin_lua_script *s = self;

	*bad_at_end = false;
	return call_predicate(s, "is_bad", state, bad, err) &&
	       (!s->has_end || call_predicate(s, "is_bad_at_end", state, bad_at_end, err));
}

static uint64_t hash(void *self, const void *state)
{
	const struct plugin_lua_state *s = state;

	(void)self;
	return hash_bytes(HASH_FNV_START, s->key, s->length);
}

static bool equal(void *self, const void *a, const void *b)
{
	const struct plugin_lua_state *x = a, *y = b;

	(void)self;
	return x->length == y->length && !memcmp(x->key, y->key, x->length);
}

static void free_state(void *self, void *state)
{
	struct plugin_lua_state *s = state;

	luaL_unref(((struct plugin_lua_script *)self)->lua, LUA_REGISTRYINDEX, s->value);
	free(s->key);
	free(s);
}

static void close_script(void *self)
{
	struct plugin_lua_script *s = self;

	lua_close(s->lua);
	free(s->path);
	free(s);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool has_function(struct plugin_lua_script *s, const char *name)
{
	bool there;

	push_function(s, name);
	there = lua_isfunction(s->lua, -1);
	lua_pop(s->lua, 1);
	return there;
}

static bool load_script(struct plugin_lua_script *s, struct err *err)
{
	static const char *const needed[] = { "init", "step", "is_bad" };
	lua_State *lua = s->lua;

	luaL_openlibs(lua);
	if (luaL_loadstring(lua, prelude) != LUA_OK || !call_lua(s, 0, 2, err))
		return false;
	s->key = luaL_ref(lua, LUA_REGISTRYINDEX);
	s->copy = luaL_ref(lua, LUA_REGISTRYINDEX);
	if (luaL_loadfile(lua, s->path) != LUA_OK)
		return err_set(err, "%s", lua_tostring(lua, -1));
	if (!call_lua(s, 0, 1, err))
		return false;
	if (!lua_istable(lua, -1))
		return err_set(err, "%s: it does not return a table with init, step and is_bad",
			       s->path);
	s->table = luaL_ref(lua, LUA_REGISTRYINDEX);
	for (unsigned i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!has_function(s, needed[i]))
			return err_set(err, "%s: its table has no function '%s'", s->path,
				       needed[i]);
	s->has_end = has_function(s, "is_bad_at_end");
	return true;
}

bool plugin_open_lua(const char *path, struct plugin_driver *driver, struct err *err)
{
	struct plugin_lua_script *s = mem_zalloc(1, sizeof *s);

	s->path = mem_copy_text(path, strlen(path));
	s->lua = luaL_newstate();
	if (!s->lua)
		mem_exhausted();
	if (!load_script(s, err)) {
		close_script(s);
		return false;
	}
	*driver = (struct plugin_driver){ .self = s,
					  .first = first,
					  .step = step,
					  .classify = classify,
					  .hash = hash,
					  .equal = equal,
					  .free_state = free_state,
					  .close = close_script };
	return true;
}

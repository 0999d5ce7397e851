/*
 * Runs pieces of Lua in one environment, and checks the values they leave in it, or their errors.
 */
#ifndef TEST_SCRIPT_MAKE_H
#define TEST_SCRIPT_MAKE_H

#include "script/script.h"

#include <lua5.4/lauxlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct made {
	struct script *script;
	lua_State *lua;
	struct script_location place;
	int environment; /* reference in the registry */
};

static inline void made_open(struct made *m, const struct script_limits *limits)
{
	*m = (struct made){ .script = script_open(limits), .place = { "a.prop", 7, 3 } };
	m->lua = script_lua(m->script);
	assert_int_equal(lua_gettop(m->lua), 0);
	script_push_environment(m->script);
	m->environment = luaL_ref(m->lua, LUA_REGISTRYINDEX);
}

/* Replaces the environment by that of the next session. */
static inline void made_renew(struct made *m)
{
	luaL_unref(m->lua, LUA_REGISTRYINDEX, m->environment);
	script_push_environment(m->script);
	m->environment = luaL_ref(m->lua, LUA_REGISTRYINDEX);
}

static inline void made_close(struct made *m)
{
	assert_int_equal(lua_gettop(m->lua), 0);
	script_close(m->script);
}

/* Runs a chunk; an expression leaves its value on the stack. */
static inline bool made_run(struct made *m, const char *text, bool expression, struct err *err)
{
	int code;

	if (!script_compile(m->script, text, &m->place, NULL, 0, expression, &code, err))
		return false;
	lua_rawgeti(m->lua, LUA_REGISTRYINDEX, code);
	luaL_unref(m->lua, LUA_REGISTRYINDEX, code);
	lua_rawgeti(m->lua, LUA_REGISTRYINDEX, m->environment);
	return script_call(m->script, 1, expression ? 1 : 0, err);
}

/* Expects that a chunk succeeds and leaves `shown` in the environment. */
static inline void leaves(struct made *m, const char *text, const char *shown)
{
	struct err err = { .text = "" };
	char *found;

	if (!made_run(m, text, false, &err))
		fail_msg("%s: %s", text, err.text);
	lua_rawgeti(m->lua, LUA_REGISTRYINDEX, m->environment);
	found = script_show(m->script, -1);
	lua_pop(m->lua, 1);
	assert_string_equal(found, shown);
	free(found);
}

/* Expects the value of an expression. */
static inline void gives(struct made *m, const char *text, const char *shown)
{
	struct err err = { .text = "" };
	char *found;

	if (!made_run(m, text, true, &err))
		fail_msg("%s: %s", text, err.text);
	found = script_show(m->script, -1);
	lua_pop(m->lua, 1);
	if (strcmp(found, shown))
		fail_msg("%s is %s and not %s", text, found, shown);
	free(found);
}

/* Expects that a chunk fails with `why` in its message, and leaves nothing on the stack. */
static inline void refuse(struct made *m, const char *text, const char *why)
{
	struct err err = { .text = "" };

	if (made_run(m, text, false, &err))
		fail_msg("%s: it does not fail", text);
	if (!strstr(err.text, why))
		fail_msg("%s: fails with '%s' and not with '%s'", text, err.text, why);
	assert_int_equal(lua_gettop(m->lua), 0);
}

#endif

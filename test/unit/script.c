/* Pieces of Lua: what they see, where their errors are, what stops them. */
#include "script_make.h"

/* ---- compiling and calling ------------------------------------------------------------------ */

static void sees_environment_and_parameters(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	leaves(&m, "x = 3; y = x + 1", "{\"x\": 3, \"y\": 4}");
	leaves(&m, "z = y; y = nil", "{\"x\": 3, \"z\": 4}");
	made_close(&m);
}

static void gives_parameters_in_order(void **state)
{
	static const char *const names[] = { "a", "get", "session" };
	struct made m;
	struct err err;
	int code;

	(void)state;
	made_open(&m, NULL);
	assert_true(script_compile(m.script, "a - get * session", &m.place, names, 3, true, &code,
				   &err));
	lua_rawgeti(m.lua, LUA_REGISTRYINDEX, code);
	script_push_environment(m.script);
	for (int i = 0; i < 3; i++)
		lua_pushinteger(m.lua, 10 - 7 * (i != 0) + i);
	assert_true(script_call(m.script, 4, 1, &err));
	assert_int_equal(lua_tointeger(m.lua, -1), 10 - 4 * 5);
	lua_pop(m.lua, 1);
	assert_int_equal(lua_gettop(m.lua), 0);
	made_close(&m);
}

static void environments_are_apart(void **state)
{
	struct made m, other;

	(void)state;
	made_open(&m, NULL);
	leaves(&m, "x = 1", "{\"x\": 1}");
	lua_settop(m.lua, 0);
	script_push_environment(m.script);
	luaL_unref(m.lua, LUA_REGISTRYINDEX, m.environment);
	m.environment = luaL_ref(m.lua, LUA_REGISTRYINDEX);
	leaves(&m, "y = x", "{}");
	made_open(&other, NULL);
	leaves(&other, "y = x == nil", "{\"y\": true}");
	made_close(&other);
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sees_environment_and_parameters),
		cmocka_unit_test(gives_parameters_in_order),
		cmocka_unit_test(environments_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests values: pushing, copying, comparing keys, and showing; and the names in a text. */
#include "script_make.h"
#include "script/lexeme.h"

/* ---- pushing and showing --------------------------------------------------------------------- */

static void values_come_in(void **state)
{
	static const struct {
		struct script_value value;
		const char *shown;
	} cases[] = {
		{ { .type = SCRIPT_NIL }, "nil" },
		{ { .type = SCRIPT_BOOLEAN, .integer = 1 }, "true" },
		{ { .type = SCRIPT_BOOLEAN, .integer = 0 }, "false" },
		{ { .type = SCRIPT_INTEGER, .integer = -5 }, "-5" },
		{ { .type = SCRIPT_INTEGER, .integer = INT64_MIN }, "-9223372036854775808" },
		{ { .type = SCRIPT_INTEGER, .integer = 0x7fff12345678 }, "0x7fff12345678" },
		{ { .type = SCRIPT_INTEGER, .integer = 4294967295 }, "4294967295" },
		{ { .type = SCRIPT_REAL, .real = 2.5 }, "2.5" },
		{ { .type = SCRIPT_TEXT, .text = "a\0\"b", .length = 4 }, "\"a\\0\\\"b\"" },
	};
	struct made m;

	(void)state;
	made_open(&m, NULL);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *shown;

		script_push_value(m.script, &cases[i].value);
		shown = script_show(m.script, -1);
		assert_string_equal(shown, cases[i].shown);
		free(shown);
		lua_pop(m.lua, 1);
	}
	made_close(&m);
}

static void shows_within_bounds(void **state)
{
	struct made m;
	struct err err;
	char *shown;

	(void)state;
	made_open(&m, NULL);
	gives(&m, "{ 1, 2, a = { b = { c = true } }, ['x y'] = 'l\\n' }",
	      "{1: 1, 2: 2, \"a\": {\"b\": {\"c\": true}}, \"x y\": \"l\\n\"}");
	gives(&m, "{ { { { { { { { { 1 } } } } } } } } }",
	      "{1: {1: {1: {1: {1: {1: {1: {…}}}}}}}}");
	gives(&m, "{ [{}] = 1 }", "{…}");
	gives(&m, "{ count, function() end, math }", "{1: function, 2: function, 3: library}");
	gives(&m, "0/0 ~= 0/0", "true");
	gives(&m, "{ 1e15, 1e100, 0.1, 1/0 }", "{1: 1e+15, 2: 1e+100, 3: 0.1, 4: inf}");
	/* a table that contains itself */
	assert_true(made_run(&m,
			     "t = {} t.t = t u = {} for i = 1, 10000 do u[i] = ('x'):rep(9) end",
			     false, &err));
	lua_rawgeti(m.lua, LUA_REGISTRYINDEX, m.environment);
	shown = script_show(m.script, -1);
	assert_in_range(strlen(shown), 500, 1100);
	free(shown);
	lua_pop(m.lua, 1);
	made_close(&m);
}

/* ---- copying --------------------------------------------------------------------------------- */

/* Runs a chunk, copies the environment, runs another chunk on the copy, and compares both. */
static void copies(const char *make, const char *change, const char *original, const char *copy)
{
	struct made m;
	struct err err = { .text = "" };
	int first;

	made_open(&m, NULL);
	assert_true(made_run(&m, make, false, &err));
	lua_pushinteger(m.lua, 77);
	lua_rawgeti(m.lua, LUA_REGISTRYINDEX, m.environment);
	if (!script_copy(m.script, &err))
		fail_msg("%s: %s", make, err.text);
	first = m.environment;
	m.environment = luaL_ref(m.lua, LUA_REGISTRYINDEX);
	assert_int_equal(lua_tointeger(m.lua, -1), 77);
	lua_pop(m.lua, 1);
	leaves(&m, change, copy);
	m.environment = first;
	leaves(&m, "", original);
	made_close(&m);
}

static void copies_all_the_way_down(void **state)
{
	(void)state;
	copies("a = { 1, { 2 } }", "a[2][1] = 3", "{\"a\": {1: 1, 2: {1: 2}}}",
	       "{\"a\": {1: 1, 2: {1: 3}}}");
	/* one table stays one table in the copy, two stay two */
	copies("a = {} b = a c = {}", "a.x = 1 c.y = 2", "{\"a\": {}, \"b\": {}, \"c\": {}}",
	       "{\"a\": {\"x\": 1}, \"b\": {\"x\": 1}, \"c\": {\"y\": 2}}");
	copies("a = {} a.a = a", "ok = a.a.a == a a = nil",
	       "{\"a\": {\"a\": {\"a\": {\"a\": {\"a\": {\"a\": "
	       "{\"a\": {…}}}}}}}}",
	       "{\"ok\": true}");
	/*
	 * the copy has the library, graphs stay graphs, and functions of the library stay the same
	 */
	copies("g = graph() g:edge(1, 2) f = count m = math",
	       "g:edge(2, 1) n = f({ 1 }) + m.max(1, 2) ok = not g.acyclic f = nil m = nil",
	       "{\"f\": function, \"g\": {1 -> 2}, \"m\": library}",
	       "{\"g\": {1 -> 2, 2 -> 1}, \"n\": 3, \"ok\": true}");
	copies("l = table.keys({ x = 1 })", "table.insert(l, 'y')", "{\"l\": [\"x\"]}",
	       "{\"l\": [\"x\", \"y\"]}");
	/* tables as keys */
	copies("k = {} t = { [k] = 1 }", "ok = t[k] k.x = 5 t = nil", "{\"k\": {}, \"t\": {…}}",
	       "{\"k\": {\"x\": 5}, \"ok\": 1}");
	/* more tables than are searched linearly, some of them twice */
	copies("t = {} for i = 1, 14 do t[i] = { i } end t[15], t[16] = t[1], t[14]",
	       "t[1][1] = 'a' t[14][1] = 'b' s = t[15][1] .. t[16][1] t = nil",
	       "{\"t\": {1: {1: 1}, 2: {1: 2}, 3: {1: 3}, 4: {1: 4}, 5: {1: 5}, 6: {1: 6}, 7: {1: "
	       "7}, 8: {1: 8}, "
	       "9: {1: 9}, 10: {1: 10}, 11: {1: 11}, 12: {1: 12}, 13: {1: 13}, 14: {1: 14}, 15: "
	       "{1: 1}, 16: {1: 14}}}",
	       "{\"s\": \"ab\"}");
}

/* Copying a long chain of tables needs no recursion. */
static void copies_long_chains(void **state)
{
	(void)state;
	copies("for i = 1, 20000 do top = { below = top, n = i } end depth = 0",
	       "while top do depth = depth + 1 top = top.below end",
	       "{\"depth\": 0, \"top\": {\"below\": {\"below\": {\"below\": {\"below\": "
	       "{\"below\": {\"below\": {…}, "
	       "\"n\": 19995}, \"n\": 19996}, \"n\": 19997}, \"n\": 19998}, \"n\": 19999}, \"n\": "
	       "20000}}",
	       "{\"depth\": 20000}");
}

static void copies_scalars_as_they_are(void **state)
{
	struct made m;
	struct err err;

	(void)state;
	made_open(&m, NULL);
	lua_pushnil(m.lua);
	assert_true(script_copy(m.script, &err));
	lua_pushliteral(m.lua, "x");
	assert_true(script_copy(m.script, &err));
	assert_string_equal(lua_tostring(m.lua, -1), "x");
	assert_int_equal(lua_gettop(m.lua), 2);
	lua_settop(m.lua, 0);
	made_close(&m);
}

static void some_cannot_be_copied(void **state)
{
	struct script_limits small = { SCRIPT_INSTRUCTIONS, 1 << 20 };
	struct made m;
	struct err err;

	(void)state;
	made_open(&m, &small);
	assert_true(made_run(&m, "a = { f = function() end }", false, &err));
	lua_rawgeti(m.lua, LUA_REGISTRYINDEX, m.environment);
	assert_false(script_copy(m.script, &err));
	assert_non_null(strstr(err.text, "functions defined by actions cannot be copied"));
	assert_int_equal(lua_gettop(m.lua), 0);
	made_renew(&m);
	assert_true(made_run(&m, "a = {} for i = 1, 32768 do a[i] = i end", false, &err));
	lua_rawgeti(m.lua, LUA_REGISTRYINDEX, m.environment);
	assert_false(script_copy(m.script, &err));
	assert_non_null(strstr(err.text, "more than 1 MB"));
	assert_int_equal(lua_gettop(m.lua), 0);
	made_close(&m);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void key_of(struct made *m, const char *text, script_buffer *key)
{
	struct err err = { .text = "" };

	key->count = 0;
	if (!made_run(m, text, true, &err) || !script_key(m->script, key, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(lua_gettop(m->lua), 1);
	lua_pop(m->lua, 1);
}

/* Values of one class have equal keys; values of different classes have different keys. */
static void keys_tell_what_differs(void **state)
{
	static const char *const classes[][4] = {
		{ "nil" },
		{ "true" },
		{ "false" },
		{ "1", "2 - 1" },
		{ "1.0" },
		{ "-1" },
		{ "'1'" },
		{ "''" },
		{ "'a\\0b'" },
		{ "'a\\0c'" },
		{ "0/0", "-(0/0)" },
		{ "{}" },
		{ "graph()",
		  "(function() local g = graph() g:edge(1, 2) g:remove(1, 2) return g end)()" },
		{ "{ {} }" },
		{ "{ 1 }", "{ [1] = 1 }", "table.keys({ 7 })" },
		{ "{ 1, 2 }", "{ [2] = 2, [1] = 1 }", "{ [2.0] = 2, [1] = 1 }" },
		{ "{ 2, 1 }" },
		{ "{ a = 1, b = 2, c = 3 }", "{ c = 3, b = 2, a = 1 }",
		  "(function() local t = {} for i = 1, 99 do t['x' .. i] = 1 end for i = 1, 99 do "
		  "t['x' .. i] = nil "
		  "end t.b = 2 t.a = 1 t.c = 3 return t end)()" },
		{ "{ a = 1, b = 2, c = '3' }" },
		{ "{ {}, {} }" },
		{ "(function() local t = {} return { t, t } end)()",
		  "(function() local u = {} return { [2] = u, [1] = u } end)()" },
		{ "(function() local t = {} t[1] = t return t end)()" },
		{ "(function() local t, u = {}, {} t[1] = u u[1] = t return t end)()" },
		{ "{ [true] = 1 }" },
		{ "{ [1] = true }" },
		{ "{ 'a', 'b' }" },
		{ "{ 'ab', '' }" },
		{ "{ a = { b = {} } }" },
		{ "{ a = {}, b = {} }" },
		{ "count" },
		{ "math" },
	};
	enum { CLASSES = sizeof classes / sizeof *classes };
	script_buffer keys[CLASSES] = { 0 }, key = { 0 };
	struct made m;

	(void)state;
	made_open(&m, NULL);
	for (unsigned i = 0; i < CLASSES; i++) {
		key_of(&m, classes[i][0], &keys[i]);
		for (unsigned k = 1; k < 4 && classes[i][k]; k++) {
			key_of(&m, classes[i][k], &key);
			if (key.count != keys[i].count ||
			    memcmp(key.items, keys[i].items, key.count))
				fail_msg("%s has another key than %s", classes[i][k],
					 classes[i][0]);
		}
		for (unsigned k = 0; k < i; k++)
			if (keys[k].count == keys[i].count &&
			    !memcmp(keys[k].items, keys[i].items, keys[i].count))
				fail_msg("%s has the key of %s", classes[i][0], classes[k][0]);
	}
	for (unsigned i = 0; i < CLASSES; i++)
		vec_free(&keys[i]);
	vec_free(&key);
	made_close(&m);
}

/* A copy has the same key as its original. A key is appended to the text that is already there. */
static void copies_have_the_same_key(void **state)
{
	struct made m;
	struct err err;
	script_buffer a = { 0 }, b = { 0 };

	(void)state;
	made_open(&m, NULL);
	assert_true(
		made_run(&m,
			 "g = graph() for i = 1, 30 do g:edge(i, i * 7 % 11) end "
			 "t = { g, { g, { 1.5, 'x' } } } for i = 1, 5000 do top = { top, t } end",
			 false, &err));
	*vec_push(&a) = 'x';
	*vec_push(&b) = 'x';
	lua_rawgeti(m.lua, LUA_REGISTRYINDEX, m.environment);
	assert_true(script_key(m.script, &a, &err));
	assert_true(script_copy(m.script, &err));
	assert_true(script_key(m.script, &b, &err));
	assert_int_equal(a.items[0], 'x');
	assert_int_equal(a.count, b.count);
	assert_memory_equal(a.items, b.items, a.count);
	/* one bit changes the key */
	lua_pushinteger(m.lua, 5);
	lua_setfield(m.lua, -2, "more");
	b.count = 1;
	assert_true(script_key(m.script, &b, &err));
	assert_true(a.count != b.count || memcmp(a.items, b.items, a.count));
	lua_settop(m.lua, 0);
	vec_free(&a);
	vec_free(&b);
	made_close(&m);
}

static void some_have_no_key(void **state)
{
	static const char *const cases[] = { "function() end", "{ function() end }", "{ [{}] = 1 }",
					     "{ { [count] = 1 } }" };
	struct made m;
	script_buffer key = { 0 };

	(void)state;
	made_open(&m, NULL);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = { .text = "" };

		assert_true(made_run(&m, cases[i], true, &err));
		assert_false(script_key(m.script, &key, &err));
		assert_non_null(strstr(err.text, "cannot be compared"));
		assert_int_equal(lua_gettop(m.lua), 1);
		lua_pop(m.lua, 1);
	}
	vec_free(&key);
	made_close(&m);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Expects names in order, as in "a b="; = marks those that are assigned. */
static void finds_names(void **state)
{
	static const struct {
		const char *text, *names;
	} cases[] = {
		{ "", "" },
		{ "x", "x" },
		{ "x = y", "x= y" },
		{ "x, y = y, x", "x= y=" },
		{ "x.a = 1", "x" },
		{ "x[i] = 1", "x i" },
		{ "x.a, y, z[1].b, w = 1", "x y= z w=" },
		{ "x == y", "x y" },
		{ "x.y.z(a.b, c):d(e)", "x a c e" },
		{ "t = { k = v, [x] = y; n = m, f(q) }", "t= v x y m f q" },
		{ "t = { f = function() a = 1; b = 2 end, k = 3 }", "t= a= b=" },
		{ "t = { f = function() local u = { p = q } x = u end }", "t= u= q x=" },
		{ "if a then b = 1 elseif c then d = 2 else e = 3 end", "a b= c d= e=" },
		{ "for i = 1, n do s = s + i end", "i= n s=" },
		{ "for k, v in pairs(t) do end", "k v pairs t" },
		{ "while a do repeat b = 1 until c end", "a b= c" },
		{ "function f(x) return x end", "f= x" },
		{ "function t.f(x) return x end", "t x" },
		{ "local x <const> = 1 y = x", "x const y=" },
		{ "x = 'y' .. \"z\" .. [[w]] .. [==[ ]] v ]==]", "x=" },
		{ "x = 1 -- y\n--[[ z\nz ]] w = 2 --[==[ ]] v ]==] u", "x= w= u" },
		{ "x = 'a\\'b' y = \"c\\\"d\\\\\" z", "x= y= z" },
		{ "x = 'a\\z\n  b' y = 1", "x= y=" },
		{ "x = 0xAp+3 + 1e-5 + 3. y", "x= y" },
		{ "x = a..b", "x= a b" },
		{ "x = 3 y = 4", "x= y=" },
		{ "f(x) y.z = 1", "f x y" },
		{ "a, (f(b)).c, d = 1", "a= f b d=" },
		{ "f{x = 1}.y, z = 2", "f z=" },
		{ "f'a'.y, z = 2", "f z=" },
		{ "goto done ::done:: x = 1", "done x=" },
		{ "a.b:c 'd' e = 1", "a e=" },
		{ "and or not end nil true", "" },
		{ "__c_divide(a, 2)", "a" },
		{ "x = #y", "x= y" },
		{ "}}}) x = 1 ((", "x=" },
		{ "end end x = 1", "x=" },
		{ ", = , x = ", "x=" },
		{ "'x", "" },
		{ "[[x", "" },
		{ "--[[x", "" },
		{ "x \\", "x" },
		{ "ä = x", "x" },
		{ "x, x = 1", "x=" },
		{ "x() x = 1", "x=" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		script_names names = { 0 };
		char found[256] = "";

		script_find_names(cases[i].text, &names);
		for (size_t k = 0; k < names.count; k++) {
			sprintf(found + strlen(found), "%s%s%s", k ? " " : "", names.items[k].name,
				names.items[k].assigned ? "=" : "");
			assert_memory_equal(cases[i].text + names.items[k].at, names.items[k].name,
					    strlen(names.items[k].name));
		}
		if (strcmp(found, cases[i].names))
			fail_msg("'%s' has '%s'", cases[i].text, found);
		script_names_free(&names);
	}
}

/* Any bytes: each name found is in the text, and none is beyond the end. */
static void random_bytes_have_names(void **state)
{
	static const char *const pieces[] = {
		"x",  "=",   ",",   ".",  ":",	"(",	 ")",	     "{",     "}",  "[",  "]",
		"'",  "\"",  "[[",  "]]", "--", "\n",	 "function", "end",   "1",  "..", "\\",
		"if", "[=[", "]=]", " ",  "==", "local", "\xff",     "until", "::", ";"
	};

	(void)state;
	srandom(11);
	for (unsigned i = 0; i < 100000; i++) {
		char text[128] = "";
		script_names names = { 0 };
		script_lexemes lexemes = { 0 };

		for (long n = random() % 16; n > 0; n--)
			strcat(text, pieces[(size_t)random() % (sizeof pieces / sizeof *pieces)]);
		script_find_names(text, &names);
		script_read_lexemes(text, &lexemes);
		for (size_t k = 0; k < names.count; k++)
			assert_memory_equal(text + names.items[k].at, names.items[k].name,
					    strlen(names.items[k].name));
		for (size_t k = 0, end = 0; k < lexemes.count; k++) {
			assert_true(lexemes.items[k].at >= end && lexemes.items[k].length);
			end = lexemes.items[k].at + lexemes.items[k].length;
			assert_true(end <= strlen(text));
			assert_true(script_operand_start(&lexemes, k) <= k);
		}
		vec_free(&lexemes);
		script_names_free(&names);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_in),
		cmocka_unit_test(shows_within_bounds),
		cmocka_unit_test(copies_all_the_way_down),
		cmocka_unit_test(copies_long_chains),
		cmocka_unit_test(copies_scalars_as_they_are),
		cmocka_unit_test(some_cannot_be_copied),
		cmocka_unit_test(keys_tell_what_differs),
		cmocka_unit_test(copies_have_the_same_key),
		cmocka_unit_test(some_have_no_key),
		cmocka_unit_test(finds_names),
		cmocka_unit_test(random_bytes_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests pieces of Lua: the names they see, the locations of errors, and limits. */
#include "script_make.h"

/* ---- compiling and calling ------------------------------------------------------------------ */

static void sees_its_environment(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	leaves(&m, "x = 3; y = x + 1", "{\"x\": 3, \"y\": 4}");
	leaves(&m, "z = y; y = nil", "{\"x\": 3, \"z\": 4}");
	leaves(&m, "local x <const> = 5; z = x -- a comment", "{\"x\": 3, \"z\": 5}");
	leaves(&m, "do return end", "{\"x\": 3, \"z\": 5}");
	gives(&m, "x * 2 -- a comment", "6");
	gives(&m, "(function() return 1, 2 end)()", "1");
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
	lua_pushliteral(m.lua, "mine");
	lua_rawgeti(m.lua, LUA_REGISTRYINDEX, code);
	script_push_environment(m.script);
	lua_pushinteger(m.lua, 10);
	lua_pushinteger(m.lua, 4);
	lua_pushinteger(m.lua, 5);
	assert_true(script_call(m.script, 4, 1, &err));
	assert_int_equal(lua_tointeger(m.lua, -1), -10);
	assert_string_equal(lua_tostring(m.lua, -2), "mine");
	lua_settop(m.lua, 0);
	made_close(&m);
}

/* One session sees nothing of another one: the library cannot be changed. */
static void environments_are_apart(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	leaves(&m, "x = 1; count = 2", "{\"count\": 2, \"x\": 1}");
	refuse(&m, "math.max = nil", "cannot be changed");
	refuse(&m, "string.y = 1", "cannot be changed");
	refuse(&m, "table.insert(table, 1)", "table expected");
	refuse(&m, "m = { x = math } bump(m, 'x', 'max', 1)", "expected a map");
	refuse(&m, "g = graph() g.edges = math g:edge(1, 2)", "was changed");
	refuse(&m, "m.x.max = 1", "cannot be changed");
	refuse(&m, "table.sort(string)", "table expected");
	refuse(&m, "('').x = 1", "string");
	refuse(&m, "pairs(math)", "table expected");
	made_renew(&m);
	leaves(&m, "y = x; n = count({})", "{\"n\": 0}");
	made_close(&m);
}

static void refuses_what_is_no_lua(void **state)
{
	static const struct {
		const char *text, *why;
		bool expression;
	} cases[] = {
		{ "x = = 1", "a.prop:7: unexpected symbol near '='", false },
		{ "x = 1\n\ny = ", "a.prop:9: unexpected symbol at the end", false },
		{ "end x = 1", "a.prop:7: ", false },
		{ "end; function f()", "a.prop:7: ", false },
		{ "x = 1 --[[", "a.prop:7: unfinished long comment", false },
		{ "x = [[", "unfinished long string", false },
		{ "return ...", "cannot use '...'", false },
		{ "goto nowhere", "nowhere", false },
		{ "break", "break", false },
		{ "local _ENV = {}", "a.prop:7: actions must not use _ENV", false },
		{ "x = 1\ny = _ENV.x", "a.prop:8: actions must not use _ENV", false },
		{ "", "a.prop:7: ", true },
		{ "1, 2", "a.prop:7: ", true },
		{ "1) , (2", "a.prop:7: ", true },
		{ "1) end, function() return (2", "a.prop:7: ", true },
		{ "x; y = 1", "a.prop:7: ", true },
		{ "x = 1", "a.prop:7: ", true },
		{ "\033Lua", "a.prop:7: ", false },
	};
	struct made m;

	(void)state;
	made_open(&m, NULL);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = { .text = "" };

		if (made_run(&m, cases[i].text, cases[i].expression, &err))
			fail_msg("'%s': it is taken", cases[i].text);
		if (!strstr(err.text, cases[i].why))
			fail_msg("'%s': %s", cases[i].text, err.text);
		assert_int_equal(lua_gettop(m.lua), 0);
	}
	made_close(&m);
}

static void refuses_names_that_are_words(void **state)
{
	static const char *const names[] = { "end" }, *const signs[] = { "a, b" };
	struct made m;
	struct err err;
	int code;

	(void)state;
	made_open(&m, NULL);
	assert_false(script_compile(m.script, "", &m.place, names, 1, false, &code, &err));
	assert_string_equal(err.text,
			    "a.prop:7: 'end' is not a valid name in Lua: give it a label");
	assert_false(script_compile(m.script, "", &m.place, signs, 1, false, &code, &err));
	made_close(&m);
}

/*
 * Long file names are not truncated, and lines are those of the file, whichever code raises the
 * error.
 */
static void errors_have_their_place(void **state)
{
	static const char file[] =
		"a/very/long/name/of/a/file/with/many/folders/that/lua/would/cut/x.prop";
	static const struct {
		const char *text, *where, *what;
	} cases[] = {
		{ "x.y = 1", ":100000: ", "x" },
		{ "\n\nx = nil + 1", ":100002: ", "arithmetic" },
		{ "local function f()\nerror('mine')\nend\nf()", ":100001: mine", "" },
		{ "\ntable.sort({ 1, 'a' })", ":100001: ", "compare" },
		{ "\nstring.format('%d', 'a')", ":100001: ", "number expected" },
		{ "local t = {}\nbump(t, nil, 1)", ":100001: ", "a key is nil" },
		{ "local function f() f() end\nf()", ":100000: ", "" },
		{ "local t = { 2, 1 }\nlocal function f() table.sort(t, f) end\nf()", ":10000",
		  "stack overflow" },
		{ "x = {} < {}", ":100000: ", "compare" },
		{ "error({ 1, 2 })", ":100000: {1: 1, 2: 2}", "" },
		{ "error()", ":100000: ", "without a message" },
		{ "error('a\\nb')", ":100000: a b", "" },
		{ "x = {}\nx[nil] = 1", ":100001: ", "nil" },
		{ "x = 0 // 0", ":100000: ", "divide by zero" },
		{ "assert(1)", ":100000: ", "cannot be used in an action" },
		{ "return bump({})", ":100000: ", "bump(map, key…, n)" },
	};
	struct made m;

	(void)state;
	made_open(&m, NULL);
	m.place = (struct script_location){ file, 100000, 1 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = { .text = "" };

		assert_false(made_run(&m, cases[i].text, false, &err));
		if (strncmp(err.text, file, strlen(file)) || !strstr(err.text, cases[i].where) ||
		    !strstr(err.text, cases[i].what) || strchr(err.text, '\n'))
			fail_msg("'%s': %s", cases[i].text, err.text);
		assert_int_equal(lua_gettop(m.lua), 0);
	}
	made_close(&m);
}

/* An error in a function from another file has the location in that file. */
static void places_are_of_the_code(void **state)
{
	struct made m;
	struct err err;

	(void)state;
	made_open(&m, NULL);
	assert_true(made_run(&m, "f = function() return nil .. 'x' end", false, &err));
	m.place = (struct script_location){ "b.prop", 3, 1 };
	assert_false(made_run(&m, "f()", false, &err));
	assert_non_null(strstr(err.text, "a.prop:7: "));
	assert_false(made_run(&m, "g()", false, &err));
	assert_non_null(strstr(err.text, "b.prop:3: "));
	made_close(&m);
}

/* ---- limits: what would go on for ever is stopped, or these tests do not end ----------------- */

static const char *const runaway[] = {
	"while true do end",
	"repeat until false",
	"::a:: goto a",
	"for i = 1, math.huge do end",
	"local function f() return f() end f()",
	"local function f(a) return 1 + f(a) end f(1)",
	"local t = {} while true do t[#t + 1] = {} end",
	"local t = {} while true do t = { t } end",
	"while true do local t = {} end",
	"local t = {} for i = 1, 1e9 do t[i * 1000003] = i end",
	"local s = 'x' while true do s = s .. s end",
	"local s = ('x'):rep(60000) while true do local t = s .. 'y' end",
	"local s, t = ('x'):rep(60000), ('x'):rep(60000) while s == t do end",
	"local s, t = ('\\0'):rep(60000), ('\\0'):rep(60000) while not (s < t) do end",
	"while true do local s = ('x'):rep(60000) end",
	"local s, p = ('a'):rep(60000), ('a'):rep(30000) .. 'b' while true do s:find(p) end",
	"while true do string.format('%99.99f', 1e308) end",
	"local t = {} for i = 1, 300000 do t[i] = '' end while true do table.concat(t) end",
	"local t = {} for i = 1, 900000 do t[i] = i end while true do table.unpack(t) end",
	"local t = {} for i = 1, 200000 do t[i] = i end local function g() end "
	"local function f(...) while true do g(...) end end f(table.unpack(t))",
	"local function r(n) if n == 0 then return end return n, r(n - 1) end while true do "
	"r(50000) end",
	"local t = {} while true do table.insert(t, 1, 0) end",
	"local t = {} for i = 1, 1000000 do t[i] = i end while true do table.remove(t, 1) end",
	"local t = {} for i = 1, 2000000 do t[i] = -i end table.sort(t)",
	"local t = {} for i = 1, 9999 do t[i] = -i end while true do table.sort(t, function() "
	"return true end) end",
	"table.sort({ 3, 2, 1 }, function() while true do end end)",
	"local t = { 3, 2, 1 } local function f() table.sort(t, f) return true end f()",
	"local t = {} for i = 1, 99999 do t[i * 3] = i end while true do for k in pairs(t) do end "
	"end",
	"local t = {} for i = 1, 99999 do t[i * 3] = i end while true do next(t) end",
	"local t = {} for i = 1, 99999 do t[i * 3] = i end while true do count(t) end",
	"local t = {} for i = 1, 99999 do t[i * 3] = i end while true do tostring(t) end",
	"local t = {} for i = 1, 99999 do t[i * 3] = i end while true do report(t) end",
	"local g = graph() for i = 1, 99999 do g:edge(i, i + 1) end while g.acyclic do end",
	"local g = graph() for i = 1, 9999 do g:edge(i, i % 9999 + 1) end while g:cycle() do end",
	"local g = graph() for i = 1, 9999 do g:edge(i, i + 1) end while g:reaches(1, 9999) do end",
	"local t = {} for i = 1, 50 do t = { t, t } end local u = {} for i = 1, 50 do u = { u, u } "
	"end "
	"table.equal(t, u)",
	"local t = {} t.t = t local u = {} u.t = u table.equal(t, u)",
	"local t = {} for i = 1, 99999 do t = { t } end while true do table.copy(t) end",
	"local t, n = {}, 1 << 18 for i = 1, n do t[i * 7.5] = i end "
	"while true do n = n + 1 t[n * 7.5] = 1 t[(n - (1 << 18)) * 7.5] = nil end",
	"local s = (' '):rep(60000) .. '1' while true do tonumber(s) end",
	"local t = {} for i = 1, 1e9 do bump(t, i, i, 1) end",
	"string.rep('x', 1e15)",
	"('x'):rep(1 << 62, 'y')",
	"string.format('%9999d', 1)",
	"table.unpack({}, 1, 1e15)",
	"table.unpack({}, math.mininteger, math.maxinteger)",
	"table.concat({}, '', 1, 1e15)",
	"string.char(table.unpack({}, 1, 100000))",
};

static void runaways_are_stopped(void **state)
{
	struct script_limits limits = { SCRIPT_INSTRUCTIONS / 5, SCRIPT_MEMORY };
	struct made m;

	(void)state;
	for (size_t i = 0; i < sizeof runaway / sizeof *runaway; i++) {
		made_open(&m, i % 8 ? &limits : NULL);
		refuse(&m, runaway[i], "a.prop:7: ");
		leaves(&m, "x = 1", "{\"x\": 1}"); /* the next call works as before */
		made_close(&m);
	}
}

/* Functions whose cost cannot be bounded are missing. */
static void dangerous_ones_are_missing(void **state)
{
	static const char *const names[] = { "pcall",	     "xpcall",
					     "load",	     "loadstring",
					     "dofile",	     "loadfile",
					     "require",	     "print",
					     "os",	     "io",
					     "debug",	     "coroutine",
					     "package",	     "utf8",
					     "warn",	     "rawset",
					     "rawget",	     "rawequal",
					     "rawlen",	     "_G",
					     "_VERSION",     "setmetatable",
					     "getmetatable", "collectgarbage",
					     "math.random",  "math.randomseed",
					     "string.dump",  "string.gsub",
					     "string.match", "string.gmatch",
					     "string.pack",  "string.unpack",
					     "table.move",   "string.__index" };
	struct made m;

	(void)state;
	made_open(&m, NULL);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		gives(&m, names[i], "nil");
	gives(&m, "('x').gsub", "nil");
	made_close(&m);
}

static void says_which_limit(void **state)
{
	struct script_limits few = { 100, SCRIPT_MEMORY }, small = { SCRIPT_INSTRUCTIONS, 1 << 20 };
	struct made m;

	(void)state;
	made_open(&m, &few);
	refuse(&m, "while true do end", "a.prop:7: stopped after 100 instructions");
	leaves(&m, "x = 0 for i = 1, 20 do x = x + i end", "{\"x\": 210}");
	refuse(&m, "\nfor i = 1, 50 do x = x + i end", "a.prop:8: stopped after 100 instr");
	made_close(&m);

	made_open(&m, &small);
	refuse(&m, "keep = {}\nwhile true do keep[#keep + 1] = #keep end",
	       "a.prop:8: more than 1 MB in use: end sessions with 'reset'");
	made_close(&m);

	made_open(&m, NULL);
	refuse(&m, "local s = 'x'\nwhile true do s = s .. s end",
	       "a.prop:8: string would be longer than 65536 bytes");
	refuse(&m, "local s = 'x'\ns = s:rep(100000)",
	       "a.prop:8: string would be longer than 65536");
	made_close(&m);
}

/* Many calls each keep a little memory, until the sum of all kept memory is too much. */
static void memory_is_of_all_calls(void **state)
{
	struct script_limits small = { SCRIPT_INSTRUCTIONS, 1 << 20 };
	struct made m;
	struct err err = { .text = "" };
	unsigned calls = 0;

	(void)state;
	made_open(&m, &small);
	while (calls < 100000 &&
	       made_run(&m, "keep = { keep, 1, 2, 3, 4, 5, 6, 7, 8 }", false, &err))
		calls++;
	assert_in_range(calls, 1000, 10000);
	assert_non_null(strstr(err.text, "more than 1 MB"));
	made_renew(&m); /* released memory is free again */
	assert_true(made_run(&m, "keep = { 1 }", false, &err));
	made_close(&m);
}

/* Outside of calls no allocation fails; the next call does. */
static void memory_outside_counts_later(void **state)
{
	struct script_limits small = { SCRIPT_INSTRUCTIONS, 1 << 20 };
	struct made m;
	struct err err = { .text = "" };

	(void)state;
	made_open(&m, &small);
	lua_createtable(m.lua, 1 << 20, 0);
	assert_false(made_run(&m, "x = 1", false, &err));
	assert_non_null(strstr(err.text, "a.prop: more than 1 MB"));
	lua_settop(m.lua, 0);
	leaves(&m, "x = 1", "{\"x\": 1}");
	made_close(&m);
}

/* If memory is full, Lua collects garbage, and the call continues. */
static void garbage_is_no_use_of_memory(void **state)
{
	struct script_limits small = { SCRIPT_INSTRUCTIONS, 1 << 20 };
	struct made m;

	(void)state;
	made_open(&m, &small);
	for (unsigned i = 0; i < 50; i++)
		leaves(&m, "for i = 1, 20 do local s = ('x'):rep(50000 + i) end", "{}");
	made_close(&m);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void reports_are_taken_once(void **state)
{
	script_reports reports = { 0 };
	struct made m;

	(void)state;
	made_open(&m, NULL);
	leaves(&m, "report('deadlock', { 1, 2 }) report() report(nil, true, 1.5, 'a\"b', 1 << 33)",
	       "{}");
	script_take_reports(m.script, &reports);
	assert_int_equal(reports.count, 3);
	assert_string_equal(reports.items[0], "deadlock {1: 1, 2: 2}");
	assert_string_equal(reports.items[1], "");
	assert_string_equal(reports.items[2], "nil true 1.5 a\"b 0x200000000");
	for (size_t i = 0; i < reports.count; i++)
		free(reports.items[i]);
	reports.count = 0;
	script_take_reports(m.script, &reports);
	assert_int_equal(reports.count, 0);
	leaves(&m, "for i = 1, 1000 do report(i) end",
	       "{}"); /* limited, and freed with the script */
	vec_free(&reports);
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sees_its_environment),
		cmocka_unit_test(gives_parameters_in_order),
		cmocka_unit_test(environments_are_apart),
		cmocka_unit_test(refuses_what_is_no_lua),
		cmocka_unit_test(refuses_names_that_are_words),
		cmocka_unit_test(errors_have_their_place),
		cmocka_unit_test(places_are_of_the_code),
		cmocka_unit_test(runaways_are_stopped),
		cmocka_unit_test(dangerous_ones_are_missing),
		cmocka_unit_test(says_which_limit),
		cmocka_unit_test(memory_is_of_all_calls),
		cmocka_unit_test(memory_outside_counts_later),
		cmocka_unit_test(garbage_is_no_use_of_memory),
		cmocka_unit_test(reports_are_taken_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

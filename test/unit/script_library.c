/* Tests each function of the library, and that the list of its names is right. */
#include "script_make.h"
#include "script/lexeme.h"

static void walks_in_the_order_of_keys(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	leaves(&m,
	       "s = '' for k, v in pairs({ b = 1, a = 2, [10] = 3, [2] = 4, [true] = 5, [1.5] = 6, "
	       "[false] = 7, ['10'] = 8, [-1] = 9 }) do s = s .. tostring(k) .. v .. ' ' end",
	       "{\"s\": \"-19 1.56 24 103 108 a2 b1 false7 true5 \"}");
	leaves(&m, "s = '' for k, v in pairs({ 7, 8, 9 }) do s = s .. k .. v .. ' ' end",
	       "{\"s\": \"17 28 39 \"}");
	leaves(&m,
	       "s = '' for k, v in pairs({ 7, 8, [1.5] = 9, [4] = 5 }) do s = s .. k .. ' ' end",
	       "{\"s\": \"1 1.5 2 4 \"}");
	leaves(&m, "s = '' for k in pairs({}) do s = 'x' end", "{\"s\": \"\"}");
	/*
	 * more keys than are kept as upvalues; keys that are removed or added during the loop are
	 * left out
	 */
	leaves(&m,
	       "t = {} for i = 1, 40 do t[i * 2] = i end s = 0 "
	       "for k, v in pairs(t) do s = s + v t[k + 2] = nil t[k + 1] = 1000 end t = nil",
	       "{\"s\": 400}");
	leaves(&m,
	       "t = { 1, 2, 3, 4 } s = 0 for k, v in pairs(t) do s = s + v t[k + 1] = nil end t = "
	       "nil",
	       "{\"s\": 4}"); /* 1, and then 3 */
	leaves(&m,
	       "t = { a = 1, b = 2, c = 3 } s = 0 for k, v in pairs(t) do s = s + v t.b = nil end "
	       "t = nil",
	       "{\"s\": 4}");
	refuse(&m, "for k in pairs({ [{}] = 1 }) do end", "a table is used as a key");
	refuse(&m, "pairs()", "table expected");
	made_close(&m);
}

/* Integers and reals that are equal as doubles are in the right order. */
static void large_numbers_are_in_order(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	gives(&m,
	      "table.concat(table.keys({ [9007199254740993] = 1, [9007199254740992] = 1, "
	      "[math.maxinteger] = 1, [math.mininteger] = 1, [1e300] = 1, [-1e300] = 1, "
	      "[0.5] = 1, [-0.5] = 1, [0] = 1, [math.huge] = 1 }), ' ')",
	      "\"-1e+300 -9223372036854775808 -0.5 0 0.5 9007199254740992 9007199254740993 "
	      "9223372036854775807 1e+300 inf\"");
	made_close(&m);
}

static void next_goes_in_order(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	gives(&m, "next({})", "nil");
	gives(&m, "next({ b = 1, a = 2 })", "\"a\"");
	gives(&m, "table.pack(next({ b = 1, a = 2 }, 'a'))", "{1: \"b\", 2: 1, \"n\": 2}");
	gives(&m, "next({ b = 1, a = 2 }, 'b')", "nil");
	gives(&m, "next({ 5, 6, x = 1 }, 2)", "\"x\"");
	refuse(&m, "next({ [{}] = 1 })", "a table is used as a key");
	made_close(&m);
}

static void bumps(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	leaves(&m, "held = {} bump(held, 1, 70, 1) bump(held, 1, 70, 1) bump(held, 2, 71, 1)",
	       "{\"held\": {1: {70: 2}, 2: {71: 1}}}");
	leaves(&m, "n = bump(held, 1, 70, -1)", "{\"held\": {1: {70: 1}, 2: {71: 1}}, \"n\": 1}");
	leaves(&m, "n = bump(held, 1, 70, -1)", "{\"held\": {2: {71: 1}}, \"n\": 0}");
	leaves(&m, "n = bump(held, 9, 9, 9, 0)", "{\"held\": {2: {71: 1}}, \"n\": 0}");
	leaves(&m, "n = nil bump(held, 2, 70, 2.5) bump(held, 2, 71, -1) bump(held, 'a', 1)",
	       "{\"held\": {2: {70: 2.5}, \"a\": 1}}");
	refuse(&m, "bump(held, 'a', 1, 1)", "expected a map to count in, found a number");
	refuse(&m, "bump(held, 2, 1)", "the old value must be a number, but is a table");
	refuse(&m, "bump(held, nil, 1)", "a key is nil");
	refuse(&m, "bump(nil, 1, 1)", "table expected");
	refuse(&m, "bump(held, 1, 'x')", "number expected");
	refuse(&m, "bump(held, 1)", "needs a map, at least one key and a number");
	refuse(&m, "bump(held, 0/0, 1)", "NaN");
	gives(&m, "count(held)", "2");
	gives(&m, "count({ 1, 2, x = 3 })", "3");
	made_close(&m);
}

static void graphs(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	leaves(&m, "g = graph()", "{\"g\": {}}");
	gives(&m, "g.acyclic", "true");
	gives(&m, "g:cycle()", "nil");
	leaves(&m, "g:edge(3, 1) g:edge(1, 2) g:edge(1, 2)", "{\"g\": {1 -> 2, 3 -> 1}}");
	gives(&m, "g.acyclic", "true");
	gives(&m, "g:reaches(3, 2)", "true");
	gives(&m, "g:reaches(3, 1)", "true");
	gives(&m, "g:reaches(2, 3)", "false");
	gives(&m, "g:reaches(3, 3)", "false");
	gives(&m, "g:reaches(8, 9)", "false");
	leaves(&m, "g:edge(2, 3)", "{\"g\": {1 -> 2, 2 -> 3, 3 -> 1}}");
	gives(&m, "g.acyclic", "false");
	gives(&m, "g:cycle()", "[1, 2, 3]");
	gives(&m, "g:reaches(3, 3)", "true");
	leaves(&m, "g:remove(1, 2) g:remove(5, 5) g:remove(2, 9)", "{\"g\": {2 -> 3, 3 -> 1}}");
	gives(&m, "g.acyclic", "true");
	leaves(&m, "g:edge('a', 'a') g:edge(1, 'a')",
	       "{\"g\": {1 -> \"a\", 2 -> 3, 3 -> 1, \"a\" -> \"a\"}}");
	gives(&m, "g:cycle()", "[\"a\"]");
	/* an emptied graph equals a new one */
	leaves(&m, "g = graph() g:edge(1, 2) g:remove(1, 2) same = table.equal(g, graph())",
	       "{\"g\": {}, \"same\": true}");
	refuse(&m, "g:edge(1, nil)", "a graph node must be a number, a string, true or false");
	refuse(&m, "g:edge({}, 1)", "a graph node");
	refuse(&m, "g.edge(1, 2)", "");
	refuse(&m, "g.edge({}, 1, 2)", "not a graph");
	refuse(&m, "g:nothing()", "nothing");
	refuse(&m, "g:edge(1, 2) g.edges[5] = 1 local x = g.acyclic", "was changed");
	refuse(&m, "g.edges[5] = { [{}] = 1 } g:cycle()", "a graph node");
	made_close(&m);
}

/*
 * Compares random graphs with the definition: a node reaches another one if a walk of at most n
 * edges does.
 */
static void graphs_against_their_definition(void **state)
{
	enum { NODES = 6 };
	struct made m;

	(void)state;
	made_open(&m, NULL);
	srandom(3);
	for (unsigned round = 0; round < 300; round++) {
		bool reach[NODES][NODES] = { 0 }, acyclic = true;
		char text[1024] = "g = graph()", shown[64];
		struct err err;

		for (long edges = random() % 10; edges > 0; edges--) {
			unsigned a = (unsigned)random() % NODES, b = (unsigned)random() % NODES;

			reach[a][b] = true;
			sprintf(text + strlen(text), " g:edge(%u, %u)", a, b);
		}
		for (unsigned k = 0; k < NODES; k++)
			for (unsigned i = 0; i < NODES; i++)
				for (unsigned j = 0; j < NODES; j++)
					reach[i][j] |= reach[i][k] && reach[k][j];
		assert_true(made_run(&m, text, false, &err));
		for (unsigned i = 0; i < NODES; i++)
			for (unsigned j = 0; j < NODES; j++) {
				sprintf(text, "g:reaches(%u, %u)", i, j);
				gives(&m, text, reach[i][j] ? "true" : "false");
				acyclic &= i != j || !reach[i][j];
			}
		gives(&m, "g.acyclic", acyclic ? "true" : "false");
		gives(&m, "g:cycle() == nil", acyclic ? "true" : "false");
		/* checks that the cycle starts at its least node, follows edges, and returns */
		sprintf(shown, "%s", acyclic ? "nil" : "true");
		gives(&m,
		      "(function() local c = g:cycle() if not c then return nil end "
		      "for i = 1, #c do if not g.edges[c[i]][c[i % #c + 1]] or c[i] < c[1] then "
		      "return false end end return true end)()",
		      shown);
	}
	made_close(&m);
}

static void texts(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	gives(&m, "('abc'):upper():lower():reverse():sub(2, 3)", "\"ba\"");
	gives(&m, "('abc'):len() + ('abc'):byte(1)", "100");
	gives(&m, "string.char(72, 105)", "\"Hi\"");
	gives(&m, "('a.c'):find('.')", "2");
	gives(&m, "table.pack(('a%w%w'):find('%w', 3))", "{1: 4, 2: 5, \"n\": 2}");
	gives(&m, "('abc'):find('x')", "nil");
	gives(&m, "('abcabc'):find('b', -2)", "5");
	gives(&m, "('abc'):find('a', -100)", "1");
	gives(&m, "('abc'):find('', 4)", "4");
	gives(&m, "('abc'):find('', 5)", "nil");
	gives(&m, "('abc'):find('c', math.mininteger)", "3");
	gives(&m, "('ab'):rep(3, '-')", "\"ab-ab-ab\"");
	gives(&m, "('ab'):rep(0) .. ('ab'):rep(-1) .. (''):rep(1e15)", "\"\"");
	gives(&m, "#('x'):rep(65000)", "65000");
	gives(&m, "string.format('%d %5.1f %s %q %x', 3, 2.55, { 1 }, 'a', 255)",
	      "\"3   2.5 {1: 1} \\\"a\\\" ff\"");
	gives(&m, "string.format('%s %s %%p', nil, true)", "\"nil true %p\"");
	refuse(&m, "string.format('%p', {})", "a different address in each run");
	refuse(&m, "string.format('%-9p', {})", "a different address in each run");
	refuse(&m, "x = '10' + 1", "arithmetic");
	gives(&m, "10 .. ''", "\"10\"");
	gives(&m, "tostring(nil) .. tostring(1.0) .. tostring(12345678901234) .. tostring('x')",
	      "\"nil1.012345678901234x\"");
	gives(&m, "tostring({ 1, { 'x' } }) .. tostring(count) .. tostring(math)",
	      "\"{1: 1, 2: {1: \\\"x\\\"}}functionlibrary\"");
	gives(&m, "tonumber('0x10') + tonumber('12', 8)", "26");
	gives(&m, "tonumber('x')", "nil");
	gives(&m, "type({}) .. type(nil) .. type(math)", "\"tableniluserdata\"");
	gives(&m, "select('#', 1, 2) + select(2, 5, 6)", "8");
	made_close(&m);
}

static void lists(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	leaves(&m,
	       "t = {} table.insert(t, 'a') table.insert(t, 'c') table.insert(t, 2, 'b') "
	       "table.insert(t, 1, 'z')",
	       "{\"t\": {1: \"z\", 2: \"a\", 3: \"b\", 4: \"c\"}}");
	leaves(&m, "x = table.remove(t) y = table.remove(t, 1) z = table.remove({})",
	       "{\"t\": {1: \"a\", 2: \"b\"}, \"x\": \"c\", \"y\": \"z\"}");
	refuse(&m, "table.insert(t, 4, 'x')", "position out of range");
	refuse(&m, "table.insert(t, 1, 2, 3)", "insert(list, value)");
	gives(&m, "table.remove(t, 3)", "nil");
	gives(&m, "table.concat({ 1, 'x', 2.5 }, ', ')", "\"1, x, 2.5\"");
	gives(&m, "table.concat({ 'a', 'b', 'c' }, '', 2, 3) .. table.concat({})", "\"bc\"");
	gives(&m, "table.concat({ [math.maxinteger] = 'x' }, '', math.maxinteger, math.maxinteger)",
	      "\"x\"");
	refuse(&m, "table.concat({ {} })", "the list contains a table");
	gives(&m, "table.pack(table.unpack({ 1, 2, 3 }, 2))", "{1: 2, 2: 3, \"n\": 2}");
	gives(&m, "table.pack(table.unpack({}, 1, 2))", "{\"n\": 2}");
	gives(&m, "table.pack(table.unpack({ 1 }, math.maxinteger, math.maxinteger))",
	      "{\"n\": 1}");
	gives(&m, "table.keys({ b = 1, [3] = 1, [1] = 2 })", "[1, 3, \"b\"]");
	gives(&m, "table.equal({ 1, { x = 2 } }, { 1, { x = 2 } })", "true");
	gives(&m, "table.equal({ 1, { x = 2 } }, { 1, { x = 3 } })", "false");
	gives(&m, "table.equal({ 1 }, { 1, 2 }) or table.equal({ 1, 2 }, { 1 })", "false");
	gives(&m, "table.equal({ 1 }, { 1, 2, 3 }) or table.equal({}, 1) or table.equal(1, '1')",
	      "false");
	gives(&m, "table.equal(nil, nil) and table.equal({ {} }, { {} })", "true");
	leaves(&m,
	       "t = { {} } t[2] = t[1] x = table.copy(t) y = x[1] == x[2] and x[1] ~= t[1] z = nil",
	       "{\"t\": {1: {}, 2: {}}, \"x\": {1: {}, 2: {}}, \"y\": true}");
	made_close(&m);
}

/* Sorting is stable for any input. */
static void sorts(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	leaves(&m, "t = { 3, 1, 2 } table.sort(t)", "{\"t\": {1: 1, 2: 2, 3: 3}}");
	leaves(&m, "table.sort(t, function(a, b) return a > b end)", "{\"t\": {1: 3, 2: 2, 3: 1}}");
	leaves(&m, "t = {} table.sort(t) t = { 'x' } table.sort(t)", "{\"t\": {1: \"x\"}}");
	leaves(&m,
	       "t = {} for i = 1, 100 do t[i] = { i * 37 % 10, i } end "
	       "table.sort(t, function(a, b) return a[1] < b[1] end) ok = true "
	       "for i = 2, 100 do local a, b = t[i - 1], t[i] "
	       "ok = ok and (a[1] < b[1] or a[1] == b[1] and a[2] < b[2]) end t = nil",
	       "{\"ok\": true}");
	/* a comparison that contradicts itself loses no values */
	leaves(&m,
	       "for n = 0, 40 do t = {} for i = 1, n do t[i] = i end table.sort(t, function() "
	       "return true end) "
	       "local seen = {} for _, v in ipairs(t) do seen[v] = true end "
	       "ok = ok and count(seen) == n end t = nil",
	       "{\"ok\": true}");
	refuse(&m, "table.sort({ 1, {} })", "compare");
	refuse(&m, "table.sort({ 2, 1 }, 5)", "function expected");
	refuse(&m,
	       "local t = { 3, 2, 1 } table.sort(t, function() t[1] = nil t[2] = nil return t[1] < "
	       "2 end)",
	       "nil");
	made_close(&m);
}

static void arithmetic(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, NULL);
	gives(&m, "math.max(1, 5, 3) + math.min(4, 2) + math.abs(-1)", "8");
	gives(&m, "math.floor(2.7) + math.ceil(2.2) + math.tointeger(3.0)", "8");
	gives(&m, "math.type(1) .. math.type(1.5)", "\"integerfloat\"");
	gives(&m, "math.huge > math.maxinteger and math.ult(1, -1)", "true");
	gives(&m, "math.sqrt(16)", "4");
	made_close(&m);
}

/* ---- the list of it -------------------------------------------------------------------------- */

static void is_known(const char *name)
{
	if (!script_has_name(name))
		fail_msg("'%s' is not in the list of the library", name);
}

/* The list has exactly the functions of the library. */
static void the_list_is_the_library(void **state)
{
	struct made m;
	unsigned found = 0;

	(void)state;
	made_open(&m, NULL);
	lua_rawgeti(m.lua, LUA_REGISTRYINDEX, m.environment);
	assert_true(lua_getmetatable(m.lua, -1));
	lua_getfield(m.lua, -1, "__index");
	lua_pushnil(m.lua);
	while (lua_next(m.lua, -2)) {
		char name[64];

		found++;
		is_known(lua_tostring(m.lua, -2));
		if (lua_isuserdata(m.lua, -1)) {
			assert_true(lua_getmetatable(m.lua, -1));
			lua_getfield(m.lua, -1, "__index");
			lua_pushnil(m.lua);
			while (lua_next(m.lua, -2)) {
				snprintf(name, sizeof name, "%s.%s", lua_tostring(m.lua, -6),
					 lua_tostring(m.lua, -2));
				is_known(name);
				found++;
				lua_pop(m.lua, 1);
			}
			lua_pop(m.lua, 2);
		}
		lua_pop(m.lua, 1);
	}
	lua_settop(m.lua, 0);
	assert_int_equal(found, 62);
	assert_false(script_has_name("pcall"));
	assert_true(script_is_pure("math.max", 8));
	assert_true(script_is_pure("countX", 5));
	assert_false(script_is_pure("bump", 4));
	assert_false(script_is_pure("report", 6));
	assert_false(script_is_pure("table.sort", 10));
	assert_false(script_is_pure("unknown", 7));
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_in_the_order_of_keys),
		cmocka_unit_test(large_numbers_are_in_order),
		cmocka_unit_test(next_goes_in_order),
		cmocka_unit_test(bumps),
		cmocka_unit_test(graphs),
		cmocka_unit_test(graphs_against_their_definition),
		cmocka_unit_test(texts),
		cmocka_unit_test(lists),
		cmocka_unit_test(sorts),
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(the_list_is_the_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

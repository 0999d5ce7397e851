/* Tests C conditions translated to Lua: their meaning, what is refused, and random conditions. */
#include "script_make.h"

/* Defines the names that the conditions below use. */
static const char names[] =
	"zero = 0; one = 1; two = 2; minus = -7; real = 2.5; text = 'abc'; empty = ''; yes = true; "
	"no = false; t = { x = 3, y = 0, list = { 5, 6 }, ['end'] = 9 }; f = function(a) return a "
	"end; "
	"t.get = function(self, k) return self[k] end; g = graph(); g:edge(1, 2)";

static void made_open_with_names(struct made *m)
{
	struct err err;

	made_open(m, NULL);
	assert_true(made_run(m, names, false, &err));
}

/* Evaluates a condition: returns 1 or 0, or -1 if Lua fails. */
static int judge(struct made *m, const char *condition, struct err *err)
{
	size_t at = 0;
	char *lua = script_translate_condition(condition, &at, err);
	bool done, truth;

	if (!lua)
		fail_msg("%s: %zu: %s", condition, at, err->text);
	done = made_run(m, lua, true, err);
	if (!done && strstr(err->text, "near"))
		fail_msg("%s became %s: %s", condition, lua, err->text);
	free(lua);
	if (!done)
		return -1;
	if (!lua_isboolean(m->lua, -1))
		fail_msg("%s is a %s", condition, luaL_typename(m->lua, -1));
	truth = lua_toboolean(m->lua, -1);
	lua_pop(m->lua, 1);
	return truth;
}

static void holds_as_in_c(void **state)
{
	static const char *const true_[] = {
		"1",
		"one",
		"!zero",
		"!0",
		"\"\"",
		"empty",
		"'a' == 97",
		"'\\n' == 10",
		"'\\0' == 0",
		"'\\x41' == 65",
		"'\\101' == 65",
		"1 < 2 && 2 < 3",
		"0 || two",
		"one + one == two",
		"7 / 2 == 3",
		"minus / 2 == -3",
		"minus % 2 == -1",
		"minus % -2 == -1",
		"7 % -2 == 1",
		"7 // 2 == 3",
		"minus // 2 == -4",
		"minus >> 1 == -4",
		"1 << 4 == 16",
		"5 / 2.0 == 2.5",
		"010 == 8",
		"0x1F == 31",
		"0b101 == 5",
		"10u == 10",
		"10UL == 10",
		"0xffffffffffffffff == -1",
		"18446744073709551615u == -1",
		"1.5f == 1.5",
		"1e3 == 1000",
		/* C's precedence, which differs from Lua's */
		"1 | 2 == 2",
		"!(6 & 1 == 0)",
		"(6 & 1) == 0",
		"2 + 3 << 1 == 10",
		"1 ^ 3 == 2",
		"(1 ^ 3) == 2",
		"5 & 3 | 8",
		"-2 + 3",
		"- -3 == 3",
		"~0 == -1",
		"!one == 0",
		"1 < 2 == 1",
		"(1 < 2) + (2 < 3) == 2",
		"3 > 2 > 0",
		"!(3 > 2 > 1)",
		"(1 < 2) == yes",
		"(1 < 2) == one",
		"(2 < 1) == zero",
		"(2 < 1) != one",
		"yes == true",
		"one ? two : zero",
		"!(zero ? two : zero)",
		"zero ? 0 : one ? 2 : 0",
		"(one ? nil : 3) == nil",
		"(one ? no : 3) == false",
		"one ? t.x : f(1)",
		"(zero ? t : f(t)).x == 3",
		"one ? (t:get(\"x\")) : 0",
		/* operators of Lua */
		"t.x == 3",
		"!t.y",
		"!t.nothing",
		"!missing",
		"missing == nil",
		"t.list[1] == 5",
		"#t.list == 2",
		"t.end == 9",
		"t[\"x\"] == 3",
		"t:get(\"x\") == 3",
		"t:get\"x\"",
		"f{1}[1]",
		"f(t).x",
		"(f)(3) == 3",
		"text .. \"d\" == \"abcd\"",
		"\"a\" .. 1 .. 2 == \"a12\"",
		"text:upper() == \"ABC\"",
		"\"abc\":len() == 3",
		"not zero",
		"not (one and zero)",
		"one and two",
		"zero or two",
		"(missing or {})[1] == nil",
		"(missing or 5) + 1 == 6",
		"one ~= two",
		"one != two",
		"yes",
		"!no",
		"{}",
		"{ 1, x = 2, [3] = 4; 5 }.x == 2",
		"count({ 1, 2, 3 }) == 3",
		"math.max(1, 2) == 2",
		"g.acyclic",
		"g:reaches(1, 2)",
		"strcmp(text, \"abc\") == 0",
		"!strcmp(text, \"abc\")",
		"strlen(text) == 3",
		"strstr(text, \"bc\")",
		"strstr(text, \"x\") == NULL",
		"startswith(text, \"ab\")",
		"strncmp(text, \"abX\", 2) == 0",
		"one -- a comment",
		"one --[[ two\nlines ]] == 1",
		"\none\n==\n1\n",
		"zero == NULL",
		"text != NULL",
		"\"\\\"\" .. \"\\\\\" == \"\\42\\134\"",
		"\"\\x01\\n\":len() == 2",
		"real",
		"+one",
		"+(1 < 2) == 1",
		"1..2 == \"12\"",
		".5 + .5 == 1",
	};
	static const char *const false_[] = {
		"0",
		"0.0",
		"zero",
		"nil",
		"false",
		"no",
		"missing",
		"!one",
		"1 && 0",
		"zero && missing.x",
		"zero and missing.x",
		"t.y",
		"t.y or zero",
		"one and zero",
		"f(0)",
		"f(nil)",
		"(0)",
		"((zero))",
		"one ? zero : one",
		"(one ? 0 : 1)",
		"-0",
		"1 - 1",
		"'\\0'",
		"{} == {}",
		"one == \"1\"",
		"NULL",
		"nullptr",
	};
	struct made m;
	struct err err;

	(void)state;
	made_open_with_names(&m);
	for (size_t i = 0; i < sizeof true_ / sizeof *true_; i++)
		if (judge(&m, true_[i], &err) != 1)
			fail_msg("%s: not true", true_[i]);
	for (size_t i = 0; i < sizeof false_ / sizeof *false_; i++)
		if (judge(&m, false_[i], &err) != 0)
			fail_msg("%s: not false", false_[i]);
	made_close(&m);
}

static void fails_in_lua_on_its_line(void **state)
{
	struct made m;
	struct err err;

	(void)state;
	made_open_with_names(&m);
	assert_int_equal(judge(&m, "one ==\n1 &&\nmissing.x", &err), -1);
	assert_non_null(strstr(err.text, "a.prop:9: "));
	assert_int_equal(judge(&m, "1 / zero", &err), -1);
	assert_non_null(strstr(err.text, "a.prop:7: division by 0"));
	assert_int_equal(judge(&m, "1 % zero", &err), -1);
	assert_int_equal(judge(&m, "1 << 64", &err), -1);
	assert_int_equal(judge(&m, "1 >> -1", &err), -1);
	made_close(&m);
}

static void refuses_what_is_no_condition(void **state)
{
	static const struct {
		const char *text, *why;
		size_t at;
	} cases[] = {
		{ "", "expected a value at the end", 0 },
		{ "   ", "expected a value at the end", 3 },
		{ "a->b", "pointers cannot be used here", 1 },
		{ "a.b->c == 1", "pointers cannot be used here", 3 },
		{ "*p", "pointers cannot be used here", 0 },
		{ "a * *p", "pointers cannot be used here", 4 },
		{ "&x", "pointers cannot be used here", 0 },
		{ "a && &b", "pointers cannot be used here", 5 },
		{ "(int)x", "casts are not supported", 0 },
		{ "(struct a *)x", "casts are not supported", 0 },
		{ "(T)x", "casts are not supported", 0 },
		{ "(T)1", "casts are not supported", 0 },
		{ "sizeof(x)", "'sizeof' is not supported", 0 },
		{ "a = 1", "use == to compare", 2 },
		{ "a += 1", "use == to compare", 3 },
		{ "a == ", "expected a value at the end", 5 },
		{ "a b", "expected an operator before 'b'", 2 },
		{ "a, b", "expected an operator before ','", 1 },
		{ "(a", "expected ')' at the end", 2 },
		{ "f(a,)", "expected a value before ')'", 4 },
		{ "a)", "expected an operator before ')'", 1 },
		{ "a ? b", "expected ':' at the end", 5 },
		{ "a ? b : ", "expected a value", 8 },
		{ "'ab'", "one character", 0 },
		{ "''", "one character", 0 },
		{ "\"a", "does not end on its line", 0 },
		{ "\"a\nb\"", "does not end on its line", 0 },
		{ "\"\\q\"", "unknown escape sequence", 1 },
		{ "12x", "is not a number", 0 },
		{ "09", "is not a number", 0 },
		{ "0x", "is not a number", 0 },
		{ "9223372036854775808", "does not fit in 64 bits; add the suffix u", 0 },
		{ "99999999999999999999", "does not fit in 64 bits", 0 },
		{ "1e999", "too large", 0 },
		{ "end", "a Lua keyword", 0 },
		{ "a:end()", "a Lua keyword", 2 },
		{ "a:b", "expected '('", 3 },
		{ "function() end", "only in an action", 0 },
		{ "a.1", "expected an operator", 1 },
		{ "a @ b", "unexpected character '@'", 2 },
		{ "a \x01", "unexpected byte 0x1", 2 },
		{ "{ 1", "expected '}' or ','", 3 },
		{ "{ [1] 2 }", "expected '=' before '2'", 6 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = { .text = "" };
		size_t at = 99;
		char *lua = script_translate_condition(cases[i].text, &at, &err);

		if (lua)
			fail_msg("'%s' became %s", cases[i].text, lua);
		if (!strstr(err.text, cases[i].why) || at != cases[i].at)
			fail_msg("'%s': %zu: %s", cases[i].text, at, err.text);
	}
}

static char *repeated(const char *start, const char *middle, unsigned count, const char *end)
{
	size_t length = strlen(start) + strlen(middle) * count + strlen(end) + 1;
	char *text = calloc(1, length), *at = text;

	at = stpcpy(at, start);
	while (count--)
		at = stpcpy(at, middle);
	stpcpy(at, end);
	return text;
}

/*
 * Depth and length are limited. Lua must be able to read the translation of anything within the
 * limits.
 */
static void long_ones_end_well(void **state)
{
	static const struct {
		const char *start, *middle, *end;
	} cases[] = { { "one", " && one", "" },
		      { "zero", " || one", "" },
		      { "one", " + one", "" },
		      { "", "(", "one" },
		      { "", "!", "one" },
		      { "", "- ", "one" },
		      { "one", " ? one : one", "" },
		      { "one", ".x", "" },
		      { "f", "(one)", "" },
		      { "", "one ? ", "" },
		      { "", "f(", "" },
		      { "", "{", "" },
		      { "text", " .. text", "" },
		      { "one", " or one", " + 1" },
		      { "one", " == one", "" },
		      { "(1", "/1", ")" },
		      { "", "one[", "" } };
	struct made m;

	(void)state;
	made_open_with_names(&m);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (unsigned count = 1; count <= 100000;
		     count = count < 100 ? count + 1 : count * 10) {
			char *text = repeated(cases[i].start, cases[i].middle, count, cases[i].end);
			struct err err;
			size_t at;
			char *lua = script_translate_condition(text, &at, &err);

			if (lua && made_run(&m, lua, true, &err))
				lua_pop(m.lua, 1);
			else if (lua && strstr(err.text, "syntax"))
				fail_msg("%u x %s: %s", count, cases[i].middle, err.text);
			free(lua);
			free(text);
		}
	}
	made_close(&m);
}

/*
 * Lua can read the translation of each accepted condition; each refused one has an error with its
 * position.
 */
static void random_ones(void **state)
{
	static const char *const pieces[] = {
		"a",   "b.c",  "1",   "0x1p3", "\"s\"", "'c'",	"(",	    ")",   "[",
		"]",   "{",    "}",   ",",     ";",	":",	"?",	    "&&",  "||",
		"!",   "==",   "!=",  "~=",    "<",	">=",	"+",	    "-",   "*",
		"/",   "%",    "..",  "<<",    ">>",	"|",	"&",	    "^",   "~",
		"#",   "and",  "or",  "not",   "nil",	"true", ".x",	    "=",   "->",
		"--",  "\n",   "//",  "f(",    "t:m(",	"[[",	"]]",	    "end", "0",
		"1.5", "NULL", "(a)", "--[[",  "\\",	"\xff", "a ? b : c"
	};
	struct script *script = script_open(NULL);
	struct script_location place = { "a.prop", 1, 1 };
	unsigned accepted = 0;

	(void)state;
	srandom(7);
	for (unsigned i = 0; i < 100000; i++) {
		char text[256] = "";
		struct err err = { .text = "" };
		size_t at = SIZE_MAX;
		script_names found = { 0 };
		char *lua;
		int code;

		for (long n = 1 + random() % 10; n > 0; n--) {
			strcat(text, pieces[(size_t)random() % (sizeof pieces / sizeof *pieces)]);
			if (random() % 3)
				strcat(text, " ");
		}
		if (random() % 8 == 0)
			text[(size_t)random() % strlen(text)] = (char)(1 + random() % 255);
		lua = script_translate_condition(text, &at, &err);
		if (!lua && (at > strlen(text) || !*err.text))
			fail_msg("'%s': %zu", text, at);
		if (lua && !script_compile(script, lua, &place, NULL, 0, true, &code, &err))
			fail_msg("'%s' became '%s': %s", text, lua, err.text);
		if (lua) {
			luaL_unref(script_lua(script), LUA_REGISTRYINDEX, code);
			accepted++;
		}
		script_find_names(text, &found);
		for (size_t k = 0; k < found.count; k++)
			assert_memory_equal(text + found.items[k].at, found.items[k].name,
					    strlen(found.items[k].name));
		script_names_free(&found);
		free(lua);
	}
	assert_true(accepted > 1000);
	script_close(script);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_as_in_c),
		cmocka_unit_test(fails_in_lua_on_its_line),
		cmocka_unit_test(refuses_what_is_no_condition),
		cmocka_unit_test(long_ones_end_well),
		cmocka_unit_test(random_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Tests the values of expressions: as in C, and unknown if the result depends on an unknown value.
 */
#include "spec/spec.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* the tests of precedence leave out parentheses on purpose */
#pragma GCC diagnostic ignored "-Wparentheses"

/*
 * n is 7, r is 2.5, s is "select", c is a string of which only the start "sel" is known, u is
 * unknown. All globals are unknown except g, which is 40.
 */
static struct spec_value global(void *context, const struct spec_expr *expr)
{
	struct spec_value none = { .type = SPEC_VALUE_UNKNOWN },
			  forty = { .type = SPEC_VALUE_INT, .number = 40 };

	(void)context;
	return expr->operator== SPEC_NAME && !strcmp(expr->text, "g") ? forty : none;
}

static struct spec_value evaluate(const char *expression)
{
	static const struct spec_value parameters[] = {
		{ .type = SPEC_VALUE_INT, .number = 7 },
		{ .type = SPEC_VALUE_REAL, .real = 2.5 },
		{ .type = SPEC_VALUE_TEXT, .text = "select", .length = 6 },
		{ .type = SPEC_VALUE_TEXT, .text = "sel", .length = 3, .cut = true },
		{ .type = SPEC_VALUE_UNKNOWN },
	};
	static const struct spec_value locals[] = { { .type = SPEC_VALUE_INT, .number = -1 } };
	const struct spec_scope scope = { .parameters = parameters,
					  .locals = locals,
					  .global = global };
	struct spec_messages messages = { 0 };
	char text[1024];

	snprintf(text, sizeof text,
		 "property P(int n, double r, string s, string c, int u) { event e = call f(n, r, "
		 "s, c, u, local) "
		 "if (%s); pattern: e; }",
		 expression);
	struct spec_file *file = spec_parse("test.prop", text, &messages);
	for (size_t i = 0; i < messages.list.count; i++)
		fputs(messages.list.items[i].shown, stderr);
	assert_non_null(file);
	struct spec_value value = spec_evaluate(file->properties->events[0].points->filter, &scope);
	spec_free(file);
	spec_messages_free(&messages);
	return value;
}

static void assert_int(const char *expression, int64_t number)
{
	struct spec_value value = evaluate(expression);

	if (value.type != SPEC_VALUE_INT || value.number != number)
		fail_msg("%s: type %d, %" PRId64 " instead of %" PRId64, expression, value.type,
			 value.number, number);
}

static void assert_unknown(const char *expression)
{
	struct spec_value value = evaluate(expression);

	if (value.type != SPEC_VALUE_UNKNOWN)
		fail_msg("%s: type %d, %" PRId64 " instead of unknown", expression, value.type,
			 value.number);
}

/* Expects the value that the compiler computes for the same expression. */
#define SAME(expression)                                                                           \
	do {                                                                                       \
		const int64_t n = 7, g = 40, local = -1;                                           \
		const double r = 2.5;                                                              \
		(void)n, (void)g, (void)local, (void)r;                                            \
		assert_int(#expression, (int64_t)(expression));                                    \
	} while (0)

static void integers_are_as_in_c(void **state)
{
	(void)state;
	SAME(n + g * 2 - local);
	SAME(n / 2 + -n / 2 + n % 3 + -n % 3);
	SAME(n << 3 | g >> 2 ^ local & 15);
	SAME(~n + !n + !0 + -local);
	SAME((n < g) + (n <= 7) + (n > g) + (n >= 7) + (n == 7) * 8 + (n != 7));
	SAME(n && g || 0);
	SAME(n ? local : g);
	SAME(0 ? local : g);
	SAME(-8 >> 1);
	SAME('a' + '\n' + '\x41' + '\0');
	SAME(0x7f + 017 + 0b101);
	assert_int("true + NULL + false", 1);
}

static void integers_wrap(void **state)
{
	(void)state;
	assert_int("9223372036854775807 + 1 < 0", 1);
	assert_int("-9223372036854775807 - 1 - 1 > 0", 1);
	assert_int("(-9223372036854775807 - 1) / -1 < 0", 1);
	assert_int("(-9223372036854775807 - 1) % -1", 0);
	assert_int("-(-9223372036854775807 - 1) < 0", 1);
	assert_int("4611686018427387904 * 4", 0);
	assert_int("0xffffffffffffffff", -1);
	assert_int("1 << 63 < 0", 1);
}

static void what_c_leaves_open_is_unknown(void **state)
{
	(void)state;
	assert_unknown("n / 0");
	assert_unknown("n % 0");
	assert_unknown("r / 0.0");
	assert_unknown("n << 64");
	assert_unknown("n >> -1");
}

static void reals_are_as_in_c(void **state)
{
	(void)state;
	SAME(r * 2 == 5);
	SAME(r + n > 9.4);
	SAME(n / 2.0 == 3.5);
	SAME(-r < 0 && !(r - r));
	SAME((r < 2.5) + (r <= 2.5) + (r >= 2.6) + (r != 2.5));
}

static void texts_are_compared_by_content(void **state)
{
	(void)state;
	assert_int("s == \"select\"", 1);
	assert_int("s != \"selec\"", 1);
	assert_int("s < \"t\"", 1);
	assert_int("strcmp(s, \"select\")", 0);
	assert_int("strcmp(s, \"selects\")", -1);
	assert_int("strncmp(s, \"selfish\", 3)", 0);
	assert_int("strlen(s)", 6);
	assert_int("strstr(s, \"lec\") != NULL", 1);
	assert_int("strstr(s, \"x\") == 0", 1);
	assert_int("strstr(s, \"\")", 1);
	assert_int("startswith(s, \"sel\") && !startswith(s, \"el\")", 1);
	assert_int("strlen(\"a\\0b\")", 3);
	assert_int("s != NULL && s", 1);
}

static void what_was_cut_off_may_matter(void **state)
{
	(void)state;
	assert_unknown("c == \"select\"");
	assert_unknown("c == \"sel\"");
	assert_int("c == \"xyz\"", 0);
	assert_int("c == \"se\"", 0);
	assert_int("strncmp(c, \"sex\", 2)", 0);
	assert_unknown("strlen(c)");
	assert_int("strstr(c, \"el\")", 1);
	assert_unknown("strstr(c, \"x\")");
	assert_int("startswith(c, \"se\")", 1);
	assert_int("startswith(c, \"sex\")", 0);
	assert_unknown("startswith(c, \"sele\")");
	assert_unknown("startswith(s, c)");
	assert_int("strstr(\"abc\", c)", 0);
	assert_unknown("strstr(s, c)");
	assert_int("c != NULL", 1);
}

static void the_unknown_spreads_unless_the_other_side_decides(void **state)
{
	static const char *const unknown[] = { "u + 1",
					       "u == u",
					       "!u",
					       "-u",
					       "u && 1",
					       "1 && u",
					       "u || 0",
					       "0 || u",
					       "u && u",
					       "u ? 1 : 2",
					       "h",
					       "g + h",
					       "*g",
					       "g.x == 1",
					       "g[1]",
					       "&g",
					       "strlen(local)",
					       "strstr(s, local)" };

	(void)state;
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
		assert_unknown(unknown[i]);
	assert_int("u && 0", 0);
	assert_int("0 && u", 0);
	assert_int("u || 1", 1);
	assert_int("5 || u", 1);
	assert_int("u ? 3 : 3", 3);
	assert_int("!(u && 0)", 1);
	assert_int("g", 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_as_in_c),
		cmocka_unit_test(integers_wrap),
		cmocka_unit_test(what_c_leaves_open_is_unknown),
		cmocka_unit_test(reals_are_as_in_c),
		cmocka_unit_test(texts_are_compared_by_content),
		cmocka_unit_test(what_was_cut_off_may_matter),
		cmocka_unit_test(the_unknown_spreads_unless_the_other_side_decides),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

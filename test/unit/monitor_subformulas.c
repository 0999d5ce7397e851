/* The values of subformulas along a run. */
#include "monitor/formula/subformulas.h"

#include "monitor_make.h"

/* Checks a table with one line for each subformula: a sign for each state, and the text. */
static void expect(const char *property, const char *word, bool ended, const char *table)
{
	struct subformulas s;
	struct made m;
	struct err err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	made_open(&m, property);
	made_word(&m, word);
	if (!subformulas_read(&m.set, 0, m.file->properties->formulas, &m.labels, m.word.items,
			      m.word.count, ended, &s, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < s.texts.count; i++) {
		for (size_t k = 0; k < s.states; k++)
			putc("-+o"[subformulas_at(&s, i, k)], out);
		fprintf(out, " %s\n", s.texts.items[i]);
	}
	fclose(out);
	assert_string_equal(text, table);
	free(text);
	subformulas_free(&s);
	made_close(&m);
}

#define EVENTS "property P { event a = call f(); event b = call g(); "

static void test_past(void **state)
{
	(void)state;
	expect("property P { always start(x == 1) => [y == 1, z == 0); }", "z=1 y=1 z=0 x=1", false,
	       "----+ x == 1\n"
	       "----+ start(x == 1)\n"
	       "--+++ y == 1\n"
	       "o--++ z == 0\n"
	       "--+-- [y == 1, z == 0)\n"
	       "++++- start(x == 1) => [y == 1, z == 0)\n");
}

static void test_future(void **state)
{
	(void)state;
	expect(EVENTS "ltl: always a => next b; }", "a b a", false,
	       "-+-+ a\n"
	       "--+- b\n"
	       "-+-o next b\n"
	       "+++o a => next b\n"
	       "oooo always (a => next b)\n");
	expect(EVENTS "ltl: always a => next b; }", "a b a", true,
	       "-+-+ a\n"
	       "--+- b\n"
	       "-+-- next b\n"
	       "+++- a => next b\n"
	       "---- always (a => next b)\n");
	/* no subformula is decided, but the whole formula is */
	expect(EVENTS "ltl: (eventually a) && always !a; }", "b", false,
	       "-- a\n"
	       "oo eventually a\n"
	       "++ !a\n"
	       "oo always !a\n"
	       "-o (eventually a) && (always !a)\n");
}

static void test_ere(void **state)
{
	(void)state;
	expect(EVENTS "ere: a b*; }", "a b a", false, "ooo- (a b*)\n");
	expect(EVENTS "ere: a b*; }", "a b", true, "oo+ (a b*)\n");
	expect(EVENTS "ere: a b; }", "a", true, "o- (a b)\n");
	expect(EVENTS "monitor \"./x.lua\"; }", "a", true, "");
}

static void test_unknown(void **state)
{
	(void)state;
	expect("property P { never z == 1 && prev (x == 0); }", "x=1 x=2 z=1", false,
	       "ooo+ z == 1\n"
	       "+--- x == 0\n"
	       "++-- prev (x == 0)\n"
	       "oo-- (z == 1) && prev (x == 0)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_future),
		cmocka_unit_test(test_ere),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

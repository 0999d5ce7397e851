/*
 * Compares every extended regular expression of size up to 5, on every word of up to 6 letters
 * (each letter is a set of two events), with its language computed word by word. Bad prefixes are
 * tested as in logic_future.c.
 */
#include "logic/ere.h"

#include "logic_words.h"

/* The leaves. Tables are indexed by word: is it in the language? */
enum { EVENT_A, EVENT_B, ANY, EPSILON };
static const char *const leaves[] = { "a", "b", ".", "epsilon", NULL };

static uint8_t *leaf_table(unsigned leaf)
{
	uint8_t *t = mem_zalloc(WORDS, 1);

	t[word_at(0, 0)] = leaf == EPSILON;
	for (uint32_t w = 0; w < 4; w++)
		t[word_at(1, w)] =
			leaf == ANY || (leaf == EVENT_A && w & 1) || (leaf == EVENT_B && w & 2);
	return t;
}

/* Returns `length` letters of the word, starting at `from`. */
static uint32_t part(uint32_t w, unsigned from, unsigned length)
{
	return word_at(length, w >> 2 * from & ((1u << 2 * length) - 1));
}

/* Is the word a concatenation of words of p? `least`: of at least one word. */
static bool repeats(const uint8_t *p, unsigned n, uint32_t w, bool least)
{
	bool reach[LONGEST + 1] = { true };

	if (!n)
		return !least || p[word_at(0, 0)];
	for (unsigned to = 1; to <= n; to++)
		for (unsigned from = 0; from < to; from++)
			reach[to] |= reach[from] && p[part(w, from, to - from)];
	return reach[n];
}

enum { NOT, STAR, PLUS, MAYBE };
static const char *const unary[] = { "~(%s)", "(%s)*", "(%s)+", "(%s)?", NULL };

static bool unary_value(unsigned operator, const uint8_t * p, unsigned n, uint32_t w)
{
	switch (operator) {
	case NOT: return !p[word_at(n, w)];
	case STAR: return repeats(p, n, w, false);
	case PLUS: return repeats(p, n, w, true);
	default: return !n || p[word_at(n, w)];
	}
}

enum { THEN, EITHER, BOTH };
static const char *const binary[] = { "(%s) (%s)", "((%s) | (%s))", "((%s) & (%s))", NULL };

static bool binary_value(unsigned operator, const uint8_t * p, const uint8_t *q, unsigned n,
			 uint32_t w)
{
	bool a = p[word_at(n, w)], b = q[word_at(n, w)], holds = false;

	if (operator!= THEN)
		return operator== EITHER ? a || b : a && b;
	for (unsigned k = 0; k <= n; k++)
		holds |= p[part(w, 0, k)] && q[part(w, k, n - k)];
	return holds;
}

static uint8_t *table_of(unsigned operator, const uint8_t * p, const uint8_t *q)
{
	uint8_t *t = mem_zalloc(WORDS, 1);

	for (unsigned n = 0; n <= LONGEST; n++)
		for (uint32_t w = 0; w < 1u << 2 * n; w++)
			t[word_at(n, w)] = q ? binary_value(operator, p, q, n, w)
					     : unary_value(operator, p, n, w);
	return t;
}

static void walk(const struct small *small, const struct automaton *a, unsigned length,
		 uint32_t word, uint32_t state, bool possible[2])
{
	const struct automaton_state *s = &a->states.items[state];
	bool holds = small->table[word_at(length, word)];

	possible[holds] = true;
	if (s->accepts != holds)
		fail_msg("%s: word %x of %u", small->text, word, length);
	assert_int_equal(automaton_step(a, state, 0), state);
	for (unsigned letter = 1; letter < 4 && length < LONGEST; letter++) {
		bool longer[2] = { false, false };

		walk(small, a, length + 1, word | letter << 2 * length,
		     automaton_step(a, state, letter), longer);
		possible[0] |= longer[0];
		possible[1] |= longer[1];
	}
	expect_verdicts(small, a, state, length, word, true, possible);
}

static void try(const struct small *small, unsigned size, size_t number)
{
	struct spec_file *file = parse_formula("ere:", small->text);
	struct automaton automaton;
	struct err err;
	bool possible[2] = { false, false };

	(void)size;
	(void)number;
	assert_true(ere_automaton(file->properties->formulas->ere, 2, &automaton, &err));
	walk(small, &automaton, 0, 0, 0, possible);
	automaton_free(&automaton);
	spec_free(file);
}

static void test_all(void **state)
{
	static const struct small_logic logic = { leaves, unary, binary, leaf_table, table_of };

	(void)state;
	assert_int_equal(test_smalls(&logic, try), 4 + 16 + 112 + 832 + 6784);
}

/* ---- larger ones ----------------------------------------------------------------------------- */

static bool build(const struct spec_formula *formula, struct automaton *automaton, struct err *err)
{
	return ere_automaton(formula->ere, 2, automaton, err);
}

static void test_sizes(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(states_of("ere:", "empty", build, &err), 1);
	assert_int_equal(states_of("ere:", ".*", build, &err), 1);
	assert_int_equal(states_of("ere:", "~empty", build, &err), 1);
	assert_int_equal(states_of("ere:", "(a b)*", build, &err), 3);
	assert_int_equal(states_of("ere:", "~(.* a b .*)", build, &err), 3);
	assert_int_equal(states_of("ere:", "(.* a . . . . . . . . .)", build, &err), 1024);
}

/* "The 20th letter from the end is a" needs 2^20 states. */
static void test_explosion(void **state)
{
	char ere[256] = ".* a";
	struct err err;

	(void)state;
	for (int i = 0; i < 20; i++)
		strcat(ere, " .");
	assert_int_equal(states_of("ere:", ere, build, &err), 0);
	assert_string_equal(err.text, "its automaton has more than 10000 states");
}

/*
 * The automaton has few states, but each is a union of hundreds of terms: the amount of work is
 * limited as well.
 */
static void test_work(void **state)
{
	static char ere[32768];
	struct err err;

	(void)state;
	for (int i = 0; i < 2000; i++)
		strcat(ere, "(a | b)? ");
	assert_int_equal(states_of("ere:", ere, build, &err), 0);
	assert_string_equal(err.text, "its automaton takes too much work to build");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_explosion),
		cmocka_unit_test(test_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

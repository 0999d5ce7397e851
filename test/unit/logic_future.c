/*
 * Compares every future-time formula of size up to 5, on every word of up to 6 letters, with the
 * definition in doc/lattice.md. A prefix must be bad exactly if no continuation makes the formula
 * true. If an automaton of n states has such a continuation, it has one of less than n letters. So
 * if those fit into 6 letters, all continuations have been tried.
 */
#include "logic/future.h"

#include "logic_words.h"

/* Returns a value from a table that is indexed by word and state, with 6 entries per word. */
static bool at(const uint8_t *table, unsigned length, uint32_t w, unsigned i)
{
	return table[word_at(length, w) * LONGEST + i];
}

static uint8_t *new_table(void)
{
	return mem_zalloc(WORDS, LONGEST);
}

static const char *const atoms[] = { "a", "b", NULL };

static uint8_t *atom_table(unsigned bit)
{
	uint8_t *t = new_table();

	for (unsigned n = 1; n <= LONGEST; n++)
		for (uint32_t w = 0; w < 1u << 2 * n; w++)
			for (unsigned i = 0; i < n; i++)
				t[word_at(n, w) * LONGEST + i] = letter_of(w, i) >> bit & 1;
	return t;
}

enum { NOT, NEXT, EVENTUALLY, ALWAYS };
static const char *const unary[] = { "!(%s)", "next (%s)", "(eventually %s)", "(always %s)", NULL };

static bool unary_value(unsigned operator, const uint8_t * p, unsigned n, uint32_t w, unsigned i)
{
	bool some = false, all = true;

	for (unsigned k = i; k < n; k++) {
		some |= at(p, n, w, k);
		all &= at(p, n, w, k);
	}
	switch (operator) {
	case NOT: return !at(p, n, w, i);
	case NEXT: return i + 1 < n && at(p, n, w, i + 1);
	case EVENTUALLY: return some;
	default: return all;
	}
}

enum { AND, OR, IMPLIES, IFF, UNTIL };
static const char *const binary[] = { "(%s) && (%s)",  "(%s) || (%s)",	  "(%s) => (%s)",
				      "(%s) <=> (%s)", "(%s) until (%s)", NULL };

static bool binary_value(unsigned operator, const uint8_t * p, const uint8_t *q, unsigned n,
			 uint32_t w, unsigned i)
{
	bool a = at(p, n, w, i), b = at(q, n, w, i), before = true;

	switch (operator) {
	case AND: return a && b;
	case OR: return a || b;
	case IMPLIES: return !a || b;
	case IFF: return a == b;
	default: /* until: q comes, and p holds before it */
		for (unsigned k = i; k < n && before; k++) {
			if (at(q, n, w, k))
				return true;
			before = at(p, n, w, k);
		}
		return false;
	}
}

static uint8_t *table_of(unsigned operator, const uint8_t * p, const uint8_t *q)
{
	uint8_t *t = new_table();

	for (unsigned n = 1; n <= LONGEST; n++)
		for (uint32_t w = 0; w < 1u << 2 * n; w++)
			for (unsigned i = 0; i < n; i++)
				t[word_at(n, w) * LONGEST + i] =
					q ? binary_value(operator, p, q, n, w, i)
					  : unary_value(operator, p, n, w, i);
	return t;
}

struct walk {
	const struct small *small;
	const struct automaton *a;
	unsigned places[4];
};

/*
 * Finds the values that the formula has on all continuations of a word, including the word itself.
 */
static void walk(const struct walk *w, unsigned length, uint32_t word, uint32_t state,
		 bool possible[2])
{
	const struct automaton_state *s = &w->a->states.items[state];

	if (length) {
		bool holds = w->small->table[word_at(length, word) * LONGEST];

		possible[holds] = true;
		if (s->accepts != holds)
			fail_msg("%s: word %x of %u", w->small->text, word, length);
	}
	for (unsigned letter = 0; letter < 4 && length < LONGEST; letter++) {
		bool longer[2] = { false, false };

		walk(w, length + 1, word | letter << 2 * length,
		     automaton_step(w->a, state, w->places[letter]), longer);
		possible[0] |= longer[0];
		possible[1] |= longer[1];
	}
	/* the empty word is no word: the formula has no value there */
	expect_verdicts(w->small, w->a, state, length, word, length > 0, possible);
}

static void try(const struct small *small, unsigned size, size_t number)
{
	struct spec_file *file = parse_formula("ltl:", small->text);
	struct walk w = { .small = small };
	struct automaton automaton;
	struct form form;
	struct err err;
	bool possible[2] = { false, false };

	(void)size;
	(void)number;
	assert_true(form_read(&form, file->properties->formulas, &err));
	assert_true(future_automaton(&form, &automaton, &err));
	w.a = &automaton;
	place_letters(&form, w.places);
	walk(&w, 0, 0, 0, possible);
	automaton_free(&automaton);
	form_free(&form);
	spec_free(file);
}

static void test_all(void **state)
{
	static const struct small_logic logic = { atoms, unary, binary, atom_table, table_of };

	(void)state;
	assert_int_equal(test_smalls(&logic, try), 2 + 8 + 52 + 368 + 2832);
}

/* ---- larger ones ----------------------------------------------------------------------------- */

static bool build(const struct spec_formula *formula, struct automaton *automaton, struct err *err)
{
	struct form form;
	bool built;

	assert_true(form_read(&form, formula, err));
	built = future_automaton(&form, automaton, err);
	form_free(&form);
	return built;
}

/*
 * Sizes of the smallest automata. Their first state has read nothing, and the empty word is no
 * word.
 */
static void test_sizes(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(states_of("ltl:", "always a", build, &err), 3);
	assert_int_equal(states_of("ltl:", "eventually a", build, &err), 2);
	assert_int_equal(states_of("ltl:", "always (a => eventually b)", build, &err), 3);
	assert_int_equal(states_of("ltl:", "a && !a", build, &err), 1);
	assert_int_equal(states_of("ltl:", "next a && next !a", build, &err), 1);
	/* three different formulas with one meaning */
	assert_int_equal(
		states_of("ltl:", "(eventually a) && eventually eventually a", build, &err), 2);
}

/* "p in n steps" needs 2^n states: 2^12 can be built, 2^20 cannot. */
static void test_explosion(void **state)
{
	char formula[512] = "always (a => (";
	struct err err;

	(void)state;
	for (int i = 0; i < 20; i++)
		strcat(formula, "next ");
	strcat(formula, "b))");
	assert_int_equal(states_of("ltl:", formula, build, &err), 0);
	assert_string_equal(err.text, "its automaton has more than 10000 states");
}

/* Many independent obligations: here the propositions become too large. */
static void test_work(void **state)
{
	char formula[4096] = "1";
	struct err err;

	(void)state;
	for (int i = 0; i < 30; i++)
		sprintf(formula + strlen(formula),
			" && ((eventually x == %d) <=> always eventually y == %d)", i, i);
	assert_int_equal(states_of("ltl:", formula, build, &err), 0);
	assert_true(strstr(err.text, "its automaton") == err.text);
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

/*
 * Every extended regular expression of size 5 at most on every word of length 6 at most over sets of two
 * events, against its language, word by word; bad prefixes as in logic_future.c.
 */
#include "logic/ere.h"

#include "logic_words.h"

#define MOST 5u

/* By word: is it in the language? */
enum { EVENT_A, EVENT_B, ANY, EPSILON, LEAVES };
static const char *const leaves[] = { "a", "b", ".", "epsilon" };

static uint8_t *leaf_table(unsigned leaf)
{
	uint8_t *t = mem_zalloc(WORDS, 1);

	t[word_at(0, 0)] = leaf == EPSILON;
	for (uint32_t w = 0; w < 4; w++)
		t[word_at(1, w)] =
			leaf == ANY || (leaf == EVENT_A && w & 1) || (leaf == EVENT_B && w & 2);
	return t;
}

/* The letters from `from` on, `length` of them. */
static uint32_t part(uint32_t w, unsigned from, unsigned length)
{
	return word_at(length, w >> 2 * from & ((1u << 2 * length) - 1));
}

/* Is the word made of words of p, at least `least` of them? */
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

enum { NOT, STAR, PLUS, MAYBE, UNARY };
static const char *const unary[] = { "~(%s)", "(%s)*", "(%s)+", "(%s)?" };

static bool unary_value(unsigned operator, const uint8_t * p, unsigned n, uint32_t w)
{
	switch (operator) {
	case NOT: return !p[word_at(n, w)];
	case STAR: return repeats(p, n, w, false);
	case PLUS: return repeats(p, n, w, true);
	default: return !n || p[word_at(n, w)];
	}
}

enum { THEN, EITHER, BOTH, BINARY };
static const char *const binary[] = { "(%s) (%s)", "((%s) | (%s))", "((%s) & (%s))" };

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

static void combine(smalls *to, const smalls *left, const smalls *right)
{
	for (size_t i = 0; i < left->count; i++)
		for (size_t k = 0; k < right->count; k++)
			for (unsigned o = 0; o < BINARY; o++)
				add_small(to,
					  table_of(o, left->items[i].table, right->items[k].table),
					  binary[o], left->items[i].text, right->items[k].text);
}

static void make(smalls *by_size)
{
	for (unsigned i = 0; i < LEAVES; i++)
		add_small(&by_size[1], leaf_table(i), leaves[i], NULL, NULL);
	for (unsigned size = 2; size <= MOST; size++) {
		for (size_t i = 0; i < by_size[size - 1].count; i++)
			for (unsigned o = 0; o < UNARY; o++)
				add_small(&by_size[size],
					  table_of(o, by_size[size - 1].items[i].table, NULL),
					  unary[o], by_size[size - 1].items[i].text, NULL);
		for (unsigned left = 1; left + 1 < size; left++)
			combine(&by_size[size], &by_size[left], &by_size[size - 1 - left]);
	}
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
	if ((s->bad && possible[1]) || (s->safe && possible[0]))
		fail_msg("%s: bad or safe on word %x of %u", small->text, word, length);
	if (length + a->states.count - 1 <= LONGEST &&
	    (s->bad != !possible[1] || s->safe != !possible[0]))
		fail_msg("%s: not exact on word %x of %u", small->text, word, length);
}

static void try(const struct small *small)
{
	struct spec_file *file = parse_formula("ere:", small->text);
	struct automaton automaton;
	struct err err;
	bool possible[2] = { false, false };

	assert_true(ere_automaton(file->properties->formulas->ere, 2, &automaton, &err));
	walk(small, &automaton, 0, 0, 0, possible);
	automaton_free(&automaton);
	spec_free(file);
}

static void test_all(void **state)
{
	smalls by_size[MOST + 1] = { 0 };
	size_t count = 0;

	(void)state;
	make(by_size);
	for (unsigned size = 1; size <= MOST; size++)
		for (size_t i = 0; i < by_size[size].count; i++, count++)
			try(&by_size[size].items[i]);
	assert_int_equal(count, 4 + 16 + 112 + 832 + 6784);
	for (unsigned size = 1; size <= MOST; size++)
		smalls_free(&by_size[size]);
}

/* ---- larger ones ------------------------------------------------------------------------------ */

static size_t states_of(const char *ere, struct err *err)
{
	struct spec_file *file = parse_formula("ere:", ere);
	struct automaton automaton;
	size_t count = 0;

	err->text[0] = 0;
	if (ere_automaton(file->properties->formulas->ere, 2, &automaton, err)) {
		count = automaton.states.count;
		automaton_free(&automaton);
	}
	spec_free(file);
	return count;
}

static void test_sizes(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(states_of("empty", &err), 1);
	assert_int_equal(states_of(".*", &err), 1);
	assert_int_equal(states_of("~empty", &err), 1);
	assert_int_equal(states_of("(a b)*", &err), 3);
	assert_int_equal(states_of("~(.* a b .*)", &err), 3);
	assert_int_equal(states_of("(.* a . . . . . . . . .)", &err), 1024);
}

/* The letter 20 from the end is a: 2^20 states. */
static void test_explosion(void **state)
{
	char ere[256] = ".* a";
	struct err err;

	(void)state;
	for (int i = 0; i < 20; i++)
		strcat(ere, " .");
	assert_int_equal(states_of(ere, &err), 0);
	assert_string_equal(err.text, "its automaton has more than 10000 states");
}

/* Few states, each a union of hundreds of terms: the work is limited as well. */
static void test_work(void **state)
{
	static char ere[32768];
	struct err err;

	(void)state;
	for (int i = 0; i < 2000; i++)
		strcat(ere, "(a | b)? ");
	assert_int_equal(states_of(ere, &err), 0);
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

/*
 * Every formula of size 5 at most that looks ahead, on every word of length 6 at most, against what
 * doc/lattice.md says of it. A prefix must be bad exactly if no continuation makes the formula true:
 * an automaton of n states has one of less than n letters if any, so where those fit into 6 letters all
 * continuations have been tried.
 */
#include "logic/future.h"

#include "logic_words.h"

#define MOST 5u

/* By word and state: 6 to a word. */
static bool at(const uint8_t *table, unsigned length, uint32_t w, unsigned i)
{
	return table[word_at(length, w) * LONGEST + i];
}

static uint8_t *new_table(void)
{
	return mem_zalloc(WORDS, LONGEST);
}

static uint8_t *atom_table(unsigned bit)
{
	uint8_t *t = new_table();

	for (unsigned n = 1; n <= LONGEST; n++)
		for (uint32_t w = 0; w < 1u << 2 * n; w++)
			for (unsigned i = 0; i < n; i++)
				t[word_at(n, w) * LONGEST + i] = letter_of(w, i) >> bit & 1;
	return t;
}

enum { NOT, NEXT, EVENTUALLY, ALWAYS, UNARY };
static const char *const unary[] = { "!(%s)", "next (%s)", "(eventually %s)", "(always %s)" };

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

enum { AND, OR, IMPLIES, IFF, UNTIL, BINARY };
static const char *const binary[] = { "(%s) && (%s)", "(%s) || (%s)", "(%s) => (%s)",
				      "(%s) <=> (%s)", "(%s) until (%s)" };

static bool binary_value(unsigned operator, const uint8_t * p, const uint8_t *q, unsigned n,
			 uint32_t w, unsigned i)
{
	bool a = at(p, n, w, i), b = at(q, n, w, i), before = true;

	switch (operator) {
	case AND: return a && b;
	case OR: return a || b;
	case IMPLIES: return !a || b;
	case IFF: return a == b;
	default: /* q comes, and p until then */
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
	add_small(&by_size[1], atom_table(0), "a", NULL, NULL);
	add_small(&by_size[1], atom_table(1), "b", NULL, NULL);
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

struct walk {
	const struct small *small;
	const struct automaton *a;
	unsigned places[4];
};

/* Sees which values the formula has on the continuations, the word itself among them. */
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
	if ((s->bad && possible[1]) || (s->safe && possible[0]))
		fail_msg("%s: bad or safe on word %x of %u", w->small->text, word, length);
	if (length && length + w->a->states.count - 1 <= LONGEST &&
	    (s->bad != !possible[1] || s->safe != !possible[0]))
		fail_msg("%s: not exact on word %x of %u", w->small->text, word, length);
}

static void try(const struct small *small)
{
	struct spec_file *file = parse_formula("ltl:", small->text);
	struct walk w = { .small = small };
	struct automaton automaton;
	struct form form;
	struct err err;
	unsigned a = 0, b = 0;
	bool possible[2] = { false, false };

	assert_true(form_read(&form, file->properties->formulas, &err));
	assert_true(future_automaton(&form, &automaton, &err));
	for (unsigned i = 0; i < form.atoms.count; i++) {
		a |= !strcmp(form.atoms.items[i]->text, "a") << i;
		b |= !strcmp(form.atoms.items[i]->text, "b") << i;
	}
	w.a = &automaton;
	for (unsigned letter = 0; letter < 4; letter++)
		w.places[letter] = (letter & 1 ? a : 0) | (letter & 2 ? b : 0);
	walk(&w, 0, 0, 0, possible);
	automaton_free(&automaton);
	form_free(&form);
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
	assert_int_equal(count, 2 + 8 + 52 + 368 + 2832);
	for (unsigned size = 1; size <= MOST; size++)
		smalls_free(&by_size[size]);
}

/* ---- larger ones ------------------------------------------------------------------------------ */

static size_t states_of(const char *formula, struct err *err)
{
	struct spec_file *file = parse_formula("ltl:", formula);
	struct automaton automaton;
	struct form form;
	size_t count = 0;

	err->text[0] = 0;
	assert_true(form_read(&form, file->properties->formulas, err));
	if (future_automaton(&form, &automaton, err)) {
		count = automaton.states.count;
		automaton_free(&automaton);
	}
	form_free(&form);
	spec_free(file);
	return count;
}

/* The smallest automata: the first state has read nothing, and no word is empty. */
static void test_sizes(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(states_of("always a", &err), 3);
	assert_int_equal(states_of("eventually a", &err), 2);
	assert_int_equal(states_of("always (a => eventually b)", &err), 3);
	assert_int_equal(states_of("a && !a", &err), 1);
	assert_int_equal(states_of("next a && next !a", &err), 1);
	/* three different ways to say one thing */
	assert_int_equal(states_of("(eventually a) && eventually eventually a", &err), 2);
}

/* n letters ahead: 2^n states, of which 2^12 can be built and 2^20 cannot. */
static void test_explosion(void **state)
{
	char formula[512] = "always (a => (";
	struct err err;

	(void)state;
	for (int i = 0; i < 20; i++)
		strcat(formula, "next ");
	strcat(formula, "b))");
	assert_int_equal(states_of(formula, &err), 0);
	assert_string_equal(err.text, "its automaton has more than 10000 states");
}

/* Many independent promises: the propositions themselves explode. */
static void test_work(void **state)
{
	char formula[4096] = "1";
	struct err err;

	(void)state;
	for (int i = 0; i < 30; i++)
		sprintf(formula + strlen(formula),
			" && ((eventually x == %d) <=> always eventually y == %d)", i, i);
	assert_int_equal(states_of(formula, &err), 0);
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

/*
 * Compares every past-time formula of size up to 5, on every word of up to 6 letters, with the
 * definition in doc/lattice.md, evaluated with quantifiers instead of bits.
 */
#include "logic/past.h"

#include "logic_words.h"

static const char *const atoms[] = { "a", "b", NULL };

/* Makes the table of an atom: by word, the value at the word's last state. */
static uint8_t *atom_table(unsigned bit)
{
	uint8_t *t = mem_zalloc(WORDS, 1);

	for (unsigned n = 1; n <= LONGEST; n++)
		for (uint32_t w = 0; w < 1u << 2 * n; w++)
			t[word_at(n, w)] = letter_of(w, n - 1) >> bit & 1;
	return t;
}

/* Returns the value at state i (from 0) of a word. */
static bool at(const uint8_t *table, uint32_t w, unsigned i)
{
	return table[word_at(i + 1, w & ((1u << 2 * (i + 1)) - 1))];
}

enum { NOT, PREV, ONCE, SOFAR, START, END };
static const char *const unary[] = { "!(%s)",	  "prev (%s)", "once (%s)", "sofar (%s)",
				     "start(%s)", "end(%s)",   NULL };

static bool unary_value(unsigned operator, const uint8_t * p, uint32_t w, unsigned i)
{
	bool now = at(p, w, i), before = i ? at(p, w, i - 1) : now, some = false, all = true;

	for (unsigned k = 0; k <= i; k++) {
		some |= at(p, w, k);
		all &= at(p, w, k);
	}
	switch (operator) {
	case NOT: return !now;
	case PREV: return before;
	case ONCE: return some;
	case SOFAR: return all;
	case START: return now && !before;
	default: return !now && before;
	}
}

enum { AND, OR, IMPLIES, IFF, SINCE, INTERVAL };
static const char *const binary[] = { "(%s) && (%s)",
				      "(%s) || (%s)",
				      "(%s) => (%s)",
				      "(%s) <=> (%s)",
				      "(%s) since (%s)",
				      "[%s, %s)",
				      NULL };

static bool binary_value(unsigned operator, const uint8_t * p, const uint8_t *q, uint32_t w,
			 unsigned i)
{
	bool a = at(p, w, i), b = at(q, w, i), holds = false;

	switch (operator) {
	case AND: return a && b;
	case OR: return a || b;
	case IMPLIES: return !a || b;
	case IFF: return a == b;
	case SINCE: /* since: q held at some state, and p at all states after it */
		for (unsigned k = 0; k <= i; k++)
			holds = at(q, w, k) || (holds && at(p, w, k));
		return holds;
	default: /* interval: p held at some state, and q neither there nor later */
		for (unsigned k = 0; k <= i && !holds; k++) {
			holds = at(p, w, k);
			for (unsigned m = k; m <= i; m++)
				holds &= !at(q, w, m);
		}
		return holds;
	}
}

static uint8_t *table_of(unsigned operator, const uint8_t * p, const uint8_t *q)
{
	uint8_t *t = mem_zalloc(WORDS, 1);

	for (unsigned n = 1; n <= LONGEST; n++)
		for (uint32_t w = 0; w < 1u << 2 * n; w++)
			t[word_at(n, w)] = q ? binary_value(operator, p, q, w, n - 1)
					     : unary_value(operator, p, w, n - 1);
	return t;
}

struct walk {
	const struct small *small;
	const struct past *past;
	const struct automaton *automaton;
	unsigned places[4]; /* by letter of the word: the automaton's letter with the same atoms */
	bool never;
};

/* Checks all continuations of a word. `violated`: the formula was violated at some state before. */
static void walk(const struct walk *w, unsigned length, uint32_t word, uint64_t bits, bool violated,
		 uint32_t state)
{
	for (unsigned letter = 0; letter < 4 && length < LONGEST; letter++) {
		uint32_t longer = word | letter << 2 * length, next;
		uint64_t after = bits;
		bool expected = w->small->table[word_at(length + 1, longer)] != w->never;
		bool holds = past_step(w->past, !length, w->places[letter], &after, NULL);

		if (holds != expected)
			fail_msg("%s: word %x of %u: %d", w->small->text, longer, length + 1,
				 holds);
		next = automaton_step(w->automaton, state, w->places[letter]);
		if (w->automaton->states.items[next].bad != (violated || !expected))
			fail_msg("%s: the automaton on word %x of %u", w->small->text, longer,
				 length + 1);
		walk(w, length + 1, longer, after, violated || !expected, next);
	}
}

/* Tries a formula with `always`, and some of the smaller ones with `never` as well. */
static void try(const struct small *small, unsigned size, size_t number)
{
	bool never = size < 4 && number % 2;
	struct spec_file *file = parse_formula(never ? "never" : "always", small->text);
	struct walk w = { .small = small, .never = never };
	struct automaton automaton;
	struct form form;
	struct past past;
	struct err err;

	assert_true(form_read(&form, file->properties->formulas, &err));
	assert_true(past_open(&past, &form, &err));
	assert_true(past_automaton(&past, &automaton, &err));
	w.past = &past;
	w.automaton = &automaton;
	place_letters(&form, w.places);
	walk(&w, 0, 0, 0, false, 0);
	automaton_free(&automaton);
	past_close(&past);
	form_free(&form);
	spec_free(file);
}

static void test_all(void **state)
{
	static const struct small_logic logic = { atoms, unary, binary, atom_table, table_of };

	(void)state;
	assert_int_equal(test_smalls(&logic, try), 2 + 12 + 96 + 864 + 8352);
}

static size_t bits_of(const char *formula)
{
	struct spec_file *file = parse_formula("always", formula);
	struct form form;
	struct past past;
	struct err err;
	size_t bits;

	assert_true(form_read(&form, file->properties->formulas, &err));
	assert_true(past_open(&past, &form, &err));
	bits = past.remembered.count;
	past_close(&past);
	form_free(&form);
	spec_free(file);
	return bits;
}

static void test_bits(void **state)
{
	(void)state;
	assert_int_equal(bits_of("a => b"), 0);
	assert_int_equal(bits_of("once a && prev once a && (b || once a)"), 1);
	assert_int_equal(bits_of("prev a || start(a) || end(a)"), 1);
	assert_int_equal(bits_of("[a, b) && a since b"), 2);
	assert_int_equal(bits_of("prev prev a"), 2);
}

static void refuse(const char *formula, const char *why)
{
	struct spec_file *file = parse_formula("always", formula);
	struct form form;
	struct past past;
	struct err err;

	if (form_read(&form, file->properties->formulas, &err)) {
		assert_false(past_open(&past, &form, &err));
		form_free(&form);
	}
	assert_string_equal(err.text, why);
	spec_free(file);
}

static void test_limits(void **state)
{
	char many[8192] = "1", past[32768] = "1";

	(void)state;
	refuse("(a + 1) > 1",
	       "line 3, column 9: an event or temporal operator is true or false; it cannot be "
	       "part of a calculation");
	for (int i = 0; i < 65; i++) {
		sprintf(many + strlen(many), " && x == %d", i);
		strcat(past, i % 2 ? " && (" : " || (");
		for (int k = 0; k <= i; k++)
			strcat(past, "prev ");
		strcat(past, "a)");
	}
	refuse(many, "the formula has more than 64 different events and conditions");
	refuse(past, "the formula looks back with more than 64 different operators");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Every formula of size 5 at most that looks back, on every word of length 6 at most, against what
 * doc/lattice.md says of it, with quantifiers instead of bits.
 */
#include "logic/past.h"

#include "logic_words.h"

#define MOST 5u

/* By word: the value at its last state. */
static uint8_t *atom_table(unsigned bit)
{
	uint8_t *t = mem_zalloc(WORDS, 1);

	for (unsigned n = 1; n <= LONGEST; n++)
		for (uint32_t w = 0; w < 1u << 2 * n; w++)
			t[word_at(n, w)] = letter_of(w, n - 1) >> bit & 1;
	return t;
}

/* The value at the state i (from 0) of a word. */
static bool at(const uint8_t *table, uint32_t w, unsigned i)
{
	return table[word_at(i + 1, w & ((1u << 2 * (i + 1)) - 1))];
}

enum { NOT, PREV, ONCE, SOFAR, START, END, UNARY };
static const char *const unary[] = { "!(%s)",	   "prev (%s)", "once (%s)",
				     "sofar (%s)", "start(%s)", "end(%s)" };

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

enum { AND, OR, IMPLIES, IFF, SINCE, INTERVAL, BINARY };
static const char *const binary[] = { "(%s) && (%s)",  "(%s) || (%s)",	  "(%s) => (%s)",
				      "(%s) <=> (%s)", "(%s) since (%s)", "[%s, %s)" };

static bool binary_value(unsigned operator, const uint8_t * p, const uint8_t *q, uint32_t w,
			 unsigned i)
{
	bool a = at(p, w, i), b = at(q, w, i), holds = false;

	switch (operator) {
	case AND: return a && b;
	case OR: return a || b;
	case IMPLIES: return !a || b;
	case IFF: return a == b;
	case SINCE: /* q some time, and p ever since */
		for (unsigned k = 0; k <= i; k++)
			holds = at(q, w, k) || (holds && at(p, w, k));
		return holds;
	default: /* p some time, and no q there or since */
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

static void make(smalls *by_size)
{
	add_small(&by_size[1], atom_table(0), "a", NULL, NULL);
	add_small(&by_size[1], atom_table(1), "b", NULL, NULL);
	for (unsigned size = 2; size <= MOST; size++) {
		for (size_t i = 0; i < by_size[size - 1].count; i++)
			for (unsigned o = 0; o < UNARY; o++) {
				const struct small *p = &by_size[size - 1].items[i];

				add_small(&by_size[size], table_of(o, p->table, NULL), unary[o],
					  p->text, NULL);
			}
		for (unsigned left = 1; left + 1 < size; left++)
			for (size_t i = 0; i < by_size[left].count; i++)
				for (size_t k = 0; k < by_size[size - 1 - left].count; k++)
					for (unsigned o = 0; o < BINARY; o++) {
						const struct small *p = &by_size[left].items[i];
						const struct small *q =
							&by_size[size - 1 - left].items[k];

						add_small(&by_size[size],
							  table_of(o, p->table, q->table),
							  binary[o], p->text, q->text);
					}
	}
}

struct walk {
	const struct small *small;
	const struct past *past;
	const struct automaton *automaton;
	unsigned places[4]; /* where the atoms a and b are in a letter */
	bool never;
};

/* `violated`: at some state before. */
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

static void try(const struct small *small, bool never)
{
	struct spec_file *file = parse_formula(never ? "never" : "always", small->text);
	struct walk w = { .small = small, .never = never };
	struct automaton automaton;
	struct form form;
	struct past past;
	struct err err;
	unsigned a = 0, b = 0;

	assert_true(form_read(&form, file->properties->formulas, &err));
	assert_true(past_open(&past, &form, &err));
	assert_true(past_automaton(&past, &automaton, &err));
	for (unsigned i = 0; i < form.atoms.count; i++) {
		a |= !strcmp(form.atoms.items[i]->text, "a") << i;
		b |= !strcmp(form.atoms.items[i]->text, "b") << i;
	}
	w.past = &past;
	w.automaton = &automaton;
	for (unsigned letter = 0; letter < 4; letter++)
		w.places[letter] = (letter & 1 ? a : 0) | (letter & 2 ? b : 0);
	walk(&w, 0, 0, 0, false, 0);
	automaton_free(&automaton);
	past_close(&past);
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
			try(&by_size[size].items[i], size < 4 && i % 2);
	assert_int_equal(count, 2 + 12 + 96 + 864 + 8352);
	for (unsigned size = 1; size <= MOST; size++)
		smalls_free(&by_size[size]);
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
	       "line 3, column 9: what happens is true or false: one cannot calculate with it");
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

/*
 * Tests Earley's sets and trees on random small grammars (nullable, cyclic, ambiguous, with left,
 * right and middle recursion) and all words of up to 6 letters, against the definitions. After each
 * event: can the word continue, is it complete, does it have one tree or more? Then tests long
 * sessions of grammars whose sets and costs must not grow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "grammar/earley_set.h"
#include "grammar/tree_list.h"

#include "grammar_random.h"

/* ---- tables by hand -------------------------------------------------------------------------- */

static bool symbols_are(const struct made_rule *rule, const bool *flag)
{
	for (unsigned i = 0; i < rule->count; i++)
		if (!flag[rule->right[i]])
			return false;
	return true;
}

static void find_starts(struct grammar *grammar, const struct made *made)
{
	for (unsigned i = 0; i < grammar->symbol_count; i++) {
		grammar->starts[i] = arena_alloc(&grammar->arena, sizeof **grammar->starts);
		if (i < made->terminals)
			*grammar->starts[i] = UINT64_C(1) << i;
	}
	for (unsigned round = 0; round <= grammar->symbol_count; round++)
		for (unsigned i = 0; i < made->rule_count; i++) {
			const struct made_rule *rule = &made->rules[i];
			grammar->nullable[rule->left] |= symbols_are(rule, grammar->nullable);
			for (unsigned j = 0; j < rule->count; j++) {
				*grammar->starts[rule->left] |= *grammar->starts[rule->right[j]];
				if (!grammar->nullable[rule->right[j]])
					break;
			}
		}
	/* one more round than symbols, because a symbol may become nullable late */
	for (unsigned round = 0; round <= grammar->symbol_count; round++)
		for (unsigned i = 0; i < made->rule_count; i++)
			for (unsigned j = 0; j < made->rules[i].count; j++) {
				*grammar->starts[made->rules[i].left] |=
					*grammar->starts[made->rules[i].right[j]];
				if (!grammar->nullable[made->rules[i].right[j]])
					break;
			}
}

static void tabulate(struct grammar *grammar, const struct made *made, bool code)
{
	static const struct spec_file file = { .path = "made" };
	static const char *names[] = { "a", "b", "c", "A", "B", "C", "D", "E" };
	*grammar = (struct grammar){
		.file = &file,
		.terminal_count = made->terminals,
		.symbol_count = made->terminals + made->nonterminals,
		.has_code = code,
	};
	struct arena *arena = &grammar->arena;
	grammar->names = arena_alloc(arena, grammar->symbol_count * sizeof *grammar->names);
	grammar->nullable = arena_alloc(arena, grammar->symbol_count);
	grammar->starts = arena_alloc(arena, grammar->symbol_count * sizeof *grammar->starts);
	grammar->events = arena_alloc(arena, grammar->terminal_count * sizeof *grammar->events);
	grammar->first_rule = arena_alloc(arena, (made->nonterminals + 1u) * sizeof(uint32_t));
	for (unsigned i = 0; i < grammar->symbol_count; i++)
		grammar->names[i] =
			names[i < made->terminals ? i : MADE_TERMINALS + i - made->terminals];
	for (unsigned i = 0; i < made->rule_count; i++) {
		const struct made_rule *from = &made->rules[i];
		struct grammar_step *steps = arena_alloc(arena, (from->count + 1u) * sizeof *steps);
		for (unsigned j = 0; j < from->count; j++)
			steps[j] = (struct grammar_step){
				.kind = from->right[j] < made->terminals ? GRAMMAR_TERMINAL
									 : GRAMMAR_NONTERMINAL,
				.symbol = from->right[j],
				.slot = GRAMMAR_NONE,
			};
		uint32_t left = from->left - made->terminals;
		for (uint32_t j = left + 1; j <= made->nonterminals; j++)
			grammar->first_rule[j] = i + 1;
		*vec_push(&grammar->rules) = (struct grammar_rule){
			.left = from->left,
			.number = i - grammar->first_rule[left],
			.steps = steps,
			.step_count = from->count,
		};
	}
	find_starts(grammar, made);
}

static void forget(struct grammar *grammar)
{
	vec_free(&grammar->rules);
	arena_free(&grammar->arena);
}

/* ---- all words ------------------------------------------------------------------------------- */

static struct earley_set *take(struct earley_sets *sets, struct earley_set *set, uint32_t terminal,
			       const struct grammar *grammar)
{
	struct grammar_token token = { .event = terminal };
	struct tree *leaf = grammar->has_code ? tree_make_leaf(grammar, &token) : NULL;
	struct earley_set *next = earley_set_next(sets, set, terminal, leaf);
	tree_drop(NULL, leaf);
	earley_set_drop(sets, set);
	return next;
}

/*
 * Returns the number of trees that the sets show: 0, 1, or 2 for more. Without code, 1 stands for
 * any number.
 */
static unsigned trees_of(struct earley_sets *sets, const struct earley_set *set, bool code)
{
	if (!set->complete || !code)
		return set->complete;
	tree_list list = { 0 };
	struct tree_lister *lister = tree_lister_open(earley_sets_tables(sets));
	char *twice = tree_list_only(lister, set->root, &list, &(size_t){ 0 });
	tree_lister_close(lister);
	unsigned trees = twice ? 2 : 1;
	free(twice);
	vec_free(&list);
	return trees;
}

/*
 * Compares the sets with the definition on each prefix of a word. Returns false if they differ
 * after `*at` events.
 */
static bool agrees(const struct made *made, struct earley_sets *sets, const struct grammar *grammar,
		   const uint8_t *word, unsigned length, unsigned *at)
{
	struct made_meaning meaning;
	made_count_trees(made, word, length, &meaning);
	struct earley_set *set = earley_set_first(sets);
	bool right = true;
	for (*at = 0; right && set && *at < length;) {
		set = take(sets, set, word[(*at)++], grammar);
		bool begins = made_begins(made, word, *at, &meaning);
		unsigned trees = meaning.trees[made->terminals][0][*at];
		if (!grammar->has_code)
			trees = trees > 0;
		right = begins == (set != NULL) &&
			(!set || trees_of(sets, set, grammar->has_code) == trees);
	}
	if (set)
		earley_set_drop(sets, set);
	return right;
}

/* Finds a word on which the sets are wrong. Returns its length, or 0 if there is none. */
static unsigned find_wrong(const struct made *made, uint8_t *word)
{
	unsigned words = 1, wrong = 0;
	for (unsigned i = 0; i < MADE_WORD; i++)
		words *= made->terminals;
	for (unsigned code = 0; code < 2 && !wrong; code++) {
		struct grammar grammar;
		tabulate(&grammar, made, code);
		struct earley_sets *sets = earley_sets_open(&grammar, NULL);
		for (unsigned number = 0; number < words && !wrong; number++) {
			for (unsigned i = 0, rest = number; i < MADE_WORD; i++) {
				word[i] = rest % made->terminals;
				rest /= made->terminals;
			}
			unsigned at;
			if (!agrees(made, sets, &grammar, word, MADE_WORD, &at))
				wrong = at;
		}
		earley_sets_close(sets);
		forget(&grammar);
	}
	return wrong;
}

/* Removes a rule, or a symbol of a rule, if some word is still wrong then. */
static bool shrink_once(struct made *made, uint8_t *word)
{
	for (unsigned i = 0; i < made->rule_count; i++) {
		struct made less = *made;
		memmove(&less.rules[i], &less.rules[i + 1],
			(less.rule_count - i - 1u) * sizeof *less.rules);
		less.rule_count--;
		if (made_is_productive(&less) && find_wrong(&less, word)) {
			*made = less;
			return true;
		}
		for (unsigned j = 0; j < made->rules[i].count; j++) {
			less = *made;
			struct made_rule *rule = &less.rules[i];
			memmove(&rule->right[j], &rule->right[j + 1], rule->count - j - 1u);
			rule->count--;
			if (made_is_productive(&less) && find_wrong(&less, word)) {
				*made = less;
				return true;
			}
		}
	}
	return false;
}

static void check(struct made made)
{
	uint8_t word[MADE_WORD];
	if (!find_wrong(&made, word))
		return;
	while (shrink_once(&made, word))
		continue;
	unsigned length = find_wrong(&made, word);
	made_print(stderr, &made);
	for (unsigned i = 0; i < length; i++)
		fprintf(stderr, "%c", 'a' + word[i]);
	fprintf(stderr, "\n");
	fail_msg("sets differ from the definition");
}

static void random_grammars(void **unused)
{
	(void)unused;
	uint64_t seed = 7;
	const char *count = getenv("SOOTH_RANDOM");
	for (long i = count ? atol(count) : 500; i > 0; i--)
		check(made_random(&seed));
}

/* ---- long sessions --------------------------------------------------------------------------- */

struct run {
	struct grammar grammar;
	struct earley_sets *sets;
	struct earley_set *set;
	size_t most; /* the most sets that were alive at one time */
};

static void start(struct run *run, const char *text, unsigned terminals, bool code)
{
	struct made made = made_read(text, terminals);
	tabulate(&run->grammar, &made, code);
	run->sets = earley_sets_open(&run->grammar, NULL);
	run->set = earley_set_first(run->sets);
	run->most = 0;
}

static void feed(struct run *run, const char *word, size_t times)
{
	while (times--)
		for (const char *at = word; *at; at++) {
			assert_non_null(run->set);
			run->set = take(run->sets, run->set, *at - 'a', &run->grammar);
			size_t count = earley_sets_count(run->sets);
			run->most = count > run->most ? count : run->most;
		}
}

static void finish(struct run *run)
{
	if (run->set)
		earley_set_drop(run->sets, run->set);
	earley_sets_close(run->sets);
	forget(&run->grammar);
}

/*
 * Feeds a word many times. It must be complete after each repetition, and the number of sets must
 * stay small.
 */
static void flat(const char *text, unsigned terminals, const char *word)
{
	struct run run;
	start(&run, text, terminals, false);
	for (unsigned i = 0; i < 20000; i++) {
		feed(&run, word, 1);
		assert_non_null(run.set);
		assert_true(run.set->complete);
		assert_true(run.set->count <= 8);
	}
	assert_true(run.most <= 16);
	finish(&run);
}

static void lists_are_flat(void **unused)
{
	(void)unused;
	flat("A : A a | a;", 1, "a");		 /* left recursion */
	flat("A : a A | a;", 1, "a");		 /* right recursion */
	flat("A : B A | ; B : a | b;", 2, "ab"); /* right recursion, nullable */
	/* right recursion with an empty symbol after it */
	flat("A : a A B | a B; B : ;", 1, "a");
	flat("A : a B | ; B : A;", 1, "a");	   /* right recursion through another symbol */
	flat("A : A B | ; B : a A b;", 2, "aabb"); /* left recursion, nested */
	flat("A : a A b A | ;", 2, "aababb");	   /* right recursion, nested */
	flat("A : B A a | a; B : ;", 1, "a");	   /* hidden left recursion */
	flat("A : A A | a;", 1, "a");		   /* ambiguous */
	flat("A : A A | a A b | ;", 2, "aababb");
	flat("A : A | B | a A; B : A | a;", 1, "a"); /* cyclic */
}

/* Nesting as deep as half of the session is long; then back to the same sets. */
static void nests(void **unused)
{
	(void)unused;
	struct run run;
	start(&run, "A : a A b | ;", 2, false);
	feed(&run, "a", 100000);
	assert_false(run.set->complete);
	assert_true(earley_sets_count(run.sets) >= 100000);
	feed(&run, "b", 99999);
	assert_false(run.set->complete);
	feed(&run, "b", 1);
	assert_true(run.set->complete);
	feed(&run, "b", 1);
	assert_null(run.set);
	assert_true(earley_sets_count(run.sets) < 30000);
	finish(&run);
}

/*
 * A word a^n b^n c^m or a^m b^n c^n: which of the two it is shows only at its end, and it may be
 * both.
 */
static void counts(void **unused)
{
	(void)unused;
	const char *text = "A : B C | D E; B : a B b | ; C : c C | ; D : a D | ; E : b E c | ;";
	for (unsigned a = 0; a < 5; a++)
		for (unsigned b = 0; b < 5; b++)
			for (unsigned c = 0; c < 5; c++) {
				struct run run;
				start(&run, text, 3, true);
				feed(&run, "a", a);
				feed(&run, "b", b);
				bool goes_on = a == b || c <= b;
				for (unsigned i = 0; i < c && run.set; i++)
					feed(&run, "c", 1);
				assert_int_equal(run.set != NULL, goes_on);
				if (run.set && a + b + c)
					assert_int_equal(trees_of(run.sets, run.set, true),
							 (a == b) + (b == c));
				finish(&run);
			}
}

/* Palindromes of even length: the parser does not know the middle, but each word has one tree. */
static void palindromes(void **unused)
{
	(void)unused;
	for (unsigned number = 0; number < 256; number++) {
		struct run run;
		start(&run, "A : a A a | b A b | ;", 2, true);
		for (unsigned i = 0; i < 8; i++)
			feed(&run, number >> i & 1 ? "b" : "a", 1);
		bool is = true;
		for (unsigned i = 0; i < 4; i++)
			is &= (number >> i & 1) == (number >> (7 - i) & 1);
		assert_int_equal(trees_of(run.sets, run.set, true), is);
		finish(&run);
	}
}

/*
 * Finds the only tree of a long session, for trees of several shapes, and then a second tree in its
 * middle.
 */
static void long_trees(void **unused)
{
	(void)unused;
	static const struct {
		const char *text, *once, *word;
		unsigned trees;
	} cases[] = {
		{ "A : A a | a;", "", "a", 1 },
		{ "A : a A | a;", "", "a", 1 },
		{ "A : B A | ; B : a | b;", "", "ab", 1 },
		{ "A : a B | ; B : A;", "", "a", 1 },
		{ "A : a A B | a B; B : ;", "", "a", 1 },
		{ "A : A B | B; B : a | C; C : b | D; D : b;", "", "a", 1 },
		{ "A : A B | B; B : a | C; C : b | D; D : b;", "b", "a", 2 },
		{ "A : B A | B; B : a | C; C : b | D; D : b;", "b", "a", 2 },
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run run;
		start(&run, cases[i].text, 2, true);
		feed(&run, cases[i].word, 50000);
		feed(&run, cases[i].once, 1);
		feed(&run, cases[i].word, 50000);
		assert_int_equal(trees_of(run.sets, run.set, true), cases[i].trees);
		assert_true(run.set->count <= 4);
		finish(&run);
	}
	struct run run;
	start(&run, "A : a A b | ;", 2, true);
	feed(&run, "a", 100000);
	feed(&run, "b", 100000);
	assert_int_equal(trees_of(run.sets, run.set, true), 1);
	finish(&run);
}

/* The message about two trees has a part of the word and the two alternatives. */
static void two_trees(void **unused)
{
	(void)unused;
	static const struct {
		const char *text, *word, *said;
	} cases[] = {
		{ "A : a A | B; B : b | C; C : b;", "aab",
		  "made:0: \"a a b\" has two parse trees, but actions and assertions "
		  "need exactly one: alternative 1 of B, or alternative 1 of C" },
		{ "A : A A | a;", "aaa",
		  "made:0: \"a a a\" has two parse trees, but actions and assertions "
		  "need exactly one: alternative 1 of A, in two ways" },
		{ "A : a B | a b; B : b;", "ab",
		  "made:0: \"a b\" has two parse trees, but actions and assertions need "
		  "exactly one: alternative 2 of A, or alternative 1 of B" },
		{ "A : a B; B : | C; C : ;", "a",
		  "made:0: \"\" has two parse trees, but actions and assertions need "
		  "exactly one: alternative 1 of B, in two ways" },
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run run;
		start(&run, cases[i].text, 2, true);
		feed(&run, cases[i].word, 1);
		tree_list list = { 0 };
		struct tree_lister *lister = tree_lister_open(earley_sets_tables(run.sets));
		char *twice = tree_list_only(lister, run.set->root, &list, &(size_t){ 0 });
		tree_lister_close(lister);
		assert_string_equal(twice, cases[i].said);
		free(twice);
		vec_free(&list);
		finish(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_grammars), cmocka_unit_test(lists_are_flat),
		cmocka_unit_test(nests),	   cmocka_unit_test(counts),
		cmocka_unit_test(palindromes),	   cmocka_unit_test(long_trees),
		cmocka_unit_test(two_trees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

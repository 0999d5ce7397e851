/*
 * Tests Earley's engine on grammars written by hand: a word with two trees, the messages of
 * violations, and sessions that nest as deeply as they are long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "grammar/word.h"

#include <stdio.h>
#include <string.h>

#define EVENTS "event a = probe app:a(x); event b = probe app:b(x); event c = probe app:c(x); "

struct hand {
	struct spec_messages messages;
	struct spec_file *file;
	struct grammar *grammar;
	struct grammar_parser *parser;
	struct grammar_word *word;
	struct grammar_violation violation;
};

static void open_hand(struct hand *hand, const char *text)
{
	struct err err;
	*hand = (struct hand){ 0 };
	hand->file = spec_parse("t.prop", text, &hand->messages);
	assert_non_null(hand->file);
	hand->grammar = grammar_open(hand->file, hand->file->properties,
				     hand->file->properties->formulas, &hand->messages);
	if (!hand->grammar)
		fail_msg("%s", hand->messages.list.items[0].shown);
	hand->parser = grammar_parser_open(hand->grammar, true, NULL, &err);
	assert_non_null(hand->parser);
	hand->word = grammar_word_open(hand->parser, &err);
	assert_non_null(hand->word);
}

static void close_hand(struct hand *hand)
{
	grammar_violation_free(&hand->violation);
	grammar_word_close(hand->word);
	grammar_parser_close(hand->parser);
	grammar_close(hand->grammar);
	spec_free(hand->file);
	spec_messages_free(&hand->messages);
}

/*
 * Feeds a word: each letter is an event, with `x` as its x. Stops at the first verdict that is not
 * open.
 */
static enum grammar_verdict feed(struct hand *hand, const char *letters, int64_t x)
{
	enum grammar_verdict verdict = GRAMMAR_OPEN;
	for (; *letters && verdict == GRAMMAR_OPEN; letters++) {
		struct script_value values[16] = { 0 };
		for (unsigned i = 0; i < 16; i++)
			values[i] = (struct script_value){ .type = SCRIPT_INTEGER, .integer = x };
		struct grammar_token token = { *letters - 'a', values };
		verdict = grammar_word_take(hand->word, &token, &hand->violation);
	}
	return verdict;
}

/* The grammar has too many words to find the ambiguous one in advance; the run finds it. */
static void two_trees(void **unused)
{
	(void)unused;
	static const char text[] =
		"property P { view global until end; " EVENTS "grammar { S : T c { n = 1 } | U c;\n"
		"T : D D D D D D D D D D D D D D D D D D D D D D D D D D D D D D;\n"
		"U : b a b b a b b b a a b a b a a a b b a b a a b a b b b a b a;\n"
		"D : a | b; } }";
	struct hand hand;
	open_hand(&hand, text);
	assert_int_equal(feed(&hand, "babbabbbaababaaabbabaababbbabac", 0), GRAMMAR_OPEN);
	assert_int_equal(grammar_word_end(hand.word, &hand.violation), GRAMMAR_BROKEN);
	assert_string_equal(hand.violation.why,
			    "t.prop:1: \"b a b b a b b b a a b a b a a a …\" has two parse trees, "
			    "but actions and assertions need exactly one: alternative 1 of S, or "
			    "alternative 2");
	close_hand(&hand);
	open_hand(&hand, text);
	assert_int_equal(feed(&hand, "babbabbbaababaaabbabaababbbabbc", 0), GRAMMAR_OPEN);
	assert_int_equal(grammar_word_end(hand.word, &hand.violation), GRAMMAR_OPEN);
	close_hand(&hand);
}

/* The violation has the events that were expected, and the state of the session before it. */
static void no_continuation(void **unused)
{
	(void)unused;
	struct hand hand;
	open_hand(&hand, "property P { view global; " EVENTS
			 "grammar (n = 0) { S : q=S a { n = n + a.x } | q=S b | ; }\n"
			 "on violation { report(n) } }");
	assert_int_equal(feed(&hand, "aba", 5), GRAMMAR_OPEN);
	assert_int_equal(feed(&hand, "c", 0), GRAMMAR_VIOLATED);
	assert_int_equal(hand.violation.fault, GRAMMAR_NO_CONTINUATION);
	assert_string_equal(hand.violation.expected, "a, b or the end");
	assert_int_equal(hand.violation.reports.count, 1);
	assert_string_equal(hand.violation.reports.items[0], "10");
	close_hand(&hand);

	open_hand(&hand, "property P { view global; " EVENTS
			 "grammar (n = 7) { S : q=S a b { n = 1 } | ; }\n"
			 "on violation { report(n) } }");
	assert_int_equal(feed(&hand, "a", 5), GRAMMAR_VIOLATED);
	assert_int_equal(hand.violation.fault, GRAMMAR_INCOMPLETE);
	assert_string_equal(hand.violation.expected, "b");
	assert_string_equal(hand.violation.reports.items[0], "7");
	close_hand(&hand);
}

/* Sessions that nest as deeply as they are long, evaluated at their end or after every event. */
static void long_sessions(void **unused)
{
	(void)unused;
	static const struct {
		const char *rules, *letters;
		/*
		 * also evaluated after each event: the code after S does not make the evaluation
		 * start again
		 */
		bool every;
	} cases[] = {
		{ "S : q=S a { n = n + a.x } | ;", "a", true },
		{ "S : a { n = n + a.x } q=S | ;", "a", false },
		{ "S : a q=S { n = n + a.x } | ;", "a", false },
		{ "S : a q=S { n = n + a.x } | a { n = n + a.x };", "a", false },
		{ "S : q=S T | ; T : a { n = n + a.x } | a b { n = n + a.x };", "aab", true },
		{ "S : T q=S | ; T : a { n = n + a.x } | a b { n = n + a.x };", "aab", false },
		{ "S : a { n = n + a.x } L; L : q=L a { n = n + a.x } | ;", "a", false },
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		for (unsigned every = 0; every <= cases[i].every; every++) {
			char text[500], wanted[50];
			unsigned rounds = 10000,
				 sum = rounds * 3 * (strlen(cases[i].letters) > 1 ? 2 : 1);
			snprintf(text, sizeof text,
				 "property P { view global%s; " EVENTS
				 "grammar (n = 0) { Z : S assert(n <= %u); %s }"
				 "on violation { report(n) } }",
				 every ? "" : " until end", every ? sum : sum - 1, cases[i].rules);
			struct hand hand;
			open_hand(&hand, text);
			for (unsigned j = 0; j < rounds; j++)
				assert_int_equal(feed(&hand, cases[i].letters, 3), GRAMMAR_OPEN);
			assert_int_equal(every ? feed(&hand, "a", 1)
					       : grammar_word_end(hand.word, &hand.violation),
					 GRAMMAR_VIOLATED);
			snprintf(wanted, sizeof wanted, "%u", every ? sum + 1 : sum);
			assert_string_equal(hand.violation.reports.items[0], wanted);
			close_hand(&hand);
		}
}

/* A value that a symbol gets from its left is still there in later evaluations. */
static void inherited(void **unused)
{
	(void)unused;
	struct hand hand;
	open_hand(&hand, "property P { view global; " EVENTS "grammar { S : L;\n"
			 "L : a { q.d = (L.d or 0) + a.x } assert(q.d <= 12) q=L\n"
			 "  | a b { q.d = L.d } q=L | ; } }");
	assert_int_equal(feed(&hand, "aabaabaaba", 3), GRAMMAR_OPEN);
	assert_int_equal(feed(&hand, "a", 3), GRAMMAR_VIOLATED);
	assert_int_equal(hand.violation.fault, GRAMMAR_ASSERTION);
	assert_string_equal(hand.violation.values, "q.d = 15");
	close_hand(&hand);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_trees),
		cmocka_unit_test(no_continuation),
		cmocka_unit_test(long_sessions),
		cmocka_unit_test(inherited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

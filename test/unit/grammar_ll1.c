/*
 * Tests words, sessions and the LL(1) engine: verdicts, attributes in all directions, resets, ends
 * that are tried on a copy, copies and keys. Earley's engine must give the same verdicts where the
 * definition does not depend on the engine.
 */
#include "grammar_make.h"

#define EVENTS                                                                                     \
	"event a = call fa(x); event b = call fb(x); event c = call fc(x); event d = call fd(x);"

struct kept { /* data of the last word that was run */
	char *values, *expected, *why, *report;
	char *session;
};

static void kept_free(struct kept *kept)
{
	free(kept->values);
	free(kept->expected);
	free(kept->why);
	free(kept->report);
	free(kept->session);
	*kept = (struct kept){ 0 };
}

static char *keep(const char *text)
{
	return text ? mem_copy_text(text, strlen(text)) : NULL;
}

/*
 * Runs a word and checks the letters of its verdicts (see make_letter()). If they end in $, the
 * word ends there.
 */
static void run(const struct grammar *grammar, bool earley, const char *text, const char *letters,
		struct kept *kept)
{
	struct grammar_parser *parser = make_parser(grammar, earley);
	struct grammar_word *word = make_word(parser);
	struct grammar_violation violation;
	size_t length = strlen(letters);
	bool ends = length && letters[length - 1] == '$';
	char got[256];

	make_run(grammar, word, text, ends, got, &violation);
	if (ends)
		strcat(got, "$");
	if (strcmp(got, letters))
		print_error("%s, %s: %s, not %s; %s\n", text, earley ? "Earley" : "LL(1)", got,
			    letters, violation.why ? violation.why : "");
	assert_string_equal(got, letters);
	if (kept) {
		kept_free(kept);
		kept->values = keep(violation.values);
		kept->expected = keep(violation.expected);
		kept->why = keep(violation.why);
		if (violation.reports.count)
			kept->report = keep(violation.reports.items[0]);
		kept->session = grammar_word_session(word);
	}
	grammar_violation_free(&violation);
	grammar_word_close(word);
	grammar_parser_close(parser);
}

/* Expects the same verdicts from both engines. `kept` gets the data of the LL(1) engine. */
static void both(const struct made *made, const char *text, const char *letters, struct kept *kept)
{
	assert_true(made->grammar->is_ll1);
	run(made->grammar, true, text, letters, NULL);
	run(made->grammar, false, text, letters, kept);
}

/* ---- when what is wrong ---------------------------------------------------------------------- */

static void test_every_event(void **state)
{
	struct made list = make_grammar("property P { " EVENTS " grammar { S : a S | b S | ; } }");
	struct made pair = make_grammar("property P { " EVENTS " grammar { S : a T; T: b | ; } }");
	struct kept kept = { 0 };

	(void)state;
	both(&list, "", "", NULL);
	both(&list, "a b a a b", ".....", NULL);
	both(&list, "a b c", "..N", &kept);
	assert_string_equal(kept.expected, "a, b or the end");
	both(&pair, "a b", "..", NULL);
	both(&pair, "a a", ".N", &kept);
	assert_string_equal(kept.expected, "b or the end");
	both(&pair, "b", "N", &kept);
	assert_string_equal(kept.expected, "a");
	both(&pair, "a b a", "..N", &kept);
	assert_string_equal(kept.expected, "the end");
	made_free(&list);
	made_free(&pair);

	list = make_grammar("property P { " EVENTS " grammar { S : a b S | ; } }");
	both(&list, "a", "I", &kept); /* every prefix must be in the language */
	assert_string_equal(kept.expected, "b");
	kept_free(&kept);
	made_free(&list);
}

static void test_at_reset(void **state)
{
	struct made made = make_grammar("property P { event a = call fa(x); event b = call fb(x); "
					"event c = call fc(x) reset; grammar { S : a T c; "
					"T : b T | ; } }");
	struct kept kept = { 0 };

	(void)state;
	both(&made, "a b b c a c", "......", NULL);
	both(&made, "a b b c a c a b", ".........$", NULL);
	both(&made, "a c c", "..N", &kept);
	assert_string_equal(kept.expected, "a");
	both(&made, "a b a", "..N", &kept);
	assert_string_equal(kept.expected, "b or c");
	made_free(&made);

	made = make_grammar("property P { event a = call fa(x); event c = call fc(x) reset; "
			    "grammar { S : a T ; T : c a | ; } }");
	both(&made, "a c", ".I", &kept);
	assert_string_equal(kept.expected, "a");
	kept_free(&kept);
	made_free(&made);
}

static void test_until_end(void **state)
{
	struct made made = make_grammar("property P { view global until end; " EVENTS
					" grammar { S : a S b | ; } }");
	struct kept kept = { 0 };

	(void)state;
	both(&made, "", ".$", NULL);
	both(&made, "a b", "...$", NULL);
	both(&made, "a a b b", ".....$", NULL);
	both(&made, "a a b", "...I$", &kept);
	assert_string_equal(kept.expected, "b");
	both(&made, "a a b", "...", NULL);
	both(&made, "a b b", "..N", &kept);
	assert_string_equal(kept.expected, "the end");
	made_free(&made);

	made = make_grammar("property P { view global until end; event a = call fa(x); event b = "
			    "call fb(x) reset; grammar { S : a b ; } }");
	both(&made, "a b a b", ".....$", NULL);
	both(&made, "a b a", "...I$", &kept);
	made_free(&made);

	/* the symbol on the top of the stack may end, the symbol below it may not */
	made = make_grammar("property P { view global until end; " EVENTS
			    " grammar { S : a T b | ; T : c U ; U : c | ; } }");
	both(&made, "a c", "..I$", &kept);
	assert_string_equal(kept.expected, "b or c");
	both(&made, "a c c b", ".....$", NULL);
	kept_free(&kept);
	made_free(&made);
}

/*
 * An event that can follow a nonterminal only in another context must not be accepted here, and no
 * code may run for it.
 */
static void test_no_continuation_first(void **state)
{
	struct made made =
		make_grammar("property P { view global until end; " EVENTS
			     " grammar { S : a T b | c T d; T : { error('never') } assert(1 == 0) "
			     "; } }");
	struct kept kept = { 0 };

	(void)state;
	run(made.grammar, false, "a d", ".N", &kept);
	assert_string_equal(kept.expected, "b");
	run(made.grammar, false, "a b", ".B", &kept);
	assert_non_null(strstr(kept.why, "t.prop:1: "));
	kept_free(&kept);
	made_free(&made);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void test_attributes(void **state)
{
	struct made made = make_grammar(
		"property P { event a = call fa(x); event b = call fb(x); event c = call fc(x) "
		"reset;\n"
		"grammar (n = 0, seen = {}) {\n"
		"  S : { T.depth = 1 } T c { S.sum, S.n, S.x = T.sum, n, c.x } ;\n"
		"  T : a { n = n + 1; inner.depth = T.depth + 1 } inner=T b { T.sum = inner.sum + "
		"a.x * b.x }\n"
		"    | { T.sum = T.depth * 100 } ;\n"
		"} }");
	struct kept kept = { 0 };

	(void)state;
	both(&made, "c:x=7", ".", &kept);
	assert_string_equal(kept.session, "{\"n\": 0, \"sum\": 100, \"x\": 7}");
	both(&made, "a:x=2 a:x=3 b:x=5 b:x=7 c:x=1", ".....", &kept);
	assert_string_equal(kept.session, "{\"n\": 2, \"sum\": 329, \"x\": 1}");
	/* the attributes of the head are created anew for each session */
	both(&made, "a:x=2 b:x=1 c:x=1 a:x=1 b:x=1 c:x=9", "......", &kept);
	assert_string_equal(kept.session, "{\"n\": 1, \"sum\": 201, \"x\": 9}");
	kept_free(&kept);
	made_free(&made);
}

static void test_assertions(void **state)
{
	struct made made = make_grammar("property P(int f) { view global until end; event a = call "
					"fa(f, x); event b = call fb(f, x);\n"
					"grammar { S : first=a T second=b assert(first.x == "
					"second.x && first.f <= 4) ;\n"
					"T : a S b | ; } on violation { report('it', n) } }");
	struct kept kept = { 0 };

	(void)state;
	both(&made, "a:x=1,f=2 b:x=1", "...$", NULL);
	run(made.grammar, false, "a:x=1,f=2 b:x=2", ".A", &kept);
	assert_string_equal(kept.values, "first.x = 1, second.x = 2, first.f = 2");
	assert_non_null(kept.report);
	run(made.grammar, true, "a:x=1,f=2 b:x=2", "..A$", NULL);
	kept_free(&kept);
	made_free(&made);
}

/* SAGA, figures 2 and 3. */
static void test_philosopher(void **state)
{
	struct made made = make_grammar(
		"property Phil {\n"
		"  view thread;\n"
		"  event start_  = exec phil_run(left, right)  reset;\n"
		"  event get     = call fork_get(callee);\n"
		"  event release = call fork_release(callee)   reset(callee == session.right);\n"
		"  event eat     = call pasta_eat();\n"
		"  grammar {\n"
		"    S : start_ { S.left, S.right = start_.left, start_.right }\n"
		"      | gf1=get gf2=get eat rf1=release rf2=release\n"
		"        { S.left, S.right = session.left, session.right }\n"
		"        assert(gf1.callee == S.left && gf2.callee == S.right)\n"
		"        assert(rf1.callee == S.left && rf2.callee == S.right) ;\n"
		"  } }");
	struct kept kept = { 0 };

	(void)state;
	both(&made,
	     "start_:left=1,right=2 get:callee=1 get:callee=2 eat release:callee=1 "
	     "release:callee=2 get:callee=1 get:callee=2 eat release:callee=1 release:callee=2",
	     "...........", &kept);
	assert_string_equal(kept.session, "{\"left\": 1, \"right\": 2}");
	both(&made,
	     "start_:left=1,right=2 get:callee=2 get:callee=1 eat release:callee=1 "
	     "release:callee=2",
	     ".....A", &kept);
	assert_string_equal(kept.values, "gf1.callee = 2, S.left = 1, gf2.callee = 1, S.right = 2");
	both(&made, "start_:left=1,right=2 get:callee=1 eat", "..N", &kept);
	assert_string_equal(kept.expected, "get");
	/* the locks are released in the wrong order, so the session ends too soon */
	both(&made, "start_:left=1,right=2 get:callee=1 get:callee=2 eat release:callee=2", "....I",
	     &kept);
	assert_string_equal(kept.expected, "release");
	kept_free(&kept);
	made_free(&made);
}

static const char no_deadlock[] =
	"property NoDeadlock {\n"
	"  view global;\n"
	"  event req = call   pthread_mutex_lock(m);\n"
	"  event acq = return pthread_mutex_lock(m) = 0;\n"
	"  event rel = call   pthread_mutex_unlock(m);\n"
	"  grammar (want = {}, held = {}) {\n"
	"    S : req { want[req.tid] = req.m } S\n"
	"      | acq { want[acq.tid] = nil; bump(held, acq.tid, acq.m, 1) } S\n"
	"      | rel { bump(held, rel.tid, rel.m, -1) } S\n"
	"      | { g = graph()\n"
	"          for t, m in pairs(want) do for u, h in pairs(held) do\n"
	"            if u ~= t and h[m] then g:edge(t, u) end end end }\n"
	"        assert(g.acyclic) ;\n"
	"  }\n"
	"  on violation { report(\"deadlock\", g:cycle()) }\n"
	"}";

/*
 * SAGA, figures 6 and 7: the end is tried after each event, and this changes nothing in the word.
 */
static void test_no_deadlock(void **state)
{
	struct made made = make_grammar(no_deadlock);
	struct kept kept = { 0 };

	(void)state;
	both(&made,
	     "req:tid=1,m=5 acq:tid=1,m=5 req:tid=2,m=6 acq:tid=2,m=6 req:tid=1,m=6 "
	     "rel:tid=2,m=6 acq:tid=1,m=6 rel:tid=1,m=6 rel:tid=1,m=5",
	     ".........", NULL);
	both(&made,
	     "req:tid=1,m=5 acq:tid=1,m=5 req:tid=2,m=6 acq:tid=2,m=6 req:tid=1,m=6 "
	     "req:tid=2,m=5",
	     ".....A", &kept);
	assert_non_null(strstr(kept.values, "g.acyclic = false"));
	assert_non_null(strstr(kept.report, "deadlock"));
	/* acquiring a lock again is no deadlock; after one release the thread still holds it */
	both(&made,
	     "req:tid=1,m=5 acq:tid=1,m=5 req:tid=1,m=5 acq:tid=1,m=5 rel:tid=1,m=5 "
	     "req:tid=2,m=6 acq:tid=2,m=6 req:tid=1,m=6 req:tid=2,m=5",
	     "........A", NULL);
	kept_free(&kept);
	made_free(&made);
}

/*
 * The end of a prefix is tried without changing the word, both with code that has no effects
 * outside of the word and with code that has.
 */
static void test_tried_ends(void **state)
{
	struct made pure = make_grammar("property P { " EVENTS " grammar (n = 0) { S : a { n = n + "
					"1 } S | b assert(n == 2) S | { n = n + 100 } ; } }");
	struct made copied = make_grammar("property P { " EVENTS
					  " grammar (list = {}) { S : a { list[#list + 1] = a.x } "
					  "S | b assert(#list == 2) S | { list[#list + 1] = 0 } "
					  "assert(#list < 4); } }");
	/* trying the end needs stack frames above those that remain */
	struct made frames = make_grammar(
		"property P { " EVENTS " grammar { S : a { T.k = a.x; W.k = 9 } T W ;\n"
		" T : b { U.k = T.k + b.x } U | { n = T.k + 0 } assert(n == 5) ;\n"
		" U : c assert(c.x == U.k) | { n = U.k } assert(n == 8) ;\n"
		" W : d assert(d.x + W.k == 10) | { w = W.k } assert(w == 9) ; } }");
	struct made deep =
		make_grammar("property P { " EVENTS " grammar (list = {}) { S : a T | ; T : b { "
			     "U.up = T.up } U { list[#list + 1] = 1 } | ; U : c "
			     "S { S.n = 1 } { n = 1 } | { n = #list } assert(n == 0) ; } }");

	(void)state;
	both(&pure, "a a b b b", ".....", NULL);
	both(&pure, "a a b a b", "....A", NULL);
	both(&copied, "a:x=1 a:x=1 b b b", ".....", NULL);
	both(&copied, "a:x=1 a:x=1 b a:x=1", "...A", NULL);
	both(&frames, "a:x=5 b:x=3", "..", NULL);
	both(&frames, "a:x=5 b:x=2", ".A", NULL);
	both(&frames, "a:x=4", "A", NULL);
	both(&frames, "a:x=5 b:x=3 c:x=8 d:x=1", "....", NULL);
	both(&frames, "a:x=5 b:x=3 c:x=8 d:x=2", "...A", NULL);
	both(&deep, "a b c a b c a b c a", "..........", NULL);
	made_free(&pure);
	made_free(&copied);
	made_free(&frames);
	made_free(&deep);
}

static void test_broken(void **state)
{
	struct made made = make_grammar("property P { " EVENTS "\n grammar (n = 0) {\n S : a { n = "
					"n + a.x } S | b { while true do end } S | ; } }");
	struct kept kept = { 0 };

	(void)state;
	both(&made, "a:x=1 a:x=2", "..", NULL);
	both(&made, "a:x=1 a", ".B", &kept);
	assert_non_null(strstr(kept.why, "t.prop:3: "));
	both(&made, "b", "B", &kept);
	assert_non_null(strstr(kept.why, "t.prop:3: "));
	kept_free(&kept);
	made_free(&made);
}

/* ---- long words ------------------------------------------------------------------------------ */

static void take_many(const struct grammar *grammar, struct grammar_word *word, const char *text,
		      unsigned times)
{
	struct script_value values[MAKE_ATTRIBUTES];
	struct grammar_violation violation = { 0 };
	struct grammar_token token;

	make_token(grammar, text, &token, values);
	for (unsigned i = 0; i < times; i++)
		assert_int_equal(grammar_word_take(word, &token, &violation), GRAMMAR_OPEN);
}

/* Nesting as deep as half of the word is long, with attributes at each level; then back. */
static void test_deep(void **state)
{
	struct made made =
		make_grammar("property P { view global until end; " EVENTS
			     " grammar (n = 0) { S : a { n = n + 1 } T b assert(a.x == "
			     "b.x) { S.deep = T.deep } assert(T.deep <= n) ; T : a below=T "
			     "b { T.deep = below.deep + 1 } | { T.deep = 1 } ; } }");
	struct grammar_parser *parser = make_parser(made.grammar, false);
	struct grammar_word *word = make_word(parser);
	struct grammar_violation violation = { 0 };
	char letters[8];

	(void)state;
	take_many(made.grammar, word, "a:x=1", 100000);
	take_many(made.grammar, word, "b:x=1", 99999);
	make_run(made.grammar, word, "b:x=1", false, letters, &violation);
	assert_string_equal(letters, "A");
	assert_string_equal(violation.values, "T.deep = 100000, n = 1");
	grammar_violation_free(&violation);
	grammar_word_close(word);
	grammar_parser_close(parser);
	made_free(&made);
}

/* Right recursion: neither the stack nor Lua's memory may grow. */
static void test_tail(void **state)
{
	struct made made = make_grammar("property P { " EVENTS
					" grammar (n = 0) { S : a { n = n + a.x; T.k = n } T "
					"| ; T : b { n = n - b.x } assert(n + 1 == T.k) S | ; } }");
	struct grammar_parser *parser = make_parser(made.grammar, false);
	struct grammar_word *word = make_word(parser);
	script_buffer first = { 0 }, last = { 0 };
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		take_many(made.grammar, word, "a:x=1", 1);
		take_many(made.grammar, word, "b:x=1", 1);
		if (i == 0)
			assert_true(grammar_word_key(word, &first, &err));
	}
	assert_true(grammar_word_key(word, &last, &err));
	assert_int_equal(first.count, last.count);
	assert_memory_equal(first.items, last.items, first.count);
	assert_int_equal(grammar_word_length(word), 40000);
	vec_free(&first);
	vec_free(&last);
	grammar_word_close(word);
	grammar_parser_close(parser);
	made_free(&made);
}

/* ---- copies and keys ------------------------------------------------------------------------- */

static bool same_key(const struct grammar_word *one, const struct grammar_word *other)
{
	script_buffer a = { 0 }, b = { 0 };
	struct err err;
	bool same;

	assert_true(grammar_word_key(one, &a, &err));
	assert_true(grammar_word_key(other, &b, &err));
	same = a.count == b.count && !memcmp(a.items, b.items, a.count);
	vec_free(&a);
	vec_free(&b);
	return same;
}

static void expect(const struct grammar *grammar, struct grammar_word *word, const char *text,
		   const char *letters)
{
	struct grammar_violation violation;
	char got[64];

	make_run(grammar, word, text, false, got, &violation);
	assert_string_equal(got, letters);
	grammar_violation_free(&violation);
}

static void test_copies(void **state)
{
	struct made made = make_grammar(no_deadlock);
	struct grammar_parser *parser = make_parser(made.grammar, false);
	struct grammar_word *word = make_word(parser), *copy, *other = make_word(parser);
	struct err err;

	(void)state;
	assert_true(same_key(word, other));
	expect(made.grammar, word, "req:tid=1,m=5 acq:tid=1,m=5 req:tid=2,m=6 acq:tid=2,m=6",
	       "....");
	/* another order of the same events leads to the same state */
	expect(made.grammar, other, "req:tid=2,m=6 req:tid=1,m=5 acq:tid=1,m=5 acq:tid=2,m=6",
	       "....");
	assert_true(same_key(word, other));
	copy = grammar_word_copy(word, &err);
	assert_non_null(copy);
	assert_true(same_key(word, copy));
	expect(made.grammar, copy, "req:tid=1,m=6", ".");
	assert_false(same_key(word, copy));
	/* the events of the copy do not change the original */
	expect(made.grammar, word, "req:tid=2,m=5", ".");
	expect(made.grammar, copy, "req:tid=2,m=5", "A");
	expect(made.grammar, other, "rel:tid=1,m=5 req:tid=2,m=5", "..");
	grammar_word_close(word);
	grammar_word_close(copy);
	grammar_word_close(other);
	grammar_parser_close(parser);
	made_free(&made);
}

/*
 * The attributes that a session leaves belong to the next session. If an action changes them, the
 * change is visible neither in words that share them nor in the session after that.
 */
static void test_copies_of_sessions(void **state)
{
	struct made made = make_grammar("property P { event a = call fa(x); event c = call fc(x) "
					"reset; grammar { S : a { t = session.t or {}; t[#t + 1] = "
					"a.x } T { S.t = t } ; T : c assert(#t < 4) | a T; } }");
	struct grammar_parser *parser = make_parser(made.grammar, false);
	struct grammar_word *word = make_word(parser), *copy;
	struct err err;

	(void)state;
	expect(made.grammar, word, "a:x=1 c a:x=2 c", "....");
	copy = grammar_word_copy(word, &err);
	assert_true(same_key(word, copy));
	expect(made.grammar, copy, "a:x=3 c", "..");
	assert_false(same_key(word, copy));
	expect(made.grammar, word, "a:x=3 c", "..");
	assert_true(same_key(word, copy));
	expect(made.grammar, word, "a:x=3 c", ".A");
	grammar_word_close(word);
	grammar_word_close(copy);
	grammar_parser_close(parser);
	made_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event), cmocka_unit_test(test_at_reset),
		cmocka_unit_test(test_until_end),   cmocka_unit_test(test_no_continuation_first),
		cmocka_unit_test(test_attributes),  cmocka_unit_test(test_assertions),
		cmocka_unit_test(test_philosopher), cmocka_unit_test(test_no_deadlock),
		cmocka_unit_test(test_tried_ends),  cmocka_unit_test(test_broken),
		cmocka_unit_test(test_deep),	    cmocka_unit_test(test_tail),
		cmocka_unit_test(test_copies),	    cmocka_unit_test(test_copies_of_sessions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

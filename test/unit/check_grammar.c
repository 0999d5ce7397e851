/*
 * Tests only the checker's judge of grammars: correct claims written by hand, and claims with one
 * mistake.
 */
#include "check_play.h"

#include "check/grammar.h"
#include "spec/spec.h"

/* Both threads have an event x, request, acquire and release l, and have an event y. */
static const char lines[] = "A|probe e:x()|\nB|probe e:x()|\nA|acq(l)|\nA|rel(l)|\nB|acq(l)|\n"
			    "B|rel(l)|\nA|probe e:y()|\nB|probe e:y()|\n";
static const char whole[] = "A0 B0 A1 A2 B1 B2 A3 B3", all[] = "A0 B0 -A1 A1 -B1 B1 A3 B3";

enum { X, W, A, Y };
/*
 * A is thread 0. A's events bind object 1, B's events bind object 2, except that B's last event
 * binds object 1.
 */
static const struct checker_occurrence occurrences[] = {
	{ .anchor = { 0, 0 }, .event = X, .bindings = 0 },
	{ .anchor = { 0, 1 }, .event = W, .bindings = 0, .before = true },
	{ .anchor = { 0, 1 }, .event = A, .bindings = 0 },
	{ .anchor = { 0, 3 }, .event = Y, .bindings = 0 },
	{ .anchor = { 1, 0 }, .event = X, .bindings = 1 },
	{ .anchor = { 1, 1 }, .event = W, .bindings = 1, .before = true },
	{ .anchor = { 1, 1 }, .event = A, .bindings = 1 },
	{ .anchor = { 1, 3 }, .event = Y, .bindings = 0 },
};
#define COUNT (sizeof occurrences / sizeof *occurrences)

enum whose { EVERYBODY, OF_A, OF_B, OBJECT_1, OBJECT_2 };

struct claim {
	enum whose whose;
	const char *view, *reset, *grammar; /* `reset` is the text after the point of event a */
	const char *steps, *moments;	    /* "-A1": the moment before A1 */
	bool at_end;
};

static struct spec_file *parse(const struct claim *claim)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file;
	char text[1024];

	snprintf(text, sizeof text,
		 "property P(int o) { view %s; event x = probe e:x(o, n); event w = probe e:w(o, "
		 "n); "
		 "event a = probe e:a(o, n) %s; event y = probe e:y(o, n); grammar %s }",
		 claim->view, claim->reset, claim->grammar);
	file = spec_parse("test.prop", text, &messages);
	if (!file)
		fail_msg("%s", messages.list.items[0].shown);
	spec_messages_free(&messages);
	return file;
}

/* Reads a list of events such as "A0 -A1 A1", where "-A1" is the moment before A1. */
static size_t read_moments(const struct play *play, const char *words,
			   struct checker_moment *moments)
{
	char plain[64];
	struct event_id anchors[16];
	size_t count = 0, length = 0;

	for (const char *c = words; *c; c++) {
		if (*c == ' ')
			count++;
		if (*c != '-')
			plain[length++] = *c;
		else
			moments[count].before = true;
	}
	plain[length] = 0;
	count = play_events(play, plain, anchors);
	for (size_t i = 0; i < count; i++)
		moments[i].anchor = anchors[i];
	return count;
}

static bool judge(const struct claim *claim, struct err *err)
{
	struct spec_file *file = parse(claim);
	const uint32_t bindings[] = { 1, 2 }, binding = claim->whose - OBJECT_1 + 1u;
	const struct checker_property events = { 1, occurrences, COUNT, bindings, NULL };
	struct script_value values[COUNT][5] = { 0 };
	const struct script_value *by_occurrence[COUNT];
	struct checker_moment moments[16] = { 0 };
	struct event_id steps[16];
	struct checker_grammar_claim sentence = { .file = file,
						  .property = file->properties,
						  .formula = file->properties->formulas,
						  .events = &events,
						  .values = by_occurrence,
						  .moments = moments,
						  .stream = UINT32_MAX,
						  .at_end = claim->at_end };
	struct checker_witness witness = { .claim = CHECKER_GRAMMAR,
					   .steps = steps,
					   .sentence = &sentence };
	struct play play;
	bool ok;

	for (size_t i = 0; i < COUNT; i++) { /* the values of an event: o, n and tid */
		int64_t numbers[] = { bindings[occurrences[i].bindings], (int64_t)i + 1,
				      occurrences[i].anchor.stream + 1 };

		for (size_t k = 0; k < 3; k++)
			values[i][k] = (struct script_value){ .type = SCRIPT_INTEGER,
							      .integer = numbers[k] };
		by_occurrence[i] = values[i];
	}
	if (claim->whose == OF_A || claim->whose == OF_B)
		sentence.stream = claim->whose == OF_B;
	if (claim->whose >= OBJECT_1)
		sentence.binding = &binding;
	play_open(&play, lines, false);
	play_enter(&play, 0, play.runs.count);
	witness.step_count = play_events(&play, claim->steps, steps);
	sentence.moment_count = read_moments(&play, claim->moments, moments);
	ok = checker_accepts(play.checker, &witness, err);
	play_close(&play);
	spec_free(file);
	return ok;
}

static void accept(struct claim claim)
{
	struct err err;

	if (!judge(&claim, &err))
		fail_msg("%s after \"%s\" is refused: %s", claim.grammar, claim.steps, err.text);
}

static void refuse(struct claim claim, const char *why)
{
	struct err err;

	if (judge(&claim, &err))
		fail_msg("%s after \"%s\" is accepted", claim.grammar, claim.steps);
	if (!strstr(err.text, why))
		fail_msg("expected \"%s\": %s", why, err.text);
}

static void threads(void **state)
{
	static const char view[] = "thread until end", run[] = "A0 A1 A2 A3",
			  word[] = "A0 -A1 A1 A3";
	static const char short_one[] = "{ S : x w a ; }", good[] = "{ S : x w a y ; }";

	(void)state;
	accept((struct claim){ OF_A, view, "", short_one, run, word, false });
	accept((struct claim){ OF_B, view, "", short_one, whole, all, false });
	refuse((struct claim){ OF_A, view, "", good, run, word, false }, "the word is correct");
	refuse((struct claim){ OF_A, view, "", short_one, "A0 A1", "A0 -A1 A1", false },
	       "the word is correct");
	refuse((struct claim){ OF_A, view, "", "{ S : x w ; }", run, word, false },
	       "violates the grammar before its last event");
	refuse((struct claim){ OF_A, view, "", short_one, run, "A0 A1 A3", false }, "left out");
	refuse((struct claim){ OF_A, view, "", short_one, run, "A0 -A1 A1", false }, "left out");
	/* the claim is about another thread, which has no events */
	refuse((struct claim){ OF_B, view, "", short_one, run, word, false }, "empty");
	/* a schedule that breaks program order; a word in another order than the schedule */
	refuse((struct claim){ OF_A, view, "", short_one, "A0 A1 B1 A2 A3", word, false }, "");
	refuse((struct claim){ OF_A, view, "", "{ S : y ; }", run, "A3 A0 -A1 A1", false },
	       "is not in this order in the schedule");
}

static void objects(void **state)
{
	static const char view[] = "object o until end";
	static const char numbers[] = "{ S : x w a f=y assert(f.n == 4) g=y assert(g.n == %d) ; }";
	char wrong[128], right[128];

	(void)state;
	snprintf(wrong, sizeof wrong, numbers, 7);
	snprintf(right, sizeof right, numbers, 8);
	accept((struct claim){ OBJECT_1, view, "", wrong, whole, all, false });
	refuse((struct claim){ OBJECT_1, view, "", right, whole, all, false }, "correct");
	/* events of the other object may be left out, events of this object may not */
	accept((struct claim){ OBJECT_1, view, "", wrong, whole, "A0 -A1 A1 A3 B3", false });
	refuse((struct claim){ OBJECT_1, view, "", wrong, whole, "A0 -A1 A1 B3", false },
	       "left out");
	/* in another order the first y belongs to the other thread */
	accept((struct claim){ OBJECT_1, view, "", right, "A0 B0 A1 A2 B1 B2 B3", "A0 -A1 A1 B3",
			       false });
	refuse((struct claim){ OBJECT_2, view, "", wrong, whole, all, false }, "correct");
	accept((struct claim){ OBJECT_2, view, "", "{ S : x w ; }", "A0 B0 A1 A2 B1", "B0 -B1 B1",
			       false });
}

static void sessions(void **state)
{
	static const char run[] = "A0 A1 A2 A3", word[] = "A0 -A1 A1 A3";
	static const char kept[] = "{ S : x w a { S.k = x.n } | y assert(y.n == session.k) ; }",
			  right[] =
				  "{ S : x w a { S.k = x.n } | y assert(y.n == session.k + 3) ; }";

	(void)state;
	accept((struct claim){ OF_A, "thread", "reset", kept, run, word, false });
	refuse((struct claim){ OF_A, "thread", "reset", right, run, word, false }, "correct");
	/* the condition of the reset decides where sessions end */
	accept((struct claim){ OF_A, "thread", "reset(n == 3)", kept, run, word, false });
	accept((struct claim){ OF_A, "thread", "reset(n == 4)", right, run, word, false });
	accept((struct claim){ OF_A, "thread", "reset(session.k == nil)", kept, run, word, false });
	refuse((struct claim){ OF_A, "thread", "reset", "{ S : x w | y x ; }", run, word, false },
	       "an earlier session already violates the grammar");
	/* at its reset a session must be complete */
	accept((struct claim){ OF_A, "thread", "reset", "{ S : x w a y ; }", "A0 A1", "A0 -A1 A1",
			       false });
	refuse((struct claim){ OF_A, "thread", "reset(n == 4)", "{ S : x w a y ; }", "A0 A1",
			       "A0 -A1 A1", false },
	       "correct");
}

/* Without `reset` and `until end` each prefix of a word must be a word. */
static void prefixes(void **state)
{
	static const char run[] = "A0 A1 A2 A3", word[] = "A0 -A1 A1 A3";

	(void)state;
	accept((struct claim){ OF_A, "thread", "", "{ S : x w ; }", "A0", "A0", false });
	refuse((struct claim){ OF_A, "thread", "", "{ S : x | x w ; }", "A0", "A0", false },
	       "correct");
	accept((struct claim){ OF_A, "thread", "", "{ S : x | x w | x w a ; }", run, word, false });
	refuse((struct claim){ OF_A, "thread", "", "{ S : x | x w a ; }", run, word, false },
	       "violates the grammar before its last event");
}

static void ends(void **state)
{
	static const char run[] = "A0 A1 A2 A3", word[] = "A0 -A1 A1 A3";
	static const char more[] = "{ S : x w a y y ; }", good[] = "{ S : x w a y ; }";

	(void)state;
	accept((struct claim){ OF_A, "thread until end", "", more, run, word, true });
	refuse((struct claim){ OF_A, "thread until end", "", more, run, word, false }, "correct");
	refuse((struct claim){ OF_A, "thread until end", "", good, run, word, true }, "correct");
	refuse((struct claim){ OF_A, "thread", "reset(n == 9)", more, run, word, true }, "correct");
	refuse((struct claim){ OF_A, "thread until end", "", more, "", "", true }, "empty");
	refuse((struct claim){ OF_A, "thread until end", "", more, "A0 A1", "A0 -A1 A1", true },
	       "continues after");
}

/* A thread at its request: all its earlier events have happened, the request has not. */
static void requests(void **state)
{
	static const char view[] = "global until end", grammar[] = "{ S : x x w ; }";

	(void)state;
	accept((struct claim){ EVERYBODY, view, "", grammar, "A0 B0", "A0 B0 -A1 -B1", false });
	accept((struct claim){ EVERYBODY, view, "", grammar, "B0 A0", "B0 A0 -B1 -A1", false });
	refuse((struct claim){ EVERYBODY, view, "", grammar, "A0 B0", "A0 B0 -A1", false },
	       "correct");
	refuse((struct claim){ EVERYBODY, view, "", grammar, "A0", "A0 -A1 -B1", false },
	       "is not its thread's next event");
	/*
	 * the request comes before the acquire, and must not be left out if the acquire has
	 * happened
	 */
	refuse((struct claim){ EVERYBODY, view, "", grammar, "A0 B0 A1", "A0 B0 A1 -A1", false },
	       "comes too early");
	refuse((struct claim){ EVERYBODY, view, "", grammar, "A0 B0 A1", "A0 B0 A1", false },
	       "left out");
	accept((struct claim){ EVERYBODY, view, "", grammar, "A0 B0 A1", "A0 B0 -A1 A1", false });
	/*
	 * the request may come between two events of other threads, and as early as its own thread
	 * allows
	 */
	accept((struct claim){ EVERYBODY, view, "", "{ S : x w ; }", "A0 B0", "A0 -A1 B0", false });
	refuse((struct claim){ EVERYBODY, view, "", "{ S : w ; }", "A0 B0", "-A1 A0 B0", false },
	       "is not in this order in the schedule");
}

/* Errors in Lua and words with two trees prove nothing. */
static void broken(void **state)
{
	static const char run[] = "A0 A1 A2 A3", word[] = "A0 -A1 A1 A3",
			  view[] = "thread until end";

	(void)state;
	refuse((struct claim){ OF_A, view, "", "{ S : x assert(x.n.z == 1) w a y ; }", run, word,
			       true },
	       "attempt to index");
	refuse((struct claim){ OF_A, view, "", "(k = nil + 1) { S : x w a ; }", run, word, false },
	       "attempt to perform arithmetic");
	refuse((struct claim){ OF_A, view, "", "{ S : T assert(x == 1) | T ; T : x w a y ; }", run,
			       word, true },
	       "two parse trees");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads),  cmocka_unit_test(objects), cmocka_unit_test(sessions),
		cmocka_unit_test(prefixes), cmocka_unit_test(ends),    cmocka_unit_test(requests),
		cmocka_unit_test(broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

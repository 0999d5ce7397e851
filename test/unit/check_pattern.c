/*
 * Tests only the checker's judge of patterns: correct claims written by hand, and claims with one
 * mistake.
 */
#include "check_play.h"

#include "check/pattern.h"
#include "spec/spec.h"

/*
 * A has two events a, B has one event b, in this order: a a b. The second a binds q, the others
 * bind o.
 */
static const char lines[] = "A|probe e:a(o)|\nA|probe e:a(q)|\nB|probe e:b(o)|\n";

static const uint32_t bindings[] = { 0, 1, 0 };
static const struct checker_lifetime no_lives[2];

static struct spec_file *parse(const char *pattern)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file;
	char text[256];

	snprintf(text, sizeof text,
		 "property P(void *o) { event a = probe e:a(o); event b = probe e:b(o); pattern: "
		 "%s; }",
		 pattern);
	file = spec_parse("test.prop", text, &messages);
	if (!file)
		fail_msg("%s", messages.list.items[0].shown);
	spec_messages_free(&messages);
	return file;
}

/*
 * Judges a claim: `chosen` has one occurrence for each leaf of the pattern, which joins leaves with
 * one operator.
 */
static bool judge(const char *pattern, const uint32_t *chosen, const char *steps, struct err *err)
{
	struct spec_file *file = parse(pattern);
	const struct spec_pattern *tree = file->properties->formulas->pattern;
	struct checker_occurrence occurrences[3] = { { .event = 0, .bindings = 0 },
						     { .event = 0, .bindings = 1 },
						     { .event = 1, .bindings = 2 } };
	struct checker_property property = { 1, occurrences, 3, bindings, no_lives };
	struct checker_choice choices[4];
	struct checker_pattern_claim match = { &property, tree, choices, 0 };
	struct event_id words[8];
	struct checker_witness witness = { .claim = CHECKER_PATTERN,
					   .steps = words,
					   .match = &match };
	struct play play;
	bool ok;

	play_open(&play, lines, false);
	play_enter(&play, 0, play.runs.count);
	occurrences[0].anchor = (struct event_id){ 0, 0 };
	occurrences[1].anchor = (struct event_id){ 0, 1 };
	occurrences[2].anchor = (struct event_id){ 1, 0 };
	if (tree->kind == SPEC_INVERTED)
		tree = tree->parts;
	for (const struct spec_pattern *leaf = tree->parts; leaf; leaf = leaf->next)
		choices[match.count] = (struct checker_choice){ leaf, chosen[match.count] },
		match.count++;
	witness.step_count = play_events(&play, steps, words);
	ok = checker_accepts(play.checker, &witness, err);
	play_close(&play);
	spec_free(file);
	return ok;
}

static void accept(const char *pattern, const uint32_t *chosen, const char *steps)
{
	struct err err;

	if (!judge(pattern, chosen, steps, &err))
		fail_msg("%s after \"%s\" is refused: %s", pattern, steps, err.text);
}

static void refuse(const char *pattern, const uint32_t *chosen, const char *steps, const char *why)
{
	struct err err;

	if (judge(pattern, chosen, steps, &err))
		fail_msg("%s after \"%s\" is accepted", pattern, steps);
	if (!strstr(err.text, why))
		fail_msg("expected \"%s\": %s", why, err.text);
}

static const uint32_t a_b[] = { 0, 2 }, b_a[] = { 2, 0 }, second_b[] = { 1, 2 }, twice[] = { 0, 0 };

static void sequences(void **state)
{
	(void)state;
	accept("a b", a_b, "A0 B0");
	accept("b a", b_a, "B0 A0");
	accept("a(t1) b(t2)", a_b, "A0 B0");
	refuse("a b", a_b, "B0 A0", "not in the order that the pattern requires");
	refuse("a b", a_b, "A0", "does not happen in the schedule");
	refuse("a(t) b(t)", a_b, "A0 B0", "wrong thread");
	refuse("a b", second_b, "A0 A1 B0", "has other parameter values");
	refuse("a a", twice, "A0", "chosen twice");
	refuse("b a", a_b, "A0 B0", "is not the property event that the claim says");
}

static void others(void **state)
{
	(void)state;
	accept("!(a b)", a_b, "B0 A0");
	refuse("!(a b)", a_b, "A0 B0", "not in the order that the pattern requires");
	accept("a & b", a_b, "B0 A0");
	accept("a || b", a_b, "");
	accept("a || b", a_b, "A0 B0");
	refuse("a || b", a_b, "A0", "others do not");
	refuse("a || b", a_b, "A0 A1", "others do not");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequences),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

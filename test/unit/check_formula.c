/*
 * Tests only the checker's judge of formulas: correct claims written by hand, and claims with one
 * mistake.
 */
#include "check_play.h"

#include "check/formula.h"
#include "spec/spec.h"

/* B writes p. A writes p, reads it, and writes l. Then both have an event: x of A, y of B. */
static const char lines[] =
	"B|w(p)=0|\nA|w(p)=1|\nA|r(p)=1|\nA|w(l)=1|\nA|probe e:x()|\nB|probe e:y()|\n";

struct claim {
	const char *formula, *steps, *moments;
	/*
	 * The claim: the word violates the formula (BAD), or does so if it ends here (AT_END).
	 * PAUSED: like BAD, with a state without events before the last state. BEFORE: like BAD,
	 * and the last state is that of the moment just before the event.
	 */
	enum { BAD, AT_END, PAUSED, BEFORE } how;
};

/* The trace and the property of a claim. */
struct scene {
	const char *lines;
	uint8_t size, form; /* size and form of variable p */
	/* 1 or 2: judge the instance that x, or y, binds; 0: the property has no parameter */
	uint32_t instance;
};
static const struct scene usual = { lines, 8, CHECKER_SIGNED, 0 };

static struct spec_file *parse(const char *formula)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file;
	char text[512];

	snprintf(text, sizeof text,
		 "extern int p, l; property P { event x = probe e:x(); event y = probe e:y(); "
		 "event z = becomes(l > 5); %s; }",
		 formula);
	file = spec_parse("test.prop", text, &messages);
	if (!file)
		fail_msg("%s", messages.list.items[0].shown);
	spec_messages_free(&messages);
	return file;
}

/* Returns the address that the text trace gave to a variable. */
static uint64_t find_address(const struct trace *trace, const char *name)
{
	uint64_t found = 0;

	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(trace, i);
		struct trace_event event;
		struct err err;

		while (trace_next(cursor, &event, &err)) {
			const char *object =
				event.size ? trace_object_name(trace, event.address) : NULL;

			if (object && !strcmp(object, name))
				found = event.address;
		}
		trace_cursor_close(cursor);
	}
	return found;
}

static bool judge(const struct scene *scene, const struct claim *claim, struct err *err)
{
	struct spec_file *file = parse(claim->formula);
	/* B is thread 0, because it is the first in the text */
	const struct checker_occurrence occurrences[2] = {
		{ .anchor = { 1, 3 }, .event = 0, .bindings = 0 },
		{ .anchor = { 0, 1 }, .event = 1, .bindings = 1 }
	};
	const uint32_t bindings[2] = { 1, 2 };
	const struct checker_property events = { scene->instance > 0, occurrences,
						 scene->lines == lines ? 2 : 0, bindings, NULL };
	struct event_id steps[8], anchors[8];
	struct checker_moment moments[8] = { 0 };
	struct checker_variable variables[2] = {
		{ .name = "p", .size = scene->size, .form = scene->form },
		{ .name = "l", .size = 8 }
	};
	struct checker_formula_claim word = { .property = file->properties,
					      .formula = file->properties->formulas,
					      .events = &events,
					      .binding = &scene->instance,
					      .variables = variables,
					      .variable_count = 2,
					      .moments = moments,
					      .at_end = claim->how == AT_END };
	struct checker_witness witness = { .claim = CHECKER_FORMULA,
					   .steps = steps,
					   .word = &word };
	struct play play;
	bool ok;

	play_open(&play, scene->lines, false);
	play_enter(&play, 0, play.runs.count);
	variables[0].address = find_address(play.trace, "p");
	variables[1].address = find_address(play.trace, "l");
	witness.step_count = play_events(&play, claim->steps, steps);
	word.moment_count = play_events(&play, claim->moments, anchors);
	for (size_t i = 0; i < word.moment_count; i++)
		moments[i].anchor = anchors[i];
	if (word.moment_count) {
		moments[word.moment_count - 1].paused = claim->how == PAUSED;
		moments[word.moment_count - 1].before = claim->how == BEFORE;
	}
	ok = checker_accepts(play.checker, &witness, err);
	play_close(&play);
	spec_free(file);
	return ok;
}

static void accept_in(struct scene scene, struct claim claim)
{
	struct err err;

	if (!judge(&scene, &claim, &err))
		fail_msg("%s after \"%s\" is refused: %s", claim.formula, claim.steps, err.text);
}

static void refuse_in(struct scene scene, struct claim claim, const char *why)
{
	struct err err;

	if (judge(&scene, &claim, &err))
		fail_msg("%s after \"%s\" is accepted", claim.formula, claim.steps);
	if (!strstr(err.text, why))
		fail_msg("expected \"%s\": %s", why, err.text);
}

static void accept(struct claim claim)
{
	accept_in(usual, claim);
}

static void refuse(struct claim claim, const char *why)
{
	refuse_in(usual, claim, why);
}

static const char permit[] = "always start(l) => prev p";

static void states(void **state)
{
	(void)state;
	accept((struct claim){ permit, "A0 A1 B0 A2", "A0 B0 A2", BAD });
	accept((struct claim){ permit, "A0 A1 B0 A2", "A0 A1 B0 A2", BAD });
	refuse((struct claim){ permit, "B0 A0 A1 A2", "B0 A0 A2", BAD }, "the formula holds");
	refuse((struct claim){ permit, "A0 A1 B0", "A0 B0", BAD }, "the formula holds");
	/* claims that leave out an event, or list the events in another order than the schedule */
	refuse((struct claim){ permit, "A0 A1 B0 A2", "A0 A2", BAD },
	       "writes a variable, but the claimed run leaves it out");
	refuse((struct claim){ permit, "A0 A1 B0 A2", "B0 A0 A2", BAD },
	       "is not in this order in the schedule");
	refuse((struct claim){ permit, "A0 A1 B0", "A0 B0 A2", BAD },
	       "is not in this order in the schedule");
	refuse((struct claim){ permit, "A0 A1 B0 A2", "A0 A0 B0 A2", BAD },
	       "is not in this order in the schedule");
	refuse((struct claim){ permit, "A0 A1 B0 A2", "A0 A2 B0", BEFORE }, "comes too early");
	/* an infeasible schedule */
	refuse((struct claim){ permit, "A0 B0 A1 A2", "A0 B0 A2", BAD }, "");
}

static void events(void **state)
{
	static const char run[] = "B0 A0 A1 A2 B1 A3", word[] = "B0 A0 A2 B1 A3";

	(void)state;
	accept((struct claim){ "always x => !once y", run, word, BAD });
	accept((struct claim){ "never x && prev y", run, word, BAD });
	refuse((struct claim){ "never y && prev x", run, word, BAD }, "the formula holds");
	refuse((struct claim){ "always x => !once y", run, "B0 A0 A2 A3", BAD }, "left out");
	accept((struct claim){ "ere: x y", run, word, BAD });
	refuse((struct claim){ "ere: y x", run, word, BAD }, "in the language");
	refuse((struct claim){ "ere: y x x", run, word, BAD }, "could still");
	refuse((struct claim){ "ere: y x x x", run, word, BAD }, "could still");
	accept((struct claim){ "ere: y x x", run, word, AT_END });
}

/* Events of another instance do not count for this one. */
static void instances(void **state)
{
	static const char run[] = "B0 A0 A1 A2 B1 A3", word[] = "B0 A0 A2 B1 A3";
	const struct scene first = { lines, 8, CHECKER_SIGNED, 1 };

	(void)state;
	accept_in(first, (struct claim){ "never x", run, word, BAD });
	accept_in(first, (struct claim){ "never x", run, "B0 A0 A2 A3", BAD });
	refuse_in(first, (struct claim){ "never x", run, "B0 A0 A2 B1", BAD }, "left out");
	refuse_in(first, (struct claim){ "never x && prev y", run, word, BAD },
		  "the formula holds");
	refuse_in(first, (struct claim){ "ere: x", run, word, BAD }, "in the language");
}

static void claim_value(const char *lines_of_a, uint8_t size, enum checker_form form,
			const char *formula, bool is_violated)
{
	const struct scene scene = { lines_of_a, size, (uint8_t)form, 0 };
	const struct claim claim = { formula, "A0 A1", "A0 A1", BAD };

	if (is_violated)
		accept_in(scene, claim);
	else
		refuse_in(scene, claim, "the formula holds");
}

static void values(void **state)
{
	static const char negative[] = "A|w(l)=7|\nA|w(p@4)=-1|\n",
			  large[] = "A|w(l)=7|\nA|w(p@4)=258|\n",
			  single[] = "A|w(l)=7|\nA|w(p@4)=0x3f800000|\n",
			  real[] = "A|w(l)=7|\nA|w(p)=0x4004000000000000|\n";

	(void)state;
	claim_value(negative, 4, CHECKER_SIGNED, "never p < 0", true);
	claim_value(negative, 4, CHECKER_UNSIGNED, "never p < 0", false);
	claim_value(large, 4, CHECKER_SIGNED, "never p == 258", true);
	claim_value(large, 1, CHECKER_SIGNED, "never p == 2", true);
	claim_value(single, 4, CHECKER_FLOATING, "never p == 1.0", true);
	claim_value(real, 8, CHECKER_FLOATING, "never p == 2.5", true);
	claim_value(large, 4, CHECKER_SIGNED, "never prev z", true);
}

/* An unknown value does not violate a formula. A value that becomes known is no `becomes`. */
static void unknown(void **state)
{
	const struct scene forgotten = { "A|w(p)=1|\nA|w(p)|\nA|w(l)=0|\n", 8, CHECKER_SIGNED, 0 };
	const struct scene learned = { "A|w(l)|\nA|w(l)=7|\nA|w(p)=0|\n", 8, CHECKER_SIGNED, 0 };
	static const char word[] = "A0 A1";

	(void)state;
	refuse_in(forgotten, (struct claim){ "never p == 1", word, word, BAD }, "unknown values");
	refuse_in(forgotten, (struct claim){ "always p == 1", word, word, BAD }, "unknown values");
	refuse_in(learned, (struct claim){ "never z", word, word, BAD }, "the formula holds");
	accept_in(learned, (struct claim){ "never l == 7", word, word, BAD });
}

static void ends(void **state)
{
	static const char run[] = "B0 A0 A1 A2 A3", word[] = "B0 A0 A2 A3";

	(void)state;
	refuse((struct claim){ "ltl: eventually y", run, word, BAD }, "could still become true");
	refuse((struct claim){ "ltl: eventually (y && next x)", run, word, BAD },
	       "could still become true");
	accept((struct claim){ "ltl: eventually y", run, word, AT_END });
	accept((struct claim){ "ltl: always !x", run, word, BAD });
	refuse((struct claim){ "ltl: always (x => l == 1)", run, word, BAD }, "the formula holds");
	accept((struct claim){ "ltl: always (x => next y)", run, word, AT_END });
}

/*
 * Continuations of a word may choose only the free atoms: equal atoms have equal values, and
 * constants are fixed.
 */
static void continuations(void **state)
{
	(void)state;
	accept((struct claim){ "ltl: always ((x => x) => next y)", "", "", BAD });
	accept((struct claim){ "ltl: always ((p && l == 1 => p) => next y)", "", "", BAD });
	accept((struct claim){ "ltl: always (1 => next y)", "", "", BAD });
	accept((struct claim){ "ltl: always ((x ? p : p) => p) && always next y", "", "", BAD });
	refuse((struct claim){ "ltl: always ((x => p) => next y)", "", "", BAD }, "come true");
}

/*
 * The state without events before the last state belongs to the last moment: if that state violates
 * the formula, so does the last moment.
 */
static void pauses(void **state)
{
	static const char wrong[] = "never prev start(p)";
	static const char next[] = "always start(l) => prev start(p)";

	(void)state;
	accept((struct claim){ wrong, "B0 A0 A1 A2", "B0 A0 A2", BAD });
	accept((struct claim){ wrong, "B0 A0 A1 A2", "B0 A0 A2", PAUSED });
	refuse((struct claim){ wrong, "B0 A0", "B0 A0", PAUSED }, "the formula holds");
	accept((struct claim){ next, "B0 A0 A1 A2", "B0 A0 A2", PAUSED });
	refuse((struct claim){ next, "B0 A0 A1 A2", "B0 A0 A2", BAD }, "the formula holds");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),	 cmocka_unit_test(events),
		cmocka_unit_test(instances),	 cmocka_unit_test(values),
		cmocka_unit_test(unknown),	 cmocka_unit_test(ends),
		cmocka_unit_test(continuations), cmocka_unit_test(pauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

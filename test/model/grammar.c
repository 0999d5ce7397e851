/*
 * grammar [--count N] [--seed S]
 *
 * Compares random attribute grammars with the definitions (grammar_brute.c, grammar_truth.c): which
 * grammars are refused; and, on all short words and some long ones, the verdicts of both engines
 * after each event, the attributes of each session, copies and keys of words, and the verdicts of
 * the checker's judge. A case that fails is shrunk and printed.
 */
#include "grammar_brute.h"
#include "grammar_try.h"

#include <stdlib.h>
#include <string.h>

static void report(struct grammar_case *c, uint64_t random)
{
	struct try_failure failure;
	struct try_totals ignored = { 0 };
	static struct grammar_case smaller;
	int depth = 1;

	for (int step = 0; case_shrink(c, step, &smaller);) {
		if (!try_case(&smaller, 0, random, &ignored, &failure)) {
			*c = smaller;
			step = 0;
		} else {
			step++;
		}
	}
	while (depth < 8 && try_case(c, depth, random, &ignored, &failure))
		depth++;
	if (depth == 8)
		try_case(c, 0, random, &ignored, &failure);
	printf("---- %s\n", failure.said);
	case_print(c, stdout, NULL);
	for (int i = 0; i < failure.length; i++) {
		case_print_letter(c, failure.word[i], stdout);
		printf(" ");
	}
	printf("\n");
	fflush(stdout);
}

/* Counts the short prefixes of words, up to a hundred. */
static int count_beginnings(struct brute *b, int at)
{
	int found = 0;

	for (uint8_t e = 0; at < 4 && e < b->c->event_count && found < 100; e++) {
		b->events[at] = e;
		brute_fill(b, 0, at + 1);
		if (brute_is_viable(b, 0, at + 1))
			found += 1 + count_beginnings(b, at + 1);
	}
	return found;
}

/*
 * Makes a case. Grammars with productions that have no words are refused, so one in twenty is
 * enough. Among the others, grammars with many words show more, so in most cases the best one of a
 * few is taken.
 */
static void make_case(struct grammar_case *c, uint64_t *random)
{
	static struct grammar_case other;
	static struct brute brute;
	int tries = case_random(random, 3) ? 4 : 1, best = -1, found;
	bool any = case_random(random, 20) == 0;

	while (best < 0 || tries > 0) {
		case_make(&other, random);
		brute_open(&brute, &other, NULL);
		if (brute.has_wordless && !any)
			continue;
		tries--;
		brute_fill(&brute, 0, 0);
		found = brute.has_wordless ? 0 : count_beginnings(&brute, 0);
		if (found <= best)
			continue;
		best = found;
		*c = other;
	}
}

static void print_totals(const struct try_totals *t)
{
	const struct {
		uint64_t count;
		const char *what;
	} list[] = {
		{ t->grammars, "grammars" },
		{ t->with_code, "with code" },
		{ t->only_earley, "of them taken and not LL(1)" },
		{ t->ll1, "LL(1)" },
		{ t->refused_wordless, "without words" },
		{ t->refused_ambiguous, "refused as ambiguous" },
		{ t->words, "words" },
		{ t->walks, "walks" },
		{ t->codes, "codes carried out" },
		{ t->open, "open" },
		{ t->violated[0], "without continuation" },
		{ t->violated[1], "incomplete" },
		{ t->violated[2], "with a false assertion" },
		{ t->early, "earlier by LL(1)" },
		{ t->broken, "broken" },
		{ t->two_trees, "of them with two trees" },
		{ t->sessions, "sessions" },
		{ t->keys, "keys" },
		{ t->equal_keys, "equal to one before" },
		{ t->incomparable, "incomparable" },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		printf("%s%llu %s", i ? ", " : "", (unsigned long long)list[i].count, list[i].what);
}

int main(int count, char **arguments)
{
	uint64_t cases = 500, seed = 1, failed = 0;
	struct try_totals totals = { 0 };
	static struct grammar_case c;

	for (int i = 1; i + 1 < count; i += 2) {
		if (!strcmp(arguments[i], "--count"))
			cases = strtoull(arguments[i + 1], NULL, 0);
		else if (!strcmp(arguments[i], "--seed"))
			seed = strtoull(arguments[i + 1], NULL, 0);
	}
	for (uint64_t i = 0; i < cases; i++) {
		uint64_t random = (seed + i) * 0x9e3779b97f4a7c15u | 1;
		struct try_failure failure;

		for (int k = 0; k < 10; k++)
			case_random(&random, 2);
		make_case(&c, &random);
		if (try_case(&c, 0, random, &totals, &failure))
			continue;
		if (failed++ < 3) {
			printf("seed %llu: %s\n", (unsigned long long)(seed + i), failure.said);
			fflush(stdout);
			report(&c, random);
		}
	}
	print_totals(&totals);
	printf(": %s\n", failed ? "some differ" : "all agree");
	return failed > 0;
}

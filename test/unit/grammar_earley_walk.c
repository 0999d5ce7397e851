/*
 * Tests Earley's engine on random grammars with actions and assertions, on all words of up to 6
 * letters. Each event is taken by a copy of the word before it. The results are compared with an
 * evaluation of the only tree straight from the definition: verdicts, and what `on violation`
 * reports, which is everything that the actions have done. Words with equal keys must have the same
 * future.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hash.h"
#include "grammar/word.h"

#include "grammar_random.h"

/* ---- a grammar with code --------------------------------------------------------------------- */

/*
 * A grammar and the positions of its actions: at the beginning of a rule, and before and after each
 * symbol.
 */
struct coded {
	struct made made;
	bool enters[MADE_RULES], gives[MADE_RULES][MADE_SYMBOLS], takes[MADE_RULES][MADE_SYMBOLS];
	bool lists; /* the actions keep a log of everything; otherwise only a small number */
	bool every; /* a session must be complete after every event */
	bool inner; /* the assertion is after each event, and not after the start symbol */
	/* the assertion fails if the log has this length, or the number this size */
	unsigned limit;
};

static void draw_code(struct coded *coded, uint64_t *seed)
{
	unsigned often = 1 + made_draw(seed, 4);
	for (unsigned i = 0; i < coded->made.rule_count; i++) {
		coded->enters[i] = !made_draw(seed, 4 * often);
		for (unsigned j = 0; j < MADE_SYMBOLS; j++) {
			coded->gives[i][j] = !made_draw(seed, often);
			coded->takes[i][j] = !made_draw(seed, often);
		}
	}
	coded->lists = made_draw(seed, 2);
	coded->every = made_draw(seed, 2);
	coded->inner = made_draw(seed, 2);
	coded->limit = coded->lists ? made_draw(seed, 40) : made_draw(seed, 9);
}

/*
 * Draws an alternative of a random shape: t is a terminal, n any nonterminal, s the left side
 * itself.
 */
static void draw_rule(struct made *made, unsigned left, uint64_t *seed)
{
	static const char *const shapes[] = { "st", "sn", "ts", "tst", "t",   "",   "nt",
					      "tn", "n",  "nn", "tnt", "nts", "snt" };
	const char *shape = shapes[made_draw(seed, sizeof shapes / sizeof *shapes)];
	struct made_rule *rule = &made->rules[made->rule_count++];
	rule->left = made->terminals + left;
	for (; *shape; shape++)
		rule->right[rule->count++] =
			*shape == 't'	? made_draw(seed, made->terminals)
			: *shape == 's' ? rule->left
					: made->terminals + made_draw(seed, made->nonterminals);
}

/*
 * Draws a grammar. Most random grammars are ambiguous; such grammars are drawn again in most cases.
 */
static struct coded draw_coded(uint64_t *seed)
{
	struct coded coded;
	do {
		coded = (struct coded){ .made = { .terminals = 2 + made_draw(seed, 2) } };
		coded.made.nonterminals = 1 + made_draw(seed, 3);
		for (unsigned left = 0; left < coded.made.nonterminals; left++)
			for (unsigned n = 1 + made_draw(seed, 3); n; n--)
				draw_rule(&coded.made, left, seed);
	} while (!made_is_productive(&coded.made));
	draw_code(&coded, seed);
	return coded;
}

static void print_rule(FILE *out, const struct coded *coded, unsigned number)
{
	const struct made *made = &coded->made;
	const struct made_rule *rule = &made->rules[number];
	char left = 'A' + rule->left - made->terminals;
	bool first = !number || made->rules[number - 1].left != rule->left;
	bool last = number + 1u == made->rule_count || made->rules[number + 1].left != rule->left;
	fprintf(out, first ? "\t%c :" : "\t  |", left);
	if (coded->enters[number])
		fprintf(out, " { log = mix(log, %u, %c.d) }", number, left);
	for (unsigned j = 0; j < rule->count; j++) {
		bool terminal = rule->right[j] < made->terminals;
		if (coded->gives[number][j] && !terminal)
			fprintf(out, " { s%u.d = (%c.d or 0) + %u }", j, left, j + 1);
		fprintf(out, " s%u=%c", j,
			terminal ? 'a' + rule->right[j] : 'A' + rule->right[j] - made->terminals);
		if (!coded->takes[number][j])
			continue;
		if (terminal)
			fprintf(out,
				" { %c.n = (%c.n or 0) * 2 + s%u.x; log = mix(log, %u, s%u.x) }",
				left, left, j, number, j);
		if (terminal && coded->inner)
			fprintf(out, " assert(%s < %u)", coded->lists ? "#log" : "log",
				coded->limit);
		if (!terminal)
			fprintf(out, " { %c.n = (%c.n or 0) * 3 + (s%u.n or 0) }", left, left, j);
	}
	fprintf(out, last ? " ;\n" : "\n");
}

static char *print_coded(const struct coded *coded)
{
	char *text = NULL, *rules = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&rules, &size);
	for (unsigned i = 0; i < coded->made.rule_count; i++)
		print_rule(out, coded, i);
	fclose(out);
	out = open_memstream(&text, &size);
	fprintf(out,
		"property P {\n\tview global%s;\n\tevent a = probe app:a(x);\n"
		"\tevent b = probe app:b(x);\n\tevent c = probe app:c(x);\n"
		"\tgrammar (log = %s) {\n\tZ : s=A",
		coded->every ? "" : " until end", coded->lists ? "\"\"" : "0");
	if (!coded->inner)
		fprintf(out, " { n = ((n or 0) + (s.n or 0)) %% 5 } assert(%s < %u)",
			coded->lists ? "#log" : "log + n", coded->limit);
	fprintf(out, " ;\n");
	/* replaces mix(log, rule, value) by the code that it stands for */
	for (const char *at = rules; *at;) {
		const char *call = strstr(at, "mix(log, ");
		if (!call) {
			fputs(at, out);
			break;
		}
		fwrite(at, 1, call - at, out);
		char rule[8], value[8];
		int used = 0;
		sscanf(call, "mix(log, %7[0-9], %7[^)])%n", rule, value, &used);
		if (coded->lists)
			fprintf(out, "log .. \"%s:\" .. (%s or 0) .. \" \"", rule, value);
		else
			fprintf(out, "(log * 2 + %s + (%s or 0)) %% 5", rule, value);
		at = call + used;
	}
	fprintf(out, "\t}\n\ton violation { report(log, n or 0) }\n}\n");
	fclose(out);
	free(rules);
	return text;
}

/* ---- what it means --------------------------------------------------------------------------- */

struct walk {
	const struct coded *coded;
	const struct made_meaning *meaning;
	const uint8_t *values; /* the value x of each event */
	char log[4096];
	size_t length;
	unsigned small; /* the number that is kept instead of a log */
	bool failed;	/* an inner assertion failed: the log does not change after that */
};

static void mix(struct walk *walk, unsigned rule, int64_t value)
{
	if (walk->failed)
		return;
	if (!walk->coded->lists) {
		walk->small = (walk->small * 2 + rule + value) % 5;
		return;
	}
	walk->length += snprintf(walk->log + walk->length, sizeof walk->log - walk->length,
				 "%u:%lld ", rule, (long long)value);
	assert_true(walk->length < sizeof walk->log);
}

static bool holds(const struct walk *walk, unsigned n)
{
	return (walk->coded->lists ? walk->length : walk->small + n) < walk->coded->limit;
}

static int64_t evaluate(struct walk *walk, unsigned symbol, unsigned from, unsigned to, int64_t d);

/* Evaluates the symbols of a rule from left to right; finds the end of each symbol in turn. */
static void evaluate_rule(struct walk *walk, unsigned number, unsigned from, unsigned to, int64_t d,
			  int64_t *n)
{
	const struct made_rule *rule = &walk->coded->made.rules[number];
	if (walk->coded->enters[number])
		mix(walk, number, d);
	for (unsigned j = 0; j < rule->count; j++) {
		unsigned middle = from;
		while (!(walk->meaning->trees[rule->right[j]][from][middle] &&
			 made_count(walk->meaning, rule, j + 1, middle, to)))
			assert_true(++middle <= to);
		if (rule->right[j] >= walk->coded->made.terminals) {
			int64_t given = walk->coded->gives[number][j] ? d + j + 1 : 0;
			int64_t got = evaluate(walk, rule->right[j], from, middle, given);
			if (walk->coded->takes[number][j])
				*n = *n * 3 + got;
		} else if (walk->coded->takes[number][j]) {
			*n = *n * 2 + walk->values[from];
			mix(walk, number, walk->values[from]);
			walk->failed |= walk->coded->inner && !holds(walk, 0);
		}
		from = middle;
	}
}

/*
 * Returns the attribute n of a symbol. `d` is the value that the symbol was given. There is only
 * one tree.
 */
static int64_t evaluate(struct walk *walk, unsigned symbol, unsigned from, unsigned to, int64_t d)
{
	int64_t n = 0;
	const struct made *made = &walk->coded->made;
	for (unsigned i = 0; i < made->rule_count; i++)
		if (made->rules[i].left == symbol &&
		    made_count(walk->meaning, &made->rules[i], 0, from, to)) {
			evaluate_rule(walk, i, from, to, d, &n);
			return n;
		}
	fail_msg("no tree");
	return n;
}

/*
 * Writes the expected verdict as text: "" open, N no continuation, I incomplete, B broken, A and
 * the report of a failed assertion.
 */
static void finish_meaning(const struct coded *coded, const struct made_meaning *meaning,
			   const uint8_t *values, unsigned length, char *verdict)
{
	unsigned start = coded->made.terminals, trees = meaning->trees[start][0][length];
	static struct walk walk;
	walk = (struct walk){ .coded = coded, .meaning = meaning, .values = values };
	strcpy(verdict, trees ? "B" : "I");
	if (trees != 1)
		return;
	unsigned n = evaluate(&walk, start, 0, length, 0) % 5;
	if (coded->inner)
		n = 0;
	if (coded->inner ? !walk.failed : holds(&walk, n))
		*verdict = '\0';
	else if (coded->lists)
		sprintf(verdict, "A%s %u", walk.log, n);
	else
		sprintf(verdict, "A%u %u", walk.small, n);
}

static void meant(const struct coded *coded, const uint8_t *word, const uint8_t *values,
		  unsigned length, bool ends, char *verdict)
{
	struct made_meaning meaning;
	made_count_trees(&coded->made, word, length, &meaning);
	*verdict = '\0';
	if (ends)
		finish_meaning(coded, &meaning, values, length, verdict);
	else if (!made_begins(&coded->made, word, length, &meaning))
		strcpy(verdict, "N");
	else if (coded->every)
		finish_meaning(coded, &meaning, values, length, verdict);
}

/* ---- all words ------------------------------------------------------------------------------- */

struct future {
	char *key;
	size_t length;
	unsigned depth;
	uint64_t hash;
};

struct trial {
	const struct coded *coded;
	struct grammar *grammar;
	uint8_t word[MADE_WORD], values[MADE_WORD];
	bool wrong;
	char message[10000];
	VEC(struct future) futures;
	/* counters: complete sessions of more than 2 events, failed assertions, equal keys */
	unsigned *deep, *failed, *equal;
};

static void said(enum grammar_verdict verdict, struct grammar_violation *violation, char *text)
{
	*text = '\0';
	if (verdict == GRAMMAR_BROKEN)
		strcpy(text, "B");
	else if (verdict == GRAMMAR_VIOLATED && violation->fault == GRAMMAR_ASSERTION)
		sprintf(text, "A%s", violation->reports.count ? violation->reports.items[0] : "");
	else if (verdict == GRAMMAR_VIOLATED)
		sprintf(text, "%c", "NI"[violation->fault]);
	grammar_violation_free(violation);
}

/*
 * Compares the verdict with the expected one. Adds its text to the hash `future` of the word before
 * it.
 */
static void compare(struct trial *trial, unsigned length, bool ends, enum grammar_verdict verdict,
		    struct grammar_violation *violation, uint64_t *future)
{
	static char got[5000], wanted[5000];
	bool broken = verdict == GRAMMAR_BROKEN;
	snprintf(trial->message, sizeof trial->message, "%s", broken ? violation->why : "");
	said(verdict, violation, got);
	meant(trial->coded, trial->word, trial->values, length, ends, wanted);
	*trial->failed += *wanted == 'A';
	*trial->deep += length > 2 && *wanted != 'N' && *wanted != 'I';
	for (const char *at = got; *at; at++)
		*future = hash_mix(*future, (unsigned char)*at);
	*future = hash_mix(*future, 256);
	if (strcmp(got, wanted)) {
		trial->wrong = true;
		size_t used = strlen(trial->message);
		used += snprintf(trial->message + used, sizeof trial->message - used, "behind ");
		for (unsigned i = 0; i < length; i++)
			trial->message[used++] = 'a' + trial->word[i];
		snprintf(trial->message + used, sizeof trial->message - used, ": '%s', not '%s'",
			 got, wanted);
	}
}

static void compare_keys(struct trial *trial, const struct grammar_word *word, unsigned depth,
			 uint64_t hash)
{
	script_buffer key = { 0 };
	struct err err;
	assert_true(grammar_word_key(word, &key, &err));
	for (size_t i = 0; i < trial->futures.count; i++) {
		const struct future *other = &trial->futures.items[i];
		if (other->depth != depth || other->length != key.count ||
		    memcmp(other->key, key.items, key.count))
			continue;
		++*trial->equal;
		if (other->hash != hash && !trial->wrong) {
			trial->wrong = true;
			snprintf(trial->message, sizeof trial->message, "equal keys at %u", depth);
		}
		vec_free(&key);
		return;
	}
	*vec_push(&trial->futures) = (struct future){ key.items, key.count, depth, hash };
}

static enum grammar_verdict take(struct trial *trial, struct grammar_word *word, unsigned length,
				 unsigned event, unsigned x, uint64_t *future)
{
	struct grammar_violation violation = { 0 };
	struct script_value values[16] = { 0 };
	for (uint32_t i = 0; i < trial->grammar->events[event].attribute_count; i++)
		values[i] = (struct script_value){ .type = SCRIPT_INTEGER, .integer = x };
	struct grammar_token token = { event, values };
	trial->word[length] = event;
	trial->values[length] = x;
	enum grammar_verdict verdict = grammar_word_take(word, &token, &violation);
	compare(trial, length + 1, false, verdict, &violation, future);
	return verdict;
}

/* Feeds one random word without copying it. */
static void go_straight(struct trial *trial, struct grammar_parser *parser, uint64_t *seed)
{
	struct err err;
	struct grammar_word *word = grammar_word_open(parser, &err);
	uint64_t unused = 0;
	enum grammar_verdict verdict = GRAMMAR_OPEN;
	for (unsigned i = 0; verdict == GRAMMAR_OPEN && !trial->wrong && i < MADE_WORD; i++)
		verdict = take(trial, word, i, made_draw(seed, trial->coded->made.terminals),
			       1 + made_draw(seed, 9), &unused);
	grammar_word_close(word);
}

/*
 * Tries all continuations of a word of `length` events. Returns a hash of their verdicts. Closes
 * `word`.
 */
static uint64_t go_on(struct trial *trial, struct grammar_word *word, unsigned length)
{
	uint64_t future = 0;
	struct err err;
	/* the first two events are tried with two values each */
	unsigned events = trial->coded->made.terminals, ways = length < 2 ? 2 * events : events;
	for (unsigned i = 0; !trial->wrong && length < MADE_WORD && i < ways; i++) {
		struct grammar_word *next = grammar_word_copy(word, &err);
		assert_non_null(next);
		enum grammar_verdict verdict =
			take(trial, next, length, i % events, i + 1, &future);
		if (verdict == GRAMMAR_OPEN && !trial->wrong)
			future = hash_mix(future, go_on(trial, next, length + 1));
		else
			grammar_word_close(next);
	}
	if (!trial->coded->every && length && !trial->wrong) {
		struct grammar_violation violation = { 0 };
		struct grammar_word *last = grammar_word_copy(word, &err);
		enum grammar_verdict verdict = grammar_word_end(last, &violation);
		compare(trial, length, true, verdict, &violation, &future);
		grammar_word_close(last);
	}
	if (!trial->wrong)
		compare_keys(trial, word, length, future);
	grammar_word_close(word);
	return future;
}

/*
 * Returns the first error that is not about a word with two parse trees, or NULL. The caller frees
 * it.
 */
static char *unexpected_error(const struct spec_messages *messages)
{
	for (size_t i = 0; i < messages->list.count; i++) {
		const struct spec_message *message = &messages->list.items[i];
		if (message->severity == SPEC_ERROR && !strstr(message->text, "two parse trees"))
			return mem_copy_text(message->shown, strlen(message->shown));
	}
	return NULL;
}

/*
 * Tries a grammar. Returns NULL if all is right, or if the grammar is refused because it is
 * ambiguous. The caller frees the message.
 */
static char *try_coded(const struct coded *coded, unsigned *deep, unsigned *failed, unsigned *equal,
		       unsigned *tried)
{
	char *text = print_coded(coded), *message = NULL;
	struct spec_messages messages = { 0 };
	struct spec_file *file = spec_parse("t.prop", text, &messages);
	if (!file)
		fail_msg("%s%s", text, messages.list.items[0].shown);
	struct trial trial = { .coded = coded, .deep = deep, .failed = failed, .equal = equal };
	trial.grammar = grammar_open(file, file->properties, file->properties->formulas, &messages);
	struct err err;
	if (trial.grammar && !trial.grammar->has_code) {
		/* the grammar has no code, so ambiguity is no error */
		grammar_close(trial.grammar);
	} else if (trial.grammar) {
		++*tried;
		struct grammar_parser *parser =
			grammar_parser_open(trial.grammar, true, NULL, &err);
		assert_non_null(parser);
		struct grammar_word *word = grammar_word_open(parser, &err);
		assert_non_null(word);
		go_on(&trial, word, 0);
		uint64_t seed = 1;
		for (unsigned i = 0; i < 50 && !trial.wrong; i++)
			go_straight(&trial, parser, &seed);
		grammar_parser_close(parser);
		grammar_close(trial.grammar);
		if (trial.wrong)
			message = mem_copy_text(trial.message, strlen(trial.message));
	} else {
		message = unexpected_error(&messages);
	}
	for (size_t i = 0; i < trial.futures.count; i++)
		free(trial.futures.items[i].key);
	vec_free(&trial.futures);
	spec_free(file);
	spec_messages_free(&messages);
	free(text);
	return message;
}

/* ---- smaller, and random --------------------------------------------------------------------- */

static bool is_wrong(const struct coded *coded)
{
	unsigned unused = 0;
	char *message = made_is_productive(&coded->made)
				? try_coded(coded, &unused, &unused, &unused, &unused)
				: NULL;
	bool wrong = message != NULL;
	free(message);
	return wrong;
}

static bool shrink_once(struct coded *coded)
{
	for (unsigned i = 0; i < coded->made.rule_count; i++) {
		struct coded less = *coded;
		unsigned behind = less.made.rule_count - i - 1u;
		memmove(&less.made.rules[i], &less.made.rules[i + 1],
			behind * sizeof *less.made.rules);
		memmove(&less.enters[i], &less.enters[i + 1], behind);
		memmove(less.gives[i], less.gives[i + 1], behind * sizeof *less.gives);
		memmove(less.takes[i], less.takes[i + 1], behind * sizeof *less.takes);
		less.made.rule_count--;
		if (is_wrong(&less)) {
			*coded = less;
			return true;
		}
		for (unsigned j = 0; j < 2 * MADE_SYMBOLS + 1; j++) {
			less = *coded;
			bool *flag = j == 0		 ? &less.enters[i]
				     : j <= MADE_SYMBOLS ? &less.gives[i][j - 1]
							 : &less.takes[i][j - 1 - MADE_SYMBOLS];
			if (!*flag)
				continue;
			*flag = false;
			if (is_wrong(&less)) {
				*coded = less;
				return true;
			}
		}
	}
	return false;
}

struct counts {
	unsigned tried, deep, failed, equal;
};

static void check(struct coded coded, struct counts *counts)
{
	char *message =
		try_coded(&coded, &counts->deep, &counts->failed, &counts->equal, &counts->tried);
	if (!message)
		return;
	free(message);
	while (shrink_once(&coded))
		continue;
	message = try_coded(&coded, &counts->deep, &counts->failed, &counts->equal, &counts->tried);
	fail_msg("%s%s", print_coded(&coded), message);
}

static void tell(const struct counts *counts)
{
	print_message("%u grammars, %u deep prefixes, %u failed assertions, %u equal keys\n",
		      counts->tried, counts->deep, counts->failed, counts->equal);
	assert_true(counts->tried && counts->deep && counts->failed && counts->equal);
}

static void random_grammars(void **unused)
{
	(void)unused;
	uint64_t seed = 11;
	struct counts counts = { 0 };
	const char *count = getenv("SOOTH_RANDOM");
	for (long i = count ? atol(count) : 200; i > 0; i--)
		check(draw_coded(&seed), &counts);
	tell(&counts);
}

/*
 * Sessions that are complete after every event, with all kinds of left recursion: states are kept
 * from one evaluation to the next.
 */
static void left_recursion(void **unused)
{
	(void)unused;
	static const char *const texts[] = {
		"A : A a | A b | ;",
		"A : A B | ; B : a | a b;",
		"A : A B | B; B : a C | b; C : b | ;",
		"A : B C; B : B a | ; C : b C | ;",
		"A : B C; B : B a | ; C : C b | ;",
		"A : A a B | ; B : b B | ;",
		"A : A a B | ; B : B b | ;",
		"A : B | C; B : B a | a; C : B b | C b;",
		"A : B | B b; B : B a | a;",
		"A : B; B : C; C : C D | ; D : a | b C a | b C; ",
		"A : C A | ; C : a | b;",
		/* right recursion that is not LL(1), and recursion after a common prefix */
		"A : a A | a b A | ;",
		"A : C A | ; C : a | a b;",
		"A : a B; B : B b | ;",
		"A : a A | b B | ; B : B a | ;",
		"A : C B; C : C a | ; B : b B | b a B | ;",
		"A : a B | ; B : A | b C; C : C a | C b | ;",
		"A : D B; D : a | ; B : B b | ;",
		"A : B D; B : B a | ; D : b A | ;",
	};
	uint64_t seed = 3;
	struct counts counts = { 0 };
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		for (unsigned j = 0; j < 8; j++) {
			struct coded coded = { .made = made_read(texts[i], 2) };
			draw_code(&coded, &seed);
			coded.every = true;
			coded.limit *= 2;
			if (coded.lists)
				coded.limit *= 3;
			check(coded, &counts);
		}
	tell(&counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_grammars),
		cmocka_unit_test(left_recursion),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

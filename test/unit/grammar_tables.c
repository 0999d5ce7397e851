// Tests the tables of grammars: sets and the LL(1) table compared with enumerated words, ambiguity
// compared with counting all trees, and names.
#include "base/intern.h"
#include "base/mem.h"
#include "grammar/grammar.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct spec_file *file;
static struct spec_messages messages;

static struct grammar *open_text(const char *text)
{
	spec_messages_free(&messages); /* of a test that failed before */
	file = spec_parse("t.prop", text, &messages);
	if (!file)
		return NULL;
	return grammar_open(file, file->properties, file->properties->formulas, &messages);
}

static void close_text(struct grammar *g)
{
	grammar_close(g);
	spec_free(file);
	spec_messages_free(&messages);
	file = NULL;
}

/* ---- random grammars ------------------------------------------------------------------------- */

#define TERMINALS 2u
#define MOST_NONTERMINALS 3u

static uint64_t seed;

static unsigned below(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

struct text {
	char at[1024];
	size_t length;
};

static void add(struct text *t, const char *more)
{
	t->length += (size_t)snprintf(t->at + t->length, sizeof t->at - t->length, "%s", more);
	assert_true(t->length < sizeof t->at);
}

static void add_alternative(struct text *t, unsigned nonterminals, bool code)
{
	static const char *const terminals[] = { "a ", "b " };
	static const char *const others[] = { "S ", "T ", "U " };

	for (unsigned length = below(4); length; length--)
		add(t, below(2) ? terminals[below(TERMINALS)] : others[below(nonterminals)]);
	if (code)
		add(t, "{ x = 1 } ");
}

static void random_grammar(struct text *t, bool code)
{
	static const char *const names[] = { "S : ", "T : ", "U : " };
	unsigned nonterminals = 1 + below(MOST_NONTERMINALS);

	t->length = 0;
	add(t, "property P { event a = call f(); event b = call g(); grammar { ");
	for (unsigned i = 0; i < nonterminals; i++) {
		add(t, names[i]);
		for (unsigned more = below(3);; more--) {
			add_alternative(t, nonterminals, code && !i);
			if (!more)
				break;
			add(t, "| ");
		}
		add(t, "; ");
	}
	add(t, "} }");
}

/* ---- words, the obvious way ------------------------------------------------------------------ */

/*
 * All words of at most LENGTH letters a, b and #, where # stands for one nonterminal that is
 * examined. A word is a number in base 3 with a leading 1. The words of a rule are concatenations
 * of the words of its symbols. So the least sets that are closed under this rule contain all words
 * up to LENGTH, and no others.
 */
#define LENGTH 7u
/* 3 to the power of LENGTH, times 3: the leading 1 may have a 2 after it */
#define NUMBERS (3u * 2187u)
#define MARK 2u

struct words {
	bool has[MOST_NONTERMINALS][NUMBERS];
	uint32_t list[MOST_NONTERMINALS][NUMBERS];
	uint32_t count[MOST_NONTERMINALS];
};

static bool put_word(struct words *w, uint32_t nonterminal, uint32_t word)
{
	if (w->has[nonterminal][word])
		return false;
	w->has[nonterminal][word] = true;
	w->list[nonterminal][w->count[nonterminal]++] = word;
	return true;
}

static unsigned letters(uint32_t word)
{
	unsigned count = 0;

	for (; word > 2; word /= 3)
		count++;
	return count;
}

static uint32_t append(uint32_t word, uint32_t more)
{
	uint32_t power = 1;

	for (unsigned i = letters(more); i; i--)
		power *= 3;
	return word * power + (more - power);
}

static bool has_mark(uint32_t word)
{
	for (; word > 2; word /= 3)
		if (word % 3 == MARK)
			return true;
	return false;
}

static bool extend(struct words *w, const struct grammar *g, const struct grammar_rule *rule,
		   uint32_t step, uint32_t word)
{
	bool grew = false;

	if (step == rule->step_count)
		return put_word(w, rule->left - g->terminal_count, word);
	const struct grammar_step *s = &rule->steps[step];
	if (s->symbol == GRAMMAR_NONE)
		return extend(w, g, rule, step + 1, word);
	if (s->kind == GRAMMAR_TERMINAL)
		return letters(word) < LENGTH &&
		       extend(w, g, rule, step + 1, append(word, 3 + s->symbol));
	uint32_t n = s->symbol - g->terminal_count;
	for (uint32_t i = 0; i < w->count[n]; i++) {
		uint32_t more = w->list[n][i];

		if (letters(word) + letters(more) <= LENGTH && !(has_mark(word) && has_mark(more)))
			grew |= extend(w, g, rule, step + 1, append(word, more));
	}
	return grew;
}

/* Computes all words. `marked` is the nonterminal that # stands for, or GRAMMAR_NONE. */
static struct words *all_words(const struct grammar *g, uint32_t marked)
{
	struct words *w = mem_zalloc(1, sizeof *w);
	bool grew = true;

	if (marked != GRAMMAR_NONE)
		put_word(w, marked - g->terminal_count, 3 + MARK);
	while (grew) {
		grew = false;
		for (size_t r = 0; r < g->rules.count; r++)
			grew |= extend(w, g, &g->rules.items[r], 0, 1);
	}
	return w;
}

static bool has(const uint64_t *set, uint32_t member)
{
	return set[member / 64] >> member % 64 & 1;
}

/*
 * Does each nonterminal have a word of at most one letter? Then words of LENGTH letters are long
 * enough to show all sets.
 */
static bool is_short(const struct grammar *g)
{
	struct words *w = all_words(g, GRAMMAR_NONE);
	bool all = true;

	for (uint32_t n = 0; n < g->symbol_count - g->terminal_count; n++)
		all &= w->has[n][1] || w->has[n][3] || w->has[n][4];
	free(w);
	return all;
}

/*
 * Sets `shown` for each terminal, and for the end of the word, that follows the mark in some word.
 */
static void shown_follows(const struct grammar *g, uint32_t symbol, bool *shown)
{
	struct words *w = all_words(g, symbol);

	for (uint32_t i = 0; i < w->count[0]; i++) {
		uint32_t behind = TERMINALS;

		for (uint32_t word = w->list[0][i]; word > 2; word /= 3) {
			if (word % 3 == MARK)
				shown[behind] = true;
			behind = word % 3;
		}
	}
	free(w);
}

static void check_starts(const struct grammar *g)
{
	struct words *w = all_words(g, GRAMMAR_NONE);

	for (uint32_t n = 0; n < g->symbol_count - g->terminal_count; n++) {
		bool shown[3] = { false };

		for (uint32_t i = 0; i < w->count[n]; i++) {
			uint32_t word = w->list[n][i];

			for (; word > 8; word /= 3)
				;
			if (word > 2)
				shown[word % 3] = true;
		}
		assert_int_equal(g->nullable[g->terminal_count + n], w->has[n][1]);
		for (uint32_t t = 0; t < TERMINALS; t++)
			assert_int_equal(has(g->starts[g->terminal_count + n], t), shown[t]);
	}
	free(w);
}

/*
 * Compares FOLLOW with the words. Returns the number of members that no word shows, because words
 * are short.
 */
static unsigned check_follows(const struct grammar *g)
{
	unsigned unseen = 0;

	for (uint32_t n = g->terminal_count; n < g->symbol_count; n++) {
		bool shown[TERMINALS + 1] = { false };

		shown_follows(g, n, shown);
		for (uint32_t t = 0; t <= TERMINALS; t++) {
			bool claimed = has(g->follows[n - g->terminal_count], t);

			assert_true(claimed || !shown[t]);
			unseen += claimed && !shown[t];
		}
	}
	return unseen;
}

/*
 * Is the terminal in FIRST of the alternative, or in FOLLOW of its left side if the alternative may
 * be empty?
 */
static bool predicts(const struct grammar *g, const struct grammar_rule *rule, uint32_t terminal)
{
	for (uint32_t k = 0; k < rule->step_count; k++) {
		uint32_t symbol = rule->steps[k].symbol;

		if (symbol == GRAMMAR_NONE)
			continue;
		if (terminal < TERMINALS && has(g->starts[symbol], terminal))
			return true;
		if (!g->nullable[symbol])
			return false;
	}
	return has(g->follows[rule->left - g->terminal_count], terminal);
}

static void check_table(const struct grammar *g)
{
	bool conflict = false;

	for (uint32_t n = 0; n < g->symbol_count - g->terminal_count; n++)
		for (uint32_t t = 0; t <= TERMINALS; t++) {
			uint32_t entry = g->table[n * (TERMINALS + 1) + t], fitting = 0;

			for (uint32_t r = g->first_rule[n]; r < g->first_rule[n + 1]; r++)
				fitting += predicts(g, &g->rules.items[r], t);
			assert_int_equal(entry != GRAMMAR_NONE, fitting > 0);
			if (fitting)
				assert_true(predicts(g, &g->rules.items[entry], t) &&
					    g->rules.items[entry].left == g->terminal_count + n);
			/* a conflict at a place that no word can reach does not matter */
			conflict |= fitting > 1 && has(g->follows[n], TERMINALS);
			conflict |= fitting > 1 && (has(g->follows[n], 0) || has(g->follows[n], 1));
		}
	assert_int_equal(g->is_ll1, !conflict);
	assert_int_equal(g->conflict != NULL, conflict);
}

static void sets_are_those_of_words(void **state)
{
	unsigned tried = 0, ll1 = 0, unseen = 0;
	struct text text;

	(void)state;
	for (seed = 1; tried < 400;) {
		random_grammar(&text, false);
		struct grammar *g = open_text(text.at);
		if (g && is_short(g)) {
			check_starts(g);
			unseen += check_follows(g);
			check_table(g);
			ll1 += g->is_ll1;
			tried++;
		}
		close_text(g);
	}
	assert_true(ll1 > 20 && ll1 < 380);
	assert_true(unseen < 8);
}

/* ---- trees, the obvious way ------------------------------------------------------------------ */

#define SPAN 16u /* maximum length of a word */

struct counts {
	uint8_t of[MOST_NONTERMINALS][SPAN + 1]
		  /* number of trees of a nonterminal for a part of the word: 0, 1, or 2 for more */
		  [SPAN + 1];
};

static unsigned ways(const struct grammar *g, const struct counts *known,
		     const struct grammar_rule *rule, uint32_t step, const char *word,
		     unsigned from, unsigned to)
{
	unsigned sum = 0;

	if (step == rule->step_count)
		return from == to;
	const struct grammar_step *s = &rule->steps[step];
	if (s->symbol == GRAMMAR_NONE)
		return ways(g, known, rule, step + 1, word, from, to);
	if (s->kind == GRAMMAR_TERMINAL)
		return from < to && word[from] == g->names[s->symbol][0]
			       ? ways(g, known, rule, step + 1, word, from + 1, to)
			       : 0;
	for (unsigned middle = from; middle <= to && sum < 2; middle++) {
		unsigned one = known->of[s->symbol - g->terminal_count][from][middle];

		if (one)
			sum += one * ways(g, known, rule, step + 1, word, middle, to);
	}
	return sum > 2 ? 2 : sum;
}

/*
 * Counts trees: first those of height 1, then those of height 2, and so on, until no number
 * changes.
 */
static unsigned count_trees(const struct grammar *g, const char *word)
{
	unsigned length = (unsigned)strlen(word);
	struct counts known = { 0 }, next;
	bool grew = true;

	assert_true(length <= SPAN);
	while (grew) {
		memset(&next, 0, sizeof next);
		for (uint32_t r = 0; r < g->rules.count; r++)
			for (unsigned from = 0; from <= length; from++)
				for (unsigned to = from; to <= length; to++) {
					const struct grammar_rule *rule = &g->rules.items[r];
					uint8_t *sum =
						&next.of[rule->left - g->terminal_count][from][to];
					unsigned more = ways(g, &known, rule, 0, word, from, to);

					*sum = (uint8_t)(*sum + more > 2 ? 2 : *sum + more);
				}
		grew = memcmp(&known, &next, sizeof next) != 0;
		known = next;
	}
	return known.of[0][0][length];
}

static bool has_ambiguous_word(const struct grammar *g, char *word, unsigned length, unsigned most)
{
	word[length] = 0;
	if (count_trees(g, word) > 1)
		return true;
	for (char c = 'a'; c <= 'b' && length < most; c++) {
		word[length] = c;
		if (has_ambiguous_word(g, word, length + 1, most))
			return true;
	}
	return false;
}

static bool is_reachable(const struct grammar *g)
{
	for (uint32_t n = 0; n < g->symbol_count - g->terminal_count; n++)
		if (!g->follows[n][0])
			return false;
	return true;
}

static void without_blanks(char *text)
{
	char *out = text;

	for (; *text; text++)
		if (*text != ' ')
			*out++ = *text;
	*out = 0;
}

static void ambiguity_is_that_of_trees(void **state)
{
	unsigned found = 0, clear = 0;
	struct text text;

	(void)state;
	for (seed = 7; found + clear < 600;) {
		char word[SPAN + 1], *trees[2], *shown;

		random_grammar(&text, false);
		struct grammar *g = open_text(text.at);
		if (g && is_reachable(g)) {
			shown = grammar_find_ambiguity(g, trees);
			if (shown) {
				without_blanks(shown);
				assert_true(strlen(shown) <= SPAN);
				if (count_trees(g, shown) < 2)
					fail_msg("'%s' has one tree in %s", shown, text.at);
				assert_string_not_equal(trees[0], trees[1]);
				free(trees[0]);
				free(trees[1]);
				found++;
			} else {
				if (has_ambiguous_word(g, word, 0, 5))
					fail_msg("'%s' has two trees in %s", word, text.at);
				clear++;
			}
			assert_false(shown && g->is_ll1);
			free(shown);
		}
		close_text(g);
	}
	assert_true(found > 100 && clear > 100);
}

/* Two trees are an error only if the grammar has code. */
static void only_code_needs_one_tree(void **state)
{
	struct text text;
	unsigned refused = 0;

	(void)state;
	for (seed = 3; refused < 50;) {
		uint64_t before = seed;
		char *trees[2], *shown = NULL;

		random_grammar(&text, false);
		struct grammar *g = open_text(text.at);
		bool wordless = !g;
		if (g && (shown = grammar_find_ambiguity(g, trees))) {
			free(trees[0]);
			free(trees[1]);
		}
		close_text(g);
		seed = before;
		random_grammar(&text, true);
		g = open_text(text.at);
		assert_int_equal(g == NULL, wordless || shown);
		refused += shown != NULL;
		free(shown);
		close_text(g);
	}
}

/*
 * With two letters in each production there are very many words: the search must still end, and
 * soon.
 */
static void the_search_ends(void **state)
{
	struct text t = { .length = 0 };
	char *trees[2], piece[64];

	(void)state;
	add(&t, "property P { event a = call f(); event b = call g(); grammar { ");
	for (unsigned i = 0; i < 12; i++) {
		snprintf(piece, sizeof piece, "N%u : a N%u b N%u | b N%u N%u | a ; ", i,
			 (i * 5 + 1) % 12, (i * 7 + 3) % 12, (i + 1) % 12, (i * 3 + 2) % 12);
		add(&t, piece);
	}
	add(&t, "} }");
	struct grammar *g = open_text(t.at);
	assert_non_null(g);
	char *word = grammar_find_ambiguity(g, trees);
	if (word) {
		free(trees[0]);
		free(trees[1]);
	}
	free(word);
	close_text(g);
	/* a word of 2^40 letters */
	t.length = 0;
	add(&t, "property P { event a = call f(); grammar { S : N0 { x = 1 } | N0 b; b : ; ");
	for (unsigned i = 0; i < 40; i++) {
		snprintf(piece, sizeof piece, i < 39 ? "N%u : N%u N%u ; " : "N%u : a ; ", i, i + 1,
			 i + 1);
		add(&t, piece);
	}
	add(&t, "} }");
	g = open_text(t.at);
	close_text(g);
}

/* ---- names ----------------------------------------------------------------------------------- */

#define HEAD                                                                                       \
	"property P(struct o *o) { view object o; event get = call f(o, n); event put = call "     \
	"g(o, n) reset; event end_ = call h(o);\n"

static void assert_told(const char *text, const char *expected)
{
	struct grammar *g = open_text(text);
	char *told = NULL;
	size_t size;
	FILE *out = open_memstream(&told, &size);
	bool errors = false;

	for (size_t i = 0; i < messages.list.count; i++) {
		const struct spec_message *m = &messages.list.items[i];

		errors |= m->severity == SPEC_ERROR;
		fprintf(out, "%u:%u:%u %s%s\n", m->place.line, m->place.column, m->place.length,
			m->severity == SPEC_NOTE ? "note: " : "", m->text);
	}
	fclose(out);
	if (strcmp(told, expected) != 0)
		fail_msg("%s\ntold:\n%sexpected:\n%s", text, told, expected);
	assert_int_equal(g == NULL, errors);
	free(told);
	close_text(g);
}

static void names_are_those_of_the_alternative(void **state)
{
	(void)state;
	assert_told(HEAD "grammar { S : get put end_ { S.x = get.n + put.n + end_.tid } ; } }", "");
	assert_told(HEAD "grammar { S : get get put { x = get.n } | end_ ; } }",
		    "2:33:3 'get' is ambiguous: it appears more than once in this "
		    "alternative; give each one a label, as in first=get\n");
	assert_told(HEAD "grammar { S : one=get get put { x = get.n - one.n } | end_ ; } }", "");
	assert_told(HEAD "grammar { S : { x = get.n } get put | end_ ; } }",
		    "2:21:3 'get' has not happened yet: an event's attributes can only be "
		    "used after the event\n");
	assert_told(HEAD "grammar { S : get assert(get.n > 0 &&\n put.n == 1) put | end_ ; } }",
		    "3:2:3 'put' has not happened yet: an event's attributes can only be "
		    "used after the event\n");
	assert_told(HEAD "grammar { S : get { x = put.n } | put | end_ ; } }",
		    "2:25:3 the event 'put' is not in this alternative; the attributes of "
		    "the previous session are in 'session'\n");
	assert_told(HEAD "grammar { S : get { x = T.n } | put T ; T : end_ ; } }",
		    "2:25:1 the production 'T' is not in this alternative; the attributes "
		    "of the previous session are in 'session'\n");
	assert_told(HEAD "grammar { S : get { x = get.calle } put | end_ ; } }",
		    "2:29:5 'get' has no attribute 'calle'; did you mean 'callee'?\n");
	assert_told(HEAD "grammar { S : get assert(get.tid == 1 && get.zzzzzzz) put | end_ ; } }",
		    "2:46:7 'get' has no attribute 'zzzzzzz'; it has o, n, tid, callee, caller\n");
	assert_told(HEAD "grammar { S : get { S = 1; get, x = 1, 2 } put | end_ ; } }",
		    "2:21:1 'S' is a symbol and cannot be assigned; assign to an "
		    "attribute, as in S.x = ...\n"
		    "2:28:3 'get' is a symbol and cannot be assigned; assign to an "
		    "attribute, as in get.x = ...\n");
	assert_told(HEAD "grammar { S : a1=S get { S.n = a1.n } | put | end_ { x = 1 } ; } }", "");
	/* a name of the library keeps its meaning if no symbol of the alternative has this name */
	assert_told("property P { event count = call f(); event b = call g(); "
		    "grammar (m = {}) { S : b { m[b.tid] = 1; x = count(m) } | count ; } }",
		    "");
}

static void locals_hide_symbols(void **state)
{
	(void)state;
	assert_told(HEAD "grammar { S : get get { local get = 3; x = get.foo; get = 4 } put | "
			 "end_ ; } }",
		    "");
	assert_told(HEAD "grammar { S : get { for put, v in pairs({}) do x = put end\n"
			 "local function f(end_) return end_ end } put | end_ ; } }",
		    "");
}

static void sessions_are_only_read(void **state)
{
	(void)state;
	assert_told(HEAD "grammar { S : get { x = session.n } put | end_ ; } }", "");
	assert_told(HEAD "grammar { S : get { session.n = 1 } put | end_ { session = 2 } ; } }",
		    "2:21:7 'session' holds the attributes of the previous session and is "
		    "read-only\n"
		    "2:50:7 'session' holds the attributes of the previous session and is "
		    "read-only\n");
	assert_told(HEAD "grammar { S : session=get put | end=end_ put; } }",
		    "2:15:7 'session' is reserved for the attributes of the previous "
		    "session; use another label\n"
		    "2:33:3 'end' is a Lua keyword, so code cannot refer to it; use "
		    "another label\n");
	assert_told(HEAD "grammar { S : S=get put { x = S.n } | end_ ; } }",
		    "2:15:1 'S' is the name of the production itself; use another label\n");
	assert_told(
		"property P { event f = call f(session) reset(session == 1); grammar { S : f ; } }",
		"1:46:7 'session' is ambiguous: it means the previous session, and 'f' "
		"binds the same name; bind another name\n");
	assert_told("property P { event session = call f(); grammar { S : session ; } }",
		    "1:20:7 an event of a grammar cannot be named 'session': the name is "
		    "reserved for the attributes of the previous session\n");
}

static void what_is_outside_sees_the_whole_session(void **state)
{
	(void)state;
	assert_told(HEAD "grammar (get = 1, sum = 0) { S : get put | end_ { sum = 1 } ; }\n"
			 "on violation { report(sum, smu, put.n) } }",
		    "2:10:3 the event 'get' has no attributes here: only the attributes of "
		    "the whole session can be used\n"
		    "3:28:3 note: 'smu' is never set, so it is nil; did you mean 'sum'?\n"
		    "3:33:3 the event 'put' has no attributes here: only the attributes of "
		    "the whole session can be used\n");
	assert_told("property P { event a = call f(n) reset(m == session.n || n > 1 &&\n tdi); "
		    "grammar { S : a ; } }",
		    "1:40:1 'm' is not an attribute of 'a': a reset condition can use only "
		    "those and 'session'\n"
		    "2:2:3 'tdi' is not an attribute of 'a': a reset condition can use "
		    "only those and 'session'; did you mean 'tid'?\n");
	/* two grammars in one property: an error outside of both is reported once */
	assert_told("property P { event a = call f(n) reset(m); grammar { S : a ; } "
		    "grammar { S : a ; } }",
		    "1:40:1 'm' is not an attribute of 'a': a reset condition can use only "
		    "those and 'session'\n");
}

static void lua_is_compiled(void **state)
{
	(void)state;
	assert_told(HEAD "grammar (a = 1, b = {a, 2}, c = 3) { S : get put { x = a + #b + c } | "
			 "end_ ; } }",
		    "");
	assert_told(HEAD "grammar { S : get {\n\n\tx = 1 2\n} put | end_ ; } }",
		    "4:8:1 unexpected symbol near '2'\n");
	assert_told(HEAD "grammar { S : get { if x then } put | end_ { x = 1 } ; } }",
		    "2:21:9 'end' expected at the end\n");
	assert_told(
		HEAD "grammar { S : get assert(get.n == 1 && get->n) put | end_ ; } }",
		"2:43:1 '->': pointers cannot be used here; attributes are values captured at the "
		"event\n");
	assert_told(HEAD "grammar { S : get put | end_ ; } on violation { report( } }",
		    "2:49:7 unexpected symbol at the end\n");
}

static void productions_have_words_and_are_reached(void **state)
{
	(void)state;
	assert_told(HEAD "grammar { S : get T | put ; T : U end_ ; U : get T ; } }",
		    "2:29:1 'T' has no words: none of its alternatives ever ends\n"
		    "2:42:1 'U' has no words: none of its alternatives ever ends\n");
	assert_told(HEAD "grammar { S : get put ; T : end_ T | ; } }",
		    "2:25:1 note: 'T' is never used: it cannot be reached from 'S'\n");
	assert_told(
		"property P(int x) { view object x; event a = call f(x); event b = call g(); "
		"event c = call h(x); event d = call g(y) if (y == x); grammar { S : a b d; } }",
		"1:63:1 note: 'b' does not bind 'x', so it is in no word\n"
		"1:83:1 note: no alternative contains 'c': every occurrence of it is a "
		"violation\n");
}

static void two_trees_are_told(void **state)
{
	(void)state;
	assert_told("property P { event i = call f(); event e = call g(); event a = call h(); "
		    "grammar { S : i S | i S e S | a { x = 1 } ; } }",
		    "1:84:1 the word 'i i a e a' has two parse trees, but actions and "
		    "assertions need exactly one: S(i S(i S(a) e S(a))) and S(i S(i S(a)) "
		    "e S(a))\n");
	assert_told("property P { event a = call h(); grammar { S : a { x = 1 } T ; T : | ; } }",
		    "1:44:1 the word 'a' has two parse trees, but actions and assertions "
		    "need exactly one: S:1(a T:1()) and S:1(a T:2())\n");
	assert_told(
		"property P { event a = call h(); grammar { S : { x = 1 } T ; T : S | | S a ; } }",
		"1:44:1 the empty word has two parse trees, but actions and assertions "
		"need exactly one: S(T()) and S(T(S(T())))\n");
}

/* ---- slots ----------------------------------------------------------------------------------- */

/*
 * Checks a rule as text. "get@1-0": the slot of a symbol, and the slot that may be dropped after
 * the step. Code is shown as its parameters.
 */
static void assert_rule(const struct grammar *g, uint32_t number, const char *expected)
{
	const struct grammar_rule *rule = &g->rules.items[number];
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof text, "w");

	fprintf(out, "%s:", g->names[rule->left]);
	for (uint32_t k = 0; k < rule->step_count; k++) {
		const struct grammar_step *s = &rule->steps[k];
		const struct grammar_code *c =
			s->code == GRAMMAR_NONE ? NULL : &g->codes.items[s->code];

		fprintf(out, " %s", s->symbol == GRAMMAR_NONE ? "" : g->names[s->symbol]);
		if (s->slot != GRAMMAR_NONE)
			fprintf(out, "@%u", s->slot);
		for (uint32_t i = 0; c && i < c->slot_count; i++)
			fprintf(out, "%s%s=%u", i ? "," : "(", c->names[i], c->slots[i]);
		if (c)
			fprintf(out, "%s", c->slot_count ? ")" : "()");
		if (c && c->session) {
			assert_string_equal(c->names[c->slot_count], "session");
			putc('s', out);
		}
		if (c && c->pure)
			putc('p', out);
		for (uint32_t i = 0; c && i < c->assign_count; i++)
			fprintf(out, "!%s", c->assigns[i]);
		for (uint32_t i = 0; i < s->last_count; i++)
			fprintf(out, "-%u", s->last[i]);
	}
	fprintf(out, " /%u", rule->slot_count);
	fclose(out);
	assert_string_equal(text, expected);
}

static void slots_are_for_what_is_named(void **state)
{
	struct grammar *g = open_text(
		HEAD "grammar { S : get put { x = put.n } end_ | { T.down = 1; S.a = 2 } T\n"
		     "  { y = T.out } get { S.b = get.n } assert(get.n == session.n);\n"
		     "  T : a=end_ b=end_ { S2 = b.tid } c=T { T.out = c.out } | put\n"
		     "  | get { c.down = 1 } c=T get ; } }");

	(void)state;
	assert_non_null(g);
	assert_rule(g, 0, "S: get put@1 (put=1)p!x-1 end_ /2");
	assert_rule(g, 1, "S: (T=1,S=0) T@1 (T=1)p!y-1 get@2 (S=0,get=2)-0 (get=2)sp-2 /3");
	assert_rule(g, 2, "T: end_ end_@1 (b=1)p!S2-1 T@2 (T=0,c=2)-0-2 /3");
	assert_rule(g, 3, "T: put /1");
	assert_rule(g, 4, "T: get (c=1) T@1-1 get /2");
	assert_true(g->codes.items[3].place.line == 3 && g->codes.items[3].place.column == 22);
	assert_int_equal(g->mode, GRAMMAR_AT_RESET);
	close_text(g);
}

static void attributes_are_captured_where_named(void **state)
{
	static const char *const names[] = { "o", "n", "m", "tid", "callee", "caller" };
	struct grammar *g = open_text(
		"property P(struct o *o) { view object o until end; "
		"event a = call f(o, n, m) reset(session.x == m); event b = call g(o, n, m); "
		"event c = call h(n, m, o, callee); "
		"grammar { S : a { x = a.n } b { f = b } c { y = c['n'] } | a b assert(a.tid == "
		"b.m); } }");
	uint32_t count;

	(void)state;
	/* the two alternatives have different symbols `a`, which is no conflict of names */
	assert_non_null(g);
	for (uint32_t i = 0; i < 6; i++) {
		assert_string_equal(g->events[0].attributes[i], names[i]);
		assert_int_equal(g->events[0].used[i], i == 1 || i == 2 || i == 3);
		assert_true(g->events[1].used[i] && g->events[2].used[i]);
	}
	const char **list = grammar_attributes(g->property, 2, &count);
	assert_int_equal(count, 6);
	assert_string_equal(list[3], "callee");
	assert_string_equal(list[4], "tid");
	free(list);
	assert_int_equal(g->events[0].reset_if->slot_count, 1);
	assert_int_equal(g->events[0].reset_if->slots[0], 2);
	assert_true(g->events[0].reset_if->session && g->events[0].resets);
	assert_true(g->until_end && !g->events[1].resets);
	close_text(g);
}

/* ---- pure code ------------------------------------------------------------------------------- */

static void assert_pure(const char *lua, bool pure)
{
	struct text t = { .length = 0 };

	add(&t,
	    "property P { event a = call f(n); grammar (want = {}, held = {}) { S : a S | a { ");
	add(&t, lua);
	add(&t, " } ; } }");
	struct grammar *g = open_text(t.at);
	if (!g)
		fail_msg("%s: %s", lua, messages.list.items[0].shown);
	if (g->codes.items[0].pure != pure)
		fail_msg("%s is said to be %s", lua, pure ? "impure" : "pure");
	close_text(g);
}

static void pure_code_changes_only_what_it_assigns(void **state)
{
	static const char *const pure[] = {
		"x = 1",
		"x, y = a.n, want[1]",
		"g = graph() for t, m in pairs(want) do g:edge(t, m) end x = g:cycle()",
		"local t = {} t[1] = 2; t.x = a.n",
		"t = {} if a.n > 1 then t[a.n] = want end",
		"t = {} bump(t, a.n, 1) table.insert(t, 3)",
		"x = math.max(count(want), #held) y = tostring(x) .. type(y)",
		"for i = 1, 3 do x = i end while x do x = nil end",
	};
	static const char *const impure[] = {
		"want[1] = 2",
		"want.x.y = 3",
		"a.n = 3",
		"S.n = 3",
		"bump(want, 1, 1)",
		"table.insert(want, 1)",
		"x = want x[1] = 2",
		"local x = want x[1] = 2",
		"t = {} t.x = want t.x.y = 3",
		"if a.n then t = {} end t[1] = 2",
		"t[1] = 2 t = {}",
		"t = {} t = want t[1] = 2",
		"t, u = {}, want u[1] = 2",
		"g = want g:edge(1, 2)",
		"t = { edge = f } t:edge(want)",
		"f = function() want[1] = 2 end",
		"x = f(want)",
		"x = want.f()",
		"x = (f)(want)",
		"x = f{want}",
		"x = f'text'",
		"count = f x = count(want)",
		"report(1)",
		"function held.x() end",
	};

	(void)state;
	for (size_t i = 0; i < sizeof pure / sizeof *pure; i++)
		assert_pure(pure[i], true);
	for (size_t i = 0; i < sizeof impure / sizeof *impure; i++)
		assert_pure(impure[i], false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_are_those_of_words),
		cmocka_unit_test(ambiguity_is_that_of_trees),
		cmocka_unit_test(only_code_needs_one_tree),
		cmocka_unit_test(the_search_ends),
		cmocka_unit_test(names_are_those_of_the_alternative),
		cmocka_unit_test(locals_hide_symbols),
		cmocka_unit_test(sessions_are_only_read),
		cmocka_unit_test(what_is_outside_sees_the_whole_session),
		cmocka_unit_test(lua_is_compiled),
		cmocka_unit_test(productions_have_words_and_are_reached),
		cmocka_unit_test(two_trees_are_told),
		cmocka_unit_test(slots_are_for_what_is_named),
		cmocka_unit_test(attributes_are_captured_where_named),
		cmocka_unit_test(pure_code_changes_only_what_it_assigns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

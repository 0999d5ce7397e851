#include "grammar_try.h"
#include "grammar_tool.h"

#include "base/mem.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MOST 400
#define LONG_WORDS 4
#define LONG_WORD 14

/* A word, with its correct verdicts and the results of the engines. */
struct prefix {
	int parent, letter, depth;
	struct truth early, late, end; /* verdicts for its last event, and for its end */
	bool alive[ENGINES];	       /* the engine has no violation so far */
	char *keys[ENGINES];
	size_t key_lengths[ENGINES];
	int children[CASE_LETTERS]; /* by letter: index of the longer word; 0: none */
};

struct attempt {
	struct brute brute;
	struct tool tool;
	struct arena arena;
	struct prefix *nodes;
	int node_count, depth;
	uint64_t random;
	struct try_totals *totals;
	struct try_failure *failure;
	int at; /* length of the current word */
};

static const char *const names[ENGINES] = { "ll1", "earley" };

/* ---- one event ------------------------------------------------------------------------------- */

static void put_letter(struct attempt *a, int at, int letter)
{
	a->brute.letters[at] = letter;
	a->brute.events[at] = a->tool.c->letters[letter].event;
	a->at = at + 1;
}

static struct grammar_token make_token(const struct attempt *a, int letter)
{
	return (struct grammar_token){ a->tool.c->letters[letter].event, a->tool.values[letter] };
}

/* Feeds the event to the word of an engine, and compares the verdict. */
static bool take(struct attempt *a, int engine, struct grammar_word *word, int letter,
		 const struct truth *truth, const struct moment *after)
{
	struct grammar_token token = make_token(a, letter);
	struct grammar_violation violation = { 0 };
	enum grammar_verdict verdict = grammar_word_take(word, &token, &violation);
	bool ok = tool_compare(&a->tool, names[engine], verdict, &violation, truth, false);
	uint64_t length = (uint64_t)(a->at - after->start);

	grammar_violation_free(&violation);
	if (!ok || verdict != GRAMMAR_OPEN)
		return ok;
	if (grammar_word_length(word) != length)
		return tool_fail(&a->tool, "%s: %d events, and not %d", names[engine],
				 (int)grammar_word_length(word), (int)length);
	return tool_compare_session(&a->tool, names[engine], word, after);
}

static bool try_end(struct attempt *a, int engine, struct grammar_word *word,
		    const struct truth *truth)
{
	struct grammar_violation violation = { 0 };
	enum grammar_verdict verdict = grammar_word_end(word, &violation);
	bool ok = tool_compare(&a->tool, names[engine], verdict, &violation, truth, true);

	grammar_violation_free(&violation);
	return ok;
}

static void count_truth(struct attempt *a, const struct truth *early, const struct truth *late)
{
	a->totals->words++;
	a->totals->open += late->verdict == TRUTH_OPEN;
	a->totals->sessions += late->verdict == TRUTH_OPEN && late->resets;
	a->totals->broken += late->verdict == TRUTH_BROKEN;
	a->totals->two_trees += late->two_trees;
	if (late->verdict == TRUTH_VIOLATED)
		a->totals->violated[late->fault]++;
	a->totals->early += early->verdict != late->verdict || early->fault != late->fault;
}

/* ---- all short words ------------------------------------------------------------------------- */

struct state {
	struct moment moment;
	int before; /* the judge's reference to the previous session */
	struct grammar_word *words[ENGINES];
};

static void close_state(struct state *s)
{
	for (int e = 0; e < ENGINES; e++)
		grammar_word_close(s->words[e]);
}

static bool copy_word(struct attempt *a, int engine, const struct grammar_word *word,
		      struct grammar_word **copy)
{
	struct err err;

	*copy = grammar_word_copy(word, &err);
	return *copy ? true : tool_fail(&a->tool, "%s: no copy: %s", names[engine], err.text);
}

static bool keep_key(struct attempt *a, struct prefix *n, int engine,
		     const struct grammar_word *word)
{
	script_buffer key = { 0 };
	struct err err;

	if (grammar_word_key(word, &key, &err)) {
		n->keys[engine] = arena_copy(&a->arena, key.items, key.count);
		n->key_lengths[engine] = key.count;
		a->totals->keys++;
	} else {
		a->totals->incomparable++;
	}
	vec_free(&key);
	return true;
}

/* Feeds the event to copies of the engines' words. Words that are still open are kept in `next`. */
static bool try_engines(struct attempt *a, const struct state *from, struct prefix *n,
			struct state *next)
{
	for (int e = 0; e < ENGINES; e++) {
		const struct truth *truth = e == ENGINE_LL1 ? &n->early : &n->late;
		struct grammar_word *ending = NULL;
		bool ok;

		if (!from->words[e])
			continue;
		if (!copy_word(a, e, from->words[e], &next->words[e]) ||
		    !take(a, e, next->words[e], n->letter, truth, &next->moment))
			return false;
		if (truth->verdict != TRUTH_OPEN) {
			grammar_word_close(next->words[e]);
			next->words[e] = NULL;
			continue;
		}
		n->alive[e] = true;
		ok = keep_key(a, n, e, next->words[e]) &&
		     copy_word(a, e, next->words[e], &ending) && try_end(a, e, ending, &n->end);
		grammar_word_close(ending);
		if (!ok)
			return false;
	}
	return true;
}

/*
 * Compares the judge, which is independent of the engines. By definition, verdicts are early if the
 * grammar is LL(1).
 */
static bool try_judge(struct attempt *a, const struct state *from, struct prefix *n,
		      bool early_lives, struct state *next)
{
	const struct truth *early = a->brute.is_ll1 ? &n->early : &n->late;
	const struct brute *b = &a->brute;

	a->tool.spell.before = from->before;
	if (!tool_judge(&a->tool, b, &from->moment, a->at, early_lives ? early : NULL, &n->late,
			false))
		return false;
	next->before = from->before;
	if (n->late.verdict != TRUTH_OPEN)
		return true;
	if (n->late.resets) {
		next->before = tool_keep_root(&a->tool);
		return true;
	}
	if (!b->c->until_end)
		return true;
	early_lives &= early->verdict == TRUTH_OPEN;
	return tool_judge(&a->tool, b, &from->moment, a->at, early_lives ? &n->end : NULL, &n->end,
			  true);
}

static bool explore(struct attempt *a, int parent, const struct state *from, bool early_lives);

static bool try_letter(struct attempt *a, int parent, const struct state *from, int letter,
		       bool early_lives)
{
	int number = a->node_count++, at = a->nodes[parent].depth;
	struct prefix *n = &a->nodes[number];
	struct state next = { 0 };
	bool ok;

	*n = (struct prefix){ .parent = parent, .letter = letter, .depth = at + 1 };
	put_letter(a, at, letter);
	a->nodes[parent].children[letter] = number;
	brute_take(&a->brute, &from->moment, at, false, &n->late, &next.moment);
	n->early = n->late;
	if (a->brute.is_ll1)
		brute_take(&a->brute, &from->moment, at, true, &n->early, &next.moment);
	/* the early verdict may have ended the word, but the rest still needs the late one */
	if (n->late.verdict == TRUTH_OPEN)
		brute_take(&a->brute, &from->moment, at, false, &n->late, &next.moment);
	if (n->late.verdict == TRUTH_OPEN)
		brute_end(&a->brute, &next.moment, at + 1, &n->end);
	count_truth(a, &n->early, &n->late);
	ok = try_engines(a, from, n, &next) && try_judge(a, from, n, early_lives, &next);
	if (ok && n->late.verdict == TRUTH_OPEN)
		ok = explore(a, number, &next, early_lives && n->early.verdict == TRUTH_OPEN);
	close_state(&next);
	if (next.before != from->before)
		tool_forget_root(&a->tool, next.before);
	return ok;
}

static bool explore(struct attempt *a, int parent, const struct state *from, bool early_lives)
{
	int depth = a->nodes[parent].depth, stretch = a->tool.c->stretch;

	if (depth == a->depth)
		return true;
	for (int l = 0; l < a->tool.c->letter_count; l++) {
		if (depth % stretch && l != a->nodes[parent].letter)
			continue;
		if (!try_letter(a, parent, from, l, early_lives))
			return false;
	}
	return true;
}

/* ---- equal keys, equal futures --------------------------------------------------------------- */

static const struct truth *truth_of(const struct prefix *n, int engine)
{
	return engine == ENGINE_LL1 ? &n->early : &n->late;
}

static bool is_same_truth(const struct truth *a, const struct truth *b)
{
	return a->verdict == b->verdict && a->fault == b->fault && a->rule == b->rule &&
	       a->item == b->item && a->expected == b->expected;
}

static bool have_same_future(const struct attempt *a, int x, int y, int engine, int levels)
{
	const struct prefix *m = &a->nodes[x], *n = &a->nodes[y];

	if (m->alive[engine] && !is_same_truth(&m->end, &n->end))
		return false;
	for (int l = 0; levels && l < a->tool.c->letter_count; l++) {
		int p = m->children[l], q = n->children[l];

		if (!p || !q)
			continue;
		if (!is_same_truth(truth_of(&a->nodes[p], engine), truth_of(&a->nodes[q], engine)))
			return false;
		if (a->nodes[p].alive[engine] && !have_same_future(a, p, q, engine, levels - 1))
			return false;
	}
	return true;
}

static void set_word(struct attempt *a, int number)
{
	for (int n = number; n; n = a->nodes[n].parent)
		put_letter(a, a->nodes[n].depth - 1, a->nodes[n].letter);
	a->at = a->nodes[number].depth;
}

static bool compare_keys(struct attempt *a, int engine)
{
	for (int y = 1; y < a->node_count; y++) {
		const struct prefix *n = &a->nodes[y];

		for (int x = 1; x < y && n->keys[engine]; x++) {
			const struct prefix *m = &a->nodes[x];

			if (!m->keys[engine] || m->key_lengths[engine] != n->key_lengths[engine] ||
			    memcmp(m->keys[engine], n->keys[engine], n->key_lengths[engine]))
				continue;
			a->totals->equal_keys++;
			if (!have_same_future(a, x, y, engine, 3)) {
				set_word(a, x);
				set_word(a, y);
				return tool_fail(&a->tool,
						 "%s: the key of word %d of this length is that of "
						 "another with another future",
						 names[engine], y);
			}
			break;
		}
	}
	return true;
}

/* ---- long words, without copies -------------------------------------------------------------- */

/* Picks a random letter, in most cases one that continues the word. */
static int pick_letter(struct attempt *a, const struct moment *moment, int at)
{
	int count = a->tool.c->letter_count, letter = 0;

	for (int tries = 0; tries < 6; tries++) {
		struct moment next;
		struct truth truth;

		letter = (int)case_random(&a->random, (uint64_t)count);
		put_letter(a, at, letter);
		brute_take(&a->brute, moment, at, false, &truth, &next);
		if (truth.verdict == TRUTH_OPEN)
			break;
	}
	return letter;
}

/*
 * Compares the judge on a long word, session by session, as the checker uses it. `lives`: the early
 * verdict is compared, too.
 */
static bool judge_long_word(struct attempt *a, const struct moment *moment, int at, bool *lives)
{
	struct truth early, late;
	struct moment next;

	brute_take(&a->brute, moment, at, a->brute.is_ll1, &early, &next);
	brute_take(&a->brute, moment, at, false, &late, &next);
	if (!tool_judge(&a->tool, &a->brute, moment, a->at, *lives ? &early : NULL, &late, false))
		return false;
	*lives &= early.verdict == TRUTH_OPEN;
	if (late.verdict == TRUTH_OPEN && late.resets)
		grammar_check_next_session(&a->tool.spell);
	return true;
}

static bool try_long_word(struct attempt *a)
{
	struct grammar_word *words[ENGINES] = { 0 };
	struct moment moment = { 0, table_make(&a->arena) }, next;
	int length = 1 + (int)case_random(&a->random, LONG_WORD);
	bool ok = true, lives = true;
	struct err err;

	tool_start_word(&a->tool);
	for (int e = 0; e < ENGINES; e++) {
		if (a->tool.parsers[e])
			words[e] = grammar_word_open(a->tool.parsers[e], &err);
	}
	for (int at = 0; at < length && ok && words[ENGINE_EARLEY]; at++) {
		int letter = pick_letter(a, &moment, at);

		for (int e = ENGINES; e-- && ok;) {
			struct truth truth;
			struct moment after;

			if (!words[e])
				continue;
			put_letter(a, at, letter);
			brute_take(&a->brute, &moment, at, e == ENGINE_LL1, &truth, &after);
			ok = take(a, e, words[e], letter, &truth, &after);
			if (e == ENGINE_EARLEY)
				next = after;
			if (truth.verdict == TRUTH_OPEN)
				continue;
			grammar_word_close(words[e]);
			words[e] = NULL;
		}
		ok = ok && judge_long_word(a, &moment, at, &lives);
		moment = next;
	}
	for (int e = 0; e < ENGINES; e++) {
		struct truth truth;

		if (ok && words[e]) {
			brute_end(&a->brute, &moment, a->at, &truth);
			ok = try_end(a, e, words[e], &truth);
		}
		grammar_word_close(words[e]);
	}
	return ok;
}

/* ------------------------------------------------------------------------------------------------ */

static int choose_depth(const struct grammar_case *c)
{
	int depth = 0, nodes = 1, level = 1;

	if (c->stretch > 1)
		return c->stretch * (c->letter_count > 1 ? 3 : 3);
	for (; depth < 8; depth++) {
		level *= c->letter_count;
		nodes += level;
		if (nodes > NODES_MOST)
			break;
	}
	return depth;
}

/* Does the head fail in the first session? */
static bool heads_fail(struct attempt *a, const struct moment *moment)
{
	struct scope scope = { .c = a->tool.c, .arena = &a->arena, .before = moment->before };

	return !scope_begin(&scope);
}

static bool open_words(struct attempt *a, struct state *state, bool *fails)
{
	struct err err;

	*fails = heads_fail(a, &state->moment);
	for (int e = 0; e < ENGINES; e++) {
		if (!a->tool.parsers[e])
			continue;
		state->words[e] = grammar_word_open(a->tool.parsers[e], &err);
		if (!state->words[e] != *fails)
			return tool_fail(&a->tool, "%s: the head: %s", names[e],
					 *fails ? "does not fail" : err.text);
	}
	return true;
}

static bool try_words(struct attempt *a)
{
	struct state state = { .moment = { 0, table_make(&a->arena) },
			       .before = a->tool.spell.before };
	bool fails, ok = open_words(a, &state, &fails);

	a->nodes = mem_zalloc(NODES_MOST + 8, sizeof *a->nodes);
	a->node_count = 1;
	ok = ok && (fails || explore(a, 0, &state, true));
	close_state(&state);
	for (int e = 0; ok && e < ENGINES; e++)
		ok = compare_keys(a, e);
	for (int i = 0; ok && !fails && a->tool.c->stretch == 1 && i < LONG_WORDS; i++)
		ok = try_long_word(a);
	return ok;
}

static void count_case(struct attempt *a)
{
	a->totals->grammars++;
	a->totals->with_code += a->brute.has_code;
	a->totals->ll1 += a->brute.is_ll1;
	a->totals->refused_wordless += a->brute.has_wordless;
	a->totals->refused_ambiguous += !a->brute.has_wordless && !a->tool.grammar;
	a->totals->only_earley += a->tool.grammar && a->brute.has_code && !a->brute.is_ll1;
}

bool try_case(const struct grammar_case *c, int depth, uint64_t random, struct try_totals *totals,
	      struct try_failure *failure)
{
	struct attempt *a = mem_zalloc(1, sizeof *a);
	bool ok;

	a->totals = totals;
	a->random = random | 1;
	a->depth = depth ? depth : choose_depth(c);
	brute_open(&a->brute, c, &a->arena);
	ok = tool_open(&a->tool, &a->brute);
	if (ok)
		count_case(a);
	if (ok && !a->brute.has_wordless)
		ok = try_words(a);
	if (!ok) {
		memcpy(failure->said, a->tool.said, sizeof failure->said);
		memcpy(failure->word, a->brute.letters, sizeof failure->word);
		failure->length = a->at;
	}
	totals->walks += a->brute.walks;
	totals->codes += a->brute.codes;
	tool_close(&a->tool);
	arena_free(&a->arena);
	free(a->nodes);
	free(a);
	return ok;
}

#include "grammar_tool.h"

#include "base/mem.h"

#include <ctype.h>
#include <lua5.4/lauxlib.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool tool_fail(struct tool *t, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(t->said, sizeof t->said, format, arguments);
	va_end(arguments);
	return false;
}

/* ---- opening --------------------------------------------------------------------------------- */

/*
 * bytes of a word that messages show; read_word() reads the word of "the word 'a b' has two trees",
 * and returns -1 if there is none
 */
#define SHOWN_MOST 200

static int read_word(const struct tool *t, const char *message, uint8_t *events, bool *cut)
{
	const char *word = strstr(message, "the word '"), *end;
	int count = 0;

	if (strstr(message, "the empty word"))
		return 0;
	if (!word || !(end = strchr(word + 10, '\'')))
		return -1;
	if (end - word - 10 >= SHOWN_MOST) {
		*cut = true;
		return 0;
	}
	for (word += 10; word < end; word++) {
		if (*word == ' ')
			continue;
		if (*word - 'a' >= t->c->event_count || !isalpha((unsigned char)*word) ||
		    count == CASE_WORD)
			return -1;
		events[count++] = (uint8_t)(*word - 'a');
	}
	return count;
}

/*
 * Checks that a grammar is refused only if it must be. If it is refused as ambiguous, the word in
 * the message must have two trees.
 */
static bool is_rightly_refused(struct tool *t, struct brute *b,
			       const struct spec_messages *messages)
{
	uint8_t events[CASE_WORD];

	for (size_t i = 0; i < messages->list.count; i++) {
		const struct spec_message *m = &messages->list.items[i];
		bool cut = false;
		int count;

		if (m->severity != SPEC_ERROR)
			continue;
		if (b->has_wordless && strstr(m->text, "has no words"))
			continue;
		if (!strstr(m->text, "two parse trees"))
			return tool_fail(t, "refused: %s", m->shown);
		count = read_word(t, m->text, events, &cut);
		if (cut)
			continue;
		if (count < 0 || brute_count(b, events, count) < 2 || !b->has_code)
			return tool_fail(t, "this word has one tree: %s", m->text);
	}
	return true;
}

static void fill_value(const struct letter *l, const char *name, struct script_value *value)
{
	int number = !strcmp(name, "x")	    ? l->x
		     : !strcmp(name, "y")   ? l->y
		     : !strcmp(name, "tid") ? l->tid
		     : !strcmp(name, "o")   ? l->o
					    : -1;

	*value = (struct script_value){ .type = SCRIPT_NIL };
	if (!strcmp(name, "callee")) {
		value->type = SCRIPT_TEXT;
		value->text = case_texts[l->callee];
		value->length = (uint32_t)strlen(value->text);
	} else if (number >= 0) {
		value->type = SCRIPT_INTEGER;
		value->integer = number;
	}
}

static void fill_values(struct tool *t)
{
	for (int i = 0; i < t->c->letter_count; i++) {
		uint32_t count;
		const char **names =
			grammar_attributes(t->file->properties, t->c->letters[i].event, &count);

		for (uint32_t k = 0; k < count; k++)
			fill_value(&t->c->letters[i], names[k], &t->values[i][k]);
		free(names);
	}
}

static bool open_grammar(struct tool *t, struct brute *b)
{
	struct spec_property *property = t->file->properties;
	struct spec_messages messages = { 0 };
	struct err err;
	bool ok = true;

	t->grammar = grammar_open(t->file, property, property->formulas, &messages);
	if (!t->grammar)
		ok = is_rightly_refused(t, b, &messages);
	else if (b->has_wordless)
		ok = tool_fail(t, "not refused, and there is a production without words");
	else if (t->grammar->is_ll1 != b->is_ll1)
		ok = tool_fail(t, "LL(1): %d, and not %d", t->grammar->is_ll1, b->is_ll1);
	spec_messages_free(&messages);
	for (int e = 0; ok && t->grammar && e < ENGINES; e++) {
		if (e == ENGINE_LL1 && !b->is_ll1)
			continue;
		t->parsers[e] = grammar_parser_open(t->grammar, e == ENGINE_EARLEY, NULL, &err);
		if (!t->parsers[e])
			ok = tool_fail(t, "no parser: %s", err.text);
	}
	return ok;
}

bool tool_open(struct tool *t, struct brute *b)
{
	struct spec_messages messages = { 0 };
	struct err err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	*t = (struct tool){ .c = b->c };
	case_print(b->c, out, t->lines);
	fclose(out);
	t->file = spec_parse("case.prop", text, &messages);
	if (!t->file)
		tool_fail(t, "not parsed: %s", messages.list.items[0].shown);
	spec_messages_free(&messages);
	free(text);
	if (!t->file || !open_grammar(t, b))
		return false;
	fill_values(t);
	if (b->has_wordless)
		return true;
	t->has_spell = true;
	if (!grammar_check_open(&t->spell, t->file, t->file->properties,
				t->file->properties->formulas, &err))
		return tool_fail(t, "the judge does not open it: %s", err.text);
	return true;
}

void tool_close(struct tool *t)
{
	for (int e = 0; e < ENGINES; e++)
		grammar_parser_close(t->parsers[e]);
	grammar_close(t->grammar);
	if (t->has_spell)
		grammar_check_close(&t->spell);
	spec_free(t->file);
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *const verdicts[] = { "open", "violated", "broken" };
static const char *const faults[] = { "no continuation", "incomplete", "assertion" };

static void name_expected(const struct grammar_case *c, unsigned set, char *text)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	bool any = false;

	*text = 0;
	for (int e = 0; e <= c->event_count; e++) {
		if (!(set >> e & 1))
			continue;
		if (any)
			strcat(text, set >> (e + 1) ? ", " : " or ");
		strcat(text, e < c->event_count ? names[e] : "the end");
		any = true;
	}
}

static bool compare_fault(struct tool *t, const char *who, const struct grammar_violation *v,
			  const struct truth *truth)
{
	char expected[64];
	int line;

	if (v->fault != truth->fault)
		return tool_fail(t, "%s: %s, and not %s", who, faults[v->fault],
				 faults[truth->fault]);
	if (v->fault == GRAMMAR_ASSERTION) {
		line = t->lines[truth->rule][truth->item];
		if (!v->assertion || (int)v->assertion->place.line != line || !v->values)
			return tool_fail(t, "%s: another assertion, line %d and not %d", who,
					 v->assertion ? (int)v->assertion->place.line : 0, line);
		if (t->c->reports &&
		    (v->reports.count != 1 || strcmp(v->reports.items[0], truth->report)))
			return tool_fail(t, "%s: reports %s, and not %s", who,
					 v->reports.count ? v->reports.items[0] : "nothing",
					 truth->report);
		return true;
	}
	name_expected(t->c, truth->expected, expected);
	if (!v->expected || strcmp(v->expected, expected))
		return tool_fail(t, "%s: expected %s, and not %s", who,
				 v->expected ? v->expected : "nothing", expected);
	return true;
}

static bool compare_broken(struct tool *t, const char *who, const char *why,
			   const struct truth *truth)
{
	char place[64];

	if (truth->two_trees)
		return strstr(why, "two parse trees") ? true
						      : tool_fail(t, "%s: broken for %s", who, why);
	if (truth->rule < 0)
		return true;
	snprintf(place, sizeof place, "case.prop:%d", t->lines[truth->rule][truth->item]);
	if (!strncmp(why, place, strlen(place)))
		return true;
	return tool_fail(t, "%s: %s, and not %s", who, why, place);
}

bool tool_compare(struct tool *t, const char *who, enum grammar_verdict verdict,
		  const struct grammar_violation *violation, const struct truth *truth, bool at_end)
{
	if ((int)verdict != truth->verdict)
		return tool_fail(t, "%s: %s%s, and not %s%s%s%s", who, verdicts[verdict],
				 at_end ? " at the end" : "", verdicts[truth->verdict],
				 truth->verdict == TRUTH_VIOLATED ? ": " : "",
				 truth->verdict == TRUTH_VIOLATED ? faults[truth->fault] : "",
				 truth->two_trees ? ": two trees" : "");
	if (verdict == GRAMMAR_VIOLATED)
		return compare_fault(t, who, violation, truth);
	if (verdict == GRAMMAR_BROKEN)
		return compare_broken(t, who, violation->why, truth);
	return true;
}

bool tool_compare_session(struct tool *t, const char *who, const struct grammar_word *word,
			  const struct moment *moment)
{
	char *expected = NULL, *found = grammar_word_session(word);
	size_t size;
	FILE *out = open_memstream(&expected, &size);
	bool ok;

	value_show((struct value){ .kind = VALUE_TABLE, .table = (struct table *)moment->before },
		   false, out);
	fclose(out);
	ok = !strcmp(expected, found);
	if (!ok)
		tool_fail(t, "%s: session is %s, and not %s", who, found, expected);
	free(found);
	free(expected);
	return ok;
}

/* ---- the judge ------------------------------------------------------------------------------- */

static bool compare_judged(struct tool *t, const char *who, struct grammar_check_result result,
			   int count, const struct truth *truth, const struct err *err)
{
	static const char *const names[] = { "good", "wrong", "unsure", "broken" };
	static const enum grammar_check_verdict wanted[] = { GRAMMAR_CHECK_GOOD,
							     GRAMMAR_CHECK_WRONG,
							     GRAMMAR_CHECK_BROKEN };

	if (result.verdict != wanted[truth->verdict])
		return tool_fail(t, "%s: %s%s%s, and not %s%s", who, names[result.verdict],
				 result.verdict == GRAMMAR_CHECK_BROKEN ? ": " : "",
				 result.verdict == GRAMMAR_CHECK_BROKEN ? err->text : "",
				 names[wanted[truth->verdict]],
				 truth->two_trees ? ": two trees" : "");
	if (result.verdict == GRAMMAR_CHECK_WRONG && (int)result.at + 1 != count)
		return tool_fail(t, "%s: wrong at %zu of %d", who, result.at, count);
	return true;
}

void tool_start_word(struct tool *t)
{
	lua_State *lua = script_lua(t->spell.script);

	lua_newtable(lua);
	t->spell.before = luaL_ref(lua, LUA_REGISTRYINDEX);
}

/*
 * Takes the attributes that the judged session leaves for the next one. The caller keeps the
 * reference.
 */
int tool_keep_root(struct tool *t)
{
	int root = t->spell.root;

	t->spell.root = LUA_NOREF;
	return root;
}

void tool_forget_root(struct tool *t, int root)
{
	luaL_unref(script_lua(t->spell.script), LUA_REGISTRYINDEX, root);
}

static bool asks_always(const struct grammar_case *c)
{
	for (int e = 0; e < c->event_count; e++) {
		if (c->reset[e])
			return false;
	}
	return !c->until_end;
}

static bool compare_reset(struct tool *t, const struct grammar_check_token *token,
			  const struct truth *truth)
{
	struct err err = { 0 };
	bool resets, ok = grammar_check_resets(&t->spell, token, &resets, &err);

	if (truth->reset_fails)
		return ok ? tool_fail(t, "the judge's reset does not fail") : true;
	if (!truth->reset_asked)
		return true;
	if (!ok)
		return tool_fail(t, "the judge's reset: %s", err.text);
	return resets == truth->resets ? true : tool_fail(t, "the judge resets: %d", resets);
}

bool tool_judge(struct tool *t, const struct brute *b, const struct moment *moment, int count,
		const struct truth *early, const struct truth *late, bool at_end)
{
	struct grammar_check_token tokens[CASE_WORD];
	struct grammar_check *s = &t->spell;
	size_t length = (size_t)(count - moment->start);
	bool complete = at_end || late->resets || asks_always(t->c);
	struct grammar_check_result result;
	struct err err = { 0 };

	for (size_t i = 0; i < length; i++) {
		int letter = b->letters[moment->start + (int)i];

		tokens[i] = (struct grammar_check_token){ t->c->letters[letter].event,
							  t->values[letter] };
	}
	if (!at_end && !compare_reset(t, &tokens[length - 1], late))
		return false;
	if (late->reset_fails)
		return true;
	if (early) {
		result = grammar_check_judge(s, tokens, length, complete, &err);
		if (!compare_judged(t, "judge", result, (int)length, early, &err))
			return false;
	}
	if (!grammar_check_begin(s, tokens, length, &err))
		return late->verdict == TRUTH_BROKEN
			       ? true
			       : tool_fail(t, "the judge does not begin: %s", err.text);
	result = grammar_check_chart(s, complete, &err);
	return compare_judged(t, "chart", result, (int)length, late, &err);
}

/*
 * Words: divides them into sessions at resets and decides when a session must be complete.
 * Implements "When a session must be complete" in doc/grammars.md. The engines (engine.h) parse
 * single sessions.
 */
#include "grammar/engine.h"
#include "base/mem.h"

#include <assert.h>
#include <lua5.4/lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grammar_word {
	struct grammar_parser *parser;
	void *session;	 /* the engine's session; NULL after a reset: the next event starts one */
	uint64_t length; /* number of events in the session */
	/* reference to the start symbol's attributes in the previous session, or LUA_NOREF */
	int before;
	bool over; /* there was a verdict, or the word ended */
};

static struct grammar_word *new_word(struct grammar_parser *parser)
{
	struct grammar_word *word = mem_zalloc(1, sizeof *word);

	word->parser = parser;
	word->before = LUA_NOREF;
	return word;
}

/* The first session begins here, so that a failing head is reported before any event. */
struct grammar_word *grammar_word_open(struct grammar_parser *parser, struct err *err)
{
	struct grammar_word *word = new_word(parser);
	struct grammar_violation violation = { 0 };

	word->session = parser->engine->begin(parser, LUA_NOREF, &violation);
	if (!word->session) {
		err_set(err, "%s", violation.why);
		grammar_violation_free(&violation);
		grammar_word_close(word);
		return NULL;
	}
	return word;
}

static void drop_session(struct grammar_word *word)
{
	if (word->session)
		word->parser->engine->end(word->parser, word->session);
	word->session = NULL;
	word->length = 0;
}

static void drop_reference(struct grammar_parser *parser, int *reference)
{
	luaL_unref(script_lua(parser->script), LUA_REGISTRYINDEX, *reference);
	*reference = LUA_NOREF;
}

void grammar_word_close(struct grammar_word *word)
{
	if (!word)
		return;
	drop_session(word);
	drop_reference(word->parser, &word->before);
	free(word);
}

/* ---- describing a violation ------------------------------------------------------------------ */

/* Returns "get, release or the end", from a bit set in which bit terminal_count is the end. */
static char *format_expected(const struct grammar *grammar, const uint64_t *set)
{
	uint32_t left = 0;
	char *text = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);
	bool any = false;

	for (uint32_t t = 0; t <= grammar->terminal_count; t++)
		left += grammar_set_has(set, t);
	for (uint32_t t = 0; t <= grammar->terminal_count; t++) {
		if (!grammar_set_has(set, t))
			continue;
		left--;
		fprintf(out, "%s%s",
			!any   ? ""
			: left ? ", "
			       : " or ",
			t < grammar->terminal_count ? grammar->names[t] : "the end");
		any = true;
	}
	mem_stream_close(out);
	return text;
}

static void describe_expected(struct grammar_word *word, struct grammar_violation *violation)
{
	struct grammar_parser *parser = word->parser;
	const struct grammar *grammar = parser->grammar;
	uint64_t *set = mem_zalloc(grammar->terminal_count / 64 + 1, sizeof *set);

	parser->engine->expects(parser, word->session, set);
	violation->expected = format_expected(grammar, set);
	free(set);
}

static enum grammar_verdict finish_verdict(struct grammar_word *word, enum grammar_verdict verdict,
					   struct grammar_violation *violation)
{
	if (verdict == GRAMMAR_OPEN)
		return verdict;
	word->over = true;
	if (verdict == GRAMMAR_VIOLATED && violation->fault != GRAMMAR_ASSERTION)
		describe_expected(word, violation);
	return verdict;
}

void grammar_violation_free(struct grammar_violation *violation)
{
	free(violation->values);
	free(violation->expected);
	free(violation->why);
	vec_free_all(&violation->reports);
	*violation = (struct grammar_violation){ 0 };
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Evaluates the reset condition. Its parameters are attributes of the event, then `session`. */
static enum grammar_verdict evaluate_reset_condition(struct grammar_word *word,
						     const struct grammar_token *token,
						     bool *resets,
						     struct grammar_violation *violation)
{
	struct grammar_parser *parser = word->parser;
	const struct grammar_code *condition = parser->grammar->events[token->event].reset_if;
	lua_State *lua = script_lua(parser->script);
	int top = lua_gettop(lua);
	struct err err;

	lua_checkstack(lua, (int)condition->slot_count + LUA_MINSTACK);
	lua_rawgeti(lua, LUA_REGISTRYINDEX, parser->resets[token->event]);
	script_push_environment(parser->script);
	for (uint32_t i = 0; i < condition->slot_count; i++)
		script_push_value(parser->script, &token->values[condition->slots[i]]);
	if (condition->session && !engine_push_session(parser, word->before, violation)) {
		lua_settop(lua, top);
		return GRAMMAR_BROKEN;
	}
	if (!script_call(parser->script, lua_gettop(lua) - top - 1, 1, &err))
		return engine_break(violation, err.text);
	*resets = lua_toboolean(lua, -1);
	lua_pop(lua, 1);
	return GRAMMAR_OPEN;
}

static enum grammar_verdict end_session(struct grammar_word *word,
					struct grammar_violation *violation)
{
	struct grammar_parser *parser = word->parser;
	int attributes = LUA_NOREF;
	enum grammar_verdict verdict = parser->engine->finish(parser, word->session, word->before,
							      false, &attributes, violation);

	if (verdict != GRAMMAR_OPEN)
		return verdict;
	drop_session(word);
	drop_reference(parser, &word->before);
	word->before = attributes;
	return GRAMMAR_OPEN;
}

static enum grammar_verdict take_event(struct grammar_word *word, const struct grammar_token *token,
				       struct grammar_violation *violation)
{
	struct grammar_parser *parser = word->parser;
	const struct grammar_event *event = &parser->grammar->events[token->event];
	enum grammar_verdict verdict;
	bool resets = event->resets;

	if (!word->session) {
		word->session = parser->engine->begin(parser, word->before, violation);
		if (!word->session)
			return GRAMMAR_BROKEN;
	}
	word->length++;
	verdict = parser->engine->take(parser, word->session, word->before, token, violation);
	if (verdict != GRAMMAR_OPEN)
		return verdict;
	if (parser->grammar->mode == GRAMMAR_EVERY_EVENT)
		return parser->engine->finish(parser, word->session, word->before, true, NULL,
					      violation);
	if (resets && event->reset_if)
		verdict = evaluate_reset_condition(word, token, &resets, violation);
	if (verdict != GRAMMAR_OPEN || !resets)
		return verdict;
	return end_session(word, violation);
}

enum grammar_verdict grammar_word_take(struct grammar_word *word, const struct grammar_token *token,
				       struct grammar_violation *violation)
{
	assert(!word->over);
	assert(token->event < word->parser->grammar->terminal_count);
	return finish_verdict(word, take_event(word, token, violation), violation);
}

/* A session without events is never judged. */
enum grammar_verdict grammar_word_end(struct grammar_word *word,
				      struct grammar_violation *violation)
{
	enum grammar_verdict verdict = GRAMMAR_OPEN;

	assert(!word->over);
	if (word->length && word->parser->grammar->until_end)
		verdict = finish_verdict(word, end_session(word, violation), violation);
	word->over = true;
	return verdict;
}

/* ---- copies and keys ------------------------------------------------------------------------- */

/*
 * Both words refer to the same table `before`. That is safe, because code only gets copies of it
 * (engine_push_session()).
 */
struct grammar_word *grammar_word_copy(const struct grammar_word *word, struct err *err)
{
	struct grammar_parser *parser = word->parser;
	lua_State *lua = script_lua(parser->script);
	struct grammar_word *copy = new_word(parser);

	copy->length = word->length;
	copy->over = word->over;
	if (word->before != LUA_NOREF) {
		lua_rawgeti(lua, LUA_REGISTRYINDEX, word->before);
		copy->before = luaL_ref(lua, LUA_REGISTRYINDEX);
	}
	if (word->session) {
		copy->session = parser->engine->copy(parser, word->session, err);
		if (!copy->session) {
			grammar_word_close(copy);
			return NULL;
		}
	}
	return copy;
}

/* A session that has not begun has the same key as a session without events. */
bool grammar_word_key(const struct grammar_word *word, script_buffer *key, struct err *err)
{
	struct grammar_parser *parser = word->parser;
	lua_State *lua = script_lua(parser->script);
	bool done = true;

	*vec_push(key) = word->length ? 'o' : 'n';
	if (parser->uses_session) {
		*vec_push(key) = word->before == LUA_NOREF ? '-' : '+';
		if (word->before != LUA_NOREF) {
			lua_rawgeti(lua, LUA_REGISTRYINDEX, word->before);
			done = script_key(parser->script, key, err);
			lua_pop(lua, 1);
		}
	}
	if (done && word->length)
		done = parser->engine->key(parser, word->session, key, err);
	return done;
}

uint64_t grammar_word_length(const struct grammar_word *word)
{
	return word->length;
}

char *grammar_word_session(const struct grammar_word *word)
{
	struct grammar_parser *parser = word->parser;
	lua_State *lua = script_lua(parser->script);
	char *text;

	if (word->before == LUA_NOREF)
		lua_newtable(lua);
	else
		lua_rawgeti(lua, LUA_REGISTRYINDEX, word->before);
	text = script_show(parser->script, -1);
	lua_pop(lua, 1);
	return text;
}

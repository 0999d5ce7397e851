/*
 * The engine for LL(1) grammars: a pushdown automaton that walks the parse tree as the events
 * arrive (Lewis and Stearns, "Syntax-directed transduction", 1968; L-attributed evaluation). Work
 * per event is amortised constant: each stack entry is pushed and popped once. The stack has an
 * entry for each open nonterminal; right recursion does not make it deeper.
 *
 * The engine decides whether a token has a continuation before it runs any code. If it followed the
 * LL(1) table alone, it would first run the code of rules that derive the empty word, and only then
 * find that the token does not fit after them.
 */
#include "grammar/ll1.h"
#include "base/mem.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>
#include <string.h>

static bool ll1_open(struct grammar_parser *parser, struct err *err)
{
	struct ll1 *ll1 = mem_zalloc(1, sizeof *ll1);

	(void)err;
	ll1_compile(ll1, parser->grammar);
	parser->shared = ll1;
	return true;
}

static void ll1_close(struct grammar_parser *parser)
{
	ll1_free(parser->shared);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static bool push_session_table(struct grammar_parser *parser, int before,
			       struct grammar_violation *violation)
{
	struct ll1 *ll1 = parser->shared;
	lua_State *lua = script_lua(parser->script);

	lua_createtable(lua, 8, 0);
	if (!engine_push_attributes(parser, before, violation)) {
		lua_pop(lua, 1);
		return false;
	}
	lua_rawseti(lua, -2, LL1_ENVIRONMENT);
	if (!ll1->uses_session)
		return true;
	if (!engine_push_session(parser, before, violation)) {
		lua_pop(lua, 1);
		return false;
	}
	lua_rawseti(lua, -2, LL1_SESSION);
	return true;
}

static void *ll1_begin_session(struct grammar_parser *parser, int before,
			       struct grammar_violation *violation)
{
	struct ll1 *ll1 = parser->shared;
	struct ll1_session *session;
	int root = LUA_NOREF;

	if (ll1->has_lua) {
		if (!push_session_table(parser, before, violation))
			return NULL;
		root = luaL_ref(script_lua(parser->script), LUA_REGISTRYINDEX);
	}
	session = mem_zalloc(1, sizeof *session);
	session->root = root;
	*vec_push(&session->stack) = (struct ll1_entry){ 0, LL1_FRAMES, LL1_ALL };
	return session;
}

static void ll1_end_session(struct grammar_parser *parser, void *of)
{
	struct ll1_session *session = of;

	luaL_unref(script_lua(parser->script), LUA_REGISTRYINDEX, session->root);
	vec_free(&session->stack);
	free(session);
}

static void *ll1_copy_session(struct grammar_parser *parser, const void *of, struct err *err)
{
	const struct ll1_session *session = of;
	lua_State *lua = script_lua(parser->script);
	struct ll1_session *made;
	int root = LUA_NOREF, top = lua_gettop(lua);

	if (session->root != LUA_NOREF) {
		lua_rawgeti(lua, LUA_REGISTRYINDEX, session->root);
		if (!script_copy(parser->script, err)) {
			lua_settop(lua, top);
			return NULL;
		}
		root = luaL_ref(lua, LUA_REGISTRYINDEX);
	}
	made = mem_zalloc(1, sizeof *made);
	made->root = root;
	made->room = session->room;
	vec_copy(&made->stack, &session->stack);
	return made;
}

/*
 * Of the stack, the key contains only the position of each entry: the positions determine the
 * frames' indices and `below`.
 */
static bool ll1_session_key(struct grammar_parser *parser, const void *of, script_buffer *text,
			    struct err *err)
{
	const struct ll1_session *session = of;
	lua_State *lua = script_lua(parser->script);
	char *to = vec_reserve(text, (session->stack.count + 1) * sizeof(uint32_t));
	uint32_t count = (uint32_t)session->stack.count;
	bool done;

	memcpy(to, &count, sizeof count);
	for (uint32_t i = 0; i < count; i++)
		memcpy(to += sizeof count, &session->stack.items[i].pc, sizeof count);
	text->count += (count + 1) * sizeof count;
	if (session->root == LUA_NOREF)
		return true;
	lua_rawgeti(lua, LUA_REGISTRYINDEX, session->root);
	done = script_key(parser->script, text, err);
	lua_pop(lua, 1);
	return done;
}

/* ---- possible next events -------------------------------------------------------------------- */

static const struct ll1_op *next_op_of_entry(const struct ll1 *ll1,
					     const struct ll1_session *session, size_t entry)
{
	return &ll1->ops[session->stack.items[entry].pc + (entry + 1 < session->stack.count)];
}

/*
 * Takes amortised constant time: the event pops the entries that are passed here, or the word is
 * over.
 */
static bool accepts_terminal(const struct ll1 *ll1, const struct ll1_session *session,
			     uint32_t terminal)
{
	for (size_t i = session->stack.count; i-- > 0;) {
		const struct ll1_op *op = next_op_of_entry(ll1, session, i);

		if (grammar_set_has(op->starts, terminal))
			return true;
		if (!(op->rest & LL1_NULLABLE))
			return false;
	}
	return false;
}

static void ll1_expected_events(struct grammar_parser *parser, const void *of, uint64_t *terminals)
{
	const struct ll1_session *session = of;
	uint32_t count = parser->grammar->terminal_count;

	for (size_t i = session->stack.count; i-- > 0;) {
		const struct ll1_op *op = next_op_of_entry(parser->shared, session, i);

		for (size_t w = 0; w <= count / 64; w++)
			terminals[w] |= op->starts[w];
		if (!(op->rest & LL1_NULLABLE))
			return;
	}
	grammar_set_add(terminals, count);
}

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * Moves the session to a new table after a deep recursion: a Lua table does not shrink by itself,
 * and copying it costs its full size. This is rare, because it is done only when the depth has
 * fallen to a quarter.
 */
static void shrink_session_table(struct ll1_walk *walk)
{
	struct ll1 *ll1 = walk->parser->shared;
	struct ll1_session *session = walk->session;
	const struct ll1_entry *top = &session->stack.items[session->stack.count - 1];
	uint32_t used = top->base + ll1->ops[top->pc].frame;
	lua_State *lua = script_lua(walk->parser->script);

	if (session->room < 1024 || used > session->room / 4)
		return;
	lua_createtable(lua, (int)used, 0);
	for (uint32_t i = 1; i < used; i++) {
		lua_rawgeti(lua, walk->root, i);
		lua_rawseti(lua, -2, i);
	}
	lua_pushvalue(lua, -1);
	lua_rawseti(lua, LUA_REGISTRYINDEX, session->root);
	lua_replace(lua, walk->root);
	session->room = used;
}

static struct ll1_walk start_walk(struct grammar_parser *parser, struct ll1_session *session,
				  struct grammar_violation *violation)
{
	struct ll1_walk walk = { parser, session, 0, violation };
	lua_State *lua = script_lua(parser->script);

	if (session->root != LUA_NOREF) {
		lua_rawgeti(lua, LUA_REGISTRYINDEX, session->root);
		walk.root = lua_gettop(lua);
	}
	return walk;
}

/*
 * Runs `on violation` if the walk ended in a violation, then pops everything that the walk has on
 * Lua's stack.
 */
static enum grammar_verdict stop_walk(struct ll1_walk *walk, int before,
				      enum grammar_verdict verdict)
{
	struct grammar_parser *parser = walk->parser;
	lua_State *lua = script_lua(parser->script);

	if (verdict == GRAMMAR_VIOLATED && parser->grammar->on_violation) {
		struct grammar_violation broken = { 0 };

		if (walk->root)
			lua_rawgeti(lua, walk->root, LL1_ENVIRONMENT);
		if (walk->root || engine_push_attributes(parser, before, &broken))
			engine_report(parser, before, walk->violation);
		grammar_violation_free(&broken);
	}
	if (walk->root)
		lua_settop(lua, walk->root - 1);
	return verdict;
}

static enum grammar_verdict ll1_take_event(struct grammar_parser *parser, void *of, int before,
					   const struct grammar_token *token,
					   struct grammar_violation *violation)
{
	struct ll1_session *session = of;
	struct ll1_walk walk = start_walk(parser, session, violation);
	enum grammar_verdict verdict;

	if (!accepts_terminal(parser->shared, session, token->event)) {
		violation->fault = GRAMMAR_NO_CONTINUATION;
		return stop_walk(&walk, before, GRAMMAR_VIOLATED);
	}
	verdict = ll1_walk_token(&walk, token);
	if (walk.root)
		shrink_session_table(&walk);
	return stop_walk(&walk, before, verdict);
}

/* ---- ends of sessions ------------------------------------------------------------------------ */

/* Tries the end of the session on a copy that is thrown away. */
static enum grammar_verdict try_end_on_copy(struct grammar_parser *parser,
					    const struct ll1_session *session, int before,
					    struct grammar_violation *violation)
{
	enum grammar_verdict verdict;
	struct ll1_session *second;
	struct ll1_walk walk;
	struct err err;

	second = ll1_copy_session(parser, session, &err);
	if (!second)
		return engine_break(violation, err.text);
	walk = start_walk(parser, second, violation);
	verdict = stop_walk(&walk, before, ll1_walk_end(&walk));
	ll1_end_session(parser, second);
	return verdict;
}

static enum grammar_verdict end_session(struct grammar_parser *parser, struct ll1_session *session,
					int before, int *attributes,
					struct grammar_violation *violation)
{
	struct ll1_walk walk = start_walk(parser, session, violation);
	enum grammar_verdict verdict = ll1_walk_end(&walk);
	lua_State *lua = script_lua(parser->script);

	*attributes = LUA_NOREF;
	if (verdict == GRAMMAR_OPEN && walk.root) {
		if (lua_rawgeti(lua, walk.root, LL1_FRAMES) == LUA_TTABLE)
			*attributes = luaL_ref(lua, LUA_REGISTRYINDEX);
	}
	return stop_walk(&walk, before, verdict);
}

static enum grammar_verdict ll1_finish_session(struct grammar_parser *parser, void *of, int before,
					       bool goes_on, int *attributes,
					       struct grammar_violation *violation)
{
	struct ll1 *ll1 = parser->shared;
	struct ll1_session *session = of;
	const struct ll1_entry *top = &session->stack.items[session->stack.count - 1];
	uint32_t how = top->below & ll1->ops[top->pc].rest;
	struct ll1_walk walk;

	if (!(how & LL1_NULLABLE)) {
		violation->fault = GRAMMAR_INCOMPLETE;
		walk = start_walk(parser, session, violation);
		return stop_walk(&walk, before, GRAMMAR_VIOLATED);
	}
	if (!goes_on)
		return end_session(parser, session, before, attributes, violation);
	if (how & LL1_SILENT)
		return GRAMMAR_OPEN;
	if (!(how & LL1_PURE))
		return try_end_on_copy(parser, session, before, violation);
	walk = start_walk(parser, session, violation);
	return stop_walk(&walk, before, ll1_try_end(&walk));
}

const struct engine engine_ll1 = { ll1_open,	     ll1_close,		 ll1_begin_session,
				   ll1_take_event,   ll1_finish_session, ll1_expected_events,
				   ll1_copy_session, ll1_session_key,	 ll1_end_session };

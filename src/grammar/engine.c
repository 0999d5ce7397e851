/*
 * The Lua side of a parser, for both engines: compiles the codes, calls them, and builds the tables
 * that they get as arguments.
 */
#include "grammar/engine.h"
#include "base/mem.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening a parser ------------------------------------------------------------------------ */

static bool compile_code(struct grammar_parser *parser, const struct grammar_code *code,
			 int *reference, struct err *err)
{
	struct script_location place = { parser->grammar->file->path, code->place.line,
					 code->place.column };

	if (code->session)
		parser->uses_session = true;
	return script_compile(parser->script, code->lua, &place, code->names,
			      code->slot_count + code->session, code->condition, reference, err);
}

static bool compile_all_codes(struct grammar_parser *parser, struct err *err)
{
	const struct grammar *grammar = parser->grammar;

	for (size_t c = 0; c < grammar->codes.count; c++) {
		if (!compile_code(parser, &grammar->codes.items[c], &parser->codes[c], err))
			return false;
	}
	for (uint32_t e = 0; e < grammar->terminal_count; e++) {
		const struct grammar_code *condition = grammar->events[e].reset_if;

		parser->resets[e] = LUA_NOREF;
		if (condition && !compile_code(parser, condition, &parser->resets[e], err))
			return false;
	}
	if (grammar->attributes &&
	    !compile_code(parser, grammar->attributes, &parser->attributes, err))
		return false;
	return !grammar->on_violation ||
	       compile_code(parser, grammar->on_violation, &parser->on_violation, err);
}

struct grammar_parser *grammar_parser_open(const struct grammar *grammar, bool earley,
					   const struct script_limits *limits, struct err *err)
{
	struct grammar_parser *parser = mem_zalloc(1, sizeof *parser);

	parser->grammar = grammar;
	parser->engine = grammar->is_ll1 && !earley ? &engine_ll1 : &engine_earley;
	parser->script = script_open(limits);
	parser->codes = mem_zalloc(grammar->codes.count + 1, sizeof *parser->codes);
	parser->resets = mem_zalloc(grammar->terminal_count + 1, sizeof *parser->resets);
	parser->attributes = parser->on_violation = LUA_NOREF;
	if (!compile_all_codes(parser, err) || !parser->engine->open(parser, err)) {
		parser->engine = NULL;
		grammar_parser_close(parser);
		return NULL;
	}
	return parser;
}

void grammar_parser_close(struct grammar_parser *parser)
{
	if (!parser)
		return;
	if (parser->engine)
		parser->engine->close(parser);
	engine_forget_shown(parser);
	script_close(parser->script);
	free(parser->codes);
	free(parser->resets);
	free(parser);
}

/* ---- calling code ---------------------------------------------------------------------------- */

enum grammar_verdict engine_break(struct grammar_violation *violation, const char *why)
{
	free(violation->why);
	violation->why = mem_copy_text(why, strlen(why));
	return GRAMMAR_BROKEN;
}

/*
 * Calls an assertion with copies of its arguments. The originals stay on Lua's stack, for the
 * message about a failure.
 */
static enum grammar_verdict run_assertion(struct grammar_parser *parser, uint32_t code,
					  int arguments, struct grammar_violation *violation)
{
	lua_State *lua = script_lua(parser->script);
	int base = lua_gettop(lua) - arguments + 1;
	struct err err;
	bool holds;

	lua_rawgeti(lua, LUA_REGISTRYINDEX, parser->codes[code]);
	for (int i = 0; i < arguments; i++)
		lua_pushvalue(lua, base + i);
	if (!script_call(parser->script, arguments, 1, &err)) {
		lua_settop(lua, base - 1);
		return engine_break(violation, err.text);
	}
	holds = lua_toboolean(lua, -1);
	lua_pop(lua, 1);
	if (!holds) {
		violation->fault = GRAMMAR_ASSERTION;
		violation->assertion = &parser->grammar->codes.items[code];
		violation->values = engine_show_values(parser, code, base);
	}
	lua_settop(lua, base - 1);
	return holds ? GRAMMAR_OPEN : GRAMMAR_VIOLATED;
}

/* Calls the function with this reference; pops its `arguments` from Lua's stack. */
static bool call_reference(struct grammar_parser *parser, int reference, int arguments, int results,
			   struct err *err)
{
	lua_State *lua = script_lua(parser->script);

	lua_rawgeti(lua, LUA_REGISTRYINDEX, reference);
	lua_insert(lua, -(arguments + 1));
	return script_call(parser->script, arguments, results, err);
}

enum grammar_verdict engine_run(struct grammar_parser *parser, uint32_t code,
				struct grammar_violation *violation)
{
	const struct grammar_code *about = &parser->grammar->codes.items[code];
	int arguments = 1 + (int)about->slot_count + about->session;
	struct err err;

	lua_checkstack(script_lua(parser->script), arguments + LUA_MINSTACK);
	if (about->condition)
		return run_assertion(parser, code, arguments, violation);
	if (!call_reference(parser, parser->codes[code], arguments, 0, &err))
		return engine_break(violation, err.text);
	return GRAMMAR_OPEN;
}

/* ---- arguments of code ----------------------------------------------------------------------- */

void engine_push_token(struct grammar_parser *parser, const struct grammar_token *token)
{
	const struct grammar_event *event = &parser->grammar->events[token->event];
	lua_State *lua = script_lua(parser->script);
	int count = 0;

	/* Exactly as large as needed, because a deep recursion holds many of these tables. */
	for (uint32_t a = 0; a < event->attribute_count; a++)
		count += event->used[a] && token->values[a].type != SCRIPT_NIL;
	lua_createtable(lua, 0, count);
	for (uint32_t a = 0; a < event->attribute_count; a++) {
		if (!event->used[a] || token->values[a].type == SCRIPT_NIL)
			continue;
		script_push_value(parser->script, &token->values[a]);
		lua_setfield(lua, -2, event->attributes[a]);
	}
}

bool engine_push_session(struct grammar_parser *parser, int before,
			 struct grammar_violation *violation)
{
	lua_State *lua = script_lua(parser->script);
	int top = lua_gettop(lua);
	struct err err;

	if (before == LUA_NOREF) {
		lua_newtable(lua);
		return true;
	}
	lua_rawgeti(lua, LUA_REGISTRYINDEX, before);
	if (script_copy(parser->script, &err))
		return true;
	lua_settop(lua, top);
	engine_break(violation, err.text);
	return false;
}

bool engine_push_attributes(struct grammar_parser *parser, int before,
			    struct grammar_violation *violation)
{
	const struct grammar_code *head = parser->grammar->attributes;
	lua_State *lua = script_lua(parser->script);
	struct err err;

	script_push_environment(parser->script);
	if (!head)
		return true;
	lua_pushvalue(lua, -1);
	if (head->session && !engine_push_session(parser, before, violation)) {
		lua_pop(lua, 2);
		return false;
	}
	if (call_reference(parser, parser->attributes, 1 + head->session, 0, &err))
		return true;
	lua_pop(lua, 1);
	engine_break(violation, err.text);
	return false;
}

/* Discards the lines that code other than `on violation` has reported. */
static void drop_reports(struct grammar_parser *parser)
{
	script_reports reports = { 0 };

	script_take_reports(parser->script, &reports);
	vec_free_all(&reports);
}

/*
 * The violation stands even if `on violation` fails, for example because it uses an attribute that
 * is not set yet. Then the error message is added to the report.
 */
void engine_report(struct grammar_parser *parser, int before, struct grammar_violation *violation)
{
	const struct grammar_code *code = parser->grammar->on_violation;
	lua_State *lua = script_lua(parser->script);
	struct grammar_violation broken = { 0 };
	struct err err;

	if (!code) {
		lua_pop(lua, 1);
		return;
	}
	drop_reports(parser);
	if (code->session && !engine_push_session(parser, before, &broken)) {
		lua_pop(lua, 1);
		*vec_push(&violation->reports) = broken.why;
		return;
	}
	if (!call_reference(parser, parser->on_violation, 1 + code->session, 0, &err))
		*vec_push(&violation->reports) = mem_copy_text(err.text, strlen(err.text));
	script_take_reports(parser->script, &violation->reports);
}

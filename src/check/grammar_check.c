/*
 * Reads a grammar from its syntax tree and compiles its Lua code. Runs the code of a parse tree in
 * frames, which contain the attributes of the symbols of an alternative.
 */
#include "check/grammar_check.h"

#include "base/mem.h"
#include "script/lexeme.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading the grammar --------------------------------------------------------------------- */

static uint32_t count_named(const struct spec_alternative *a, const char *name)
{
	uint32_t count = 0;

	for (const struct spec_item *i = a->items; i; i = i->next)
		count += i->name && !strcmp(i->label ? i->label : i->name, name);
	return count;
}

/*
 * Returns the slot of a symbol. If two symbols have the same name, or a symbol has the same name as
 * the left side, the name gives access to neither.
 */
static uint32_t add_slot(struct grammar_check_choice *choice, const struct spec_alternative *a,
			 const struct spec_item *item)
{
	const char *name = item->label ? item->label : item->name;

	if (count_named(a, name) > 1 || !strcmp(choice->names.items[0], name))
		return GRAMMAR_CHECK_NONE;
	*vec_push(&choice->names) = name;
	return (uint32_t)choice->names.count - 1;
}

static bool compile_text(struct grammar_check *s, const char *text, struct spec_location place,
			 const char *const *names, size_t count, bool condition, int *code,
			 struct err *err)
{
	struct script_location at = { s->file->path, place.line, place.column };
	size_t byte;
	char *made = condition ? script_translate_condition(text, &byte, err) : NULL;
	bool ok = (!condition || made) && script_compile(s->script, made ? made : text, &at, names,
							 count, condition, code, err);

	free(made);
	return ok;
}

typedef VEC(const char *) name_list;

/*
 * Compiles a piece of Lua code. Only names that occur in its text become parameters, because Lua
 * allows at most 200 parameters, and some names are Lua keywords.
 */
static bool compile_code(struct grammar_check *s, const char *text, struct spec_location place,
			 const char *const *names, size_t count, bool condition,
			 struct grammar_check_code *code, struct err *err)
{
	name_list named = { 0 };
	bool ok;

	for (uint32_t i = 0; i < count; i++) {
		if (!strstr(text, names[i]) || script_is_keyword(names[i]))
			continue;
		*vec_push(&named) = names[i];
		*vec_push(&code->names) = i;
	}
	ok = compile_text(s, text, place, named.items, named.count, condition, &code->reference,
			  err);
	vec_free(&named);
	return ok;
}

static bool read_choice(struct grammar_check *s, uint32_t production,
			const struct spec_alternative *a, struct err *err)
{
	struct grammar_check_choice *choice = vec_push(&s->choices);

	*choice = (struct grammar_check_choice){ .production = production };
	*vec_push(&choice->names) = s->grammar->productions[production].name;
	for (const struct spec_item *item = a->items; item; item = item->next) {
		bool symbol = item->kind == SPEC_ITEM_EVENT || item->kind == SPEC_ITEM_PRODUCTION;
		uint32_t slot = symbol ? add_slot(choice, a, item) : GRAMMAR_CHECK_NONE;

		*vec_push(&choice->parts) =
			(struct grammar_check_part){ .kind = item->kind,
						     .number = item->number,
						     .slot = slot,
						     .code = { .reference = LUA_NOREF } };
	}
	*vec_push(&choice->names) = "session";
	size_t at = 0;
	for (const struct spec_item *item = a->items; item; item = item->next, at++) {
		if (item->kind == SPEC_ITEM_EVENT || item->kind == SPEC_ITEM_PRODUCTION)
			continue;
		if (!compile_code(s, item->lua, item->lua_place, choice->names.items,
				  choice->names.count, item->kind == SPEC_ITEM_ASSERT,
				  &choice->parts.items[at].code, err))
			return false;
	}
	return true;
}

static bool read_choices(struct grammar_check *s, struct err *err)
{
	s->first = mem_zalloc(s->grammar->production_count + 1, sizeof *s->first);
	for (uint32_t p = 0; p < s->grammar->production_count; p++) {
		s->first[p] = (uint32_t)s->choices.count;
		for (const struct spec_alternative *a = s->grammar->productions[p].alternatives; a;
		     a = a->next) {
			if (!read_choice(s, p, a, err))
				return false;
		}
	}
	s->first[s->grammar->production_count] = (uint32_t)s->choices.count;
	return true;
}

/*
 * Turns a head such as `want = {}, held = {}` into a chunk: a comma that is outside of brackets and
 * followed by `NAME =` ends an assignment.
 */
static char *head_chunk(const char *text)
{
	char *made = mem_copy_text(text, strlen(text));
	script_lexemes l = { 0 };

	script_read_lexemes(text, &l);
	for (size_t i = 0; i + 2 < l.count; i++) {
		if (script_is_sign(&l, i, ',') && !l.items[i].depth &&
		    l.items[i + 1].kind == SCRIPT_NAME && script_is_sign(&l, i + 2, '='))
			made[l.items[i].at] = ';';
	}
	vec_free(&l);
	return made;
}

static bool read_head(struct grammar_check *s, struct err *err)
{
	static const char *const names[] = { "session" };
	char *chunk;
	bool ok;

	if (!s->grammar->attributes)
		return true;
	chunk = head_chunk(s->grammar->attributes);
	ok = compile_text(s, chunk, s->grammar->attributes_place, names, 1, false, &s->head, err);
	free(chunk);
	return ok;
}

/* ---- attributes of events -------------------------------------------------------------------- */

static void add_if_new(name_list *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (!strcmp(names->items[i], name))
			return;
	}
	*vec_push(names) = name;
}

/* Lists the names of an event's attributes, in the order of a token's values. */
static void list_attributes(const struct grammar_check *s, uint32_t event, name_list *names)
{
	const struct spec_event *e = &s->property->events[event];

	for (uint32_t i = 0; i < s->property->parameter_count; i++)
		*vec_push(names) = s->property->parameters[i].name;
	for (uint32_t i = 0; i < e->local_count; i++)
		*vec_push(names) = e->locals[i];
	add_if_new(names, "tid");
	add_if_new(names, "callee");
	add_if_new(names, "caller");
}

static bool read_reset(struct grammar_check *s, uint32_t e, struct err *err)
{
	const struct spec_event *event = &s->property->events[e];
	name_list names = { 0 };
	bool ok;

	list_attributes(s, e, &names);
	*vec_push(&names) = "session";
	ok = compile_code(s, event->reset_if, event->reset_place, names.items, names.count, true,
			  &s->resets[e], err);
	vec_free(&names);
	return ok;
}

static bool read_resets(struct grammar_check *s, struct err *err)
{
	s->resets = mem_zalloc(s->property->event_count + 1ull, sizeof *s->resets);
	for (uint32_t e = 0; e < s->property->event_count; e++) {
		const struct spec_event *event = &s->property->events[e];

		s->resets[e].reference = LUA_NOREF;
		if (event->reset && event->reset_if && !read_reset(s, e, err))
			return false;
	}
	return true;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int new_table(struct grammar_check *s)
{
	lua_newtable(script_lua(s->script));
	return luaL_ref(script_lua(s->script), LUA_REGISTRYINDEX);
}

bool grammar_check_open(struct grammar_check *s, const struct spec_file *file,
			const struct spec_property *property, const struct spec_formula *formula,
			struct err *err)
{
	*s = (struct grammar_check){ .file = file,
				     .property = property,
				     .grammar = formula->grammar,
				     .head = LUA_NOREF,
				     .given = LUA_NOREF,
				     .environment = LUA_NOREF,
				     .root = LUA_NOREF };
	s->script = script_open(NULL);
	s->before = new_table(s);
	if (!read_choices(s, err) || !read_head(s, err) || !read_resets(s, err))
		return false;
	grammar_check_find_sets(s);
	return true;
}

void grammar_check_close(struct grammar_check *s)
{
	for (size_t i = 0; i < s->choices.count; i++) {
		for (size_t k = 0; k < s->choices.items[i].parts.count; k++)
			vec_free(&s->choices.items[i].parts.items[k].code.names);
		vec_free(&s->choices.items[i].parts);
		vec_free(&s->choices.items[i].names);
	}
	vec_free(&s->choices);
	free(s->first);
	free(s->nullable);
	free(s->useful);
	free(s->starts);
	for (uint32_t e = 0; s->resets && e < s->property->event_count; e++)
		vec_free(&s->resets[e].names);
	free(s->resets);
	script_close(s->script);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void push_reference(struct grammar_check *s, int reference)
{
	lua_rawgeti(script_lua(s->script), LUA_REGISTRYINDEX, reference);
}

static void drop_reference(struct grammar_check *s, int *reference)
{
	luaL_unref(script_lua(s->script), LUA_REGISTRYINDEX, *reference);
	*reference = LUA_NOREF;
}

int grammar_check_frame(struct grammar_check *s, const struct grammar_check_choice *choice,
			int left)
{
	lua_State *lua = script_lua(s->script);

	lua_newtable(lua);
	push_reference(s, left);
	lua_rawseti(lua, -2, 1);
	for (size_t i = 0; i < choice->parts.count; i++) {
		const struct grammar_check_part *part = &choice->parts.items[i];

		if (part->kind != SPEC_ITEM_PRODUCTION || part->slot == GRAMMAR_CHECK_NONE)
			continue;
		lua_newtable(lua);
		lua_rawseti(lua, -2, (lua_Integer)part->slot + 1);
	}
	return luaL_ref(lua, LUA_REGISTRYINDEX);
}

void grammar_check_frame_free(struct grammar_check *s, int frame)
{
	drop_reference(s, &frame);
}

int grammar_check_take_slot(struct grammar_check *s, int frame, uint32_t slot)
{
	lua_State *lua = script_lua(s->script);
	int reference;

	if (slot == GRAMMAR_CHECK_NONE)
		return new_table(s);
	push_reference(s, frame);
	lua_rawgeti(lua, -1, (lua_Integer)slot + 1);
	reference = luaL_ref(lua, LUA_REGISTRYINDEX);
	lua_pop(lua, 1);
	return reference;
}

void grammar_check_put_token(struct grammar_check *s, int frame, uint32_t slot,
			     const struct grammar_check_token *token)
{
	lua_State *lua = script_lua(s->script);
	name_list names = { 0 };

	if (slot == GRAMMAR_CHECK_NONE)
		return;
	list_attributes(s, token->event, &names);
	push_reference(s, frame);
	lua_newtable(lua);
	for (size_t i = 0; i < names.count; i++) {
		script_push_value(s->script, &token->values[i]);
		lua_setfield(lua, -2, names.items[i]);
	}
	lua_rawseti(lua, -2, (lua_Integer)slot + 1);
	lua_pop(lua, 1);
	vec_free(&names);
}

/* ---- running Lua ----------------------------------------------------------------------------- */

/* Pops the result of a condition. */
static bool pop_condition(struct grammar_check *s)
{
	bool held = lua_toboolean(script_lua(s->script), -1);

	lua_pop(script_lua(s->script), 1);
	return held;
}

enum grammar_check_verdict grammar_check_run(struct grammar_check *s,
					     const struct grammar_check_choice *choice,
					     const struct grammar_check_part *part, int frame,
					     struct err *err)
{
	lua_State *lua = script_lua(s->script);
	bool asserts = part->kind == SPEC_ITEM_ASSERT;
	int count = (int)part->code.names.count, session = (int)choice->names.count - 1;

	luaL_checkstack(lua, count + 8, NULL);
	push_reference(s, part->code.reference);
	push_reference(s, s->environment);
	push_reference(s, frame);
	for (int i = 0; i < count; i++) {
		int name = (int)part->code.names.items[i];

		if (name == session)
			push_reference(s, s->given);
		else
			lua_rawgeti(lua, -1 - i, name + 1);
	}
	lua_remove(lua, -1 - count);
	if (!script_call(s->script, count + 1, asserts, err))
		return GRAMMAR_CHECK_BROKEN;
	return !asserts || pop_condition(s) ? GRAMMAR_CHECK_GOOD : GRAMMAR_CHECK_WRONG;
}

/* Pushes a copy of the attributes with which the session before ended. */
static bool push_last_session(struct grammar_check *s, struct err *err)
{
	push_reference(s, s->before);
	if (script_copy(s->script, err))
		return true;
	lua_pop(script_lua(s->script), 1);
	return false;
}

bool grammar_check_begin(struct grammar_check *s, const struct grammar_check_token *tokens,
			 size_t count, struct err *err)
{
	s->tokens = tokens;
	s->count = count;
	drop_reference(s, &s->environment);
	drop_reference(s, &s->root);
	drop_reference(s, &s->given);
	if (!push_last_session(s, err))
		return false;
	s->given = luaL_ref(script_lua(s->script), LUA_REGISTRYINDEX);
	s->root = new_table(s);
	script_push_environment(s->script);
	s->environment = luaL_ref(script_lua(s->script), LUA_REGISTRYINDEX);
	if (s->head == LUA_NOREF)
		return true;
	push_reference(s, s->head);
	push_reference(s, s->environment);
	return push_last_session(s, err) && script_call(s->script, 2, 0, err);
}

void grammar_check_next_session(struct grammar_check *s)
{
	drop_reference(s, &s->before);
	s->before = s->root;
	s->root = LUA_NOREF;
}

bool grammar_check_resets(struct grammar_check *s, const struct grammar_check_token *token,
			  bool *resets, struct err *err)
{
	const struct grammar_check_code *code = &s->resets[token->event];
	name_list names = { 0 };
	uint32_t session;
	int count = (int)code->names.count;

	*resets = s->property->events[token->event].reset;
	if (code->reference == LUA_NOREF)
		return true;
	list_attributes(s, token->event, &names);
	session = (uint32_t)names.count;
	vec_free(&names);
	luaL_checkstack(script_lua(s->script), count + 8, NULL);
	push_reference(s, code->reference);
	script_push_environment(s->script);
	for (int i = 0; i < count; i++) {
		if (code->names.items[i] != session)
			script_push_value(s->script, &token->values[code->names.items[i]]);
		else if (!push_last_session(s, err))
			return false;
	}
	if (!script_call(s->script, count + 1, 1, err))
		return false;
	*resets = pop_condition(s);
	return true;
}

struct grammar_check_result grammar_check_judge(struct grammar_check *s,
						const struct grammar_check_token *tokens,
						size_t count, bool complete, struct err *err)
{
	struct grammar_check_result result = { GRAMMAR_CHECK_BROKEN, 0 };

	if (!grammar_check_begin(s, tokens, count, err))
		return result;
	result = grammar_check_forced(s, complete, err);
	if (result.verdict != GRAMMAR_CHECK_UNSURE)
		return result;
	result.verdict = GRAMMAR_CHECK_BROKEN;
	return grammar_check_begin(s, tokens, count, err) ? grammar_check_chart(s, complete, err)
							  : result;
}

#include "check/spell.h"

#include "base/mem.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading the grammar ------------------------------------------------------------------------ */

static uint32_t count_named(const struct spec_alternative *a, const char *name)
{
	uint32_t count = 0;

	for (const struct spec_item *i = a->items; i; i = i->next)
		count += i->name && !strcmp(i->label ? i->label : i->name, name);
	return count;
}

/* A name that two symbols have, or that is the left side's, leads to neither. */
static uint32_t slot_for(struct spell_choice *choice, const struct spec_alternative *a,
			 const struct spec_item *item)
{
	const char *name = item->label ? item->label : item->name;

	if (count_named(a, name) > 1 || !strcmp(choice->names.items[0], name))
		return SPELL_NONE;
	*vec_push(&choice->names) = name;
	return (uint32_t)choice->names.count - 1;
}

static bool compile(struct spell *s, const char *text, struct spec_place place,
		    const char *const *names, size_t count, bool condition, int *code,
		    struct err *err)
{
	struct script_place at = { s->file->path, place.line, place.column };
	size_t byte;
	char *made = condition ? script_condition(text, &byte, err) : NULL;
	bool ok = (!condition || made) && script_compile(s->script, made ? made : text, &at, names,
							 count, condition, code, err);

	free(made);
	return ok;
}

static bool read_choice(struct spell *s, uint32_t production, const struct spec_alternative *a,
			struct err *err)
{
	struct spell_choice *choice = vec_push(&s->choices);

	*choice = (struct spell_choice){ .production = production };
	*vec_push(&choice->names) = s->grammar->productions[production].name;
	for (const struct spec_item *item = a->items; item; item = item->next) {
		bool symbol = item->kind == SPEC_ITEM_EVENT || item->kind == SPEC_ITEM_PRODUCTION;
		uint32_t slot = symbol ? slot_for(choice, a, item) : SPELL_NONE;

		*vec_push(&choice->parts) =
			(struct spell_part){ item->kind, item->number, slot, LUA_NOREF };
	}
	*vec_push(&choice->names) = "session";
	size_t at = 0;
	for (const struct spec_item *item = a->items; item; item = item->next, at++) {
		if (item->kind == SPEC_ITEM_EVENT || item->kind == SPEC_ITEM_PRODUCTION)
			continue;
		if (!compile(s, item->lua, item->lua_place, choice->names.items,
			     choice->names.count, item->kind == SPEC_ITEM_ASSERT,
			     &choice->parts.items[at].code, err))
			return false;
	}
	return true;
}

static bool read_choices(struct spell *s, struct err *err)
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

/* `want = {}, held = {}`: a comma in front of NAME = outside of brackets and texts ends an assignment. */
static char *head_chunk(const char *text)
{
	char *made = mem_copy_text(text, strlen(text)), quote = 0;
	int depth = 0;

	for (char *c = made; *c; c++) {
		if (quote) {
			if (*c == '\\' && c[1])
				c++;
			else if (*c == quote)
				quote = 0;
		} else if (*c == '"' || *c == '\'') {
			quote = *c;
		} else if (strchr("([{", *c)) {
			depth++;
		} else if (strchr(")]}", *c)) {
			depth--;
		} else if (*c == ',' && !depth) {
			const char *next = c + 1 + strspn(c + 1, " \t\r\n");
			size_t length = strspn(next, "abcdefghijklmnopqrstuvwxyz_"
						     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

			next += length;
			next += strspn(next, " \t\r\n");
			if (length && *next == '=' && next[1] != '=')
				*c = ';';
		}
	}
	return made;
}

static bool read_head(struct spell *s, struct err *err)
{
	static const char *const names[] = { "session" };
	char *chunk;
	bool ok;

	if (!s->grammar->attributes)
		return true;
	chunk = head_chunk(s->grammar->attributes);
	ok = compile(s, chunk, s->grammar->attributes_place, names, 1, false, &s->head, err);
	free(chunk);
	return ok;
}

/* ---- attributes of events ------------------------------------------------------------------------ */

typedef VEC(const char *) name_list;

static void add_new(name_list *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (!strcmp(names->items[i], name))
			return;
	}
	*vec_push(names) = name;
}

/* Their names, in the order of a token's values. */
static void list_attributes(const struct spell *s, uint32_t event, name_list *names)
{
	const struct spec_event *e = &s->property->events[event];

	for (uint32_t i = 0; i < s->property->parameter_count; i++)
		*vec_push(names) = s->property->parameters[i].name;
	for (uint32_t i = 0; i < e->local_count; i++)
		*vec_push(names) = e->locals[i];
	add_new(names, "tid");
	add_new(names, "callee");
	add_new(names, "caller");
}

static bool read_resets(struct spell *s, struct err *err)
{
	s->resets = mem_alloc((s->property->event_count + 1ull) * sizeof *s->resets);
	for (uint32_t e = 0; e < s->property->event_count; e++) {
		const struct spec_event *event = &s->property->events[e];
		name_list names = { 0 };
		bool ok = true;

		s->resets[e] = LUA_NOREF;
		if (!event->reset || !event->reset_if)
			continue;
		list_attributes(s, e, &names);
		*vec_push(&names) = "session";
		ok = compile(s, event->reset_if, event->reset_place, names.items, names.count, true,
			     &s->resets[e], err);
		vec_free(&names);
		if (!ok)
			return false;
	}
	return true;
}

/* ---- opening ----------------------------------------------------------------------------------- */

static int new_table(struct spell *s)
{
	lua_newtable(script_lua(s->script));
	return luaL_ref(script_lua(s->script), LUA_REGISTRYINDEX);
}

bool spell_open(struct spell *s, const struct spec_file *file, const struct spec_property *property,
		const struct spec_formula *formula, struct err *err)
{
	*s = (struct spell){ .file = file,
			     .property = property,
			     .grammar = formula->grammar,
			     .head = LUA_NOREF,
			     .environment = LUA_NOREF,
			     .root = LUA_NOREF };
	s->script = script_open(NULL);
	s->before = new_table(s);
	if (!read_choices(s, err) || !read_head(s, err) || !read_resets(s, err))
		return false;
	spell_find_sets(s);
	return true;
}

void spell_close(struct spell *s)
{
	for (size_t i = 0; i < s->choices.count; i++) {
		vec_free(&s->choices.items[i].parts);
		vec_free(&s->choices.items[i].names);
	}
	vec_free(&s->choices);
	free(s->first);
	free(s->nullable);
	free(s->useful);
	free(s->starts);
	free(s->resets);
	script_close(s->script);
}

/* ---- frames ------------------------------------------------------------------------------------ */

static void push(struct spell *s, int reference)
{
	lua_rawgeti(script_lua(s->script), LUA_REGISTRYINDEX, reference);
}

static void drop(struct spell *s, int *reference)
{
	luaL_unref(script_lua(s->script), LUA_REGISTRYINDEX, *reference);
	*reference = LUA_NOREF;
}

int spell_frame(struct spell *s, const struct spell_choice *choice, int left)
{
	lua_State *lua = script_lua(s->script);

	lua_newtable(lua);
	push(s, left);
	lua_rawseti(lua, -2, 1);
	for (size_t i = 0; i < choice->parts.count; i++) {
		const struct spell_part *part = &choice->parts.items[i];

		if (part->kind != SPEC_ITEM_PRODUCTION || part->slot == SPELL_NONE)
			continue;
		lua_newtable(lua);
		lua_rawseti(lua, -2, (lua_Integer)part->slot + 1);
	}
	return luaL_ref(lua, LUA_REGISTRYINDEX);
}

void spell_frame_free(struct spell *s, int frame)
{
	drop(s, &frame);
}

int spell_take_slot(struct spell *s, int frame, uint32_t slot)
{
	lua_State *lua = script_lua(s->script);
	int reference;

	if (slot == SPELL_NONE)
		return new_table(s);
	push(s, frame);
	lua_rawgeti(lua, -1, (lua_Integer)slot + 1);
	reference = luaL_ref(lua, LUA_REGISTRYINDEX);
	lua_pop(lua, 1);
	return reference;
}

void spell_put_token(struct spell *s, int frame, uint32_t slot, const struct spell_token *token)
{
	lua_State *lua = script_lua(s->script);
	name_list names = { 0 };

	if (slot == SPELL_NONE)
		return;
	list_attributes(s, token->event, &names);
	push(s, frame);
	lua_newtable(lua);
	for (size_t i = 0; i < names.count; i++) {
		script_push_value(s->script, &token->values[i]);
		lua_setfield(lua, -2, names.items[i]);
	}
	lua_rawseti(lua, -2, (lua_Integer)slot + 1);
	lua_pop(lua, 1);
	vec_free(&names);
}

/* ---- running Lua ------------------------------------------------------------------------------- */

/* The result of a condition, taken off the stack. */
static bool is_true(struct spell *s)
{
	bool held = lua_toboolean(script_lua(s->script), -1);

	lua_pop(script_lua(s->script), 1);
	return held;
}

enum spell_verdict spell_run(struct spell *s, const struct spell_choice *choice,
			     const struct spell_part *part, int frame, struct err *err)
{
	lua_State *lua = script_lua(s->script);
	bool asserts = part->kind == SPEC_ITEM_ASSERT;
	int slots = (int)choice->names.count - 1;

	luaL_checkstack(lua, slots + 8, NULL);
	push(s, part->code);
	push(s, s->environment);
	push(s, frame);
	for (int i = 0; i < slots; i++)
		lua_rawgeti(lua, -1 - i, i + 1);
	lua_remove(lua, -1 - slots);
	push(s, s->before);
	if (!script_call(s->script, slots + 2, asserts, err))
		return SPELL_BROKEN;
	return !asserts || is_true(s) ? SPELL_GOOD : SPELL_WRONG;
}

bool spell_begin(struct spell *s, const struct spell_token *tokens, size_t count, struct err *err)
{
	s->tokens = tokens;
	s->count = count;
	drop(s, &s->environment);
	drop(s, &s->root);
	s->root = new_table(s);
	script_push_environment(s->script);
	s->environment = luaL_ref(script_lua(s->script), LUA_REGISTRYINDEX);
	if (s->head == LUA_NOREF)
		return true;
	push(s, s->head);
	push(s, s->environment);
	push(s, s->before);
	return script_call(s->script, 2, 0, err);
}

void spell_next_session(struct spell *s)
{
	drop(s, &s->before);
	s->before = s->root;
	s->root = LUA_NOREF;
}

bool spell_resets(struct spell *s, const struct spell_token *token, bool *resets, struct err *err)
{
	name_list names = { 0 };
	int count;

	*resets = s->property->events[token->event].reset;
	if (s->resets[token->event] == LUA_NOREF)
		return true;
	list_attributes(s, token->event, &names);
	count = (int)names.count;
	vec_free(&names);
	luaL_checkstack(script_lua(s->script), count + 8, NULL);
	push(s, s->resets[token->event]);
	script_push_environment(s->script);
	for (int i = 0; i < count; i++)
		script_push_value(s->script, &token->values[i]);
	push(s, s->before);
	if (!script_call(s->script, count + 2, 1, err))
		return false;
	*resets = is_true(s);
	return true;
}

struct spell_result spell_judge(struct spell *s, const struct spell_token *tokens, size_t count,
				bool complete, struct err *err)
{
	struct spell_result result = { SPELL_BROKEN, 0 };

	if (!spell_begin(s, tokens, count, err))
		return result;
	result = spell_forced(s, complete, err);
	if (result.verdict != SPELL_UNSURE)
		return result;
	result.verdict = SPELL_BROKEN;
	return spell_begin(s, tokens, count, err) ? spell_chart(s, complete, err) : result;
}

/*
 * A machine that carries out a list (tree_list.h): rules on a stack, each at one of its steps.
 *
 * All that Lua sees of a walk is in one table, so that it can be copied as one: the environment,
 * `session`, and the slots of the rules on the stack. A symbol's state is kept as a table of these,
 * not a copy: whoever runs code with a kept one copies it first, unless it was the last to need it. So
 * a left recursion with its actions at the end of a list goes on from event to event without a copy.
 */
#include "grammar/tree_walk.h"
#include "grammar/tree_list.h"
#include "base/mem.h"

#include <assert.h>
#include <lua5.4/lauxlib.h>

enum { AT_ENVIRONMENT = 1, AT_SESSION, AT_START }; /* in the table; the start symbol's attributes */
enum { KEPT_ENVIRONMENT = 1, KEPT_SESSION, KEPT_SYMBOL }; /* in what is kept of a symbol */

struct frame {
	uint32_t rule, step;
	uint32_t base;	   /* where its slots are in the table */
	bool empty;	   /* in an empty tree: nothing of it is listed */
	struct tree *keep; /* NULL: it is not to be kept */
};

struct walker {
	const struct tree_walk *walk;
	struct grammar_parser *parser;
	lua_State *lua;
	struct grammar_violation *violation;
	int table; /* its place on Lua's stack */
	bool kept; /* the table leads to what is kept with a symbol */
	tree_list list;
	size_t at;
	VEC(struct frame) frames;
};

/* ---- the table -------------------------------------------------------------------------------- */

static void push_slot(struct walker *walker, uint32_t place)
{
	if (lua_rawgeti(walker->lua, walker->table, place) != LUA_TNIL)
		return;
	lua_pop(walker->lua, 1);
	lua_newtable(walker->lua);
	lua_pushvalue(walker->lua, -1);
	lua_rawseti(walker->lua, walker->table, place);
}

/* Before code runs that may change what is kept. */
static enum grammar_verdict own_table(struct walker *walker)
{
	struct err err;
	if (!walker->kept)
		return GRAMMAR_OPEN;
	lua_pushvalue(walker->lua, walker->table);
	if (!script_copy(walker->parser->script, &err)) {
		lua_pop(walker->lua, 1);
		return engine_break(walker->violation, err.text);
	}
	lua_replace(walker->lua, walker->table);
	walker->kept = false;
	return GRAMMAR_OPEN;
}

static void keep_state(struct walker *walker, struct tree *symbol, uint32_t place)
{
	lua_State *lua = walker->lua;
	lua_createtable(lua, KEPT_SYMBOL, 0);
	lua_rawgeti(lua, walker->table, AT_ENVIRONMENT);
	lua_rawseti(lua, -2, KEPT_ENVIRONMENT);
	lua_rawgeti(lua, walker->table, AT_SESSION);
	lua_rawseti(lua, -2, KEPT_SESSION);
	lua_rawgeti(lua, walker->table, place);
	lua_rawseti(lua, -2, KEPT_SYMBOL);
	symbol->kept = luaL_ref(lua, LUA_REGISTRYINDEX);
	walker->kept = true;
	struct tree *below = symbol->before;
	symbol->before = NULL;
	tree_drop(lua, below);
}

/* What is kept of the symbol that the walk starts with. */
static void load_state(struct walker *walker, const struct tree_entry *entry)
{
	lua_State *lua = walker->lua;
	lua_rawgeti(lua, LUA_REGISTRYINDEX, entry->tree->kept);
	lua_rawgeti(lua, -1, KEPT_ENVIRONMENT);
	lua_rawseti(lua, walker->table, AT_ENVIRONMENT);
	lua_rawgeti(lua, -1, KEPT_SESSION);
	lua_rawseti(lua, walker->table, AT_SESSION);
	lua_pop(lua, 1);
	walker->kept = true;
}

static void load_symbol(struct walker *walker, const struct tree_entry *entry, uint32_t place)
{
	lua_State *lua = walker->lua;
	lua_rawgeti(lua, LUA_REGISTRYINDEX, entry->tree->kept);
	lua_rawgeti(lua, -1, KEPT_SYMBOL);
	lua_rawseti(lua, walker->table, place);
	lua_pop(lua, 1);
	if (walker->walk->sole && walker->walk->goes_on && entry->last_use) {
		luaL_unref(lua, LUA_REGISTRYINDEX, entry->tree->kept);
		entry->tree->kept = LUA_NOREF;
		walker->kept = false;
	}
}

/* Before what is kept of a symbol at the beginning there are only rules that are entered. */
static const struct tree_entry *find_kept(const struct walker *walker)
{
	for (size_t i = 0; i < walker->list.count; i++)
		if (walker->list.items[i].kind != ENTRY_RULE)
			return walker->list.items[i].kind == ENTRY_KEPT ? &walker->list.items[i]
									: NULL;
	return NULL;
}

static bool make_table(struct walker *walker)
{
	lua_State *lua = walker->lua;
	lua_checkstack(lua, LUA_MINSTACK);
	lua_createtable(lua, 16, 0);
	walker->table = lua_gettop(lua);
	const struct tree_entry *entry = find_kept(walker);
	if (entry) {
		load_state(walker, entry);
		return true;
	}
	if (!engine_push_attributes(walker->parser, walker->walk->before, walker->violation))
		return false;
	lua_rawseti(lua, walker->table, AT_ENVIRONMENT);
	if (walker->parser->uses_session) {
		if (!engine_push_session(walker->parser, walker->walk->before, walker->violation))
			return false;
		lua_rawseti(lua, walker->table, AT_SESSION);
	}
	return true;
}

/* ---- steps ------------------------------------------------------------------------------------ */

static uint32_t free_place(const struct walker *walker)
{
	if (!walker->frames.count)
		return AT_START + 1;
	const struct frame *last = &walker->frames.items[walker->frames.count - 1];
	return last->base + walker->parser->grammar->rules.items[last->rule].slot_count;
}

/* A rule for a symbol whose attributes are in `place`, or 0: nobody asks for them. */
static void enter(struct walker *walker, uint32_t rule, uint32_t place, bool empty,
		  struct tree *keep)
{
	struct frame frame = {
		.rule = rule,
		.base = free_place(walker),
		.empty = empty,
		.keep = keep,
	};
	if (place)
		push_slot(walker, place);
	else
		lua_pushnil(walker->lua);
	lua_rawseti(walker->lua, walker->table, frame.base);
	for (uint32_t i = 1; i < walker->parser->grammar->rules.items[rule].slot_count; i++) {
		lua_pushnil(walker->lua);
		lua_rawseti(walker->lua, walker->table, frame.base + i);
	}
	*vec_push(&walker->frames) = frame;
}

/* The next symbol is a nonterminal with code in its trees. */
static void enter_symbol(struct walker *walker, uint32_t symbol, uint32_t place, bool empty)
{
	const struct earley_tables *tables = walker->walk->tables;
	if (empty) {
		enter(walker, tables->empty_rule[symbol - tables->grammar->terminal_count], place,
		      true, NULL);
		return;
	}
	assert(walker->at < walker->list.count);
	const struct tree_entry *entry = &walker->list.items[walker->at++];
	if (entry->kind == ENTRY_KEPT)
		load_symbol(walker, entry, place ? place : free_place(walker));
	else
		enter(walker, entry->rule, place, entry->kind == ENTRY_EMPTY,
		      walker->walk->goes_on ? entry->tree : NULL);
}

/* The attributes of an event: those that are used were kept in its leaf, one after the other. */
static void put_leaf(struct walker *walker, uint32_t place)
{
	assert(walker->at < walker->list.count);
	const struct tree_entry *entry = &walker->list.items[walker->at++];
	assert(entry->kind == ENTRY_LEAF);
	const struct grammar_event *event = &walker->parser->grammar->events[entry->tree->number];
	lua_createtable(walker->lua, 0, (int)event->attribute_count);
	for (uint32_t i = 0, j = 0; i < event->attribute_count; i++) {
		if (!event->used[i])
			continue;
		const struct script_value *value = &entry->tree->values[j++];
		if (value->type == SCRIPT_NIL)
			continue;
		script_push_value(walker->parser->script, value);
		lua_setfield(walker->lua, -2, event->attributes[i]);
	}
	lua_rawseti(walker->lua, walker->table, place);
}

static enum grammar_verdict run_code(struct walker *walker, const struct frame *frame,
				     uint32_t number)
{
	const struct grammar_code *code = &walker->parser->grammar->codes.items[number];
	enum grammar_verdict verdict = own_table(walker);
	if (verdict != GRAMMAR_OPEN)
		return verdict;
	lua_checkstack(walker->lua, (int)code->slot_count + LUA_MINSTACK);
	lua_rawgeti(walker->lua, walker->table, AT_ENVIRONMENT);
	for (uint32_t i = 0; i < code->slot_count; i++)
		push_slot(walker, frame->base + code->slots[i]);
	if (code->session)
		lua_rawgeti(walker->lua, walker->table, AT_SESSION);
	return engine_run(walker->parser, number, walker->violation);
}

static enum grammar_verdict do_step(struct walker *walker, struct frame *frame)
{
	const struct grammar_rule *rule = &walker->parser->grammar->rules.items[frame->rule];
	const struct grammar_step *step = &rule->steps[frame->step++];
	uint32_t place = step->slot == GRAMMAR_NONE ? 0 : frame->base + step->slot;
	switch (step->kind) {
	case GRAMMAR_TERMINAL:
		if (place)
			put_leaf(walker, place);
		return GRAMMAR_OPEN;
	case GRAMMAR_NONTERMINAL:
		if (walker->walk->tables
			    ->has_code[step->symbol - walker->parser->grammar->terminal_count])
			enter_symbol(walker, step->symbol, place, frame->empty);
		return GRAMMAR_OPEN;
	default: return run_code(walker, frame, step->code);
	}
}

static enum grammar_verdict carry_out(struct walker *walker)
{
	const struct grammar *grammar = walker->parser->grammar;
	enum grammar_verdict verdict = GRAMMAR_OPEN;
	if (walker->walk->tables->has_code[0])
		enter_symbol(walker, grammar->terminal_count, AT_START, false);
	while (verdict == GRAMMAR_OPEN && walker->frames.count) {
		struct frame *frame = &walker->frames.items[walker->frames.count - 1];
		if (frame->step < grammar->rules.items[frame->rule].step_count) {
			verdict = do_step(walker, frame);
			continue;
		}
		if (frame->keep)
			keep_state(walker, frame->keep, frame->base);
		walker->frames.count--;
	}
	assert(verdict != GRAMMAR_OPEN || walker->at == walker->list.count);
	return verdict;
}

/* ---- a walk ----------------------------------------------------------------------------------- */

static void report(struct walker *walker)
{
	struct grammar_violation broken = { 0 }, *violation = walker->violation;
	if (!walker->parser->grammar->on_violation)
		return;
	walker->violation = &broken;
	if (own_table(walker) == GRAMMAR_OPEN) {
		lua_rawgeti(walker->lua, walker->table, AT_ENVIRONMENT);
		engine_report(walker->parser, walker->walk->before, violation);
	} else {
		*vec_push(&violation->reports) = broken.why;
	}
	walker->violation = violation;
}

enum grammar_verdict tree_walk(const struct tree_walk *walk, struct tree *root, int *attributes,
			       struct grammar_violation *violation)
{
	struct walker walker = {
		.walk = walk,
		.parser = walk->parser,
		.lua = script_lua(walk->parser->script),
		.violation = violation,
	};
	int top = lua_gettop(walker.lua);
	enum grammar_verdict verdict = GRAMMAR_BROKEN;
	char *twice = tree_list_only(walk->tables, root, &walker.list);
	if (twice) {
		free(violation->why);
		violation->why = twice;
	} else if (make_table(&walker)) {
		verdict = carry_out(&walker);
	}
	if (verdict == GRAMMAR_VIOLATED)
		report(&walker);
	if (verdict == GRAMMAR_OPEN && attributes) {
		push_slot(&walker, AT_START);
		*attributes = luaL_ref(walker.lua, LUA_REGISTRYINDEX);
	}
	lua_settop(walker.lua, top);
	vec_free(&walker.list);
	vec_free(&walker.frames);
	return verdict;
}

/*
 * Executes a list (tree_list.h). A stack holds the rules that have begun, each at one of its steps.
 *
 * All Lua values of a walk are in one table, so that they can be copied at once: the environment,
 * `session`, and the slots of the rules on the stack.
 *
 * If the session goes on, the walk keeps states from which a later walk can start: the state after
 * a left recursion, and the state in which the rest of a right recursion starts. A kept state is a
 * table that refers to the walk's values; it is not a copy. A walk that starts from a kept state
 * copies it before it runs code, with two exceptions: no later walk needs the state, or the code is
 * pure. The assignments of pure code are undone at the end of the walk. So a left recursion
 * proceeds from event to event without a copy, if the code in the rules above it is pure.
 */
#include "grammar/tree_walk.h"
#include "grammar/tree_list.h"
#include "base/mem.h"

#include <assert.h>
#include <lua5.4/lauxlib.h>

/* indices in the table of a walk; AT_START: the start symbol's attributes */
enum { AT_ENVIRONMENT = 1, AT_SESSION, AT_START };
enum { KEPT_ENVIRONMENT = 1, KEPT_SESSION, KEPT_SYMBOL }; /* indices in a kept state */

struct walk_frame {
	uint32_t rule, step;
	uint32_t base; /* index of its first slot in the table */
	bool empty;    /* part of an empty tree: its symbols have no entries in the list */
	/*
	 * the objects in which to keep the state at the end of the rule, and the state in which its
	 * last symbol starts; or NULL
	 */
	struct tree *keep, *hole;
};

struct tree_walker {
	struct grammar_parser *parser;
	const struct earley_tables *tables;
	lua_State *lua;
	struct tree_lister *lister;
	tree_list list;
	VEC(struct walk_frame) frames;

	/* The current walk: */
	const struct tree_walk *walk;
	struct grammar_violation *violation;
	size_t at;
	int table; /* index on Lua's stack */
	bool kept; /* the table refers to values of a kept state */
	/*
	 * Index on Lua's stack of a table with the names that pure code has assigned in a kept
	 * environment, each followed by its old value; 0: no table. `undo_count`: its length.
	 */
	int undo;
	uint32_t undo_count;
};

/* ---- the table ------------------------------------------------------------------------------- */

static void push_slot(struct tree_walker *walker, uint32_t place)
{
	if (lua_rawgeti(walker->lua, walker->table, place) != LUA_TNIL)
		return;
	lua_pop(walker->lua, 1);
	lua_newtable(walker->lua);
	lua_pushvalue(walker->lua, -1);
	lua_rawseti(walker->lua, walker->table, place);
}

/* Undoes the assignments in the environment at the top of Lua's stack, the last one first. */
static void restore_names(struct tree_walker *walker)
{
	lua_State *lua = walker->lua;
	for (; walker->undo_count; walker->undo_count -= 2) {
		lua_rawgeti(lua, walker->undo, walker->undo_count - 1);
		lua_rawgeti(lua, walker->undo, walker->undo_count);
		lua_rawset(lua, -3);
	}
}

/*
 * Copies the table if it refers to a kept state. Called before code that may change the kept state,
 * and before keeping a state that differs from it.
 */
static enum grammar_verdict copy_kept_state(struct tree_walker *walker)
{
	lua_State *lua = walker->lua;
	struct err err;
	if (!walker->kept)
		return GRAMMAR_OPEN;
	lua_rawgeti(lua, walker->table, AT_ENVIRONMENT);
	lua_pushvalue(lua, walker->table);
	bool copied = script_copy(walker->parser->script, &err);
	if (copied)
		lua_replace(lua, walker->table);
	else
		lua_pop(lua, 1);
	restore_names(walker);
	lua_pop(lua, 1);
	walker->kept = !copied;
	return copied ? GRAMMAR_OPEN : engine_break(walker->violation, err.text);
}

/* Records the values of the names that pure code is about to assign. */
static void save_names(struct tree_walker *walker, const struct grammar_code *code)
{
	lua_State *lua = walker->lua;
	if (!walker->undo) {
		lua_newtable(lua);
		walker->undo = lua_gettop(lua);
	}
	lua_rawgeti(lua, walker->table, AT_ENVIRONMENT);
	for (uint32_t i = 0; i < code->assign_count; i++) {
		lua_pushstring(lua, code->assigns[i]);
		lua_pushvalue(lua, -1);
		lua_rawseti(lua, walker->undo, ++walker->undo_count);
		lua_rawget(lua, -2);
		lua_rawseti(lua, walker->undo, ++walker->undo_count);
	}
	lua_pop(lua, 1);
}

/*
 * Keeps the current state in `tree`. `place` is the index of the attributes of the symbol that ends
 * or starts here; 0: no code names them.
 */
static enum grammar_verdict keep_state(struct tree_walker *walker, struct tree *tree,
				       uint32_t place)
{
	lua_State *lua = walker->lua;
	if (walker->undo_count && copy_kept_state(walker) != GRAMMAR_OPEN)
		return GRAMMAR_BROKEN;
	lua_createtable(lua, KEPT_SYMBOL, 0);
	lua_rawgeti(lua, walker->table, AT_ENVIRONMENT);
	lua_rawseti(lua, -2, KEPT_ENVIRONMENT);
	lua_rawgeti(lua, walker->table, AT_SESSION);
	lua_rawseti(lua, -2, KEPT_SESSION);
	lua_rawgeti(lua, walker->table, place);
	lua_rawseti(lua, -2, KEPT_SYMBOL);
	tree->kept = luaL_ref(lua, LUA_REGISTRYINDEX);
	walker->kept = true;
	tree_drop_below(lua, tree);
	return GRAMMAR_OPEN;
}

static void load_state(struct tree_walker *walker, const struct tree_entry *entry)
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

static void load_symbol(struct tree_walker *walker, const struct tree_entry *entry, uint32_t place)
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

/*
 * Returns the entry of the kept state with which the walk starts, or NULL. Only RULEs may come
 * before this entry.
 */
static const struct tree_entry *find_kept(const struct tree_walker *walker)
{
	size_t i = walker->at;
	while (i < walker->list.count && walker->list.items[i].kind == ENTRY_RULE)
		i++;
	const struct tree_entry *entry = &walker->list.items[i];
	return i < walker->list.count && (entry->kind == ENTRY_KEPT || entry->kind == ENTRY_HOLE)
		       ? entry
		       : NULL;
}

static bool create_walk_table(struct tree_walker *walker)
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

/* ---- steps ----------------------------------------------------------------------------------- */

static uint32_t next_free_index(const struct tree_walker *walker)
{
	if (!walker->frames.count)
		return AT_START + 1;
	const struct walk_frame *last = &walker->frames.items[walker->frames.count - 1];
	return last->base + walker->parser->grammar->rules.items[last->rule].slot_count;
}

/*
 * Enters a rule for a symbol whose attributes are at index `place`; 0: no code names them. `entry`
 * is NULL in an empty tree.
 */
static void enter_rule(struct tree_walker *walker, uint32_t rule, uint32_t place, bool empty,
		       const struct tree_entry *entry)
{
	struct walk_frame frame = {
		.rule = rule,
		.base = next_free_index(walker),
		.empty = empty,
	};
	if (entry && walker->walk->goes_on) {
		frame.keep = entry->tree;
		frame.hole = entry->hole;
	}
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

/* Enters the next symbol, which is a nonterminal with code in its trees. */
static void enter_symbol(struct tree_walker *walker, uint32_t symbol, uint32_t place, bool empty)
{
	const struct earley_tables *tables = walker->tables;
	if (empty) {
		enter_rule(walker, tables->empty_rule[symbol - tables->grammar->terminal_count],
			   place, true, NULL);
		return;
	}
	assert(walker->at < walker->list.count);
	const struct tree_entry *entry = &walker->list.items[walker->at++];
	if (entry->kind == ENTRY_KEPT)
		load_symbol(walker, entry, place ? place : next_free_index(walker));
	else
		enter_rule(walker, entry->rule, place, entry->kind == ENTRY_EMPTY, entry);
}

/*
 * Stores the attributes of an event at index `place`. Its leaf has only the values of the used
 * attributes.
 */
static void store_leaf(struct tree_walker *walker, uint32_t place)
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

static enum grammar_verdict run_code(struct tree_walker *walker, const struct walk_frame *frame,
				     uint32_t number)
{
	const struct grammar_code *code = &walker->parser->grammar->codes.items[number];
	if (walker->kept && code->pure)
		save_names(walker, code);
	else if (copy_kept_state(walker) != GRAMMAR_OPEN)
		return GRAMMAR_BROKEN;
	lua_checkstack(walker->lua, (int)code->slot_count + LUA_MINSTACK);
	lua_rawgeti(walker->lua, walker->table, AT_ENVIRONMENT);
	for (uint32_t i = 0; i < code->slot_count; i++)
		push_slot(walker, frame->base + code->slots[i]);
	if (code->session)
		lua_rawgeti(walker->lua, walker->table, AT_SESSION);
	return engine_run(walker->parser, number, walker->violation);
}

static enum grammar_verdict walk_nonterminal(struct tree_walker *walker, struct walk_frame *frame,
					     const struct grammar_step *step, uint32_t place)
{
	const struct earley_tables *tables = walker->tables;
	if (!tables->has_code[step->symbol - tables->grammar->terminal_count])
		return GRAMMAR_OPEN;
	bool is_last = frame->hole &&
		       tables->kept[tables->first_kept[frame->rule + 1] - 1] == frame->step - 1;
	if (is_last && keep_state(walker, frame->hole, place) != GRAMMAR_OPEN)
		return GRAMMAR_BROKEN;
	enter_symbol(walker, step->symbol, place, frame->empty);
	return GRAMMAR_OPEN;
}

static enum grammar_verdict walk_step(struct tree_walker *walker, struct walk_frame *frame)
{
	const struct grammar_rule *rule = &walker->parser->grammar->rules.items[frame->rule];
	const struct grammar_step *step = &rule->steps[frame->step++];
	uint32_t place = step->slot == GRAMMAR_NONE ? 0 : frame->base + step->slot;
	switch (step->kind) {
	case GRAMMAR_TERMINAL:
		if (place)
			store_leaf(walker, place);
		return GRAMMAR_OPEN;
	case GRAMMAR_NONTERMINAL: return walk_nonterminal(walker, frame, step, place);
	default: return run_code(walker, frame, step->code);
	}
}

static enum grammar_verdict walk_list(struct tree_walker *walker)
{
	const struct grammar *grammar = walker->parser->grammar;
	enum grammar_verdict verdict = GRAMMAR_OPEN;
	if (walker->at < walker->list.count && walker->list.items[walker->at].kind == ENTRY_HOLE)
		load_symbol(walker, &walker->list.items[walker->at++], AT_START);
	if (walker->tables->has_code[0])
		enter_symbol(walker, grammar->terminal_count, AT_START, false);
	while (verdict == GRAMMAR_OPEN && walker->frames.count) {
		struct walk_frame *frame = &walker->frames.items[walker->frames.count - 1];
		if (frame->step < grammar->rules.items[frame->rule].step_count) {
			verdict = walk_step(walker, frame);
			continue;
		}
		if (frame->keep)
			verdict = keep_state(walker, frame->keep, frame->base);
		walker->frames.count--;
	}
	assert(verdict != GRAMMAR_OPEN || walker->at == walker->list.count);
	return verdict;
}

/* ---- a walk ---------------------------------------------------------------------------------- */

static void run_on_violation(struct tree_walker *walker)
{
	struct grammar_violation broken = { 0 }, *violation = walker->violation;
	if (!walker->parser->grammar->on_violation)
		return;
	walker->violation = &broken;
	if (copy_kept_state(walker) == GRAMMAR_OPEN) {
		lua_rawgeti(walker->lua, walker->table, AT_ENVIRONMENT);
		engine_report(walker->parser, walker->walk->before, violation);
	} else {
		*vec_push(&violation->reports) = broken.why;
	}
	walker->violation = violation;
}

struct tree_walker *tree_walker_open(struct grammar_parser *parser,
				     const struct earley_tables *tables)
{
	struct tree_walker *walker = mem_zalloc(1, sizeof *walker);
	walker->parser = parser;
	walker->tables = tables;
	walker->lua = script_lua(parser->script);
	walker->lister = tree_lister_open(tables);
	return walker;
}

void tree_walker_close(struct tree_walker *walker)
{
	tree_lister_close(walker->lister);
	vec_free(&walker->list);
	vec_free(&walker->frames);
	free(walker);
}

enum grammar_verdict tree_walk(struct tree_walker *walker, const struct tree_walk *walk,
			       struct tree *root, int *attributes,
			       struct grammar_violation *violation)
{
	int top = lua_gettop(walker->lua);
	walker->walk = walk;
	walker->violation = violation;
	walker->frames.count = 0;
	walker->kept = false;
	walker->undo = 0;
	enum grammar_verdict verdict = GRAMMAR_BROKEN;
	char *twice = tree_list_only(walker->lister, root, &walker->list, &walker->at);
	if (twice) {
		free(violation->why);
		violation->why = twice;
		return verdict;
	}
	assert(!walker->at || !attributes);
	if (create_walk_table(walker))
		verdict = walk_list(walker);
	if (verdict == GRAMMAR_VIOLATED || (verdict == GRAMMAR_OPEN && walk->tells))
		run_on_violation(walker);
	if (verdict == GRAMMAR_OPEN && attributes) {
		push_slot(walker, AT_START);
		*attributes = luaL_ref(walker->lua, LUA_REGISTRYINDEX);
	}
	if (walker->undo_count) {
		lua_rawgeti(walker->lua, walker->table, AT_ENVIRONMENT);
		restore_names(walker);
	}
	lua_settop(walker->lua, top);
	return verdict;
}

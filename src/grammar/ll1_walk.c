/*
 * Walks the parse tree as the events arrive. The stack of a session is the path from the root to
 * the current node. Everything to the left of the path is finished and forgotten.
 */
#include "grammar/ll1.h"

#include <assert.h>

static struct ll1_entry *top_of(struct ll1_walk *walk)
{
	return &walk->session->stack.items[walk->session->stack.count - 1];
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Pops a table from Lua's stack and stores it in a slot. */
static void set_slot(struct ll1_walk *walk, uint32_t place)
{
	lua_State *lua = script_lua(walk->parser->script);

	if (place < walk->session->floor) {
		lua_pop(lua, 1);
		return;
	}
	if (place > walk->session->room)
		walk->session->room = place;
	lua_rawseti(lua, walk->root, place);
}

static void clear_slot(struct ll1_walk *walk, uint32_t place)
{
	lua_State *lua = script_lua(walk->parser->script);

	if (place < walk->session->floor)
		return;
	lua_pushnil(lua);
	lua_rawseti(lua, walk->root, place);
}

/*
 * Pushes the table of a slot. A nonterminal's table is created at its first use: by an action
 * before the nonterminal, or by its own rule.
 */
static void push_slot(struct ll1_walk *walk, uint32_t place)
{
	lua_State *lua = script_lua(walk->parser->script);

	if (lua_rawgeti(lua, walk->root, place) != LUA_TNIL)
		return;
	lua_pop(lua, 1);
	lua_newtable(lua);
	lua_pushvalue(lua, -1);
	set_slot(walk, place);
}

static void clear_last(struct ll1_walk *walk, const struct ll1_op *op, uint32_t base)
{
	for (uint32_t i = 0; i < op->last_count; i++)
		clear_slot(walk, base + op->last[i]);
}

static void clear_frame(struct ll1_walk *walk, const struct ll1_op *op, uint32_t base)
{
	for (uint32_t i = 0; i < op->frame; i++)
		clear_slot(walk, base + i);
}

/* ---- the stack ------------------------------------------------------------------------------- */

/*
 * Replaces the nonterminal at the top by this rule. If the nonterminal is the last op of the rule
 * that contains it, the entry and frame of that rule are dropped first, so that right recursion
 * does not grow the stack. The table of the left side is the one in the nonterminal's slot in the
 * parent's frame.
 */
static void expand_nonterminal(struct ll1_walk *walk, uint32_t rule)
{
	struct ll1 *ll1 = walk->parser->shared;
	struct ll1_entry *top = top_of(walk), child;
	const struct ll1_op *op = &ll1->ops[top->pc];
	bool needs_left = ll1->needs_left[rule];

	if (needs_left && op->slot != GRAMMAR_NONE)
		push_slot(walk, top->base + op->slot);
	else if (needs_left)
		lua_newtable(script_lua(walk->parser->script));
	child.pc = ll1->first_op[rule];
	child.base = op->tail ? top->base : top->base + op->frame;
	if (child.base < walk->session->floor)
		child.base = walk->session->floor;
	if (op->tail) {
		clear_frame(walk, op, top->base);
		child.below = top->below;
		*top = child;
	} else {
		child.below = top->below & op[1].rest;
		*vec_push(&walk->session->stack) = child;
	}
	if (needs_left)
		set_slot(walk, child.base);
}

/* Leaves the finished rule at the top. Returns false if it was the last one on the stack. */
static bool leave_rule(struct ll1_walk *walk)
{
	struct ll1 *ll1 = walk->parser->shared;
	struct ll1_entry *top = top_of(walk);

	if (walk->session->stack.count == 1)
		return false;
	clear_frame(walk, &ll1->ops[top->pc], top->base);
	walk->session->stack.count--;
	top = top_of(walk);
	clear_last(walk, &ll1->ops[top->pc], top->base);
	top->pc++;
	return true;
}

/* ---- code ------------------------------------------------------------------------------------ */

/*
 * For ll1_try_end(): pushes the values of the names that the code assigns, so that they can be
 * restored.
 */
static void save_names(struct ll1_walk *walk, uint32_t code)
{
	struct ll1 *ll1 = walk->parser->shared;
	const struct grammar_code *about = &walk->parser->grammar->codes.items[code];
	lua_State *lua = script_lua(walk->parser->script);

	if (!about->assign_count || ll1->tried_in[code] == ll1->tries)
		return;
	ll1->tried_in[code] = ll1->tries;
	*vec_push(&ll1->saved) = code;
	lua_checkstack(lua, (int)about->assign_count + LUA_MINSTACK);
	lua_rawgeti(lua, walk->root, LL1_ENVIRONMENT);
	for (uint32_t i = 0; i < about->assign_count; i++) {
		lua_pushstring(lua, about->assigns[i]);
		lua_rawget(lua, -2 - (int)i);
	}
	lua_remove(lua, -1 - (int)about->assign_count);
}

static void restore_names(struct ll1_walk *walk)
{
	struct ll1 *ll1 = walk->parser->shared;
	lua_State *lua = script_lua(walk->parser->script);

	while (ll1->saved.count) {
		uint32_t code = ll1->saved.items[--ll1->saved.count];
		const struct grammar_code *about = &walk->parser->grammar->codes.items[code];

		lua_rawgeti(lua, walk->root, LL1_ENVIRONMENT);
		for (uint32_t i = about->assign_count; i-- > 0;) {
			lua_pushstring(lua, about->assigns[i]);
			lua_rotate(lua, -3, -1); /* environment, name, value */
			lua_rawset(lua, -3);
		}
		lua_pop(lua, 1);
	}
}

static enum grammar_verdict run_code(struct ll1_walk *walk, const struct ll1_op *op, uint32_t base)
{
	const struct grammar_code *code = &walk->parser->grammar->codes.items[op->code];
	lua_State *lua = script_lua(walk->parser->script);
	enum grammar_verdict verdict;

	if (walk->session->floor)
		save_names(walk, op->code);
	lua_checkstack(lua, (int)code->slot_count + LUA_MINSTACK);
	lua_rawgeti(lua, walk->root, LL1_ENVIRONMENT);
	for (uint32_t i = 0; i < code->slot_count; i++)
		push_slot(walk, base + code->slots[i]);
	if (code->session)
		lua_rawgeti(lua, walk->root, LL1_SESSION);
	verdict = engine_run(walk->parser, op->code, walk->violation);
	clear_last(walk, op, base);
	return verdict;
}

/* ---- walks ----------------------------------------------------------------------------------- */

/* Executes code and leaves finished rules, up to the next symbol or the end of the session. */
static enum grammar_verdict run_to_next_symbol(struct ll1_walk *walk, const struct ll1_op **at)
{
	struct ll1 *ll1 = walk->parser->shared;

	for (;;) {
		struct ll1_entry *top = top_of(walk);
		const struct ll1_op *op = &ll1->ops[top->pc];

		*at = op;
		if (op->kind == LL1_CODE) {
			enum grammar_verdict verdict = run_code(walk, op, top->base);

			if (verdict != GRAMMAR_OPEN)
				return verdict;
			top->pc++;
		} else if (op->kind != LL1_END || !leave_rule(walk)) {
			return GRAMMAR_OPEN;
		}
	}
}

static uint32_t choose_rule(const struct ll1_walk *walk, uint32_t symbol, uint32_t terminal)
{
	const struct grammar *grammar = walk->parser->grammar;
	uint32_t row = symbol - grammar->terminal_count;
	uint32_t rule = grammar->table[row * (grammar->terminal_count + 1) + terminal];

	assert(rule != GRAMMAR_NONE);
	return rule;
}

enum grammar_verdict ll1_walk_token(struct ll1_walk *walk, const struct grammar_token *token)
{
	const struct ll1_op *op;
	struct ll1_entry *top;

	for (;;) {
		enum grammar_verdict verdict = run_to_next_symbol(walk, &op);

		if (verdict != GRAMMAR_OPEN)
			return verdict;
		assert(op->kind != LL1_END);
		if (op->kind == LL1_TERMINAL)
			break;
		expand_nonterminal(walk, choose_rule(walk, op->symbol, token->event));
	}
	assert(op->symbol == token->event);
	top = top_of(walk);
	if (op->slot != GRAMMAR_NONE) {
		engine_push_token(walk->parser, token);
		set_slot(walk, top->base + op->slot);
	}
	clear_last(walk, op, top->base);
	top->pc++;
	return run_to_next_symbol(walk, &op);
}

enum grammar_verdict ll1_walk_end(struct ll1_walk *walk)
{
	const struct ll1_op *op;

	for (;;) {
		enum grammar_verdict verdict = run_to_next_symbol(walk, &op);

		if (verdict != GRAMMAR_OPEN || op->kind == LL1_END)
			return verdict;
		assert(op->kind == LL1_NONTERMINAL);
		expand_nonterminal(
			walk, choose_rule(walk, op->symbol, walk->parser->grammar->terminal_count));
	}
}

/*
 * Walks a second stack: the entries of the first, without those at the bottom that end silently.
 * The frames of the first stack stay as they are (`floor`); new frames are placed above them and
 * removed again.
 */
enum grammar_verdict ll1_try_end(struct ll1_walk *walk)
{
	struct ll1 *ll1 = walk->parser->shared;
	struct ll1_session *session = walk->session;
	ll1_stack stack = session->stack;
	size_t first = stack.count - 1;
	enum grammar_verdict verdict;

	while (!(stack.items[first].below & LL1_SILENT))
		first--;
	ll1->scratch.count = 0;
	for (size_t i = first; i < stack.count; i++)
		*vec_push(&ll1->scratch) = stack.items[i];
	session->floor = top_of(walk)->base + ll1->ops[top_of(walk)->pc].frame;
	ll1->tries++;
	ll1->saved.count = 0;

	session->stack = ll1->scratch;
	verdict = ll1_walk_end(walk);
	ll1->scratch = session->stack;
	session->stack = stack;
	if (verdict == GRAMMAR_OPEN)
		restore_names(walk);
	session->floor = 0;
	return verdict;
}

/*
 * Follows the session with one event of look-ahead. Possible continuations are computed from the
 * actual stack, so an LL(1) grammar always leaves one alternative. Where two alternatives are left,
 * this method ends undecided.
 *
 * Each step is forced: every parse tree of every continuation begins in this way, and runs the code
 * (including assertions) that is run here. So a failed assertion could be reported at once. That is
 * done if the grammar is LL(1). For other grammars, doc/grammars.md says that assertions fail where
 * the session must be complete.
 */
#include "check/grammar_check.h"

#include <lua5.4/lauxlib.h>

/* This many alternatives in a row without an event make no progress (left recursion). */
#define IDLE_MOST 20000u

struct open_choice {
	uint32_t choice, next; /* next: the part that comes next */
	int frame;
};

struct grammar_check_forced_walk {
	struct grammar_check *s;
	VEC(struct open_choice) stack;
	/*
	 * If the grammar is not LL(1), failing code counts only when the session must be complete.
	 * Until then its verdict is kept here, and no further code is run.
	 */
	enum grammar_check_verdict kept;
	struct err *err;
};
#define END_OF_SESSION UINT32_MAX

/* Can the parts from `next` on begin with the event? Sets *empty to whether they can be empty. */
static bool may_begin(const struct grammar_check *s, const struct grammar_check_choice *c,
		      size_t next, uint32_t event, bool *empty)
{
	*empty = false;
	for (size_t i = next; i < c->parts.count; i++) {
		const struct grammar_check_part *part = &c->parts.items[i];

		if (part->kind == SPEC_ITEM_EVENT)
			return part->number == event;
		if (part->kind != SPEC_ITEM_PRODUCTION)
			continue;
		if (event != END_OF_SESSION &&
		    s->starts[part->number * s->property->event_count + event])
			return true;
		if (!s->nullable[part->number])
			return false;
	}
	*empty = true;
	return false;
}

/*
 * Can this alternative, followed by the stack, begin with the event (or, at the end of the session,
 * be empty)?
 */
static bool is_possible(const struct grammar_check_forced_walk *w,
			const struct grammar_check_choice *c, uint32_t event)
{
	bool empty;

	if (may_begin(w->s, c, 0, event, &empty))
		return true;
	for (size_t i = w->stack.count; empty && i--;) {
		const struct open_choice *o = &w->stack.items[i];

		if (may_begin(w->s, &w->s->choices.items[o->choice], o->next, event, &empty))
			return true;
	}
	return empty && event == END_OF_SESSION;
}

static void pop_choice(struct grammar_check_forced_walk *w)
{
	grammar_check_frame_free(w->s, w->stack.items[--w->stack.count].frame);
}

/*
 * Pushes the production's only possible alternative. `left` is a reference to the table of its
 * symbol; the function releases it.
 */
static enum grammar_check_verdict push_alternative(struct grammar_check_forced_walk *w,
						   uint32_t production, int left, uint32_t event)
{
	struct grammar_check *s = w->s;
	uint32_t chosen = GRAMMAR_CHECK_NONE;

	for (uint32_t c = s->first[production]; c < s->first[production + 1]; c++) {
		if (s->choices.items[c].production == GRAMMAR_CHECK_NONE ||
		    !is_possible(w, &s->choices.items[c], event))
			continue;
		if (chosen != GRAMMAR_CHECK_NONE) {
			grammar_check_frame_free(s, left);
			return GRAMMAR_CHECK_UNSURE;
		}
		chosen = c;
	}
	if (chosen != GRAMMAR_CHECK_NONE)
		*vec_push(&w->stack) = (struct open_choice){
			chosen, 0, grammar_check_frame(s, &s->choices.items[chosen], left)
		};
	grammar_check_frame_free(s, left);
	return chosen == GRAMMAR_CHECK_NONE ? GRAMMAR_CHECK_WRONG : GRAMMAR_CHECK_GOOD;
}

/* Runs code up to the next symbol. Alternatives that are finished are popped from the stack. */
static enum grammar_check_verdict run_until_symbol(struct grammar_check_forced_walk *w)
{
	while (w->stack.count) {
		struct open_choice *top = &w->stack.items[w->stack.count - 1];
		const struct grammar_check_choice *c = &w->s->choices.items[top->choice];
		const struct grammar_check_part *part = &c->parts.items[top->next];
		enum grammar_check_verdict verdict;

		if (top->next == c->parts.count) {
			pop_choice(w);
			continue;
		}
		if (part->kind == SPEC_ITEM_EVENT || part->kind == SPEC_ITEM_PRODUCTION)
			break;
		top->next++;
		if (w->kept != GRAMMAR_CHECK_GOOD)
			continue;
		verdict = grammar_check_run(w->s, c, part, top->frame, w->err);
		if (verdict != GRAMMAR_CHECK_GOOD && w->s->is_ll1)
			return verdict;
		w->kept = verdict;
	}
	return GRAMMAR_CHECK_GOOD;
}

/*
 * Expands productions until the event is consumed; at the end of the session, until the stack is
 * empty.
 */
static enum grammar_check_verdict consume_event(struct grammar_check_forced_walk *w, uint32_t event,
						const struct grammar_check_token *token)
{
	enum grammar_check_verdict verdict = run_until_symbol(w);

	/* `top` becomes invalid when the stack grows. */
	for (unsigned idle = 0; verdict == GRAMMAR_CHECK_GOOD && w->stack.count; idle++) {
		struct open_choice *top = &w->stack.items[w->stack.count - 1];
		const struct grammar_check_choice *c = &w->s->choices.items[top->choice];
		const struct grammar_check_part *part = &c->parts.items[top->next++];
		int left;

		if (part->kind == SPEC_ITEM_EVENT) {
			if (part->number != event)
				return GRAMMAR_CHECK_WRONG;
			grammar_check_put_token(w->s, top->frame, part->slot, token);
			return run_until_symbol(w);
		}
		left = grammar_check_take_slot(w->s, top->frame, part->slot);
		if (top->next == c->parts.count)
			pop_choice(w);
		if (idle == IDLE_MOST) {
			grammar_check_frame_free(w->s, left);
			return GRAMMAR_CHECK_UNSURE;
		}
		verdict = push_alternative(w, part->number, left, event);
		if (verdict == GRAMMAR_CHECK_GOOD)
			verdict = run_until_symbol(w);
	}
	if (verdict == GRAMMAR_CHECK_GOOD && event != END_OF_SESSION)
		return GRAMMAR_CHECK_WRONG; /* the session is complete, but more events follow */
	return verdict;
}

struct grammar_check_result grammar_check_forced(struct grammar_check *s, bool complete,
						 struct err *err)
{
	struct grammar_check_forced_walk w = { .s = s, .kept = GRAMMAR_CHECK_GOOD, .err = err };
	struct grammar_check_result result = { GRAMMAR_CHECK_UNSURE, 0 };

	if (!s->count)
		return result;
	lua_rawgeti(script_lua(s->script), LUA_REGISTRYINDEX, s->root);
	result.verdict = push_alternative(&w, 0, luaL_ref(script_lua(s->script), LUA_REGISTRYINDEX),
					  s->tokens[0].event);
	for (size_t i = 0; i < s->count && result.verdict == GRAMMAR_CHECK_GOOD; i++) {
		result.at = i;
		result.verdict = consume_event(&w, s->tokens[i].event, &s->tokens[i]);
	}
	if (result.verdict == GRAMMAR_CHECK_GOOD && complete)
		result.verdict = consume_event(&w, END_OF_SESSION, NULL);
	if (result.verdict == GRAMMAR_CHECK_GOOD && complete)
		result.verdict = w.kept;
	while (w.stack.count)
		pop_choice(&w);
	vec_free(&w.stack);
	return result;
}

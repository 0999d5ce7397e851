/* Compiles a grammar to a program of the LL(1) engine (ll1.h). */
#include "grammar/ll1.h"
#include "base/mem.h"

#include <stdlib.h>

/* ---- frames ---------------------------------------------------------------------------------- */

static void extend_frame(uint32_t *frame, uint32_t slot)
{
	if (slot != GRAMMAR_NONE && slot + 1 > *frame)
		*frame = slot + 1;
}

/* Returns the number of slots in a rule's frame: 0 if its code names no symbols. */
static uint32_t count_frame_slots(const struct grammar *grammar, const struct grammar_rule *rule,
				  bool *needs_left)
{
	uint32_t frame = 0;

	for (uint32_t s = 0; s < rule->step_count; s++) {
		const struct grammar_step *step = &rule->steps[s];
		const struct grammar_code *code;

		if (grammar_step_is_symbol(step)) {
			extend_frame(&frame, step->slot);
			continue;
		}
		code = &grammar->codes.items[step->code];
		for (uint32_t i = 0; i < code->slot_count; i++) {
			extend_frame(&frame, code->slots[i]);
			if (code->slots[i] == 0)
				*needs_left = true;
		}
	}
	return frame;
}

/* ---- ops ------------------------------------------------------------------------------------- */

static void add_step(struct ll1 *ll1, const struct grammar_step *step, uint32_t frame)
{
	struct ll1_op *op = &ll1->ops[ll1->op_count++];

	*op = (struct ll1_op){ .kind = LL1_CODE,
			       .slot = GRAMMAR_NONE,
			       .frame = frame,
			       .last = step->last,
			       .last_count = step->last_count };
	if (grammar_step_is_symbol(step)) {
		op->kind = step->kind == GRAMMAR_TERMINAL ? LL1_TERMINAL : LL1_NONTERMINAL;
		op->symbol = step->symbol;
		op->slot = step->slot;
	} else {
		op->code = step->code;
	}
}

static void add_end(struct ll1 *ll1, uint32_t frame, bool tails)
{
	struct ll1_op *end = &ll1->ops[ll1->op_count++];

	*end = (struct ll1_op){ .kind = LL1_END, .slot = GRAMMAR_NONE, .frame = frame };
	if (tails && end > ll1->ops && end[-1].kind == LL1_NONTERMINAL)
		end[-1].tail = true;
}

/*
 * Adds the op of the start symbol. Its entry is never dropped for a tail call, because its frame
 * holds the attributes that the next session sees.
 */
static void add_start(struct ll1 *ll1, const struct grammar *grammar, bool needs_left)
{
	struct grammar_step start = { .kind = GRAMMAR_NONTERMINAL,
				      .symbol = grammar->terminal_count,
				      .slot = needs_left ? 0 : GRAMMAR_NONE };

	add_step(ll1, &start, needs_left);
	add_end(ll1, needs_left, false);
}

static void add_rules(struct ll1 *ll1, const struct grammar *grammar)
{
	size_t most = 2;
	bool start_needs_left = false;
	uint32_t *frames = mem_zalloc(grammar->rules.count + 1, sizeof *frames);

	for (size_t r = 0; r < grammar->rules.count; r++) {
		const struct grammar_rule *rule = &grammar->rules.items[r];

		most += rule->step_count + 1;
		frames[r] = count_frame_slots(grammar, rule, &ll1->needs_left[r]);
		if (rule->left == grammar->terminal_count && ll1->needs_left[r])
			start_needs_left = true;
	}
	ll1->ops = mem_zalloc(most, sizeof *ll1->ops);
	add_start(ll1, grammar, start_needs_left);
	for (size_t r = 0; r < grammar->rules.count; r++) {
		const struct grammar_rule *rule = &grammar->rules.items[r];

		ll1->first_op[r] = ll1->op_count;
		for (uint32_t s = 0; s < rule->step_count; s++)
			add_step(ll1, &rule->steps[s], frames[r]);
		add_end(ll1, frames[r], true);
	}
	free(frames);
}

/* ---- the rest of a rule ---------------------------------------------------------------------- */

/*
 * Computes an op's `rest` from that of the next op. `empty`: by nonterminal, the flags of its
 * derivation of the empty word.
 */
static uint8_t compute_rest(const struct grammar *grammar, const struct ll1_op *op,
			    const uint8_t *empty)
{
	switch (op->kind) {
	case LL1_TERMINAL: return 0;
	case LL1_NONTERMINAL: return op[1].rest & empty[op->symbol - grammar->terminal_count];
	case LL1_CODE:
		return op[1].rest & ~LL1_SILENT &
		       (grammar->codes.items[op->code].pure ? LL1_ALL : ~LL1_PURE);
	default: return LL1_ALL;
	}
}

/*
 * Computes `rest` for all ops as a greatest fixpoint: starts with all flags and removes those that
 * do not hold. In an LL(1) grammar at most one rule of a nonterminal derives the empty word.
 */
static void find_rests(struct ll1 *ll1, const struct grammar *grammar)
{
	uint32_t count = grammar_nonterminal_count(grammar);
	uint8_t *empty = mem_zalloc(count + 1, sizeof *empty);
	bool changed = true;

	for (uint32_t n = 0; n < count; n++)
		empty[n] = grammar->nullable[grammar->terminal_count + n] ? LL1_ALL : 0;
	while (changed) {
		changed = false;
		for (uint32_t i = ll1->op_count; i-- > 0;)
			ll1->ops[i].rest = compute_rest(grammar, &ll1->ops[i], empty);
		for (size_t r = 0; r < grammar->rules.count; r++) {
			uint32_t n = grammar->rules.items[r].left - grammar->terminal_count;
			uint8_t rest = ll1->ops[ll1->first_op[r]].rest;

			if ((rest & LL1_NULLABLE) && (empty[n] & ~rest)) {
				empty[n] &= rest;
				changed = true;
			}
		}
	}
	free(empty);
}

static void find_starts(struct ll1 *ll1, const struct grammar *grammar)
{
	size_t words = grammar->terminal_count / 64 + 1;

	for (uint32_t i = ll1->op_count; i-- > 0;) {
		struct ll1_op *op = &ll1->ops[i];
		uint64_t *set = arena_alloc(&ll1->arena, words * sizeof *set);

		op->starts = set;
		if (op->kind == LL1_TERMINAL)
			grammar_set_add(set, op->symbol);
		for (uint32_t t = 0; op->kind == LL1_NONTERMINAL && t < grammar->terminal_count;
		     t++) {
			if (grammar_set_has(grammar->starts[op->symbol], t))
				grammar_set_add(set, t);
		}
		if (op->kind == LL1_CODE ||
		    (op->kind == LL1_NONTERMINAL && grammar->nullable[op->symbol])) {
			for (size_t w = 0; w < words; w++)
				set[w] |= op[1].starts[w];
		}
	}
}

void ll1_compile(struct ll1 *ll1, const struct grammar *grammar)
{
	ll1->first_op = mem_zalloc(grammar->rules.count + 1, sizeof *ll1->first_op);
	ll1->needs_left = mem_zalloc(grammar->rules.count + 1, sizeof *ll1->needs_left);
	ll1->tried_in = mem_zalloc(grammar->codes.count + 1, sizeof *ll1->tried_in);
	add_rules(ll1, grammar);
	find_rests(ll1, grammar);
	find_starts(ll1, grammar);
	ll1->has_lua = grammar->has_code || grammar->attributes;
	for (size_t c = 0; c < grammar->codes.count; c++)
		ll1->uses_session |= grammar->codes.items[c].session;
}

void ll1_free(struct ll1 *ll1)
{
	free(ll1->ops);
	free(ll1->first_op);
	free(ll1->needs_left);
	free(ll1->tried_in);
	vec_free(&ll1->scratch);
	vec_free(&ll1->saved);
	arena_free(&ll1->arena);
	free(ll1);
}

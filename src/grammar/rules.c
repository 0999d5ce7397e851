/*
 * Translates productions into rules: numbers the symbols and turns each alternative into an array
 * of steps.
 */
#include "grammar/builder.h"

#include <string.h>

static void name_symbols(struct builder *builder)
{
	struct grammar *g = builder->grammar;
	uint32_t events = g->property->event_count;

	g->terminal_count = events;
	g->symbol_count = events + builder->spec->production_count;
	g->names = arena_alloc(&g->arena, (g->symbol_count + 1) * sizeof *g->names);
	for (uint32_t i = 0; i < events; i++)
		g->names[i] = g->property->events[i].name;
	for (uint32_t i = 0; i < builder->spec->production_count; i++)
		g->names[events + i] = builder->spec->productions[i].name;
}

static uint32_t count_items(const struct spec_alternative *alternative)
{
	uint32_t count = 0;

	for (const struct spec_item *item = alternative->items; item; item = item->next)
		count++;
	return count;
}

static struct grammar_step read_item(struct builder *builder, const struct spec_item *item)
{
	struct grammar *g = builder->grammar;
	struct grammar_step step = { .symbol = GRAMMAR_NONE,
				     .slot = GRAMMAR_NONE,
				     .code = GRAMMAR_NONE };

	switch (item->kind) {
	case SPEC_ITEM_EVENT:
		step.kind = GRAMMAR_TERMINAL;
		step.symbol = item->number;
		break;
	case SPEC_ITEM_PRODUCTION:
		step.kind = GRAMMAR_NONTERMINAL;
		step.symbol = g->terminal_count + item->number;
		break;
	default:
		step.kind = item->kind == SPEC_ITEM_ACTION ? GRAMMAR_ACTION : GRAMMAR_ASSERT;
		step.code = (uint32_t)g->codes.count;
		struct grammar_code *code = vec_push(&g->codes);
		*code = (struct grammar_code){ .rule = (uint32_t)g->rules.count - 1 };
		code_read(builder, code, item->lua, item->lua_place, step.kind == GRAMMAR_ASSERT);
	}
	return step;
}

static void read_alternative(struct builder *builder, uint32_t left, uint32_t number,
			     const struct spec_alternative *alternative)
{
	struct grammar *g = builder->grammar;
	uint32_t count = count_items(alternative), at = 0;
	struct grammar_step *steps = arena_alloc(&g->arena, (count + 1) * sizeof *steps);
	struct grammar_rule *rule = vec_push(&g->rules);

	*rule = (struct grammar_rule){ .left = left,
				       .number = number,
				       .steps = steps,
				       .step_count = count,
				       .place = alternative->place };
	if (!rule->place.length && count)
		rule->place = alternative->items->place;
	for (const struct spec_item *item = alternative->items; item; item = item->next, at++)
		steps[at] = read_item(builder, item);

	scope_rule(builder, rule, steps, alternative->items);
}

void rules_read(struct builder *builder)
{
	struct grammar *g = builder->grammar;
	uint32_t count = builder->spec->production_count;

	name_symbols(builder);
	outside_events(builder);
	g->first_rule = arena_alloc(&g->arena, (count + 1) * sizeof *g->first_rule);
	for (uint32_t i = 0; i < count; i++) {
		const struct spec_alternative *a = builder->spec->productions[i].alternatives;

		g->first_rule[i] = (uint32_t)g->rules.count;
		for (uint32_t number = 0; a; a = a->next, number++)
			read_alternative(builder, g->terminal_count + i, number, a);
	}
	g->first_rule[count] = (uint32_t)g->rules.count;
}

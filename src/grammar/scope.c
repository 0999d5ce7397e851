/*
 * Resolves the names in the code of an alternative (doc/grammars.md, "Attributes"). Also assigns
 * slots in the alternative's frame: only symbols whose attributes some code reads or sets need one,
 * and only until the last step that names them.
 */
#include "grammar/code_names.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * The symbols of an alternative are numbered by their order in the text: 0 is the left side, i + 1
 * is step i.
 */
struct scope {
	struct builder *builder;
	struct grammar_rule *rule;
	struct grammar_step *steps;
	const char **names; /* by symbol: its name or label; NULL: the step is code */
	uint32_t *slots;    /* by symbol; GRAMMAR_NONE: not needed so far */
	uint32_t *last;	    /* by symbol: the last step that needs it, or GRAMMAR_NONE */
	/*
	 * `uses`: the symbols that the codes name, code by code in the order of the steps.
	 * `first_use`: by code, index of its first symbol in `uses`.
	 */
	VEC(uint32_t) uses;
	VEC(uint32_t) first_use;
};

#define NOT_HERE UINT32_MAX
#define TWICE (UINT32_MAX - 1)

/* ---- labels ---------------------------------------------------------------------------------- */

static void check_label(struct builder *builder, const struct spec_item *item, const char *left)
{
	struct spec_location place = item->place;

	if (!item->label)
		return;
	place.length = (uint32_t)strlen(item->label);
	if (!strcmp(item->label, "session"))
		builder_complain(
			builder, SPEC_ERROR, place,
			"'session' is reserved for the attributes of the previous session; "
			"use another label");
	else if (script_is_keyword(item->label))
		builder_complain(builder, SPEC_ERROR, place,
				 "'%s' is a Lua keyword, so code cannot refer to it; use another "
				 "label",
				 item->label);
	else if (!strcmp(item->label, left))
		builder_complain(builder, SPEC_ERROR, place,
				 "'%s' is the name of the production itself; use another label",
				 item->label);
}

static void open_scope(struct scope *s, struct builder *builder, struct grammar_rule *rule,
		       struct grammar_step *steps, const struct spec_item *items)
{
	uint32_t count = rule->step_count + 1, at = 1;

	*s = (struct scope){ .builder = builder, .rule = rule, .steps = steps };
	s->names = mem_zalloc(count, sizeof *s->names);
	s->slots = mem_alloc(count * sizeof *s->slots);
	s->last = mem_alloc(count * sizeof *s->last);
	for (uint32_t i = 0; i < count; i++)
		s->slots[i] = s->last[i] = GRAMMAR_NONE;
	s->names[0] = builder->grammar->names[rule->left];
	s->slots[0] = 0;
	for (; items; items = items->next, at++) {
		check_label(builder, items, s->names[0]);
		s->names[at] = items->label ? items->label : items->name;
	}
}

static void close_scope(struct scope *s)
{
	free(s->names);
	free(s->slots);
	free(s->last);
	vec_free(&s->uses);
	vec_free(&s->first_use);
}

/* ---- names ----------------------------------------------------------------------------------- */

/*
 * Returns the symbol that the name at lexeme `i` means. The production's own name always means the
 * left side, even if a symbol on the right has the same name.
 */
static uint32_t find_symbol(const struct scope *s, const struct code_names *r, size_t i)
{
	uint32_t found = NOT_HERE;

	if (code_names_is(r, i, s->names[0]))
		return 0;
	for (uint32_t k = 1; k <= s->rule->step_count; k++)
		if (s->names[k] && code_names_is(r, i, s->names[k]))
			found = found == NOT_HERE ? k : TWICE;
	return found;
}

static void complain_twice(const struct code_names *r, size_t i)
{
	const char *name = code_names_name(r, i);

	builder_complain(r->builder, SPEC_ERROR, code_names_place(r, i),
			 "'%s' is ambiguous: it appears more than once in this alternative; give "
			 "each one a label, as in first=%s",
			 name, name);
}

static void complain_early(const struct code_names *r, size_t i)
{
	builder_complain(r->builder, SPEC_ERROR, code_names_place(r, i),
			 "'%s' has not happened yet: an event's attributes can only be used "
			 "after the event",
			 code_names_name(r, i));
}

/*
 * Reports the name of an event or production that is not in this alternative. The caller has
 * excluded library functions of that name.
 */
static void complain_elsewhere(const struct code_names *r, size_t i, uint32_t symbol)
{
	const struct grammar *g = r->builder->grammar;
	const char *name = g->names[symbol];

	builder_complain(r->builder, SPEC_ERROR, code_names_place(r, i),
			 "%s '%s' is not in this alternative; the attributes of the "
			 "previous session are in 'session'",
			 symbol < g->terminal_count ? "the event" : "the production", name);
}

static void complain_assigned(const struct code_names *r, size_t i)
{
	const char *name = code_names_name(r, i);

	builder_complain(r->builder, SPEC_ERROR, code_names_place(r, i),
			 "'%s' is a symbol and cannot be assigned; assign to an attribute, "
			 "as in %s.x = ...",
			 name, name);
}

static void use_name(struct scope *s, const struct code_names *r, size_t i, uint32_t step)
{
	bool local = code_names_may_be_local(r, i);
	uint32_t symbol = find_symbol(s, r, i), other;

	if (symbol == TWICE) {
		if (!local)
			complain_twice(r, i);
		return;
	}
	if (symbol == NOT_HERE) {
		other = local ? GRAMMAR_NONE : code_names_symbol(r, i);
		if (other != GRAMMAR_NONE && !script_has_name(code_names_name(r, i)))
			complain_elsewhere(r, i, other);
		else
			code_names_use_wide(r, i);
		return;
	}
	if (symbol && s->steps[symbol - 1].kind == GRAMMAR_TERMINAL) {
		if (symbol - 1 > step) {
			if (!local)
				complain_early(r, i);
			return;
		}
		code_names_use_event(r, i, s->steps[symbol - 1].symbol);
	}
	for (size_t k = 0; k < r->targets.count && !local; k++)
		if (r->targets.items[k].root == i && r->targets.items[k].is_name)
			complain_assigned(r, i);
	*vec_push(&s->uses) = symbol;
}

static void resolve_code(struct scope *s, uint32_t step)
{
	struct grammar_code *code = &s->builder->grammar->codes.items[s->steps[step].code];
	struct code_names r;

	*vec_push(&s->first_use) = (uint32_t)s->uses.count;
	code_names_open(&r, s->builder, code);
	code_names_keep_session(&r);
	for (size_t i = 0; i < r.lexemes.count; i++) {
		if (!code_names_is_use(&r, i))
			continue;
		if (code_names_is(&r, i, "session"))
			code->session = true;
		else
			use_name(s, &r, i, step);
	}
	code_names_close(&r);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Assigns slots, in the order of the steps, to the symbols that some code names. */
static void assign_slots(struct scope *s)
{
	for (size_t i = 0; i < s->uses.count; i++)
		s->slots[s->uses.items[i]] = 0;
	s->rule->slot_count = 1;
	for (uint32_t i = 1; i <= s->rule->step_count; i++)
		if (s->slots[i] != GRAMMAR_NONE)
			s->steps[i - 1].slot = s->slots[i] = s->rule->slot_count++;
}

/* Sets a code's parameters: the slots of the symbols that it names, each once, and `session`. */
static void assign_parameters(struct scope *s, struct grammar_code *code, uint32_t step,
			      const uint32_t *uses, size_t count)
{
	struct arena *arena = &s->builder->grammar->arena;
	uint32_t *slots = arena_alloc(arena, (count + 1) * sizeof *slots);
	const char **names = arena_alloc(arena, (count + 2) * sizeof *names);

	for (size_t i = 0; i < count; i++) {
		uint32_t symbol = uses[i], known = 0;

		while (known < code->slot_count && slots[known] != s->slots[symbol])
			known++;
		if (known < code->slot_count)
			continue;
		slots[code->slot_count] = s->slots[symbol];
		names[code->slot_count++] = s->names[symbol];
		s->last[symbol] = step;
	}
	if (code->session)
		names[code->slot_count] = "session";
	code->slots = slots;
	code->names = names;
}

/* Finds the slots to drop after each step. A symbol needs its slot at its own step, too. */
static void find_last_uses(struct scope *s)
{
	struct arena *arena = &s->builder->grammar->arena;
	uint32_t count = s->rule->step_count;

	for (uint32_t i = 1; i <= count; i++)
		if (s->slots[i] != GRAMMAR_NONE && s->last[i] < i - 1)
			s->last[i] = i - 1;
	for (uint32_t step = 0; step < count; step++) {
		uint32_t found = 0, *list;

		for (uint32_t i = 0; i <= count; i++)
			found += s->last[i] == step;
		if (!found)
			continue;
		s->steps[step].last = list = arena_alloc(arena, found * sizeof *list);
		s->steps[step].last_count = found;
		for (uint32_t i = 0; i <= count; i++)
			if (s->last[i] == step)
				*list++ = s->slots[i];
	}
}

void scope_rule(struct builder *builder, struct grammar_rule *rule, struct grammar_step *steps,
		const struct spec_item *items)
{
	struct scope s;
	uint32_t number = 0;

	open_scope(&s, builder, rule, steps, items);
	for (uint32_t i = 0; i < rule->step_count; i++)
		if (steps[i].code != GRAMMAR_NONE)
			resolve_code(&s, i);
	*vec_push(&s.first_use) = (uint32_t)s.uses.count;
	assign_slots(&s);
	for (uint32_t i = 0; i < rule->step_count; i++)
		if (steps[i].code != GRAMMAR_NONE) {
			const uint32_t *first = &s.first_use.items[number++];

			assign_parameters(&s, &builder->grammar->codes.items[steps[i].code], i,
					  s.uses.items + first[0], first[1] - first[0]);
		}
	find_last_uses(&s);
	close_scope(&s);
}

/*
 * The attributes of events, and the code outside of alternatives: the head, reset conditions, and
 * `on violation`.
 */
#include "grammar/code_names.h"
#include "spec/spelling.h"

#include <stdlib.h>
#include <string.h>

/* ---- events ---------------------------------------------------------------------------------- */

void outside_events(struct builder *builder)
{
	struct grammar *g = builder->grammar;
	uint32_t count = g->terminal_count;

	g->events = arena_alloc(&g->arena, (count + 1) * sizeof *g->events);
	for (uint32_t i = 0; i < count; i++) {
		struct grammar_event *e = &g->events[i];
		const char **names = grammar_attributes(g->property, i, &e->attribute_count);

		e->attributes = arena_copy(&g->arena, names, e->attribute_count * sizeof *names);
		e->used = arena_alloc(&g->arena, e->attribute_count);
		e->resets = g->property->events[i].reset;
		free(names);
		if (!strcmp(g->names[i], "session"))
			builder_complain(
				builder, SPEC_ERROR, g->property->events[i].place,
				"an event of a grammar cannot be named 'session': the name is "
				"reserved for the attributes of the previous session");
	}
	for (uint32_t i = 0; i < builder->spec->production_count; i++)
		if (!strcmp(g->names[count + i], "session"))
			builder_complain(
				builder, SPEC_ERROR, builder->spec->productions[i].place,
				"a production cannot be named 'session': the name is reserved for "
				"the attributes of the previous session");
}

/* ---- reset conditions ------------------------------------------------------------------------ */

/* Returns the number of the attribute that the name at lexeme `i` means, or GRAMMAR_NONE. */
static uint32_t find_attribute(const struct code_names *r, size_t i, const struct grammar_event *e)
{
	for (uint32_t k = 0; k < e->attribute_count; k++)
		if (code_names_is(r, i, e->attributes[k]))
			return k;
	return GRAMMAR_NONE;
}

static void complain_unknown(const struct code_names *r, size_t i, uint32_t event)
{
	const struct grammar *g = r->builder->grammar;
	const struct grammar_event *e = &g->events[event];
	const char *name = code_names_name(r, i);
	struct spelling near;

	spelling_start(&near, name);
	spelling_try(&near, "session");
	for (uint32_t k = 0; k < e->attribute_count; k++)
		spelling_try(&near, e->attributes[k]);
	builder_complain(r->builder, SPEC_ERROR, code_names_place(r, i),
			 "'%s' is not an attribute of '%s': a reset condition can use only "
			 "those and 'session'%s%s%s",
			 name, g->names[event], near.best ? "; did you mean '" : "",
			 near.best ? near.best : "", near.best ? "'?" : "");
}

static void complain_hidden(const struct code_names *r, size_t i, uint32_t event)
{
	builder_complain(r->builder, SPEC_ERROR, code_names_place(r, i),
			 "'session' is ambiguous: it means the previous session, and '%s' "
			 "binds the same name; bind another name",
			 r->builder->grammar->names[event]);
}

static void read_reset(struct builder *builder, uint32_t event)
{
	struct grammar *g = builder->grammar;
	struct grammar_event *e = &g->events[event];
	const struct spec_event *spec = &g->property->events[event];
	struct grammar_code *code = arena_alloc(&g->arena, sizeof *code);
	uint32_t *slots = arena_alloc(&g->arena, e->attribute_count * sizeof *slots);
	const char **names = arena_alloc(&g->arena, (e->attribute_count + 1) * sizeof *names);
	struct code_names r;

	*code = (struct grammar_code){ .rule = GRAMMAR_NONE, .slots = slots, .names = names };
	code_read(builder, code, spec->reset_if, spec->reset_place, true);
	code_names_open(&r, builder, code);
	for (size_t i = 0; i < r.lexemes.count; i++) {
		uint32_t known = 0, attribute;

		if (!code_names_is_use(&r, i))
			continue;
		attribute = find_attribute(&r, i, e);
		if (code_names_is(&r, i, "session")) {
			code->session = true;
			if (attribute != GRAMMAR_NONE)
				complain_hidden(&r, i, event);
			continue;
		}
		while (known < code->slot_count && slots[known] != attribute)
			known++;
		if (attribute == GRAMMAR_NONE && !script_has_name(code_names_name(&r, i)))
			complain_unknown(&r, i, event);
		if (attribute == GRAMMAR_NONE || known < code->slot_count)
			continue;
		e->used[attribute] = true;
		names[code->slot_count] = e->attributes[attribute];
		slots[code->slot_count++] = attribute;
	}
	if (code->session)
		names[code->slot_count] = "session";
	code_names_close(&r);
	e->reset_if = code;
}

/* ---- the head and on violation --------------------------------------------------------------- */

/* Resolves the names in code where no symbol has attributes: session-wide names and `session`. */
static void resolve_session_wide_names(struct builder *builder, struct grammar_code *code)
{
	static const char *const session[] = { "session" };
	const struct grammar *g = builder->grammar;
	struct code_names r;

	code_names_open(&r, builder, code);
	code_names_keep_session(&r);
	for (size_t i = 0; i < r.lexemes.count; i++) {
		uint32_t symbol;

		if (!code_names_is_use(&r, i))
			continue;
		if (code_names_is(&r, i, "session")) {
			code->session = true;
			code->names = session;
			continue;
		}
		symbol = code_names_symbol(&r, i);
		if (symbol == GRAMMAR_NONE || code_names_may_be_local(&r, i) ||
		    script_has_name(g->names[symbol]))
			code_names_use_wide(&r, i);
		else
			builder_complain(
				builder, SPEC_ERROR, code_names_place(&r, i),
				"%s '%s' has no attributes here: only the attributes of the whole "
				"session can be used",
				symbol < g->terminal_count ? "the event" : "the production",
				g->names[symbol]);
	}
	code_names_close(&r);
}

/* Turns `want = {}, held = {}` into statements: replaces commas before `NAME =` by semicolons. */
static const char *head_as_statements(struct builder *builder, const char *text)
{
	char *lua = arena_text(&builder->grammar->arena, text, strlen(text));
	script_lexemes l = { 0 };

	script_read_lexemes(text, &l);
	for (size_t i = 0; i + 2 < l.count; i++)
		if (script_is_sign(&l, i, ',') && !l.items[i].depth &&
		    l.items[i + 1].kind == SCRIPT_NAME && script_is_sign(&l, i + 2, '='))
			lua[l.items[i].at] = ';';
	vec_free(&l);
	return lua;
}

void outside_read(struct builder *builder)
{
	struct grammar *g = builder->grammar;

	for (uint32_t i = 0; i < g->terminal_count; i++)
		if (g->property->events[i].reset_if)
			read_reset(builder, i);
	if (builder->spec->attributes) {
		g->attributes = arena_alloc(&g->arena, sizeof *g->attributes);
		g->attributes->rule = GRAMMAR_NONE;
		code_read(builder, g->attributes, builder->spec->attributes,
			  builder->spec->attributes_place, false);
		g->attributes->lua = head_as_statements(builder, builder->spec->attributes);
		resolve_session_wide_names(builder, g->attributes);
	}
	if (g->property->on_violation) {
		g->on_violation = arena_alloc(&g->arena, sizeof *g->on_violation);
		g->on_violation->rule = GRAMMAR_NONE;
		code_read(builder, g->on_violation, g->property->on_violation,
			  g->property->on_violation_place, false);
		resolve_session_wide_names(builder, g->on_violation);
	}
}

/* ---- events in words ------------------------------------------------------------------------- */

static bool has_alternative_with(const struct grammar *g, uint32_t event)
{
	for (size_t r = 0; r < g->rules.count; r++)
		for (uint32_t k = 0; k < g->rules.items[r].step_count; k++)
			if (g->rules.items[r].steps[k].symbol == event)
				return true;
	return false;
}

/*
 * In the object view, an event is in a word if a point binds the object. If only a filter names the
 * object, the event is in the words of all objects that the filter accepts.
 */
static bool is_in_words(const struct spec_property *property, const struct spec_event *event)
{
	if (property->view != SPEC_VIEW_OBJECT)
		return true;
	for (const struct spec_point *p = event->points; p; p = p->next)
		if (spec_point_binds(p, property->view_parameter) ||
		    spec_names_parameter(p->filter, property->view_parameter))
			return true;
	return false;
}

void outside_report_events(struct builder *builder)
{
	const struct grammar *g = builder->grammar;

	for (uint32_t i = 0; i < g->terminal_count; i++) {
		const struct spec_event *e = &g->property->events[i];

		if (!is_in_words(g->property, e))
			builder_complain(builder, SPEC_NOTE, e->place,
					 "'%s' does not bind '%s', so it is in no word", e->name,
					 g->property->view_name);
		else if (!has_alternative_with(g, i))
			builder_complain(
				builder, SPEC_NOTE, e->place,
				"no alternative contains '%s': every occurrence of it is a "
				"violation",
				e->name);
	}
}

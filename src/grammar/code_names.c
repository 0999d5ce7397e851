/*
 * Resolves the names in a piece of code: what a lexeme is, where it is in the property file, and
 * which attributes of events and which session-wide names the code uses.
 */
#include "grammar/code_names.h"
#include "spec/spelling.h"

#include <stdio.h>
#include <string.h>

void code_names_open(struct code_names *r, struct builder *builder, const struct grammar_code *code)
{
	*r = (struct code_names){ .builder = builder, .code = code, .lua = code->lua };
	script_read_lexemes(r->lua, &r->lexemes);
	if (!code->condition)
		code_assignments_find_targets(r->lua, &r->lexemes, &r->targets);
	code_assignments_find_locals(r->lua, &r->lexemes, &r->locals);
}

void code_names_close(struct code_names *r)
{
	vec_free(&r->lexemes);
	vec_free(&r->targets);
	intern_free(&r->locals);
}

bool code_names_is_use(const struct code_names *r, size_t i)
{
	return r->lexemes.items[i].kind == SCRIPT_NAME && script_is_free(&r->lexemes, i);
}

bool code_names_is(const struct code_names *r, size_t i, const char *name)
{
	const struct script_lexeme *l = &r->lexemes.items[i];

	return l->length == strlen(name) && !memcmp(r->lua + l->at, name, l->length);
}

/* For `x.y`: returns the lexeme of y, given that of x. Returns 0 if there is no field. */
static size_t field_after(const struct code_names *r, size_t i)
{
	return script_is_sign(&r->lexemes, i + 1, '.') && i + 2 < r->lexemes.count &&
			       r->lexemes.items[i + 2].kind == SCRIPT_NAME
		       ? i + 2
		       : 0;
}

bool code_names_may_be_local(const struct code_names *r, size_t i)
{
	const struct script_lexeme *l = &r->lexemes.items[i];

	return intern_find(&r->locals, r->lua + l->at, l->length) != UINT32_MAX;
}

const char *code_names_name(const struct code_names *r, size_t i)
{
	const struct script_lexeme *l = &r->lexemes.items[i];

	return arena_text(&r->builder->grammar->arena, r->lua + l->at, l->length);
}

/* ---- locations ------------------------------------------------------------------------------- */

/*
 * Finds, in the user's text, the name at lexeme `i` of a translated condition. The translation adds
 * and replaces other words, but keeps all names in their order. So the n-th occurrence of a name in
 * the translation is its n-th occurrence in the user's text.
 */
static struct spec_location locate_in_condition(const struct code_names *r, size_t i)
{
	const struct script_lexeme *wanted = &r->lexemes.items[i];
	const char *text = r->code->text;
	script_lexemes written = { 0 };
	size_t left = 0, found = 0;

	for (size_t k = 0; k < i; k++)
		left += r->lexemes.items[k].length == wanted->length &&
			!memcmp(r->lua + r->lexemes.items[k].at, r->lua + wanted->at,
				wanted->length);
	script_read_lexemes(text, &written);
	for (size_t k = 0; k < written.count; k++) {
		const struct script_lexeme *l = &written.items[k];

		if (l->kind != SCRIPT_NAME || l->length != wanted->length ||
		    memcmp(text + l->at, r->lua + wanted->at, l->length) != 0)
			continue;
		found = l->at;
		if (!left--)
			break;
	}
	vec_free(&written);
	return code_place(r->code, found, wanted->length);
}

struct spec_location code_names_place(const struct code_names *r, size_t i)
{
	const struct script_lexeme *l = &r->lexemes.items[i];

	return r->code->condition ? locate_in_condition(r, i)
				  : code_place(r->code, l->at, l->length);
}

/* ---- uses of names --------------------------------------------------------------------------- */

uint32_t code_names_symbol(const struct code_names *r, size_t i)
{
	const struct grammar *g = r->builder->grammar;

	for (uint32_t s = 0; s < g->symbol_count; s++)
		if (code_names_is(r, i, g->names[s]))
			return s;
	return GRAMMAR_NONE;
}

static void complain_no_attribute(const struct code_names *r, size_t field, uint32_t event)
{
	const struct grammar *g = r->builder->grammar;
	const struct grammar_event *e = &g->events[event];
	const char *name = code_names_name(r, field);
	struct spelling near;
	char has[256] = "";
	size_t length = 0;

	spelling_start(&near, name);
	for (uint32_t i = 0; i < e->attribute_count; i++) {
		spelling_try(&near, e->attributes[i]);
		if (length < sizeof has)
			length += (size_t)snprintf(has + length, sizeof has - length, "%s%s",
						   i ? ", " : "", e->attributes[i]);
	}
	if (near.best)
		builder_complain(r->builder, SPEC_ERROR, code_names_place(r, field),
				 "'%s' has no attribute '%s'; did you mean '%s'?", g->names[event],
				 name, near.best);
	else
		builder_complain(r->builder, SPEC_ERROR, code_names_place(r, field),
				 "'%s' has no attribute '%s'; it has %s", g->names[event], name,
				 has);
}

void code_names_use_event(const struct code_names *r, size_t i, uint32_t event)
{
	struct grammar_event *e = &r->builder->grammar->events[event];
	size_t field = field_after(r, i);
	bool known = false;

	for (uint32_t k = 0; k < e->attribute_count; k++)
		if (!field || code_names_is(r, field, e->attributes[k]))
			e->used[k] = known = true;
	if (!known && !code_names_may_be_local(r, i))
		complain_no_attribute(r, field, event);
}

static struct builder_name *intern_session_wide_name(const struct code_names *r, size_t i)
{
	struct builder *builder = r->builder;
	const struct script_lexeme *l = &r->lexemes.items[i];
	bool fresh;
	uint32_t number = intern_put(&builder->names, r->lua + l->at, l->length, &fresh);

	if (fresh)
		*vec_push(&builder->wide) = (struct builder_name){ 0 };
	return &builder->wide.items[number];
}

void code_names_use_wide(const struct code_names *r, size_t i)
{
	struct builder_name *name = intern_session_wide_name(r, i);

	name->is_local |= code_names_may_be_local(r, i);
	for (size_t k = 0; k < r->targets.count; k++)
		if (r->targets.items[k].root == i && r->targets.items[k].is_name) {
			name->is_set = true;
			return;
		}
	if (!name->used.line)
		name->used = code_names_place(r, i);
}

void code_names_keep_session(const struct code_names *r)
{
	for (size_t k = 0; k < r->targets.count; k++) {
		size_t root = r->targets.items[k].root;

		if (code_names_is(r, root, "session") && !code_names_may_be_local(r, root))
			builder_complain(
				r->builder, SPEC_ERROR, code_names_place(r, root),
				"'session' holds the attributes of the previous session and is "
				"read-only");
	}
}

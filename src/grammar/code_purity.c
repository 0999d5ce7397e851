/*
 * Finds pure code: code that changes nothing except session-wide names that it assigns itself. Such
 * code can run after every prefix without a copy of all attributes. Example: figure 7 of the SAGA
 * paper rebuilds its graph at each event, from maps that it only reads. The decision is based on
 * the lexemes alone and is conservative. Code is pure if
 *
 * - it assigns only whole names (x = …), or fields of an object that this same code created
 *   outside of any block, with g = graph() or t = {};
 * - it calls only library functions that change nothing, library functions that change only their
 *   first argument, if this code created that argument, or methods of a graph that it created.
 */
#include "grammar/code_names.h"

#include <string.h>

struct code_purity {
	struct code_names reading;
	struct builder *builder;
};

static bool ends_operand(const script_lexemes *l, size_t i)
{
	return l->items[i].kind == SCRIPT_NAME || l->items[i].kind == SCRIPT_STRING ||
	       script_is_sign(l, i, ')') || script_is_sign(l, i, ']') || script_is_sign(l, i, '}');
}

/* Does the name mean a library function, not a local, a symbol or a session-wide name? */
static bool is_library_name(const struct code_purity *p, size_t i)
{
	const struct code_names *r = &p->reading;
	const struct script_lexeme *l = &r->lexemes.items[i];
	uint32_t wide = intern_find(&p->builder->names, r->lua + l->at, l->length);

	if (code_names_may_be_local(r, i) || code_names_symbol(r, i) != GRAMMAR_NONE)
		return false;
	return wide == UINT32_MAX || !p->builder->wide.items[wide].is_set;
}

static bool is_same_name(const struct code_names *r, size_t i, size_t k)
{
	const struct script_lexeme *a = &r->lexemes.items[i], *b = &r->lexemes.items[k];

	return a->length == b->length && !memcmp(r->lua + a->at, r->lua + b->at, a->length);
}

static bool makes_graph(const struct code_purity *p, size_t i)
{
	const script_lexemes *l = &p->reading.lexemes;

	return i + 2 < l->count && code_names_is(&p->reading, i, "graph") &&
	       is_library_name(p, i) && script_is_sign(l, i + 1, '(') &&
	       script_is_sign(l, i + 2, ')');
}

/*
 * Did this code create the object that the name at `i` refers to? Every assignment to the name must
 * create an object. At least one of them must come before `i` and outside of any block, so that it
 * is always executed.
 */
static bool is_created_here(const struct code_purity *p, size_t i, bool graph)
{
	const struct code_names *r = &p->reading;
	bool own = false;

	for (size_t k = 0; k < r->targets.count; k++) {
		const struct assignment_target *t = &r->targets.items[k];

		if (!t->is_name || !is_same_name(r, t->root, i))
			continue;
		if (!t->is_only || !(makes_graph(p, t->equals + 1) ||
				     (!graph && script_is_sign(&r->lexemes, t->equals + 1, '{'))))
			return false;
		own |= t->equals < i && !r->lexemes.items[t->equals].depth;
	}
	return own;
}

/*
 * Is the target a field x.y or x[i] of an object x that this code created? Targets deeper inside x
 * are not allowed: the code may not have created the objects in x.
 */
static bool changes_created_object(const struct code_purity *p, const struct assignment_target *t)
{
	const script_lexemes *l = &p->reading.lexemes;
	bool field = t->last == t->root + 2 && script_is_sign(l, t->root + 1, '.');
	bool index = script_is_sign(l, t->last, ']') && l->items[t->last].opens == t->root + 1;

	return l->items[t->root].kind == SCRIPT_NAME && (field || index) &&
	       is_created_here(p, t->root, false);
}

/* Is this the name of a function that changes only its first argument? */
static bool changes_first_argument(const struct code_names *r, size_t from, size_t to)
{
	static const char *const names[] = { "bump", "table.insert", "table.remove", "table.sort" };
	const struct script_lexeme *a = &r->lexemes.items[from], *b = &r->lexemes.items[to];
	size_t length = b->at + b->length - a->at;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == length && !memcmp(r->lua + a->at, names[i], length))
			return true;
	return false;
}

/* Is this call, whose arguments start at lexeme `open`, allowed in pure code? */
static bool is_allowed_call(const struct code_purity *p, size_t open)
{
	const struct code_names *r = &p->reading;
	const script_lexemes *l = &r->lexemes;
	size_t last = open - 1, first = script_operand_start(l, last);
	const char *name = r->lua + l->items[first].at;
	size_t length = l->items[last].at + l->items[last].length - l->items[first].at;
	bool dotted = last == first + 2 && script_is_sign(l, first + 1, '.');

	if (l->items[first].kind != SCRIPT_NAME)
		return false;
	if (last == first + 2 && script_is_sign(l, first + 1, ':'))
		return is_created_here(p, first, true);
	if ((first != last && !dotted) || !is_library_name(p, first))
		return false;
	if (script_is_pure(name, length))
		return true;
	return changes_first_argument(r, first, last) && script_is_sign(l, open, '(') &&
	       open + 2 < l->count && l->items[open + 1].kind == SCRIPT_NAME &&
	       (script_is_sign(l, open + 2, ',') || script_is_sign(l, open + 2, ')')) &&
	       is_created_here(p, open + 1, false);
}

/* Do the arguments of a call start at lexeme `i`: f(…), f"…", f{…}? */
static bool starts_arguments(const script_lexemes *l, size_t i)
{
	bool opens = script_is_sign(l, i, '(') || script_is_sign(l, i, '{') ||
		     l->items[i].kind == SCRIPT_STRING;

	return opens && i && ends_operand(l, i - 1);
}

static bool is_code_pure(const struct code_purity *p)
{
	const struct code_names *r = &p->reading;

	for (size_t i = 0; i < r->lexemes.count; i++)
		if (script_lexeme_is_keyword(r->lua, &r->lexemes.items[i], "function") ||
		    (starts_arguments(&r->lexemes, i) && !is_allowed_call(p, i)))
			return false;
	for (size_t i = 0; i < r->targets.count; i++)
		if (!r->targets.items[i].is_name && !r->targets.items[i].is_local &&
		    !changes_created_object(p, &r->targets.items[i]))
			return false;
	return true;
}

static void list_assigned(struct code_purity *p, struct grammar_code *code)
{
	const struct code_names *r = &p->reading;
	const char **names =
		arena_alloc(&p->builder->grammar->arena, (r->targets.count + 1) * sizeof *names);

	for (size_t i = 0; i < r->targets.count; i++) {
		const struct assignment_target *t = &r->targets.items[i];
		uint32_t known = 0;

		if (!t->is_name || t->is_local)
			continue;
		while (known < code->assign_count && !code_names_is(r, t->root, names[known]))
			known++;
		if (known == code->assign_count)
			names[code->assign_count++] = code_names_name(r, t->root);
	}
	code->assigns = names;
}

void code_purity_find(struct builder *builder)
{
	struct code_purity p = { .builder = builder };

	for (size_t i = 0; i < builder->grammar->codes.count; i++) {
		struct grammar_code *code = &builder->grammar->codes.items[i];

		code_names_open(&p.reading, builder, code);
		code->pure = is_code_pure(&p);
		list_assigned(&p, code);
		code_names_close(&p.reading);
	}
}

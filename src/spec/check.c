/*
 * Checks a property file without knowledge of the program, after names.c has resolved its names:
 * types in expressions, temporal operators outside of formulas, parameters that no event binds,
 * targets of the wrong type, and `use` statements.
 */
#include "spec/check.h"
#include "spec/spelling.h"
#include "base/mem.h"

#include <string.h>

/* ---- types in expressions -------------------------------------------------------------------- */

enum kind { UNKNOWN, INTEGER, REAL, TEXT };

struct check_checker {
	const struct spec_file *file;
	const struct spec_property *property;
	struct spec_messages *messages;
	const struct spec_formula *formula; /* NULL while an event is checked */
};

#define COMPLAIN(c, place, ...)                                                                    \
	spec_report((c)->file, (c)->messages, SPEC_ERROR, (place), __VA_ARGS__)

static const struct function {
	const char *name;
	unsigned texts, numbers;
} functions[] = { { "strstr", 2, 0 },
		  { "strcmp", 2, 0 },
		  { "strncmp", 2, 1 },
		  { "strlen", 1, 0 },
		  { "startswith", 2, 0 } };
#define FUNCTIONS (sizeof functions / sizeof *functions)

static enum kind kind_of_expr(struct check_checker *c, const struct spec_expr *e);

static enum kind kind_of_type(uint8_t type)
{
	switch (type) {
	case SPEC_STRING: return TEXT;
	case SPEC_FLOATING: return REAL;
	default: return INTEGER;
	}
}

static enum kind kind_of_name(struct check_checker *c, const struct spec_expr *e)
{
	if (e->parameter != SPEC_NONE)
		return kind_of_type(c->property->parameters[e->parameter].type);
	if (e->external != SPEC_NONE)
		return kind_of_type(c->file->externs[e->external].type);
	return UNKNOWN;
}

static void expect_kind(struct check_checker *c, const struct spec_expr *e, bool text,
			const char *function)
{
	enum kind kind = kind_of_expr(c, e);

	if (kind != UNKNOWN && (kind == TEXT) != text)
		COMPLAIN(c, e->place, "%s expects a %s here", function, text ? "string" : "number");
}

static enum kind check_call(struct check_checker *c, const struct spec_expr *e)
{
	const struct function *f = functions;
	struct spelling near;
	unsigned given = 0;

	while (f < functions + FUNCTIONS && strcmp(f->name, e->text) != 0)
		f++;
	if (f == functions + FUNCTIONS) {
		spelling_start(&near, e->text);
		for (size_t i = 0; i < FUNCTIONS; i++)
			spelling_try(&near, functions[i].name);
		COMPLAIN(c, e->place,
			 "there is no function '%s'; use strstr, strcmp, strncmp, strlen or "
			 "startswith%s",
			 e->text, spelling_hint(near.best).text);
		return UNKNOWN;
	}
	for (const struct spec_expr *x = e->left; x; x = x->next, given++)
		if (given < f->texts + f->numbers)
			expect_kind(c, x, given < f->texts, f->name);
	if (given != f->texts + f->numbers)
		COMPLAIN(c, e->place, "%s takes %u arguments, not %u", f->name,
			 f->texts + f->numbers, given);
	return INTEGER;
}

static bool is_comparison(uint8_t operator)
{
	return operator>= SPEC_LESS && operator<= SPEC_UNEQUAL;
}

static bool needs_integers(uint8_t operator)
{
	return operator== SPEC_MODULO || operator== SPEC_SHIFT_LEFT || operator==
		SPEC_SHIFT_RIGHT ||
		operator== SPEC_BIT_AND ||
		operator== SPEC_BIT_OR ||
		operator== SPEC_BIT_XOR ||
		operator== SPEC_COMPLEMENT;
}

static bool is_null(const struct spec_expr *e)
{
	return e->operator== SPEC_NUMBER && !e->number;
}

static enum kind check_binary(struct check_checker *c, const struct spec_expr *e)
{
	enum kind a = kind_of_expr(c, e->left), b = kind_of_expr(c, e->right);
	bool known = a != UNKNOWN && b != UNKNOWN;

	if (is_comparison(e->operator)) {
		if (known && (a == TEXT) != (b == TEXT) && !is_null(a == TEXT ? e->right : e->left))
			COMPLAIN(c, e->place, "a string cannot be compared with a number");
		return INTEGER;
	}
	if (a == TEXT || b == TEXT)
		COMPLAIN(c, e->place, "arithmetic on a string is not possible");
	else if ((a == REAL || b == REAL) && needs_integers(e->operator))
		COMPLAIN(c, e->place, "this operator works only on integers");
	return !known ? UNKNOWN : a == REAL || b == REAL ? REAL : INTEGER;
}

static enum kind check_unary(struct check_checker *c, const struct spec_expr *e)
{
	enum kind a = kind_of_expr(c, e->left);

	if (a == TEXT && e->operator!= SPEC_NOT)
		COMPLAIN(c, e->place, "arithmetic on a string is not possible");
	else if (a == REAL && needs_integers(e->operator))
		COMPLAIN(c, e->place, "this operator works only on integers");
	return e->operator== SPEC_NOT ? INTEGER : a;
}

/*
 * Checks a member, an element, `*x` or `&x`. Only globals can be used so: the innermost operand
 * must be a name.
 */
static enum kind check_member_or_index(struct check_checker *c, const struct spec_expr *e)
{
	const struct spec_expr *root = e;

	for (; root->operator== SPEC_MEMBER || root->operator== SPEC_INDEX ||
	       root->
	       operator== SPEC_DEREF || root->
	       operator== SPEC_ADDRESS;
	     root = root->left)
		if (root->operator== SPEC_INDEX)
			kind_of_expr(c, root->right);
	if (root->operator== SPEC_EVENT)
		COMPLAIN(c, e->place,
			 "'%s' is an event and has no members; implication is written '=>'",
			 root->text);
	else if (root->operator!= SPEC_NAME)
		COMPLAIN(c, e->place, "only a variable has members, elements and an address");
	return UNKNOWN;
}

/*
 * Checks a temporal operator. `always` and `never` formulas use past-time operators, `ltl:`
 * formulas use future-time operators.
 */
static enum kind check_temporal(struct check_checker *c, const struct spec_expr *e)
{
	bool future = e->operator>= SPEC_ALWAYS;
	bool past = e->operator>= SPEC_PREV && !future;

	if (!c->formula)
		COMPLAIN(c, e->place, "temporal operators are allowed only in formulas");
	else if (future && c->formula->formalism != SPEC_LTL)
		COMPLAIN(c, e->place,
			 "always, eventually, next and until are future operators, allowed only in "
			 "'ltl:'");
	else if (past && c->formula->formalism == SPEC_LTL)
		COMPLAIN(c, e->place,
			 "prev, once, sofar, since, start, end and [p, q) are past operators, "
			 "allowed only in 'always' and 'never', not in 'ltl:'");
	kind_of_expr(c, e->left);
	if (e->right)
		kind_of_expr(c, e->right);
	return INTEGER;
}

static enum kind kind_of_expr(struct check_checker *c, const struct spec_expr *e)
{
	switch (e->operator) {
	case SPEC_NUMBER: return INTEGER;
	case SPEC_REAL: return REAL;
	case SPEC_TEXT: return TEXT;
	case SPEC_NAME: return kind_of_name(c, e);
	case SPEC_EVENT: return INTEGER;
	case SPEC_CALL: return check_call(c, e);
	case SPEC_MEMBER:
	case SPEC_INDEX:
	case SPEC_DEREF:
	case SPEC_ADDRESS: return check_member_or_index(c, e);
	case SPEC_NOT:
	case SPEC_COMPLEMENT:
	case SPEC_NEGATE: return check_unary(c, e);
	case SPEC_AND:
	case SPEC_OR:
		kind_of_expr(c, e->left);
		kind_of_expr(c, e->right);
		return INTEGER;
	case SPEC_CONDITIONAL:
		kind_of_expr(c, e->left);
		kind_of_expr(c, e->third);
		return kind_of_expr(c, e->right);
	default: return e->operator<SPEC_IMPLIES ? check_binary(c, e) : check_temporal(c, e);
	}
}

/* ---- events ---------------------------------------------------------------------------------- */

static const char *type_with_article(uint8_t type)
{
	static const char *const names[] = { "an integer", "a floating-point number",
					     "a pointer",  "an address",
					     "a mutex",	   "a string",
					     "a thread" };
	return names[type];
}

/* Checks that the point can bind its target to a parameter of this type. */
static void check_target(struct check_checker *c, const struct spec_target *t, bool lock)
{
	if (!t || t->parameter == SPEC_NONE)
		return;
	const struct spec_parameter *p = &c->property->parameters[t->parameter];
	bool pointer = p->type == SPEC_POINTER;
	if (t->kind == SPEC_FIELD && !pointer)
		COMPLAIN(c, t->place, "'%s' is %s: it has no members", p->name,
			 type_with_article(p->type));
	else if (t->kind == SPEC_POINTED && !pointer && p->type != SPEC_ADDR)
		COMPLAIN(c, t->place, "'%s' is %s and cannot be dereferenced; declare 'addr %s'",
			 p->name, type_with_article(p->type), p->name);
	else if (t->kind == SPEC_OBJECT && lock && !pointer && p->type != SPEC_LOCK &&
		 p->type != SPEC_ADDR)
		COMPLAIN(c, t->place, "'%s' is %s; declare 'mutex %s'", p->name,
			 type_with_article(p->type), p->name);
	if (t->path && strchr(t->path, '*') && strcmp(t->path, "*") != 0)
		COMPLAIN(c, t->place, "'*' must be the whole member; write %s->*", t->name);
	else if (t->path && strstr(t->path, "->"))
		COMPLAIN(c, t->place,
			 "only the first '->' of '%s' is recorded; declare a parameter for the "
			 "object it points to",
			 t->name);
}

static void check_value(struct check_checker *c, const struct spec_argument *a)
{
	if (a && a->value)
		kind_of_expr(c, a->value);
}

static void check_point(struct check_checker *c, const struct spec_point *p)
{
	bool lock = p->kind == SPEC_POINT_REQUEST || p->kind == SPEC_POINT_ACQUIRE ||
		    p->kind == SPEC_POINT_RELEASE;
	bool thread = p->kind == SPEC_POINT_SPAWN || p->kind == SPEC_POINT_JOIN;

	for (uint32_t i = 0; i < p->argument_count; i++)
		check_value(c, &p->arguments[i]);
	check_value(c, p->result);
	if (p->result && (p->kind == SPEC_POINT_CALL || p->kind == SPEC_POINT_EXEC ||
			  p->kind == SPEC_POINT_PROBE))
		COMPLAIN(c, p->result->place, "only a 'return' has a result");
	if (thread && (p->argument_count > 1 || p->rest))
		COMPLAIN(c, p->place, "spawn and join take one argument, the thread");
	if (p->kind == SPEC_POINT_PROBE && (p->library || !strchr(p->function, ':')))
		COMPLAIN(c, p->place, "the name of a probe is APP:NAME");
	check_target(c, p->target, lock);
	check_target(c, p->holding, true);
	if (p->filter)
		kind_of_expr(c, p->filter);
	if (p->becomes)
		kind_of_expr(c, p->becomes);
}

static const struct spec_formula *find_grammar(const struct spec_property *property)
{
	const struct spec_formula *f = property->formulas;

	while (f && f->formalism != SPEC_GRAMMAR)
		f = f->next;
	return f;
}

/* Does not check the condition of a reset: src/grammar does, because the condition may be Lua. */
static void check_event(struct check_checker *c, const struct spec_event *e)
{
	bool grammar = find_grammar(c->property);

	for (const struct spec_point *p = e->points; p; p = p->next) {
		check_point(c, p);
		/*
		 * The words of a grammar contain all events of the property, including events that
		 * the grammar does not name.
		 */
		if (grammar && p->kind == SPEC_POINT_BECOMES)
			COMPLAIN(c, p->place,
				 "'becomes' is about states, but a grammar needs events; move it "
				 "to a property of its own");
	}
	if (e->reset && !grammar)
		COMPLAIN(c, e->place, "'reset' is only for grammars, and '%s' has no grammar",
			 c->property->name);
}

/*
 * A property with parameters and a grammar needs a view, which says which events form one word
 * (doc/grammars.md).
 */
static void check_view(struct check_checker *c)
{
	const struct spec_formula *grammar = find_grammar(c->property);

	if (grammar && c->property->parameter_count && c->property->view == SPEC_VIEW_NONE)
		COMPLAIN(c, grammar->place,
			 "which events form one word? Add 'view thread;', 'view object PARAMETER;' "
			 "or 'view global;'");
}

static void mark_bound_parameters(bool *bound, const struct spec_point *p)
{
	for (uint32_t i = 0; i < p->argument_count; i++)
		if (p->arguments[i].parameter != SPEC_NONE)
			bound[p->arguments[i].parameter] = true;
	if (p->result && p->result->parameter != SPEC_NONE)
		bound[p->result->parameter] = true;
	if (p->target && p->target->parameter != SPEC_NONE)
		bound[p->target->parameter] = true;
	if (p->holding && p->holding->parameter != SPEC_NONE)
		bound[p->holding->parameter] = true;
}

/*
 * Is there a message at this location? If a parameter is declared twice, this has been reported
 * there.
 */
static bool has_message_at(const struct check_checker *c, struct spec_location place)
{
	for (size_t i = 0; i < c->messages->list.count; i++)
		if (c->messages->list.items[i].place.line == place.line &&
		    c->messages->list.items[i].place.column == place.column)
			return true;
	return false;
}

static void check_bound(struct check_checker *c)
{
	uint32_t count = c->property->parameter_count;
	bool *bound = mem_zalloc(count, sizeof *bound);
	bool broken = false;

	for (uint32_t i = 0; i < c->property->event_count; i++) {
		broken |= !c->property->events[i].points;
		for (const struct spec_point *p = c->property->events[i].points; p; p = p->next)
			mark_bound_parameters(bound, p);
	}
	for (uint32_t i = 0; i < count && !broken; i++)
		if (!bound[i] && !has_message_at(c, c->property->parameters[i].place))
			COMPLAIN(c, c->property->parameters[i].place, "no event binds '%s'",
				 c->property->parameters[i].name);
	free(bound);
}

/*
 * ---- use statements and files -----------------------------------------------------------------
 */

static const struct check_analysis {
	const char *name, *option;
} analyses[] = {
	{ "race", NULL },	 { "deadlock", NULL },		{ "atomicity", NULL },
	{ "lost-signal", NULL }, { "use-after-free", NULL },	{ "misuse", NULL },
	{ "eraser", NULL },	 { "goodlock", "max_threads" },
};
#define ANALYSES (sizeof analyses / sizeof *analyses)

static void check_use(struct check_checker *c, const struct spec_use *use)
{
	const struct check_analysis *a = analyses;
	struct spelling near;

	while (a < analyses + ANALYSES && strcmp(a->name, use->name) != 0)
		a++;
	if (a == analyses + ANALYSES) {
		spelling_start(&near, use->name);
		for (size_t i = 0; i < ANALYSES; i++)
			spelling_try(&near, analyses[i].name);
		COMPLAIN(c, use->place, "there is no analysis '%s'%s", use->name,
			 spelling_hint(near.best).text);
	} else if (use->option && !a->option) {
		COMPLAIN(c, use->option_place, "'%s' has no options", use->name);
	} else if (use->option && strcmp(use->option, a->option) != 0) {
		COMPLAIN(c, use->option_place, "'%s' has no option '%s'; it has '%s'", use->name,
			 use->option, a->option);
	} else if (use->option && use->value < 2) {
		COMPLAIN(c, use->option_place, "'%s' must be at least 2", use->option);
	}
}

void check_file(const struct spec_file *file, struct spec_messages *messages)
{
	struct check_checker c = { .file = file, .messages = messages };

	for (const struct spec_use *use = file->uses; use; use = use->next)
		check_use(&c, use);
	for (const struct spec_property *p = file->properties; p; p = p->next) {
		c.property = p;
		c.formula = NULL;
		for (uint32_t i = 0; i < p->event_count; i++)
			check_event(&c, &p->events[i]);
		check_bound(&c);
		check_view(&c);
		for (c.formula = p->formulas; c.formula; c.formula = c.formula->next) {
			if (c.formula->expr)
				kind_of_expr(&c, c.formula->expr);
			if (c.formula->pattern)
				check_pattern(file, c.formula, messages);
		}
		if (!p->formulas && !messages->errors)
			COMPLAIN(&c, p->place, "'%s' has no formula, so there is nothing to check",
				 p->name);
	}
}

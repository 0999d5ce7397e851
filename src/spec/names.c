/*
 * Resolves names. In a point a name is a parameter or a local of the event; in a filter it may also
 * be a global of the program; in a formula it is an event, a parameter or a global.
 */
#include "spec/names.h"
#include "spec/message.h"
#include "spec/spelling.h"
#include "base/intern.h"
#include "base/mem.h"

#include <string.h>

/* A set of names, each with its index in the tree. The first declaration of a name counts. */
struct names_table {
	struct intern names;
	VEC(uint32_t) numbers;
};

struct resolver {
	struct spec_file *file;
	struct arena *arena;
	struct spec_messages *messages;
	struct names_table parameters, events, externs, productions;
	struct spec_property *property;
	struct intern locals;	  /* of the current event */
	struct names_table bound; /* names that the current point binds */
	const struct spec_formula *formula;
};

#define COMPLAIN(r, place, ...)                                                                    \
	spec_report((r)->file, (r)->messages, SPEC_ERROR, (place), __VA_ARGS__)

static uint32_t find_name(const struct names_table *table, const char *name)
{
	uint32_t number = intern_find(&table->names, name, strlen(name));

	return number == UINT32_MAX ? SPEC_NONE : table->numbers.items[number];
}

/* Adds a name. Returns false if the table has it already. */
static bool add_name(struct names_table *table, const char *name, uint32_t number)
{
	bool fresh;

	intern_put(&table->names, name, strlen(name), &fresh);
	if (fresh)
		*vec_push(&table->numbers) = number;
	return fresh;
}

static void clear_names(struct names_table *table)
{
	intern_free(&table->names);
	vec_free(&table->numbers);
}

/*
 * Tries every name as a correction of a misspelt name. The cost grows with the number of names, so
 * this does nothing if the message would be dropped anyway.
 */
static void suggest_from(const struct resolver *r, struct spelling *near,
			 const struct intern *names)
{
	if (message_is_full(r->messages, SPEC_ERROR))
		return;
	for (size_t i = 0; i < names->items.count; i++)
		spelling_try(near, names->items.items[i].text);
}

/* ---- declarations ---------------------------------------------------------------------------- */

static const char *const reserved[] = {
	"_",	 "int",	   "unsigned", "signed", "long",   "short",   "char",
	"float", "double", "void",     "const",	 "struct", "union",   "enum",
	"class", "sizeof", "NULL",     "true",	 "false",  "nullptr",
};

static bool is_reserved(const char *name)
{
	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		if (!strcmp(name, reserved[i]))
			return true;
	return false;
}

static bool check_not_reserved(struct resolver *r, struct spec_location place, const char *what,
			       const char *name)
{
	if (!is_reserved(name))
		return true;
	COMPLAIN(r, place, "%s cannot be called '%s': that is a reserved word", what, name);
	return false;
}

#define MOST_PARAMETERS 64u

static void declare_parameters(struct resolver *r)
{
	if (r->property->parameter_count > MOST_PARAMETERS)
		COMPLAIN(r, r->property->place, "a property can have at most %u parameters",
			 MOST_PARAMETERS);
	for (uint32_t i = 0; i < r->property->parameter_count; i++) {
		const struct spec_parameter *p = &r->property->parameters[i];

		check_not_reserved(r, p->place, "a parameter", p->name);
		if (!add_name(&r->parameters, p->name, i))
			COMPLAIN(r, p->place, "parameter '%s' is declared twice", p->name);
	}
}

static void declare_events(struct resolver *r)
{
	for (uint32_t i = 0; i < r->property->event_count; i++) {
		const struct spec_event *e = &r->property->events[i];
		uint32_t first = find_name(&r->events, e->name);

		check_not_reserved(r, e->place, "an event", e->name);
		if (find_name(&r->parameters, e->name) != SPEC_NONE)
			COMPLAIN(r, e->place, "'%s' is a parameter and cannot also be an event",
				 e->name);
		else if (first != SPEC_NONE)
			COMPLAIN(r, e->place,
				 "event '%s' is already declared in line %u; separate the points "
				 "of one event by commas",
				 e->name, r->property->events[first].place.line);
		add_name(&r->events, e->name, i);
	}
}

/* ---- points ---------------------------------------------------------------------------------- */

static uint32_t add_local(struct resolver *r, const char *name)
{
	return intern_put(&r->locals, name, strlen(name), NULL);
}

static void bind_slot(struct resolver *r, struct spec_argument *a)
{
	if (!a || (a->slot != SPEC_BINDS && a->slot != SPEC_BINDS_POINTED))
		return;
	a->parameter = find_name(&r->parameters, a->name);
	if (a->parameter == SPEC_NONE && check_not_reserved(r, a->place, "a bound name", a->name))
		a->local = add_local(r, a->name);
	if (!add_name(&r->bound, a->name, 0))
		COMPLAIN(r, a->place,
			 "'%s' is bound twice by one point; use another name and compare with if "
			 "(...)",
			 a->name);
}

/*
 * Resolves the name of a target. In `o->f`, in `*a` and for a mutex `m` the name is a parameter. A
 * plain name, or a name with members, may also be a global.
 */
static void resolve_target(struct resolver *r, struct spec_target *t, bool lock)
{
	struct spelling near;

	if (!t)
		return;
	t->parameter = find_name(&r->parameters, t->name);
	if (t->parameter != SPEC_NONE) {
		add_name(&r->bound, t->name, 0);
		if (t->kind == SPEC_POINTED)
			return;
		if (t->path && t->arrow)
			t->kind = SPEC_FIELD;
		else if (t->path)
			COMPLAIN(r, t->place, "'%s' is a parameter; write its members with '->'",
				 t->name);
		else if (lock)
			t->kind = SPEC_OBJECT;
		else
			COMPLAIN(r, t->place,
				 "'%s' is a parameter; write '*%s' for the memory it points to, or "
				 "'%s->member'",
				 t->name, t->name, t->name);
		return;
	}
	if (t->kind != SPEC_POINTED && !t->arrow)
		return;
	spelling_start(&near, t->name);
	suggest_from(r, &near, &r->parameters.names);
	COMPLAIN(r, t->place,
		 "'%s' is not a parameter of '%s'; only a parameter can be dereferenced here%s",
		 t->name, r->property->name, spelling_hint(near.best).text);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static bool is_implicit(const char *name)
{
	return !strcmp(name, "tid") || !strcmp(name, "atomic");
}

/*
 * Resolves a name in a filter. It can be a parameter, a name that the same point binds, `tid` or
 * `atomic`, or a global.
 */
static void resolve_in_filter(struct resolver *r, struct spec_expr *e)
{
	e->parameter = find_name(&r->parameters, e->text);
	if (e->parameter != SPEC_NONE)
		return;
	e->external = find_name(&r->externs, e->text);
	if (find_name(&r->bound, e->text) != SPEC_NONE ||
	    (is_implicit(e->text) && e->external == SPEC_NONE)) {
		e->local = add_local(r, e->text);
		e->external = SPEC_NONE;
	} else if (intern_find(&r->locals, e->text, e->text_length) != UINT32_MAX)
		COMPLAIN(r, e->place,
			 "'%s' is bound by another point, not by the point of this filter",
			 e->text);
}

static void resolve_in_formula(struct resolver *r, struct spec_expr *e)
{
	e->event = find_name(&r->events, e->text);
	e->parameter = find_name(&r->parameters, e->text);
	if (e->event == SPEC_NONE && e->parameter == SPEC_NONE)
		e->external = find_name(&r->externs, e->text);
	if (e->event != SPEC_NONE && e->parameter == SPEC_NONE)
		e->operator= SPEC_EVENT;
	else if (e->event == SPEC_NONE && !strcmp(e->text, "_"))
		COMPLAIN(r, e->place, "'_' stands for any argument of a point; it has no value");
}

static void resolve_call(struct resolver *r, struct spec_expr *e)
{
	bool one = e->left && !e->left->next;

	if (!r->formula)
		return;
	if (one && !strcmp(e->text, "start"))
		e->operator= SPEC_START;
	else if (one && !strcmp(e->text, "end"))
		e->operator= SPEC_END;
}

/*
 * Resolves all names in an expression. `r->formula` is set if it belongs to a formula. SPEC_DEPTH
 * bounds the recursion.
 */
static void resolve_expr(struct resolver *r, struct spec_expr *e)
{
	for (; e; e = e->next) {
		if (e->operator== SPEC_CALL)
			resolve_call(r, e);
		else if (e->operator== SPEC_NAME && r->formula)
			resolve_in_formula(r, e);
		else if (e->operator== SPEC_NAME)
			resolve_in_filter(r, e);
		resolve_expr(r, e->left);
		resolve_expr(r, e->right);
		resolve_expr(r, e->third);
	}
}

/*
 * Reports names that the event binds in a value with which an argument is compared. Such a value
 * must be the same for all events.
 */
static void reject_bound_names(struct resolver *r, const struct spec_expr *e)
{
	for (; e; e = e->next) {
		if (e->operator== SPEC_NAME &&(find_name(&r->parameters, e->text) != SPEC_NONE ||
					       find_name(&r->bound, e->text) != SPEC_NONE))
			COMPLAIN(r, e->place,
				 "'%s' can only be bound here, not used in an expression; bind "
				 "another name and compare with if (...)",
				 e->text);
		reject_bound_names(r, e->left);
		reject_bound_names(r, e->right);
		reject_bound_names(r, e->third);
	}
}

/* ---- events ---------------------------------------------------------------------------------- */

static void resolve_point(struct resolver *r, struct spec_point *p)
{
	clear_names(&r->bound);
	for (uint32_t i = 0; i < p->argument_count; i++)
		bind_slot(r, &p->arguments[i]);
	bind_slot(r, p->result);
	resolve_target(r, p->target, p->kind >= SPEC_POINT_REQUEST);
	resolve_target(r, p->holding, true);
	for (uint32_t i = 0; i < p->argument_count; i++)
		reject_bound_names(r, p->arguments[i].value);
	if (p->result)
		reject_bound_names(r, p->result->value);
}

static void resolve_life(struct resolver *r, const struct spec_event *e, struct spec_lifetime *life)
{
	struct spelling near;

	life->parameter = find_name(&r->parameters, life->name);
	if (life->parameter == SPEC_NONE) {
		spelling_start(&near, life->name);
		suggest_from(r, &near, &r->parameters.names);
		COMPLAIN(r, life->place, "'%s' is not a parameter of '%s'%s", life->name,
			 r->property->name, spelling_hint(near.best).text);
		return;
	}
	for (const struct spec_point *p = e->points; p; p = p->next)
		if (!spec_point_binds(p, life->parameter)) {
			COMPLAIN(r, life->place,
				 "not every point of '%s' binds '%s', so it is unknown whose "
				 "lifetime %s",
				 e->name, life->name, life->ends ? "ends" : "starts");
			return;
		}
}

static void resolve_event(struct resolver *r, struct spec_event *e)
{
	for (struct spec_point *p = e->points; p; p = p->next)
		resolve_point(r, p);
	/*
	 * Resolve the filters after all points. Then an error about a name in a filter can say that
	 * another point binds the name.
	 */
	for (struct spec_point *p = e->points; p; p = p->next) {
		clear_names(&r->bound);
		for (uint32_t i = 0; i < p->argument_count; i++)
			if (p->arguments[i].name)
				add_name(&r->bound, p->arguments[i].name, 0);
		if (p->result && p->result->name)
			add_name(&r->bound, p->result->name, 0);
		resolve_expr(r, p->filter);
		resolve_expr(r, p->becomes);
	}
	for (struct spec_lifetime *life = e->lives; life; life = life->next)
		resolve_life(r, e, life);
	e->local_count = (uint32_t)r->locals.items.count;
	e->locals = arena_alloc(r->arena, e->local_count * sizeof *e->locals);
	for (uint32_t i = 0; i < e->local_count; i++)
		e->locals[i] = arena_text(r->arena, r->locals.items.items[i].text,
					  r->locals.items.items[i].length);
	intern_free(&r->locals);
	clear_names(&r->bound);
}

/* ---- formulas -------------------------------------------------------------------------------- */

static uint32_t find_event(struct resolver *r, const char *name, struct spec_location place)
{
	uint32_t event = find_name(&r->events, name);
	struct spelling near;

	if (event != SPEC_NONE)
		return event;
	spelling_start(&near, name);
	suggest_from(r, &near, &r->events.names);
	if (find_name(&r->parameters, name) != SPEC_NONE)
		COMPLAIN(r, place, "'%s' is a parameter; an event is expected here", name);
	else
		COMPLAIN(r, place, "'%s' has no event '%s'%s", r->property->name, name,
			 spelling_hint(near.best).text);
	return SPEC_NONE;
}

static void resolve_pattern(struct resolver *r, struct spec_pattern *p)
{
	for (; p; p = p->next) {
		if (p->kind == SPEC_LEAF)
			p->event =
				find_event(r, p->name,
					   (struct spec_location){ p->place.line, p->place.column,
								   (uint32_t)strlen(p->name) });
		resolve_pattern(r, p->parts);
	}
}

static void resolve_ere(struct resolver *r, struct spec_ere *e)
{
	for (; e; e = e->next) {
		if (e->kind == SPEC_ERE_EVENT && find_name(&r->events, e->name) == SPEC_NONE) {
			if (!strcmp(e->name, "epsilon"))
				e->kind = SPEC_ERE_EPSILON;
			else if (!strcmp(e->name, "empty"))
				e->kind = SPEC_ERE_EMPTY;
		}
		if (e->kind == SPEC_ERE_EVENT)
			e->event = find_event(r, e->name, e->place);
		resolve_ere(r, e->parts);
	}
}

static void resolve_item(struct resolver *r, struct spec_item *item)
{
	struct spelling near;

	item->number = find_name(&r->events, item->name);
	if (item->number != SPEC_NONE)
		return;
	item->number = find_name(&r->productions, item->name);
	item->kind = SPEC_ITEM_PRODUCTION;
	if (item->number != SPEC_NONE)
		return;
	spelling_start(&near, item->name);
	suggest_from(r, &near, &r->events.names);
	suggest_from(r, &near, &r->productions.names);
	COMPLAIN(r, item->place, "there is no event or production '%s'%s", item->name,
		 spelling_hint(near.best).text);
}

static void resolve_grammar(struct resolver *r, struct spec_grammar *g)
{
	clear_names(&r->productions);
	for (uint32_t i = 0; i < g->production_count; i++) {
		const struct spec_production *p = &g->productions[i];

		if (find_name(&r->events, p->name) != SPEC_NONE)
			COMPLAIN(r, p->place, "'%s' is an event and cannot also be a production",
				 p->name);
		else if (!add_name(&r->productions, p->name, i))
			COMPLAIN(r, p->place,
				 "production '%s' is declared twice; separate its alternatives by "
				 "'|'",
				 p->name);
	}
	for (uint32_t i = 0; i < g->production_count; i++)
		for (struct spec_alternative *a = g->productions[i].alternatives; a; a = a->next)
			for (struct spec_item *item = a->items; item; item = item->next)
				if (item->name)
					resolve_item(r, item);
}

static void resolve_formula(struct resolver *r, struct spec_formula *f)
{
	r->formula = f;
	if (f->expr)
		resolve_expr(r, f->expr);
	if (f->pattern)
		resolve_pattern(r, f->pattern);
	if (f->ere)
		resolve_ere(r, f->ere);
	if (f->grammar)
		resolve_grammar(r, f->grammar);
	r->formula = NULL;
}

static void resolve_view(struct resolver *r)
{
	struct spec_property *p = r->property;
	struct spelling near;

	if (p->view != SPEC_VIEW_OBJECT)
		return;
	p->view_parameter = find_name(&r->parameters, p->view_name);
	if (p->view_parameter != SPEC_NONE)
		return;
	spelling_start(&near, p->view_name);
	suggest_from(r, &near, &r->parameters.names);
	COMPLAIN(r, p->view_place, "'%s' is not a parameter of '%s'%s", p->view_name, p->name,
		 spelling_hint(near.best).text);
}

static void resolve_property(struct resolver *r)
{
	struct spec_property *p = r->property;

	declare_parameters(r);
	declare_events(r);
	for (uint32_t i = 0; i < p->event_count; i++)
		resolve_event(r, &p->events[i]);
	for (struct spec_formula *f = p->formulas; f; f = f->next)
		resolve_formula(r, f);
	resolve_view(r);
	clear_names(&r->parameters);
	clear_names(&r->events);
	clear_names(&r->productions);
}

void names_resolve(struct spec_file *file, struct arena *arena, struct spec_messages *messages)
{
	struct resolver r = { .file = file, .arena = arena, .messages = messages };
	struct names_table properties = { 0 };

	for (uint32_t i = 0; i < file->extern_count; i++) {
		check_not_reserved(&r, file->externs[i].place, "a variable", file->externs[i].name);
		add_name(&r.externs, file->externs[i].name, i);
	}
	for (struct spec_property *p = file->properties; p; p = p->next) {
		check_not_reserved(&r, p->place, "a property", p->name);
		if (!add_name(&properties, p->name, 0))
			COMPLAIN(&r, p->place, "property '%s' is declared twice", p->name);
		r.property = p;
		resolve_property(&r);
	}
	clear_names(&properties);
	clear_names(&r.externs);
}

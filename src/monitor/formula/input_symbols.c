/*
 * Turns labels into input symbols (input_symbols.h): tracks the values of a formula's variables as
 * numbered vectors and evaluates its atoms on them. Values that no expression distinguishes are
 * folded into one, to keep the number of monitor states small.
 */
#include "monitor/formula/input_symbols.h"
#include "base/mem.h"
#include "property/raw_value.h"

#include <assert.h>
#include <string.h>

/* The value of a variable in a vector of values. */
struct variable_value {
	uint8_t bytes[8];
	uint8_t unknown; /* bit per byte */
};

struct formula_variable {
	const struct label_variable *of;
	/*
	 * The variable is only written as a whole, and no expression names it together with another
	 * variable. Then only the results of these expressions matter, and one value stands for all
	 * values with the same results.
	 */
	bool folds;
};

/* A name in an expression, and the variable that it means. */
struct named_variable {
	const struct spec_expr *expr;
	uint32_t variable; /* SPEC_NONE: the trace has no such variable */
};

struct formula_atom {
	const struct spec_expr *expr; /* NULL: an event */
	uint32_t event;
};

struct input_symbols {
	const struct property_set *set;
	const struct labels *labels;
	uint32_t property;
	VEC(struct formula_atom) atoms;
	VEC(const struct spec_expr *) exprs; /* all expressions that are evaluated */
	VEC(struct named_variable) names;
	VEC(struct formula_variable) variables;
	/* by variable of the labels: 1 + its index in `variables`; 0: none */
	uint32_t *variable_of;
	VEC(struct spec_value) parameters;
	struct intern vectors, folded;
	/* by number in `folded`: the value that stands for all values with this number */
	VEC(struct variable_value) examples;
	struct variable_value *current;
};

static const struct spec_property *property_of_symbols(const struct input_symbols *l)
{
	return l->set->properties.items[l->property].property;
}

/* ---- finding the variables ------------------------------------------------------------------- */

static uint32_t find_or_add_variable(struct input_symbols *l, const char *name)
{
	for (uint32_t i = 0; i < l->labels->variables.count; i++) {
		const struct label_variable *v = &l->labels->variables.items[i];

		if (strcmp(v->name, name) != 0)
			continue;
		if (!v->known || v->size > sizeof(struct variable_value))
			return SPEC_NONE;
		if (!l->variable_of[i]) {
			*vec_push(&l->variables) =
				(struct formula_variable){ .of = v, .folds = true };
			l->variable_of[i] = (uint32_t)l->variables.count;
		}
		return l->variable_of[i] - 1;
	}
	return SPEC_NONE;
}

static void add_names(struct input_symbols *l, const struct spec_expr *e)
{
	for (; e; e = e->next) {
		char name[512];
		bool is_variable =
			e->operator== SPEC_NAME || e->operator== SPEC_MEMBER || e->operator==
			SPEC_INDEX;

		if (is_variable && spec_variable_name(e, name, sizeof name)) {
			*vec_push(&l->names) = (struct named_variable){
				.expr = e, .variable = find_or_add_variable(l, name)
			};
			continue;
		}
		add_names(l, e->left);
		add_names(l, e->right);
		add_names(l, e->third);
	}
}

static void add_expr(struct input_symbols *l, const struct spec_expr *e)
{
	size_t from = l->names.count;

	add_names(l, e);
	*vec_push(&l->exprs) = e;
	for (size_t i = from; i < l->names.count; i++)
		for (size_t k = from; k < l->names.count; k++) {
			uint32_t variable = l->names.items[i].variable;

			if (variable != SPEC_NONE && variable != l->names.items[k].variable)
				l->variables.items[variable].folds = false;
		}
}

static void find_partial_writes(struct input_symbols *l)
{
	for (size_t i = 0; i < l->labels->list.count; i++)
		for (uint32_t k = 0; k < l->labels->list.items[i].write_count; k++) {
			const struct label_write *w = &l->labels->list.items[i].writes[k];
			uint32_t variable = l->variable_of[w->variable];

			if (variable &&
			    (w->offset || w->size != l->variables.items[variable - 1].of->size))
				l->variables.items[variable - 1].folds = false;
		}
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Reads the values that the instance binds. */
static void read_binding(struct input_symbols *l)
{
	const struct property_events *events = &l->set->properties.items[l->property];

	for (uint32_t i = 0; i < events->property->parameter_count; i++) {
		struct spec_value known = { .type = SPEC_VALUE_UNKNOWN };
		uint32_t number = l->labels->binding ? l->labels->binding[i] : PROPERTY_NONE;

		if (number != PROPERTY_NONE)
			known = raw_value_of_known(&events->values.items[number]);
		*vec_push(&l->parameters) = known;
	}
}

/*
 * Adds the expressions of a `becomes` event. Rejects `holding`, which asks about a thread: a value
 * belongs to no thread.
 */
static bool add_becomes(struct input_symbols *l, const struct spec_event *event, struct err *err)
{
	for (const struct spec_point *p = event->points; p; p = p->next) {
		if (p->kind != SPEC_POINT_BECOMES)
			continue;
		if (p->holding)
			return err_set(err,
				       "line %u: `becomes` with `holding` cannot be judged: a "
				       "condition does not belong to a thread",
				       p->place.line);
		add_expr(l, p->becomes);
		if (p->filter)
			add_expr(l, p->filter);
	}
	return true;
}

static bool add_atom(struct input_symbols *l, struct formula_atom atom, struct err *err)
{
	*vec_push(&l->atoms) = atom;
	if (atom.expr) {
		add_expr(l, atom.expr);
		return true;
	}
	return add_becomes(l, &property_of_symbols(l)->events[atom.event], err);
}

static bool add_atoms(struct input_symbols *l, const struct spec_expr *const *atoms, size_t count,
		      struct err *err)
{
	if (!atoms)
		count = property_of_symbols(l)->event_count;
	if (count > 64)
		return err_set(err, "the property has more than 64 events");
	for (size_t i = 0; i < count; i++) {
		struct formula_atom atom = { .event = (uint32_t)i };

		if (atoms && atoms[i]->operator== SPEC_EVENT)
			atom.event = atoms[i]->event;
		else if (atoms)
			atom.expr = atoms[i];
		if (!add_atom(l, atom, err))
			return false;
	}
	return true;
}

struct input_symbols *input_symbols_open(const struct property_set *set, uint32_t property,
					 const struct labels *labels,
					 const struct spec_expr *const *atoms, size_t count,
					 struct err *err)
{
	struct input_symbols *l = mem_zalloc(1, sizeof *l);

	l->set = set;
	l->property = property;
	l->labels = labels;
	l->variable_of = mem_zalloc(labels->variables.count + 1, sizeof *l->variable_of);
	read_binding(l);
	if (!add_atoms(l, atoms, count, err)) {
		input_symbols_close(l);
		return NULL;
	}
	find_partial_writes(l);
	l->current = mem_zalloc(l->variables.count + 1, sizeof *l->current);
	return l;
}

void input_symbols_close(struct input_symbols *l)
{
	vec_free(&l->atoms);
	vec_free(&l->exprs);
	vec_free(&l->names);
	vec_free(&l->variables);
	vec_free(&l->parameters);
	vec_free(&l->examples);
	intern_free(&l->vectors);
	intern_free(&l->folded);
	free(l->variable_of);
	free(l->current);
	free(l);
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct spec_value value_of_global(void *context, const struct spec_expr *expr)
{
	const struct input_symbols *l = context;
	const struct spec_value nothing = { .type = SPEC_VALUE_UNKNOWN };

	for (size_t i = 0; i < l->names.count; i++) {
		uint32_t variable = l->names.items[i].variable;

		if (l->names.items[i].expr != expr)
			continue;
		if (variable == SPEC_NONE || l->current[variable].unknown)
			return nothing;
		const struct label_variable *v = l->variables.items[variable].of;
		struct property_raw raw =
			raw_value_bytes(l->current[variable].bytes, v->size, v->form);
		return raw_value_spec_value(&raw, raw.real ? SPEC_FLOATING : SPEC_INT);
	}
	return nothing;
}

enum input_symbols_truth { IS_FALSE, IS_TRUE, IS_UNKNOWN };

/* Evaluates the expression on the values in `current`. */
static enum input_symbols_truth evaluate(struct input_symbols *l, const struct spec_expr *expr)
{
	struct spec_scope scope = { .context = l,
				    .parameters = l->parameters.items,
				    .global = value_of_global };
	struct spec_value value = spec_evaluate(expr, &scope);

	switch (value.type) {
	case SPEC_VALUE_INT: return value.number != 0;
	case SPEC_VALUE_REAL: return value.real != 0;
	case SPEC_VALUE_TEXT: return IS_TRUE; /* a pointer that is not null */
	default: return IS_UNKNOWN;
	}
}

static bool names_variable(const struct input_symbols *l, const struct spec_expr *e,
			   uint32_t variable)
{
	for (; e; e = e->next) {
		for (size_t i = 0; i < l->names.count; i++)
			if (l->names.items[i].expr == e && l->names.items[i].variable == variable)
				return true;
		if ((e->left && names_variable(l, e->left, variable)) ||
		    (e->right && names_variable(l, e->right, variable)) ||
		    (e->third && names_variable(l, e->third, variable)))
			return true;
	}
	return false;
}

/*
 * Replaces the variable's current value by the one that stands for it. Example: if the expressions
 * are `n > 0` and `n < 100`, a counter with a million values keeps only three.
 */
static void fold_value(struct input_symbols *l, uint32_t variable)
{
	VEC(char) says = { 0 };
	uint32_t number;
	bool fresh;

	for (size_t i = 0; i < sizeof variable; i++)
		*vec_push(&says) = (char)(variable >> 8 * i);
	for (size_t i = 0; i < l->exprs.count; i++)
		if (names_variable(l, l->exprs.items[i], variable))
			*vec_push(&says) = (char)evaluate(l, l->exprs.items[i]);
	number = intern_put(&l->folded, says.items, says.count, &fresh);
	vec_free(&says);
	if (fresh)
		*vec_push(&l->examples) = l->current[variable];
	l->current[variable] = l->examples.items[number];
}

static uint32_t number_current_values(struct input_symbols *l)
{
	for (uint32_t i = 0; i < l->variables.count; i++)
		if (l->variables.items[i].folds)
			fold_value(l, i);
	return intern_put(&l->vectors, (const char *)l->current,
			  l->variables.count * sizeof *l->current, NULL);
}

static void restore_values(struct input_symbols *l, uint32_t values)
{
	memcpy(l->current, intern_text(&l->vectors, values),
	       l->variables.count * sizeof *l->current);
}

static void apply_writes(struct input_symbols *l, const struct label *label)
{
	for (uint32_t i = 0; i < label->write_count; i++) {
		const struct label_write *w = &label->writes[i];
		uint32_t variable = l->variable_of[w->variable];
		struct variable_value *cell;
		uint8_t mask = (uint8_t)((1u << w->size) - 1);

		if (!variable)
			continue;
		cell = &l->current[variable - 1];
		assert(w->offset + w->size <= (int)sizeof cell->bytes);
		mask = (uint8_t)(mask << w->offset);
		if (w->unknown) {
			cell->unknown |= mask;
			memset(cell->bytes + w->offset, 0, w->size);
		} else {
			cell->unknown &= (uint8_t)~mask;
			memcpy(cell->bytes + w->offset, w->bytes, w->size);
		}
	}
}

/* ---- input symbols --------------------------------------------------------------------------- */

static void set_atom(struct input_symbol *symbol, size_t atom, enum input_symbols_truth truth)
{
	if (truth == IS_TRUE)
		symbol->holds |= 1ull << atom;
	else if (truth == IS_UNKNOWN)
		symbol->unknown |= 1ull << atom;
}

static bool happens(const struct input_symbols *l, const struct label *label, uint32_t event)
{
	for (uint32_t i = 0; i < label->event_count; i++)
		if (label->events[i].property == l->property && label->events[i].event == event)
			return true;
	return false;
}

/*
 * Does an event's `becomes` condition become true between two vectors of values, given by number?
 * Leaves the vector `now` in l->current.
 */
static enum input_symbols_truth becomes(struct input_symbols *l, const struct spec_event *event,
					uint32_t before, uint32_t current)
{
	enum input_symbols_truth any = IS_FALSE;

	if (before == current)
		return IS_FALSE;
	for (const struct spec_point *p = event->points; p; p = p->next) {
		enum input_symbols_truth was, is, filter;

		if (p->kind != SPEC_POINT_BECOMES)
			continue;
		restore_values(l, before);
		was = evaluate(l, p->becomes);
		restore_values(l, current);
		is = evaluate(l, p->becomes);
		filter = p->filter ? evaluate(l, p->filter) : IS_TRUE;
		if (was == IS_TRUE || is == IS_FALSE || filter == IS_FALSE)
			continue;
		if (was == IS_FALSE && is == IS_TRUE && filter == IS_TRUE)
			return IS_TRUE;
		any = IS_UNKNOWN;
	}
	return any;
}

void input_symbols_first(struct input_symbols *l, struct input_symbol *first)
{
	for (size_t i = 0; i < l->variables.count; i++) {
		const struct label_variable *v = l->variables.items[i].of;

		l->current[i] = (struct variable_value){ .unknown = v->initial_unknown ? 0xff : 0 };
		memcpy(l->current[i].bytes, v->initial, v->size);
	}
	*first = (struct input_symbol){ .values = number_current_values(l) };
	for (size_t i = 0; i < l->atoms.count; i++)
		if (l->atoms.items[i].expr)
			set_atom(first, i, evaluate(l, l->atoms.items[i].expr));
}

void input_symbols_step(struct input_symbols *l, uint32_t values, uint32_t label,
			struct input_symbol *next)
{
	const struct label *what = &l->labels->list.items[label];

	restore_values(l, values);
	apply_writes(l, what);
	*next = (struct input_symbol){ .values = number_current_values(l) };
	for (size_t i = 0; i < l->atoms.count; i++) {
		const struct formula_atom *a = &l->atoms.items[i];

		if (a->expr)
			set_atom(next, i, evaluate(l, a->expr));
		else if (happens(l, what, a->event))
			set_atom(next, i, IS_TRUE);
		else
			set_atom(next, i,
				 becomes(l, &property_of_symbols(l)->events[a->event], values,
					 next->values));
	}
}

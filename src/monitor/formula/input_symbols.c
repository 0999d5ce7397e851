#include "monitor/formula/input_symbols.h"
#include "base/mem.h"
#include "property/raw_value.h"

#include <assert.h>
#include <string.h>

/* A variable in a vector of values. */
struct input_symbols_cell {
	uint8_t bytes[8];
	uint8_t unknown; /* by byte */
};

struct slot {
	const struct label_variable *variable;
	/*
	 * Only ever written as a whole, and no expression names another variable beside it: all
	 * that matters is what its expressions say, so one value stands for all that say the same.
	 */
	bool folds;
};

/* What an expression calls a variable. */
struct name {
	const struct spec_expr *expr;
	uint32_t slot; /* SPEC_NONE: the trace has no such variable */
};

struct atom {
	const struct spec_expr *expr; /* NULL: an event */
	uint32_t event;
};

struct input_symbols {
	const struct property_set *set;
	const struct labels *labels;
	uint32_t property;
	VEC(struct atom) atoms;
	VEC(const struct spec_expr *) exprs; /* all that are evaluated on values */
	VEC(struct name) names;
	VEC(struct slot) slots;
	uint32_t *slot_of; /* by variable of the labels: + 1 */
	VEC(struct spec_value) parameters;
	struct intern vectors, folded;
	VEC(struct input_symbols_cell) examples; /* by number in `folded` */
	struct input_symbols_cell *now;
};

static const struct spec_property *property_of(const struct input_symbols *l)
{
	return l->set->properties.items[l->property].property;
}

/* ---- which variables ----------------------------------------------------------------------------- */

static uint32_t slot_named(struct input_symbols *l, const char *name)
{
	for (uint32_t i = 0; i < l->labels->variables.count; i++) {
		const struct label_variable *v = &l->labels->variables.items[i];

		if (strcmp(v->name, name) != 0)
			continue;
		if (!v->known || v->size > sizeof(struct input_symbols_cell))
			return SPEC_NONE;
		if (!l->slot_of[i]) {
			*vec_push(&l->slots) = (struct slot){ .variable = v, .folds = true };
			l->slot_of[i] = (uint32_t)l->slots.count;
		}
		return l->slot_of[i] - 1;
	}
	return SPEC_NONE;
}

static void add_names(struct input_symbols *l, const struct spec_expr *e)
{
	for (; e; e = e->next) {
		char name[512];
		bool place = e->operator== SPEC_NAME || e->operator== SPEC_MEMBER || e->operator==
			     SPEC_INDEX;

		if (place && spec_variable_name(e, name, sizeof name)) {
			*vec_push(&l->names) =
				(struct name){ .expr = e, .slot = slot_named(l, name) };
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
			uint32_t slot = l->names.items[i].slot;

			if (slot != SPEC_NONE && slot != l->names.items[k].slot)
				l->slots.items[slot].folds = false;
		}
}

static void find_partial_writes(struct input_symbols *l)
{
	for (size_t i = 0; i < l->labels->list.count; i++)
		for (uint32_t k = 0; k < l->labels->list.items[i].write_count; k++) {
			const struct label_write *w = &l->labels->list.items[i].writes[k];
			uint32_t slot = l->slot_of[w->variable];

			if (slot &&
			    (w->offset || w->size != l->slots.items[slot - 1].variable->size))
				l->slots.items[slot - 1].folds = false;
		}
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Values that the instance binds. */
static void read_binding(struct input_symbols *l)
{
	const struct property_events *events = &l->set->properties.items[l->property];

	for (uint32_t i = 0; i < events->property->parameter_count; i++) {
		struct spec_value known = { .type = SPEC_VALUE_UNKNOWN };
		uint32_t number = l->labels->binding ? l->labels->binding[i] : PROPERTY_NONE;

		if (number != PROPERTY_NONE) {
			const struct property_value *v = &events->values.items[number];
			struct property_raw raw = { .known = true,
						    .word = v->text && v->type != SPEC_STRING,
						    .bits = v->bits,
						    .text = v->text,
						    .length = v->length };

			if (v->type == SPEC_FLOATING && !v->text) {
				raw.real = true;
				memcpy(&raw.number, &v->bits, sizeof raw.number);
			}
			known = raw_value_spec_value(&raw, v->type);
		}
		*vec_push(&l->parameters) = known;
	}
}

/* `holding` is of a thread, and a value belongs to none. */
static bool add_becomes(struct input_symbols *l, const struct spec_event *event, struct err *err)
{
	for (const struct spec_point *p = event->points; p; p = p->next) {
		if (p->kind != SPEC_POINT_BECOMES)
			continue;
		if (p->holding)
			return err_set(err,
				       "line %u: `becomes` with `holding` is not judged: a "
				       "condition is held by nobody",
				       p->place.line);
		add_expr(l, p->becomes);
		if (p->filter)
			add_expr(l, p->filter);
	}
	return true;
}

static bool add_atom(struct input_symbols *l, struct atom atom, struct err *err)
{
	*vec_push(&l->atoms) = atom;
	if (atom.expr) {
		add_expr(l, atom.expr);
		return true;
	}
	return add_becomes(l, &property_of(l)->events[atom.event], err);
}

static bool add_atoms(struct input_symbols *l, const struct spec_expr *const *atoms, size_t count,
		      struct err *err)
{
	if (!atoms)
		count = property_of(l)->event_count;
	if (count > 64)
		return err_set(err, "the property has more than 64 events");
	for (size_t i = 0; i < count; i++) {
		struct atom atom = { .event = (uint32_t)i };

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
	l->slot_of = mem_zalloc(labels->variables.count + 1, sizeof *l->slot_of);
	read_binding(l);
	if (!add_atoms(l, atoms, count, err)) {
		input_symbols_close(l);
		return NULL;
	}
	find_partial_writes(l);
	l->now = mem_zalloc(l->slots.count + 1, sizeof *l->now);
	return l;
}

void input_symbols_close(struct input_symbols *l)
{
	vec_free(&l->atoms);
	vec_free(&l->exprs);
	vec_free(&l->names);
	vec_free(&l->slots);
	vec_free(&l->parameters);
	vec_free(&l->examples);
	intern_free(&l->vectors);
	intern_free(&l->folded);
	free(l->slot_of);
	free(l->now);
	free(l);
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct spec_value global(void *context, const struct spec_expr *expr)
{
	const struct input_symbols *l = context;
	const struct spec_value nothing = { .type = SPEC_VALUE_UNKNOWN };

	for (size_t i = 0; i < l->names.count; i++) {
		uint32_t slot = l->names.items[i].slot;

		if (l->names.items[i].expr != expr)
			continue;
		if (slot == SPEC_NONE || l->now[slot].unknown)
			return nothing;
		const struct label_variable *v = l->slots.items[slot].variable;
		struct property_raw raw = raw_value_bytes(l->now[slot].bytes, v->size, v->form);
		return raw_value_spec_value(&raw, raw.real ? SPEC_FLOATING : SPEC_INT);
	}
	return nothing;
}

enum input_symbols_truth { IS_FALSE, IS_TRUE, IS_UNKNOWN };

/* On the values in `now`. */
static enum input_symbols_truth evaluate(struct input_symbols *l, const struct spec_expr *expr)
{
	struct spec_scope scope = { .context = l,
				    .parameters = l->parameters.items,
				    .global = global };
	struct spec_value value = spec_evaluate(expr, &scope);

	switch (value.type) {
	case SPEC_VALUE_INT: return value.number != 0;
	case SPEC_VALUE_REAL: return value.real != 0;
	case SPEC_VALUE_TEXT: return IS_TRUE; /* a pointer to something */
	default: return IS_UNKNOWN;
	}
}

static bool names_slot(const struct input_symbols *l, const struct spec_expr *e, uint32_t slot)
{
	for (; e; e = e->next) {
		for (size_t i = 0; i < l->names.count; i++)
			if (l->names.items[i].expr == e && l->names.items[i].slot == slot)
				return true;
		if ((e->left && names_slot(l, e->left, slot)) ||
		    (e->right && names_slot(l, e->right, slot)) ||
		    (e->third && names_slot(l, e->third, slot)))
			return true;
	}
	return false;
}

/* A counter with a million values has as many as `n > 0` and `n < 100` tell apart. */
static void fold(struct input_symbols *l, uint32_t slot)
{
	VEC(char) says = { 0 };
	uint32_t number;
	bool fresh;

	for (size_t i = 0; i < sizeof slot; i++)
		*vec_push(&says) = (char)(slot >> 8 * i);
	for (size_t i = 0; i < l->exprs.count; i++)
		if (names_slot(l, l->exprs.items[i], slot))
			*vec_push(&says) = (char)evaluate(l, l->exprs.items[i]);
	number = intern_put(&l->folded, says.items, says.count, &fresh);
	vec_free(&says);
	if (fresh)
		*vec_push(&l->examples) = l->now[slot];
	l->now[slot] = l->examples.items[number];
}

static uint32_t number_of_now(struct input_symbols *l)
{
	for (uint32_t i = 0; i < l->slots.count; i++)
		if (l->slots.items[i].folds)
			fold(l, i);
	return intern_put(&l->vectors, (const char *)l->now, l->slots.count * sizeof *l->now, NULL);
}

static void restore(struct input_symbols *l, uint32_t values)
{
	memcpy(l->now, intern_text(&l->vectors, values), l->slots.count * sizeof *l->now);
}

static void apply(struct input_symbols *l, const struct label *label)
{
	for (uint32_t i = 0; i < label->write_count; i++) {
		const struct label_write *w = &label->writes[i];
		uint32_t slot = l->slot_of[w->variable];
		struct input_symbols_cell *cell;
		uint8_t mask = (uint8_t)((1u << w->size) - 1);

		if (!slot)
			continue;
		cell = &l->now[slot - 1];
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

/* ---- letters --------------------------------------------------------------------------------- */

static void set(struct letter *letter, size_t atom, enum input_symbols_truth truth)
{
	if (truth == IS_TRUE)
		letter->holds |= 1ull << atom;
	else if (truth == IS_UNKNOWN)
		letter->unknown |= 1ull << atom;
}

static bool happens(const struct input_symbols *l, const struct label *label, uint32_t event)
{
	for (uint32_t i = 0; i < label->event_count; i++)
		if (label->events[i].property == l->property && label->events[i].event == event)
			return true;
	return false;
}

/* `before` and `now` are numbers of values; leaves `now` in place. */
static enum input_symbols_truth becomes(struct input_symbols *l, const struct spec_event *event,
					uint32_t before, uint32_t now)
{
	enum input_symbols_truth any = IS_FALSE;

	if (before == now)
		return IS_FALSE;
	for (const struct spec_point *p = event->points; p; p = p->next) {
		enum input_symbols_truth was, is, filter;

		if (p->kind != SPEC_POINT_BECOMES)
			continue;
		restore(l, before);
		was = evaluate(l, p->becomes);
		restore(l, now);
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

void input_symbols_first(struct input_symbols *l, struct letter *first)
{
	for (size_t i = 0; i < l->slots.count; i++) {
		const struct label_variable *v = l->slots.items[i].variable;

		l->now[i] = (struct input_symbols_cell){ .unknown = v->initial_unknown ? 0xff : 0 };
		memcpy(l->now[i].bytes, v->initial, v->size);
	}
	*first = (struct letter){ .values = number_of_now(l) };
	for (size_t i = 0; i < l->atoms.count; i++)
		if (l->atoms.items[i].expr)
			set(first, i, evaluate(l, l->atoms.items[i].expr));
}

void input_symbols_step(struct input_symbols *l, uint32_t values, uint32_t label,
			struct letter *next)
{
	const struct label *what = &l->labels->list.items[label];

	restore(l, values);
	apply(l, what);
	*next = (struct letter){ .values = number_of_now(l) };
	for (size_t i = 0; i < l->atoms.count; i++) {
		const struct atom *a = &l->atoms.items[i];

		if (a->expr)
			set(next, i, evaluate(l, a->expr));
		else if (happens(l, what, a->event))
			set(next, i, IS_TRUE);
		else
			set(next, i,
			    becomes(l, &property_of(l)->events[a->event], values, next->values));
	}
}

/*
 * Finds the variables that properties name, in a text trace or through the program's debug
 * information.
 */
#include "monitor/computation/variables.h"

#include "base/mem.h"
#include "base/sort.h"
#include "monitor/computation/formulas.h"
#include "monitor/computation/initial_memory.h"
#include "property/program.h"
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 512

/* ---- names ----------------------------------------------------------------------------------- */

static uint32_t find_or_add_variable(struct variables *v, const char *name)
{
	char *copy;

	for (uint32_t i = 0; i < v->list.count; i++) {
		if (!strcmp(v->list.items[i].name, name))
			return i;
	}
	copy = mem_copy_text(name, strlen(name));
	*vec_push(&v->names) = copy;
	*vec_push(&v->list) = (struct label_variable){ .name = copy };
	return (uint32_t)v->list.count - 1;
}

static void add_variables_of_expr(struct variables *v, struct variables_of *of,
				  const struct spec_expr *e)
{
	char name[NAME_ROOM];

	for (; e; e = e->next) {
		if (spec_variable_name(e, name, sizeof name)) {
			uint32_t number = find_or_add_variable(v, name);
			size_t i = 0;

			while (i < of->list.count && of->list.items[i] != number)
				i++;
			if (i == of->list.count)
				*vec_push(&of->list) = number;
			continue;
		}
		add_variables_of_expr(v, of, e->left);
		add_variables_of_expr(v, of, e->right);
		add_variables_of_expr(v, of, e->third);
	}
}

static void add_variables_of_property(struct variables *v, const struct spec_property *property)
{
	struct variables_of *of = &v->of.items[v->of.count - 1];

	for (const struct spec_formula *f = property->formulas; f; f = f->next) {
		if (f->formalism == SPEC_TEMPORAL || f->formalism == SPEC_LTL)
			add_variables_of_expr(v, of, f->expr);
	}
	for (uint32_t i = 0; i < property->event_count; i++) {
		for (const struct spec_point *p = property->events[i].points; p; p = p->next) {
			add_variables_of_expr(v, of, p->becomes);
			add_variables_of_expr(v, of, p->filter);
		}
	}
}

void variables_doubt(struct variables *v, struct label_variable *variable, const char *format)
{
	char *text = mem_format(format, variable->name);

	*vec_push(&v->names) = text;
	variable->why = text;
}

/* ---- variables of a text trace --------------------------------------------------------------- */

static void set_address_in_text(struct variables *v, const char *name, uint64_t address,
				uint64_t size)
{
	for (size_t i = 0; name && i < v->list.count; i++) {
		struct label_variable *variable = &v->list.items[i];

		if (strcmp(variable->name, name))
			continue;
		variable->known = true;
		variable->address = address;
		if (size <= sizeof variable->initial && size > variable->size)
			variable->size = (uint8_t)size;
	}
}

/* In a text trace, a variable is as large as its largest access. */
static void find_in_text(struct variables *v, const struct trace *trace)
{
	struct trace_event event;
	struct err err;

	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(trace, i);

		while (trace_next(cursor, &event, &err)) {
			enum event_group group = event_group(event.kind);

			if (group == EG_ACCESS || (group == EG_ATOMIC && event.kind != EV_FENCE))
				set_address_in_text(v, trace_object_name(trace, event.address),
						    event.address, event.size);
		}
		trace_cursor_close(cursor);
	}
	for (size_t i = 0; i < trace_initial_count(trace); i++) {
		struct trace_initial initial = trace_initial(trace, i);

		set_address_in_text(v, trace_object_name(trace, initial.address), initial.address,
				    initial.size);
		for (size_t k = 0; k < v->list.count; k++) {
			struct label_variable *variable = &v->list.items[k];

			if (variable->known && variable->address == initial.address)
				memcpy(variable->initial, initial.value,
				       initial.size < variable->size ? initial.size
								     : variable->size);
		}
	}
	for (size_t k = 0; k < v->list.count; k++) {
		if (!v->list.items[k].known)
			variables_doubt(v, &v->list.items[k], "the trace has no variable %s");
	}
}

/* ---- variables of a program ------------------------------------------------------------------ */

/*
 * Returns the one of several variables of a name that has external linkage, as C does; NULL if that
 * is ambiguous.
 */
static const struct program_part *choose_external(const struct program_parts *parts)
{
	const struct program_part *found = NULL;

	if (parts->list.count == 1)
		return parts->list.items;
	for (size_t i = 0; i < parts->list.count; i++) {
		if (!parts->list.items[i].external)
			continue;
		if (found && found->address != parts->list.items[i].address)
			return NULL;
		found = &parts->list.items[i];
	}
	return found;
}

static void find_in_debug_info(struct variables *v, struct program *program,
			       struct initial_memory *initial, struct label_variable *variable)
{
	size_t length = strcspn(variable->name, ".[");
	char *name = mem_copy_text(variable->name, length);
	struct program_parts parts = { 0 };
	const struct program_part *part;

	program_globals(program, name, variable->name[length] ? variable->name + length : NULL,
			&parts);
	part = choose_external(&parts);
	if (!parts.list.count)
		variables_doubt(v, variable, "the program has no variable %s");
	else if (!part)
		variables_doubt(v, variable,
				"the program has several variables named %s: it is not clear which "
				"is meant");
	else if (part->bits || !part->size || part->size > sizeof variable->initial)
		variables_doubt(v, variable, "%s is not a number: its value is unknown");
	else {
		variable->known = true;
		variable->address = part->address;
		variable->size = (uint8_t)part->size;
		variable->form = part->form;
		variable->initial_unknown = !initial_memory_bytes(initial, part->address,
								  part->size, variable->initial);
		if (variable->initial_unknown)
			variables_doubt(v, variable, "the initial value of %s is unknown");
	}
	vec_free(&parts.list);
	free(name);
}

static void find_in_program(struct variables *v, const struct trace *trace)
{
	struct program *program = program_of_trace(trace);
	struct initial_memory *initial = initial_memory_open(trace);

	for (size_t i = 0; i < v->list.count; i++)
		find_in_debug_info(v, program, initial, &v->list.items[i]);
	initial_memory_close(initial);
	program_close(program);
}

/* ---- the interface --------------------------------------------------------------------------- */

SORT_COMPARISON(by_address, struct variables_range, a, b,
		sort_order(a->low, b->low) ?: sort_order(a->high, b->high))

void variables_find(const struct trace *trace, const struct property_set *set, struct variables *v)
{
	*v = (struct variables){ 0 };
	for (size_t i = 0; i < set->properties.count; i++) {
		*vec_push(&v->of) = (struct variables_of){ 0 };
		if (formulas_has_states(set->properties.items[i].property))
			add_variables_of_property(v, set->properties.items[i].property);
	}
	if (!v->list.count)
		return;
	if (trace_is_text(trace))
		find_in_text(v, trace);
	else
		find_in_program(v, trace);
	for (uint32_t i = 0; i < v->list.count; i++) {
		const struct label_variable *variable = &v->list.items[i];

		if (variable->known)
			*vec_push(&v->ranges) =
				(struct variables_range){ variable->address,
							  variable->address + variable->size, i };
	}
	vec_sort(&v->ranges, by_address);
}

void variables_free(struct variables *v)
{
	for (size_t i = 0; i < v->of.count; i++)
		vec_free(&v->of.items[i].list);
	vec_free(&v->of);
	vec_free(&v->list);
	vec_free(&v->ranges);
	vec_free(&v->now);
	vec_free_all(&v->names);
}

/*
 * No variable has more than 8 bytes, so a variable that starts more than 8 bytes before the address
 * also ends before it.
 */
size_t variables_first(const struct variables *v, uint64_t address)
{
	size_t i;

	SEARCH_FIRST(i, v->ranges.count, v->ranges.items[i].low + sizeof(uint64_t) > address);
	return i;
}

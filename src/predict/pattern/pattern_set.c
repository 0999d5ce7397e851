/*
 * Collects the patterns of a set of properties, the events that must be nodes for them, and what
 * the checker has to know about the properties.
 */
#include "predict/pattern/pattern_set.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* ---- formulas -------------------------------------------------------------------------------- */

static void report_too_long(struct pattern_set *set, const struct pattern_formula *f)
{
	*vec_push(&set->problems) = mem_format(
		"property %s, formula %u: the pattern is too long (limits: %u events in one "
		"alternative, %u alternatives): part of it is not searched for",
		set->properties->properties.items[f->property].property->name, (unsigned)f->number,
		FORM_LEAVES, FORM_ALTERNATIVES);
}

static void add_formulas(struct pattern_set *set, uint32_t property)
{
	const struct spec_property *spec = set->properties->properties.items[property].property;
	uint32_t number = 0;

	for (const struct spec_formula *f = spec->formulas; f; f = f->next) {
		struct pattern_formula made = { property, ++number, f, { 0 } };

		if (f->formalism != SPEC_PATTERN || !f->pattern)
			continue;
		if (!form_make(f->pattern, &made.forms))
			report_too_long(set, &made);
		*vec_push(&set->formulas) = made;
	}
}

/* ---- which events must be nodes -------------------------------------------------------------- */

struct wanted_node {
	struct window_keep keep;
	/* use.property is ORDER_NONE if the node is only an anchor, or begins or ends a lifetime */
	struct pattern_use use;
};
typedef VEC(struct wanted_node) wanted_list;

SORT_COMPARISON(by_event, struct wanted_node, a, b,
		sort_order(a->keep.id.stream, b->keep.id.stream)
			?: sort_order(a->keep.id.index, b->keep.id.index)
			?: sort_order(b->keep.before, a->keep.before)
			?: sort_order(a->use.property, b->use.property)
			?: sort_order(a->use.event, b->use.event))

static void want_node(wanted_list *list, struct event_id id, bool before, struct pattern_use use)
{
	*vec_push(list) = (struct wanted_node){ { id, before }, use };
}

/* The events of the property that its patterns name. */
static bool *find_named_events(const struct pattern_set *set, uint32_t property)
{
	const struct spec_property *spec = set->properties->properties.items[property].property;
	bool *named = mem_zalloc(spec->event_count + 1, sizeof *named);

	for (size_t i = 0; i < set->formulas.count; i++) {
		const struct pattern_formula *f = &set->formulas.items[i];

		for (size_t k = 0; f->property == property && k < f->forms.count; k++) {
			const struct pattern_form *form = &f->forms.items[k];

			for (size_t l = 0; l < form->leaves.count; l++)
				named[form->leaves.items[l].leaf->event] = true;
		}
	}
	return named;
}

/*
 * The anchor of a request must also be a node, because `||` refers to it. Otherwise it is a node
 * only if another thread can notice it.
 */
static void want_events_of_property(const struct pattern_set *set, uint32_t property,
				    wanted_list *list)
{
	const struct property_events *all = &set->properties->properties.items[property];
	const struct pattern_use none = { ORDER_NONE, ORDER_NONE };
	bool *named = find_named_events(set, property);

	for (size_t i = 0; i < all->events.count; i++) {
		const struct property_event *e = &all->events.items[i];

		if (!named[e->event])
			continue;
		want_node(list, e->id, e->before, (struct pattern_use){ property, (uint32_t)i });
		if (e->before)
			want_node(list, e->id, false, none);
	}
	for (size_t i = 0; i < all->values.count; i++) {
		const struct property_value *v = &all->values.items[i];

		if (v->has_born)
			want_node(list, v->born, false, none);
		if (v->has_dead)
			want_node(list, v->dead, false, none);
	}
	free(named);
}

static bool is_same(const struct window_keep *a, const struct window_keep *b)
{
	return a->id.stream == b->id.stream && a->id.index == b->id.index && a->before == b->before;
}

static void list_kept_events(struct pattern_set *set)
{
	wanted_list list = { 0 };

	for (size_t i = 0; i < set->formulas.count; i++) {
		if (!i || set->formulas.items[i].property != set->formulas.items[i - 1].property)
			want_events_of_property(set, set->formulas.items[i].property, &list);
	}
	vec_sort(&list, by_event);
	for (size_t i = 0; i < list.count; i++) {
		const struct wanted_node *w = &list.items[i];

		if (!i || !is_same(&w->keep, &list.items[i - 1].keep)) {
			*vec_push(&set->keeps) = w->keep;
			*vec_push(&set->use_start) = (uint32_t)set->uses.count;
		}
		if (w->use.property != ORDER_NONE)
			*vec_push(&set->uses) = w->use;
	}
	*vec_push(&set->use_start) = (uint32_t)set->uses.count;
	vec_free(&list);
}

uint32_t pattern_set_find(const struct pattern_set *set, struct event_id id)
{
	const struct window_keep *keeps = set->keeps.items, wanted = { id, false };
	uint32_t i;

	SEARCH_FIRST(i, (uint32_t)set->keeps.count,
		     keeps[i].id.stream > id.stream ||
			     (keeps[i].id.stream == id.stream &&
			      (keeps[i].id.index > id.index ||
			       (keeps[i].id.index == id.index && !keeps[i].before))));
	return i < set->keeps.count && is_same(&keeps[i], &wanted) ? i : ORDER_NONE;
}

/* ---- for the checker ------------------------------------------------------------------------- */

static void describe_for_checker(const struct property_events *all, struct checker_property *out)
{
	struct checker_occurrence *occurrences =
		mem_alloc(all->events.count * sizeof *occurrences + 1);
	struct checker_lifetime *lives = mem_alloc(all->values.count * sizeof *lives + 1);

	for (size_t i = 0; i < all->events.count; i++) {
		const struct property_event *e = &all->events.items[i];

		occurrences[i] = (struct checker_occurrence){ .anchor = e->id,
							      .before = e->before,
							      .may_be_next = e->may_be_next,
							      .event = e->event,
							      .bindings = e->bindings };
	}
	for (size_t i = 0; i < all->values.count; i++) {
		const struct property_value *v = &all->values.items[i];

		lives[i] = (struct checker_lifetime){ .has_born = v->has_born,
						      .has_dead = v->has_dead,
						      .born = v->born,
						      .dead = v->dead };
	}
	*out = (struct checker_property){ .parameters = all->parameters,
					  .occurrences = occurrences,
					  .count = all->events.count,
					  .bindings = all->bindings.items,
					  .lives = lives };
}

/* ---- the module ------------------------------------------------------------------------------ */

struct pattern_set *pattern_set_open(const struct property_set *properties)
{
	struct pattern_set *set = mem_zalloc(1, sizeof *set);
	size_t count = properties->properties.count;

	set->properties = properties;
	for (size_t i = 0; i < count; i++)
		add_formulas(set, (uint32_t)i);
	list_kept_events(set);
	set->checker_properties = mem_zalloc(count + 1, sizeof *set->checker_properties);
	for (size_t i = 0; i < count; i++)
		describe_for_checker(&properties->properties.items[i], &set->checker_properties[i]);
	if (set->formulas.count)
		return set;
	pattern_set_close(set);
	return NULL;
}

void pattern_set_close(struct pattern_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->properties->properties.count; i++) {
		free((void *)set->checker_properties[i].occurrences);
		free((void *)set->checker_properties[i].lives);
	}
	free(set->checker_properties);
	for (size_t i = 0; i < set->formulas.count; i++)
		form_list_free(&set->formulas.items[i].forms);
	vec_free(&set->formulas);
	vec_free(&set->keeps);
	vec_free(&set->use_start);
	vec_free(&set->uses);
	vec_free_all(&set->problems);
	free(set);
}

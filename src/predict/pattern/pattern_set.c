#include "predict/pattern/pattern_set.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- formulas -------------------------------------------------------------------------------- */

static void complain(struct pattern_set *set, const struct pattern_formula *f)
{
	char *text = NULL;

	if (asprintf(&text,
		     "property %s, formula %u: too long a pattern (%u events in one alternative, "
		     "%u alternatives at most): part of it is not searched for",
		     set->properties->properties.items[f->property].property->name,
		     (unsigned)f->number, FORM_LEAVES, FORM_ALTERNATIVES) >= 0)
		*vec_push(&set->problems) = text;
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
			complain(set, &made);
		*vec_push(&set->formulas) = made;
	}
}

/* ---- what must be nodes ------------------------------------------------------------------------ */

struct pattern_set_wanted {
	struct window_keep keep;
	struct pattern_use use; /* property ORDER_NONE: only a bound of a life */
};
typedef VEC(struct pattern_set_wanted) wanted_list;

static int compare_wanted(const void *left, const void *right)
{
	const struct pattern_set_wanted *a = left, *b = right;

	if (a->keep.id.stream != b->keep.id.stream)
		return a->keep.id.stream < b->keep.id.stream ? -1 : 1;
	if (a->keep.id.index != b->keep.id.index)
		return a->keep.id.index < b->keep.id.index ? -1 : 1;
	if (a->keep.before != b->keep.before)
		return a->keep.before ? -1 : 1;
	if (a->use.property != b->use.property)
		return a->use.property < b->use.property ? -1 : 1;
	return (a->use.event > b->use.event) - (a->use.event < b->use.event);
}

static void want(wanted_list *list, struct event_id id, bool before, struct pattern_use use)
{
	*vec_push(list) = (struct pattern_set_wanted){ { { id.stream, id.index }, before }, use };
}

/* The events of the property that its patterns name. */
static bool *named_events(const struct pattern_set *set, uint32_t property)
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

/* A `||` is about the anchor of a request, too: where that is a node only if somebody notices it. */
static void want_events(const struct pattern_set *set, uint32_t property, wanted_list *list)
{
	const struct property_events *all = &set->properties->properties.items[property];
	const struct pattern_use none = { ORDER_NONE, ORDER_NONE };
	bool *named = named_events(set, property);

	for (size_t i = 0; i < all->events.count; i++) {
		const struct property_event *e = &all->events.items[i];

		if (!named[e->event])
			continue;
		want(list, e->id, e->before, (struct pattern_use){ property, (uint32_t)i });
		if (e->before)
			want(list, e->id, false, none);
	}
	for (size_t i = 0; i < all->values.count; i++) {
		const struct property_value *v = &all->values.items[i];

		if (v->has_born)
			want(list, v->born, false, none);
		if (v->has_dead)
			want(list, v->dead, false, none);
	}
	free(named);
}

static bool is_same(const struct window_keep *a, const struct window_keep *b)
{
	return a->id.stream == b->id.stream && a->id.index == b->id.index && a->before == b->before;
}

static void list_keeps(struct pattern_set *set)
{
	wanted_list list = { 0 };

	for (size_t i = 0; i < set->formulas.count; i++) {
		if (!i || set->formulas.items[i].property != set->formulas.items[i - 1].property)
			want_events(set, set->formulas.items[i].property, &list);
	}
	if (list.count)
		qsort(list.items, list.count, sizeof *list.items, compare_wanted);
	for (size_t i = 0; i < list.count; i++) {
		const struct pattern_set_wanted *w = &list.items[i];

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
	size_t low = 0, high = set->keeps.count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct window_keep *k = &set->keeps.items[middle];

		if (k->id.stream < id.stream ||
		    (k->id.stream == id.stream &&
		     (k->id.index < id.index || (k->id.index == id.index && k->before))))
			low = middle + 1;
		else
			high = middle;
	}
	if (low < set->keeps.count &&
	    is_same(&set->keeps.items[low],
		    &(struct window_keep){ { id.stream, id.index }, false }))
		return (uint32_t)low;
	return ORDER_NONE;
}

/* ---- for the checker ------------------------------------------------------------------------- */

static struct event_id event_of(struct event_id id)
{
	return (struct event_id){ id.stream, id.index };
}

static void tell_checker(const struct property_events *all, struct checker_property *out)
{
	struct checker_occurrence *occurrences =
		mem_alloc(all->events.count * sizeof *occurrences + 1);
	struct checker_life *lives = mem_alloc(all->values.count * sizeof *lives + 1);

	for (size_t i = 0; i < all->events.count; i++) {
		const struct property_event *e = &all->events.items[i];

		occurrences[i] = (struct checker_occurrence){ .anchor = event_of(e->id),
							      .before = e->before,
							      .may_be_next = e->may_be_next,
							      .event = e->event,
							      .bindings = e->bindings };
	}
	for (size_t i = 0; i < all->values.count; i++) {
		const struct property_value *v = &all->values.items[i];

		lives[i] = (struct checker_life){ .has_born = v->has_born,
						  .has_dead = v->has_dead,
						  .born = event_of(v->born),
						  .dead = event_of(v->dead) };
	}
	*out = (struct checker_property){ .parameters = all->parameters,
					  .occurrences = occurrences,
					  .count = all->events.count,
					  .bindings = all->bindings.items,
					  .lives = lives };
}

/* ---- all of it ------------------------------------------------------------------------------- */

struct pattern_set *pattern_set_open(const struct property_set *properties)
{
	struct pattern_set *set = mem_zalloc(1, sizeof *set);
	size_t count = properties->properties.count;

	set->properties = properties;
	for (size_t i = 0; i < count; i++)
		add_formulas(set, (uint32_t)i);
	list_keeps(set);
	set->checker_properties = mem_zalloc(count + 1, sizeof *set->checker_properties);
	for (size_t i = 0; i < count; i++)
		tell_checker(&properties->properties.items[i], &set->checker_properties[i]);
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
	for (size_t i = 0; i < set->problems.count; i++)
		free(set->problems.items[i]);
	vec_free(&set->formulas);
	vec_free(&set->keeps);
	vec_free(&set->use_start);
	vec_free(&set->uses);
	vec_free(&set->problems);
	free(set);
}

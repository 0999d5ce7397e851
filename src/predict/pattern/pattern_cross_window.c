/*
 * Counts pairs of an event in the window and an event before it that a pattern needs in the
 * opposite order.
 */
#include "predict/pattern/pattern_cross_window.h"

#define APART_LOOKED 16 /* earlier events that are examined for one event of the window */

/* Must leaf i come before leaf j, with no leaf that must come between them? */
static bool are_adjacent(const struct pattern_form *form, uint32_t i, uint32_t j)
{
	if (!form_orders(form, i, j))
		return false;
	for (uint32_t k = 0; k < form->leaves.count; k++) {
		if (form_orders(form, i, k) && form_orders(form, k, j))
			return false;
	}
	return true;
}

static bool are_met(const struct pattern_form *form, uint32_t i, uint32_t j)
{
	return i != j && form->leaves.items[i].group != FORM_NONE &&
	       form->leaves.items[i].group == form->leaves.items[j].group;
}

/* Can the two leaves be events of different threads? The order of one thread's events is fixed. */
static bool may_be_threads(const struct pattern_form *form, uint32_t i, uint32_t j)
{
	uint32_t a = form->leaves.items[i].leaf->thread, b = form->leaves.items[j].leaf->thread;

	return a == SPEC_NONE || a != b;
}

static struct pattern_list shortest(const struct pattern_view *s, const uint32_t *binding,
				    uint32_t type, struct pattern_list best)
{
	for (uint32_t p = 0; p < s->parameters && best.count; p++) {
		struct pattern_list list;

		if (binding[p] == PROPERTY_NONE)
			continue;
		list = past_view_list(s->past, s->property_number, type, p, binding[p]);
		if (list.count < best.count)
			best = list;
	}
	return best;
}

static uint64_t count_for(const struct pattern_view *s, const struct pattern_event *e,
			  uint32_t type, struct pattern_list all)
{
	struct pattern_list list = shortest(s, e->binding, type, all);
	uint64_t count = 0;

	for (uint32_t i = 0; i < list.count && i < APART_LOOKED; i++) {
		struct pattern_event o = pattern_view_past_event(s, list.items[list.count - 1 - i]);

		count += o.past && o.thread != e->thread &&
			 pattern_bindings_agree(e->binding, o.binding, s->parameters);
	}
	return count;
}

static uint64_t count_pair(const struct pattern_view *s, const struct pattern_form *form,
			   uint32_t i, uint32_t j)
{
	struct pattern_list here =
		pattern_index_list(&s->index, form->leaves.items[i].leaf->event, PROPERTY_NONE, 0);
	uint32_t type = form->leaves.items[j].leaf->event;
	struct pattern_list all =
		past_view_list(s->past, s->property_number, type, PROPERTY_NONE, 0);
	uint64_t count = 0;

	for (uint32_t k = 0; k < here.count && all.count; k++) {
		const struct pattern_event *e = &s->events.items[here.items[k]];

		if (e->anchor >= s->window->fresh)
			count += count_for(s, e, type, all);
	}
	return count;
}

uint64_t pattern_count_cross_window(const struct pattern_view *s, const struct pattern_form *form)
{
	uint64_t count = 0;

	if (!s->past || !s->window->fresh)
		return 0;
	for (uint32_t i = 0; i < form->leaves.count; i++) {
		for (uint32_t j = 0; j < form->leaves.count; j++) {
			if ((are_adjacent(form, i, j) || are_met(form, i, j)) &&
			    may_be_threads(form, i, j))
				count += count_pair(s, form, i, j);
		}
	}
	return count;
}

/*
 * Tests whether an event fits the events that the join has chosen: binding, thread, order, locks.
 */
#include "predict/pattern/pattern_join.h"

static bool fits_thread(const struct join *j, uint32_t leaf, const struct pattern_event *e)
{
	uint32_t name = j->form->leaves.items[leaf].leaf->thread;

	if (name == SPEC_NONE)
		return true;
	for (uint32_t i = 0; i < j->names; i++) {
		if (j->thread_names[i] != ORDER_NONE &&
		    (j->thread_names[i] == e->thread) != (i == name))
			return false;
	}
	return true;
}

/* Can a be inside and come before b? Events before the window keep their order. */
static bool may_precede(const struct join *j, const struct pattern_event *a,
			const struct pattern_event *b)
{
	if (a->past || b->past)
		return a->past && (!b->past || a->past < b->past);
	return a->node != b->node && !must_precede_inside(j->view->must_precede, b->node, a->node);
}

static bool locks_exclude(const struct window *window, uint32_t a, uint32_t b)
{
	const struct window_held *held = window->held.items;

	for (uint32_t i = window->nodes.items[a].held; i != ORDER_NONE; i = held[i].outer) {
		for (uint32_t k = window->nodes.items[b].held; k != ORDER_NONE; k = held[k].outer) {
			if (held[i].address == held[k].address && held[i].lock == held[k].lock &&
			    held[i].lock != ORDER_NONE && !(held[i].shared && held[k].shared))
				return true;
		}
	}
	return false;
}

/* Must a be inside for b to be next? */
static bool precedes_next(const struct pattern_view *s, uint32_t a, uint32_t b)
{
	uint32_t state = 0, before;

	while ((before = pattern_view_before_next(s, b, &state)) != ORDER_NONE) {
		if (must_precede_inside(s->must_precede, a, before))
			return true;
	}
	return false;
}

/* Can both be next at the same time? */
static bool may_meet(const struct join *j, const struct pattern_event *a,
		     const struct pattern_event *b)
{
	const struct pattern_view *s = j->view;

	return a->thread != b->thread && !precedes_next(s, a->anchor, b->anchor) &&
	       !precedes_next(s, b->anchor, a->anchor) &&
	       !locks_exclude(s->window, a->anchor, b->anchor);
}

static bool fits_with(const struct join *j, uint32_t leaf, const struct pattern_event *e,
		      uint32_t other)
{
	const struct form_leaf *leaves = j->form->leaves.items;
	const struct pattern_event *o = join_event(j, j->chosen[other]);

	if (o->number == e->number)
		return false;
	if (form_orders(j->form, leaf, other) && !may_precede(j, e, o))
		return false;
	if (form_orders(j->form, other, leaf) && !may_precede(j, o, e))
		return false;
	return leaves[leaf].group == FORM_NONE || leaves[leaf].group != leaves[other].group ||
	       may_meet(j, e, o);
}

/*
 * May the leaf's event be from before the window? Not in a group, because that event cannot be
 * next. Not under `!`. Not as begin or end of a region, because the regions that are open there are
 * unknown.
 */
static bool may_be_past(const struct join *j, uint32_t leaf)
{
	const struct form_leaf *l = &j->form->leaves.items[leaf];

	return l->group == FORM_NONE && !l->inverted && l->leaf->begins == SPEC_NONE &&
	       l->leaf->ends == SPEC_NONE;
}

bool join_fits(const struct join *j, uint32_t k, const struct pattern_event *e)
{
	if (!pattern_bindings_agree(j->binding, e->binding, j->view->parameters) ||
	    !fits_thread(j, j->order[k], e) || (e->past && !may_be_past(j, j->order[k])))
		return false;
	for (uint32_t i = 0; i < k; i++) {
		if (!fits_with(j, j->order[k], e, j->order[i]))
			return false;
	}
	return true;
}

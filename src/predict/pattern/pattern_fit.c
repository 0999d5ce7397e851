#include "predict/pattern/pattern_join.h"

bool join_agrees(const struct join *j, const uint32_t *binding)
{
	for (uint32_t p = 0; p < j->scene->parameters; p++) {
		if (binding[p] != PROPERTY_NONE && j->binding[p] != PROPERTY_NONE &&
		    binding[p] != j->binding[p])
			return false;
	}
	return true;
}

static bool fits_thread(const struct join *j, uint32_t leaf, const struct scene_event *e)
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

/* Can a, inside, come before b? What is past has its order, and comes before the window. */
static bool may_precede(const struct join *j, const struct scene_event *a,
			const struct scene_event *b)
{
	const struct order_model *model = j->scene->model;

	if (a->past || b->past)
		return a->past && (!b->past || a->past < b->past);
	return a->node != b->node &&
	       j->scene->needs->count[(size_t)a->node * model->thread_count + b->thread] <=
		       model->position.items[b->node];
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
static bool must_precede(const struct scene *s, uint32_t a, uint32_t b)
{
	const struct order_model *model = s->model;
	uint32_t state = 0, before;

	while ((before = scene_before_next(s, b, &state)) != ORDER_NONE) {
		if (s->needs->count[(size_t)before * model->thread_count + model->thread.items[a]] >
		    model->position.items[a])
			return true;
	}
	return false;
}

/* Can both be next at one moment? */
static bool may_meet(const struct join *j, const struct scene_event *a, const struct scene_event *b)
{
	const struct scene *s = j->scene;

	return a->thread != b->thread && !must_precede(s, a->anchor, b->anchor) &&
	       !must_precede(s, b->anchor, a->anchor) &&
	       !locks_exclude(s->window, a->anchor, b->anchor);
}

static bool fits_with(const struct join *j, uint32_t leaf, const struct scene_event *e,
		      uint32_t other)
{
	const struct form_leaf *leaves = j->form->leaves.items;
	const struct scene_event *o = join_event(j, j->chosen[other]);

	if (o->number == e->number)
		return false;
	if (form_orders(j->form, leaf, other) && !may_precede(j, e, o))
		return false;
	if (form_orders(j->form, other, leaf) && !may_precede(j, o, e))
		return false;
	return leaves[leaf].group == FORM_NONE || leaves[leaf].group != leaves[other].group ||
	       may_meet(j, e, o);
}

/* In the past nothing can be next; nor is it known there which regions are open. */
static bool may_be_past(const struct join *j, uint32_t leaf)
{
	const struct form_leaf *l = &j->form->leaves.items[leaf];

	return l->group == FORM_NONE && !l->inverted && l->leaf->begins == SPEC_NONE &&
	       l->leaf->ends == SPEC_NONE;
}

bool join_fits(const struct join *j, uint32_t k, const struct scene_event *e)
{
	if (!join_agrees(j, e->binding) || !fits_thread(j, j->order[k], e) ||
	    (e->past && !may_be_past(j, j->order[k])))
		return false;
	for (uint32_t i = 0; i < k; i++) {
		if (!fits_with(j, j->order[k], e, j->order[i]))
			return false;
	}
	return true;
}

#include "predict/pattern/pattern_query.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*
 * What doc/properties.md demands of a match, as clauses over "before" (order/model/query.h):
 *
 *   a leaf		its event is inside: e < CUT. One that may be the last read is inside or
 *			next: the thread's node before it and where edges into it come from are
 *			inside, no more.
 *   i before j		i < j. If j is outside, as the last read or with its group, then i,
 *			inside, stands before it all the same.
 *   a group `||`	each anchor's node before, and where edges into it come from, stand before
 *			each other anchor, and before the cut: then all are next right before the
 *			first of them. All are inside or none is; all, if something follows. Where
 *			everything else comes before the group the prefix may as well end there.
 *   `!p`		one of the orders that p demands is the other way round. What cannot be next
 *			to each other in the total order, two events of one anchor, is no order.
 *   a request		is a node of its own (window_reader_keep), anywhere before its anchor.
 *   lives		behind the event that began it; before the one that ended it, if inside.
 */

static const struct scene_event *leaf_event(const struct pattern_asker *a, size_t leaf)
{
	return &a->scene->events.items[a->events[leaf]];
}

static uint32_t leaf_node(const struct pattern_asker *a, size_t leaf)
{
	return leaf_event(a, leaf)->node;
}

static const struct form_leaf *form_leaf(const struct pattern_asker *a, size_t leaf)
{
	return &a->form->leaves.items[leaf];
}

static bool is_grouped(const struct pattern_asker *a, size_t leaf)
{
	return form_leaf(a, leaf)->group != FORM_NONE;
}

/* Had it happened when the window started? Then there is nothing to ask of it. */
static bool is_past(const struct pattern_asker *a, size_t leaf)
{
	return leaf_event(a, leaf)->past;
}

/* May it stand at the cut instead of inside? */
static bool may_be_last(const struct pattern_asker *a, size_t leaf)
{
	return !is_past(a, leaf) && leaf_event(a, leaf)->event->may_be_next &&
	       !form_leaf(a, leaf)->followed && !is_grouped(a, leaf);
}

/* ---- bounds of lives -------------------------------------------------------------------------------------------- */

/* The events that bound the lives of what a leaf's event binds, where they are nodes of the window. */
static void each_bound(struct pattern_asker *a, size_t leaf,
		       void (*use)(struct pattern_asker *a, size_t leaf, uint32_t node, bool born))
{
	const struct scene *s = a->scene;
	const struct scene_event *e = leaf_event(a, leaf);

	for (uint32_t p = 0; p < s->parameters && !is_past(a, leaf); p++) {
		const struct property_value *v;
		const struct event_id *id = &e->event->id;

		if (e->binding[p] == PROPERTY_NONE)
			continue;
		v = &s->property->values.items[e->binding[p]];
		if (v->has_born && (v->born.stream != id->stream || v->born.index != id->index) &&
		    scene_find_node(s, v->born) != ORDER_NONE)
			use(a, leaf, scene_find_node(s, v->born), true);
		if (v->has_dead && (v->dead.stream != id->stream || v->dead.index != id->index) &&
		    scene_find_node(s, v->dead) != ORDER_NONE)
			use(a, leaf, scene_find_node(s, v->dead), false);
	}
}

/* ---- clauses --------------------------------------------------------------------------------------- */

static void demand(struct pattern_asker *a, uint32_t before, uint32_t after)
{
	int32_t literal = order_query_before(&a->query, before, after);

	order_query_clause(&a->query, &literal, 1);
}

/* It may be next: what that takes is inside. */
static void demand_ready(struct pattern_asker *a, uint32_t node)
{
	uint32_t state = 0, before;

	while ((before = scene_before_next(a->scene, node, &state)) != ORDER_NONE)
		demand(a, before, ORDER_CUT);
}

static int32_t inside(struct pattern_asker *a, size_t leaf)
{
	if (!a->inside[leaf])
		a->inside[leaf] =
			order_query_before(&a->query, leaf_event(a, leaf)->anchor, ORDER_CUT);
	return a->inside[leaf];
}

/* What it takes for a leaf's anchor to be next comes before the anchors of all others. */
static void demand_before_others(struct pattern_asker *a, size_t leaf)
{
	uint32_t state = 0, before;

	while ((before = scene_before_next(a->scene, leaf_event(a, leaf)->anchor, &state)) !=
	       ORDER_NONE) {
		for (size_t i = 0; i < a->form->leaves.count; i++) {
			if (i != leaf && form_leaf(a, i)->group == form_leaf(a, leaf)->group)
				demand(a, before, leaf_event(a, i)->anchor);
		}
	}
}

static void see_birth(struct pattern_asker *a, size_t leaf, uint32_t node, bool born)
{
	(void)leaf;
	(void)node;
	a->born |= born;
}

/* Is it before the group, in the pattern, and not with an anchor that the group shares? */
static bool is_before_group(const struct pattern_asker *a, uint32_t leaf, uint32_t group)
{
	for (uint32_t k = 0; k < a->form->leaves.count; k++) {
		if (form_leaf(a, k)->group == group &&
		    (!form_orders(a->form, leaf, k) ||
		     (is_grouped(a, leaf) &&
		      leaf_event(a, leaf)->anchor == leaf_event(a, k)->anchor)))
			return false;
	}
	return true;
}

/*
 * Do all other leaves come before the group? Then a match may as well end with it, unless a life
 * has to begin first, by one of the group, perhaps, or an earlier group needs its anchor to happen.
 */
static bool is_group_last(struct pattern_asker *a, uint32_t group)
{
	a->born = false;
	for (uint32_t i = 0; i < a->form->leaves.count; i++) {
		each_bound(a, i, see_birth);
		if (form_leaf(a, i)->group != group && !is_past(a, i) &&
		    !is_before_group(a, i, group))
			return false;
	}
	return !a->born;
}

static void demand_group(struct pattern_asker *a, uint32_t group)
{
	size_t first = FORM_LEAVES, last = 0;
	bool ends = is_group_last(a, group);

	for (size_t i = 0; i < a->form->leaves.count; i++) {
		if (form_leaf(a, i)->group != group)
			continue;
		demand_ready(a, leaf_event(a, i)->anchor);
		demand_before_others(a, i);
		if (ends)
			demand(a, ORDER_CUT, leaf_event(a, i)->anchor);
		else if (form_leaf(a, i)->followed)
			demand(a, leaf_event(a, i)->anchor, ORDER_CUT);
		else if (first < i)
			order_query_clause(&a->query, (int32_t[]){ -inside(a, last), inside(a, i) },
					   2);
		first = i < first ? i : first;
		last = i;
	}
	if (!ends && !form_leaf(a, first)->followed)
		order_query_clause(&a->query, (int32_t[]){ -inside(a, last), inside(a, first) }, 2);
}

static void demand_leaves(struct pattern_asker *a)
{
	for (size_t i = 0; i < a->form->leaves.count; i++) {
		const struct scene_event *e = leaf_event(a, i);

		if (is_past(a, i))
			continue;
		if (may_be_last(a, i))
			demand_ready(a, e->node);
		else if (!is_grouped(a, i) || e->event->before)
			demand(a, e->node, ORDER_CUT);
		for (size_t k = 0; k < a->form->leaves.count; k++) {
			if (form_orders(a->form, (uint32_t)i, (uint32_t)k))
				demand(a, e->node, leaf_node(a, k));
		}
	}
}

/* ---- what is under `!` ------------------------------------------------------------------------------ */

typedef VEC(int32_t) literal_list;

/* The clause: if `guard` (0: always), then one of these. */
static void put_clause(struct pattern_asker *a, int32_t guard, literal_list *literals)
{
	if (guard)
		*vec_push(literals) = -guard;
	order_query_clause(&a->query, literals->items, (uint32_t)literals->count);
}

static void demand_order(struct pattern_asker *a, const struct spec_pattern *part, uint32_t first,
			 int32_t guard);
static void list_violations(struct pattern_asker *a, const struct spec_pattern *part,
			    uint32_t first, literal_list *out);

/* The order that the part demands does not hold. */
static void forbid_order(struct pattern_asker *a, const struct spec_pattern *part, uint32_t first,
			 int32_t guard)
{
	literal_list literals = { 0 };

	list_violations(a, part, first, &literals);
	put_clause(a, guard, &literals);
	vec_free(&literals);
}

/* i before j; when the first may be the last read, then only if it is inside. */
static void demand_pair(struct pattern_asker *a, uint32_t i, uint32_t j, int32_t guard)
{
	literal_list literals = { 0 };

	if (leaf_node(a, i) != leaf_node(a, j))
		*vec_push(&literals) =
			order_query_before(&a->query, leaf_node(a, i), leaf_node(a, j));
	put_clause(a, guard, &literals);
	if (may_be_last(a, i)) {
		literals.count = 0;
		*vec_push(&literals) = inside(a, i);
		put_clause(a, guard, &literals);
	}
	vec_free(&literals);
}

/* It does not come before; a last read that is outside comes before nothing. */
static void list_pair_violation(struct pattern_asker *a, uint32_t i, uint32_t j, literal_list *out)
{
	if (leaf_node(a, i) == leaf_node(a, j)) {
		int32_t holds = order_query_boolean(&a->query);

		order_query_clause(&a->query, &holds, 1);
		*vec_push(out) = holds;
		return;
	}
	*vec_push(out) = -order_query_before(&a->query, leaf_node(a, i), leaf_node(a, j));
	if (may_be_last(a, i))
		*vec_push(out) = -inside(a, i);
}

/* Calls for each pair of leaves of different parts of a sequence. */
static void each_pair(struct pattern_asker *a, const struct spec_pattern *sequence, uint32_t first,
		      void (*use)(struct pattern_asker *a, uint32_t i, uint32_t j, void *context),
		      void *context)
{
	uint32_t start = first;

	for (const struct spec_pattern *part = sequence->parts; part; part = part->next) {
		uint32_t end = start + form_count_leaves(part);

		for (uint32_t i = first; i < start; i++) {
			for (uint32_t j = start; j < end; j++)
				use(a, i, j, context);
		}
		start = end;
	}
}

static void use_demanded(struct pattern_asker *a, uint32_t i, uint32_t j, void *context)
{
	demand_pair(a, i, j, *(const int32_t *)context);
}

static void use_violation(struct pattern_asker *a, uint32_t i, uint32_t j, void *context)
{
	list_pair_violation(a, i, j, context);
}

static void demand_order(struct pattern_asker *a, const struct spec_pattern *part, uint32_t first,
			 int32_t guard)
{
	if (part->kind == SPEC_INVERTED) {
		forbid_order(a, part->parts, first, guard);
		return;
	}
	if (part->kind == SPEC_SEQUENCE)
		each_pair(a, part, first, use_demanded, &guard);
	for (const struct spec_pattern *p = part->parts; p; p = p->next) {
		demand_order(a, p, first, guard);
		first += form_count_leaves(p);
	}
}

static void list_violations(struct pattern_asker *a, const struct spec_pattern *part,
			    uint32_t first, literal_list *out)
{
	if (part->kind == SPEC_INVERTED) {
		int32_t holds = order_query_boolean(&a->query);

		demand_order(a, part->parts, first, holds);
		*vec_push(out) = holds;
		return;
	}
	if (part->kind == SPEC_SEQUENCE)
		each_pair(a, part, first, use_violation, out);
	for (const struct spec_pattern *p = part->parts; p; p = p->next) {
		list_violations(a, p, first, out);
		first += form_count_leaves(p);
	}
}

/* ---- lives -------------------------------------------------------------------------------------------- */

static void demand_bound(struct pattern_asker *a, size_t leaf, uint32_t node, bool born)
{
	if (born) {
		demand(a, node, ORDER_CUT);
		demand(a, node, leaf_node(a, leaf));
		return;
	}
	order_query_clause(&a->query,
			   (int32_t[]){ order_query_before(&a->query, ORDER_CUT, node),
					order_query_before(&a->query, leaf_node(a, leaf), node) },
			   2);
}

/* ---- asking ------------------------------------------------------------------------------------------- */

static void make_query(struct pattern_asker *a)
{
	order_query_clear(&a->query);
	memset(a->inside, 0, sizeof a->inside);
	demand_leaves(a);
	for (uint32_t g = 0; g < a->form->groups; g++)
		demand_group(a, g);
	for (size_t i = 0; i < a->form->inverted.count; i++)
		forbid_order(a, a->form->inverted.items[i].part, a->form->inverted.items[i].first,
			     0);
	for (size_t i = 0; i < a->form->leaves.count; i++)
		each_bound(a, i, demand_bound);
}

/* ---- claiming ----------------------------------------------------------------------------------------- */

static void need(struct pattern_asker *a, uint32_t node)
{
	const struct order_model *model = a->scene->model;
	uint32_t *required = &a->required[model->thread.items[node]];

	if (*required <= model->position.items[node])
		*required = model->position.items[node] + 1;
	*vec_push(&a->fixed) = node;
}

/* In the recorded order the moment before an event may stand behind what it has to precede. */
static void need_ready(struct pattern_asker *a, uint32_t node)
{
	uint32_t state = 0, before;

	while ((before = scene_before_next(a->scene, node, &state)) != ORDER_NONE) {
		need(a, before);
		if (a->scene->window->nodes.items[before].moment)
			need_ready(a, before);
	}
}

static void need_bound(struct pattern_asker *a, size_t leaf, uint32_t node, bool born)
{
	(void)leaf;
	if (born)
		need(a, node);
	else
		*vec_push(&a->fixed) = node;
}

static void need_leaf(struct pattern_asker *a, size_t leaf, const bool *is_inside)
{
	const struct scene_event *e = leaf_event(a, leaf);

	if (is_inside[e->node])
		need(a, e->node);
	if (is_grouped(a, leaf) || !is_inside[e->node])
		need_ready(a, e->anchor);
	if (is_grouped(a, leaf) && is_inside[e->anchor])
		need(a, e->anchor);
	each_bound(a, leaf, need_bound);
}

static uint64_t key_of_events(const struct pattern_asker *a)
{
	uint64_t names[FORM_LEAVES + 1];
	size_t count = a->form->leaves.count;

	for (size_t i = 0; i < count; i++)
		names[i] = (uint64_t)(i + 1) << 40 ^ leaf_event(a, i)->number;
	names[count] = (uint64_t)a->formula->property << 32 | a->formula->number;
	return analysis_key(FINDING_PATTERN, names, count + 1);
}

/* Where a group's anchors are inside, its threads wait for each other before the first of them. */
static void add_pauses(const struct pattern_asker *a, const bool *is_inside,
		       struct analysis_claim *claim)
{
	for (size_t i = 0; i < a->form->leaves.count; i++) {
		if (!is_grouped(a, i) || !is_inside[leaf_event(a, i)->anchor])
			continue;
		for (size_t k = 0; k < a->form->leaves.count; k++) {
			if (form_leaf(a, k)->group == form_leaf(a, i)->group)
				*vec_push(&claim->pauses) =
					(struct analysis_pause){ leaf_event(a, i)->anchor,
								 leaf_event(a, k)->anchor };
		}
	}
}

static void claim_match(struct pattern_asker *a, const struct order_solution *solution,
			enum finding_status status, uint64_t key)
{
	struct analysis *analysis = a->analysis;
	const struct order_model *model = a->scene->model;
	bool *is_inside = mem_zalloc(model->node_count + 1, sizeof *is_inside);
	struct analysis_claim *claim;

	for (uint32_t i = 0; i < solution->count; i++)
		is_inside[solution->inside[i]] = true;
	memset(a->required, 0, model->thread_count * sizeof *a->required);
	a->fixed.count = 0;
	for (size_t i = 0; i < a->form->leaves.count; i++) {
		if (!is_past(a, i))
			need_leaf(a, i, is_inside);
	}
	claim = analysis_add_claim_fixed(analysis, solution, a->required, a->fixed.items,
					 (uint32_t)a->fixed.count);
	claim->kind = FINDING_PATTERN;
	claim->claim = CHECKER_PATTERN;
	claim->status = status;
	claim->key = analysis->options->every ? key_of_events(a) : key;
	claim->pattern = a->formula;
	for (size_t i = 0; i < a->form->leaves.count; i++) {
		*vec_push(&claim->events) = leaf_node(a, i);
		*vec_push(&claim->choices) =
			(struct checker_choice){ form_leaf(a, i)->leaf, leaf_event(a, i)->number };
	}
	add_pauses(a, is_inside, claim);
	free(is_inside);
}

static void take_choice(struct pattern_asker *a, const struct join_choice *choice)
{
	a->form = choice->form;
	a->events = choice->events;
}

enum order_answer pattern_query(struct pattern_asker *a, const struct join_choice *choice,
				uint64_t key)
{
	struct order_solution solution;
	enum order_answer answer;

	take_choice(a, choice);
	make_query(a);
	answer = analysis_ask(a->analysis, &a->query, &solution);
	if (answer == ORDER_POSSIBLE)
		claim_match(a, &solution, a->analysis->before ? FINDING_WARNING : FINDING_PREDICTED,
			    key);
	return answer;
}

/* ---- the recorded order -------------------------------------------------------------------------------- */

/* Nodes are numbered as they were recorded. */
static bool holds(const struct pattern_asker *a, const struct spec_pattern *part, uint32_t first)
{
	uint32_t start = first;

	if (part->kind == SPEC_INVERTED)
		return !holds(a, part->parts, first);
	for (const struct spec_pattern *p = part->parts; p; p = p->next) {
		uint32_t end = start + form_count_leaves(p);

		for (uint32_t i = first; i < start && part->kind == SPEC_SEQUENCE; i++) {
			for (uint32_t j = start; j < end; j++) {
				if (leaf_node(a, i) >= leaf_node(a, j))
					return false;
			}
		}
		if (!holds(a, p, start))
			return false;
		start = end;
	}
	return true;
}

/*
 * Where a leaf's anchor was in the recorded run. A request that never came through was one until
 * the end, and does nothing: it stands behind all.
 */
static uint32_t recorded_anchor(const struct pattern_asker *a, size_t leaf)
{
	uint32_t anchor = leaf_event(a, leaf)->anchor;
	uint8_t kind = a->scene->window->nodes.items[anchor].kind;

	return kind == EV_REQUEST || kind == EV_READ_REQUEST ? a->scene->model->node_count + anchor
							     : anchor;
}

/*
 * Was the node next before any anchor of the leaf's group happened? The moment before an event
 * stands right before it among the nodes, but it may have come as soon as it could.
 */
static bool met_others(const struct pattern_asker *a, size_t leaf, uint32_t node)
{
	uint32_t state = 0, before;

	while ((before = scene_before_next(a->scene, node, &state)) != ORDER_NONE) {
		if (a->scene->window->nodes.items[before].moment) {
			if (!met_others(a, leaf, before))
				return false;
			continue;
		}
		for (size_t i = 0; i < a->form->leaves.count; i++) {
			if (form_leaf(a, i)->group == form_leaf(a, leaf)->group &&
			    before >= recorded_anchor(a, i))
				return false;
		}
	}
	return true;
}

/* The latest place of a leaf in the recorded run: in a group a request may be one still. */
static uint32_t latest(const struct pattern_asker *a, uint32_t leaf)
{
	uint32_t node = leaf_node(a, leaf);

	if (!is_grouped(a, leaf))
		return node;
	uint32_t anchor = recorded_anchor(a, leaf);
	return anchor >= a->scene->model->node_count ? anchor : node;
}

bool pattern_is_observed(struct pattern_asker *a, const struct join_choice *choice)
{
	take_choice(a, choice);
	for (uint32_t i = 0; i < a->form->leaves.count; i++) {
		for (uint32_t j = 0; j < a->form->leaves.count && !is_past(a, i); j++) {
			if (form_orders(a->form, i, j) && leaf_node(a, i) >= latest(a, j))
				return false;
		}
		if (is_grouped(a, i) && !met_others(a, i, leaf_event(a, i)->anchor))
			return false;
	}
	for (size_t i = 0; i < a->form->inverted.count; i++) {
		if (holds(a, a->form->inverted.items[i].part, a->form->inverted.items[i].first))
			return false;
	}
	return true;
}

void pattern_claim_observed(struct pattern_asker *a, const struct join_choice *choice, uint64_t key)
{
	struct order_solution solution = { 0 };
	bool *late = mem_zalloc(a->scene->model->node_count + 1, sizeof *late);
	uint32_t last = 0;

	take_choice(a, choice);
	for (size_t i = 0; i < a->form->leaves.count; i++) {
		uint32_t node = is_grouped(a, i) ? leaf_event(a, i)->anchor : leaf_node(a, i);

		if (is_past(a, i))
			continue;
		last = node > last ? node : last;
		if (is_grouped(a, i))
			late[node] = recorded_anchor(a, i) != node;
	}
	a->whole.count = 0;
	for (uint32_t n = 0; n <= last; n++) {
		if (!late[n])
			*vec_push(&a->whole) = n;
	}
	for (uint32_t n = 0; n <= last; n++) {
		if (late[n])
			*vec_push(&a->whole) = n;
	}
	free(late);
	solution.inside = a->whole.items;
	solution.count = (uint32_t)a->whole.count;
	claim_match(a, &solution, FINDING_OBSERVED, key);
}

/* ------------------------------------------------------------------------------------------------------ */

void pattern_asker_open(struct pattern_asker *a, struct analysis *analysis,
			const struct scene *scene, const struct pattern_formula *formula)
{
	*a = (struct pattern_asker){ .analysis = analysis, .scene = scene, .formula = formula };
	a->required = mem_zalloc(scene->model->thread_count + 1, sizeof *a->required);
}

void pattern_asker_close(struct pattern_asker *a)
{
	order_query_free(&a->query);
	free(a->required);
	vec_free(&a->fixed);
	vec_free(&a->whole);
}

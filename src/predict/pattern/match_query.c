/*
 * Builds the query for a choice of events. It states what doc/properties.md demands of a match, as
 * clauses over "before" (order/model/query.h):
 *
 *   a leaf		its event is inside: e < CUT. If the leaf may be the last read, its event
 *			may also be next: then only the previous node of its thread and the
 *			sources of edges into it must be inside.
 *   i before j		i < j. If j is outside, because it is the last read or with its group, i
 *			is nevertheless inside and comes before j.
 *   a group `||`	for each anchor, the previous node of its thread and the sources of edges
 *			into it come before each other anchor and before the cut. So all anchors
 *			are next right before the first of them happens. Either all of them are
 *			inside or none is; all are, if something follows the group. If all other
 *			leaves come before the group, the prefix ends right before it.
 *   `!p`		one of the orders that p demands is reversed. Two events with the same
 *			anchor have no order.
 *   a request		a node of its own (window_reader_keep()), anywhere before its anchor.
 *   lifetimes		a leaf comes after the event that began the lifetime, and before the event
 *			that ended it, if that one is inside.
 */
#include "predict/pattern/match_query.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct pattern_event *leaf_event(const struct match_query *a, size_t leaf)
{
	return &a->view->events.items[a->events[leaf]];
}

static uint32_t leaf_node(const struct match_query *a, size_t leaf)
{
	return leaf_event(a, leaf)->node;
}

static const struct form_leaf *form_leaf(const struct match_query *a, size_t leaf)
{
	return &a->form->leaves.items[leaf];
}

static bool is_grouped(const struct match_query *a, size_t leaf)
{
	return form_leaf(a, leaf)->group != FORM_NONE;
}

/* Did the leaf's event happen before the window? Then the query demands nothing of it. */
static bool is_past(const struct match_query *a, size_t leaf)
{
	return leaf_event(a, leaf)->past;
}

/* May the leaf's event be next instead of inside? */
static bool may_be_last(const struct match_query *a, size_t leaf)
{
	return !is_past(a, leaf) && leaf_event(a, leaf)->event->may_be_next &&
	       !form_leaf(a, leaf)->followed && !is_grouped(a, leaf);
}

/* ---- bounds of lifetimes --------------------------------------------------------------------- */

/*
 * Calls `use` for each node of the window that begins or ends the lifetime of a value that the
 * leaf's event binds.
 */
static void each_lifetime_bound(struct match_query *a, size_t leaf,
				void (*use)(struct match_query *a, size_t leaf, uint32_t node,
					    bool born))
{
	const struct pattern_view *s = a->view;
	const struct pattern_event *e = leaf_event(a, leaf);

	for (uint32_t p = 0; p < s->parameters && !is_past(a, leaf); p++) {
		const struct property_value *v;
		const struct event_id *id = &e->event->id;

		if (e->binding[p] == PROPERTY_NONE)
			continue;
		v = &s->property->values.items[e->binding[p]];
		if (v->has_born && (v->born.stream != id->stream || v->born.index != id->index) &&
		    pattern_view_find_node(s, v->born) != ORDER_NONE)
			use(a, leaf, pattern_view_find_node(s, v->born), true);
		if (v->has_dead && (v->dead.stream != id->stream || v->dead.index != id->index) &&
		    pattern_view_find_node(s, v->dead) != ORDER_NONE)
			use(a, leaf, pattern_view_find_node(s, v->dead), false);
	}
}

/* ---- clauses --------------------------------------------------------------------------------- */

static void demand(struct match_query *a, uint32_t before, uint32_t after)
{
	node_query_before(&a->query, before, after);
}

/*
 * Demands that everything is inside that must come before the node, so that the node can be next.
 */
static void demand_ready(struct match_query *a, uint32_t node)
{
	uint32_t state = 0, before;

	while ((before = pattern_view_before_next(a->view, node, &state)) != ORDER_NONE)
		demand(a, before, ORDER_CUT);
}

static int32_t inside_literal(struct match_query *a, size_t leaf)
{
	if (!a->inside[leaf])
		a->inside[leaf] =
			order_query_before(&a->query.query, leaf_event(a, leaf)->anchor, ORDER_CUT);
	return a->inside[leaf];
}

/*
 * Demands that everything that must come before the leaf's anchor comes before all other anchors of
 * the group.
 */
static void demand_before_others(struct match_query *a, size_t leaf)
{
	uint32_t state = 0, before;

	while ((before = pattern_view_before_next(a->view, leaf_event(a, leaf)->anchor, &state)) !=
	       ORDER_NONE) {
		for (size_t i = 0; i < a->form->leaves.count; i++) {
			if (i != leaf && form_leaf(a, i)->group == form_leaf(a, leaf)->group)
				demand(a, before, leaf_event(a, i)->anchor);
		}
	}
}

static void note_begin(struct match_query *a, size_t leaf, uint32_t node, bool born)
{
	(void)leaf;
	(void)node;
	a->born |= born;
}

/* Does the leaf come before the group in the pattern, without sharing an anchor with the group? */
static bool is_before_group(const struct match_query *a, uint32_t leaf, uint32_t group)
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
 * Can the prefix end right before the group? It can if all other leaves come before the group,
 * unless a lifetime has to begin in the window (perhaps by an event of the group), or an anchor of
 * the group must happen because an earlier group has the same one.
 */
static bool is_group_last(struct match_query *a, uint32_t group)
{
	a->born = false;
	for (uint32_t i = 0; i < a->form->leaves.count; i++) {
		each_lifetime_bound(a, i, note_begin);
		if (form_leaf(a, i)->group != group && !is_past(a, i) &&
		    !is_before_group(a, i, group))
			return false;
	}
	return !a->born;
}

static void demand_group(struct match_query *a, uint32_t group)
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
			order_query_clause(
				&a->query.query,
				(int32_t[]){ -inside_literal(a, last), inside_literal(a, i) }, 2);
		first = i < first ? i : first;
		last = i;
	}
	if (!ends && !form_leaf(a, first)->followed)
		order_query_clause(
			&a->query.query,
			(int32_t[]){ -inside_literal(a, last), inside_literal(a, first) }, 2);
}

static void demand_leaves(struct match_query *a)
{
	for (size_t i = 0; i < a->form->leaves.count; i++) {
		const struct pattern_event *e = leaf_event(a, i);

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

/* ---- what is under `!` ----------------------------------------------------------------------- */

typedef VEC(int32_t) literal_list;

/*
 * Adds the clause "if `guard`, then one of these literals"; without the condition if `guard` is 0.
 */
static void add_clause(struct match_query *a, int32_t guard, literal_list *literals)
{
	if (guard)
		*vec_push(literals) = -guard;
	order_query_clause(&a->query.query, literals->items, (uint32_t)literals->count);
}

static void demand_order(struct match_query *a, const struct spec_pattern *part, uint32_t first,
			 int32_t guard);
static void list_violations(struct match_query *a, const struct spec_pattern *part, uint32_t first,
			    literal_list *out);

/* Demands that the order that `part` describes does not hold. */
static void forbid_order(struct match_query *a, const struct spec_pattern *part, uint32_t first,
			 int32_t guard)
{
	literal_list literals = { 0 };

	list_violations(a, part, first, &literals);
	add_clause(a, guard, &literals);
	vec_free(&literals);
}

/* Demands that leaf i comes before leaf j. If i may be the last read, it must also be inside. */
static void demand_pair(struct match_query *a, uint32_t i, uint32_t j, int32_t guard)
{
	literal_list literals = { 0 };

	if (leaf_node(a, i) != leaf_node(a, j))
		*vec_push(&literals) =
			order_query_before(&a->query.query, leaf_node(a, i), leaf_node(a, j));
	add_clause(a, guard, &literals);
	if (may_be_last(a, i)) {
		literals.count = 0;
		*vec_push(&literals) = inside_literal(a, i);
		add_clause(a, guard, &literals);
	}
	vec_free(&literals);
}

/*
 * Adds literals, one of which holds if leaf i does not come before leaf j. A last read that is
 * outside comes before nothing.
 */
static void list_pair_violation(struct match_query *a, uint32_t i, uint32_t j, literal_list *out)
{
	if (leaf_node(a, i) == leaf_node(a, j)) {
		int32_t order_holds = order_query_boolean(&a->query.query);

		order_query_clause(&a->query.query, &order_holds, 1);
		*vec_push(out) = order_holds;
		return;
	}
	*vec_push(out) = -order_query_before(&a->query.query, leaf_node(a, i), leaf_node(a, j));
	if (may_be_last(a, i))
		*vec_push(out) = -inside_literal(a, i);
}

/* Calls `use` for each pair of leaves in different parts of a sequence. */
static void each_pair(struct match_query *a, const struct spec_pattern *sequence, uint32_t first,
		      void (*use)(struct match_query *a, uint32_t i, uint32_t j, void *context),
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

static void demand_each(struct match_query *a, uint32_t i, uint32_t j, void *context)
{
	demand_pair(a, i, j, *(const int32_t *)context);
}

static void list_each_violation(struct match_query *a, uint32_t i, uint32_t j, void *context)
{
	list_pair_violation(a, i, j, context);
}

static void demand_order(struct match_query *a, const struct spec_pattern *part, uint32_t first,
			 int32_t guard)
{
	if (part->kind == SPEC_INVERTED) {
		forbid_order(a, part->parts, first, guard);
		return;
	}
	if (part->kind == SPEC_SEQUENCE)
		each_pair(a, part, first, demand_each, &guard);
	for (const struct spec_pattern *p = part->parts; p; p = p->next) {
		demand_order(a, p, first, guard);
		first += form_count_leaves(p);
	}
}

static void list_violations(struct match_query *a, const struct spec_pattern *part, uint32_t first,
			    literal_list *out)
{
	if (part->kind == SPEC_INVERTED) {
		int32_t order_holds = order_query_boolean(&a->query.query);

		demand_order(a, part->parts, first, order_holds);
		*vec_push(out) = order_holds;
		return;
	}
	if (part->kind == SPEC_SEQUENCE)
		each_pair(a, part, first, list_each_violation, out);
	for (const struct spec_pattern *p = part->parts; p; p = p->next) {
		list_violations(a, p, first, out);
		first += form_count_leaves(p);
	}
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

static void demand_within_lifetime(struct match_query *a, size_t leaf, uint32_t node, bool born)
{
	if (born) {
		demand(a, node, ORDER_CUT);
		demand(a, node, leaf_node(a, leaf));
		return;
	}
	order_query_clause(
		&a->query.query,
		(int32_t[]){ order_query_before(&a->query.query, ORDER_CUT, node),
			     order_query_before(&a->query.query, leaf_node(a, leaf), node) },
		2);
}

/* ---- the whole query ------------------------------------------------------------------------- */

static void make_query(struct match_query *a)
{
	node_query_clear(&a->query);
	memset(a->inside, 0, sizeof a->inside);
	demand_leaves(a);
	for (uint32_t g = 0; g < a->form->groups; g++)
		demand_group(a, g);
	for (size_t i = 0; i < a->form->inverted.count; i++)
		forbid_order(a, a->form->inverted.items[i].part, a->form->inverted.items[i].first,
			     0);
	for (size_t i = 0; i < a->form->leaves.count; i++)
		each_lifetime_bound(a, i, demand_within_lifetime);
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void require_node(struct match_query *a, uint32_t node)
{
	node_query_require(&a->query, node);
	*vec_push(&a->fixed) = node;
}

/*
 * Keeps in the witness what must come before the node. If that is a moment before an event, what
 * must come before the moment is kept, too: in the recorded order, the moment itself may come later
 * than the node.
 */
static void require_ready(struct match_query *a, uint32_t node)
{
	uint32_t state = 0, before;

	while ((before = pattern_view_before_next(a->view, node, &state)) != ORDER_NONE) {
		require_node(a, before);
		if (a->view->window->nodes.items[before].moment)
			require_ready(a, before);
	}
}

static void require_bound(struct match_query *a, size_t leaf, uint32_t node, bool born)
{
	(void)leaf;
	if (born)
		require_node(a, node);
	else
		*vec_push(&a->fixed) = node;
}

static void require_leaf(struct match_query *a, size_t leaf, const bool *is_inside)
{
	const struct pattern_event *e = leaf_event(a, leaf);

	if (is_inside[e->node])
		require_node(a, e->node);
	if (is_grouped(a, leaf) || !is_inside[e->node])
		require_ready(a, e->anchor);
	if (is_grouped(a, leaf) && is_inside[e->anchor])
		require_node(a, e->anchor);
	each_lifetime_bound(a, leaf, require_bound);
}

static uint64_t key_of_events(const struct match_query *a)
{
	uint64_t names[FORM_LEAVES + 1];
	size_t count = a->form->leaves.count;

	for (size_t i = 0; i < count; i++)
		names[i] = (uint64_t)(i + 1) << 40 ^ leaf_event(a, i)->number;
	names[count] = (uint64_t)a->formula->property << 32 | a->formula->number;
	return analysis_key(FINDING_PATTERN, names, count + 1);
}

/*
 * If a group's anchors are inside, each thread of the group runs to just before its anchor before
 * the first anchor happens.
 */
static void add_pauses(const struct match_query *a, const bool *is_inside,
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

static void claim_match(struct match_query *a, const struct order_solution *solution,
			enum finding_status status, uint64_t key)
{
	struct analysis *analysis = a->analysis;
	const struct order_model *model = a->view->model;
	bool *is_inside = mem_zalloc(model->node_count + 1, sizeof *is_inside);
	struct analysis_claim *claim;

	for (uint32_t i = 0; i < solution->count; i++)
		is_inside[solution->inside[i]] = true;
	node_query_clear(&a->query);
	a->fixed.count = 0;
	for (size_t i = 0; i < a->form->leaves.count; i++) {
		if (!is_past(a, i))
			require_leaf(a, i, is_inside);
	}
	claim = analysis_add_claim_fixed(analysis, solution, a->query.required, a->fixed.items,
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

static void set_choice(struct match_query *a, const struct join_choice *choice)
{
	a->form = choice->form;
	a->events = choice->events;
}

enum order_answer match_query_ask(struct match_query *a, const struct join_choice *choice,
				  uint64_t key)
{
	struct order_solution solution;
	enum order_answer answer;

	set_choice(a, choice);
	make_query(a);
	answer = analysis_ask(a->analysis, &a->query.query, &solution);
	if (answer == ORDER_POSSIBLE)
		claim_match(a, &solution, a->analysis->before ? FINDING_WARNING : FINDING_PREDICTED,
			    key);
	return answer;
}

/* ---- the recorded order ---------------------------------------------------------------------- */

/* Does the recorded order satisfy `part`? Nodes are numbered in recorded order. */
static bool order_holds(const struct match_query *a, const struct spec_pattern *part,
			uint32_t first)
{
	uint32_t start = first;

	if (part->kind == SPEC_INVERTED)
		return !order_holds(a, part->parts, first);
	for (const struct spec_pattern *p = part->parts; p; p = p->next) {
		uint32_t end = start + form_count_leaves(p);

		for (uint32_t i = first; i < start && part->kind == SPEC_SEQUENCE; i++) {
			for (uint32_t j = start; j < end; j++) {
				if (leaf_node(a, i) >= leaf_node(a, j))
					return false;
			}
		}
		if (!order_holds(a, p, start))
			return false;
		start = end;
	}
	return true;
}

/*
 * The position of a leaf's anchor in the recorded run. An anchor that is itself a request was never
 * granted: the request stays pending until the end and has no effect, so it counts as later than
 * all nodes.
 */
static uint32_t recorded_anchor(const struct match_query *a, size_t leaf)
{
	uint32_t anchor = leaf_event(a, leaf)->anchor;
	uint8_t kind = a->view->window->nodes.items[anchor].kind;

	return kind == EV_REQUEST || kind == EV_READ_REQUEST ? a->view->model->node_count + anchor
							     : anchor;
}

/*
 * Was the node already next in the recorded run when the first anchor of the leaf's group happened?
 * A moment before an event has its node right before that event. But the thread may have reached
 * the moment earlier: as soon as everything had happened that must precede it. So the nodes that
 * must precede it are tested instead.
 */
static bool was_next_before_group(const struct match_query *a, size_t leaf, uint32_t node)
{
	uint32_t state = 0, before;

	while ((before = pattern_view_before_next(a->view, node, &state)) != ORDER_NONE) {
		if (a->view->window->nodes.items[before].moment) {
			if (!was_next_before_group(a, leaf, before))
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

/*
 * The latest position that a leaf can have in the recorded run. In a group, a request that was
 * never granted can be later than all nodes.
 */
static uint32_t latest_position(const struct match_query *a, uint32_t leaf)
{
	uint32_t node = leaf_node(a, leaf);

	if (!is_grouped(a, leaf))
		return node;
	uint32_t anchor = recorded_anchor(a, leaf);
	return anchor >= a->view->model->node_count ? anchor : node;
}

bool match_query_is_observed(struct match_query *a, const struct join_choice *choice)
{
	set_choice(a, choice);
	for (uint32_t i = 0; i < a->form->leaves.count; i++) {
		for (uint32_t j = 0; j < a->form->leaves.count && !is_past(a, i); j++) {
			if (form_orders(a->form, i, j) && leaf_node(a, i) >= latest_position(a, j))
				return false;
		}
		if (is_grouped(a, i) && !was_next_before_group(a, i, leaf_event(a, i)->anchor))
			return false;
	}
	for (size_t i = 0; i < a->form->inverted.count; i++) {
		if (order_holds(a, a->form->inverted.items[i].part,
				a->form->inverted.items[i].first))
			return false;
	}
	return true;
}

void match_query_claim_observed(struct match_query *a, const struct join_choice *choice,
				uint64_t key)
{
	struct order_solution solution = { 0 };
	bool *late = mem_zalloc(a->view->model->node_count + 1, sizeof *late);
	uint32_t last = 0;

	set_choice(a, choice);
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

/* ---- the module ------------------------------------------------------------------------------ */

void match_query_open(struct match_query *a, struct analysis *analysis,
		      const struct pattern_view *view, const struct pattern_formula *formula)
{
	*a = (struct match_query){ .analysis = analysis, .view = view, .formula = formula };
	node_query_open(&a->query, view->model);
}

void match_query_close(struct match_query *a)
{
	node_query_close(&a->query);
	vec_free(&a->fixed);
	vec_free(&a->whole);
}

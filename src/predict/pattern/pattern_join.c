/*
 * Chooses events for the leaves of a form.
 *
 * The leaf with the fewest events is chosen first. Each next leaf is one that shares parameters
 * with the leaves chosen before, and its events come from the shortest list for the value of one of
 * these parameters. So a run with thousands of objects is a join of thousands of short lists, not a
 * product.
 *
 * A list can be long all the same, for example for one object that is used ten thousand times.
 * Then, unless every choice is wanted, only near events are examined (join.narrow). Near events
 * make easier queries, because everything that was recorded between the events of a match has to be
 * ordered between them. And one finding for a set of sites is enough.
 */
#include "predict/pattern/pattern_join.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>

#define NARROW_LOOKED 256 /* events of a list that are examined, on each side */
#define NARROW_ALIKE 2	  /* events that are kept of each thread and site, on each side */
#define NARROW_GROUPS 64  /* pairs of thread and site that are distinguished */
#define PAST_LOOKED 256	  /* the last events before the window that are examined */

/* ---- regions --------------------------------------------------------------------------------- */

/* Does any leaf of the formula mark the event as the region's begin, or its end? */
static bool marks_region(const struct spec_pattern *pattern, uint32_t event, uint32_t region,
			 bool end)
{
	if (pattern->kind == SPEC_LEAF)
		return pattern->event == event && (end ? pattern->ends : pattern->begins) == region;
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next) {
		if (marks_region(part, event, region, end))
			return true;
	}
	return false;
}

/*
 * Returns the event that ends the region which event `begin` begins, or ORDER_NONE. Only events
 * that agree with the binding count: begins push and ends pop. An event that does both ends a
 * region first.
 */
static uint32_t end_of_region(const struct join *j, const struct spec_pattern *pattern,
			      uint32_t begin, uint32_t region)
{
	uint32_t depth = 1;

	for (uint32_t i = join_event(j, begin)->next; i != ORDER_NONE; i = join_event(j, i)->next) {
		const struct pattern_event *e = join_event(j, i);

		if (!pattern_bindings_agree(j->binding, e->binding, j->view->parameters))
			continue;
		if (marks_region(pattern, e->event->event, region, true) && --depth == 0)
			return i;
		depth += marks_region(pattern, e->event->event, region, false);
	}
	return ORDER_NONE;
}

static bool fits_regions(const struct join *j, const struct spec_pattern *pattern)
{
	const struct form_leaf *leaves = j->form->leaves.items;
	size_t count = j->form->leaves.count;

	for (size_t a = 0; a < count; a++) {
		for (size_t b = 0; b < count && leaves[a].leaf->begins != SPEC_NONE; b++) {
			if (leaves[b].leaf->ends == leaves[a].leaf->begins &&
			    end_of_region(j, pattern, j->chosen[a], leaves[a].leaf->begins) !=
				    j->chosen[b])
				return false;
		}
	}
	return true;
}

/* ---- which leaf is next, and from which list ------------------------------------------------- */

/* The parameters that some occurrence of this event binds, as a set. */
static uint64_t parameters_of(const struct pattern_view *s, uint32_t type)
{
	struct pattern_list all = pattern_index_list(&s->index, type, PROPERTY_NONE, 0);
	uint64_t set = 0;

	for (uint32_t i = 0; i < all.count; i++) {
		for (uint32_t p = 0; p < s->parameters; p++)
			set |= (uint64_t)(s->events.items[all.items[i]].binding[p] != PROPERTY_NONE)
			       << (p & 63);
	}
	return set;
}

/*
 * In choices with events before the window, a leaf is chosen after all leaves that must follow it.
 * So the first chosen leaf is one that nothing must follow (it is in the window), and for every
 * other leaf the latest event that is early enough is the best.
 */
static bool can_be_chosen(const struct join *j, uint32_t leaf, uint64_t done)
{
	return !j->past || (j->form->followers[leaf] & ~done) == 0;
}

static void order_leaves(struct join *j, uint32_t first)
{
	uint32_t count = (uint32_t)j->form->leaves.count;
	uint64_t binds[FORM_LEAVES], bound = 0, done = 0;

	for (uint32_t i = 0; i < count; i++)
		binds[i] = parameters_of(j->view, j->form->leaves.items[i].leaf->event);
	for (uint32_t k = 0; k < count; k++) {
		uint32_t best = ORDER_NONE, best_shared = 0, best_count = 0;

		for (uint32_t i = 0; i < count; i++) {
			uint32_t shared = (uint32_t)__builtin_popcountll(binds[i] & bound);
			uint32_t events =
				j->view->index.count[j->form->leaves.items[i].leaf->event];

			if (done >> i & 1 || !can_be_chosen(j, i, done) ||
			    (!k && first != FORM_NONE && i != first))
				continue;
			if (best != ORDER_NONE && (shared < best_shared ||
						   (shared == best_shared && events >= best_count)))
				continue;
			best = i;
			best_shared = shared;
			best_count = events;
		}
		j->order[k] = best;
		bound |= binds[best];
		done |= 1ull << best;
	}
}

/* A list of events in the window, or before it. */
static struct pattern_list list_of(const struct join *j, bool past, uint32_t type,
				   uint32_t parameter, uint32_t value)
{
	return past ? past_view_list(j->view->past, j->view->property_number, type, parameter,
				     value)
		    : pattern_index_list(&j->view->index, type, parameter, value);
}

/*
 * Sets two lists with all events that can agree with the binding: those with the value of one bound
 * parameter, and those that do not bind it.
 */
static void choose_lists(const struct join *j, uint32_t type, bool past,
			 struct pattern_list lists[2])
{
	lists[0] = list_of(j, past, type, PROPERTY_NONE, 0);
	lists[1] = (struct pattern_list){ NULL, 0 };
	for (uint32_t p = 0; p < j->view->parameters; p++) {
		struct pattern_list with, without;

		if (j->binding[p] == PROPERTY_NONE)
			continue;
		with = list_of(j, past, type, p, j->binding[p]);
		without = list_of(j, past, type, p, PROPERTY_NONE);
		if (with.count + without.count < lists[0].count + lists[1].count) {
			lists[0] = with;
			lists[1] = without;
		}
	}
}

/* ---- choosing events ------------------------------------------------------------------------- */

static bool choose_leaf(struct join *j, const struct spec_formula *formula, uint32_t k);

static bool choose_event(struct join *j, const struct spec_formula *formula, uint32_t k,
			 uint32_t number)
{
	const struct pattern_event *e = join_event(j, number);
	uint32_t leaf = j->order[k], name = j->form->leaves.items[leaf].leaf->thread;
	uint32_t thread = name == SPEC_NONE ? ORDER_NONE : j->thread_names[name];
	uint32_t *binding = j->binding;
	bool ok;

	/* Each depth has a binding of its own, stored after that of the depth before. */
	j->binding += j->view->parameters;
	for (uint32_t p = 0; p < j->view->parameters; p++)
		j->binding[p] = e->binding[p] == PROPERTY_NONE ? binding[p] : e->binding[p];
	j->chosen[leaf] = number;
	if (name != SPEC_NONE)
		j->thread_names[name] = e->thread;
	ok = choose_leaf(j, formula, k + 1);
	if (name != SPEC_NONE)
		j->thread_names[name] = thread;
	j->binding = binding;
	return ok;
}

static bool count_step(struct join *j)
{
	if (!j->steps || (j->steps % 1024 == 0 && j->is_over(j->context)))
		return false;
	j->steps--;
	return true;
}

/* How many events of each pair of thread and site were taken from one side of a list. */
struct similar_events {
	uint64_t key[NARROW_GROUPS];
	uint32_t taken[NARROW_GROUPS], count;
};

static bool is_repeated(struct similar_events *alike, uint64_t key, uint32_t most)
{
	for (uint32_t i = 0; i < alike->count; i++) {
		if (alike->key[i] == key)
			return ++alike->taken[i] > most;
	}
	if (alike->count == NARROW_GROUPS)
		return true;
	alike->key[alike->count] = key;
	alike->taken[alike->count++] = 1;
	return false;
}

/*
 * Events with the same key are similar. Before the window, the binding is part of the key, and only
 * the last of similar events is taken.
 */
static uint64_t similarity_key(const struct join *j, const struct pattern_event *e)
{
	uint64_t key = hash_mix(hash_mix(0, e->site), e->thread);

	for (uint32_t p = 0; p < j->view->parameters && j->past; p++)
		key = hash_mix(key, e->binding[p]);
	return key;
}

/* Chooses from one side of a list, starting at a position. */
static bool choose_side(struct join *j, const struct spec_formula *formula, uint32_t k,
			struct pattern_list list, uint32_t from, bool up)
{
	struct similar_events alike = { .count = 0 };
	uint32_t room = up ? list.count - from : from, looked = 0;

	for (; looked < room && looked < NARROW_LOOKED; looked++) {
		uint32_t number = list.items[up ? from + looked : from - 1 - looked];

		if (!count_step(j))
			return false;
		if (!join_fits(j, k, join_event(j, number)))
			continue;
		if (is_repeated(&alike, similarity_key(j, join_event(j, number)), NARROW_ALIKE))
			j->left++;
		else if (!choose_event(j, formula, k, number))
			return false;
	}
	j->left += room - looked;
	return true;
}

static bool choose_near(struct join *j, const struct spec_formula *formula, uint32_t k,
			struct pattern_list list)
{
	uint32_t pivot = j->chosen[j->order[k - 1]], i;

	if (join_event(j, pivot)->past)
		pivot = 0;
	SEARCH_FIRST(i, list.count, list.items[i] >= pivot);
	return choose_side(j, formula, k, list, i, true) &&
	       choose_side(j, formula, k, list, i, false);
}

static bool choose_from(struct join *j, const struct spec_formula *formula, uint32_t k,
			struct pattern_list list)
{
	if (j->narrow && k > 0 && list.count > 2 * NARROW_ALIKE)
		return choose_near(j, formula, k, list);
	for (uint32_t i = 0; i < list.count; i++) {
		if (!count_step(j))
			return false;
		if (join_fits(j, k, join_event(j, list.items[i])) &&
		    !choose_event(j, formula, k, list.items[i]))
			return false;
	}
	return true;
}

/* ---- events before the window ---------------------------------------------------------------- */

static bool choose_past_from(struct join *j, const struct spec_formula *formula, uint32_t k,
			     struct pattern_list list)
{
	struct similar_events alike = { .count = 0 };

	for (uint32_t looked = 0; looked < list.count; looked++) {
		uint32_t number = list.items[list.count - 1 - looked];
		struct pattern_event e = pattern_view_past_event(j->view, number);
		bool ok;

		if (!j->every && looked == PAST_LOOKED) {
			j->left += list.count - looked;
			break;
		}
		if (!count_step(j))
			return false;
		if (!e.past || !join_fits(j, k, &e))
			continue;
		if (!j->every && is_repeated(&alike, similarity_key(j, &e), 1))
			continue;
		j->past_chosen++;
		ok = choose_event(j, formula, k, pattern_view_add_past(j->view, number));
		j->past_chosen--;
		if (!ok)
			return false;
	}
	return true;
}

static bool choose_past(struct join *j, const struct spec_formula *formula, uint32_t k)
{
	struct pattern_list lists[2];

	choose_lists(j, j->form->leaves.items[j->order[k]].leaf->event, true, lists);
	return choose_past_from(j, formula, k, lists[0]) &&
	       choose_past_from(j, formula, k, lists[1]);
}

/* ---- leaf by leaf ---------------------------------------------------------------------------- */

/*
 * If the leaf ends a region whose begin is chosen and every parameter is bound, there is only one
 * possible end. Returns the leaf of the begin; otherwise FORM_NONE.
 */
static uint32_t begin_of_ended_region(const struct join *j, uint32_t k)
{
	const struct form_leaf *leaves = j->form->leaves.items;
	uint32_t region = leaves[j->order[k]].leaf->ends;

	for (uint32_t p = 0; p < j->view->parameters; p++) {
		if (j->binding[p] == PROPERTY_NONE)
			return FORM_NONE;
	}
	for (uint32_t i = 0; i < k && region != SPEC_NONE; i++) {
		if (leaves[j->order[i]].leaf->begins == region)
			return j->order[i];
	}
	return FORM_NONE;
}

static bool choose_leaf(struct join *j, const struct spec_formula *formula, uint32_t k)
{
	struct pattern_list lists[2];
	uint32_t begin, end;

	if (k == j->form->leaves.count) {
		if (j->past && !j->past_chosen)
			return true;
		if (fits_regions(j, formula->pattern))
			j->take(j->context, &(struct join_choice){ j->form, j->chosen });
		return true;
	}
	begin = begin_of_ended_region(j, k);
	if (begin != FORM_NONE) {
		const struct form_leaf *leaves = j->form->leaves.items;

		end = end_of_region(j, formula->pattern, j->chosen[begin],
				    leaves[begin].leaf->begins);
		if (!count_step(j))
			return false;
		return end == ORDER_NONE ||
		       join_event(j, end)->event->event != leaves[j->order[k]].leaf->event ||
		       !join_fits(j, k, join_event(j, end)) || choose_event(j, formula, k, end);
	}
	if (j->past && k > 0 && !choose_past(j, formula, k))
		return false;
	if (j->must_be_past >> j->order[k] & 1)
		return true;
	choose_lists(j, j->form->leaves.items[j->order[k]].leaf->event, false, lists);
	return choose_from(j, formula, k, lists[0]) && choose_from(j, formula, k, lists[1]);
}

/*
 * In each round another leaf that nothing must follow is chosen first, from the window. In later
 * rounds that leaf must be before the window, so that no choice is made twice.
 */
static bool run_past(struct join *j, const struct spec_formula *formula)
{
	j->must_be_past = 0;
	for (uint32_t i = 0; i < j->form->leaves.count; i++) {
		if (j->form->followers[i])
			continue;
		order_leaves(j, i);
		if (!choose_leaf(j, formula, 0))
			return false;
		j->must_be_past |= 1ull << i;
	}
	return true;
}

bool join_run(struct join *j, const struct spec_formula *formula)
{
	uint32_t *bindings = mem_alloc(
		((size_t)j->form->leaves.count + 1) * j->view->parameters * sizeof *bindings + 1);
	bool ok;

	assert(j->form->leaves.count <= FORM_LEAVES);
	j->names = formula->thread_count;
	j->thread_names = mem_alloc(j->names * sizeof *j->thread_names + 1);
	for (uint32_t i = 0; i < j->names; i++)
		j->thread_names[i] = ORDER_NONE;
	for (uint32_t p = 0; p < j->view->parameters; p++)
		bindings[p] = PROPERTY_NONE;
	j->binding = bindings;
	if (j->past) {
		ok = run_past(j, formula);
	} else {
		order_leaves(j, FORM_NONE);
		ok = choose_leaf(j, formula, 0);
	}
	free(j->thread_names);
	free(bindings);
	return ok;
}

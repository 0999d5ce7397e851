/*
 * Searches for matches of the patterns of properties, as GPredict does (Huang, Luo, Rosu,
 * "GPredict: generic predictive concurrency analysis", ICSE 2015, section II.C). GPredict's
 * encoding puts all choices of events for a pattern into one formula. Here the choices are made
 * first (pattern_join.h), and those with the same code sites form a group. As for races, the solver
 * is asked about some choices of each group, nearest first, until one is possible. With the option
 * `every` it is asked about all. A choice that the recorded order matches needs no query: it is
 * observed.
 */
#include "predict/pattern/pattern_cross_window.h"
#include "predict/pattern/match_query.h"
#include "predict/driver/site_group.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

/*
 * Budgets for choosing events for a form, in events examined: WIDE among all events; NARROW among
 * near events, if WIDE was not enough; EVERY with the option `every`.
 */
#define STEPS_WIDE 400000u
#define STEPS_NARROW 4000000u
#define STEPS_EVERY 50000000u

struct kept_choice {
	uint32_t span; /* number of nodes from its first to its last event */
	const struct pattern_form *form;
	uint32_t *events; /* owned by the choice */
};

struct pattern_search {
	struct analysis *analysis;
	struct pattern_view *view;
	const struct pattern_formula *formula;
	struct match_query query;
	struct site_groups groups; /* of struct kept_choice, nearest first */
};

/* ---- choices --------------------------------------------------------------------------------- */

static uint64_t key_of(const struct pattern_search *s, const struct join_choice *choice)
{
	uint64_t sites[FORM_LEAVES + 1];
	size_t count = choice->form->leaves.count;

	for (size_t i = 0; i < count; i++)
		sites[i] = s->view->events.items[choice->events[i]].site;
	sites[count] = hash_mix(hash_mix(0, s->formula->property), s->formula->number);
	return analysis_key(FINDING_PATTERN, sites, count + 1);
}

/* Is part of the choice in no earlier window? */
static bool is_fresh(const struct pattern_search *s, const struct join_choice *choice)
{
	for (size_t i = 0; i < choice->form->leaves.count; i++) {
		const struct pattern_event *e = &s->view->events.items[choice->events[i]];

		if (!e->past && e->anchor >= s->view->window->fresh)
			return true;
	}
	return s->view->window->fresh == 0;
}

/*
 * Events before the window do not count: their position is fixed, so they do not make the query
 * harder.
 */
static uint32_t span_of(const struct pattern_search *s, const struct join_choice *choice)
{
	uint32_t low = UINT32_MAX, high = 0;

	for (size_t i = 0; i < choice->form->leaves.count; i++) {
		uint32_t node = s->view->events.items[choice->events[i]].node;

		if (node == ORDER_NONE)
			continue;
		low = node < low ? node : low;
		high = node > high ? node : high;
	}
	return high - low;
}

static bool is_nearer(const void *a, const void *b)
{
	const struct kept_choice *x = a, *y = b;

	return x->span < y->span;
}

static bool is_same(const void *a, const void *b)
{
	const struct kept_choice *x = a, *y = b;

	return x->form == y->form &&
	       !memcmp(x->events, y->events, x->form->leaves.count * sizeof *x->events);
}

static void free_events(void *choice)
{
	free(((struct kept_choice *)choice)->events);
}

static void keep_choice(struct pattern_search *s, struct site_group *group,
			const struct join_choice *choice)
{
	size_t size = choice->form->leaves.count * sizeof *choice->events;
	struct kept_choice new = { span_of(s, choice), choice->form, (uint32_t *)choice->events };
	struct kept_choice *kept = site_group_keep(&s->groups, group, &new);

	if (!kept)
		return;
	kept->events = mem_alloc(size + 1);
	memcpy(kept->events, choice->events, size);
}

static void take_for_group(void *context, const struct join_choice *choice)
{
	struct pattern_search *s = context;
	struct site_group *group;

	s->analysis->stats.choices++;
	if (!is_fresh(s, choice))
		return;
	group = site_groups_find(&s->groups, s->analysis, key_of(s, choice));
	group->total++;
	if (group->found)
		return;
	if (match_query_is_observed(&s->query, choice)) {
		match_query_claim_observed(&s->query, choice, group->key);
		group->found = true;
	} else if (!s->analysis->options->observed) {
		keep_choice(s, group, choice);
	}
}

static void ask_about_each(void *context, const struct join_choice *choice)
{
	struct pattern_search *s = context;

	s->analysis->stats.choices++;
	if (!is_fresh(s, choice))
		return;
	s->analysis->stats.candidates++;
	if (match_query_is_observed(&s->query, choice))
		match_query_claim_observed(&s->query, choice, 0);
	else if (!s->analysis->options->observed)
		match_query_ask(&s->query, choice, 0);
}

static bool out_of_time(void *context)
{
	const struct pattern_search *s = context;

	return analysis_out_of_time(s->analysis);
}

static struct join make_join(struct pattern_search *s, const struct pattern_form *form)
{
	bool every = s->analysis->options->every;

	return (struct join){
		.view = s->view,
		.form = form,
		.take = every ? ask_about_each : take_for_group,
		.is_over = out_of_time,
		.context = s,
		.steps = every ? STEPS_EVERY : STEPS_WIDE,
		.every = every,
	};
}

/* Makes all choices for a form; if there are too many, only the near ones. */
static void choose_all(struct pattern_search *s, const struct pattern_form *form)
{
	struct join join = make_join(s, form);
	bool whole = join_run(&join, s->formula->formula);

	if (!whole && !join.every && !out_of_time(s)) {
		join.steps = STEPS_NARROW;
		join.narrow = true;
		(void)join_run(&join, s->formula->formula);
	}
	if (!whole)
		s->analysis->stats.far_choices += join.left + 1;
}

/* Makes the choices that have events before the window. */
static void choose_past(struct pattern_search *s, const struct pattern_form *form)
{
	struct join join = make_join(s, form);

	if (!s->view->past || !s->view->window->fresh)
		return;
	join.past = true;
	join.narrow = !join.every;
	if (!join_run(&join, s->formula->formula))
		s->analysis->stats.far_choices += join.left + 1;
}

/* ---- queries --------------------------------------------------------------------------------- */

static bool ask_about_candidate(void *context, const void *candidate, uint64_t key)
{
	struct pattern_search *s = context;
	const struct kept_choice *kept = candidate;
	struct join_choice choice = { kept->form, kept->events };

	return match_query_ask(&s->query, &choice, key) == ORDER_POSSIBLE;
}

/* ---- the analysis ---------------------------------------------------------------------------- */

static void search_formula(struct analysis *analysis, struct pattern_view *view,
			   const struct pattern_formula *formula)
{
	struct pattern_search s = {
		.analysis = analysis,
		.view = view,
		.formula = formula,
		.groups = { .size = sizeof(struct kept_choice),
			    .is_better = is_nearer,
			    .is_same = is_same,
			    .drop = free_events },
	};

	match_query_open(&s.query, analysis, view, formula);
	for (size_t i = 0; i < formula->forms.count; i++) {
		choose_all(&s, &formula->forms.items[i]);
		choose_past(&s, &formula->forms.items[i]);
		analysis->stats.apart += pattern_count_cross_window(view, &formula->forms.items[i]);
	}
	site_groups_ask(&s.groups, analysis, ask_about_candidate, &s);
	site_groups_free(&s.groups);
	match_query_close(&s.query);
}

void predict_patterns(struct analysis *analysis)
{
	const struct pattern_set *set = analysis->patterns;
	struct pattern_view_shared shared;
	struct pattern_view view = { 0 };

	if (!set)
		return;
	pattern_view_shared_make(&shared, analysis);
	for (size_t i = 0; i < set->formulas.count; i++) {
		const struct pattern_formula *f = &set->formulas.items[i];

		if (!i || f->property != f[-1].property) {
			if (i)
				pattern_view_close(&view);
			pattern_view_open(&view, analysis, f->property, &shared);
		}
		search_formula(analysis, &view, f);
	}
	if (set->formulas.count)
		pattern_view_close(&view);
	pattern_view_shared_free(&shared);
}

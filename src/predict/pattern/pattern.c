/*
 * Patterns of properties: GPredict (Huang, Luo, Rosu, "GPredict: generic predictive concurrency
 * analysis", ICSE 2015), section II.C. Their encoding puts all choices of events for a pattern into
 * one formula; here choices are made first (pattern_join.h), those with the same code sites are put
 * together, and of each such pool some are asked about, nearest first, until one is possible, as for
 * races. With `every` all of them are. A choice that the recorded order matches is not asked about:
 * it is observed.
 */
#include "predict/pattern/pattern_cross_window.h"
#include "predict/pattern/pattern_query.h"
#include "predict/driver/site_pool.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

/* Events looked at for the choices of a form: of all, and then of the near ones. */
#define STEPS_WIDE 400000u
#define STEPS_NARROW 4000000u
#define STEPS_EVERY 50000000u

/* A choice that is kept, to be asked about. */
struct pattern_kept {
	uint32_t span; /* nodes from its first to its last */
	const struct pattern_form *form;
	uint32_t *events; /* its own */
};

struct choice_pool {
	struct site_group pool;
	VEC(struct pattern_kept) kept; /* nearest first */
};

struct pattern_search {
	struct analysis *analysis;
	struct scene *scene;
	const struct pattern_formula *formula;
	struct pattern_asker asker;
	VEC(struct choice_pool) pools;
	struct map pool_numbers;
};

/* ---- choices ---------------------------------------------------------------------------------- */

static uint64_t key_of(const struct pattern_search *s, const struct join_choice *choice)
{
	uint64_t sites[FORM_LEAVES + 1];
	size_t count = choice->form->leaves.count;

	for (size_t i = 0; i < count; i++)
		sites[i] = s->scene->events.items[choice->events[i]].site;
	sites[count] = hash_mix(hash_mix(0, s->formula->property), s->formula->number);
	return analysis_key(FINDING_PATTERN, sites, count + 1);
}

/* Has no window before had all of it? */
static bool is_fresh(const struct pattern_search *s, const struct join_choice *choice)
{
	for (size_t i = 0; i < choice->form->leaves.count; i++) {
		const struct scene_event *e = &s->scene->events.items[choice->events[i]];

		if (!e->past && e->anchor >= s->scene->window->fresh)
			return true;
	}
	return s->scene->window->fresh == 0;
}

/* What is past has its place: it makes nothing harder. */
static uint32_t span_of(const struct pattern_search *s, const struct join_choice *choice)
{
	uint32_t low = UINT32_MAX, high = 0;

	for (size_t i = 0; i < choice->form->leaves.count; i++) {
		uint32_t node = s->scene->events.items[choice->events[i]].node;

		if (node == ORDER_NONE)
			continue;
		low = node < low ? node : low;
		high = node > high ? node : high;
	}
	return high - low;
}

static struct choice_pool *pool_of(struct pattern_search *s, uint64_t key)
{
	bool fresh;
	uint64_t *number = map_put(&s->pool_numbers, key, &fresh);

	if (fresh) {
		*number = s->pools.count;
		*vec_push(&s->pools) = (struct choice_pool){
			.pool = { .key = key, .found = analysis_has_finding(s->analysis, key) }
		};
	}
	return &s->pools.items[*number];
}

static bool is_kept(const struct choice_pool *pool, const struct join_choice *choice)
{
	size_t size = choice->form->leaves.count * sizeof *choice->events;

	for (size_t i = 0; i < pool->kept.count; i++) {
		if (pool->kept.items[i].form == choice->form &&
		    !memcmp(pool->kept.items[i].events, choice->events, size))
			return true;
	}
	return false;
}

/* Into the pool, if it is among the nearest. */
static void keep(struct pattern_search *s, struct choice_pool *pool,
		 const struct join_choice *choice)
{
	size_t size = choice->form->leaves.count * sizeof *choice->events;
	struct pattern_kept new = { .span = span_of(s, choice), .form = choice->form };
	size_t at = pool->kept.count;

	if (at == SITE_GROUP_MOST && pool->kept.items[at - 1].span <= new.span)
		return;
	if (is_kept(pool, choice))
		return;
	if (at == SITE_GROUP_MOST)
		free(pool->kept.items[--at].events);
	else
		(void)vec_push(&pool->kept);
	for (; at && pool->kept.items[at - 1].span > new.span; at--)
		pool->kept.items[at] = pool->kept.items[at - 1];
	new.events = mem_alloc(size + 1);
	memcpy(new.events, choice->events, size);
	pool->kept.items[at] = new;
}

static void take_for_pool(void *context, const struct join_choice *choice)
{
	struct pattern_search *s = context;
	struct choice_pool *pool;

	s->analysis->stats.choices++;
	if (!is_fresh(s, choice))
		return;
	pool = pool_of(s, key_of(s, choice));
	pool->pool.total++;
	if (pool->pool.found)
		return;
	if (pattern_is_observed(&s->asker, choice)) {
		pattern_claim_observed(&s->asker, choice, pool->pool.key);
		pool->pool.found = true;
	} else if (!s->analysis->options->observed) {
		keep(s, pool, choice);
	}
}

static void take_every(void *context, const struct join_choice *choice)
{
	struct pattern_search *s = context;

	s->analysis->stats.choices++;
	if (!is_fresh(s, choice))
		return;
	s->analysis->stats.candidates++;
	if (pattern_is_observed(&s->asker, choice))
		pattern_claim_observed(&s->asker, choice, 0);
	else if (!s->analysis->options->observed)
		pattern_query(&s->asker, choice, 0);
}

static bool is_over(void *context)
{
	const struct pattern_search *s = context;

	return analysis_out_of_time(s->analysis);
}

static struct join make_join(struct pattern_search *s, const struct pattern_form *form)
{
	bool every = s->analysis->options->every;

	return (struct join){
		.scene = s->scene,
		.form = form,
		.take = every ? take_every : take_for_pool,
		.is_over = is_over,
		.context = s,
		.steps = every ? STEPS_EVERY : STEPS_WIDE,
		.every = every,
	};
}

/* All choices for a form; if those are too many, the near ones. */
static void choose(struct pattern_search *s, const struct pattern_form *form)
{
	struct join join = make_join(s, form);
	bool whole = join_run(&join, s->formula->formula);

	if (!whole && !join.every && !is_over(s)) {
		join.steps = STEPS_NARROW;
		join.narrow = true;
		(void)join_run(&join, s->formula->formula);
	}
	if (!whole)
		s->analysis->stats.far_choices += join.left + 1;
}

/* Those that began before the window. */
static void choose_past(struct pattern_search *s, const struct pattern_form *form)
{
	struct join join = make_join(s, form);

	if (!s->scene->past || !s->scene->window->fresh)
		return;
	join.past = true;
	join.narrow = !join.every;
	if (!join_run(&join, s->formula->formula))
		s->analysis->stats.far_choices += join.left + 1;
}

/* ---- asking ------------------------------------------------------------------------------------- */

static struct site_group *pool_at(void *context, size_t i, size_t *kept)
{
	struct pattern_search *s = context;

	*kept = s->pools.items[i].kept.count;
	return &s->pools.items[i].pool;
}

static bool ask_in_pool(void *context, size_t i, size_t candidate)
{
	struct pattern_search *s = context;
	const struct choice_pool *pool = &s->pools.items[i];
	const struct pattern_kept *kept = &pool->kept.items[candidate];
	struct join_choice choice = { kept->form, kept->events };

	return pattern_query(&s->asker, &choice, pool->pool.key) == ORDER_POSSIBLE;
}

static void ask_pools(struct pattern_search *s)
{
	site_groups_ask(&(struct site_groups){ s->pools.count, pool_at, ask_in_pool, s },
			s->analysis);
}

static void close_pools(struct pattern_search *s)
{
	for (size_t i = 0; i < s->pools.count; i++) {
		struct choice_pool *pool = &s->pools.items[i];

		for (size_t k = 0; k < pool->kept.count; k++)
			free(pool->kept.items[k].events);
		vec_free(&pool->kept);
	}
	vec_free(&s->pools);
	map_free(&s->pool_numbers);
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static void search_formula(struct analysis *analysis, struct scene *scene,
			   const struct pattern_formula *formula)
{
	struct pattern_search s = { .analysis = analysis, .scene = scene, .formula = formula };

	pattern_asker_open(&s.asker, analysis, scene, formula);
	for (size_t i = 0; i < formula->forms.count; i++) {
		choose(&s, &formula->forms.items[i]);
		choose_past(&s, &formula->forms.items[i]);
		analysis->stats.apart += pattern_count_apart(scene, &formula->forms.items[i]);
	}
	ask_pools(&s);
	close_pools(&s);
	pattern_asker_close(&s.asker);
}

void predict_patterns(struct analysis *analysis)
{
	const struct pattern_set *set = analysis->patterns;
	struct scene_ground ground;
	struct scene scene = { 0 };

	if (!set)
		return;
	scene_ground_make(&ground, analysis);
	for (size_t i = 0; i < set->formulas.count; i++) {
		const struct pattern_formula *f = &set->formulas.items[i];

		if (!i || f->property != f[-1].property) {
			if (i)
				scene_close(&scene);
			scene_open(&scene, analysis, f->property, &ground);
		}
		search_formula(analysis, &scene, f);
	}
	if (set->formulas.count)
		scene_close(&scene);
	scene_ground_free(&ground);
}

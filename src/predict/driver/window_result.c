/*
 * Runs all analyses on one window, and turns their claims, which refer to nodes, into findings with
 * events and goals that outlive the window.
 */
#include "predict/driver/window_result.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "base/sort.h"
#include "predict/atomicity/atomicity_regions.h"
#include "predict/driver/seen_sites.h"
#include "predict/pattern/relaxed_window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the analyses ---------------------------------------------------------------------------- */

static const struct {
	/* enum predict_analysis: runs if any of these is wanted; 0: if there are patterns */
	unsigned wanted;
	void (*run)(struct analysis *analysis);
	unsigned share; /* it gets 1 / share of the time that remains */
} analyses[] = {
	{ 0, predict_patterns, 2 },
	{ PREDICT_MISUSE, predict_misuse, 4 },
	{ PREDICT_DEADLOCK, predict_deadlocks, 3 },
	{ PREDICT_DEADLOCK | PREDICT_LOST_SIGNAL, predict_global_deadlock, 2 },
	{ PREDICT_ATOMICITY, predict_atomicity, 3 },
	{ PREDICT_USE_AFTER_FREE | PREDICT_MISUSE, predict_use_after_end, 3 },
	{ PREDICT_RACE, predict_races, 1 },
};

static void run_analyses(struct analysis *analysis, double seconds)
{
	double end = seconds > 0 ? seconds_now() + seconds : 0;

	for (size_t i = 0; i < sizeof analyses / sizeof *analyses; i++) {
		if (analyses[i].wanted ? !(analyses[i].wanted & analysis->options->only)
				       : !analysis->patterns)
			continue;
		if (end != 0) {
			double now = seconds_now();

			analysis->deadline =
				now +
				(end - now) / (analysis->options->only ? analyses[i].share : 1);
		}
		analyses[i].run(analysis);
	}
}

/* ---- from claims to findings ----------------------------------------------------------------- */

static bool is_pending(const struct window *window, uint32_t event)
{
	return event >= window->model.node_count;
}

static void copy_held(const struct window *window, uint32_t innermost, struct finding_event *out)
{
	size_t depth = 0;

	for (uint32_t at = innermost; at != ORDER_NONE; at = window->held.items[at].outer)
		depth++;
	(void)vec_reserve(&out->held, depth + 1);
	out->held.count = depth;
	for (uint32_t at = innermost; at != ORDER_NONE; at = window->held.items[at].outer) {
		const struct window_held *held = &window->held.items[at];

		out->held.items[--depth] =
			(struct finding_lock){ held->address, held->taken, held->shared };
	}
}

/* Describes an event before the window. The locks that were held there are no longer known. */
static void describe_past(const struct analysis *analysis, const struct analysis_claim *claim,
			  size_t i, struct finding_event *out)
{
	uint32_t property = claim->pattern->property, number = claim->choices.items[i].occurrence;
	const struct property_event *e =
		&analysis->patterns->properties->properties.items[property].events.items[number];
	const struct past_node *node = past_view_node(analysis->past, property, number);

	out->id = e->id;
	out->kind = e->kind;
	out->address = node->address;
	out->size = node->size;
	out->site = e->site;
}

/* Describes a pending request. Its kind is that of the event that never came, such as ACQUIRE. */
static void describe_pending(const struct window *window, uint32_t number,
			     struct finding_event *out)
{
	const struct window_thread *thread = &window->threads.items[number];

	out->id = thread->pending;
	out->kind = thread->pending_kind;
	out->address = thread->pending_address;
	out->site = thread->pending_site;
	out->pending = true;
	copy_held(window, thread->held, out);
}

static void describe_node(const struct window *window, uint32_t number, struct finding_event *out)
{
	const struct window_node *node = &window->nodes.items[number];
	const struct window_block *block = window_find_block(window, number);

	out->id = node->id;
	out->kind = node->kind;
	out->address = node->address;
	out->size = node->size;
	out->site = node->site;
	out->in_block = block;
	if (block)
		out->block = *block;
	copy_held(window, node->held, out);
}

static void copy_events(const struct analysis *analysis, const struct analysis_claim *claim,
			struct finding *out)
{
	const struct window *window = analysis->window;

	for (size_t i = 0; i < claim->events.count; i++) {
		struct finding_event *event = vec_push(&out->events);

		*event = (struct finding_event){ .waits_for = ORDER_NONE, .named = SPEC_NONE };
		if (i < claim->waits_for.count)
			event->waits_for = claim->waits_for.items[i];
		if (claim->events.items[i] == ORDER_NONE) {
			describe_past(analysis, claim, i, event);
			continue;
		}
		if (is_pending(window, claim->events.items[i])) {
			describe_pending(window, claim->events.items[i] - window->model.node_count,
					 event);
			continue;
		}
		describe_node(window, claim->events.items[i], event);
		out->environment |= window->nodes.items[claim->events.items[i]].environment;
	}
	for (size_t i = 0; i < claim->steps.count; i++)
		out->environment |= window->nodes.items[claim->steps.items[i]].environment;
}

/* Adds what only a pattern's finding has: events of the property, and the binding. */
static void copy_match(const struct analysis *analysis, const struct analysis_claim *claim,
		       struct window_result_claim *out)
{
	const struct property_events *property =
		&analysis->patterns->properties->properties.items[claim->pattern->property];
	uint32_t count = property->property->parameter_count;

	out->pattern = claim->pattern;
	out->finding.property = property->property;
	out->finding.formula = claim->pattern->number;
	for (uint32_t p = 0; p < count; p++)
		*vec_push(&out->finding.binding) =
			(struct property_value){ .type = FINDING_UNBOUND };
	for (size_t i = 0; i < claim->choices.count; i++) {
		const struct property_event *e =
			&property->events.items[claim->choices.items[i].occurrence];

		*vec_push(&out->choices) = claim->choices.items[i];
		out->finding.events.items[i].named = e->event;
		out->finding.events.items[i].before = e->before;
		for (uint32_t p = 0; p < count; p++) {
			uint32_t value = property->bindings.items[e->bindings + p];

			if (value != PROPERTY_NONE)
				out->finding.binding.items[p] = property->values.items[value];
		}
	}
}

static void add_goal(struct window_result_claim *out, struct event_id id, bool with)
{
	*vec_push(&out->goals) = (struct base_goal){ id, with };
}

static void add_goal_thread_end(const struct window *window, uint32_t thread,
				struct window_result_claim *out)
{
	add_goal(out, (struct event_id){ window->threads.items[thread].stream, BASE_POSITION_END },
		 true);
}

/*
 * When no thread can go on, threads that are over have also run the events after their last node.
 */
static void add_goals_finished_threads(const struct window *window,
				       const struct analysis_claim *claim,
				       struct window_result_claim *out)
{
	const struct order_model *model = &window->model;
	uint32_t *inside = mem_zalloc(model->thread_count + 1, sizeof *inside);

	for (size_t i = 0; i < claim->steps.count; i++)
		inside[model->thread.items[claim->steps.items[i]]]++;
	for (size_t i = 0; i < claim->events.count; i++) {
		if (!is_pending(window, claim->events.items[i]))
			inside[model->thread.items[claim->events.items[i]]] = ORDER_NONE;
	}
	for (uint32_t t = 0; t < model->thread_count; t++) {
		uint32_t nodes = model->thread_start.items[t + 1] - model->thread_start.items[t];

		if (inside[t] == nodes && (nodes || window->threads.items[t].begun))
			add_goal_thread_end(window, t, out);
	}
	free(inside);
}

/*
 * An event that only the environment explains comes after everything that came before it, including
 * events that are not nodes. So before it, each thread runs on to its next node. `inside`: by
 * thread, how many of its nodes it has run.
 */
static void run_threads_to_next_nodes(const struct window *window, const uint32_t *inside,
				      struct window_result_claim *out)
{
	const struct order_model *model = &window->model;

	for (uint32_t t = 0; t < model->thread_count; t++) {
		uint32_t next = model->thread_start.items[t] + inside[t];

		if (!inside[t] && !window->threads.items[t].begun)
			continue;
		if (next == model->thread_start.items[t + 1])
			add_goal_thread_end(window, t, out);
		else
			add_goal(out, window->nodes.items[model->thread_nodes.items[next]].id,
				 false);
	}
}

/*
 * Lists how far each thread runs, step by step. Besides its nodes (the events that other threads
 * can notice), a thread also executes other events: between its last node and its event in the
 * finding, and before another thread can join it.
 */
static void make_goals(const struct window *window, const struct analysis_claim *claim,
		       struct window_result_claim *out)
{
	uint32_t *inside;

	if (claim->claim == CHECKER_MISUSE && claim->status == FINDING_OBSERVED &&
	    claim->events.count == 1)
		return; /* the recorded run shows it: no steps are needed */
	inside = mem_zalloc(window->model.thread_count + 1, sizeof *inside);
	for (size_t i = 0; i < claim->steps.count; i++) {
		const struct window_node *node = &window->nodes.items[claim->steps.items[i]];

		for (size_t k = 0; k < claim->pauses.count; k++) {
			const struct analysis_pause *pause = &claim->pauses.items[k];

			if (pause->node == claim->steps.items[i])
				add_goal(out, window->nodes.items[pause->up_to].id, false);
		}
		if (node->kind == EV_JOIN && node->object != ORDER_NONE)
			add_goal_thread_end(window, node->object, out);
		if (node->environment)
			run_threads_to_next_nodes(window, inside, out);
		add_goal(out, node->id, !node->moment);
		inside[window->model.thread.items[claim->steps.items[i]]]++;
	}
	free(inside);
	for (size_t i = 0; i < claim->events.count; i++) {
		uint32_t event = claim->events.items[i];

		/* The INIT of an object that is used too early need not be next. */
		if (event == ORDER_NONE || (claim->misuse == EVENT_MISUSE_NOT_INIT && i == 0))
			continue;
		if (is_pending(window, event))
			add_goal_thread_end(window, event - window->model.node_count, out);
		else
			add_goal(out, window->nodes.items[event].id, false);
	}
	if (claim->claim == CHECKER_STUCK || claim->claim == CHECKER_LOST)
		add_goals_finished_threads(window, claim, out);
}

/* With the option `every`, each set of events is a finding of its own. */
static uint64_t key_of_events(const struct finding *finding)
{
	VEC(uint64_t) names = { 0 };
	uint64_t key;

	for (size_t i = 0; i < finding->events.count; i++) {
		const struct event_id *id = &finding->events.items[i].id;

		*vec_push(&names) = (uint64_t)id->stream << 44 ^ id->index;
		/*
		 * The order of the events matters: two regions can interrupt each other with the
		 * same events, and either of two ends of a lifetime can be the first.
		 */
		if (finding->kind == FINDING_ATOMICITY || finding->kind == FINDING_USE_AFTER_FREE ||
		    finding->kind == FINDING_MISUSE)
			names.items[i] ^= (uint64_t)(i + 1) << 60;
	}
	/*
	 * The key contains the misuse, because a lock that can be destroyed while in use may also
	 * be used after that.
	 */
	if (finding->kind == FINDING_MISUSE)
		*vec_push(&names) = finding->misuse;
	if (finding->misuse != EVENT_MISUSE_NONE)
		*vec_push(&names) = 1ull << 63 | finding->misuse;
	key = analysis_key(finding->kind, names.items, names.count);
	vec_free(&names);
	return key;
}

static void copy_claim(struct window_result_claim *out, const struct analysis *analysis,
		       const struct analysis_claim *claim)
{
	*out = (struct window_result_claim){ .claim = claim->claim };
	out->finding.kind = claim->kind;
	out->finding.status = claim->status;
	out->finding.misuse = claim->misuse;
	out->finding.count = 1;
	out->finding.inferred = claim->inferred;
	out->finding.benign = claim->benign;
	out->finding.region = claim->region;
	out->finding.region_lock = claim->region_lock;
	if (claim->region_name)
		out->finding.region_name =
			mem_copy_text(claim->region_name, strlen(claim->region_name));
	copy_events(analysis, claim, &out->finding);
	make_goals(analysis->window, claim, out);
	if (claim->pattern)
		copy_match(analysis, claim, out);
	out->key = analysis->options->every && !claim->pattern ? key_of_events(&out->finding)
							       : claim->key;
}

static uint32_t last_event(const struct analysis_claim *claim)
{
	uint32_t last = 0;

	for (size_t i = 0; i < claim->events.count; i++) {
		if (claim->events.items[i] > last && claim->events.items[i] != ORDER_NONE)
			last = claim->events.items[i];
	}
	return last;
}

typedef const struct analysis_claim *claim_pointer;

/* Only pointers are sorted, so claims with the same last event can be compared by address. */
SORT_COMPARISON(by_last_event, claim_pointer, a, b,
		sort_order(last_event(*a), last_event(*b)) ?: sort_order(*a, *b))

static bool is_wanted(const struct predict_options *options, enum finding_kind kind)
{
	static const unsigned wanted[FINDING_KINDS] = {
		[FINDING_RACE] = PREDICT_RACE,
		[FINDING_DEADLOCK] = PREDICT_DEADLOCK,
		[FINDING_LOST_SIGNAL] = PREDICT_LOST_SIGNAL,
		[FINDING_ATOMICITY] = PREDICT_ATOMICITY,
		[FINDING_USE_AFTER_FREE] = PREDICT_USE_AFTER_FREE,
		[FINDING_MISUSE] = PREDICT_MISUSE,
	};

	return kind == FINDING_PATTERN || options->only & wanted[kind];
}

static void copy_claims(struct window_result *result, const struct analysis *analysis)
{
	VEC(claim_pointer) sorted = { 0 };

	for (size_t i = 0; i < analysis->claims.count; i++) {
		if (is_wanted(analysis->options, analysis->claims.items[i].kind))
			*vec_push(&sorted) = &analysis->claims.items[i];
	}
	vec_sort(&sorted, by_last_event);
	for (size_t i = 0; i < sorted.count; i++)
		copy_claim(vec_push(&result->claims), analysis, sorted.items[i]);
	vec_free(&sorted);
}

static void free_claim(struct window_result_claim *claim)
{
	finding_free(&claim->finding);
	vec_free(&claim->goals);
	vec_free(&claim->choices);
}

/* ---- leads ----------------------------------------------------------------------------------- */

#define LEADS_MOST 32 /* leads per window; trying one costs a run of the program */

static void copy_leads(struct window_result *result, const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->claims.count && result->leads.count < LEADS_MOST; i++)
		copy_claim(vec_push(&result->leads), analysis, &analysis->claims.items[i]);
}

static bool has_claim(const window_result_claims *claims, uint64_t key)
{
	for (size_t i = 0; i < claims->count; i++) {
		if (claims->items[i].key == key)
			return true;
	}
	return false;
}

/* Adds a claim that the strict model does not have as well. */
static void add_suspicion(struct window_result *result, const struct analysis *analysis,
			  const struct analysis_claim *claim)
{
	struct window_result_claim *lead = vec_push(&result->leads);

	copy_claim(lead, analysis, claim);
	lead->finding.status = FINDING_WARNING;
	lead->finding.unrecorded = true;
	if (!has_claim(&result->claims, lead->key))
		return;
	free_claim(lead);
	result->leads.count--;
}

/*
 * Searches again on the window as if code that is not recorded imposed no order. What is found only
 * there may be impossible: that code may wait, lock, and hand over data.
 */
static void find_suspicions(struct window_result *result, const struct analysis *strict,
			    double seconds)
{
	struct relaxed_window window;
	struct analysis analysis;

	relaxed_window_make(&window, strict->window, RELAXED_OPAQUE);
	analysis = (struct analysis){
		.window = &window.window,
		.clock = &window.clock,
		.options = strict->options,
		.seen = strict->seen,
		.patterns = strict->patterns,
		.past = strict->past,
	};
	run_analyses(&analysis, seconds);
	for (size_t i = 0; i < analysis.claims.count && result->leads.count < LEADS_MOST; i++) {
		const struct analysis_claim *claim = &analysis.claims.items[i];

		if (claim->status == FINDING_PREDICTED && is_wanted(strict->options, claim->kind))
			add_suspicion(result, &analysis, claim);
	}
	analysis_free(&analysis);
	relaxed_window_free(&window);
}

/* Searches again in relaxed windows: first without the values of reads, then without the reads. */
static void find_leads(struct window_result *result, struct analysis *strict)
{
	for (enum relaxation level = RELAXED_VALUES; level <= RELAXED_READS; level++) {
		struct relaxed_window window;
		struct analysis analysis;

		relaxed_window_make(&window, strict->window, level);
		analysis = (struct analysis){
			.window = &window.window,
			.clock = &window.clock,
			.options = strict->options,
			.seen = strict->seen,
			.patterns = strict->patterns,
			.past = strict->past,
			.before = strict,
			.deadline = strict->deadline,
		};
		if (strict->patterns && strict->options->leads)
			predict_patterns(&analysis);
		if (strict->options->only & (PREDICT_ATOMICITY | PREDICT_INFERRED))
			predict_atomicity(&analysis);
		copy_leads(result, &analysis);
		analysis_free(&analysis);
		relaxed_window_free(&window);
	}
}

/* No query is needed: the recorded order shows these waits. */
static void find_waits_without_recheck(struct window_result *result, const struct analysis *strict)
{
	struct analysis analysis = {
		.window = strict->window,
		.options = strict->options,
		.seen = strict->seen,
	};

	predict_no_recheck(&analysis);
	copy_leads(result, &analysis);
	analysis_free(&analysis);
}

/* Are there annotated regions? Leads are made for them, too. */
static bool has_regions(const struct seen_sites *seen)
{
	return seen->regions && seen->regions->items.count;
}

void window_result_make(struct window_result *result, const struct window *window,
			const struct predict_options *options, const struct pattern_set *patterns,
			const struct past_view *past, const struct seen_sites *seen, double seconds)
{
	struct order_clock clock;
	struct analysis analysis = {
		.window = window,
		.clock = &clock,
		.options = options,
		.seen = seen,
		.patterns = patterns,
		.past = past,
	};

	order_clock_make(&clock, &window->model);
	analysis.stats.windows = 1;
	analysis.stats.unexplained = window->unexplained;
	run_analyses(&analysis, seconds);
	if (analysis.solver)
		analysis.stats.solver = *order_solver_counts(analysis.solver);
	result->stats = analysis.stats;
	copy_claims(result, &analysis);
	if (window->opaque_edges.count)
		find_suspicions(result, &analysis, seconds);
	if (seen->calls || ((patterns || has_regions(seen)) && options->leads))
		find_leads(result, &analysis);
	if (options->only & PREDICT_MISUSE && (options->leads || options->only & PREDICT_WARNINGS))
		find_waits_without_recheck(result, &analysis);
	for (size_t i = 0; i < analysis.failures.count; i++)
		*vec_push(&result->failures) = analysis.failures.items[i];
	analysis_free(&analysis);
	order_clock_free(&clock);
}

static void free_claims(window_result_claims *claims)
{
	for (size_t i = 0; i < claims->count; i++)
		free_claim(&claims->items[i]);
	vec_free(claims);
}

void window_result_free(struct window_result *result)
{
	free_claims(&result->claims);
	free_claims(&result->leads);
	vec_free(&result->failures);
}

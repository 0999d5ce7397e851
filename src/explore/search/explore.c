/*
 * The strategy of the search: decides which kind of run comes next (prediction, learned model,
 * lead, systematic, random), and what to learn from each run. explore.h describes the order.
 */
#include "explore/search/explore.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "explore/search/run_key.h"
#include "explore/search/hints.h"
#include "explore/search/model_search.h"
#include "explore/search/dpor_path.h"
#include "explore/search/lead_plan.h"

#include <stdio.h>
#include <string.h>

#define LEADS_ALONE 24	    /* runs by leads before systematic runs begin */
#define MODEL_RUNS_MOST 100 /* runs from the learned model: computing one takes longer than a run */
#define RANDOM_EVERY 8	    /* executions from one random run to the next, while there are leads */
#define BOUNDED_RUNS 2000   /* runs in each pass with a bound on preemptions */
#define SYSTEMATIC_ALONE 4000  /* systematic runs before random runs are mixed in */
#define RANDOM_AFTERWARDS 1000 /* random runs after an incomplete systematic search */
#define LONG_RUN                                                                                   \
	100000 /* operations; in longer runs, leads order only the threads of the thread set */
#define SYSTEMATIC_MOST 300000 /* operations; in longer runs, not all threads are interleaved */
#define KEYED_MOST 20000       /* operations; the keys of longer runs are not stored */
#define PROGRESS_EVERY 0.1     /* seconds */

#define PLAN_OPTIONS (CONTROL_END_STUCK | CONTROL_CHECK_HEAP | CONTROL_SPIN_SOON)

/* The systematic search consists of passes; each pass covers more than the previous one. */
static const struct {
	uint32_t bound;
	bool first_set; /* interleave only the first set of threads */
	uint64_t share; /* the pass gets 1/share of the budget; 0: BOUNDED_RUNS runs */
} passes[] = {
	{ 1, true, 0 },
	{ 2, true, 0 },
	{ DPOR_PATH_NONE, true, 4 },
	{ DPOR_PATH_NONE, false, 1 },
};
#define PASSES (sizeof passes / sizeof passes[0])

struct explore {
	struct explore_options options;
	const struct hints *hints;   /* NULL: none */
	size_t witnesses;	     /* number of plans in `hints` that were run */
	struct thread_set first_set; /* threads to interleave first */
	struct explore_result result;
	struct leads leads;
	struct model_search *model;
	uint64_t model_runs; /* number of runs from the learned model */
	/* keys of all runs made, and of all runs that a lead was expected to make */
	struct map plans;
	struct dpor *dpor; /* of the current pass; NULL: no pass has begun */
	size_t pass;
	uint64_t pass_runs;
	struct executor *executor;
	struct plan plan;
	struct outcome outcome;
	struct err *err;
	uint64_t longest; /* number of events of the longest run that ended without a failure */
	uint64_t draws;
	int usual; /* wait status of a run that does not fail */
	double start, progress_at;
	bool broken; /* the executor failed */
	uint64_t afterwards;
	bool exhausted; /* nothing is left to run */
};

/* ---- end and progress ------------------------------------------------------------------------ */

static bool has_failed(const struct explore *e)
{
	for (size_t i = 0; i < e->result.failures.count; i++)
		if (!e->result.failures.items[i].doubtful)
			return true;
	return false;
}

static bool must_end(struct explore *e)
{
	if (e->options.stop && *e->options.stop)
		e->result.interrupted = true;
	return e->broken || e->exhausted || e->result.interrupted ||
	       e->result.executions >= e->options.budget ||
	       (e->options.seconds > 0 && seconds_now() - e->start > e->options.seconds) ||
	       (has_failed(e) && !e->options.all);
}

static void report_progress(struct explore *e, const char *phase)
{
	double time = seconds_now();

	if (!e->options.progress || time - e->progress_at < PROGRESS_EVERY)
		return;
	e->progress_at = time;
	e->options.progress(e->options.context,
			    &(struct explore_progress){ .phase = phase,
							.executions = e->result.executions,
							.leads_left = e->leads.queue.count,
							.failures = e->result.failures.count,
							.seconds = time - e->start });
}

/* ---- one run --------------------------------------------------------------------------------- */

static void keep_failure(struct explore *e, const char *how)
{
	struct failure failure = { .result = e->outcome.result,
				   .status = e->outcome.status,
				   .key = failure_key(&e->outcome),
				   .execution = e->result.executions };

	for (size_t i = 0; i < e->result.failures.count; i++)
		if (e->result.failures.items[i].key == failure.key)
			return;
	snprintf(failure.how, sizeof failure.how, "%s", how);
	if (e->outcome.control)
		memcpy(failure.text, e->outcome.control->text, sizeof failure.text - 1);
	failure.plan.options = CONTROL_END_STUCK | CONTROL_CHECK_HEAP;
	failure.plan.most_steps = e->options.most_steps;
	lead_plan_repeat(&e->outcome, &failure.plan);
	*vec_push(&e->result.failures) = failure;
}

static void count_run(struct explore *e, const char *how, const struct lead *lead)
{
	e->result.executions++;
	if (e->options.ran)
		e->options.ran(e->options.context, e->result.executions, how, lead, &e->outcome);
	if (e->outcome.event_count < KEYED_MOST)
		map_put(&e->plans, run_key_of_events(e->outcome.events, e->outcome.event_count),
			NULL);
	if (failure_seen(&e->outcome, e->usual))
		keep_failure(e, how);
	else if (e->outcome.result == CONTROL_LIMIT || e->outcome.result == CONTROL_HUNG)
		e->result.limits++;
	else if (e->longest < e->outcome.event_count)
		e->longest = e->outcome.event_count;
}

/* Runs e->plan. Returns false if the program cannot be run any more. */
static bool run_plan(struct explore *e, const char *phase, const char *how, const struct lead *lead)
{
	report_progress(e, phase);
	if (!e->executor->run(e->executor, &e->plan, &e->outcome, e->err)) {
		e->broken = true;
		return false;
	}
	count_run(e, how, lead);
	return true;
}

static void start_plan(struct explore *e)
{
	plan_clear(&e->plan);
	e->plan.policy = CONTROL_STAY;
	e->plan.options = PLAN_OPTIONS;
	e->plan.most_steps = e->options.most_steps;
}

/* ---- leads ----------------------------------------------------------------------------------- */

static void learn_from_run(struct explore *e, uint32_t depth, const struct lead *by)
{
	if (failure_seen(&e->outcome, e->usual) || e->outcome.result == CONTROL_LIMIT ||
	    e->outcome.result == CONTROL_HUNG)
		return;
	leads_learn(&e->leads, &e->outcome, depth, by);
	model_search_learn(e->model, &e->outcome);
}

static void run_random(struct explore *e, bool learns)
{
	start_plan(e);
	e->plan.policy = CONTROL_PRIORITIES;
	e->plan.seed = e->options.seed * 1000003 + ++e->draws * 7919;
	if (run_plan(e, "random priorities", "random priorities", NULL)) {
		e->result.by_priorities++;
		if (learns)
			learn_from_run(e, 1, NULL);
	}
}

/* Runs the next predicted witness. Returns false if all have been run. */
static bool run_witness(struct explore *e)
{
	if (!e->hints || e->witnesses == e->hints->plans.count)
		return false;
	plan_copy(&e->plan, &e->hints->plans.items[e->witnesses++]);
	e->plan.options = PLAN_OPTIONS;
	e->plan.most_steps = e->options.most_steps;
	if (run_plan(e, "predictions", "prediction", NULL)) {
		e->result.by_leads++;
		learn_from_run(e, 1, NULL);
	}
	return true;
}

/* Takes the next lead whose run is not known yet and plans it. Returns false if no lead is left. */
static bool next_lead(struct explore *e, struct lead *lead)
{
	struct thread_set set = { NULL, 0 };

	if (e->longest > LONG_RUN)
		set = e->first_set;
	while (leads_take(&e->leads, lead)) {
		uint64_t key;
		bool fresh, possible;
		start_plan(e);
		lead_plan_make(lead, &set, &e->plan);
		key = run_key_of_lead(lead, &e->plan, &possible);
		map_put(&e->plans, key ? key : lead_plan_key(lead, &e->plan), &fresh);
		if (fresh && possible && !model_search_knows(e->model, &e->plan))
			return true;
		lead_done(&e->leads, lead);
	}
	return false;
}

static bool run_lead(struct explore *e)
{
	struct lead lead;
	uint32_t depth;
	char how[24];
	bool ran;

	if (!next_lead(e, &lead))
		return false;
	snprintf(how, sizeof how, "lead %s", lead_kind_name(lead.kind));
	depth = lead.log->depth + 1;
	ran = run_plan(e, "leads", how, &lead);
	if (ran) {
		e->result.by_leads++;
		learn_from_run(e, depth, &lead);
	}
	lead_done(&e->leads, &lead);
	return true;
}

/*
 * Makes a run that will show something new according to the learned model: a goal at least as good
 * as `least`. Returns false if the model knows of no such run.
 */
static bool run_from_model(struct explore *e, enum model_goal least)
{
	enum model_goal what;
	char how[24];

	if (e->model_runs == MODEL_RUNS_MOST)
		return false;
	start_plan(e);
	what = model_search_next(e->model, least, &e->plan);
	if (what == MODEL_GOAL_NONE)
		return false;
	e->model_runs++;
	snprintf(how, sizeof how, "model: %s", model_goal_name(what));
	if (run_plan(e, "leads", how, NULL)) {
		e->result.by_leads++;
		learn_from_run(e, 1, NULL);
	}
	return true;
}

/* ---- systematic search ----------------------------------------------------------------------- */

static void end_pass(struct explore *e, bool at_its_end)
{
	e->result.systematic = *dpor_stats(e->dpor);
	e->result.at_its_end = at_its_end && e->pass + 1 == PASSES;
	e->result.complete = at_its_end && e->pass + 1 == PASSES && dpor_complete(e->dpor);
	dpor_close(e->dpor);
	e->dpor = NULL;
	e->pass++;
}

/* Skip this pass because it adds nothing or costs too much? */
static bool skips_pass(const struct explore *e, size_t pass)
{
	bool bounded = passes[pass].bound != DPOR_PATH_NONE;
	bool all_threads = !passes[pass].first_set || !e->first_set.threads;

	return (bounded && e->options.systematic_only) ||
	       (!bounded && passes[pass].first_set && !e->first_set.threads) ||
	       (all_threads && e->longest > SYSTEMATIC_MOST);
}

static bool begin_pass(struct explore *e)
{
	struct dpor_options options = { .plan_options = PLAN_OPTIONS,
					.most_steps = e->options.most_steps };

	while (e->pass < PASSES && skips_pass(e, e->pass))
		e->pass++;
	if (e->pass == PASSES)
		return false;
	/*
	 * A claim of completeness requires that a loop is seen to give up, if it does so after some
	 * rounds.
	 */
	if (e->pass + 1 == PASSES)
		options.plan_options &= ~(uint32_t)CONTROL_SPIN_SOON;
	options.bound = passes[e->pass].bound;
	if (passes[e->pass].first_set)
		options.set = e->first_set;
	e->dpor = dpor_open(&options);
	e->pass_runs = 0;
	return true;
}

/*
 * Makes the next run of the current pass, or the first run of the next pass. Returns false if all
 * passes are finished.
 */
static bool run_systematic(struct explore *e)
{
	for (;;) {
		uint64_t most;
		bool finished;

		if (!e->dpor && !begin_pass(e))
			return false;
		most = passes[e->pass].share ? e->options.budget / passes[e->pass].share
					     : BOUNDED_RUNS;
		finished = dpor_is_finished(e->dpor);
		if (!finished && e->pass_runs < most)
			break;
		end_pass(e, finished);
		if (e->result.complete)
			return false;
	}
	dpor_next(e->dpor, &e->plan);
	e->pass_runs++;
	if (run_plan(e, passes[e->pass].bound == DPOR_PATH_NONE ? "systematic" : "few preemptions",
		     "systematic", NULL)) {
		e->result.by_systematic++;
		dpor_learn(e->dpor, &e->outcome);
	}
	return true;
}

/* ---- choosing the kind of the next run ------------------------------------------------------- */

/*
 * Makes the next run. First come witnesses and model runs that promise a failure, then leads alone,
 * then leads alternating with systematic runs, and finally systematic runs alone. Some random runs
 * are mixed in.
 */
static void run_next(struct explore *e)
{
	uint64_t turn = e->result.executions;
	bool leads = e->leads.queue.count && !e->options.systematic_only;
	bool random = !e->options.systematic_only && turn % RANDOM_EVERY == 0 &&
		      (leads || e->result.by_systematic > SYSTEMATIC_ALONE);

	if (!e->options.systematic_only && run_witness(e))
		return;
	if (!e->options.systematic_only && run_from_model(e, MODEL_GOAL_FAILURE))
		return;
	if (random) {
		run_random(e, leads);
		return;
	}
	if (!e->options.systematic_only && turn % 2 == 0 && run_from_model(e, MODEL_GOAL_NEW_VIEW))
		return;
	if (leads && (e->result.by_leads < LEADS_ALONE || turn % 2) && run_lead(e))
		return;
	if (run_systematic(e) || e->result.complete)
		return;
	if (e->options.systematic_only || (!leads && e->afterwards++ == RANDOM_AFTERWARDS))
		e->exhausted = true;
	else
		run_random(e, leads);
}

/* ---- the whole search ------------------------------------------------------------------------ */

void explore_hint(struct explore *e, const struct hints *hints)
{
	e->hints = hints;
	e->first_set = (struct thread_set){ hints->threads, hints->thread_count };
	for (size_t i = 0; i < hints->pairs.count; i++)
		leads_hint(&e->leads, hints->pairs.items[i].one, hints->pairs.items[i].other);
}

void explore_first(struct explore *e, const struct outcome *outcome)
{
	e->outcome = *outcome;
	e->usual = outcome->result == CONTROL_ENDED ? outcome->status : 0;
	if (outcome->control) { /* not of a simulated program */
		e->result.first_status = e->usual;
		e->result.first_alone = outcome->thread_count < 2;
	}
	count_run(e, "first run", NULL);
	if (!e->options.most_steps)
		e->options.most_steps = 100000 + 20 * (uint64_t)outcome->event_count;
	if (!e->options.systematic_only)
		learn_from_run(e, 0, NULL);
}

bool explore_search(struct explore *e, struct executor *executor, struct err *err)
{
	e->executor = executor;
	e->err = err;
	while (!must_end(e) && !e->result.complete)
		run_next(e);
	/* The last run of the search may be the last one that the budget allows. */
	if (e->dpor && !e->broken && !has_failed(e) && e->pass + 1 == PASSES &&
	    dpor_is_finished(e->dpor))
		end_pass(e, true);
	if (e->dpor) /* do not close the pass: the search may continue */
		e->result.systematic = *dpor_stats(e->dpor);
	e->result.leads_made = e->leads.made;
	e->result.leads_left = e->leads.queue.count;
	e->result.seconds = seconds_now() - e->start;
	return !e->broken;
}

struct explore *explore_open(const struct explore_options *options)
{
	struct explore *e = mem_zalloc(1, sizeof *e);

	e->options = *options;
	e->model = model_search_open();
	e->start = seconds_now();
	return e;
}

void explore_close(struct explore *e)
{
	for (size_t i = 0; i < e->result.failures.count; i++)
		failure_free(&e->result.failures.items[i]);
	vec_free(&e->result.failures);
	leads_free(&e->leads);
	model_search_close(e->model);
	if (e->dpor)
		dpor_close(e->dpor);
	map_free(&e->plans);
	plan_free(&e->plan);
	free(e);
}

const struct outcome *explore_last(const struct explore *e)
{
	return &e->outcome;
}

struct explore_result *explore_result(struct explore *e)
{
	return &e->result;
}

int explore_usual_status(const struct explore *e)
{
	return e->usual;
}

#include "explore/explore.h"

#include "base/mem.h"
#include "explore/path.h"
#include "explore/steer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define RANDOM_EVERY 8	  /* lead runs to a run by random priorities */
#define LEADS_SHARE 2	  /* leads get a half of the budget at most, */
#define LEADS_STALE 400	  /* … and end when so many runs showed nothing new */
#define BOUNDED_RUNS 2000 /* each pass with few preemptions */
#define ALONE_RUNS 4000	  /* systematic runs before random ones come beside them */
#define SPEAK_EVERY 0.1	  /* seconds */

struct explore {
	struct explore_options options;
	struct explore_result result;
	struct leads leads;
	struct executor *executor;
	struct plan plan;
	struct outcome outcome;
	struct err *err;
	uint64_t longest; /* events of a run that ended */
	uint64_t draws;
	int usual; /* status of a run that is well */
	double start, spoken;
	bool broken; /* the executor failed */
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- when to end -------------------------------------------------------------------------- */

static bool over(struct explore *e)
{
	if (e->options.stop && *e->options.stop)
		e->result.interrupted = true;
	return e->broken || e->result.interrupted || e->result.executions >= e->options.budget ||
	       (e->options.seconds > 0 && now() - e->start > e->options.seconds) ||
	       (e->result.failures.count && !e->options.all);
}

static void speak(struct explore *e, const char *phase)
{
	double time = now();

	if (!e->options.progress || time - e->spoken < SPEAK_EVERY)
		return;
	e->spoken = time;
	e->options.progress(e->options.context,
			    &(struct explore_progress){ .phase = phase,
							.executions = e->result.executions,
							.leads_left = e->leads.queue.count,
							.failures = e->result.failures.count,
							.seconds = time - e->start });
}

/* ---- one run ------------------------------------------------------------------------------ */

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
	steer_repeat(&e->outcome, &failure.plan);
	*vec_push(&e->result.failures) = failure;
}

static void judge(struct explore *e, const char *how)
{
	e->result.executions++;
	if (failure_seen(&e->outcome, e->usual))
		keep_failure(e, how);
	else if (e->outcome.result == CONTROL_LIMIT || e->outcome.result == CONTROL_HUNG)
		e->result.limits++;
	else if (e->longest < e->outcome.event_count)
		e->longest = e->outcome.event_count;
}

/* Runs e->plan. False: it could not be run. */
static bool run_plan(struct explore *e, const char *phase, const char *how)
{
	speak(e, phase);
	if (!e->executor->run(e->executor, &e->plan, &e->outcome, e->err)) {
		e->broken = true;
		return false;
	}
	judge(e, how);
	return true;
}

static void start_plan(struct explore *e)
{
	plan_clear(&e->plan);
	e->plan.policy = CONTROL_STAY;
	e->plan.options = CONTROL_END_STUCK | CONTROL_CHECK_HEAP;
	e->plan.most_steps = e->options.most_steps;
}

/* ---- leads -------------------------------------------------------------------------------- */

static bool learn(struct explore *e, uint32_t depth)
{
	size_t before = e->leads.seen_pairs.count;

	if (failure_seen(&e->outcome, e->usual) || e->outcome.result == CONTROL_LIMIT ||
	    e->outcome.result == CONTROL_HUNG)
		return false;
	leads_learn(&e->leads, &e->outcome, depth);
	return e->leads.seen_pairs.count != before;
}

static void run_random(struct explore *e, bool learns)
{
	start_plan(e);
	e->plan.policy = CONTROL_PRIORITIES;
	e->plan.seed = e->options.seed * 1000003 + ++e->draws * 7919;
	if (run_plan(e, "random priorities", "random priorities")) {
		e->result.by_priorities++;
		if (learns)
			learn(e, 1);
	}
}

static void follow_leads(struct explore *e)
{
	uint64_t most = e->options.budget / LEADS_SHARE, stale = 0, runs = 0;
	struct lead lead;

	while (!over(e) && e->result.by_leads < most && stale < LEADS_STALE &&
	       leads_take(&e->leads, &lead)) {
		char how[24];
		uint32_t depth = lead.log->depth + 1;
		snprintf(how, sizeof how, "lead %s", lead_kind_name(lead.kind));
		start_plan(e);
		steer_plan(&lead, &e->plan);
		lead_done(&e->leads, &lead);
		if (!run_plan(e, "leads", how))
			return;
		e->result.by_leads++;
		stale = learn(e, depth) ? 0 : stale + 1;
		if (++runs % RANDOM_EVERY == 0 && !over(e))
			run_random(e, true);
	}
}

/* ---- systematically ----------------------------------------------------------------------- */

/* A pass of at most `most` runs. True: it came to its end. */
static bool search_systematically(struct explore *e, uint32_t bound, bool window, uint64_t most)
{
	struct dpor_options options = { .bound = bound,
					.window = window ? e->options.window : NULL,
					.window_count = e->options.window_count,
					.plan_options = CONTROL_END_STUCK | CONTROL_CHECK_HEAP,
					.most_steps = e->options.most_steps };
	struct dpor *dpor = dpor_open(&options);
	uint64_t runs = 0;
	bool more = true;

	while (!over(e) && runs < most && (more = dpor_next(dpor, &e->plan))) {
		if (!run_plan(e, bound == PATH_NONE ? "systematic" : "few preemptions",
			      "systematic"))
			break;
		e->result.by_systematic++;
		runs++;
		dpor_learn(dpor, &e->outcome);
		if (bound == PATH_NONE && runs > ALONE_RUNS && runs % 2 == 0 && !over(e) &&
		    !e->options.systematic_only)
			run_random(e, false);
	}
	e->result.systematic = *dpor_stats(dpor);
	e->result.complete = !more && dpor_complete(dpor);
	dpor_close(dpor);
	return !more;
}

static void search_all(struct explore *e)
{
	for (uint32_t bound = 1; bound <= 2 && !e->options.systematic_only; bound++)
		if (!over(e) && !e->result.complete)
			search_systematically(e, bound, e->options.window != NULL, BOUNDED_RUNS);
	if (e->options.window && !e->options.systematic_only && !over(e))
		search_systematically(e, PATH_NONE, true, e->options.budget / 4);
	if (!over(e) && !e->result.complete)
		search_systematically(e, PATH_NONE, false, UINT64_MAX);
}

/* ---- all of it ---------------------------------------------------------------------------- */

void explore_first(struct explore *e, const struct outcome *outcome)
{
	e->outcome = *outcome;
	e->usual = outcome->result == CONTROL_ENDED ? outcome->status : 0;
	judge(e, "first run");
	if (!e->options.most_steps)
		e->options.most_steps = 100000 + 20 * (uint64_t)outcome->event_count;
	if (!e->options.systematic_only)
		learn(e, 0);
}

bool explore_search(struct explore *e, struct executor *executor, struct err *err)
{
	e->executor = executor;
	e->err = err;
	if (!e->options.systematic_only)
		follow_leads(e);
	if (!over(e))
		search_all(e);
	while (!over(e) && !e->result.complete && !e->options.systematic_only)
		run_random(e, false);
	e->result.leads_made = e->leads.made;
	e->result.leads_left = e->leads.queue.count;
	e->result.seconds = now() - e->start;
	return !e->broken;
}

struct explore *explore_open(const struct explore_options *options)
{
	struct explore *e = mem_zalloc(1, sizeof *e);

	e->options = *options;
	e->start = now();
	return e;
}

void explore_close(struct explore *e)
{
	for (size_t i = 0; i < e->result.failures.count; i++)
		failure_free(&e->result.failures.items[i]);
	vec_free(&e->result.failures);
	leads_free(&e->leads);
	plan_free(&e->plan);
	free(e);
}

struct explore_result *explore_result(struct explore *e)
{
	return &e->result;
}

int explore_usual_status(const struct explore *e)
{
	return e->usual;
}

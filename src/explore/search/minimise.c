/*
 * Delta debugging over the slices of a failing plan: leaves out a half of the plan, then a quarter,
 * and so on down to single slices. A trial is kept if it fails in the same way with fewer thread
 * switches.
 */
#include "explore/search/minimise.h"

#include "base/seconds.h"
#include "explore/search/lead_plan.h"

struct minimiser {
	struct executor *executor;
	struct failure *failure;
	uint64_t runs, most;
	double deadline; /* 0: none */
	int usual;
	struct plan trial;
};

/* Makes the trial: the failing plan without the `count` slices that start at `from`. */
static void make_trial(struct minimiser *m, size_t from, size_t count)
{
	struct plan *trial = &m->trial;
	const struct plan *plan = &m->failure->plan;

	plan_copy(trial, plan);
	trial->slices.count = 0;
	for (size_t i = 0; i < plan->slices.count; i++)
		if (i < from || i >= from + count)
			*vec_push(&trial->slices) = plan->slices.items[i];
}

/*
 * Runs the trial. If it fails in the same way with fewer switches, the slices of its run become the
 * new plan.
 */
static bool run_trial(struct minimiser *m)
{
	struct outcome outcome;
	struct plan seen = { 0 };
	struct err err;
	bool better;

	m->runs++;
	if (!m->executor->run(m->executor, &m->trial, &outcome, &err)) {
		m->most = 0;
		return false;
	}
	if (!failure_seen(&outcome, m->usual) || failure_key(&outcome) != m->failure->key ||
	    outcome.events_lost)
		return false;
	plan_copy(&seen, &m->trial);
	seen.slices.count = seen.choices.count = 0;
	lead_plan_repeat(&outcome, &seen);
	better = seen.slices.count < m->failure->plan.slices.count;
	if (better)
		plan_copy(&m->failure->plan, &seen);
	plan_free(&seen);
	return better;
}

static bool may_run(const struct minimiser *m)
{
	return m->runs < m->most && (m->deadline == 0 || seconds_now() < m->deadline);
}

uint64_t minimise_failure(struct executor *executor, struct failure *failure,
			  const struct minimise_limits *limits, int usual)
{
	struct minimiser m = { .executor = executor,
			       .failure = failure,
			       .most = limits->runs,
			       .deadline =
				       limits->seconds > 0 ? seconds_now() + limits->seconds : 0,
			       .usual = usual };
	size_t piece = (failure->plan.slices.count + 1) / 2;

	while (piece > 0 && may_run(&m)) {
		bool any = false;
		for (size_t at = 0; at < failure->plan.slices.count && may_run(&m);) {
			make_trial(&m, at, piece);
			if (run_trial(&m))
				any = true;
			else
				at += piece;
		}
		if (!any || piece > failure->plan.slices.count)
			piece /= 2;
	}
	plan_free(&m.trial);
	return m.runs;
}

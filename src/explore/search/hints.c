/*
 * Runs the predictive analyses and the warnings on the first recording. Keeps what a search can use
 * of the findings: witnesses as plans, pairs of sites, and threads.
 */
#include "explore/search/hints.h"

#include "base/mem.h"
#include "explore/confirm/plan_finding.h"
#include "explore/control/recorded.h"
#include "predict/warnings/dependency.h"
#include "predict/driver/predict.h"

#define PREDICT_MOST 50000 /* events; for longer recordings, predicting takes longer than trying */

typedef VEC(struct dependency_thread) seed_list;

static uint64_t estimate_events(const struct trace *trace)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < trace_stream_count(trace); i++)
		bytes += trace_stream(trace, i)->bytes;
	return bytes / 8; /* an event takes roughly 8 bytes */
}

/*
 * Adds the witness of a predicted finding, except that of a race: a race alone is not a failure,
 * and leads search for its effects.
 */
static void add_witness(struct hints *hints, const struct trace *trace,
			const struct finding *finding)
{
	struct plan plan = { 0 };
	struct err err;

	if (finding->status != FINDING_PREDICTED || finding->kind == FINDING_RACE)
		return;
	if (plan_finding(&plan, trace, finding, false, &err))
		*vec_push(&hints->plans) = plan;
	else
		plan_free(&plan);
}

static void add_finding(struct hints *hints, const struct trace *trace,
			const struct finding *finding, seed_list *seeds)
{
	VEC(uint64_t) sites = { 0 };

	for (size_t i = 0; i < finding->events.count; i++) {
		const struct finding_event *event = &finding->events.items[i];
		*vec_push(seeds) =
			(struct dependency_thread){ event->id.stream, event->id.index + 1 };
		*vec_push(&sites) = recorded_site(trace, event->id);
		for (size_t k = 0; k < i; k++)
			*vec_push(&hints->pairs) =
				(struct hint_pair){ sites.items[k], sites.items[i] };
	}
	vec_free(&sites);
	add_witness(hints, trace, finding);
	if (finding->status == FINDING_WARNING)
		hints->warnings++;
	else
		hints->predictions++;
}

static void find_threads(struct hints *hints, const struct trace *trace, const seed_list *seeds)
{
	struct dependency *dependency;
	dependency_threads threads = { 0 };

	if (!seeds->count)
		return;
	dependency = dependency_open(trace);
	dependency_thread_set(dependency, seeds->items, seeds->count, &threads);
	for (size_t i = 0; i < threads.count; i++)
		if (hints->thread_count <= threads.items[i].thread)
			hints->thread_count = threads.items[i].thread + 1;
	hints->threads = mem_zalloc(hints->thread_count, sizeof *hints->threads);
	for (size_t i = 0; i < threads.count; i++)
		hints->threads[threads.items[i].thread] = true;
	vec_free(&threads);
	dependency_close(dependency);
}

void hints_make(struct hints *hints, const struct trace *trace, double seconds)
{
	struct predict_options options = { .only = PREDICT_WARNINGS,
					   .window = PREDICT_WINDOW,
					   .jobs = 1,
					   .seconds = seconds,
					   .steps = PREDICT_STEPS };
	struct predict_result result = { 0 };
	seed_list seeds = { 0 };
	struct err err;

	*hints = (struct hints){ 0 };
	if (estimate_events(trace) <= PREDICT_MOST)
		options.only |= PREDICT_ALL | PREDICT_INFERRED;
	if (predict_run(trace, &options, &result, &err))
		for (size_t i = 0; i < result.findings.count; i++)
			add_finding(hints, trace, &result.findings.items[i], &seeds);
	find_threads(hints, trace, &seeds);
	predict_result_free(&result);
	vec_free(&seeds);
}

void hints_free(struct hints *hints)
{
	for (size_t i = 0; i < hints->plans.count; i++)
		plan_free(&hints->plans.items[i]);
	vec_free(&hints->plans);
	vec_free(&hints->pairs);
	free(hints->threads);
}

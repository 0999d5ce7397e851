/* Checks the properties on the recording of each execution of a search. */
#include "pipeline/property_judge.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

#define LOOK_SECONDS 5.0 /* for one execution */

/*
 * Limit on the cuts of a level: the check of one execution then takes a few milliseconds. A cut
 * that is left out here is not lost, because the search executes other orders of the same reads
 * anyway. It is counted as unknown.
 */
#define LOOK_BREADTH 10000u

bool property_judge_look(const struct property_files *properties, const struct trace *trace,
			 struct property_judge_look *look, struct err *err)
{
	struct predict_options options = {
		.properties = &look->set,
		.window = PREDICT_WINDOW,
		.jobs = 1,
		.seconds = LOOK_SECONDS,
		.steps = PREDICT_STEPS,
	};
	struct observe_trace observing;

	*look = (struct property_judge_look){ 0 };
	if (!property_read(trace, properties->files.items, properties->files.count, &look->set,
			   err) ||
	    !predict_run(trace, &options, &look->result, err))
		return false;
	if (!observe_trace_has_work(&look->set))
		return true;
	observe_trace_init(&observing);
	observing.options.breadth = LOOK_BREADTH;
	observing.options.count = false;
	observing.options.jobs = 1;
	observing.quiet = true;
	return observe_trace_add(&observing, trace, &look->set, properties, &look->result,
				 &look->observation, err);
}

void property_judge_look_free(struct property_judge_look *look)
{
	observe_result_free(&look->observation);
	predict_result_free(&look->result);
	property_set_free(&look->set);
}

/* Returns a hash of the property and the sites, whatever their order; never 0. */
static uint64_t hash_finding(const struct finding *f)
{
	uint64_t sites = 0;

	for (size_t i = 0; i < f->events.count; i++)
		sites += hash_mix(1, f->events.items[i].site);
	return hash_mix(hash_mix(hash_bytes(HASH_FNV_START, f->property->name,
					    strlen(f->property->name)),
				 f->formula),
			sites) |
	       1;
}

static bool has_unjudged(const struct observe_result *first,
			 const struct observe_unjudged *unjudged)
{
	for (size_t i = 0; i < first->unjudged.count; i++) {
		if (first->unjudged.items[i].property == unjudged->property &&
		    first->unjudged.items[i].formula == unjudged->formula)
			return true;
	}
	return false;
}

/*
 * Keeps the results of the first run. For a later run, counts as unknown what that run did not show
 * but the first run did. The report names what the first run did not show.
 */
static void compare_with_first(struct property_judge *j, struct property_judge_look *look)
{
	if (!j->has_first) {
		j->first = look->set;
		j->first_observation = look->observation;
		look->set = (struct property_set){ 0 };
		look->observation = (struct observe_result){ 0 };
		j->has_first = true;
		return;
	}
	for (size_t i = 0; i < look->set.properties.count; i++) {
		const struct property_events *events = &look->set.properties.items[i];
		const struct property_events *before = &j->first.properties.items[i];

		for (size_t k = 0; k < events->unseen.count; k++)
			j->unknown += !mem_has_text(before->unseen.items, before->unseen.count,
						    events->unseen.items[k]);
	}
	for (size_t i = 0; i < look->observation.unjudged.count; i++)
		j->unknown +=
			!has_unjudged(&j->first_observation, &look->observation.unjudged.items[i]);
}

/* Returns the number of questions about a run's schedules that stayed open. */
static uint64_t count_unknown(const struct property_judge_look *look)
{
	const struct predict_stats *stats = &look->result.stats;
	uint64_t unknown = stats->unknown + stats->not_asked + stats->windows_left +
			   (stats->windows > 1) + stats->rejected + look->observation.notes.count;

	for (size_t i = 0; i < look->observation.lattices.count; i++)
		unknown += look->observation.lattices.items[i].dropped > 0;
	return unknown;
}

static uint64_t check_recording(struct property_judge *j)
{
	struct property_judge_look look = { 0 };
	struct trace *trace;
	uint64_t key = 0;
	struct err err;

	if (!trace_open(j->trace, &trace, &err)) {
		j->unknown++;
		return 0;
	}
	if (property_judge_look(j->properties, trace, &look, &err)) {
		for (size_t i = 0; !key && i < look.result.findings.count; i++) {
			if (look.result.findings.items[i].property)
				key = hash_finding(&look.result.findings.items[i]);
		}
		j->unknown += count_unknown(&look);
		compare_with_first(j, &look);
	} else {
		j->unknown++;
	}
	property_judge_look_free(&look);
	trace_close(trace);
	return key;
}

static bool run_and_check(struct executor *executor, const struct plan *plan,
			  struct outcome *outcome, struct err *err)
{
	struct property_judge *j = (struct property_judge *)executor;

	if (!j->inner->run(j->inner, plan, outcome, err))
		return false;
	outcome->violated = check_recording(j);
	return true;
}

void property_judge_open(struct property_judge *j, struct executor *inner,
			 const struct property_files *properties, const char *trace)
{
	j->executor.run = run_and_check;
	j->inner = inner;
	j->properties = properties;
	j->trace = trace;
}

void property_judge_close(struct property_judge *j)
{
	observe_result_free(&j->first_observation);
	property_set_free(&j->first);
}

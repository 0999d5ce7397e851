#include "cli/judging.h"

#include "base/hash.h"

#include <string.h>

#define LOOK_SECONDS 5.0 /* for one execution */

bool judging_look(const struct properties *properties, const struct trace *trace,
		  struct property_set *set, struct predict_result *result, struct err *err)
{
	struct predict_options options = {
		.properties = set,
		.window = PREDICT_WINDOW,
		.jobs = 1,
		.seconds = LOOK_SECONDS,
		.steps = PREDICT_STEPS,
	};

	*set = (struct property_set){ 0 };
	*result = (struct predict_result){ 0 };
	return property_read(trace, properties->files.items, properties->files.count, set, err) &&
	       predict_run(trace, &options, result, err);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = hash_mix(hash, (unsigned char)*text);
	return hash;
}

/* Of the property and the places, in any order; not 0. */
static uint64_t key_of(const struct finding *f)
{
	uint64_t places = 0;

	for (size_t i = 0; i < f->events.count; i++)
		places += hash_mix(1, f->events.items[i].site);
	return hash_mix(hash_text(f->formula, f->property->name), places) | 1;
}

static bool is_told(const struct property_events *events, const char *text)
{
	for (size_t i = 0; i < events->unseen.count; i++) {
		if (!strcmp(events->unseen.items[i], text))
			return true;
	}
	return false;
}

/* What could not be seen in the first run is told; in another one more may have come up. */
static void see(struct judging *j, struct property_set *set)
{
	if (!j->has_first) {
		j->first = *set;
		*set = (struct property_set){ 0 };
		j->has_first = true;
		return;
	}
	for (size_t i = 0; i < set->properties.count; i++) {
		const struct property_events *events = &set->properties.items[i];

		for (size_t k = 0; k < events->unseen.count; k++)
			j->unknown +=
				!is_told(&j->first.properties.items[i], events->unseen.items[k]);
	}
}

static uint64_t judge(struct judging *j)
{
	struct predict_result result = { 0 };
	struct property_set set = { 0 };
	struct trace *trace;
	uint64_t key = 0;
	struct err err;

	if (!trace_open(j->trace, &trace, &err)) {
		j->unknown++;
		return 0;
	}
	if (judging_look(j->properties, trace, &set, &result, &err)) {
		for (size_t i = 0; !key && i < result.findings.count; i++) {
			if (result.findings.items[i].property)
				key = key_of(&result.findings.items[i]);
		}
		j->unknown += result.stats.unknown + result.stats.not_asked +
			      result.stats.windows_left + (result.stats.windows > 1);
		see(j, &set);
	} else {
		j->unknown++;
	}
	predict_result_free(&result);
	property_set_free(&set);
	trace_close(trace);
	return key;
}

static bool run(struct executor *executor, const struct plan *plan, struct outcome *outcome,
		struct err *err)
{
	struct judging *j = (struct judging *)executor; /* its first member */

	if (!j->behind->run(j->behind, plan, outcome, err))
		return false;
	outcome->violated = judge(j);
	return true;
}

void judging_open(struct judging *j, struct executor *behind, const struct properties *properties,
		  const char *trace)
{
	j->executor.run = run;
	j->behind = behind;
	j->properties = properties;
	j->trace = trace;
}

void judging_close(struct judging *j)
{
	property_set_free(&j->first);
}

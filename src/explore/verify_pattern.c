/* Does a recording have a match of a property's pattern, in the very order it was recorded in? */
#include "explore/verify.h"

#include "monitor/observe.h"
#include "predict/predict.h"

#include <stdlib.h>
#include <string.h>

/* A match may lie as far apart as the run is long: one window, as large as it may get. */
#define WINDOW 200000

/* A run may have many matches; what is wanted has these places. */
static bool is_among(const struct finding *finding, const uint64_t *keys,
		     const struct predict_result *result, const struct trace *recording)
{
	bool found = false;

	for (size_t i = 0; i < result->findings.count && !found; i++) {
		const struct finding *other = &result->findings.items[i];
		uint64_t *other_keys = verify_keys(recording, other);

		found = other->status == FINDING_OBSERVED &&
			verify_same(finding, keys, other, other_keys);
		free(other_keys);
	}
	return found;
}

/* All that the recorded order itself violates. */
struct observed {
	struct property_set set;
	struct predict_result result;
};

static bool observe(struct observed *o, struct spec_file *const *files, size_t count,
		    const struct trace *recording)
{
	struct predict_options options = {
		.properties = &o->set,
		.observed = true,
		.window = WINDOW,
		.jobs = 1,
		.steps = PREDICT_STEPS,
	};
	struct err err;

	*o = (struct observed){ 0 };
	return count && property_read(recording, files, count, &o->set, &err) &&
	       predict_run(recording, &options, &o->result, &err);
}

static void free_observed(struct observed *o)
{
	predict_result_free(&o->result);
	property_set_free(&o->set);
}

bool verify_pattern(const struct finding *finding, const uint64_t *keys,
		    struct spec_file *const *files, size_t count, const struct trace *recording)
{
	struct observed observed;
	bool found = observe(&observed, files, count, recording) &&
		     is_among(finding, keys, &observed.result, recording);

	free_observed(&observed);
	return found;
}

/* Is that formula of a property of that name one for the lattice? */
static bool is_other_formula(const char *property, uint32_t formula, struct spec_file *const *files,
			     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (const struct spec_property *p = files[i]->properties; p; p = p->next) {
			const struct spec_formula *f = p->formulas;

			if (strcmp(p->name, property) != 0)
				continue;
			for (uint32_t n = 1; f && n < formula; n++)
				f = f->next;
			return f && observe_judges(f);
		}
	}
	return false;
}

bool verify_property(const char *property, uint32_t formula, struct spec_file *const *files,
		     size_t count, const struct trace *recording)
{
	struct observed observed;
	bool found = false;

	if (is_other_formula(property, formula, files, count))
		return verify_formula_anywhere(property, formula, files, count, recording);
	if (observe(&observed, files, count, recording)) {
		for (size_t i = 0; i < observed.result.findings.count && !found; i++) {
			const struct finding *f = &observed.result.findings.items[i];

			found = f->property && f->status == FINDING_OBSERVED &&
				f->formula == formula && !strcmp(f->property->name, property);
		}
	}
	free_observed(&observed);
	return found;
}

/* Decides whether a recording violates a property in exactly the order that was recorded. */
#include "explore/confirm/verify.h"

#include "explore/confirm/formula_finding.h"
#include "predict/driver/predict.h"

#include <stdlib.h>
#include <string.h>

/*
 * Events in a window. A match may span the whole run, so there is one window, as large as possible.
 */
#define WINDOW 200000

/* The properties, and the violations in the recorded order itself. */
struct observed_violations {
	struct property_set set;
	VEC(struct finding) findings;
};

static void keep_if_observed(struct observed_violations *o, struct finding *finding)
{
	if (finding->status == FINDING_OBSERVED)
		*vec_push(&o->findings) = *finding;
	else
		finding_free(finding);
}

static void match_patterns(struct observed_violations *o, const struct trace *recording)
{
	struct predict_options options = {
		.properties = &o->set,
		.observed = true,
		.window = WINDOW,
		.jobs = 1,
		.steps = PREDICT_STEPS,
	};
	struct predict_result result = { 0 };
	struct err err;

	if (predict_run(recording, &options, &result, &err)) {
		for (size_t i = 0; i < result.findings.count; i++)
			keep_if_observed(o, &result.findings.items[i]);
		result.findings.count = 0;
	}
	predict_result_free(&result);
}

static void judge_formulas(struct observed_violations *o, struct spec_file *const *files,
			   size_t count, const struct trace *recording)
{
	char **directories = formula_directories(&o->set, files, count);
	struct observe_options options = {
		.breadth = 1, /* judge only the recorded order */
		.jobs = 1,
		.files = files,
		.file_count = count,
		.directories = directories,
	};
	struct observe_result result = { 0 };
	struct err err;

	if (observe_run(recording, &o->set, &options, &result, &err)) {
		for (size_t i = 0; i < result.findings.count; i++) {
			struct finding finding =
				formula_finding(recording, &result.findings.items[i]);

			keep_if_observed(o, &finding);
		}
	}
	observe_result_free(&result);
	formula_directories_free(directories, &o->set);
}

/* Finds violations of all properties: of their patterns, or of their other formulas. */
static void find_violations(struct observed_violations *o, bool patterns,
			    struct spec_file *const *files, size_t count,
			    const struct trace *recording)
{
	struct err err;

	*o = (struct observed_violations){ 0 };
	if (!count || !property_read(recording, files, count, &o->set, &err))
		return;
	if (patterns)
		match_patterns(o, recording);
	else
		judge_formulas(o, files, count, recording);
}

static void free_observed(struct observed_violations *o)
{
	for (size_t i = 0; i < o->findings.count; i++)
		finding_free(&o->findings.items[i]);
	vec_free(&o->findings);
	property_set_free(&o->set);
}

bool verify_violation(const struct finding *finding, const uint64_t *keys,
		      struct spec_file *const *files, size_t count, const struct trace *recording)
{
	struct observed_violations observed;
	bool found = false;

	find_violations(&observed, finding->kind == FINDING_PATTERN, files, count, recording);
	for (size_t i = 0; i < observed.findings.count && !found; i++) {
		const struct finding *other = &observed.findings.items[i];
		uint64_t *other_keys = verify_keys(recording, other);

		found = verify_same(finding, keys, other, other_keys);
		free(other_keys);
	}
	free_observed(&observed);
	return found;
}

/*
 * Returns the formula with the given number (from 1) of the named property; NULL if there is none.
 */
static const struct spec_formula *find_formula(const char *property, uint32_t formula,
					       struct spec_file *const *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (const struct spec_property *p = files[i]->properties; p; p = p->next) {
			const struct spec_formula *f = p->formulas;

			if (strcmp(p->name, property) != 0)
				continue;
			for (uint32_t n = 1; f && n < formula; n++)
				f = f->next;
			return f;
		}
	}
	return NULL;
}

bool verify_property(const char *property, uint32_t formula, struct spec_file *const *files,
		     size_t count, const struct trace *recording)
{
	const struct spec_formula *of = find_formula(property, formula, files, count);
	struct observed_violations observed;
	bool found = false;

	if (!of)
		return false;
	find_violations(&observed, of->formalism == SPEC_PATTERN, files, count, recording);
	for (size_t i = 0; i < observed.findings.count && !found; i++) {
		const struct finding *f = &observed.findings.items[i];

		found = f->property && f->formula == formula &&
			!strcmp(f->property->name, property);
	}
	free_observed(&observed);
	return found;
}

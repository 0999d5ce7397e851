/* Does a recording violate a property's formula, in the very order it was recorded in? */
#include "explore/formula_finding.h"
#include "explore/verify.h"

#include <stdlib.h>
#include <string.h>

static bool is_among(const struct finding *finding, const uint64_t *keys,
		     const struct observe_result *result, const struct trace *recording)
{
	bool found = false;

	for (size_t i = 0; i < result->findings.count && !found; i++) {
		struct finding other = formula_finding(recording, &result->findings.items[i]);
		uint64_t *other_keys = verify_keys(recording, &other);

		found = other.status == FINDING_OBSERVED &&
			verify_same(finding, keys, &other, other_keys);
		free(other_keys);
		finding_free(&other);
	}
	return found;
}

/* What the recorded order itself violates. */
struct observed {
	struct property_set set;
	struct observe_result result;
};

static bool observe(struct observed *o, struct spec_file *const *files, size_t count,
		    const struct trace *recording)
{
	/* Breadth 1 is the observed run alone. */
	struct observe_options options = { .breadth = 1, .jobs = 1 };
	char **directories;
	struct err err;
	bool done;

	*o = (struct observed){ 0 };
	if (!count || !property_read(recording, files, count, &o->set, &err))
		return false;
	options.directories = directories = formula_directories(&o->set, files, count);
	done = observe_run(recording, &o->set, &options, &o->result, &err);
	formula_directories_free(directories, &o->set);
	return done;
}

static void free_observed(struct observed *o)
{
	observe_result_free(&o->result);
	property_set_free(&o->set);
}

bool verify_formula(const struct finding *finding, const uint64_t *keys,
		    struct spec_file *const *files, size_t count, const struct trace *recording)
{
	struct observed observed;
	bool found = observe(&observed, files, count, recording) &&
		     is_among(finding, keys, &observed.result, recording);

	free_observed(&observed);
	return found;
}

bool verify_formula_anywhere(const char *property, uint32_t formula, struct spec_file *const *files,
			     size_t count, const struct trace *recording)
{
	struct observed observed;
	bool found = false;

	if (observe(&observed, files, count, recording)) {
		for (size_t i = 0; i < observed.result.findings.count && !found; i++) {
			const struct observe_finding *f = &observed.result.findings.items[i];

			found = f->observed && f->formula == formula &&
				!strcmp(f->property->name, property);
		}
	}
	free_observed(&observed);
	return found;
}

/* Does a recording violate a property's formula, in the very order it was recorded in? */
#include "explore/formula_finding.h"
#include "explore/verify.h"

#include <stdlib.h>

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

bool verify_formula(const struct finding *finding, const uint64_t *keys,
		    struct spec_file *const *files, size_t count, const struct trace *recording)
{
	/* Breadth 1 is the observed run alone. */
	struct observe_options options = { .breadth = 1, .jobs = 1 };
	struct observe_result result = { 0 };
	struct property_set set = { 0 };
	struct err err;
	bool found;

	if (!count || !property_read(recording, files, count, &set, &err))
		return false;
	found = observe_run(recording, &set, &options, &result, &err) &&
		is_among(finding, keys, &result, recording);
	observe_result_free(&result);
	property_set_free(&set);
	return found;
}

/* Does a recording have a match of a property's pattern, in the very order it was recorded in? */
#include "explore/verify.h"

#include "predict/predict.h"

#include <stdlib.h>

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

bool verify_pattern(const struct finding *finding, const uint64_t *keys,
		    struct spec_file *const *files, size_t count, const struct trace *recording)
{
	struct predict_options options = {
		.observed = true,
		.window = WINDOW,
		.jobs = 1,
		.steps = PREDICT_STEPS,
	};
	struct predict_result result = { 0 };
	struct property_set set = { 0 };
	struct err err;
	bool found;

	if (!count || !property_read(recording, files, count, &set, &err))
		return false;
	options.properties = &set;
	found = predict_run(recording, &options, &result, &err) &&
		is_among(finding, keys, &result, recording);
	predict_result_free(&result);
	property_set_free(&set);
	return found;
}

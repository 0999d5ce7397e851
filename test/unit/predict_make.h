/* Runs the prediction on text traces, for the tests of src/predict. */
#ifndef TEST_PREDICT_MAKE_H
#define TEST_PREDICT_MAKE_H

#include "order/z3/z3.h"
#include "predict/driver/predict.h"

#include "trace_make.h"

/*
 * Predicts with `every`, once with our solver and once with Z3, and calls `judge` for each result.
 */
static inline void predict_text(const char *text, unsigned only,
				void (*judge)(const struct predict_result *result,
					      const void *wanted, size_t count),
				const void *wanted, size_t count)
{
	struct make_dir dir = make_dir();
	struct predict_options options = { .only = only,
					   .every = true,
					   .window = PREDICT_WINDOW,
					   .jobs = 1,
					   .steps = PREDICT_STEPS };
	struct trace *trace = make_text(&dir, text);
	struct predict_result result;
	struct err err;

	for (int z3 = 0; z3 < 2; z3++) {
		options.z3 = z3 ? order_solve_z3 : NULL;
		if (!predict_run(trace, &options, &result, &err))
			fail_msg("%s", err.text);
		if (result.stats.rejected)
			fail_msg("%s", result.faults.items[0]);
		judge(&result, wanted, count);
		predict_result_free(&result);
	}
	trace_close(trace);
	make_remove(&dir);
}

#endif

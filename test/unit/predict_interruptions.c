/*
 * Tests the limit on interruptions: the search says that it was cut exactly if it left one out.
 */
#include "trace_make.h"

#include "predict/atomicity/atomicity_interruptions.h"
#include "predict/driver/seen_sites.h"

static void count_one(void *context, const struct interruption *candidate)
{
	(void)candidate;
	++*(uint64_t *)context;
}

/* Returns how many interruptions are found if `most` are asked for. */
static uint64_t count(const struct analysis *analysis, uint64_t most, bool *cut)
{
	const struct fragments_wanted wanted = { .sections = true };
	struct interruptions interruptions;
	uint64_t found = 0;

	interruptions_open(&interruptions, analysis, &wanted);
	interruptions_each(&interruptions, count_one, &found, most);
	*cut = interruptions.cut;
	interruptions_close(&interruptions);
	return found;
}

static void is_cut_if_one_is_left_out(void **state)
{
	struct make_dir dir = make_dir();
	struct trace *trace =
		make_text(&dir, "A|acq(l)|\nA|r(x)=0|\nA|r(x)=0|\nA|w(x)=1|\nA|rel(l)|\n"
				"B|acq(l)|\nB|w(x)=2|\nB|rel(l)|\nC|w(x)=3|\nD|w(x)=4|\n");
	struct window_reader *reader = window_reader_open(trace, 100);
	struct window *window = window_reader_next(reader);
	struct predict_options options = { .every = true };
	struct seen_sites seen = { 0 };
	struct order_clock clock;
	struct analysis analysis = {
		.window = window, .clock = &clock, .options = &options, .seen = &seen
	};
	uint64_t all;
	bool cut;

	(void)state;
	order_clock_make(&clock, &window->model);
	all = count(&analysis, UINT64_MAX, &cut);
	assert_true(all > 2 && !cut);
	for (uint64_t most = 0; most <= all + 1; most++) {
		assert_int_equal(count(&analysis, most, &cut), most < all ? most : all);
		assert_int_equal(cut, most < all);
	}
	order_clock_free(&clock);
	window_free(window);
	window_reader_close(reader);
	trace_close(trace);
	make_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_cut_if_one_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests lattices that are too wide: which part is still walked, and what is reported. */
#include "lattice_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void walk_grid(uint64_t effort, uint32_t words, struct lattice_result *result)
{
	struct lattice *lattice =
		make_grid(&(struct lattice_options){ .jobs = 1, .effort = effort }, 3, 20);
	struct err err;

	lattice_widen_keys(lattice, words);
	assert_true(lattice_walk(lattice, 0, result, &err));
	assert_true(result->complete);
	lattice_free(lattice);
}

/*
 * A cut of 3 columns costs 4 units of effort, and a hundred times that if its key is long. Whatever
 * the limit, at least 100 cuts of each level are continued.
 */
static void effort(void **state)
{
	const uint64_t cuts = 21 * 21 * 21;
	struct lattice_result plenty, some, little;

	(void)state;
	walk_grid(400 * cuts, 1, &plenty);
	assert_true(plenty.cuts == cuts && !plenty.dropped && !plenty.notes.count);
	walk_grid(30000, 1, &some);
	assert_true(some.dropped && some.widest > 100);
	assert_in_range(4 * some.cuts, 20000, 30000);
	assert_int_equal(some.notes.count, 1);
	assert_non_null(strstr(some.notes.items[0], "left out to limit the effort"));
	walk_grid(30000, 2, &little);
	assert_true(little.dropped && little.widest == 100);
	lattice_result_free(&plenty);
	lattice_result_free(&some);
	lattice_result_free(&little);
}

/* If the counts do not fit into memory, this is reported, and the other results are there. */
static void no_memory_for_counts(void **state)
{
	struct lattice_options options = { .jobs = 1, .count = true, .memory = 4000 };
	struct lattice *lattice = make_grid(&options, 2, 200);
	struct lattice_result result;
	struct err err;

	(void)state;
	assert_true(lattice_walk(lattice, 0, &result, &err));
	assert_true(result.complete && !result.counted && result.notes.count);
	lattice_result_free(&result);
	lattice_free(lattice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effort),
		cmocka_unit_test(no_memory_for_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

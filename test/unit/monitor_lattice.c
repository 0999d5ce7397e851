/*
 * The lattice against all runs, tried one by one: random computations with needs and atomic sets,
 * machines of tables, messages fed in any order; keys wide and narrow; breadth.
 */
#include "lattice_make.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

struct trial {
	struct made made;
	struct table tables[TRUTH_MACHINES];
	uint32_t table_count;
	struct lattice_options options;
	bool shuffle;
	uint32_t words;
	uint64_t seed;
};

static void walk(struct trial *trial, size_t most, struct lattice_result *result)
{
	const struct made *made = &trial->made;
	struct lattice *lattice;
	uint32_t turns[MAKE_EVENTS];
	struct err err;

	trial->options.observed = made->observed;
	trial->options.observed_count = made->count;
	lattice = lattice_new(&trial->options);
	lattice_widen_keys(lattice, trial->words);
	for (uint32_t m = 0; m < trial->table_count; m++)
		lattice_add_machine(lattice, &trial->tables[m].machine, false);
	for (uint32_t i = 0; i < made->count; i++) {
		uint32_t j = trial->shuffle ? make_random(&trial->seed, i + 1) : i;

		turns[i] = turns[j];
		turns[j] = i;
	}
	for (uint32_t i = 0; i < made->count; i++)
		lattice_feed(lattice, &made->events[turns[i]].message);
	if (!lattice_walk(lattice, most, result, &err))
		fail_msg("%s", err.text);
	lattice_free(lattice);
}

static uint64_t number(const struct lattice_count *count)
{
	char *text = lattice_count_text(count);
	uint64_t value = strtoull(text, NULL, 10);

	free(text);
	return value;
}

/* The run is one, and the machine becomes bad at its last event, or at its end, and not before. */
static void check_run(const struct trial *trial, const struct lattice_violation *v)
{
	const struct made *made = &trial->made;
	const struct table *table = &trial->tables[v->machine];
	uint32_t cut[MAKE_COLUMNS] = { 0 };
	bool in[2][TRUTH_STATES] = { { true } }, bad = table->bad[0];
	int now = 0;

	assert_non_null(v->run);
	for (uint64_t i = 0; i < v->level; i++) {
		uint32_t column = v->run[i], at;
		bool last = i + 1 == v->level && v->column != LATTICE_END;

		assert_true(column < made->columns && made_allows(made, cut, column));
		at = made->place[column][cut[column]++];
		if (last) {
			assert_int_equal(column, v->column);
			assert_int_equal(cut[column] - 1, v->position);
		}
		if (made->events[at].message.label == LABEL_SILENT) {
			assert_false(last);
			continue;
		}
		bad = false;
		memset(in[!now], 0, sizeof in[0]);
		for (uint32_t s = 0; s < table->states; s++) {
			for (uint32_t k = 0; in[now][s] && k < 2; k++) {
				uint32_t to = table->next[s][made->events[at].message.label][k];

				bad |= table->bad[to];
				in[!now][to] = !table->bad[to];
			}
		}
		now = !now;
	}
	for (uint32_t s = 0; v->column == LATTICE_END && !bad && s < table->states; s++)
		bad |= in[now][s] && table->bad_at_end[s];
	assert_true(bad);
}

static void check_violations(const struct trial *trial, const struct truth *truth,
			     const struct lattice_result *result)
{
	size_t expected = 0;

	for (uint32_t m = 0; m < trial->table_count; m++) {
		expected += truth->at_start[m];
		for (uint32_t e = 0; e <= MAKE_EVENTS; e++)
			expected += truth->level[m][e] != UINT64_MAX;
	}
	assert_int_equal(result->violations.count, expected);
	for (size_t i = 0; i < result->violations.count; i++) {
		const struct lattice_violation *v = &result->violations.items[i];
		uint32_t where = v->column >= LATTICE_START
					 ? MAKE_EVENTS
					 : trial->made.place[v->column][v->position];

		if (v->column == LATTICE_START) {
			assert_true(truth->at_start[v->machine] && v->observed && !v->level);
			assert_non_null(v->run);
			continue;
		}
		if (v->observed)
			assert_true(v->level >= truth->level[v->machine][where]);
		else
			assert_int_equal(v->level, truth->level[v->machine][where]);
		if (v->observed && v->level)
			assert_memory_equal(v->run, trial->made.observed,
					    v->level * sizeof *v->run);
		check_run(trial, v);
	}
}

static void check(struct trial *trial, const struct truth *truth)
{
	struct lattice_result result;

	walk(trial, 1000, &result);
	assert_int_equal(result.cuts, truth->cuts);
	assert_int_equal(result.levels, truth->levels);
	assert_int_equal(result.widest, truth->widest);
	assert_int_equal(result.dropped, 0);
	assert_true(result.complete && result.counted);
	assert_int_equal(number(&result.runs), truth->runs);
	for (uint32_t m = 0; m < trial->table_count; m++)
		assert_int_equal(number(&result.violating.items[m]), truth->violating[m]);
	assert_int_equal(number(&result.violating_any), truth->any);
	check_violations(trial, truth, &result);
	lattice_result_free(&result);
}

/* One computation and its machines; false: too large to try all of it. */
static bool make_trial(struct trial *trial, struct truth *truth, uint64_t *seed)
{
	static const uint32_t sizes[] = { 3, 5, 12, 40, 90 };
	struct make_options options = { .columns = 1 + make_random(seed, 5),
					.events = make_random(seed, MAKE_EVENTS),
					.needs = make_random(seed, 60),
					.sets = make_random(seed, 3) ? make_random(seed, 100) : 0,
					.shared = make_random(seed, 2) };

	if (options.events > options.columns * 5)
		options.events = options.columns * 5;
	*trial = (struct trial){ .table_count = make_random(seed, TRUTH_MACHINES + 1),
				 .options = { .count = true, .jobs = 1 },
				 .shuffle = true,
				 .words = make_random(seed, 4) ? 1 : 1 + make_random(seed, 3),
				 .seed = *seed };
	trial->options.ended = make_random(seed, 2);
	make_computation(&trial->made, &options, seed);
	for (uint32_t m = 0; m < trial->table_count; m++)
		make_table(&trial->tables[m], sizes[make_random(seed, 5)],
			   make_random(seed, 2) && make_random(seed, 2),
			   (unsigned[]){ 10, 100, 300 }[make_random(seed, 3)], seed);
	return find_truth(&trial->made, trial->tables, trial->table_count, trial->options.ended,
			  truth);
}

static void free_trial(struct trial *trial)
{
	for (uint32_t m = 0; m < trial->table_count; m++)
		free_table(&trial->tables[m]);
}

static unsigned trials(void)
{
	const char *asked = getenv("SOOTH_RANDOM");

	return asked ? strtoul(asked, NULL, 10) : 400;
}

static void all_runs(void **state)
{
	uint64_t seed = 88172645463325252u;
	unsigned tried = 0, sets = 0, bad = 0, dead = 0;

	(void)state;
	for (unsigned i = 0; i < trials(); i++) {
		struct trial trial;
		struct truth truth;

		if (make_trial(&trial, &truth, &seed)) {
			check(&trial, &truth);
			tried++;
			bad += truth.any > 0;
			for (uint32_t e = 0; e < trial.made.count; e++)
				sets += trial.made.events[e].message.member_count > 0;
			for (uint32_t l = 0; l < trial.made.count; l++)
				dead += truth.any > 0 && truth.any < truth.runs;
		}
		free_trial(&trial);
	}
	/* the trials are worth something */
	assert_true(tried > trials() / 3 && bad > trials() / 10 && sets > trials() && dead);
	print_message("%u computations, %u with violations\n", tried, bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

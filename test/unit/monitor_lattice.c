/*
 * Compares the lattice with all runs, tried one by one: random computations with needs and atomic
 * sets, random machines, messages fed in any order, wide and narrow keys, and limits of the width.
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

/*
 * Checks that the run of a violation is allowed, and that the machine becomes bad at its last
 * event, or at its end, and not before.
 */
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

/* Makes a random computation and its machines. Returns false if it is too large to try all runs. */
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
	unsigned tried = 0, sets = 0, bad = 0, some = 0;

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
			some += truth.any > 0 && truth.any < truth.runs;
		}
		free_trial(&trial);
	}
	/* enough trials were small enough to be tried */
	assert_true(trials() < 100 || tried > trials() / 3);
	assert_true(trials() < 100 || (bad > trials() / 10 && sets > trials() && some));
	print_message("%u computations, %u with violations\n", tried, bad);
}

/* ---- larger ones: ways to walk beside each other --------------------------------------------- */

/* Checks that two results are equal in everything that a caller can see. */
static void check_equal(const struct lattice_result *a, const struct lattice_result *b)
{
	assert_int_equal(a->cuts, b->cuts);
	assert_int_equal(a->levels, b->levels);
	assert_int_equal(a->widest, b->widest);
	assert_int_equal(a->runs.limb_count, b->runs.limb_count);
	if (a->runs.limb_count)
		assert_memory_equal(a->runs.limbs, b->runs.limbs, 8 * a->runs.limb_count);
	assert_int_equal(a->violating.count, b->violating.count);
	for (size_t i = 0; i < a->violating.count; i++) {
		char *x = lattice_count_text(&a->violating.items[i]);
		char *y = lattice_count_text(&b->violating.items[i]);

		assert_string_equal(x, y);
		free(x);
		free(y);
	}
	assert_int_equal(a->violations.count, b->violations.count);
	for (size_t i = 0; i < a->violations.count; i++) {
		const struct lattice_violation *v = &a->violations.items[i];
		const struct lattice_violation *w = &b->violations.items[i];

		assert_true(v->machine == w->machine && v->column == w->column &&
			    v->position == w->position && v->level == w->level &&
			    v->observed == w->observed);
		if (v->level)
			assert_memory_equal(v->run, w->run, v->level * sizeof *v->run);
	}
}

/*
 * With keys of one word the lattice processes many cuts at once; with wider keys, one cut after the
 * other. The results must be equal.
 */
static void wide_and_narrow(void **state)
{
	uint64_t seed = 424242;

	(void)state;
	for (unsigned i = 0; i < trials() / 4; i++) {
		struct make_options options = { .columns = 2 + make_random(&seed, 4),
						.events = 10 + make_random(&seed, 11),
						.needs = make_random(&seed, 30),
						.sets = make_random(&seed, 2)
								? make_random(&seed, 40)
								: 0,
						.shared = make_random(&seed, 2) };
		struct trial trial = { .table_count = 1 + make_random(&seed, 2),
				       .options = { .count = make_random(&seed, 2), .jobs = 1 },
				       .words = 1 };
		struct lattice_result narrow, wide;

		make_computation(&trial.made, &options, &seed);
		for (uint32_t m = 0; m < trial.table_count; m++)
			make_table(&trial.tables[m],
				   (uint32_t[]){ 4, 30, 80 }[make_random(&seed, 3)], false, 40,
				   &seed);
		walk(&trial, 3, &narrow);
		trial.words = 2;
		trial.shuffle = true;
		walk(&trial, 3, &wide);
		assert_int_equal(narrow.violations.count, wide.violations.count);
		for (size_t v = 0; v < narrow.violations.count; v++) {
			if (narrow.violations.items[v].run)
				check_run(&trial, &narrow.violations.items[v]);
			else
				narrow.violations.items[v].level = wide.violations.items[v].level =
					0;
		}
		check_equal(&narrow, &wide);
		lattice_result_free(&narrow);
		lattice_result_free(&wide);
		free_trial(&trial);
	}
}

/* ---- grids ----------------------------------------------------------------------------------- */

/*
 * Computes (columns * events)! / events!^columns with schoolbook arithmetic, in decimal digits, the
 * lowest first.
 */
static void multinomial(uint32_t columns, uint32_t events, char *text)
{
	uint8_t digits[400] = { 1 };
	uint32_t count = 1, whole = 0;

	for (uint32_t c = 0; c < columns; c++) {
		for (uint32_t i = 1; i <= events; i++) {
			uint32_t carry = 0, rest = 0;

			whole++;
			for (uint32_t d = 0; d < count || carry; d++) {
				carry += digits[d] * whole;
				digits[d] = carry % 10;
				carry /= 10;
				count = d < count ? count : d + 1;
			}
			for (uint32_t d = count; d--;) {
				rest = rest * 10 + digits[d];
				digits[d] = rest / i;
				rest %= i;
			}
			while (count > 1 && !digits[count - 1])
				count--;
		}
	}
	for (uint32_t d = 0; d < count; d++)
		text[d] = '0' + digits[count - 1 - d];
	text[count] = 0;
}

/* Exact counts that need one limb, two limbs, and many limbs. */
static void exact_counts(void **state)
{
	static const uint32_t sizes[][2] = { { 1, 9 }, { 2, 20 }, { 3, 16 }, { 3, 40 }, { 5, 8 } };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct lattice_options options = { .count = true, .jobs = 1 };
		struct lattice *lattice = make_grid(&options, sizes[i][0], sizes[i][1]);
		struct lattice_result result;
		char expected[400], *text;
		struct err err;

		assert_true(lattice_walk(lattice, 0, &result, &err));
		multinomial(sizes[i][0], sizes[i][1], expected);
		text = lattice_count_text(&result.runs);
		assert_string_equal(text, expected);
		free(text);
		lattice_result_free(&result);
		lattice_free(lattice);
	}
}

/* Levels of more than 16384 cuts are merged by several threads. */
static void several_threads(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		struct lattice_result one, more;
		struct table table;
		struct err err;

		make_table(&table, (uint32_t[]){ 5, 40, 100 }[kind], false, 60, &seed);
		for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
			struct lattice_options options = { .count = !kind,
							   .jobs = jobs,
							   .ended = true };
			struct lattice *lattice = make_grid(&options, 6, 7);

			lattice_add_machine(lattice, &table.machine, false);
			assert_true(lattice_walk(lattice, 2, jobs == 1 ? &one : &more, &err));
			lattice_free(lattice);
		}
		assert_int_equal(one.cuts, 262144);
		assert_int_equal(one.violations.count, more.violations.count);
		for (size_t v = 0; v < one.violations.count; v++) {
			if (!one.violations.items[v].run)
				one.violations.items[v].level = more.violations.items[v].level = 0;
		}
		check_equal(&one, &more);
		lattice_result_free(&one);
		lattice_result_free(&more);
		free_table(&table);
	}
}

/* ---- many columns, long columns -------------------------------------------------------------- */

/*
 * Two rounds through many columns: in each round an event needs the events of the columns before
 * it. The number of runs is in Catalan's triangle. Each column has its own field in the key.
 */
static void many_columns(void **state)
{
	enum { COLUMNS = 150 };
	char expected[400], *text;

	(void)state;
	for (uint32_t words = 1; words <= 5; words += 4) {
		struct lattice_options options = { .count = true, .jobs = 1 };
		struct lattice *lattice = lattice_new(&options);
		struct lattice_result result;
		struct lattice_count sum = { 0 };
		struct err err;

		lattice_widen_keys(lattice, words);
		for (uint32_t round = 2; round--;) {
			for (uint32_t c = 0; c < COLUMNS; c++) {
				struct message_need needs[COLUMNS];
				struct message message = { .column = c,
							   .position = round,
							   .needs = needs,
							   .need_count = c };

				for (uint32_t n = 0; n < c; n++)
					needs[n] = (struct message_need){ n, round + 1 };
				lattice_feed(lattice, &message);
			}
		}
		assert_true(lattice_walk(lattice, 0, &result, &err));
		assert_int_equal(result.cuts, (COLUMNS + 1) * (COLUMNS + 2) / 2);
		/* Catalan's number times n + 1 is the number of all interleavings */
		for (uint32_t i = 0; i <= COLUMNS; i++)
			lattice_count_add(&sum, &result.runs);
		text = lattice_count_text(&sum);
		multinomial(2, COLUMNS, expected);
		assert_string_equal(text, expected);
		free(text);
		free(sum.limbs);
		lattice_result_free(&result);
		lattice_free(lattice);
	}
}

/*
 * Columns with far more events than a field of the key can count: the base of each column moves
 * along.
 */
static void long_columns(void **state)
{
	enum { EVENTS = 30000, AHEAD = 3 };
	struct lattice_options options = { .jobs = 1 };
	struct lattice *lattice = lattice_new(&options);
	struct lattice_result result;
	struct err err;
	uint64_t cuts = 0;

	(void)state;
	for (uint32_t i = EVENTS; i--;) {
		for (uint32_t c = 0; c < 2; c++) {
			struct message_need need = { !c, i > AHEAD ? i - AHEAD : 0 };
			struct message message = { .column = c,
						   .position = i,
						   .needs = &need,
						   .need_count = need.count > 0 };

			lattice_feed(lattice, &message);
		}
	}
	for (int64_t a = 0; a <= EVENTS; a++) {
		for (int64_t b = a - AHEAD - 1; b <= a + AHEAD + 1; b++)
			cuts += b >= 0 && b <= EVENTS;
	}
	assert_true(lattice_walk(lattice, 0, &result, &err));
	assert_int_equal(result.cuts, cuts);
	assert_int_equal(result.levels, 2 * EVENTS + 1);
	assert_true(result.complete);
	lattice_result_free(&result);
	lattice_free(lattice);
}

/* ---- breadth and memory ---------------------------------------------------------------------- */

static bool is_subset(const struct lattice_result *some, const struct lattice_result *all)
{
	for (size_t i = 0; i < some->violations.count; i++) {
		const struct lattice_violation *v = &some->violations.items[i];
		bool found = false;

		for (size_t j = 0; j < all->violations.count && !found; j++) {
			const struct lattice_violation *w = &all->violations.items[j];

			found = v->machine == w->machine && v->column == w->column &&
				v->position == w->position && v->level >= w->level;
		}
		if (!found)
			return false;
	}
	return true;
}

static void breadth(void **state)
{
	uint64_t seed = 99;
	unsigned dropped = 0;

	(void)state;
	for (unsigned i = 0; i < trials() / 4; i++) {
		struct trial trial;
		struct truth truth;
		struct lattice_result all, some;

		if (!make_trial(&trial, &truth, &seed)) {
			free_trial(&trial);
			continue;
		}
		walk(&trial, 1000, &all);
		trial.options.breadth = 1 + make_random(&seed, 6);
		walk(&trial, 1000, &some);
		assert_true(some.complete && some.counted);
		assert_true(some.widest <= trial.options.breadth);
		assert_true(some.cuts <= all.cuts && number(&some.runs) <= number(&all.runs));
		assert_true(number(&some.runs) >= 1);
		assert_true(number(&some.violating_any) <= number(&some.runs));
		assert_int_equal(some.dropped > 0, some.notes.count > 0);
		assert_true(is_subset(&some, &all));
		for (size_t v = 0; v < some.violations.count; v++) {
			const struct lattice_violation *violation = &some.violations.items[v];

			if (trial.options.breadth == 1)
				assert_true(violation->observed);
			if (violation->column != LATTICE_START)
				check_run(&trial, violation);
		}
		dropped += some.dropped > 0;
		lattice_result_free(&all);
		lattice_result_free(&some);
		free_trial(&trial);
	}
	assert_true(trials() < 100 || dropped > trials() / 20);
}

/*
 * Too little memory to keep all levels: the runs of violations are found in several walks, and must
 * be the same.
 */
static void little_memory(void **state)
{
	uint64_t seed = 5;
	struct table table;
	struct lattice_result plenty, little, tiny;
	const uint64_t memory[] = { 0, 20000, 2000 };
	struct lattice_result *results[] = { &plenty, &little, &tiny };
	struct err err;

	(void)state;
	make_table(&table, 40, false, 100, &seed);
	table.bad[0] = false;
	for (int i = 0; i < 3; i++) {
		struct lattice_options options = { .jobs = 1, .memory = memory[i], .ended = true };
		struct lattice *lattice = make_grid(&options, 3, 20);

		lattice_add_machine(lattice, &table.machine, false);
		assert_true(lattice_walk(lattice, 1000, results[i], &err));
		lattice_free(lattice);
	}
	assert_true(plenty.violations.count > 10);
	check_equal(&plenty, &little);
	assert_true(tiny.complete && tiny.dropped && tiny.notes.count);
	assert_true(is_subset(&tiny, &plenty));
	lattice_result_free(&plenty);
	lattice_result_free(&little);
	lattice_result_free(&tiny);
	free_table(&table);
}

/* ---- small things ---------------------------------------------------------------------------- */

/* A machine that becomes bad if message 2 of the observed run comes before message 1. */
static bool step_by_message(void *self, uint32_t was, uint32_t message, machine_states *next,
			    struct err *err)
{
	(void)self;
	(void)err;
	*vec_push(next) = was == 2 && message == 1 ? 9 : message;
	return true;
}
static bool is_nine(void *self, uint32_t state)
{
	(void)self;
	return state == 9;
}

static void by_message(void **state)
{
	struct machine machine = { .initial = table_initial,
				   .step = step_by_message,
				   .is_bad = is_nine,
				   .is_bad_at_end = is_nine };
	struct lattice_options options = { .jobs = 1, .count = true };
	struct lattice *lattice = lattice_new(&options);
	struct message one = { .column = 1, .label = 1 }, other = { .column = 0, .label = 1 };
	struct lattice_result result;
	struct err err;

	(void)state;
	lattice_add_machine(lattice, &machine, true);
	lattice_feed(lattice, &one);
	lattice_feed(lattice, &other);
	if (!lattice_walk(lattice, 1, &result, &err))
		fail_msg("%s", err.text);
	assert_int_equal(result.cuts, 4);
	assert_int_equal(number(&result.runs), 2);
	assert_int_equal(number(&result.violating.items[0]), 1);
	assert_int_equal(result.violations.count, 1);
	assert_int_equal(result.violations.items[0].column, 1);
	assert_int_equal(result.violations.items[0].run[0], 0);
	assert_false(result.violations.items[0].observed);
	lattice_result_free(&result);
	lattice_free(lattice);
}

static void refuse(const struct message *messages, size_t count, const uint32_t *observed,
		   const char *expected)
{
	struct lattice_options options = { .jobs = 1,
					   .observed = observed,
					   .observed_count = observed ? count : 0 };
	struct lattice *lattice = lattice_new(&options);
	struct lattice_result result;
	struct err err;

	for (size_t i = 0; i < count; i++)
		lattice_feed(lattice, &messages[i]);
	assert_false(lattice_walk(lattice, 0, &result, &err));
	assert_string_equal(err.text, expected);
	lattice_free(lattice);
}

static void bad_messages(void **state)
{
	struct message_need need = { 1, 1 }, far = { 1, 3 };
	struct message missing[] = { { .column = 0, .position = 1 } };
	struct message twice[] = { { .column = 0 }, { .column = 0 } };
	struct message beyond[] = { { .column = 0, .needs = &far, .need_count = 1 },
				    { .column = 1 } };
	struct message turned[] = { { .column = 0, .needs = &need, .need_count = 1 },
				    { .column = 1 } };
	const uint32_t observed[] = { 0, 1 };

	(void)state;
	refuse(missing, 1, NULL, "column 0: event 0 is missing");
	refuse(twice, 2, NULL, "column 0: event 0 occurs twice");
	refuse(beyond, 2, NULL, "event 0 of column 0 needs 3 events of column 1, which has fewer");
	refuse(turned, 2, observed, "the observed run is not a run of the computation");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_runs),	cmocka_unit_test(wide_and_narrow),
		cmocka_unit_test(exact_counts), cmocka_unit_test(several_threads),
		cmocka_unit_test(many_columns), cmocka_unit_test(long_columns),
		cmocka_unit_test(breadth),	cmocka_unit_test(little_memory),
		cmocka_unit_test(by_message),	cmocka_unit_test(bad_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

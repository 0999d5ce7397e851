/*
 * simulated_search [--count N] [--seed N] [--most SCHEDULES]
 *
 * Compares the systematic search on random small programs with all their schedules: the ends and
 * the failures must be the same, and there must be as many runs as there are Mazurkiewicz traces,
 * not counting runs that sleep sets end.
 */
#include "simulated.h"

#include "explore/search/dpor.h"
#include "explore/search/explore.h"

#include <stdio.h>
#include <string.h>

struct totals {
	uint64_t programs, skipped, schedules, traces, runs, asleep, redundant, refused, exact,
		wrong;
	struct sim_imagined imagined;
};

static bool same_keys(const struct map *a, const struct map *b)
{
	for (size_t i = 0; a->slots && i <= a->mask; i++)
		if (a->slots[i].key && !map_get(b, a->slots[i].key))
			return false;
	return true;
}

struct found {
	struct map ends, failures;
	struct dpor_stats stats;
	bool complete;
};

static void search(const struct sim_program *program, struct found *found)
{
	struct dpor_options options = { .bound = UINT32_MAX };
	struct dpor *dpor = dpor_open(&options);
	struct simulated simulated;
	struct outcome outcome;
	struct plan plan = { 0 };
	struct err err;

	memset(found, 0, sizeof *found);
	simulated_open(&simulated, program);
	while (dpor_next(dpor, &plan)) {
		simulated.executor.run(&simulated.executor, &plan, &outcome, &err);
		if (outcome.result != CONTROL_ASLEEP) {
			if (outcome.result != CONTROL_ASSERTION)
				map_put(&found->ends, sim_hash_end(program, &simulated.end), NULL);
			if (sim_hash_failure(&simulated.end))
				map_put(&found->failures, sim_hash_failure(&simulated.end), NULL);
		}
		dpor_learn(dpor, &outcome);
	}
	found->stats = *dpor_stats(dpor);
	found->complete = dpor_complete(dpor);
	dpor_close(dpor);
	plan_free(&plan);
}

/* Runs the whole search, with leads and random runs: it must find every failure, too. */
static const char *explore_all(const struct sim_program *program, const struct sim_all *all)
{
	struct explore_options options = { .budget = 100000, .all = true };
	struct explore *explore = explore_open(&options);
	struct simulated simulated;
	struct outcome outcome;
	struct plan plan = { 0 };
	struct err err = { 0 };
	const char *wrong = NULL;

	simulated_open(&simulated, program);
	simulated.executor.run(&simulated.executor, &plan, &outcome, &err);
	explore_first(explore, &outcome);
	if (!explore_search(explore, &simulated.executor, &err))
		wrong = "the whole search failed";
	else if (!explore_result(explore)->complete)
		wrong = "the whole search did not come to its end";
	else if (!all->failures.count != !explore_result(explore)->failures.count)
		wrong = "the whole search missed a failure, or made one up";
	explore_close(explore);
	return wrong;
}

static const char *compare(const struct sim_program *program, const struct sim_all *all,
			   const struct found *found)
{
	if (!same_keys(&all->failures, &found->failures))
		return "a failure was missed";
	if (!same_keys(&found->failures, &all->failures))
		return "a failure was made up";
	if (!program->leaves && !same_keys(&found->ends, &all->ends))
		return "an end was made up";
	if (!program->leaves && !same_keys(&all->ends, &found->ends))
		return "an end was missed";
	if (!program->leaves && !program->spins && !all->failures.count &&
	    found->stats.runs - found->stats.asleep - found->stats.refused < all->traces.count)
		return "fewer runs than traces";
	return found->complete ? explore_all(program, all) : "not declared complete";
}

static void one_program(uint64_t seed, uint64_t most, struct totals *totals)
{
	struct sim_program program;
	struct sim_all all;
	struct found found;
	const char *wrong;

	sim_make(&program, seed);
	sim_walk_all(&program, most, &all);
	if (all.too_many) {
		totals->skipped++;
	} else {
		search(&program, &found);
		totals->programs++;
		totals->schedules += all.schedules;
		wrong = compare(&program, &all, &found);
		if (!wrong)
			wrong = sim_check_imagined(&program, &all, &totals->imagined);
		if (!program.leaves && !program.spins && !all.failures.count) {
			totals->traces += all.traces.count;
			totals->runs += found.stats.runs;
			totals->asleep += found.stats.asleep;
			totals->redundant += found.stats.redundant;
			totals->refused += found.stats.refused;
			totals->exact += found.stats.runs == all.traces.count;
		}
		if (wrong) {
			totals->wrong++;
			printf("seed %lu: %s: %lu schedules, %zu traces, %zu ends, %zu failures; "
			       "%lu runs, %lu asleep, %zu ends, %zu failures\n",
			       seed, wrong, all.schedules, all.traces.count, all.ends.count,
			       all.failures.count, found.stats.runs, found.stats.asleep,
			       found.ends.count, found.failures.count);
			sim_print(&program);
		}
		map_free(&found.ends);
		map_free(&found.failures);
	}
	map_free(&all.ends);
	map_free(&all.failures);
	map_free(&all.traces);
}

int main(int argc, char **argv)
{
	uint64_t count = 5000, seed = 1, most = 20000;
	struct totals totals = { 0 };

	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--count") == 0)
			count = strtoull(argv[i + 1], NULL, 0);
		else if (strcmp(argv[i], "--seed") == 0)
			seed = strtoull(argv[i + 1], NULL, 0);
		else if (strcmp(argv[i], "--most") == 0)
			most = strtoull(argv[i + 1], NULL, 0);
	}
	for (; totals.programs < count && totals.wrong < 5; seed++)
		one_program(seed, most, &totals);
	printf("systematic search: %lu programs (%lu too large), %lu schedules; of those that "
	       "neither "
	       "fail nor spin nor leave: %lu traces, %lu runs (%lu asleep, %lu redundant, %lu "
	       "refused), "
	       "%lu programs exact; %lu wrong\n",
	       totals.programs, totals.skipped, totals.schedules, totals.traces, totals.runs,
	       totals.asleep, totals.redundant, totals.refused, totals.exact, totals.wrong);
	printf("imagined: %lu runs, each new; %lu known ones, none new; failures found in %lu of "
	       "%lu "
	       "programs\n",
	       totals.imagined.runs, totals.imagined.known, totals.imagined.found,
	       totals.imagined.failing);
	return totals.wrong != 0;
}

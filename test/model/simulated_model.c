/*
 * Compares the predictions of explore/search/model_search.h with what the program does: a run that
 * is predicted to show something new must do so, a run that is predicted to fail must fail, and a
 * run that is called known must show nothing new. (Two things are not predicted: that a spinning
 * thread blocks after some rounds, and that other threads continue when main has ended.)
 */
#include "simulated.h"

#include "explore/search/model_search.h"
#include "explore/search/lead_plan.h"

#include <stdio.h>

#define MOST_RUNS 3000

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

/* Makes a plan of a few slices of threads in random order. */
static void draw_plan(const struct sim_program *program, uint64_t *random, struct plan *plan)
{
	plan_clear(plan);
	for (int i = 0; i < 6; i++)
		*vec_push(&plan->slices) = (struct control_slice){
			(uint32_t)(next_random(random) % program->threads),
			(uint32_t)(next_random(random) % 12 + 1),
		};
}

static const char *check_known(const struct sim_program *program, struct simulated *simulated,
			       struct model_search *imagine, struct sim_imagined *figures)
{
	uint64_t random = figures->runs;
	struct plan plan = { 0 };
	struct outcome outcome;
	const char *wrong = NULL;
	struct err err;

	for (int i = 0; i < 20 && !wrong; i++) {
		draw_plan(program, &random, &plan);
		if (!model_search_knows(imagine, &plan))
			continue;
		figures->known++;
		simulated->executor.run(&simulated->executor, &plan, &outcome, &err);
		if (sim_hash_failure(&simulated->end))
			wrong = "a run that was known to be well failed";
		else if (model_search_learn(imagine, &outcome))
			wrong = "a run that was known showed something new";
	}
	plan_free(&plan);
	return wrong;
}

const char *sim_check_imagined(const struct sim_program *program, const struct sim_all *all,
			       struct sim_imagined *figures)
{
	struct model_search *imagine = model_search_open();
	struct simulated simulated;
	struct outcome outcome;
	struct plan plan = { 0 };
	enum model_goal what;
	const char *wrong = NULL;
	struct map failures = { 0 };
	struct err err;

	simulated_open(&simulated, program);
	simulated.executor.run(&simulated.executor, &plan, &outcome, &err);
	model_search_learn(imagine, &outcome);
	if (sim_hash_failure(&simulated.end))
		map_put(&failures, sim_hash_failure(&simulated.end), NULL);
	while (!wrong && !failures.count && simulated.runs < MOST_RUNS) {
		bool fails, new;
		plan_clear(&plan);
		what = model_search_next(imagine, MODEL_GOAL_NEW_VIEW, &plan);
		if (what == MODEL_GOAL_NONE)
			break;
		simulated.executor.run(&simulated.executor, &plan, &outcome, &err);
		figures->runs++;
		fails = sim_hash_failure(&simulated.end);
		if (fails)
			map_put(&failures, sim_hash_failure(&simulated.end), NULL);
		new = model_search_learn(imagine, &outcome);
		if (what == MODEL_GOAL_FAILURE && !fails)
			wrong = "a run that was to fail did well";
		else if (what != MODEL_GOAL_FAILURE && !new && !fails && !program->spins)
			wrong = "a run that was to show something new did not";
		else if (!fails && !program->spins && !program->leaves)
			wrong = check_known(program, &simulated, imagine, figures);
	}
	figures->failing += all->failures.count > 0;
	figures->found += failures.count > 0;
	map_free(&failures);
	plan_free(&plan);
	model_search_close(imagine);
	return wrong;
}

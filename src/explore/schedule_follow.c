/*
 * Another build of the same source has other steps: its optimiser drops accesses or keeps more of
 * them. The names of steps hold, but which step has a name is known only when it has been run. So
 * the plan is made as well as one can, run and recorded, and made again from what the names are in
 * that recording; each time the run is faithful for longer. It ends when nothing changes any more:
 * with the same build after the first run.
 */
#include "explore/schedule_follow.h"

#include "base/mem.h"
#include "explore/place_words.h"
#include "explore/step_name.h"
#include "trace/sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RUNS_MOST 12

struct follower {
	const struct schedule *schedule;
	struct rerun rerun;
	struct plan plan;
	/* where each step of the schedule is in this build, as far as is known */
	uint32_t *runs, *stops, *ends, *choices;
	uint64_t *stop_sites;
	size_t lost; /* the first run whose name the last recording does not have; or their count */
};

void schedule_result_free(struct schedule_result *result)
{
	free(result->why);
	result->why = NULL;
}

static void set_why(struct schedule_result *result, enum schedule_verdict verdict, const char *why)
{
	free(result->why);
	result->why = mem_copy_text(why, strlen(why));
	result->verdict = verdict;
}

/* ---- names and steps ------------------------------------------------------------------------ */

/* Every (thread, name, occurrence) of a recording: a hash of it to the step. */
static uint64_t hash_text(uint64_t hash, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3u;
	return hash;
}

static uint64_t hash_step(uint32_t thread, const char *name, uint64_t occurrence)
{
	uint64_t hash = hash_text(0xcbf29ce484222325u ^ thread, name, strlen(name));

	return (hash ^ occurrence) * 0x9e3779b97f4a7c15u;
}

/*
 * Without the object, the second of the three words: what the source calls it is not known to every
 * build (-O1 may say nothing where -O0 says "forks[]").
 */
static uint64_t hash_place(uint32_t thread, const char *name)
{
	size_t operation = strcspn(name, " ");
	const char *place = strrchr(name, ' ');
	uint64_t hash = hash_text(0x84222325cbf29ce4u ^ thread, name, operation);

	return place ? hash_text(hash, place, strlen(place)) : hash;
}

struct index {
	struct map steps;  /* hash: step + 1 */
	struct map sites;  /* hash: site */
	struct map places; /* how often each place was come to */
};

static void put_step(struct index *index, uint64_t hash, uint64_t step, uint64_t site)
{
	*map_put(&index->steps, hash, NULL) = step + 1;
	*map_put(&index->sites, hash, NULL) = site;
}

static void index_step(struct index *index, const struct step_walk *walk, const char *name,
		       uint32_t thread)
{
	uint64_t site = trace_event_site(walk->names->trace, &walk->event);
	uint64_t place = hash_place(thread, name);
	uint64_t nth = ++*map_put(&index->places, place, NULL);

	put_step(index, hash_step(thread, name, walk->occurrence), walk->step, site);
	put_step(index, (place ^ nth) * 0x9e3779b97f4a7c15u, walk->step, site);
}

static void make_index(struct index *index, const struct trace *trace)
{
	struct step_names names;

	*index = (struct index){ 0 };
	step_names_open(&names, trace);
	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		uint32_t thread = trace_stream(trace, i)->number;
		struct step_walk walk;

		if (thread >= CONTROL_THREADS || trace_stream(trace, i)->host != TRACE_NONE)
			continue;
		step_walk_open(&walk, &names, thread);
		while (step_walk_next(&walk))
			index_step(index, &walk, step_names_text(&names, walk.name), thread);
		step_walk_close(&walk);
	}
	step_names_close(&names);
}

static void free_index(struct index *index)
{
	map_free(&index->steps);
	map_free(&index->sites);
	map_free(&index->places);
}

static bool find_step(const struct index *index, const struct schedule_step *step, uint32_t *out,
		      uint64_t *site)
{
	const uint64_t *found;
	uint64_t hash;

	if (!step->name)
		return false;
	hash = hash_step(step->thread, step->name, step->occurrence);
	found = map_get(&index->steps, hash);
	if (!found) {
		hash = (hash_place(step->thread, step->name) ^ step->occurrence) *
		       0x9e3779b97f4a7c15u;
		found = map_get(&index->steps, hash);
	}
	if (!found)
		return false;
	*out = (uint32_t)(*found - 1);
	if (site)
		*site = *map_get(&index->sites, hash);
	return true;
}

/*
 * Takes over what the recording says. A step without a name, or whose name did not come, is as far
 * behind the last known one of its thread as in the schedule. True: something changed.
 */
static bool learn_steps(const struct index *index, const struct schedule_step *steps, size_t count,
			uint32_t *at, uint64_t *sites, size_t *lost)
{
	int64_t *shift = mem_zalloc(CONTROL_THREADS, sizeof *shift);
	bool changed = false;

	*lost = count;
	for (size_t i = 0; i < count; i++) {
		uint32_t thread = steps[i].thread, found = at[i];

		if (find_step(index, &steps[i], &found, sites ? &sites[i] : NULL))
			shift[thread] = (int64_t)found - steps[i].step;
		else if (steps[i].step + shift[thread] >= 0)
			found = (uint32_t)(steps[i].step + shift[thread]);
		if (steps[i].name && !find_step(index, &steps[i], &found, NULL) && *lost == count)
			*lost = i;
		changed |= found != at[i];
		at[i] = found;
	}
	free(shift);
	return changed;
}

static bool learn(struct follower *f)
{
	const struct schedule *s = f->schedule;
	struct index index;
	size_t lost;
	bool changed;

	make_index(&index, f->rerun.trace);
	changed = learn_steps(&index, s->runs.items, s->runs.count, f->runs, NULL, &f->lost);
	changed |=
		learn_steps(&index, s->stops.items, s->stops.count, f->stops, f->stop_sites, &lost);
	changed |= learn_steps(&index, s->ends.items, s->ends.count, f->ends, NULL, &lost);
	for (size_t i = 0; i < s->choices.count; i++)
		changed |= learn_steps(&index, &s->choices.items[i].at, 1, &f->choices[i], NULL,
				       &lost);
	free_index(&index);
	return changed;
}

/* ---- running -------------------------------------------------------------------------------- */

/* So many steps more for the threads of a race, so that their accesses are in the recording. */
#define STEPS_BEHIND 256

static void make_plan(struct follower *f)
{
	const struct schedule *s = f->schedule;
	struct plan *plan = &f->plan;

	plan_clear(plan);
	plan->policy = CONTROL_STAY;
	plan->options = s->options | CONTROL_END_STUCK;
	if (f->rerun.options.on_held)
		plan->options |= CONTROL_HOLD;
	for (size_t i = 0; i < s->runs.count; i++)
		*vec_push(&plan->runs) =
			(struct control_run){ s->runs.items[i].thread, f->runs[i] + 1 };
	for (size_t i = 0; i < s->stops.count; i++)
		*vec_push(&plan->stops) = (struct control_stop){
			.thread = s->stops.items[i].thread,
			.step = f->stops[i],
			.site = f->stop_sites[i],
		};
	for (size_t i = 0; i < s->stops.count; i++)
		*vec_push(&plan->runs) = (struct control_run){ s->stops.items[i].thread,
							       f->stops[i] + STEPS_BEHIND };
	for (size_t i = 0; i < s->choices.count; i++)
		*vec_push(&plan->choices) =
			(struct control_choice){ s->choices.items[i].at.thread, f->choices[i],
						 s->choices.items[i].kind };
}

/* ---- judging -------------------------------------------------------------------------------- */

static const char *result_word(enum control_result result)
{
	switch (result) {
	case CONTROL_ASSERTION:
	case CONTROL_ABORTED: return "assertion";
	case CONTROL_USE_AFTER_FREE: return "use-after-free";
	case CONTROL_BAD_FREE: return "misuse";
	case CONTROL_CRASHED: return "crash";
	case CONTROL_DEADLOCK:
	case CONTROL_STUCK: return "deadlock";
	case CONTROL_HUNG:
	case CONTROL_LIMIT: return "hang";
	default: return "";
	}
}

/* Each stands behind the step that the schedule names. */
static bool are_at_ends(const struct follower *f)
{
	const struct schedule *s = f->schedule;
	const struct outcome *outcome = &f->rerun.outcome;

	for (size_t i = 0; i < s->ends.count; i++) {
		bool there = false;

		for (uint32_t k = 0; k < outcome->blocked_count && !there; k++)
			there = outcome->blocked[k].thread == s->ends.items[i].thread &&
				outcome->blocked[k].how != CONTROL_BY_NOTHING &&
				outcome->blocked[k].step == f->ends[i] + 1;
		if (!there)
			return false;
	}
	return true;
}

static bool is_shown(const struct follower *f)
{
	const struct schedule *s = f->schedule;
	const struct outcome *outcome = &f->rerun.outcome;
	bool stuck = outcome->result == CONTROL_DEADLOCK || outcome->result == CONTROL_STUCK;
	const struct control_stop *met = outcome->control->stops;

	if (!strcmp(s->expect, "race"))
		return outcome->control->stops_met && s->stops.count == 2 &&
		       met[0].actual_step == f->stops[0] && met[1].actual_step == f->stops[1] &&
		       met[0].address < met[1].address + met[1].size &&
		       met[1].address < met[0].address + met[0].size;
	if (!strcmp(s->expect, "deadlock") || !strcmp(s->expect, "lost-signal"))
		return stuck && are_at_ends(f);
	return !strcmp(result_word(outcome->result), s->expect);
}

static void explain(const struct follower *f, struct schedule_result *result)
{
	const struct schedule *s = f->schedule;
	const struct schedule_step *lost = f->lost < s->runs.count ? &s->runs.items[f->lost] : NULL;
	char text[EFFECT_TEXT];

	if (lost)
		effect_print(text,
			     "T%" PRIu32 " never did step %" PRIu32 " of the schedule, \"%s\" for "
			     "the %" PRIu64 ". time; the run ended with: %s%s%s",
			     lost->thread, lost->step, lost->name, lost->occurrence,
			     effect_name(result->effect.kind), result->effect.text[0] ? ": " : "",
			     result->effect.text);
	else
		effect_print(text, "all steps were done, but it ended with: %s%s%s",
			     effect_name(result->effect.kind), result->effect.text[0] ? ": " : "",
			     result->effect.text);
	set_why(result, SCHEDULE_DIVERGED, text);
}

static bool run(struct follower *f, struct schedule_result *result)
{
	struct effect_source source;
	struct err err = { 0 };

	make_plan(f);
	result->runs++;
	if (!rerun_run(&f->rerun, &f->plan, &err)) {
		set_why(result, SCHEDULE_CANNOT, err.text);
		return false;
	}
	source.trace = f->rerun.trace;
	source.symbols = trace_symbols_open(f->rerun.trace);
	effect_of_end(&result->effect, &f->rerun.outcome, &source, -1);
	trace_symbols_close(source.symbols);
	return true;
}

static void follow(struct follower *f, struct schedule_result *result)
{
	for (unsigned i = 0; i < RUNS_MOST; i++) {
		bool changed;

		if (!run(f, result))
			return;
		changed = learn(f);
		if (is_shown(f)) {
			struct err err = { 0 };

			if (!rerun_save(&f->rerun, &err)) {
				set_why(result, SCHEDULE_CANNOT, err.text);
				return;
			}
			memcpy(result->met, f->rerun.outcome.control->stops, sizeof result->met);
			result->verdict = SCHEDULE_SHOWN;
			return;
		}
		if (!changed)
			break;
	}
	explain(f, result);
}

static uint32_t *numbers_of(const struct schedule_step *steps, size_t count)
{
	uint32_t *numbers = mem_alloc(count * sizeof *numbers + 1);

	for (size_t i = 0; i < count; i++)
		numbers[i] = steps[i].step;
	return numbers;
}

void schedule_follow(const struct schedule *s, const struct rerun_options *options,
		     struct schedule_result *result)
{
	struct follower f = { .schedule = s };
	struct err err = { 0 };

	*result = (struct schedule_result){ 0 };
	if (!rerun_open(&f.rerun, options, &err)) {
		set_why(result, SCHEDULE_CANNOT, err.text);
		return;
	}
	session_know_threads(f.rerun.session, s->threads.items, (uint32_t)s->threads.count);
	f.runs = numbers_of(s->runs.items, s->runs.count);
	f.stops = numbers_of(s->stops.items, s->stops.count);
	f.ends = numbers_of(s->ends.items, s->ends.count);
	f.stop_sites = mem_zalloc(s->stops.count + 1, sizeof *f.stop_sites);
	f.choices = mem_zalloc(s->choices.count + 1, sizeof *f.choices);
	for (size_t i = 0; i < s->choices.count; i++)
		f.choices[i] = s->choices.items[i].at.step;
	follow(&f, result);
	free(f.runs);
	free(f.stops);
	free(f.ends);
	free(f.stop_sites);
	free(f.choices);
	plan_free(&f.plan);
	rerun_close(&f.rerun);
}

/*
 * The walk through the lattice of a computation: papers 000 (section 6) and 001 (section 4), level by
 * level; how a level is made stands in monitor/lattice/level_merge.h, what cuts look like in
 * monitor/lattice/level_key.h.
 */
#include "monitor/lattice/lattice.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "monitor/lattice/count_violating.h"
#include "monitor/lattice/lattice_order.h"
#include "monitor/lattice/level_walk.h"
#include "monitor/lattice/lattice_path.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* For levels while runs are looked for, if the caller has no limit. */
#define PATH_MEMORY (1ull << 30)

struct lattice {
	struct lattice_options options;
	VEC(struct state_sets_machine) machines;
	struct lattice_feed feed;
	uint32_t narrowest;
};

/* ---- feeding --------------------------------------------------------------------------------------- */

struct lattice *lattice_new(const struct lattice_options *options)
{
	struct lattice *lattice = mem_zalloc(1, sizeof *lattice);

	lattice->options = *options;
	return lattice;
}

void lattice_free(struct lattice *lattice)
{
	if (!lattice)
		return;
	vec_free(&lattice->machines);
	vec_free(&lattice->feed.messages);
	vec_free(&lattice->feed.needs);
	vec_free(&lattice->feed.members);
	free(lattice);
}

void lattice_add_machine(struct lattice *lattice, struct machine *machine, bool by_message)
{
	*vec_push(&lattice->machines) = (struct state_sets_machine){ machine, by_message };
}

void lattice_widen_keys(struct lattice *lattice, uint32_t words)
{
	lattice->narrowest = words;
}

void lattice_feed(struct lattice *lattice, const struct message *message)
{
	struct lattice_feed *feed = &lattice->feed;
	uint64_t turn = feed->messages.count; /* before there is one more */

	*vec_push(&feed->messages) = (struct lattice_fed){
		.column = message->column,
		.position = message->position,
		.label = message->label,
		.need = feed->needs.count,
		.need_count = message->need_count,
		.member = feed->members.count,
		.member_count = message->member_count,
		.turn = turn,
	};
	for (uint32_t i = 0; i < message->need_count; i++)
		*vec_push(&feed->needs) = message->needs[i];
	for (uint32_t i = 0; i < message->member_count; i++)
		*vec_push(&feed->members) = message->members[i];
}

/* ---- one walk -------------------------------------------------------------------------------------- */

/* A violation while it is worked on: the cut from which the event was bad. */
struct bad {
	struct lattice_violation violation;
	uint32_t *cut;
};

struct lattice_walk {
	struct lattice *lattice;
	struct lattice_result *result;
	struct lattice_order order;
	struct state_sets sets;
	struct level_pool pool;
	struct level_walk levels;
	VEC(struct state_sets_letter) letters;
	uint32_t *ends;
	uint32_t *observed; /* columns; NULL: no run is known */
	VEC(struct bad) bad;
	struct map seen; /* (event, machine) to its place in `bad`, + 1 */
};

static void note(struct lattice_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void note(struct lattice_result *result, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	*vec_push(&result->notes) = mem_copy_text(text, strlen(text));
}

/* Follows the columns through the computation. False: that is no run of it. */
static bool is_run(const struct lattice_order *order, const uint32_t *columns)
{
	uint32_t *cut = mem_zalloc(order->column_count, sizeof *cut);
	bool good = true;

	for (uint64_t i = 0; good && i < order->event_count; i++) {
		good = columns[i] < order->column_count &&
		       lattice_order_allows(order, cut, columns[i]);
		if (good)
			cut[columns[i]]++;
	}
	free(cut);
	return good;
}

static bool find_observed(struct lattice_walk *walk, struct err *err)
{
	const struct lattice_options *options = &walk->lattice->options;
	const struct lattice_feed *feed = &walk->lattice->feed;
	uint64_t count = walk->order.event_count;
	bool by_message = false;

	walk->observed = mem_alloc(count * sizeof *walk->observed);
	if (options->observed) {
		if (options->observed_count != count)
			return err_set(err, "the observed run has %zu steps, %llu messages came",
				       options->observed_count, (unsigned long long)count);
		memcpy(walk->observed, options->observed, count * sizeof *walk->observed);
	} else {
		for (size_t i = 0; i < feed->messages.count; i++)
			walk->observed[feed->messages.items[i].turn] =
				feed->messages.items[i].column;
	}
	if (is_run(&walk->order, walk->observed))
		return true;
	if (options->observed)
		return err_set(err, "the observed run is no run of the computation");
	for (size_t i = 0; i < walk->lattice->machines.count; i++)
		by_message |= walk->lattice->machines.items[i].by_message;
	if (by_message)
		return err_set(err, "messages came out of order and the observed run is unknown");
	free(walk->observed);
	walk->observed = NULL;
	return true;
}

/* Letters: labels, or each message one of its own if a machine wants to know which it is. */
static void give_letters(struct lattice_walk *walk)
{
	const struct lattice *lattice = walk->lattice;
	struct lattice_order *order = &walk->order;
	uint32_t *cut = mem_zalloc(order->column_count, sizeof *cut);
	struct map labels = { 0 };
	bool by_message = false;

	for (size_t i = 0; i < lattice->machines.count; i++)
		by_message |= lattice->machines.items[i].by_message;
	*vec_push(&walk->letters) = (struct state_sets_letter){ 0 };
	for (uint64_t i = 0; i < order->event_count; i++) {
		uint32_t column = walk->observed ? walk->observed[i] : 0;
		struct lattice_event *event =
			walk->observed ? &order->columns[column].events[cut[column]++]
				       : &order->events[i];
		bool fresh = true;
		uint64_t *at = NULL;

		if (event->label == LABEL_SILENT)
			continue;
		if (!by_message)
			at = map_put(&labels, event->label, &fresh);
		if (fresh)
			*vec_push(&walk->letters) =
				(struct state_sets_letter){ event->label, (uint32_t)i + 1 };
		if (at && fresh)
			*at = walk->letters.count - 1;
		event->letter = at ? *at : walk->letters.count - 1;
	}
	map_free(&labels);
	free(cut);
}

/* ---- violations ------------------------------------------------------------------------------------ */

static struct bad *add_bad(struct lattice_walk *walk, uint32_t machine, uint32_t column,
			   uint32_t position, uint64_t level, const uint32_t *cut)
{
	uint64_t count = walk->order.event_count;
	uint64_t event = column == LATTICE_START ? count
			 : column == LATTICE_END ? count + 1
						 : walk->order.columns[column].first + position;
	bool fresh;
	uint64_t *at = map_put(&walk->seen, event * walk->sets.machine_count + machine, &fresh);
	struct bad *bad;

	if (!fresh)
		return &walk->bad.items[*at - 1];
	bad = vec_push(&walk->bad);
	*at = walk->bad.count;
	*bad = (struct bad){ .violation = { .machine = machine,
					    .column = column,
					    .position = position,
					    .level = level } };
	if (cut) {
		size_t size = walk->order.column_count * sizeof *cut;

		bad->cut = mem_alloc(size);
		memcpy(bad->cut, cut, size);
	}
	return bad;
}

static int by_machine_and_place(const void *a, const void *b)
{
	const struct level_found *x = a, *y = b;

	if (x->machine != y->machine)
		return x->machine < y->machine ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

/* What the workers found on the way to this level; ranges in order, so that lowest keys win. */
static void collect(struct lattice_walk *walk)
{
	struct level_walk *levels = &walk->levels;
	uint32_t *cut = mem_alloc(walk->order.column_count * sizeof *cut);

	for (uint32_t w = 0; w < levels->worker_count; w++) {
		struct level_worker *worker = &levels->workers[w];

		if (worker->found.count)
			qsort(worker->found.items, worker->found.count, sizeof *worker->found.items,
			      by_machine_and_place);
		for (size_t i = 0; i < worker->found.count; i++) {
			const struct level_found *found = &worker->found.items[i];

			level_unpack(levels->layout, &worker->keys.items[found->key], cut);
			add_bad(walk, found->machine, found->column, found->position,
				levels->level.number, cut);
		}
		worker->found.count = worker->keys.count = 0;
	}
	free(cut);
}

/* States that are bad before anything happens, or at the end of complete runs. */
static void collect_states(struct lattice_walk *walk, uint64_t payload, bool at_end)
{
	machine_states states = { 0 };

	state_sets_list_states(&walk->sets, payload, &states);
	for (size_t i = 0; i < states.count; i++) {
		const struct state_sets_state *state = &walk->sets.states.items[states.items[i]];
		struct bad *bad;

		if (!(at_end ? state->bad_at_end : state->bad))
			continue;
		bad = add_bad(walk, state->machine, at_end ? LATTICE_END : LATTICE_START, 0,
			      at_end ? walk->order.event_count : 0, at_end ? walk->ends : NULL);
		bad->violation.observed = !at_end;
	}
	vec_free(&states);
}

/* The observed run alone: it is the run of its own violations. */
static void follow_observed(struct lattice_walk *walk)
{
	struct state_sets *sets = &walk->sets;
	struct state_sets_memory *memory = &walk->levels.workers[0].memory;
	uint64_t payload = state_sets_clean(sets, memory, sets->initial);
	uint32_t *cut = mem_zalloc(walk->order.column_count, sizeof *cut);
	machine_states states = { 0 };

	for (uint64_t i = 0; walk->observed && i <= walk->order.event_count; i++) {
		bool at_end = i == walk->order.event_count;
		uint32_t column = at_end ? LATTICE_END : walk->observed[i], position = 0;
		uint64_t level = at_end ? i : i + 1;

		if (at_end && !walk->lattice->options.ended)
			break;
		if (!at_end) {
			position = cut[column]++;
			payload =
				state_sets_step(sets, memory, payload,
						walk->order.columns[column].events[position].code);
		}
		if (!at_end && !(payload & sets->bad))
			continue;
		states.count = 0;
		state_sets_list_states(sets, payload, &states);
		for (size_t s = 0; s < states.count; s++) {
			const struct state_sets_state *state = &sets->states.items[states.items[s]];
			struct lattice_violation *v;

			if (!(at_end ? state->bad_at_end : state->bad))
				continue;
			v = &add_bad(walk, state->machine, column, position, level, NULL)
				     ->violation;
			v->observed = true;
			v->level = level;
		}
		payload = state_sets_clean(sets, memory, payload);
	}
	free(cut);
	vec_free(&states);
}

static void find_runs(struct lattice_walk *walk, size_t most)
{
	size_t *had = mem_zalloc(walk->sets.machine_count, sizeof *had);
	VEC(struct lattice_path_target) targets = { 0 };
	uint64_t memory = walk->lattice->options.memory;

	for (size_t i = 0; i < walk->bad.count; i++) {
		struct lattice_violation *v = &walk->bad.items[i].violation;

		if (had[v->machine]++ >= most && !v->observed)
			continue;
		v->run = mem_alloc(v->level * sizeof *v->run);
		if (!v->level)
			continue;
		if (v->observed) {
			memcpy(v->run, walk->observed, v->level * sizeof *v->run);
		} else {
			bool at_end = v->column == LATTICE_END;

			*vec_push(&targets) = (struct lattice_path_target){
				.machine = v->machine,
				.column = at_end ? LATTICE_PATH_END : v->column,
				.cut = walk->bad.items[i].cut,
				.level = at_end ? v->level : v->level - 1,
				.run = v->run,
			};
			if (!at_end)
				v->run[v->level - 1] = v->column;
		}
	}
	lattice_path_find(&walk->levels, targets.items, targets.count,
			  memory ? memory / 2 : PATH_MEMORY);
	vec_free(&targets);
	free(had);
}

/* ---- counts ---------------------------------------------------------------------------------------- */

static void count_runs(struct lattice_walk *walk)
{
	struct lattice_result *result = walk->result;
	const struct level *level = &walk->levels.level;
	const struct level_chunk *chunk;
	struct lattice_count count;

	if (!walk->lattice->options.count || walk->levels.uncounted) {
		if (walk->levels.uncounted)
			note(result, "runs were not counted: the counts take too much memory");
		return;
	}
	result->counted = true;
	if (!result->complete)
		return;
	chunk = level->chunks.items[0];
	count = (struct lattice_count){ chunk->counts, level->shape.limbs };
	lattice_count_add(&result->runs, &count);
}

static bool count_violating(struct lattice_walk *walk, struct err *err)
{
	struct lattice_result *result = walk->result;
	const struct lattice *lattice = walk->lattice;
	size_t machines = lattice->machines.count;
	struct state_sets sets;
	bool good;

	for (size_t m = 0; m < machines; m++)
		*vec_push(&result->violating) = (struct lattice_count){ 0 };
	if (!result->counted || !result->complete || !walk->bad.count)
		return true;
	if (!state_sets_init(&sets, lattice->machines.items, machines, walk->letters.items,
			     walk->letters.count, true, err)) {
		state_sets_free(&sets);
		return false;
	}
	good = count_violating_runs(&walk->levels, &sets, lattice->options.ended,
				    lattice->options.memory, result->violating.items,
				    &result->violating_any);
	if (!good && !sets.failed) {
		note(result, "violating runs were not counted: the counts take too much memory");
		result->counted = false;
	}
	if (sets.failed)
		*err = sets.err;
	good = !sets.failed;
	state_sets_free(&sets);
	return good;
}

/* ---- the whole of it ------------------------------------------------------------------------------- */

static void say_limits(struct lattice_walk *walk)
{
	const struct level_walk *levels = &walk->levels;

	if (levels->lowered)
		note(walk->result, "memory: fewer cuts of a level went on, at most %llu",
		     (unsigned long long)levels->widest);
	if (levels->dropped && levels->hurried)
		note(walk->result,
		     "%llu cuts were left out to come to an end soon: runs through them were not "
		     "followed; --breadth N, or all, allows more",
		     (unsigned long long)levels->dropped);
	else if (levels->dropped)
		note(walk->result,
		     "%llu cuts were left out (--breadth %llu): runs through them were not "
		     "followed",
		     (unsigned long long)levels->dropped,
		     (unsigned long long)(levels->breadth ? levels->breadth : levels->widest));
}

static bool walk_levels(struct lattice_walk *walk, struct err *err)
{
	const struct lattice_options *options = &walk->lattice->options;
	struct level_walk *levels = &walk->levels;
	struct lattice_result *result = walk->result;
	bool more = true;

	level_walk_begin(levels);
	collect_states(walk, walk->sets.initial, false);
	while (more && !walk->sets.failed) {
		if (options->progress)
			options->progress(options->context, levels->level.number,
					  walk->order.event_count + 1, levels->cuts);
		more = level_walk_next(levels);
		collect(walk);
	}
	if (walk->sets.failed) {
		*err = walk->sets.err;
		return false;
	}
	result->cuts = levels->cuts;
	result->widest = levels->widest;
	result->dropped = levels->dropped;
	result->levels = levels->kept.count;
	result->columns = walk->order.column_count;
	result->events = walk->order.event_count;
	result->complete = levels->level.number == walk->order.event_count && levels->level.count;
	if (result->complete && options->ended)
		collect_states(
			walk,
			level_get_payload(&levels->level.shape, levels->level.chunks.items[0], 0),
			true);
	if (levels->dropped)
		levels->planned = levels->kept.items;
	say_limits(walk);
	return true;
}

static int by_level(const void *a, const void *b)
{
	const struct lattice_violation *x = &((const struct bad *)a)->violation;
	const struct lattice_violation *y = &((const struct bad *)b)->violation;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	if (x->machine != y->machine)
		return x->machine < y->machine ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static bool judge(struct lattice_walk *walk, size_t most, struct err *err)
{
	if (!walk_levels(walk, err))
		return false;
	follow_observed(walk);
	if (walk->bad.count)
		qsort(walk->bad.items, walk->bad.count, sizeof *walk->bad.items, by_level);
	count_runs(walk);
	if (!count_violating(walk, err))
		return false;
	find_runs(walk, most);
	if (walk->sets.failed)
		*err = walk->sets.err;
	for (size_t i = 0; i < walk->bad.count; i++) {
		*vec_push(&walk->result->violations) = walk->bad.items[i].violation;
		walk->bad.items[i].violation.run = NULL;
	}
	return !walk->sets.failed;
}

static bool prepare(struct lattice_walk *walk, struct err *err)
{
	const struct lattice *lattice = walk->lattice;
	uint32_t columns = walk->order.column_count;

	if (!find_observed(walk, err))
		return false;
	give_letters(walk);
	walk->ends = mem_alloc(columns * sizeof *walk->ends);
	for (uint32_t c = 0; c < columns; c++)
		walk->ends[c] = walk->order.columns[c].count;
	if (!state_sets_init(&walk->sets, lattice->machines.items, lattice->machines.count,
			     walk->letters.items, walk->letters.count, false, err))
		return false;
	for (uint64_t i = 0; i < walk->order.event_count; i++)
		walk->order.events[i].code =
			state_sets_code(&walk->sets, walk->order.events[i].letter);
	walk->levels = (struct level_walk){ .order = &walk->order,
					    .sets = &walk->sets,
					    .pool = &walk->pool,
					    .crew = level_workers_new(lattice->options.jobs),
					    .ends = walk->ends,
					    .observed = walk->observed,
					    .breadth = lattice->options.breadth,
					    .memory = lattice->options.memory,
					    .effort = lattice->options.effort,
					    .count = lattice->options.count,
					    .find = true,
					    .narrowest = lattice->narrowest };
	return true;
}

static void finish(struct lattice_walk *walk)
{
	if (walk->levels.order) {
		level_walk_end(&walk->levels);
		level_workers_free(walk->levels.crew);
	}
	if (walk->sets.index)
		state_sets_free(&walk->sets);
	level_pool_free(&walk->pool);
	for (size_t i = 0; i < walk->bad.count; i++) {
		free(walk->bad.items[i].cut);
		free(walk->bad.items[i].violation.run);
	}
	vec_free(&walk->bad);
	map_free(&walk->seen);
	vec_free(&walk->letters);
	free(walk->ends);
	free(walk->observed);
	lattice_order_free(&walk->order);
}

bool lattice_walk(struct lattice *lattice, size_t most, struct lattice_result *result,
		  struct err *err)
{
	struct lattice_walk walk = { .lattice = lattice, .result = result };
	double start = seconds_now();
	bool good;

	*result = (struct lattice_result){ 0 };
	level_pool_init(&walk.pool);
	good = lattice_order_build(&walk.order, &lattice->feed, err) && prepare(&walk, err) &&
	       judge(&walk, most, err);
	finish(&walk);
	result->seconds = seconds_now() - start;
	if (!good)
		lattice_result_free(result);
	return good;
}

void lattice_result_free(struct lattice_result *result)
{
	for (size_t i = 0; i < result->violations.count; i++)
		free(result->violations.items[i].run);
	for (size_t i = 0; i < result->violating.count; i++)
		free(result->violating.items[i].limbs);
	for (size_t i = 0; i < result->notes.count; i++)
		free(result->notes.items[i]);
	free(result->runs.limbs);
	free(result->violating_any.limbs);
	vec_free(&result->violations);
	vec_free(&result->violating);
	vec_free(&result->notes);
	*result = (struct lattice_result){ 0 };
}

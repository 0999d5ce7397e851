/*
 * The walk through the lattice of a computation, level by level: papers 000 (section 6) and 001
 * (section 4). level_merge.h says how a level is made, level_key.h how cuts are packed. After the
 * walk, the observed run is followed on its own, violating runs are counted, and a run is found for
 * each violation.
 */
#include "monitor/lattice/lattice.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "base/sort.h"
#include "monitor/lattice/count_violating.h"
#include "monitor/lattice/lattice_order.h"
#include "monitor/lattice/level_walk.h"
#include "monitor/lattice/lattice_path.h"

#include <assert.h>
#include <string.h>

/* Limit in bytes for the levels while runs are searched, if the caller sets none. */
#define PATH_MEMORY (1ull << 30)

struct lattice {
	struct lattice_options options;
	VEC(struct state_sets_machine) machines;
	struct lattice_feed feed;
	uint32_t narrowest;
};

/* ---- feeding --------------------------------------------------------------------------------- */

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
	uint64_t fed_at = feed->messages.count;

	*vec_push(&feed->messages) = (struct lattice_fed){
		.column = message->column,
		.position = message->position,
		.label = message->label,
		.need = feed->needs.count,
		.need_count = message->need_count,
		.member = feed->members.count,
		.member_count = message->member_count,
		.fed_at = fed_at,
	};
	for (uint32_t i = 0; i < message->need_count; i++)
		*vec_push(&feed->needs) = message->needs[i];
	for (uint32_t i = 0; i < message->member_count; i++)
		*vec_push(&feed->members) = message->members[i];
}

/* ---- one walk -------------------------------------------------------------------------------- */

/* A violation, and the cut right before the violating event. */
struct found_violation {
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
	VEC(struct state_sets_symbol) symbols;
	uint32_t *ends;
	uint32_t *observed; /* columns of its steps; NULL: the observed run is unknown */
	VEC(struct found_violation) bad;
	struct map seen; /* (event, machine) to 1 + its index in `bad` */
};

/* Is any machine stepped by messages instead of labels? */
static bool steps_by_message(const struct lattice *lattice)
{
	for (size_t i = 0; i < lattice->machines.count; i++) {
		if (lattice->machines.items[i].by_message)
			return true;
	}
	return false;
}

/* Are these columns the steps of a run of the computation? */
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

	walk->observed = mem_alloc(count * sizeof *walk->observed);
	if (options->observed) {
		if (options->observed_count != count)
			return err_set(
				err, "the observed run has %zu steps, but there are %llu messages",
				options->observed_count, (unsigned long long)count);
		memcpy(walk->observed, options->observed, count * sizeof *walk->observed);
	} else {
		for (size_t i = 0; i < feed->messages.count; i++)
			walk->observed[feed->messages.items[i].fed_at] =
				feed->messages.items[i].column;
	}
	if (is_run(&walk->order, walk->observed))
		return true;
	if (options->observed)
		return err_set(err, "the observed run is not a run of the computation");
	if (steps_by_message(walk->lattice))
		return err_set(err, "messages came out of order and the observed run is unknown");
	free(walk->observed);
	walk->observed = NULL;
	return true;
}

/*
 * Gives each event its input symbol. Equal labels share a symbol, unless a machine is stepped by
 * messages: then each message has its own.
 */
static void assign_symbols(struct lattice_walk *walk)
{
	struct lattice_order *order = &walk->order;
	uint32_t *cut = mem_zalloc(order->column_count, sizeof *cut);
	struct map labels = { 0 };
	bool by_message = steps_by_message(walk->lattice);

	*vec_push(&walk->symbols) = (struct state_sets_symbol){ 0 };
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
			*vec_push(&walk->symbols) =
				(struct state_sets_symbol){ event->label, (uint32_t)i + 1 };
		if (at && fresh)
			*at = walk->symbols.count - 1;
		event->symbol = at ? *at : walk->symbols.count - 1;
	}
	map_free(&labels);
	free(cut);
}

/* ---- violations ------------------------------------------------------------------------------ */

static struct found_violation *add_violation(struct lattice_walk *walk, uint32_t machine,
					     uint32_t column, uint32_t position, uint64_t level,
					     const uint32_t *cut)
{
	uint64_t count = walk->order.event_count;
	uint64_t event = column == LATTICE_START ? count
			 : column == LATTICE_END ? count + 1
						 : walk->order.columns[column].first + position;
	bool fresh;
	uint64_t *at = map_put(&walk->seen, event * walk->sets.machine_count + machine, &fresh);
	struct found_violation *bad;

	if (!fresh)
		return &walk->bad.items[*at - 1];
	bad = vec_push(&walk->bad);
	*at = walk->bad.count;
	*bad = (struct found_violation){ .violation = { .machine = machine,
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

SORT_COMPARISON(by_machine_and_event, struct level_violation, a, b,
		sort_order(a->machine, b->machine) ?: sort_order(a->column, b->column)
			?: sort_order(a->position, b->position))

/*
 * Collects the violations that the workers found in the steps to this level. Goes through the
 * ranges in order, so that the cut with the lowest key is used.
 */
static void collect_violations(struct lattice_walk *walk)
{
	struct level_walk *levels = &walk->levels;
	uint32_t *cut = mem_alloc(walk->order.column_count * sizeof *cut);

	for (uint32_t w = 0; w < levels->worker_count; w++) {
		struct level_worker *worker = &levels->workers[w];

		vec_sort(&worker->found, by_machine_and_event);
		for (size_t i = 0; i < worker->found.count; i++) {
			const struct level_violation *found = &worker->found.items[i];

			level_unpack(levels->layout, &worker->keys.items[found->key], cut);
			add_violation(walk, found->machine, found->column, found->position,
				      levels->level.number, cut);
		}
		worker->found.count = worker->keys.count = 0;
	}
	free(cut);
}

/*
 * Collects states that are bad before anything happens or, if `at_end`, at the end of complete
 * runs.
 */
static void collect_bad_states(struct lattice_walk *walk, uint64_t payload, bool at_end)
{
	machine_states states = { 0 };

	state_sets_list_states(&walk->sets, payload, &states);
	for (size_t i = 0; i < states.count; i++) {
		const struct state_sets_state *state = &walk->sets.states.items[states.items[i]];
		struct found_violation *bad;

		if (!(at_end ? state->bad_at_end : state->bad))
			continue;
		bad = add_violation(walk, state->machine, at_end ? LATTICE_END : LATTICE_START, 0,
				    at_end ? walk->order.event_count : 0,
				    at_end ? walk->ends : NULL);
		bad->violation.observed = !at_end;
	}
	vec_free(&states);
}

/* Steps the machines along the observed run alone. It becomes the run of the violations on it. */
static void follow_observed(struct lattice_walk *walk)
{
	struct state_sets *sets = &walk->sets;
	struct state_sets_cache *cache = &walk->levels.workers[0].cache;
	uint64_t payload = state_sets_clean(sets, cache, sets->initial);
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
				state_sets_step(sets, cache, payload,
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
			v = &add_violation(walk, state->machine, column, position, level, NULL)
				     ->violation;
			v->observed = true;
			v->level = level;
		}
		payload = state_sets_clean(sets, cache, payload);
	}
	free(cut);
	vec_free(&states);
}

static void find_runs(struct lattice_walk *walk, size_t most)
{
	size_t *counts = mem_zalloc(walk->sets.machine_count, sizeof *counts);
	VEC(struct lattice_path_target) targets = { 0 };
	uint64_t memory = walk->lattice->options.memory;

	for (size_t i = 0; i < walk->bad.count; i++) {
		struct lattice_violation *v = &walk->bad.items[i].violation;

		if (counts[v->machine]++ >= most && !v->observed)
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
	free(counts);
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_runs(struct lattice_walk *walk)
{
	struct lattice_result *result = walk->result;
	const struct level *level = &walk->levels.level;
	const struct level_chunk *chunk;
	struct lattice_count count;

	if (!walk->lattice->options.count || walk->levels.uncounted) {
		if (walk->levels.uncounted)
			*vec_push(&result->notes) = mem_format(
				"runs were not counted: the counts take too much memory");
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
	if (!state_sets_init(&sets, lattice->machines.items, machines, walk->symbols.items,
			     walk->symbols.count, true, err)) {
		state_sets_free(&sets);
		return false;
	}
	good = count_violating_runs(&walk->levels, &sets, lattice->options.ended,
				    lattice->options.memory, result->violating.items,
				    &result->violating_any);
	if (!good && !sets.failed) {
		*vec_push(&result->notes) = mem_format(
			"violating runs were not counted: the counts take too much memory");
		result->counted = false;
	}
	if (sets.failed)
		*err = sets.err;
	good = !sets.failed;
	state_sets_free(&sets);
	return good;
}

/* ---- the walk as a whole --------------------------------------------------------------------- */

static void note_limits(struct lattice_walk *walk)
{
	const struct level_walk *levels = &walk->levels;

	if (levels->lowered)
		*vec_push(&walk->result->notes) =
			mem_format("memory limit: at most %llu cuts of a level were kept",
				   (unsigned long long)levels->widest);
	if (levels->dropped && levels->hurried)
		*vec_push(&walk->result->notes) = mem_format(
			"%llu cuts were left out to limit the effort: runs through them were not "
			"examined; --breadth N or --breadth all allows more",
			(unsigned long long)levels->dropped);
	else if (levels->dropped)
		*vec_push(&walk->result->notes) = mem_format(
			"%llu cuts were left out (--breadth %llu): runs through them were not "
			"examined",
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
	collect_bad_states(walk, walk->sets.initial, false);
	while (more && !walk->sets.failed) {
		if (options->progress)
			options->progress(options->context, levels->level.number,
					  walk->order.event_count + 1, levels->cuts);
		more = level_walk_next(levels);
		collect_violations(walk);
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
		collect_bad_states(
			walk,
			level_get_payload(&levels->level.shape, levels->level.chunks.items[0], 0),
			true);
	if (levels->dropped)
		levels->planned = levels->kept.items;
	note_limits(walk);
	return true;
}

SORT_COMPARISON(by_level, struct found_violation, a, b,
		sort_order(a->violation.level, b->violation.level)
			?: sort_order(a->violation.machine, b->violation.machine)
			?: sort_order(a->violation.column, b->violation.column)
			?: sort_order(a->violation.position, b->violation.position))

static bool walk_and_collect(struct lattice_walk *walk, size_t most, struct err *err)
{
	if (!walk_levels(walk, err))
		return false;
	follow_observed(walk);
	vec_sort(&walk->bad, by_level);
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

static bool prepare_walk(struct lattice_walk *walk, struct err *err)
{
	const struct lattice *lattice = walk->lattice;
	uint32_t columns = walk->order.column_count;

	if (!find_observed(walk, err))
		return false;
	assign_symbols(walk);
	walk->ends = mem_alloc(columns * sizeof *walk->ends);
	for (uint32_t c = 0; c < columns; c++)
		walk->ends[c] = walk->order.columns[c].count;
	if (!state_sets_init(&walk->sets, lattice->machines.items, lattice->machines.count,
			     walk->symbols.items, walk->symbols.count, false, err))
		return false;
	for (uint64_t i = 0; i < walk->order.event_count; i++)
		walk->order.events[i].code =
			state_sets_code(&walk->sets, walk->order.events[i].symbol);
	walk->levels = (struct level_walk){ .order = &walk->order,
					    .sets = &walk->sets,
					    .pool = &walk->pool,
					    .threads = level_workers_new(lattice->options.jobs),
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

static void free_walk(struct lattice_walk *walk)
{
	if (walk->levels.order) {
		level_walk_end(&walk->levels);
		level_workers_free(walk->levels.threads);
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
	vec_free(&walk->symbols);
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
	good = lattice_order_build(&walk.order, &lattice->feed, err) && prepare_walk(&walk, err) &&
	       walk_and_collect(&walk, most, err);
	free_walk(&walk);
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
	free(result->runs.limbs);
	free(result->violating_any.limbs);
	vec_free(&result->violations);
	vec_free(&result->violating);
	vec_free_all(&result->notes);
	*result = (struct lattice_result){ 0 };
}

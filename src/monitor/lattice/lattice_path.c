/*
 * Finds a run to each violation (lattice_path.h): walks upwards and keeps levels, then traces back.
 */
#include "monitor/lattice/lattice_path.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

struct kept_level {
	struct level level;
	struct level_layout *layout;
};

struct lattice_path_search {
	const struct level_walk *model;
	const struct lattice_order *order;
	struct lattice_path_target *targets;
	size_t count;
	uint64_t memory;
	/*
	 * by column: its number of events, for a walk that must not be limited to the cuts below
	 * the targets
	 */
	uint32_t *full;
	machine_states states, next;
};

/* ---- tracing backwards ----------------------------------------------------------------------- */

static bool steps_to(struct lattice_path_search *search, uint32_t from,
		     const struct lattice_event *event, const struct lattice_path_target *target,
		     bool to_bad)
{
	struct state_sets *sets = search->model->sets;

	search->next.count = 0;
	state_sets_list_successors(sets, from, event->symbol, &search->next);
	for (size_t i = 0; i < search->next.count; i++) {
		uint32_t to = search->next.items[i];

		if (to_bad ? sets->states.items[to].bad : to == target->state)
			return true;
	}
	return false;
}

/* Finds the monitor state in the target's cut that becomes bad with the target's event. */
static void find_last_state(struct lattice_path_search *search, const struct kept_level *kept,
			    struct lattice_path_target *target)
{
	const struct state_sets *sets = search->model->sets;
	uint32_t at, column = target->column;
	bool found = level_find_cut(kept->layout, &kept->level, target->cut, &at);

	assert(found);
	search->states.count = 0;
	state_sets_list_states(
		search->model->sets,
		level_get_payload(&kept->level.shape, kept->level.chunks.items[0], at),
		&search->states);
	found = false;
	for (size_t i = 0; i < search->states.count && !found; i++) {
		uint32_t state = search->states.items[i];
		const struct lattice_event *event = NULL;

		if (sets->states.items[state].machine != target->machine)
			continue;
		if (column != LATTICE_PATH_END)
			event = &search->order->columns[column].events[target->cut[column]];
		found = event ? steps_to(search, state, event, target, true)
			      : sets->states.items[state].bad_at_end;
		target->state = state;
	}
	assert(found);
	target->begun = true;
}

static bool step_back_in_column(struct lattice_path_search *search, const struct kept_level *before,
				struct lattice_path_target *target, uint32_t column)
{
	const struct state_sets *sets = search->model->sets;
	const struct lattice_event *event;
	uint32_t at;
	bool found = false;

	if (!target->cut[column])
		return false;
	target->cut[column]--;
	event = &search->order->columns[column].events[target->cut[column]];
	search->states.count = 0;
	if (lattice_order_allows(search->order, target->cut, column) &&
	    level_find_cut(before->layout, &before->level, target->cut, &at))
		state_sets_list_states(
			search->model->sets,
			level_get_payload(&before->level.shape, before->level.chunks.items[0], at),
			&search->states);
	for (size_t i = 0; i < search->states.count && !found; i++) {
		uint32_t state = search->states.items[i];

		found = sets->states.items[state].machine == target->machine &&
			steps_to(search, state, event, target, false);
		if (found)
			target->state = state;
	}
	if (found)
		target->run[--target->at] = column;
	else
		target->cut[column]++;
	return found;
}

/*
 * Makes one step back, preferably in the column of the step after it: runs with few thread switches
 * are easier to read.
 */
static void step_back(struct lattice_path_search *search, const struct kept_level *before,
		      struct lattice_path_target *target)
{
	uint32_t columns = search->order->column_count;
	uint32_t first = target->at < target->level ? target->run[target->at] : target->column;

	if (first < columns && step_back_in_column(search, before, target, first))
		return;
	for (uint32_t c = 0; c < columns; c++) {
		if (c != first && step_back_in_column(search, before, target, c))
			return;
	}
	assert(!"a cut of a level has a predecessor in the level before");
}

/* ---- walking forwards ------------------------------------------------------------------------ */

typedef VEC(struct kept_level) kept_levels;

static void keep_copy_of_level(const struct level_walk *walk, kept_levels *list)
{
	struct kept_level *kept = vec_push(list);

	level_copy(&kept->level, &walk->level);
	kept->layout = level_layout_share(walk->layout);
}

static void free_kept(struct kept_level *kept)
{
	level_free_copy(&kept->level);
	level_layout_drop(kept->layout);
}

static uint64_t bytes_of(const struct kept_level *kept)
{
	return kept->level.count * level_cut_bytes(&kept->level.shape);
}

static uint64_t drop_every_second(kept_levels *list)
{
	uint64_t bytes = 0;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (i % 2) {
			free_kept(&list->items[i]);
			continue;
		}
		bytes += bytes_of(&list->items[i]);
		list->items[count++] = list->items[i];
	}
	list->count = count;
	return bytes;
}

/*
 * Walks from a level to `until` and keeps every n-th level. Returns n, which is doubled whenever
 * the levels need too much memory.
 */
static uint64_t keep_levels_below(struct lattice_path_search *search, const struct kept_level *from,
				  uint64_t until, const uint32_t *ends, kept_levels *list)
{
	const struct level_walk *model = search->model;
	struct level_walk walk = level_walk_like(model);
	uint64_t stride = 1, bytes, first;

	walk.ends = ends;
	walk.observed = model->planned ? model->observed : NULL;
	if (from)
		level_walk_resume(&walk, &from->level, from->layout);
	else
		level_walk_begin(&walk);
	first = walk.level.number;
	keep_copy_of_level(&walk, list);
	bytes = bytes_of(&list->items[0]);
	while (walk.level.number < until) {
		if (!level_walk_next(&walk))
			break;
		if ((walk.level.number - first) % stride)
			continue;
		keep_copy_of_level(&walk, list);
		bytes += bytes_of(&list->items[list->count - 1]);
		/* n must stay below the distance, or filling the gaps would never end. */
		while (bytes > search->memory && stride * 2 < until - first) {
			bytes = drop_every_second(list);
			stride *= 2;
		}
	}
	assert(walk.level.number == until);
	level_walk_end(&walk);
	return stride;
}

/* Traces the targets that are above level `from`, up to level `until`, back to `from`. */
static void trace_down(struct lattice_path_search *search, const struct kept_level *from,
		       uint64_t until);

static void trace_down_gaps(struct lattice_path_search *search, kept_levels *list, uint64_t stride,
			    uint64_t until)
{
	for (size_t i = list->count; i--;) {
		uint64_t above = list->items[i].level.number + stride;

		trace_down(search, &list->items[i], above < until ? above : until);
		free_kept(&list->items[i]);
	}
	vec_free(list);
}

static bool find_ends(const struct lattice_path_search *search, uint64_t from, uint64_t until,
		      uint32_t *ends)
{
	uint32_t columns = search->order->column_count;
	bool some = false;

	memset(ends, 0, columns * sizeof *ends);
	for (size_t i = 0; i < search->count; i++) {
		const struct lattice_path_target *target = &search->targets[i];

		if (target->at > until || target->at < from ||
		    (target->at == from && target->begun))
			continue;
		some = true;
		for (uint32_t c = 0; c < columns; c++) {
			if (target->cut[c] > ends[c])
				ends[c] = target->cut[c];
		}
	}
	return some;
}

static void trace_down(struct lattice_path_search *search, const struct kept_level *from,
		       uint64_t until)
{
	uint64_t start = from ? from->level.number : 0, stride;
	uint32_t *ends = mem_alloc(search->order->column_count * sizeof *ends);
	kept_levels list = { 0 };

	if (!find_ends(search, start, until, ends)) {
		free(ends);
		return;
	}
	stride = keep_levels_below(search, from, until,
				   search->model->planned ? search->full : ends, &list);
	free(ends);
	if (stride > 1) {
		trace_down_gaps(search, &list, stride, until);
		return;
	}
	for (size_t i = list.count; i--;) {
		for (size_t t = 0; t < search->count; t++) {
			struct lattice_path_target *target = &search->targets[t];

			if (target->at != list.items[i].level.number)
				continue;
			if (!target->begun)
				find_last_state(search, &list.items[i], target);
			if (i)
				step_back(search, &list.items[i - 1], target);
		}
		free_kept(&list.items[i]);
	}
	vec_free(&list);
}

void lattice_path_find(const struct level_walk *model, struct lattice_path_target *targets,
		       size_t count, uint64_t memory)
{
	struct lattice_path_search search = { .model = model,
					      .order = model->order,
					      .targets = targets,
					      .count = count,
					      .memory = memory };
	uint64_t highest = 0;

	search.full = mem_alloc(model->order->column_count * sizeof *search.full);
	for (uint32_t c = 0; c < model->order->column_count; c++)
		search.full[c] = model->order->columns[c].count;
	for (size_t i = 0; i < count; i++) {
		targets[i].at = targets[i].level;
		targets[i].begun = false;
		if (targets[i].level > highest)
			highest = targets[i].level;
	}
	if (count)
		trace_down(&search, NULL, highest);
	free(search.full);
	vec_free(&search.states);
	vec_free(&search.next);
}

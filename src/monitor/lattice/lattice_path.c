#include "monitor/lattice/lattice_path.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

struct lattice_path_kept {
	struct level level;
	struct level_layout *layout;
};

struct lattice_path_search {
	const struct level_walk *model;
	const struct lattice_order *order;
	struct lattice_path_target *targets;
	size_t count;
	uint64_t memory;
	uint32_t *full; /* ends of a walk that is not cut below the targets */
	machine_states states, next;
};

/* ---- backwards ------------------------------------------------------------------------------------- */

static bool steps_to(struct lattice_path_search *search, uint32_t from,
		     const struct lattice_event *event, const struct lattice_path_target *target,
		     bool to_bad)
{
	struct state_sets *sets = search->model->sets;

	search->next.count = 0;
	state_sets_list_successors(sets, from, event->letter, &search->next);
	for (size_t i = 0; i < search->next.count; i++) {
		uint32_t to = search->next.items[i];

		if (to_bad ? sets->states.items[to].bad : to == target->state)
			return true;
	}
	return false;
}

/* The state in which the target's cut is left. */
static void begin(struct lattice_path_search *search, const struct lattice_path_kept *kept,
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

static bool step_back_by(struct lattice_path_search *search, const struct lattice_path_kept *before,
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

/* Stays in the thread that goes on: runs with few switches are easier to read. */
static void step_back(struct lattice_path_search *search, const struct lattice_path_kept *before,
		      struct lattice_path_target *target)
{
	uint32_t columns = search->order->column_count;
	uint32_t first = target->at < target->level ? target->run[target->at] : target->column;

	if (first < columns && step_back_by(search, before, target, first))
		return;
	for (uint32_t c = 0; c < columns; c++) {
		if (c != first && step_back_by(search, before, target, c))
			return;
	}
	assert(!"a cut of a level has a predecessor in the level before");
}

/* ---- forwards -------------------------------------------------------------------------------------- */

typedef VEC(struct lattice_path_kept) kept_list;

static void keep_level(const struct level_walk *walk, kept_list *list)
{
	struct lattice_path_kept *kept = vec_push(list);

	level_copy(&kept->level, &walk->level);
	kept->layout = level_layout_share(walk->layout);
}

static void forget(struct lattice_path_kept *kept)
{
	level_free_copy(&kept->level);
	level_layout_drop(kept->layout);
}

static uint64_t bytes_of(const struct lattice_path_kept *kept)
{
	return kept->level.count * level_cut_bytes(&kept->level.shape);
}

static uint64_t halve(kept_list *list)
{
	uint64_t bytes = 0;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (i % 2) {
			forget(&list->items[i]);
			continue;
		}
		bytes += bytes_of(&list->items[i]);
		list->items[count++] = list->items[i];
	}
	list->count = count;
	return bytes;
}

/* Walks from a level up to `until` and keeps every so-manieth level; says which. */
static uint64_t keep_levels(struct lattice_path_search *search,
			    const struct lattice_path_kept *from, uint64_t until,
			    const uint32_t *ends, kept_list *list)
{
	const struct level_walk *model = search->model;
	struct level_walk walk = { .order = model->order,
				   .sets = model->sets,
				   .pool = model->pool,
				   .crew = model->crew,
				   .ends = ends,
				   .observed = model->planned ? model->observed : NULL,
				   .planned = model->planned,
				   .narrowest = model->narrowest };
	uint64_t stride = 1, bytes, first;

	if (from)
		level_walk_resume(&walk, &from->level, from->layout);
	else
		level_walk_begin(&walk);
	first = walk.level.number;
	keep_level(&walk, list);
	bytes = bytes_of(&list->items[0]);
	while (walk.level.number < until) {
		if (!level_walk_next(&walk))
			break;
		if ((walk.level.number - first) % stride)
			continue;
		keep_level(&walk, list);
		bytes += bytes_of(&list->items[list->count - 1]);
		/* one gap less than all of it, or the gaps would never end */
		while (bytes > search->memory && stride * 2 < until - first) {
			bytes = halve(list);
			stride *= 2;
		}
	}
	assert(walk.level.number == until);
	level_walk_end(&walk);
	return stride;
}

/* Targets that stand above `from`, up to `until`, come down to it. */
static void come_down(struct lattice_path_search *search, const struct lattice_path_kept *from,
		      uint64_t until);

static void come_down_gaps(struct lattice_path_search *search, kept_list *list, uint64_t stride,
			   uint64_t until)
{
	for (size_t i = list->count; i--;) {
		uint64_t above = list->items[i].level.number + stride;

		come_down(search, &list->items[i], above < until ? above : until);
		forget(&list->items[i]);
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

static void come_down(struct lattice_path_search *search, const struct lattice_path_kept *from,
		      uint64_t until)
{
	uint64_t start = from ? from->level.number : 0, stride;
	uint32_t *ends = mem_alloc(search->order->column_count * sizeof *ends);
	kept_list list = { 0 };

	if (!find_ends(search, start, until, ends)) {
		free(ends);
		return;
	}
	stride = keep_levels(search, from, until, search->model->planned ? search->full : ends,
			     &list);
	free(ends);
	if (stride > 1) {
		come_down_gaps(search, &list, stride, until);
		return;
	}
	for (size_t i = list.count; i--;) {
		for (size_t t = 0; t < search->count; t++) {
			struct lattice_path_target *target = &search->targets[t];

			if (target->at != list.items[i].level.number)
				continue;
			if (!target->begun)
				begin(search, &list.items[i], target);
			if (i)
				step_back(search, &list.items[i - 1], target);
		}
		forget(&list.items[i]);
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
		come_down(&search, NULL, highest);
	free(search.full);
	vec_free(&search.states);
	vec_free(&search.next);
}

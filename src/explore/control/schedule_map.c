/*
 * Looks up the steps of a schedule in the recording of another build. An index maps (thread, step
 * name, occurrence) to a step, both with and without the name of the object. Steps that are not
 * found keep their distance to the nearest step that is found.
 */
#include "explore/control/schedule_map.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "explore/control/step_name.h"
#include "trace/sites.h"

#include <string.h>

static void add_steps(struct schedule_map *map, const struct schedule_step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		*vec_push(&map->steps) = (struct mapped_step){ &steps[i], steps[i].step, 0, false };
}

void schedule_map_open(struct schedule_map *map, const struct schedule *s)
{
	*map = (struct schedule_map){ 0 };
	add_steps(map, s->slices.items, s->slices.count);
	map->stops = map->steps.count;
	add_steps(map, s->stops.items, s->stops.count);
	map->ends = map->steps.count;
	add_steps(map, s->ends.items, s->ends.count);
	map->choices = map->steps.count;
	for (size_t i = 0; i < s->choices.count; i++)
		add_steps(map, &s->choices.items[i].at, 1);
}

void schedule_map_close(struct schedule_map *map)
{
	vec_free(&map->steps);
}

/* ---- index of a recording -------------------------------------------------------------------- */

static uint64_t hash_step(uint32_t thread, const char *name, uint64_t occurrence)
{
	return hash_mix(hash_bytes(HASH_FNV_START ^ thread, name, strlen(name)), occurrence);
}

/*
 * As hash_step(), but without the object, which is the second of the three words of a name: a build
 * may not know the object's name (-O1 may have none where -O0 has "forks[]").
 */
static uint64_t hash_step_without_object(uint32_t thread, const char *name)
{
	size_t operation = strcspn(name, " ");
	const char *place = strrchr(name, ' ');
	uint64_t hash = hash_bytes(~HASH_FNV_START ^ thread, name, operation);

	return place ? hash_bytes(hash, place, strlen(place)) : hash;
}

struct schedule_map_index {
	struct map steps;      /* from the hash to step + 1 */
	struct map sites;      /* from the hash to the site */
	struct map sites_seen; /* from the hash without object to the number of such steps so far */
};

static void index_hash(struct schedule_map_index *index, uint64_t hash, uint64_t step,
		       uint64_t site)
{
	*map_put(&index->steps, hash, NULL) = step + 1;
	*map_put(&index->sites, hash, NULL) = site;
}

static void index_step(struct schedule_map_index *index, const struct step_cursor *walk,
		       const char *name, uint32_t thread)
{
	uint64_t site = trace_event_site(walk->names->trace, &walk->event);
	uint64_t place = hash_step_without_object(thread, name);
	uint64_t nth = ++*map_put(&index->sites_seen, place, NULL);

	index_hash(index, hash_step(thread, name, walk->occurrence), walk->step, site);
	index_hash(index, hash_mix(place, nth), walk->step, site);
}

static void index_recording(struct schedule_map_index *index, const struct trace *trace)
{
	struct step_names names;

	*index = (struct schedule_map_index){ 0 };
	step_names_open(&names, trace);
	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		uint32_t thread = trace_stream(trace, i)->number;
		struct step_cursor walk;

		if (thread >= CONTROL_THREADS || trace_stream(trace, i)->host != TRACE_NONE)
			continue;
		step_cursor_open(&walk, &names, thread);
		while (step_cursor_next(&walk))
			index_step(index, &walk, step_names_text(&names, walk.name), thread);
		step_cursor_close(&walk);
	}
	step_names_close(&names);
}

static void free_index(struct schedule_map_index *index)
{
	map_free(&index->steps);
	map_free(&index->sites);
	map_free(&index->sites_seen);
}

static bool find_step_in_index(const struct schedule_map_index *index,
			       const struct schedule_step *step, uint32_t *out, uint64_t *site)
{
	const uint64_t *found;
	uint64_t hash;

	if (!step->name)
		return false;
	hash = hash_step(step->thread, step->name, step->occurrence);
	found = map_get(&index->steps, hash);
	if (!found) {
		hash = hash_mix(hash_step_without_object(step->thread, step->name),
				step->occurrence);
		found = map_get(&index->steps, hash);
	}
	if (!found)
		return false;
	*out = (uint32_t)(*found - 1);
	if (site)
		*site = *map_get(&index->sites, hash);
	return true;
}

/* ---- looking up the steps of a schedule ------------------------------------------------------ */

SORT_COMPARISON(by_thread_and_step, __typeof__(struct mapped_step *), a, b,
		sort_order((*a)->step->thread, (*b)->step->thread)
			?: sort_order((*a)->step->step, (*b)->step->step))

/* Returns the step of this build that is as far from `other` as in the schedule. */
static uint32_t step_at_same_distance(const struct mapped_step *spot,
				      const struct mapped_step *other)
{
	int64_t at = (int64_t)other->at + spot->step->step - other->step->step;

	return at > 0 ? (uint32_t)at : 0;
}

static uint32_t distance(const struct mapped_step *a, const struct mapped_step *b)
{
	return a->step->step > b->step->step ? a->step->step - b->step->step
					     : b->step->step - a->step->step;
}

/*
 * Estimates the steps that have no name or that were not found: each keeps its distance to the
 * nearest known step of its thread. `sorted` is by thread and step.
 */
static void estimate_unknown_steps(struct mapped_step **sorted, size_t count)
{
	const struct mapped_step **before = mem_alloc(count * sizeof *before + 1);
	const struct mapped_step *known = NULL;

	for (size_t i = 0; i < count; i++) {
		if (known && known->step->thread != sorted[i]->step->thread)
			known = NULL;
		before[i] = known;
		known = sorted[i]->known ? sorted[i] : known;
	}
	known = NULL;
	for (size_t i = count; i-- > 0;) {
		const struct mapped_step *near = before[i];

		if (known && known->step->thread != sorted[i]->step->thread)
			known = NULL;
		if (known && (!near || distance(sorted[i], known) <= distance(sorted[i], near)))
			near = known;
		if (sorted[i]->known)
			known = sorted[i];
		else if (near)
			sorted[i]->at = step_at_same_distance(sorted[i], near);
	}
	free(before);
}

bool schedule_map_update(struct schedule_map *map, const struct trace *recording)
{
	size_t count = map->steps.count;
	struct mapped_step **sorted = mem_alloc(count * sizeof *sorted + 1);
	uint32_t *was = mem_alloc(count * sizeof *was + 1);
	struct schedule_map_index index;
	bool changed = false;

	index_recording(&index, recording);
	for (size_t i = 0; i < count; i++) {
		struct mapped_step *spot = &map->steps.items[i];

		was[i] = spot->at;
		sorted[i] = spot;
		spot->known = find_step_in_index(&index, spot->step, &spot->at, &spot->site);
	}
	free_index(&index);
	sort_items(sorted, count, sizeof *sorted, by_thread_and_step);
	estimate_unknown_steps(sorted, count);
	for (size_t i = 0; i < count; i++)
		changed |= was[i] != map->steps.items[i].at;
	free(sorted);
	free(was);
	return changed;
}

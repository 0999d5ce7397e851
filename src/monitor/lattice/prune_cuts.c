/* Keeps the most useful cuts of a level that has too many. */
#include "monitor/lattice/level_walk.h"

#include "base/mem.h"

#include <string.h>

struct prune_choice {
	struct level_walk *walk;
	uint8_t *kept; /* by index in the level */
	uint64_t left;
	/*
	 * by payload: 0 if a kept cut has it, 1 if has_new_state() has seen it and did not keep it
	 */
	struct map payloads;
	VEC(bool) states; /* by state: a kept cut has it */
	machine_states scratch;
};

typedef bool (*keep_test)(struct prune_choice *choice, uint64_t payload);

/* Keeps the cuts that are `wanted`, as long as more may be kept. */
static void keep_if(struct prune_choice *choice, keep_test wanted)
{
	const struct level *level = &choice->walk->level;
	uint64_t index = 0;

	for (size_t i = 0; i < level->chunks.count && choice->left; i++) {
		const struct level_chunk *chunk = level->chunks.items[i];

		for (uint32_t j = 0; j < chunk->count && choice->left; j++, index++) {
			uint64_t payload = level_get_payload(&level->shape, chunk, j);

			if (choice->kept[index] || !wanted(choice, payload))
				continue;
			choice->kept[index] = 1;
			choice->left--;
		}
	}
}

/* Does the payload have a state that no kept cut has? If so, all its states count as kept. */
static bool has_new_state(struct prune_choice *choice, uint64_t payload)
{
	bool is_new, news = false;

	map_put(&choice->payloads, payload, &is_new);
	if (!is_new)
		return false;
	choice->scratch.count = 0;
	state_sets_list_states(choice->walk->sets, payload, &choice->scratch);
	for (size_t i = 0; i < choice->scratch.count; i++) {
		uint32_t state = choice->scratch.items[i];

		while (choice->states.count <= state)
			*vec_push(&choice->states) = false;
		news |= !choice->states.items[state];
		choice->states.items[state] = true;
	}
	/* is_new_set() decides later whether to keep it */
	if (!news)
		*map_get(&choice->payloads, payload) = 1;
	return news;
}

/* Is there no kept cut with this set of states? */
static bool is_new_set(struct prune_choice *choice, uint64_t payload)
{
	bool is_new;
	uint64_t *passed = map_put(&choice->payloads, payload, &is_new);
	bool news = is_new || *passed;

	*passed = 0;
	return news;
}

static void keep_observed(struct prune_choice *choice)
{
	const struct level_walk *walk = choice->walk;
	const struct level *level = &walk->level;
	uint64_t index = 0;
	uint32_t at;

	for (size_t i = 0; walk->observed && i < level->chunks.count; i++) {
		struct level_chunk *chunk = level->chunks.items[i];
		struct level one = { .shape = level->shape, .count = chunk->count };

		one.chunks.items = &chunk;
		one.chunks.count = 1;
		if (level_find_cut(walk->layout, &one, walk->observed_cut, &at)) {
			choice->kept[index + at] = 1;
			choice->left--;
			has_new_state(choice, level_get_payload(&level->shape, chunk, at));
			*map_put(&choice->payloads, level_get_payload(&level->shape, chunk, at),
				 NULL) = 0;
			return;
		}
		index += chunk->count;
	}
}

/* Keeps as many further cuts as possible, at even distances among those not kept yet. */
static void keep_evenly(struct prune_choice *choice)
{
	uint64_t count = choice->walk->level.count, other = 0, seen = 0, taken = 0;

	for (uint64_t i = 0; i < count; i++)
		other += !choice->kept[i];
	for (uint64_t i = 0; i < count && choice->left; i++) {
		if (choice->kept[i])
			continue;
		seen++;
		if ((__uint128_t)seen * choice->left / other > taken) {
			choice->kept[i] = 1;
			taken++;
		}
	}
}

static void drop_others(struct level_walk *walk, const uint8_t *kept)
{
	struct level old = walk->level, *new = &walk->level;
	const struct level_shape *shape = &old.shape;
	uint64_t index = 0;

	*new = (struct level){ .shape = *shape, .number = old.number };
	for (size_t i = 0; i < old.chunks.count; i++) {
		const struct level_chunk *chunk = old.chunks.items[i];

		for (uint32_t j = 0; j < chunk->count; j++) {
			if (kept[index++])
				memcpy(level_append_copy(walk->pool, new, chunk, j),
				       &chunk->keys[(size_t)j * shape->words], shape->words * 8ul);
		}
	}
	level_clear(walk->pool, &old);
}

void prune_cuts(struct level_walk *walk, uint64_t most)
{
	struct prune_choice choice = { .walk = walk, .left = most };

	choice.kept = mem_zalloc(walk->level.count, 1);
	keep_observed(&choice);
	keep_if(&choice, has_new_state);
	keep_if(&choice, is_new_set);
	if (choice.left)
		keep_evenly(&choice);
	walk->dropped += walk->level.count - most;
	drop_others(walk, choice.kept);
	free(choice.kept);
	map_free(&choice.payloads);
	vec_free(&choice.states);
	vec_free(&choice.scratch);
}

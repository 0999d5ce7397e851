#include "monitor/lattice/prune_cuts.h"

#include "base/mem.h"

#include <string.h>

struct prune_cuts_choice {
	struct level_walk *walk;
	uint8_t *kept; /* by place in the level */
	uint64_t left;
	struct map payloads; /* of kept cuts */
	VEC(bool) states;    /* that a kept cut has; by number */
	machine_states scratch;
};

typedef bool (*wish)(struct prune_cuts_choice *choice, uint64_t payload);

/* Goes through the level as long as something may be kept. */
static void keep_if(struct prune_cuts_choice *choice, wish wanted)
{
	const struct level *level = &choice->walk->level;
	uint64_t place = 0;

	for (size_t i = 0; i < level->chunks.count && choice->left; i++) {
		const struct level_chunk *chunk = level->chunks.items[i];

		for (uint32_t j = 0; j < chunk->count && choice->left; j++, place++) {
			uint64_t payload = level_get_payload(&level->shape, chunk, j);

			if (choice->kept[place] || !wanted(choice, payload))
				continue;
			choice->kept[place] = 1;
			choice->left--;
		}
	}
}

/* True if one of its states is new; then all of them are known from now on. */
static bool has_new_state(struct prune_cuts_choice *choice, uint64_t payload)
{
	bool fresh, news = false;

	map_put(&choice->payloads, payload, &fresh);
	if (!fresh)
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
	/* its turn comes with the sets that are new */
	if (!news)
		*map_get(&choice->payloads, payload) = 1;
	return news;
}

/* Sets that has_new_state passed over have 1 in the map. */
static bool is_new_set(struct prune_cuts_choice *choice, uint64_t payload)
{
	bool fresh;
	uint64_t *passed = map_put(&choice->payloads, payload, &fresh);
	bool news = fresh || *passed;

	*passed = 0;
	return news;
}

static void keep_observed(struct prune_cuts_choice *choice)
{
	const struct level_walk *walk = choice->walk;
	const struct level *level = &walk->level;
	uint64_t place = 0;
	uint32_t at;

	for (size_t i = 0; walk->observed && i < level->chunks.count; i++) {
		struct level_chunk *chunk = level->chunks.items[i];
		struct level one = { .shape = level->shape, .count = chunk->count };

		one.chunks.items = &chunk;
		one.chunks.count = 1;
		if (level_find_cut(walk->layout, &one, walk->observed_cut, &at)) {
			choice->kept[place + at] = 1;
			choice->left--;
			has_new_state(choice, level_get_payload(&level->shape, chunk, at));
			*map_put(&choice->payloads, level_get_payload(&level->shape, chunk, at),
				 NULL) = 0;
			return;
		}
		place += chunk->count;
	}
}

/* Of those that are not kept yet, one in so many. */
static void keep_evenly(struct prune_cuts_choice *choice)
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
	uint64_t place = 0;

	*new = (struct level){ .shape = *shape, .number = old.number };
	for (size_t i = 0; i < old.chunks.count; i++) {
		const struct level_chunk *chunk = old.chunks.items[i];

		for (uint32_t j = 0; j < chunk->count; j++) {
			struct level_chunk *into;
			uint32_t at;

			if (!kept[place++])
				continue;
			at = level_append(walk->pool, new);
			into = new->chunks.items[new->chunks.count - 1];
			memcpy(&into->keys[(size_t)at * shape->words],
			       &chunk->keys[(size_t)j * shape->words], shape->words * 8ul);
			memcpy(&into->counts[(size_t)at * shape->limbs],
			       &chunk->counts[(size_t)j * shape->limbs], shape->limbs * 8ul);
			level_set_payload(shape, into, at, level_get_payload(shape, chunk, j));
		}
	}
	level_clear(walk->pool, &old);
}

void prune_cuts_cut(struct level_walk *walk, uint64_t most)
{
	struct prune_cuts_choice choice = { .walk = walk, .left = most };

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

#include "monitor/lattice/count_violating.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* For each cut of a level: sets of states, ascending, and how many runs are in them. */
struct tally {
	uint32_t limbs;
	VEC(size_t) first; /* by cut; and one behind the last */
	VEC(uint32_t) sets;
	VEC(uint64_t) counts; /* limbs for each */
	uint64_t top;
};

struct counting {
	struct level_walk walk;
	struct state_sets *sets;
	struct state_sets_memory memory;
	struct tally now, next;
	uint32_t *cursors; /* by lane: place in the level before */
	uint64_t *wanted;  /* scratch: a key */
};

static void empty(struct tally *tally)
{
	tally->first.count = tally->sets.count = tally->counts.count = 0;
	tally->top = 0;
}

static void drop(struct tally *tally)
{
	vec_free(&tally->first);
	vec_free(&tally->sets);
	vec_free(&tally->counts);
}

/* Adds to the last cut of the tally. Few sets meet in a cut, so they are looked through. */
static void add(struct tally *tally, uint32_t set, const uint64_t *count, uint32_t limbs)
{
	size_t at = tally->first.items[tally->first.count - 1];

	while (at < tally->sets.count && tally->sets.items[at] != set)
		at++;
	if (at == tally->sets.count) {
		*vec_push(&tally->sets) = set;
		memset(vec_reserve(&tally->counts, tally->limbs), 0, tally->limbs * 8ul);
		tally->counts.count += tally->limbs;
	}
	level_add_count(&tally->counts.items[at * tally->limbs], tally->limbs, count, limbs);
	tally->top |= tally->counts.items[(at + 1) * tally->limbs - 1];
}

static int compare(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++) {
		if (a[w] != b[w])
			return a[w] < b[w] ? -1 : 1;
	}
	return 0;
}

static bool may_follow(const struct counting *counting, const uint64_t *key,
		       const struct level_lane *lane, uint32_t beyond)
{
	const struct level_layout *layout = counting->walk.layout;

	for (uint32_t w = 0; w < layout->words; w++) {
		uint64_t guards = layout->guards[w];
		uint64_t need = lane->needs[(size_t)beyond * layout->words + w];

		if ((((key[w] | guards) - need) & guards) != guards)
			return false;
	}
	return !lane->guarded || !lane->guarded[beyond] ||
	       !level_is_blocked(counting->walk.order, layout, key, lane, beyond);
}

/* What comes to the cut by a lane: cursors only go forwards, as the cuts do. */
static void take_lane(struct counting *counting, const struct level_chunk *before, uint32_t number,
		      const uint64_t *key)
{
	const struct level_layout *layout = counting->walk.layout;
	const struct level_lane *lane = &layout->lanes[number];
	uint32_t words = layout->words, *at = &counting->cursors[number], beyond;
	const struct tally *now = &counting->now;

	if (!(key[lane->word] >> lane->shift & lane->mask))
		return;
	memcpy(counting->wanted, key, words * sizeof *key);
	counting->wanted[lane->word] -= lane->step;
	while (*at < before->count &&
	       compare(&before->keys[(size_t)*at * words], counting->wanted, words) < 0)
		++*at;
	if (*at == before->count ||
	    compare(&before->keys[(size_t)*at * words], counting->wanted, words))
		return;
	beyond = counting->wanted[lane->word] >> lane->shift & lane->mask;
	if (!may_follow(counting, counting->wanted, lane, beyond))
		return;
	for (size_t i = now->first.items[*at]; i < now->first.items[*at + 1]; i++) {
		const struct lattice_column *column = &counting->walk.order->columns[lane->column];
		uint32_t letter = column->events[lane->base + beyond].letter;

		add(&counting->next,
		    state_sets_step_shared(counting->sets, &counting->memory, now->sets.items[i],
					   letter),
		    &now->counts.items[i * now->limbs], now->limbs);
	}
}

static void count_level(struct counting *counting, const struct level *before)
{
	const struct level *level = &counting->walk.level;
	const struct level_layout *layout = counting->walk.layout;
	unsigned bits = counting->now.top ? 64 - __builtin_clzll(counting->now.top) : 0;
	struct tally old;

	bits += 32 - __builtin_clz(layout->lane_count | 1);
	empty(&counting->next);
	counting->next.limbs = counting->now.limbs + (bits > 64);
	counting->cursors =
		mem_resize(counting->cursors, layout->lane_count, sizeof *counting->cursors);
	memset(counting->cursors, 0, layout->lane_count * sizeof *counting->cursors);
	counting->wanted = mem_resize(counting->wanted, layout->words, sizeof(uint64_t));
	for (size_t i = 0; i < level->chunks.count; i++) {
		const struct level_chunk *chunk = level->chunks.items[i];

		for (uint32_t j = 0; j < chunk->count; j++) {
			*vec_push(&counting->next.first) = counting->next.sets.count;
			for (uint32_t t = 0; t < layout->lane_count; t++)
				take_lane(counting, before->chunks.items[0], t,
					  &chunk->keys[(size_t)j * layout->words]);
		}
	}
	*vec_push(&counting->next.first) = counting->next.sets.count;
	old = counting->now;
	counting->now = counting->next;
	counting->next = old;
}

/* At the cut of everything. */
static void sum_up(struct counting *counting, bool ended, struct lattice_count *by_machine,
		   struct lattice_count *any)
{
	struct state_sets *sets = counting->sets;
	const struct tally *now = &counting->now;
	machine_states states = { 0 };
	bool *counted = mem_alloc(sets->machine_count);

	for (size_t i = 0; i < now->sets.count; i++) {
		struct lattice_count count = { &counting->now.counts.items[i * now->limbs],
					       now->limbs };
		bool some = false;

		memset(counted, 0, sets->machine_count);
		states.count = 0;
		state_sets_list_states(sets, now->sets.items[i], &states);
		for (size_t s = 0; s < states.count; s++) {
			const struct state_sets_state *state = &sets->states.items[states.items[s]];

			if (counted[state->machine] ||
			    !(state->bad || (ended && state->bad_at_end)))
				continue;
			counted[state->machine] = some = true;
			lattice_count_add(&by_machine[state->machine], &count);
		}
		if (some)
			lattice_count_add(any, &count);
	}
	free(counted);
	vec_free(&states);
}

bool count_violating_runs(const struct level_walk *model, struct state_sets *sets, bool ended,
			  uint64_t memory, struct lattice_count *by_machine,
			  struct lattice_count *any)
{
	struct counting counting = { .walk = { .order = model->order,
					       .sets = model->sets,
					       .pool = model->pool,
					       .crew = model->crew,
					       .ends = model->ends,
					       .observed = model->observed,
					       .planned = model->planned,
					       .narrowest = model->narrowest },
				     .sets = sets };
	struct level_walk *walk = &counting.walk;
	uint64_t one = 1;
	bool good = true;

	state_sets_memory_init(&counting.memory);
	level_walk_begin(walk);
	counting.now.limbs = 1;
	*vec_push(&counting.now.first) = 0;
	add(&counting.now, sets->initial, &one, 1);
	*vec_push(&counting.now.first) = counting.now.sets.count;
	while (good && walk->level.number < walk->order->event_count) {
		struct level before;

		level_walk_prepare(walk);
		level_copy(&before, &walk->level);
		good = level_walk_next(walk);
		if (good)
			count_level(&counting, &before);
		level_free_copy(&before);
		good = good && !sets->failed &&
		       !(memory && 2 * counting.now.counts.count * 8 > memory);
	}
	if (good)
		sum_up(&counting, ended, by_machine, any);
	level_walk_end(walk);
	state_sets_memory_free(&counting.memory);
	drop(&counting.now);
	drop(&counting.next);
	free(counting.cursors);
	free(counting.wanted);
	return good;
}

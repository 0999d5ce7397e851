/*
 * Counts violating runs (count_violating.h): walks the lattice again and keeps, for each cut of two
 * adjacent levels, the sets of monitor states with their number of runs.
 */
#include "monitor/lattice/count_violating.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* For each cut of a level: the sets of states and the number of runs in each. */
struct run_tally {
	uint32_t limbs;
	VEC(size_t) first; /* by cut: index in `sets` of its first set; one extra entry */
	VEC(uint32_t) sets;
	VEC(uint64_t) counts; /* `limbs` words for each set */
	uint64_t top;
};

struct violating_count {
	struct level_walk walk;
	struct state_sets *sets;
	struct state_sets_cache cache;
	struct run_tally now, next;
	uint32_t *cursors; /* by field: index of a cut in the previous level */
	uint64_t *wanted;  /* scratch: a key */
};

static void clear_tally(struct run_tally *tally)
{
	tally->first.count = tally->sets.count = tally->counts.count = 0;
	tally->top = 0;
}

static void free_tally(struct run_tally *tally)
{
	vec_free(&tally->first);
	vec_free(&tally->sets);
	vec_free(&tally->counts);
}

/* Adds a count to the tally's last cut. A cut has few sets, so a linear search will do. */
static void add_runs(struct run_tally *tally, uint32_t set, const uint64_t *count, uint32_t limbs)
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

/*
 * Adds the runs that reach the cut by a step of one column. The cuts come in ascending order, so
 * the cursors only move forward.
 */
static void add_runs_by_column(struct violating_count *counting, const struct level_chunk *before,
			       uint32_t number, const uint64_t *key)
{
	const struct level_layout *layout = counting->walk.layout;
	const struct level_field *field = &layout->fields[number];
	uint32_t words = layout->words, *at = &counting->cursors[number], beyond;
	const struct run_tally *now = &counting->now;

	if (!(key[field->word] >> field->shift & field->mask))
		return;
	memcpy(counting->wanted, key, words * sizeof *key);
	counting->wanted[field->word] -= field->step;
	while (*at < before->count &&
	       level_compare_keys(&before->keys[(size_t)*at * words], counting->wanted, words) < 0)
		++*at;
	if (*at == before->count ||
	    level_compare_keys(&before->keys[(size_t)*at * words], counting->wanted, words))
		return;
	beyond = counting->wanted[field->word] >> field->shift & field->mask;
	if (!level_may_follow(counting->walk.order, layout, counting->wanted, field, beyond, words))
		return;
	for (size_t i = now->first.items[*at]; i < now->first.items[*at + 1]; i++) {
		const struct lattice_column *column = &counting->walk.order->columns[field->column];
		uint32_t symbol = column->events[field->base + beyond].symbol;

		add_runs(&counting->next,
			 state_sets_step_shared(counting->sets, &counting->cache,
						now->sets.items[i], symbol),
			 &now->counts.items[i * now->limbs], now->limbs);
	}
}

static void count_next_level(struct violating_count *counting, const struct level *before)
{
	const struct level *level = &counting->walk.level;
	const struct level_layout *layout = counting->walk.layout;
	unsigned bits = level_bits_for(counting->now.top);
	struct run_tally old;

	bits += level_bits_for(layout->field_count | 1);
	clear_tally(&counting->next);
	counting->next.limbs = counting->now.limbs + (bits > 64);
	counting->cursors =
		mem_resize(counting->cursors, layout->field_count, sizeof *counting->cursors);
	memset(counting->cursors, 0, layout->field_count * sizeof *counting->cursors);
	counting->wanted = mem_resize(counting->wanted, layout->words, sizeof(uint64_t));
	for (size_t i = 0; i < level->chunks.count; i++) {
		const struct level_chunk *chunk = level->chunks.items[i];

		for (uint32_t j = 0; j < chunk->count; j++) {
			*vec_push(&counting->next.first) = counting->next.sets.count;
			for (uint32_t t = 0; t < layout->field_count; t++)
				add_runs_by_column(counting, before->chunks.items[0], t,
						   &chunk->keys[(size_t)j * layout->words]);
		}
	}
	*vec_push(&counting->next.first) = counting->next.sets.count;
	old = counting->now;
	counting->now = counting->next;
	counting->next = old;
}

/* Adds up the violating runs in the cut that contains all events. */
static void add_violating_runs(struct violating_count *counting, bool ended,
			       struct lattice_count *by_machine, struct lattice_count *any)
{
	struct state_sets *sets = counting->sets;
	const struct run_tally *now = &counting->now;
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
	struct violating_count counting = { .walk = { .order = model->order,
						      .sets = model->sets,
						      .pool = model->pool,
						      .threads = model->threads,
						      .ends = model->ends,
						      .observed = model->observed,
						      .planned = model->planned,
						      .narrowest = model->narrowest },
					    .sets = sets };
	struct level_walk *walk = &counting.walk;
	uint64_t one = 1;
	bool good = true;

	state_sets_cache_init(&counting.cache);
	level_walk_begin(walk);
	counting.now.limbs = 1;
	*vec_push(&counting.now.first) = 0;
	add_runs(&counting.now, sets->initial, &one, 1);
	*vec_push(&counting.now.first) = counting.now.sets.count;
	while (good && walk->level.number < walk->order->event_count) {
		struct level before;

		level_walk_prepare(walk);
		level_copy(&before, &walk->level);
		good = level_walk_next(walk);
		if (good)
			count_next_level(&counting, &before);
		level_free_copy(&before);
		good = good && !sets->failed &&
		       !(memory && 2 * counting.now.counts.count * 8 > memory);
	}
	if (good)
		add_violating_runs(&counting, ended, by_machine, any);
	level_walk_end(walk);
	state_sets_cache_free(&counting.cache);
	free_tally(&counting.now);
	free_tally(&counting.next);
	free(counting.cursors);
	free(counting.wanted);
	return good;
}

/*
 * Advances a walk from level to level: changes the layout when it runs out, splits the merge among
 * threads, and limits the number of cuts by breadth, effort and memory.
 */
#include "monitor/lattice/level_walk.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* One thread merges a level with fewer cuts before a second thread has woken up. */
#define LEAST_SHARED 16384u

/* ---- starting -------------------------------------------------------------------------------- */

static void init_workers(struct level_walk *walk)
{
	uint32_t jobs = level_workers_jobs(walk->threads);

	walk->worker_count = jobs;
	walk->workers = mem_zalloc(jobs, sizeof *walk->workers);
	for (uint32_t i = 0; i < jobs; i++)
		level_worker_init(&walk->workers[i]);
	walk->observed_cut = mem_zalloc(walk->order->column_count, sizeof *walk->observed_cut);
}

static void add_level_totals(struct level_walk *walk)
{
	*vec_push(&walk->kept) = walk->level.count;
	walk->cuts += walk->level.count;
	if (walk->level.count > walk->widest)
		walk->widest = walk->level.count;
}

struct level_walk level_walk_like(const struct level_walk *model)
{
	return (struct level_walk){ .order = model->order,
				    .sets = model->sets,
				    .pool = model->pool,
				    .threads = model->threads,
				    .ends = model->ends,
				    .observed = model->observed,
				    .planned = model->planned,
				    .narrowest = model->narrowest };
}

void level_walk_begin(struct level_walk *walk)
{
	uint32_t columns = walk->order->column_count;
	struct level_range range = { mem_zalloc(columns, sizeof(uint32_t)),
				     mem_zalloc(columns, sizeof(uint32_t)) };
	struct level_chunk *chunk;

	init_workers(walk);
	walk->layout = level_layout_new(walk->order, walk->ends, 0, &range, walk->narrowest);
	walk->level.shape =
		(struct level_shape){ walk->layout->words, state_sets_payload_size(walk->sets),
				      walk->count };
	level_append(walk->pool, &walk->level);
	chunk = walk->level.chunks.items[0];
	memset(chunk->keys, 0, walk->layout->words * sizeof *chunk->keys);
	level_set_payload(
		&walk->level.shape, chunk, 0,
		state_sets_clean(walk->sets, &walk->workers[0].cache, walk->sets->initial));
	if (walk->count)
		chunk->counts[0] = 1;
	walk->top_bits = 1;
	add_level_totals(walk);
	free(range.low);
	free(range.high);
}

static void repack_level(struct level_walk *walk, const struct level *level,
			 const struct level_layout *layout)
{
	uint32_t columns = walk->order->column_count;
	struct level_range range = { mem_alloc(columns * sizeof(uint32_t)),
				     mem_alloc(columns * sizeof(uint32_t)) };
	bool some = level_find_range(layout, level, walk->ends, &range);
	struct level_layout *fresh;
	struct level out;

	assert(some);
	fresh = level_layout_new(walk->order, walk->ends, level->number, &range, walk->narrowest);
	level_repack(walk->pool, layout, level, fresh, walk->ends, &out);
	walk->layout = fresh;
	walk->level = out;
	free(range.low);
	free(range.high);
}

void level_walk_resume(struct level_walk *walk, const struct level *level,
		       const struct level_layout *layout)
{
	assert(!walk->count);
	init_workers(walk);
	for (uint64_t i = 0; walk->observed && i < level->number; i++)
		walk->observed_cut[walk->observed[i]]++;
	repack_level(walk, level, layout);
	add_level_totals(walk);
}

/* ---- the next level -------------------------------------------------------------------------- */

struct merge_ranges {
	struct level_merge *merge;
	struct level_worker *workers;
	const uint64_t **bounds; /* keys between adjacent ranges */
	unsigned ranges;
};

static void merge_one_range(void *context, unsigned job)
{
	const struct merge_ranges *merge_ranges = context;

	if (job < merge_ranges->ranges)
		level_merge_range(merge_ranges->merge, &merge_ranges->workers[job],
				  job ? merge_ranges->bounds[job - 1] : NULL,
				  job + 1 < merge_ranges->ranges ? merge_ranges->bounds[job]
								 : NULL);
}

/*
 * Copies the key of the cut at an index. As bounds of ranges, such keys split the work evenly,
 * because successive levels resemble each other.
 */
static void copy_key_at(const struct level *level, uint64_t index, uint64_t *key)
{
	for (size_t i = 0; i < level->chunks.count; i++) {
		const struct level_chunk *chunk = level->chunks.items[i];

		if (index < chunk->count) {
			memcpy(key, &chunk->keys[index * level->shape.words],
			       level->shape.words * sizeof *key);
			return;
		}
		index -= chunk->count;
	}
	assert(!"the place is in the level");
}

static void merge_level(struct level_walk *walk, struct level_merge *merge)
{
	unsigned ranges = walk->level.count >= LEAST_SHARED ? walk->worker_count : 1;
	uint32_t words = merge->layout->words;
	uint64_t *keys = mem_alloc((size_t)ranges * words * sizeof *keys);
	const uint64_t **bounds = mem_alloc(ranges * sizeof *bounds);
	struct merge_ranges merge_ranges = { merge, walk->workers, bounds, ranges };

	for (unsigned i = 1; i < ranges; i++) {
		bounds[i - 1] = &keys[(size_t)i * words];
		copy_key_at(merge->from, merge->from->count * i / ranges, &keys[(size_t)i * words]);
	}
	for (size_t i = 0; i < merge->from->chunks.count; i++)
		merge->from->chunks.items[i]->readers = ranges;
	if (ranges > 1)
		level_workers_run(walk->threads, merge_one_range, &merge_ranges);
	else
		merge_one_range(&merge_ranges, 0);
	walk->level = (struct level){ .shape = merge->to, .number = merge->from->number + 1 };
	walk->top_bits = merge->to.limbs ? 64 * (merge->to.limbs - 1) : 0;
	for (unsigned i = 0; i < ranges; i++) {
		struct level_worker *worker = &walk->workers[i];
		unsigned bits = level_bits_for(worker->top);

		if (merge->to.limbs && 64 * (merge->to.limbs - 1) + bits > walk->top_bits)
			walk->top_bits = 64 * (merge->to.limbs - 1) + bits;
		for (size_t c = 0; c < worker->chunks.count; c++) {
			struct level_chunk *chunk = worker->chunks.items[c];

			if (chunk->count)
				*vec_push(&walk->level.chunks) = chunk;
			else
				level_give_chunk(walk->pool, chunk);
		}
		walk->level.count += worker->count;
	}
	free(keys);
	free(bounds);
}

/*
 * Returns the limbs that counts of the next level need. A cut has at most as many predecessors as
 * there are columns awake.
 */
static uint32_t limbs_of_next_level(struct level_walk *walk)
{
	uint64_t bits = walk->top_bits + level_bits_for(walk->layout->field_count | 1);
	uint32_t limbs = (bits + 63) / 64;

	if (!walk->count || walk->uncounted)
		return 0;
	if (limbs < walk->level.shape.limbs)
		limbs = walk->level.shape.limbs;
	if (walk->memory && walk->level.count * limbs * 16 > walk->memory / 2) {
		walk->uncounted = true;
		return 0;
	}
	return limbs;
}

/* The effort limit keeps at least this many cuts of a level. */
#define EFFORT_LEAST 100u

/*
 * Distributes the rest of the effort evenly over the levels to come. A successor costs a few
 * nanoseconds with keys of one word, and a hundred times that with wider ones.
 */
static uint64_t cuts_within_effort(struct level_walk *walk)
{
	uint64_t left = walk->order->event_count - walk->level.number + 1;
	uint64_t cost = (walk->level.shape.words == 1 ? 1u : 100u) *
			(uint64_t)(walk->order->column_count + 1);
	uint64_t fit =
		walk->spent < walk->effort ? (walk->effort - walk->spent) / (left * cost) : 0;

	fit = fit > EFFORT_LEAST ? fit : EFFORT_LEAST;
	walk->spent += cost * (walk->level.count < fit ? walk->level.count : fit);
	return fit;
}

/*
 * Returns how many cuts of the level may be kept. Memory must hold two levels and what a merge adds
 * to them: three levels.
 */
static uint64_t most_cuts_to_keep(struct level_walk *walk)
{
	uint64_t most = walk->breadth ? walk->breadth : UINT64_MAX;

	if (walk->planned)
		return walk->planned[walk->level.number];
	if (walk->effort) {
		uint64_t fit = cuts_within_effort(walk);

		if (fit < most && walk->level.count > fit) {
			walk->hurried = true;
			most = fit;
		}
	}
	if (walk->memory) {
		uint64_t fit = walk->memory / (3 * level_cut_bytes(&walk->level.shape));

		fit = fit ? fit : 1;
		if (fit < most && walk->level.count > fit) {
			walk->lowered = true;
			most = fit;
		}
	}
	return most;
}

void level_walk_prepare(struct level_walk *walk)
{
	struct level old = walk->level;
	struct level_layout *layout = walk->layout;

	if (old.number < layout->until)
		return;
	repack_level(walk, &old, layout);
	level_clear(walk->pool, &old);
	level_layout_drop(layout);
}

bool level_walk_next(struct level_walk *walk)
{
	struct level old;
	struct level_merge merge = { .order = walk->order,
				     .sets = walk->sets,
				     .pool = walk->pool,
				     .from = &old,
				     .find = walk->find,
				     .only = UINT32_MAX };
	uint64_t most, step = walk->level.number;

	if (!walk->level.count || step >= walk->order->event_count)
		return false;
	level_walk_prepare(walk);
	old = walk->level;
	if (walk->breadth == 1 && walk->observed)
		merge.only = walk->observed[step];
	merge.layout = walk->layout;
	merge.to = (struct level_shape){ walk->layout->words, old.shape.payload,
					 limbs_of_next_level(walk) };
	merge_level(walk, &merge);
	vec_free(&old.chunks);
	if (walk->observed)
		walk->observed_cut[walk->observed[step]]++;
	if (!walk->level.count)
		return false;
	most = most_cuts_to_keep(walk);
	if (walk->level.count > most)
		prune_cuts(walk, most);
	add_level_totals(walk);
	return true;
}

void level_walk_end(struct level_walk *walk)
{
	for (uint32_t i = 0; i < walk->worker_count; i++)
		level_worker_free(&walk->workers[i]);
	free(walk->workers);
	free(walk->observed_cut);
	vec_free(&walk->kept);
	level_clear(walk->pool, &walk->level);
	level_layout_drop(walk->layout);
}

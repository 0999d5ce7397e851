#include "monitor/lattice/level_key.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

/*
 * A layout serves this many levels if there are bits for it. Making one reads the events within reach and
 * the level; more levels would only make the tables of needs larger than caches.
 */
#define MOST_LEVELS 4096u
/* Fewer are made, in more words, only if nothing else is left: a wide key costs half the speed. */
#define LEAST_LEVELS 8u

/* ---- bits ------------------------------------------------------------------------------------------ */

static unsigned bits_for(uint64_t value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

/* Can the column move in a level below `until`? */
static bool is_awake(const struct lattice_order *order, const uint32_t *ends, uint32_t column,
		     const struct level_range *range, uint64_t until)
{
	uint32_t low = range->low[column];

	if (range->high[column] != low)
		return true;
	return low < ends[column] && order->columns[column].events[low].height < until;
}

static uint32_t reach_of(const uint32_t *ends, uint32_t column, const struct level_range *range,
			 uint64_t levels)
{
	uint64_t far = (uint64_t)range->high[column] + levels;

	return (far < ends[column] ? far : ends[column]) - range->low[column];
}

/* One more than the reach is said by needs that cannot be met. */
static unsigned field_bits(uint32_t reach)
{
	return bits_for((uint64_t)reach + 1) + 1;
}

/* The words that keys need for so many levels. */
static uint32_t words_for(const struct lattice_order *order, const uint32_t *ends, uint64_t level,
			  const struct level_range *range, uint64_t levels)
{
	uint32_t words = 1;
	unsigned used = 0;

	for (uint32_t c = 0; c < order->column_count; c++) {
		unsigned bits;

		if (!is_awake(order, ends, c, range, level + levels))
			continue;
		bits = field_bits(reach_of(ends, c, range, levels));
		if (used + bits > 64) {
			words++;
			used = 0;
		}
		used += bits;
	}
	return words;
}

/* As few words as do, then as many levels as fit. */
static uint64_t choose_levels(const struct lattice_order *order, const uint32_t *ends,
			      uint64_t level, const struct level_range *range, uint32_t *words)
{
	uint64_t levels = MOST_LEVELS;

	*words = words_for(order, ends, level, range, LEAST_LEVELS);
	while (levels > LEAST_LEVELS && words_for(order, ends, level, range, levels) > *words)
		levels /= 2;
	return levels;
}

/* ---- a layout -------------------------------------------------------------------------------------- */

static void place_fields(struct level_layout *layout)
{
	uint32_t word = 0;
	unsigned used = 0;

	layout->guards = mem_zalloc(layout->words, sizeof *layout->guards);
	for (uint32_t i = 0; i < layout->lane_count; i++) {
		struct level_lane *lane = &layout->lanes[i];
		unsigned bits = field_bits(lane->reach);

		if (used + bits > 64) {
			word++;
			used = 0;
		}
		used += bits;
		assert(word < layout->words);
		lane->word = word;
		lane->shift = 64 - used;
		lane->step = 1ull << lane->shift;
		lane->mask = (1ull << (bits - 1)) - 1;
		layout->guards[word] |= 1ull << (lane->shift + bits - 1);
	}
}

/* What a cut must have for the event at `beyond`; the own field too, so that one compare says all. */
static void pack_need(const struct level_layout *layout, const struct lattice_order *order,
		      const uint32_t *ends, const struct level_lane *own, uint32_t beyond,
		      uint64_t *out)
{
	uint32_t position = own->base + beyond;
	bool never = position >= ends[own->column];
	const struct lattice_event *event = &order->columns[own->column].events[position];

	memset(out, 0, layout->words * sizeof *out);
	for (uint32_t i = 0; !never && i < event->need_count; i++) {
		const struct message_need *need = &order->needs.items[event->need + i];
		uint32_t base = layout->base[need->column];
		const struct level_lane *lane = level_lane_of(layout, need->column);

		if (need->count <= base)
			continue;
		never = !lane || need->count - base > lane->reach;
		if (!never)
			out[lane->word] |= (uint64_t)(need->count - base) << lane->shift;
	}
	out[own->word] |= (uint64_t)(beyond + never) << own->shift;
}

static void pack_events(struct level_layout *layout, const struct lattice_order *order,
			const uint32_t *ends, struct level_lane *lane)
{
	const struct lattice_column *column = &order->columns[lane->column];
	size_t count = (size_t)lane->reach + 1;

	lane->needs = mem_alloc(count * layout->words * sizeof *lane->needs);
	lane->codes = mem_zalloc(count, sizeof *lane->codes);
	if (column->guarded)
		lane->guarded = mem_zalloc(count, sizeof *lane->guarded);
	for (uint32_t i = 0; i <= lane->reach; i++) {
		pack_need(layout, order, ends, lane, i, &lane->needs[(size_t)i * layout->words]);
		if (lane->base + i >= ends[lane->column])
			break;
		lane->codes[i] = column->events[lane->base + i].code;
		if (lane->guarded)
			lane->guarded[i] = column->events[lane->base + i].guard_count > 0;
	}
}

struct level_layout *level_layout_new(const struct lattice_order *order, const uint32_t *ends,
				      uint64_t level, const struct level_range *range,
				      uint32_t narrowest)
{
	struct level_layout *layout = mem_zalloc(1, sizeof *layout);
	uint64_t levels = choose_levels(order, ends, level, range, &layout->words);
	uint32_t columns = order->column_count;

	if (layout->words < narrowest)
		layout->words = narrowest;
	layout->users = 1;
	layout->until = level + levels;
	layout->column_count = columns;
	layout->base = mem_alloc(columns * sizeof *layout->base);
	layout->lane_of = mem_alloc(columns * sizeof *layout->lane_of);
	layout->lanes = mem_zalloc(columns, sizeof *layout->lanes);
	for (uint32_t c = 0; c < columns; c++) {
		layout->base[c] = range->low[c];
		layout->lane_of[c] = LEVEL_ASLEEP;
		if (!is_awake(order, ends, c, range, layout->until))
			continue;
		layout->lane_of[c] = layout->lane_count;
		layout->lanes[layout->lane_count++] =
			(struct level_lane){ .column = c,
					     .base = range->low[c],
					     .reach = reach_of(ends, c, range, levels) };
	}
	place_fields(layout);
	for (uint32_t i = 0; i < layout->lane_count; i++)
		pack_events(layout, order, ends, &layout->lanes[i]);
	return layout;
}

struct level_layout *level_layout_share(struct level_layout *layout)
{
	layout->users++;
	return layout;
}

void level_layout_drop(struct level_layout *layout)
{
	if (!layout || --layout->users)
		return;
	for (uint32_t i = 0; i < layout->lane_count; i++) {
		free(layout->lanes[i].needs);
		free(layout->lanes[i].codes);
		free(layout->lanes[i].guarded);
	}
	free(layout->lanes);
	free(layout->lane_of);
	free(layout->base);
	free(layout->guards);
	free(layout);
}

/* ---- keys ------------------------------------------------------------------------------------------ */

void level_unpack(const struct level_layout *layout, const uint64_t *key, uint32_t *cut)
{
	memcpy(cut, layout->base, layout->column_count * sizeof *cut);
	for (uint32_t i = 0; i < layout->lane_count; i++) {
		const struct level_lane *lane = &layout->lanes[i];

		cut[lane->column] += (uint32_t)(key[lane->word] >> lane->shift & lane->mask);
	}
}

bool level_pack(const struct level_layout *layout, const uint32_t *cut, uint64_t *key)
{
	memset(key, 0, layout->words * sizeof *key);
	for (uint32_t c = 0; c < layout->column_count; c++) {
		const struct level_lane *lane = level_lane_of(layout, c);

		if (cut[c] < layout->base[c] || cut[c] - layout->base[c] > (lane ? lane->reach : 0))
			return false;
		if (lane)
			key[lane->word] |= (uint64_t)(cut[c] - lane->base) << lane->shift;
	}
	return true;
}

static bool is_within(const struct level_layout *layout, const uint32_t *cut, const uint32_t *ends)
{
	for (uint32_t c = 0; ends && c < layout->column_count; c++) {
		if (cut[c] > ends[c])
			return false;
	}
	return true;
}

bool level_find_range(const struct level_layout *layout, const struct level *level,
		      const uint32_t *ends, struct level_range *range)
{
	uint32_t *cut = mem_alloc(layout->column_count * sizeof *cut);
	bool some = false;

	for (size_t i = 0; i < level->chunks.count; i++) {
		const struct level_chunk *chunk = level->chunks.items[i];

		for (uint32_t j = 0; j < chunk->count; j++) {
			level_unpack(layout, &chunk->keys[(size_t)j * layout->words], cut);
			if (!is_within(layout, cut, ends))
				continue;
			for (uint32_t c = 0; c < layout->column_count; c++) {
				if (!some || cut[c] < range->low[c])
					range->low[c] = cut[c];
				if (!some || cut[c] > range->high[c])
					range->high[c] = cut[c];
			}
			some = true;
		}
	}
	free(cut);
	return some;
}

void level_repack(struct level_pool *pool, const struct level_layout *from,
		  const struct level *level, const struct level_layout *to, const uint32_t *ends,
		  struct level *out)
{
	uint32_t *cut = mem_alloc(from->column_count * sizeof *cut);
	const struct level_shape *shape = &level->shape;

	*out = (struct level){ .shape = *shape, .number = level->number };
	out->shape.words = to->words;
	for (size_t i = 0; i < level->chunks.count; i++) {
		const struct level_chunk *chunk = level->chunks.items[i];

		for (uint32_t j = 0; j < chunk->count; j++) {
			struct level_chunk *into;
			uint32_t at;

			level_unpack(from, &chunk->keys[(size_t)j * from->words], cut);
			if (!is_within(from, cut, ends))
				continue;
			at = level_append(pool, out);
			into = out->chunks.items[out->chunks.count - 1];
			if (!level_pack(to, cut, &into->keys[(size_t)at * to->words]))
				assert(!"a layout has room for the level it was made for");
			level_set_payload(&out->shape, into, at,
					  level_get_payload(shape, chunk, j));
			memcpy(&into->counts[(size_t)at * shape->limbs],
			       &chunk->counts[(size_t)j * shape->limbs], shape->limbs * 8ul);
		}
	}
	free(cut);
}

static int compare_keys(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++) {
		if (a[w] != b[w])
			return a[w] < b[w] ? -1 : 1;
	}
	return 0;
}

bool level_find_cut(const struct level_layout *layout, const struct level *level,
		    const uint32_t *cut, uint32_t *at)
{
	const struct level_chunk *chunk = level->chunks.items[0];
	uint64_t *key = mem_alloc(layout->words * sizeof *key);
	uint32_t low = 0, high = chunk->count;
	bool found = level_pack(layout, cut, key);

	assert(level->chunks.count == 1);
	while (found && low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare_keys(&chunk->keys[(size_t)middle * layout->words], key, layout->words) <
		    0)
			low = middle + 1;
		else
			high = middle;
	}
	found = found && low < chunk->count &&
		!compare_keys(&chunk->keys[(size_t)low * layout->words], key, layout->words);
	free(key);
	*at = low;
	return found;
}

/* ---- sets ------------------------------------------------------------------------------------------ */

static bool is_open(const struct lattice_order *order, const struct level_layout *layout,
		    const uint64_t *key, const struct lattice_set *set)
{
	bool started = false, complete = set->closes;

	for (uint32_t i = 0; i < set->span_count; i++) {
		const struct lattice_span *span = &order->spans.items[set->span + i];
		uint32_t have = level_field(layout, key, span->column);

		started |= have > span->first;
		complete &= have > span->last;
	}
	return started && !complete;
}

static bool keeps_out(const struct lattice_order *order, const struct level_layout *layout,
		      const uint64_t *key, const struct lattice_guard *guard,
		      const struct lattice_event *event, uint32_t number)
{
	const struct lattice_set *set = &order->sets.items[number];

	if (guard->shared && set->shared)
		return false;
	return !lattice_is_member(order, event, number) && is_open(order, layout, key, set);
}

/* Of the slice, how many touches are before `position`. */
static uint32_t touches_before(const struct lattice_touch *touches, uint32_t count,
			       uint32_t position)
{
	uint32_t low = 0;

	while (low < count) {
		uint32_t middle = (low + count) / 2;

		if (touches[middle].position < position)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

static bool is_marked(const struct lattice_order *order, const struct lattice_guard *guard,
		      uint32_t at)
{
	at = at < guard->top ? at : guard->top;
	return order->marks.items[guard->marks + at / 64] >> at % 64 & 1;
}

bool level_is_blocked(const struct lattice_order *order, const struct level_layout *layout,
		      const uint64_t *key, const struct level_lane *lane, uint32_t beyond)
{
	const struct lattice_event *event =
		&order->columns[lane->column].events[lane->base + beyond];

	for (uint32_t g = 0; g < event->guard_count; g++) {
		const struct lattice_guard *guard = &order->guards.items[event->guard + g];
		const struct lattice_touch *touches = &order->touches.items[guard->touch];
		uint32_t have = level_field(layout, key, guard->column), i, last;

		if (guard->marked) {
			if (have > guard->from && is_marked(order, guard, have - guard->from))
				return true;
			continue;
		}
		i = touches_before(touches, guard->count, have);
		last = i ? touches[i - 1].position : 0;
		while (i-- && (guard->every || touches[i].position == last)) {
			if (keeps_out(order, layout, key, guard, event, touches[i].set))
				return true;
		}
	}
	return false;
}

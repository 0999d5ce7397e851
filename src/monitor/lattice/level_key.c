/*
 * Layouts and packed cuts (level_key.h): chooses field widths, packs and unpacks keys, and tests
 * whether an open atomic set keeps an event out of a cut.
 */
#include "monitor/lattice/level_key.h"

#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <string.h>

/*
 * A layout is made for at most this many levels, even if there are bits for more. Making one reads
 * the level and all events within reach; for more levels, the tables of needs would become larger
 * than the caches.
 */
#define MOST_LEVELS 4096u
/*
 * If keys of few words would last for fewer levels than this, wider keys are used. (A key of
 * several words costs half the speed.)
 */
#define LEAST_LEVELS 8u

/* ---- field widths ---------------------------------------------------------------------------- */

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

/*
 * Returns the bits of a field: room for reach + 1, which pack_need() uses for a need that no cut
 * can meet, and the guard bit.
 */
static unsigned field_bits(uint32_t reach)
{
	return level_bits_for((uint64_t)reach + 1) + 1;
}

/* Returns the number of words that keys need for `levels` levels. */
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

/* Chooses the fewest words possible, then the most levels that fit into them. */
static uint64_t choose_levels(const struct lattice_order *order, const uint32_t *ends,
			      uint64_t level, const struct level_range *range, uint32_t *words)
{
	uint64_t levels = MOST_LEVELS;

	*words = words_for(order, ends, level, range, LEAST_LEVELS);
	while (levels > LEAST_LEVELS && words_for(order, ends, level, range, levels) > *words)
		levels /= 2;
	return levels;
}

/* ---- layouts --------------------------------------------------------------------------------- */

static void place_fields(struct level_layout *layout)
{
	uint32_t word = 0;
	unsigned used = 0;

	layout->guards = mem_zalloc(layout->words, sizeof *layout->guards);
	for (uint32_t i = 0; i < layout->field_count; i++) {
		struct level_field *field = &layout->fields[i];
		unsigned bits = field_bits(field->reach);

		if (used + bits > 64) {
			word++;
			used = 0;
		}
		used += bits;
		assert(word < layout->words);
		field->word = word;
		field->shift = 64 - used;
		field->step = 1ull << field->shift;
		field->mask = (1ull << (bits - 1)) - 1;
		layout->guards[word] |= 1ull << (field->shift + bits - 1);
	}
}

/*
 * Packs the cut that the event at `beyond` needs. The column's own field is included, so that one
 * comparison covers everything.
 */
static void pack_need(const struct level_layout *layout, const struct lattice_order *order,
		      const uint32_t *ends, const struct level_field *own, uint32_t beyond,
		      uint64_t *out)
{
	uint32_t position = own->base + beyond;
	bool never = position >= ends[own->column];
	const struct lattice_event *event = &order->columns[own->column].events[position];

	memset(out, 0, layout->words * sizeof *out);
	for (uint32_t i = 0; !never && i < event->need_count; i++) {
		const struct message_need *need = &order->needs.items[event->need + i];
		uint32_t base = layout->base[need->column];
		const struct level_field *field = level_field_of(layout, need->column);

		if (need->count <= base)
			continue;
		never = !field || need->count - base > field->reach;
		if (!never)
			out[field->word] |= (uint64_t)(need->count - base) << field->shift;
	}
	out[own->word] |= (uint64_t)(beyond + never) << own->shift;
}

static void pack_events(struct level_layout *layout, const struct lattice_order *order,
			const uint32_t *ends, struct level_field *field)
{
	const struct lattice_column *column = &order->columns[field->column];
	size_t count = (size_t)field->reach + 1;

	field->needs = mem_alloc(count * layout->words * sizeof *field->needs);
	field->codes = mem_zalloc(count, sizeof *field->codes);
	if (column->guarded)
		field->guarded = mem_zalloc(count, sizeof *field->guarded);
	for (uint32_t i = 0; i <= field->reach; i++) {
		pack_need(layout, order, ends, field, i, &field->needs[(size_t)i * layout->words]);
		if (field->base + i >= ends[field->column])
			break;
		field->codes[i] = column->events[field->base + i].code;
		if (field->guarded)
			field->guarded[i] = column->events[field->base + i].guard_count > 0;
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
	layout->field_of = mem_alloc(columns * sizeof *layout->field_of);
	layout->fields = mem_zalloc(columns, sizeof *layout->fields);
	for (uint32_t c = 0; c < columns; c++) {
		layout->base[c] = range->low[c];
		layout->field_of[c] = LEVEL_ASLEEP;
		if (!is_awake(order, ends, c, range, layout->until))
			continue;
		layout->field_of[c] = layout->field_count;
		layout->fields[layout->field_count++] =
			(struct level_field){ .column = c,
					      .base = range->low[c],
					      .reach = reach_of(ends, c, range, levels) };
	}
	place_fields(layout);
	for (uint32_t i = 0; i < layout->field_count; i++)
		pack_events(layout, order, ends, &layout->fields[i]);
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
	for (uint32_t i = 0; i < layout->field_count; i++) {
		free(layout->fields[i].needs);
		free(layout->fields[i].codes);
		free(layout->fields[i].guarded);
	}
	free(layout->fields);
	free(layout->field_of);
	free(layout->base);
	free(layout->guards);
	free(layout);
}

/* ---- keys ------------------------------------------------------------------------------------ */

void level_unpack(const struct level_layout *layout, const uint64_t *key, uint32_t *cut)
{
	memcpy(cut, layout->base, layout->column_count * sizeof *cut);
	for (uint32_t i = 0; i < layout->field_count; i++) {
		const struct level_field *field = &layout->fields[i];

		cut[field->column] += (uint32_t)(key[field->word] >> field->shift & field->mask);
	}
}

/* Returns false if the layout cannot represent the cut. */
static bool pack_cut(const struct level_layout *layout, const uint32_t *cut, uint64_t *key)
{
	memset(key, 0, layout->words * sizeof *key);
	for (uint32_t c = 0; c < layout->column_count; c++) {
		const struct level_field *field = level_field_of(layout, c);

		if (cut[c] < layout->base[c] ||
		    cut[c] - layout->base[c] > (field ? field->reach : 0))
			return false;
		if (field)
			key[field->word] |= (uint64_t)(cut[c] - field->base) << field->shift;
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

	*out = (struct level){ .shape = level->shape, .number = level->number };
	out->shape.words = to->words;
	for (size_t i = 0; i < level->chunks.count; i++) {
		const struct level_chunk *chunk = level->chunks.items[i];

		for (uint32_t j = 0; j < chunk->count; j++) {
			level_unpack(from, &chunk->keys[(size_t)j * from->words], cut);
			if (!is_within(from, cut, ends))
				continue;
			if (!pack_cut(to, cut, level_append_copy(pool, out, chunk, j)))
				assert(!"a layout has room for the level it was made for");
		}
	}
	free(cut);
}

int level_compare_keys(const uint64_t *a, const uint64_t *b, uint32_t words)
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
	uint32_t words = layout->words, i;
	bool found = pack_cut(layout, cut, key);

	assert(level->chunks.count == 1);
	if (found) {
		SEARCH_FIRST(i, chunk->count,
			     level_compare_keys(&chunk->keys[(size_t)i * words], key, words) >= 0);
		found = i < chunk->count &&
			!level_compare_keys(&chunk->keys[(size_t)i * words], key, words);
		*at = i;
	}
	free(key);
	return found;
}

/* ---- open atomic sets ------------------------------------------------------------------------ */

static bool is_open(const struct lattice_order *order, const struct level_layout *layout,
		    const uint64_t *key, const struct lattice_set *set)
{
	bool started = false, complete = set->closes;

	for (uint32_t i = 0; i < set->span_count; i++) {
		const struct lattice_span *span = &order->spans.items[set->span + i];
		uint32_t have = level_column_events(layout, key, span->column);

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

/* Returns how many touches of the slice are before `position`. */
static uint32_t touches_before(const struct lattice_touch *touches, uint32_t count,
			       uint32_t position)
{
	uint32_t at;

	SEARCH_FIRST(at, count, touches[at].position >= position);
	return at;
}

static bool is_marked(const struct lattice_order *order, const struct lattice_guard *guard,
		      uint32_t at)
{
	at = at < guard->top ? at : guard->top;
	return order->marks.items[guard->marks + at / 64] >> at % 64 & 1;
}

bool level_is_blocked(const struct lattice_order *order, const struct level_layout *layout,
		      const uint64_t *key, const struct level_field *field, uint32_t beyond)
{
	const struct lattice_event *event =
		&order->columns[field->column].events[field->base + beyond];

	for (uint32_t g = 0; g < event->guard_count; g++) {
		const struct lattice_guard *guard = &order->guards.items[event->guard + g];
		const struct lattice_touch *touches = &order->touches.items[guard->touch];
		uint32_t have = level_column_events(layout, key, guard->column), i, last;

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

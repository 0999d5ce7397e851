/*
 * Cuts accesses into cells. The bytes of a window are divided wherever the bytes of an access or of
 * a block start or end. Most accesses are to whole variables that no other access splits. So there
 * are few different ranges, and only these are sorted.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "order/window/window_build.h"

#include <string.h>

/* The limit of a window: the number of cells an access touches, summed over all accesses. */
#define ACCESS_CELLS_MAX (4u << 20)
/* An access in a text trace can have any size. Only the first bytes of a larger one are used. */
#define ACCESS_MAX (16ull << 20)

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool is_access(uint8_t kind)
{
	return kind >= EV_READ && kind <= EV_ATOMIC_UPDATE;
}

/* Does the event begin or end a lifetime of memory or of a descriptor? */
static bool is_lifetime_event(uint8_t kind)
{
	return event_group(kind) < EG_LOCK && window_effect_of(kind) != WINDOW_USES;
}

static uint32_t intern_range(struct build_memory *m, uint64_t low, uint64_t high, bool lifetime)
{
	uint64_t *head = map_put(&m->range_index, low, NULL);

	for (uint32_t i = (uint32_t)*head; i; i = m->ranges.items[i - 1].next) {
		if (m->ranges.items[i - 1].high == high &&
		    m->ranges.items[i - 1].lifetime == lifetime)
			return i - 1;
	}
	*vec_push(&m->ranges) = (struct build_range){
		.low = low, .high = high, .lifetime = lifetime, .next = (uint32_t)*head
	};
	*head = m->ranges.count;
	return (uint32_t)m->ranges.count - 1;
}

static void collect_ranges(struct window_builder *b)
{
	struct build_memory *m = &b->memory;

	for (uint32_t i = 0; i < b->count; i++) {
		const struct window_item *item = &b->input->items[i];
		bool lifetime = is_lifetime_event(item->kind);
		uint64_t size = item->size, high;
		uint32_t range = ORDER_NONE;

		if (!lifetime && size > ACCESS_MAX)
			size = ACCESS_MAX;
		if ((lifetime || is_access(item->kind)) && size &&
		    !__builtin_add_overflow(item->address, size, &high))
			range = intern_range(m, item->address, high, lifetime);
		*vec_push(&m->range_of) = range;
	}
}

static void add_piece(struct build_memory *m, uint32_t range, uint64_t low, uint64_t high)
{
	uint32_t piece = (uint32_t)m->pieces.count;

	*vec_push(&m->pieces) = (struct build_piece){ .range = range };
	*vec_push(&m->bounds) = (struct build_bound){ low, piece, false };
	*vec_push(&m->bounds) = (struct build_bound){ high, piece, true };
}

static void collect_pieces(struct window_builder *b)
{
	struct build_memory *m = &b->memory;

	for (uint32_t i = 0; i < m->ranges.count; i++) {
		const struct build_range *r = &m->ranges.items[i];

		if (r->lifetime) {
			add_piece(m, i, r->low, r->high);
			m->mortal = true;
			continue;
		}
		for (uint64_t low = r->low, high; low < r->high; low = high) {
			high = share_survey_next_part(b->state->survey, &low, r->high);
			if (!high)
				break;
			add_piece(m, i, low, high);
		}
	}
}

/* ---- segments -------------------------------------------------------------------------------- */

#define DIGIT 11 /* bits */

/* Radix sort by address. Digits that are equal in all addresses are skipped. */
static void sort_bounds(struct build_memory *m)
{
	size_t count = m->bounds.count, start[1 << DIGIT];
	struct build_bound *from = m->bounds.items, *to;
	uint64_t any = 0;

	for (size_t i = 0; i < count; i++)
		any |= from[i].at ^ from[0].at;
	to = vec_reserve(&m->sorted, count + 1);
	for (unsigned shift = 0; shift < 64; shift += DIGIT) {
		size_t sum = 0;

		if (!(any >> shift & ((1u << DIGIT) - 1)))
			continue;
		memset(start, 0, sizeof start);
		for (size_t i = 0; i < count; i++)
			start[from[i].at >> shift & ((1u << DIGIT) - 1)]++;
		for (size_t i = 0; i < 1u << DIGIT; i++) {
			size_t here = start[i];

			start[i] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			to[start[from[i].at >> shift & ((1u << DIGIT) - 1)]++] = from[i];
		struct build_bound *swap = from;

		from = to;
		to = swap;
	}
	m->positions.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct build_piece *p = &m->pieces.items[from[i].piece];

		if (!i || from[i].at != from[i - 1].at)
			*vec_push(&m->positions) = from[i].at;
		*(from[i].high ? &p->high : &p->low) = (uint32_t)m->positions.count - 1;
	}
}

struct coverage {
	int32_t accesses, lifetimes; /* number of pieces that start here minus those that end */
	uint32_t segment;	     /* number of segments before this bound */
};

static void make_segments(struct build_memory *m, struct coverage *cover)
{
	int32_t accesses = 0, lifetimes = 0;

	for (size_t i = 0; i < m->pieces.count; i++) {
		const struct build_piece *p = &m->pieces.items[i];
		struct coverage *low = &cover[p->low], *high = &cover[p->high];

		if (m->ranges.items[p->range].lifetime) {
			low->lifetimes++;
			high->lifetimes--;
		} else {
			low->accesses++;
			high->accesses--;
		}
	}
	for (size_t i = 0; i < m->positions.count; i++) {
		cover[i].segment = (uint32_t)m->segments.count;
		accesses += cover[i].accesses;
		lifetimes += cover[i].lifetimes;
		if (!accesses && !lifetimes)
			continue;
		*vec_push(&m->segments) = (struct build_segment){ .low = m->positions.items[i],
								  .high = m->positions.items[i + 1],
								  .covered = accesses > 0,
								  .mortal = lifetimes > 0,
								  .toucher = ORDER_NONE,
								  .lifetime_event = ORDER_NONE };
	}
}

static void assign_segments(struct build_memory *m, const struct coverage *cover)
{
	for (size_t i = 0; i < m->pieces.count; i++) {
		const struct build_piece *p = &m->pieces.items[i];
		struct build_range *r = &m->ranges.items[p->range];
		uint32_t first = cover[p->low].segment, end = cover[p->high].segment;

		if (!r->count)
			r->first = first;
		r->count = end - r->first;
	}
}

static void make_cells(struct build_memory *m)
{
	for (uint32_t i = 0; i < m->segments.count; i++) {
		struct build_segment *s = &m->segments.items[i];

		s->cell = s->first = (uint32_t)m->cells.count;
		*vec_push(&m->cells) = (struct build_cell){ .segment = i,
							    .initial = ORDER_NONE,
							    .value = ORDER_NONE,
							    .writer = ORDER_NONE };
	}
}

/* ---- cutting --------------------------------------------------------------------------------- */

static void reset_cut(struct build_memory *m)
{
	m->segments.count = m->ranges.count = m->range_of.count = 0;
	m->pieces.count = m->bounds.count = 0;
	m->mortal = false;
	map_free(&m->range_index);
}

static void cut_accesses(struct window_builder *b)
{
	struct build_memory *m = &b->memory;
	struct coverage *cover;

	collect_ranges(b);
	collect_pieces(b);
	sort_bounds(m);
	cover = mem_zalloc(m->positions.count + 1, sizeof *cover);
	make_segments(m, cover);
	assign_segments(m, cover);
	free(cover);
}

/* Returns how many items stay within the limit, at least one. */
static uint32_t items_within_limit(const struct window_builder *b)
{
	const struct build_memory *m = &b->memory;
	uint64_t pairs = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		if (m->range_of.items[i] != ORDER_NONE)
			pairs += m->ranges.items[m->range_of.items[i]].count;
		if (pairs > ACCESS_CELLS_MAX && i)
			return i;
	}
	return b->count;
}

void build_cut_accesses(struct window_builder *b)
{
	uint32_t fits;

	cut_accesses(b);
	fits = items_within_limit(b);
	if (fits < b->count) { /* fewer items make no more cells, so one repetition is enough */
		b->count = fits;
		reset_cut(&b->memory);
		cut_accesses(b);
	}
	make_cells(&b->memory);
}

struct build_segment *build_segment_at(const struct window_builder *b, uint64_t address)
{
	const struct build_memory *m = &b->memory;
	size_t i;

	SEARCH_FIRST(i, m->segments.count, m->segments.items[i].high > address);
	return i < m->segments.count && m->segments.items[i].low <= address ? &m->segments.items[i]
									    : NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint32_t intern_short(struct build_memory *m, uint64_t bits)
{
	bool fresh;
	uint64_t *number = map_put(&m->value_index, bits, &fresh);

	if (fresh) {
		*number = m->values.count;
		*vec_push(&m->values) = (struct build_value){ .bits = bits };
	}
	return (uint32_t)*number;
}

static bool repeats(const uint8_t *bytes, uint64_t size)
{
	return size < 2 || !memcmp(bytes, bytes + 1, size - 1);
}

/* Returns the number of a long value, which is found by its hash; after a collision, hash + 1 … */
static uint32_t intern_long(struct build_memory *m, const uint8_t *bytes, uint32_t size)
{
	for (uint64_t hash = hash_bytes(HASH_FNV_START, bytes, size);; hash++) {
		bool fresh;
		uint64_t *number = map_put(&m->long_index, hash, &fresh);
		const struct build_value *v;

		if (fresh) {
			*number = m->values.count;
			*vec_push(&m->values) = (struct build_value){ m->long_bytes.count, size };
			memcpy(vec_reserve(&m->long_bytes, size), bytes, size);
			m->long_bytes.count += size;
			return (uint32_t)*number;
		}
		v = &m->values.items[*number];
		if (v->length == size && !memcmp(m->long_bytes.items + v->bits, bytes, size))
			return (uint32_t)*number;
	}
}

uint32_t build_value_of_bytes(struct window_builder *b, const uint8_t *bytes, uint64_t size)
{
	uint64_t bits = 0;

	if (size <= 8) {
		memcpy(&bits, bytes, size);
		return intern_short(&b->memory, bits);
	}
	if (repeats(bytes, size))
		return intern_short(&b->memory, bytes[0]);
	return intern_long(&b->memory, bytes, (uint32_t)size);
}

uint32_t build_value(struct window_builder *b, const struct build_segment *segment,
		     const struct window_item *item, bool old)
{
	struct build_memory *m = &b->memory;
	uint64_t size = segment->high - segment->low, from = segment->low - item->address;
	uint64_t inlined = old ? item->old : item->value;
	bool is_inline = item->unit <= 8;
	const uint8_t *bytes = is_inline ? (const uint8_t *)&inlined
					 : b->input->pool + (inlined - b->input->pool_start);
	uint64_t bits = 0;

	if (item->unit >= item->size)
		return build_value_of_bytes(b, bytes + from, size);
	if (item->unit == 1 && size > 8)
		return intern_short(m, bytes[0]);
	if (size <= 8) {
		for (uint64_t i = 0; i < size; i++)
			((uint8_t *)&bits)[i] = bytes[(from + i) % item->unit];
		return intern_short(m, bits);
	}
	m->scratch.count = 0;
	for (uint64_t i = 0; i < size; i++)
		*vec_push(&m->scratch) = bytes[(from + i) % item->unit];
	return build_value_of_bytes(b, m->scratch.items, size);
}

uint32_t build_unique_value(struct window_builder *b)
{
	*vec_push(&b->memory.values) = (struct build_value){ 0 };
	return (uint32_t)b->memory.values.count - 1;
}

const uint8_t *build_bytes_of_value(const struct window_builder *b, uint32_t value, uint64_t size,
				    uint32_t *unit)
{
	const struct build_value *v = &b->memory.values.items[value];

	if (v->length) {
		*unit = v->length;
		return b->memory.long_bytes.items + v->bits;
	}
	*unit = size <= 8 ? (uint32_t)size : 1;
	return (const uint8_t *)&v->bits;
}

void build_free_memory(struct window_builder *b)
{
	struct build_memory *m = &b->memory;

	vec_free(&m->segments);
	vec_free(&m->ranges);
	vec_free(&m->range_of);
	vec_free(&m->pieces);
	vec_free(&m->bounds);
	vec_free(&m->sorted);
	vec_free(&m->positions);
	vec_free(&m->cells);
	vec_free(&m->accesses);
	vec_free(&m->touchers);
	vec_free(&m->touches);
	vec_free(&m->values);
	vec_free(&m->long_bytes);
	vec_free(&m->scratch);
	map_free(&m->range_index);
	map_free(&m->value_index);
	map_free(&m->long_index);
}

/*
 * Packed cuts. A key holds, for each column, how many events the cut has beyond the column's
 * *base*, the least that any cut of the level has. So only the spread of a column needs bits,
 * however long the column is. A guard bit above each field lets one subtraction compare all fields:
 * the cut has what is needed in every column iff ((cut | guards) - need) & guards == guards. Fields
 * are in the order of columns, the first one highest, and no field crosses a word boundary. So
 * under every layout, ascending keys are cuts in lexicographic order.
 *
 * A layout is valid for some levels, until a column could outgrow its field. A column that cannot
 * move in these levels (all its events are in the cut, or its next event needs too many others
 * first) is asleep and has no field.
 */
#ifndef MONITOR_LATTICE_LEVEL_KEY_H
#define MONITOR_LATTICE_LEVEL_KEY_H

#include "monitor/lattice/lattice_order.h"
#include "monitor/lattice/level.h"

/* The field of a column that is awake. */
struct level_field {
	uint64_t step; /* what one more event of the column adds to the field's word */
	uint64_t mask;
	uint32_t word, shift;
	uint32_t column, base;
	uint32_t reach; /* the most events beyond the base that the field can hold */
	/* by number of events beyond the base, 0 … reach; about the column's next event */
	uint64_t *needs;   /* `words` for each: the packed cut that the event needs */
	uint32_t *codes;   /* the event's code for state_sets_step_*() */
	uint32_t *guarded; /* 1: the event has guards. NULL: no event here has any */
};

struct level_layout {
	uint32_t words, field_count, column_count;
	struct level_field *fields;
	uint32_t *field_of; /* by column: index in `fields`, or LEVEL_ASLEEP */
	/* by column: the fewest events of any cut; if asleep, the events of every cut */
	uint32_t *base;
	uint64_t *guards; /* by word: all guard bits */
	uint64_t until;	  /* the first level for which the layout is not valid */
	uint32_t users;
};
#define LEVEL_ASLEEP UINT32_MAX

/* For each column, the fewest and the most events that a cut of the level has. */
struct level_range {
	uint32_t *low, *high;
};

/*
 * Makes a layout for a level and those that follow. Events of a column at or beyond its `ends` are
 * not walked. `narrowest`: least number of words of a key; above 1 only in tests.
 */
struct level_layout *level_layout_new(const struct lattice_order *order, const uint32_t *ends,
				      uint64_t level, const struct level_range *range,
				      uint32_t narrowest);
struct level_layout *level_layout_share(struct level_layout *layout);
void level_layout_drop(struct level_layout *layout);

void level_unpack(const struct level_layout *layout, const uint64_t *key, uint32_t *cut);

/*
 * Finds the range of a level's cuts, without those beyond `ends` (NULL: no limit). Returns false if
 * no cut is left.
 */
bool level_find_range(const struct level_layout *layout, const struct level *level,
		      const uint32_t *ends, struct level_range *range);
/* Copies a level to keys of another layout, without the cuts beyond `ends`. */
void level_repack(struct level_pool *pool, const struct level_layout *from,
		  const struct level *level, const struct level_layout *to, const uint32_t *ends,
		  struct level *out);

/* Finds the index of a cut in a level of one chunk. Returns false if the level does not have it. */
bool level_find_cut(const struct level_layout *layout, const struct level *level,
		    const uint32_t *cut, uint32_t *at);

/* Compares two keys, which orders cuts lexicographically. */
int level_compare_keys(const uint64_t *a, const uint64_t *b, uint32_t words);

/*
 * Does an open atomic set keep the next event of the field's column, `beyond` events after the
 * base, out of the cut?
 */
bool level_is_blocked(const struct lattice_order *order, const struct level_layout *layout,
		      const uint64_t *key, const struct level_field *field, uint32_t beyond);

/* Returns the column's field, or NULL if the column is asleep. */
static inline const struct level_field *level_field_of(const struct level_layout *layout,
						       uint32_t column)
{
	uint32_t field = layout->field_of[column];

	return field == LEVEL_ASLEEP ? NULL : &layout->fields[field];
}

static inline uint32_t level_column_events(const struct level_layout *layout, const uint64_t *key,
					   uint32_t column)
{
	const struct level_field *field = level_field_of(layout, column);

	return layout->base[column] +
	       (field ? (uint32_t)(key[field->word] >> field->shift & field->mask) : 0);
}

/* Does the cut have everything that is needed? */
static inline __attribute__((always_inline)) bool
level_meets(const uint64_t *key, const uint64_t *need, const uint64_t *guards, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++) {
		if ((((key[w] | guards[w]) - need[w]) & guards[w]) != guards[w])
			return false;
	}
	return true;
}

/* May the next event of the field's column, `beyond` events after the base, follow the cut? */
static inline __attribute__((always_inline)) bool
level_may_follow(const struct lattice_order *order, const struct level_layout *layout,
		 const uint64_t *key, const struct level_field *field, uint32_t beyond,
		 uint32_t words)
{
	return level_meets(key, &field->needs[(size_t)beyond * words], layout->guards, words) &&
	       !(field->guarded && field->guarded[beyond] &&
		 level_is_blocked(order, layout, key, field, beyond));
}

#endif

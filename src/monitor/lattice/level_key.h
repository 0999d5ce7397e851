/*
 * Packed cuts. A key holds, for each column, how far the cut is beyond the column's *base*, the least
 * that any cut of the level has; only the spread of the columns needs bits, however long they are. A
 * guard bit above each field makes one subtraction compare all of them: cut >= need in every column
 * iff ((cut | guards) - need) & guards == guards. Fields are in the order of columns, the first
 * highest, and no field lies across two words, so keys in ascending order are cuts in lexicographic
 * order under every layout.
 *
 * A layout is good for some levels, until a column could outgrow its field. Columns that cannot move
 * in these levels (they are over, or their next event comes after too many others) are asleep and have
 * no field.
 */
#ifndef MONITOR_LATTICE_LEVEL_KEY_H
#define MONITOR_LATTICE_LEVEL_KEY_H

#include "monitor/lattice/lattice_order.h"
#include "monitor/lattice/level.h"

/* A column that is awake. */
struct level_lane {
	uint64_t step; /* one more event of it, in the word where its field is */
	uint64_t mask;
	uint32_t word, shift;
	uint32_t column, base;
	uint32_t reach; /* events beyond the base that the layout can tell apart */
	/* by events beyond the base, 0 … reach */
	uint64_t *needs;   /* words for each: what a cut must have that the next event follows */
	uint32_t *codes;   /* of that event, for steps of payloads */
	uint32_t *guarded; /* 1: it has guards. NULL: none here has */
};

struct level_layout {
	uint32_t words, lane_count, column_count;
	struct level_lane *lanes;
	uint32_t *lane_of; /* by column, or LEVEL_ASLEEP */
	uint32_t *base;	   /* by column: of those asleep, what every cut has */
	uint64_t *guards;  /* by word */
	uint64_t until;	   /* the first level that is too far for it */
	uint32_t users;
};
#define LEVEL_ASLEEP UINT32_MAX

/* The least and the most that cuts of a level have of each column. */
struct level_range {
	uint32_t *low, *high;
};

/*
 * A layout for a level and those behind it. `ends`: by column, events beyond are not walked. A
 * `narrowest` number of words above 1 is for tests.
 */
struct level_layout *level_layout_new(const struct lattice_order *order, const uint32_t *ends,
				      uint64_t level, const struct level_range *range,
				      uint32_t narrowest);
struct level_layout *level_layout_share(struct level_layout *layout);
void level_layout_drop(struct level_layout *layout);

void level_unpack(const struct level_layout *layout, const uint64_t *key, uint32_t *cut);
/* False: the layout cannot say it. */
bool level_pack(const struct level_layout *layout, const uint32_t *cut, uint64_t *key);

/* How far the cuts reach; of those beyond `ends` nothing (NULL: all). False: no cut is left. */
bool level_find_range(const struct level_layout *layout, const struct level *level,
		      const uint32_t *ends, struct level_range *range);
/* The cuts with keys of another layout, those beyond `ends` left out. */
void level_repack(struct level_pool *pool, const struct level_layout *from,
		  const struct level *level, const struct level_layout *to, const uint32_t *ends,
		  struct level *out);

/* The place of a cut in a level of one chunk; false: it is not there. */
bool level_find_cut(const struct level_layout *layout, const struct level *level,
		    const uint32_t *cut, uint32_t *at);

/* Is the event, of a lane's `beyond`, kept out by an open set? */
bool level_is_blocked(const struct lattice_order *order, const struct level_layout *layout,
		      const uint64_t *key, const struct level_lane *lane, uint32_t beyond);

/* The column's lane; NULL: it is asleep. */
static inline const struct level_lane *level_lane_of(const struct level_layout *layout,
						     uint32_t column)
{
	uint32_t lane = layout->lane_of[column];

	return lane == LEVEL_ASLEEP ? NULL : &layout->lanes[lane];
}

static inline uint32_t level_field(const struct level_layout *layout, const uint64_t *key,
				   uint32_t column)
{
	const struct level_lane *lane = level_lane_of(layout, column);

	return layout->base[column] +
	       (lane ? (uint32_t)(key[lane->word] >> lane->shift & lane->mask) : 0);
}

#endif

/*
 * A sparse array over 64-bit numbers: items of one size in pages of 512, made of zeros when first
 * asked for. For what is asked about neighbours in a row (bytes of memory): a table of pages used
 * last saves the hash map's cache misses, which cost more than everything else.
 */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include "base/map.h"
#include "base/vec.h"

#define PAGES_ITEMS 512u
#define PAGES_RECENT 256u

struct pages_recent {
	uint64_t key; /* number / PAGES_ITEMS + 1 */
	uint8_t *items;
};

struct pages {
	size_t size;	  /* of an item: set it before the first use */
	struct map index; /* number / PAGES_ITEMS to position + 1 */
	VEC(uint8_t *) pages;
	VEC(uint64_t) keys; /* of each page: number / PAGES_ITEMS */
	struct pages_recent *recent;
};

/* The item, or NULL when its page was never made. */
static inline void *pages_get(const struct pages *p, uint64_t number);
/* The item; `*fresh`, if asked for, is its whole page when that has just been made, else NULL. */
static inline void *pages_put(struct pages *p, uint64_t number, void **fresh);
void pages_free(struct pages *p);

/*
 * Each item from `low` up to, not with, `high` whose page was made, in no order. The range may be
 * as large as it likes: it costs as many steps as there are items or pages, whatever is less.
 */
void pages_each(const struct pages *p, uint64_t low, uint64_t high,
		void (*visit)(void *context, uint64_t number, void *item), void *context);

/* ---- inline --------------------------------------------------------------------------------- */

uint8_t *pages_find(const struct pages *p, uint64_t key);
uint8_t *pages_make(struct pages *p, uint64_t key, void **fresh);

static inline void *pages_get(const struct pages *p, uint64_t number)
{
	uint64_t key = number / PAGES_ITEMS;
	const struct pages_recent *r = p->recent ? &p->recent[key % PAGES_RECENT] : NULL;
	uint8_t *items = r && r->key == key + 1 ? r->items : pages_find(p, key);

	return items ? items + number % PAGES_ITEMS * p->size : NULL;
}

static inline void *pages_put(struct pages *p, uint64_t number, void **fresh)
{
	uint64_t key = number / PAGES_ITEMS;
	const struct pages_recent *r = p->recent ? &p->recent[key % PAGES_RECENT] : NULL;
	uint8_t *items;

	if (fresh)
		*fresh = NULL;
	items = r && r->key == key + 1 ? r->items : pages_make(p, key, fresh);
	return items + number % PAGES_ITEMS * p->size;
}

#endif

/*
 * A sparse array indexed by 64-bit numbers: items of one size, in pages of 512 that are allocated,
 * zeroed, on first use. It suits data about neighbouring numbers, such as the bytes of memory: a
 * table of recently used pages saves the hash map's cache misses, which would otherwise dominate
 * the cost.
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
	size_t size;	  /* bytes of an item; set before the first use */
	struct map index; /* number / PAGES_ITEMS to position in `pages`, plus 1 */
	VEC(uint8_t *) pages;
	VEC(uint64_t) keys; /* number / PAGES_ITEMS of each page */
	struct pages_recent *recent;
};

/* Returns the item, or NULL if its page was never allocated. */
static inline void *pages_get(const struct pages *p, uint64_t number);
/*
 * Returns the item, allocating its page if needed. `*fresh`, if `fresh` is not NULL, is set to the
 * page's items if the page was just allocated, otherwise to NULL.
 */
static inline void *pages_put(struct pages *p, uint64_t number, void **fresh);
void pages_free(struct pages *p);

/*
 * Calls `visit` for each item in [low, high) whose page is allocated, in no particular order. The
 * range may be of any size: the cost is proportional to the pages in the range or to all allocated
 * pages, whichever is fewer.
 */
void pages_each(const struct pages *p, uint64_t low, uint64_t high,
		void (*visit)(void *context, uint64_t number, void *item), void *context);

/* ---- implementation of pages_get() and pages_put() ------------------------------------------- */

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

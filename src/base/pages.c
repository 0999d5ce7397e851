/* The slow paths of the sparse array: pages that are not in the table of recently used ones. */
#include "base/pages.h"

#include "base/mem.h"

static uint8_t *remember(const struct pages *p, uint64_t key, uint8_t *items)
{
	p->recent[key % PAGES_RECENT] = (struct pages_recent){ key + 1, items };
	return items;
}

uint8_t *pages_find(const struct pages *p, uint64_t key)
{
	const uint64_t *position = map_get(&p->index, key);

	return position ? remember(p, key, p->pages.items[*position - 1]) : NULL;
}

uint8_t *pages_make(struct pages *p, uint64_t key, void **fresh)
{
	uint64_t *position;
	bool is_new;

	if (!p->recent)
		p->recent = mem_zalloc(PAGES_RECENT, sizeof *p->recent);
	position = map_put(&p->index, key, &is_new);
	if (is_new) {
		*vec_push(&p->pages) = mem_zalloc(PAGES_ITEMS, p->size);
		*vec_push(&p->keys) = key;
		*position = p->pages.count;
		if (fresh)
			*fresh = p->pages.items[p->pages.count - 1];
	}
	return remember(p, key, p->pages.items[*position - 1]);
}

/* Calls `visit` for the items of one page that are in the range [low, high). */
static void visit_page(const struct pages *p, uint64_t key, uint8_t *items, uint64_t low,
		       uint64_t high, void (*visit)(void *context, uint64_t number, void *item),
		       void *context)
{
	uint64_t first = key * PAGES_ITEMS;

	for (uint64_t i = low > first ? low - first : 0;
	     i < PAGES_ITEMS && first + i < high && first + i >= first; i++)
		visit(context, first + i, items + i * p->size);
}

void pages_each(const struct pages *p, uint64_t low, uint64_t high,
		void (*visit)(void *context, uint64_t number, void *item), void *context)
{
	uint64_t from, to;

	if (low >= high)
		return;
	from = low / PAGES_ITEMS;
	to = (high - 1) / PAGES_ITEMS;
	if (to - from < p->keys.count) {
		for (uint64_t key = from; key <= to; key++) {
			uint8_t *items = pages_find(p, key);

			if (items)
				visit_page(p, key, items, low, high, visit, context);
		}
		return;
	}
	for (size_t i = 0; i < p->keys.count; i++) {
		if (p->keys.items[i] >= from && p->keys.items[i] <= to)
			visit_page(p, p->keys.items[i], p->pages.items[i], low, high, visit,
				   context);
	}
}

void pages_free(struct pages *p)
{
	map_free(&p->index);
	vec_free_all(&p->pages);
	vec_free(&p->keys);
	free(p->recent);
	*p = (struct pages){ .size = p->size };
}

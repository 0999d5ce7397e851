/* Stores byte contents in granules of 8 bytes, which are kept in pages (base/pages.h). */
#include "order/window/window_bytes.h"

#include <string.h>

void window_bytes_free(struct window_bytes *b)
{
	pages_free(&b->granules);
}

void window_bytes_load(const struct window_bytes *b, uint64_t address, uint64_t size,
		       uint8_t *value, uint8_t *state)
{
	for (uint64_t done = 0; done < size;) {
		uint64_t at = address + done, offset = at % 8;
		uint64_t part = size - done < 8 - offset ? size - done : 8 - offset;
		const struct bytes_granule *g = pages_get(&b->granules, at / 8);

		if (g) {
			memcpy(value + done, g->value + offset, part);
			memcpy(state + done, g->state + offset, part);
		} else {
			memset(value + done, 0, part);
			memset(state + done, b->zero ? BYTE_KNOWN : BYTE_UNKNOWN, part);
		}
		done += part;
	}
}

static struct bytes_granule *granule_of(struct window_bytes *b, uint64_t key)
{
	struct bytes_granule *granule;
	void *page;

	b->granules.size = sizeof *granule;
	granule = pages_put(&b->granules, key, &page);
	for (uint32_t i = 0; b->zero && page && i < PAGES_ITEMS; i++) {
		struct bytes_granule *fresh = (struct bytes_granule *)page + i;

		memset(fresh->state, BYTE_KNOWN, sizeof fresh->state);
	}
	return granule;
}

void window_bytes_store(struct window_bytes *b, uint64_t address, uint64_t size,
			const uint8_t *value, uint32_t unit, enum window_byte state)
{
	for (uint64_t done = 0; done < size;) {
		uint64_t at = address + done, offset = at % 8;
		uint64_t part = size - done < 8 - offset ? size - done : 8 - offset;
		struct bytes_granule *g = granule_of(b, at / 8);

		memset(g->state + offset, (int)state, part);
		for (uint64_t i = 0; value && i < part; i++)
			g->value[offset + i] = value[(done + i) % unit];
		done += part;
	}
}

static void forget_granule(struct bytes_granule *g, uint64_t key, uint64_t low, uint64_t high)
{
	uint64_t from = key * 8 < low ? low - key * 8 : 0;
	uint64_t to = key * 8 + 8 > high ? high - key * 8 : 8;

	memset(g->state + from, BYTE_UNKNOWN, to - from);
}

void window_bytes_forget(struct window_bytes *b, uint64_t address, uint64_t size)
{
	uint64_t first = address / 8, last, high = address + size;

	if (!size || high < address)
		return;
	last = (high - 1) / 8;
	if (last - first < 1 << 17) {
		for (uint64_t key = first; key <= last; key++) {
			struct bytes_granule *g =
				b->zero ? granule_of(b, key) : pages_get(&b->granules, key);

			/* Untouched bytes may be known to be 0, so unknown bytes need a granule. */
			if (g)
				forget_granule(g, key, address, high);
		}
		return;
	}
	for (size_t i = 0; i < b->granules.keys.count; i++) {
		uint64_t key = b->granules.keys.items[i] * PAGES_ITEMS;
		struct bytes_granule *page = (struct bytes_granule *)b->granules.pages.items[i];

		for (uint64_t k = 0; k < PAGES_ITEMS; k++) {
			if (key + k >= first && key + k <= last)
				forget_granule(&page[k], key + k, address, high);
		}
	}
}

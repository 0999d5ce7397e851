#include "order/window_bytes.h"

#include <string.h>

void window_bytes_free(struct window_bytes *b)
{
	map_free(&b->index);
	vec_free(&b->granules);
	vec_free(&b->keys);
}

void window_bytes_load(const struct window_bytes *b, uint64_t address, uint64_t size,
		       uint8_t *value, uint8_t *state)
{
	for (uint64_t done = 0; done < size;) {
		uint64_t at = address + done, offset = at % 8;
		uint64_t part = size - done < 8 - offset ? size - done : 8 - offset;
		const uint64_t *number = map_get(&b->index, at / 8);

		if (number) {
			const struct bytes_granule *g = &b->granules.items[*number - 1];

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
	bool fresh;
	uint64_t *number = map_put(&b->index, key, &fresh);

	if (fresh) {
		struct bytes_granule *g = vec_push(&b->granules);

		memset(g->value, 0, sizeof g->value);
		memset(g->state, b->zero ? BYTE_KNOWN : BYTE_UNKNOWN, sizeof g->state);
		*vec_push(&b->keys) = key;
		*number = b->granules.count;
	}
	return &b->granules.items[*number - 1];
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

static void forget(struct bytes_granule *g, uint64_t key, uint64_t low, uint64_t high)
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
	if (b->zero && last - first < 1 << 17) { /* unknown differs from untouched */
		for (uint64_t key = first; key <= last; key++)
			forget(granule_of(b, key), key, address, high);
		return;
	}
	if (last - first < b->keys.count) {
		for (uint64_t key = first; key <= last; key++) {
			const uint64_t *number = map_get(&b->index, key);

			if (number)
				forget(&b->granules.items[*number - 1], key, address, high);
		}
		return;
	}
	for (size_t i = 0; i < b->keys.count; i++) {
		if (b->keys.items[i] >= first && b->keys.items[i] <= last)
			forget(&b->granules.items[i], b->keys.items[i], address, high);
	}
}

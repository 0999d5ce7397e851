/* String interning: an array of the texts, and an open-addressing hash table of their numbers. */
#include "base/intern.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

static uint32_t hash_text(const char *text, size_t length)
{
	return (uint32_t)hash_bytes(HASH_FNV_START, text, length);
}

/* Returns the slot that holds the text, or the empty slot where it belongs. */
static size_t find_slot(const struct intern *in, const char *text, size_t length, uint32_t h)
{
	size_t i = h & in->mask;

	for (; in->table[i]; i = (i + 1) & in->mask) {
		const struct intern_item *item = &in->items.items[in->table[i] - 1];

		if (item->hash == h && item->length == length && !memcmp(item->text, text, length))
			break;
	}
	return i;
}

static void grow(struct intern *in)
{
	size_t room = in->table ? (in->mask + 1) * 2 : 64;

	free(in->table);
	in->table = mem_zalloc(room, sizeof *in->table);
	in->mask = room - 1;
	for (size_t n = 0; n < in->items.count; n++) {
		size_t i = in->items.items[n].hash & in->mask;

		while (in->table[i])
			i = (i + 1) & in->mask;
		in->table[i] = (uint32_t)n + 1;
	}
}

uint32_t intern_put(struct intern *in, const char *text, size_t length, bool *fresh)
{
	uint32_t h = hash_text(text, length);
	size_t i;

	if (!in->table || in->items.count * 2 >= in->mask)
		grow(in);
	i = find_slot(in, text, length, h);
	if (fresh)
		*fresh = !in->table[i];
	if (!in->table[i]) {
		*vec_push(&in->items) = (struct intern_item){ .text = mem_copy_text(text, length),
							      .length = (uint32_t)length,
							      .hash = h };
		in->table[i] = (uint32_t)in->items.count;
	}
	return in->table[i] - 1;
}

uint32_t intern_find(const struct intern *in, const char *text, size_t length)
{
	/* An empty slot holds 0; 0 - 1 is UINT32_MAX. */
	return in->table ? in->table[find_slot(in, text, length, hash_text(text, length))] - 1
			 : UINT32_MAX;
}

const char *intern_text(const struct intern *in, uint32_t number)
{
	assert(number < in->items.count);
	return in->items.items[number].text;
}

void intern_free(struct intern *in)
{
	for (size_t i = 0; i < in->items.count; i++)
		free(in->items.items[i].text);
	vec_free(&in->items);
	free(in->table);
	*in = (struct intern){ 0 };
}

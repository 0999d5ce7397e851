/* Exact counts of runs of any length: addition and decimal text. */
#include "monitor/lattice/lattice.h"

#include "base/mem.h"

#include <string.h>

void lattice_count_add(struct lattice_count *sum, const struct lattice_count *count)
{
	uint32_t limbs = sum->limb_count > count->limb_count ? sum->limb_count : count->limb_count;
	uint64_t carry = 0;

	sum->limbs = mem_resize(sum->limbs, limbs + 1, sizeof *sum->limbs);
	memset(sum->limbs + sum->limb_count, 0, (limbs + 1 - sum->limb_count) * sizeof *sum->limbs);
	sum->limb_count = limbs + 1;
	for (uint32_t i = 0; i <= limbs; i++) {
		__uint128_t both = (__uint128_t)sum->limbs[i] + carry +
				   (i < count->limb_count ? count->limbs[i] : 0);

		sum->limbs[i] = both;
		carry = both >> 64;
	}
	while (sum->limb_count && !sum->limbs[sum->limb_count - 1])
		sum->limb_count--;
}

/* Divides by 10^18 repeatedly. That is quadratic, but counts are short. */
char *lattice_count_text(const struct lattice_count *count)
{
	const uint64_t chunk = 1000000000000000000u;
	uint32_t limbs = count->limb_count;
	uint64_t *left = mem_alloc((limbs + 1) * sizeof *left);
	size_t room = (size_t)limbs * 20 + 2, at = room - 1;
	char *text = mem_alloc(room);

	if (limbs)
		memcpy(left, count->limbs, limbs * sizeof *left);
	text[at] = 0;
	while (limbs && !left[limbs - 1])
		limbs--;
	while (limbs) {
		uint64_t rest = 0;

		for (uint32_t i = limbs; i--;) {
			__uint128_t both = (__uint128_t)rest << 64 | left[i];

			left[i] = both / chunk;
			rest = both % chunk;
		}
		while (limbs && !left[limbs - 1])
			limbs--;
		for (int digit = 0; digit < 18 && (limbs || rest); digit++) {
			text[--at] = '0' + rest % 10;
			rest /= 10;
		}
	}
	if (!text[at])
		text[--at] = '0';
	memmove(text, text + at, room - at);
	free(left);
	return text;
}

/*
 * Computes the edit distance, with swaps of neighbouring characters (the restricted Damerau
 * distance, "optimal string alignment"). Only the first 63 characters of a word count. Up to one
 * mistake is accepted in words of fewer than 5 characters, two in words of fewer than 9, and three
 * in longer words.
 */
#include "spec/spelling.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 63u

static unsigned minimum(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned spelling_distance(const char *a, const char *b)
{
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];
	size_t n = strnlen(b, LONGEST), m = strnlen(a, LONGEST);

	for (size_t j = 0; j <= n; j++)
		before[j] = last[j] = (unsigned)j;
	for (size_t i = 1; i <= m; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			row[j] = minimum(minimum(last[j], row[j - 1]) + 1,
					 last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = minimum(row[j], before[j - 2] + 1);
		}
		unsigned *oldest = before;
		before = last;
		last = row;
		row = oldest;
	}
	return last[n];
}

void spelling_start(struct spelling *near, const char *word)
{
	near->word = word;
	near->length = strnlen(word, LONGEST);
	near->best = NULL;
	near->distance = near->length < 5 ? 2 : near->length < 9 ? 3 : 4;
}

void spelling_try(struct spelling *near, const char *candidate)
{
	size_t length = strnlen(candidate, LONGEST);
	size_t apart = length > near->length ? length - near->length : near->length - length;

	if (apart >= near->distance)
		return;
	unsigned distance = spelling_distance(near->word, candidate);
	/* If all characters differ it is not a typing mistake, however short the word is. */
	if (distance < near->distance && distance < near->length) {
		near->distance = distance;
		near->best = candidate;
	}
}

struct spelling_hint spelling_hint(const char *best)
{
	struct spelling_hint hint = { "" };

	if (best)
		snprintf(hint.text, sizeof hint.text, "; did you mean '%.100s'?", best);
	return hint;
}

/*
 * String interning: gives each distinct text a number, from 0 in the order of first appearance, and
 * maps numbers back to texts.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct intern_item {
	char *text;
	uint32_t length;
	uint32_t hash;
};

struct intern {
	VEC(struct intern_item) items;
	uint32_t *table; /* open addressing: number + 1, or 0 if the slot is empty */
	size_t mask;
};

/*
 * Returns the number of a text, adding the text if it is new. `fresh`, if not NULL, is set to
 * whether it was new.
 */
uint32_t intern_put(struct intern *in, const char *text, size_t length, bool *fresh);
/* Returns the number of a text, or UINT32_MAX if it was never added. */
uint32_t intern_find(const struct intern *in, const char *text, size_t length);
const char *intern_text(const struct intern *in, uint32_t number);
void intern_free(struct intern *in);

#endif

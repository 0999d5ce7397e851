/* Each different text once: text to number (from 0, in order of first sight) and back. */
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
	uint32_t *table; /* number + 1, 0 empty */
	size_t mask;
};

/* The number of a text, given one when new; `*fresh`, if asked for, says whether it was. */
uint32_t intern_put(struct intern *in, const char *text, size_t length, bool *fresh);
/* The number of a text, or UINT32_MAX. */
uint32_t intern_find(const struct intern *in, const char *text, size_t length);
const char *intern_text(const struct intern *in, uint32_t number);
void intern_free(struct intern *in);

#endif

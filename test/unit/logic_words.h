/*
 * All small formulas and all short words over two atoms, for the tests of src/logic. A word is a
 * number: its letters (2 bits each, bit 0 the atom a, bit 1 the atom b), the first one lowest, and its
 * length.
 */
#ifndef TEST_LOGIC_WORDS_H
#define TEST_LOGIC_WORDS_H

#include "base/mem.h"
#include "base/vec.h"
#include "spec/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LONGEST 6u
#define WORDS ((1u << 2 * (LONGEST + 1)) / 3) /* 1 + 4 + … + 4^6 */

static inline uint32_t word_at(unsigned length, uint32_t letters)
{
	return ((1u << 2 * length) - 1) / 3 + letters;
}

static inline unsigned letter_of(uint32_t letters, unsigned i)
{
	return letters >> 2 * i & 3;
}

/* A formula: its text, and where it is true (what that means is the test's affair). */
struct small {
	char *text;
	uint8_t *table;
};
typedef VEC(struct small) smalls;

static inline void smalls_free(smalls *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].text);
		free(list->items[i].table);
	}
	vec_free(list);
}

static inline void add_small(smalls *list, uint8_t *table, const char *format, const char *a,
			     const char *b)
{
	struct small made = { .table = table };
	int length = a ? asprintf(&made.text, format, a, b) : asprintf(&made.text, "%s", format);

	assert_true(length > 0);
	*vec_push(list) = made;
}

static inline struct spec_file *parse_formula(const char *before, const char *formula)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file;
	char *text;

	assert_true(
		asprintf(&text,
			 "extern int x, y;\nproperty P { event a = call f(); event b = call g();\n"
			 "%s %s; }\n",
			 before, formula) > 0);
	file = spec_parse("test.prop", text, &messages);
	if (!file || messages.errors)
		fail_msg("%s", messages.list.count ? messages.list.items[0].shown : text);
	spec_messages_free(&messages);
	free(text);
	return file;
}

#endif

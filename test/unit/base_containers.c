/* Tests vec, map, intern and pages with many random keys. */
#include "base/intern.h"
#include "base/map.h"
#include "base/pages.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void vec_grows(void **state)
{
	VEC(int) v = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		*vec_push(&v) = i * 3;
	assert_int_equal(v.count, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v.items[i], i * 3);
	memset(vec_reserve(&v, 5000), 0, 5000 * sizeof *v.items);
	assert_int_equal(v.count, 1000);
	assert_true(v.room >= 6000);
	vec_free(&v);
	assert_null(v.items);
}

static void map_finds(void **state)
{
	struct map map = { 0 };
	bool fresh;

	(void)state;
	assert_null(map_get(&map, 0));
	assert_null(map_get(&map, 5));
	for (uint64_t i = 0; i < 100000; i++) {
		*map_put(&map, i * 64, &fresh) = i;
		assert_true(fresh);
	}
	for (uint64_t i = 0; i < 100000; i++) {
		assert_int_equal(*map_get(&map, i * 64), i);
		assert_null(map_get(&map, i * 64 + 1));
	}
	map_put(&map, 64, &fresh);
	assert_false(fresh);
	map_put(&map, 0, &fresh);
	assert_false(fresh);
	map_free(&map);
}

static void intern_numbers(void **state)
{
	struct intern in = { 0 };
	char text[16];
	bool fresh;

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(text, sizeof text, "name%u", i);
		assert_int_equal(intern_put(&in, text, strlen(text), &fresh), i);
		assert_true(fresh);
	}
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(text, sizeof text, "name%u", i);
		assert_int_equal(intern_put(&in, text, strlen(text), &fresh), i);
		assert_false(fresh);
		assert_string_equal(intern_text(&in, i), text);
	}
	/* characters after the given length are ignored */
	assert_int_equal(intern_put(&in, "name12xyz", 6, NULL), 12);
	intern_free(&in);
}

struct visited {
	uint64_t count, sum;
};

static void visit(void *context, uint64_t number, void *item)
{
	struct visited *v = context;

	if (!*(uint32_t *)item)
		return;
	assert_int_equal(*(uint32_t *)item, number % 1000 + 1);
	v->count++;
	v->sum += number;
}

static struct visited visit_range(const struct pages *pages, uint64_t low, uint64_t high)
{
	struct visited v = { 0 };

	pages_each(pages, low, high, visit, &v);
	return v;
}

static void pages_hold(void **state)
{
	static const uint64_t numbers[] = { 0,	    1,		511,	    512,
					    100000, 1ull << 40, UINT64_MAX, UINT64_MAX - 511 };
	struct pages pages = { .size = sizeof(uint32_t) };
	struct visited v;

	(void)state;
	assert_null(pages_get(&pages, 3));
	for (size_t i = 0; i < 8; i++)
		*(uint32_t *)pages_put(&pages, numbers[i], NULL) =
			(uint32_t)(numbers[i] % 1000 + 1);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(*(uint32_t *)pages_get(&pages, numbers[i]), numbers[i] % 1000 + 1);
	/* a small range, which visits few pages; a large range, which visits all; an empty one */
	v = visit_range(&pages, 1, 512);
	assert_int_equal(v.count, 2);
	assert_int_equal(v.sum, 512);
	v = visit_range(&pages, 1, (1ull << 40) + 1);
	assert_int_equal(v.count, 5);
	assert_int_equal(v.sum, 1 + 511 + 512 + 100000 + (1ull << 40));
	assert_int_equal(visit_range(&pages, 0, UINT64_MAX).count, 7);
	assert_int_equal(visit_range(&pages, UINT64_MAX - 600, UINT64_MAX).count, 1);
	assert_int_equal(visit_range(&pages, 513, 513).count, 0);
	assert_int_equal(visit_range(&pages, 513, 5).count, 0);
	pages_free(&pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vec_grows),
		cmocka_unit_test(map_finds),
		cmocka_unit_test(intern_numbers),
		cmocka_unit_test(pages_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

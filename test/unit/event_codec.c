/*
 * Numbers and fields of records: the fast ways of writing them give the same bytes as the simple
 * ones.
 */
#include "event/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROOM (CODEC_FIELDS_MAX + CODEC_OVERHANG)

static size_t put_plainly(uint8_t *to, uint64_t value)
{
	size_t n = 0;

	for (; value >= 128; value >>= 7)
		to[n++] = (uint8_t)(value | 128);
	to[n++] = (uint8_t)value;
	return n;
}

static void same_number(uint64_t value)
{
	uint8_t plain[16], quick[16 + CODEC_OVERHANG];
	size_t bytes = put_plainly(plain, value);
	const uint8_t *at = quick;
	uint64_t back = 0;

	assert_int_equal(codec_put_number(quick, value) - quick, bytes);
	assert_memory_equal(quick, plain, bytes);
	assert_true(codec_get_number(&at, quick + bytes, &back));
	assert_true(back == value && at == quick + bytes);
}

static void numbers(void **state)
{
	(void)state;
	srandom(1);
	for (unsigned bits = 0; bits < 64; bits++) {
		uint64_t power = 1ull << bits;

		same_number(power - 1);
		same_number(power);
		same_number(power + 1);
		for (int i = 0; i < 1000; i++)
			same_number(((uint64_t)random() << 33 ^ (uint64_t)random()) & (power - 1));
	}
	same_number(UINT64_MAX);
}

static uint64_t any_number(void)
{
	return ((uint64_t)random() << 33 ^ (uint64_t)random()) >> random() % 64;
}

static void sets(void **state)
{
	unsigned without = 0;

	(void)state;
	for (enum event_kind kind = 0; kind < EV_COUNT; kind++) {
		struct codec one = { 0 }, other = { 0 };

		without += !event_field_set[kind] && strcspn(event_fields(kind), "*");
		for (int i = 0; i < 1000 && event_field_set[kind]; i++) {
			struct codec_fields f = {
				.p = any_number(),
				.t = one.time + any_number() % 1000,
				.q = any_number(),
				.a = any_number(),
				.b = any_number(),
				.n = any_number(),
				.m = any_number(),
			};
			uint8_t plain[ROOM], quick[ROOM];
			size_t bytes =
				(size_t)(codec_put_fields(&one, plain, event_fields(kind), &f) -
					 plain);

			assert_int_equal(codec_put_set(&other, quick, event_field_set[kind], &f) -
						 quick,
					 bytes);
			assert_memory_equal(quick, plain, bytes);
			assert_memory_equal(&one, &other, sizeof one);
		}
	}
	assert_int_equal(without, 2); /* only BEGIN and HANDLER */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

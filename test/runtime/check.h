/*
 * Checks for the tests of the runtime: a failed check prints what is wrong, the test continues, and
 * it fails at its end.
 */
#ifndef TEST_RUNTIME_CHECK_H
#define TEST_RUNTIME_CHECK_H

#include <stdio.h>

static int check_failures;

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			check_failures++;                                                          \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
		}                                                                                  \
	} while (0)

/* Checks that two numbers are equal. */
#define CHECK_SAME(seen, expected)                                                                 \
	do {                                                                                       \
		long long check_seen = (long long)(seen), check_expected = (long long)(expected);  \
		if (check_seen != check_expected) {                                                \
			check_failures++;                                                          \
			fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__,       \
				#seen, check_seen, check_expected);                                \
		}                                                                                  \
	} while (0)

static inline int check_result(void)
{
	return check_failures ? 1 : 0;
}

#endif

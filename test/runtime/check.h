/* Checks of the runtime's tests: a test says what is wrong, goes on, and fails at its end. */
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

/* Two numbers that must be the same. */
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

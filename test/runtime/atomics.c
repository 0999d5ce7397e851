/* Tests the calls that the compiler plugin generates for atomic operations. */
#include "recorded.h"

#include <pthread.h>
#include <sys/mman.h>

typedef unsigned __int128 uint128_t;

#define DECLARE(N, T)                                                                              \
	T __sooth_load##N(const volatile T *, int);                                                \
	void __sooth_store##N(volatile T *, T, int);                                               \
	T __sooth_swap##N(volatile T *, T, int);                                                   \
	bool __sooth_cas##N(volatile T *, T *, T, int);                                            \
	T __sooth_casval##N(volatile T *, T, T, int);                                              \
	T __sooth_rmw##N(volatile T *, T, int, int);
DECLARE(1, uint8_t)
DECLARE(2, uint16_t)
DECLARE(4, uint32_t)
DECLARE(8, uint64_t)
DECLARE(16, uint128_t)
void __sooth_fence(int);

enum { ADD, SUB, AND, OR, XOR, NAND };
enum { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };
#define SHARED 256

/* ---- results: each size alone between guards ---- */

#define RESULTS(N, T)                                                                              \
	static void results##N(void)                                                               \
	{                                                                                          \
		static _Alignas(16) struct {                                                       \
			T value, guard;                                                            \
		} x;                                                                               \
		const T big = (T)-2, guard = (T)0x55, start = (T)5;                                \
		T expected = 7;                                                                    \
		x.guard = guard;                                                                   \
		__sooth_store##N(&x.value, start, RELEASE);                                        \
		CHECK(__sooth_load##N(&x.value, ACQUIRE) == start);                                \
		CHECK(__sooth_swap##N(&x.value, big, ACQ_REL) == start);                           \
		CHECK(__sooth_rmw##N(&x.value, 5, ADD, SEQ_CST) == big);                           \
		CHECK(__sooth_rmw##N(&x.value, 4, SUB, SEQ_CST) == 3);                             \
		CHECK(__sooth_rmw##N(&x.value, 12, AND, SEQ_CST) == (T)-1);                        \
		CHECK(__sooth_rmw##N(&x.value, 3, OR, SEQ_CST) == 12);                             \
		CHECK(__sooth_rmw##N(&x.value, 5, XOR, SEQ_CST) == 15);                            \
		CHECK(__sooth_rmw##N(&x.value, 8, NAND, SEQ_CST) == 10);                           \
		CHECK(x.value == (T) ~(T)8);                                                       \
		CHECK(!__sooth_cas##N(&x.value, &expected, 1, SEQ_CST | SHARED));                  \
		CHECK(expected == (T) ~(T)8 && x.value == expected);                               \
		CHECK(__sooth_cas##N(&x.value, &expected, 1, SEQ_CST | SHARED));                   \
		CHECK(x.value == 1);                                                               \
		CHECK(__sooth_casval##N(&x.value, 2, 3, RELAXED) == 1 && x.value == 1);            \
		CHECK(__sooth_casval##N(&x.value, 1, 3, RELAXED) == 1 && x.value == 3);            \
		CHECK(x.guard == guard);                                                           \
		__sooth_fence(SEQ_CST);                                                            \
	}
RESULTS(1, uint8_t)
RESULTS(2, uint16_t)
RESULTS(4, uint32_t)
RESULTS(8, uint64_t)
RESULTS(16, uint128_t)

#define UPDATES                                                                                    \
	"ATOMIC_UPDATE ATOMIC_UPDATE ATOMIC_UPDATE ATOMIC_UPDATE ATOMIC_UPDATE ATOMIC_UPDATE "     \
	"ATOMIC_UPDATE "
#define ALL                                                                                        \
	"ATOMIC_WRITE ATOMIC_READ " UPDATES                                                        \
	"READ ATOMIC_READ WRITE READ ATOMIC_UPDATE ATOMIC_READ ATOMIC_UPDATE FENCE"

static uint128_t value_at(const uint8_t *bytes, size_t size)
{
	uint128_t value = 0;

	memcpy(&value, bytes, size);
	return value;
}

static void check_results(void (*scenario)(void), size_t size)
{
	struct recorded r = recorded_run(scenario);
	uint128_t ones = ~(uint128_t)0 >> (128 - 8 * size);

	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, ALL, EV_ATOMIC_WRITE, EV_ATOMIC_READ, EV_ATOMIC_UPDATE, EV_READ,
		     EV_WRITE, EV_FENCE);
	if (!r.on)
		return;
	const struct recorded_event *e = recorded_find(&r, EV_ATOMIC_WRITE, 0);
	CHECK_SAME(e->f.m, RELEASE);
	CHECK_SAME(e->f.n, size);
	CHECK(value_at(e->f.bytes, size) == 5);
	e = recorded_find(&r, EV_ATOMIC_UPDATE, 0);
	CHECK_SAME(e->f.m, ACQ_REL);
	CHECK_SAME(e->f.size, 2 * size);
	CHECK(value_at(e->f.bytes, size) == 5 && value_at(e->f.bytes + size, size) == (ones ^ 1));
	e = recorded_find(&r, EV_ATOMIC_READ, 1); /* the failed compare-and-exchange */
	CHECK_SAME(e->f.m, SEQ_CST | EF_CAS_FAIL << EVENT_ORDER_BITS);
	CHECK(value_at(e->f.bytes, size) == (ones ^ 8));
	CHECK(value_at(recorded_find(&r, EV_READ, 0)->f.bytes, size) == 7);
	CHECK(value_at(recorded_find(&r, EV_WRITE, 0)->f.bytes, size) == (ones ^ 8));
	uint64_t last = 0;
	for (size_t i = 0; i < r.count; i++) {
		if (r.events[i].f.q) {
			CHECK(r.events[i].f.q > last);
			last = r.events[i].f.q;
		}
	}
}

/* ---- a load of 16 bytes does not write ---- */

static void read_only(void)
{
	uint128_t *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	page[1] = (uint128_t)7 << 64 | 9;
	mprotect(page, 4096, PROT_READ);
	CHECK(__sooth_load16(&page[1], SEQ_CST) == ((uint128_t)7 << 64 | 9));
}

/* ---- in the order of the numbers each update finds what the one before has left ---- */

#define ROUNDS 20000
static uint64_t counter;
static _Alignas(16) uint128_t wide;

static void *count(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t seen = __sooth_load8(&counter, RELAXED);
		switch (i % 3) {
		case 0: __sooth_rmw8(&counter, 1, ADD, RELAXED); break;
		case 1:
			while (!__sooth_cas8(&counter, &seen, seen + 1, SEQ_CST))
				;
			break;
		case 2: __sooth_rmw16(&wide, (uint128_t)1 << 64 | 1, ADD, SEQ_CST); break;
		}
	}
	return unused;
}

static void contest(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK_SAME((uint64_t)wide + counter, 2 * ROUNDS);
	CHECK((uint64_t)(wide >> 64) == (uint64_t)wide);
}

static int by_number(const void *left, const void *right)
{
	const struct recorded_event *x = left, *y = right;

	return x->f.q < y->f.q ? -1 : x->f.q > y->f.q;
}

static void check_contest(struct recorded *r)
{
	uint128_t now = 0, now_wide = 0;

	qsort(r->events, r->count, sizeof(*r->events), by_number);
	for (size_t i = 0; i < r->count; i++) {
		const struct recorded_event *e = &r->events[i];
		if (e->kind != EV_ATOMIC_READ && e->kind != EV_ATOMIC_UPDATE)
			continue;
		uint128_t *value = e->f.a == (uintptr_t)&counter ? &now : &now_wide;
		CHECK(value_at(e->f.bytes, e->f.n) == *value);
		if (e->kind == EV_ATOMIC_UPDATE)
			*value = value_at(e->f.bytes + e->f.n, e->f.n);
	}
	CHECK_SAME(now + (uint64_t)now_wide, 2 * ROUNDS);
}

int main(void)
{
	check_results(results1, 1);
	check_results(results2, 2);
	check_results(results4, 4);
	check_results(results8, 8);
	check_results(results16, 16);
	struct recorded r = recorded_run(read_only);
	CHECK_RAN(r);
	r = recorded_run(contest);
	CHECK_RAN(r);
	if (r.on)
		check_contest(&r);
	return check_result();
}

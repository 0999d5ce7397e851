/*
 * Atomic operations. The compiler plugin turns them into calls: __sooth_load4(address, order) and
 * so on for 1, 2, 4, 8 and 16 bytes. Each function performs the operation and takes its sequence
 * number while it holds the stripe of the address. The operation is always sequentially consistent;
 * the requested memory order is only recorded.
 */
#include "runtime/buffer/thread_buffer.h"
#include "runtime/memory/range.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <cpuid.h>
#include <stdbool.h>

typedef unsigned __int128 uint128_t;

/* The last argument of each function: the memory order in the low byte, and EXPECTED_IS_SHARED. */
#define ORDER(m) ((uint64_t)(m)&255)
#define EXPECTED_IS_SHARED 256

enum atomic_update { ADD, SUB, AND, OR, XOR, NAND };

/* ---- records --------------------------------------------------------------------------------- */

/*
 * Records an atomic operation. `updated` is the new value of an ATOMIC_UPDATE, NULL for other
 * kinds.
 */
static inline void record_outcome(enum event_kind kind, uintptr_t pc, const volatile void *at,
				  uint64_t number, size_t size, uint64_t mode, const void *value,
				  const void *updated)
{
	struct record_fields fields = { .q = number, .a = (uintptr_t)at, .n = size, .m = mode };

	record_atomic(kind, pc, &fields, value, updated);
}

/*
 * Records the plain write of a failed compare-and-exchange, which stores the current value in
 * `expected`.
 */
static void record_plain_write(uintptr_t pc, const void *at, const void *value, size_t size)
{
	record_access(EV_WRITE, pc, at, value, size, 0);
}

/* ---- the two primitives that all operations use ---------------------------------------------- */

#define PRIMITIVES(N, T)                                                                           \
	static inline T load##N(const volatile T *at)                                              \
	{                                                                                          \
		return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                      \
	}                                                                                          \
	static inline bool exchange##N(volatile T *at, T *expected, T desired)                     \
	{                                                                                          \
		return __atomic_compare_exchange_n(at, expected, desired, false, __ATOMIC_SEQ_CST, \
						   __ATOMIC_SEQ_CST);                              \
	}
PRIMITIVES(1, uint8_t)
PRIMITIVES(2, uint16_t)
PRIMITIVES(4, uint32_t)
PRIMITIVES(8, uint64_t)

static inline bool exchange16(volatile uint128_t *at, uint128_t *expected, uint128_t desired)
{
	uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*at), "+a"(low), "+d"(high)
			 : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
			 : "memory");
	*expected = (uint128_t)high << 64 | low;
	return done;
}

/* Processors with AVX load 16 aligned bytes atomically; others need a compare-and-exchange. */
static bool loads_16_bytes(void)
{
	static int known; /* 1 yes, -1 no; CPUID is slow in a virtual machine */
	unsigned a, b, c, d;

	if (!known)
		known = __get_cpuid(1, &a, &b, &c, &d) && c & bit_AVX ? 1 : -1;
	return known > 0;
}

static inline uint128_t load16(const volatile uint128_t *at)
{
	uint128_t value = 0;

	if (loads_16_bytes()) {
		__asm__ volatile("movdqa %1, %%xmm0\n\tmovdqa %%xmm0, %0"
				 : "=m"(value)
				 : "m"(*at)
				 : "xmm0", "memory");
		return value;
	}
	exchange16((volatile uint128_t *)at, &value, value);
	return value;
}

/* ---- the operations -------------------------------------------------------------------------- */

#define UPDATE(T)                                                                                  \
	static inline T update_##T(T old, T operand, int how)                                      \
	{                                                                                          \
		switch ((enum atomic_update)how) {                                                 \
		case ADD: return (T)(old + operand);                                               \
		case SUB: return (T)(old - operand);                                               \
		case AND: return old & operand;                                                    \
		case OR: return old | operand;                                                     \
		case XOR: return old ^ operand;                                                    \
		case NAND: return (T) ~(old & operand);                                            \
		}                                                                                  \
		__builtin_trap(); /* the plugin and this file do not match */                      \
	}

#define LOAD(N, T)                                                                                 \
	DEFINE(T, __sooth_load##N, const volatile T *at, int m)                                    \
	{                                                                                          \
		if (!record_on())                                                                  \
			return load##N(at);                                                        \
		sched_before(EV_ATOMIC_READ, at, N, RECORD_CALLER);                                \
		bool striped = record_stripe_lock(at);                                             \
		T value = load##N(at);                                                             \
		uint64_t number = record_sequence(at);                                             \
		if (striped)                                                                       \
			record_stripe_unlock(at);                                                  \
		record_outcome(EV_ATOMIC_READ, RECORD_CALLER, at, number, N, ORDER(m), &value,     \
			       NULL);                                                              \
		return value;                                                                      \
	}

#define STORE(N, T)                                                                                \
	DEFINE(void, __sooth_store##N, volatile T *at, T value, int m)                             \
	{                                                                                          \
		bool on = record_on();                                                             \
		sched_before(EV_ATOMIC_WRITE, at, N, RECORD_CALLER);                               \
		bool striped = on && record_stripe_lock(at);                                       \
		T old = load##N(at);                                                               \
		while (!exchange##N(at, &old, value))                                              \
			;                                                                          \
		if (!on)                                                                           \
			return;                                                                    \
		uint64_t number = record_sequence(at);                                             \
		if (striped)                                                                       \
			record_stripe_unlock(at);                                                  \
		record_outcome(EV_ATOMIC_WRITE, RECORD_CALLER, at, number, N, ORDER(m), &value,    \
			       NULL);                                                              \
	}

/* Replaces the value `old` by `next`, an expression of `old` and `operand`. */
#define UPDATING(N, T, name, operand, old, next, ...)                                              \
	DEFINE(T, __sooth_##name##N, volatile T *at, T operand, ##__VA_ARGS__, int m)              \
	{                                                                                          \
		bool on = record_on();                                                             \
		sched_before(EV_ATOMIC_UPDATE, at, N, RECORD_CALLER);                              \
		bool striped = on && record_stripe_lock(at);                                       \
		T old = load##N(at), updated;                                                      \
		do                                                                                 \
			updated = next;                                                            \
		while (!exchange##N(at, &old, updated));                                           \
		if (!on)                                                                           \
			return old;                                                                \
		uint64_t number = record_sequence(at);                                             \
		if (striped)                                                                       \
			record_stripe_unlock(at);                                                  \
		record_outcome(EV_ATOMIC_UPDATE, RECORD_CALLER, at, number, N, ORDER(m), &old,     \
			       &updated);                                                          \
		return old;                                                                        \
	}

/* A compare-and-exchange is recorded as an update if it succeeds, and as a read if it fails. */
#define COMPARE(N, T)                                                                              \
	static inline bool compare##N(uintptr_t pc, volatile T *at, T *old, T desired, int m)      \
	{                                                                                          \
		sched_before(EV_ATOMIC_UPDATE, at, N, pc);                                         \
		T expected = *old;                                                                 \
		bool striped = record_stripe_lock(at);                                             \
		bool done = exchange##N(at, old, desired);                                         \
		uint64_t number = record_sequence(at);                                             \
		if (striped)                                                                       \
			record_stripe_unlock(at);                                                  \
		if (done)                                                                          \
			record_outcome(EV_ATOMIC_UPDATE, pc, at, number, N, ORDER(m), &expected,   \
				       &desired);                                                  \
		else                                                                               \
			record_outcome(EV_ATOMIC_READ, pc, at, number, N,                          \
				       ORDER(m) | EF_CAS_FAIL << EVENT_ORDER_BITS, old, NULL);     \
		return done;                                                                       \
	}                                                                                          \
	DEFINE(bool, __sooth_cas##N, volatile T *at, T *expected, T desired, int m)                \
	{                                                                                          \
		uintptr_t pc = RECORD_CALLER;                                                      \
		if (!record_on())                                                                  \
			return exchange##N(at, expected, desired);                                 \
		if (m & EXPECTED_IS_SHARED)                                                        \
			sched_before(EV_READ, expected, N, pc);                                    \
		T old = *(volatile T *)expected;                                                   \
		if (m & EXPECTED_IS_SHARED)                                                        \
			range_read(pc, expected, &old, N, 0);                                      \
		if (compare##N(pc, at, &old, desired, m))                                          \
			return true;                                                               \
		if (m & EXPECTED_IS_SHARED)                                                        \
			record_plain_write(pc, expected, &old, N);                                 \
		*expected = old;                                                                   \
		return false;                                                                      \
	}                                                                                          \
	DEFINE(T, __sooth_casval##N, volatile T *at, T expected, T desired, int m)                 \
	{                                                                                          \
		if (record_on())                                                                   \
			compare##N(RECORD_CALLER, at, &expected, desired, m);                      \
		else                                                                               \
			exchange##N(at, &expected, desired);                                       \
		return expected;                                                                   \
	}

#define OPERATIONS(N, T)                                                                           \
	UPDATE(T)                                                                                  \
	LOAD(N, T)                                                                                 \
	STORE(N, T)                                                                                \
	UPDATING(N, T, swap, operand, old, operand)                                                \
	UPDATING(N, T, rmw, operand, old, update_##T(old, operand, how), int how)                  \
	COMPARE(N, T)

OPERATIONS(1, uint8_t)
OPERATIONS(2, uint16_t)
OPERATIONS(4, uint32_t)
OPERATIONS(8, uint64_t)
OPERATIONS(16, uint128_t)

DEFINE(void, __sooth_fence, int m)
{
	sched_before(EV_FENCE, NULL, 0, RECORD_CALLER);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (record_on())
		record(EV_FENCE, RECORD_CALLER, (struct record_fields){ .m = ORDER(m) });
}

/*
 * A program that keeps a log of its own accesses, to compare its trace with (compare.c).
 *
 * A generated program (generate.py) reads and writes its objects through RD, WR and the like. How
 * these expand is the variant of the build:
 *
 *   -DLOGGED    each access is followed by an entry in the thread's log
 *   -DVOLATILE  the access is of a volatile lvalue; without it a barrier follows each access
 *   -DFREE      neither: the optimiser may do what it likes
 *
 * A function that uses them has a local `acc` that everything read flows into, so that no read is
 * without a use.
 */
#ifndef TEST_EXACT_LOG_H
#define TEST_EXACT_LOG_H

#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef __int128 s128;
typedef float f32;
typedef double f64;
typedef long double f80;

enum log_kind {
	LOG_READ = 'r',
	LOG_WRITE = 'w',
	LOG_BITS_READ = 'b', /* address of the struct, size its size, `bit` and `width` in it */
	LOG_BITS_WRITE = 'B',
	LOG_COPY = 'c', /* from `value[1]`; the contents are at value[0] of the thread's bytes */
	LOG_FILL = 's',
	LOG_ATOMIC_READ = 'R',
	LOG_ATOMIC_WRITE = 'W',
	LOG_ATOMIC_UPDATE = 'U', /* value: old, new */
	LOG_HOOK_READ = 1,	 /* the same without values and lines (hooks.c) */
	LOG_HOOK_WRITE,
	LOG_HOOK_ATOMIC_READ,
	LOG_HOOK_ATOMIC_WRITE,
	LOG_HOOK_ATOMIC_UPDATE,
	LOG_HOOKS,
};

struct log_entry {
	_Alignas(16) u64 value[2];
	u64 address;
	u32 line;
	u32 size;
	u8 kind, bit, width;
};

/* The file a program leaves behind: this, its memory ranges, then thread by thread. */
struct log_head {
	u32 magic, threads, ranges, spare;
};
struct log_range {
	u64 address, size;
	u64 has_contents; /* `size` bytes follow: what was there at the end */
};
struct log_thread {
	u64 stream, entries, bytes; /* entries and bytes follow */
};
#define LOG_MAGIC 0x21676f6cu

/* log.c, which is never instrumented. */
extern __thread struct log_entry *log_at;
void log_copy(u32 line, const void *to, const void *from, u64 size);
void log_fill(u32 line, const void *to, u64 size);
void log_life(const void *object, u64 size); /* a local variable lives here */
u64 log_outside(u64 acc);
u64 log_call_back(u64 (*function)(u64, u32, void *), u64 acc, u32 me, void *pointer);

/* The generated part. */
extern const u32 program_threads;
u64 program(u64 acc, u32 me);

#ifdef VOLATILE
#define LV(x) (*(volatile __typeof__(x) *)&(x))
#define BARRIER() ((void)0)
#define BARRIER_ALWAYS() __asm__ volatile("" : "+r"(acc) : : "memory")
#elif defined FREE
#define LV(x) (x)
#define BARRIER() ((void)0)
#define BARRIER_ALWAYS() ((void)0)
#else
#define LV(x) (x)
#define BARRIER() __asm__ volatile("" : "+r"(acc) : : "memory")
#define BARRIER_ALWAYS() BARRIER()
#endif

#define MIX(v)                                                                                     \
	(acc = acc * 5 + _Generic((v), f32                                                         \
				  : (v) > 100, f64                                                 \
				  : (v) > 100, f80                                                 \
				  : (v) > 100, default                                             \
				  : (u64)(v)))
#define SIZE(x) (_Generic((x), f80 : 10, default : sizeof(x)))

#ifdef LOGGED
#define NOTE(what, p, n, v)                                                                        \
	do {                                                                                       \
		struct log_entry *e_ = log_at;                                                     \
		e_->kind = (what);                                                                 \
		e_->address = (uintptr_t)(p);                                                      \
		e_->line = __LINE__;                                                               \
		e_->size = (u32)(n);                                                               \
		*(__typeof__(v) *)e_->value = (v);                                                 \
		log_at = e_ + 1;                                                                   \
	} while (0)
#define NOTE_BITS(what, p, n, at, wide, v)                                                         \
	do {                                                                                       \
		log_at->bit = (at);                                                                \
		log_at->width = (wide);                                                            \
		NOTE(what, p, n, v);                                                               \
	} while (0)
#define NOTE_UPDATE(p, n, was, is)                                                                 \
	do {                                                                                       \
		log_at->value[1] = (is);                                                           \
		NOTE(LOG_ATOMIC_UPDATE, p, n, was);                                                \
	} while (0)
#define NOTE_COPY(to, from, n) log_copy(__LINE__, to, from, n)
#define NOTE_FILL(to, n) log_fill(__LINE__, to, n)
#else
#define NOTE(what, p, n, v) ((void)0)
#define NOTE_BITS(what, p, n, at, wide, v) ((void)0)
#define NOTE_UPDATE(p, n, was, is) ((void)(is))
#define NOTE_COPY(to, from, n) ((void)0)
#define NOTE_FILL(to, n) ((void)0)
#endif

/* x is an lvalue without side effects. */
#define RD(x)                                                                                      \
	({                                                                                         \
		__typeof__(x) v_ = LV(x);                                                          \
		NOTE(LOG_READ, &(x), SIZE(x), v_);                                                 \
		MIX(v_);                                                                           \
		BARRIER();                                                                         \
		v_;                                                                                \
	})
#define WR(x, v)                                                                                   \
	do {                                                                                       \
		__typeof__(x) w_ = (__typeof__(x))(v);                                             \
		LV(x) = w_;                                                                        \
		NOTE(LOG_WRITE, &(x), SIZE(x), w_);                                                \
		BARRIER();                                                                         \
	} while (0)
/*
 * Of a packed struct: the pointer to a member would claim an alignment it does not have. What
 * cannot be volatile needs a barrier behind it in any case.
 */
#define RD_PACKED(x)                                                                               \
	({                                                                                         \
		__typeof__(x) v_ = (x);                                                            \
		NOTE(LOG_READ, &(x), SIZE(x), v_);                                                 \
		MIX(v_);                                                                           \
		BARRIER_ALWAYS();                                                                  \
		v_;                                                                                \
	})
#define WR_PACKED(x, v)                                                                            \
	do {                                                                                       \
		__typeof__(x) w_ = (__typeof__(x))(v);                                             \
		(x) = w_;                                                                          \
		NOTE(LOG_WRITE, &(x), SIZE(x), w_);                                                \
		BARRIER_ALWAYS();                                                                  \
	} while (0)
/* Bit `at` of struct s, `wide` bits; `mask` of so many. */
#define RD_BITS(s, f, at, wide)                                                                    \
	({                                                                                         \
		u64 v_ = (u64)(s).f & (((u64)2 << ((wide)-1)) - 1);                                \
		NOTE_BITS(LOG_BITS_READ, &(s), sizeof(s), at, wide, v_);                           \
		MIX(v_);                                                                           \
		BARRIER_ALWAYS();                                                                  \
		v_;                                                                                \
	})
#define WR_BITS(s, f, at, wide, v)                                                                 \
	do {                                                                                       \
		u64 w_ = (u64)(v) & (((u64)2 << ((wide)-1)) - 1);                                  \
		(s).f = w_;                                                                        \
		NOTE_BITS(LOG_BITS_WRITE, &(s), sizeof(s), at, wide, w_);                          \
		BARRIER_ALWAYS();                                                                  \
	} while (0)
#define ASSIGN(to, from)                                                                           \
	do {                                                                                       \
		(to) = (from);                                                                     \
		NOTE_COPY(&(to), &(from), sizeof(to));                                             \
		BARRIER_ALWAYS();                                                                  \
	} while (0)
#define COPY(how, to, from, n)                                                                     \
	do {                                                                                       \
		how(to, from, n);                                                                  \
		NOTE_COPY(to, from, n);                                                            \
		BARRIER_ALWAYS();                                                                  \
	} while (0)
#define FILL(to, byte, n)                                                                          \
	do {                                                                                       \
		memset(to, byte, n);                                                               \
		NOTE_FILL(to, n);                                                                  \
		BARRIER_ALWAYS();                                                                  \
	} while (0)
#define ATOMIC_RD(x)                                                                               \
	({                                                                                         \
		__typeof__(x) v_ = __atomic_load_n(&(x), __ATOMIC_ACQUIRE);                        \
		NOTE(LOG_ATOMIC_READ, &(x), sizeof(x), v_);                                        \
		MIX(v_);                                                                           \
		BARRIER();                                                                         \
		v_;                                                                                \
	})
#define ATOMIC_WR(x, v)                                                                            \
	do {                                                                                       \
		__typeof__(x) w_ = (__typeof__(x))(v);                                             \
		__atomic_store_n(&(x), w_, __ATOMIC_RELEASE);                                      \
		NOTE(LOG_ATOMIC_WRITE, &(x), sizeof(x), w_);                                       \
		BARRIER();                                                                         \
	} while (0)
#define ATOMIC_ADD(x, v)                                                                           \
	do {                                                                                       \
		__typeof__(x) w_ = (__typeof__(x))(v);                                             \
		__typeof__(x) v_ = __atomic_fetch_add(&(x), w_, __ATOMIC_SEQ_CST);                 \
		NOTE_UPDATE(&(x), sizeof(x), v_, (__typeof__(x))(v_ + w_));                        \
		MIX(v_);                                                                           \
		BARRIER();                                                                         \
	} while (0)
#define ATOMIC_SWAP(x, v)                                                                          \
	do {                                                                                       \
		__typeof__(x) w_ = (__typeof__(x))(v);                                             \
		__typeof__(x) v_ = __atomic_exchange_n(&(x), w_, __ATOMIC_ACQ_REL);                \
		NOTE_UPDATE(&(x), sizeof(x), v_, w_);                                              \
		MIX(v_);                                                                           \
		BARRIER();                                                                         \
	} while (0)
#ifdef LOGGED
#define LIFE(x) log_life(&(x), sizeof(x))
#else
#define LIFE(x) ((void)0)
#endif

#endif

/*
 * A program that keeps a log of its own accesses, which compare.c compares with its trace.
 *
 * A generated program (generate.py) reads and writes its objects through RD, WR and similar macros.
 * The build decides how these expand:
 *
 *   -DLOGGED    an entry in the thread's log follows each access
 *   -DVOLATILE  each access is to a volatile lvalue; otherwise a barrier follows each access
 *   -DFREE      neither: the optimiser may do anything
 *
 * A function that uses these macros has a local variable `acc`, into which every value read is
 * mixed. So no read is unused.
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
	/* address and size of the struct; `bit` and `width` locate the field */
	LOG_BITS_READ = 'b',
	LOG_BITS_WRITE = 'B',
	/* source address in value[1]; the bytes are in the thread's bytes, at offset value[0] */
	LOG_COPY = 'c',
	LOG_FILL = 's',
	LOG_ATOMIC_READ = 'R',
	LOG_ATOMIC_WRITE = 'W',
	LOG_ATOMIC_UPDATE = 'U', /* value[0]: old value, value[1]: new value */
	LOG_HOOK_READ = 1,	 /* from here on: the same without values and lines (hooks.c) */
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

/* The file that a program writes: this header, its memory ranges, then the log of each thread. */
struct log_head {
	u32 magic, threads, ranges, spare;
};
struct log_range {
	u64 address, size;
	u64 has_contents; /* `size` bytes follow: the contents at the end of the run */
};
struct log_thread {
	u64 stream, entries, bytes; /* this many entries and bytes follow */
};
#define LOG_MAGIC 0x21676f6cu

/* Functions of log.c, which is never instrumented. */
extern __thread struct log_entry *log_at;
void log_copy(u32 line, const void *to, const void *from, u64 size);
void log_fill(u32 line, const void *to, u64 size);
void log_life(const void *object, u64 size); /* registers a local variable */
u64 log_outside(u64 acc);
u64 log_call_back(u64 (*function)(u64, u32, void *), u64 acc, u32 me, void *pointer);

/* The generated program. */
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

/* `x` must be an lvalue without side effects. */
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
 * For members of a packed struct: a volatile access would need a pointer, which would claim an
 * alignment that the member does not have. An access that is not volatile always needs a barrier
 * after it.
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
/* For the bit-field `f` of struct `s`, which starts at bit `at` and has `wide` bits. */
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

/*
 * An independent log: the hooks of the compiler's own thread sanitizer log the address of each
 * access. A hook is called before its access, so there is no value. Everything else must agree with
 * the trace.
 */
#include "log.h"

extern u8 __start_objects[], __stop_objects[];

#define HOOK(name) __attribute__((used)) void name

static void note(u8 kind, const volatile void *p, u64 size)
{
	u64 at = (uintptr_t)p - (uintptr_t)__start_objects;

	if (at < (u64)(__stop_objects - __start_objects))
		*log_at++ = (struct log_entry){ .address = (uintptr_t)p,
						.size = (u32)size,
						.kind = kind };
}

void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);
HOOK(__tsan_init)(void)
{
}
HOOK(__tsan_func_entry)(void *pc)
{
	(void)pc;
}
HOOK(__tsan_func_exit)(void)
{
}

#define ACCESS(n)                                                                                  \
	void __tsan_read##n(void *p);                                                              \
	void __tsan_write##n(void *p);                                                             \
	void __tsan_unaligned_read##n(void *p);                                                    \
	void __tsan_unaligned_write##n(void *p);                                                   \
	HOOK(__tsan_read##n)(void *p)                                                              \
	{                                                                                          \
		note(LOG_HOOK_READ, p, n);                                                         \
	}                                                                                          \
	HOOK(__tsan_write##n)(void *p)                                                             \
	{                                                                                          \
		note(LOG_HOOK_WRITE, p, n);                                                        \
	}                                                                                          \
	HOOK(__tsan_unaligned_read##n)(void *p)                                                    \
	{                                                                                          \
		note(LOG_HOOK_READ, p, n);                                                         \
	}                                                                                          \
	HOOK(__tsan_unaligned_write##n)(void *p)                                                   \
	{                                                                                          \
		note(LOG_HOOK_WRITE, p, n);                                                        \
	}
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void *p, u64 size);
void __tsan_write_range(void *p, u64 size);
HOOK(__tsan_read_range)(void *p, u64 size)
{
	note(LOG_HOOK_READ, p, size);
}
HOOK(__tsan_write_range)(void *p, u64 size)
{
	note(LOG_HOOK_WRITE, p, size);
}

#define ATOMIC(bits, type)                                                                         \
	type __tsan_atomic##bits##_load(type *p, int order);                                       \
	void __tsan_atomic##bits##_store(type *p, type v, int order);                              \
	type __tsan_atomic##bits##_fetch_add(type *p, type v, int order);                          \
	type __tsan_atomic##bits##_exchange(type *p, type v, int order);                           \
	type __tsan_atomic##bits##_load(type *p, int order)                                        \
	{                                                                                          \
		(void)order;                                                                       \
		note(LOG_HOOK_ATOMIC_READ, p, sizeof(*p));                                         \
		return *p;                                                                         \
	}                                                                                          \
	void __tsan_atomic##bits##_store(type *p, type v, int order)                               \
	{                                                                                          \
		(void)order;                                                                       \
		note(LOG_HOOK_ATOMIC_WRITE, p, sizeof(*p));                                        \
		*p = v;                                                                            \
	}                                                                                          \
	type __tsan_atomic##bits##_fetch_add(type *p, type v, int order)                           \
	{                                                                                          \
		type old = *p;                                                                     \
		(void)order;                                                                       \
		note(LOG_HOOK_ATOMIC_UPDATE, p, sizeof(*p));                                       \
		*p = (type)(old + v);                                                              \
		return old;                                                                        \
	}                                                                                          \
	type __tsan_atomic##bits##_exchange(type *p, type v, int order)                            \
	{                                                                                          \
		type old = *p;                                                                     \
		(void)order;                                                                       \
		note(LOG_HOOK_ATOMIC_UPDATE, p, sizeof(*p));                                       \
		*p = v;                                                                            \
		return old;                                                                        \
	}
ATOMIC(8, u8) ATOMIC(16, u16) ATOMIC(32, u32) ATOMIC(64, u64)

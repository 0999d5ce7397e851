/*
 * A logger for bench/table2, linked in place of libtsan. gcc's thread sanitizer calls it for every
 * access, and it appends one entry to a log. With TABLE2_LOG=global there is one log for all
 * threads, under one lock. With TABLE2_LOG=thread each thread has its own log. Otherwise nothing is
 * logged. Everything else is equal, so the difference between the two is the cost of the lock
 * alone, which is what GPredict's Table II measures. Locks and other synchronisation are not
 * logged: they are a small part of the events.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry {
	uint64_t address, pc;
	uint32_t thread, kind;
};
enum { READ, WRITE, ATOMIC };

#define ENTRIES 4096

struct log {
	size_t count;
	struct entry entries[ENTRIES];
};

static enum { UNKNOWN, OFF, GLOBAL, THREAD } mode;
static int file = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct log shared;
static __thread struct log *own;
static __thread uint32_t number;
static _Atomic uint32_t threads;

static void flush(struct log *log)
{
	if (write(file, log->entries, log->count * sizeof log->entries[0]) < 0)
		_exit(125);
	log->count = 0;
}

static void append(struct log *log, struct entry entry)
{
	log->entries[log->count++] = entry;
	if (log->count == ENTRIES)
		flush(log);
}

static void start(void)
{
	const char *name = getenv("TABLE2_LOG"), *path = getenv("TABLE2_FILE");

	mode = OFF;
	if (!name || !path)
		return;
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (file >= 0)
		mode = strcmp(name, "global") ? THREAD : GLOBAL;
}

/*
 * Appends an entry. Entries that are still in a thread's log when the thread ends are not written:
 * at most ENTRIES of millions.
 */
__attribute__((noinline)) static void log_access(const volatile void *address, uint32_t kind,
						 void *pc)
{
	if (mode == UNKNOWN)
		start();
	if (mode == OFF)
		return;
	if (!number)
		number = atomic_fetch_add(&threads, 1) + 1;

	struct entry entry = { (uintptr_t)address, (uintptr_t)pc, number, kind };

	if (mode == GLOBAL) {
		pthread_mutex_lock(&lock);
		append(&shared, entry);
		pthread_mutex_unlock(&lock);
	} else {
		if (!own)
			own = calloc(1, sizeof *own);
		append(own, entry);
	}
}
#define LOG(address, kind) log_access(address, kind, __builtin_return_address(0))

/* The part of the sanitizer's interface that gcc calls. */
void __tsan_init(void);
void __tsan_init(void)
{
}
void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
	(void)pc;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define ACCESS(name, kind)                                                                         \
	void __tsan_##name(void *address);                                                         \
	void __tsan_##name(void *address)                                                          \
	{                                                                                          \
		LOG(address, kind);                                                                \
	}
#define ACCESSES(size)                                                                             \
	ACCESS(read##size, READ)                                                                   \
	ACCESS(write##size, WRITE)                                                                 \
	ACCESS(unaligned_read##size, READ)                                                         \
	ACCESS(unaligned_write##size, WRITE)                                                       \
	ACCESS(volatile_read##size, READ)                                                          \
	ACCESS(volatile_write##size, WRITE)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define RANGE(name, kind)                                                                          \
	void __tsan_##name(void *address, unsigned long bytes);                                    \
	void __tsan_##name(void *address, unsigned long bytes)                                     \
	{                                                                                          \
		(void)bytes;                                                                       \
		LOG(address, kind);                                                                \
	}
RANGE(read_range, READ)
RANGE(write_range, WRITE)
ACCESS(vptr_read, READ)

void __tsan_vptr_update(void **address, void *value);
void __tsan_vptr_update(void **address, void *value)
{
	(void)value;
	LOG(address, WRITE);
}

#define SEQ __ATOMIC_SEQ_CST
#define CHANGE(bits, type, name, builtin)                                                          \
	type __tsan_atomic##bits##_##name(volatile type *at, type value, int order);               \
	type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)                \
	{                                                                                          \
		(void)order;                                                                       \
		LOG(at, ATOMIC);                                                                   \
		return builtin(at, value, SEQ);                                                    \
	}
#define EXCHANGE_IF(bits, type, name)                                                              \
	int __tsan_atomic##bits##_##name(volatile type *at, type *old, type new, int a, int b);    \
	int __tsan_atomic##bits##_##name(volatile type *at, type *old, type new, int a, int b)     \
	{                                                                                          \
		(void)a, (void)b;                                                                  \
		LOG(at, ATOMIC);                                                                   \
		return __atomic_compare_exchange_n(at, old, new, 0, SEQ, SEQ);                     \
	}
#define ATOMICS(bits, type)                                                                        \
	type __tsan_atomic##bits##_load(const volatile type *at, int order);                       \
	type __tsan_atomic##bits##_load(const volatile type *at, int order)                        \
	{                                                                                          \
		(void)order;                                                                       \
		LOG(at, ATOMIC);                                                                   \
		return __atomic_load_n(at, SEQ);                                                   \
	}                                                                                          \
	void __tsan_atomic##bits##_store(volatile type *at, type value, int order);                \
	void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                 \
	{                                                                                          \
		(void)order;                                                                       \
		LOG(at, ATOMIC);                                                                   \
		__atomic_store_n(at, value, SEQ);                                                  \
	}                                                                                          \
	CHANGE(bits, type, exchange, __atomic_exchange_n)                                          \
	CHANGE(bits, type, fetch_add, __atomic_fetch_add)                                          \
	CHANGE(bits, type, fetch_sub, __atomic_fetch_sub)                                          \
	CHANGE(bits, type, fetch_and, __atomic_fetch_and)                                          \
	CHANGE(bits, type, fetch_or, __atomic_fetch_or)                                            \
	CHANGE(bits, type, fetch_xor, __atomic_fetch_xor)                                          \
	EXCHANGE_IF(bits, type, compare_exchange_strong)                                           \
	EXCHANGE_IF(bits, type, compare_exchange_weak)
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(SEQ);
}

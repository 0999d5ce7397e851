/*
 * ThreadSanitizer's interface and dynamic_annotations.h under their own names. A program that
 * defines functions with these names calls its own.
 */
#include "runtime/annotate/annotate.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/buffer/record.h"
#include "runtime/host/interposer.h"

#include <string.h>

#define UNUSED __attribute__((unused))

/* ---- sanitizer/tsan_interface.h -------------------------------------------------------------- */

enum {
	LINKER_INIT = 1 << 0,
	WRITE_REENTRANT = 1 << 1,
	READ_REENTRANT = 1 << 2,
	READ_LOCK = 1 << 3,
	TRY_LOCK = 1 << 4,
	TRY_LOCK_FAILED = 1 << 5,
	RECURSIVE_LOCK = 1 << 6,
	RECURSIVE_UNLOCK = 1 << 7,
	NOT_STATIC = 1 << 8,
};

DEFINE(void, __tsan_acquire, void *object)
{
	annotate_after(object, RECORD_CALLER);
}

DEFINE(void, __tsan_release, void *object)
{
	annotate_before(object, RECORD_CALLER);
}

/* A lock that the linker initialises exists from the beginning. */
DEFINE(void, __tsan_mutex_create, void *mutex, unsigned flags)
{
	if (!(flags & LINKER_INIT))
		annotate_lock_init(mutex, flags & WRITE_REENTRANT, RECORD_CALLER);
}

DEFINE(void, __tsan_mutex_destroy, void *mutex, unsigned flags)
{
	if (!(flags & LINKER_INIT))
		annotate_lock_destroy(mutex, RECORD_CALLER);
}

/*
 * How often the thread holds each lock. A thread may release a lock completely and acquire it as
 * often again later (in a wait for a condition). If a thread holds more locks than fit here, each
 * of the others counts as held once.
 */
#define DEPTHS 8
static SOOTH_TLS struct {
	const void *mutex;
	int depth;
} depths[DEPTHS];

static int *depth_of(const void *mutex, bool add)
{
	for (int i = 0; i < DEPTHS; i++) {
		if (depths[i].depth && depths[i].mutex == mutex)
			return &depths[i].depth;
	}
	for (int i = 0; add && i < DEPTHS; i++) {
		if (!depths[i].depth) {
			depths[i].mutex = mutex;
			return &depths[i].depth;
		}
	}
	return NULL;
}

/*
 * The accesses to memory in the lock's own code, between `pre` and `post`, are intended: they are
 * not races.
 */
static void ignore_accesses(bool on, uintptr_t pc)
{
	annotate_ignore(false, on, pc);
	annotate_ignore(true, on, pc);
}

DEFINE(void, __tsan_mutex_post_lock, void *mutex, unsigned flags, int depth)
{
	bool shared = flags & READ_LOCK, tried = flags & TRY_LOCK;
	int times = flags & RECURSIVE_LOCK && depth > 0 ? depth : 1, *held;

	ignore_accesses(false, RECORD_CALLER);
	if (flags & TRY_LOCK_FAILED) {
		annotate_lock_failed(mutex, shared, RECORD_CALLER);
		return;
	}
	for (int i = 0; i < times; i++)
		annotate_lock_acquired(mutex, shared, tried, RECORD_CALLER);
	held = shared ? NULL : depth_of(mutex, true);
	if (held)
		*held += times;
}

DEFINE(int, __tsan_mutex_pre_unlock, void *mutex, unsigned flags)
{
	bool shared = flags & READ_LOCK;
	int *held = shared ? NULL : depth_of(mutex, false);
	int times = flags & RECURSIVE_UNLOCK && held ? *held : 1;

	for (int i = 0; i < times; i++)
		annotate_lock_release(mutex, shared, RECORD_CALLER);
	if (held)
		*held -= times;
	ignore_accesses(true, RECORD_CALLER);
	return flags & RECURSIVE_UNLOCK ? times : 0;
}

/* The other functions only begin or end the lock's own code. */
#define LOCK_CODE(name, begins)                                                                    \
	DEFINE(void, name, UNUSED void *mutex, UNUSED unsigned flags)                              \
	{                                                                                          \
		ignore_accesses(begins, RECORD_CALLER);                                            \
	}

LOCK_CODE(__tsan_mutex_pre_lock, true)
LOCK_CODE(__tsan_mutex_post_unlock, false)
LOCK_CODE(__tsan_mutex_pre_signal, true)
LOCK_CODE(__tsan_mutex_post_signal, false)
/* The lock's code calls code of the program: its accesses are not ignored. */
LOCK_CODE(__tsan_mutex_pre_divert, false)
LOCK_CODE(__tsan_mutex_post_divert, true)

/* ---- dynamic_annotations.h ------------------------------------------------------------------- */

/*
 * Defines the function Annotate<name>, which does `action`. Its parameters are file, line and those
 * given here. WebKit has the same functions with another prefix.
 */
#define ANNOTATION(name, action, ...)                                                              \
	SOOTH_API void WTFAnnotate##name(const char *file, int line, ##__VA_ARGS__)                \
		__attribute__((alias("Annotate" #name)));                                          \
	DEFINE(void, Annotate##name, UNUSED const char *file, UNUSED int line, ##__VA_ARGS__)      \
	{                                                                                          \
		action;                                                                            \
	}

typedef const volatile void *address;

/*
 * BEFORE: this point comes before each later AFTER with the same object. At a barrier, each wait
 * thus ends after the arrivals of all threads.
 */
#define BEFORE(object) annotate_before((const void *)(object), RECORD_CALLER)
#define AFTER(object) annotate_after((const void *)(object), RECORD_CALLER)

ANNOTATION(HappensBefore, BEFORE(object), address object)
ANNOTATION(HappensAfter, AFTER(object), address object)
ANNOTATION(CondVarSignal, BEFORE(condition), address condition)
ANNOTATION(CondVarSignalAll, BEFORE(condition), address condition)
ANNOTATION(CondVarWait, AFTER(condition), address condition, UNUSED address lock)
ANNOTATION(PCQPut, BEFORE(queue), address queue)
ANNOTATION(PCQGet, AFTER(queue), address queue)
ANNOTATION(BarrierWaitBefore, BEFORE(barrier), address barrier)
ANNOTATION(BarrierWaitAfter, AFTER(barrier), address barrier)

ANNOTATION(RWLockCreate, annotate_lock_init((const void *)lock, false, RECORD_CALLER), address lock)
ANNOTATION(RWLockDestroy, annotate_lock_destroy((const void *)lock, RECORD_CALLER), address lock)
ANNOTATION(RWLockAcquired,
	   annotate_lock_acquired((const void *)lock, !writes, false, RECORD_CALLER), address lock,
	   long writes)
ANNOTATION(RWLockReleased, annotate_lock_release((const void *)lock, !writes, RECORD_CALLER),
	   address lock, long writes)

ANNOTATION(NewMemory, annotate_new_memory((const void *)memory, (size_t)size, RECORD_CALLER),
	   address memory, long size)
ANNOTATION(BenignRace, annotate_benign((const void *)memory, 1), address memory,
	   UNUSED const char *why)
ANNOTATION(BenignRaceSized, annotate_benign((const void *)memory, (size_t)size), address memory,
	   long size, UNUSED const char *why)
ANNOTATION(ExpectRace, annotate_benign((const void *)memory, 1), address memory,
	   UNUSED const char *why)
ANNOTATION(IgnoreReadsBegin, annotate_ignore(false, true, RECORD_CALLER))
ANNOTATION(IgnoreReadsEnd, annotate_ignore(false, false, RECORD_CALLER))
ANNOTATION(IgnoreWritesBegin, annotate_ignore(true, true, RECORD_CALLER))
ANNOTATION(IgnoreWritesEnd, annotate_ignore(true, false, RECORD_CALLER))

/*
 * These do nothing. Some ask for more warnings (EnableRaceDetection, IgnoreSync), others concern
 * nothing that is recorded.
 */
ANNOTATION(RWLockCreateStatic, , UNUSED address lock)
ANNOTATION(BarrierInit, , UNUSED address barrier, UNUSED long count, UNUSED long again)
ANNOTATION(BarrierDestroy, , UNUSED address barrier)
ANNOTATION(PCQCreate, , UNUSED address queue)
ANNOTATION(PCQDestroy, , UNUSED address queue)
ANNOTATION(PublishMemoryRange, , UNUSED address memory, UNUSED long size)
ANNOTATION(UnpublishMemoryRange, , UNUSED address memory, UNUSED long size)
ANNOTATION(FlushExpectedRaces, )
ANNOTATION(MutexIsUsedAsCondVar, , UNUSED address lock)
ANNOTATION(MutexIsNotPHB, , UNUSED address lock)
ANNOTATION(TraceMemory, , UNUSED address memory)
ANNOTATION(ThreadName, , UNUSED const char *name)
ANNOTATION(IgnoreSyncBegin, )
ANNOTATION(IgnoreSyncEnd, )
ANNOTATION(EnableRaceDetection, , UNUSED int on)
ANNOTATION(NoOp, , UNUSED address what)
ANNOTATION(FlushState, )

DEFINE(int, RunningOnValgrind, void)
{
	return 0;
}

DEFINE(double, ValgrindSlowdown, void)
{
	return 1;
}

DEFINE(const char *, ThreadSanitizerQuery, const char *query)
{
	return strcmp(query, "pure_happens_before") == 0 ? "1" : "0";
}

/*
 * ThreadSanitizer's interface and dynamic_annotations.h under their own names. A program that has
 * functions of these names calls its own.
 */
#include "runtime/annotate/annotate.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/buffer/record.h"

#include <string.h>

/* ---- sanitizer/tsan_interface.h ----------------------------------------------------------- */

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

void __tsan_acquire(void *object);
void __tsan_release(void *object);
void __tsan_mutex_create(void *mutex, unsigned flags);
void __tsan_mutex_destroy(void *mutex, unsigned flags);
void __tsan_mutex_pre_lock(void *mutex, unsigned flags);
void __tsan_mutex_post_lock(void *mutex, unsigned flags, int depth);
int __tsan_mutex_pre_unlock(void *mutex, unsigned flags);
void __tsan_mutex_post_unlock(void *mutex, unsigned flags);
void __tsan_mutex_pre_signal(void *mutex, unsigned flags);
void __tsan_mutex_post_signal(void *mutex, unsigned flags);
void __tsan_mutex_pre_divert(void *mutex, unsigned flags);
void __tsan_mutex_post_divert(void *mutex, unsigned flags);

SOOTH_API void __tsan_acquire(void *object)
{
	annotate_after(object, RECORD_CALLER);
}

SOOTH_API void __tsan_release(void *object)
{
	annotate_before(object, RECORD_CALLER);
}

/* One that the linker initialises is there from the beginning. */
SOOTH_API void __tsan_mutex_create(void *mutex, unsigned flags)
{
	if (!(flags & LINKER_INIT))
		annotate_lock_made(mutex, flags & WRITE_REENTRANT, RECORD_CALLER);
}

SOOTH_API void __tsan_mutex_destroy(void *mutex, unsigned flags)
{
	if (!(flags & LINKER_INIT))
		annotate_lock_gone(mutex, RECORD_CALLER);
}

/*
 * How deep a thread is in a lock that it gives up whole, to take it again as deep (a wait for a
 * condition). Of more locks at once than these it is taken to be once.
 */
#define DEPTHS 8
static SOOTH_TLS struct {
	const void *mutex;
	int depth;
} depths[DEPTHS];

static int *depth_of(const void *mutex, bool make)
{
	for (int i = 0; i < DEPTHS; i++) {
		if (depths[i].depth && depths[i].mutex == mutex)
			return &depths[i].depth;
	}
	for (int i = 0; make && i < DEPTHS; i++) {
		if (!depths[i].depth) {
			depths[i].mutex = mutex;
			return &depths[i].depth;
		}
	}
	return NULL;
}

/*
 * What the lock itself does to memory between `pre` and `post` is meant so: its accesses are no part of
 * a race.
 */
static void ignore(bool on, uintptr_t pc)
{
	annotate_ignore(false, on, pc);
	annotate_ignore(true, on, pc);
}

SOOTH_API void __tsan_mutex_pre_lock(void *mutex, unsigned flags)
{
	(void)mutex;
	(void)flags;
	ignore(true, RECORD_CALLER);
}

SOOTH_API void __tsan_mutex_post_lock(void *mutex, unsigned flags, int depth)
{
	bool shared = flags & READ_LOCK, tried = flags & TRY_LOCK;
	int times = flags & RECURSIVE_LOCK && depth > 0 ? depth : 1, *held;

	ignore(false, RECORD_CALLER);
	if (flags & TRY_LOCK_FAILED) {
		annotate_lock_failed(mutex, shared, RECORD_CALLER);
		return;
	}
	for (int i = 0; i < times; i++)
		annotate_lock_taken(mutex, shared, tried, RECORD_CALLER);
	held = shared ? NULL : depth_of(mutex, true);
	if (held)
		*held += times;
}

SOOTH_API int __tsan_mutex_pre_unlock(void *mutex, unsigned flags)
{
	bool shared = flags & READ_LOCK;
	int *held = shared ? NULL : depth_of(mutex, false);
	int times = flags & RECURSIVE_UNLOCK && held ? *held : 1;

	for (int i = 0; i < times; i++)
		annotate_lock_giving(mutex, shared, RECORD_CALLER);
	if (held)
		*held -= times;
	ignore(true, RECORD_CALLER);
	return flags & RECURSIVE_UNLOCK ? times : 0;
}

SOOTH_API void __tsan_mutex_post_unlock(void *mutex, unsigned flags)
{
	(void)mutex;
	(void)flags;
	ignore(false, RECORD_CALLER);
}

SOOTH_API void __tsan_mutex_pre_signal(void *mutex, unsigned flags)
{
	(void)mutex;
	(void)flags;
	ignore(true, RECORD_CALLER);
}

SOOTH_API void __tsan_mutex_post_signal(void *mutex, unsigned flags)
{
	(void)mutex;
	(void)flags;
	ignore(false, RECORD_CALLER);
}

/* Out of the lock's code into the program's for a moment, and back. */
SOOTH_API void __tsan_mutex_pre_divert(void *mutex, unsigned flags)
{
	(void)mutex;
	(void)flags;
	ignore(false, RECORD_CALLER);
}

SOOTH_API void __tsan_mutex_post_divert(void *mutex, unsigned flags)
{
	(void)mutex;
	(void)flags;
	ignore(true, RECORD_CALLER);
}

/* ---- dynamic_annotations.h ---------------------------------------------------------------- */

/*
 * Each has the file and line in front. The names that WebKit gives them are the same functions. What
 * asks for more warnings (EnableRaceDetection, IgnoreSync) or for none of ours does nothing.
 */
#define ANNOTATION(name, ...)                                                                      \
	SOOTH_API void Annotate##name(const char *file, int line, ##__VA_ARGS__);                  \
	SOOTH_API void WTFAnnotate##name(const char *file, int line, ##__VA_ARGS__)                \
		__attribute__((alias("Annotate" #name)));                                          \
	SOOTH_API void Annotate##name(__attribute__((unused)) const char *file,                    \
				      __attribute__((unused)) int line, ##__VA_ARGS__)
#define UNUSED __attribute__((unused))

ANNOTATION(HappensBefore, const volatile void *object)
{
	annotate_before((const void *)object, RECORD_CALLER);
}

ANNOTATION(HappensAfter, const volatile void *object)
{
	annotate_after((const void *)object, RECORD_CALLER);
}

ANNOTATION(CondVarSignal, const volatile void *condition)
{
	annotate_before((const void *)condition, RECORD_CALLER);
}

ANNOTATION(CondVarSignalAll, const volatile void *condition)
{
	annotate_before((const void *)condition, RECORD_CALLER);
}

ANNOTATION(CondVarWait, const volatile void *condition, UNUSED const volatile void *lock)
{
	annotate_after((const void *)condition, RECORD_CALLER);
}

ANNOTATION(PCQPut, const volatile void *queue)
{
	annotate_before((const void *)queue, RECORD_CALLER);
}

ANNOTATION(PCQGet, const volatile void *queue)
{
	annotate_after((const void *)queue, RECORD_CALLER);
}

/* Who goes on comes behind all who came. */
ANNOTATION(BarrierWaitBefore, const volatile void *barrier)
{
	annotate_before((const void *)barrier, RECORD_CALLER);
}

ANNOTATION(BarrierWaitAfter, const volatile void *barrier)
{
	annotate_after((const void *)barrier, RECORD_CALLER);
}

ANNOTATION(RWLockCreate, const volatile void *lock)
{
	annotate_lock_made((const void *)lock, false, RECORD_CALLER);
}

ANNOTATION(RWLockDestroy, const volatile void *lock)
{
	annotate_lock_gone((const void *)lock, RECORD_CALLER);
}

ANNOTATION(RWLockAcquired, const volatile void *lock, long writes)
{
	annotate_lock_taken((const void *)lock, !writes, false, RECORD_CALLER);
}

ANNOTATION(RWLockReleased, const volatile void *lock, long writes)
{
	annotate_lock_giving((const void *)lock, !writes, RECORD_CALLER);
}

ANNOTATION(NewMemory, const volatile void *memory, long size)
{
	annotate_new_memory((const void *)memory, (size_t)size, RECORD_CALLER);
}

ANNOTATION(BenignRace, const volatile void *memory, UNUSED const char *why)
{
	annotate_benign((const void *)memory, 1);
}

ANNOTATION(BenignRaceSized, const volatile void *memory, long size, UNUSED const char *why)
{
	annotate_benign((const void *)memory, (size_t)size);
}

ANNOTATION(ExpectRace, const volatile void *memory, UNUSED const char *why)
{
	annotate_benign((const void *)memory, 1);
}

ANNOTATION(IgnoreReadsBegin)
{
	annotate_ignore(false, true, RECORD_CALLER);
}

ANNOTATION(IgnoreReadsEnd)
{
	annotate_ignore(false, false, RECORD_CALLER);
}

ANNOTATION(IgnoreWritesBegin)
{
	annotate_ignore(true, true, RECORD_CALLER);
}

ANNOTATION(IgnoreWritesEnd)
{
	annotate_ignore(true, false, RECORD_CALLER);
}

#define NOTHING(name, ...)                                                                         \
	ANNOTATION(name, ##__VA_ARGS__)                                                            \
	{                                                                                          \
	}

NOTHING(RWLockCreateStatic, UNUSED const volatile void *lock)
NOTHING(BarrierInit, UNUSED const volatile void *barrier, UNUSED long count, UNUSED long again)
NOTHING(BarrierDestroy, UNUSED const volatile void *barrier)
NOTHING(PCQCreate, UNUSED const volatile void *queue)
NOTHING(PCQDestroy, UNUSED const volatile void *queue)
NOTHING(PublishMemoryRange, UNUSED const volatile void *memory, UNUSED long size)
NOTHING(UnpublishMemoryRange, UNUSED const volatile void *memory, UNUSED long size)
NOTHING(FlushExpectedRaces)
NOTHING(MutexIsUsedAsCondVar, UNUSED const volatile void *lock)
NOTHING(MutexIsNotPHB, UNUSED const volatile void *lock)
NOTHING(TraceMemory, UNUSED const volatile void *memory)
NOTHING(ThreadName, UNUSED const char *name)
NOTHING(IgnoreSyncBegin)
NOTHING(IgnoreSyncEnd)
NOTHING(EnableRaceDetection, UNUSED int on)
NOTHING(NoOp, UNUSED const volatile void *what)
NOTHING(FlushState)

int RunningOnValgrind(void);
double ValgrindSlowdown(void);
const char *ThreadSanitizerQuery(const char *query);

SOOTH_API int RunningOnValgrind(void)
{
	return 0;
}

SOOTH_API double ValgrindSlowdown(void)
{
	return 1;
}

SOOTH_API const char *ThreadSanitizerQuery(const char *query)
{
	return strcmp(query, "pure_happens_before") == 0 ? "1" : "0";
}

/*
 * libomp, clang's OpenMP library: regions, worksharing, barriers, reductions and critical sections.
 * Tasks are in kmp_task.c. openmp.h says what is recorded. These functions need nothing, because
 * they order nothing and do not wait: static loops, single, master, masked.
 *
 * Each function has the position in the source and the thread's number as its first parameters.
 */
#include "runtime/openmp/openmp.h"

#include "runtime/host/interposer.h"
#include "runtime/openmp/openmp_library.h"
#include "runtime/sched/sched.h"

#include <stdarg.h>

/* ---- regions --------------------------------------------------------------------------------- */

#define ARGUMENTS_MOST 64

struct kmp_region {
	openmp_microtask *function;
	void *arguments[ARGUMENTS_MOST];
	struct openmp_region region;
};

/*
 * Calls the function of a region with its arguments. It gets more arguments than it has parameters,
 * which does no harm: the caller removes them from the stack.
 */
static void call_microtask(int *thread, int *bound, const struct kmp_region *kmp)
{
	void *const *a = kmp->arguments;
#define EIGHT(i)                                                                                   \
	a[i], a[(i) + 1], a[(i) + 2], a[(i) + 3], a[(i) + 4], a[(i) + 5], a[(i) + 6], a[(i) + 7]
	kmp->function(thread, bound, EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40),
		      EIGHT(48), EIGHT(56));
#undef EIGHT
}

static void run_region(int *thread, int *bound, ...)
{
	va_list values;

	va_start(values, bound);
	struct kmp_region *kmp = va_arg(values, struct kmp_region *);
	va_end(values);
	struct openmp_part part =
		openmp_part_begin(&kmp->region, (unsigned)openmp_library()->omp_get_num_threads());
	call_microtask(thread, bound, kmp);
	openmp_part_end(&part);
}

/*
 * A thread that waits polls for 200 ms before it sleeps. In a controlled run that only takes the
 * processor from the thread that it waits for.
 */
static void wait_without_polling(void)
{
	static SOOTH_TLS bool done;

	if (done || !sched_on() || !openmp_library()->kmp_set_blocktime)
		return;
	openmp_library()->kmp_set_blocktime(0);
	done = true;
}

/* The same for a region that is not recorded. */
static void run_plainly(int *thread, int *bound, ...)
{
	va_list values;

	va_start(values, bound);
	call_microtask(thread, bound, va_arg(values, struct kmp_region *));
	va_end(values);
}

/* The first call starts the library, whose own locks and files are not the program's. */
DEFINE(int, __kmpc_global_thread_num, void *position)
{
	static bool started;

	if (started || !record_on())
		return openmp_library()->__kmpc_global_thread_num(position);
	openmp_enter(false, RECORD_CALLER);
	int thread = openmp_library()->__kmpc_global_thread_num(position);
	openmp_leave();
	started = true;
	return thread;
}

DEFINE(void, __kmpc_fork_call, void *position, int count, openmp_microtask *function, ...)
{
	struct kmp_region kmp = { .function = function };
	va_list values;

	if (count > ARGUMENTS_MOST) {
		if (record_on())
			openmp_unmodelled("a region with many variables", RECORD_CALLER);
		__builtin_apply((void (*)(void))(uintptr_t)openmp_library()->__kmpc_fork_call,
				__builtin_apply_args(), 64 + 8 * (size_t)count);
		return;
	}
	va_start(values, function);
	for (int i = 0; i < count; i++)
		kmp.arguments[i] = va_arg(values, void *);
	va_end(values);
	if (!record_on()) {
		openmp_library()->__kmpc_fork_call(position, 1, run_plainly, &kmp);
		return;
	}
	wait_without_polling();
	openmp_region_begin(&kmp.region, RECORD_CALLER);
	openmp_library()->__kmpc_fork_call(position, 1, run_region, &kmp);
	openmp_region_end(&kmp.region);
}

/*
 * A region that is executed by one thread because of an if clause: the program calls its function
 * itself. Such regions nest like calls.
 */
#define SERIAL_MOST 64u
static SOOTH_TLS struct openmp_team *serial_outer[SERIAL_MOST];
static SOOTH_TLS unsigned serial_depth;

DEFINE(void, __kmpc_serialized_parallel, void *position, int thread)
{
	openmp_library()->__kmpc_serialized_parallel(position, thread);
	if (serial_depth < SERIAL_MOST)
		serial_outer[serial_depth] = openmp_self.team;
	serial_depth++;
	openmp_self.team = NULL;
}

DEFINE(void, __kmpc_end_serialized_parallel, void *position, int thread)
{
	if (serial_depth && --serial_depth < SERIAL_MOST)
		openmp_self.team = serial_outer[serial_depth];
	openmp_library()->__kmpc_end_serialized_parallel(position, thread);
}

/* ---- barriers -------------------------------------------------------------------------------- */

DEFINE(void, __kmpc_barrier, void *position, int thread)
{
	if (!record_on()) {
		openmp_library()->__kmpc_barrier(position, thread);
		return;
	}
	struct openmp_barrier barrier = openmp_barrier_begin(RECORD_CALLER);
	openmp_library()->__kmpc_barrier(position, thread);
	openmp_barrier_end(&barrier, true);
}

DEFINE(int, __kmpc_cancel_barrier, void *position, int thread)
{
	if (!record_on())
		return openmp_library()->__kmpc_cancel_barrier(position, thread);
	struct openmp_barrier barrier = openmp_barrier_begin(RECORD_CALLER);
	int cancelled = openmp_library()->__kmpc_cancel_barrier(position, thread);
	openmp_barrier_end(&barrier, false);
	if (cancelled)
		openmp_unmodelled("cancellation", RECORD_CALLER);
	return cancelled;
}

#define CANCEL(name)                                                                               \
	DEFINE(int, name, void *position, int thread, int which)                                   \
	{                                                                                          \
		int cancelled = openmp_library()->name(position, thread, which);                   \
		if (cancelled && record_on())                                                      \
			openmp_unmodelled("cancellation", RECORD_CALLER);                          \
		return cancelled;                                                                  \
	}

CANCEL(__kmpc_cancel)
CANCEL(__kmpc_cancellationpoint)

/*
 * single with copyprivate. After a barrier, the threads that did not execute the block copy the
 * data of the thread that did. A second barrier follows. The copy function runs inside the library.
 */
static SOOTH_TLS struct {
	openmp_copy *copy;
	struct openmp_barrier first;
	struct openmp_barrier *second;
} copying;

static void run_copy(void *to, void *from)
{
	struct openmp_callback callback = openmp_come_out();

	openmp_receive(copying.first.channel, copying.first.pc);
	copying.copy(to, from);
	openmp_send(copying.second->channel, copying.first.pc);
	openmp_go_back(callback, copying.first.pc);
}

DEFINE(void, __kmpc_copyprivate, void *position, int thread, size_t size, void *data,
       openmp_copy *copy, int executed)
{
	if (!record_on() || !openmp_self.team || openmp_self.team->size < 2) {
		openmp_library()->__kmpc_copyprivate(position, thread, size, data, copy, executed);
		return;
	}
	struct openmp_barrier first = openmp_barrier_begin(RECORD_CALLER);
	openmp_leave();
	struct openmp_barrier second = openmp_barrier_begin(RECORD_CALLER);
	copying.copy = copy;
	copying.first = first;
	copying.second = &second;
	openmp_library()->__kmpc_copyprivate(position, thread, size, data, run_copy, executed);
	openmp_barrier_end(&second, true);
}

/* ---- worksharing ----------------------------------------------------------------------------- */

/*
 * The start of a loop waits if a thread is many loops late. The next chunk and the end wait if
 * the loop has an ordered part. Otherwise, in a controlled run, the next thread gets a turn before
 * a thread takes its next chunk: one thread would execute all chunks of a dynamic loop, and there
 * would be nothing to predict from.
 */
static SOOTH_TLS bool in_ordered_loop;

/* Kinds of schedules, without the bits above them. */
#define SCHEDULE_BITS 0xffff
#define IS_ORDERED(schedule)                                                                       \
	(((schedule)&SCHEDULE_BITS & ~128) > 64 && ((schedule)&SCHEDULE_BITS & ~128) < 80)

static bool begin_dispatch(bool may_wait, uintptr_t pc)
{
	if (!record_on())
		return false;
	if (may_wait)
		openmp_enter(true, pc);
	else if (sched_on() && openmp_self.team && openmp_self.team->size > 1)
		sched_give_way(pc);
	return may_wait;
}

#define DISPATCH_CALL(type, name, may_wait, declare, result, parameters)                           \
	DEFINE(type, name, PARAMETERS parameters)                                                  \
	{                                                                                          \
		bool entered = begin_dispatch(may_wait, RECORD_CALLER);                            \
		declare openmp_library()->name(ARGUMENTS parameters);                              \
		if (entered)                                                                       \
			openmp_leave();                                                            \
		return result;                                                                     \
	}
#define DISPATCH(suffix, type, step)                                                               \
	DISPATCH_CALL(void, __kmpc_dispatch_init_##suffix,                                         \
		      (in_ordered_loop = IS_ORDERED(schedule), true), , ,                          \
		      (void *, position, int, thread, int, schedule, type, low, type, high, step,  \
		       by, step, chunk))                                                           \
	DISPATCH_CALL(int, __kmpc_dispatch_next_##suffix, in_ordered_loop, int any =, any,         \
		      (void *, position, int, thread, void *, last, void *, low, void *, high,     \
		       void *, by))                                                                \
	DISPATCH_CALL(void, __kmpc_dispatch_fini_##suffix, in_ordered_loop, , ,                    \
		      (void *, position, int, thread))

DISPATCH(4, int32_t, int32_t)
DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8, int64_t, int64_t)
DISPATCH(8u, uint64_t, int64_t)

/* Called by programs that a newer clang compiled; an older library does not have it. */
DEFINE(void, __kmpc_dispatch_deinit, void *position, int thread)
{
	if (openmp_library()->__kmpc_dispatch_deinit)
		openmp_library()->__kmpc_dispatch_deinit(position, thread);
}

/* ---- ordered --------------------------------------------------------------------------------- */

/*
 * A wait for earlier iterations comes after them; what lets later ones continue comes before them.
 */
#define ORDER(wait, post, channel, parameters)                                                     \
	DEFINE(void, wait, PARAMETERS parameters)                                                  \
	{                                                                                          \
		bool on = record_on();                                                             \
		if (on)                                                                            \
			openmp_enter(true, RECORD_CALLER);                                         \
		openmp_library()->wait(ARGUMENTS parameters);                                      \
		if (!on)                                                                           \
			return;                                                                    \
		openmp_leave();                                                                    \
		if (openmp_self.team)                                                              \
			openmp_receive(openmp_self.team->number + (channel), RECORD_CALLER);       \
	}                                                                                          \
	DEFINE(void, post, PARAMETERS parameters)                                                  \
	{                                                                                          \
		if (record_on() && openmp_self.team)                                               \
			openmp_send(openmp_self.team->number + (channel), RECORD_CALLER);          \
		openmp_library()->post(ARGUMENTS parameters);                                      \
	}

ORDER(__kmpc_ordered, __kmpc_end_ordered, EVENT_OPENMP_ORDERED, (void *, position, int, thread))
ORDER(__kmpc_doacross_wait, __kmpc_doacross_post, EVENT_OPENMP_DOACROSS,
      (void *, position, int, thread, const void *, indices))

/* ---- critical sections and reductions -------------------------------------------------------- */

#define CRITICAL(name, parameters)                                                                 \
	DEFINE(void, name, PARAMETERS parameters)                                                  \
	{                                                                                          \
		bool on = record_on();                                                             \
		if (on)                                                                            \
			openmp_lock_request(lock, false, RECORD_CALLER);                           \
		openmp_library()->name(ARGUMENTS parameters);                                      \
		if (on)                                                                            \
			openmp_lock_acquired(lock, RECORD_CALLER);                                 \
	}

CRITICAL(__kmpc_critical, (void *, position, int, thread, void *, lock))
CRITICAL(__kmpc_critical_with_hint, (void *, position, int, thread, void *, lock, unsigned, hint))

DEFINE(void, __kmpc_end_critical, void *position, int thread, void *lock)
{
	if (record_on())
		openmp_lock_release(lock, RECORD_CALLER);
	openmp_library()->__kmpc_end_critical(position, thread, lock);
}

/*
 * A reduction. The result says how the thread combines its values with the shared ones: 1 in a
 * critical section, which begins here; 2 by atomic operations; 0 not at all, because the library
 * has combined them in a tree, by `combine`. Without that function it does not use a tree.
 */
static SOOTH_TLS bool reducing; /* the thread is in such a critical section */

#define COMBINE_IN_CRITICAL 1

#define REDUCE(name)                                                                               \
	DEFINE(int, name, void *position, int thread, int count, size_t size, void *data,          \
	       openmp_copy *combine, void *lock)                                                   \
	{                                                                                          \
		bool on = record_on();                                                             \
		if (on)                                                                            \
			openmp_lock_request(lock, false, RECORD_CALLER);                           \
		int how = openmp_library()->name(position, thread, count, size, data,              \
						 on ? NULL : combine, lock);                       \
		if (!on)                                                                           \
			return how;                                                                \
		reducing = how == COMBINE_IN_CRITICAL;                                             \
		if (reducing)                                                                      \
			openmp_lock_acquired(lock, RECORD_CALLER);                                 \
		else                                                                               \
			openmp_leave();                                                            \
		return how;                                                                        \
	}

REDUCE(__kmpc_reduce)
REDUCE(__kmpc_reduce_nowait)

static void release_reduction(void *lock, uintptr_t pc)
{
	if (reducing)
		openmp_lock_release(lock, pc);
	reducing = false;
}

DEFINE(void, __kmpc_end_reduce, void *position, int thread, void *lock)
{
	if (!record_on()) {
		openmp_library()->__kmpc_end_reduce(position, thread, lock);
		return;
	}
	release_reduction(lock, RECORD_CALLER);
	struct openmp_barrier barrier = openmp_barrier_begin(RECORD_CALLER);
	openmp_library()->__kmpc_end_reduce(position, thread, lock);
	openmp_barrier_end(&barrier, true);
}

DEFINE(void, __kmpc_end_reduce_nowait, void *position, int thread, void *lock)
{
	if (record_on())
		release_reduction(lock, RECORD_CALLER);
	openmp_library()->__kmpc_end_reduce_nowait(position, thread, lock);
}

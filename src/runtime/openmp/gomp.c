/*
 * libgomp, gcc's OpenMP library: regions, worksharing, barriers, critical sections. Tasks are in
 * gomp_task.c. openmp.h says what is recorded. These functions need nothing, because they order
 * nothing and do not wait: the starts of loops, sections and single, ends with nowait.
 */
#include "runtime/openmp/openmp.h"

#include "runtime/host/interposer.h"
#include "runtime/openmp/openmp_library.h"
#include "runtime/sched/sched.h"

/* ---- regions --------------------------------------------------------------------------------- */

/*
 * The library gets this in place of the program's data. GOMP_parallel_reductions reads the first
 * word of the data.
 */
struct gomp_region {
	void *first_word;
	openmp_function *function;
	void *data;
	struct openmp_region region;
};

static void run_region(void *data)
{
	struct gomp_region *gomp = data;
	struct openmp_part part =
		openmp_part_begin(&gomp->region, (unsigned)openmp_library()->omp_get_num_threads());

	gomp->function(gomp->data);
	openmp_part_end(&part);
}

static void begin_region(struct gomp_region *gomp, openmp_function *function, void *data,
			 uintptr_t pc)
{
	gomp->first_word = data ? *(void **)data : NULL;
	gomp->function = function;
	gomp->data = data;
	openmp_region_begin(&gomp->region, pc);
}

/* Parameters besides the function and its data. */
#define REGION(result_type, declare, returned, name, ...)                                          \
	DEFINE(result_type, name, openmp_function *function, void *data, PARAMETERS(__VA_ARGS__))  \
	{                                                                                          \
		if (!record_on())                                                                  \
			return openmp_library()->name(function, data, ARGUMENTS(__VA_ARGS__));     \
		struct gomp_region gomp;                                                           \
		begin_region(&gomp, function, data, RECORD_CALLER);                                \
		declare openmp_library()->name(run_region, &gomp, ARGUMENTS(__VA_ARGS__));         \
		openmp_region_end(&gomp.region);                                                   \
		return returned;                                                                   \
	}
#define LOOP(kind)                                                                                 \
	REGION(void, , , GOMP_parallel_loop_##kind, unsigned, threads, long, start, long, end,     \
	       long, step, long, chunk, unsigned, flags)
#define LOOP_RUNTIME(kind)                                                                         \
	REGION(void, , , GOMP_parallel_loop_##kind, unsigned, threads, long, start, long, end,     \
	       long, step, unsigned, flags)

REGION(void, , , GOMP_parallel, unsigned, threads, unsigned, flags)
REGION(unsigned, unsigned result =, result, GOMP_parallel_reductions, unsigned, threads, unsigned,
       flags)
REGION(void, , , GOMP_parallel_sections, unsigned, threads, unsigned, count, unsigned, flags)
LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
LOOP_RUNTIME(runtime)
LOOP_RUNTIME(nonmonotonic_runtime)
LOOP_RUNTIME(maybe_nonmonotonic_runtime)

/* ---- barriers -------------------------------------------------------------------------------- */

#define BARRIER(name, parameters)                                                                  \
	DEFINE(void, name, PARAMETERS parameters)                                                  \
	{                                                                                          \
		if (!record_on()) {                                                                \
			openmp_library()->name(ARGUMENTS parameters);                              \
			return;                                                                    \
		}                                                                                  \
		struct openmp_barrier barrier = openmp_barrier_begin(RECORD_CALLER);               \
		openmp_library()->name(ARGUMENTS parameters);                                      \
		openmp_barrier_end(&barrier, true);                                                \
	}

BARRIER(GOMP_barrier, ())
BARRIER(GOMP_loop_end, ())
BARRIER(GOMP_sections_end, ())
BARRIER(GOMP_single_copy_end, (void *, data))

/* Barriers of regions that may be cancelled. The result is true if the region was cancelled. */
#define BARRIER_CANCEL(name)                                                                       \
	DEFINE(bool, name, void)                                                                   \
	{                                                                                          \
		if (!record_on())                                                                  \
			return openmp_library()->name();                                           \
		struct openmp_barrier barrier = openmp_barrier_begin(RECORD_CALLER);               \
		bool cancelled = openmp_library()->name();                                         \
		openmp_barrier_end(&barrier, false);                                               \
		if (cancelled)                                                                     \
			openmp_unmodelled("cancellation", RECORD_CALLER);                          \
		return cancelled;                                                                  \
	}

BARRIER_CANCEL(GOMP_barrier_cancel)
BARRIER_CANCEL(GOMP_loop_end_cancel)
BARRIER_CANCEL(GOMP_sections_end_cancel)

DEFINE(void, GOMP_workshare_task_reduction_unregister, bool cancelled)
{
	if (!record_on()) {
		openmp_library()->GOMP_workshare_task_reduction_unregister(cancelled);
		return;
	}
	struct openmp_barrier barrier = openmp_barrier_begin(RECORD_CALLER);
	openmp_library()->GOMP_workshare_task_reduction_unregister(cancelled);
	openmp_barrier_end(&barrier, !cancelled);
}

/*
 * single with copyprivate: the thread that executes the block gets NULL at once. The others wait
 * here, at the barrier that it reaches in GOMP_single_copy_end, and get its data.
 */
DEFINE(void *, GOMP_single_copy_start, void)
{
	if (!record_on())
		return openmp_library()->GOMP_single_copy_start();
	struct openmp_barrier barrier = openmp_barrier_begin(RECORD_CALLER);
	void *data = openmp_library()->GOMP_single_copy_start();
	if (data)
		openmp_barrier_end(&barrier, true);
	else
		openmp_barrier_not_reached(&barrier);
	return data;
}

#define CANCEL(name, parameters)                                                                   \
	DEFINE(bool, name, PARAMETERS parameters)                                                  \
	{                                                                                          \
		bool cancelled = openmp_library()->name(ARGUMENTS parameters);                     \
		if (cancelled && record_on())                                                      \
			openmp_unmodelled("cancellation", RECORD_CALLER);                          \
		return cancelled;                                                                  \
	}

CANCEL(GOMP_cancel, (int, which, bool, does))
CANCEL(GOMP_cancellation_point, (int, which))

/* ---- worksharing ----------------------------------------------------------------------------- */

/*
 * In a controlled run the next thread gets a turn before a thread takes its next chunk. Otherwise
 * one thread would execute all chunks of a dynamic loop, and there would be nothing to predict
 * from.
 */
static void share_work(uintptr_t pc)
{
	if (sched_on() && openmp_self.team && openmp_self.team->size > 1)
		sched_give_way(pc);
}

#define NEXT_OF(name)                                                                              \
	DEFINE(bool, name, void *start, void *end)                                                 \
	{                                                                                          \
		share_work(RECORD_CALLER);                                                         \
		return openmp_library()->name(start, end);                                         \
	}
#define NEXT(kind) NEXT_OF(GOMP_loop_##kind##_next) NEXT_OF(GOMP_loop_ull_##kind##_next)

NEXT(dynamic)
NEXT(guided)
NEXT(runtime)
NEXT(nonmonotonic_dynamic)
NEXT(nonmonotonic_guided)
NEXT(nonmonotonic_runtime)
NEXT(maybe_nonmonotonic_runtime)

DEFINE(unsigned, GOMP_sections_next, void)
{
	share_work(RECORD_CALLER);
	return openmp_library()->GOMP_sections_next();
}

/* ---- ordered --------------------------------------------------------------------------------- */

/*
 * The next chunk of an ordered loop may have to wait until it is the thread's turn in that order.
 */
#define NEXT_ORDERED_OF(name)                                                                      \
	DEFINE(bool, name, void *start, void *end)                                                 \
	{                                                                                          \
		if (!record_on())                                                                  \
			return openmp_library()->name(start, end);                                 \
		openmp_enter(true, RECORD_CALLER);                                                 \
		bool any = openmp_library()->name(start, end);                                     \
		openmp_leave();                                                                    \
		return any;                                                                        \
	}
#define NEXT_ORDERED(kind)                                                                         \
	NEXT_ORDERED_OF(GOMP_loop_ordered_##kind##_next)                                           \
	NEXT_ORDERED_OF(GOMP_loop_ull_ordered_##kind##_next)

NEXT_ORDERED(static)
NEXT_ORDERED(dynamic)
NEXT_ORDERED(guided)
NEXT_ORDERED(runtime)

static void receive_of_team(enum event_openmp channel, uintptr_t pc)
{
	if (openmp_self.team)
		openmp_receive(openmp_self.team->number + channel, pc);
}

static void send_of_team(enum event_openmp channel, uintptr_t pc)
{
	if (openmp_self.team && record_on())
		openmp_send(openmp_self.team->number + channel, pc);
}

DEFINE(void, GOMP_ordered_start, void)
{
	if (!record_on()) {
		openmp_library()->GOMP_ordered_start();
		return;
	}
	openmp_enter(true, RECORD_CALLER);
	openmp_library()->GOMP_ordered_start();
	openmp_leave();
	receive_of_team(EVENT_OPENMP_ORDERED, RECORD_CALLER);
}

DEFINE(void, GOMP_ordered_end, void)
{
	send_of_team(EVENT_OPENMP_ORDERED, RECORD_CALLER);
	openmp_library()->GOMP_ordered_end();
}

/*
 * Loops with ordered(n) and depend(sink: ...). The indices are not looked at: a wait comes after
 * all posts before it.
 */
#define DOACROSS(post, wait, type)                                                                 \
	DEFINE(void, post, void *indices)                                                          \
	{                                                                                          \
		send_of_team(EVENT_OPENMP_DOACROSS, RECORD_CALLER);                                \
		openmp_library()->post(indices);                                                   \
	}                                                                                          \
	DEFINE(void, wait, type first, ...)                                                        \
	{                                                                                          \
		bool on = record_on();                                                             \
		if (on)                                                                            \
			openmp_enter(true, RECORD_CALLER);                                         \
		(void)first;                                                                       \
		__builtin_apply((void (*)(void))(uintptr_t)openmp_library()->wait,                 \
				__builtin_apply_args(), DOACROSS_BYTES);                           \
		if (!on)                                                                           \
			return;                                                                    \
		openmp_leave();                                                                    \
		receive_of_team(EVENT_OPENMP_DOACROSS, RECORD_CALLER);                             \
	}
#define DOACROSS_BYTES 256 /* of arguments on the stack: loops nested at most 37 deep */

DOACROSS(GOMP_doacross_post, GOMP_doacross_wait, long)
DOACROSS(GOMP_doacross_ull_post, GOMP_doacross_ull_wait, unsigned long long)

/* ---- critical sections ----------------------------------------------------------------------- */

#define CRITICAL(start, end, parameters, lock)                                                     \
	DEFINE(void, start, PARAMETERS parameters)                                                 \
	{                                                                                          \
		bool on = record_on();                                                             \
		if (on)                                                                            \
			openmp_lock_request(lock, false, RECORD_CALLER);                           \
		openmp_library()->start(ARGUMENTS parameters);                                     \
		if (on)                                                                            \
			openmp_lock_acquired(lock, RECORD_CALLER);                                 \
	}                                                                                          \
	DEFINE(void, end, PARAMETERS parameters)                                                   \
	{                                                                                          \
		if (record_on())                                                                   \
			openmp_lock_release(lock, RECORD_CALLER);                                  \
		openmp_library()->end(ARGUMENTS parameters);                                       \
	}

/* The locks of critical sections without a name, and of atomic operations of unusual types. */
static const char unnamed, atomic;

CRITICAL(GOMP_critical_start, GOMP_critical_end, (), &unnamed)
CRITICAL(GOMP_critical_name_start, GOMP_critical_name_end, (void **, name), name)
CRITICAL(GOMP_atomic_start, GOMP_atomic_end, (), &atomic)

/* ---- not modelled ---------------------------------------------------------------------------- */

#define TARGET_NOWAIT 1

/* Without a device the region is executed by the calling thread, which needs nothing. */
DEFINE(void, GOMP_target_ext, int device, openmp_function *function, size_t count, void **addresses,
       size_t *sizes, unsigned short *kinds, unsigned flags, void **depend, void **arguments)
{
	openmp_library()->GOMP_target_ext(device, function, count, addresses, sizes, kinds, flags,
					  depend, arguments);
	if ((flags & TARGET_NOWAIT || depend) && record_on())
		openmp_unmodelled("target regions with nowait or depend", RECORD_CALLER);
}

/*
 * Tasks of libomp. The program gets memory for a task, stores the task's arguments there, and hands
 * it over. The memory has this layout:
 *
 *	struct kmp_task, known to the program; private variables; struct kmp_extra; shared data
 *
 * The program finds the shared data by a pointer in struct kmp_task, and so do we. The memory of
 * ended tasks is used again by later ones; an ALLOC begins its new life. libomp copies all of it
 * for the tasks of a taskloop.
 */
#include "runtime/openmp/openmp.h"

#include "runtime/annotate/annotate.h"
#include "runtime/host/interposer.h"
#include "runtime/openmp/openmp_library.h"

struct kmp_task {
	void *shared;
	openmp_routine *routine;
	int part;
	openmp_routine *destructors; /* of its private variables, if the program has any */
};

struct kmp_extra {
	openmp_routine *routine, *destructors;
	openmp_task_dup *dup;
	size_t size; /* from struct kmp_task to the end of the shared data */
	bool untied;
	bool is_new; /* a task of a taskloop whose copy the program has not used yet */
	struct openmp_task task;
	struct openmp_run run; /* of a task that the program executes itself */
};

#define TASK_TIED 1
#define TASK_DESTRUCTORS 8
#define TASK_DETACHABLE 0x40

static struct kmp_extra *extra_of(const struct kmp_task *task)
{
	return (struct kmp_extra *)task->shared - 1;
}

/* ---- what the library calls ------------------------------------------------------------------ */

/*
 * An untied task is executed in parts, by different threads: each part comes after the one before
 * it.
 */
static int run_task(int thread, void *memory)
{
	struct kmp_extra *extra = extra_of(memory);
	struct openmp_run run = openmp_task_begin(&extra->task);

	if (extra->is_new)
		annotate_new_memory(memory, extra->size, extra->task.pc);
	extra->is_new = false;
	int result = extra->routine(thread, memory);
	if (extra->untied)
		openmp_send(extra->task.number + EVENT_OPENMP_START, extra->task.pc);
	openmp_task_end(&run);
	return result;
}

static int run_destructors(int thread, void *memory)
{
	struct kmp_extra *extra = extra_of(memory);
	struct openmp_callback callback = openmp_come_out();

	int result = extra->destructors(thread, memory);
	openmp_go_back(callback, extra->task.pc);
	return result;
}

static void run_dup(void *to, void *from, int last)
{
	const struct kmp_extra *extra = extra_of(from);
	struct openmp_callback callback = openmp_come_out();

	extra->dup(to, from, last);
	openmp_go_back(callback, extra->task.pc);
}

/* ---- creating tasks -------------------------------------------------------------------------- */

DEFINE(void *, __kmpc_omp_task_alloc, void *position, int thread, int flags, size_t size,
       size_t shared, openmp_routine *routine)
{
	const struct openmp_library *library = openmp_library();

	if (!record_on())
		return library->__kmpc_omp_task_alloc(position, thread, flags, size, shared,
						      routine);
	size_t whole = ((size + 7) & ~(size_t)7) + sizeof(struct kmp_extra);
	openmp_enter(false, RECORD_CALLER);
	struct kmp_task *task = library->__kmpc_omp_task_alloc(
		position, thread, flags, whole, shared ? shared : sizeof(void *), run_task);
	openmp_leave();
	*extra_of(task) = (struct kmp_extra){
		.routine = routine,
		.untied = !(flags & TASK_TIED),
		.size = (size_t)((char *)task->shared + shared - (char *)task),
	};
	if (!(flags & TASK_DESTRUCTORS))
		task->destructors = NULL;
	annotate_new_memory(task, extra_of(task)->size, RECORD_CALLER);
	if (flags & TASK_DETACHABLE)
		openmp_unmodelled("detached tasks", RECORD_CALLER);
	return task;
}

/* Is this a task whose memory was allocated by the interposer? */
static bool is_own(const struct kmp_task *task)
{
	return task->routine == run_task;
}

/* Called when the program hands over the task. By then it has stored the destructors. */
static void prepare(struct kmp_task *task, uintptr_t pc)
{
	struct kmp_extra *extra = extra_of(task);

	if (task->destructors && task->destructors != run_destructors) {
		extra->destructors = task->destructors;
		task->destructors = run_destructors;
	}
	openmp_task_create(&extra->task, pc);
}

/* Dependences as the program lists them. */
struct kmp_depend {
	void *address;
	size_t size;
	uint8_t flags; /* 1 only: it reads */
};

static void read_depend(struct openmp_task *task, int count, const void *list)
{
	const struct kmp_depend *depend = list;

	for (int i = 0; i < count; i++)
		openmp_task_depend(task, depend[i].address, depend[i].flags != 1);
}

DEFINE(int, __kmpc_omp_task, void *position, int thread, void *task)
{
	if (!record_on() || !is_own(task))
		return openmp_library()->__kmpc_omp_task(position, thread, task);
	prepare(task, RECORD_CALLER);
	openmp_enter(false, RECORD_CALLER);
	int result = openmp_library()->__kmpc_omp_task(position, thread, task);
	openmp_leave();
	return result;
}

DEFINE(int, __kmpc_omp_task_with_deps, void *position, int thread, void *task, int count,
       const void *list, int more, const void *more_list)
{
	const struct openmp_library *library = openmp_library();

	if (!record_on() || !is_own(task))
		return library->__kmpc_omp_task_with_deps(position, thread, task, count, list, more,
							  more_list);
	prepare(task, RECORD_CALLER);
	read_depend(&extra_of(task)->task, count, list);
	read_depend(&extra_of(task)->task, more, more_list);
	openmp_enter(true, RECORD_CALLER);
	int result = library->__kmpc_omp_task_with_deps(position, thread, task, count, list, more,
							more_list);
	openmp_leave();
	return result;
}

/* The program executes the task itself, between these two calls: its if clause is false. */

DEFINE(void, __kmpc_omp_task_begin_if0, void *position, int thread, void *task)
{
	openmp_library()->__kmpc_omp_task_begin_if0(position, thread, task);
	if (!record_on() || !is_own(task))
		return;
	prepare(task, RECORD_CALLER);
	extra_of(task)->run = openmp_task_begin(&extra_of(task)->task);
}

DEFINE(void, __kmpc_omp_task_complete_if0, void *position, int thread, void *task)
{
	bool on = record_on() && is_own(task);

	if (on) {
		openmp_task_end(&extra_of(task)->run);
		openmp_enter(false, RECORD_CALLER);
	}
	openmp_library()->__kmpc_omp_task_complete_if0(position, thread, task);
	if (on)
		openmp_leave();
}

/* ---- taskloop -------------------------------------------------------------------------------- */

/* Unless `nogroup`, the call returns when all tasks of the loop have ended. */
static void begin_loop(void *task, int nogroup, openmp_task_dup *dup, uintptr_t pc)
{
	if (!nogroup)
		openmp_group_begin();
	prepare(task, pc);
	extra_of(task)->dup = dup;
	extra_of(task)->is_new = true;
	openmp_enter(true, pc);
}

static void end_loop(int nogroup, uintptr_t pc)
{
	openmp_leave();
	if (!nogroup)
		openmp_group_end(pc);
}

DEFINE(void, __kmpc_taskloop, void *position, int thread, void *task, int if_value, uint64_t *low,
       uint64_t *high, int64_t step, int nogroup, int schedule, uint64_t grain,
       openmp_task_dup *dup)
{
	bool on = record_on() && is_own(task);

	if (on)
		begin_loop(task, nogroup, dup, RECORD_CALLER);
	openmp_library()->__kmpc_taskloop(position, thread, task, if_value, low, high, step,
					  nogroup, schedule, grain, on && dup ? run_dup : dup);
	if (on)
		end_loop(nogroup, RECORD_CALLER);
}

DEFINE(void, __kmpc_taskloop_5, void *position, int thread, void *task, int if_value, uint64_t *low,
       uint64_t *high, int64_t step, int nogroup, int schedule, uint64_t grain, int modifier,
       openmp_task_dup *dup)
{
	bool on = record_on() && is_own(task);

	if (on)
		begin_loop(task, nogroup, dup, RECORD_CALLER);
	openmp_library()->__kmpc_taskloop_5(position, thread, task, if_value, low, high, step,
					    nogroup, schedule, grain, modifier,
					    on && dup ? run_dup : dup);
	if (on)
		end_loop(nogroup, RECORD_CALLER);
}

/* ---- waiting --------------------------------------------------------------------------------- */

#define WAIT(type, name, parameters, declare, result, after)                                       \
	DEFINE(type, name, PARAMETERS parameters)                                                  \
	{                                                                                          \
		bool on = record_on();                                                             \
		if (on)                                                                            \
			openmp_enter(true, RECORD_CALLER);                                         \
		declare openmp_library()->name(ARGUMENTS parameters);                              \
		if (on) {                                                                          \
			openmp_leave();                                                            \
			after;                                                                     \
		}                                                                                  \
		return result;                                                                     \
	}

static void depend_ended(int count, const void *list, int more, const void *more_list, uintptr_t pc)
{
	struct openmp_task task = { .pc = pc };

	read_depend(&task, count, list);
	read_depend(&task, more, more_list);
	openmp_depend_ended(&task);
}

WAIT(int, __kmpc_omp_taskwait, (void *, position, int, thread), int result =, result,
     openmp_children_ended(RECORD_CALLER))
WAIT(int, __kmpc_omp_taskyield, (void *, position, int, thread, int, end), int result =, result, )
WAIT(void, __kmpc_end_taskgroup, (void *, position, int, thread), , ,
     openmp_group_end(RECORD_CALLER))
WAIT(void, __kmpc_omp_wait_deps,
     (void *, position, int, thread, int, count, const void *, list, int, more, const void *,
      more_list),
     , , depend_ended(count, list, more, more_list, RECORD_CALLER))

WAIT(void, __kmpc_omp_taskwait_deps_51,
     (void *, position, int, thread, int, count, const void *, list, int, more, const void *,
      more_list, int, no_wait),
     , , depend_ended(count, list, more, more_list, RECORD_CALLER))

DEFINE(void, __kmpc_taskgroup, void *position, int thread)
{
	if (record_on())
		openmp_group_begin();
	openmp_library()->__kmpc_taskgroup(position, thread);
}

/*
 * Tasks of libgomp. The library copies the arguments of a task into memory of its own, by a
 * function of the program if there is one. It gets a function and arguments of ours:
 *
 *	struct gomp_task, which begins with the bounds of a taskloop; the program's arguments
 *
 * Memory of ended tasks is used again by later ones; an ALLOC begins its new life.
 */
#include "runtime/openmp/openmp.h"

#include "runtime/annotate/annotate.h"
#include "runtime/host/interposer.h"
#include "runtime/openmp/openmp_library.h"

#include <string.h>

/* What the library takes for the arguments of the task. */
struct gomp_task {
	/* The library stores the first and last iteration here, in the copy for each task. */
	uint64_t bounds[2];
	openmp_function *function;
	bool loop; /* the program wants the bounds at the start of its arguments */
	size_t offset;
	struct openmp_task task;
};

/*
 * What the library takes for the data from which the arguments are copied. It reads the address of
 * a taskloop's reductions there.
 */
struct gomp_source {
	uint64_t bounds[2];
	void *reductions;
	struct gomp_task *task;
	openmp_copy *copy;
	void *data;
	size_t size;
};

static void run_task(void *arguments)
{
	struct gomp_task *task = arguments;
	char *data = (char *)arguments + task->offset;
	struct openmp_run run = openmp_task_begin(&task->task);

	if (task->loop)
		memcpy(data, task->bounds, sizeof(task->bounds));
	task->function(data);
	openmp_task_end(&run);
}

static void copy_arguments(void *to, void *from)
{
	const struct gomp_source *source = from;
	char *data = (char *)to + source->task->offset;

	struct openmp_callback callback = openmp_come_out();
	memcpy(to, source->task, sizeof(*source->task));
	annotate_new_memory(data, source->size, source->task->task.pc);
	if (source->copy)
		source->copy(data, source->data);
	else
		memcpy(data, source->data, source->size);
	openmp_go_back(callback, source->task->task.pc);
}

/* The offset of the program's arguments, which keep their alignment. */
static size_t offset_for(long alignment)
{
	size_t align = alignment > 16 ? (size_t)alignment : 16;

	return (sizeof(struct gomp_task) + align - 1) / align * align;
}

static void make_task(struct gomp_task *task, openmp_function *function, bool loop, long alignment,
		      uintptr_t pc)
{
	*task = (struct gomp_task){ .function = function, .loop = loop };
	task->offset = offset_for(alignment);
	openmp_task_create(&task->task, pc);
}

/* ---- dependences ----------------------------------------------------------------------------- */

#define DEPEND_IN 1 /* kind of an object that holds a dependence: the task only reads */

/*
 * The list of a task: the number of addresses, the number of those that are written, and the
 * addresses. A newer form starts with 0. It has four numbers (all addresses, written, mutually
 * exclusive, read), the addresses of these three, and then objects that hold a dependence.
 */
static void read_depend(struct openmp_task *task, void **list)
{
	bool is_new = list[0] == NULL;
	size_t count = (size_t)list[is_new ? 1 : 0], out = (size_t)list[is_new ? 2 : 1];
	size_t plain = is_new ? out + (size_t)list[3] + (size_t)list[4] : count;

	for (size_t i = 0; i < count; i++) {
		void *address = list[(is_new ? 5 : 2) + i];
		bool object = i >= plain;
		bool writes = object ? (uintptr_t)((void **)address)[1] != DEPEND_IN
				     : i < out + (is_new ? (size_t)list[3] : 0);
		openmp_task_depend(task, object ? *(void **)address : address, writes);
	}
}

/* ---- creating tasks -------------------------------------------------------------------------- */

#define TASK_DEPEND 8 /* flag of GOMP_task: there is a list of dependences */
#define TASK_DETACH (1 << 13)

DEFINE(void, GOMP_task, openmp_function *function, void *data, openmp_copy *copy, long size,
       long alignment, bool deferred, unsigned flags, void **depend, int priority, void *detach)
{
	if (!record_on()) {
		openmp_library()->GOMP_task(function, data, copy, size, alignment, deferred, flags,
					    depend, priority, detach);
		return;
	}
	struct gomp_task task;
	struct gomp_source source = {
		.task = &task, .copy = copy, .data = data, .size = (size_t)size
	};
	make_task(&task, function, false, alignment, RECORD_CALLER);
	if (flags & TASK_DEPEND)
		read_depend(&task.task, depend);
	openmp_enter(!deferred || flags & TASK_DEPEND, RECORD_CALLER);
	openmp_library()->GOMP_task(run_task, &source, copy_arguments, (long)task.offset + size,
				    alignment > 16 ? alignment : 16, deferred, flags, depend,
				    priority, detach);
	openmp_leave();
	if (flags & TASK_DETACH)
		openmp_unmodelled("detached tasks", RECORD_CALLER);
}

/* Unless there is a nogroup clause, the call returns when all tasks of the loop have ended. */
#define TASKLOOP_NOGROUP (1 << 11)
#define TASKLOOP_REDUCTION (1 << 12)

#define TASKLOOP(name, type)                                                                       \
	DEFINE(void, name, openmp_function *function, void *data, openmp_copy *copy, long size,    \
	       long alignment, unsigned flags, unsigned long tasks, int priority, type start,      \
	       type end, type step)                                                                \
	{                                                                                          \
		if (!record_on()) {                                                                \
			openmp_library()->name(function, data, copy, size, alignment, flags,       \
					       tasks, priority, start, end, step);                 \
			return;                                                                    \
		}                                                                                  \
		struct gomp_task task;                                                             \
		struct gomp_source source = {                                                      \
			.task = &task, .copy = copy, .data = data, .size = (size_t)size            \
		};                                                                                 \
		bool group = !(flags & TASKLOOP_NOGROUP);                                          \
		if (flags & TASKLOOP_REDUCTION)                                                    \
			source.reductions = ((struct gomp_source *)data)->reductions;              \
		if (group)                                                                         \
			openmp_group_begin();                                                      \
		make_task(&task, function, true, alignment, RECORD_CALLER);                        \
		openmp_enter(true, RECORD_CALLER);                                                 \
		openmp_library()->name(run_task, &source, copy_arguments,                          \
				       (long)task.offset + size, alignment > 16 ? alignment : 16,  \
				       flags, tasks, priority, start, end, step);                  \
		openmp_leave();                                                                    \
		if (group)                                                                         \
			openmp_group_end(RECORD_CALLER);                                           \
	}

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

/* ---- waiting --------------------------------------------------------------------------------- */

#define WAIT(name, parameters, before, after)                                                      \
	DEFINE(void, name, PARAMETERS parameters)                                                  \
	{                                                                                          \
		bool on = record_on();                                                             \
		if (on) {                                                                          \
			before;                                                                    \
			openmp_enter(true, RECORD_CALLER);                                         \
		}                                                                                  \
		openmp_library()->name(ARGUMENTS parameters);                                      \
		if (!on)                                                                           \
			return;                                                                    \
		openmp_leave();                                                                    \
		after;                                                                             \
	}

static void depend_ended(void **list, uintptr_t pc)
{
	struct openmp_task task = { .pc = pc };

	read_depend(&task, list);
	openmp_depend_ended(&task);
}

WAIT(GOMP_taskwait, (), , openmp_children_ended(RECORD_CALLER))
WAIT(GOMP_taskwait_depend, (void **, list), , depend_ended(list, RECORD_CALLER))
WAIT(GOMP_taskyield, (), , )
WAIT(GOMP_taskgroup_end, (), , openmp_group_end(RECORD_CALLER))

DEFINE(void, GOMP_taskgroup_start, void)
{
	if (record_on())
		openmp_group_begin();
	openmp_library()->GOMP_taskgroup_start();
}

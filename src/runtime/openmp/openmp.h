/*
 * OpenMP. Compiled code calls a runtime library (gcc: libgomp, clang: libomp) that waits with
 * futexes and atomics of its own. The interposers of this folder record what these calls order:
 *
 * - Region: SEND when it begins, RECEIVE in each worker. SEND at the end of each worker's part,
 *   RECEIVE after the region.
 * - Barrier: SEND before, RECEIVE after. Consecutive barriers of a team use two channels in turn,
 *   so that a thread that is slow to leave one does not come after what others do before the next.
 * - Task: SEND when it is created, RECEIVE when it starts. SEND when it ends, to whatever can wait
 *   for it: a taskwait of its parent, a taskgroup, the barrier at which a thread executes it, tasks
 *   that depend on it.
 * - Critical section, lock: as locks.
 * - Ordered: SEND at the end, RECEIVE at the start.
 *
 * All SENDs are *told*. Worksharing (loops, sections, single) orders nothing by itself.
 *
 * Inside. Between a call and its return the thread is *inside* the OpenMP library. It is quiet
 * there: the library's own locks, memory and conditions are not part of the program. A call that
 * may wait is made outside the schedule (sched_leave()), and so is the time that a worker spends
 * between two regions. When the library calls the program (the function of a region or a task, a
 * copy constructor), the thread comes out for the time of that call.
 *
 * In a controlled run, all threads of a team meet after a barrier and at the start of a region
 * (sched_meet()): the scheduler continues when all of them are back. So it does not matter in which
 * order they came back.
 */
#ifndef RUNTIME_OPENMP_OPENMP_H
#define RUNTIME_OPENMP_OPENMP_H

#include "runtime/buffer/record.h"
#include "runtime/buffer/thread_buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* A parallel region. It lives on the stack of the thread that began it, its master. */
struct openmp_team {
	uint64_t number;
	unsigned size;
	uint32_t master; /* the master's stream */
	uint64_t met;	 /* number of calls of sched_meet() so far, by all threads together */
};

/* What the calling thread executes. All zero outside of regions and tasks. */
struct openmp_self {
	struct openmp_team *team;
	uint64_t task;	   /* number of the task; 0: none was drawn yet */
	uint64_t group;	   /* channel of the innermost taskgroup, or 0 */
	uint64_t waits_at; /* channel of the barrier at which the thread is, or 0 */
	unsigned barriers; /* number of barriers that it has reached in this region */
	unsigned met;	   /* number of times that it has met its team */
	bool inside;	   /* in the OpenMP library */
	bool left;	   /* outside the schedule: may wait */
};
extern SOOTH_TLS struct openmp_self openmp_self;

/*
 * A new number for a team, a task or a group. The number plus an enum event_openmp is a channel. It
 * is not an address of memory, because the library uses the memory of a task again, unseen. In a
 * controlled run it depends on the thread alone.
 */
uint64_t openmp_number(void);

void openmp_send(uint64_t channel, uintptr_t pc);
void openmp_receive(uint64_t channel, uintptr_t pc);

/* ---- inside the library ---------------------------------------------------------------------- */

/* Call before and after a call of the library, only if record_on(). `waits`: the call may wait. */
void openmp_enter(bool waits, uintptr_t pc);
void openmp_leave(void);

/* Call before and after the library's call of the program. Does nothing if not inside. */
struct openmp_callback {
	bool inside, left;
};
struct openmp_callback openmp_come_out(void);
void openmp_go_back(struct openmp_callback callback, uintptr_t pc);

/* ---- regions and barriers (openmp_team.c) ---------------------------------------------------- */

struct openmp_region {
	struct openmp_team team;
	struct openmp_self outer; /* what the master did before */
	uintptr_t pc;
};
/* Call before and after the library executes a region. The thread is inside in between. */
void openmp_region_begin(struct openmp_region *region, uintptr_t pc);
void openmp_region_end(struct openmp_region *region);

/* Call in each thread of the team before and after the region's function. */
struct openmp_part {
	struct openmp_region *region;
	struct openmp_self outer;
	struct openmp_callback callback;
};
struct openmp_part openmp_part_begin(struct openmp_region *region, unsigned size);
void openmp_part_end(const struct openmp_part *part);

/*
 * Call before and after a barrier of the library. The thread is inside in between. `all`: each
 * thread of the team has passed the barrier, because it cannot be cancelled.
 */
struct openmp_barrier {
	uint64_t channel; /* 0: the team has one thread */
	uintptr_t pc;
};
struct openmp_barrier openmp_barrier_begin(uintptr_t pc);
void openmp_barrier_end(const struct openmp_barrier *barrier, bool all);
/* In place of openmp_barrier_end(): the call did not wait, and the next one will. */
void openmp_barrier_not_reached(const struct openmp_barrier *barrier);

/* ---- tasks (openmp_task.c) ------------------------------------------------------------------- */

#define OPENMP_DEPENDS 8u

/* What is known of a task when it is created. */
struct openmp_task {
	uint64_t number, parent, group; /* `parent` and `group` are channels */
	uintptr_t pc;
	uint32_t depends; /* more than OPENMP_DEPENDS: it is ordered after and before all such */
	struct openmp_depend {
		uint64_t address;
		bool out; /* the task writes it */
	} depend[OPENMP_DEPENDS];
};
void openmp_task_create(struct openmp_task *task, uintptr_t pc);
void openmp_task_depend(struct openmp_task *task, const void *address, bool out);

struct openmp_run {
	const struct openmp_task *task;
	struct openmp_callback callback;
	uint64_t outer, outer_group;
};
struct openmp_run openmp_task_begin(const struct openmp_task *task);
void openmp_task_end(const struct openmp_run *run);

/*
 * After a wait: for all children, for the tasks of a group, for tasks that write or use `address`.
 */
void openmp_children_ended(uintptr_t pc);
void openmp_depend_ended(const struct openmp_task *task);

/* Call before a taskgroup begins, and after the wait at its end. */
void openmp_group_begin(void);
void openmp_group_end(uintptr_t pc);

/* ---- locks (openmp_lock.c) ------------------------------------------------------------------- */

/*
 * Call the first before the library's function acquires the lock and the second after it. In a
 * controlled run the first returns when the lock is free.
 */
void openmp_lock_request(const void *lock, bool nested, uintptr_t pc);
void openmp_lock_acquired(const void *lock, uintptr_t pc);
/* Call before the library's function releases the lock. */
void openmp_lock_release(const void *lock, uintptr_t pc);

/* ---- what is not modelled -------------------------------------------------------------------- */

/*
 * Says once per process that `what` is not modelled, and records SYNC: the thread may have waited
 * for anything.
 */
void openmp_unmodelled(const char *what, uintptr_t pc);

#endif

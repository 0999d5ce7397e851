/*
 * The new process works in the server's memory. So it already has the main thread's thread-local
 * variables, including the descriptor. But the kernel does not know about the new process what the
 * C library has registered for the server: the address of the thread id, the list of robust
 * mutexes, the rseq area.
 */
#include "runtime/server/shared_vm_child.h"

#include "runtime/host/maps.h"
#include "runtime/sched/det_heap.h"
#include "runtime/host/libc_next.h"
#include "runtime/server/snapshot.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RSEQ_BYTES 32
#define RSEQ_SIGNATURE 0x53053053 /* the C library's value on this architecture */

int __clone(int (*routine)(void *), void *stack, int flags, void *argument, ...);

struct mapping_totals {
	unsigned count;
	size_t bytes;
};

/* Set before the snapshot. */
static struct {
	int *thread_id; /* where the C library stores the main thread's id */
	void *robust;
	size_t robust_bytes;
	void *rseq; /* NULL: there is none */
	uintptr_t heap_end;
} kernel_state;
/* totals after the first run; not restored between runs */
static struct mapping_totals *mapping_totals;

/* ---- before the first run -------------------------------------------------------------------- */

static int *find_thread_id(void)
{
	/*
	 * The C library describes each field of its descriptor to debuggers by three numbers: bits,
	 * count, offset.
	 */
	const uint32_t *field = dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid");
	int *thread_id;

	if (!field || field[0] != 32)
		return NULL;
	thread_id = (int *)((uintptr_t)pthread_self() + field[2]);
	return *thread_id == getpid() ? thread_id : NULL;
}

static void *find_rseq(void)
{
	const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
	const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");

	return offset && size && *size ? (char *)pthread_self() + *offset : NULL;
}

static bool add_to_totals(const struct maps_entry *entry, void *to)
{
	struct mapping_totals *all = to;

	if (entry->is_stack || det_heap_contains(entry->low))
		return true;
	all->count++;
	all->bytes += entry->high - entry->low;
	return true;
}

bool shared_vm_child_start(const char **why)
{
	*why = "this C library is not supported";
	kernel_state.thread_id = find_thread_id();
	if (!kernel_state.thread_id ||
	    syscall(SYS_get_robust_list, 0, &kernel_state.robust, &kernel_state.robust_bytes) != 0)
		return false;
	*why = "no memory for the server";
	mapping_totals = snapshot_lasting(sizeof(*mapping_totals));
	if (!mapping_totals)
		return false;
	kernel_state.rseq = find_rseq();
	kernel_state.heap_end = (uintptr_t)syscall(SYS_brk, 0);
	/* Otherwise new threads would map memory for their arenas, in calls that we do not see. */
	mallopt(M_ARENA_MAX, 1);
	return true;
}

/* ---- a run ----------------------------------------------------------------------------------- */

bool shared_vm_child_run(int (*routine)(void *), void *stack, int *status, bool *touched)
{
	/*
	 * The end of the process sends no signal, because the program may have a handler for it by
	 * now.
	 */
	const int flags = CLONE_VM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
	struct rusage usage;
	int child = __clone(routine, stack, flags, NULL, NULL, NULL, kernel_state.thread_id), got;

	do
		got = child < 0 ? child : real()->wait4(child, status, __WALL, &usage);
	while (got < 0 && child > 0 && errno == EINTR);
	if (got != child || child < 0)
		return false;
	*touched = usage.ru_minflt + usage.ru_majflt > 0;
	return true;
}

void shared_vm_child_begin(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	syscall(SYS_set_robust_list, kernel_state.robust, kernel_state.robust_bytes);
	if (kernel_state.rseq)
		syscall(SYS_rseq, kernel_state.rseq, RSEQ_BYTES, 0, RSEQ_SIGNATURE);
}

void shared_vm_child_restore(void)
{
	syscall(SYS_brk, kernel_state.heap_end);
}

bool shared_vm_child_mappings_unchanged(void)
{
	struct mapping_totals now = { 0, 0 };

	maps_each(add_to_totals, &now);
	if (!mapping_totals->count)
		*mapping_totals = now;
	return now.count == mapping_totals->count && now.bytes == mapping_totals->bytes;
}

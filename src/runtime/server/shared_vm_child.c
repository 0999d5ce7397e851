/*
 * The new process has the main thread's thread-local variables, descriptor included, because it is
 * in its memory; what the kernel keeps of a thread it has to be told as the C library told it for the
 * server: where its number goes, its list of robust mutexes, its area for restartable sequences.
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
#define RSEQ_SIGNATURE 0x53053053 /* the C library's, on this processor */

int __clone(int (*routine)(void *), void *stack, int flags, void *argument, ...);

struct mapped {
	unsigned count;
	size_t bytes;
};

/* All of it is settled before the snapshot. */
static struct {
	int *number; /* where the C library has the main thread's */
	void *robust;
	size_t robust_bytes;
	void *restartable; /* NULL: there is none */
	uintptr_t heap_end;
} lend;
static struct mapped *mapped; /* after the first run; outlives the runs */

/* ---- before ---------------------------------------------------------------------------------- */

static int *find_number(void)
{
	/* What the library tells debuggers of its descriptor: bits, count, offset. */
	const uint32_t *field = dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid");
	int *number;

	if (!field || field[0] != 32)
		return NULL;
	number = (int *)((uintptr_t)pthread_self() + field[2]);
	return *number == getpid() ? number : NULL;
}

static void *find_restartable(void)
{
	const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
	const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");

	return offset && size && *size ? (char *)pthread_self() + *offset : NULL;
}

static bool add_mapped(const struct maps_entry *entry, void *to)
{
	struct mapped *all = to;

	if (entry->is_stack || det_heap_contains(entry->low))
		return true;
	all->count++;
	all->bytes += entry->high - entry->low;
	return true;
}

bool shared_vm_child_start(const char **why)
{
	*why = "this C library is not understood";
	lend.number = find_number();
	if (!lend.number || syscall(SYS_get_robust_list, 0, &lend.robust, &lend.robust_bytes) != 0)
		return false;
	*why = "no memory for the server";
	mapped = snapshot_lasting(sizeof(*mapped));
	if (!mapped)
		return false;
	lend.restartable = find_restartable();
	lend.heap_end = (uintptr_t)syscall(SYS_brk, 0);
	/* New threads would map memory for themselves, which nobody would see. */
	mallopt(M_ARENA_MAX, 1);
	return true;
}

/* ---- a run ------------------------------------------------------------------------------------- */

bool shared_vm_child_run(int (*routine)(void *), void *stack, int *status, bool *touched)
{
	/* Its end is no signal: the program may have a handler for it by now. */
	const int flags = CLONE_VM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
	struct rusage usage;
	int child = __clone(routine, stack, flags, NULL, NULL, NULL, lend.number), got;

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
	syscall(SYS_set_robust_list, lend.robust, lend.robust_bytes);
	if (lend.restartable)
		syscall(SYS_rseq, lend.restartable, RSEQ_BYTES, 0, RSEQ_SIGNATURE);
}

void shared_vm_child_restore(void)
{
	syscall(SYS_brk, lend.heap_end);
}

bool shared_vm_child_mappings_kept(void)
{
	struct mapped now = { 0, 0 };

	maps_each(add_mapped, &now);
	if (!mapped->count)
		*mapped = now;
	return now.count == mapped->count && now.bytes == mapped->bytes;
}

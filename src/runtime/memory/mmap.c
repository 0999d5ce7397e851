/*
 * Mappings of the program have lifetimes like heap blocks (heap.c): MAP is recorded after the call
 * that creates a mapping, UNMAP before a call that ends all or part of it. Mappings that the C
 * library makes for malloc and for stacks do not call these interposers.
 *
 * In a persistent run, mappings that the run creates are removed at its end. Mappings that existed
 * before main must not be changed: if a run tries to change one, the run is ended (fiber_limits.c).
 */
#include "runtime/memory/mapping.h"

#include "runtime/host/caller_instrumented.h"
#include "runtime/host/libc_next.h"
#include "runtime/host/shared_mapping.h"
#include "runtime/buffer/record.h"
#include "runtime/server/resources.h"
#include "runtime/server/server.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>

#define PAGE 4096u

/* ---- records --------------------------------------------------------------------------------- */

static size_t whole_pages(size_t size)
{
	return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void record_map(const void *at, size_t size, uintptr_t pc)
{
	int error = errno;

	if (size && caller_instrumented_is_recorded(pc))
		record(EV_MAP, pc,
		       (struct record_fields){ .a = (uintptr_t)at, .n = whole_pages(size) });
	errno = error;
}

/*
 * Records UNMAP, unless the kernel will refuse the call, or objects are recorded under these
 * addresses that are still mapped elsewhere (shared_mapping.h): these live on. First requests the
 * turn: the scheduler decides when a mapping ends, as it does for heap blocks.
 */
static void record_unmap(const void *at, size_t size, uintptr_t pc)
{
	int error = errno;

	if (!size || (uintptr_t)at % PAGE)
		return;
	shared_mapping_remove(at, whole_pages(size));
	if (!caller_instrumented_is_recorded(pc) || shared_mapping_names(at, whole_pages(size)))
		return;
	sched_before(EV_UNMAP, at, (uint32_t)whole_pages(size), pc);
	record(EV_UNMAP, pc, (struct record_fields){ .a = (uintptr_t)at, .n = whole_pages(size) });
	errno = error;
}

static void check_is_own_mapping(const void *address, uintptr_t pc, const char *what)
{
	if (server_restores() && !caller_instrumented_is_own(pc) &&
	    !resources_owns_mapping(address))
		server_refuse_mapping(what);
}

/* ---- interposers ----------------------------------------------------------------------------- */

/* A mapping at a fixed address replaces an existing one atomically, so only MAP is recorded. */
static void *map_memory(void *address, size_t size, int access, int flags, int fd, off_t offset,
			uintptr_t pc)
{
	bool watched = server_restores() && !caller_instrumented_is_own(pc);

	if (watched && flags & MAP_FIXED)
		check_is_own_mapping(address, pc, "mmap at a fixed address");
	void *map = real()->mmap(address, size, access, flags, fd, offset);
	if (map == MAP_FAILED)
		return map;
	if (watched && !resources_add_mapping(map, size))
		server_refuse_mapping("too many mappings");
	shared_mapping_add(map, whole_pages(size), flags, fd, offset);
	record_map(map, size, pc);
	return map;
}

SOOTH_API void *mmap(void *address, size_t size, int access, int flags, int fd, off_t offset)
{
	return map_memory(address, size, access, flags, fd, offset, RECORD_CALLER);
}

SOOTH_API void *mmap64(void *address, size_t size, int access, int flags, int fd, off64_t offset)
	__attribute__((alias("mmap")));

static int unmap_memory(void *address, size_t size, uintptr_t pc)
{
	sched_finish_own_access();
	check_is_own_mapping(address, pc, "munmap of a mapping from before main");
	record_unmap(address, size, pc);
	return real()->munmap(address, size);
}

SOOTH_API int munmap(void *address, size_t size)
{
	return unmap_memory(address, size, RECORD_CALLER);
}

/* Does the program handle the fault of an access that is not permitted? */
static bool handles_faults(void)
{
	struct sigaction now;

	if (real()->sigaction(SIGSEGV, NULL, &now) != 0 || now.sa_handler == SIG_IGN)
		return false;
	return now.sa_handler != SIG_DFL && !sched_is_crash_handler(now.sa_handler);
}

/*
 * Where a handler lets threads wait until an access is permitted again, mprotect orders accesses:
 * it begins a new lifetime of the memory. That is recorded while the access is forbidden: after a
 * call that forbids, and before one that permits.
 */
static int protect_memory(void *address, size_t size, int access, uintptr_t pc)
{
	const int all = PROT_READ | PROT_WRITE;
	bool permits = (access & all) == all;

	sched_finish_own_access();
	check_is_own_mapping(address, pc, "mprotect of a mapping from before main");
	bool orders = size && caller_instrumented_is_recorded(pc) && handles_faults();
	if (orders && permits)
		record_map(address, size, pc);
	int result = real()->mprotect(address, size, access);
	if (orders && !permits && result == 0)
		record_map(address, size, pc);
	return result;
}

SOOTH_API int mprotect(void *address, size_t size, int access)
{
	return protect_memory(address, size, access, RECORD_CALLER);
}

/*
 * If the mapping stays at its address, only the part that is added or removed is recorded. If it
 * moves, the old mapping ends and a new one begins. The first call of the real function does not
 * permit a move, and so shows whether one is necessary.
 */
static void *remap(void *old, size_t old_size, size_t size, int flags, void *fixed, uintptr_t pc)
{
	size_t before = whole_pages(old_size), after = whole_pages(size);
	void *map = MAP_FAILED;
	int error = errno;

	server_refuse_mapping("mremap");
	if (!caller_instrumented_is_recorded(pc))
		return real()->mremap(old, old_size, size, flags, fixed);
	if (after < before && !(flags & MREMAP_FIXED))
		record_unmap((char *)old + after, before - after, pc);
	if (!(flags & MREMAP_FIXED))
		map = real()->mremap(old, old_size, size, flags & ~MREMAP_MAYMOVE);
	if (map != MAP_FAILED) {
		record_map((char *)old + before, after > before ? after - before : 0, pc);
		return map;
	}
	if (!(flags & MREMAP_MAYMOVE))
		return map;
	errno = error; /* the first call was ours, so its error is not reported to the program */
	record_unmap(old, old_size, pc);
	map = real()->mremap(old, old_size, size, flags, fixed);
	if (map != MAP_FAILED)
		record_map(map, size, pc);
	else
		record_map(old, old_size, pc);
	return map;
}

SOOTH_API void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	void *fixed = NULL;

	if (flags & MREMAP_FIXED) {
		va_list more;
		va_start(more, flags);
		fixed = va_arg(more, void *);
		va_end(more);
	}
	return remap(old, old_size, size, flags, fixed, RECORD_CALLER);
}

/* A program may call the kernel directly, so that memory appears without a call of the library. */
bool mapping_system_call(long number, const long *arguments, uintptr_t pc, long *result)
{
	const long *a = arguments;
	void *address = (void *)a[0];
	size_t size = (size_t)a[1];

	switch (number) {
	case SYS_mmap:
		*result =
			(long)map_memory(address, size, (int)a[2], (int)a[3], (int)a[4], a[5], pc);
		return true;
	case SYS_munmap: *result = unmap_memory(address, size, pc); return true;
	case SYS_mprotect: *result = protect_memory(address, size, (int)a[2], pc); return true;
	case SYS_mremap:
		*result = (long)remap(address, size, (size_t)a[2], (int)a[3], (void *)a[4], pc);
		return true;
	default: return false;
	}
}

/*
 * The program asks for all mappings to be locked in memory, but the reservation of the
 * deterministic heap (det_heap.h) is larger than the memory. So in a controlled run pages are
 * locked only when they are first accessed. The program could only notice that by timing its
 * accesses.
 */
SOOTH_API int mlockall(int flags)
{
	bool reserved = sched_active && flags > 0;

	return real()->mlockall(reserved ? flags | MCL_ONFAULT : flags);
}

/* ---- memory that is shared with other processes ---------------------------------------------- */

static size_t segment_size(int id)
{
	struct shmid_ds about;
	int error = errno;
	size_t size = shmctl(id, IPC_STAT, &about) == 0 ? about.shm_segsz : 0;

	errno = error;
	return size;
}

/*
 * shmdt is not recorded, because its arguments do not include the size of the mapping. The next
 * mapping at the same address ends this one in the trace.
 */
SOOTH_API void *shmat(int id, const void *address, int flags)
{
	server_refuse_mapping("shmat");
	void *map = real()->shmat(id, address, flags);

	if (map != MAP_FAILED && caller_instrumented_is_recorded(RECORD_CALLER))
		record_map(map, segment_size(id), RECORD_CALLER);
	return map;
}

/*
 * Mappings of the program have lifetimes like heap blocks (heap.c): MAP is recorded after the call
 * that creates one, UNMAP before the call that ends it, or a part of it. What the C library maps
 * for itself, for malloc and for stacks, does not come here.
 *
 * Mappings that a persistent run creates are removed after it. Those that existed before main must
 * not be changed: a run that tries ends (fiber_limits.c).
 */
#include "runtime/host/caller_instrumented.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/server/resources.h"
#include "runtime/server/server.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <stdarg.h>

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

/* A call that the kernel will refuse ends nothing. The scheduler decides when, as for blocks. */
static void record_unmap(const void *at, size_t size, uintptr_t pc)
{
	int error = errno;

	if (!size || (uintptr_t)at % PAGE || !caller_instrumented_is_recorded(pc))
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

/* A mapping at a fixed address ends the one that was there and begins another, in one step. */
SOOTH_API void *mmap(void *address, size_t size, int access, int flags, int fd, off_t offset)
{
	bool watched = server_restores() && !caller_instrumented_is_own(RECORD_CALLER);

	if (watched && flags & MAP_FIXED)
		check_is_own_mapping(address, RECORD_CALLER, "mmap at a fixed address");
	void *map = real()->mmap(address, size, access, flags, fd, offset);
	if (map == MAP_FAILED)
		return map;
	if (watched && !resources_add_mapping(map, size))
		server_refuse_mapping("too many mappings");
	record_map(map, size, RECORD_CALLER);
	return map;
}

SOOTH_API void *mmap64(void *address, size_t size, int access, int flags, int fd, off64_t offset)
	__attribute__((alias("mmap")));

SOOTH_API int munmap(void *address, size_t size)
{
	sched_finish_own_access();
	check_is_own_mapping(address, RECORD_CALLER, "munmap of a mapping from before main");
	record_unmap(address, size, RECORD_CALLER);
	return real()->munmap(address, size);
}

SOOTH_API int mprotect(void *address, size_t size, int access)
{
	sched_finish_own_access();
	check_is_own_mapping(address, RECORD_CALLER, "mprotect of a mapping from before main");
	return real()->mprotect(address, size, access);
}

/*
 * If the mapping stays at its address, it may become larger or smaller, and the rest lives on. If
 * it moves, all of it is new. Whether it has to move is found out by a first call that may not move
 * it.
 */
static void *remap(void *old, size_t old_size, size_t size, int flags, void *fixed, uintptr_t pc)
{
	size_t before = whole_pages(old_size), after = whole_pages(size);
	void *map = MAP_FAILED;
	int error = errno;

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
	errno = error; /* the first call was ours, not the program's */
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

	server_refuse_mapping("mremap");
	if (flags & MREMAP_FIXED) {
		va_list more;
		va_start(more, flags);
		fixed = va_arg(more, void *);
		va_end(more);
	}
	if (!caller_instrumented_is_recorded(RECORD_CALLER))
		return real()->mremap(old, old_size, size, flags, fixed);
	return remap(old, old_size, size, flags, fixed, RECORD_CALLER);
}

/*
 * All mappings are to be locked in memory at once, but our reservation (det_heap.h) is larger than
 * the memory. In a controlled run pages are locked when they are accessed. The program could only
 * notice that by the time it takes.
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
 * shmdt is not recorded, because it is called without a size. The next mapping at the same address
 * ends this one.
 */
SOOTH_API void *shmat(int id, const void *address, int flags)
{
	server_refuse_mapping("shmat");
	void *map = real()->shmat(id, address, flags);

	if (map != MAP_FAILED && caller_instrumented_is_recorded(RECORD_CALLER))
		record_map(map, segment_size(id), RECORD_CALLER);
	return map;
}

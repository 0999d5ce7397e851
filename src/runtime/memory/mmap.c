/*
 * Mappings that the program makes live as heap blocks do (heap.c): MAP is recorded behind the call
 * that made one, UNMAP before the one that ends it, or a part of it. What the C library maps for
 * itself, for malloc and for stacks, never comes here.
 *
 * Those that a persistent run makes are removed after it; those there were before main must not be
 * touched: fiber_limits.c says what becomes of a run that does.
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

/* ---- records ---------------------------------------------------------------------------------- */

static size_t whole_pages(size_t size)
{
	return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void mapped(const void *at, size_t size, uintptr_t pc)
{
	int error = errno;

	if (size && caller_instrumented_is_recorded(pc))
		record(EV_MAP, pc,
		       (struct record_fields){ .a = (uintptr_t)at, .n = whole_pages(size) });
	errno = error;
}

/* What the kernel will refuse ends nothing. The end is a decision, as that of a block. */
static void unmapping(const void *at, size_t size, uintptr_t pc)
{
	int error = errno;

	if (!size || (uintptr_t)at % PAGE || !caller_instrumented_is_recorded(pc))
		return;
	sched_before(EV_UNMAP, at, (uint32_t)whole_pages(size), pc);
	record(EV_UNMAP, pc, (struct record_fields){ .a = (uintptr_t)at, .n = whole_pages(size) });
	errno = error;
}

static void check_range(const void *address, uintptr_t pc, const char *what)
{
	if (server_restores() && !caller_instrumented_is_own(pc) &&
	    !resources_owns_mapping(address))
		server_refuse_mapping(what);
}

/* ---- interposers ------------------------------------------------------------------------------ */

/* Over what was mapped before at a fixed place, it ends that and begins another life, at once. */
SOOTH_API void *mmap(void *address, size_t size, int access, int flags, int fd, off_t offset)
{
	bool watched = server_restores() && !caller_instrumented_is_own(RECORD_CALLER);

	if (watched && flags & MAP_FIXED)
		check_range(address, RECORD_CALLER, "mmap at a fixed address");
	void *map = real()->mmap(address, size, access, flags, fd, offset);
	if (map == MAP_FAILED)
		return map;
	if (watched && !resources_add_mapping(map, size))
		server_refuse_mapping("too many mappings");
	mapped(map, size, RECORD_CALLER);
	return map;
}

SOOTH_API void *mmap64(void *address, size_t size, int access, int flags, int fd, off64_t offset)
	__attribute__((alias("mmap")));

SOOTH_API int munmap(void *address, size_t size)
{
	sched_settle();
	check_range(address, RECORD_CALLER, "munmap of what was mapped before main");
	unmapping(address, size, RECORD_CALLER);
	return real()->munmap(address, size);
}

SOOTH_API int mprotect(void *address, size_t size, int access)
{
	sched_settle();
	check_range(address, RECORD_CALLER, "mprotect of what was mapped before main");
	return real()->mprotect(address, size, access);
}

/*
 * Where it is it may be larger or smaller, and what stays lives on; elsewhere all of it is another.
 * Whether it has to move is found out by asking for less.
 */
static void *resize(void *old, size_t old_size, size_t size, int flags, void *fixed, uintptr_t pc)
{
	size_t before = whole_pages(old_size), after = whole_pages(size);
	void *map = MAP_FAILED;
	int error = errno;

	if (after < before && !(flags & MREMAP_FIXED))
		unmapping((char *)old + after, before - after, pc);
	if (!(flags & MREMAP_FIXED))
		map = real()->mremap(old, old_size, size, flags & ~MREMAP_MAYMOVE);
	if (map != MAP_FAILED) {
		mapped((char *)old + before, after > before ? after - before : 0, pc);
		return map;
	}
	if (!(flags & MREMAP_MAYMOVE))
		return map;
	errno = error; /* that was our question, not the program's */
	unmapping(old, old_size, pc);
	map = real()->mremap(old, old_size, size, flags, fixed);
	if (map != MAP_FAILED)
		mapped(map, size, pc);
	else
		mapped(old, old_size, pc);
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
	return resize(old, old_size, size, flags, fixed, RECORD_CALLER);
}

/*
 * All that is mapped is to be in memory at once; our reservation (det_heap.h) is more than there is. In turn
 * pages are locked when they are touched, which the program could only tell by the time that takes.
 */
SOOTH_API int mlockall(int flags)
{
	bool reserved = sched_taking && flags > 0;

	return real()->mlockall(reserved ? flags | MCL_ONFAULT : flags);
}

/* ---- memory that is shared with other processes -------------------------------------------------- */

static size_t segment_size(int id)
{
	struct shmid_ds about;
	int error = errno;
	size_t size = shmctl(id, IPC_STAT, &about) == 0 ? about.shm_segsz : 0;

	errno = error;
	return size;
}

/* Its end (shmdt) has no size to be told; the next to lie there ends it. */
SOOTH_API void *shmat(int id, const void *address, int flags)
{
	server_refuse_mapping("shmat");
	void *map = real()->shmat(id, address, flags);

	if (map != MAP_FAILED && caller_instrumented_is_recorded(RECORD_CALLER))
		mapped(map, segment_size(id), RECORD_CALLER);
	return map;
}

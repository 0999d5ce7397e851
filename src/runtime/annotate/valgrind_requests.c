/*
 * Valgrind's client requests (helgrind.h, drd.h): a few instructions without effect that valgrind
 * recognises. The compiler plugin recognises them, too. Before each request, it inserts a call of
 * __sooth_client_request() with the address of the request's arguments: its number and up to five
 * values.
 *
 * Requests about pthread's own objects are ignored: helgrind's own wrappers make them, and here the
 * interposers of pthread record those objects.
 */
#include "runtime/annotate/annotate.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/buffer/record.h"
#include "runtime/host/interposer.h"

#define TOOL(a, b) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16)
#define HELGRIND (TOOL('H', 'G'))
#define DRD (TOOL('D', 'R'))

enum {
	CLEAN_MEMORY = HELGRIND,		 /* address, size */
	MUTEX_INIT_POST = HELGRIND + 256 + 3,	 /* lock, whether it is recursive */
	MUTEX_DESTROY_PRE = HELGRIND + 256 + 4,	 /* lock */
	MUTEX_UNLOCK_PRE = HELGRIND + 256 + 5,	 /* lock */
	MUTEX_ACQUIRE_POST = HELGRIND + 256 + 8, /* lock */
	RWLOCK_INIT_POST = HELGRIND + 256 + 14,	 /* lock */
	RWLOCK_DESTROY_PRE = HELGRIND + 256 + 15,
	RWLOCK_ACQUIRED = HELGRIND + 256 + 17, /* lock, whether for writing */
	RWLOCK_RELEASED = HELGRIND + 256 + 18, /* lock; it does not say whether for writing */
	SEM_RELEASED = HELGRIND + 256 + 22,    /* semaphore */
	SEM_ACQUIRED = HELGRIND + 256 + 23,
	BARRIER_WAIT_PRE = HELGRIND + 256 + 25,
	HAPPENS_BEFORE = HELGRIND + 256 + 33, /* object */
	HAPPENS_AFTER = HELGRIND + 256 + 34,
	MAKE_UNTRACKED = HELGRIND + 256 + 39, /* address, size */

	START_SUPPRESSION = DRD + 2, /* address, size */
	RECORD_LOADS = DRD + 6,	     /* whether to record */
	RECORD_STORES = DRD + 7,
	DRD_SEM_WAIT_POST = DRD + 13, /* semaphore */
	DRD_SEM_POST_PRE = DRD + 14,
};

/*
 * The locks that the thread holds for reading: RWLOCK_RELEASED does not say how the lock was held.
 */
#define SHARED_MOST 16
static SOOTH_TLS const void *shared_locks[SHARED_MOST];

static void add_shared_lock(const void *lock)
{
	for (int i = 0; i < SHARED_MOST; i++) {
		if (!shared_locks[i]) {
			shared_locks[i] = lock;
			return;
		}
	}
}

static bool remove_shared_lock(const void *lock)
{
	for (int i = 0; i < SHARED_MOST; i++) {
		if (shared_locks[i] == lock) {
			shared_locks[i] = NULL;
			return true;
		}
	}
	return false;
}

DEFINE(void, __sooth_client_request, const volatile uint64_t *request)
{
	uintptr_t pc = RECORD_CALLER;
	const void *object = (const void *)(uintptr_t)request[1];

	switch ((uint32_t)request[0]) {
	case HAPPENS_BEFORE:
	case SEM_RELEASED:
	case DRD_SEM_POST_PRE: annotate_before(object, pc); break;
	case HAPPENS_AFTER:
	case SEM_ACQUIRED:
	case DRD_SEM_WAIT_POST: annotate_after(object, pc); break;
	case MUTEX_INIT_POST: annotate_lock_init(object, request[2], pc); break;
	case RWLOCK_INIT_POST: annotate_lock_init(object, false, pc); break;
	case MUTEX_DESTROY_PRE:
	case RWLOCK_DESTROY_PRE: annotate_lock_destroy(object, pc); break;
	case MUTEX_ACQUIRE_POST: annotate_lock_acquired(object, false, false, pc); break;
	case MUTEX_UNLOCK_PRE: annotate_lock_release(object, false, pc); break;
	case RWLOCK_ACQUIRED:
		if (!request[2])
			add_shared_lock(object);
		annotate_lock_acquired(object, !request[2], false, pc);
		break;
	case RWLOCK_RELEASED: annotate_lock_release(object, remove_shared_lock(object), pc); break;
	case CLEAN_MEMORY: annotate_new_memory(object, request[2], pc); break;
	case START_SUPPRESSION:
	case MAKE_UNTRACKED: annotate_benign(object, request[2]); break;
	case RECORD_LOADS: annotate_ignore(false, !request[1], pc); break;
	case RECORD_STORES: annotate_ignore(true, !request[1], pc); break;
	/* No request marks the end of a wait, so each arrival comes after all earlier arrivals. */
	case BARRIER_WAIT_PRE:
		annotate_after(object, pc);
		annotate_before(object, pc);
		break;
	default: break;
	}
}

/*
 * The end of the lifetime of exceptions that several threads share: by std::exception_ptr, which
 * std::future uses. Each exception has a reference count inside libstdc++. The thread that drops
 * the last reference destroys the exception; that happens after the uses of the exception by other
 * threads (cxx_refcount.h).
 *
 * Two functions drop references: one for an exception_ptr and one for a caught exception.
 * libstdc++, too, calls both by name, so both are interposed. The layouts are those of the C++ ABI
 * and of libstdc++ since gcc 4.5.
 */
#include "runtime/cxx/cxx_refcount.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"

#include <stdatomic.h>
#include <unwind.h>

/* Precedes an exception object in memory. */
struct cxx_exception_head {
	_Atomic int references;
	_Alignas(16) void *type;
	void (*destroy)(void *exception);
	void *handlers[2], *next;
	int counts[2];
	const void *places[4];
	struct _Unwind_Exception unwind;
};
_Static_assert(sizeof(struct cxx_exception_head) == 128, "where the exception begins");

/* The object that std::rethrow_exception throws. It refers to the original exception. */
struct cxx_dependent_exception {
	void *exception;
	void *rest[9];
	struct _Unwind_Exception unwind;
};
_Static_assert(offsetof(struct cxx_exception_head, unwind) -
			       offsetof(struct cxx_exception_head, type) ==
		       offsetof(struct cxx_dependent_exception, unwind),
	       "both are caught in the same way");

#define CLASS(last)                                                                                \
	((_Unwind_Exception_Class)'G' << 56 | (_Unwind_Exception_Class)'N' << 48 |                 \
	 (_Unwind_Exception_Class)'U' << 40 | (_Unwind_Exception_Class)'C' << 32 |                 \
	 (_Unwind_Exception_Class)'C' << 24 | (_Unwind_Exception_Class)'+' << 16 |                 \
	 (_Unwind_Exception_Class)'+' << 8 | (last))

static struct cxx_exception_head *head_of(void *exception)
{
	return (struct cxx_exception_head *)exception - 1;
}

static bool begin_release(void *exception, uintptr_t pc)
{
	return cxx_refcount_drop(exception, atomic_load(&head_of(exception)->references) > 1, pc);
}

/* ---- std::exception_ptr ---------------------------------------------------------------------- */

struct cxx_exception_pointer {
	void *exception;
};

/*
 * If a C program loads a C++ library, the real function may not be found. Then this function does
 * the work of the real one, except that it does not free the memory: only the library that
 * allocated it can do that.
 */
static void drop_reference(struct cxx_exception_pointer *pointer)
{
	if (real()->_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv) {
		real()->_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(pointer);
		return;
	}
	struct cxx_exception_head *head = head_of(pointer->exception);
	if (atomic_fetch_sub(&head->references, 1) != 1)
		return;
	if (head->destroy)
		head->destroy(pointer->exception);
	pointer->exception = NULL;
}

static void record_release(struct cxx_exception_pointer *pointer, uintptr_t pc)
{
	bool expected = begin_release(pointer->exception, pc);
	drop_reference(pointer);
	cxx_refcount_dropped(expected);
}

SOOTH_API void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void *pointer)
{
	struct cxx_exception_pointer *p = pointer;

	if (p->exception)
		record_release(p, RECORD_CALLER);
}

/* ---- caught exceptions ----------------------------------------------------------------------- */

/* Does the same as _Unwind_DeleteException in libgcc. */
static void delete_caught(struct _Unwind_Exception *caught)
{
	if (caught->exception_cleanup)
		caught->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, caught);
}

/*
 * Deletes an exception that refers to another one. Holds a reference to that one during the call,
 * and drops it afterwards, so that this file sees the last reference dropped.
 */
static void delete_dependent(struct _Unwind_Exception *caught, uintptr_t pc)
{
	struct cxx_exception_pointer held = {
		((struct cxx_dependent_exception *)(caught + 1) - 1)->exception,
	};

	atomic_fetch_add(&head_of(held.exception)->references, 1);
	delete_caught(caught);
	record_release(&held, pc);
}

SOOTH_API void _Unwind_DeleteException(struct _Unwind_Exception *caught)
{
	if (caught->exception_class == CLASS(0)) {
		bool expected = begin_release(caught + 1, RECORD_CALLER);
		delete_caught(caught);
		cxx_refcount_dropped(expected);
	} else if (caught->exception_class == CLASS(1)) {
		delete_dependent(caught, RECORD_CALLER);
	} else {
		delete_caught(caught);
	}
}

/*
 * The end of exceptions that several threads have: std::exception_ptr, and with it std::future. Each has a
 * count, which is libstdc++'s own; who takes the last reference away destroys the exception, behind
 * what the others did with it (cxx_refcount.h).
 *
 * References go in two functions, which libstdc++ itself calls by name: of an exception_ptr, and of what
 * was caught. The layouts are those of the C++ ABI and of libstdc++ since gcc 4.5.
 */
#include "runtime/cxx/cxx_refcount.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"

#include <stdatomic.h>
#include <unwind.h>

/* What lies before an exception that was thrown. */
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

/* One that is thrown again by std::rethrow_exception refers to it. */
struct dependent {
	void *exception;
	void *rest[9];
	struct _Unwind_Exception unwind;
};
_Static_assert(offsetof(struct cxx_exception_head, unwind) -
			       offsetof(struct cxx_exception_head, type) ==
		       offsetof(struct dependent, unwind),
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
	return cxx_refcount_let_go(exception, atomic_load(&head_of(exception)->references) > 1, pc);
}

/* ---- std::exception_ptr ------------------------------------------------------------------- */

struct exception_pointer {
	void *exception;
};

/*
 * A program in C that loads a library in C++ has the real function where it is not found. Its work is done
 * here then, but that the memory is not freed: who made it knows how.
 */
static void release(struct exception_pointer *pointer)
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

static void release_seen(struct exception_pointer *pointer, uintptr_t pc)
{
	bool expected = begin_release(pointer->exception, pc);
	release(pointer);
	cxx_refcount_gone(expected);
}

SOOTH_API void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void *pointer)
{
	struct exception_pointer *p = pointer;

	if (p->exception)
		release_seen(p, RECORD_CALLER);
}

/* ---- what was caught ---------------------------------------------------------------------- */

/* What _Unwind_DeleteException is in libgcc. */
static void clean_up(struct _Unwind_Exception *caught)
{
	if (caught->exception_cleanup)
		caught->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, caught);
}

/* The exception itself is held until the one that refers to it is freed, and only then let go. */
static void delete_dependent(struct _Unwind_Exception *caught, uintptr_t pc)
{
	struct exception_pointer held = {
		((struct dependent *)(caught + 1) - 1)->exception,
	};

	atomic_fetch_add(&head_of(held.exception)->references, 1);
	clean_up(caught);
	release_seen(&held, pc);
}

SOOTH_API void _Unwind_DeleteException(struct _Unwind_Exception *caught)
{
	if (caught->exception_class == CLASS(0)) {
		bool expected = begin_release(caught + 1, RECORD_CALLER);
		clean_up(caught);
		cxx_refcount_gone(expected);
	} else if (caught->exception_class == CLASS(1)) {
		delete_dependent(caught, RECORD_CALLER);
	} else {
		clean_up(caught);
	}
}

/*
 * Reference counts that libstdc++ changes in its own, uninstrumented functions: of the texts of
 * exceptions (copies of std::runtime_error and std::logic_error share a string), of the paths of
 * filesystem_error, of directory iterators, and of locales. All other counts are in templates,
 * which are compiled with the program. The counts of exceptions themselves are in cxx_exception.c.
 *
 * Only functions that drop a reference are interposed. Other functions of libstdc++ drop references
 * by calling these by name: the destructor of a stream calls the destructor of its locale, and the
 * destructor of std::system_error that of std::runtime_error. The layouts belong to libstdc++'s ABI
 * and do not change.
 */
#include "runtime/cxx/cxx_refcount.h"

#include "runtime/annotate/annotate.h"
#include "runtime/cxx/cxx_lookup.h"
#include "runtime/host/interposer.h"
#include "runtime/buffer/deferred_event.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/buffer/record.h"

#include <stdatomic.h>

/* Was any object ever shared? In most programs none is, and then no RECEIVE need be recorded. */
static _Atomic bool any_shared;

bool cxx_refcount_drop(const void *object, bool shared, uintptr_t pc)
{
	if (shared) {
		any_shared = true;
		annotate_before(object, pc);
	}
	if (!any_shared)
		return false;
	deferred_event_expect(EV_RECEIVE, object, pc);
	return true;
}

void cxx_refcount_dropped(bool expected)
{
	if (expected)
		deferred_event_forget();
}

/* ---- interposers ----------------------------------------------------------------------------- */

typedef void *function(void *object, const void *other);

/*
 * An interposer of a destructor or assignment that drops a reference. `drop` finds the counted
 * object and calls cxx_refcount_drop().
 */
#define COUNTED(name, drop)                                                                        \
	DEFINE(void *, name, void *object, const void *other)                                      \
	{                                                                                          \
		CXX_LOOKUP(function, real_one, name);                                              \
		if (!real_one)                                                                     \
			return object;                                                             \
		bool expected = drop(object, RECORD_CALLER);                                       \
		void *result = real_one(object, other);                                            \
		cxx_refcount_dropped(expected);                                                    \
		return result;                                                                     \
	}

/* ---- texts of exceptions --------------------------------------------------------------------- */

struct cxx_text_exception {
	const void *type;
	const char *text;
};

/* Precedes the text in memory. */
struct cxx_text_head {
	size_t length, room;
	_Atomic int others; /* number of other owners */
};

static bool drop_text(void *object, uintptr_t pc)
{
	const struct cxx_text_exception *exception = object;
	const struct cxx_text_head *head =
		(const struct cxx_text_head *)(const void *)exception->text - 1;

	return cxx_refcount_drop(exception->text, atomic_load(&head->others) > 0, pc);
}

COUNTED(_ZNSt13runtime_errorD1Ev, drop_text)
COUNTED(_ZNSt13runtime_errorD2Ev, drop_text)
COUNTED(_ZNSt13runtime_erroraSERKS_, drop_text)
COUNTED(_ZNSt11logic_errorD1Ev, drop_text)
COUNTED(_ZNSt11logic_errorD2Ev, drop_text)
COUNTED(_ZNSt11logic_erroraSERKS_, drop_text)

/* ---- std::filesystem: shared pointers that libstdc++ drops ----------------------------------- */

struct cxx_refcount_control {
	const void *type;
	_Atomic int count;
};

struct cxx_shared_pointer {
	const void *object;
	const struct cxx_refcount_control *control;
};

static bool drop_pointer(void *object, uintptr_t pc)
{
	const struct cxx_refcount_control *control =
		((const struct cxx_shared_pointer *)object)->control;

	return control && cxx_refcount_drop(control, atomic_load(&control->count) > 1, pc);
}

/* A filesystem_error: a std::system_error (an exception and a code), then the paths. */
struct cxx_path_exception {
	struct cxx_text_exception exception;
	int code;
	const void *category;
	struct cxx_shared_pointer paths;
};

static bool drop_paths(void *object, uintptr_t pc)
{
	return drop_pointer(&((struct cxx_path_exception *)object)->paths, pc);
}

COUNTED(_ZNSt10filesystem7__cxx1116filesystem_errorD1Ev, drop_paths)
COUNTED(_ZNSt10filesystem7__cxx1116filesystem_errorD2Ev, drop_paths)
COUNTED(_ZNSt10filesystem7__cxx1128recursive_directory_iteratorD1Ev, drop_pointer)
COUNTED(_ZNSt10filesystem7__cxx1128recursive_directory_iteratorD2Ev, drop_pointer)
COUNTED(_ZNSt10filesystem7__cxx1128recursive_directory_iteratoraSERKS1_, drop_pointer)

/* ---- locales --------------------------------------------------------------------------------- */

/*
 * Records that a locale drops its references to facets. Locales share facets, and any locale may
 * drop the last reference to one, so one object stands for all of them. The classic locale, with
 * which all programs start, never ends.
 */
static bool drop_locale(void *object, uintptr_t pc)
{
	static void *_Atomic known;
	function *classic = (function *)cxx_lookup_real(&known, "_ZNSt6locale7classicEv", pc);

	if (classic && *(void **)object == *(void **)classic(NULL, NULL))
		return false;
	return cxx_refcount_drop(&any_shared, true, pc);
}

COUNTED(_ZNSt6localeD1Ev, drop_locale)
COUNTED(_ZNSt6localeD2Ev, drop_locale)
COUNTED(_ZNSt6localeaSERKS_, drop_locale)

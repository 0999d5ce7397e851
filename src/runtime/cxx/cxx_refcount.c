/*
 * What libstdc++ counts references of in functions of its own, where no instrumented code sees it: the texts of
 * exceptions (std::runtime_error and std::logic_error have strings that copies share), the paths of
 * filesystem_error, directory iterators, and locales. All else that is counted is counted by templates,
 * which are compiled with the program; cxx_exception.c has exceptions themselves.
 *
 * Only functions that take a reference away are here. Those inside of libstdc++ that do so by themselves call
 * these, by name: the destructor of a stream that of its locale, that of std::system_error
 * std::runtime_error's. The layouts are those of libstdc++'s ABI, and do not change.
 */
#include "runtime/cxx/cxx_refcount.h"

#include "runtime/annotate/annotate.h"
#include "runtime/cxx/cxx_lookup.h"
#include "runtime/buffer/deferred_event.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/buffer/record.h"

#include <stdatomic.h>

/* Nothing was ever shared, as in most programs: then nothing is due. */
static _Atomic bool any_shared;

bool cxx_refcount_let_go(const void *object, bool shared, uintptr_t pc)
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

void cxx_refcount_gone(bool expected)
{
	if (expected)
		deferred_event_forget();
}

/* ---- functions ---------------------------------------------------------------------------- */

typedef void *function(void *object, const void *other);

/*
 * A destructor, or an assignment, which takes away what the object had. `let_go` says which object it was that
 * is counted.
 */
#define COUNTED(name, let_go)                                                                      \
	SOOTH_API void *name(void *object, const void *other);                                     \
	SOOTH_API void *name(void *object, const void *other)                                      \
	{                                                                                          \
		static void *_Atomic known;                                                        \
		function *real_one = (function *)cxx_lookup_real(&known, #name, RECORD_CALLER);    \
                                                                                                   \
		if (!real_one)                                                                     \
			return object;                                                             \
		bool expected = let_go(object, RECORD_CALLER);                                     \
		void *result = real_one(object, other);                                            \
		cxx_refcount_gone(expected);                                                       \
		return result;                                                                     \
	}

/* ---- texts of exceptions ------------------------------------------------------------------ */

struct exception {
	const void *type;
	const char *text;
};

/* What lies before the text. */
struct text_head {
	size_t length, room;
	_Atomic int others; /* that have it, too */
};

static bool let_go_of_text(void *object, uintptr_t pc)
{
	const struct exception *exception = object;
	const struct text_head *head = (const struct text_head *)(const void *)exception->text - 1;

	return cxx_refcount_let_go(exception->text, atomic_load(&head->others) > 0, pc);
}

COUNTED(_ZNSt13runtime_errorD1Ev, let_go_of_text)
COUNTED(_ZNSt13runtime_errorD2Ev, let_go_of_text)
COUNTED(_ZNSt13runtime_erroraSERKS_, let_go_of_text)
COUNTED(_ZNSt11logic_errorD1Ev, let_go_of_text)
COUNTED(_ZNSt11logic_errorD2Ev, let_go_of_text)
COUNTED(_ZNSt11logic_erroraSERKS_, let_go_of_text)

/* ---- std::filesystem: shared pointers that are let go of inside --------------------------- */

struct cxx_refcount_control {
	const void *type;
	_Atomic int count;
};

struct shared_pointer {
	const void *object;
	const struct cxx_refcount_control *control;
};

static bool let_go_of_pointer(void *object, uintptr_t pc)
{
	const struct cxx_refcount_control *control =
		((const struct shared_pointer *)object)->control;

	return control && cxx_refcount_let_go(control, atomic_load(&control->count) > 1, pc);
}

/* Behind std::system_error: an exception and a code. */
struct path_exception {
	struct exception exception;
	int code;
	const void *category;
	struct shared_pointer paths;
};

static bool let_go_of_paths(void *object, uintptr_t pc)
{
	return let_go_of_pointer(&((struct path_exception *)object)->paths, pc);
}

COUNTED(_ZNSt10filesystem7__cxx1116filesystem_errorD1Ev, let_go_of_paths)
COUNTED(_ZNSt10filesystem7__cxx1116filesystem_errorD2Ev, let_go_of_paths)
COUNTED(_ZNSt10filesystem7__cxx1128recursive_directory_iteratorD1Ev, let_go_of_pointer)
COUNTED(_ZNSt10filesystem7__cxx1128recursive_directory_iteratorD2Ev, let_go_of_pointer)
COUNTED(_ZNSt10filesystem7__cxx1128recursive_directory_iteratoraSERKS1_, let_go_of_pointer)

/* ---- locales ------------------------------------------------------------------------------ */

/*
 * Locales share facets, whichever of them is the last: one name for all of them. The locale that all
 * programs start with never ends.
 */
static bool let_go_of_locale(void *object, uintptr_t pc)
{
	static void *_Atomic known;
	function *classic = (function *)cxx_lookup_real(&known, "_ZNSt6locale7classicEv", pc);

	if (classic && *(void **)object == *(void **)classic(NULL, NULL))
		return false;
	return cxx_refcount_let_go(&any_shared, true, pc);
}

COUNTED(_ZNSt6localeD1Ev, let_go_of_locale)
COUNTED(_ZNSt6localeD2Ev, let_go_of_locale)
COUNTED(_ZNSt6localeaSERKS_, let_go_of_locale)

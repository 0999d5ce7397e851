/*
 * Strings of libstdc++'s old ABI (_GLIBCXX_USE_CXX11_ABI=0): copies share a text and count who has
 * it. The count is changed inside of libstdc++ and, where the compiler inlines, by the program: what is inlined is
 * recorded as any atomic, what is not is unseen, and which is which differs from call to call. So each look at
 * a text that lets go of it, ends it, or finds that nobody else has it is an access of its count that
 * the environment made (EF_ENVIRONMENT): all accesses of one count keep their order, and
 * nothing else does.
 *
 * Only the functions that have such code in libstdc++ are here; all others there call these, by name. The
 * layout is that of the ABI, and does not change.
 */
#include "runtime/cxx.h"
#include "runtime/lane.h"
#include "runtime/record.h"
#include "runtime/thread.h"

#include <errno.h>
#include <stdatomic.h>

/* What lies before a text. */
struct head {
	size_t length, room;
	_Atomic int others; /* that have it, too; below 0: it must not be shared */
};
_Static_assert(sizeof(struct head) == 24, "where the text begins");

/* Somebody let go of a text that another had, too: only then is the end of a text behind anything. */
static _Atomic bool any_shared;

static struct head *head_of(void *const *string)
{
	return (struct head *)*string - 1;
}

static void touch(struct head *head, uintptr_t pc)
{
	int error = errno;

	if (record_on() && thread_made_any()) {
		struct record_fields fields = {
			.q = record_sequence(&head->others),
			.a = (uintptr_t)&head->others,
			.n = sizeof(head->others),
			.m = memory_order_seq_cst | (EF_ENVIRONMENT | EF_INEXACT)
							    << EVENT_ORDER_BITS,
		};
		int others = atomic_load(&head->others);

		record_atomic(EV_ATOMIC_READ, pc, &fields, &others, NULL);
	}
	errno = error;
}

/* The text that all empty strings have has no room, and nobody counts who has it. */
static void let_go(struct head *head, uintptr_t pc)
{
	int others = atomic_load(&head->others);

	if (others > 0)
		any_shared = true;
	if (others || head->room)
		touch(head, pc);
}

/* ---- functions ----------------------------------------------------------------------------------- */

typedef void *function(void *object, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d);

/*
 * `look` is done before, and the real one jumped to: some of those jump on, to `operator delete`, and what is freed
 * is freed by who called them.
 */
#define TEXT_FUNCTION(name, look)                                                                  \
	SOOTH_API void *name(void *object, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d);    \
	SOOTH_API void *name(void *object, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d)     \
	{                                                                                          \
		static void *_Atomic known;                                                        \
		function *real_one = (function *)cxx_real(&known, #name, RECORD_CALLER);           \
                                                                                                   \
		if (!real_one)                                                                     \
			return object;                                                             \
		look(object, RECORD_CALLER);                                                       \
		return real_one(object, a, b, c, d);                                               \
	}

static void string_lets_go(void *object, uintptr_t pc)
{
	let_go(head_of(object), pc);
}

static void text_is_let_go(void *object, uintptr_t pc)
{
	let_go(object, pc);
}

static void text_ends(void *object, uintptr_t pc)
{
	if (any_shared)
		touch(object, pc);
}

/*
 * The string is going to be written to. If others have its text it makes a copy (and lets go); only behind that is
 * known whether nobody had it.
 */
#define WRITTEN_TEXT(name)                                                                         \
	SOOTH_API void name(void *object);                                                         \
	SOOTH_API void name(void *object)                                                          \
	{                                                                                          \
		static void *_Atomic known;                                                        \
		function *real_one = (function *)cxx_real(&known, #name, RECORD_CALLER);           \
		struct head *head = head_of(object);                                               \
                                                                                                   \
		if (!real_one)                                                                     \
			return;                                                                    \
		real_one(object, 0, 0, 0, 0);                                                      \
		if (head_of(object) == head && atomic_load(&head->others))                         \
			touch(head, RECORD_CALLER);                                                \
	}

/* `string`: its name. `allocator`: what refers to the type of its allocator by then. */
#define TEXTS(string, allocator, character)                                                        \
	TEXT_FUNCTION(_ZN##string##4_Rep10_M_destroyERK##allocator, text_ends)                     \
	TEXT_FUNCTION(_ZN##string##4_Rep10_M_disposeERK##allocator, text_is_let_go)                \
	WRITTEN_TEXT(_ZN##string##12_M_leak_hardEv)                                                \
	TEXT_FUNCTION(_ZN##string##9_M_mutateEmmm, string_lets_go)                                 \
	TEXT_FUNCTION(_ZN##string##7replaceEmmPK##character##m, string_lets_go)                    \
	TEXT_FUNCTION(_ZN##string##7reserveEm, string_lets_go)                                     \
	TEXT_FUNCTION(_ZN##string##7reserveEv, string_lets_go)                                     \
	TEXT_FUNCTION(_ZN##string##5clearEv, string_lets_go)                                       \
	TEXT_FUNCTION(_ZN##string##D1Ev, string_lets_go)                                           \
	TEXT_FUNCTION(_ZN##string##D2Ev, string_lets_go)

TEXTS(Ss, SaIcE, c)
TEXT_FUNCTION(_ZNSs6assignERKSs, string_lets_go)
TEXTS(SbIwSt11char_traitsIwESaIwEE, S1_, w)
TEXT_FUNCTION(_ZNSbIwSt11char_traitsIwESaIwEE6assignERKS2_, string_lets_go)

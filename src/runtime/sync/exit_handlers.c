/*
 * What one thread has registered and another runs at the end of the process, by atexit or as the destructor of
 * a static variable: behind what was done before it was registered, by the library's own lock and list.
 * SEND stands where it is registered, RECEIVE where it runs. While there are no threads there is no order
 * to be told, and the library has the function itself.
 */
#include "runtime/sync/exit_handlers.h"

#include "runtime/annotate/annotate.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sync/thread.h"

#include <stdatomic.h>

/* As the library calls it, which declares it with one argument. */
typedef void exit_function(void *argument, int status);

struct registered {
	exit_function *function;
	void *argument;
};

/* Named by what is the same in each run: the object that is destroyed, or the function. */
static const void *name_of(const struct registered *registered)
{
	return registered->argument ? registered->argument
				    : (const void *)(uintptr_t)registered->function;
}

static void run_on_exit(int status, void *given)
{
	struct registered registered = *(struct registered *)given;

	real()->free(given);
	annotate_after(name_of(&registered), RECORD_CALLER);
	((void (*)(int, void *))(void *)registered.function)(status, registered.argument);
}

static void run(void *given, int status)
{
	struct registered registered = *(struct registered *)given;

	real()->free(given);
	annotate_after(name_of(&registered), RECORD_CALLER);
	registered.function(registered.argument, status);
}

/* NULL: there is nothing to be told. */
static struct registered *tell(exit_function *function, void *argument, uintptr_t pc)
{
	struct registered *registered =
		thread_made_any() && record_on() ? real()->malloc(sizeof(*registered)) : NULL;

	if (registered) {
		*registered = (struct registered){ function, argument };
		annotate_before(name_of(registered), pc);
	}
	return registered;
}

SOOTH_API int on_exit(void (*function)(int, void *), void *argument)
{
	struct registered *registered =
		tell((exit_function *)(void *)function, argument, RECORD_CALLER);

	if (!registered)
		return real()->on_exit(function, argument);
	int result = real()->on_exit(run_on_exit, registered);
	if (result != 0)
		real()->free(registered);
	return result;
}

SOOTH_API int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
	struct registered *registered =
		tell((exit_function *)(void *)function, argument, RECORD_CALLER);

	if (!registered)
		return real()->__cxa_atexit(function, argument, library);
	int result = real()->__cxa_atexit((void (*)(void *))(void *)run, registered, library);
	if (result != 0)
		real()->free(registered);
	return result;
}

/* ---- quick_exit --------------------------------------------------------------------------- */

/* Such functions have no argument that could tell which of them runs: all are behind all. */
static _Atomic bool any_quick;

SOOTH_API int __cxa_at_quick_exit(void (*function)(void *), void *library)
{
	if (thread_made_any() && record_on()) {
		any_quick = true;
		annotate_before(&any_quick, RECORD_CALLER);
	}
	return real()->__cxa_at_quick_exit(function, library);
}

void exit_handlers_quick(uintptr_t pc)
{
	if (any_quick)
		annotate_after(&any_quick, pc);
}

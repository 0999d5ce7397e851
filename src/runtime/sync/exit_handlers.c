/*
 * Functions that one thread registers and another thread runs at the end of the process: by atexit,
 * or as the destructor of a static variable. The C library's own lock and list make the run happen
 * after everything that came before the registration. That order is recorded: SEND at the
 * registration, RECEIVE before the function runs. Before the first thread is created, there is
 * nothing to order, and the function is registered without a wrapper.
 */
#include "runtime/sync/exit_handlers.h"

#include "runtime/annotate/annotate.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sync/thread.h"

#include <stdatomic.h>

/*
 * The type of a handler as the library calls it. __cxa_atexit declares it with one argument only.
 */
typedef void exit_function(void *argument, int status);

struct exit_handler {
	exit_function *function;
	void *argument;
};

/*
 * The object of SEND and RECEIVE: the destroyed object, or the function if there is none. It is the
 * same in each run.
 */
static const void *object_of(const struct exit_handler *handler)
{
	return handler->argument ? handler->argument : (const void *)(uintptr_t)handler->function;
}

/* Frees the wrapper that the library has kept, and records RECEIVE for the handler. */
static struct exit_handler begin_handler(void *given, uintptr_t pc)
{
	struct exit_handler handler = *(struct exit_handler *)given;

	real()->free(given);
	annotate_after(object_of(&handler), pc);
	return handler;
}

static void run_on_exit(int status, void *given)
{
	struct exit_handler handler = begin_handler(given, RECORD_CALLER);

	((void (*)(int, void *))(void *)handler.function)(status, handler.argument);
}

static void run_at_exit(void *given, int status)
{
	struct exit_handler handler = begin_handler(given, RECORD_CALLER);

	handler.function(handler.argument, status);
}

/* Records SEND. Returns a wrapper for the library to keep, or NULL if nothing was recorded. */
static struct exit_handler *record_registration(void *function, void *argument, uintptr_t pc)
{
	struct exit_handler *handler =
		thread_any_created() && record_on() ? real()->malloc(sizeof(*handler)) : NULL;

	if (handler) {
		*handler = (struct exit_handler){ (exit_function *)function, argument };
		annotate_before(object_of(handler), pc);
	}
	return handler;
}

/*
 * Frees the wrapper if the registration failed. Returns `result`, the result of the registration.
 */
static int finish_registration(struct exit_handler *handler, int result)
{
	if (result != 0)
		real()->free(handler);
	return result;
}

SOOTH_API int on_exit(void (*function)(int, void *), void *argument)
{
	struct exit_handler *handler =
		record_registration((void *)function, argument, RECORD_CALLER);

	if (!handler)
		return real()->on_exit(function, argument);
	return finish_registration(handler, real()->on_exit(run_on_exit, handler));
}

SOOTH_API int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
	struct exit_handler *handler =
		record_registration((void *)function, argument, RECORD_CALLER);

	if (!handler)
		return real()->__cxa_atexit(function, argument, library);
	return finish_registration(
		handler,
		real()->__cxa_atexit((void (*)(void *))(void *)run_at_exit, handler, library));
}

/* ---- quick_exit ------------------------------------------------------------------------------ */

/*
 * The object of SEND and RECEIVE for all at_quick_exit handlers. These functions have no argument,
 * so they have no wrappers, and each is taken to run after all registrations.
 */
static _Atomic bool any_quick;

SOOTH_API int __cxa_at_quick_exit(void (*function)(void *), void *library)
{
	if (thread_any_created() && record_on()) {
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

/*
 * Opaque code: code that is not recorded and whose effect on other threads is not modelled, in
 * libraries that were compiled as usual. It may wait, lock, and hand over data by means that the
 * runtime does not see. So a thread that is back from it comes after everything that other threads
 * did before: an OPAQUE event (event.def).
 *
 * Calls are noticed at their start (opaque_imports.c), because no code of ours runs when one
 * returns. The event is deferred (buffer/deferred_event.h): it is recorded before whatever the
 * thread records next, whether the call has returned by then or has called back.
 */
#ifndef RUNTIME_OPAQUE_OPAQUE_H
#define RUNTIME_OPAQUE_OPAQUE_H

#include "event/event.h"
#include "runtime/buffer/thread_buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Called once, at the start: is opaque code to be recorded? */
void opaque_start(bool wanted);
extern bool opaque_wanted;

/* A module was loaded and relocated (called by module.c). None of its code has run. */
struct module;
void opaque_module(struct module *module);

/* A module is gone: releases what opaque_module() has made. */
void opaque_module_gone(struct module *module);

/* The process contains opaque code. */
extern bool opaque_any;

/* Is the code at `pc` opaque? Only if opaque_any. pc 0 stands for the runtime itself. */
bool opaque_contains(uintptr_t pc);

/*
 * The calling thread calls the opaque function `target` from `pc`, or opaque code has called us.
 * Uses general registers only, keeps errno.
 */
void opaque_called(uintptr_t target, uintptr_t pc);

/* The last record of the calling thread has a time. */
static inline void opaque_is_known(void)
{
	thread_buffer_self.opaque.known_until = __sooth_lane->cursor;
}

/*
 * The calling thread returns to opaque code, which called us. One more event of the function may
 * follow (EXIT), so that two OPAQUE events are deferred.
 */
void opaque_returns(uintptr_t target, uintptr_t pc);

/*
 * The calling thread is about to record an event of the code at `pc`. If that is opaque code, will
 * the thread come back from it? Then opaque_go_on() follows the record, because the event itself
 * comes after the one that was deferred.
 *
 * A library that allocates or frees a block need not be more than a wrapper of malloc; so that
 * alone does not show that the thread is in opaque code.
 */
static inline bool opaque_goes_on(enum event_kind kind, uintptr_t pc)
{
	if (__builtin_expect(!opaque_any, 1) || kind == EV_OPAQUE || !opaque_contains(pc))
		return false;
	return thread_buffer_self.opaque.pc || (kind != EV_ALLOC && kind != EV_FREE);
}

/* Call after that record, if it returned true. */
static inline void opaque_go_on(enum event_kind kind, uintptr_t pc)
{
	if (event_field_set[kind] & EVENT_FIELD_T)
		opaque_is_known();
	opaque_called(pc, pc);
}

/* Called before code of the program at `pc` that is not recorded: see opaque_code.c. */
void opaque_code_comes(uintptr_t pc);

#endif

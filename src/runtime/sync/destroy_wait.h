/* Destroying conditions and barriers in controlled runs. */
#ifndef RUNTIME_SYNC_DESTROY_WAIT_H
#define RUNTIME_SYNC_DESTROY_WAIT_H

#include "event/event.h"

#include <stdint.h>

/*
 * Called before a condition or barrier is destroyed. In a controlled run the scheduler simulates
 * these objects, so only it knows whether a thread still waits at one. The library's destroy would
 * block until none does. So does this function, after it has recorded the misuse. `kind` is the
 * kind of the destroy. Does nothing unless sched_on().
 */
void destroy_wait_controlled(enum event_kind kind, const volatile void *object, uintptr_t pc);

#endif

/* Before conditions and barriers are destroyed. */
#ifndef RUNTIME_SYNC_DESTROY_WAIT_H
#define RUNTIME_SYNC_DESTROY_WAIT_H

#include "event/event.h"

#include <stdint.h>

/*
 * In turn: the scheduler plays these objects, so it is for it to know whether somebody still waits at
 * one. The library would wait in its destroy until nobody does, and so does this, once it is recorded
 * that it was wrong. `kind` is that of the destroy. Does nothing unless sched_on().
 */
void destroy_wait_in_turn(enum event_kind kind, const volatile void *object, uintptr_t pc);

#endif

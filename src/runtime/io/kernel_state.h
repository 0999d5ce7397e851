/*
 * Objects of the kernel by which threads can order themselves without waiting: one thread changes
 * the object, and another one sees the change. A change is recorded as a SEND before the call that
 * makes it, and a look that may have seen changes as a RECEIVE after the call. The SENDs are not
 * ordered among themselves (EVENT_CHANNEL_TOLD), because the kernel accepts changes in any order.
 *
 * An object is named by a number that is no address of memory. All functions keep errno.
 */
#ifndef RUNTIME_IO_KERNEL_STATE_H
#define RUNTIME_IO_KERNEL_STATE_H

#include <stdint.h>

/* Returns the name of an object that did not exist before. */
uint64_t kernel_state_new_name(void);

/* Called before a call that changes the object. */
void kernel_state_change(uint64_t name, uintptr_t pc);
/* Called after a call that saw the state of the object. */
void kernel_state_look(uint64_t name, uintptr_t pc);

#endif

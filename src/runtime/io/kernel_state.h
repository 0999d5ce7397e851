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

/*
 * Files. A thread can learn from the contents or the size of a regular file, or from a name in a
 * directory, that another thread has changed it. Only a file or name that this process has changed
 * orders its threads; a thread that looks again at what nothing has changed since records nothing.
 *
 * A name is known by its last component, so links and paths to the same name make no difference.
 */
void kernel_state_file_changes(int fd, uintptr_t pc);
void kernel_state_file_seen(int fd, uintptr_t pc);
void kernel_state_inode_seen(uint64_t device, uint64_t inode, uintptr_t pc);
void kernel_state_name_changes(const char *path, uintptr_t pc);
void kernel_state_name_seen(const char *path, uintptr_t pc);

#endif

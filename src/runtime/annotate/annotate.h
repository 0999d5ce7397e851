/*
 * What programs say of their own synchronisation, in the words of other tools: ThreadSanitizer's
 * __tsan_* (sanitizer/tsan_interface.h), dynamic_annotations.h, valgrind's client requests. One
 * meaning for all of them.
 */
#ifndef RUNTIME_ANNOTATE_ANNOTATE_H
#define RUNTIME_ANNOTATE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An order that is not seen: whoever says `after` comes behind all who said `before` of the object. */
void annotate_before(const void *object, uintptr_t pc);
void annotate_after(const void *object, uintptr_t pc);

/* A lock of the program's own making; `shared` for reading. */
void annotate_lock_made(const void *lock, bool recursive, uintptr_t pc);
void annotate_lock_gone(const void *lock, uintptr_t pc);
void annotate_lock_taken(const void *lock, bool shared, bool tried, uintptr_t pc);
void annotate_lock_failed(const void *lock, bool shared, uintptr_t pc);
void annotate_lock_giving(const void *lock, bool shared, uintptr_t pc);

/* Memory that begins to live: what was done to it before is another's business. */
void annotate_new_memory(const void *memory, size_t size, uintptr_t pc);

/* Races there are meant. */
void annotate_benign(const void *memory, size_t size);
/* … with what the calling thread reads, or writes, from here on; or no longer. */
void annotate_ignore(bool writes, bool on, uintptr_t pc);

/* In a fork child, which has a trace of its own. */
void annotate_after_fork(void);

#endif

/*
 * What programs say about their own synchronisation, in the interfaces of other tools:
 * ThreadSanitizer's __tsan_* (sanitizer/tsan_interface.h), dynamic_annotations.h, valgrind's client
 * requests. All of them are translated to these functions.
 */
#ifndef RUNTIME_ANNOTATE_ANNOTATE_H
#define RUNTIME_ANNOTATE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An order that the runtime does not see otherwise: a call of annotate_after() comes after all
 * earlier calls of annotate_before() with the same object.
 */
void annotate_before(const void *object, uintptr_t pc);
void annotate_after(const void *object, uintptr_t pc);

/* A lock that the program implements. `shared`: for reading. */
void annotate_lock_init(const void *lock, bool recursive, uintptr_t pc);
void annotate_lock_destroy(const void *lock, uintptr_t pc);
void annotate_lock_acquired(const void *lock, bool shared, bool tried, uintptr_t pc);
void annotate_lock_failed(const void *lock, bool shared, uintptr_t pc);
void annotate_lock_release(const void *lock, bool shared, uintptr_t pc);

/* Memory whose lifetime begins: earlier accesses were to another object. */
void annotate_new_memory(const void *memory, size_t size, uintptr_t pc);

/* Races in this memory are intended. */
void annotate_benign(const void *memory, size_t size);

/*
 * From here on, races with accesses of the calling thread are intended (`on`) or no longer
 * intended. `writes`: this concerns its writes, otherwise its reads.
 */
void annotate_ignore(bool writes, bool on, uintptr_t pc);

/* Called in a fork child, which has a trace of its own. */
void annotate_after_fork(void);

#endif

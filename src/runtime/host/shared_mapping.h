/*
 * Synchronisation objects in files that are mapped more than once. Such an object has one address
 * per mapping, but it is one object.
 */
#ifndef RUNTIME_HOST_SHARED_MAPPING_H
#define RUNTIME_HOST_SHARED_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Is something mapped more than once? */
extern bool shared_mapping_any;

/* Use shared_mapping_identity(). */
uint64_t shared_mapping_find(uint64_t address);

/*
 * Returns the address under which the object at `address` is recorded: where it is in the first
 * mapping of its bytes. Nothing need be mapped there any more, so it must not be read.
 * Async-signal-safe.
 */
static inline uint64_t shared_mapping_identity(uint64_t address)
{
	return __builtin_expect(shared_mapping_any, 0) ? shared_mapping_find(address) : address;
}

/* Call after a successful mmap() with these arguments. Preserves errno. */
void shared_mapping_add(const void *address, size_t size, int flags, int fd, off_t offset);

/* Call before a mapping, or a part of it, ends. */
void shared_mapping_remove(const void *address, size_t size);

/* Are objects of another mapping recorded under addresses of this range? */
bool shared_mapping_names(const void *address, size_t size);

#endif

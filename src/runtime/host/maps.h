/* The mappings of this process, as /proc/self/maps lists them. */
#ifndef RUNTIME_HOST_MAPS_H
#define RUNTIME_HOST_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct maps_entry {
	uintptr_t low, high;
	bool writable, private; /* private: changes are visible to this process only */
	bool is_file, is_stack; /* backed by a file; the main thread's stack */
};

/*
 * Calls `visit` for each mapping, in order of address, until `visit` returns false. Returns false
 * if `visit` did, or if the list cannot be read.
 */
bool maps_each(bool (*visit)(const struct maps_entry *entry, void *data), void *data);

#endif

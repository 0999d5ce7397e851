/* The mappings of this process, as /proc/self/maps lists them. */
#ifndef RUNTIME_HOST_MAPS_H
#define RUNTIME_HOST_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct maps_entry {
	uintptr_t low, high;
	bool writable, private; /* writable by this process alone */
	bool is_file, is_stack; /* has a file behind it; is the main thread's stack */
};

/* Calls `visit` for each, in order of address, until that says false. False: it did, or cannot be read. */
bool maps_each(bool (*visit)(const struct maps_entry *entry, void *data), void *data);

#endif

/*
 * Persistent runs: what a run does to the process other than to its memory (snapshot.h). Descriptors
 * it opened are closed, those it closed are opened again, files it read are wound back; signal
 * handlers and masks are set to what they were. What cannot be undone is refused.
 */
#ifndef RUNTIME_SERVER_RESOURCES_H
#define RUNTIME_SERVER_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Remembers what there is. False, with the reason: it cannot be kept. Before snapshot_take. With
 * `memory_only` each run has a process of its own, and nothing is undone but what it maps.
 */
bool resources_take(bool memory_only, const char **why);

/* Is all well? False, with the reason: the run did what cannot be undone. Before resources_restore. */
bool resources_kept(const char **why);

/* Before snapshot_restore. */
void resources_restore(void);
void resources_restore_mappings(void);

/* ---- called where the program does it (signal.c, fiber_limits.c, mmap.c); nothing without resources_take ---- */

void resources_handlers_changed(void);
void resources_directory_changed(void);

/* A mapping that the run made; false: there are too many. */
bool resources_add_mapping(void *address, size_t size);
bool resources_owns_mapping(const void *address);

#endif

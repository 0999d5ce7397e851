/*
 * Persistent runs: restores what a run changes in the process other than its memory (snapshot.h).
 * Descriptors it opened are closed, those it closed are opened again, files it read are rewound;
 * signal handlers and masks are reset. A run that does something that cannot be undone is refused.
 */
#ifndef RUNTIME_SERVER_RESOURCES_H
#define RUNTIME_SERVER_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Saves the current state. Returns false and the reason if it cannot be saved. Call before
 * snapshot_save(). With `memory_only`, each run has its own process, and only mappings are undone.
 */
bool resources_save(bool memory_only, const char **why);

/*
 * Returns false and the reason if the run did something that cannot be undone. Call before
 * resources_restore().
 */
bool resources_can_restore(const char **why);

/* Call before snapshot_restore(). */
void resources_restore(void);
void resources_restore_mappings(void);

/* ---- called by the interposers; without resources_save() they do nothing --------------------- */

void resources_handlers_changed(void);
void resources_directory_changed(void);

/* Call when the run has made a mapping. Returns false if there are too many. */
bool resources_add_mapping(void *address, size_t size);
bool resources_owns_mapping(const void *address);

#endif

/*
 * Makes accesses scheduling points: each 5-byte NOP before an access of instrumented code is
 * replaced by a call that leads to sched_access() (sched.h).
 */
#ifndef RUNTIME_SCHED_ACCESS_PATCH_H
#define RUNTIME_SCHED_ACCESS_PATCH_H

#include <stdint.h>

/*
 * Patches all loaded modules, and from now on each module that is loaded. Call before the first
 * thread is created.
 */
void access_patch_start(void);

/* Patches a module that was just loaded (called by module.c). No thread runs its code yet. */
struct module;
void access_patch_module(const struct module *module);

#endif

/*
 * Makes accesses scheduling points: each 5-byte NOP before an access of instrumented code is
 * replaced by a call that leads to sched_access() (sched.h).
 */
#ifndef RUNTIME_SCHED_ACCESS_PATCH_H
#define RUNTIME_SCHED_ACCESS_PATCH_H

#include <stdint.h>

/* From now on, modules that are loaded, now or later, are patched. Call before the first thread. */
void access_patch_start(void);

/* A module was loaded (called by module.c). No thread runs its code yet. */
struct module;
void access_patch_module(const struct module *module);

#endif

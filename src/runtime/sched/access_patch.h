/*
 * Accesses as points of decision: each 5-byte NOP in front of an access of instrumented code is
 * replaced by a call that comes to sched_access (sched.h).
 */
#ifndef RUNTIME_SCHED_ACCESS_PATCH_H
#define RUNTIME_SCHED_ACCESS_PATCH_H

#include <stdint.h>

/* From now on the modules that are loaded, now or later, are patched. Before the first thread. */
void access_patch_start(void);

/* A module was loaded (module.c calls it). Nobody runs its code yet. */
struct module;
void access_patch_module(const struct module *module);

#endif

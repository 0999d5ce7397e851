/*
 * Accesses as points of decision: each 5-byte NOP in front of an access of instrumented code is
 * replaced by a call that comes to turn_access (turn.h).
 */
#ifndef RUNTIME_PATCH_H
#define RUNTIME_PATCH_H

#include <stdint.h>

/* From now on the modules that are loaded, now or later, are patched. Before the first thread. */
void patch_start(void);

/* A module was loaded (module.c calls it). Nobody runs its code yet. */
struct module;
void patch_module(const struct module *module);

/*
 * Calls `call(argument)` with the vector registers saved around it. What runs in front of an access
 * must leave them alone, so the slow part of a decision that goes through code not compiled for
 * that (a switch of threads, a message, the C library) goes through here. With it a carrier has no
 * vector state to save: where a thread is switched by a function call none is live.
 */
void patch_call_saved(void (*call)(void *), void *argument);

#endif

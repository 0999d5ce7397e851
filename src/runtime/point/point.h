/*
 * Points of functions (event/point.h). When a module is loaded, its requested points are switched
 * on: their NOPs are turned into calls.
 */
#ifndef RUNTIME_POINT_POINT_H
#define RUNTIME_POINT_POINT_H

/*
 * Called once, at the start, with the path of the file that has the selection, or "" if there is
 * none.
 */
void point_start(const char *path);

/* Called by module.c when a module was loaded, before any thread runs the module's code. */
struct module;
void point_module(const struct module *module);

/* Called in the child of a fork: writes the points that are on to the child's trace. */
void point_after_fork(void);

#endif

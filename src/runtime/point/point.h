/*
 * Points of functions (event/point.h). The requested ones are switched on when their module is
 * loaded, by turning their NOPs into calls.
 */
#ifndef RUNTIME_POINT_POINT_H
#define RUNTIME_POINT_POINT_H

/* Called once, at the start, with the file of the selection, or "" for none. */
void point_start(const char *path);

/* A module was loaded (called by module.c). No thread runs its code yet. */
struct module;
void point_module(const struct module *module);

/* In a forked child: writes the points that are on to its own trace. */
void point_after_fork(void);

#endif

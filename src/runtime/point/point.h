/*
 * Points of functions (event/point.h): those that are asked for are switched on when the module they
 * are in is loaded, by turning their NOPs into calls.
 */
#ifndef RUNTIME_POINT_POINT_H
#define RUNTIME_POINT_POINT_H

/* Once, at the start: the selection's file, or "" for none. */
void point_start(const char *path);

/* A module was loaded (module.c calls it). Nobody runs its code yet. */
struct module;
void point_module(const struct module *module);

/* In a fork child: its own trace, and what is on, written to that. */
void point_after_fork(void);

#endif

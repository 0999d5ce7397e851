/*
 * Points of functions (event/point.h): NOPs where a function is called, starts and returns. They
 * are inserted as soon as SSA form exists, before any function is inlined, so a program has the
 * same points at every optimisation level.
 */
#ifndef GCC_POINTS_H
#define GCC_POINTS_H

#include "compiler/gcc/gcc.h"

#include "compiler/common/point_row.h"

extern enum points_wanted points_wanted;

opt_pass *points_new_pass(gcc::context *context);

/* Is this statement a point? A segment must not be open across a point. */
bool points_is_point(const gasm *stmt);

#endif

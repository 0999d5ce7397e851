/*
 * Points of functions (event/point.h): NOPs where a function is called, starts and returns. They
 * are inserted as soon as there is SSA form, before anything is inlined, so a program has the same
 * points at every optimisation level.
 */
#ifndef GCC_POINTS_H
#define GCC_POINTS_H

#include "compiler/gcc/gcc.h"

/*
 * Which functions get points at their start and end. By default, small inline functions that call
 * nothing get none.
 */
enum points_wanted { POINTS_NONE, POINTS_SOME, POINTS_ALL };
extern enum points_wanted points_wanted;

opt_pass *points_new_pass(gcc::context *context);

/* Returns whether this statement is a point. A segment must not be open across it. */
bool points_is_point(const gasm *stmt);

#endif

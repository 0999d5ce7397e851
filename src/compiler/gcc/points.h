/*
 * Points of functions (event/point.h): NOPs where a function is called, starts and returns, placed
 * as soon as there is SSA form and before anything is inlined, so that a program has the same points
 * at each level of optimisation.
 */
#ifndef GCC_POINTS_H
#define GCC_POINTS_H

#include "compiler/gcc/gcc.h"

/* Which functions get points of their own: small ones that only compute are left alone by default. */
enum points_wanted { POINTS_NONE, POINTS_SOME, POINTS_ALL };
extern enum points_wanted points_wanted;

opt_pass *points_new_pass(gcc::context *context);

/* Is this statement a point? Records must not be open across it. */
bool points_is_point(const gasm *stmt);

#endif

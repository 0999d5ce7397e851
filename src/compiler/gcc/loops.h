/* Finds values that the reader of a trace can compute while a loop runs (slots.h). */
#ifndef GCC_LOOPS_H
#define GCC_LOOPS_H

#include "compiler/gcc/plan.h"

/*
 * loops_prepare() must be called before the plan is made: it brings the loops into normal form (a
 * preheader and a single latch each). loops_find() adds its proposals to p.known.
 */
void loops_prepare();
void loops_find(function *fn, plan &p);
void loops_finish();

#endif

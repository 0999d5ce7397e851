/* Finds the values of a function that a reader can follow through its loops (slots.h). */
#ifndef GCC_LOOPS_H
#define GCC_LOOPS_H

#include "compiler/gcc/plan.h"

/* Before the plan is made: puts the loops in order (preheaders, one latch each). */
void loops_prepare();
void loops_find(function *fn, plan &p);
void loops_finish();

#endif

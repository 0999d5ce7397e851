/* The Z3 module, lib/sooth/z3.so, which is built only where libz3 is installed (order/z3/z3.h). */
#ifndef PIPELINE_Z3_MODULE_H
#define PIPELINE_Z3_MODULE_H

#include "order/solver/solve.h"

/* Loads the module for the rest of the process. Returns NULL if the module or libz3 is missing. */
order_external_solver *z3_module_load(void);

#endif

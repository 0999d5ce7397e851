/* The pass that instruments functions: one instance for optimised code, one for -O0. */
#ifndef GCC_INSTRUMENT_H
#define GCC_INSTRUMENT_H

#include "compiler/gcc/gcc.h"

opt_pass *instrument_new_pass(gcc::context *context, bool optimised);

#endif

/* The pass that records: one for optimised code, one for -O0. */
#ifndef COMPILER_INSTRUMENT_H
#define COMPILER_INSTRUMENT_H

#include "compiler/gcc.h"

opt_pass *instrument_new_pass(gcc::context *context, bool optimised);

#endif

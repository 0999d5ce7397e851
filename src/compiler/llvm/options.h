/* Options that `sooth cc` passes to the plugin, as -Xclang -mllvm -Xclang -sooth-… */
#ifndef COMPILER_LLVM_OPTIONS_H
#define COMPILER_LLVM_OPTIONS_H

#include "compiler/common/point_row.h"

/*
 * The plugin's passes need all debug information. This is how much of it they keep in the output.
 */
enum keep_debug { KEEP_DEBUG_NONE, KEEP_DEBUG_LINES, KEEP_DEBUG_ALL };

enum keep_debug options_keep_debug();
enum points_wanted options_points();
bool options_statistics();

#endif

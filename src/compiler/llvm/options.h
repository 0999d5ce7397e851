/* Options that `sooth cc` passes to the plugin, as -Xclang -mllvm -Xclang -sooth-… */
#ifndef COMPILER_LLVM_OPTIONS_H
#define COMPILER_LLVM_OPTIONS_H

/* How much of the debug information, which our passes need, is kept after them. */
enum keep_debug { KEEP_DEBUG_NONE, KEEP_DEBUG_LINES, KEEP_DEBUG_ALL };

/*
 * Which functions get points at their start and end. By default, small inline functions that call
 * nothing get none.
 */
enum points_wanted { POINTS_NONE, POINTS_SOME, POINTS_ALL };

enum keep_debug options_keep_debug();
enum points_wanted options_points();
bool options_statistics();

#endif

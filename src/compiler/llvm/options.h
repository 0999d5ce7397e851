/* Options that `sooth cc` passes to the plugin, as -Xclang -mllvm -Xclang -sooth-… */
#ifndef COMPILER_LLVM_OPTIONS_H
#define COMPILER_LLVM_OPTIONS_H

/*
 * The plugin's passes need all debug information. This is how much of it they keep in the output.
 */
enum keep_debug { KEEP_DEBUG_NONE, KEEP_DEBUG_LINES, KEEP_DEBUG_ALL };

/*
 * Selects the functions that get points at their start and end. By default, small inline functions
 * that make no calls get none.
 */
enum points_wanted { POINTS_NONE, POINTS_SOME, POINTS_ALL };

enum keep_debug options_keep_debug();
enum points_wanted options_points();
bool options_statistics();

#endif

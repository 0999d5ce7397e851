/* What `sooth cc` tells the plugin, by -Xclang -mllvm -Xclang -sooth-… */
#ifndef COMPILER_LLVM_OPTIONS_H
#define COMPILER_LLVM_OPTIONS_H

/* Of debugging information, which our passes need, this much is left when they are done. */
enum keep_debug { KEEP_DEBUG_NONE, KEEP_DEBUG_LINES, KEEP_DEBUG_ALL };

/* Which functions get points of their own: small ones that only compute are left alone by default. */
enum points_wanted { POINTS_NONE, POINTS_SOME, POINTS_ALL };

enum keep_debug options_keep_debug();
enum points_wanted options_points();
bool options_statistics();

#endif

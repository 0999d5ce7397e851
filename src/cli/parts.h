/*
 * The parts of sooth that are not in the executable: the runtime and the compiler plugins. They
 * are found from where the executable is (../lib/sooth), so a tree can be moved as a whole.
 */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include <limits.h>
#include <stdbool.h>

/* "…/lib/sooth". False, with a message on stderr, when the kernel does not say where we are. */
bool parts_directory(char path[PATH_MAX]);

/* "…/lib/sooth/gcc-12/sooth.so". False when it is not there; `path` is set all the same. */
bool parts_plugin(char path[PATH_MAX], const char *directory, int gcc_major);

/* "…/lib/sooth/libsooth.so". */
bool parts_runtime(char path[PATH_MAX], const char *directory);

/*
 * Which gcc is this? Runs `command -v` and reads the version from its answer: the major number,
 * 0 when it is not gcc, -1 when it cannot be run. `line` is the line that says so.
 */
int parts_gcc_major(char **command, char line[256]);

#endif

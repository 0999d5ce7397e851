/*
 * The parts of sooth that are not in the executable: the runtime and the compiler plugins. They
 * are found from where the executable is (../lib/sooth), so a tree can be moved as a whole.
 */
#ifndef PIPELINE_INSTALL_PATHS_H
#define PIPELINE_INSTALL_PATHS_H

#include <limits.h>
#include <stdbool.h>

/* "…/lib/sooth". False, with a message on stderr, when the kernel does not say where we are. */
bool install_paths_directory(char path[PATH_MAX]);

enum compiler_family {
	COMPILER_ABSENT, /* cannot be run */
	COMPILER_OTHER,
	COMPILER_GCC,
	COMPILER_CLANG,
};

struct compiler {
	enum compiler_family family;
	int major;
	char line[256]; /* in which it says so; "" when it does not */
};

/* Which compiler is this? Runs `command -v` and reads its answer. */
void install_paths_ask_compiler(struct compiler *compiler, char **command);

/* "gcc", "clang"; for messages and for folders of plugins. */
const char *install_paths_family_name(enum compiler_family family);

/* "…/lib/sooth/gcc-12/sooth.so". False when it is not there; `path` is set all the same. */
bool install_paths_plugin(char path[PATH_MAX], const char *directory, enum compiler_family family,
			  int major);

/* The majors of the plugins that are there, "14, 19"; "" when there are none. */
void install_paths_list_plugins(char text[128], const char *directory, enum compiler_family family);

/* "…/lib/sooth/libsooth.so". */
bool install_paths_runtime(char path[PATH_MAX], const char *directory);

#endif

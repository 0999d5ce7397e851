/*
 * Finds the runtime and the compiler plugins. Their paths are relative to the executable
 * (../lib/sooth), so that an installation can be moved as a whole.
 */
#ifndef PIPELINE_INSTALL_PATHS_H
#define PIPELINE_INSTALL_PATHS_H

#include <limits.h>
#include <stdbool.h>

/*
 * Stores ".../lib/sooth" in `path`. Returns false, after a message, if /proc/self/exe cannot be
 * read.
 */
bool install_paths_directory(char path[PATH_MAX]);

enum compiler_family {
	COMPILER_ABSENT, /* the command cannot be run */
	COMPILER_OTHER,
	COMPILER_GCC,
	COMPILER_CLANG,
};

struct compiler {
	enum compiler_family family;
	int major;
	char line[256]; /* the first line of its output that has a version; "": there is none */
};

/* Identifies a compiler: runs `command -v` and reads the version from its output. */
void install_paths_ask_compiler(struct compiler *compiler, char **command);

/* Returns "gcc" or "clang": used in messages and in the plugin's path. */
const char *install_paths_family_name(enum compiler_family family);

/* Stores ".../lib/sooth/gcc-12/sooth.so" in `path`. Returns false if the file does not exist. */
bool install_paths_plugin(char path[PATH_MAX], const char *directory, enum compiler_family family,
			  int major);

/* Lists the major versions for which a plugin is installed: "14, 19"; "": none. */
void install_paths_list_plugins(char text[128], const char *directory, enum compiler_family family);

/* Stores ".../lib/sooth/libsooth.so" in `path`. Returns false if the file does not exist. */
bool install_paths_runtime(char path[PATH_MAX], const char *directory);

#endif

/*
 * Finds the runtime and the compiler plugins. Their paths are relative to the executable
 * (../lib/sooth), so that an installation can be moved as a whole.
 */
#ifndef PIPELINE_INSTALL_PATHS_H
#define PIPELINE_INSTALL_PATHS_H

#include <limits.h>
#include <stdbool.h>

/* ".../lib/sooth". Returns false, after a message, if /proc does not show the executable. */
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
	char line[256]; /* the line of its answer with the version; "": there is none */
};

/* Identifies a compiler: runs `command -v` and reads the version from its output. */
void install_paths_ask_compiler(struct compiler *compiler, char **command);

/* "gcc" or "clang": for messages, and part of the plugin's path. */
const char *install_paths_family_name(enum compiler_family family);

/* ".../lib/sooth/gcc-12/sooth.so". Returns false if the file does not exist; sets `path` anyway. */
bool install_paths_plugin(char path[PATH_MAX], const char *directory, enum compiler_family family,
			  int major);

/* The major versions that there are plugins for, "14, 19"; "" if there are none. */
void install_paths_list_plugins(char text[128], const char *directory, enum compiler_family family);

/* ".../lib/sooth/libsooth.so". Returns false if the file does not exist. */
bool install_paths_runtime(char path[PATH_MAX], const char *directory);

#endif

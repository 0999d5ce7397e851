/* What clang's command line gets, so that our passes run in it. */
#ifndef CLI_CC_CLANG_H
#define CLI_CC_CLANG_H

#include "cli/arguments.h"

#include <stdbool.h>

/* What the program asks for in -g…: what must be left of debugging information in its objects. */
enum clang_debug { CLANG_DEBUG_NONE, CLANG_DEBUG_LINES, CLANG_DEBUG_ALL };

struct clang_call {
	enum clang_debug debug;
	const char *points; /* -fplugin-arg-sooth-points=…: "all", "some", "none"; NULL: not said */
	bool statistics;    /* -fplugin-arg-sooth-statistics */
};

/* Reads an option. True when it is for the plugin, and clang must not see it. */
bool cc_read_clang_option(struct clang_call *call, const char *word);

void cc_add_clang(struct arguments *line, const struct clang_call *call, const char *plugin);

#endif

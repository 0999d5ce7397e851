/* The words that clang's command line needs to run our passes. */
#ifndef CLI_CC_CLANG_H
#define CLI_CC_CLANG_H

#include "cli/arguments.h"

#include <stdbool.h>

/* How much debugging information -g options ask for. The object file gets exactly that much. */
enum clang_debug { CLANG_DEBUG_NONE, CLANG_DEBUG_LINES, CLANG_DEBUG_ALL };

struct clang_call {
	enum clang_debug debug;
	const char *points; /* -fplugin-arg-sooth-points=: "all", "some", "none"; or NULL */
	bool statistics;    /* -fplugin-arg-sooth-statistics */
};

/* Reads an option. Returns true if it is for the plugin; clang must not see it then. */
bool cc_read_clang_option(struct clang_call *call, const char *word);

void cc_add_clang(struct arguments *line, const struct clang_call *call, const char *plugin);

#endif

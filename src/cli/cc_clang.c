/*
 * The command line of clang. The gcc plugin switches everything on inside the compiler, but clang
 * needs options. They are passed only to its first stage (-Xclang). So the assembler and the linker
 * do not see them, and libtsan is not linked.
 *
 *	-load, -fpass-plugin=	our plugin with its passes. -load loads it early, so that -mllvm
 *				knows the options of the passes, and so that the plugin's front-end
 *				action can read declarations (src/compiler/llvm/point_seen.cc)
 *	-fsanitize=thread	marks the functions to record, and defines the feature
 *				thread_sanitizer; our plugin disables clang's own pass
 *	-debug-info-kind=	makes the debugging information from which lines and names are read.
 *				What the user did not ask for is dropped after the passes
 *				(-sooth-keep-debug=)
 *
 * Without --start-no-unused-arguments, clang prints warnings about these options when it only
 * links.
 */
#include "cli/cc_clang.h"

#include <stdio.h>
#include <string.h>

static bool begins(const char *word, const char *with)
{
	return !strncmp(word, with, strlen(with));
}

static bool ends(const char *word, const char *with)
{
	size_t length = strlen(word), of = strlen(with);

	return length >= of && !strcmp(word + length - of, with);
}

/* Does a -g option choose the format of the debugging information rather than its amount? */
static bool chooses_format(const char *word)
{
	static const char *const formats[] = {
		"-gno-",	   "-gz",	"-gcolumn",   "-grecord", "-gpubnames",
		"-gsplit",	   "-gembed",	"-gstrict",   "-gsimple", "-ginline",
		"-gdwarf32",	   "-gdwarf64", "-gtemplate", "-gsrc",	  "-ggnu-",
		"-gdwarf-aranges", "-gomit",	"-gkey",      NULL
	};

	for (const char *const *w = formats; *w; w++)
		if (begins(word, *w))
			return true;
	return false;
}

bool cc_read_clang_option(struct clang_call *call, const char *word)
{
	static const char points[] = "-fplugin-arg-sooth-points=";

	if (begins(word, points)) {
		call->points = word + strlen(points);
		return true;
	}
	if (!strcmp(word, "-fplugin-arg-sooth-statistics")) {
		call->statistics = true;
		return true;
	}
	if (!begins(word, "-g") || chooses_format(word))
		return false;
	if (!strcmp(word, "-g0") || !strcmp(word, "-ggdb0"))
		call->debug = CLANG_DEBUG_NONE;
	else if (!strcmp(word, "-g1") || !strcmp(word, "-ggdb1") || ends(word, "-only") ||
		 !strcmp(word, "-gmlt"))
		call->debug = CLANG_DEBUG_LINES;
	else
		call->debug = CLANG_DEBUG_ALL;
	return false;
}

/* Adds a word for the first stage of clang only. */
static void add_for_stage(struct arguments *line, const char *word)
{
	arguments_add(line, "-Xclang");
	arguments_add(line, word);
}

static void add_llvm_option(struct arguments *line, const char *word)
{
	add_for_stage(line, "-mllvm");
	add_for_stage(line, word);
}

void cc_add_clang(struct arguments *line, const struct clang_call *call, const char *plugin)
{
	char word[4096 + 32];

	arguments_add(line, "--start-no-unused-arguments");
	add_for_stage(line, "-load");
	add_for_stage(line, plugin);
	snprintf(word, sizeof(word), "-fpass-plugin=%s", plugin);
	arguments_add(line, word);
	add_for_stage(line, "-fsanitize=thread");
	if (call->debug != CLANG_DEBUG_ALL) {
		add_for_stage(line, "-debug-info-kind=limited");
		add_for_stage(line, "-dwarf-version=4");
		add_llvm_option(line, call->debug == CLANG_DEBUG_LINES ? "-sooth-keep-debug=lines"
								       : "-sooth-keep-debug=none");
	}
	if (call->points) {
		snprintf(word, sizeof(word), "-sooth-points=%.16s", call->points);
		add_llvm_option(line, word);
	}
	if (call->statistics)
		add_llvm_option(line, "-sooth-statistics");
	arguments_add(line, "-D__SANITIZE_THREAD__=1"); /* as gcc and later clangs do */
	arguments_add(line, "-D__SOOTH__=1");		/* for <sooth/annotate.h> */
	arguments_add(line, "--end-no-unused-arguments");
}

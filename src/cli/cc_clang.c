/*
 * clang's command line. gcc's plugin switches all on inside the compiler; clang has to be told, and
 * each word is for its first stage alone (-Xclang), so that the assembler and the linker see nothing
 * of it and libtsan is not linked.
 *
 *	-load, -fpass-plugin=…	the passes; loaded early, so that -mllvm knows their options, and the
 *				part that looks at declarations (src/compiler/llvm/point_seen.cc)
 *	-fsanitize=thread	marks the functions that are to be recorded, and defines the feature
 *				thread_sanitizer; what the compiler's own pass would do our plugin prevents
 *	-debug-info-kind=…	lines and names come from debugging information. What the program did not
 *				ask for is dropped when the passes are done (-sooth-keep-debug=…)
 *
 * --start-no-unused-arguments: without it clang warns of them where it only links.
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

/* Options in -g that say how, not how much. */
static bool says_how(const char *word)
{
	static const char *const how[] = { "-gno-",	 "-gz",	     "-gcolumn",  "-grecord",
					   "-gpubnames", "-gsplit",  "-gembed",	  "-gstrict",
					   "-gsimple",	 "-ginline", "-gdwarf32", "-gdwarf64",
					   "-gtemplate", "-gsrc",    "-ggnu-",	  "-gdwarf-aranges",
					   "-gomit",	 "-gkey",    NULL };

	for (const char *const *w = how; *w; w++)
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
	if (!begins(word, "-g") || says_how(word))
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

/* A word for the first stage alone. */
static void add(struct arguments *line, const char *word)
{
	arguments_add(line, "-Xclang");
	arguments_add(line, word);
}

static void add_option(struct arguments *line, const char *word)
{
	add(line, "-mllvm");
	add(line, word);
}

void cc_add_clang(struct arguments *line, const struct clang_call *call, const char *plugin)
{
	char word[4096 + 32];

	arguments_add(line, "--start-no-unused-arguments");
	add(line, "-load");
	add(line, plugin);
	snprintf(word, sizeof(word), "-fpass-plugin=%s", plugin);
	arguments_add(line, word);
	add(line, "-fsanitize=thread");
	if (call->debug != CLANG_DEBUG_ALL) {
		add(line, "-debug-info-kind=limited");
		add(line, "-dwarf-version=4");
		add_option(line, call->debug == CLANG_DEBUG_LINES ? "-sooth-keep-debug=lines"
								  : "-sooth-keep-debug=none");
	}
	if (call->points) {
		snprintf(word, sizeof(word), "-sooth-points=%.16s", call->points);
		add_option(line, word);
	}
	if (call->statistics)
		add_option(line, "-sooth-statistics");
	arguments_add(line, "-D__SANITIZE_THREAD__=1"); /* as gcc does, and later clangs */
	arguments_add(line, "-D__SOOTH__=1");		/* annotate.h asks for it */
	arguments_add(line, "--end-no-unused-arguments");
}

/*
 * sooth cc, sooth c++: the compiler, with two things added to its command line.
 *
 *   -fplugin=…/sooth.so   in every call that has an input. Also when only preprocessing
 *                                (__SANITIZE_THREAD__ is defined) and when only linking (objects
 *                                made with -flto are compiled then).
 *   …/libsooth.so                when an executable or a shared library is linked: first of all
 *                                libraries, so that the run-time linker finds our malloc and
 *                                pthread_* before libc's.
 *
 * Everything else is gcc's: we exec it, so its output and status are the caller's. A call without
 * inputs (--version, -dumpmachine, -print-…) goes through untouched, as build systems ask such
 * things often. The additions stand at the front, before any -x; the library goes through
 * -Xlinker, because gcc would count it as an input and name its outputs differently.
 */
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILED 1 /* gcc's own status for a call it refuses */

struct call {
	const char *name;	/* "cc" or "c++" in messages */
	struct arguments words; /* the caller's, response files opened up, libtsan taken out */
	bool changed;		/* something was taken out */
	bool inputs;
	bool headers; /* an input is a header to precompile: nothing is linked */
	bool compile_only;
	bool relocatable;
	bool is_static;
	bool plain;   /* -fno-sanitize=thread: compile without the plugin */
	bool address; /* -fsanitize=address and its kin */
};

/* Options whose argument is the next word (it must not be taken for an input). */
static bool takes_next(const char *word)
{
	static const char options[] =
		" -o -x -I -D -U -L -l -u -T -e -z -A -B -G -R -h -MF -MT -MQ -MJ -include -imacros"
		" -iprefix -iwithprefix -iwithprefixbefore -idirafter -iquote -isystem -isysroot"
		" -imultilib -imultiarch -Xlinker -Xassembler -Xpreprocessor -aux-info -dumpbase"
		" -dumpbase-ext -dumpdir -wrapper -specs -Tbss -Tdata -Ttext --param --sysroot"
		" --output --include --imacros --include-directory --define-macro --undefine-macro"
		" --library-directory --entry --language --specs --for-linker --for-assembler"
		" --prefix --dumpbase --dumpdir ";
	size_t length = strlen(word);

	if (word[0] != '-')
		return false;
	for (const char *at = options; (at = strstr(at, word)); at += length)
		if (at[-1] == ' ' && at[length] == ' ')
			return true;
	return false;
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static bool is_header(const char *file, const char *language)
{
	static const char *const suffixes[] = { "h",   "hh",  "H",   "hp",  "hxx",
						"hpp", "HPP", "h++", "tcc", NULL };
	const char *slash = strrchr(file, '/');
	const char *dot = strrchr(slash ? slash : file, '.');

	if (language && strcmp(language, "none") != 0)
		return strstr(language, "-header") != NULL;
	return dot && is_one_of(dot + 1, suffixes);
}

/*
 * -fsanitize=LIST without `thread`: gcc would compile libtsan's hooks in and link libtsan. Returns
 * false when nothing is left of the option.
 */
static bool drop_thread(struct call *call, char *option)
{
	char *out = strchr(option, '=') + 1, *in = out;
	bool any = false;

	while (*in) {
		size_t length = strcspn(in, ",");
		if (length == 6 && !memcmp(in, "thread", 6)) {
			call->plain = false;
			call->changed = true;
		} else {
			call->address |= (length == 7 && !memcmp(in, "address", 7)) ||
					 (length == 4 && !memcmp(in, "leak", 4)) ||
					 (length == 9 && !memcmp(in, "hwaddress", 9));
			if (any)
				*out++ = ',';
			memmove(out, in, length);
			out += length;
			any = true;
		}
		in += length + (in[length] == ',');
	}
	*out = 0;
	return any;
}

static void note_no_sanitize(struct call *call, const char *list)
{
	for (; *list; list += strcspn(list, ","), list += *list == ',') {
		size_t length = strcspn(list, ",");
		bool all = length == 3 && !memcmp(list, "all", 3);
		if (all || (length == 6 && !memcmp(list, "thread", 6)))
			call->plain = true;
		if (all || (length == 7 && !memcmp(list, "address", 7)))
			call->address = false;
	}
}

/* One option that is no input. False: leave it out. */
static bool read_option(struct call *call, char *word)
{
	static const char *const compile_only[] = { "-c",	 "-S",	       "-E",
						    "-M",	 "-MM",	       "-fsyntax-only",
						    "--compile", "--assemble", "--preprocess",
						    NULL };
	static const char *const is_static[] = { "-static", "--static", "-static-pie", NULL };
	static const char *const tsan[] = { "-static-libtsan", "-ltsan", NULL };

	if (!strncmp(word, "-fsanitize=", 11))
		return drop_thread(call, word);
	if (!strncmp(word, "-fno-sanitize=", 14))
		note_no_sanitize(call, word + 14);
	if (is_one_of(word, tsan)) {
		call->changed = true;
		return false;
	}
	call->compile_only |= is_one_of(word, compile_only);
	call->is_static |= is_one_of(word, is_static);
	call->relocatable |= !strcmp(word, "-r");
	call->inputs |= !strncmp(word, "-l", 2);
	return true;
}

static void read_words(struct call *call, char **words)
{
	struct arguments flat = { 0 };
	const char *language = NULL;

	for (; *words; words++)
		arguments_add_expanded(&flat, *words);
	for (int i = 0; i < flat.count; i++) {
		char *word = flat.at[i];
		if (word[0] != '-' || !word[1]) {
			call->inputs = true;
			call->headers |= is_header(word, language);
		} else if (!read_option(call, word)) {
			continue;
		}
		arguments_add(&call->words, word);
		if (!strncmp(word, "-x", 2))
			language = word[2] ? word + 2 : flat.at[i + 1];
		if (takes_next(word) && i + 1 < flat.count)
			arguments_add(&call->words, flat.at[++i]);
	}
}

/* Fills `plugin` and `directory`, or says why not. */
static bool find_parts(const struct call *call, char **compiler, char plugin[PATH_MAX],
		       char runtime[PATH_MAX], char directory[PATH_MAX])
{
	char line[256];
	int major = parts_gcc_major(compiler, line);
	bool cxx = call->name[1] == '+';

	if (!parts_directory(directory))
		return false;
	if (major < 0) {
		fprintf(stderr, "sooth %s: cannot run %s; install it or name another in %s\n",
			call->name, compiler[0], cxx ? "SOOTH_CXX" : "SOOTH_CC");
	} else if (major == 0) {
		fprintf(stderr,
			"sooth %s: %s is no gcc (%s), and other compilers are not supported yet\n"
			"sooth %s: use a gcc: %s\n",
			call->name, compiler[0], line[0] ? line : "it does not say its version",
			call->name, cxx ? "SOOTH_CXX=g++-" SOOTH_GCC : "SOOTH_CC=gcc-" SOOTH_GCC);
	} else if (!parts_plugin(plugin, directory, major)) {
		fprintf(stderr,
			"sooth %s: %s is gcc %d, and there is no plugin for it (%s)\n"
			"sooth %s: either install %s-" SOOTH_GCC
			" and set %s, or install gcc-%d, g++-%d and\n"
			"sooth %s: gcc-%d-plugin-dev and build sooth with them\n",
			call->name, compiler[0], major, plugin, call->name, cxx ? "g++" : "gcc",
			cxx ? "SOOTH_CXX=g++-" SOOTH_GCC : "SOOTH_CC=gcc-" SOOTH_GCC, major, major,
			call->name, major);
	} else if (!parts_runtime(runtime, directory)) {
		fprintf(stderr, "sooth %s: the runtime is not there (%s)\n", call->name, runtime);
	} else {
		return true;
	}
	return false;
}

static bool refuse(const struct call *call)
{
	if (call->is_static) {
		fprintf(stderr,
			"sooth %s: a static program cannot be recorded: the runtime takes the "
			"place of\n"
			"sooth %s: malloc and pthread_* when shared libraries are bound\n"
			"sooth %s: link it without -static and -static-pie\n",
			call->name, call->name, call->name);
		return true;
	}
	if (call->address)
		fprintf(stderr,
			"sooth %s: -fsanitize=address, leak and hwaddress bring a malloc of their "
			"own and\n"
			"sooth %s: cannot be combined with recording, as they cannot with "
			"-fsanitize=thread\n",
			call->name, call->name);
	return call->address;
}

static void add_runtime(struct arguments *line, const char *runtime, const char *directory)
{
	const char *const words[] = { "-Wl,--push-state,--no-as-needed",
				      "-Xlinker",
				      runtime,
				      "-Wl,--pop-state",
				      "-Xlinker",
				      "-rpath",
				      "-Xlinker",
				      directory };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		arguments_add(line, words[i]);
}

/* Where <sooth/annotate.h> is, behind all that the program asks for. */
static void add_headers(struct arguments *line, const char *directory)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/../../include", directory);
	arguments_add(line, "-idirafter");
	arguments_add(line, path);
}

static int compile(const char *name, const char *variable, const char *fallback, char **words)
{
	struct call call = { .name = name };
	struct arguments line = { 0 };
	char plugin[PATH_MAX], runtime[PATH_MAX], directory[PATH_MAX], option[PATH_MAX + 16];
	const char *chosen = getenv(variable);

	arguments_add_words(&line, chosen && chosen[strspn(chosen, " \t\n")] ? chosen : fallback);
	const char *slash = strrchr(line.at[0], '/');
	if (!strncmp(slash ? slash + 1 : line.at[0], "sooth", 5)) {
		fprintf(stderr, "sooth %s: %s names sooth itself; name the compiler behind it\n",
			name, variable);
		return FAILED;
	}
	read_words(&call, words);
	bool link = call.inputs && !call.compile_only && !call.headers && !call.relocatable;
	if (link && refuse(&call))
		return FAILED;
	if (call.inputs) {
		if (!find_parts(&call, line.at, plugin, runtime, directory))
			return FAILED;
		snprintf(option, sizeof(option), "-fplugin=%s", plugin);
		if (!call.plain) {
			arguments_add(&line, option);
			arguments_add(&line, "-D__SOOTH__=1"); /* annotate.h asks for it */
		}
		add_headers(&line, directory);
		if (link)
			add_runtime(&line, runtime, directory);
	}
	/* A response file stays one: its contents may be too long for a command line. */
	arguments_add_all(&line, call.changed && call.inputs ? call.words.at : words);
	execvp(line.at[0], line.at);
	fprintf(stderr, "sooth %s: %s: %s\n", name, line.at[0], strerror(errno));
	return FAILED;
}

int cmd_cc(int argc, char **argv)
{
	(void)argc;
	return compile("cc", "SOOTH_CC", "gcc", argv + 1);
}

int cmd_cxx(int argc, char **argv)
{
	(void)argc;
	return compile("c++", "SOOTH_CXX", "g++", argv + 1);
}

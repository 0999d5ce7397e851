/*
 * sooth cc, sooth c++: run the compiler with two additions to its command line.
 *
 *   -fplugin=.../sooth.so        in every call that has an input. That includes calls that only
 *                                preprocess, because __SANITIZE_THREAD__ must be defined, and calls
 *                                that only link, because objects made with gcc's -flto are compiled
 *                                then. For clang see src/cli/cc_clang.c.
 *   .../libsooth.so              when an executable or a shared library is linked: before all other
 *                                libraries, so that the dynamic linker finds our malloc and
 *                                pthread_* before those of libc.
 *
 * This process executes the compiler with exec, so output and exit status are the compiler's own. A
 * call without inputs (--version, -dumpmachine, -print-...) is passed on unchanged, because build
 * systems make many of them. The additions come first, before any -x. The library is passed through
 * -Xlinker, because otherwise the compiler would count it as an input and name its outputs
 * differently.
 */
#include "base/file.h"
#include "cli/arguments.h"
#include "cli/cc_clang.h"
#include "cli/cli.h"
#include "pipeline/complain.h"
#include "pipeline/install_paths.h"
#include "pipeline/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILED 1 /* exit status of gcc for a call that it rejects */

struct compiler_call {
	const char *name;	/* "cc" or "c++", for messages */
	struct arguments words; /* given by the user, with @FILE expanded and without libtsan */
	struct arguments for_plugin; /* -fplugin-arg-sooth-..., which clang does not know */
	bool changed;		     /* words of the user were removed */
	bool inputs;
	bool headers; /* the input is a header to precompile: nothing is linked */
	bool compile_only;
	bool relocatable;
	bool is_static;
	bool plain;   /* -fno-sanitize=thread: compile without the plugin */
	bool address; /* -fsanitize=address, leak, memory or hwaddress */
	struct clang_call clang;
};

/* Is the next word the argument of this option (and not an input)? */
static bool takes_next(const char *word)
{
	static const char options[] =
		" -o -x -I -D -U -L -l -u -T -e -z -A -B -G -R -h -MF -MT -MQ -MJ -include -imacros"
		" -iprefix -iwithprefix -iwithprefixbefore -idirafter -iquote -isystem -isysroot"
		" -imultilib -imultiarch -Xlinker -Xassembler -Xpreprocessor -aux-info -dumpbase"
		" -dumpbase-ext -dumpdir -wrapper -specs -Tbss -Tdata -Ttext --param --sysroot"
		" --output --include --imacros --include-directory --define-macro --undefine-macro"
		" --library-directory --entry --language --specs --for-linker --for-assembler"
		" --prefix --dumpbase --dumpdir"
		/* options of clang */
		" -Xclang -mllvm -target -Xanalyzer -arch -ivfsoverlay -iframework -cxx-isystem "
		"-c-isystem"
		" -framework -serialize-diagnostics --serialize-diagnostics -dependency-file"
		" -dependency-dot -Xopenmp-target -working-directory -resource-dir --config ";
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
	const char *dot = strrchr(path_name(file), '.');

	if (language && strcmp(language, "none") != 0)
		return strstr(language, "-header") != NULL;
	return dot && is_one_of(dot + 1, suffixes);
}

/*
 * Removes `thread` from -fsanitize=LIST, because gcc would insert calls of libtsan and link it.
 * Returns false if nothing is left of the option.
 */
static bool remove_thread(struct compiler_call *call, char *option)
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
					 (length == 6 && !memcmp(in, "memory", 6)) ||
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

static void read_no_sanitize(struct compiler_call *call, const char *list)
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

/* Processes a word that begins with '-'. Returns false if the compiler must not see it. */
static bool read_option(struct compiler_call *call, char *word)
{
	static const char *const compile_only[] = { "-c",	 "-S",	       "-E",
						    "-M",	 "-MM",	       "-fsyntax-only",
						    "--compile", "--assemble", "--preprocess",
						    NULL };
	static const char *const is_static[] = { "-static", "--static", "-static-pie", NULL };
	static const char *const tsan[] = { "-static-libtsan", "-ltsan", NULL };

	if (!strncmp(word, "-fsanitize=", 11))
		return remove_thread(call, word);
	if (!strncmp(word, "-fno-sanitize=", 14))
		read_no_sanitize(call, word + 14);
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

static void read_words(struct compiler_call *call, char **words)
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
		} else if (cc_read_clang_option(&call->clang, word)) {
			arguments_add(&call->for_plugin, word);
			continue;
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

/* Prints that there is no plugin for this compiler, and what to do. */
static void explain_no_plugin(const struct compiler_call *call, const struct compiler *c,
			      const char *command, const char *plugin, const char *directory)
{
	bool cxx = call->name[1] == '+', clang = c->family == COMPILER_CLANG;
	const char *variable = cxx ? "SOOTH_CXX" : "SOOTH_CC";
	const char *other = cxx ? "g++-" SOOTH_GCC : "gcc-" SOOTH_GCC;
	char versions[128];

	complain(call->name, "%s is %s %d, and there is no plugin for it (%s)", command,
		 install_paths_family_name(c->family), c->major, plugin);
	if (!clang) {
		complain(call->name,
			 "either install %s and set %s=%s, or install gcc-%d, g++-%d and", other,
			 variable, other, c->major, c->major);
		complain(call->name, "gcc-%d-plugin-dev and build sooth with them", c->major);
		return;
	}
	install_paths_list_plugins(versions, directory, c->family);
	if (versions[0])
		complain(call->name, "there are plugins for clang %s: set %s to one of these, or",
			 versions, variable);
	if (c->major >= 14 && c->major <= 19)
		complain(call->name,
			 "install llvm-%d-dev and libclang-%d-dev and build sooth again", c->major,
			 c->major);
	else
		complain(call->name, "use gcc, or clang 14 to 19");
}

/* Fills in `plugin`, `runtime` and `directory`. Returns false after a message. */
static bool find_parts(const struct compiler_call *call, struct compiler *c, char **command,
		       char plugin[PATH_MAX], char runtime[PATH_MAX], char directory[PATH_MAX])
{
	bool cxx = call->name[1] == '+';

	if (!install_paths_directory(directory))
		return false;
	install_paths_ask_compiler(c, command);
	if (c->family == COMPILER_ABSENT) {
		complain(call->name, "cannot run %s; install it, or set %s to another compiler",
			 command[0], cxx ? "SOOTH_CXX" : "SOOTH_CC");
	} else if (c->family == COMPILER_OTHER) {
		complain(call->name,
			 "%s is neither gcc nor clang (%s); other compilers are not supported",
			 command[0], c->line[0] ? c->line : "unknown version");
		complain(call->name, "use gcc: %s",
			 cxx ? "SOOTH_CXX=g++-" SOOTH_GCC : "SOOTH_CC=gcc-" SOOTH_GCC);
	} else if (!install_paths_plugin(plugin, directory, c->family, c->major)) {
		explain_no_plugin(call, c, command[0], plugin, directory);
	} else if (!install_paths_runtime(runtime, directory)) {
		complain(call->name, "the runtime is missing (%s); build or install sooth again",
			 runtime);
	} else {
		return true;
	}
	return false;
}

static bool refuse_link(const struct compiler_call *call)
{
	if (call->is_static) {
		complain(call->name,
			 "a static program cannot be recorded: the runtime replaces malloc");
		complain(call->name, "and pthread_* by dynamic linking");
		complain(call->name, "link it without -static and -static-pie");
	} else if (call->address) {
		complain(call->name,
			 "-fsanitize=address, leak, memory and hwaddress replace malloc and");
		complain(call->name,
			 "cannot be combined with recording, nor with -fsanitize=thread");
	}
	return call->is_static || call->address;
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

static void add_folder(struct arguments *line, const char *option, const char *directory,
		       const char *folder)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/../../%s", directory, folder);
	arguments_add(line, option);
	arguments_add(line, path);
}

static void add_plugin(struct arguments *line, const struct compiler_call *call,
		       const struct compiler *c, const char *plugin)
{
	char option[PATH_MAX + 16];

	if (c->family == COMPILER_CLANG) {
		cc_add_clang(line, &call->clang, plugin);
		return;
	}
	snprintf(option, sizeof(option), "-fplugin=%s", plugin);
	arguments_add(line, option);
	arguments_add(line, "-D__SOOTH__=1"); /* for <sooth/annotate.h> */
}

/*
 * Adds the user's words. Keeps @FILE arguments if possible, because their contents may be too long
 * for a command line.
 */
static void add_words(struct arguments *line, const struct compiler_call *call,
		      const struct compiler *c, char **words)
{
	bool gcc = c->family == COMPILER_GCC, keep = !call->changed || !call->inputs;

	if (keep && (gcc || !call->for_plugin.count)) {
		arguments_add_all(line, words);
		return;
	}
	arguments_add_all(line, call->words.at);
	if (gcc && call->for_plugin.count)
		arguments_add_all(line, call->for_plugin.at);
}

static int run_compiler(const char *name, const char *variable, const char *fallback, char **words)
{
	struct compiler_call call = { .name = name };
	struct arguments line = { 0 };
	struct compiler compiler = { .family = COMPILER_GCC };
	char plugin[PATH_MAX], runtime[PATH_MAX], directory[PATH_MAX];
	const char *chosen = getenv(variable);

	arguments_add_words(&line, chosen && chosen[strspn(chosen, " \t\n")] ? chosen : fallback);
	if (!strncmp(path_name(line.at[0]), "sooth", 5)) {
		complain(name, "%s is set to sooth itself; set it to the real compiler", variable);
		return FAILED;
	}
	read_words(&call, words);
	bool link = call.inputs && !call.compile_only && !call.headers && !call.relocatable;
	if (link && refuse_link(&call))
		return FAILED;
	if (call.inputs) {
		if (!find_parts(&call, &compiler, line.at, plugin, runtime, directory))
			return FAILED;
		if (!call.plain) {
			add_plugin(&line, &call, &compiler, plugin);
			/*
			 * with these headers the code of std::string is compiled, and so recorded
			 */
			add_folder(&line, "-isystem", directory, "share/sooth/c++");
		}
		/* <sooth/annotate.h>; searched after all directories of the program */
		add_folder(&line, "-idirafter", directory, "include");
		if (link)
			add_runtime(&line, runtime, directory);
	}
	add_words(&line, &call, &compiler, words);
	execvp(line.at[0], line.at);
	complain(name, "%s: %s", line.at[0], strerror(errno));
	return FAILED;
}

int cmd_cc(char **argv)
{
	return run_compiler("cc", "SOOTH_CC", "gcc", argv + 1);
}

int cmd_cxx(char **argv)
{
	return run_compiler("c++", "SOOTH_CXX", "g++", argv + 1);
}

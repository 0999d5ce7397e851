/* sooth doctor: checks whether everything is installed that recording needs. */
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "pipeline/install_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/utsname.h>

/* Prints a line about one check, with advice if it failed. Returns `good`. */
static bool print_result(bool good, const char *what, const char *found, const char *advice)
{
	printf("%-4s %-10s %s\n", good ? "ok" : "BAD", what, found);
	if (!good)
		printf("     %-10s %s\n", "", advice);
	return good;
}

static bool check_compiler(const char *what, const char *variable, const char *fallback,
			   const char *directory)
{
	struct arguments command = { 0 };
	const char *chosen = getenv(variable);
	char plugin[PATH_MAX], advice[160];
	struct compiler c;

	arguments_add_words(&command, chosen && *chosen ? chosen : fallback);
	install_paths_ask_compiler(&c, command.at);
	if (c.family == COMPILER_ABSENT || c.family == COMPILER_OTHER)
		return print_result(
			false, what, c.line[0] ? c.line : command.at[0],
			"neither gcc nor clang, or not installed: install gcc-" SOOTH_GCC
			" and g++-" SOOTH_GCC);
	bool good = print_result(true, what, c.line, "");
	snprintf(advice, sizeof(advice),
		 "no plugin for %s %d: install gcc-" SOOTH_GCC " and g++-" SOOTH_GCC " and set %s",
		 install_paths_family_name(c.family), c.major, variable);
	return print_result(install_paths_plugin(plugin, directory, c.family, c.major), "plugin",
			    plugin, advice) &&
	       good;
}

/* Lists the compiler versions for which a plugin is installed. */
static void list_plugins(const char *directory)
{
	static const enum compiler_family families[] = { COMPILER_GCC, COMPILER_CLANG };
	static const char *const why_none[] = {
		"none (building one needs gcc-N-plugin-dev)",
		"none (building one needs llvm-N-dev and libclang-N-dev)",
	};
	char there[128];

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		install_paths_list_plugins(there, directory, families[i]);
		printf("%-4s %-10s %s %s\n", there[0] ? "ok" : "note", "plugins",
		       install_paths_family_name(families[i]), there[0] ? there : why_none[i]);
	}
}

int cmd_doctor(char **argv)
{
	char directory[PATH_MAX], runtime[PATH_MAX];
	const struct command_syntax syntax = {
		.command = "doctor",
		.usage = "",
		.about = "Checks whether the runtime, the compilers and their plugins are "
			 "installed.",
		.notes = "Exit status: 0 everything is there, 1 something is missing.",
	};
	struct command_arguments arguments;
	struct utsname system;
	bool good = true;
	int status;

	if (!options_read(&syntax, argv, &arguments, &status))
		return status;
	if (!install_paths_directory(directory) || uname(&system))
		return STATUS_BAD_USE;
	printf("     sooth      " SOOTH_VERSION "\n     system     %s %s %s\n", system.sysname,
	       system.release, system.machine);
	good &= print_result(!strcmp(system.machine, "x86_64"), "machine", system.machine,
			     "only x86-64 is supported");
	good &= print_result(install_paths_runtime(runtime, directory), "runtime", runtime,
			     "missing: build or install sooth again");
	good &= check_compiler("C", "SOOTH_CC", "gcc", directory);
	good &= check_compiler("C++", "SOOTH_CXX", "g++", directory);
	list_plugins(directory);
	int old = personality(0xffffffff);
	bool fixed = old != -1 && personality((unsigned long)old | ADDR_NO_RANDOMIZE) != -1;
	/* This one is not needed for recording: without it, addresses differ between runs. */
	printf("%-4s %-10s %s\n", fixed ? "ok" : "note", "addresses",
	       fixed ? "the same in every run"
		     : "differ from run to run: personality(2) is not allowed here");
	return good ? STATUS_OK : STATUS_FINDINGS;
}

/* The entry point: finds the subcommand and runs it. Also `sooth help`. */
#include "base/file.h"
#include "cli/cli.h"
#include "pipeline/paths.h"
#include "spec/spelling.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int cmd_help(char **argv);
static int cmd_version(char **argv);

static const struct command commands[] = {
	{ "cc", "ARGS...", "compile and link C for recording, as gcc does (also: sooth-cc)",
	  cmd_cc },
	{ "c++", "ARGS...", "the same for C++ (also: sooth-c++)", cmd_cxx },
	{ "check", "PROG ARGS...", "run a program once and find its concurrency bugs", cmd_check },
	{ "record", "[-o TRACE] PROG ARGS...", "run a program and record it", cmd_record },
	{ "predict", "TRACE", "find bugs in other schedules of a recorded run", cmd_predict },
	{ "observe", "-p FILE TRACE", "check properties on all schedules of a recorded run",
	  cmd_observe },
	{ "replay", "TRACE FINDING", "run a program along the schedule of a finding", cmd_replay },
	{ "explore", "PROG ARGS...", "run a program in many schedules until it fails",
	  cmd_explore },
	{ "trace", "ACTION ...", "inspect or convert a recording", cmd_trace },
	{ "spec", "ACTION FILE", "check or explain a property file", cmd_spec },
	{ "doctor", "", "check that everything sooth needs is installed", cmd_doctor },
	{ "help", "[COMMAND]", "print this list, or the help text of a command", cmd_help },
	{ "--help", NULL, NULL, cmd_help },
	{ "-h", NULL, NULL, cmd_help },
	{ "version", NULL, NULL, cmd_version },
	{ "--version", NULL, NULL, cmd_version },
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static void print_list(const struct command *list, size_t count, FILE *out)
{
	int width = 0;

	for (size_t i = 0; i < count; i++) {
		int length = list[i].about ? (int)strlen(list[i].arguments) : 0;

		width = length > width ? length : width;
	}
	for (size_t i = 0; i < count; i++) {
		if (list[i].about)
			fprintf(out, "  %-7s %-*s  %s\n", list[i].name, width, list[i].arguments,
				list[i].about);
	}
}

/*
 * Runs the command that argv[1] names. `outer` is the command whose actions are in `commands`, or
 * "" for sooth itself. Returns STATUS_BAD_USE, after a message, if there is no such command.
 */
static int run_command(const char *outer, const struct command *list, size_t count, char **argv)
{
	const char *blank = *outer ? " " : "";
	struct spelling near;

	spelling_start(&near, argv[1]);
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(argv[1], list[i].name))
			return list[i].run(argv + 1);
		if (list[i].about)
			spelling_try(&near, list[i].name);
	}
	fprintf(stderr, "sooth%s%s: unknown command '%s'", blank, outer, argv[1]);
	if (near.best)
		fprintf(stderr, "; did you mean '%s'?\n", near.best);
	else
		fprintf(stderr, "; `sooth%s%s --help` lists the commands\n", blank, outer);
	return STATUS_BAD_USE;
}

int commands_run_action(const char *outer, const struct command *actions, size_t count,
			const char *notes, char **argv)
{
	bool help = argv[1] && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
	FILE *out = help ? stdout : stderr;

	if (argv[1] && !help)
		return run_command(outer, actions, count, argv);
	fprintf(out, "usage: sooth %s ACTION ...\n\n", outer);
	print_list(actions, count, out);
	fprintf(out, "\n`sooth %s ACTION --help` prints the options of an action.\n%s\n", outer,
		notes);
	return help ? STATUS_OK : STATUS_BAD_USE;
}

/* Prints help for cc and c++, which pass --help on to the compiler. */
static int help_about_compiler(const char *name)
{
	printf("usage: sooth %s ARGS...\n\n"
	       "Runs the compiler with ARGS and adds what recording needs: a plugin, which\n"
	       "instruments the code, and the runtime library, which is linked first. The "
	       "compiler\n"
	       "is gcc or g++, or what SOOTH_CC or SOOTH_CXX names. `sooth %s --help` prints the\n"
	       "compiler's own help.\n",
	       name, name);
	return STATUS_OK;
}

static int cmd_help(char **argv)
{
	char *words[5] = { argv[0], NULL };

	if (!argv[1] || argv[1][0] == '-') {
		printf("usage: sooth COMMAND ...\n\n");
		print_list(commands, COMMANDS, stdout);
		printf("\n`sooth help COMMAND` or `sooth COMMAND --help` prints the options of a "
		       "command.\n");
		return STATUS_OK;
	}
	if (!strcmp(argv[1], "cc") || !strcmp(argv[1], "c++"))
		return help_about_compiler(argv[1]);
	/* Turn `sooth help trace dump` into `sooth trace dump --help`. */
	words[1] = argv[1];
	words[2] = argv[2] ? argv[2] : "--help";
	words[3] = argv[2] ? "--help" : NULL;
	return run_command("", commands, COMMANDS, words);
}

static int cmd_version(char **argv)
{
	(void)argv;
	printf("sooth " SOOTH_VERSION "\n");
	return STATUS_OK;
}

int main(int argc, char **argv)
{
	const char *self = argc ? path_name(argv[0]) : "sooth";

	if (!strcmp(self, "sooth-cc"))
		return cmd_cc(argv);
	if (!strcmp(self, "sooth-c++"))
		return cmd_cxx(argv);
	if (argc < 2) {
		cmd_help((char *[]){ "help", NULL });
		return STATUS_BAD_USE;
	}
	return run_command("", commands, COMMANDS, argv);
}

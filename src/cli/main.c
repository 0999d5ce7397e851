/* The entry point: finds the subcommand and runs it; `sooth help`. */
#include "cli/cli.h"
#include "spec/spelling.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int cmd_help(int argc, char **argv);
static int cmd_version(int argc, char **argv);

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

int commands_run(const char *outer, const struct command *list, size_t count, int argc, char **argv)
{
	const char *blank = *outer ? " " : "";
	struct spelling near;

	spelling_start(&near, argv[1]);
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(argv[1], list[i].name))
			return list[i].run(argc - 1, argv + 1);
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
			const char *notes, int argc, char **argv)
{
	bool help = argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
	FILE *out = help ? stdout : stderr;

	if (argc > 1 && !help)
		return commands_run(outer, actions, count, argc, argv);
	fprintf(out, "usage: sooth %s ACTION ...\n\n", outer);
	print_list(actions, count, out);
	fprintf(out, "\n`sooth %s ACTION --help` prints the options of an action.\n%s\n", outer,
		notes);
	return help ? STATUS_OK : STATUS_BAD_USE;
}

/* cc and c++ pass --help on to the compiler. */
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

static int cmd_help(int argc, char **argv)
{
	char *words[5] = { argv[0], NULL };
	int count = 1;

	if (argc > 1 && argv[1][0] == '-')
		argc = 1;
	if (argc > 1 && (!strcmp(argv[1], "cc") || !strcmp(argv[1], "c++")))
		return help_about_compiler(argv[1]);
	/* `sooth help trace dump` is `sooth trace dump --help`. */
	while (count < argc && count < 3) {
		words[count] = argv[count];
		count++;
	}
	words[count] = "--help";
	if (count > 1)
		return commands_run("", commands, COMMANDS, count + 1, words);
	printf("usage: sooth COMMAND ...\n\n");
	print_list(commands, COMMANDS, stdout);
	printf("\n`sooth help COMMAND` or `sooth COMMAND --help` prints the options of a "
	       "command.\n");
	return STATUS_OK;
}

static int cmd_version(int argc, char **argv)
{
	(void)argc, (void)argv;
	printf("sooth " SOOTH_VERSION "\n");
	return STATUS_OK;
}

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *self = slash ? slash + 1 : argc ? argv[0] : "sooth";

	if (!strcmp(self, "sooth-cc"))
		return cmd_cc(argc, argv);
	if (!strcmp(self, "sooth-c++"))
		return cmd_cxx(argc, argv);
	if (argc < 2) {
		cmd_help(1, (char *[]){ "help", NULL });
		return STATUS_BAD_USE;
	}
	return commands_run("", commands, COMMANDS, argc, argv);
}

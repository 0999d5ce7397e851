/* sooth: which subcommand, and help. */
#include "cli/cli.h"
#include "spec/spelling.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int cmd_help(int argc, char **argv);
static int cmd_version(int argc, char **argv);

static const struct command {
	const char *name, *arguments, *about;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "cc", "ARGS...", "compile and link C as gcc does, for recording (also: sooth-cc)",
	  cmd_cc },
	{ "c++", "ARGS...", "the same for C++ (also: sooth-c++)", cmd_cxx },
	{ "check", "PROG ARGS...", "run a program once and find its concurrency bugs", cmd_check },
	{ "record", "[-o TRACE] PROG ARGS...", "run a program and record it", cmd_record },
	{ "predict", "TRACE", "find the bugs that other schedules of a recorded run show",
	  cmd_predict },
	{ "observe", "-p FILE TRACE", "judge properties on all runs of a recorded one",
	  cmd_observe },
	{ "replay", "TRACE FINDING", "run a program again so that a finding shows", cmd_replay },
	{ "explore", "PROG ARGS...", "run a program in many orders until it fails", cmd_explore },
	{ "trace", "dump|stat|check|...", "look at a recording", cmd_trace },
	{ "spec", "check|explain FILE", "look at a file of properties", cmd_spec },
	{ "doctor", "", "say whether everything sooth needs is here", cmd_doctor },
	{ "help", "", "this text", cmd_help },
	{ "--help", NULL, NULL, cmd_help },
	{ "-h", NULL, NULL, cmd_help },
	{ "version", NULL, NULL, cmd_version },
	{ "--version", NULL, NULL, cmd_version },
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int cmd_help(int argc, char **argv)
{
	(void)argc, (void)argv;
	printf("usage: sooth COMMAND ...\n\n");
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = &commands[i];
		if (c->about)
			printf("  %-7s %-24s %s\n", c->name, c->arguments, c->about);
	}
	printf("\n`sooth COMMAND --help` tells more, but for cc and c++: those are your "
	       "compiler.\n");
	return STATUS_OK;
}

static int cmd_version(int argc, char **argv)
{
	(void)argc, (void)argv;
	printf("sooth " SOOTH_VERSION "\n");
	return STATUS_OK;
}

static int unknown(const char *name)
{
	struct spelling near;

	spelling_start(&near, name);
	for (size_t i = 0; i < COMMANDS; i++)
		if (commands[i].about)
			spelling_try(&near, commands[i].name);
	fprintf(stderr, "sooth: there is no command '%s'", name);
	if (near.best)
		fprintf(stderr, "; did you mean '%s'?", near.best);
	fprintf(stderr, "\nsooth: `sooth help` lists them\n");
	return STATUS_BAD_USE;
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
		cmd_help(argc, argv);
		return STATUS_BAD_USE;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return unknown(argv[1]);
}

/*
 * The subcommands of sooth and their exit statuses. A subcommand gets its own name in argv[0], and
 * NULL after the last argument. It returns the exit status.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stddef.h>

/*
 * Exit statuses of all subcommands except cc, c++ and record: those return the status of the
 * compiler or program that they run.
 */
enum status {
	STATUS_OK = 0, /* nothing was found */
	STATUS_FINDINGS = 1,
	STATUS_BAD_USE = 2,   /* wrong options or bad input */
	STATUS_DIVERGED = 3,  /* a replay did not follow its schedule */
	STATUS_OUR_FAULT = 4, /* a bug in sooth: the checker rejected a witness, for example */
};

/* A subcommand, or an action of a subcommand (`sooth trace dump`). */
struct command {
	const char *name;
	const char *arguments, *about; /* shown in the list of commands; NULL: not listed */
	int (*run)(char **argv);
};

/*
 * The same for the actions of the command `outer`. Lists the actions if argv[1] is missing or
 * --help.
 */
int commands_run_action(const char *outer, const struct command *actions, size_t count,
			const char *notes, char **argv);

int cmd_cc(char **argv);
int cmd_cxx(char **argv);
int cmd_record(char **argv);
int cmd_predict(char **argv);
int cmd_replay(char **argv);
int cmd_observe(char **argv);
int cmd_explore(char **argv);
int cmd_check(char **argv);
int cmd_trace(char **argv);
int cmd_spec(char **argv);
int cmd_doctor(char **argv);

#endif

/*
 * The subcommands of sooth, and their exit statuses. Each subcommand gets argv[0] = its own name,
 * with NULL after the last argument, and returns the exit status.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stddef.h>

/* Of all subcommands except cc, c++ and record, which pass on the status of what they run. */
enum status {
	STATUS_OK = 0, /* nothing found */
	STATUS_FINDINGS = 1,
	STATUS_BAD_USE = 2,   /* bad options or bad input */
	STATUS_DIVERGED = 3,  /* a replay did not follow its schedule */
	STATUS_OUR_FAULT = 4, /* the checker rejected a witness, or another bug of sooth */
};

/* A subcommand, or an action of one (`sooth trace dump`). */
struct command {
	const char *name;
	const char *arguments, *about; /* for the list of commands; NULL: it is not listed */
	int (*run)(char **argv);
};

/*
 * Runs the command that argv[1] names. `outer` is the command that these are the actions of, "" for
 * sooth itself. Returns STATUS_BAD_USE, after a message, if the name is unknown.
 */
int commands_run(const char *outer, const struct command *commands, size_t count, char **argv);

/* The same for actions of the command `outer`. Without an action, or with --help, lists them. */
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

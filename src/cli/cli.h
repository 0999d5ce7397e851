/* The subcommands. Each gets argv[0] = its own name and returns the exit status. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* Exit statuses that all subcommands but cc, c++ and record share. */
enum cli_status {
	CLI_OK = 0,
	CLI_FINDINGS = 1,
	CLI_BAD_USE = 2,  /* or bad input */
	CLI_DIVERGED = 3, /* a replay went another way */
	CLI_OUR_FAULT = 4,
};

int cmd_cc(int argc, char **argv);
int cmd_cxx(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_observe(int argc, char **argv);
int cmd_explore(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_spec(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

#endif

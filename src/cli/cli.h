/* The subcommands. Each gets argv[0] = its own name and returns the exit status. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "pipeline/status.h"

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

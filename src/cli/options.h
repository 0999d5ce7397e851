/*
 * Command-line options from tables. A command lists its options in groups. A group is a table,
 * which several commands may share, and the struct whose fields the options of the table set. The
 * table both reads the command line and prints the help text.
 *
 * Accepted are "--name VALUE", "--name=VALUE", "-n VALUE" and "-nVALUE". Options may stand between
 * the other arguments, up to "--"; if those are a program to run, its name ends the options.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cli_option {
	const char *name;     /* "--window" or "-o" */
	const char *argument; /* "N", for the help text; NULL: the option has no value */
	const char *help;     /* NULL: the help text does not list the option */
	/* Stores the value in `target`. Returns false, with the reason, if it is invalid. */
	bool (*set)(const struct cli_option *option, void *target, const char *value,
		    struct err *err);
	size_t field;		    /* offset in `target` of the field that `set` changes */
	uint64_t least, most;	    /* option_set_number, option_set_u32: the range of values */
	const char *const *choices; /* option_set_word, option_choice: ends with NULL */
};

typedef bool option_setter(const struct cli_option *option, void *target, const char *value,
			   struct err *err);
option_setter option_set_flag;	  /* bool, to true */
option_setter option_clear_flag;  /* bool, to false */
option_setter option_set_text;	  /* const char *: the value itself */
option_setter option_set_word;	  /* const char *: one of `choices` */
option_setter option_set_number;  /* uint64_t */
option_setter option_set_u32;	  /* uint32_t or unsigned */
option_setter option_set_seconds; /* double, not negative */

/* For other setters: the position of `value` in the option's `choices`; -1, with `err` set. */
int option_choice(const struct cli_option *option, const char *value, struct err *err);

/* For other setters: reads a decimal number of the range. */
bool option_number(const char *value, uint64_t least, uint64_t most, uint64_t *number,
		   struct err *err);

struct option_group {
	const struct cli_option *options; /* ends with a name of NULL */
	void *target;
};

#define OPTION_GROUPS 5
#define OPERANDS 2
struct command_syntax {
	const char *command; /* "check" or "trace dump" */
	const char *usage;   /* the words after the command; a second form follows a line feed */
	const char *about;   /* paragraphs of the help text before the options, a line each; */
	const char *notes;   /* after them; NULL: none */
	/*
	 * Where two groups have an option of the same name, the first one counts. Unused groups
	 * are at the end.
	 */
	struct option_group groups[OPTION_GROUPS];
	const char *operands[OPERANDS]; /* "TRACE": names of the arguments that are not options */
	unsigned required;		/* the first ones must be given */
	bool program; /* a program with its arguments comes last: as the operands, or after "--" */
};

struct command_arguments {
	const char *operands[OPERANDS]; /* NULL where none was given */
	char **program;			/* ends with NULL; NULL itself: none was given */
};

/*
 * Reads argv[1] and the rest, and returns true. Returns false if the command is to end here:
 * `*status` is then 0 after --help, which prints the help text, and STATUS_BAD_USE after a message
 * about a mistake.
 */
bool options_read(const struct command_syntax *syntax, char **argv, struct command_arguments *out,
		  int *status);

/* Prints "sooth COMMAND: MESSAGE" and the usage, for mistakes that options_read() cannot see. */
int options_refuse(const struct command_syntax *syntax, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

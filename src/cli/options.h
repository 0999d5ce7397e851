/*
 * Command-line options in tables. A command lists its options in groups. A group consists of a
 * table, which several commands may share, and the struct whose fields the options of the table
 * set. The table serves both to read the command line and to print the help text.
 *
 * Accepted are "--name VALUE", "--name=VALUE", "-n VALUE" and "-nVALUE". Options may stand between
 * the other arguments, up to "--". If the other arguments are a program to run, the program's name
 * ends the options.
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
	/* Stores the value in `target`. Returns false if the value is invalid; `err` says why. */
	bool (*set)(const struct cli_option *option, void *target, const char *value,
		    struct err *err);
	size_t field;		    /* offset in `target` of the field that set() changes */
	uint64_t least, most;	    /* option_set_number, option_set_u32: range of values */
	const char *const *choices; /* option_set_word, option_choice: NULL-terminated */
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

/*
 * For use in other setters. Returns the index of `value` in the option's `choices`; -1: it is not
 * there, and `err` is set.
 */
int option_choice(const struct cli_option *option, const char *value, struct err *err);

/* For use in other setters. Reads a decimal number from `least` to `most`. */
bool option_number(const char *value, uint64_t least, uint64_t most, uint64_t *number,
		   struct err *err);

struct option_group {
	const struct cli_option *options; /* the last one has the name NULL */
	void *target;
};

#define OPTION_GROUPS 6
#define OPERANDS 2
struct command_syntax {
	const char *command; /* such as "check" or "trace dump" */
	const char *usage;   /* the words after the command; a line feed precedes a second form */
	const char *about;   /* help text before the options; each line is a paragraph */
	const char *notes;   /* help text after the options; NULL: none */
	/*
	 * If two groups have an option of the same name, the first group's counts. Unused elements
	 * are at the end.
	 */
	struct option_group groups[OPTION_GROUPS];
	const char *operands[OPERANDS]; /* names of the operands, such as "TRACE" */
	unsigned required;		/* number of operands that must be given */
	bool program; /* a program and its arguments come last, as the operands or after "--" */
};

struct command_arguments {
	const char *operands[OPERANDS]; /* NULL: not given */
	char **program;			/* NULL-terminated; NULL: no program was given */
};

/*
 * Reads the arguments from argv[1] on. Returns true if the command should go on. Returns false if
 * it should end with exit status `*status`: 0 after --help, which prints the help text, or
 * STATUS_BAD_USE after a message about a mistake.
 */
bool options_read(const struct command_syntax *syntax, char **argv, struct command_arguments *out,
		  int *status);

/* Prints "sooth COMMAND: MESSAGE" and the usage. For mistakes that options_read() cannot detect. */
int options_refuse(const struct command_syntax *syntax, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

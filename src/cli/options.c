/* Reads command lines and prints help texts from tables of options. */
#include "cli/options.h"

#include "cli/cli.h"
#include "pipeline/complain.h"
#include "report/wrap.h"
#include "spec/spelling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 23 /* column at which the descriptions of options start */

/* ---- values ---------------------------------------------------------------------------------- */

static void *field_of(const struct cli_option *option, void *target)
{
	return (char *)target + option->field;
}

bool option_set_flag(const struct cli_option *option, void *target, const char *value,
		     struct err *err)
{
	(void)value, (void)err;
	return *(bool *)field_of(option, target) = true;
}

bool option_clear_flag(const struct cli_option *option, void *target, const char *value,
		       struct err *err)
{
	(void)value, (void)err;
	*(bool *)field_of(option, target) = false;
	return true;
}

bool option_set_text(const struct cli_option *option, void *target, const char *value,
		     struct err *err)
{
	(void)err;
	*(const char **)field_of(option, target) = value;
	return true;
}

int option_choice(const struct cli_option *option, const char *value, struct err *err)
{
	char list[256] = "";

	for (int i = 0; option->choices[i]; i++) {
		size_t length = strlen(list);

		if (!strcmp(option->choices[i], value))
			return i;
		snprintf(list + length, sizeof list - length, "%s%s",
			 !i			  ? ""
			 : option->choices[i + 1] ? ", "
						  : " or ",
			 option->choices[i]);
	}
	err_set(err, "must be %s", list);
	return -1;
}

bool option_set_word(const struct cli_option *option, void *target, const char *value,
		     struct err *err)
{
	return option_choice(option, value, err) >= 0 &&
	       option_set_text(option, target, value, err);
}

bool option_number(const char *value, uint64_t least, uint64_t most, uint64_t *number,
		   struct err *err)
{
	char *end;

	errno = 0;
	*number = strtoull(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && !errno && *number >= least &&
	    *number <= most)
		return true;
	if (most == UINT64_MAX)
		return err_set(err, "must be a number%s", least ? " above 0" : "");
	return err_set(err, "must be a number from %" PRIu64 " to %" PRIu64, least, most);
}

bool option_set_number(const struct cli_option *option, void *target, const char *value,
		       struct err *err)
{
	return option_number(value, option->least, option->most ? option->most : UINT64_MAX,
			     field_of(option, target), err);
}

bool option_set_u32(const struct cli_option *option, void *target, const char *value,
		    struct err *err)
{
	uint64_t number;

	if (!option_number(value, option->least, option->most ? option->most : UINT32_MAX, &number,
			   err))
		return false;
	*(uint32_t *)field_of(option, target) = (uint32_t)number;
	return true;
}

bool option_set_seconds(const struct cli_option *option, void *target, const char *value,
			struct err *err)
{
	double *seconds = field_of(option, target);
	char *end;

	*seconds = strtod(value, &end);
	return ((*value == '.' || (*value >= '0' && *value <= '9')) && end > value && !*end) ||
	       err_set(err, "must be a number of seconds");
}

/* ---- help ------------------------------------------------------------------------------------ */

static void print_usage(const struct command_syntax *s, FILE *out)
{
	const char *form = s->usage, *prefix = "usage:";

	while (form) {
		const char *end = strchr(form, '\n');

		fprintf(out, "%s sooth %s%s%.*s\n", prefix, s->command, *form ? " " : "",
			(int)strcspn(form, "\n"), form);
		form = end ? end + 1 : NULL;
		prefix = "      ";
	}
}

static void print_option(const char *name, const char *argument, const char *help)
{
	int used = printf("  %s%s%s", name, argument ? " " : "", argument ? argument : "");

	printf("%*s", used < HELP_COLUMN ? HELP_COLUMN - used : 1, "");
	wrap_print(stdout, used < HELP_COLUMN ? HELP_COLUMN : used + 1, HELP_COLUMN, help);
}

static const struct cli_option *find_option(const struct command_syntax *s, const char *word,
					    size_t length, void **target)
{
	for (const struct option_group *g = s->groups; g < s->groups + OPTION_GROUPS; g++) {
		for (const struct cli_option *o = g->options; o && o->name; o++) {
			if (strlen(o->name) == length && !memcmp(o->name, word, length)) {
				*target = g->target;
				return o;
			}
		}
	}
	return NULL;
}

static void print_help(const struct command_syntax *s)
{
	void *target;

	print_usage(s, stdout);
	putchar('\n');
	wrap_print(stdout, 0, 0, s->about);
	putchar('\n');
	for (const struct option_group *g = s->groups; g < s->groups + OPTION_GROUPS; g++) {
		for (const struct cli_option *o = g->options; o && o->name; o++) {
			if (o->help && find_option(s, o->name, strlen(o->name), &target) == o)
				print_option(o->name, o->argument, o->help);
		}
	}
	print_option("-h, --help", NULL, "print this text");
	if (s->notes) {
		putchar('\n');
		wrap_print(stdout, 0, 0, s->notes);
	}
}

/* ---- reading --------------------------------------------------------------------------------- */

int options_refuse(const struct command_syntax *s, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	complain_list(s->command, format, list);
	va_end(list);
	print_usage(s, stderr);
	return STATUS_BAD_USE;
}

static int refuse_unknown(const struct command_syntax *s, const char *word)
{
	struct spelling near;

	spelling_start(&near, word);
	for (const struct option_group *g = s->groups; g < s->groups + OPTION_GROUPS; g++) {
		for (const struct cli_option *o = g->options; o && o->name; o++)
			spelling_try(&near, o->name);
	}
	if (near.best)
		complain(s->command, "unknown option '%s'; did you mean '%s'?", word, near.best);
	else
		complain(s->command, "unknown option '%s'; `sooth %s --help` lists the options",
			 word, s->command);
	return STATUS_BAD_USE;
}

/* Reads the option at argv[*i]. Moves *i to the last word that belongs to the option. */
static bool read_option(const struct command_syntax *s, char **argv, int *i, int *status)
{
	const char *word = argv[*i], *value = NULL;
	size_t length = word[1] == '-' ? strcspn(word, "=") : 2;
	struct err err = { 0 };
	void *target;
	const struct cli_option *option = find_option(s, word, length, &target);

	*status = STATUS_BAD_USE;
	if (!option) {
		*status = refuse_unknown(s, word);
		return false;
	}
	if (word[length])
		value = word + length + (word[1] == '-');
	if (value && !option->argument)
		return complain(s->command, "option '%s' takes no value", option->name);
	if (!value && option->argument) {
		if (!argv[*i + 1])
			return complain(s->command, "option '%s' needs a value: %s %s",
					option->name, option->name, option->argument);
		value = argv[++*i];
	}
	if (option->set(option, target, value, &err))
		return true;
	if (!value)
		return complain(s->command, "%s: %s", option->name, err.text);
	return complain(s->command, "%s %s: %s", option->name, value, err.text);
}

bool options_read(const struct command_syntax *s, char **argv, struct command_arguments *out,
		  int *status)
{
	bool program_only = s->program && !s->operands[0], options = true;
	unsigned count = 0;
	int i = 1;

	*out = (struct command_arguments){ 0 };
	for (; argv[i] && !out->program; i++) {
		const char *word = argv[i];

		if (options && (!strcmp(word, "--help") || !strcmp(word, "-h"))) {
			print_help(s);
			*status = STATUS_OK;
			return false;
		}
		if (options && !strcmp(word, "--")) {
			options = false;
			if (s->program)
				out->program = argv + i + 1;
		} else if (options && word[0] == '-' && word[1]) {
			if (!read_option(s, argv, &i, status))
				return false;
		} else if (program_only) {
			out->program = argv + i;
		} else if (count == OPERANDS || !s->operands[count]) {
			*status = options_refuse(s, "unexpected argument '%s'", word);
			return false;
		} else {
			out->operands[count++] = word;
		}
	}
	*status = STATUS_BAD_USE;
	if (program_only ? !out->program || !out->program[0] : out->program && !out->program[0]) {
		options_refuse(s, "no program is given");
		return false;
	}
	if (count < s->required) {
		options_refuse(s, "no %s is given", s->operands[count]);
		return false;
	}
	return true;
}

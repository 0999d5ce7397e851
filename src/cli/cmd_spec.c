/* sooth spec: checks and explains property files. */
#include "cli/cli.h"
#include "cli/options.h"
#include "grammar/grammar.h"
#include "logic/draw.h"
#include "property/property.h"
#include "spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a property file. Returns NULL if the file cannot be read or has errors. */
static struct spec_file *read_file(const char *path, struct spec_messages *messages)
{
	struct err err = { 0 };
	struct spec_file *file = spec_read(path, messages, &err);

	if (!file && err.text[0])
		fprintf(stderr, "sooth: %s\n", err.text);
	return file;
}

static void print_messages(const struct spec_messages *messages, bool notes)
{
	for (size_t i = 0; i < messages->list.count; i++)
		if (notes || messages->list.items[i].severity == SPEC_ERROR)
			fputs(messages->list.items[i].shown, stderr);
}

/* ---- check ----------------------------------------------------------------------------------- */

static bool check_names(const struct spec_file *file, const char *program,
			struct spec_messages *messages)
{
	struct err err = { 0 };
	struct property_names *names = NULL;

	if (program && !(names = property_names_open(program, &err))) {
		fprintf(stderr, "sooth: %s\n", err.text);
		return false;
	}
	struct spec_names known = names ? property_names(names) : (struct spec_names){ 0 };
	spec_check(file, names ? &known : NULL, messages);
	grammar_check(file, messages);
	if (names)
		property_names_close(names);
	return true;
}

static void count_parts(const struct spec_file *file, unsigned *formulas, unsigned *events)
{
	*formulas = *events = 0;
	for (const struct spec_property *p = file->properties; p; p = p->next) {
		for (const struct spec_formula *f = p->formulas; f; f = f->next)
			++*formulas;
		*events += p->event_count;
	}
}

static int check_file(const char *path, const char *program)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = read_file(path, &messages);
	bool good = file && check_names(file, program, &messages) && !messages.errors;
	unsigned formulas, events;

	print_messages(&messages, true);
	if (good) {
		count_parts(file, &formulas, &events);
		printf("%s: good: %u %s, %u %s, %u %s%s\n", path, file->property_count,
		       file->property_count == 1 ? "property" : "properties", events,
		       events == 1 ? "event" : "events", formulas,
		       formulas == 1 ? "formula" : "formulas",
		       program || !events ? "" : "; names were not looked up in a program");
	} else if (messages.errors) {
		fprintf(stderr, "%s: %u %s\n", path, messages.errors,
			messages.errors == 1 ? "error" : "errors");
	}
	spec_free(file);
	spec_messages_free(&messages);
	return good ? STATUS_OK : STATUS_BAD_USE;
}

/* ---- explain --------------------------------------------------------------------------------- */

static unsigned draw_one(FILE *out, const struct spec_file *file,
			 const struct spec_property *property, const struct spec_formula *formula,
			 bool graphviz, unsigned next)
{
	struct spec_messages ignored = { 0 };
	struct grammar *grammar;

	if (formula->formalism != SPEC_GRAMMAR)
		return draw_formula(out, file, property, formula, graphviz, next);
	grammar = grammar_open(file, property, formula, &ignored);
	if (grammar)
		next = grammar_draw(out, grammar, graphviz, next);
	grammar_close(grammar);
	spec_messages_free(&ignored);
	return next;
}

static int explain_file(const char *path, bool graphviz)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = read_file(path, &messages);

	if (file)
		grammar_check(file, &messages);
	int status = messages.errors || !file ? STATUS_BAD_USE : STATUS_OK;
	print_messages(&messages, false);
	if (status == STATUS_OK) {
		char *text = spec_explain(file, graphviz, draw_one);

		fputs(text, stdout);
		free(text);
	}
	spec_free(file);
	spec_messages_free(&messages);
	return status;
}

/* ---- actions --------------------------------------------------------------------------------- */

static int cmd_check_file(char **argv)
{
	struct command_arguments arguments;
	const struct command_syntax syntax = {
		.command = "spec check",
		.usage = "FILE.prop [PROG]",
		.about = "Checks whether the file is well-formed and, with PROG, whether the "
			 "program has the functions, variables and members that the file names. "
			 "Without PROG names are not looked up; what is evidently missing gets a "
			 "note.",
		.notes = "Exit status: 0 the file is good, 2 it has errors, or bad use. "
			 "doc/language.md describes the language.",
		.operands = { "FILE.prop", "PROG" },
		.required = 1,
	};
	int status;

	if (!options_read(&syntax, argv, &arguments, &status))
		return status;
	return check_file(arguments.operands[0], arguments.operands[1]);
}

static int cmd_explain_file(char **argv)
{
	static const struct cli_option options[] = {
		{ "--dot", NULL, "print a graph for Graphviz", .set = option_set_flag },
		{ 0 },
	};
	bool dot = false;
	struct command_arguments arguments;
	const struct command_syntax syntax = {
		.command = "spec explain",
		.usage = "[--dot] FILE.prop",
		.about = "Prints what each property means: its events, the order constraints of "
			 "patterns, how formulas were parsed, and their automata.",
		.groups = { { options, &dot } },
		.notes = "Exit status: 0 the file is good, 2 it has errors, or bad use.",
		.operands = { "FILE.prop" },
		.required = 1,
	};
	int status;

	if (!options_read(&syntax, argv, &arguments, &status))
		return status;
	return explain_file(arguments.operands[0], dot);
}

int cmd_spec(char **argv)
{
	static const struct command actions[] = {
		{ "check", "FILE.prop [PROG]", "check the file, and its names against a program",
		  cmd_check_file },
		{ "explain", "[--dot] FILE.prop", "print what the properties mean",
		  cmd_explain_file },
	};

	return commands_run_action("spec", actions, sizeof actions / sizeof actions[0],
				   "doc/language.md describes the language.", argv);
}

/* sooth spec: property files without a run. */
#include "cli/cli.h"
#include "grammar/grammar.h"
#include "logic/draw.h"
#include "property/property.h"
#include "spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: sooth spec check FILE.prop [PROG]\n"
	"       sooth spec explain [--dot] FILE.prop\n"
	"\n"
	"  check    is the file well-formed, and with PROG: does the program have the functions,\n"
	"           variables and members that it names? Without PROG those are not looked up, "
	"and\n"
	"           what can be seen to be missing is a note\n"
	"  explain  what is behind each property: the events, the order constraints of patterns,\n"
	"           how formulas were read and their automata; --dot: as a graph for Graphviz\n"
	"\n"
	"Exit status: 0 the file is good, 2 it is not, or bad use. doc/language.md is the "
	"language.\n";

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "sooth spec: %s: %s (sooth spec --help)\n", what, why);
	return STATUS_BAD_USE;
}

/* The file, or NULL: why not has been said. Messages are printed as they come. */
static struct spec_file *read_file(const char *path, struct spec_messages *messages)
{
	struct err err = { 0 };
	struct spec_file *file = spec_read(path, messages, &err);

	if (!file && err.text[0])
		fprintf(stderr, "sooth: %s\n", err.text);
	return file;
}

static void show(const struct spec_messages *messages, bool notes)
{
	for (size_t i = 0; i < messages->list.count; i++)
		if (notes || messages->list.items[i].severity == SPEC_ERROR)
			fputs(messages->list.items[i].shown, stderr);
}

/* ---- check ---------------------------------------------------------------------------------- */

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

static void count(const struct spec_file *file, unsigned *formulas, unsigned *functions)
{
	*formulas = *functions = 0;
	for (const struct spec_property *p = file->properties; p; p = p->next) {
		for (const struct spec_formula *f = p->formulas; f; f = f->next)
			++*formulas;
		*functions += p->event_count;
	}
}

static int check(const char *path, const char *program)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = read_file(path, &messages);
	bool good = file && check_names(file, program, &messages) && !messages.errors;
	unsigned formulas, events;

	show(&messages, true);
	if (good) {
		count(file, &formulas, &events);
		printf("%s: good: %u %s, %u %s, %u %s%s\n", path, file->property_count,
		       file->property_count == 1 ? "property" : "properties", events,
		       events == 1 ? "event" : "events", formulas,
		       formulas == 1 ? "formula" : "formulas",
		       program || !events ? "" : "; names of the program were not looked up");
	} else if (messages.errors) {
		fprintf(stderr, "%s: %u %s\n", path, messages.errors,
			messages.errors == 1 ? "error" : "errors");
	}
	spec_free(file);
	spec_messages_free(&messages);
	return good ? STATUS_OK : STATUS_BAD_USE;
}

/* ---- explain -------------------------------------------------------------------------------- */

static unsigned draw(FILE *out, const struct spec_file *file, const struct spec_property *property,
		     const struct spec_formula *formula, bool graphviz, unsigned next)
{
	struct spec_messages told = { 0 };
	struct grammar *grammar;

	if (formula->formalism != SPEC_GRAMMAR)
		return draw_formula(out, file, property, formula, graphviz, next);
	grammar = grammar_open(file, property, formula, &told);
	if (grammar)
		next = grammar_draw(out, grammar, graphviz, next);
	grammar_close(grammar);
	spec_messages_free(&told);
	return next;
}

static int explain(const char *path, bool graphviz)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = read_file(path, &messages);

	if (file)
		grammar_check(file, &messages);
	int status = messages.errors || !file ? STATUS_BAD_USE : STATUS_OK;
	show(&messages, false);
	if (status == STATUS_OK) {
		char *text = spec_explain(file, graphviz, draw);

		fputs(text, stdout);
		free(text);
	}
	spec_free(file);
	spec_messages_free(&messages);
	return status;
}

int cmd_spec(int argc, char **argv)
{
	const char *action = argc > 1 ? argv[1] : NULL, *words[2] = { NULL, NULL };
	bool dot = false, options = true, explains = action && !strcmp(action, "explain");
	int count_words = 0;

	if (!action || !strcmp(action, "--help") || !strcmp(action, "-h")) {
		fputs(usage, action ? stdout : stderr);
		return action ? STATUS_OK : STATUS_BAD_USE;
	}
	if (!explains && strcmp(action, "check") != 0)
		return complain(action, "there are check and explain");
	for (int i = 2; i < argc; i++) {
		if (options && !strcmp(argv[i], "--"))
			options = false;
		else if (options && (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")))
			return fputs(usage, stdout), STATUS_OK;
		else if (options && explains && !strcmp(argv[i], "--dot"))
			dot = true;
		else if (options && argv[i][0] == '-' && argv[i][1])
			return complain(argv[i], "no such option");
		else if (count_words == (explains ? 1 : 2))
			return complain(argv[i], explains ? "one file at a time"
							  : "one file and one program");
		else
			words[count_words++] = argv[i];
	}
	if (!words[0])
		return complain(action, "which file?");
	return explains ? explain(words[0], dot) : check(words[0], words[1]);
}

/*
 * Prints a grammar for `spec explain`: its rules, what its words are and when they must be
 * complete, the engine with the reason for its choice, the sets, and which attributes are captured.
 */
#include "grammar/builder.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define CODE_SHOWN 60u /* limit in bytes for a piece of code */

/* ---- rules ----------------------------------------------------------------------------------- */

/* Prints code on one line; cuts it if it is long. */
static void print_code(FILE *out, const char *text)
{
	size_t shown = 0;
	bool blank = false;

	text += strspn(text, " \t\r\n");
	for (; *text && shown < CODE_SHOWN; text++) {
		if (strchr(" \t\r\n", *text)) {
			blank = true;
			continue;
		}
		if (blank)
			putc(' ', out), shown++;
		blank = false;
		putc(*text, out);
		shown++;
	}
	while (((unsigned char)*text & 0xc0) == 0x80) /* finish a UTF-8 character */
		putc(*text++, out);
	if (text[strspn(text, " \t\r\n")])
		fputs(" ...", out);
}

static void print_item(FILE *out, const struct spec_item *item)
{
	if (item->name) {
		fprintf(out, "%s%s%s", item->label ? item->label : "", item->label ? "=" : "",
			item->name);
		return;
	}
	fputs(item->kind == SPEC_ITEM_ASSERT ? "assert(" : "{ ", out);
	print_code(out, item->lua);
	fputs(item->kind == SPEC_ITEM_ASSERT ? ")" : " }", out);
}

static void print_alternative(FILE *out, const struct spec_alternative *a)
{
	if (!a->items)
		fputs(" (empty)", out);
	for (const struct spec_item *item = a->items; item; item = item->next) {
		putc(' ', out);
		print_item(out, item);
	}
}

static void print_rules(FILE *out, const struct grammar *g)
{
	const struct spec_grammar *spec = g->formula->grammar;
	unsigned number = 0;

	for (uint32_t i = 0; i < spec->production_count; i++) {
		const struct spec_production *p = &spec->productions[i];

		for (const struct spec_alternative *a = p->alternatives; a; a = a->next) {
			if (a == p->alternatives)
				fprintf(out, "     %2u. %s :", ++number, p->name);
			else
				fprintf(out, "     %2u. %*s |", ++number, (int)strlen(p->name), "");
			print_alternative(out, a);
			putc('\n', out);
		}
	}
}

/* ---- words and completeness ------------------------------------------------------------------ */

static void print_words(FILE *out, const struct grammar *g)
{
	const struct spec_property *p = g->property;

	fputs("     words: ", out);
	if (p->view == SPEC_VIEW_THREAD)
		fputs("each thread's events\n", out);
	else if (p->view == SPEC_VIEW_OBJECT)
		fprintf(out, "for each %s, the events that bind it\n", p->view_name);
	else
		fputs("all events, in the order of the run\n", out);
}

static void print_mode(FILE *out, const struct grammar *g)
{
	const char *between = "";

	fputs("     complete: ", out);
	if (g->mode == GRAMMAR_EVERY_EVENT) {
		fputs("after each event\n", out);
		return;
	}
	for (uint32_t i = 0; i < g->terminal_count; i++)
		if (g->events[i].resets) {
			fprintf(out, "%s%s'%s'", between, between[0] ? "" : "at the resets ",
				g->names[i]);
			between = ", ";
		}
	if (g->until_end)
		fprintf(out, "%swhere the %s", between[0] ? ", and " : "",
			g->property->view == SPEC_VIEW_THREAD	? "thread ends"
			: g->property->view == SPEC_VIEW_OBJECT ? "object's lifetime ends"
								: "program ends");
	putc('\n', out);
}

/* ---- sets and engine ------------------------------------------------------------------------- */

static void print_set(FILE *out, const struct grammar *g, const uint64_t *set)
{
	const char *between = "";

	for (uint32_t i = 0; i <= g->terminal_count; i++) {
		if (!grammar_set_has(set, i))
			continue;
		fprintf(out, "%s%s", between, i < g->terminal_count ? g->names[i] : "the end");
		between = ", ";
	}
	if (!between[0])
		fputs("nothing", out);
}

static void print_sets(FILE *out, const struct grammar *g)
{
	for (uint32_t i = g->terminal_count; i < g->symbol_count; i++) {
		fprintf(out, "     %s%s starts with ", g->names[i],
			g->nullable[i] ? " may be empty," : "");
		print_set(out, g, g->starts[i]);
		fputs("; followed by ", out);
		print_set(out, g, g->follows[i - g->terminal_count]);
		putc('\n', out);
	}
}

static void print_engine(FILE *out, const struct grammar *g)
{
	char *trees[2], *word;

	if (g->is_ll1) {
		fputs("     engine: LL(1)\n", out);
		return;
	}
	fprintf(out, "     engine: Earley, because %s\n", g->conflict);
	if (!(word = grammar_find_ambiguity(g, trees)))
		return;
	fprintf(out,
		"     ambiguous: '%s' is %s and %s; this is allowed without "
		"actions and assertions\n",
		word, trees[0], trees[1]);
	free(word);
	free(trees[0]);
	free(trees[1]);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void print_captured(FILE *out, const struct grammar *g)
{
	const char *between = "     captured: ";

	for (uint32_t i = 0; i < g->terminal_count; i++)
		for (uint32_t k = 0; k < g->events[i].attribute_count; k++)
			if (g->events[i].used[k]) {
				fprintf(out, "%s%s.%s", between, g->names[i],
					g->events[i].attributes[k]);
				between = ", ";
			}
	fputs(between[0] == ' ' ? "     captured: nothing\n" : "\n", out);
}

/* ---- Graphviz -------------------------------------------------------------------------------- */

static void print_label(FILE *out, const struct spec_alternative *a)
{
	char *text = NULL;
	size_t size;
	FILE *label = mem_stream(&text, &size);

	print_alternative(label, a);
	mem_stream_close(label);
	spec_print_quoted(out, text + 1); /* without the leading blank */
	free(text);
}

/*
 * Prints nodes for productions and alternatives, and edges from each alternative to the productions
 * that it contains.
 */
static unsigned print_graph(FILE *out, const struct grammar *g, unsigned next)
{
	const struct spec_grammar *spec = g->formula->grammar;
	unsigned first = next + 1, rule = next + spec->production_count;

	for (uint32_t i = 0; i < spec->production_count; i++) {
		fprintf(out, "    n%u [label=\"", first + i);
		spec_print_quoted(out, spec->productions[i].name);
		fprintf(out, "\", shape=ellipse];\n");
	}
	for (uint32_t i = 0; i < spec->production_count; i++)
		for (const struct spec_alternative *a = spec->productions[i].alternatives; a;
		     a = a->next) {
			fprintf(out, "    n%u [label=\"", ++rule);
			print_label(out, a);
			fprintf(out, "\", shape=box];\n    n%u -> n%u;\n", first + i, rule);
			for (const struct spec_item *item = a->items; item; item = item->next)
				if (item->kind == SPEC_ITEM_PRODUCTION)
					fprintf(out, "    n%u -> n%u;\n", rule,
						first + item->number);
		}
	return rule;
}

unsigned grammar_draw(FILE *out, const struct grammar *g, bool graphviz, unsigned next)
{
	if (graphviz)
		return print_graph(out, g, next);
	print_rules(out, g);
	print_words(out, g);
	print_mode(out, g);
	print_engine(out, g);
	print_sets(out, g);
	print_captured(out, g);
	return next;
}

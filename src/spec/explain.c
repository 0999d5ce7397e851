/*
 * Explains each property of a file as text: its events, what they bind, and how its formulas were
 * parsed. See explain.h.
 */
#include "spec/explain.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const char *explain_formalism(const struct spec_formula *f)
{
	static const char *const names[] = { "always", "ltl:",	  "pattern:",
					     "ere:",   "grammar", "monitor" };

	return f->formalism == SPEC_TEMPORAL && f->never ? "never" : names[f->formalism];
}

static void print_one_line(FILE *out, const char *text)
{
	bool blank = false;

	for (; *text; text++) {
		if (strchr(" \t\r\n", *text)) {
			blank = true;
			continue;
		}
		if (blank)
			putc(' ', out);
		blank = false;
		putc(*text, out);
	}
}

/* ---- events ---------------------------------------------------------------------------------- */

static void print_bound(FILE *out, const struct spec_property *property, const struct spec_point *p)
{
	const char *before = "binds ";

	for (uint32_t i = 0; i < property->parameter_count; i++)
		if (spec_point_binds(p, i)) {
			fprintf(out, "%s%s", before, property->parameters[i].name);
			before = ", ";
		}
	before = before[0] == 'b' ? "for every known " : "; for every known ";
	for (uint32_t i = 0; i < property->parameter_count; i++)
		if (!spec_point_binds(p, i) && spec_names_parameter(p->filter, i)) {
			fprintf(out, "%s%s", before, property->parameters[i].name);
			before = ", ";
		}
}

static void print_point(FILE *out, const struct spec_property *property, const struct spec_point *p)
{
	char *bound = NULL;
	size_t size = 0;
	FILE *memory = mem_stream(&bound, &size);

	print_bound(memory, property, p);
	mem_stream_close(memory);
	fprintf(out, "      %s", p->text);
	if (p->filter) {
		fprintf(out, " if (");
		explain_whole(out, p->filter);
		putc(')', out);
	}
	fprintf(out, bound[0] ? "    [%s]\n" : "\n", bound);
	free(bound);
}

static void print_event(FILE *out, const struct spec_property *property, const struct spec_event *e)
{
	fprintf(out, "   event %s\n", e->name);
	for (const struct spec_point *p = e->points; p; p = p->next)
		print_point(out, property, p);
	for (const struct spec_lifetime *life = e->lives; life; life = life->next)
		fprintf(out,
			life->ends ? "      the lifetime of %s ends after it\n"
				   : "      it starts a lifetime of %s\n",
			life->name);
	if (e->reset)
		fprintf(out, "      a session ends with it%s", e->reset_if ? " if " : "");
	if (e->reset_if)
		print_one_line(out, e->reset_if);
	if (e->reset)
		putc('\n', out);
}

/* ---- formulas -------------------------------------------------------------------------------- */

static void print_grammar(FILE *out, const struct spec_grammar *g)
{
	for (uint32_t i = 0; i < g->production_count; i++) {
		const struct spec_production *p = &g->productions[i];

		for (const struct spec_alternative *a = p->alternatives; a; a = a->next) {
			fprintf(out, "     %s %s", a == p->alternatives ? p->name : "",
				a == p->alternatives ? ":" : "|");
			for (const struct spec_item *item = a->items; item; item = item->next)
				if (item->name)
					fprintf(out, " %s%s%s", item->label ? item->label : "",
						item->label ? "=" : "", item->name);
				else
					fprintf(out, item->kind == SPEC_ITEM_ASSERT ? " assert(...)"
										    : " {...}");
			putc('\n', out);
		}
	}
}

static void print_formula(FILE *out, const struct spec_file *file,
			  const struct spec_property *property, const struct spec_formula *f,
			  unsigned number, spec_drawing *draw)
{
	fprintf(out, "  %u.", number);
	if (f->formalism != SPEC_TEMPORAL)
		fprintf(out, " %s", explain_formalism(f));
	if (f->formalism != SPEC_GRAMMAR) {
		putc(' ', out);
		print_one_line(out, f->text);
	}
	putc('\n', out);
	switch (f->formalism) {
	case SPEC_PATTERN: explain_pattern(out, property, f); return;
	case SPEC_TEMPORAL:
	case SPEC_LTL:
		fprintf(out, "     read as: %s%s",
			f->formalism == SPEC_TEMPORAL ? explain_formalism(f) : "",
			f->formalism == SPEC_TEMPORAL ? " " : "");
		(f->formalism == SPEC_LTL ? explain_whole : explain_expr)(out, f->expr);
		putc('\n', out);
		break;
	case SPEC_ERE:
		fprintf(out, "     read as: ");
		explain_ere(out, f->ere);
		putc('\n', out);
		break;
	case SPEC_GRAMMAR:
		if (!draw)
			print_grammar(out, f->grammar);
		break;
	default: fputs("     the monitor file defines its states and steps\n", out); return;
	}
	if (draw)
		draw(out, file, property, f, false, 0);
}

static void print_property(FILE *out, const struct spec_file *file, const struct spec_property *p,
			   spec_drawing *draw)
{
	unsigned number = 0;

	fprintf(out, "property %s", p->name);
	for (uint32_t i = 0; i < p->parameter_count; i++) {
		const char *type = p->parameters[i].type_text;

		fprintf(out, "%s%s%s%s", i ? ", " : "(", type,
			type[strlen(type) - 1] == '*' ? "" : " ", p->parameters[i].name);
	}
	fprintf(out, p->parameter_count ? ")\n" : "\n");
	for (uint32_t i = 0; i < p->event_count; i++)
		print_event(out, p, &p->events[i]);
	for (const struct spec_formula *f = p->formulas; f; f = f->next)
		print_formula(out, file, p, f, ++number, draw);
}

char *spec_explain(const struct spec_file *file, bool graphviz, spec_drawing *draw)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);

	if (graphviz)
		explain_graph(out, file, draw);
	for (const struct spec_property *p = file->properties; p && !graphviz; p = p->next) {
		print_property(out, file, p, draw);
		if (p->next)
			putc('\n', out);
	}
	mem_stream_close(out);
	return text;
}

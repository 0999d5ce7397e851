/* Computes the selection: which points a run must record for the given property files. */
#include "base/intern.h"
#include "base/mem.h"
#include "event/point.h"
#include "property/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool names_local(const struct spec_expr *e, uint32_t local)
{
	for (; e; e = e->next) {
		if ((e->operator== SPEC_NAME && e->local == local) || names_local(e->left, local) ||
		    names_local(e->right, local) || names_local(e->third, local))
			return true;
	}
	return false;
}

static bool has_text(const struct spec_expr *e)
{
	for (; e; e = e->next) {
		if (e->operator== SPEC_TEXT || has_text(e->left) || has_text(e->right) ||
		    has_text(e->third))
			return true;
	}
	return false;
}

bool selection_captures(const struct spec_property *property)
{
	for (const struct spec_formula *f = property->formulas; f; f = f->next) {
		if (f->formalism == SPEC_GRAMMAR)
			return true;
	}
	return false;
}

/*
 * Must the content of this argument be recorded if it is a string? A grammar may read every local
 * that has a name, so the user writes `_` for an argument that the grammar does not need.
 */
static bool text_matters(const struct spec_property *property, const struct spec_point *p,
			 const struct spec_argument *slot)
{
	if (slot->slot == SPEC_EQUALS)
		return has_text(slot->value);
	if (slot->slot != SPEC_BINDS)
		return false;
	if (slot->parameter != SPEC_NONE)
		return property->parameters[slot->parameter].type == SPEC_STRING;
	return selection_captures(property) || names_local(p->filter, slot->local);
}

/*
 * Prints the fourth field of a line of the selection: N for each argument whose pointed-to value is
 * needed, and sN for each argument whose string content is needed. N counts from 1; s0 is the
 * result.
 */
static void print_contents(FILE *out, const struct spec_property *property,
			   const struct spec_point *p)
{
	char mark = '\t';

	for (uint32_t i = 0; i < p->argument_count; i++) {
		const struct spec_argument *slot = &p->arguments[i];

		if (slot->slot == SPEC_BINDS_POINTED)
			fprintf(out, "%c%u", mark, i + 1);
		else if (text_matters(property, p, slot))
			fprintf(out, "%cs%u", mark, i + 1);
		else
			continue;
		mark = ',';
	}
	if (p->result && text_matters(property, p, p->result))
		fprintf(out, "%cs0", mark);
}

char *selection_line(const struct spec_property *property, const struct spec_point *p)
{
	static const char *const words[] = { "call", "exec", "return", "probe" };
	char *line = NULL;
	size_t size;
	FILE *out = mem_stream(&line, &size);

	fprintf(out, "%s\t%s\t%s", words[p->kind], p->library ? p->library : "-", p->function);
	print_contents(out, property, p);
	mem_stream_close(out);
	return line;
}

static void add_lines(FILE *out, struct intern *seen, const struct spec_property *property)
{
	for (uint32_t e = 0; e < property->event_count; e++) {
		for (const struct spec_point *p = property->events[e].points; p; p = p->next) {
			char *line = reader_is_function(p) ? selection_line(property, p) : NULL;
			bool fresh = false;

			if (line)
				intern_put(seen, line, strlen(line), &fresh);
			if (fresh)
				fprintf(out, "%s\n", line);
			free(line);
		}
	}
}

char *property_selection(struct spec_file *const *files, size_t count)
{
	struct intern seen = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = mem_stream(&text, &size);

	for (size_t f = 0; f < count; f++) {
		for (const struct spec_property *p = files[f]->properties; p; p = p->next)
			add_lines(out, &seen, p);
	}
	mem_stream_close(out);
	intern_free(&seen);
	return text;
}

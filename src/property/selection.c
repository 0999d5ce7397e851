/* From property files to the points that a run must record. */
#include "base/intern.h"
#include "event/point.h"
#include "property/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arguments whose target is asked for (*name), from 1: the fourth word of a line. */
static void print_pointed(FILE *out, const struct spec_point *p)
{
	char mark = '\t';

	for (uint32_t i = 0; i < p->argument_count; i++) {
		if (p->arguments[i].slot != SPEC_BINDS_POINTED)
			continue;
		fprintf(out, "%c%u", mark, i + 1);
		mark = ',';
	}
}

char *selection_line(const struct spec_point *p)
{
	static const char *const words[] = { "call", "exec", "return", "probe" };
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	fprintf(out, "%s\t%s\t%s", words[p->kind], p->library ? p->library : "-", p->function);
	print_pointed(out, p);
	fclose(out);
	return line;
}

char *property_selection(struct spec_file *const *files, size_t count)
{
	struct intern seen = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t f = 0; f < count; f++) {
		for (const struct spec_property *s = files[f]->properties; s; s = s->next) {
			for (uint32_t e = 0; e < s->event_count; e++) {
				for (const struct spec_point *p = s->events[e].points; p;
				     p = p->next) {
					char *line =
						reader_is_function(p) ? selection_line(p) : NULL;
					bool fresh = false;

					if (line)
						intern_put(&seen, line, strlen(line), &fresh);
					if (fresh)
						fprintf(out, "%s\n", line);
					free(line);
				}
			}
		}
	}
	fclose(out);
	intern_free(&seen);
	return text;
}

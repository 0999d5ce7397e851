/*
 * Computes the name of a step once for each site and kind of event. A cursor counts the occurrences
 * of each name while it reads the steps of a thread.
 */
#include "explore/control/step_name.h"

#include "base/mem.h"
#include "trace/sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void step_names_open(struct step_names *names, const struct trace *trace)
{
	*names = (struct step_names){ .trace = trace };
}

void step_names_close(struct step_names *names)
{
	intern_free(&names->texts);
	map_free(&names->sites);
}

/* Prints a word; blanks, control characters and '%' become %XX. An empty word becomes "-". */
static void print_word(FILE *out, const char *text, size_t length)
{
	if (!length)
		fputc('-', out);
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c <= ' ' || c == '%' || c == 127)
			fprintf(out, "%%%02x", c);
		else
			fputc(c, out);
	}
}

/*
 * Prints FILE:LINE:FUNCTION. Leaves out the directory of the file, because it depends on where the
 * program was built.
 */
static void print_source_line(FILE *out, const struct trace_source_line *place)
{
	const char *file = place->file.text;
	const char *slash = memrchr(file, '/', (size_t)place->file.length);
	size_t skipped = slash ? (size_t)(slash + 1 - file) : 0;

	print_word(out, file + skipped, (size_t)place->file.length - skipped);
	fprintf(out, ":%" PRIu32 ":", place->line);
	print_word(out, place->function.text, (size_t)place->function.length);
}

static uint32_t make_name(struct step_names *names, const struct trace_event *ev)
{
	const char *object = trace_site_name(names->trace, ev->site);
	struct trace_source_line place;
	uint32_t number;
	size_t size;
	char *text;
	FILE *out = mem_stream(&text, &size);

	fprintf(out, "%s ", event_text(ev->kind));
	print_word(out, object ? object : "", object ? strlen(object) : 0);
	fputc(' ', out);
	if (trace_site_lines(names->trace, ev->site, &place, 1))
		print_source_line(out, &place);
	else
		fputc('-', out);
	mem_stream_close(out);
	number = intern_put(&names->texts, text, size, NULL);
	free(text);
	return number;
}

static uint32_t name_of_step(struct step_names *names, const struct trace_event *ev)
{
	uint64_t site = ev->site ? (uintptr_t)ev->site : 0;
	uint64_t *known = map_put(&names->sites, site << 8 | ev->kind, NULL);

	if (!*known) {
		uint32_t name = make_name(names, ev);

		*known = name + 1;
	}
	return (uint32_t)*known - 1;
}

const char *step_names_text(const struct step_names *names, uint32_t name)
{
	return intern_text(&names->texts, name);
}

/* ---- steps of a thread ----------------------------------------------------------------------- */

void step_cursor_open(struct step_cursor *walk, struct step_names *names, uint32_t thread)
{
	uint32_t stream = trace_find_stream(names->trace, thread);

	*walk = (struct step_cursor){ .names = names, .step = UINT64_MAX };
	if (stream != TRACE_NONE)
		walk->cursor = trace_cursor_open(names->trace, stream);
}

/* A copy has two events with the same step number; the second is skipped. */
bool step_cursor_next(struct step_cursor *walk)
{
	struct trace_event *ev = &walk->event;
	struct err err;

	while (walk->cursor && trace_next(walk->cursor, ev, &err)) {
		if (ev->index == TRACE_NO_INDEX || !event_is_step(ev->kind) ||
		    ev->step == TRACE_NO_STEP || ev->step == walk->step)
			continue;
		walk->step = ev->step;
		walk->name = name_of_step(walk->names, ev);
		walk->occurrence = ++*map_put(&walk->counts, walk->name, NULL);
		return true;
	}
	return false;
}

void step_cursor_close(struct step_cursor *walk)
{
	trace_cursor_close(walk->cursor);
	map_free(&walk->counts);
}

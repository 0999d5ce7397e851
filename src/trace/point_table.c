/* Reads the file `points_on`: the points that were on in a recorded run (event/point.h). */
#include "base/mem.h"
#include "trace/point.h"
#include "trace/store.h"

#include <string.h>

#define WORDS 13

/* ---- reading the file ------------------------------------------------------------------------ */

/* Splits a line at tabs and undoes escapes. Returns false if there are not exactly WORDS words. */
static bool split_line(char *line, char *words[WORDS])
{
	for (unsigned i = 0; i < WORDS; i++) {
		char *tab = strchr(line, '\t');

		if ((tab != NULL) != (i + 1 < WORDS))
			return false;
		if (tab)
			*tab = 0;
		words[i] = line;
		line = tab + 1;
	}
	/* The last two words stay escaped: together they are one text, "function TAB file". */
	for (unsigned i = 0; i + 2 < WORDS; i++)
		words[i][names_unescape(words[i], strlen(words[i]))] = 0;
	return true;
}

static bool read_number(const char *word, int base, uint64_t most, uint64_t *out)
{
	char *end;

	if (!*word || strlen(word) > 16)
		return false;
	*out = strtoull(word, &end, base);
	return !*end && *out <= most;
}

static bool is_type_letter(char c)
{
	return (c && strchr("bhilBHILpsfdov", c)) || (c > '0' && c <= '@');
}

/* Checks a text like "ip*oi": types of the arguments, '*', types of the values they point at. */
static bool are_valid_types(const char *types)
{
	size_t count = 0;

	for (; *types && *types != '*'; types++, count++)
		if (!is_type_letter(*types))
			return false;
	if (count > POINT_ARGUMENTS)
		return false;
	if (!*types)
		return true;
	for (types++; *types; types++)
		if (!is_type_letter(*types) || !count--)
			return false;
	return true;
}

static bool read_line(struct trace *trace, char *line)
{
	char *words[WORDS];
	uint64_t n, kind, flags, pc, pointed, at, column;
	struct store_point *point;

	if (!split_line(line, words) || !read_number(words[0], 10, UINT32_MAX, &n) ||
	    n != trace->points.count + 1 || !read_number(words[1], 10, POINT_PROBE, &kind) ||
	    !read_number(words[2], 10, 255, &flags) ||
	    !read_number(words[3], 16, UINT64_MAX, &pc) || !are_valid_types(words[4]) ||
	    !read_number(words[5], 16, 0xffff, &pointed) ||
	    !read_number(words[7], 10, UINT32_MAX, &at) ||
	    !read_number(words[8], 10, UINT16_MAX, &column))
		return false;
	words[12][-1] = '\t';
	point = vec_push(&trace->points);
	*point = (struct store_point){
		.site = { .kind = EV_SITE, .line = (uint32_t)at, .column = (uint16_t)column },
		.pc = pc,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)flags,
		.pointed = (uint16_t)pointed,
		.types = words[4],
		.library = strcmp(words[6], "-") ? words[6] : NULL,
		.name = words[9],
		.plain = *words[10] ? words[10] : NULL,
		.place = words[11],
	};
	return true;
}

void store_load_points(struct trace *trace, const struct file_view *view)
{
	char *line;

	trace->points_text = mem_copy_text((const char *)view->data, view->size);
	line = trace->points_text;
	for (size_t i = 1; *line; i++) {
		char *end = strchr(line, '\n');

		if (end)
			*end = 0;
		if (!read_line(trace, line)) {
			store_problem(trace, "points_on:%zu: not a line of this file", i);
			return;
		}
		line = end ? end + 1 : line + strlen(line);
	}
}

void store_free_points(struct trace *trace)
{
	vec_free(&trace->points);
	free(trace->points_text);
}

/* ---- looking up points ----------------------------------------------------------------------- */

const struct store_point *store_point(const struct trace *trace, uint64_t n)
{
	return n - 1 < trace->points.count ? &trace->points.items[n - 1] : NULL;
}

const struct store_point *store_point_of_site(const struct trace *trace,
					      const struct wire_element *site)
{
	uintptr_t at = (uintptr_t)site - (uintptr_t)trace->points.items;

	return trace->points.count && at < trace->points.count * sizeof(struct store_point)
		       ? &trace->points.items[at / sizeof(struct store_point)]
		       : NULL;
}

const struct store_point *store_point_at(const struct trace *trace, uint64_t pc)
{
	for (size_t i = 0; i < trace->points.count; i++)
		if (trace->points.items[i].pc == pc)
			return &trace->points.items[i];
	return NULL;
}

size_t trace_point_row_count(const struct trace *trace)
{
	return trace->points.count;
}

struct trace_point_row trace_point_row(const struct trace *trace, size_t i)
{
	const struct store_point *p = &trace->points.items[i];

	return (struct trace_point_row){
		.number = i + 1,
		.kind = p->kind,
		.is_body = !(p->flags & POINT_ROW_AFTER_CALL),
		.function = p->name,
		.plain = p->plain ? p->plain : p->name,
		.library = p->library,
		.count = (uint32_t)strcspn(p->types, "*"),
	};
}

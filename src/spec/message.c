/*
 * Formats messages: the location, the text, the source line, and below it a caret under the word
 * that the message is about.
 */
#include "spec/message.h"
#include "base/sort.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* messages per severity; if the file is no property file, nearly every word is an error */
#define MOST 100u
#define LINE_SHOWN 160u /* bytes of a source line that are shown */

/*
 * Returns a line of the file, and sets `length` to its length without the line end. Returns NULL if
 * there is no such line.
 */
static const char *find_line(const char *text, uint32_t line, size_t *length)
{
	while (text && --line) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	*length = text ? strcspn(text, "\r\n") : 0;
	return text;
}

static bool is_inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/*
 * Prints the line and a caret below it. If the line is long, prints only the part around the caret.
 * Tabs are kept in both lines, control characters are shown as dots, and a UTF-8 character counts
 * as one column.
 */
static void show_line(FILE *out, const char *line, size_t length, struct spec_location place)
{
	size_t at = place.column - 1 < length ? place.column - 1 : length, from = 0, to = length;

	if (length > LINE_SHOWN) {
		from = at > LINE_SHOWN / 2 ? at - LINE_SHOWN / 2 : 0;
		while (from && is_inside_character(line[from]))
			from--;
		to = from + LINE_SHOWN < length ? from + LINE_SHOWN : length;
		while (to < length && is_inside_character(line[to]))
			to++;
	}
	fprintf(out, "    %s", from ? "..." : "");
	for (size_t i = from; i < to; i++)
		putc((unsigned char)line[i] < ' ' && line[i] != '\t' ? '.' : line[i], out);
	fprintf(out, "%s\n    %s", to < length ? "..." : "", from ? "   " : "");
	for (size_t i = from; i < at; i++)
		if (!is_inside_character(line[i]))
			putc(line[i] == '\t' ? '\t' : ' ', out);
	putc('^', out);
	for (size_t i = at + 1; i < at + place.length && i < to; i++)
		if (!is_inside_character(line[i]))
			putc('~', out);
	putc('\n', out);
}

static char *format_message(const struct spec_file *file, enum spec_severity severity,
			    struct spec_location place, const char *text)
{
	static const char *const names[] = { "error", "note" };
	char *shown = NULL;
	size_t size, length;
	FILE *out = mem_stream(&shown, &size);
	const char *line = place.line ? find_line(file->text, place.line, &length) : NULL;

	if (place.line)
		fprintf(out, "%s:%u:%u: %s: %s\n", file->path, place.line, place.column,
			names[severity], text);
	else
		fprintf(out, "%s: %s: %s\n", file->path, names[severity], text);
	if (line)
		show_line(out, line, length, place);
	mem_stream_close(out);
	return shown;
}

static size_t count_messages(const struct spec_messages *messages, enum spec_severity severity)
{
	size_t count = 0;

	for (size_t i = 0; i < messages->list.count; i++)
		count += messages->list.items[i].severity == severity;
	return count;
}

bool message_is_full(const struct spec_messages *messages, enum spec_severity severity)
{
	return count_messages(messages, severity) > MOST;
}

void spec_report(const struct spec_file *file, struct spec_messages *messages,
		 enum spec_severity severity, struct spec_location place, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	size_t same = count_messages(messages, severity);

	messages->errors += severity == SPEC_ERROR;
	if (same > MOST)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (same == MOST) {
		place = (struct spec_location){ 0 };
		snprintf(text, sizeof text, "there are more %s; only the first %u are shown",
			 severity == SPEC_ERROR ? "errors" : "notes", MOST);
	}
	for (char *c = text; *c; c++) /* a quoted word may contain a line end */
		if ((unsigned char)*c < ' ')
			*c = ' ';
	struct spec_message message = { .severity = (uint8_t)severity,
					.place = place,
					.text = mem_copy_text(text, strlen(text)),
					.shown = format_message(file, severity, place, text) };
	*vec_push(&messages->list) = message;
}

/* Messages without a location (line 0) come last. */
SORT_COMPARISON(compare_locations, struct spec_message, a, b,
		sort_order(a->place.line - 1u, b->place.line - 1u)
			?: sort_order(a->place.column, b->place.column))

void message_sort(struct spec_messages *messages, size_t from)
{
	/* glibc's qsort is stable as long as it can allocate a copy of the array */
	sort_items(messages->list.items + from, messages->list.count - from,
		   sizeof *messages->list.items, compare_locations);
}

void spec_messages_free(struct spec_messages *messages)
{
	for (size_t i = 0; i < messages->list.count; i++) {
		free(messages->list.items[i].text);
		free(messages->list.items[i].shown);
	}
	vec_free(&messages->list);
	messages->errors = 0;
}

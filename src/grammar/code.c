/*
 * Reads pieces of Lua and conditions, compiles them to find their errors, and maps Lua's error
 * messages to locations in the property file.
 */
#include "grammar/builder.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct spec_location code_place(const struct grammar_code *code, size_t at, size_t length)
{
	struct spec_location place = { code->place.line, code->place.column, (uint32_t)length };

	for (size_t i = 0; i < at && code->text[i]; i++) {
		place.column++;
		if (code->text[i] == '\n') {
			place.line++;
			place.column = 1;
		}
	}
	return place;
}

void code_read(struct builder *builder, struct grammar_code *code, const char *text,
	       struct spec_location place, bool condition)
{
	struct arena *arena = &builder->grammar->arena;
	struct err err = { 0 };
	size_t at = 0;

	code->text = code->lua = text;
	code->place = place;
	code->condition = condition;
	if (!condition)
		return;
	char *lua = script_translate_condition(text, &at, &err);
	if (lua)
		code->lua = arena_text(arena, lua, strlen(lua));
	else
		builder_complain(builder, SPEC_ERROR, code_place(code, at, 1), "%s", err.text);
	if (!lua)
		code->lua = "true"; /* this compiles and has no names to resolve */
	free(lua);
}

/* ---- compiling ------------------------------------------------------------------------------- */

/*
 * Skips "FILE:LINE: " at the start of a message and returns the line. Returns 0 if it is not there.
 */
static uint32_t skip_file_and_line(const char *path, const char **message)
{
	size_t length = strlen(path);
	unsigned long line;
	char *end;

	if (strncmp(*message, path, length) != 0 || (*message)[length] != ':')
		return 0;
	line = strtoul(*message + length + 1, &end, 10);
	if (end == *message + length + 1 || strncmp(end, ": ", 2) != 0)
		return 0;
	*message = end + 2;
	return (uint32_t)line;
}

/*
 * Returns the index of the first byte of the text that is not blank, starting at this line of the
 * file.
 */
static size_t find_line_start(const struct grammar_code *code, uint32_t line)
{
	const char *text = code->text;

	for (uint32_t at = code->place.line; at < line && strchr(text, '\n'); at++)
		text = strchr(text, '\n') + 1;
	while (*text && isspace((unsigned char)*text))
		text++;
	if (!*text) /* the rest is blank: use the end of the text */
		while (text > code->text && isspace((unsigned char)text[-1]))
			text--;
	return (size_t)(text - code->text);
}

/*
 * Lua's messages give a line and the word where the error was found, "… near 'x'". If the line
 * contains the word exactly once, the location is that of the word; otherwise it is the whole line.
 */
static struct spec_location locate_lua_error(const struct grammar_code *code, uint32_t line,
					     const char *message)
{
	size_t at = find_line_start(code, line);
	size_t rest = strcspn(code->text + at, "\n");
	const char *near = strstr(message, " near '");
	size_t length = near ? strcspn(near + 7, "'") : 0;

	if (length && length <= rest) {
		const char *from = code->text + at, *end = from + rest - length;
		const char *found = NULL;
		unsigned times = 0;

		for (const char *c = from; c <= end; c++)
			if (!strncmp(c, near + 7, length))
				found = c, times++;
		if (times == 1)
			return code_place(code, (size_t)(found - code->text), length);
	}
	while (rest && isspace((unsigned char)code->text[at + rest - 1]))
		rest--;
	return code_place(code, at, rest ? rest : 1);
}

static void check_code(struct builder *builder, struct script *script,
		       const struct grammar_code *code)
{
	const char *path = builder->grammar->file->path;
	struct script_location place = { path, code->place.line, code->place.column };
	struct err err = { 0 };
	int reference;

	if (script_compile(script, code->lua, &place, code->names, code->slot_count + code->session,
			   code->condition, &reference, &err))
		return;
	const char *message = err.text;
	uint32_t line = skip_file_and_line(path, &message);
	builder_complain(builder, SPEC_ERROR, locate_lua_error(code, line, message), "%s", message);
}

void code_compile(struct builder *builder)
{
	struct grammar *g = builder->grammar;
	struct script *script = script_open(NULL);

	for (size_t i = 0; i < g->codes.count; i++)
		check_code(builder, script, &g->codes.items[i]);
	for (uint32_t i = 0; i < g->terminal_count; i++)
		if (g->events[i].reset_if)
			check_code(builder, script, g->events[i].reset_if);
	if (g->attributes)
		check_code(builder, script, g->attributes);
	if (g->on_violation)
		check_code(builder, script, g->on_violation);
	script_close(script);
}

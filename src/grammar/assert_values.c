/*
 * Shows the values of the names in a failed assertion. Every name in its text, with the fields
 * after it (`gf1.callee`, `g.acyclic`), is a Lua expression. It is compiled at the first failure
 * and evaluated with the assertion's own arguments, so that it has the same meaning as in the
 * assertion.
 */
#include "grammar/engine.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct engine_shown {
	bool ready;
	VEC(char *) paths;
	VEC(int) references; /* by path: registry reference of its compiled code */
};

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_character(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * The skip functions return the position after the string, number or dotted name that starts at
 * `at`.
 */
static const char *skip_quoted(const char *at)
{
	char quote = *at++;

	while (*at && *at != quote)
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

static const char *skip_number(const char *at)
{
	while (is_name_character(*at) || *at == '.')
		at++;
	return at;
}

static const char *skip_path(const char *at)
{
	for (;;) {
		while (is_name_character(*at))
			at++;
		if (at[0] != '.' || !is_name_start(at[1]))
			return at;
		at++;
	}
}

static bool is_keyword(const char *text, size_t length)
{
	static const char *const words[] = { "and",   "break",	"do",	  "else",     "elseif",
					     "end",   "false",	"for",	  "if",	      "in",
					     "local", "nil",	"not",	  "or",	      "goto",
					     "then",  "repeat", "return", "function", "true",
					     "until", "while" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strlen(words[i]) == length && !memcmp(words[i], text, length))
			return true;
	}
	return false;
}

static void compile_path(struct grammar_parser *parser, const struct grammar_code *code,
			 struct engine_shown *shown, const char *text, size_t length)
{
	struct script_location place = { parser->grammar->file->path, code->place.line,
					 code->place.column };
	struct err err;
	char *path;
	int reference;

	if (is_keyword(text, length))
		return;
	for (size_t i = 0; i < shown->paths.count; i++) {
		if (strlen(shown->paths.items[i]) == length &&
		    !memcmp(shown->paths.items[i], text, length))
			return;
	}
	path = mem_copy_text(text, length);
	if (script_compile(parser->script, path, &place, code->names,
			   code->slot_count + code->session, true, &reference, &err)) {
		*vec_push(&shown->paths) = path;
		*vec_push(&shown->references) = reference;
	} else {
		free(path);
	}
}

/* Compiles all paths in the assertion, except method names (g:cycle), which are not values. */
static void compile_paths(struct grammar_parser *parser, const struct grammar_code *code,
			  struct engine_shown *shown)
{
	const char *at = code->text, *end;

	while (*at) {
		if (is_name_start(*at)) {
			end = skip_path(at);
			if (at == code->text || at[-1] != ':')
				compile_path(parser, code, shown, at, (size_t)(end - at));
			at = end;
		} else if (*at == '"' || *at == '\'') {
			at = skip_quoted(at);
		} else if (isdigit((unsigned char)*at)) {
			at = skip_number(at);
		} else {
			at++;
		}
	}
	shown->ready = true;
}

/*
 * Prints the value of a path. Omits functions: the names of library functions do not help the user.
 */
static void show_value(struct grammar_parser *parser, const char *path, FILE *out, bool *any)
{
	lua_State *lua = script_lua(parser->script);
	char *value;

	if (lua_type(lua, -1) == LUA_TFUNCTION)
		return;
	value = script_show(parser->script, -1);
	fprintf(out, "%s%s = %s", *any ? ", " : "", path, value);
	*any = true;
	free(value);
}

char *engine_show_values(struct grammar_parser *parser, uint32_t code, int base)
{
	const struct grammar_code *about = &parser->grammar->codes.items[code];
	lua_State *lua = script_lua(parser->script);
	int arguments = lua_gettop(lua) - base + 1;
	struct engine_shown *shown;
	char *text = NULL;
	size_t size = 0;
	bool any = false;
	FILE *out = mem_stream(&text, &size);

	if (!parser->shown)
		parser->shown = mem_zalloc(parser->grammar->codes.count, sizeof *parser->shown);
	shown = &parser->shown[code];
	if (!shown->ready)
		compile_paths(parser, about, shown);
	for (size_t i = 0; i < shown->paths.count; i++) {
		struct err err;

		lua_rawgeti(lua, LUA_REGISTRYINDEX, shown->references.items[i]);
		for (int a = 0; a < arguments; a++)
			lua_pushvalue(lua, base + a);
		/* skip expressions that cannot be evaluated, such as a field of nil */
		if (!script_call(parser->script, arguments, 1, &err))
			continue;
		show_value(parser, shown->paths.items[i], out, &any);
		lua_pop(lua, 1);
	}
	mem_stream_close(out);
	return text;
}

void engine_forget_shown(struct grammar_parser *parser)
{
	for (size_t c = 0; parser->shown && c < parser->grammar->codes.count; c++) {
		struct engine_shown *shown = &parser->shown[c];

		vec_free_all(&shown->paths);
		vec_free(&shown->references);
	}
	free(parser->shown);
	parser->shown = NULL;
}

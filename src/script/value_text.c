/* Formats values for reports: {1: 2, "a": true}; a list as [1, 2]; a graph as {1 -> 2, 2 -> 1}. */
#include "script/script_internal.h"
#include "base/mem.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#define SHOWN_MOST 1000u
/* Integers of at least this size are shown in hexadecimal, because they are probably addresses. */
#define ADDRESS_FROM (INT64_C(1) << 32)

struct printer {
	lua_State *lua;
	script_buffer *text;
	size_t most;
	bool cut;
};

static void append_limited(struct printer *printer, const char *more)
{
	size_t length = strlen(more);

	if (printer->text->count + length > printer->most)
		printer->cut = true;
	if (!printer->cut)
		script_append_bytes(printer->text, more, length);
}

static void append_text(struct printer *printer, const char *text, size_t length, bool plain)
{
	append_limited(printer, plain ? "" : "\"");
	for (size_t i = 0; i < length && !printer->cut; i++) {
		unsigned char c = (unsigned char)text[i];
		char piece[8];

		if (c == '\n')
			snprintf(piece, sizeof piece, plain ? " " : "\\n");
		else if (iscntrl(c))
			snprintf(piece, sizeof piece, "\\%u", c);
		else if (!plain && (c == '"' || c == '\\'))
			snprintf(piece, sizeof piece, "\\%c", c);
		else
			snprintf(piece, sizeof piece, "%c", c);
		append_limited(printer, piece);
	}
	append_limited(printer, plain ? "" : "\"");
}

static void append_scalar(struct printer *printer, const struct script_scalar *value, bool plain)
{
	char piece[64];

	if (value->type == LUA_TSTRING) {
		append_text(printer, value->text, value->length, plain);
		return;
	}
	if (value->type == LUA_TBOOLEAN)
		snprintf(piece, sizeof piece, "%s", value->boolean ? "true" : "false");
	else if (value->is_real)
		snprintf(piece, sizeof piece, "%.14g", value->real);
	else if (value->integer >= ADDRESS_FROM)
		snprintf(piece, sizeof piece, "%#" PRIx64, (uint64_t)value->integer);
	else
		snprintf(piece, sizeof piece, "%" PRId64, (int64_t)value->integer);
	append_limited(printer, piece);
}

static void append_value(struct printer *printer, int index, unsigned depth, bool plain);

/*
 * Appends the keys and values of a table. All keys without an order (tables, functions) are shown
 * as one "…".
 */
static void append_fields(struct printer *printer, int table, unsigned depth, bool is_list)
{
	lua_State *lua = printer->lua;
	script_scalars *keys = &script_of(lua)->keys[depth];
	bool all = script_order_keys(lua, table, keys, NULL);

	append_limited(printer, is_list ? "[" : "{");
	for (size_t i = 0; i < keys->count && !printer->cut; i++) {
		append_limited(printer, i ? ", " : "");
		if (!is_list) {
			append_scalar(printer, &keys->items[i], false);
			append_limited(printer, ": ");
		}
		script_push_scalar(lua, &keys->items[i]);
		lua_rawget(lua, table);
		append_value(printer, lua_gettop(lua), depth + 1, false);
		lua_pop(lua, 1);
	}
	append_limited(printer, all ? "" : keys->count ? ", …" : "…");
	append_limited(printer, is_list ? "]" : "}");
}

/* Appends a graph, { edges = { 1 = { 2 = true } } }: shows only the edges. */
static void append_graph(struct printer *printer, int graph, unsigned depth)
{
	lua_State *lua = printer->lua;
	struct script *s = script_of(lua);
	script_scalars *from = &s->keys[depth], *to = &s->keys[depth + 1];
	const char *between = "";

	lua_pushliteral(lua, "edges");
	append_limited(printer, "{");
	if (lua_rawget(lua, graph) == LUA_TTABLE)
		script_order_keys(lua, -1, from, NULL);
	else
		from->count = 0;
	for (size_t i = 0; i < from->count && !printer->cut; i++) {
		script_push_scalar(lua, &from->items[i]);
		if (lua_rawget(lua, -2) == LUA_TTABLE)
			script_order_keys(lua, -1, to, NULL);
		else
			to->count = 0;
		lua_pop(lua, 1);
		for (size_t k = 0; k < to->count && !printer->cut; k++) {
			append_limited(printer, between);
			append_scalar(printer, &from->items[i], false);
			append_limited(printer, " -> ");
			append_scalar(printer, &to->items[k], false);
			between = ", ";
		}
	}
	append_limited(printer, "}");
	lua_pop(lua, 1);
}

static void append_table(struct printer *printer, int table, unsigned depth)
{
	enum script_kind kind = script_kind_of(printer->lua, table);

	if (depth + 1 >= SCRIPT_SHOWN_DEPTH || !lua_checkstack(printer->lua, 8))
		append_limited(printer, "{…}");
	else if (kind == SCRIPT_GRAPH)
		append_graph(printer, table, depth);
	else
		append_fields(printer, table, depth, kind == SCRIPT_LIST);
}

static void append_value(struct printer *printer, int index, unsigned depth, bool plain)
{
	struct script_scalar scalar;

	if (script_to_scalar(printer->lua, index, &scalar))
		append_scalar(printer, &scalar, plain);
	else if (lua_istable(printer->lua, index))
		append_table(printer, index, depth);
	else if (lua_isuserdata(printer->lua, index))
		append_limited(printer, "library");
	else
		append_limited(printer, lua_typename(printer->lua, lua_type(printer->lua, index)));
}

void script_append_printed(lua_State *lua, int index, bool plain, script_buffer *text)
{
	struct printer printer = { .lua = lua, .text = text, .most = text->count + SHOWN_MOST };

	lua_checkstack(lua, 8);
	append_value(&printer, lua_absindex(lua, index), 0, plain);
	if (printer.cut)
		script_append(text, "…");
}

char *script_show(struct script *s, int index)
{
	script_buffer text = { 0 };

	script_append_printed(s->lua, index, false, &text);
	*vec_push(&text) = 0;
	return text.items;
}

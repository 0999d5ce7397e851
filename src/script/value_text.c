/* Formats values for people: {1: 2, "a": true}; a list as [1, 2]; a graph as {1 -> 2, 2 -> 1}. */
#include "script/script_internal.h"
#include "base/mem.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#define SHOWN_MOST 1000u
/* Integers from here on are shown as addresses, in hexadecimal. */
#define ADDRESS_FROM (INT64_C(1) << 32)

struct shown {
	lua_State *lua;
	script_key_text *text;
	size_t most;
	bool cut;
};

static void add(struct shown *shown, const char *more)
{
	size_t length = strlen(more);

	if (shown->text->count + length > shown->most)
		shown->cut = true;
	if (!shown->cut)
		script_append_bytes(shown->text, more, length);
}

static void add_text(struct shown *shown, const char *text, size_t length, bool plain)
{
	add(shown, plain ? "" : "\"");
	for (size_t i = 0; i < length && !shown->cut; i++) {
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
		add(shown, piece);
	}
	add(shown, plain ? "" : "\"");
}

static void add_scalar(struct shown *shown, const struct script_ordered *value, bool plain)
{
	char piece[64];

	if (value->type == LUA_TSTRING) {
		add_text(shown, value->text, value->length, plain);
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
	add(shown, piece);
}

static void add_value(struct shown *shown, int index, unsigned depth, bool plain);

/* Keys and values of a table. Keys without an order (tables, functions) are shown as one "…". */
static void add_fields(struct shown *shown, int table, unsigned depth, bool is_list)
{
	lua_State *lua = shown->lua;
	script_ordered_keys *keys = &script_of(lua)->keys[depth];
	bool all = script_order_keys(lua, table, keys, NULL);

	add(shown, is_list ? "[" : "{");
	for (size_t i = 0; i < keys->count && !shown->cut; i++) {
		add(shown, i ? ", " : "");
		if (!is_list) {
			add_scalar(shown, &keys->items[i], false);
			add(shown, ": ");
		}
		script_push_ordered(lua, &keys->items[i]);
		lua_rawget(lua, table);
		add_value(shown, lua_gettop(lua), depth + 1, false);
		lua_pop(lua, 1);
	}
	add(shown, all ? "" : keys->count ? ", …" : "…");
	add(shown, is_list ? "]" : "}");
}

/* A graph { edges = { 1 = { 2 = true } } }: shows only the edges. */
static void add_graph(struct shown *shown, int graph, unsigned depth)
{
	lua_State *lua = shown->lua;
	struct script *s = script_of(lua);
	script_ordered_keys *from = &s->keys[depth], *to = &s->keys[depth + 1];
	const char *between = "";

	lua_pushliteral(lua, "edges");
	add(shown, "{");
	if (lua_rawget(lua, graph) == LUA_TTABLE)
		script_order_keys(lua, -1, from, NULL);
	else
		from->count = 0;
	for (size_t i = 0; i < from->count && !shown->cut; i++) {
		script_push_ordered(lua, &from->items[i]);
		if (lua_rawget(lua, -2) == LUA_TTABLE)
			script_order_keys(lua, -1, to, NULL);
		else
			to->count = 0;
		lua_pop(lua, 1);
		for (size_t k = 0; k < to->count && !shown->cut; k++) {
			add(shown, between);
			add_scalar(shown, &from->items[i], false);
			add(shown, " -> ");
			add_scalar(shown, &to->items[k], false);
			between = ", ";
		}
	}
	add(shown, "}");
	lua_pop(lua, 1);
}

static void add_table(struct shown *shown, int table, unsigned depth)
{
	enum script_kind kind = script_kind_of(shown->lua, table);

	if (depth + 1 >= SCRIPT_SHOWN_DEPTH || !lua_checkstack(shown->lua, 8))
		add(shown, "{…}");
	else if (kind == SCRIPT_GRAPH)
		add_graph(shown, table, depth);
	else
		add_fields(shown, table, depth, kind == SCRIPT_LIST);
}

static void add_value(struct shown *shown, int index, unsigned depth, bool plain)
{
	struct script_ordered scalar;

	if (script_to_ordered(shown->lua, index, &scalar))
		add_scalar(shown, &scalar, plain);
	else if (lua_istable(shown->lua, index))
		add_table(shown, index, depth);
	else if (lua_isuserdata(shown->lua, index))
		add(shown, "library");
	else
		add(shown, lua_typename(shown->lua, lua_type(shown->lua, index)));
}

void script_append_shown(lua_State *lua, int index, bool plain, script_key_text *text)
{
	struct shown shown = { .lua = lua, .text = text, .most = text->count + SHOWN_MOST };

	lua_checkstack(lua, 8);
	add_value(&shown, lua_absindex(lua, index), 0, plain);
	if (shown.cut)
		script_append(text, "…");
}

char *script_show(struct script *s, int index)
{
	script_key_text text = { 0 };

	script_append_shown(s->lua, index, false, &text);
	*vec_push(&text) = 0;
	return text.items;
}

/*
 * Writes sets and derivations as text. They form an acyclic graph: each object is written once,
 * with the numbers of the objects to which it refers. Objects are numbered in the order in which
 * they are first mentioned. The items of a set are sorted by the age of the sets to which they
 * return, so equal graphs are visited in the same order.
 */
#include "grammar/earley_key.h"
#include "base/map.h"

#include <lua5.4/lauxlib.h>
#include <string.h>

struct earley_key_writer {
	struct grammar_parser *parser;
	script_buffer *text;
	struct map numbers; /* numbers of sets and trees, by address */
	VEC(const struct earley_set *) sets;
	VEC(const struct tree *) trees;
};

static void append_bytes(struct earley_key_writer *writer, const void *bytes, size_t size)
{
	if (!size)
		return;
	memcpy(vec_reserve(writer->text, size), bytes, size);
	writer->text->count += size;
}

static void append_number(struct earley_key_writer *writer, uint64_t number)
{
	do {
		*vec_push(writer->text) = (char)((number & 127) | (number > 127 ? 128 : 0));
		number >>= 7;
	} while (number);
}

static void append_set_number(struct earley_key_writer *writer, const struct earley_set *set)
{
	bool fresh = false;
	uint64_t *number = set ? map_put(&writer->numbers, (uintptr_t)set, &fresh) : NULL;
	if (fresh) {
		*vec_push(&writer->sets) = set;
		*number = writer->sets.count;
	}
	append_number(writer, number ? *number : 0);
}

static void append_tree_number(struct earley_key_writer *writer, const struct tree *tree)
{
	bool fresh = false;
	uint64_t *number = tree ? map_put(&writer->numbers, (uintptr_t)tree, &fresh) : NULL;
	if (fresh) {
		*vec_push(&writer->trees) = tree;
		*number = writer->trees.count;
	}
	append_number(writer, number ? *number : 0);
}

static void write_set(struct earley_key_writer *writer, const struct earley_set *set)
{
	append_number(writer, set->count);
	for (uint32_t i = 0; i < set->count; i++) {
		append_number(writer, set->items[i].core);
		append_number(writer, set->items[i].goal);
		append_set_number(writer, set->items[i].back);
		append_tree_number(writer, set->items[i].tree);
	}
}

static void write_values(struct earley_key_writer *writer, const struct tree *leaf)
{
	const struct grammar_event *event = &writer->parser->grammar->events[leaf->number];
	for (uint32_t i = 0, j = 0; i < event->attribute_count; i++) {
		if (!event->used[i])
			continue;
		const struct script_value *value = &leaf->values[j++];
		*vec_push(writer->text) = (char)value->type;
		if (value->type == SCRIPT_TEXT) {
			append_number(writer, value->length);
			append_bytes(writer, value->text, value->length);
		} else if (value->type != SCRIPT_NIL) {
			append_bytes(writer, &value->integer, sizeof value->integer);
		}
	}
}

static bool write_tree(struct earley_key_writer *writer, const struct tree *tree, struct err *err)
{
	lua_State *lua = script_lua(writer->parser->script);
	if (tree->kept != LUA_NOREF) {
		*vec_push(writer->text) = 'k';
		lua_rawgeti(lua, LUA_REGISTRYINDEX, tree->kept);
		bool done = script_key(writer->parser->script, writer->text, err);
		lua_pop(lua, 1);
		return done;
	}
	*vec_push(writer->text) = (char)('0' + tree->kind);
	append_number(writer, tree->number);
	append_number(writer, tree->second != GRAMMAR_NONE);
	if (tree->kind == TREE_LEAF) {
		write_values(writer, tree);
	} else {
		append_tree_number(writer, tree->before);
		append_tree_number(writer, tree->child);
		append_tree_number(writer, tree->tail);
	}
	return true;
}

static bool write_all(struct earley_key_writer *writer, const struct earley_set *set,
		      struct err *err)
{
	append_set_number(writer, set);
	/*
	 * With `until_end`, the end of the word may still violate the grammar, so the key must say
	 * whether the session is complete. Otherwise the session was judged at its last event.
	 */
	if (writer->parser->grammar->until_end) {
		append_number(writer, set->complete);
		append_tree_number(writer, set->root);
	}
	for (size_t i = 0; i < writer->sets.count; i++)
		write_set(writer, writer->sets.items[i]);
	for (size_t i = 0; i < writer->trees.count; i++)
		if (!write_tree(writer, writer->trees.items[i], err))
			return false;
	return true;
}

bool earley_key(struct grammar_parser *parser, const struct earley_set *set, script_buffer *text,
		struct err *err)
{
	struct earley_key_writer writer = { .parser = parser, .text = text };
	if (!parser->grammar->has_code) {
		append_bytes(&writer, &set->number, sizeof set->number);
		return true;
	}
	bool done = write_all(&writer, set, err);
	map_free(&writer.numbers);
	vec_free(&writer.sets);
	vec_free(&writer.trees);
	return done;
}

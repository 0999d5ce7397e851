/* Creates, shares and frees the derivations of tree.h. */
#include "grammar/tree.h"
#include "base/mem.h"

#include <lua5.4/lauxlib.h>
#include <string.h>

struct tree *tree_make(uint8_t kind, uint32_t number, struct tree *before, struct tree *child,
		       struct tree *tail)
{
	struct tree *tree = mem_alloc(sizeof *tree);
	*tree = (struct tree){
		.refs = 1,
		.number = number,
		.kind = kind,
		.second = GRAMMAR_NONE,
		.kept = LUA_NOREF,
		.before = tree_hold(before),
		.child = tree_hold(child),
		.tail = tree_hold(tail),
	};
	return tree;
}

struct tree *tree_make_leaf(const struct grammar *grammar, const struct grammar_token *token)
{
	const struct grammar_event *event = &grammar->events[token->event];
	uint32_t used = 0;
	size_t text = 0;
	for (uint32_t i = 0; i < event->attribute_count; i++)
		if (event->used[i]) {
			used++;
			if (token->values[i].type == SCRIPT_TEXT)
				text += token->values[i].length;
		}
	struct tree *leaf = mem_alloc(sizeof *leaf + used * sizeof *leaf->values + text);
	*leaf = (struct tree){
		.refs = 1,
		.number = token->event,
		.kind = TREE_LEAF,
		.second = GRAMMAR_NONE,
		.kept = LUA_NOREF,
	};
	char *at = (char *)&leaf->values[used];
	for (uint32_t i = 0, j = 0; i < event->attribute_count; i++) {
		if (!event->used[i])
			continue;
		struct script_value *value = &leaf->values[j++];
		*value = token->values[i];
		if (value->type == SCRIPT_TEXT) {
			if (value->length)
				memcpy(at, token->values[i].text, value->length);
			value->text = at;
			at += value->length;
		}
	}
	return leaf;
}

struct tree *tree_hold(struct tree *tree)
{
	if (tree)
		tree->refs++;
	return tree;
}

static void release_reference(struct tree *tree, struct tree **dead)
{
	if (tree && --tree->refs == 0) {
		tree->next_dead = *dead;
		*dead = tree;
	}
}

/* Does not recurse, because a session's tree is as deep as the session is long. */
void tree_drop(lua_State *lua, struct tree *tree)
{
	struct tree *dead = NULL;
	release_reference(tree, &dead);
	while (dead) {
		tree = dead;
		dead = tree->next_dead;
		release_reference(tree->before, &dead);
		release_reference(tree->child, &dead);
		release_reference(tree->tail, &dead);
		luaL_unref(lua, LUA_REGISTRYINDEX, tree->kept);
		free(tree);
	}
}

void tree_drop_below(lua_State *lua, struct tree *tree)
{
	struct tree *below[] = { tree->before, tree->child, tree->tail };
	tree->before = tree->child = tree->tail = NULL;
	for (unsigned i = 0; i < 3; i++)
		tree_drop(lua, below[i]);
}

/* A treap of heap blocks: a binary search tree by address and a heap by random rank. */
#include "order/window/window_blocks.h"

void window_blocks_free(struct window_blocks *b)
{
	vec_free(&b->nodes);
	vec_free(&b->unused);
}

/* Splits a tree into the blocks that start before `address` and the rest. */
static void split_tree(struct window_blocks *b, uint32_t tree, uint64_t address, uint32_t *left,
		       uint32_t *right)
{
	while (tree) {
		struct blocks_node *node = &b->nodes.items[tree];

		if (node->block.address < address) {
			*left = tree;
			left = &node->right;
			tree = node->right;
		} else {
			*right = tree;
			right = &node->left;
			tree = node->left;
		}
	}
	*left = *right = 0;
}

/* Joins two trees, the first entirely before the second, and stores the result in `where`. */
static void join_trees(struct window_blocks *b, uint32_t left, uint32_t right, uint32_t *where)
{
	while (left && right) {
		if (b->nodes.items[left].rank > b->nodes.items[right].rank) {
			*where = left;
			where = &b->nodes.items[left].right;
			left = *where;
		} else {
			*where = right;
			where = &b->nodes.items[right].left;
			right = *where;
		}
	}
	*where = left ? left : right;
}

static uint32_t add_node(struct window_blocks *b, const struct window_block *block)
{
	uint32_t number;

	if (!b->nodes.count)
		*vec_push(&b->nodes) = (struct blocks_node){ 0 };
	if (b->unused.count) {
		number = b->unused.items[--b->unused.count];
	} else {
		number = (uint32_t)b->nodes.count;
		vec_push(&b->nodes);
	}
	b->seed = b->seed * 1664525 + 1013904223;
	b->nodes.items[number] = (struct blocks_node){ .block = *block, .rank = b->seed };
	return number;
}

uint32_t window_blocks_add(struct window_blocks *b, const struct window_block *block)
{
	uint32_t number = add_node(b, block), left, right;
	uint32_t *where = &b->root;

	/* Goes down to the position for its rank; the subtree there is split around it. */
	while (*where && b->nodes.items[*where].rank >= b->nodes.items[number].rank)
		where = block->address < b->nodes.items[*where].block.address
				? &b->nodes.items[*where].left
				: &b->nodes.items[*where].right;
	split_tree(b, *where, block->address, &left, &right);
	b->nodes.items[number].left = left;
	b->nodes.items[number].right = right;
	*where = number;
	return number;
}

uint32_t window_blocks_remove(struct window_blocks *b, uint64_t address)
{
	uint32_t *where = &b->root, number;

	while (*where && b->nodes.items[*where].block.address != address)
		where = address < b->nodes.items[*where].block.address
				? &b->nodes.items[*where].left
				: &b->nodes.items[*where].right;
	number = *where;
	if (number)
		join_trees(b, b->nodes.items[number].left, b->nodes.items[number].right, where);
	return number;
}

void window_blocks_reuse(struct window_blocks *b, uint32_t number)
{
	*vec_push(&b->unused) = number;
}

uint32_t window_blocks_find(const struct window_blocks *b, uint64_t address)
{
	uint32_t tree = b->root, best = 0;

	while (tree) {
		const struct blocks_node *node = &b->nodes.items[tree];

		if (node->block.address <= address) {
			best = tree;
			tree = node->right;
		} else {
			tree = node->left;
		}
	}
	if (best && address - b->nodes.items[best].block.address < b->nodes.items[best].block.size)
		return best;
	return 0;
}

/* The live heap blocks by address: a treap, because there are many, but few change at a time. */
#ifndef ORDER_WINDOW_WINDOW_BLOCKS_H
#define ORDER_WINDOW_WINDOW_BLOCKS_H

#include "base/vec.h"
#include "order/window/window.h"

struct blocks_node {
	struct window_block block;
	uint32_t left, right, rank; /* numbers of nodes; rank is the heap key */
};

struct window_blocks {
	VEC(struct blocks_node) nodes; /* nodes[0] is not used: number 0 means none */
	VEC(uint32_t) unused;
	uint32_t root, seed;
};

void window_blocks_free(struct window_blocks *blocks);

/* Returns the block's number. There must be no block at that address. */
uint32_t window_blocks_add(struct window_blocks *blocks, const struct window_block *block);

/*
 * Removes the block that starts at the address and returns its number, or 0 if there is none. The
 * number stays reserved until window_blocks_reuse().
 */
uint32_t window_blocks_remove(struct window_blocks *blocks, uint64_t address);
void window_blocks_reuse(struct window_blocks *blocks, uint32_t number);

/* Returns the block that contains this byte, or 0. */
uint32_t window_blocks_find(const struct window_blocks *blocks, uint64_t address);

#endif

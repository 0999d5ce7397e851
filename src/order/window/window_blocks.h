/* Heap blocks that are alive, by address: a treap, since both ends of a run use few of many. */
#ifndef ORDER_WINDOW_WINDOW_BLOCKS_H
#define ORDER_WINDOW_WINDOW_BLOCKS_H

#include "base/vec.h"
#include "order/window/window.h"

struct blocks_node {
	struct window_block block;
	uint32_t left, right, rank; /* numbers of nodes; rank is the heap's */
};

struct window_blocks {
	VEC(struct blocks_node) nodes; /* [0] stands for none */
	VEC(uint32_t) unused;
	uint32_t root, seed;
};

void window_blocks_free(struct window_blocks *blocks);

/* Its number. No block of that address may be there. */
uint32_t window_blocks_add(struct window_blocks *blocks, const struct window_block *block);

/* Takes the block that starts there out; its number stays its own until it is given back. 0: none. */
uint32_t window_blocks_remove(struct window_blocks *blocks, uint64_t address);
void window_blocks_give_back(struct window_blocks *blocks, uint32_t number);

/* The block that has this byte, or 0. */
uint32_t window_blocks_find(const struct window_blocks *blocks, uint64_t address);

#endif

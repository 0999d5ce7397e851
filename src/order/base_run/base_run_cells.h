/*
 * Memory that threads share, as far as the repair of the order looks: for each 8 bytes what they
 * hold now, and who of those held back will touch them how.
 */
#ifndef ORDER_BASE_RUN_BASE_RUN_CELLS_H
#define ORDER_BASE_RUN_BASE_RUN_CELLS_H

#include "base/map.h"
#include "base/vec.h"
#include "order/base_run/base_run.h"

#define SPOT_NONE UINT32_MAX

/* Ticks by which a write may be seen later than its time says: stores wait in the processor. */
#define SPOT_SLACK 20000

/* A part of an access: bytes of one spot. The lane's come in order. */
struct spot_touch {
	uint64_t value;	   /* of the bytes in mask; others 0 */
	uint64_t position; /* of the event */
	uint64_t time;	   /* it was not before that */
	uint64_t behind;   /* position of the synchronisation before it in its lane, or 0 */
	uint32_t next;	   /* of the same lane at this spot */
	uint32_t spot;
	uint8_t mask;
	bool write, known;
};

/* What a lane will do to a spot, oldest first. */
struct spot_queue {
	uint32_t lane, first, last, next; /* next: queue of another lane at the same spot */
};

struct spot {
	uint64_t value;
	uint8_t known;	  /* mask */
	uint32_t version; /* changes with each touch that has come */
	uint32_t queues;
	uint32_t writes; /* to come */
};

struct base_run_cells {
	struct map index; /* address / 8 to number + 1 */
	VEC(struct spot) spots;
	VEC(struct spot_queue) queues;
	VEC(struct spot_touch) touches;
	VEC(uint32_t) free_queues, free_touches;
};

void base_run_cells_free(struct base_run_cells *spots);
uint32_t base_run_cells_find(struct base_run_cells *spots, uint64_t address);

/* A touch that is to come; its number. */
uint32_t base_run_cells_add(struct base_run_cells *spots, uint32_t lane,
			    const struct spot_touch *touch);
/* It has come: memory changes. It was the lane's oldest at that spot. */
void base_run_cells_do(struct base_run_cells *spots, uint32_t lane, uint32_t touch);
/* Nothing is known of these bytes any more. */
void base_run_cells_forget(struct base_run_cells *spots, uint64_t address, uint64_t size);

/* The bytes of a mask, as 0xff each: each bit is brought to its byte, and the byte filled. */
static inline uint64_t spot_bits(uint8_t mask)
{
	uint64_t bits = mask * 0x0101010101010101u & 0x8040201008040201u;

	bits = (bits + 0x7f7f7f7f7f7f7f7fu) & 0x8080808080808080u;
	return (bits >> 7) * 0xff;
}

#endif

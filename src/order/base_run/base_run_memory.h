/*
 * The shared memory of the base run's repair. A *spot* is 8 aligned bytes. For each spot, this
 * stores the current contents and the accesses of the events that are held back.
 */
#ifndef ORDER_BASE_RUN_BASE_RUN_MEMORY_H
#define ORDER_BASE_RUN_BASE_RUN_MEMORY_H

#include "base/map.h"
#include "base/vec.h"
#include "order/base_run/base_run.h"

#define SPOT_NONE UINT32_MAX

/*
 * A write may become visible to other threads up to this many ticks after its recorded time,
 * because stores wait in the processor's store buffer.
 */
#define SPOT_SLACK 20000

/* An event's access to the bytes of one spot. The accesses of one owner form a list, in order. */
struct spot_access {
	uint64_t value;	     /* the bytes in `mask`; all other bytes are 0 */
	uint64_t position;   /* position of the event */
	uint64_t time;	     /* the access did not happen before this time */
	uint64_t after_sync; /* position + 1 of the owner's last synchronisation before it, or 0 */
	uint32_t next;	     /* the owner's next access to this spot */
	uint32_t spot;
	uint8_t mask;
	bool write, known;
};

/* The accesses of one owner to a spot, oldest first. */
struct spot_queue {
	uint32_t owner, first, last, next; /* next: another owner's queue for the same spot */
};

struct spot {
	uint64_t value;
	uint8_t known;	  /* mask of the bytes whose contents are known */
	uint32_t version; /* changes with each access that is applied */
	uint32_t queues;
	uint32_t writes; /* number of writes in the queues */
};

struct base_run_memory {
	struct map index; /* address / 8 to number of the spot + 1 */
	VEC(struct spot) spots;
	VEC(struct spot_queue) queues;
	VEC(struct spot_access) accesses;
	VEC(uint32_t) free_queues, free_accesses;
};

void base_run_memory_free(struct base_run_memory *memory);
uint32_t base_run_memory_find_spot(struct base_run_memory *memory, uint64_t address);

/* Adds an access that has not happened yet. Returns its number. */
uint32_t base_run_memory_add_access(struct base_run_memory *memory, uint32_t owner,
				    const struct spot_access *access);
/* Applies an access to the contents. It must be the oldest access in the owner's queue. */
void base_run_memory_apply(struct base_run_memory *memory, uint32_t owner, uint32_t access);
/* Marks the contents of these bytes as unknown. */
void base_run_memory_forget(struct base_run_memory *memory, uint64_t address, uint64_t size);

/* Returns a word with 0xff in each byte of the mask. Moves each bit to its byte, and fills it. */
static inline uint64_t spot_bits(uint8_t mask)
{
	uint64_t bits = mask * 0x0101010101010101u & 0x8040201008040201u;

	bits = (bits + 0x7f7f7f7f7f7f7f7fu) & 0x8080808080808080u;
	return (bits >> 7) * 0xff;
}

#endif

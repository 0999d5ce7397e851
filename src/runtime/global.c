#include "runtime/global.h"

#include "event/wire.h"
#include "runtime/lane.h"
#include "runtime/log.h"
#include "runtime/real.h"
#include "runtime/ring.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct wire_block *block; /* in the ring, as a lane is; guarded by `lock` */
static _Atomic uint32_t lock;	 /* 0 free, 1 held, 2 held and somebody waits */

static void take(void)
{
	uint32_t free = 0;

	if (atomic_compare_exchange_strong(&lock, &free, 1))
		return;
	while (atomic_exchange(&lock, 2) != 0)
		real()->syscall(SYS_futex, &lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void leave(void)
{
	if (atomic_exchange(&lock, 0) == 2)
		real()->syscall(SYS_futex, &lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool global_on(void)
{
	return block != NULL;
}

bool global_open(void)
{
	struct wire_block *first = ring_take();

	if (!first)
		return false;
	first->magic = WIRE_BLOCK_MAGIC;
	first->cursor = first->base + sizeof(*first);
	first->stream = UINT32_MAX;
	first->flags = WIRE_BLOCK_GLOBAL | WIRE_BLOCK_LIVE;
	block = first;
	return true;
}

static void flush(void)
{
	block->bytes = (uint32_t)(block->cursor - block->base - sizeof(*block));
	if (block->bytes == 0 || log_append(block) != LOG_WRITTEN)
		return;
	block->cursor = block->base + sizeof(*block);
	block->number++;
	block->bytes = 0;
}

/* Set while this thread is in here: a signal handler that cuts in must not wait for itself. */
static SOOTH_TLS bool inside;

bool global_append(uint32_t stream, const void *bytes, uint32_t count)
{
	struct wire_piece piece = { stream, count };

	if (count == 0)
		return true;
	if (inside)
		return false;
	inside = true;
	atomic_signal_fence(memory_order_seq_cst);
	take();
	if (block->cursor + sizeof(piece) + count > block->base + WIRE_CHUNK)
		flush();
	/* A log that cannot be written any more keeps what it has; the rest has no room. */
	if (block->cursor + sizeof(piece) + count <= block->base + WIRE_CHUNK) {
		memcpy((void *)block->cursor, &piece, sizeof(piece));
		memcpy((void *)(block->cursor + sizeof(piece)), bytes, count);
		block->cursor += sizeof(piece) + count;
	}
	leave();
	atomic_signal_fence(memory_order_seq_cst);
	inside = false;
	return true;
}

void global_close(void)
{
	take();
	flush();
	ring_give(block);
	block = NULL;
	leave();
}

void global_forget(void)
{
	block = NULL;
	inside = false;
	atomic_store(&lock, 0); /* somebody who is not here may have held it */
}

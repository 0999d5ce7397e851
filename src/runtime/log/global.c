#include "runtime/log/global.h"

#include "event/wire.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/log/log.h"
#include "runtime/host/libc_next.h"
#include "runtime/log/ring.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct wire_block *block; /* in the ring, as a lane is; guarded by `lock` */
static _Atomic uint32_t lock;	 /* 0 free, 1 held, 2 held and somebody waits */

static void take(void)
{
	static const struct timespec patience = { .tv_nsec = 10000000 };
	uint32_t free = 0;

	if (atomic_compare_exchange_strong(&lock, &free, 1))
		return;
	/* A wake-up may fail to come; nobody hangs for that. */
	while (atomic_exchange(&lock, 2) != 0)
		real()->syscall(SYS_futex, &lock, FUTEX_WAIT_PRIVATE, 2, &patience, NULL, 0);
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

static enum log_result written = LOG_WRITTEN; /* what became of the last block; guarded by `lock` */

static void flush(void)
{
	block->bytes = (uint32_t)(block->cursor - block->base - sizeof(*block));
	if (block->bytes == 0)
		return;
	written = log_append(block);
	if (written != LOG_WRITTEN) {
		block->bytes = 0; /* what it holds stays in the ring */
		return;
	}
	block->cursor = block->base + sizeof(*block);
	block->number++;
	block->bytes = 0;
}

/* Set while this thread is in here: a signal handler that cuts in must not wait for itself. */
static SOOTH_TLS bool inside;

/* A log that cannot be written any more keeps what it has; what does not fit is not appended. */
static enum global_result put(const struct wire_piece *piece, const void *bytes)
{
	uint64_t size = sizeof(*piece) + piece->bytes;

	if (!block)
		return GLOBAL_FAILED; /* the process ends, and this thread goes on for a while */
	if (block->cursor + size > block->base + WIRE_CHUNK)
		flush();
	if (block->cursor + size > block->base + WIRE_CHUNK)
		return written == LOG_NO_SPACE ? GLOBAL_NO_SPACE : GLOBAL_FAILED;
	memcpy((void *)block->cursor, piece, sizeof(*piece));
	memcpy((void *)(block->cursor + sizeof(*piece)), bytes, piece->bytes);
	atomic_signal_fence(memory_order_seq_cst);
	block->cursor += size;
	return GLOBAL_APPENDED;
}

enum global_result global_append(uint32_t stream, const void *bytes, uint32_t count)
{
	struct wire_piece piece = { stream, count };

	if (count == 0)
		return GLOBAL_APPENDED;
	if (inside)
		return GLOBAL_BUSY;
	inside = true;
	atomic_signal_fence(memory_order_seq_cst);
	take();
	enum global_result result = put(&piece, bytes);
	leave();
	atomic_signal_fence(memory_order_seq_cst);
	inside = false;
	return result;
}

/*
 * It may have been waiting for the lock, not holding it: then somebody gets in whom another is in the
 * way of, and a piece may be lost. All others would wait for ever if it did hold it.
 */
void global_abandon(void)
{
	if (!inside)
		return;
	inside = false;
	leave();
}

void global_close(void)
{
	take();
	flush();
	if (written == LOG_WRITTEN)
		ring_give(block); /* else what it holds stays in the ring */
	block = NULL;
	leave();
}

void global_forget(void)
{
	block = NULL;
	inside = false;
	atomic_store(&lock, 0); /* somebody who is not here may have held it */
}

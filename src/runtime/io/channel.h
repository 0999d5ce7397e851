/*
 * Channels: bytes that go in at one descriptor of this process and come out at another. A pipe is
 * one channel, a pair of sockets two, an eventfd one with both ends. While every call that puts
 * something in is recorded, SEND and RECEIVE say which call waited for which. If unrecorded code
 * may put something into a channel, the channel is *lost*, and a thread that takes from it may have
 * waited for anything (SYNC).
 *
 * A channel is also lost by the first byte that comes out without a recorded call that put it in.
 * So system calls in assembler, or by the kernel itself, do not do harm for long.
 */
#ifndef RUNTIME_IO_CHANNEL_H
#define RUNTIME_IO_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_NONE 0u /* no channel, or one that was never known */

/* Returns a new channel that contains `holds` bytes, or CHANNEL_NONE if there are too many. */
uint32_t channel_make(uint64_t holds);

bool channel_is_known(uint32_t channel);
void channel_lose(uint32_t channel);
/* Another process may have their ends: by a fork, or because descriptors were sent. */
void channel_lose_all(void);
/* Was channel_lose_all() called: may another process interact with this one? */
bool channel_has_other_process(void);

/*
 * channel_send() is called before a call that puts `bytes` in, and records SEND. 0 bytes: the call
 * closes the end, and the reader will notice. channel_sent() is called after it: `less` bytes did
 * not go in after all.
 */
void channel_send(uint32_t channel, uint64_t bytes, uintptr_t pc);
void channel_sent(uint32_t channel, uint64_t less);

/*
 * Called after a call that took `bytes` out, or that learned that there are some (0). Returns true
 * if RECEIVE was recorded, false if the channel is not known.
 */
bool channel_receive(uint32_t channel, uint64_t bytes, uintptr_t pc);

/*
 * Called when a descriptor that takes from the channel was created, and after the call that closed
 * one. If that was the last, writes fail from now on, and all successful ones came before.
 */
void channel_taker_opened(uint32_t channel);
void channel_taker_closed(uint32_t channel, uintptr_t pc);

/*
 * Around a call that may find no bytes to take out, or no room. What it finds was so before any
 * later SEND or RECEIVE. But if another thread puts something in during the call, the order of the
 * two is not known. Then the caller repeats the call until the order is known:
 *
 *	struct channel_snapshot snapshot = channel_snapshot_take();
 *	channel_snapshot_check(&snapshot, channel);		for each of them
 *	… the call …
 *	if (!channel_found_nothing(&snapshot, channel, true, pc))	not recorded: repeat
 */
/* Channels whose numbers differ modulo this have counters of their own. */
#define CHANNEL_COUNTERS 64u
/*
 * A thread that puts something in has only one system call to make. But it may not be running, or
 * may have been cancelled.
 */
#define CHANNEL_RETRIES_MOST 64u
struct channel_snapshot {
	uint32_t begun[CHANNEL_COUNTERS], taken[CHANNEL_COUNTERS];
	bool disturbed;
	unsigned times; /* repeated; after CHANNEL_RETRIES_MOST the answer is recorded as it is */
};
struct channel_snapshot channel_snapshot_take(void);
void channel_snapshot_check(struct channel_snapshot *snapshot, uint32_t channel);
/* Before each repetition. Yields the processor first. */
void channel_snapshot_retry(struct channel_snapshot *snapshot);
/*
 * They record what the call found, unless the order is not known: then they return false. `empty`:
 * everything that went in must have been taken out; else the call may have left something.
 */
bool channel_found_nothing(const struct channel_snapshot *snapshot, uint32_t channel, bool empty,
			   uintptr_t pc);
bool channel_found_no_room(const struct channel_snapshot *snapshot, uint32_t channel, uintptr_t pc);

#endif

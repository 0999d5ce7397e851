/*
 * Channels: bytes that are put in at one descriptor of this process come out at another. A pipe is
 * one channel, a pair of sockets is two channels, and an eventfd is one channel whose two ends are
 * the same descriptor. While every call that puts bytes in is recorded, SEND and RECEIVE events say
 * which call waited for which. If unrecorded code may put bytes into a channel, the channel is
 * *lost*: a thread that takes from a lost channel may have waited for anything, so SYNC is
 * recorded.
 *
 * A channel is also lost when more bytes have come out than recorded calls have put in. So system
 * calls in assembly code, or writes by the kernel itself, make the record wrong only until then.
 */
#ifndef RUNTIME_IO_CHANNEL_H
#define RUNTIME_IO_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_NONE 0u /* no channel, or a channel without a number */

/*
 * What surely fits into a channel from which nothing is taken: messages whose sizes add up to
 * `bytes`, if each counts `each` bytes more.
 */
struct channel_capacity {
	uint64_t bytes, each;
};
#define CHANNEL_ENDLESS ((struct channel_capacity){ UINT64_MAX, 0 })

/* Returns a new channel that contains `holds` bytes, or CHANNEL_NONE if all numbers are in use. */
uint32_t channel_make(uint64_t holds, struct channel_capacity capacity);

bool channel_is_known(uint32_t channel);
void channel_lose(uint32_t channel);
/*
 * Loses all channels: another process may have their ends, after a fork, or because descriptors
 * were sent.
 */
void channel_lose_all(void);
/* Was channel_lose_all() called? Then another process may interact with this one. */
bool channel_has_other_process(void);

/*
 * channel_send() is called before a call that puts `bytes` bytes in, and records SEND. If `bytes`
 * is 0, the call closes this end, and readers will notice that. channel_sent() is called after the
 * call; `less` is the number of announced bytes that did not go in.
 */
void channel_send(uint32_t channel, uint64_t bytes, uintptr_t pc);
void channel_sent(uint32_t channel, uint64_t less);

/* Would everything that was ever put in still fit, if nothing had been taken out? */
bool channel_fits_all(uint32_t channel);
/*
 * channel_was_full() is called after channel_sent(), when a call has found no room for its bytes.
 * channel_needed_room() is called after channel_sent(), when a call has put bytes in: a call that
 * took something out may have made room for them, and then RECEIVE is recorded. Returns false if
 * the records do not show which calls made room.
 */
void channel_was_full(uint32_t channel);
bool channel_needed_room(uint32_t channel, uintptr_t pc);

/* Called before a call that may take bytes out, and after channel_receive(). */
void channel_taking(uint32_t channel, bool begins);

/*
 * Called after a call that took `bytes` bytes out, or, with 0, after a call that only learned that
 * there are some. Returns true if RECEIVE was recorded, false if the channel is not known.
 */
bool channel_receive(uint32_t channel, uint64_t bytes, uintptr_t pc);

/*
 * channel_taker_opened() is called when a descriptor that takes from the channel was created,
 * channel_taker_closed() after the call that closed one. After the last such descriptor is closed,
 * writes fail, so all successful writes happened before that.
 */
void channel_taker_opened(uint32_t channel);
void channel_taker_closed(uint32_t channel, uintptr_t pc);

/*
 * To be used around a call that may find no bytes to take out, or no room to put some in. What the
 * call finds was true before any later SEND or RECEIVE. But if another thread puts something in
 * during the call, the order of the two calls is not known. Then the caller repeats its call until
 * the order is known:
 *
 *	struct channel_snapshot snapshot = channel_snapshot_take();
 *	channel_snapshot_check(&snapshot, channel);		for each of them
 *	… the call …
 *	if (!channel_found_nothing(&snapshot, channel, true, pc))	not recorded: repeat
 */
/* Channels whose numbers are equal modulo CHANNEL_COUNTERS share their counters. */
#define CHANNEL_COUNTERS 64u
/*
 * Number of repetitions after which the result is recorded although the order is not known. A few
 * should suffice, because a thread that puts bytes in makes only one system call between the two
 * changes of the counters. But that thread may not be running, or may have been cancelled.
 */
#define CHANNEL_RETRIES_MOST 64u
struct channel_snapshot {
	uint32_t begun[CHANNEL_COUNTERS], taken[CHANNEL_COUNTERS];
	bool disturbed;
	unsigned times; /* number of repetitions so far, at most CHANNEL_RETRIES_MOST */
};
struct channel_snapshot channel_snapshot_take(void);
void channel_snapshot_check(struct channel_snapshot *snapshot, uint32_t channel);
/* Called before each repetition. First yields the processor. */
void channel_snapshot_retry(struct channel_snapshot *snapshot);
/*
 * Both functions record what the call found. If the order is not known, they record nothing and
 * return false, except after the last repetition. `empty`: the result means that the channel was
 * empty, so all bytes put in must have been taken out before. If it is false, there may be bytes
 * that the call did not report.
 */
bool channel_found_nothing(const struct channel_snapshot *snapshot, uint32_t channel, bool empty,
			   uintptr_t pc);
bool channel_found_no_room(const struct channel_snapshot *snapshot, uint32_t channel, uintptr_t pc);

#endif

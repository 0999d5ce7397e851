/*
 * Channels: what goes in at one descriptor of this process and comes out at another one of it. A pipe
 * is one, a pair of sockets two, an eventfd one with both ends. While everybody is seen who puts
 * something in, SEND and RECEIVE say what waited for what; a channel that somebody else may put
 * something into is *lost*, and who takes from it has waited for anything (SYNC).
 *
 * The first byte that comes out and was not seen going in loses a channel, too: so what is not seen
 * (a system call in assembler, the kernel itself) does no harm for long.
 */
#ifndef RUNTIME_IO_CHANNEL_H
#define RUNTIME_IO_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_NONE 0u /* no channel, or one that was never known */

/* A new one that holds `holds` bytes; CHANNEL_NONE when there have been too many. */
uint32_t channel_make(uint64_t holds);

bool channel_is_known(uint32_t channel);
void channel_lose(uint32_t channel);
/* Another process may have any of them: of a fork, by descriptors that are sent. */
void channel_lose_all(void);
/* Has that been so: does anybody else live who may have to do with this process? */
bool channel_has_company(void);

/*
 * Before a call that puts `bytes` in (0: one that ends it, the reader will learn that), where SEND is
 * recorded, and behind it: so many bytes did not go in after all.
 */
void channel_send(uint32_t channel, uint64_t bytes, uintptr_t pc);
void channel_sent(uint32_t channel, uint64_t less);

/*
 * Behind a call that took `bytes` out, or learned that there are some (0). True: RECEIVE was
 * recorded; false: the channel is not known, and nothing was.
 */
bool channel_receive(uint32_t channel, uint64_t bytes, uintptr_t pc);

/*
 * A descriptor that takes from it was made. Behind the call that closed one: what is put in from now on fails, if
 * it was the last, and what went in did so before.
 */
void channel_taker_opened(uint32_t channel);
void channel_taker_closed(uint32_t channel, uintptr_t pc);

/*
 * Around a call that may find nothing to take out, or no room. That was so before whatever is put in, or
 * taken out, later; but somebody may be at it while the call looks, and then nobody knows which came
 * first. Who looks again is told something that is known:
 *
 *	struct channel_look look = channel_look();
 *	channel_look_at(&look, channel);		for each of them
 *	… the call …
 *	if (!channel_found_nothing(&look, channel, true, pc))	nothing was recorded: look again
 */
#define CHANNEL_LOOKS 64u /* how many are told apart */
/* Whoever is at it has only a call of the system to make; but it may not be running, or be torn out. */
#define CHANNEL_LOOKS_MOST 64u
struct channel_look {
	uint32_t begun[CHANNEL_LOOKS], taken[CHANNEL_LOOKS];
	bool disturbed;
	unsigned times; /* looked again; after CHANNEL_LOOKS_MOST it is recorded as it is */
};
struct channel_look channel_look(void);
void channel_look_at(struct channel_look *look, uint32_t channel);
/* Before each further time, after a moment. */
void channel_look_again(struct channel_look *look);
/* `empty`: all that went in must have been taken out by then; or it was only not told of. */
bool channel_found_nothing(const struct channel_look *look, uint32_t channel, bool empty,
			   uintptr_t pc);
bool channel_found_no_room(const struct channel_look *look, uint32_t channel, uintptr_t pc);

#endif

/*
 * Channels: what goes in at one descriptor of this process and comes out at another one of it. A pipe
 * is one, a pair of sockets two, an eventfd one with both ends. While everybody is seen who puts
 * something in, SEND and RECEIVE say what waited for what; a channel that somebody else may put
 * something into is *lost*, and who takes from it has waited for anything (SYNC).
 *
 * The first byte that comes out and was not seen going in loses a channel, too: so what is not seen
 * (a system call in assembler, the kernel itself) does no harm for long.
 */
#ifndef RUNTIME_CHANNEL_H
#define RUNTIME_CHANNEL_H

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
 * Before a call that puts `bytes` in (0: one that ends it, the reader will learn that), and behind it
 * what went in after all. SEND is recorded in front.
 */
void channel_send(uint32_t channel, uint64_t bytes, uintptr_t pc);
void channel_sent_less(uint32_t channel, uint64_t bytes);

/*
 * Behind a call that took `bytes` out, or learned that there are some (0). True: RECEIVE was
 * recorded; false: the channel is not known, and nothing was.
 */
bool channel_receive(uint32_t channel, uint64_t bytes, uintptr_t pc);

#endif

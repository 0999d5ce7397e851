/*
 * A machine that does what a program is known to do (known.h): states of memory and objects, and
 * operations on them, without the program. As far as it goes it says what would come of an order of
 * the threads; where a thread would see what it never saw, nobody knows what it does next.
 *
 * A state is one piece of memory, so that it is copied, compared and hashed as such.
 */
#ifndef EXPLORE_MACHINE_H
#define EXPLORE_MACHINE_H

#include "explore/known.h"

struct machine {
	const struct known *known;
	uint32_t *slots; /* of cells that threads share: position in the state; else KNOWN_NONE */
	uint32_t threads, cells, objects, blocks;
	size_t bytes; /* of a state */
};

#define MACHINE_THREADS 250 /* at most */

void machine_make(struct machine *machine, const struct known *known);
void machine_free(struct machine *machine);

typedef struct machine_state machine_state; /* `bytes` of them, aligned for uint64_t */
void machine_start(const struct machine *machine, machine_state *state);
uint64_t machine_hash(const struct machine *machine, const machine_state *state);

enum machine_can {
	MACHINE_OVER,	 /* there is nothing left for the thread to do, or it was not created */
	MACHINE_BLOCKED, /* it waits */
	MACHINE_LATE,	 /* it waits, and may time out */
	MACHINE_GOES,
	MACHINE_UNKNOWN, /* nobody knows what it does next */
};
enum machine_can machine_can(const struct machine *machine, const machine_state *state,
			     uint32_t thread);

/* The operation a thread stands before; not if it is over or unknown. */
const struct known_op *machine_at(const struct machine *machine, const machine_state *state,
				  uint32_t thread);
/* What the thread saw last, for known_news. */
uint64_t machine_last(const machine_state *state, uint32_t thread);
/* The step that it is at. */
uint32_t machine_step(const machine_state *state, uint32_t thread);
uint64_t machine_view(const machine_state *state, uint32_t thread);

/* The result that the operation of a thread would have now. */
uint64_t machine_result(const struct machine *machine, const machine_state *state, uint32_t thread);
/* Would it use a block that was freed? */
bool machine_uses_freed(const struct machine *machine, const machine_state *state, uint32_t thread);
/* Can others see the operation, or be seen by it? */
bool machine_is_shared(const struct machine *machine, const struct known_op *op);

/* Does it. False: with that result it was never seen. */
bool machine_do(const struct machine *machine, machine_state *state, uint32_t thread);

/* Has the process ended? */
bool machine_ended(const struct machine *machine, const machine_state *state);

#endif

/*
 * A machine that does what a program is known to do (learned_model.h): states of memory and objects, and
 * operations on them, without the program. As far as it goes it says what would come of an order of
 * the threads; where a thread would see what it never saw, nobody knows what it does next.
 *
 * A state is one piece of memory, so that it is copied, compared and hashed as such.
 */
#ifndef EXPLORE_SEARCH_MODEL_EXEC_H
#define EXPLORE_SEARCH_MODEL_EXEC_H

#include "explore/search/learned_model.h"

struct model_exec {
	const struct learned_model *known;
	uint32_t *
		slots; /* of cells that threads share: position in the state; else LEARNED_MODEL_NONE */
	uint32_t threads, cells, objects, blocks;
	size_t bytes; /* of a state */
};

#define MODEL_EXEC_THREADS 250 /* at most */

void model_exec_make(struct model_exec *machine, const struct learned_model *known);
void model_exec_free(struct model_exec *machine);

typedef struct model_exec_state model_exec_state; /* `bytes` of them, aligned for uint64_t */
void model_exec_start(const struct model_exec *machine, model_exec_state *state);
uint64_t model_exec_hash(const struct model_exec *machine, const model_exec_state *state);

enum model_exec_can {
	MODEL_EXEC_OVER,    /* there is nothing left for the thread to do, or it was not created */
	MODEL_EXEC_BLOCKED, /* it waits */
	MODEL_EXEC_LATE,    /* it waits, and may time out */
	MODEL_EXEC_GOES,
	MODEL_EXEC_UNKNOWN, /* nobody knows what it does next */
};
enum model_exec_can model_exec_can(const struct model_exec *machine, const model_exec_state *state,
				   uint32_t thread);

/* The operation a thread stands before; not if it is over or unknown. */
const struct learned_model_op *model_exec_at(const struct model_exec *machine,
					     const model_exec_state *state, uint32_t thread);
/* What the thread saw last, for learned_model_news. */
uint64_t model_exec_last(const model_exec_state *state, uint32_t thread);
/* The step that it is at. */
uint32_t model_exec_step(const model_exec_state *state, uint32_t thread);
uint64_t model_exec_view(const model_exec_state *state, uint32_t thread);

/* The result that the operation of a thread would have now. */
uint64_t model_exec_result(const struct model_exec *machine, const model_exec_state *state,
			   uint32_t thread);
/* Would it use a block that was freed? */
bool model_exec_uses_freed(const struct model_exec *machine, const model_exec_state *state,
			   uint32_t thread);
/* Can others see the operation, or be seen by it? */
bool model_exec_is_shared(const struct model_exec *machine, const struct learned_model_op *op);

/* Does it. False: with that result it was never seen. */
bool model_exec_do(const struct model_exec *machine, model_exec_state *state, uint32_t thread);

/* Has the process ended? */
bool model_exec_ended(const struct model_exec *machine, const model_exec_state *state);

#endif

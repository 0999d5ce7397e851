/*
 * Executes a learned model (learned_model.h) instead of the program: it has states of memory and
 * objects, and operations on them. It predicts the effect of an order of the threads up to the
 * point where a thread would see something that it never saw: what it does next is not known.
 *
 * A state is one block of memory, so that it can be copied, compared and hashed as such.
 */
#ifndef EXPLORE_SEARCH_MODEL_EXEC_H
#define EXPLORE_SEARCH_MODEL_EXEC_H

#include "explore/search/learned_model.h"

struct model_exec {
	const struct learned_model *model;
	uint32_t *
		/*
		 * by cell: position in the state if threads share it, otherwise LEARNED_MODEL_NONE
		 */
		slots;
	uint32_t threads, cells, objects, blocks;
	size_t bytes; /* of a state */
};

#define MODEL_EXEC_THREADS 250 /* at most */

void model_exec_make(struct model_exec *machine, const struct learned_model *model);
void model_exec_free(struct model_exec *machine);

typedef struct model_exec_state model_exec_state; /* `bytes` long, aligned for uint64_t */
void model_exec_start(const struct model_exec *machine, model_exec_state *state);
uint64_t model_exec_hash(const struct model_exec *machine, const model_exec_state *state);

enum model_exec_can {
	MODEL_EXEC_OVER,	 /* the thread has nothing left to do, or it was not created */
	MODEL_EXEC_BLOCKED,	 /* it waits */
	MODEL_EXEC_MAY_TIME_OUT, /* it waits, and may time out */
	MODEL_EXEC_READY,
	MODEL_EXEC_UNKNOWN, /* its next operation is not known */
};
enum model_exec_can model_exec_can(const struct model_exec *machine, const model_exec_state *state,
				   uint32_t thread);

/* The next operation of a thread; the thread must not be over or unknown. */
const struct learned_model_op *model_exec_next_op(const struct model_exec *machine,
						  const model_exec_state *state, uint32_t thread);
/* The key of the thread's previous result, for learned_model_news(). */
uint64_t model_exec_last(const model_exec_state *state, uint32_t thread);
/* Number of the thread's next step. */
uint32_t model_exec_step(const model_exec_state *state, uint32_t thread);
uint64_t model_exec_view(const model_exec_state *state, uint32_t thread);

/* The result that the thread's next operation would have now. */
uint64_t model_exec_result(const struct model_exec *machine, const model_exec_state *state,
			   uint32_t thread);
/* Would it use a block that was freed? */
bool model_exec_uses_freed(const struct model_exec *machine, const model_exec_state *state,
			   uint32_t thread);
/* Can other threads see the operation, or affect it? */
bool model_exec_is_shared(const struct model_exec *machine, const struct learned_model_op *op);

/*
 * Does the thread's next operation. Returns false if the operation was never seen with that result.
 */
bool model_exec_execute(const struct model_exec *machine, model_exec_state *state, uint32_t thread);

/* Has the process ended? */
bool model_exec_ended(const struct model_exec *machine, const model_exec_state *state);

#endif

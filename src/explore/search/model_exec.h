/*
 * Executes a learned model (learned_model.h) instead of the program. A state holds memory, objects
 * and threads; operations change it. The execution predicts what the threads do in any order, up to
 * the point where a thread sees something that it never saw: what the thread does then is not
 * known.
 *
 * A state is one block of memory, so it can be copied, compared and hashed byte by byte.
 */
#ifndef EXPLORE_SEARCH_MODEL_EXEC_H
#define EXPLORE_SEARCH_MODEL_EXEC_H

#include "explore/search/learned_model.h"

struct model_exec {
	const struct learned_model *model;
	uint32_t *
		/* by cell: index in the state; LEARNED_MODEL_NONE: not kept */
		slots;
	uint32_t threads, cells, objects, blocks;
	size_t bytes; /* size of a state */
};

#define MODEL_EXEC_THREADS 250 /* most threads that a state can have */

void model_exec_make(struct model_exec *machine, const struct learned_model *model);
void model_exec_free(struct model_exec *machine);

typedef struct model_exec_state model_exec_state; /* `bytes` long, aligned for uint64_t */
void model_exec_start(const struct model_exec *machine, model_exec_state *state);
uint64_t model_exec_hash(const struct model_exec *machine, const model_exec_state *state);

enum model_exec_can {
	MODEL_EXEC_OVER,	 /* the thread has ended, or was not created */
	MODEL_EXEC_BLOCKED,	 /* the thread waits */
	MODEL_EXEC_MAY_TIME_OUT, /* the thread waits, but may time out */
	MODEL_EXEC_READY,
	MODEL_EXEC_UNKNOWN, /* the thread's next operation is not known */
};
enum model_exec_can model_exec_can(const struct model_exec *machine, const model_exec_state *state,
				   uint32_t thread);

/* Returns the next operation of a thread, which must not be over or unknown. */
const struct learned_model_op *model_exec_next_op(const struct model_exec *machine,
						  const model_exec_state *state, uint32_t thread);
/* Returns learned_model_key() of the thread's previous result, for learned_model_news(). */
uint64_t model_exec_last(const model_exec_state *state, uint32_t thread);
/* Returns the number of the thread's next step. */
uint32_t model_exec_step(const model_exec_state *state, uint32_t thread);
uint64_t model_exec_view(const model_exec_state *state, uint32_t thread);

/* Returns the result that the thread's next operation would have in this state. */
uint64_t model_exec_result(const struct model_exec *machine, const model_exec_state *state,
			   uint32_t thread);
/* Would the thread's next operation use a block that was freed? */
bool model_exec_uses_freed(const struct model_exec *machine, const model_exec_state *state,
			   uint32_t thread);
/* Can the operation affect other threads, or they affect it? */
bool model_exec_is_shared(const struct model_exec *machine, const struct learned_model_op *op);

/*
 * Does the thread's next operation. Returns false, and changes nothing, if no run showed the
 * operation with this result.
 */
bool model_exec_execute(const struct model_exec *machine, model_exec_state *state, uint32_t thread);

/* Has the process ended? */
bool model_exec_ended(const struct model_exec *machine, const model_exec_state *state);

#endif

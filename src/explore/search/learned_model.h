/*
 * What the threads of a program do, as far as runs have shown it. The next operation of a thread
 * follows from what the thread saw: the values it read, the results of its try operations. So what
 * one run shows holds in any other run in which the thread sees the same, whatever the other
 * threads do meanwhile. The *view* of a thread is a hash of what it saw, and the model is a map
 * from views to operations. (As in Huang, "Stateless model checking concurrent programs with
 * maximal causality reduction", PLDI 2015: only a run in which a read sees another value can show
 * anything new.)
 *
 * The model is only a guess where something is not visible (files, code that is not instrumented)
 * or not kept (all but the first bytes of large accesses): its users must verify by running the
 * program.
 */
#ifndef EXPLORE_SEARCH_LEARNED_MODEL_H
#define EXPLORE_SEARCH_LEARNED_MODEL_H

#include "base/map.h"
#include "explore/control/runner.h"
#include "explore/search/op_uses.h"

#define LEARNED_MODEL_NONE UINT32_MAX

/* An operation as a run showed it. */
struct learned_model_op {
	uint8_t kind, flags;
	/* accesses: position in the cell in bits, and number of bytes in it */
	uint8_t shift, bytes;
	uint32_t step;
	/* number of the cell, object or thread, depending on the kind; FREE: none */
	uint32_t target;
	uint32_t mutex; /* WAIT, WOKEN: object */
	uint32_t block; /* the heap block that it is in; FREE: that it frees */
	uint64_t value; /* accesses: afterwards; inits: the number */
	uint64_t result;
	uint64_t site;
};

/* 8 bytes of memory. */
struct learned_model_cell {
	uint64_t first;	     /* its value at the start of a run */
	uint8_t first_known; /* bit mask of the bytes that are known */
	uint32_t user;	     /* the first thread that used it */
	bool shared, written;
	bool wild; /* it changes in ways that are not visible */
};

struct learned_model {
	struct map next; /* from a view to the operation that follows */
	struct map done; /* from the view after an operation to that operation */
	struct map ends; /* views of main at the end of the process */
	VEC(struct learned_model_op) ops;
	struct map cell_numbers, object_numbers, block_numbers; /* by address */
	VEC(struct learned_model_cell) cells;
	uint32_t objects, blocks;
	struct use_blocks block_list;
	struct map seen, seen_after; /* results by site; … and the thread's previous result */
	uint32_t threads;
};
void learned_model_free(struct learned_model *model);

/* Returns false if the run is too long, or shows nothing new. */
bool learned_model_learn(struct learned_model *model, const struct outcome *outcome);

/* The operation that follows a view, and the operation that led to the view `after`, or NULL. */
const struct learned_model_op *learned_model_next(const struct learned_model *model, uint64_t view);
const struct learned_model_op *learned_model_done(const struct learned_model *model,
						  uint64_t after);
bool learned_model_ends(const struct learned_model *model, uint64_t view);

uint64_t learned_model_start(uint32_t thread); /* the view of a thread that has seen nothing yet */
/* The view after an operation with this result; results that are always the same are 0. */
uint64_t learned_model_after(uint64_t view, const struct learned_model_op *op, uint64_t result);
/*
 * The result of an operation that does not read but can succeed, fail, time out or wake up
 * spuriously.
 */
uint64_t learned_model_attempt(uint8_t kind, uint8_t flags);

enum learned_model_news {
	LEARNED_MODEL_NEW_RESULT,   /* no thread ever saw this result at this site */
	LEARNED_MODEL_NEW_SEQUENCE, /* no thread saw it after the previous result */
	LEARNED_MODEL_NEW_VIEW,	    /* only the combination of all results is new */
};
/* `last`: the key of the thread's previous result, as learned_model_key() gives it; 0: none. */
enum learned_model_news learned_model_news(const struct learned_model *model,
					   const struct learned_model_op *op, uint64_t result,
					   uint64_t last);
uint64_t learned_model_key(const struct learned_model_op *op, uint64_t result);

bool learned_model_has_result(const struct learned_model_op *op); /* can it have several results? */

#endif

/*
 * Models what the threads of a program do, as far as runs have shown it. The next operation of a
 * thread follows from what the thread saw: the values that it read and the results of its try
 * operations. So what one run shows holds in every run in which the thread sees the same, whatever
 * the other threads do meanwhile. The *view* of a thread is a hash of what it saw, and the model
 * maps views to operations. (As in Huang, "Stateless model checking concurrent programs with
 * maximal causality reduction", PLDI 2015: only a run in which a read sees another value can show
 * anything new.)
 *
 * The model is only a guess where it lacks data: files and code that is not instrumented are not
 * visible, and of a large access only the first bytes are kept. Users of the model must verify its
 * predictions by running the program.
 */
#ifndef EXPLORE_SEARCH_LEARNED_MODEL_H
#define EXPLORE_SEARCH_LEARNED_MODEL_H

#include "base/map.h"
#include "explore/control/runner.h"
#include "explore/search/op_uses.h"

#define LEARNED_MODEL_NONE UINT32_MAX

/* An operation that a run did. */
struct learned_model_op {
	uint8_t kind, flags;
	/* accesses: first bit in the cell, and number of bytes in the cell */
	uint8_t shift, bytes;
	uint32_t step;
	/* number of the accessed cell, the object or the thread, depending on the kind */
	uint32_t target;
	uint32_t mutex; /* WAIT, WOKEN: number of the mutex, as an object */
	uint32_t block; /* number of the heap block that contains the address */
	uint64_t value; /* of memory after an access; *_INIT: the initial count */
	uint64_t result;
	uint64_t site;
};

/* 8 bytes of memory. */
struct learned_model_cell {
	uint64_t first;	     /* value at the start of a run */
	uint8_t first_known; /* bit mask of the bytes of `first` that are known */
	uint32_t user;	     /* the first thread that accessed the cell */
	bool shared, written;
	bool wild; /* its value changes in ways that the log does not show */
};

struct learned_model {
	struct map next; /* from a view to the next operation */
	struct map done; /* from a view to the operation that led to it */
	struct map ends; /* set of main's views at the end of the process */
	VEC(struct learned_model_op) ops;
	struct map cell_numbers, object_numbers, block_numbers; /* numbers by address */
	VEC(struct learned_model_cell) cells;
	uint32_t objects, blocks;
	struct use_blocks block_list;
	struct map seen, seen_after; /* results by site; by site and previous result */
	uint32_t threads;
};
void learned_model_free(struct learned_model *model);

/* Returns false if the run is too large to be learnt or shows nothing new. */
bool learned_model_learn(struct learned_model *model, const struct outcome *outcome);

/*
 * learned_model_next() returns the operation that follows a view, learned_model_done() the one that
 * led to the view `after`; NULL: not known.
 */
const struct learned_model_op *learned_model_next(const struct learned_model *model, uint64_t view);
const struct learned_model_op *learned_model_done(const struct learned_model *model,
						  uint64_t after);
bool learned_model_ends(const struct learned_model *model, uint64_t view);

uint64_t learned_model_start(uint32_t thread); /* the view of a thread that has seen nothing */
/* Returns the view after the operation; `result` is 0 for operations that always have the same. */
uint64_t learned_model_after(uint64_t view, const struct learned_model_op *op, uint64_t result);
/*
 * Returns the result of an operation that does not read memory but can succeed, fail, time out or
 * wake up spuriously.
 */
uint64_t learned_model_attempt(uint8_t kind, uint8_t flags);

enum learned_model_news {
	LEARNED_MODEL_NEW_RESULT,   /* no thread ever had this result at this site */
	LEARNED_MODEL_NEW_SEQUENCE, /* no thread had it there after the same previous result */
	LEARNED_MODEL_NEW_VIEW,	    /* only the combination of all results is new */
};
/* How new is this result? `last`: learned_model_key() of the thread's previous result; 0: none. */
enum learned_model_news learned_model_news(const struct learned_model *model,
					   const struct learned_model_op *op, uint64_t result,
					   uint64_t last);
uint64_t learned_model_key(const struct learned_model_op *op, uint64_t result);

bool learned_model_has_result(const struct learned_model_op *op); /* can it have several results? */

#endif

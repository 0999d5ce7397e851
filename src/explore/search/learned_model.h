/*
 * What the threads of a program do, as far as runs have shown it. What a thread does next follows
 * from what it saw: the values it read, how its tries came out. So what was learnt from one run holds
 * in any other in which the thread sees the same, whatever the others do meanwhile; the *view* of a
 * thread is a hash of what it saw, and knowledge is a map from views to operations. (As in Huang,
 * "Stateless model checking concurrent programs with maximal causality reduction", PLDI 2015: only
 * a run in which a read sees another value can show anything new.)
 *
 * It is no more than a guess where something is not seen (files, code that was not instrumented) or
 * not kept (of large accesses all but the first bytes): who uses it must try whether it is true.
 */
#ifndef EXPLORE_SEARCH_LEARNED_MODEL_H
#define EXPLORE_SEARCH_LEARNED_MODEL_H

#include "base/map.h"
#include "explore/control/session.h"
#include "explore/search/op_uses.h"

#define LEARNED_MODEL_NONE UINT32_MAX

/* An operation as a run showed it. */
struct learned_model_op {
	uint8_t kind, flags;
	uint8_t shift, bytes; /* accesses: where in the cell, and how much of it */
	uint32_t step;
	uint32_t place; /* cell, object or thread, as the kind has it; FREE: none */
	uint32_t mutex; /* WAIT, WOKEN: object */
	uint32_t block; /* that it is in; FREE: that it ends */
	uint64_t value; /* accesses: afterwards; inits: the number */
	uint64_t result;
	uint64_t site;
};

/* 8 bytes of memory. */
struct learned_model_cell {
	uint64_t first;	     /* what it has at the start of a run */
	uint8_t first_known; /* bytes */
	uint32_t user;	     /* the first thread that used it */
	bool shared, written;
	bool wild; /* it changes in ways that are not seen */
};

struct learned_model {
	struct map next; /* view: the operation that follows */
	struct map done; /* view behind an operation: how it was */
	struct map ends; /* views of main at the end of the process */
	VEC(struct learned_model_op) ops;
	struct map cell_numbers, object_numbers, block_numbers; /* by address */
	VEC(struct learned_model_cell) cells;
	uint32_t objects, blocks;
	struct use_blocks block_list;
	struct map seen, seen_behind; /* results by site; … and the thread's last result */
	uint32_t threads;
};
void learned_model_free(struct learned_model *known);

/* False: the run is too long, or shows nothing that was not known. */
bool learned_model_learn(struct learned_model *known, const struct outcome *outcome);

/* The operation that follows a view, or NULL; as it was when the view behind it was `after`. */
const struct learned_model_op *learned_model_next(const struct learned_model *known, uint64_t view);
const struct learned_model_op *learned_model_done(const struct learned_model *known,
						  uint64_t after);
bool learned_model_ends(const struct learned_model *known, uint64_t view);

uint64_t learned_model_start(uint32_t thread); /* the view of a thread that saw nothing yet */
/* The view behind an operation whose result was this; results that are always the same are 0. */
uint64_t learned_model_behind(uint64_t view, const struct learned_model_op *op, uint64_t result);
/* The result of an operation that can come out in several ways without reading: how it did. */
uint64_t learned_model_way(uint8_t kind, uint8_t flags);

enum learned_model_news {
	LEARNED_MODEL_NEW_RESULT, /* at this site nobody ever saw that */
	LEARNED_MODEL_NEW_BEHIND, /* nobody saw it behind what the thread saw last */
	LEARNED_MODEL_NEW_VIEW,	  /* only all in all it is new */
};
/* `last`: the key of what the thread saw last, as learned_model_key gives it; 0: nothing. */
enum learned_model_news learned_model_news(const struct learned_model *known,
					   const struct learned_model_op *op, uint64_t result,
					   uint64_t last);
uint64_t learned_model_key(const struct learned_model_op *op, uint64_t result);

bool learned_model_has_result(
	const struct learned_model_op *op); /* can it come out in several ways? */

#endif

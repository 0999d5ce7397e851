/*
 * A model and a query as a flat list of facts, from which facts can be removed. Random queries are
 * made, shrunk and printed in this form.
 */
#ifndef TEST_QUERIES_SKETCH_H
#define TEST_QUERIES_SKETCH_H

#include "order/model/query.h"

enum fact_kind {
	FACT_EDGE,	/* a, b */
	FACT_INITIAL,	/* object: cell; value */
	FACT_WRITE,	/* object: cell; a: node; value */
	FACT_READ,	/* object: cell; a: node; value; b: writer */
	FACT_SECTION,	/* object: lock; a acquires, b releases; thread; flag: shared */
	FACT_FAIL,	/* object: lock; a: node; flag: shared */
	FACT_WAIT,	/* object: condition; a waits, b is woken; thread; value: enum order_wake */
	FACT_SIGNAL,	/* object: condition; a: node; flag: broadcast */
	FACT_SEMAPHORE, /* object: semaphore; value: initial value */
	FACT_POST,	/* object: semaphore; a: node */
	FACT_DOWN,
	FACT_ZERO,
	FACT_CLAUSE, /* literals */
	FACT_EMPTY,  /* object: semaphore; literals[0] */
	FACT_DEAF,   /* a: number of the wait's fact; literals[0] */
};

/* "a before b". Or a boolean: a is ORDER_NONE, b its number, `negative` its sign. */
struct sketch_literal {
	uint32_t a, b;
	bool negative;
};

#define SKETCH_LITERALS 6

struct fact {
	uint8_t kind;
	bool flag;
	uint32_t object, a, b, value, thread;
	uint32_t number; /* unchanged when other facts are removed */
	uint32_t literal_count;
	struct sketch_literal literals[SKETCH_LITERALS];
};

struct sketch {
	uint32_t threads;
	VEC(uint32_t) nodes; /* thread of each node */
	VEC(struct fact) facts;
};

/* Adds a fact and gives it a number. */
struct fact *sketch_add(struct sketch *sketch, struct fact fact);
void sketch_add_literal(struct fact *fact, uint32_t a, uint32_t b, bool negative);

void sketch_free(struct sketch *sketch);
void sketch_copy(struct sketch *to, const struct sketch *from);

/* Remove fact i, or node n and all facts that mention it. */
void sketch_drop_fact(struct sketch *sketch, size_t i);
void sketch_drop_node(struct sketch *sketch, uint32_t node);

/* Builds the model and the query; the model is indexed. */
void sketch_build(const struct sketch *sketch, struct order_model *model,
		  struct order_query *query);
/* The inverse: makes a sketch from a model of cells, locks and edges, and a query of clauses. */
void sketch_take(struct sketch *sketch, const struct order_model *model,
		 const struct order_query *query);

void sketch_print(const struct sketch *sketch);

#endif

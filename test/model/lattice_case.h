/*
 * Random small computations for the lattice: a machine with threads, variables and sync objects does
 * random operations one after the other, each with the result it really has; and a random formula
 * over its variables and events.
 */
#ifndef MODEL_LATTICE_CASE_H
#define MODEL_LATTICE_CASE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CASE_THREADS 4
#define CASE_EVENTS 24
#define CASE_VARIABLES 3
#define CASE_LOCKS 4 /* the last two are read-write locks */
#define CASE_NODES 24

enum case_op {
	OP_READ,
	OP_WRITE,
	OP_UPDATE,
	OP_ACQUIRE,
	OP_RELEASE,
	OP_READ_ACQUIRE,
	OP_READ_RELEASE,
	OP_FAIL,      /* a try */
	OP_READ_FAIL, /* the same, to read */
	OP_TIMEOUT,   /* a timed lock that was not had in time */
	OP_WAIT,
	OP_WOKEN,
	OP_NOTIFY,
	OP_NOTIFY_ALL,
	OP_POST,
	OP_DOWN,
	OP_FORK,
	OP_JOIN,
	OP_PROBE, /* object: which */
};

struct case_event {
	int thread;
	enum case_op op;
	int object; /* variable, lock, condition, semaphore; thread of a fork or join */
	int other;  /* WAIT, WOKEN: the lock */
	int value, old;
};

/* Names of what formulas are made of. */
enum case_atom { ATOM_EQUAL, ATOM_EVENT };
enum case_named {
	NAMED_E0,
	NAMED_E1,
	NAMED_READ_X,
	NAMED_WRITE_Y,
	NAMED_REQUEST,
	NAMED_RELEASE,
	NAMED
};

enum case_operator {
	NODE_ATOM,
	NODE_NOT,
	NODE_AND,
	NODE_OR,
	NODE_IMPLIES,
	/* past */
	NODE_PREV,
	NODE_ONCE,
	NODE_SOFAR,
	NODE_SINCE,
	NODE_START,
	NODE_END,
	NODE_INTERVAL,
	/* future */
	NODE_NEXT,
	NODE_UNTIL,
	NODE_EVENTUALLY,
	NODE_ALWAYS,
};
struct case_node {
	enum case_operator operator;
	int left, right;
	enum case_atom atom;
	int variable, value, named;
};

enum case_kind { CASE_ALWAYS, CASE_NEVER, CASE_LTL };

struct lattice_case {
	int threads, count;
	int initial[CASE_VARIABLES];
	struct case_event events[CASE_EVENTS];
	enum case_kind kind;
	int root, nodes;
	struct case_node node[CASE_NODES];
};

void case_make(struct lattice_case *c, uint64_t *random);
uint64_t case_random(uint64_t *random, uint64_t below);

/* The trace as a text, every line with a place of its own, and the property. */
void case_print_trace(const struct lattice_case *c, FILE *out);
void case_print_property(const struct lattice_case *c, FILE *out);

/* Does the formula name it? Only such events are the property's. */
bool case_uses_variable(const struct lattice_case *c, int variable);
bool case_names(const struct lattice_case *c, int named);

/* Without one of its events, if what is left can have been. */
bool case_without(const struct lattice_case *c, int event, struct lattice_case *smaller);

#endif

/*
 * Random small computations for the lattice. A machine with threads, variables and sync objects
 * does random operations one after the other, each with its real result. A random formula uses its
 * variables and events.
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
	OP_FAIL,      /* a failed try */
	OP_READ_FAIL, /* a failed try of the read lock */
	OP_TIMEOUT,   /* a timed lock that timed out */
	OP_WAIT,
	OP_WOKEN,
	OP_NOTIFY,
	OP_NOTIFY_ALL,
	OP_POST,
	OP_DOWN,
	OP_FORK,
	OP_JOIN,
	OP_PROBE, /* `object` is the number of the probe */
};

struct case_event {
	int thread;
	enum case_op op;
	int object; /* the variable, lock, condition or semaphore; the thread of a fork or join */
	int other;  /* WAIT, WOKEN: the mutex */
	int value, old;
};

/* The atoms of formulas. */
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
	/* past-time operators */
	NODE_PREV,
	NODE_ONCE,
	NODE_SOFAR,
	NODE_SINCE,
	NODE_START,
	NODE_END,
	NODE_INTERVAL,
	/* future-time operators */
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

/* Prints the trace as text, each line with a site of its own, and the property. */
void case_print_trace(const struct lattice_case *c, FILE *out);
void case_print_property(const struct lattice_case *c, FILE *out);

/* Does the formula use the variable? Only such events are seen by the property. */
bool case_uses_variable(const struct lattice_case *c, int variable);
bool case_names(const struct lattice_case *c, int named);

/* Makes a case without one of its events. Returns false if the rest is not possible. */
bool case_without(const struct lattice_case *c, int event, struct lattice_case *smaller);

#endif

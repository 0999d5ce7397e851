/*
 * Small multithreaded programs that exist only in this test: the oracle of the systematic search. A
 * program has a few instructions for each thread, on shared variables, locks, conditions,
 * semaphores and barriers. A state can be copied, so that all schedules can be enumerated. An
 * executor runs a program with a plan, as doc/controlled-runs.md says.
 */
#ifndef MODEL_SIMULATED_H
#define MODEL_SIMULATED_H

#include "explore/control/runner.h"

#define SIM_THREADS 4
#define SIM_CODE 12
#define SIM_OBJECTS 3
#define SIM_WAITING 8
#define SIM_EVENTS 512

enum sim_op {
	SIM_READ,      /* register a = variable b */
	SIM_WRITE,     /* variable b = c */
	SIM_STORE,     /* variable b = register a + c */
	SIM_ADD,       /* atomic: register a = variable b, variable b += c */
	SIM_SWAP,      /* atomic: if variable b is 0 it becomes c, register a = 1; else a = 0 */
	SIM_LOCK,      /* mutex b */
	SIM_UNLOCK,    /* mutex b */
	SIM_TRYLOCK,   /* register a = was it acquired? */
	SIM_TIMEDLOCK, /* register a = was it acquired? */
	SIM_READ_LOCK,
	SIM_READ_UNLOCK,
	SIM_WAIT,      /* condition b, mutex c */
	SIM_TIMEDWAIT, /* condition b, mutex c; register a = was it woken? */
	SIM_SIGNAL,
	SIM_BROADCAST,
	SIM_POST,
	SIM_DOWN,
	SIM_TRYDOWN, /* semaphore b; register a = was it decremented? */
	SIM_BARRIER,
	SIM_INIT,   /* initialises barrier b, or semaphore b if c */
	SIM_CREATE, /* creates thread b */
	SIM_JOIN,
	SIM_SPIN,   /* reads variable b until it equals c */
	SIM_SKIP,   /* if register a is b, skip c instructions */
	SIM_ASSERT, /* asserts that register a is not b */
	SIM_END,
};

struct sim_code {
	uint8_t op, a, b, c;
};

struct sim_program {
	uint32_t threads;
	struct sim_code code[SIM_THREADS][SIM_CODE + 1]; /* ends in SIM_END */
	uint8_t counts[SIM_OBJECTS];			 /* initial values of the semaphores */
	/* number of threads that meet at a barrier */
	uint8_t meet;
	uint8_t rounds; /* rounds of SIM_SPIN before it blocks */
	bool spins;	/* the program has a SIM_SPIN */
	/* main may end without joining all threads */
	bool leaves;
};

struct sim_thread {
	uint8_t at, part;		/* at: instruction; part: second half of WAIT and BARRIER */
	bool begun, created, over, out; /* out: main is just before exit */
	uint8_t registers[2];
	uint32_t step;
	uint8_t since, meeting;
	uint8_t spun;
};

struct sim_state {
	struct sim_thread threads[SIM_THREADS];
	uint8_t variables[SIM_OBJECTS];
	struct sim_lock {
		uint8_t writer; /* 1 + the thread */
		uint8_t readers;
	} locks[SIM_OBJECTS];
	struct sim_condition {
		uint8_t waiters[SIM_WAITING], waiter_count; /* waiting threads */
		uint8_t tokens[SIM_WAITING], token_count;   /* moments of the signals */
		uint8_t now;
	} conditions[SIM_OBJECTS];
	uint8_t counts[SIM_OBJECTS];
	uint8_t arrived[SIM_OBJECTS];
	enum control_result result; /* anything but UNFINISHED: the run is over */
	uint8_t failed_thread, failed_at;
};

void sim_start(const struct sim_program *program, struct sim_state *state);

/* Can this thread continue? SIM_LATE: only by timing out. */
enum sim_can { SIM_NO, SIM_LATE, SIM_YES };
enum sim_can sim_can(const struct sim_program *program, const struct sim_state *state,
		     uint32_t thread);

/*
 * Sets the thread's next event; returns false if the thread has ended. `kind` is that of success.
 */
bool sim_next(const struct sim_program *program, const struct sim_state *state, uint32_t thread,
	      struct control_event *event);

/* Does the next event. Returns false if it was no step (main's exit). */
bool sim_step(const struct sim_program *program, struct sim_state *state, uint32_t thread,
	      struct control_event *event);

/* Hash of the end of a run: the result, variables, registers, and the position of each thread. */
uint64_t sim_hash_end(const struct sim_program *program, const struct sim_state *state);
/* Hash of the kind and the place of a failure, or 0. */
uint64_t sim_hash_failure(const struct sim_state *state);

/* ---- executor ----------------------------------------------------------------------------- */

struct simulated {
	struct executor executor;
	struct sim_program own; /* a copy with more rounds */
	const struct sim_program *program;
	struct sim_state end;
	struct control_event events[SIM_EVENTS];
	struct control_blocked blocked[SIM_THREADS];
	struct control_thread threads[SIM_THREADS];
	uint64_t runs;
};
void simulated_open(struct simulated *simulated, const struct sim_program *program);

/* ---- programs ----------------------------------------------------------------------------- */

void sim_make(struct sim_program *program, uint64_t seed);
void sim_print(const struct sim_program *program);

/* ---- all schedules ------------------------------------------------------------------------ */

#include "base/map.h"

struct sim_all {
	struct map ends, failures, traces;
	uint64_t schedules;
	bool too_many;
};
void sim_walk_all(const struct sim_program *program, uint64_t most, struct sim_all *all);

/* ---- what is imagined ---------------------------------------------------------------------- */

struct sim_imagined {
	/* runs that model_search predicted; those of them that it called known */
	uint64_t runs, known;
	/* programs that can fail; those in which model_search found that */
	uint64_t failing, found;
};
/* Returns an error, or NULL. */
const char *sim_check_imagined(const struct sim_program *program, const struct sim_all *all,
			       struct sim_imagined *figures);

#endif

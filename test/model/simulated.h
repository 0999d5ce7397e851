/*
 * Small threaded programs that exist only here: the oracle of the systematic search. A program is
 * a few instructions for each thread over shared variables, locks, conditions, semaphores and
 * barriers; a state can be copied, so that all schedules can be walked through, and an executor
 * runs a program along a plan as doc/controlled-runs.md says.
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
	SIM_TRYLOCK,   /* register a = got it */
	SIM_TIMEDLOCK, /* register a = got it */
	SIM_READ_LOCK,
	SIM_READ_UNLOCK,
	SIM_WAIT,      /* condition b, mutex c */
	SIM_TIMEDWAIT, /* register a = woken */
	SIM_SIGNAL,
	SIM_BROADCAST,
	SIM_POST,
	SIM_DOWN,
	SIM_TRYDOWN, /* register a = got it */
	SIM_BARRIER,
	SIM_INIT,   /* of barrier b; of semaphore b if c */
	SIM_CREATE, /* thread b */
	SIM_JOIN,
	SIM_SPIN,   /* reads variable b until it is c */
	SIM_SKIP,   /* if register a is b, skip c instructions */
	SIM_ASSERT, /* register a is not b */
	SIM_END,
};

struct sim_code {
	uint8_t op, a, b, c;
};

struct sim_program {
	uint32_t threads;
	struct sim_code code[SIM_THREADS][SIM_CODE + 1]; /* ends in SIM_END */
	uint8_t counts[SIM_OBJECTS];			 /* of the semaphores, at first */
	uint8_t meet;					 /* how many meet at a barrier */
	uint8_t rounds;					 /* of SIM_SPIN before it blocks */
	bool spins;					 /* has SIM_SPIN */
	bool leaves;					 /* main may not join all */
};

struct sim_thread {
	uint8_t at, part;		/* instruction; second half of WAIT, BARRIER */
	bool begun, created, over, out; /* out: main stands before exit */
	uint8_t registers[2];
	uint32_t step;
	uint8_t since, meeting;
	uint8_t spun;
};

struct sim_state {
	struct sim_thread threads[SIM_THREADS];
	uint8_t variables[SIM_OBJECTS];
	struct sim_lock {
		uint8_t writer; /* thread + 1 */
		uint8_t readers;
	} locks[SIM_OBJECTS];
	struct sim_condition {
		uint8_t waiters[SIM_WAITING], waiter_count; /* threads */
		uint8_t tokens[SIM_WAITING], token_count;   /* moments */
		uint8_t now;
	} conditions[SIM_OBJECTS];
	uint8_t counts[SIM_OBJECTS];
	uint8_t arrived[SIM_OBJECTS];
	enum control_result result; /* not UNFINISHED: over */
	uint8_t failed_thread, failed_at;
};

void sim_start(const struct sim_program *program, struct sim_state *state);

/* Can this thread go on? SIM_LATE: only by timing out. */
enum sim_can { SIM_NO, SIM_LATE, SIM_YES };
enum sim_can sim_can(const struct sim_program *program, const struct sim_state *state,
		     uint32_t thread);

/* What it would do next; false if it is over. `kind` is the one of success. */
bool sim_next(const struct sim_program *program, const struct sim_state *state, uint32_t thread,
	      struct control_event *event);

/* Does it. False: the event was no step (main's exit). */
bool sim_step(const struct sim_program *program, struct sim_state *state, uint32_t thread,
	      struct control_event *event);

/* What distinguishes ends: the result, variables, registers, where each thread is. */
uint64_t sim_hash_end(const struct sim_program *program, const struct sim_state *state);
/* The kind of failure and where, or 0. */
uint64_t sim_hash_failure(const struct sim_state *state);

/* ---- executor ----------------------------------------------------------------------------- */

struct simulated {
	struct executor executor;
	struct sim_program own; /* with more rounds */
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
	uint64_t runs, known;	 /* that were imagined; that were said to be known */
	uint64_t failing, found; /* programs that can fail; where that was found so */
};
/* What is wrong, or NULL. */
const char *sim_check_imagined(const struct sim_program *program, const struct sim_all *all,
			       struct sim_imagined *figures);

#endif

/*
 * A random program that is made up while it runs: a machine with threads, memory and sync objects
 * does random operations one after the other, each with the result it really has, and every one
 * becomes a line of a text trace.
 */
#ifndef MODEL_GENERATE_H
#define MODEL_GENERATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define THREADS 4
#define LOCKS 3 /* and as many read-write locks behind them */
#define LOCK_COUNT (2 * LOCKS + 1)
#define HEAP_LOCK (2 * LOCKS) /* a mutex inside the heap block */
#define CONDITIONS 2
#define SEMAPHORES 2
#define MEMORY_BYTES 256
#define OBJECTS_OF 4 /* the lock l, the condition c, the semaphore s, the barrier b */

enum doing { ABSENT, RUNNING, ASKING, WAITING, MEETING, GONE };

/* What an ASKING thread has asked for: the operation that follows its request. */
enum ask { ASK_LOCK, ASK_READ, ASK_DOWN, ASK_JOIN };

struct thread {
	enum doing doing;
	enum ask ask;
	int what; /* ASKING: lock, semaphore or thread; WAITING: condition */
	bool forked, begun, has_begin, joined;
	int depth[LOCK_COUNT], reads[LOCK_COUNT];
	int mutex, saved;  /* WAITING: gave this one back, held so deep */
	bool timed, woken; /* WAITING */
	int once;	   /* running it: its number + 1 */
	int handler;	   /* in a signal handler: so many operations more */
	int regions;	   /* bits: open */
	bool stack, detached;
};

struct machine {
	uint64_t random;
	FILE *out;
	int events, most;
	bool tidy; /* nothing new is begun: locks are given back, threads end */

	/* what this trace is made of */
	int thread_count, lock_count, variable_count;
	unsigned groups;
	int value_mode, value_range;
	bool overlap, by_fork;
	bool handlers_sync; /* signal handlers lock, wait, hang */
	bool abuses;	    /* objects begin and end while they are used, and are used behind it */

	struct thread threads[THREADS];
	bool recursive[LOCK_COUNT];
	int semaphore[SEMAPHORES];
	int barrier_size, barrier_here, barrier_done; /* who came to this meeting; met before */
	bool barrier_open[THREADS];		      /* may pass */
	int once[2];				      /* 0 not run, 1 running, 2 done */
	bool block_live;
	bool mapped[2], fd_open[2]; /* two pages of memory; descriptors 3 and 4 */
	int sent[2];		    /* bytes in a channel */
	bool object_ended[OBJECTS_OF];
	bool place_same;	      /* lines come at few places */
	uint8_t memory[MEMORY_BYTES]; /* variables, then the block */
};

enum group {
	MEMORY = 1,
	ATOMICS = 2,
	MUTEXES = 4,
	RWLOCKS = 8,
	CONDITIONALS = 16,
	SEMAPHORAL = 32,
	BARRIERS = 64,
	ONCES = 128,
	HEAP = 256,
	FORKS = 512,
	NOISE = 1024, /* what only the environment explains */
	HANDLERS = 2048,
	CHANNELS = 4096,
	MAPPINGS = 8192, /* and descriptors */
	OBJECTS = 16384, /* lives of sync objects */
	REGIONS = 32768,
	STACKS = 65536,
};

/* An operation: does it with a running thread and says so, or finds that it cannot be done. */
struct operation {
	enum group group;
	int weight;
	bool tidies; /* part of winding down */
	bool (*try)(struct machine *m, int thread);
};

/* Tables of operations; the last row has no function. */
extern const struct operation generate_memory[], generate_locks[], generate_others[],
	generate_lives[];

/* A thread that has asked, waits or meets goes on, if it can. */
bool generate_resume(struct machine *m, int thread);
bool generate_resume_lock(struct machine *m, int thread);
bool generate_resume_wait(struct machine *m, int thread);
void generate_ask(struct machine *m, int thread, enum ask what, int which);

/* Does anybody hold the lock, ask for it, or wait with it? */
bool generate_lock_is_used(const struct machine *m, int lock);
bool generate_lock_is_held(const struct machine *m, int lock);

uint64_t generate_random(struct machine *m, uint64_t below);
void generate_line(struct machine *m, int thread, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

/*
 * A random program that is generated while it runs: a machine with threads, memory and sync objects
 * does random operations one after the other. Each operation has the result that it really has, and
 * becomes a line of a text trace.
 */
#ifndef MODEL_GENERATE_H
#define MODEL_GENERATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define THREADS 4
#define LOCKS 3 /* mutexes; the same number of read-write locks follow */
#define LOCK_COUNT (2 * LOCKS + 1)
#define HEAP_LOCK (2 * LOCKS) /* a mutex inside the heap block */
#define CONDITIONS 2
#define SEMAPHORES 2
#define MEMORY_BYTES 256
#define OBJECTS_OF 4 /* the lock l, the condition c, the semaphore s, the barrier b */

enum doing { ABSENT, RUNNING, ASKING, WAITING, MEETING, GONE };

/* The operation that a thread in state ASKING has requested. */
enum ask { ASK_LOCK, ASK_READ, ASK_DOWN, ASK_JOIN };

struct thread {
	enum doing doing;
	enum ask ask;
	int what; /* ASKING: the lock, semaphore or thread; WAITING: the condition */
	bool forked, begun, has_begin, joined;
	int depth[LOCK_COUNT], reads[LOCK_COUNT];
	int mutex, saved;  /* WAITING: the mutex that was released, and its recursion depth */
	bool timed, woken; /* WAITING: a timed wait; has been woken */
	int once;	   /* 1 + the once that the thread is running; 0: none */
	int handler;	   /* operations left in the current signal handler; 0: in none */
	int regions;	   /* open regions, as a bit set */
	bool stack, detached;
};

struct machine {
	uint64_t random;
	FILE *out;
	int events, most;
	bool tidy; /* the end of the trace: only releases and ends of threads */

	/* what this trace uses */
	int thread_count, lock_count, variable_count;
	unsigned groups;
	int value_mode, value_range;
	bool overlap, by_fork;
	bool handlers_sync; /* signal handlers may lock, wait and block */
	/* objects may begin and end while they are in use, and may be used after their end */
	bool abuses;

	struct thread threads[THREADS];
	bool recursive[LOCK_COUNT];
	int semaphore[SEMAPHORES];
	/* barrier_here: threads at the current meeting; barrier_done: meetings before it */
	int barrier_size, barrier_here, barrier_done;
	bool barrier_open[THREADS]; /* by thread: may pass the barrier */
	int once[2];		    /* 0 not run, 1 running, 2 done */
	bool block_live;
	bool mapped[2], fd_open[2]; /* two pages of memory; descriptors 3 and 4 */
	int sent[2];		    /* by channel: bytes in it */
	bool object_ended[OBJECTS_OF];
	bool place_same;	      /* the lines use only a few sites */
	uint8_t memory[MEMORY_BYTES]; /* the variables, then the heap block */
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
	NOISE = 1024, /* values that only the environment explains */
	HANDLERS = 2048,
	CHANNELS = 4096,
	MAPPINGS = 8192, /* mappings and descriptors */
	OBJECTS = 16384, /* lifetimes of sync objects */
	REGIONS = 32768,
	STACKS = 65536,
};

/*
 * An operation. `try` does it in a running thread and writes its line, or returns false if it is
 * impossible now.
 */
struct operation {
	enum group group;
	int weight;
	bool tidies; /* also used at the end of the trace */
	bool (*try)(struct machine *m, int thread);
};

/* Tables of operations; the last row has no function. */
extern const struct operation generate_memory[], generate_locks[], generate_others[],
	generate_lives[];

/* Lets a thread continue that is in state ASKING, WAITING or MEETING, if it can. */
bool generate_resume(struct machine *m, int thread);
bool generate_resume_lock(struct machine *m, int thread);
bool generate_resume_wait(struct machine *m, int thread);
void generate_ask(struct machine *m, int thread, enum ask what, int which);

/* Does any thread hold the lock, request it, or wait with it? */
bool generate_lock_is_used(const struct machine *m, int lock);
bool generate_lock_is_held(const struct machine *m, int lock);

uint64_t generate_random(struct machine *m, uint64_t below);
void generate_line(struct machine *m, int thread, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

/*
 * Which threads can influence which: the dependency graph and the window of Havelund, "Using
 * Runtime Analysis to Guide Model Checking of Java Programs" (SPIN 2000), section 4.2, figure 11.
 * What the paper calls a window is called a *thread set* here.
 *
 * A warning names threads. A search that interleaves these threads must also include the thread
 * that created each of them, and every thread that writes what one of them reads; and the same
 * again for the threads included so far. The result is the thread set.
 *
 * The paper's unit is the Java object. Here it is the byte (stored in cells of 8 with masks). As
 * one object, a heap block or a global array that holds one part for each thread would add all of
 * these threads, and so would two ints side by side in a cell. ALLOC and MAP begin a new lifetime
 * of memory, and so does BEGIN for a stack. What the paper leaves to the virtual machine counts as
 * well: SIGNAL, BROADCAST, POST, ARRIVE, SEND, ONCE_END are writes of their object, and WOKEN,
 * DOWN, DOWN_FAIL, PASS, RECEIVE, ONCE are reads of it; JOIN reads what the joined thread's END
 * writes. Mutexes do not count: a thread that only uses the same lock can make another one wait,
 * but cannot change what the other one does.
 *
 * This is more precise than the paper in one point: a thread counts only up to the event after
 * which it no longer matters. A creator matters up to its last CREATE of a thread in the set, a
 * writer up to its last write of what was read. So a main thread that creates and joins all threads
 * and then reads every result does not add all of them.
 *
 * Costs one pass over the base run, and 40 bytes for each cell and thread that accesses it.
 */
#ifndef PREDICT_WARNINGS_DEPENDENCY_H
#define PREDICT_WARNINGS_DEPENDENCY_H

#include "base/vec.h"
#include "trace/trace.h"

struct dependency;

struct dependency *dependency_open(const struct trace *trace);
void dependency_close(struct dependency *dependency);

/* A thread (a stream's number) and how far it matters: its events with index < end. */
struct dependency_thread {
	uint32_t thread;
	uint64_t end;
};
#define DEPENDENCY_ALL UINT64_MAX /* all of its events */

typedef VEC(struct dependency_thread) dependency_threads;

/*
 * Sets `out` to the thread set of the threads in a warning (`seeds`), which are part of it. Each
 * thread is listed once, in the order of numbers. A seed that is a signal handler's stream stands
 * for the whole thread that it interrupts. A seed that is not in the trace is ignored. The caller
 * frees `out`.
 */
void dependency_thread_set(const struct dependency *dependency,
			   const struct dependency_thread *seeds, size_t count,
			   dependency_threads *out);

#endif

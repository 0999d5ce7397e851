/*
 * Which threads can influence which: the dependency graph and the window of Havelund, "Using
 * Runtime Analysis to Guide Model Checking of Java Programs" (SPIN 2000), section 4.2, figure 11.
 *
 * A warning names threads; a search that interleaves only these must also have the thread that
 * created each, and whoever writes what one of them reads. The *window* is what is reached so.
 *
 * The paper's unit is the Java object. Here it is the byte (kept by cells of 8 with masks): a heap
 * block or a global array often holds one part for each thread, and taken as one object it would
 * pull in all of them; two ints side by side in a cell would, too. A block's memory begins anew with
 * each ALLOC, a stack with each BEGIN. What the paper leaves to the virtual machine counts as well:
 * SIGNAL, BROADCAST, POST, ARRIVE, ONCE_END are writes of their object and WOKEN, DOWN, PASS, ONCE
 * reads of it; JOIN reads what the other thread's end writes. Mutexes do not: who only uses the
 * same lock can make one wait, not make one do something else.
 *
 * Sharper than the paper: a thread counts only up to where it can still matter. A creator matters up
 * to its last CREATE of a thread in the window, a writer up to its last write of what was read. So
 * a main that creates, joins all and then reads every result does not pull in all threads.
 *
 * One pass over the base run, 40 bytes for each cell and thread that touches it.
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
#define DEPENDENCY_ALL UINT64_MAX /* all it does */

typedef VEC(struct dependency_thread) dependency_threads;

/*
 * The window of the warned threads, themselves included, by number, each once. A seed that is a
 * signal handler's stream stands for the whole thread that it interrupts; one that is not in the
 * trace is left out. `out` is cleared first; the caller frees it.
 */
void dependency_window(const struct dependency *dependency, const struct dependency_thread *seeds,
		       size_t count, dependency_threads *out);

/* Who created a thread; TRACE_NONE: nobody is known to. */
uint32_t dependency_creator(const struct dependency *dependency, uint32_t thread);

#endif

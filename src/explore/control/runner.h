/*
 * Runs a program under the control of the scheduler, again and again, each time along a plan.
 *
 * `struct executor` is the interface between the code that decides what to run (replay, guided
 * search) and the code that runs it. The search knows nothing else of the program, so it can be
 * tested on simulated programs too.
 */
#ifndef EXPLORE_CONTROL_RUNNER_H
#define EXPLORE_CONTROL_RUNNER_H

#include "base/err.h"
#include "base/vec.h"
#include "event/control.h"

#include <stdbool.h>

/*
 * A plan for one run. The slices give a total order of steps; the scheduler follows it as far as it
 * can.
 */
struct plan {
	uint32_t policy; /* enum control_policy */
	uint64_t seed;
	uint32_t options; /* of enum control_option: END_STUCK, CHECK_HEAP, HOLD, TIMEOUTS */
	uint64_t most_steps;
	VEC(struct control_slice) slices;
	VEC(struct control_rule) rules;
	VEC(struct control_choice) choices;
	VEC(struct control_stop) stops;
	VEC(uint32_t) sleeps;
};
void plan_clear(struct plan *plan);
void plan_free(struct plan *plan);
void plan_copy(struct plan *to, const struct plan *from);

/*
 * Appends a slice; if the last slice is the same thread's, extends that. plan_add_event() appends
 * the step of a logged event, with a choice if it timed out or woke up spuriously.
 */
void plan_add_slice(struct plan *plan, uint32_t thread, uint32_t until);
void plan_add_event(struct plan *plan, const struct control_event *event);

/*
 * The threads of a race do this many more steps after their stops, one thread after the other. By
 * then the accesses are in the recording, which is written in pieces of straight code.
 */
#define PLAN_STEPS_AFTER_RACE 256

/*
 * The result of a run. The pointers are into the executor's memory: they are valid until the next
 * run.
 */
struct outcome {
	enum control_result result;
	int status; /* as from waitpid */
	const struct control
		*control; /* everything else that the runtime reported; NULL if simulated */
	const struct control_event *events;
	uint32_t event_count;
	bool events_lost;
	const struct control_blocked *blocked;
	uint32_t blocked_count;
	const struct control_thread *threads;
	uint32_t thread_count;
	/* set by the code that judges runs: a key of what this run violates, 0: nothing */
	uint64_t violated;
};

struct executor {
	/* Returns false if the program cannot be run (any more); `err` says why. */
	bool (*run)(struct executor *executor, const struct plan *plan, struct outcome *outcome,
		    struct err *err);
};

enum runner_mode {
	/* exec for each run; kernel threads; can be recorded: used for confirmation */
	RUNNER_ONCE,
	RUNNER_FORK, /* a process for each run, kernel threads */
	RUNNER_FORK_FIBERS,
	RUNNER_PERSISTENT, /* fibers in one process whose memory is restored after each run */
};

struct runner_options {
	char **program; /* NULL-terminated words */
	enum runner_mode mode;
	const char *trace; /* directory to record to, NULL: do not record */
	bool quiet;	   /* the program's output goes to /dev/null */
	bool output_to_stderr;
	double seconds;	     /* kill a run that takes longer (CONTROL_HUNG); 0: 60 */
	uint32_t event_most; /* room for events in the log, 0: 1 << 20 */
	uint64_t plan_bytes; /* room for plans, 0: 64 megabytes; a larger plan is an error */
	/*
	 * With CONTROL_HOLD: called when all stops are reached and the threads stand there. The
	 * threads continue when it returns. May be NULL.
	 */
	void (*on_held)(void *context, int pid, const struct control *control);
	void *context;
	/* Polled during a run: if not 0, the run is ended and run() fails. May be NULL. */
	const volatile int *stop;
	const char *directory; /* working directory of the program; NULL: the current one */
	/*
	 * FORK, FORK_FIBERS: fork for each run. Otherwise a run shares the server's memory where
	 * the program allows it.
	 */
	bool really_fork;
};

/*
 * The program is started with address randomisation off, in a process group of its own. It is
 * killed when the runner or this process ends. If our standard input is a regular file, the program
 * reads it, in each run from the position it had when the runner was opened. Otherwise the
 * program's standard input is empty.
 */

struct runner;
struct runner *runner_open(const struct runner_options *options, struct err *err);
void runner_close(struct runner *session);
struct executor *runner_executor(struct runner *session);
enum runner_mode runner_mode(const struct runner *session); /* after a fallback */
const char *runner_fallback(const struct runner *session);  /* why, or NULL */
bool runner_has_input(
	const struct runner *session); /* false: the program's standard input is empty */

/*
 * Enters threads, by creation, in the table that all runs share: for those a trace names, before
 * the first run.
 */
void runner_know_threads(struct runner *session, const struct control_thread *threads,
			 uint32_t count);

#endif

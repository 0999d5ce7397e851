/*
 * Runs a program under the control of the scheduler, again and again, each time along a plan.
 *
 * `struct executor` is the interface between code that decides what to run (replay, guided search)
 * and code that runs it. The search knows the program only through this interface, so the search
 * can be tested on simulated programs too.
 */
#ifndef EXPLORE_CONTROL_RUNNER_H
#define EXPLORE_CONTROL_RUNNER_H

#include "base/err.h"
#include "base/vec.h"
#include "event/control.h"

#include <stdbool.h>

/*
 * What one run should do. The slices give a total order of steps, which the scheduler follows as
 * far as it can.
 */
struct plan {
	uint32_t policy; /* enum control_policy */
	uint64_t seed;
	uint32_t options; /* bits of enum control_option; the runner adds its own */
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
 * Appends a slice, or extends the last slice if it has the same thread. plan_add_event() appends
 * the step of a logged event, with a choice if the event timed out or woke up spuriously.
 */
void plan_add_slice(struct plan *plan, uint32_t thread, uint32_t until);
void plan_add_event(struct plan *plan, const struct control_event *event);

/*
 * After its stop, each thread of a race does up to this many more steps before another thread gets
 * the turn. The recording is written segment by segment, so if the run ended earlier, the accesses
 * might not be recorded.
 */
#define PLAN_STEPS_AFTER_RACE 256

/*
 * The result of a run. The pointers refer to the executor's memory and are valid until its next
 * run.
 */
struct outcome {
	enum control_result result;
	int status;		       /* as from waitpid */
	const struct control *control; /* all that the runtime reported; NULL: simulated */
	const struct control_event *events;
	uint32_t event_count;
	bool events_lost;
	const struct control_blocked *blocked;
	uint32_t blocked_count;
	const struct control_thread *threads;
	uint32_t thread_count;
	/* set by code that judges runs: the key of the violation that this run shows; 0: none */
	uint64_t violated;
};

struct executor {
	/* Returns false if the program cannot be run, or no longer; `err` says why. */
	bool (*run)(struct executor *executor, const struct plan *plan, struct outcome *outcome,
		    struct err *err);
};

enum runner_mode {
	/* one exec per run, kernel threads; runs can be recorded; used for confirmation */
	RUNNER_ONCE,
	RUNNER_FORK, /* one process per run, kernel threads */
	RUNNER_FORK_FIBERS,
	RUNNER_PERSISTENT, /* fibers in one process; its memory is restored after each run */
};

struct runner_options {
	char **program; /* NULL-terminated words */
	enum runner_mode mode;
	const char *trace; /* directory to record to; NULL: do not record */
	bool quiet;	   /* the program's output goes to /dev/null */
	bool output_to_stderr;
	double seconds;	     /* time limit of a run, which ends it with CONTROL_HUNG; 0: 60 */
	uint32_t event_most; /* room for events in the log; 0: 1 << 20 */
	uint64_t plan_bytes; /* room for a plan; 0: 64 megabytes; run() fails if a plan is larger */
	/*
	 * With CONTROL_HOLD: called while all threads stand at their stops, or after a failure in
	 * the run. The run continues when on_held() returns. May be NULL.
	 */
	void (*on_held)(void *context, int pid, const struct control *control);
	void *context;
	/* Polled during a run. If it is not 0, the run is ended and run() fails. May be NULL. */
	const volatile int *stop;
	const char *directory; /* working directory of the program; NULL: the current one */
	/*
	 * FORK, FORK_FIBERS: make each run's process by fork. If false, a run's process shares the
	 * server's memory where the program allows that.
	 */
	bool really_fork;
};

/*
 * The program is started with address randomisation off, in a process group of its own. It is
 * killed when the runner is closed or this process ends. If the tool's standard input is a regular
 * file, each run reads that file from the position it had when the runner was opened. Otherwise the
 * program's standard input is empty.
 */

struct runner;
struct runner *runner_open(const struct runner_options *options, struct err *err);
void runner_close(struct runner *session);
struct executor *runner_executor(struct runner *session);
enum runner_mode runner_mode(const struct runner *session); /* the current mode, after fallbacks */
const char *runner_fallback(const struct runner *session);  /* why the last fallback; NULL: none */
bool runner_has_input(
	const struct runner *session); /* false: the program's standard input is empty */

/*
 * Enters the creators of threads in the table that all runs share. To be called before the first
 * run, so that runs number threads as the trace does.
 */
void runner_know_threads(struct runner *session, const struct control_thread *threads,
			 uint32_t count);

#endif

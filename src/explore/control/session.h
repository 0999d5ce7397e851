/*
 * A program under control: run it again and again, each time along a plan. The seam between what
 * decides (replay, guided search) and what runs: `struct executor` is all the search knows, so
 * that it can be tested on simulated programs too.
 */
#ifndef EXPLORE_CONTROL_SESSION_H
#define EXPLORE_CONTROL_SESSION_H

#include "base/err.h"
#include "base/vec.h"
#include "event/control.h"

#include <stdbool.h>

/* A plan for one run. The order of the runs is total; the runtime takes it as a wish. */
struct plan {
	uint32_t policy; /* enum control_policy */
	uint64_t seed;
	uint32_t options; /* of enum control_option: END_STUCK, CHECK_HEAP, HOLD, TIMEOUTS */
	uint64_t most_steps;
	VEC(struct control_run) runs;
	VEC(struct control_rule) rules;
	VEC(struct control_choice) choices;
	VEC(struct control_stop) stops;
	VEC(uint32_t) sleeps;
};
void plan_clear(struct plan *plan);
void plan_free(struct plan *plan);
void plan_copy(struct plan *to, const struct plan *from);

/* What came of a run. Pointers are into the executor's memory: good until the next run. */
struct outcome {
	enum control_result result;
	int status; /* of waitpid */
	const struct control
		*control; /* everything else that the runtime said; NULL if simulated */
	const struct control_event *events;
	uint32_t event_count;
	bool events_lost;
	const struct control_blocked *blocked;
	uint32_t blocked_count;
	const struct control_thread *threads;
	uint32_t thread_count;
	uint64_t violated; /* by whoever judges runs: a key of what this one violates, 0: nothing */
};

struct executor {
	/* False: it cannot be run (any more), with the reason. */
	bool (*run)(struct executor *executor, const struct plan *plan, struct outcome *outcome,
		    struct err *err);
};

enum session_mode {
	SESSION_ONCE, /* exec each time; kernel threads; may be recorded: confirmation */
	SESSION_FORK, /* a process for each run, kernel threads */
	SESSION_FORK_FIBERS,
	SESSION_PERSISTENT, /* fibers in one process whose memory is restored */
};

struct session_options {
	char **program; /* NULL-terminated words */
	enum session_mode mode;
	const char *trace; /* directory to record to, NULL: nothing is recorded */
	bool quiet;	   /* the program's output goes to /dev/null */
	bool output_to_stderr;
	double seconds;	     /* a run that takes longer is killed (CONTROL_HUNG); 0: 60 */
	uint32_t event_most; /* room in the log, 0: 1 << 20 */
	uint64_t plan_bytes; /* room for plans, 0: 64 megabytes; a larger plan is an error */
	/*
	 * With CONTROL_HOLD: called when all stops are reached and the threads stand there; they go
	 * on when it returns. May be NULL.
	 */
	void (*on_held)(void *context, int pid, const struct control *control);
	void *context;
	/* Looked at while a run is waited for: not 0 ends the run, and run() fails. May be NULL. */
	const volatile int *stop;
	const char *directory; /* to run it in; NULL: this one */
	bool really_fork; /* FORK, FORK_FIBERS: runs do not borrow the server's memory, as else where
			   * the program allows it */
};

/*
 * A program is started with address randomisation off, in a process group of its own, and is killed
 * when the session or this process ends. It reads what our standard input had when the session was
 * opened if that is a regular file, from the same position each time; else nothing.
 */

struct session;
struct session *session_open(const struct session_options *options, struct err *err);
void session_close(struct session *session);
struct executor *session_executor(struct session *session);
enum session_mode session_mode(const struct session *session); /* after a fallback */
const char *session_fallback(const struct session *session);   /* why, or NULL */
bool session_has_input(
	const struct session *session); /* else the program's standard input is empty */

/* The threads known so far, by path; those of a trace can be given before the first run. */
void session_know_threads(struct session *session, const struct control_thread *threads,
			  uint32_t count);

#endif

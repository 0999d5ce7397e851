/*
 * Controlled runs: how the tool and the runtime inside the program communicate, through a file that
 * both map shared (the runtime's option control=PATH). doc/controlled-runs.md defines the meaning.
 *
 * The file starts with a struct control, followed by arrays at the offsets it gives. The tool
 * creates it, fills in everything marked `in`, and lets the program run once (or, with a server,
 * once per command). The runtime fills in everything marked `out`.
 *
 * Threads are named by their creation: thread 0 is main, every other thread is the k-th child of
 * its creator. Operations are named by thread and *step*: the number of operations that the thread
 * did before. Neither depends on the schedule or on addresses, and the trace reader counts the same
 * steps (struct trace_event).
 */
#ifndef EVENT_CONTROL_H
#define EVENT_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#define CONTROL_MAGIC 0x4c544e43u /* "CNTL" */
#define CONTROL_VERSION 1
#define CONTROL_THREADS 4096u
#define CONTROL_NONE UINT32_MAX
#define CONTROL_STOPS 64u
#define CONTROL_TEXT 256u
#define CONTROL_HELD_UP 8u

/* How the next thread is chosen where the plan does not say it, or where there is no plan. */
enum control_policy {
	/* the running thread continues; if it cannot, the ready thread with the lowest number */
	CONTROL_STAY,
	CONTROL_RANDOM,	    /* each choice is random, from `seed` */
	CONTROL_PRIORITIES, /* partial order sampling: random priorities, from `seed` */
};

enum control_option {
	CONTROL_FIBERS = 1, /* threads are fibers of one kernel thread */
	CONTROL_SERVER = 2, /* the process waits for commands and starts a process for each */
	/* with FIBERS: no new process; memory is restored after each run */
	CONTROL_PERSISTENT = 4,
	CONTROL_END_STUCK = 8,	 /* a deadlock ends the run; otherwise the threads stay blocked */
	CONTROL_LOG = 16,	 /* write `events` */
	CONTROL_HOLD = 32,	 /* when all stops are reached, wait until the tool clears `held` */
	CONTROL_CHECK_HEAP = 64, /* an access to a freed block ends the run */
	/*
	 * treat a spinning thread as blocked after 3 rounds instead of 40: fewer schedules to
	 * search that differ only in the number of rounds
	 */
	CONTROL_SPIN_SOON = 256,
	/*
	 * with SERVER, not PERSISTENT: a run is a process that shares the server's memory, which is
	 * restored afterwards; otherwise it is forked
	 */
	CONTROL_SHARED_MEMORY = 512,
	/*
	 * policies may let timed operations time out at any moment; otherwise only the plan does,
	 * or the scheduler when no other thread can run
	 */
	CONTROL_TIMEOUTS = 128,
};

/*
 * An entry of the array `threads`: how thread number i was created; thread 0 is main. The tool
 * fills in the threads it knows, the runtime adds the others.
 */
struct control_thread {
	uint32_t creator, child; /* child number (from 0) among the creator's threads */
};

/* in: the thread runs until it has done `until` operations; then the next slice begins. */
struct control_slice {
	uint32_t thread, until;
};

/*
 * in: operation (after_thread, after_step) must not start before operation (before_thread,
 * before_step) is done. If before_step is CONTROL_NONE, the former must not start while any other
 * thread can run.
 */
struct control_rule {
	uint32_t before_thread, before_step, after_thread, after_step;
};

/* in: a choice other than which thread runs. */
enum control_choice_kind {
	CONTROL_SPURIOUS = 1, /* the wait whose WOKEN is this step returns without a signal */
	CONTROL_TIMEOUT,      /* this timed operation times out although it could succeed */
};
struct control_choice {
	uint32_t thread, step, kind;
};

/*
 * in: an operation before which a thread stops until the threads of all stops have stopped. If
 * `site` is not 0, the operation must be at that site: at this step or, after a harmless
 * divergence, at a later one. out: what the thread was about to do there.
 */
struct control_stop {
	uint32_t thread, step;
	uint64_t site;
	uint32_t reached;	       /* out: the thread has stopped there */
	uint32_t actual_step;	       /* out */
	uint64_t address, size, value; /* out: `value` is the content of memory, up to 8 bytes */
	uint32_t kind;		       /* out: enum event_kind */
	uint32_t spare;
};

/* out: an operation, in the order of the run. */
struct control_event {
	uint32_t thread, step;
	uint8_t kind;  /* enum event_kind, as recorded: a failed try is ACQUIRE_FAIL, and so on */
	uint8_t flags; /* enum control_event_flag */
	uint16_t spare;
	uint32_t size;
	uint64_t address; /* of the memory or the object; CREATE, JOIN: the other thread */
	/*
	 * WAIT, WOKEN: the mutex; accesses: the first 8 bytes of the value after the access; COPY:
	 * the source address; SEM_INIT: the count; BARRIER_INIT: the number of threads; LOCK_INIT:
	 * enum event_lock. (`size` of ALLOC and FREE is the size of the block.)
	 */
	uint64_t other;
	uint64_t site; /* address of the struct wire_element, or a return address */
};
enum control_event_flag {
	CONTROL_EVENT_TIMED_OUT = 1,
	CONTROL_EVENT_SPURIOUS = 2,
	CONTROL_EVENT_ATOMIC = 4,  /* does not race with another atomic operation */
	CONTROL_EVENT_FOREIGN = 8, /* done by code that is not instrumented */
	/* the scheduler made no choice before this operation, which belongs to the previous one */
	CONTROL_EVENT_NO_CHOICE = 16,
	CONTROL_EVENT_TRY = 32,	  /* a try operation, successful or not: it never waits */
	CONTROL_EVENT_TIMED = 64, /* a timed operation, timed out or not */
};

/*
 * How a run ended, as far as the runtime knows. The process that waits for the run knows its signal
 * and exit status.
 */
enum control_result {
	/* still running, or killed without a chance to report (SIGKILL, SIGSEGV) */
	CONTROL_UNFINISHED,
	CONTROL_ENDED,	   /* exit, or main returned */
	CONTROL_ASSERTION, /* `text` has file, line and expression */
	CONTROL_ABORTED,
	/* threads block each other in a cycle; other threads may have been running */
	CONTROL_DEADLOCK,
	CONTROL_STUCK, /* no thread can run */
	CONTROL_USE_AFTER_FREE,
	CONTROL_BAD_FREE, /* a double free, or not the start of a block */
	CONTROL_CRASHED,  /* a signal that the program caused; its number is in `status` */
	CONTROL_LIMIT,	  /* `most_steps` were done */
	/* all threads that could run are in the sleep set: an equivalent run is known */
	CONTROL_ASLEEP,
	/* the thread that has the turn waits for something that the runtime does not see */
	CONTROL_HUNG,
	CONTROL_UNFIT, /* this program cannot run in this mode (`text` says why): try another */
};

/* Did the program fail, whatever its exit status? */
static inline bool control_is_failure(enum control_result result)
{
	switch (result) {
	case CONTROL_ASSERTION:
	case CONTROL_ABORTED:
	case CONTROL_DEADLOCK:
	case CONTROL_STUCK:
	case CONTROL_USE_AFTER_FREE:
	case CONTROL_BAD_FREE:
	case CONTROL_CRASHED: return true;
	default: return false;
	}
}

/*
 * out: describes a thread that had not ended when the run ended (except the thread that ended the
 * run by exit, abort or crash): the operation it was about to do, and why it did not do it.
 */
enum control_blocked_how {
	/* it could have run: the process ended, or the thread is in the sleep set */
	CONTROL_BY_NOTHING,
	CONTROL_BY_OWNER = 1, /* `owner` holds the object */
	CONTROL_BY_NOBODY,    /* it waits for a signal, post or arrival that does not come */
	CONTROL_BY_SPIN,      /* it reads the same values again and again */
	CONTROL_BY_CALL,      /* it is in a system call */
};
struct control_blocked {
	uint32_t thread, step;
	uint32_t kind; /* enum event_kind of the operation that it was about to do */
	uint32_t how;  /* enum control_blocked_how */
	uint32_t owner;
	uint32_t in_cycle;
	uint64_t address, site;
	uint64_t other; /* WOKEN: the mutex */
	uint32_t flags; /* CONTROL_EVENT_TRY, CONTROL_EVENT_TIMED */
	uint32_t spare;
};

struct control {
	uint32_t magic, version;
	uint64_t bytes; /* of the file */
	/* ---- in ------------------------------------------------------------------------------ */
	uint32_t options, policy;
	uint64_t seed;
	uint64_t most_steps; /* in total; 0: no limit */
	uint32_t run_count, rule_count, choice_count, stop_count;
	uint32_t sleep_count; /* threads in the sleep set when the slices of the plan are used up */
	uint32_t event_most;  /* room for events */
	uint64_t threads_at, slices_at, rules_at, choices_at, sleeps_at, events_at, blocked_at;
	struct control_stop stops[CONTROL_STOPS];
	/*
	 * Both tool and runtime write the following words, the mailbox of the server; some are
	 * futexes. They are in cache lines of their own, because the tool polls them while the run
	 * writes the fields below at every step.
	 */
	uint8_t apart[128];
	uint32_t command; /* the tool adds 1 to start a run; CONTROL_NONE: end the server */
	uint32_t done;	  /* the runtime sets it to `command` when the run is over */
	/* 1: all stops are reached; the tool sets it to 0 to let the threads continue */
	uint32_t held;
	uint32_t child; /* process id of the run */
	/*
	 * A process sets one of these before it waits for `command` or `done` in the kernel. The
	 * process that changes `command` or `done` makes the system call for waking it only if this
	 * is set.
	 */
	uint32_t command_awaited, done_awaited;
	/* the processor on which the run began: polling there only slows the run down */
	uint32_t processor;
	uint32_t spare;
	uint8_t apart_again[128];
	/* ---- out ----------------------------------------------------------------------------- */
	uint32_t result;       /* enum control_result */
	int32_t status;	       /* in the format of waitpid(), if a server waited */
	uint32_t thread_count; /* both: number of entries in threads */
	/*
	 * number of entries in events; if there were more events than event_most, `events_lost` is
	 * set
	 */
	uint32_t event_count;
	uint32_t events_lost;
	uint32_t blocked_count;
	uint32_t slices_done;  /* number of slices of the plan that were completed */
	uint32_t rules_broken; /* rules given up because no thread could run otherwise */
	uint32_t stops_met;    /* all stops were reached at the same time */
	/* index of the first slice whose thread could not run as planned, or CONTROL_NONE */
	uint32_t diverged_slice;
	uint32_t diverged_kind;
	uint32_t switches;
	uint64_t steps, diverged_site, fault_address, fault_site;
	uint32_t fault_thread, fault_step;
	char text[CONTROL_TEXT]; /* the text of an assertion, or why the program is unfit */
	/*
	 * both: the process that this file belongs to; the server if there is one. The tool sets it
	 * to 0 before it starts a program. The first process that opens the file enters itself
	 * (compare and swap); other processes, which the program executes, are not scheduled.
	 */
	uint32_t owner;
	/* out, with UNFIT: unfit only because memory is shared with the server */
	uint32_t unfit_shared_memory;
	/* out: a signal or cancellation arrived that no scheduling choice controls */
	uint32_t unordered;
	/*
	 * out: threads that had the turn and waited in code that is not recorded; more than fit are
	 * only counted
	 */
	uint32_t held_up_count, held_up[CONTROL_HELD_UP];
	uint32_t input_ended; /* out: the program has read its standard input to the end */
};

#endif

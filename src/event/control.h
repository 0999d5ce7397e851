/*
 * Controlled runs: what the tool and the runtime inside the program tell each other, through a
 * file that both map shared (the runtime's option control=PATH). doc/controlled-runs.md is the law.
 *
 * The file is a struct control, then arrays at the offsets it names. The tool makes it, fills in
 * what is marked `in`, and lets the program run once (or, with a server, once for each command);
 * the runtime fills in what is marked `out`.
 *
 * Threads are named by how they came to be: thread 0 is main, every other is the k-th that its
 * creator made. Operations are named by thread and *step*: the number of operations that thread
 * did before. Neither depends on the schedule or on addresses, and the trace reader counts the
 * same steps (struct trace_event).
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

/* What decides where the plan says nothing (and where there is no plan). */
enum control_policy {
	CONTROL_STAY,	    /* the running thread goes on; when it cannot, the lowest number */
	CONTROL_RANDOM,	    /* each decision anew, by `seed` */
	CONTROL_PRIORITIES, /* partial order sampling: random priorities, by `seed` */
};

enum control_option {
	CONTROL_FIBERS = 1,	 /* threads are fibers of one kernel thread */
	CONTROL_SERVER = 2,	 /* the process waits for commands and forks for each */
	CONTROL_PERSISTENT = 4,	 /* with FIBERS: no fork, memory is restored after each run */
	CONTROL_END_STUCK = 8,	 /* a deadlock ends the run; else threads stay blocked */
	CONTROL_LOG = 16,	 /* write `events` */
	CONTROL_HOLD = 32,	 /* at the meeting wait until the tool clears `held` */
	CONTROL_CHECK_HEAP = 64, /* an access to a freed block ends the run */
	CONTROL_SPIN_SOON = 256, /* who spins is blocked after 3 rounds, not after 40: fewer
				  * schedules to search, that differ in the number of rounds */
	CONTROL_LEND = 512,	 /* with SERVER, not PERSISTENT: a run is a process in the server's
				  * memory, which is restored after it; else it is forked */
	CONTROL_TIMEOUTS = 128,	 /* policies may let timed operations time out at any moment; else
				  * only the plan does, or when nobody else can run */
};

/* How a thread came to be; [0] is main. The tool gives those it knows, the runtime adds others. */
struct control_thread {
	uint32_t creator, child; /* the child-th (from 0) that creator made */
};

/* in: thread goes on until it has done `until` operations; then the next run. */
struct control_run {
	uint32_t thread, until;
};

/*
 * in: operation (after_thread, after_step) may not start before (before_thread, before_step) was
 * done. before_step CONTROL_NONE: not while anybody else can go on.
 */
struct control_rule {
	uint32_t before_thread, before_step, after_thread, after_step;
};

/* in: a choice that is not one of threads. */
enum control_choice_kind {
	CONTROL_SPURIOUS = 1, /* the wait whose WOKEN is this step wakes without a signal */
	CONTROL_TIMEOUT,      /* this timed operation times out although it could succeed */
};
struct control_choice {
	uint32_t thread, step, kind;
};

/*
 * in: where threads are to stand at the same time, each before its operation. `site` not 0: the
 * operation must be at that site, at this step or, after a harmless divergence, later.
 * out: what they were about to do when all of them stood there.
 */
struct control_stop {
	uint32_t thread, step;
	uint64_t site;
	uint32_t reached;	       /* out: stands there */
	uint32_t actual_step;	       /* out */
	uint64_t address, size, value; /* out: `value` what memory held, up to 8 bytes */
	uint32_t kind;		       /* out: enum event_kind */
	uint32_t spare;
};

/* out: an operation, in the order of the run. */
struct control_event {
	uint32_t thread, step;
	uint8_t kind;  /* enum event_kind, as recorded: ACQUIRE_FAIL for a failed try … */
	uint8_t flags; /* enum control_event_flag */
	uint16_t spare;
	uint32_t size;
	uint64_t address; /* of the memory or the object; CREATE, JOIN: the other thread */
	uint64_t other; /* wait: the mutex; accesses: the value, first 8 bytes, after the access */
	uint64_t site;	/* address of the struct wire_element, or return address */
};
enum control_event_flag {
	CONTROL_EVENT_TIMED_OUT = 1,
	CONTROL_EVENT_SPURIOUS = 2,
	CONTROL_EVENT_ATOMIC = 4,  /* conflicts with nothing atomic as a race */
	CONTROL_EVENT_FOREIGN = 8, /* done by code that was not instrumented */
	CONTROL_EVENT_NO_CHOICE =
		16,		  /* no decision stood before it: it belongs to the one before */
	CONTROL_EVENT_TRY = 32,	  /* a try, whether it succeeded or not: it never waits */
	CONTROL_EVENT_TIMED = 64, /* a timed one, whether it timed out or not */
};
/*
 * `other` besides what stands there: COPY the source; SEM_INIT the count; BARRIER_INIT how many
 * meet; LOCK_INIT enum event_lock. `size`: of ALLOC and FREE the block's.
 */

/* How a run ended, as far as the runtime knows; a signal or status is for who waits for it. */
enum control_result {
	CONTROL_UNFINISHED, /* still running, or it died without a word (SIGKILL, SIGSEGV) */
	CONTROL_ENDED,	    /* exit, or the end of main */
	CONTROL_ASSERTION,  /* `text` has file, line and expression */
	CONTROL_ABORTED,
	CONTROL_DEADLOCK, /* threads block each other in a cycle; others may have been running */
	CONTROL_STUCK,	  /* nobody can go on */
	CONTROL_USE_AFTER_FREE,
	CONTROL_BAD_FREE, /* twice, or no block */
	CONTROL_CRASHED,  /* a signal of the program's own making; `status` has its number */
	CONTROL_LIMIT,	  /* `most_steps` done */
	CONTROL_ASLEEP, /* everybody who could go on is asleep (sleep sets): an equal run is known */
	CONTROL_HUNG,	/* the thread whose turn it is waits for something we do not see */
	CONTROL_UNFIT,	/* this program cannot run that way (`text` says why): use another */
};

/* Did the program do something wrong, whatever its exit status is? */
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
 * out: a thread that was not over when the run ended, however it ended (but for the one that ended
 * it by exit, abort or crash): what it was about to do, and why it did not.
 */
enum control_blocked_how {
	CONTROL_BY_NOTHING,   /* it could have gone on: the process ended, or it is asleep */
	CONTROL_BY_OWNER = 1, /* `owner` has it */
	CONTROL_BY_NOBODY,    /* a signal, post, arrival that does not come */
	CONTROL_BY_SPIN,      /* reads the same again and again */
	CONTROL_BY_CALL,      /* a system call */
};
struct control_blocked {
	uint32_t thread, step;
	uint32_t kind; /* enum event_kind it wants */
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
	/* ---- in ---- */
	uint32_t options, policy;
	uint64_t seed;
	uint64_t most_steps; /* in all; 0: no limit */
	uint32_t run_count, rule_count, choice_count, stop_count;
	uint32_t sleep_count; /* threads asleep once the runs are used up (sleep sets) */
	uint32_t event_most;  /* room for events */
	uint64_t threads_at, runs_at, rules_at, choices_at, sleeps_at, events_at, blocked_at;
	struct control_stop stops[CONTROL_STOPS];
	/*
	 * ---- both: the server's mailbox; futexes ----
	 * In lines of the cache of its own: the tool looks at it again and again, while the run writes
	 * what is below at each step.
	 */
	uint8_t apart[128];
	uint32_t command; /* the tool adds 1: run once more; CONTROL_NONE: end */
	uint32_t done;	  /* the runtime makes it equal to command when the run is over */
	uint32_t held;	  /* 1: all stops are reached; the tool makes it 0 to let them go */
	uint32_t child;	  /* process id of the run */
	/* Who waits for `command` or `done` in the kernel says so beforehand; who changes the word
	 * then wakes it, and else saves the system call. */
	uint32_t command_awaited, done_awaited;
	uint32_t processor; /* on which the run began: to look from there only holds it up */
	uint32_t spare;
	uint8_t apart_again[128];
	/* ---- out ---- */
	uint32_t result;       /* enum control_result */
	int32_t status;	       /* as of waitpid, where a server waited */
	uint32_t thread_count; /* both: entries in threads */
	uint32_t event_count;  /* there may have been more than event_most: then none is lost
				* silently, `events_lost` is set */
	uint32_t events_lost;
	uint32_t blocked_count;
	uint32_t runs_done;    /* of the plan: how many runs were finished */
	uint32_t rules_broken; /* given up because nobody could go on otherwise */
	uint32_t stops_met;    /* all stops stood at once */
	uint32_t diverged_run; /* the first run whose thread could not go on as planned, or NONE */
	uint32_t diverged_kind;
	uint32_t switches;
	uint64_t steps, diverged_site, fault_address, fault_site;
	uint32_t fault_thread, fault_step;
	char text[CONTROL_TEXT]; /* an assertion's words, why a program is unfit */
	/* both: the process that this file is for, a server's if there is one. The tool makes it 0
	 * before it starts a program; the first process that opens the file puts itself there
	 * (compare and swap), and any other (one that the program executes) takes no turns. */
	uint32_t owner;
	uint32_t unfit_lent;  /* out, with UNFIT: it is so only where memory is lent */
	uint32_t unordered;   /* out: a signal or a cancellation came, which no decision is about */
	uint32_t input_ended; /* out: it has read its standard input to the end */
};

#endif

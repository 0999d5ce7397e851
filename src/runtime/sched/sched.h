/*
 * Turns: in a controlled run one thread runs at a time, and before every visible operation it is
 * decided who goes on (doc/controlled-runs.md). This is the one header of the scheduler that the
 * interposers know.
 *
 * An interposer of an operation does, in this order:
 *	if (sched_on())
 *		sched_take(…)	returns when the operation can happen, and will not block
 *	the real operation
 *	record(…)		which counts the step (sched_recorded)
 * Conditions and barriers, whose real functions would block, are played by the scheduler alone.
 */
#ifndef RUNTIME_SCHED_SCHED_H
#define RUNTIME_SCHED_SCHED_H

#include "event/control.h"
#include "event/event.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/buffer/record.h"

#include <signal.h>
#include <time.h>

/* Does this process take turns? Decided once, when the runtime starts. */
extern bool sched_taking;

/* Does the calling thread, now? Not inside the runtime, not in a signal handler. */
static inline bool sched_on(void)
{
	return __builtin_expect(sched_taking, 0) && thread_buffer_self.turns &&
	       !thread_buffer_self.quiet && thread_buffer_self.depth == 0;
}

/* … or in a signal handler, which runs in its thread's turn and may have to wait in the kernel? */
static inline bool sched_may_leave(void)
{
	return __builtin_expect(sched_taking, 0) && thread_buffer_self.turns &&
	       !thread_buffer_self.quiet;
}

/* Where a thread stands that is before no operation. None of these is a step. */
enum sched_pause {
	SCHED_NO_PAUSE,
	SCHED_SLEEP, /* a timed operation that nobody wakes */
	SCHED_YIELD, /* a decision that prefers others */
	SCHED_EXIT,  /* the process is about to end: others go first only if the plan says so */
};

struct sched_want {
	enum event_kind kind; /* what it will be if it succeeds: EV_ACQUIRE, EV_READ, EV_WOKEN … */
	enum event_how how;   /* PLAIN waits; TRY does not; TIMED may give up */
	uint32_t size;
	uint64_t object; /* address; JOIN: number of the other thread */
	uint64_t other;	 /* WAIT, WOKEN: the mutex; accesses: value to be written, if known */
	uint64_t site;	 /* element of the site, or return address */
	uint64_t until;	 /* TIMED: virtual time in ns */
	bool foreign;	 /* the caller is not instrumented: no decision unless it has to wait */
	uint8_t lock;  /* ACQUIRE, WOKEN's mutex: enum event_lock. ONCE_BEGIN: ERRORCHECK: one's own
			  * does not wait (a static local's guard throws) */
	uint8_t pause; /* enum sched_pause; then `kind` is EV_NONE */
	uint64_t pc;   /* return address, for the record of a request that has to wait */
};

#define SCHED_LOCK_ROBUST 16 /* `lock`: a bit beside enum event_lock */
#define SCHED_WHEN_LEFT 32   /* `lock`, of a destroy: not before nobody waits at the object */

enum sched_answer {
	SCHED_GO,
	SCHED_TIMED_OUT,
	SCHED_SPURIOUS,
	SCHED_INTERRUPTED, /* a signal handler ran while it waited, and that ends the wait: EINTR */
	SCHED_HANDLE,	   /* among the scheduler's files: its turn is for a handler alone */
};

/*
 * A want with its site found (what the last segment names, else `pc`) and `foreign` set: the rest
 * is for the caller to fill in.
 */
struct sched_want sched_want(enum event_kind kind, const volatile void *object, uintptr_t pc);

/* Before an operation. Returns when it is this thread's turn and the operation can happen. */
enum sched_answer sched_take(const struct sched_want *want);

/* Could it happen now? The caller has the turn. */
bool sched_can(const struct sched_want *want);

/* Does somebody wait at the condition, whom nothing has woken, or for others at the barrier? */
bool sched_is_awaited(const volatile void *object);

/*
 * Before anything that a signal handler does. It decides nothing, but may be waiting for another thread
 * by looking at memory: now and then that gets the turn.
 */
void sched_in_handler(void);

/* The same for what always can: no more to say than this. Does nothing unless sched_on(). */
static inline void sched_before(enum event_kind kind, const volatile void *object, uint32_t size,
				uintptr_t pc)
{
	if (sched_on()) {
		struct sched_want want = sched_want(kind, object, pc);
		want.size = size;
		sched_take(&want);
	} else if (sched_may_leave()) {
		sched_in_handler();
	}
}

/* The stub before an access of instrumented code calls this (access_patch.S). General registers only. */
void sched_access(const uint8_t *record, unsigned element);

/*
 * A record was made, or would have been had the stream not ended: if it is a step it is counted,
 * logged, and changes what the scheduler knows of its object. Called by record() and record_close()
 * when sched_on(); `bytes` are its raw bytes.
 */
void sched_recorded(enum event_kind kind, uintptr_t pc, const struct record_fields *fields,
		    const void *bytes, size_t size);

/* Before a record of a thread that may be cancelled anywhere: was it torn out of a segment? */
void sched_look_torn(void);

/*
 * A signal has cut in: is the calling thread in the middle of accesses, or does it wait for its turn? Who jumps
 * away from there has done what the schedule has and no record.
 */
bool sched_is_at_work(void);

/* A call has found the end of standard input. What stdio finds is looked for when the run ends. */
void sched_input_ended(void);

/*
 * Around a call that may block in the kernel: others go on meanwhile; back at their next switch. Only
 * when sched_may_leave().
 */
void sched_leave(uint64_t site);
void sched_return(void);

/*
 * From now on somebody may be woken by what is none of the threads: a signal handler, a timer. Then
 * it cannot be said that nobody can go on; only that it has been long.
 */
void sched_expect_others(void);

/*
 * A signal came, or a thread was cancelled: the same decisions may have it come elsewhere, and not all
 * places where it might come are tried. Async-signal-safe.
 */
void sched_disordered(void);

/* By who takes no turns, behind an operation that others may wait for. Async-signal-safe. */
void sched_poke(void);
/* … behind a SIGNAL or BROADCAST, of which the scheduler knows nothing otherwise. */
void sched_tell(enum event_kind kind, const volatile void *condition);

/*
 * Sleeping, yielding: decisions that are no steps. Only when sched_on(). A sleep that a signal handler
 * ends says so: false.
 */
bool sched_sleep(uint64_t until, uintptr_t pc);
void sched_yield_turn(uintptr_t pc);
/* In a handler, before it sleeps or yields: others have the turn until sched_return. */
void sched_leave_in_handler(uint64_t site);

/* Before memory is unmapped: values that were to be looked at later are looked at now. */
void sched_settle(void);

/* ---- threads (thread.c) ---- */

/*
 * The number for a thread that the caller is about to create: by its path. Used as its stream.
 * CONTROL_NONE: there are too many.
 */
uint32_t sched_new_thread(void);
void sched_created(uint32_t thread);	  /* the real creation succeeded; CONTROL_NONE: failed */
void sched_begin_thread(uint32_t thread); /* in the new thread: returns when it is its turn */
void sched_end_thread(void);		  /* behind END: the turn goes to somebody else */
uint32_t sched_self(void);		  /* the calling thread's number */
bool sched_is_over(uint32_t thread);	  /* its END was recorded */
/* It was cancelled: whatever it waits for at a cancellation point, it can go on. */
void sched_cancel(uint32_t thread);
bool sched_cancelled(void); /* the caller's last sched_take came back because of that */

/* ---- signals (signal.c) ---- */

/*
 * A handler of the program is about to run in the calling thread. True: not now, since the scheduler is
 * at work in it, or it waits for its turn. The signal comes again when it has that.
 */
bool sched_put_off(int number, const siginfo_t *info, void *context);
/*
 * It runs, and has the turn: who is outside comes back for it. True: and goes there again behind it,
 * by sched_leave_handler, unless the handler jumps away.
 */
bool sched_enter_handler(int number);
void sched_leave_handler(void);
/* Handlers were left by a jump, which may have torn the scheduler out of its work. */
void sched_jumped(void);
/* Around sending a signal: until somebody has noticed, but not for long. */
uint32_t sched_before_sending(void);
void sched_sent(uint32_t before);

/* ---- the process (process.c) ---- */

struct options;
void sched_start(const struct options *options); /* may become a server and return in each child */
/*
 * Reads the plan anew; thread 0, the caller, of process `pid`, has done what it has. For each run of
 * a server.
 */
void sched_read_plan(int pid);

/* Is this the process that takes turns? A child of vfork, which runs in its memory, is not. */
bool sched_is_ours(void);
/* Writes what the tool reads; the first call counts. The process goes on, to its end. */
void sched_finish(enum control_result result, const char *text);
/* The same, and the run ends here. `status` is as of waitpid. */
void sched_end_run(enum control_result result, const char *text, int status)
	__attribute__((noreturn));
/* For a handler of faults: was it the scheduler that looked at memory? Then the thread goes on behind that. */
bool sched_skip_read(void *context);
/*
 * An access to memory that is gone, a block freed twice: ends the run where CONTROL_CHECK_HEAP is
 * set, else returns.
 */
void sched_fault(enum control_result result, uint64_t address, uint64_t site);
void sched_exit(void);	     /* exit, or the end of main: the plan may let others go first */
void sched_after_fork(void); /* a child of the program itself: takes no turns */
/* Is this how we watch for crashes? To the program it is as if there were no handler. */
bool sched_is_crash_handler(void (*handler)(int));
struct control *sched_control(void); /* NULL: no turns are taken. For fault_* and the like */

/* The recording gets no schedule: it would not tell all that is done. */
void sched_log_abandon(void);

#endif

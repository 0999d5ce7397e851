/*
 * The scheduler of controlled runs. doc/controlled-runs.md defines the meaning; this comment is the
 * overview. Interposers include only this header of the scheduler.
 *
 * The turn. In a controlled run exactly one thread of the program runs at a time: it has the
 * *turn*. Before every operation that other threads can observe (a memory access, a lock, a
 * condition, a thread creation ...) the thread with the turn decides which thread runs next. If
 * that is another thread, it hands the turn over and waits until it gets the turn back. A run is
 * determined by these decisions: repeating them repeats the run.
 *
 * Steps. Each such operation is a *step* of its thread, counted from 0. An access of instrumented
 * code is counted in sched_access(), any other operation when its record is written
 * (sched_recorded()). A thread is identified by its creator and by how many children that creator
 * had before. Neither this nor the step depends on the schedule, so (thread, step) names an
 * operation before it happens.
 *
 * Pending operations. A thread describes the operation it is about to do in a struct sched_op. The
 * operation is *pending* until the thread gets the turn. The scheduler has its own model of each
 * synchronisation object, updated from the records (sched_object.c). From this model it knows
 * whether a pending operation is *enabled*: it could happen now without blocking. A thread is
 * *ready* if its operation is enabled and the plan does not forbid it.
 *
 * Picking the next thread (sched_pick.c), in this order:
 * 1. When all stops of the plan have been reached: their threads, one operation each.
 * 2. The slices of the plan. A slice says: this thread, up to this number of steps. The first
 *    unfinished slice whose thread is ready wins. A slice whose thread is not ready does not hold
 *    up the slices after it.
 * 3. A thread that is about to end the process.
 * 4. The policy: stay with the running thread, choose at random, or random priorities.
 * 5. If no thread is ready: see "No thread is ready" below.
 *
 * The plan may also contain rules (operation A not before operation B), stops (threads wait there
 * until all stops are reached), sleep sets, and choices (this wait wakes up spuriously, this
 * operation times out). See sched_plan.c.
 *
 * Spinning (sched_spin.c). A thread that reads the same values over and over is blocked until one
 * of them changes, or until others have gone on for long. Otherwise it would keep the turn forever.
 *
 * Time is virtual (virtual_time.c). It advances when a sleep or a timeout ends, and these normally
 * end only when no thread is ready.
 *
 * Outside. A thread goes *outside* for a call that may block in the kernel: it gives up the turn
 * before the call (sched_leave()) and waits for the turn when the call has returned
 * (sched_return()). If a thread blocks in a call that we did not expect to block, waiting threads
 * notice this and take the turn from it (sched_outside.c).
 *
 * Signals (sched_signal.c). A handler runs only in a thread that has the turn, and never inside the
 * scheduler. A signal that arrives at another moment is deferred. Its thread is then ready,
 * whatever it waits for, in order to run the handler.
 *
 * No thread is ready. In this order: the run ends if sleep sets are the only reason; the scheduler
 * waits for threads that are outside; the earliest kernel timer or timeout expires; a spinning
 * thread may spin for longer, a limited number of times; stops, then rules, are given up; a
 * spinning thread may spin for longer in spite of the limit. If none of this helps, the run is
 * stuck (sched_stuck.c). A cycle of threads that wait for each other is reported earlier, as soon
 * as it closes.
 *
 * An interposer of an operation does, in this order:
 *	if (sched_on())
 *		sched_wait_until_enabled(...)	returns when it can happen without blocking
 *	the real operation
 *	record(...)				counts the step (sched_recorded)
 *
 * Conditions and barriers are simulated by the scheduler alone, since their real functions would
 * block.
 */
#ifndef RUNTIME_SCHED_SCHED_H
#define RUNTIME_SCHED_SCHED_H

#include "event/control.h"
#include "event/event.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/buffer/record.h"

#include <signal.h>
#include <time.h>

/* Does this process run under the scheduler? Decided once, when the runtime starts. */
extern bool sched_active;

/* Must the calling thread take turns now? Not inside the runtime, and not in a signal handler. */
static inline bool sched_on(void)
{
	return __builtin_expect(sched_active, 0) && thread_buffer_self.turns &&
	       !thread_buffer_self.quiet && thread_buffer_self.depth == 0;
}

/*
 * Like sched_on(), but also true in a signal handler, which runs during its thread's turn and may
 * have to wait in the kernel.
 */
static inline bool sched_may_leave(void)
{
	return __builtin_expect(sched_active, 0) && thread_buffer_self.turns &&
	       !thread_buffer_self.quiet;
}

/*
 * Why a thread waits for the turn when it is not about to do an operation. None of these is a step.
 */
enum sched_pause {
	SCHED_NO_PAUSE,
	SCHED_SLEEP, /* until a virtual time; no other thread can end it */
	SCHED_YIELD, /* prefers to let other threads run */
	SCHED_EXIT,  /* the process is about to end: others run first only if the plan says so */
	SCHED_MEET,  /* until a number in memory is large enough (sched_meet()) */
};

struct sched_op {
	enum event_kind kind; /* the event if it succeeds: EV_ACQUIRE, EV_READ, EV_WOKEN ... */
	enum event_how how;   /* PLAIN waits; TRY does not; TIMED may time out */
	uint32_t size;
	uint64_t object; /* address (shared_mapping.h); JOIN: number of the other thread */
	/* WAIT, WOKEN: the mutex; DOWN: where to read the count; accesses: value to be written */
	uint64_t other;
	uint64_t site;	/* address of a struct wire_element, or a return address */
	uint64_t until; /* TIMED: deadline, virtual time in ns */
	bool foreign;	/* the caller is not instrumented: it decides only if it has to wait */
	/*
	 * ACQUIRE, WOKEN: kind of the mutex (enum event_lock). ONCE_BEGIN: EVENT_LOCK_ERRORCHECK
	 * means that a recursive call does not wait (the guard of a static local variable throws)
	 */
	uint8_t lock;
	uint8_t pause; /* enum sched_pause; if set, `kind` is EV_NONE */
	uint64_t pc;   /* return address, for the record of a request that has to wait */
};

#define SCHED_LOCK_ROBUST 16   /* a bit of `lock` in addition to enum event_lock */
#define SCHED_DESTROY_WAITS 32 /* `lock` of a destroy: wait until no thread waits at the object */

enum sched_outcome {
	SCHED_GO,
	SCHED_TIMED_OUT,
	SCHED_SPURIOUS,
	SCHED_INTERRUPTED, /* a signal handler ran during the wait and ended it: EINTR */
	SCHED_RUN_HANDLER, /* inside the scheduler only: the turn is for running a signal handler */
};

/*
 * Returns an operation of this kind. Finds its `site` (the EV_SITE of the last segment, else `pc`)
 * and whether the caller is `foreign`.
 */
struct sched_op sched_op(enum event_kind kind, const volatile void *object, uintptr_t pc);

/* Call before an operation. Returns when this thread has the turn and the operation can happen. */
enum sched_outcome sched_wait_until_enabled(const struct sched_op *op);

/* Is the operation enabled now? The caller must have the turn. */
bool sched_is_enabled(const struct sched_op *op);

/* Does a thread wait for a signal at the condition, or for other threads at the barrier? */
bool sched_has_waiters(const volatile void *object);

/*
 * Call before each operation of a signal handler. A handler makes no decisions, but it may poll
 * memory for a change by another thread. So now and then the other threads get the turn.
 */
void sched_in_handler(void);

/*
 * sched_wait_until_enabled() for an operation that is always enabled and needs no other fields.
 * Does nothing unless sched_on().
 */
static inline void sched_before(enum event_kind kind, const volatile void *object, uint32_t size,
				uintptr_t pc)
{
	if (sched_on()) {
		struct sched_op op = sched_op(kind, object, pc);
		op.size = size;
		sched_wait_until_enabled(&op);
	} else if (sched_may_leave()) {
		sched_in_handler();
	}
}

/* Called by the stub before an access (access_patch.S). Uses general registers only. */
void sched_access(const uint8_t *record, unsigned element);

/*
 * Call when a record is written, or would be written if the stream had not ended. If the record is
 * a step, the step is counted and logged, and updates the model of its object. Called by record()
 * and record_close() when sched_on(); `bytes` are the record's raw bytes.
 */
void sched_recorded(enum event_kind kind, uintptr_t pc, const struct record_fields *fields,
		    const void *bytes, size_t size);

/*
 * Call before a record of a thread that may be cancelled asynchronously. If a cancellation has
 * interrupted a segment, this abandons the schedule.
 */
void sched_check_torn_segment(void);

/*
 * For a signal handler: is the interrupted thread in the middle of a segment, or waiting for its
 * turn? If the handler jumps away from there, the schedule contains steps that have no record.
 */
bool sched_jump_would_lose_steps(void);

/* A call has read the end of standard input. (The stdio stream is checked when the run ends.) */
void sched_input_ended(void);

/*
 * Call before and after a call that may block in the kernel. Other threads run in the meantime, and
 * the caller continues at their next switch. No effect unless sched_may_leave().
 */
void sched_leave(uint64_t site);
void sched_return(void);

/*
 * From now on, a signal handler or a timer may wake threads. Then a run in which no thread is ready
 * is not stuck; it only counts as hung after some time.
 */
void sched_expect_outside_wakeups(void);

/*
 * Call when a signal has arrived or a thread was cancelled. In another run, the same decisions may
 * deliver it at another point, and a search does not try all these points. Async-signal-safe.
 */
void sched_mark_unordered(void);

/* Called without the turn, after an operation that threads may wait for. Async-signal-safe. */
void sched_notify_change(void);
/* Called without the turn, after a SIGNAL or BROADCAST: the scheduler does not see it otherwise. */
void sched_notify_signal(enum event_kind kind, const volatile void *condition);

/*
 * Sleeping and yielding are decisions, but not steps. Only when sched_on(). sched_sleep() returns
 * false if a signal handler ended the sleep.
 */
bool sched_sleep(uint64_t until, uintptr_t pc);
void sched_yield_turn(uintptr_t pc);
/*
 * Lets other threads run first, like sched_yield_turn(), but the caller does not wait for anything:
 * a loop of such calls is no spinning.
 */
void sched_give_way(uintptr_t pc);
/*
 * Waits until *count >= enough. Only threads that have the turn change `count`. For threads that
 * come back from outside together: all of them have the same next decision.
 */
void sched_meet(const uint64_t *count, uint64_t enough, uintptr_t pc);
/* Call in a handler before it sleeps or yields: other threads run until sched_return(). */
void sched_leave_in_handler(uint64_t site);

/* Call before memory is unmapped: logs the value that the caller's last write has left there. */
void sched_finish_own_access(void);

/* ---- threads (sync/thread.c) ----------------------------------------------------------------- */

/*
 * Returns the number of a thread that the caller is about to create: the plan's number for this
 * child of the caller, or a new one. It is also the thread's stream number. CONTROL_NONE: there are
 * too many threads.
 */
uint32_t sched_new_thread(void);
void sched_thread_created(
	uint32_t thread);		  /* the thread now exists; CONTROL_NONE: creation failed */
void sched_begin_thread(uint32_t thread); /* in the new thread: returns when it gets the turn */
void sched_end_thread(void);		  /* after END: the turn goes to another thread */
uint32_t sched_self(void);		  /* the calling thread's number */
bool sched_thread_ended(uint32_t thread); /* its END was recorded */
/* The thread was cancelled: it can continue from any cancellation point it waits at. */
void sched_cancel(uint32_t thread);
/* did the caller's last sched_wait_until_enabled() return because the caller was cancelled? */
bool sched_cancelled(void);

/* ---- signals (sync/signal.c) ----------------------------------------------------------------- */

/*
 * A handler of the program is about to run in the calling thread. Returns true if it must not run
 * now, because the thread is inside the scheduler or waits for its turn. The signal is then
 * delivered again when the thread has the turn.
 */
bool sched_defer_signal(int number, const siginfo_t *info, void *context);
/*
 * Call before a handler of the program runs. If the thread is outside, waits for the turn and
 * returns true. After such a handler, call sched_leave_handler(), which takes the thread outside
 * again. (A handler that jumps away is the exception.)
 */
bool sched_enter_handler(int number);
void sched_leave_handler(void);
/* Call when a jump has left signal handlers. They may have interrupted the scheduler's work. */
void sched_handlers_jumped(void);
/*
 * Call before and after sending a signal: the sender waits a short time until a thread notices it.
 */
uint32_t sched_before_sending(void);
void sched_after_sending(uint32_t before);

/* ---- the process (host/process.c) ------------------------------------------------------------ */

struct options;
/* starts the scheduler if the options ask for it */
void sched_start(const struct options *options);
/*
 * Reads the plan for the next run of a server. The caller is thread 0 of process `pid`; what it did
 * before main counts as done.
 */
void sched_read_plan(int pid);

/* Is this the process whose threads take turns? A vfork child, which shares its memory, is not. */
bool sched_is_own_process(void);
/* Writes the result for the tool. Only the first call counts. The process continues. */
void sched_finish(enum control_result result, const char *text);
/* The same, and ends the run here. `status` has the format of waitpid(). */
void sched_end_run(enum control_result result, const char *text, int status)
	__attribute__((noreturn));
/*
 * For a fault handler: did one of the scheduler's own loads cause the fault (SCHED_LOAD)? Then the
 * thread continues after that load.
 */
bool sched_skip_read(void *context);
/* An access to freed memory, or a double free. Ends the run if CONTROL_CHECK_HEAP is set. */
void sched_fault(enum control_result result, uint64_t address, uint64_t site);
void sched_exit(void);	     /* exit, or the end of main: the plan may let others run first */
void sched_after_fork(void); /* in a child that the program forked: it takes no turns */
/* Is this the scheduler's own crash handler? The program must see SIG_DFL in its place. */
bool sched_is_crash_handler(void (*handler)(int));
/* for example to set fault_*; NULL: the threads of this process take no turns */
struct control *sched_control(void);

/* Gives up writing the recording's schedule, because it would be incomplete. */
void sched_log_abandon(void);

#endif

/*
 * State shared by the files of the scheduler. No other file includes this header.
 *
 * Only the thread that has the turn uses this state. So no lock is needed: handing the turn over
 * (carrier.h) orders memory. The atomic fields are also used by other threads.
 *
 * Tables are dense and filled from the front, because a persistent run restores each written page.
 */
#ifndef RUNTIME_SCHED_SCHED_STATE_H
#define RUNTIME_SCHED_SCHED_STATE_H

#include "runtime/sched/sched.h"

#include <stdatomic.h>

#define SCHED_NO_THREAD CONTROL_NONE

enum sched_thread_state {
	SCHED_NOT_CREATED,
	SCHED_PENDING, /* waits for the turn before `op`; a new thread before its BEGIN */
	SCHED_RUNNING,
	SCHED_OUTSIDE,	/* in a call that may block */
	SCHED_RETURNED, /* the call has returned; waits for the turn */
	SCHED_ENDED,
};

/* The reads of a thread since it last made progress: see sched_spin.c. */
#define SCHED_READS 8u
struct sched_read {
	uint64_t address, site, value;
	/*
	 * bytes read. 0: not a read, but a failed try of the object at `address`, whose version is
	 * `value`; or a yield, if `address` is 0
	 */
	uint32_t size;
	bool repeated; /* the thread has read the same value again */
};

struct sched_spin {
	uint32_t used, repeats;
	uint32_t extensions; /* how often the thread was allowed to spin for longer */
	uint32_t turns;	     /* how often it got the turn because others had gone on for long */
	/* when it was last taken for spinning: total numbers of steps and of timeouts */
	uint64_t since_steps, since_timeouts;
	struct sched_read reads[SCHED_READS];
};
struct sched_thread {
	struct sched_op op;
	_Atomic uint8_t state; /* a thread goes from OUTSIDE to RETURNED without the turn */
	uint8_t outcome;       /* enum sched_outcome of the wait; set when the thread is picked */
	bool decided;	       /* a decision was made before the next step */
	bool stopped;	       /* waits at its stop until all stops are reached */
	bool asleep;	       /* in the sleep set */
	bool spinning;	       /* keeps reading the same values: see sched_spin.c */
	bool cancelled, cancel_seen;
	bool request_made;
	_Atomic uint32_t
		work_depth; /* > 0: inside the scheduler; defers signals (sched_signal.c) */
	_Atomic bool signal_deferred;
	uint32_t handler_ops; /* number of operations that its signal handlers have done */
	/* enum sched_interrupted: which kinds of handlers have run in the thread */
	uint8_t interrupted;
	uint32_t step;		/* number of steps done */
	uint32_t steps_written; /* number of steps that the schedule file contains */
	uint32_t hold;		/* rules: the first step that must not start yet */
	uint32_t watch;		/* rules: a rule is fulfilled once this step is done */
	uint32_t stop;		/* the stop it has to reach next, or CONTROL_NONE */
	uint32_t children;
	uint32_t object, other; /* indices of the objects of `op`, if it has any */
	uint32_t locks_held;	/* number of locks that the thread holds */
	uint32_t round;		/* round of the barrier at which the thread waits */
	uint32_t scanned;	/* number of the last scan that saw it (pick_by_plan) */
	int tid;		/* the kernel's thread id */
	uint32_t blocked_on;	/* the object for whose change the thread waits: index + 1 */
	uint32_t next_blocked;	/* next in that object's list of blocked threads: thread + 1 */
	/* the lock of which the thread is a contender: index of the object + 1 */
	uint32_t contends_for;
	uint64_t waiting_since; /* value of condition_clock at its WAIT */
	/* The last access. If `access_open`, its value is read from memory before the next step. */
	struct control_event *access_event; /* NULL: the access is not logged */
	uint32_t access_size;
	uint64_t access_address;
	bool access_open;
	/* The record of the last access and the element in its segment. */
	const uint8_t *segment;
	unsigned element;
	struct sched_spin spin;
};

/* The scheduler's model of a synchronisation object, found by its address. */
struct sched_object {
	uint64_t address;
	uint32_t version; /* changes with every change of the object */
	/* thread + 1 that holds the lock for writing, or runs the routine of a once */
	uint32_t owner;
	uint32_t depth;
	/* locks: number of read acquisitions; list of readers */
	uint32_t readers, reader_list;
	/* conditions: number of waiting threads; number and list of tokens */
	uint32_t waiters, tokens, token_list;
	/* barriers: number of threads, of arrivals in this round, of rounds */
	uint32_t parties, arrived, round;
	/* list of the threads that wait for a change of the object: thread + 1 */
	uint32_t blocked;
	uint32_t contenders; /* index + 1 of its set of contenders, see sched_ready.c */
	uint32_t next;	     /* next object in its bucket: index + 1 */
};

#define SCHED_WORDS (CONTROL_THREADS / 64)

struct sched {
	struct control *control;
	struct control_thread *paths;
	const struct control_slice *slices;
	const struct control_rule *rules;
	const struct control_choice *choices;
	const uint32_t *sleeps;
	/* Where the next event is logged (&sched_unlogged: nowhere), and the end of the log. */
	struct control_event *event, *events_end;
	_Atomic uint32_t holder;   /* thread with the turn; SCHED_NO_THREAD: any may claim it */
	_Atomic uint32_t returned; /* number of threads in state RETURNED */
	_Atomic uint32_t outside;  /* number of threads in state OUTSIDE */
	_Atomic uint32_t notifications;	   /* number of changes reported without the turn */
	_Atomic uint32_t deferred_signals; /* number of threads with a deferred signal */
	_Atomic uint32_t signals_noticed;  /* number of signals that threads have noticed */
	_Atomic uint64_t progress;	   /* rises with every decision and every step */
	uint32_t top;			   /* all created threads have numbers below this */
	uint32_t alive;
	uint32_t prepared;	/* see sched_plan.c */
	uint32_t current_slice; /* the first slice of the plan that is not finished */
	uint32_t next_stopped;	/* after all stops were reached: the stop whose thread is next */
	uint32_t stops_reached;
	uint32_t scan;
	uint32_t idle_decisions; /* how many decisions in a row found no thread */
	bool stops_open;	 /* there are stops that have not been reached or given up */
	bool rules_open;
	bool sleeps_applied; /* the sleep set has been applied */
	uint32_t spin_rounds;
	uint64_t timeouts; /* number of timeouts and sleeps that have ended */
	/* No spinning thread is due at smaller numbers of steps and of timeouts. */
	uint64_t spin_due_steps, spin_due_timeouts;
	uint32_t exiting_thread; /* thread + 1 that is about to end the process */
	bool inspected;		 /* the thread with the turn waits for the tool */
	/* the run is left in a deadlock: waiting threads do not look around */
	_Atomic bool left_stuck;
	bool outside_wakeups; /* see sched_expect_outside_wakeups */
	bool may_cancel;      /* the program imports pthread_cancel */
	/* threads wait in a cycle that another may end; from this step on it is a deadlock */
	uint64_t cycle_until;
	bool finished;	    /* sched_finish was called */
	bool unconstrained; /* no stops, rules, sleep sets or choices are open */
	/*
	 * Before this step, the thread with the turn decides only before an operation that is not
	 * enabled, because plan and policy would only let it continue. 0: it decides before its
	 * next step.
	 */
	uint32_t next_decision;
	/* the thread also decides as soon as another pending thread becomes ready */
	bool decide_when_ready;
	/* up to this step, the last decision would stay the same; 0: not known */
	uint32_t chosen_until;
	uint32_t asleep_count;
	uint64_t random;
	uint64_t condition_clock; /* numbers waits and signals of conditions */
	/* Pending threads known to be ready, and those to be checked at each decision. */
	uint64_t known_ready[SCHED_WORDS], to_check[SCHED_WORDS];
	/* pending threads that yield or spin: others go first */
	uint64_t yielding[SCHED_WORDS];
	uint64_t ready[SCHED_WORDS];	    /* result of sched_find_ready: all ready threads */
	uint64_t has_priority[SCHED_WORDS]; /* threads that have a priority */
	/* These are separate dense arrays, because they are scanned at each decision. */
	uint64_t pending_objects[CONTROL_THREADS]; /* object of each pending operation, or 0 */
	uint64_t priorities[CONTROL_THREADS];
};
extern struct sched sched;
extern struct sched_thread sched_threads[CONTROL_THREADS];
extern struct control_event sched_unlogged;

/* ---- sets of threads: a bit for each --------------------------------------------------------- */

static inline bool sched_set_has(const uint64_t *words, uint32_t i)
{
	return words[i / 64] >> i % 64 & 1;
}

static inline void sched_set_add(uint64_t *words, uint32_t i)
{
	words[i / 64] |= 1ull << i % 64;
}

static inline void sched_set_remove(uint64_t *words, uint32_t i)
{
	words[i / 64] &= ~(1ull << i % 64);
}

static inline uint32_t sched_number(const struct sched_thread *t)
{
	return (uint32_t)(t - sched_threads);
}

/*
 * Only the thread with the turn calls these two, so a plain store is enough. A locked instruction
 * would take 20 cycles.
 */
static inline void sched_count_progress(void)
{
	uint64_t moves = atomic_load_explicit(&sched.progress, memory_order_relaxed);

	atomic_store_explicit(&sched.progress, moves + 1, memory_order_release);
}

static inline void sched_set_state(struct sched_thread *t, enum sched_thread_state where)
{
	atomic_store_explicit(&t->state, (uint8_t)where, memory_order_release);
}

/* Does an operation of this group change the scheduler's model of an object? */
static inline bool sched_is_sync(enum event_group group)
{
	return group == EG_LOCK || group == EG_CONDITION || group == EG_SEMAPHORE ||
	       group == EG_BARRIER || group == EG_ONCE;
}

/* Is this operation enabled in every state? */
static inline bool sched_is_always_enabled(const struct sched_op *op)
{
	if (op->how == EVENT_TRY)
		return op->pause == SCHED_NO_PAUSE;
	switch (op->kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_WOKEN:
	case EV_DOWN:
	case EV_PASS:
	case EV_ONCE_BEGIN:
	case EV_JOIN:
	case EV_NONE: return false;
	case EV_COND_DESTROY:
	case EV_BARRIER_DESTROY: return op->lock != SCHED_DESTROY_WAITS;
	default: return true;
	}
}

/* ---- sched.c --------------------------------------------------------------------------------- */

extern SOOTH_TLS struct sched_thread *sched_me; /* the calling thread; NULL: it takes no turns */

/* Decides before `op` of `t`, which has the turn. Returns when `t` has the turn again. */
enum sched_outcome sched_decide(struct sched_thread *t);
/* Takes the calling thread, which has the turn, outside. sched_return() brings it back. */
void sched_go_outside(struct sched_thread *t);
/*
 * Call at work in a thread that goes on: returns when it has the turn. Another thread may have
 * taken the turn while this one waited in an unexpected call.
 */
void sched_come_back(struct sched_thread *t);
static inline void sched_keep_turn(struct sched_thread *t)
{
	if (__builtin_expect(sched.holder != sched_number(t), 0))
		sched_come_back(t);
}
void sched_become_main(void);	    /* the caller becomes thread 0, the only thread */
void sched_stop_taking_turns(void); /* the caller takes no turns any more */
/*
 * For a waiting kernel thread that looks around: claims the turn if no other thread makes use of
 * it, and returns whether it did so.
 */
bool sched_try_claim_turn(uint32_t self);

/* ---- sched_step.c ---------------------------------------------------------------------------- */

void sched_finish_access(
	/* logs the value of the thread's last write, which is done by now */
	struct sched_thread *t);
/* Ends the run with USE_AFTER_FREE if that memory was freed and the options ask for the check. */
void sched_check_heap(uint64_t address, uint64_t size, uint64_t site);

/* ---- sched_pick.c ---------------------------------------------------------------------------- */

/*
 * Picks the thread that runs next and stores the outcome of its wait. `self`, the caller, has the
 * turn and may be picked. `tries`: how often the caller has already waited for threads to come back
 * from outside; while there are such threads, timeouts expire only after some tries. CONTROL_NONE:
 * no thread can run now, but some are outside, or the options let a deadlock stay.
 */
uint32_t sched_pick(uint32_t self, unsigned tries);
void sched_count_slices(void); /* counts the finished slices of the plan */

/* ---- sched_ready.c --------------------------------------------------------------------------- */

/* Add a thread to the pending threads, or remove it. */
void sched_add_pending(struct sched_thread *t);
void sched_remove_pending(struct sched_thread *t);
void sched_reclassify_pending(void);		      /* rules, stops or sleeps have changed */
void sched_recheck_blocked(struct sched_object *o);   /* the object has changed */
void sched_update_contenders(struct sched_object *o); /* the lock was acquired or released */
/* Do stops, sleep sets and rules let the pending thread run if its operation is enabled? */
bool sched_is_allowed(const struct sched_thread *t);
/* Does the thread wait in sched_meet(), and may it continue? */
bool sched_has_met(const struct sched_thread *t);
bool sched_is_ready(const struct sched_thread *t);     /* could it run now? */
bool sched_can_time_out(const struct sched_thread *t); /* could its timeout or sleep end? */
void sched_find_ready(void);			       /* fills sched.ready */
/* May a thread become ready without a change that the scheduler sees? */
bool sched_any_uncertain(void);

/* ---- sched_plan.c ---------------------------------------------------------------------------- */

void sched_plan_start(void);
/*
 * sched_plan_check_stop() applies stops to a thread that becomes pending. sched_plan_step_done()
 * applies rules and sleep sets after a step.
 */
void sched_plan_check_stop(struct sched_thread *t);
void sched_plan_step_done(struct sched_thread *t, const struct control_event *event);
/* after all stops were reached: returns the thread of the next stop, or CONTROL_NONE */
uint32_t sched_plan_next_stopped(void);
/* no thread can run: gives up the stops, else the rules; false: there are none */
bool sched_plan_give_up(void);
/* Stops the process until the tool lets it continue, so that the process can be inspected. */
void sched_wait_for_tool(void);
/* The slices are used up: the sleep set takes effect. */
void sched_plan_apply_sleeps(void);
uint32_t sched_plan_choice(const struct sched_thread *t); /* enum control_choice_kind, or 0 */

/* ---- sched_object.c -------------------------------------------------------------------------- */

void sched_object_start(void);
/* returns the object's index; adds the object if it is new */
uint32_t sched_object_find(uint64_t address);
struct sched_object *sched_object(uint32_t index);
bool sched_object_enabled(const struct sched_thread *t);
/* for a waiter of a condition: is there a token for it? */
bool sched_object_has_token(const struct sched_thread *t);
/* Is the operation's mutex free, if it has one? A timed-out or spurious wake-up needs it, too. */
bool sched_object_mutex_free(const struct sched_thread *t);
/* A thread that takes no turns has signalled the condition. Called by the thread with the turn. */
void sched_object_signalled(uint64_t condition, bool all);
void sched_object_apply(struct sched_thread *t, enum event_kind kind, enum event_group group,
			const struct record_fields *fields);
/* The thread has ended: robust mutexes that it still holds can be acquired now. */
void sched_object_owner_ended(const struct sched_thread *t);
/* Calls `visit` for each thread that holds what `t` waits for, until it returns true. */
bool sched_object_visit_owners(const struct sched_thread *t,
			       bool (*visit)(uint32_t owner, void *data), void *data);

/* ---- sched_spin.c ---------------------------------------------------------------------------- */

void sched_spin_start(void);
void sched_spin_remember(struct sched_thread *t, uint64_t address, uint32_t size, uint64_t value,
			 uint64_t site);
void sched_spin_try(struct sched_thread *t, uint64_t object, uint64_t site);
/* Lets the thread spin for longer. Returns false if this was done often enough, unless `always`. */
bool sched_spin_extend(struct sched_thread *t, bool always);
bool sched_spin_changed(const struct sched_thread *t);
/* Have other threads done so much since the thread was taken for spinning that it must go on? */
bool sched_spin_is_due(const struct sched_thread *t);
void sched_spin_give_turn(struct sched_thread *t); /* lets a thread that is due spin for longer */
/* May a spinning thread be due? */
bool sched_spin_any_due(void);

/* Call when the thread has made progress: forgets its reads. */
static inline void sched_spin_reset(struct sched_thread *t)
{
	struct sched_spin *spin = &t->spin;

	if (spin->used) {
		spin->used = spin->repeats = spin->extensions = spin->turns = 0;
		t->spinning = false;
	}
}

/* Stores the first read after a reset directly; sched_spin_remember() handles the others. */
static inline void sched_spin_read(struct sched_thread *t, uint64_t address, uint32_t size,
				   uint64_t value, uint64_t site)
{
	struct sched_spin *spin = &t->spin;

	if (spin->used) {
		sched_spin_remember(t, address, size, value, site);
		return;
	}
	spin->used = 1;
	spin->reads[0].address = address;
	spin->reads[0].site = site;
	spin->reads[0].value = value;
	spin->reads[0].size = size < 8 ? size : 8;
	spin->reads[0].repeated = false;
}

/*
 * A load that may fault: the program is about to access the same memory, and then the fault must be
 * the program's own. If the load faults, sched_skip_read() continues after it, and the value is 0.
 */
#define SCHED_LOAD(instruction, value, address)                                                    \
	__asm__ volatile("1: " instruction "\n2:\n"                                                \
			 ".pushsection sooth_reads, \"a\", @progbits\n"                            \
			 ".balign 4\n"                                                             \
			 ".long 1b - ., 2b - .\n"                                                  \
			 ".popsection"                                                             \
			 : "+r"(value)                                                             \
			 : "r"(address)                                                            \
			 : "memory")

/* Returns the value in memory, at most 8 bytes. */
static inline uint64_t sched_value(uint64_t address, uint32_t size)
{
	uint64_t value = 0;

	switch (size) {
	case 0: return 0;
	case 1: SCHED_LOAD("movzbl (%1), %k0", value, address); return value;
	case 2: SCHED_LOAD("movzwl (%1), %k0", value, address); return value;
	case 4: SCHED_LOAD("movl (%1), %k0", value, address); return value;
	default: break;
	}
	if (size >= 8) {
		SCHED_LOAD("movq (%1), %0", value, address);
		return value;
	}
	for (uint32_t i = size; i-- > 0;) {
		uint64_t byte = 0;
		SCHED_LOAD("movzbl (%1), %k0", byte, address + i);
		value = value << 8 | byte;
	}
	return value;
}

/* ---- sched_stuck.c --------------------------------------------------------------------------- */

/* Does the pending operation of `t` close a cycle of threads that wait for each other? */
bool sched_stuck_cycle(const struct sched_thread *t);
/* Ends the run, or returns if the options let a deadlock stay. */
/* Call when sched_stuck_cycle(t) has returned true. Returns if another thread may end the cycle. */
void sched_stuck_deadlock(const struct sched_thread *t);
/* Ends the run if threads wait in a cycle and, from now on, nothing can end it. */
void sched_stuck_end_cycle(void);
void sched_stuck_all_blocked(void);
void sched_stuck_some_outside(void); /* call when no thread is ready and some are outside */
void sched_stuck_write_blocked(const struct sched_thread *in_cycle);

/* ---- sched_outside.c ------------------------------------------------------------------------- */

void sched_outside_check_hung(void); /* ends the run if there has been no step for HUNG_NS */
void sched_outside_advance_time(
	uint64_t time); /* advances the virtual clock, and kernel timers with it */
/*
 * If a kernel timer expires before this virtual time, advances time to the timer and returns true.
 */
bool sched_outside_expire_timer(uint64_t time);
bool sched_outside_all_asleep(void); /* do all threads that are outside sleep in the kernel? */

/* ---- sched_signal.c -------------------------------------------------------------------------- */

enum sched_interrupted { SCHED_RESTARTS_WAIT = 1, SCHED_ENDS_WAIT = 2 };

/*
 * Call before and after the scheduler's work in a thread. Signals are deferred until the outermost
 * sched_end_work(). That function delivers them, and their handlers may jump away from it.
 */
static inline void sched_begin_work(struct sched_thread *t)
{
	atomic_store_explicit(&t->work_depth,
			      atomic_load_explicit(&t->work_depth, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

void sched_deliver_deferred(struct sched_thread *t);

static inline void sched_end_work(struct sched_thread *t)
{
	uint32_t busy = atomic_load_explicit(&t->work_depth, memory_order_relaxed) - 1;

	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&t->work_depth, busy, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(t->signal_deferred, 0) && !busy)
		sched_deliver_deferred(t);
}

/*
 * Runs the handlers for which the thread was given the turn. Returns true if they end its wait. The
 * thread keeps the turn, but is not pending any more.
 */
bool sched_run_handlers(struct sched_thread *t, int error);

/* ---- sched_log.c ----------------------------------------------------------------------------- */

void sched_log_start(const char *dir);
/* `from` gives up the turn: writes its slice */
void sched_log_switch(const struct sched_thread *from);
void sched_log_end(void);

/* ---- sched_unscheduled.c --------------------------------------------------------------------- */

/* Applies the signals of threads that take no turns. The caller is about to decide. */
void sched_apply_notified(void);

#endif

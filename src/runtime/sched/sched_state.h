/*
 * What the files of the scheduler share. Nobody else includes this.
 *
 * All of it belongs to the thread that has the turn: no lock is needed, since handing the turn over
 * (carrier.h) orders memory. The exceptions are atomics, and say so.
 *
 * Tables are dense and filled from the front: persistent runs restore each page that was touched.
 */
#ifndef RUNTIME_SCHED_SCHED_STATE_H
#define RUNTIME_SCHED_SCHED_STATE_H

#include "runtime/sched/sched.h"

#include <stdatomic.h>

#define SCHED_NOBODY CONTROL_NONE

enum sched_where {
	SCHED_UNMADE,
	SCHED_STANDS, /* before the operation `want`; a new thread before its BEGIN */
	SCHED_RUNS,
	SCHED_OUTSIDE, /* in a call that may block */
	SCHED_BACK,    /* came back from there, waits for the turn */
	SCHED_ENDED,
};

/* What it has read, since it did something else: see sched_spin.c. */
#define SCHED_READS 8u
struct sched_read {
	uint64_t address, site, value;
	uint32_t size; /* 0: a try of an object, `value` is its version; without one, a yield */
	bool again;    /* it was repeated */
};

struct sched_spin {
	uint32_t used, repeats;
	uint32_t indulged; /* how often it was let go on all the same */
	struct sched_read reads[SCHED_READS];
};
struct sched_thread {
	struct sched_want want;
	_Atomic uint8_t where; /* enum sched_where; OUTSIDE → BACK is done without the turn */
	uint8_t answer;	       /* enum sched_answer, when it was given the turn */
	bool decided;	       /* a decision stood before the step to come */
	bool stopped;	       /* at its stop, until all are there */
	bool asleep;	       /* sleep sets */
	bool spins;	       /* has read the same again and again: see sched_spin.c */
	bool cancelled, cancel_seen;
	bool request_made;
	_Atomic uint32_t
		busy; /* the scheduler is at work in it: signals are put off (sched_signal.c) */
	_Atomic bool signalled; /* one was */
	uint32_t looks;		/* operations of its handlers */
	uint8_t interrupted;	/* which handlers have run in it: enum sched_interrupted */
	uint32_t step;		/* operations done */
	uint32_t written;	/* steps that the schedule file knows of */
	uint32_t hold;		/* rules: the first step that may not start yet */
	uint32_t watch;		/* rules: having done this many steps lets somebody else go on */
	uint32_t stop;		/* the stop it is on its way to, or CONTROL_NONE */
	uint32_t children;
	uint32_t object, other; /* of want: indices of objects, where they matter */
	uint32_t held;		/* locks */
	uint32_t round;		/* of the barrier it waits at */
	uint32_t scanned;	/* see sched_pick.c */
	uint32_t left;		/* how often it went outside */
	int tid;		/* the kernel's */
	uint32_t blocked_on;	/* the object whose change it waits for: index + 1 */
	uint32_t next_blocked;	/* in that object's list: thread + 1 */
	uint32_t in_crowd;	/* the lock in whose crowd it stands: index of the object + 1 */
	uint64_t waiting_since; /* the number of its WAIT */
	/* The last access, whose value is looked at when it is over: at the next step. */
	struct control_event *access_event; /* NULL: not logged */
	uint32_t access_size;
	uint64_t access_address;
	bool access_open;
	/* The segment and the element of its last access. */
	const uint8_t *segment;
	unsigned element;
	struct sched_spin spin;
};

/* What the scheduler knows of an object; found by its address. */
struct sched_object {
	uint64_t address;
	uint32_t version; /* changes whenever anything of it does */
	uint32_t owner;	  /* thread + 1: who holds it for writing; who is at it (once) */
	uint32_t depth;
	uint32_t readers, reader_list;	      /* how often held for reading; by whom (links) */
	uint32_t waiters, tokens, token_list; /* a condition's */
	uint32_t meet, arrived, round;	      /* a barrier's */
	uint32_t blocked;		      /* who waits for it to change: thread + 1 */
	uint32_t crowd;			      /* who can take it if it is free: see sched_ready.c */
	uint32_t next;			      /* in its bucket; index + 1 */
};

#define SCHED_WORDS (CONTROL_THREADS / 64)

struct sched {
	struct control *control;
	struct control_thread *paths;
	const struct control_run *runs;
	const struct control_rule *rules;
	const struct control_choice *choices;
	const uint32_t *sleeps;
	/* Where the next event goes, and where the log ends; beyond, it is sched_unlogged. */
	struct control_event *event, *events_end;
	_Atomic uint32_t holder;  /* who has the turn, or SCHED_NOBODY: then any may claim it */
	_Atomic uint32_t back;	  /* how many have come back from outside and wait */
	_Atomic uint32_t outside; /* how many are in a call */
	_Atomic uint32_t pokes;	  /* see sched_poke */
	_Atomic uint32_t signals; /* threads whose signals were put off */
	_Atomic uint32_t caught;  /* signals that any thread has noticed */
	_Atomic uint64_t moves;	  /* rises with every decision: to see whether anything moves */
	uint32_t top;		  /* threads below it have been made */
	uint32_t alive;
	uint32_t prepared; /* see sched_plan.c */
	uint32_t run_at;   /* the first run that is not finished */
	uint32_t meeting;  /* which stop's turn it is, when they have met */
	uint32_t stops_reached;
	uint32_t scan;
	uint32_t idle;	  /* how often in a row nobody could go on */
	uint32_t rescues; /* how often in a row somebody went on only because nobody could */
	bool stops_open;  /* there are stops not yet met or given up */
	bool rules_open;
	bool sleeps_used; /* the sleep set has been put to bed */
	uint32_t spin_rounds;
	uint32_t exiting;   /* who is about to end the process: thread + 1 */
	bool held;	    /* the tool looks at us: whoever has the turn waits for it */
	_Atomic bool stuck; /* nobody can go on, nobody is outside, and that is how it is to stay */
	bool others_expected; /* see sched_expect_others */
	bool may_cancel;      /* the program knows pthread_cancel */
	bool over;	      /* sched_finish was called */
	bool plain; /* no stops, rules or sleeps are open: what always can needs no look at them */
	/*
	 * Who has the turn goes on without a decision until it has done so many steps, but for what
	 * cannot happen at once: the plan and the policy would say no more than that. 0: they are asked.
	 */
	uint32_t straight_until;
	bool straight_depends; /* … as long as nobody who stands becomes ready */
	uint32_t chosen_until; /* what the last decision says of that */
	uint32_t asleep;
	uint64_t random;
	uint64_t numbers; /* counts waits and signals */
	/* Who stands: before what always can, and the others. */
	uint64_t free[SCHED_WORDS], bound[SCHED_WORDS];
	uint64_t giving_way[SCHED_WORDS]; /* of them, who yields or spins: others go first */
	uint64_t ready[SCHED_WORDS];	  /* at this decision: who could go on */
	uint64_t drawn[SCHED_WORDS];	  /* who has a priority */
	/* Dense, because they are looked at together. */
	uint64_t objects[CONTROL_THREADS]; /* what each stands before, or 0 */
	uint64_t priorities[CONTROL_THREADS];
};
extern struct sched sched;
extern struct sched_thread sched_threads[CONTROL_THREADS];
extern struct control_event sched_unlogged;

static inline uint32_t sched_number(const struct sched_thread *t)
{
	return (uint32_t)(t - sched_threads);
}

/* The turn's owner alone changes these; others look at them, and a locked instruction is 20 cycles. */
static inline void sched_count_move(void)
{
	uint64_t moves = atomic_load_explicit(&sched.moves, memory_order_relaxed);

	atomic_store_explicit(&sched.moves, moves + 1, memory_order_release);
}

static inline void sched_put(struct sched_thread *t, enum sched_where where)
{
	atomic_store_explicit(&t->where, (uint8_t)where, memory_order_release);
}

/* Can it always happen? */
static inline bool sched_is_free(const struct sched_want *want)
{
	if (want->how == EVENT_TRY)
		return want->pause == SCHED_NO_PAUSE;
	switch (want->kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_WOKEN:
	case EV_DOWN:
	case EV_PASS:
	case EV_ONCE_BEGIN:
	case EV_JOIN:
	case EV_NONE: return false;
	case EV_COND_DESTROY:
	case EV_BARRIER_DESTROY: return want->lock != SCHED_WHEN_LEFT;
	default: return true;
	}
}

/* ---- sched.c ---- */

extern SOOTH_TLS struct sched_thread *sched_me; /* the calling thread; NULL: it takes no turns */

/* Before the operation `want` of the thread that has the turn, unless it goes straight on. */
enum sched_answer sched_take_slowly(struct sched_thread *t);
/* The thread, which has the turn, is outside from now on. sched_return comes back. */
void sched_go_outside(struct sched_thread *t);
void sched_be_main(void);     /* the caller is thread 0, and there are no others */
void sched_forget_self(void); /* the caller takes no turns any more */
/* A waiting kernel thread looks around: true, it has taken a turn that nobody had. */
bool sched_waited_long(uint32_t self);

/* ---- sched_step.c ---- */

void sched_settle_access(
	struct sched_thread *t); /* the value of the last write, which is over now */
/* Ends the run if that memory was freed, where that is to be looked for. */
void sched_check_heap(uint64_t address, uint64_t size, uint64_t site);

/* ---- sched_pick.c ---- */

/*
 * Who goes on? `self`, which has the turn, may be one of them. CONTROL_NONE: nobody can now, but
 * somebody is outside, or a deadlock stays one. The answer is in the thread. `tries`: how often the
 * caller has waited for somebody to come back from outside; at first nobody's time is let run out.
 */
uint32_t sched_pick(uint32_t self, unsigned tries);
void sched_count_runs(void); /* how many runs of the plan are done */

/* ---- sched_ready.c ---- */

/* Puts a thread among those who stand, or takes it from there. */
void sched_stand(struct sched_thread *t);
void sched_unstand(struct sched_thread *t);
void sched_stand_anew(void);		    /* rules, stops or sleeps have changed */
void sched_unblock(struct sched_object *o); /* it has changed */
void sched_regrade(struct sched_object *o); /* it has been taken, or is free */
/* Do rules, stops and sleeps let it, if its operation can happen? */
bool sched_is_allowed(const struct sched_thread *t);
bool sched_ready(const struct sched_thread *t);	       /* could it go on now? */
bool sched_can_time_out(const struct sched_thread *t); /* … because its time is over? */
void sched_find_ready(void);			       /* all of them, to sched.ready */
bool sched_any_unseen(void); /* may anybody become ready without a change that we are told of? */

/* ---- sched_plan.c ---- */

void sched_plan_start(void);
/* What rules, stops and sleeps say of a thread that stands, and after a step. */
void sched_plan_arrived(struct sched_thread *t);
void sched_plan_did(struct sched_thread *t, const struct control_event *event);
uint32_t sched_plan_meeting(void); /* whose turn it is at the meeting, or CONTROL_NONE */
bool sched_plan_give_up(void);	   /* nobody can go on: stops, then rules, are given up */
/* Until the tool lets us go: somebody looks at the process. */
void sched_plan_hold(void);
void sched_plan_sleep(void);				  /* the runs are used up */
uint32_t sched_plan_choice(const struct sched_thread *t); /* enum control_choice_kind, or 0 */
bool sched_plan_depends(const struct sched_want *want, const struct control_event *event);

/* ---- sched_object.c ---- */

void sched_object_start(void);
uint32_t sched_object_find(uint64_t address); /* its index; made if it is new */
struct sched_object *sched_object(uint32_t index);
bool sched_object_can(const struct sched_thread *t);
bool sched_object_has_token(const struct sched_thread *t); /* a condition's waiter */
/* A timed-out or spurious wake-up needs its mutex all the same. */
bool sched_object_mutex_free(const struct sched_thread *t);
/* Somebody who takes no turns has signalled it. */
void sched_object_signalled(uint64_t condition, bool all);
void sched_object_did(struct sched_thread *t, enum event_kind kind, enum event_group group,
		      const struct record_fields *fields);
/* It is over: what it still has, robust mutexes, others may have now. */
void sched_object_owner_over(const struct sched_thread *t);
/* Who holds what it waits for: calls `visit` for each until that says true. */
bool sched_object_owners(const struct sched_thread *t, bool (*visit)(uint32_t owner, void *data),
			 void *data);

/* ---- sched_spin.c ---- */

void sched_spin_start(void);
void sched_spin_note(struct sched_thread *t, uint64_t address, uint32_t size, uint64_t value,
		     uint64_t site);
void sched_spin_try(struct sched_thread *t, uint64_t object, uint64_t site);
/* Lets it spin for another while. False, unless `always`: that was done often enough. */
bool sched_spin_indulge(struct sched_thread *t, bool always);
bool sched_spin_changed(const struct sched_thread *t);

/* It has done something. */
static inline void sched_spin_reset(struct sched_thread *t)
{
	struct sched_spin *spin = &t->spin;

	if (spin->used) {
		spin->used = spin->repeats = spin->indulged = 0;
		t->spins = false;
	}
}

/* The first read behind that is remembered at once. */
static inline void sched_spin_read(struct sched_thread *t, uint64_t address, uint32_t size,
				   uint64_t value, uint64_t site)
{
	struct sched_spin *spin = &t->spin;

	if (spin->used) {
		sched_spin_note(t, address, size, value, site);
		return;
	}
	spin->used = 1;
	spin->reads[0].address = address;
	spin->reads[0].site = site;
	spin->reads[0].value = value;
	spin->reads[0].size = size < 8 ? size : 8;
	spin->reads[0].again = false;
}

/*
 * A load that may fault: the program is about to do the same, and the fault shall be its own. Where it
 * does, sched_skip_read goes on behind it, and what was there is 0.
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

/* What is there, at most 8 bytes. */
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

/* ---- sched_stuck.c ---- */

/* A thread stands before something that somebody has: does that close a cycle? */
bool sched_stuck_cycle(const struct sched_thread *t);
/* Ends the run, or returns if the options want a deadlock to stay one. */
void sched_stuck_deadlock(const struct sched_thread *t);
void sched_stuck_nobody(void);
void sched_stuck_behind_others(void); /* nobody can go on, somebody is outside */
void sched_stuck_write_blocked(const struct sched_thread *in_cycle);

/* ---- sched_outside.c ---- */

void sched_outside_nobody(void); /* nobody can go on, somebody is outside: has that been long? */
void sched_outside_pass(uint64_t time); /* the clock jumps, and timers of the kernel with it */
/* Does a timer of the kernel run out before that time? Then it has, now. */
bool sched_outside_timer(uint64_t time);
bool sched_outside_asleep(void); /* does everybody who is there sleep, in the kernel? */

/* ---- sched_signal.c ---- */

enum sched_interrupted { SCHED_RESTARTS = 1, SCHED_DOES_NOT_RESTART = 2 };

/*
 * Around the scheduler's work in a thread: meanwhile signals are put off, and come behind the last
 * sched_rest. Handlers may jump away there.
 */
static inline void sched_work(struct sched_thread *t)
{
	atomic_store_explicit(&t->busy, atomic_load_explicit(&t->busy, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

void sched_take_signals(struct sched_thread *t);

static inline void sched_rest(struct sched_thread *t)
{
	uint32_t busy = atomic_load_explicit(&t->busy, memory_order_relaxed) - 1;

	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&t->busy, busy, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(t->signalled, 0) && !busy)
		sched_take_signals(t);
}

/*
 * It was given the turn for its handlers: runs them. True: that ends what it waits for. The thread has
 * the turn, but stands no more.
 */
bool sched_run_handlers(struct sched_thread *t, int error);

/* ---- sched_log.c ---- */

void sched_log_start(const char *dir);
void sched_log_switch(const struct sched_thread *from); /* its turn ends */
void sched_log_end(void);

/* ---- sched_unscheduled.c ---- */

/* What those have done who take no turns. The caller has the turn, and is about to decide. */
void sched_take_news(void);

#endif

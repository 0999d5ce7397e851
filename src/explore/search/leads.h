/*
 * Leads: changes of a known run that might make it fail. Each lead is a small set of rules, "this
 * operation before that one", from which lead_plan.h makes a plan. After Havelund, "Using runtime
 * analysis to guide model checking of Java programs" (SPIN 2000), whose leads were the warnings of
 * Eraser and GoodLock. Here the following are leads as well: each read that could see another
 * write, triples of accesses, wake-ups that could come too early, and blocks that could be freed
 * too early.
 *
 * Leads are distinguished by kind and pair of sites. The queue is ranked: the best kinds and the
 * least often tried pairs come first.
 */
#ifndef EXPLORE_SEARCH_LEADS_H
#define EXPLORE_SEARCH_LEADS_H

#include "base/map.h"
#include "explore/search/runlog.h"

enum lead_kind {
	LEAD_CYCLE,	 /* locks acquired in a cycle: each thread stops before its second lock */
	LEAD_FREE,	 /* a block is freed before it is used */
	LEAD_FREE_LATE,	 /* as before, and the use waits until no other thread can run */
	LEAD_SIGNAL,	 /* a signal comes before the wait that it woke */
	LEAD_SEE,	 /* a read is delayed until it sees a write that came later */
	LEAD_SEE_LAST,	 /* as before, and the read waits until no other thread can run */
	LEAD_OLDER,	 /* a read comes before all earlier writes that it can precede */
	LEAD_OLDER_BACK, /* … and then the run continues as it did */
	LEAD_BEFORE,	 /* a read comes before only the last write, whose value it saw */
	LEAD_BEFORE_BACK,
	LEAD_TRIPLE, /* another thread's write comes between two accesses of a thread */
	LEAD_WRITES, /* two writes happen in the other order */
	LEAD_KINDS
};
const char *lead_kind_name(enum lead_kind kind);

struct lead {
	enum lead_kind kind;
	struct runlog *log;
	uint64_t pair; /* hash of both sites and the kind's family */
	uint64_t site_a, site_b;
	int rank;  /* smaller is better */
	bool stay; /* once the rules are met, the current thread keeps the turn */
	VEC(struct control_rule) rules;
};

struct leads {
	VEC(struct lead) queue;
	VEC(struct runlog *) logs; /* the runs to which leads refer */
	struct map tried, queued;  /* number of leads tried and of leads in the queue, by `pair` */
	struct map seen_pairs; /* pairs of sites: a read and the write that it saw, in any run */
	struct map hashes;     /* of all runs that were learnt */
	struct map hinted;     /* pairs of sites that analyses named (leads_hint()) */
	uint64_t made, taken, dropped;
};
void leads_free(struct leads *leads);

/* Gives leads at these two sites, in either order, a better rank. */
void leads_hint(struct leads *leads, uint64_t one, uint64_t other);

/*
 * Adds the leads of a run. Returns false if the run equals one that was learnt before. `by`: the
 * lead that led to this run, or NULL. Leads that reverse its pair of sites again get a worse rank,
 * because they lead back to the run from which `by` came.
 */
bool leads_learn(struct leads *leads, const struct outcome *outcome, uint32_t depth,
		 const struct lead *by);

/*
 * Takes the best lead out of the queue; the caller must pass it to lead_done(). Returns false if
 * the queue is empty.
 */
bool leads_take(struct leads *leads, struct lead *lead);
void lead_done(struct leads *leads, struct lead *lead);

/* ---- for the files that make leads ----------------------------------------------------------- */

/* Adds a lead; copies the rules. `penalty`: 0 for a likely lead, more for a less likely one. */
void leads_add(struct leads *leads, struct runlog *log, enum lead_kind kind,
	       const struct control_rule *rules, size_t count, uint64_t site_a, uint64_t site_b,
	       int penalty);

/*
 * Chooses the step for a rule that stops thread `held` until thread `other` has done `other_step`.
 * Returns `step`, or an earlier step at which `held` holds no lock that `other` acquires on its way
 * to `other_step`.
 */
uint32_t lead_stop_above_locks(const struct runlog *log, uint32_t held, uint32_t step,
			       uint32_t other, uint32_t other_step);

void leads_from_memory(struct leads *leads, struct runlog *log); /* leads_memory.c */
void leads_from_blocks(struct leads *leads, struct runlog *log); /* the rest: leads_sync.c */
void leads_from_cycles(struct leads *leads, struct runlog *log);
void leads_from_signals(struct leads *leads, struct runlog *log);

#endif

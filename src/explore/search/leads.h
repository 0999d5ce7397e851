/*
 * Leads: changes to a run that was seen which might make it fail. Each is a small set of rules,
 * "this operation before that one", from which lead_plan.h makes a plan. After Havelund, "Using runtime
 * analysis to guide model checking of Java programs" (SPIN 2000), whose leads were the warnings of
 * Eraser and GoodLock; here also each read that could see another write, triples of accesses, wake-ups
 * that could come too early, blocks that could be freed too early.
 *
 * Leads are kept apart by kind and pair of code sites, and ranked: the best kinds and least often
 * tried pairs first.
 */
#ifndef EXPLORE_SEARCH_LEADS_H
#define EXPLORE_SEARCH_LEADS_H

#include "base/map.h"
#include "explore/search/runlog.h"

enum lead_kind {
	LEAD_CYCLE,	 /* locks taken in a cycle: each stops before its second */
	LEAD_FREE,	 /* a block freed before somebody uses it */
	LEAD_FREE_LATE,	 /* … and that one goes on when nobody else can */
	LEAD_SIGNAL,	 /* a signal before the wait that it woke */
	LEAD_SEE,	 /* a read sees a write that came later */
	LEAD_SEE_LAST,	 /* … when nobody else can go on */
	LEAD_OLDER,	 /* a read before all writes that it could come before */
	LEAD_OLDER_BACK, /* … and then the run as it was */
	LEAD_BEFORE,	 /* a read before the write that it saw alone */
	LEAD_BEFORE_BACK,
	LEAD_TRIPLE, /* a write of another between two accesses of a thread */
	LEAD_WRITES, /* two writes the other way round */
	LEAD_KINDS
};
const char *lead_kind_name(enum lead_kind kind);

struct lead {
	enum lead_kind kind;
	struct runlog *log;
	uint64_t pair; /* of kind and sites */
	uint64_t site_a, site_b;
	int rank;  /* smaller is better */
	bool stay; /* once the rules are met the thread that runs goes on */
	VEC(struct control_rule) rules;
};

struct leads {
	VEC(struct lead) queue;
	VEC(struct runlog *) logs; /* those that leads refer to */
	struct map tried, queued;  /* by pair */
	struct map seen_pairs;	   /* reads-from pairs of sites seen in any run */
	struct map hashes;	   /* of runs that were taken in */
	struct map hinted;	   /* pairs of sites that analyses named */
	uint64_t made, taken, dropped;
};
void leads_free(struct leads *leads);

/* Leads at these two sites, in any order, come first. */
void leads_hint(struct leads *leads, uint64_t one, uint64_t other);

/*
 * Takes a run in: new leads from it. False if an equal run was taken in before. `by`: the lead that
 * it came from, or NULL; to turn the order of its two sites back leads to where that came from.
 */
bool leads_learn(struct leads *leads, const struct outcome *outcome, uint32_t depth,
		 const struct lead *by);

/* The best lead; the caller owns it and calls lead_done. False: none is left. */
bool leads_take(struct leads *leads, struct lead *lead);
void lead_done(struct leads *leads, struct lead *lead);

/* ---- for who makes leads ------------------------------------------------------------------ */

/* Takes over the rules. `penalty` 0 is likely, each point less so. */
void leads_add(struct leads *leads, struct runlog *log, enum lead_kind kind,
	       const struct control_rule *rules, size_t count, uint64_t site_a, uint64_t site_b,
	       int penalty);

/*
 * Thread `held` is to stop before `step` until `other` has done `other_step`. Returns the step to
 * stop before, moved up so that it holds nothing that the other needs on its way.
 */
uint32_t lead_lift(const struct runlog *log, uint32_t held, uint32_t step, uint32_t other,
		   uint32_t other_step);

void leads_from_memory(struct leads *leads, struct runlog *log); /* leads_memory.c */
void leads_from_blocks(struct leads *leads, struct runlog *log); /* leads_sync.c … */
void leads_from_cycles(struct leads *leads, struct runlog *log);
void leads_from_signals(struct leads *leads, struct runlog *log);

#endif

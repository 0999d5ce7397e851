/*
 * Leads: changes to a run that was seen which might make it fail. Each is a small set of rules,
 * "this operation before that one", from which lead_plan.h makes a plan. After Havelund, "Using
 * runtime analysis to guide model checking of Java programs" (SPIN 2000), whose leads were the
 * warnings of Eraser and GoodLock. Here each read that could see another write, triples of
 * accesses, wake-ups that could come too early and blocks that could be freed too early are leads
 * as well.
 *
 * Leads are distinguished by kind and pair of sites. They are ranked: the best kinds and the least
 * often tried pairs come first.
 */
#ifndef EXPLORE_SEARCH_LEADS_H
#define EXPLORE_SEARCH_LEADS_H

#include "base/map.h"
#include "explore/search/runlog.h"

enum lead_kind {
	LEAD_CYCLE,	 /* locks acquired in a cycle: each thread stops before its second lock */
	LEAD_FREE,	 /* a block is freed before it is used */
	LEAD_FREE_LATE,	 /* … and the user runs only when no other thread can */
	LEAD_SIGNAL,	 /* a signal comes before the wait that it woke */
	LEAD_SEE,	 /* a read is delayed until it sees a write that came later */
	LEAD_SEE_LAST,	 /* … it waits until no other thread can run */
	LEAD_OLDER,	 /* a read comes before all writes that it could come before */
	LEAD_OLDER_BACK, /* … and then the run continues as it was */
	LEAD_BEFORE,	 /* a read comes before only the write that it saw */
	LEAD_BEFORE_BACK,
	LEAD_TRIPLE, /* another thread's write comes between two accesses of a thread */
	LEAD_WRITES, /* two writes in the other order */
	LEAD_KINDS
};
const char *lead_kind_name(enum lead_kind kind);

struct lead {
	enum lead_kind kind;
	struct runlog *log;
	uint64_t pair; /* hash of family and sites */
	uint64_t site_a, site_b;
	int rank;  /* smaller is better */
	bool stay; /* once the rules are met, the thread that runs continues */
	VEC(struct control_rule) rules;
};

struct leads {
	VEC(struct lead) queue;
	VEC(struct runlog *) logs; /* those that leads refer to */
	struct map tried, queued;  /* counts by pair */
	struct map seen_pairs;	   /* reads-from pairs of sites seen in any run */
	struct map hashes;	   /* of runs that were learnt */
	struct map hinted;	   /* pairs of sites that analyses named */
	uint64_t made, taken, dropped;
};
void leads_free(struct leads *leads);

/* Leads at these two sites, in any order, come first. */
void leads_hint(struct leads *leads, uint64_t one, uint64_t other);

/*
 * Adds the leads of a run. Returns false if an equal run was learnt before. `by`: the lead that the
 * run came from, or NULL. Reversing its two sites again would only lead back to where that lead
 * came from.
 */
bool leads_learn(struct leads *leads, const struct outcome *outcome, uint32_t depth,
		 const struct lead *by);

/* Takes the best lead; the caller owns it and calls lead_done(). Returns false if none is left. */
bool leads_take(struct leads *leads, struct lead *lead);
void lead_done(struct leads *leads, struct lead *lead);

/* ---- for the files that make leads ----------------------------------------------------------- */

/* Adds a lead; copies the rules. `penalty` 0 means likely, each point makes it less so. */
void leads_add(struct leads *leads, struct runlog *log, enum lead_kind kind,
	       const struct control_rule *rules, size_t count, uint64_t site_a, uint64_t site_b,
	       int penalty);

/*
 * Thread `held` is to stop before `step` until `other` has done `other_step`. Returns the step to
 * stop before, moved up so that `held` holds no lock that `other` needs on its way.
 */
uint32_t lead_stop_above_locks(const struct runlog *log, uint32_t held, uint32_t step,
			       uint32_t other, uint32_t other_step);

void leads_from_memory(struct leads *leads, struct runlog *log); /* leads_memory.c */
void leads_from_blocks(struct leads *leads, struct runlog *log); /* leads_sync.c … */
void leads_from_cycles(struct leads *leads, struct runlog *log);
void leads_from_signals(struct leads *leads, struct runlog *log);

#endif

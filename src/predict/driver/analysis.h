/*
 * The interface between the driver and the analyses: what an analysis gets for one window, how it
 * asks the solver, and how it hands over its claims.
 */
#ifndef PREDICT_DRIVER_ANALYSIS_H
#define PREDICT_DRIVER_ANALYSIS_H

#include "check/checker.h"
#include "predict/pattern/pattern_past.h"
#include "predict/driver/predict.h"
#include "witness/witness.h"

/* What is known from earlier windows (seen_sites.h). */
struct seen_sites;

/*
 * Before `node` happens, the thread of `up_to` runs to just before `up_to`, through events that
 * other threads cannot notice.
 */
struct analysis_pause {
	uint32_t node, up_to;
};

/* A claim with its witness. The checker has not seen it yet. */
struct analysis_claim {
	enum finding_kind kind;
	enum checker_claim claim;
	enum finding_status status;
	enum event_misuse misuse; /* for FINDING_MISUSE */
	uint64_t key; /* key of its code sites: claims with equal keys are one finding */
	/*
	 * The claim's events, as nodes. A pending request is the model's node_count + its thread's
	 * number.
	 */
	VEC(uint32_t) events;
	/*
	 * deadlocks: by event, the position in `events` of the one that it waits for, or ORDER_NONE
	 */
	VEC(uint32_t) waits_for;
	witness_nodes steps; /* nodes inside, in order */
	/*
	 * Patterns: `events` are the events of the leaves. Those that are nodes inside have
	 * happened; ORDER_NONE stands for an event from before the window.
	 */
	const struct pattern_formula *pattern;
	VEC(struct checker_choice) choices;
	VEC(struct analysis_pause) pauses;
	/*
	 * Atomicity: where the region begins, and its lock or its name. The name belongs to `seen`.
	 */
	struct event_id region;
	uint64_t region_lock;
	const char *region_name;
	bool inferred; /* an inferred region, not an annotated one */
	bool benign;   /* a race with a write that changes nothing */
};

/*
 * The number of queries about a key that were in vain in this window. If there were many, later
 * windows ask less about it.
 */
struct failed_queries {
	uint64_t key, count;
};

struct analysis {
	const struct window *window;
	const struct order_clock *clock;
	const struct predict_options *options;
	const struct seen_sites *seen;
	const struct pattern_set *patterns; /* NULL: none */
	const struct past_view *past;	    /* the property events before the window; NULL: none */
	/*
	 * For leads: the analysis of the original window, whose claims need no lead. Otherwise
	 * NULL.
	 */
	const struct analysis *before;
	/* results */
	VEC(struct analysis_claim) claims;
	struct predict_stats stats; /* of this window alone */
	VEC(struct failed_queries) failures;
	/* End of the window's share of the time, by CLOCK_MONOTONIC; 0: no limit */
	double deadline;
	/* created with the first query */
	struct order_solver *solver;
	uint32_t *z3_inside;
};

void analysis_free(struct analysis *analysis);

/* Adds the counts of one window: all but threads, events, rejected and seconds. */
void predict_stats_add(struct predict_stats *sum, const struct predict_stats *one);

/* Has the window's share of the time passed? */
bool analysis_out_of_time(const struct analysis *analysis);

/*
 * Asks the solver that the options choose, with the budget that they set, and counts the answer in
 * the statistics. Once the deadline has passed, returns ORDER_UNKNOWN without asking and counts
 * `not_asked`.
 */
enum order_answer analysis_ask(struct analysis *analysis, const struct order_query *query,
			       struct order_solution *solution);

/*
 * The key of a finding: a hash of its kind and its code sites, in any order.
 * analysis_has_finding(): does this window or an earlier one have a finding with this key? Always
 * false with the option `every`, because window_result.c then makes the keys from the events
 * themselves.
 */
uint64_t analysis_key(enum finding_kind kind, const uint64_t *sites, size_t count);
bool analysis_has_finding(const struct analysis *analysis, uint64_t key);
/*
 * analysis_earlier_failures(): how many queries about the key were in vain in earlier windows.
 * analysis_count_failures(): adds `count` queries of this window that were in vain.
 */
uint64_t analysis_earlier_failures(const struct analysis *analysis, uint64_t key);
void analysis_count_failures(struct analysis *analysis, uint64_t key, uint64_t count);

/*
 * Adds a claim whose witness is made from the solution (`required` is explained in witness.h; NULL
 * keeps all nodes inside). The caller fills in the events. The status is FINDING_PREDICTED.
 */
struct analysis_claim *analysis_add_claim(struct analysis *analysis,
					  const struct order_solution *solution,
					  const uint32_t *required);

/*
 * The same, but the nodes of `fixed` that are not dropped keep their order (witness_make()).
 */
struct analysis_claim *analysis_add_claim_fixed(struct analysis *analysis,
						const struct order_solution *solution,
						const uint32_t *required, const uint32_t *fixed,
						uint32_t fixed_count);

/* The analyses, one file each. */
void predict_patterns(struct analysis *analysis);
void predict_races(struct analysis *analysis);
void predict_deadlocks(struct analysis *analysis);	 /* cycles */
void predict_global_deadlock(struct analysis *analysis); /* no thread can go on; lost signals */
void predict_use_after_end(
	struct analysis *analysis);		/* use after free, after destroy, after close */
void predict_misuse(struct analysis *analysis); /* other misuse */
/* leads: waits after which the condition is not checked again */
void predict_no_recheck(struct analysis *analysis);
void predict_atomicity(struct analysis *analysis); /* regions that another thread interrupts */

#endif

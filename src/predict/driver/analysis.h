/* What an analysis gets to work with on one window, and how it hands findings over. */
#ifndef PREDICT_DRIVER_ANALYSIS_H
#define PREDICT_DRIVER_ANALYSIS_H

#include "check/checker.h"
#include "predict/pattern/pattern_past.h"
#include "predict/driver/predict.h"

/* Sites that have a finding already: a set of keys, made with analysis_key. */
struct analysis_known;

/* Before the node happens, the thread of the other one runs up to that, for itself. */
struct analysis_pause {
	uint32_t node, up_to;
};

/* A claim with its witness, not yet checked. */
struct analysis_claim {
	enum finding_kind kind;
	enum checker_claim claim;
	enum finding_status status;
	enum event_misuse misuse; /* of FINDING_MISUSE */
	uint64_t key;		  /* of its code sites: equal keys are one finding */
	/* nodes at the cut; for a pending thread the model's node_count + its number */
	VEC(uint32_t) events;
	VEC(uint32_t) waits_for; /* deadlocks: for each event a position in events or ORDER_NONE */
	VEC(uint32_t) steps;	 /* nodes inside, in order */
	/* patterns: events are those of the leaves; those that are nodes inside have happened, and
	 * ORDER_NONE stands for one from before the window */
	const struct pattern_formula *pattern;
	VEC(struct checker_choice) choices;
	VEC(struct analysis_pause) pauses;
	/* atomicity: where the region begins; its lock, or its name (that lives with `known`) */
	struct event_id region;
	uint64_t region_lock;
	const char *region_name;
	bool inferred; /* nobody said that it is a region */
};

/* How often sites were asked about in vain: what was asked often in earlier windows is asked less. */
struct analysis_tries {
	uint64_t key, count;
};

struct analysis {
	const struct window *window;
	const struct order_clock *clock;
	const struct predict_options *options;
	const struct analysis_known *known;
	const struct pattern_set *patterns; /* NULL: none */
	const struct past_view *past;	    /* what patterns saw before the window; NULL: nothing */
	/* For leads: the analysis of the window as it is, whose claims need none; else NULL. */
	const struct analysis *before;
	/* out */
	VEC(struct analysis_claim) claims;
	struct predict_stats stats; /* of this window alone */
	VEC(struct analysis_tries) tries;
	/* the window's share of the time, as a moment of CLOCK_MONOTONIC; 0: none */
	double deadline;
	/* made with the first question */
	struct order_solver *solver;
	uint32_t *z3_inside;
};

void analysis_free(struct analysis *analysis);

/* Has the window's share of the time passed? */
bool analysis_is_over(const struct analysis *analysis);

/*
 * Asks, with the options' solver and budget, and counts the answer in stats. ORDER_UNKNOWN at
 * once when the deadline has passed: then `not_asked` is counted.
 */
enum order_answer analysis_ask(struct analysis *analysis, const struct order_query *query,
			       struct order_solution *solution);

/*
 * The key of a finding's code sites, in any order. With `every` nothing is ever known: predict.c
 * takes the events themselves for a key.
 */
uint64_t analysis_key(enum finding_kind kind, const uint64_t *sites, size_t count);
bool analysis_is_known(const struct analysis *analysis, uint64_t key);
/* How often the key was asked about in vain in earlier windows; and to say so of this one. */
uint64_t analysis_tries(const struct analysis *analysis, uint64_t key);
void analysis_tried(struct analysis *analysis, uint64_t key, uint64_t count);

/*
 * A new claim with the witness made from the solution (witness.h says what `required` is; NULL
 * keeps all nodes inside). Returned for the events to be put in; status is FINDING_PREDICTED.
 */
struct analysis_claim *analysis_add(struct analysis *analysis,
				    const struct order_solution *solution,
				    const uint32_t *required);

/* The same; of the nodes of `fixed` those that stay keep their order (witness_make_fixed). */
struct analysis_claim *analysis_add_fixed(struct analysis *analysis,
					  const struct order_solution *solution,
					  const uint32_t *required, const uint32_t *fixed,
					  uint32_t fixed_count);

/* The analyses, one file each. */
void predict_patterns(struct analysis *analysis);
void predict_races(struct analysis *analysis);
void predict_deadlocks(struct analysis *analysis); /* cycles */
void predict_stuck(struct analysis *analysis);	   /* nobody can go on; lost signals */
void predict_freed(
	struct analysis *analysis); /* uses of what is over: use after free, destroy, close */
void predict_misuse(struct analysis *analysis);	    /* other misuse */
void predict_no_recheck(struct analysis *analysis); /* a lead: waits that do not look again */
void predict_atomicity(struct analysis *analysis);  /* regions that another thread tears */

#endif

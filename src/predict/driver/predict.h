/*
 * Prediction: windows of a trace, the analyses on each, every witness through the checker.
 * Results do not depend on the number of jobs.
 */
#ifndef PREDICT_DRIVER_PREDICT_H
#define PREDICT_DRIVER_PREDICT_H

#include "order/solver/solve.h"
#include "predict/driver/finding.h"

enum predict_analysis {
	PREDICT_RACE = 1,
	PREDICT_DEADLOCK = 2,
	PREDICT_LOST_SIGNAL = 4,
	PREDICT_ATOMICITY = 32,
	PREDICT_USE_AFTER_FREE = 64,
	PREDICT_MISUSE = 128,
	PREDICT_ALL = PREDICT_RACE | PREDICT_DEADLOCK | PREDICT_LOST_SIGNAL | PREDICT_ATOMICITY |
		      PREDICT_USE_AFTER_FREE | PREDICT_MISUSE,
	PREDICT_ERASER = 8, /* warnings: predict/warnings/warnings.h */
	PREDICT_GOODLOCK = 16,
	PREDICT_WARNINGS = PREDICT_ERASER | PREDICT_GOODLOCK,
	PREDICT_INFERRED = 256, /* regions that nobody annotated: warnings, or leads */
};

struct predict_options {
	unsigned only; /* set of predict_analysis */
	/* Their patterns are looked for as well, whatever `only` says; NULL: none. */
	const struct property_set *properties;
	/* Queries go to this solver; NULL: to the native one. */
	order_external_solver *z3;
	bool every;	 /* each pair of events, not one for each pair of code sites */
	bool leads;	 /* fill `leads` of the result */
	bool observed;	 /* patterns are not asked about: only what the recorded order matches */
	uint32_t window; /* events */
	unsigned jobs;
	double seconds; /* for everything; 0: no limit */
	uint64_t steps; /* budget of a query; 0: no limit */
	/* Called now and then with how far it is; may be NULL. */
	void (*progress)(void *context, uint64_t done, uint64_t all, size_t findings);
	void *context;
};
#define PREDICT_WINDOW 10000
#define PREDICT_SECONDS 60.0
#define PREDICT_STEPS 20000000

struct predict_stats {
	uint32_t threads;
	uint64_t events, windows, candidates, queries, impossible, possible;
	uint64_t unknown;      /* the budget of the query ran out */
	uint64_t not_asked;    /* candidates left: no time, or enough of their sites were asked */
	uint64_t windows_left; /* windows not looked at when the time was over */
	uint64_t same_sites;   /* candidates not asked because their sites had a finding */
	uint64_t unexplained;  /* events that only the environment explains */
	uint64_t choices;      /* of events for patterns, that were looked at */
	uint64_t far_choices;  /* at least so many were not: too many for one window */
	uint64_t apart;	       /* pairs that a pattern wants otherwise, in no window together */
	/* witnesses that the checker refused: our fault, unless the trace contradicts itself */
	uint64_t rejected;
	double seconds;
	struct order_counts solver;
};

struct predict_result {
	VEC(struct finding) findings; /* in order of their first instance */
	/*
	 * What a run has to show: matches of patterns and torn regions at sites without a finding, in
	 * orders in which reads may see something else, and waits that do not look again. Nothing is
	 * proved, and nothing checks their steps. Their status is FINDING_WARNING.
	 */
	VEC(struct finding) leads;
	struct predict_stats stats;
	VEC(char *) problems; /* of the trace: it contradicts itself, parts cannot be read */
	VEC(char *) faults;   /* of ours: what the checker said of refused witnesses */
};

/*
 * A wait that does not look again and an inferred region are worth a warning as they are: those leads
 * become findings. Without `leads` among the options, predict_run does so itself.
 */
void predict_warn_of_leads(struct predict_result *result);

/* Returns false only if nothing can be done with the trace. */
bool predict_run(const struct trace *trace, const struct predict_options *options,
		 struct predict_result *result, struct err *err);
void predict_result_free(struct predict_result *result);

#endif

/*
 * Prediction: cuts a trace into windows, runs the analyses on each, and passes every witness to the
 * checker. Results do not depend on the number of jobs.
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
	/* regions that are not annotated: reported as warnings, or used as leads */
	PREDICT_INFERRED = 256,
};

struct predict_options {
	unsigned only; /* set of enum predict_analysis */
	/* Their patterns are searched as well, whatever `only` says; NULL: none. */
	const struct property_set *properties;
	/* Queries go to this solver; NULL: to the native one. */
	order_external_solver *z3;
	bool every;	  /* report each set of events, not one for each set of code sites */
	bool skip_benign; /* no races with writes that change nothing (finding.benign) */
	bool leads;	  /* fill `leads` in the result */
	bool observed;	  /* no queries for patterns: only report what the recorded order matches */
	uint32_t window;  /* size in events */
	unsigned jobs;
	double seconds; /* for the whole prediction; 0: no limit */
	uint64_t steps; /* budget of a query; 0: no limit */
	/* Called now and then to report progress; may be NULL. */
	void (*progress)(void *context, uint64_t done, uint64_t all, size_t findings);
	void *context;
};
#define PREDICT_WINDOW 10000
#define PREDICT_SECONDS 60.0
#define PREDICT_STEPS 20000000

struct predict_stats {
	uint32_t threads;
	uint64_t events, windows, candidates, queries, impossible, possible;
	uint64_t unknown; /* the budget of the query ran out */
	/* candidates without a query: no time, or enough queries about their sites */
	uint64_t not_asked;
	uint64_t windows_left; /* windows not analysed when the time was over */
	uint64_t same_sites;   /* candidates without a query because their sites had a finding */
	uint64_t unexplained;  /* events that only the environment explains */
	uint64_t choices;      /* combinations of events that were tried for patterns */
	uint64_t far_choices;  /* at least this many were not tried: too many for one window */
	/* pairs of events that share no window and that a pattern needs in the other order */
	uint64_t apart;
	/*
	 * Witnesses that the checker rejected: a bug in sooth, unless the trace contradicts itself.
	 */
	uint64_t rejected;
	double seconds;
	struct order_counts solver;
};

/* Code that is not recorded: the address that was called, and how often a thread came back. */
struct predict_opaque {
	uint64_t address, count;
};

struct predict_result {
	VEC(struct finding) findings; /* in the order of their first instance */
	/*
	 * Findings that only a run of the program can prove: matches of patterns and interrupted
	 * regions at sites without a finding, in orders in which reads may see other values; waits
	 * that do not check their condition again; and suspicions (finding.unrecorded), which are
	 * possible only if code that is not recorded neither waits nor orders its callers. No proof
	 * exists and the checker does not see their steps. Their status is FINDING_WARNING.
	 */
	VEC(struct finding) leads;
	VEC(struct predict_opaque) opaque; /* sorted by address */
	struct predict_stats stats;
	/* messages about the trace: it contradicts itself, or parts of it cannot be read */
	VEC(char *) problems;
	VEC(char *) faults; /* bugs in sooth: what the checker said about rejected witnesses */
};

/*
 * Moves leads to the findings if they are worth a warning even without a run that proves them:
 * waits after which the condition is not checked again, inferred regions, and suspicions. Without
 * the option `leads`, predict_run() does this itself if it was asked for warnings.
 */
void predict_warn_of_leads(struct predict_result *result);

/* Returns false, with a message in `err`, only if the options are invalid. */
bool predict_run(const struct trace *trace, const struct predict_options *options,
		 struct predict_result *result, struct err *err);
void predict_result_free(struct predict_result *result);

#endif

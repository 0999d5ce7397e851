/*
 * Confirms a predicted finding: runs the program again along the witness and records that run. The
 * recording must show the finding at the same sites.
 */
#ifndef EXPLORE_CONFIRM_CONFIRM_H
#define EXPLORE_CONFIRM_CONFIRM_H

#include "explore/control/run_outcome.h"
#include "explore/control/rerun.h"
#include "explore/control/schedule.h"
#include "predict/driver/predict.h"

struct confirm_options {
	/*
	 * run.on_held is called when both threads of a race stand right before their accesses, when
	 * the threads of a lock cycle stand right before their locks, and when a run fails
	 */
	struct rerun_options run;
	double predict_seconds; /* for predicting again after a divergence; 0: never */
	double deadline;	/* on CLOCK_MONOTONIC: no new attempt after it; 0: none */
	/*
	 * number of events in the recording: a run with more than about four times as many steps is
	 * ended; 0: no limit
	 */
	uint64_t events;
	bool one_order; /* run only the first order of a race */
	/* filled in from the run that confirms the finding; NULL: not wanted */
	struct schedule *schedule;
	/* the properties that findings may violate */
	struct spec_file *const *files;
	size_t file_count;
};

enum confirm_verdict {
	CONFIRM_NOT_TRIED,
	CONFIRM_DONE,	  /* the run showed the finding */
	CONFIRM_DIVERGED, /* the runs did not follow the witness; `why` explains */
	/* the run failed, but not because of the finding (attribute.h); `why` explains */
	CONFIRM_NOT_ATTRIBUTED,
	/* the program cannot be run, or no plan can be made for the finding; `why` explains */
	CONFIRM_CANNOT,
};

/* The run of one of the two orders of a race. For other findings there is only one run. */
struct confirm_order {
	uint32_t first, second; /* threads, in the order of their accesses */
	struct run_outcome effect;
};

struct confirmation {
	enum confirm_verdict verdict;
	char *why; /* why the finding is not confirmed; NULL if it is */
	struct divergence_step {
		uint32_t thread, step;
	} diverged;    /* valid with CONFIRM_DIVERGED */
	unsigned runs; /* executions of the program */
	/* diverged because something that is not recorded held up a thread */
	bool outside;
	unsigned order_count; /* number of `orders` that are valid */
	struct confirm_order orders[2];
	/*
	 * race: what both threads were about to do when they stood before their accesses, in the
	 * order of the finding's events
	 */
	struct control_stop met[2];
};
void confirmation_free(struct confirmation *confirmation);

struct confirmer;

/* `trace` is the recording from which the findings were predicted; it must stay open. */
struct confirmer *confirm_open(const struct confirm_options *options, const struct trace *trace,
			       struct err *err);
void confirm_close(struct confirmer *confirmer);

/*
 * Tries to confirm a finding. Returns false if the user interrupted it; then nothing is known about
 * the finding. A lead of a pattern (predict_result.leads) is tried in the same way: it is confirmed
 * if the recording of the run contains the match.
 */
bool confirm_finding(struct confirmer *confirmer, const struct finding *finding,
		     struct confirmation *out);

#endif

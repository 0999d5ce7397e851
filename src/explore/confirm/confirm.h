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
	 * on_held: the threads of a race are held at their accesses, those of other findings where
	 * they end
	 */
	struct rerun_options run;
	double predict_seconds; /* for predicting again after a divergence; 0: never */
	double deadline;	/* on CLOCK_MONOTONIC: no new attempt after it; 0: none */
	/* number of events in the recording: a run with many times more is ended; 0: no limit */
	uint64_t events;
	bool one_order; /* of a race, run only the first order */
	/* made from the run that confirms a finding; NULL: do not make it */
	struct schedule *schedule;
	/* the properties that findings may violate */
	struct spec_file *const *files;
	size_t file_count;
};

enum confirm_verdict {
	CONFIRM_NOT_TRIED,
	CONFIRM_DONE,	  /* confirmed */
	CONFIRM_DIVERGED, /* the runs did not follow the witness: `why` */
	/* the program cannot be run, or there is no plan for the finding: `why` */
	CONFIRM_CANNOT,
};

/* One of the two orders of a race; for any other finding, the only run. */
struct confirm_order {
	uint32_t first, second; /* threads, in the order of their accesses */
	struct run_outcome effect;
};

struct confirmation {
	enum confirm_verdict verdict;
	char *why; /* the reason why it is not confirmed; NULL if it is */
	struct divergence_step {
		uint32_t thread, step;
	} diverged;	      /* CONFIRM_DIVERGED */
	unsigned runs;	      /* executions of the program */
	unsigned order_count; /* of `orders` */
	struct confirm_order orders[2];
	/*
	 * a race: what both threads were about to do when they met, in the order of the finding's
	 * events
	 */
	struct control_stop met[2];
};
void confirmation_free(struct confirmation *confirmation);

struct confirmer;

/* `trace` is the recording that the findings come from; it must stay open. */
struct confirmer *confirm_open(const struct confirm_options *options, const struct trace *trace,
			       struct err *err);
void confirm_close(struct confirmer *confirmer);

/*
 * Tries to confirm a finding. Returns false if we are to stop; then nothing is known about the
 * finding. A lead of a pattern (predict_result.leads) is tried in the same way: it is confirmed if
 * the recording of the run has the match.
 */
bool confirm_finding(struct confirmer *confirmer, const struct finding *finding,
		     struct confirmation *out);

#endif

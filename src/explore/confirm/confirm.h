/*
 * From a prediction to a fact: the program is run again along the witness, that run is recorded, and
 * the recording must show the finding at the same places in the code.
 */
#ifndef EXPLORE_CONFIRM_CONFIRM_H
#define EXPLORE_CONFIRM_CONFIRM_H

#include "explore/control/run_outcome.h"
#include "explore/control/rerun.h"
#include "explore/control/schedule.h"
#include "predict/driver/predict.h"

struct confirm_options {
	/* on_held: threads of a race are held where they meet, others where they end */
	struct rerun_options run;
	double predict_seconds; /* for predicting again after a divergence; 0: never */
	double deadline;	/* of CLOCK_MONOTONIC: no new attempt after it; 0: none */
	uint64_t events; /* of the recording: a run with very many more is endless; 0: no limit */
	bool one_order;	 /* of a race only the first order is run */
	struct schedule *schedule; /* made from the run that confirms a finding; NULL: none */
	/* the properties that patterns among the findings are of */
	struct spec_file *const *files;
	size_t file_count;
};

enum confirm_verdict {
	CONFIRM_NOT_TRIED,
	CONFIRM_DONE,	  /* confirmed */
	CONFIRM_DIVERGED, /* the runs went other ways: `why` */
	CONFIRM_CANNOT,	  /* it cannot be run, or not to there: `why` */
};

/* One of the two orders of a race; of anything else the one run. */
struct confirm_order {
	uint32_t first, second; /* threads, in the order of their accesses */
	struct run_outcome effect;
};

struct confirmation {
	enum confirm_verdict verdict;
	char *why; /* what kept it from being confirmed; NULL if nothing did */
	struct divergence_place {
		uint32_t thread, step;
	} diverged;	      /* CONFIRM_DIVERGED */
	unsigned runs;	      /* executions of the program */
	unsigned order_count; /* of `orders` */
	struct confirm_order orders[2];
	/* a race: what was about to happen when both stood there, as the finding lists its events */
	struct control_stop met[2];
};
void confirmation_free(struct confirmation *confirmation);

struct confirmer;

/* `trace` is the recording that the findings are of; it stays open meanwhile. */
struct confirmer *confirm_open(const struct confirm_options *options, const struct trace *trace,
			       struct err *err);
void confirm_close(struct confirmer *confirmer);

/*
 * False: we are to stop; nothing is known of this finding. A lead of a pattern (predict_result.leads)
 * is tried in the same way: it is confirmed if the run, recorded, has the match.
 */
bool confirm_finding(struct confirmer *confirmer, const struct finding *finding,
		     struct confirmation *out);

#endif
